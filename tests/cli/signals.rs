//! The first signal ends the search with what is proven, a second one ends the program at once.
#![cfg(unix)]

use super::Folder;
use super::boards::hard;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

pub fn start(args: &[&str]) -> Child {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"))
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line of progress: the search is under way, and signals are watched before it begins.
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("<= optimum") {
        line.clear();
        assert!(errors.read_line(&mut line).unwrap() > 0, "the program ended early");
    }
    std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
    child
}

pub fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

pub fn end(child: Child) -> (Option<i32>, String) {
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn an_interrupted_search_says_what_is_proven() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = start(&["solve", &path]);
        send(&child, signal);
        let (status, text) = end(child);
        assert_eq!(status, Some(code), "{text}");
        assert!(text.contains("<= optimum") && text.contains("(interrupted)"), "{text}");
    }
}

#[test]
fn an_interrupted_batch_ends_with_its_summary() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    let child = start(&["solve", &path, &path, &path, "--parallel", "search", "--json"]);
    send(&child, "-INT");
    let (status, text) = end(child);
    assert_eq!(status, Some(130));
    assert_eq!(text.lines().count(), 1, "boards that did not begin have no result: {text}");
    assert!(text.contains("\"lower_bound\":"), "{text}");
}

/// Whether no thread of the process is running or ready to run.
#[cfg(target_os = "linux")]
fn is_waiting(child: &Child) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    threads.flatten().all(|thread| {
        // A thread may end between the two looks at it.
        let stat = std::fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, behind_name)| behind_name.starts_with('S'))
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_ends_the_program_at_once() {
    use std::time::Duration;
    let folder = Folder::new(&[("many.txt", &super::boards::many(4000))]);
    // Nobody reads the results, so the program ends up waiting for its output, whatever it is asked.
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"))
        .args(["solve", &folder.path("many.txt"), "--format", "lines", "--json", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut quiet = 0;
    for _ in 0..2000 {
        std::thread::sleep(Duration::from_millis(30));
        quiet = if is_waiting(&child) { quiet + 1 } else { 0 };
        if quiet == 20 {
            break;
        }
    }
    assert_eq!((quiet, child.try_wait().unwrap()), (20, None), "the program waits for its reader");
    send(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "the first signal lets the results out");
    send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
