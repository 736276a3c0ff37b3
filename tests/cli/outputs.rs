//! Results on standard output, everything else on standard error; quiet, colour, closed pipes.

use super::boards::{SMALL, TWO, hard, many};
use super::{Folder, gridhunt, matches, stdout};
use predicates::str::contains;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn one_board_is_told_in_full() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let pattern = concat!(
        r"^small.txt: 3 x 3, 3 colours\noptimal, \d moves\n  [123 ]+\n",
        r"expanded [\d,]+, generated [\d,]+, stored [\d,]+ no-goods.*\n",
        r"\d.* s, .* CPU on 1 thread, .*iB at most; engine auto, lower bound elimination\n$"
    );
    let args = ["solve", &folder.path("small.txt"), "--threads", "1"];
    gridhunt(&args).assert().success().stdout(matches(pattern));
}

#[test]
fn many_boards_are_a_line_each_and_a_summary() {
    let folder = Folder::new(&[("two.txt", TWO)]);
    let pattern = concat!(
        r"^two.txt#1: optimal, \d moves: [123 ]+\ntwo.txt#2: optimal, 4 moves: [12 ]+\n",
        r"2 boards: 2 solved, 2 proven optimal; total cost \d+, total lower bound \d+; .* CPU, [\d,]+ expanded\n$"
    );
    let args = ["solve", &folder.path("two.txt"), "--format", "lines"];
    gridhunt(&args).assert().success().stdout(matches(pattern));
}

#[test]
fn the_summary_leaves_json_alone() {
    let folder = Folder::new(&[("two.txt", TWO)]);
    let args = ["solve", &folder.path("two.txt"), "--format", "lines", "--json"];
    let assert = gridhunt(&args).assert().success().stderr(contains("2 boards: 2 solved"));
    assert_eq!(String::from_utf8_lossy(&assert.get_output().stdout).lines().count(), 2);
}

#[test]
fn quiet_says_nothing_but_results() {
    let folder = Folder::new(&[("small.txt", SMALL), ("two.txt", TWO)]);
    let hard = folder.write("hard.txt", &hard());
    let many = [folder.path("small.txt"), folder.path("two.txt")];
    gridhunt(&["solve", &many[0], "--quiet"]).assert().success().stderr("");
    gridhunt(&["solve", &many[1], "--format", "lines", "--quiet", "--json"]).assert().success().stderr("");
    gridhunt(&["solve", &hard, "--quiet", "--time-limit", "1s"]).assert().code(5).stderr("");
}

#[test]
fn progress_is_a_log_when_piped() {
    let folder = Folder::new(&[]);
    let hard = folder.write("hard.txt", &hard());
    let assert = gridhunt(&["solve", &hard, "--time-limit", "2s"]).assert().code(5);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(!text.contains(['\x1b', '\r']), "{text:?}");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("gridhunt ") && lines[0].contains(": flood-it, engine auto, "), "{text}");
    assert!(lines[1].starts_with("limits: ") && lines[1].ends_with("2.00 s a board"), "{text}");
    assert!(lines[3].starts_with("hard.txt: ") && lines[4].contains(" proven     best   gap "), "{text}");
    let first: Vec<_> = lines[5].split_whitespace().collect();
    assert!(first[0].starts_with("0:0") && first[5].parse::<u32>().is_ok(), "{text}");
}

#[test]
fn another_optimum_in_the_file_is_remarked() {
    let row = |optimum: u32| format!("1 4 3\n1 2 1 3\n{optimum}\n");
    let folder = Folder::new(&[("right.txt", &row(3)), ("wrong.txt", &row(4))]);
    gridhunt(&["solve", &folder.path("right.txt"), "--format", "numbers", "-q"]).assert().success().stderr("");
    gridhunt(&["solve", &folder.path("wrong.txt"), "--format", "numbers", "-q"])
        .assert()
        .success()
        .stderr("warning: wrong.txt: the file names the optimum 4, but 3 is proven optimal here\n");
}

#[test]
fn results_can_go_to_a_file() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let results = folder.path("results.json");
    let args = ["solve", &folder.path("small.txt"), "--json", "--output", &results];
    gridhunt(&args).assert().success().stdout("");
    assert!(std::fs::read_to_string(results).unwrap().starts_with("{\"number\":1,\"board\":\"small.txt\""));
}

