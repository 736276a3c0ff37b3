//! Free flood: every engine against breadth-first search with the plain rules.

use crate::common::{is_long, rng};
use gridhunt::hunt::{BoardRecord, Config, Request, solve_board};
use gridhunt::puzzles::{EngineKind, PuzzleId, Solutions};
use gridhunt_boards::{Board, BoardError, BoardReader, Cell, EMPTY, usual_symbols};
use gridhunt_kami::replay::{Move, MoveError, verify_moves};
use gridhunt_kami::{ColoursOrRadius, FreeFlood};
use gridhunt_search::domain::{Cost, Domain, LowerBound};
use gridhunt_search::engine::{Parameters, Status, solve_all};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Silent, StopToken};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// A random board, with a wall in some cells if asked for.
fn random(rng: &mut ChaCha8Rng, most: usize, colours: u8, has_walls: bool) -> Board {
    let (rows, cols) = (rng.random_range(1..=most), rng.random_range(1..=most));
    let cell = |rng: &mut ChaCha8Rng| match has_walls && rng.random_ratio(1, 5) {
        true => EMPTY,
        false => rng.random_range(0..colours),
    };
    let cells = (0..rows * cols).map(|_| cell(rng)).collect();
    Board::new("b", rows, cols, cells, usual_symbols(colours.into()), Cell::default()).expect("a board")
}

/// The cells after a move by the rules, cell by cell, with the cells of its area.
fn moved(board: &Board, cells: &[u8], index: usize, colour: u8, area: &mut Vec<usize>) -> Vec<u8> {
    let mut after = cells.to_vec();
    area.clear();
    area.push(index);
    after[index] = colour;
    let mut at = 0;
    while let Some(&cell) = area.get(at) {
        for next in board.neighbours(cell) {
            if cells[next] == cells[index] && !area.contains(&next) {
                after[next] = colour;
                area.push(next);
            }
        }
        at += 1;
    }
    after
}

/// The fewest moves, breadth first over the colours of all cells.
fn fewest_moves(board: &Board, target: Option<u8>) -> u32 {
    let is_goal = |cells: &[u8]| {
        let mut colours = cells.iter().copied().filter(|&cell| cell != EMPTY);
        let wanted = target.or(colours.clone().next());
        colours.all(|colour| Some(colour) == wanted)
    };
    if is_goal(board.cells()) {
        return 0;
    }
    let (mut layer, mut seen) = (vec![board.cells().to_vec()], HashSet::from([board.cells().to_vec()]));
    let mut area = Vec::new();
    for moves in 1.. {
        let mut next = Vec::new();
        for cells in &layer {
            for index in (0..cells.len()).filter(|&index| cells[index] != EMPTY) {
                for colour in (0..board.colours() as u8).filter(|&colour| colour != cells[index]) {
                    let after = moved(board, cells, index, colour, &mut area);
                    if area.iter().any(|&cell| cell < index) {
                        break;
                    }
                    if is_goal(&after) {
                        return moves;
                    }
                    if seen.insert(after.clone()) {
                        next.push(after);
                    }
                }
            }
        }
        layer = next;
    }
    unreachable!("every board can be solved")
}

fn request(engine: EngineKind, threads: usize, target: Option<&str>) -> Request {
    let target = target.map_or_else(String::new, |target| format!("target = '{target}'\n"));
    let config = Config::parse("x.toml", &format!("domain = 'free-flood'\n{target}")).expect("a configuration");
    let parameters = Parameters { beam_width: 20, anneal_rounds: 1, anneal_changes: 200, ..Parameters::default() };
    Request { engine, threads, parameters, ..config.request() }
}

fn solve(board: &Board, request: &Request) -> BoardRecord {
    solve_board(board, request, &Silent, &StopToken::new()).expect("a record")
}

#[test]
fn optima_are_those_of_breadth_first_search() {
    let domain: PuzzleId = "free-flood".parse().expect("a puzzle");
    let mut rng = rng(301);
    let mut costs = [0; 9];
    // Breadth first, a board of 4 x 4 with four colours takes as long as hundreds of smaller ones.
    let (rounds, larger_every) = if is_long() { (2_000, 40) } else { (150, 150) };
    for round in 0..rounds {
        let (most, colours) = if round % larger_every == 0 { (4, 4) } else { (3, 2 + (round % 3) as u8) };
        let board = random(&mut rng, most, colours, round % 4 == 1);
        let target = (round % 3 == 0).then(|| rng.random_range(0..colours));
        let optimum = fewest_moves(&board, target);
        costs[optimum as usize] += 1;
        let name = target.map(|target| board.symbols()[usize::from(target)].clone());
        let engines = (domain.info().engines)();
        let engine = EngineKind { info: engines[round % engines.len()] };
        let threads = [1, 2, 8][round / 5 % 3];
        let record = solve(&board, &request(engine, threads, name.as_deref()));
        let context = format!("{board:?}, target {target:?}, {engine:?} on {threads}");
        if engine.info.proves {
            assert_eq!((record.status, record.cost), (Status::Optimal, Some(optimum)), "{context}");
        }
        assert!(record.lower_bound.is_some_and(|bound| bound <= optimum), "{context}");
        assert!(record.cost.is_none_or(|cost| cost >= optimum), "{context}");
    }
    assert!(costs[..4].iter().all(|&boards| boards > rounds / 50), "{costs:?}: one-sided");
}

