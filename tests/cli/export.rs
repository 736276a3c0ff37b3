//! `export`: boards for general planners. `scripts/yardsticks` lets Fast Downward solve them.

use super::boards::many;
use super::{Folder, gridhunt, stdout};
use predicates::str::contains;
use std::fs;

#[test]
fn rules_and_boards_stand_in_a_folder() {
    let folder = Folder::new(&[]);
    let boards = folder.write("boards.txt", &many(3));
    let output = folder.path("planning");
    let told = stdout(&["export", &boards, "--boards", "1,3", "--to", "pddl", "-o", &output]);
    let expected = [1, 3].map(|n| format!("boards.txt#{n}: {output}/boards.txt#{n}.pddl\n"));
    assert_eq!(told, expected.concat());
    let read = |name: &str| fs::read_to_string(format!("{output}/{name}.pddl")).expect("a file");
    assert!(read("domain").starts_with("(define (domain flood-it)\n"));
    for text in ["boards.txt#1", "boards.txt#3"].map(read) {
        assert!(text.contains("(define (problem board)\n  (:domain flood-it)\n"), "{text}");
        assert_eq!(text.matches('(').count(), text.matches(')').count());
    }
    assert!(fs::metadata(format!("{output}/boards.txt#2.pddl")).is_err());
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = Folder::new(&[]);
    let boards = folder.write("boards.txt", &many(1));
    let output = folder.path("planning");
    gridhunt(&["export", &boards, "--domain", "clickomania", "-o", &output])
        .assert()
        .code(2)
        .stderr(contains("found boards of clickomania, expected those of flood-it"));
    assert!(fs::metadata(&output).is_err(), "refused before anything is written");
    gridhunt(&["export", &boards, &boards, "-o", &output]).assert().failure().stderr(contains("boards.txt"));
    gridhunt(&["export", &boards]).assert().code(2).stderr(contains("--output"));
    let rules = folder.write("domain.txt", r#"{"name": "domain", "cells": ["12", "21"]}"#);
    gridhunt(&["export", &rules, "-o", &output]).assert().code(3).stderr(contains("domain.pddl"));
    let board = folder.write("named.pddl", r#"{"name": "named", "cells": ["12", "21"]}"#);
    let beside = folder.path("");
    gridhunt(&["export", &board, "-o", &beside]).assert().code(3).stderr(contains("would overwrite"));
    assert!(fs::read_to_string(&board).expect("the board").contains("cells"), "an input is replaced");
}
