//! The boards that ship, and the optima beside them.

use crate::engines::run;
use gridhunt::board::{Board, BoardReader, Format, ReadOptions};
use gridhunt::engine::EngineKind;
use gridhunt::proof::verify_solution;
use std::collections::HashMap;
use std::path::Path;

fn boards() -> HashMap<String, Board> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/floodit");
    let mut boards = HashMap::new();
    for file in std::fs::read_dir(folder).expect("the dataset").map(|entry| entry.expect("a file").path()) {
        let format = match file.extension().and_then(|e| e.to_str()) {
            Some("txt") => Format::Text,
            Some("lines") => Format::Lines,
            _ => continue,
        };
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let reader = BoardReader::open(file.to_str().expect("a plain name"), options).expect("a board file");
        for entry in reader {
            let board = entry.expect("a sound board").board;
            boards.insert(board.name().rsplit('/').next().expect("a name").to_owned(), board);
        }
    }
    boards
}

#[test]
fn optima_hold() {
    let boards = boards();
    let optima = include_str!("../../datasets/floodit/optima.csv");
    let mut proven = 0;
    for line in optima.lines().skip(1) {
        let [name, optimum, moves] = line.splitn(3, ',').collect::<Vec<_>>()[..] else { panic!("found {line}") };
        let board = boards.get(name).unwrap_or_else(|| panic!("{name} is not among {:?}", boards.keys()));
        let colour = |symbol: char| board.symbols().iter().position(|s| *s == symbol.to_string());
        let moves: Vec<u16> = moves.chars().map(|s| colour(s).expect("a colour of the board") as u16).collect();
        let optimum = optimum.parse().expect("a number");
        verify_solution(board, &moves, Some(optimum)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if board.cells().len() <= 200 || std::env::var_os("GRIDHUNT_LONG").is_some() {
            assert_eq!(run(board, EngineKind::Auto, "elimination", 2).lower_bound, optimum, "{name}");
            proven += 1;
        }
    }
    assert_eq!(optima.lines().count() - 1, boards.len());
    assert!(proven > 100);
}