fn value(bound: &ColoursOrRadius<'_>, state: &Vec<u8>) -> Cost {
    bound.evaluate(state, Cost::MAX, &mut Default::default()).0
}

/// All states of small boards: the bound against the exact cost, and along every move.
#[test]
fn the_bound_is_admissible_and_consistent() {
    let mut rng = rng(302);
    let stop = StopToken::new();
    let context = crate::common::without_limits(1, &stop);
    let mut states = 0;
    for round in 0..60 {
        let board = random(&mut rng, 3, 3, round % 3 == 0);
        let target = (round % 2 == 0).then_some(0);
        let space = FreeFlood::new(&board, target).expect("a space");
        let bound = ColoursOrRadius(&space);
        let all = solve_all(&Problem::new(&space, bound), 100_000, &context).expect("all states");
        for exact in &all {
            let mut state = Vec::new();
            space.unpack(&exact.key, &mut state);
            assert!(exact.cost_to_go.is_some_and(|left| value(&bound, &state) <= left), "{board:?}, {state:?}");
            let mut children = Vec::new();
            space.successors(&state, 0, &mut children);
            assert!(
                children.iter().all(|child| value(&bound, &state) <= 1 + value(&bound, &child.state)),
                "{board:?}, {state:?}"
            );
        }
        states += all.len();
    }
    assert!(states > 5_000, "{states} states");
}

#[test]
fn the_plain_rules_refuse_what_is_no_solution() {
    let board = Board::new("b", 1, 4, vec![0, 1, 2, EMPTY], usual_symbols(3), Cell::default()).expect("a board");
    let play = |moves: &[(usize, u8)], target, claimed| {
        let moves: Vec<Move> = moves.iter().map(|&(col, colour)| Move { cell: Cell { row: 0, col }, colour }).collect();
        verify_moves(&board, target, &moves, claimed).map_err(|error| (error.failed_move(), error.to_string()))
    };
    assert_eq!(play(&[(1, 0), (2, 0)], None, Some(2)), Ok(2));
    assert_eq!(play(&[(1, 0), (2, 0), (0, 1)], Some(1), None), Ok(3));
    for (moves, target, claimed, number, expected) in [
        (&[(1, 0)][..], None, None, None, "after 1 move: found 1 cell left of another colour than 1, expected none"),
        (&[(1, 0), (2, 0)], Some(2), None, None, "after 2 moves: found 3 cells"),
        (&[(1, 0), (2, 0)], None, Some(3), None, "found 2 moves, expected 3"),
        (&[(1, 1)], None, None, Some(1), "move 1: found colour 2 at 1,2, expected a colour that"),
        (&[(1, 0), (3, 0)], None, None, Some(2), "move 2: found the empty cell 1,4"),
        (&[(1, 3)], None, None, Some(1), "move 1: found colour number 3, expected a number below 3"),
        (&[(4, 0)], None, None, Some(1), "move 1: found the cell 1,5, expected one of 1 x 4"),
    ] {
        let (failed, error) = play(moves, target, claimed).unwrap_err();
        assert!(failed == number && error.contains(expected), "{error}");
    }
    assert!(matches!(verify_moves(&board, None, &[], None), Err(MoveError::Incomplete { .. })));
}

