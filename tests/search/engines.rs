//! Every engine against exhaustive search, with every bound and 1, 2 and 8 threads.

use crate::common::{Exhaustive, Setting, is_long, random_board, rng, with_puzzle};
use crate::kept::{self, below};
use gridhunt_boards::Board;
use gridhunt_floodit::replay::replay;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor};
use gridhunt_search::engine::{Outcome, StateEngine, Status};
use gridhunt_search::runtime::{Event, Limits, Observer, StopReason};
use gridhunt_synthesis::ProgramEngine;
use rand::Rng;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Clone, Copy)]
struct Run<'a> {
    bound: &'a str,
    setting: Setting<'a>,
}

impl Visitor for Run<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let kind = BoundKind::from_name(self.bound).expect("a bound");
        self.setting.search(puzzle, FloodBound::new(puzzle, kind))
    }
}

pub fn run(board: &Board, engine: StateEngine, bound: &str, threads: usize) -> Outcome {
    run_in(board, bound, Setting::new(engine, threads))
}

pub fn run_in(board: &Board, bound: &str, setting: Setting<'_>) -> Outcome {
    with_puzzle(board, Run { bound, setting })
}

/// The solution solves the board, and the proven range contains the optimum.
fn assert_sound(board: &Board, outcome: &Outcome, optimum: u32) {
    assert!(outcome.lower_bound <= optimum, "lower bound {} of {optimum}", outcome.lower_bound);
    if let Some(solution) = &outcome.incumbent {
        assert!(solution.cost >= optimum);
        assert_eq!(solution.cost as usize, solution.moves.len());
        assert!(replay(board, &solution.moves).expect("legal moves").is_solved);
    }
}

#[test]
fn every_engine_agrees_with_exhaustive_search() {
    let mut rng = rng(11);
    for round in 0..150 {
        let (rows, cols) = (rng.random_range(1..=6), rng.random_range(2..=6));
        let colours = rng.random_range(2..=6);
        let board = random_board(&mut rng, rows, cols, colours);
        let optimum = Exhaustive::solve(&board).optimum();
        for engine in StateEngine::ALL {
            for threads in [1, 2, 8] {
                let outcome = run(&board, engine, "elimination", threads);
                assert_sound(&board, &outcome, optimum);
                assert_eq!(outcome.stopped, None);
                let cost = outcome.incumbent.as_ref().map(|s| s.cost);
                if engine.info.proves {
                    let context = format!("{} with {threads} threads, round {round}: {board:?}", engine.info.name);
                    assert_eq!((cost, outcome.status()), (Some(optimum), Status::Optimal), "{context}");
                } else {
                    assert!(cost.is_some(), "{} finds no solution of {board:?}", engine.info.name);
                }
            }
        }
    }
}

/// Pruning and bounds together lose no optimum: on the smallest boards, where each rule applies most often, with all
/// bounds.
#[test]
fn every_bound_finds_the_optimum() {
    let mut rng = rng(12);
    let long = is_long();
    for _ in 0..if long { 200 } else { 40 } {
        let colours = rng.random_range(2..=7);
        let board = random_board(&mut rng, 5, 5, colours);
        let optimum = Exhaustive::solve(&board).optimum();
        for spec in BoundKind::ALL.map(BoundKind::name) {
            for engine in PROVING.into_iter().chain([StateEngine::LEARNING]) {
                let outcome = run(&board, engine, spec, 1);
                assert_eq!(outcome.status(), Status::Optimal);
                assert_eq!(outcome.lower_bound, optimum, "{} by {spec}: {board:?}", engine.info.name);
            }
        }
    }
}

/// The exact engines that run a single search.
const PROVING: [StateEngine; 2] = [StateEngine::BEST_FIRST, StateEngine::IDA];

/// Many boards with the weakest bound, with which most states are reached on several paths.
#[test]
fn pruning_never_loses_the_optimum() {
    let mut rng = rng(13);
    let long = is_long();
    for round in 0..if long { 50_000 } else { 500 } {
        let (rows, cols) = (rng.random_range(2..=5), rng.random_range(2..=6));
        let colours = rng.random_range(3..=6);
        let board = random_board(&mut rng, rows, cols, colours);
        let optimum = Exhaustive::solve(&board).optimum();
        for engine in PROVING {
            let outcome = run(&board, engine, "layers", 1 + round % 2);
            assert_eq!(outcome.lower_bound, optimum, "{}, round {round}: {board:?}", engine.info.name);
        }
    }
}

#[test]
fn layers_below_the_optimum_do_not_depend_on_the_number_of_threads() {
    let mut rng = rng(14);
    let mut expanded = 0;
    for _ in 0..if is_long() { 10 } else { 5 } {
        let board = random_board(&mut rng, 14, 14, 6);
        let bound = if board.start().row.is_multiple_of(2) { "elimination" } else { "layers" };
        let alone = run(&board, StateEngine::BEST_FIRST, bound, 1);
        let optimum = alone.lower_bound;
        expanded += alone.statistics.expanded;
        for threads in [2, 8] {
            let together = run(&board, StateEngine::BEST_FIRST, bound, threads);
            assert_eq!(together.lower_bound, optimum);
            assert_eq!(below(&together, optimum), below(&alone, optimum), "{threads} threads: {board:?}");
            assert_eq!(together.statistics.reopened, 0);
        }
    }
    assert!(expanded > 10_000, "{expanded} states: too easy to tell");
}

