//! A puzzle from outside the crate, with cycles in its state space, searched by every engine.

#[path = "../../crates/search/examples/sliding_tiles.rs"]
mod example;
#[allow(dead_code, reason = "the example has a main")]
#[path = "../../crates/search/examples/pancakes.rs"]
mod pancakes;

use crate::common::Setting;
use crate::kept::{below, keep};
use example::{Manhattan, Sliding, Tiles};
use gridhunt_search::engine::{CheckpointConfig, Context, Outcome, Parameters, StateEngine, Status, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
use pancakes::Pancakes;
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
                let outcome = Setting::new(engine, threads).search(&puzzle, Manhattan);
                let context = format!("{} with {threads} threads, seed {seed}", engine.info.name);
                let cost = outcome.incumbent.as_ref().map(|found| found.cost);
                assert!(outcome.incumbent.iter().all(|found| puzzle.is_solved_by(&found.moves)), "{context}");
                assert!(outcome.lower_bound <= optimum && cost.is_none_or(|cost| cost >= optimum), "{context}");
                let proven = (cost, outcome.status()) == (Some(optimum), Status::Optimal);
                assert!(proven || !engine.info.proves, "{context}: {cost:?}, {:?}", outcome.status());
            }
        }
    }
}

/// How far the tiles are from their places, on plain tiles.
fn manhattan(puzzle: &Sliding, tiles: &Tiles) -> usize {
    let apart = |place: usize, other: usize| {
        (place / puzzle.cols).abs_diff(other / puzzle.cols) + (place % puzzle.cols).abs_diff(other % puzzle.cols)
    };
    tiles.iter().enumerate().filter(|(_, tile)| **tile > 0).map(|(place, &tile)| apart(place, tile.into())).sum()
}

/// IDA* as Korf describes it, on plain tiles: whether a solution with at most `left` moves goes on from `tiles`. The
/// goal is looked for among all children before one of them is expanded.
fn korf(puzzle: &Sliding, tiles: &Tiles, last: Option<u16>, left: usize, expanded: &mut u64) -> bool {
    *expanded += 1;
    let moves = (0..4).filter(|mv| last != Some(3 - mv));
    let children: Vec<_> = moves.filter_map(|mv| puzzle.slide(tiles, mv).map(|child| (mv, child))).collect();
    children.iter().any(|(_, child)| manhattan(puzzle, child) == 0)
        || children
            .iter()
            .any(|(mv, child)| manhattan(puzzle, child) < left && korf(puzzle, child, Some(*mv), left - 1, expanded))
}

