//! `certify --veripb`: formulas and proofs for VeriPB. `scripts/veripb` lets VeriPB check them.

use super::boards::many;
use super::{Folder, gridhunt, stdout};
use predicates::str::contains;
use serde_json::Value;
use std::fs;

#[test]
fn a_formula_and_a_proof_stand_beside_each_other() {
    let folder = Folder::new(&[]);
    let board = folder.write("board.txt", &many(1));
    for output in ["proof", "proof.pbp", "proof.opb"].map(|name| folder.path(name)) {
        let made = stdout(&["certify", &board, "--veripb", "-o", &output, "--json", "--quiet"]);
        let made: Value = serde_json::from_str(&made).unwrap();
        assert_eq!(
            (&made["file"], &made["formula"]),
            (&folder.path("proof.pbp").into(), &folder.path("proof.opb").into())
        );
        let read = |field: &str| fs::read_to_string(made[field].as_str().unwrap()).unwrap();
        assert!(read("formula").starts_with("* #variable= "));
        assert!(read("file").starts_with("pseudo-Boolean proof version 3.0\n"));
        assert!(read("file").ends_with("conclusion UNSAT : -1 ;\nend pseudo-Boolean proof ;\n"));
        ["file", "formula"].iter().for_each(|field| fs::remove_file(made[field].as_str().unwrap()).unwrap());
    }
}

#[test]
fn each_board_of_a_file_has_its_files() {
    let folder = Folder::new(&[]);
    let boards = folder.write("boards.txt", &many(3));
    gridhunt(&["certify", &boards, "-o", &folder.path("made"), "--veripb", "--quiet"]).assert().success();
    for (number, ending) in (1..=3).flat_map(|number| ["pbp", "opb"].map(|ending| (number, ending))) {
        assert!(folder.exists(&format!("made/boards.txt#{number}.{ending}")), "{number} {ending}");
    }
}

#[test]
fn a_board_that_is_too_large_is_refused_before_it_is_searched() {
    let folder = Folder::new(&[]);
    let board = folder.path("board.txt");
    gridhunt(&["generate", "--rows", "21", "--cols", "22", "--colours", "9", "--output", &board]).assert().success();
    let args = ["certify", &board, "--veripb", "-o", &folder.path("proof"), "--quiet"];
    let error =
        "board.txt: found 21 x 22 cells, expected at most 441 (21 x 21) for a proof that VeriPB checks: leave out";
    gridhunt(&args).assert().failure().stderr(contains(error));
}