/// With memory for some hundred states, `auto` continues with IDA*, proves the same optimum, and reports the same
/// layers that best-first search has finished.
#[test]
fn auto_goes_on_where_memory_ends() {
    let mut rng = rng(18);
    let mut went_on = 0;
    for round in 0..12 {
        let board = random_board(&mut rng, 12, 12, 6);
        let enough = with_puzzle(&board, kept::Run(Setting::new(StateEngine::AUTO, 1)));
        for threads in [1, 2, 8] {
            let observer = Engines::default();
            let limits = Limits { memory: Some(60_000), ..Limits::default() };
            let setting = Setting { limits, observer: &observer, ..Setting::new(StateEngine::AUTO, threads) };
            let little = with_puzzle(&board, kept::Run(setting));
            let context = format!("round {round}, {threads} threads: {board:?}");
            assert_eq!((little.status(), little.stopped), (Status::Optimal, None), "{context}");
            assert_eq!(little.lower_bound, enough.lower_bound, "{context}");
            went_on += usize::from(observer.0.into_inner().expect("no panic before").contains(&"ida".to_owned()));
            let [all, some] = [&enough, &little].map(|outcome| below(outcome, outcome.lower_bound));
            for (a, b) in all.iter().zip(&some) {
                // A detour may visit a few more states.
                assert!(a.f == b.f && a.expanded <= b.expanded && b.expanded <= a.expanded * 11 / 10 + 5, "{context}");
            }
        }
    }
    assert!(went_on > 10, "{went_on} of 36 searches ran out of memory");
}

/// On a strip, floods are intervals: `auto` visits them, and learns nothing from them.
#[test]
fn auto_visits_the_states_of_a_long_strip() {
    let board = random_board(&mut rng(5), 1, 700, 3);
    let optimum = run(&board, StateEngine::BEST_FIRST, "elimination", 1).lower_bound;
    let observer = Engines::default();
    let setting = Setting { observer: &observer, ..Setting::new(StateEngine::AUTO, 2) };
    let outcome = run_in(&board, "elimination", setting);
    assert_eq!((outcome.status(), outcome.lower_bound), (Status::Optimal, optimum));
    assert!(!observer.0.into_inner().expect("no panic before").contains(&"learning".to_owned()));
}

/// Records the engines that begin.
#[derive(Default)]
pub struct Engines(pub Mutex<Vec<String>>);

impl Observer for Engines {
    fn observe(&self, event: &Event<'_>) {
        if let Event::EngineStarted { engine } = event {
            self.0.lock().expect("no panic before").push((*engine).to_owned());
        }
    }
}

#[test]
fn limits_stop_every_engine_with_a_proven_range() {
    // Far too large to be solved within the limits below.
    let board = random_board(&mut rng(16), 40, 40, 8);
    let cases = [
        (Limits { expansions: Some(200), ..Limits::default() }, StopReason::ExpansionLimit),
        (Limits { memory: Some(10_000), ..Limits::default() }, StopReason::MemoryLimit),
        (Limits { time: Some(Duration::ZERO), ..Limits::default() }, StopReason::TimeLimit),
    ];
    // IDA* sizes its table to the memory, and `auto` continues with IDA*. Annealing holds two paths.
    let needs_no_memory = [StateEngine::IDA, StateEngine::AUTO, StateEngine::ANNEAL];
    for engine in StateEngine::ALL {
        for threads in [1, 4] {
            for (limits, reason) in cases {
                if reason == StopReason::MemoryLimit && needs_no_memory.contains(&engine) {
                    continue;
                }
                let setting = Setting { limits, ..Setting::new(engine, threads) };
                let outcome = with_puzzle(&board, Run { bound: "layers", setting });
                assert_eq!(outcome.stopped, Some(reason), "{}", engine.info.name);
                if let Some(limit) = limits.expansions {
                    // A single thread stops at the limit. Several report what they have expanded in batches of 256.
                    let more = if threads == 1 { 0 } else { 256 * threads as u64 };
                    let expanded = outcome.statistics.expanded;
                    assert!((limit..=limit + more).contains(&expanded), "{}: {expanded}", engine.info.name);
                }
                assert_ne!(outcome.status(), Status::Optimal);
                assert!(outcome.lower_bound > 0 && outcome.lower_bound < u32::MAX, "{}", engine.info.name);
            }
        }
    }
    for engine in StateEngine::ALL {
        let setting = Setting { interrupted: true, ..Setting::new(engine, 2) };
        assert_eq!(
            with_puzzle(&board, Run { bound: "layers", setting }).stopped,
            Some(StopReason::Interrupted),
            "{}",
            engine.info.name
        );
    }
}

/// `auto` and `anneal` are engines of states and of programs: their names promise the same of both.
#[test]
fn engines_of_one_name_share_one_information() {
    let mut names = Vec::new();
    for of_programs in ProgramEngine::ALL {
        let Some(of_states) = StateEngine::from_name(of_programs.info.name) else { continue };
        assert_eq!(of_states.info, of_programs.info);
        names.push(of_states.info.name);
    }
    assert_eq!(names, ["auto", "anneal"]);
}
