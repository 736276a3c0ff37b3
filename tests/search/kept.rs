//! Searches that are kept on disk: the same answer and the same layers, whatever happens to them.

use crate::common::{Setting, random_board, rng};
use gridhunt::board::Board;
use gridhunt::domain::floodit::{BoundSpec, FloodBound, FloodIt, Visitor, with_puzzle};
use gridhunt::engine::{EngineKind, Keep, Outcome, Status};
use gridhunt::proof::replay;
use gridhunt::runtime::{Layer, Limits, StopReason};
use gridhunt::store::{ArchiveSettings, Disk};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub struct Run<'a>(pub Setting<'a>);

impl Visitor for Run<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        self.0.search(puzzle, &FloodBound::new(puzzle, &BoundSpec::default()))
    }
}

fn run(board: &Board, setting: Setting<'_>) -> Outcome {
    with_puzzle(board, Run(setting))
}

pub fn keep(folder: &Path, every: Duration) -> Keep {
    let archive = ArchiveSettings {
        run: folder.to_owned(),
        spill: Vec::new(),
        identity: "test".to_owned(),
        disk: None,
        keep_free: 0,
        resident: None,
        share: None,
        medium: Arc::new(Disk),
    };
    Keep { archive, every, resume: false }
}

fn below(outcome: &Outcome, optimum: u32) -> Vec<Layer> {
    outcome.statistics.layers.iter().copied().filter(|layer| layer.f < optimum).collect()
}

const NEVER: Duration = Duration::from_secs(100_000);

/// Boards with some tens of thousands of states below the optimum, and what a plain search says of them.
fn boards() -> Vec<(Board, Outcome)> {
    let mut rng = rng(41);
    let plain = |board: Board| {
        let outcome = run(&board, Setting::new(EngineKind::BestFirst, 1));
        (board, outcome)
    };
    let all = (0..10).map(|_| plain(random_board(&mut rng, 18, 18, 6))).collect::<Vec<_>>();
    let expanded: u64 = all.iter().map(|(_, outcome)| outcome.statistics.expanded).sum();
    assert!(expanded > 100_000, "{expanded} states: too easy to tell");
    all
}

pub fn assert_same(board: &Board, kept: &Outcome, plain: &Outcome, context: &str) {
    let optimum = plain.lower_bound;
    assert_eq!((kept.status(), kept.lower_bound), (Status::Optimal, optimum), "{context}: {:?}", kept.failure);
    assert_eq!(below(kept, optimum), below(plain, optimum), "{context}");
    let solution = kept.incumbent.as_ref().expect("a solution");
    assert!(replay(board, &solution.moves).expect("legal moves").solved, "{context}");
}

#[test]
fn checkpoints_without_end_change_nothing() {
    for (number, (board, plain)) in boards().iter().enumerate() {
        for threads in [1, 2, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let keep = keep(folder.path(), Duration::ZERO);
            let kept = run(board, Setting { keep: Some(&keep), ..Setting::new(EngineKind::BestFirst, threads) });
            assert_same(board, &kept, plain, &format!("board {number}, {threads} threads"));
        }
    }
}

#[test]
fn stopped_and_resumed_again_and_again_a_search_ends_the_same() {
    let mut sessions = 0;
    for (number, (board, plain)) in boards().iter().enumerate() {
        for engine in [EngineKind::BestFirst, EngineKind::Auto] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut keep = keep(folder.path(), NEVER);
            let mut lower_bound = 0;
            for session in 0.. {
                let threads = [1, 2, 8][session % 3];
                let limits = Limits { expansions: Some(2_500), ..Limits::default() };
                let outcome = run(board, Setting { keep: Some(&keep), limits, ..Setting::new(engine, threads) });
                let context = format!("board {number}, session {session} of {}", engine.name());
                assert!(outcome.lower_bound >= lower_bound, "{context}");
                lower_bound = outcome.lower_bound;
                if outcome.stopped.is_none() {
                    assert_same(board, &outcome, plain, &context);
                    break;
                }
                assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{context}: {:?}", outcome.failure);
                keep.resume = true;
                sessions += 1;
            }
        }
    }
    assert!(sessions > 50, "{sessions} sessions: too few to tell");
}