/// A level of a game: the fields say the puzzle, the target and the moves that a player has.
#[test]
fn a_level_is_read_as_what_it_is() {
    let text = r#"{"targetColor": 2, "maxSteps": 4, "solutionSteps": [], "grid": [[1, 2, 1], [2, 1, 2]]}"#;
    fn read<'t>(text: &'t str, config: &Config) -> Result<BoardReader<&'t [u8]>, BoardError> {
        BoardReader::new("f", text.as_bytes(), config.read_options())
    }
    let mut config = Config::default();
    let mut reader = read(text, &config).expect("a board");
    assert_eq!((reader.puzzle_name(), reader.move_limit()), (Some("free-flood"), Some(4)));
    config.domain = reader.puzzle_name().map(|domain| domain.parse().expect("a puzzle"));
    config.fill_from_file_settings(&reader.file_settings()).expect("an option");
    let board = reader.next().expect("a board").expect("a board").board;
    let record = solve(&board, &Request { threads: 1, ..config.request() });
    assert_eq!(record.cost, Some(fewest_moves(&board, Some(1))));
    let level = text.replace("maxSteps", "maxMoves");
    let of_flood_it = read(&level, &Config::default()).expect("a board");
    assert_eq!((of_flood_it.puzzle_name(), of_flood_it.move_limit()), (None, Some(4)));
    assert!(of_flood_it.notes()[0].contains("targetColor"), "{:?}", of_flood_it.notes());
    let known =
        read(&level, &Config { domain: Some("free-flood".parse().unwrap()), ..Config::default() }).expect("a board");
    assert_eq!(known.file_settings().settings.len(), 1);
    let flood = Config::parse("x.toml", "domain = 'flood-it'").expect("a configuration");
    let error = read(text, &flood).expect("a file").next().expect("a board").unwrap_err().to_string();
    assert!(error.contains("targetColor, maxSteps, which the rules"), "{error}");
    for cells in [r#""cells": [[1, 2]]"#, r#""boards": [[[1, 2]]]"#] {
        let text = r#"{"game": "SameGame", "objective": "score", "min_group": 1, "columns": 2, "gravity": "down", "#;
        let text = format!("{text}{cells}}}");
        let settings = read(&text, &Config::default()).expect("a board").file_settings();
        let values = ["domain", "objective", "min-group"].map(|key| settings.value(key).unwrap_or_default());
        assert_eq!(values, ["clickomania", "score", "1"], "{text}");
        let error = read(&text, &flood).expect("a file").next().expect("a board").unwrap_err().to_string();
        assert!(error.contains("objective, min_group, gravity, which the rules"), "{error}");
    }
    // A long field beside a list of boards is not copied for each of them, so it may be no rule.
    for (key, is_read) in [("note", true), ("min_group", false)] {
        let text = format!(r#"{{"{key}": "{}", "boards": [[[1, 2]]]}}"#, "x".repeat(200));
        assert_eq!(read(&text, &flood).expect("a file").next().expect("a board").is_ok(), is_read, "{key}");
    }
    let record = r#"{"domain": "flood-it", "objective": "moves", "min_group": null, "cells": [[1, 2]]}"#;
    assert!(read(record, &flood).expect("a file").next().expect("a board").is_ok());
    let two = format!("{{\"grid\": [[1, 2]]}}\n{text}");
    let second = read(&two, &Config::default()).expect("a board").nth(1).expect("a board");
    assert!(second.unwrap_err().to_string().contains("another target than that of the boards before"));
}

/// A solution in the forms that people write, and a search from a position within it.
#[test]
fn solutions_are_read_replayed_and_gone_on_with() {
    let board = random(&mut rng(303), 4, 4, false);
    let request = request(EngineKind::AUTO, 1, None);
    let record = solve(&board, &request);
    let task = request.task(&board).expect("a task");
    let moves = &record.moves;
    let forms = [
        moves.join(" "),
        moves.join("\n"),
        moves.iter().map(|mv| format!("({}) ", mv.replace(',', " "))).collect(),
        serde_json::json!({ "moves": moves, "cost": record.cost }).to_string(),
    ];
    for text in forms {
        let mut solutions = Solutions::new("s", Box::new(std::io::Cursor::new(text.clone().into_bytes())))
            .unwrap()
            .with_solution_count(1);
        let written = task.read_solution(&mut solutions).expect("a solution").expect("a solution");
        let verdict = written.verdict().result.expect("a right solution");
        assert_eq!(Some(verdict.value), record.cost.map(i64::from), "{text}");
        let start = written.start_after(1).expect("a position");
        let rest = request.task(&start.entry.board).expect("a task");
        assert_eq!(rest.replay(&start.solution.expect("the rest")).expect("a solution"), moves[1..], "{text}");
        let mut film = written.playback().expect("a film");
        assert_eq!(film.step_count(), moves.len());
        let last = (0..=moves.len()).map(|step| film.frame(step).expect("a frame")).last();
        assert!(last.expect("a frame").caption.contains(", 0 cells to get colour "), "{text}");
    }
    let row = Board::new("b", 1, 3, vec![0, 1, 2], usual_symbols(3), Cell::default()).expect("a board");
    let text = "1,2,1 1,3,1\n1,2,3 1,1,3\n".as_bytes();
    let mut two = Solutions::new("s", Box::new(text)).unwrap().with_solution_count(1);
    let read = request.task(&row).expect("a task").read_solution(&mut two).map(drop);
    assert!(read.unwrap_err().to_string().contains("s:1:1: found a line that solves the board by itself"));
}
