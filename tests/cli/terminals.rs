//! Screens whose terminal hangs up: the program ends.
#![cfg(target_os = "linux")]

use super::{Folder, PATIENCE, gridhunt};
use assert_cmd::cargo::cargo_bin;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The bytes with which a screen opens.
const OPENS: &[u8] = b"\x1b[?1049h";

/// Whether a process runs. One that nobody has waited for is over, too.
fn runs(process: &str) -> bool {
    let state = fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    state.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Runs a command in a terminal of its own, takes the terminal away once the screen is open, and waits for the end.
fn hang_up(folder: &Folder, arguments: &str) {
    let (program, number) = (cargo_bin("gridhunt"), folder.path("number"));
    let line = format!("echo $$ > '{number}'; exec '{}' {arguments}", program.display());
    let file = folder.write("run.sh", &line);
    let mut terminal = Command::new("script")
        .args(["--quiet", "--flush", "--command", &format!("sh '{file}'"), "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut seen, mut output) = (Vec::new(), terminal.stdout.take().unwrap());
    while !seen.windows(OPENS.len()).any(|window| window == OPENS) {
        let mut bytes = [0; 512];
        let read = output.read(&mut bytes).unwrap();
        assert!(read > 0, "{arguments}: ended before its screen was open: {}", String::from_utf8_lossy(&seen));
        seen.extend(&bytes[..read]);
    }
    let process = fs::read_to_string(&number).unwrap().trim().to_owned();
    assert!(runs(&process), "{arguments}");
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    let hung_up = Instant::now();
    while runs(&process) {
        if hung_up.elapsed() > PATIENCE {
            let _ = Command::new("kill").args(["-KILL", &process]).status();
            panic!("{arguments}: still runs {PATIENCE:?} after its terminal has hung up");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn views_end_with_their_terminal() {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n"), ("row.moves", "213\n")]);
    let (board, run) = (folder.path("row.txt"), folder.path("run"));
    gridhunt(&["solve", &board, "--run", &run, "-q"]).assert().success();
    // The moment matters: a program that reads keys just then has hung now and then.
    for _ in 0..10 {
        hang_up(&folder, &format!("watch '{run}'"));
        hang_up(&folder, &format!("play '{board}' --terminal"));
        hang_up(&folder, &format!("render '{board}' '{}' --play", folder.path("row.moves")));
    }
}

/// The search ends with a checkpoint, because SIGHUP asks for it.
#[test]
fn a_search_on_a_screen_ends_with_its_terminal() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["generate", "--rows", "40", "--colours", "12", "--seed", "1", "-o", &board]).assert().success();
    hang_up(&folder, &format!("solve '{board}' --watch --run '{run}' --threads 1"));
    gridhunt(&["status", &run]).assert().success().stdout(predicates::str::contains("not running"));
}
