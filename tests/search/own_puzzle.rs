//! A puzzle from outside the crate, with cycles in its state space, searched by every engine.

#[path = "../../crates/search/examples/sliding_tiles.rs"]
mod example;

use crate::common::Setting;
use crate::kept::keep;
use example::{Manhattan, Sliding, Tiles};
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{CheckpointConfig, Context, Parameters, StateEngine, Status, search_from};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopReason, StopToken};
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
    let kept = Setting { limits, checkpoints: Some(&keep), ..Setting::new(StateEngine::BestFirst, 2) };
    assert_eq!(kept.search(&puzzle, Manhattan(&puzzle)).stopped, Some(StopReason::ExpansionLimit));
    keep.resume = true;
    let kept = Setting { checkpoints: Some(&keep), ..Setting::new(StateEngine::BestFirst, 8) };
    let outcome = kept.search(&puzzle, Manhattan(&puzzle));
    let below = |layers: &[gridhunt_search::runtime::Layer]| {
        layers.iter().copied().filter(|layer| layer.f < whole.lower_bound).collect::<Vec<_>>()
    };
    assert_eq!((outcome.lower_bound, outcome.status()), (whole.lower_bound, Status::Optimal));
    assert_eq!(below(&outcome.statistics.layers), below(&whole.statistics.layers));
}

/// The sliding puzzle with a revision of its pruning rules.
struct Revised<'a>(&'a Sliding, u8);

impl Domain for Revised<'_> {
    type State = Tiles;

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn mask_bits(&self) -> u32 {
        self.0.mask_bits()
    }

    fn revision(&self) -> u8 {
        self.1
    }

    fn root(&self) -> Tiles {
        self.0.root()
    }

    fn pack(&self, tiles: &Tiles, key: &mut [u8]) {
        self.0.pack(tiles, key);
    }

    fn unpack(&self, key: &[u8], tiles: &mut Tiles) {
        self.0.unpack(key, tiles);
    }

    fn successors(&self, tiles: &Tiles, skip: MoveMask, out: &mut Vec<Successor<Tiles>>) {
        self.0.successors(tiles, skip, out);
    }

    fn promise(&self, tiles: &Tiles) -> u32 {
        self.0.promise(tiles)
    }

    fn terminal(&self, tiles: &Tiles) -> Option<Cost> {
        self.0.terminal(tiles)
    }
}

impl LowerBound<Revised<'_>> for Manhattan<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        "manhattan".to_owned()
    }

    fn evaluate(&self, tiles: &Tiles, enough: Cost, (): &mut ()) -> Bound {
        <Self as LowerBound<Sliding>>::evaluate(self, tiles, enough, &mut ())
    }

    fn consistent(&self) -> bool {
        true
    }
}

/// Under other pruning rules, `auto` keeps the proven range and nothing else of a stopped search; other engines refuse
/// to go on.
#[test]
fn a_search_under_other_pruning_rules_is_not_continued() {
    let puzzle = Sliding::scrambled(4, 4, 5, 120);
    let whole = Setting::new(StateEngine::BestFirst, 1).search(&puzzle, Manhattan(&puzzle));
    for engine in [StateEngine::Auto, StateEngine::BestFirst, StateEngine::Ida] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::ZERO);
        let session = |revision: u8, expansions: Option<u64>, keep: &CheckpointConfig| {
            let (revised, stop) = (Revised(&puzzle, revision), StopToken::new());
            let limits = Limits { expansions, ..Limits::default() };
            let context =
                Context { threads: 1, limits, observer: &Silent, stop: &stop, checkpoints: Some(keep), exchange: None };
            let space = Problem::new(&revised, Manhattan(&puzzle));
            // The solution is known, so that `auto` does not look for a first one.
            search_from(engine, &space, &Parameters::default(), whole.incumbent.clone(), &context)
        };
        let first = session(0, Some(500), &keep).expect("no checkpoint is read");
        assert_eq!(first.stopped, Some(StopReason::ExpansionLimit), "{}", engine.name());
        keep.resume = true;
        if engine == StateEngine::Auto {
            let begun = session(1, Some(1), &keep).expect("it begins anew");
            assert!(begun.lower_bound >= first.lower_bound && begun.statistics.expanded < 100, "{begun:?}");
            let outcome = session(1, None, &keep).expect("it goes on");
            assert_eq!((outcome.lower_bound, outcome.status()), (whole.lower_bound, Status::Optimal));
        } else {
            let error = session(1, None, &keep).expect_err("other rules").to_string();
            assert!(error.contains("pruning rules of another version"), "{error}");
            let outcome = session(0, None, &keep).expect("the same rules");
            assert_eq!((outcome.lower_bound, outcome.status()), (whole.lower_bound, Status::Optimal));
        }
    }
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
