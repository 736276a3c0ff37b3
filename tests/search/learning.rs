//! The search that learns on Flood-It: sessions, checkpoints and limits.

use crate::common::{Setting, random_board, rng};
use crate::engines::run_in;
use crate::kept::{assert_proven, keep};
use gridhunt_boards::Board;
use gridhunt_search::engine::{Outcome, StateEngine, Status};
use gridhunt_search::runtime::{Limits, StopReason};
use std::time::Duration;

/// Boards that take some thousands of sets, with what an undisturbed search says.
fn boards() -> Vec<(Board, Outcome)> {
    let mut rng = rng(61);
    let plain = |board: Board| {
        let outcome = run_in(&board, "elimination", Setting::new(StateEngine::LEARNING, 1));
        let optimum = run_in(&board, "elimination", Setting::new(StateEngine::BEST_FIRST, 1)).lower_bound;
        assert_eq!((outcome.lower_bound, outcome.status()), (optimum, Status::Optimal));
        (board, outcome)
    };
    let all = (0..8).map(|_| plain(random_board(&mut rng, 20, 20, 6))).collect::<Vec<_>>();
    let expanded: u64 = all.iter().map(|(_, outcome)| outcome.statistics.expanded).sum();
    assert!(expanded > 3_000, "{expanded} sets: too easy to tell");
    all
}

#[test]
fn sessions_hand_on_what_they_have_learned() {
    let mut sessions = 0;
    for (board, plain) in boards() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut config, mut proven, mut expanded) = (keep(folder.path(), Duration::from_secs(100_000)), 0, 0);
        loop {
            let limits = Limits { expansions: Some(150), ..Limits::default() };
            let setting = Setting { checkpoints: Some(&config), limits, ..Setting::new(StateEngine::LEARNING, 1) };
            let outcome = run_in(&board, "elimination", setting);
            assert!(outcome.lower_bound >= proven && outcome.statistics.expanded > expanded);
            (proven, expanded, sessions) = (outcome.lower_bound, outcome.statistics.expanded, sessions + 1);
            if outcome.stopped.is_none() {
                assert_proven(&board, &outcome, &plain, "learning");
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

/// With room for a part of the no-goods it forgets, and proves the same.
#[test]
fn little_memory_costs_time_alone() {
    let mut forgot = 0;
    for (board, plain) in boards() {
        for quarters in [2, 3] {
            let memory = Some(plain.statistics.peak_bytes / 4 * quarters);
            let limits = Limits { memory, ..Limits::default() };
            let outcome = run_in(&board, "elimination", Setting { limits, ..Setting::new(StateEngine::LEARNING, 1) });
            assert!(outcome.lower_bound <= plain.lower_bound);
            // What is not forgotten may need more than there is.
            if outcome.stopped != Some(StopReason::MemoryLimit) {
                assert_proven(&board, &outcome, &plain, "learning");
                forgot += u32::from(outcome.statistics.expanded != plain.statistics.expanded);
            }
        }
    }
    assert!(forgot > 0, "nothing was forgotten");
}