#[test]
fn nobody_gets_colour_through_a_pipe_unless_he_asks() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let path = folder.path("small.txt");
    let escapes = |args: &[&str], no_color: Option<&str>| {
        let mut command = gridhunt(args);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let output = command.assert().success().get_output().clone();
        assert!(!output.stderr.contains(&b'\x1b'));
        output.stdout.contains(&b'\x1b')
    };
    assert!(!escapes(&["render", &path], None));
    assert!(escapes(&["render", &path, "--color", "always"], None));
    assert!(escapes(&["render", &path, "--color", "always"], Some("1")), "what is asked for goes before NO_COLOR");
    assert!(!escapes(&["render", &path, "--color", "never"], None));
    assert!(!escapes(&["solve", &path], Some("1")));
}

/// Runs the program on a terminal that `script` makes; what it writes there.
fn on_a_terminal(command_line: &str, no_color: bool) -> Option<String> {
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").to_str()?;
    let mut script = Command::new("script");
    script
        .args(["-qec", &format!("stty rows 40 cols 150; {program} {command_line}"), "/dev/null"])
        .env("TERM", "xterm-256color");
    script.env_remove("NO_COLOR").stdin(Stdio::null());
    if no_color {
        script.env("NO_COLOR", "1");
    }
    // Where there is no `script`, there is no terminal to test with.
    let output = script.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_terminal_gets_colour_and_a_live_line() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let hard = folder.write("hard.txt", &hard());
    let render = format!("render {}", folder.path("small.txt"));
    let Some(coloured) = on_a_terminal(&render, false) else { return };
    assert!(coloured.contains("\x1b["), "{coloured:?}");
    assert!(!on_a_terminal(&render, true).unwrap().contains("\x1b["));
    let live = on_a_terminal(&format!("solve {hard} --time-limit 2s --bound elimination"), false).unwrap();
    assert!(live.contains("\x1b[") && live.contains(" <= optimum") && live.contains("/s"), "{live:?}");
    let quiet = on_a_terminal(&format!("solve {hard} --time-limit 300ms --quiet"), false).unwrap();
    assert!(!quiet.contains("\x1b["), "{quiet:?}");
}

#[test]
fn a_reader_that_leaves_is_no_panic() {
    let folder = Folder::new(&[("many.txt", &many(3000))]);
    let program = assert_cmd::cargo::cargo_bin!("gridhunt");
    let path = folder.path("many.txt");
    for args in [&["solve", &path, "--format", "lines", "--json", "-q"][..], &["generate", "--count", "20000"]] {
        let mut child = Command::new(program).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn frames_follow_the_solution() {
    let folder = Folder::new(&[("row.txt", "1213\n"), ("moves.txt", "2 1 3\n"), ("bad.txt", "2 1 3 1\n")]);
    let (row, moves) = (folder.path("row.txt"), folder.path("moves.txt"));
    let render = |args: &[&str]| stdout(&[&["render", "--format", "text", &row, &moves], args].concat());
    assert_eq!(
        render(&["--frames", "2"]),
        "row.txt: move 0 of 3, 1 of 4 cells\n*1 2 1 3\n\nrow.txt: move 3 of 3, colour 3, 4 of 4 cells\n*3+3+3+3\n\n"
    );
    assert_eq!(render(&["--step", "1"]), "row.txt: move 1 of 3, colour 2, 2 of 4 cells\n*2+2 1 3\n\n");
    assert_eq!(render(&[]).matches("move ").count(), 4);
    assert!(stdout(&["render", "--format", "text", &row]).contains("1 x 4, 3 colours, start 1,1\n*1 2 1 3\n"));
    let refused =
        |args: &[&str], code| gridhunt(&[&["render", "--format", "text", &row], args].concat()).assert().code(code);
    refused(&[&moves, "--step", "4"], 2).stderr(contains("found --step 4, expected at most 3"));
    refused(&[&folder.path("bad.txt")], 3).stderr(contains("move 4 (colour 1)"));
}

#[test]
fn the_output_is_never_an_input() {
    let folder = Folder::new(&[("board.txt", "1213\n2121\n")]);
    let path = folder.path("board.txt");
    let refused = gridhunt(&["solve", &path, "--format", "text", "-o", &path]).assert().code(2);
    refused.stderr(contains("expected a file that is not an input"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1213\n2121\n");
}

#[test]
fn a_parameter_of_another_engine_is_refused() {
    let folder = Folder::new(&[("board.txt", "1213\n2121\n")]);
    let path = folder.path("board.txt");
    let refused = gridhunt(&["solve", &path, "--format", "text", "--beam-width", "7"]).assert().code(2);
    refused.stderr(contains("found --beam-width with the engine auto, expected --engine beam"));
    gridhunt(&["solve", &path, "--format", "text", "--beam-width", "7", "--engine", "beam"]).assert().success();
}
