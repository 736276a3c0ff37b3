//! The first signal ends the search with what is proven, a second one ends the program at once.
#![cfg(unix)]

use super::Folder;
use super::boards::hard;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

fn solve(args: &[&str]) -> Child {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"))
        .arg("solve")
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

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn end(child: Child) -> (Option<i32>, String) {
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn an_interrupted_search_says_what_is_proven() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = solve(&[&path]);
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
    let child = solve(&[&path, &path, &path, "--parallel", "search", "--json"]);
    send(&child, "-INT");
    let (status, text) = end(child);
    assert_eq!(status, Some(130));
    assert_eq!(text.lines().count(), 1, "boards that did not begin have no result: {text}");
    assert!(text.contains("\"lower_bound\":"), "{text}");
}
