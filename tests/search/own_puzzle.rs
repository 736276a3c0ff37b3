//! A puzzle from outside the crate, with cycles in its state space, searched by every engine.

#[path = "../../examples/own_puzzle.rs"]
mod example;

use crate::common::Setting;
use crate::kept::keep;
use example::{Manhattan, Sliding, Tiles};
use gridhunt::domain::Domain;
use gridhunt::engine::{StateEngine, Status};
use gridhunt::runtime::{Limits, StopReason};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The distance of every state from the goal, by breadth-first search on plain tiles.
fn distances(puzzle: &Sliding) -> HashMap<Tiles, u32> {
    let goal = Sliding::scrambled(puzzle.rows, puzzle.cols, 0, 0).start;
    let (mut all, mut queue) = (HashMap::from([(goal, 0)]), VecDeque::from([goal]));
    while let Some(tiles) = queue.pop_front() {
        let next = all[&tiles] + 1;
        for child in (0..4).filter_map(|mv| puzzle.slide(&tiles, mv)) {
            all.entry(child).or_insert_with(|| {
                queue.push_back(child);
                next
            });
        }
    }
    all
}

#[test]
fn every_engine_agrees_with_breadth_first_search_on_plain_tiles() {
    for seed in 0..6 {
        let puzzle = Sliding::scrambled(2, 3, seed, 100);
        let optimum = distances(&puzzle)[&puzzle.start];
        for engine in StateEngine::ALL {
            for threads in [1, 2, 8] {
                let outcome = Setting::new(engine, threads).search(&puzzle, Manhattan(&puzzle));
                let context = format!("{} with {threads} threads, seed {seed}", engine.name());
                let cost = outcome.incumbent.as_ref().map(|found| found.cost);
                assert!(outcome.incumbent.iter().all(|found| puzzle.is_solved_by(&found.moves)), "{context}");
                assert!(outcome.lower_bound <= optimum && cost.is_none_or(|cost| cost >= optimum), "{context}");
                let proven = (cost, outcome.status()) == (Some(optimum), Status::Optimal);
                assert!(proven || !engine.exact(), "{context}: {cost:?}, {:?}", outcome.status());
            }
        }
    }
}

/// With two tiles exchanged, no solution exists: no move changes the parity of the tiles and the gap together.
#[test]
fn what_has_no_solution_is_proven_to_have_none() {
    let mut puzzle = Sliding::scrambled(2, 3, 1, 50);
    let tiles = puzzle.start;
    let [one, other] = [1, 2].map(|tile| tiles.iter().position(|&found| found == tile).expect("a tile"));
    puzzle.start.swap(one, other);
    for engine in StateEngine::ALL.into_iter().filter(|engine| engine.exact()) {
        let outcome = Setting::new(engine, 2).search(&puzzle, Manhattan(&puzzle));
        assert_eq!(outcome.status(), Status::Unsolvable, "{}", engine.name());
    }
}

#[test]
fn a_kept_search_is_resumed_to_the_same_layers() {
    let puzzle = Sliding::scrambled(4, 4, 5, 120);
    let whole = Setting::new(StateEngine::BestFirst, 1).search(&puzzle, Manhattan(&puzzle));
    assert_eq!(whole.status(), Status::Optimal);
    assert!(whole.statistics.expanded > 2_000, "{} states: too easy to tell", whole.statistics.expanded);
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), Duration::ZERO);
    let limits = Limits { expansions: Some(1_000), ..Limits::default() };
    let kept = Setting { limits, keep: Some(&keep), ..Setting::new(StateEngine::BestFirst, 2) };
    assert_eq!(kept.search(&puzzle, Manhattan(&puzzle)).stopped, Some(StopReason::ExpansionLimit));
    keep.resume = true;
    let kept = Setting { keep: Some(&keep), ..Setting::new(StateEngine::BestFirst, 8) };
    let outcome = kept.search(&puzzle, Manhattan(&puzzle));
    let below = |layers: &[gridhunt::runtime::Layer]| {
        layers.iter().copied().filter(|layer| layer.f < whole.lower_bound).collect::<Vec<_>>()
    };
    assert_eq!((outcome.lower_bound, outcome.status()), (whole.lower_bound, Status::Optimal));
    assert_eq!(below(&outcome.statistics.layers), below(&whole.statistics.layers));
}

#[test]
fn keys_and_tiles_are_the_same() {
    let puzzle = Sliding::scrambled(4, 4, 3, 60);
    let (mut key, mut tiles) = ([0; 8], [9; 16]);
    puzzle.pack(&puzzle.start, &mut key);
    puzzle.unpack(&key, &mut tiles);
    assert_eq!(tiles, puzzle.start);
}

#[test]
fn the_example_runs() {
    example::main().expect("every search of the example ends as it should");
}
