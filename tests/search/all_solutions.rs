//! The number of optimal solutions, and the first of them, against games that are played out by the plain rules.

use crate::common::{is_long, random_board, rng};
use gridhunt::hunt::{BoardRecord, Request, optimal_solutions, solve_board};
use gridhunt::puzzles::{Gameplay, OptionValues, PuzzleId, option_named};
use gridhunt_boards::Board;
use gridhunt_search::engine::Context;
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
use rand::Rng;
use std::time::Duration;

/// All ways to play a game to its goal with so many moves, in the order of the game's choices.
fn ways(game: &dyn Gameplay, left: u32, moves: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    if left == 0 {
        out.extend(game.status().is_solved.then(|| moves.clone()));
        return;
    }
    for choice in game.legal_moves() {
        let mut after = game.fork();
        after.play(&choice.name).expect("a choice");
        moves.push(choice.name);
        ways(&*after, left - 1, moves, out);
        moves.pop();
    }
}

/// The moves as the choices of the game are named.
fn named(mut game: Box<dyn Gameplay + '_>, moves: &[String]) -> Vec<String> {
    let mut name = |name: &String| {
        let choice = game.legal_moves().into_iter().find(|choice| game.is_name_of(name, choice)).expect("a choice");
        game.play(&choice.name).expect("a choice");
        choice.name
    };
    moves.iter().map(&mut name).collect()
}

fn request(domain: PuzzleId, objective: Option<&str>, all: usize) -> Request {
    let mut values = OptionValues::default();
    if let Some(objective) = objective {
        values.set(option_named("objective").expect("an option").1, objective).expect("a value");
    }
    Request { domain, options: values, threads: 2, max_listed_optimal: Some(all), ..Request::default() }
}

fn solve(board: &Board, request: &Request) -> BoardRecord {
    solve_board(board, request, &Silent, &StopToken::new()).expect("a board of the puzzle")
}

/// Compares the count, and the list as a set: the order of the list is that of the moves of the search.
fn agree(board: &Board, request: &Request) -> usize {
    let record = solve(board, request);
    let Some(cost) = record.cost else { return 0 };
    let task = request.task(board).unwrap();
    let mut expected = Vec::new();
    ways(&*task.game().unwrap(), cost, &mut Vec::new(), &mut expected);
    assert_eq!(record.optimal_solutions, Some(expected.len().to_string()), "{board:?}");
    let mut listed: Vec<_> = record.listed_solutions.iter().map(|moves| named(task.game().unwrap(), moves)).collect();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected, "{board:?}");
    // Fewer are the first of all.
    let few = solve(board, &Request { max_listed_optimal: Some(2), threads: 1, ..request.clone() });
    assert_eq!(few.listed_solutions, record.listed_solutions[..record.listed_solutions.len().min(2)], "{board:?}");
    expected.len()
}

#[test]
fn all_optimal_solutions_are_those_of_the_plain_rules() {
    let mut rng = rng(69);
    let boards = if is_long() { 1_700 } else { 60 };
    let mut several = 0;
    for (name, objective, side) in [("flood-it", None, 4), ("clickomania", Some("clicks"), 4), ("free-flood", None, 3)]
    {
        let request = request(name.parse().unwrap(), objective, usize::MAX);
        for _ in 0..boards {
            let (rows, cols, colours) =
                (rng.random_range(1..=side), rng.random_range(1..=side), rng.random_range(1..=3));
            several += usize::from(agree(&random_board(&mut rng, rows, cols, colours), &request) > 1);
        }
    }
    assert!(several > boards / 2, "{several}: boards with one solution prove little");
}

#[test]
fn a_stopped_count_names_its_limit_and_reports_its_time() {
    let request = request(PuzzleId::default(), None, 1);
    let board = random_board(&mut rng(5), 12, 12, 6);
    let task = request.task(&board).unwrap();
    let cost = solve(&board, &Request { max_listed_optimal: None, ..request.clone() }).cost.expect("a solution");
    let (no_time, no_memory) = (Some(Duration::ZERO), Some(1 << 14));
    let limits = [
        (Limits { time: no_time, ..Limits::default() }, StopReason::TimeLimit),
        (Limits { memory: no_memory, ..Limits::default() }, StopReason::MemoryLimit),
    ];
    for (limits, reason) in limits {
        let (observer, stop) = (Silent, StopToken::new());
        let context = Context::new(2, limits, &observer, &stop);
        let stopped = optimal_solutions(&*task, &request, cost, 1, &context).expect("a board of the puzzle");
        assert_eq!((stopped.count, stopped.listed), (Err(reason), Vec::new()));
        // Windows counts CPU time in steps of 15 ms.
        let may_be_none = reason == StopReason::TimeLimit || cfg!(windows);
        assert!(may_be_none || stopped.cpu_seconds > 0.0, "{reason:?}: no CPU time");
    }
}
