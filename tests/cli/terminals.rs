//! Screens whose terminal hangs up: the program ends.
#![cfg(target_os = "linux")]

use super::terminal::{OPENED, Terminal};
use super::{Folder, PATIENCE, gridhunt};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Whether a process runs. One that nobody has waited for is over, too.
fn runs(process: &str) -> bool {
    let state = fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    state.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Runs a command in a terminal of its own, takes the terminal away once the screen is open, and waits for the end.
fn hang_up(arguments: &str) {
    let mut terminal = Terminal::of(arguments);
    terminal.wait_for(OPENED);
    let process = terminal.process();
    assert!(runs(&process), "{arguments}");
    terminal.hang_up();
    let hung_up = Instant::now();
    while runs(&process) {
        if hung_up.elapsed() > PATIENCE {
            panic!("{arguments}: still runs {PATIENCE:?} after its terminal has hung up");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn views_end_with_their_terminal() {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n")]);
    let (board, run) = (folder.path("row.txt"), folder.path("run"));
    gridhunt(&["solve", &board, "--run", &run, "-q"]).assert().success();
    // The moment matters: a program that reads keys just then has hung now and then.
    for _ in 0..10 {
        hang_up(&format!("watch '{run}'"));
        hang_up(&format!("play '{board}' --terminal"));
    }
}

/// The search ends with a checkpoint, because SIGHUP asks for it.
#[test]
fn a_search_on_a_screen_ends_with_its_terminal() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["generate", "--rows", "40", "--colours", "12", "--seed", "1", "-o", &board]).assert().success();
    hang_up(&format!("solve '{board}' --watch --run '{run}' --threads 1"));
    gridhunt(&["status", &run]).assert().success().stdout(predicates::str::contains("not running"));
}