/// What does not fit goes to disk: records first.
#[test]
fn a_third_of_the_memory_is_enough() {
    for (number, (board, plain)) in boards().iter().enumerate() {
        for threads in [1, 2, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut keep = keep(folder.path(), NEVER);
            keep.archive.share = Some(plain.statistics.peak_bytes / 3);
            let kept = run(board, Setting { keep: Some(&keep), ..Setting::new(EngineKind::BestFirst, threads) });
            assert_same(board, &kept, plain, &format!("board {number}, {threads} threads"));
        }
    }
}

/// Boards for which a plain search stores at least so many states, and at most twice as many.
fn larger_boards(count: usize, least: u64) -> Vec<(Board, Outcome)> {
    let mut rng = rng(43);
    let boards = std::iter::repeat_with(|| random_board(&mut rng, 21, 21, 6)).take(40 * count);
    let searched = boards.filter_map(|board| {
        let limits = Limits { expansions: Some(least), ..Limits::default() };
        let plain = run(&board, Setting { limits, ..Setting::new(EngineKind::BestFirst, 1) });
        let fits = plain.stopped.is_none() && (least..2 * least).contains(&plain.statistics.stored);
        fits.then_some((board, plain))
    });
    let found = searched.take(count).collect::<Vec<_>>();
    assert_eq!(found.len(), count);
    found
}

/// A search with a tenth of the memory that it needs, stopped after each `expansions` of them.
fn with_a_tenth(board: &Board, plain: &Outcome, threads: usize, expansions: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), NEVER);
    keep.archive.share = Some(plain.statistics.peak_bytes / 10);
    let limits = Limits { expansions: Some(expansions), ..Limits::default() };
    loop {
        let kept = run(board, Setting { keep: Some(&keep), limits, ..Setting::new(EngineKind::BestFirst, threads) });
        if kept.stopped.is_none() {
            return assert_same(board, &kept, plain, &format!("{threads} threads"));
        }
        assert_eq!(kept.stopped, Some(StopReason::ExpansionLimit), "{threads} threads: {:?}", kept.failure);
        keep.resume = true;
    }
}

/// Then the index is on disk too: all but marks, the newest records and the newest slots.
#[test]
fn a_tenth_of_the_memory_is_enough() {
    for (board, plain) in larger_boards(2, 500_000) {
        with_a_tenth(&board, &plain, 1, u64::MAX);
        with_a_tenth(&board, &plain, 1, plain.statistics.expanded / 3);
    }
    if std::env::var_os("GRIDHUNT_LONG").is_some() {
        for (board, plain) in larger_boards(10, 2_000_000) {
            for threads in [1, 2, 8] {
                with_a_tenth(&board, &plain, threads, u64::MAX);
                with_a_tenth(&board, &plain, threads, plain.statistics.expanded / 3);
            }
        }
    }
}

/// What is needed at all times does not fit: the search ends with a checkpoint, and goes on where there is more memory.
#[test]
fn too_little_memory_is_told_and_nothing_is_lost() {
    let board = random_board(&mut rng(42), 24, 24, 6);
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), NEVER);
    keep.archive.share = Some(1 << 20);
    let little = run(&board, Setting { keep: Some(&keep), ..Setting::new(EngineKind::BestFirst, 2) });
    assert_eq!(little.stopped, Some(StopReason::MemoryLimit), "{:?}", little.failure);
    (keep.archive.share, keep.resume) = (None, true);
    let limits = Limits { expansions: Some(10_000), ..Limits::default() };
    let more = run(&board, Setting { keep: Some(&keep), limits, ..Setting::new(EngineKind::BestFirst, 2) });
    assert!(more.lower_bound >= little.lower_bound);
    let (before, after) = (&little.statistics, &more.statistics);
    assert!(after.expanded >= before.expanded + 10_000 && after.stored > before.stored, "{before:?}, {after:?}");
}