#[test]
fn without_a_table_ida_expands_what_korf_expands() {
    let all = distances(&Sliding::scrambled(3, 3, 0, 0));
    for seed in 1..7 {
        let mut puzzle = Sliding::scrambled(3, 3, seed, 80);
        puzzle.prefers_near = false;
        let (mut threshold, mut expected) = (manhattan(&puzzle, &puzzle.start), 0);
        while !korf(&puzzle, &puzzle.start, None, threshold, &mut expected) {
            threshold += 2;
        }
        assert_eq!(threshold, all[&puzzle.start] as usize);
        let search = |threads, limits, checkpoints: Option<&CheckpointConfig>| {
            let (stop, parameters) = (StopToken::new(), Parameters { ida_entries: 0, ..Parameters::default() });
            let context = Context { threads, limits, observer: &Silent, stop: &stop, checkpoints, exchange: None };
            search(StateEngine::IDA, &Problem::new(&puzzle, Manhattan), &parameters, None, &context)
                .expect("a checkpoint that can be read")
        };
        let outcome = search(1, Limits::default(), None);
        assert_eq!((outcome.lower_bound as usize, outcome.status()), (threshold, Status::Optimal), "seed {seed}");
        let (stored, expanded) = (outcome.statistics.stored, outcome.statistics.expanded);
        assert_eq!((stored, expanded), (0, expected), "seed {seed}");
        // On several threads the layers below the optimum are the same, and so is what a resume finds.
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::ZERO);
        let limits = Limits { expansions: Some(expected / 2), ..Limits::default() };
        let stopped = search(2, limits, Some(&keep)).stopped;
        keep.resume = stopped.is_some();
        for (threads, checkpoints) in [(2, None), (8, None), (2, Some(&keep))] {
            let again = search(threads, Limits::default(), checkpoints);
            assert_eq!((again.lower_bound, again.status()), (outcome.lower_bound, Status::Optimal), "seed {seed}");
            if checkpoints.is_none() {
                let expanded = |outcome: &Outcome| {
                    outcome.statistics.layers.iter().map(|layer| (layer.f, layer.expanded)).collect::<Vec<_>>()
                };
                assert_eq!(expanded(&again), expanded(&outcome), "seed {seed}");
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
    for engine in StateEngine::ALL.into_iter().filter(|engine| engine.info.proves) {
        let outcome = Setting::new(engine, 2).search(&puzzle, Manhattan);
        assert_eq!(outcome.status(), Status::Unsolvable, "{}", engine.info.name);
    }
    // 360 positions can be reached. A beam ends when it comes to the same ones again.
    for threads in [1, 2] {
        let outcome = Setting::new(StateEngine::BEAM, threads).search(&puzzle, Manhattan);
        let expanded = outcome.statistics.expanded;
        assert!(outcome.incumbent.is_none() && expanded < 360 * 100, "{expanded} in circles");
    }
}

#[test]
fn a_kept_search_is_resumed_to_the_same_layers() {
    let puzzle = Sliding::scrambled(4, 4, 7, 120);
    let whole = Setting::new(StateEngine::BEST_FIRST, 1).search(&puzzle, Manhattan);
    assert_eq!(whole.status(), Status::Optimal);
    assert!(whole.statistics.expanded > 2_000, "{} states: too easy to tell", whole.statistics.expanded);
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), Duration::ZERO);
    let limits = Limits { expansions: Some(1_000), ..Limits::default() };
    let kept = Setting { limits, checkpoints: Some(&keep), ..Setting::new(StateEngine::BEST_FIRST, 2) };
    assert_eq!(kept.search(&puzzle, Manhattan).stopped, Some(StopReason::ExpansionLimit));
    keep.resume = true;
    let kept = Setting { checkpoints: Some(&keep), ..Setting::new(StateEngine::BEST_FIRST, 8) };
    let outcome = kept.search(&puzzle, Manhattan);
    assert_eq!((outcome.lower_bound, outcome.status()), (whole.lower_bound, Status::Optimal));
    assert_eq!(below(&outcome, whole.lower_bound), below(&whole, whole.lower_bound));
}

/// How many stacks of six need 0, 1, .. turns is published (OEIS, A092113).
#[test]
fn stacks_need_the_published_numbers_of_turns() {
    fn stacks(left: &[u8]) -> Vec<Vec<u8>> {
        let with = |first: &u8| {
            let rest: Vec<u8> = left.iter().copied().filter(|other| other != first).collect();
            stacks(&rest).into_iter().map(|rest| [vec![*first], rest].concat()).collect::<Vec<_>>()
        };
        if left.is_empty() { vec![Vec::new()] } else { left.iter().flat_map(with).collect() }
    }
    for engine in [StateEngine::IDA, StateEngine::BEST_FIRST] {
        let mut counts = [0; 8];
        for stack in stacks(&[1, 2, 3, 4, 5, 6]).into_iter().map(Pancakes) {
            let found = pancakes::solve(&stack, engine).expect("a search").incumbent.expect("a solution");
            assert!(stack.is_sorted_by(&found.moves), "{stack:?}");
            counts[found.cost as usize] += 1;
        }
        assert_eq!(counts, [1, 5, 20, 79, 199, 281, 133, 2], "{}", engine.info.name);
    }
}

#[test]
fn the_example_runs() {
    example::main().expect("every search of the example ends as it should");
}
