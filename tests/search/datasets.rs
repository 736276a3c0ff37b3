//! The boards that ship, and the optima beside them.

use crate::clicks;
use crate::common::{Setting, is_long, without_limits};
use crate::engines::run;
use crate::programs::run_by;
use gridhunt_boards::{Board, BoardReader, Cell, Format, Program, ReadOptions};
use gridhunt_bunny::replay::verify_program;
use gridhunt_clickomania::replay::verify_clicks;
use gridhunt_clickomania::{Rules, Scoring};
use gridhunt_floodit::replay::verify_solution;
use gridhunt_kami::replay::{Move, verify_moves};
use gridhunt_kami::{ColoursOrRadius, FreeFlood};
use gridhunt_search::engine::{Parameters, StateEngine, Status, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, StopToken};
use gridhunt_synthesis::ProgramEngine;
use std::collections::HashMap;
use std::path::Path;

/// The boards of a folder, each with its row of the table beside them: `N` fields after the name.
fn table<const N: usize>(puzzle: &str) -> Vec<(Board, [String; N])> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(puzzle);
    let mut boards = HashMap::new();
    for file in std::fs::read_dir(&folder).expect("the dataset").map(|entry| entry.expect("a file").path()) {
        let format = match file.extension().and_then(|e| e.to_str()) {
            Some("txt") if puzzle != "bunny" => Format::Text,
            _ if puzzle == "bunny" && file.extension().is_some_and(|e| e == "txt") => Format::Bunny,
            Some("lines") => Format::Lines,
            _ => continue,
        };
        let file = file.to_str().expect("a plain name");
        // Not square.
        let size = file.contains("9x7-").then_some((9, 7));
        let options = ReadOptions { format: Some(format), size, ..ReadOptions::default() };
        let reader = BoardReader::open(file, options).expect("a board file");
        for entry in reader {
            let board = entry.expect("a sound board").board;
            boards.insert(board.name().rsplit('/').next().expect("a name").to_owned(), board);
        }
    }
    let optima = std::fs::read_to_string(folder.join("optima.csv")).expect("the optima");
    assert_eq!(optima.lines().count() - 1, boards.len());
    let row = |line: &str| {
        let (name, fields) = line.split_once(',').expect("a name");
        let fields: Vec<_> = fields.splitn(N, ',').map(str::to_owned).collect();
        (boards.remove(name).expect(name), fields.try_into().expect("so many fields"))
    };
    optima.lines().skip(1).map(row).collect()
}

#[test]
fn optima_hold() {
    let mut proven = 0;
    for (board, [optimum, moves]) in table("floodit") {
        let (board, name) = (&board, board.name());
        let colour = |symbol: char| board.symbols().iter().position(|s| *s == symbol.to_string());
        let moves: Vec<u16> = moves.chars().map(|s| colour(s).expect("a colour of the board") as u16).collect();
        let optimum = optimum.parse().expect("a number");
        verify_solution(board, &moves, Some(optimum)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if board.cells().len() <= 200 || is_long() {
            assert_eq!(run(board, StateEngine::AUTO, "elimination", 2).lower_bound, optimum, "{name}");
            proven += 1;
        }
    }
    assert!(proven > 100);
}

#[test]
fn programs_hold() {
    for (board, [optimum, program]) in table("bunny") {
        let (board, name) = (&board, board.name());
        let (optimum, program) = (optimum.parse().expect("a number"), program.parse().expect("a program"));
        verify_program(board, &program, Some(optimum)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if optimum < 9 || is_long() {
            let outcome = run_by(ProgramEngine::SYNTHESIS, board, 2, Limits::default());
            assert_eq!(outcome.lower_bound, optimum, "{name}");
            let found = Program::from_codes(&outcome.incumbent.expect("a program").moves).expect("a whole program");
            verify_program(board, &found, Some(optimum)).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn optima_of_free_flood_hold() {
    for (board, [optimum, moves]) in table("freeflood") {
        let (board, name) = (&board, board.name());
        let of_move = |text: &str| {
            let (at, colour) = text.rsplit_once(':').expect("a move");
            Move { cell: cell(at), colour: colour.parse::<u8>().expect("a colour") - 1 }
        };
        let (moves, optimum): (Vec<Move>, u32) = (moves.split(' ').map(of_move).collect(), optimum.parse().unwrap());
        verify_moves(board, None, &moves, Some(optimum)).unwrap_or_else(|error| panic!("{name}: {error}"));
        if optimum > 5 && !is_long() {
            continue; // nine boards of 20, which take most of the time
        }
        let space = FreeFlood::new(board, None).expect("a space");
        let (stop, problem) = (StopToken::new(), Problem::new(&space, ColoursOrRadius(&space)));
        let context = without_limits(2, &stop);
        let outcome =
            search(StateEngine::BEST_FIRST, &problem, &Parameters::default(), None, &context).expect("an outcome");
        assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal), "{name}");
    }
}

/// A cell as the table writes it.
fn cell(text: &str) -> Cell {
    let (row, col) = text.split_once(':').expect("a cell");
    let from_one = |text: &str| text.parse::<usize>().expect("a number") - 1;
    Cell { row: from_one(row), col: from_one(col) }
}

#[test]
fn optima_of_clickomania_hold() {
    let (mut proven, mut counted) = (0, 0);
    for (board, [objective, min_group, columns, optimum, moves]) in table("clickomania") {
        let (board, name) = (&board, board.name());
        let objective = objective.parse().expect("an objective");
        let min_group = min_group.parse().expect("a number");
        let rules = Rules { min_group, columns: columns.parse().expect("a rule"), ..Rules::default() };
        let solution: Vec<Cell> = moves.split_whitespace().map(cell).collect();
        let optimum: u32 = optimum.parse().expect("a number");
        let verdict = verify_clicks(board, (rules, objective, &Scoring::default()), &solution, Some(optimum.into()));
        assert!(verdict.is_ok(), "{name}: {verdict:?}");
        if board.cells().len() <= 25 {
            // Every state of the board, without any bound.
            assert_eq!(clicks::truth(board, rules, objective), Some(Some(optimum)), "{name}");
            counted += 1;
        }
        if board.cells().len() <= 63 || is_long() {
            let outcome = clicks::run(board, rules, objective, Setting::new(StateEngine::AUTO, 2));
            assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal), "{name}");
            proven += 1;
        }
    }
    assert!(proven >= 210 && counted == 200);
}
