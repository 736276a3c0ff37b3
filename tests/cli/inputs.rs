//! Bad input: file, line, column, what was found, what was expected; and nothing is written.

use super::boards::{SMALL, TWO};
use super::{Folder, gridhunt};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

#[test]
fn a_selection_beyond_the_last_board_is_no_selection() {
    let folder = Folder::new(&[("two.txt", TWO)]);
    let args = ["solve", &folder.path("two.txt"), "--format", "lines", "--boards", "1,7"];
    gridhunt(&args)
        .assert()
        .code(3)
        .stdout("")
        .stderr(contains("two.txt: found 2 boards, expected board 7, which --boards selects"));
}

#[test]
fn the_recognised_format_is_told() {
    let folder = Folder::new(&[("a.txt", SMALL), ("b.csv", "1,1,2\n2,3,1\n1,2,3\n")]);
    let args = ["solve", &folder.path("a.txt"), &folder.path("b.csv")];
    gridhunt(&args)
        .assert()
        .success()
        .stderr(contains("a.txt: read as text\n"))
        .stderr(contains("b.csv: read as csv\n"));
}

#[test]
fn links_stand_where_files_stand() {
    let link = "<https://host/page#p=clickomania&amp;b=2x2c2s0.0011&amp;o=objective~clicks>.";
    gridhunt(&["solve", link, "-q"]).assert().success().stdout(contains("2 clicks"));
    gridhunt(&["verify", link, "-"]).write_stdin("1,1 2,1").assert().success().stdout(contains("valid, cleared, 2"));
    gridhunt(&["render", link]).assert().success().stdout(contains("2 x 2, 2 colours"));
    gridhunt(&["bounds", "p=flood-it&b=2x2c2s0.0110", "-q"]).assert().success().stdout(contains("layers"));
    let two = ["solve", link, "p=clickomania&b=1x2c1s0.00"];
    gridhunt(&two).assert().code(2).stderr(contains("found a link with rules beside other inputs"));
    gridhunt(&["solve", "p=flood-it&b=2x2c2s0.011"]).assert().code(3).stderr(contains("found the board 2x2c2s0.011"));
    gridhunt(&["solve", "https://host/b.txt"]).assert().code(3).stderr(contains("an address without a board in it"));
}

#[test]
fn game_ids_stand_where_files_stand() {
    let id = "3x3c3m4:012112012,5";
    gridhunt(&["solve", id]).assert().success().stdout(contains("optimal, 3 moves")).stderr(contains("5 moves"));
    for id in [id, &format!(" {id} "), &format!("https://host/flood.html#{id}")] {
        gridhunt(&["render", id]).assert().success().stdout(contains("game ID: 3 x 3"));
    }
    gridhunt(&["render", "3x3c3m4:012112012,-1"]).assert().code(3).stderr(contains("expected a limit"));
    gridhunt(&["verify", id, "-"]).write_stdin("1 0 2").assert().success().stdout(contains("valid, 3 moves"));
    gridhunt(&["solve", "3x3c3m4:01211201"]).assert().code(3).stderr(contains("expected 9 cells"));
    gridhunt(&["solve", "3x3c3m4"]).assert().code(3).stderr(contains("cannot be read"));
}

#[test]
fn files_of_one_call_have_the_same_rules() {
    let board = |rule: &str| format!(r#"{{"game": "clickomania", "cells": ["1122", "2211"]{rule}}}"#);
    let boards = [r#", "minGroup": 3"#, r#", "minGroup": 2"#, ""].map(board);
    let folder = Folder::new(&[("a.json", &boards[0]), ("b.json", &boards[1]), ("c.json", &boards[2])]);
    for other in ["b.json", "c.json"] {
        let args = ["solve", &folder.path("a.json"), &folder.path(other), "-q"];
        gridhunt(&args).assert().failure().stderr(contains("under other rules"));
        gridhunt(&[&args[..], &["--min-group", "2"]].concat()).assert().success();
    }
}

#[test]
fn names_are_shown_without_what_a_terminal_obeys() {
    let folder = Folder::new(&[("a\n\u{1b}[31m.txt", SMALL)]);
    let (file, run) = (folder.path("a\n\u{1b}[31m.txt"), folder.path("r\u{1b}[31m"));
    let shown = "a\\n\\u{1b}[31m.txt";
    let solved = gridhunt(&["solve", &file, "--run", &run, "--threads", "1"]).assert().success();
    let solved = solved.stdout(contains(format!("{shown}: 3 x 3")));
    assert!(!solved.get_output().stdout.contains(&0x1b) && !solved.get_output().stderr.contains(&0x1b));
    for command in ["resume", "status"] {
        let went_on = gridhunt(&[command, &run]).assert().success();
        assert!(
            !went_on.get_output().stdout.contains(&0x1b) && !went_on.get_output().stderr.contains(&0x1b),
            "{command}"
        );
    }
    let missing =
        gridhunt(&["solve", "no\u{1b}[31m.txt"]).assert().code(3).stderr(contains("no\\u{1b}[31m.txt: cannot"));
    assert!(!missing.get_output().stderr.contains(&0x1b));
}

#[test]
fn what_spreadsheets_take_for_formulas_has_an_apostrophe() {
    for name in ["=1+cmd|x.txt", "+a.txt", "-a.txt", "@a.txt"] {
        let folder = Folder::new(&[(name, SMALL)]);
        let (board, results) = (folder.path(name), folder.path("r.csv"));
        gridhunt(&["solve", &board, "-q", "-o", &results]).assert().success();
        let text = std::fs::read_to_string(&results).unwrap();
        assert!(text.lines().nth(1).unwrap().starts_with(&format!("1,'{name},")), "{text}");
        gridhunt(&["verify", &board, &results]).assert().success().stderr(contains("is for").not());
    }
}
