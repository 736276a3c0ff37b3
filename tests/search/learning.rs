//! The search that learns on Flood-It: sessions, checkpoints and limits.

use crate::common::{Setting, random_board, rng, with_puzzle};
use crate::kept::keep;
use gridhunt_boards::Board;
use gridhunt_floodit::replay::replay;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor};
use gridhunt_search::checkpoint::exists;
use gridhunt_search::engine::{Outcome, StateEngine, Status};
use gridhunt_search::runtime::{Limits, StopReason};
use std::time::Duration;

/// Searches a board with `elimination`.
struct Search<'a>(Setting<'a>);

impl Visitor for Search<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        self.0.search(puzzle, FloodBound::new(puzzle, BoundKind::Elimination))
    }
}

fn search(board: &Board, setting: Setting<'_>) -> Outcome {
    with_puzzle(board, Search(setting))
}

const NEVER: Duration = Duration::from_secs(100_000);

/// Boards that take some thousands of sets, with what an undisturbed search says.
fn boards() -> Vec<(Board, Outcome)> {
    let mut rng = rng(61);
    let plain = |board: Board| {
        let outcome = search(&board, Setting::new(StateEngine::LEARNING, 1));
        let optimum = search(&board, Setting::new(StateEngine::BEST_FIRST, 1)).lower_bound;
        assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal));
        (board, outcome)
    };
    let all = (0..8).map(|_| plain(random_board(&mut rng, 20, 20, 6))).collect::<Vec<_>>();
    let expanded: u64 = all.iter().map(|(_, outcome)| outcome.statistics.expanded).sum();
    assert!(expanded > 3_000, "{expanded} sets: too easy to tell");
    all
}

fn assert_proven(board: &Board, outcome: &Outcome, plain: &Outcome) {
    assert_eq!((outcome.lower_bound, outcome.status()), (plain.lower_bound, Status::Optimal), "{:?}", outcome.failure);
    let found = outcome.incumbent.as_ref().expect("a solution");
    assert!(found.cost as usize == found.moves.len() && replay(board, &found.moves).expect("legal moves").is_solved);
}

#[test]
fn sessions_hand_on_what_they_have_learned() {
    let mut sessions = 0;
    for (board, plain) in boards() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut config, mut proven, mut expanded) = (keep(folder.path(), NEVER), 0, 0);
        loop {
            let limits = Limits { expansions: Some(150), ..Limits::default() };
            let setting = Setting { checkpoints: Some(&config), limits, ..Setting::new(StateEngine::LEARNING, 1) };
            let outcome = search(&board, setting);
            assert!(outcome.lower_bound >= proven && outcome.statistics.expanded > expanded);
            (proven, expanded, sessions) = (outcome.lower_bound, outcome.statistics.expanded, sessions + 1);
            if outcome.stopped.is_none() {
                assert_proven(&board, &outcome, &plain);
                break;
            }
            assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{:?}", outcome.failure);
            config.resume = true;
        }
        // Each session goes down to where the last one was.
        assert!(expanded < 2 * plain.statistics.expanded + 1_000, "{expanded} of {}", plain.statistics.expanded);
    }
    assert!(sessions > 20, "{sessions} sessions: too few to tell");
}

/// A checkpoint is always due, and is taken while the search runs.
#[test]
fn checkpoints_without_end_change_no_optimum() {
    for (board, plain) in boards() {
        let run = |every| {
            let folder = tempfile::tempdir().expect("a folder");
            let config = keep(folder.path(), every);
            let setting = Setting { checkpoints: Some(&config), ..Setting::new(StateEngine::LEARNING, 1) };
            (search(&board, setting), exists(&config.files))
        };
        let (outcome, is_kept) = run(Duration::ZERO);
        assert_proven(&board, &outcome, &plain);
        assert!(is_kept || plain.statistics.stored < 2, "no checkpoint was taken");
        let (outcome, is_kept) = run(NEVER);
        assert_eq!((outcome.statistics.layers, is_kept), (plain.statistics.layers, false));
    }
}

/// With room for a part of the no-goods it forgets, and proves the same.
#[test]
fn little_memory_costs_time_alone() {
    let mut forgot = 0;
    for (board, plain) in boards() {
        for quarters in [2, 3] {
            let memory = Some(plain.statistics.peak_bytes / 4 * quarters);
            let limits = Limits { memory, ..Limits::default() };
            let outcome = search(&board, Setting { limits, ..Setting::new(StateEngine::LEARNING, 1) });
            assert!(outcome.lower_bound <= plain.lower_bound);
            // What is not forgotten may need more than there is.
            if outcome.stopped != Some(StopReason::MemoryLimit) {
                assert_proven(&board, &outcome, &plain);
                forgot += u32::from(outcome.statistics.expanded != plain.statistics.expanded);
            }
        }
    }
    assert!(forgot > 0, "nothing was forgotten");
}
