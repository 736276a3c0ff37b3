//! Certificates of searches that have ended, one way or the other: made of what they have refuted.

use crate::certificates::checked;
use crate::common::{Setting, random_board, rng, without_limits};
use crate::engines::run_in;
use crate::kept::keep;
use gridhunt::hunt::Request;
use gridhunt::puzzles::{BoundCertificate, CertificateClaim, CertificateForm, PuzzleError};
use gridhunt_boards::Board;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, Outcome, RefutedSets, StateEngine, Status};
use gridhunt_search::runtime::{Event, Limits, Observer, StopReason, StopToken};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

fn search(board: &Board, setting: Setting<'_>) -> Outcome {
    run_in(board, "elimination", setting)
}

fn learning() -> Setting<'static> {
    Setting::new(StateEngine::LEARNING, 1)
}

/// Boards of some thousands of sets together.
fn boards() -> Vec<Board> {
    let mut rng = rng(191);
    (0..8).map(|_| random_board(&mut rng, 20, 20, 6)).collect()
}

/// Notes the sets that are expanded.
#[derive(Default)]
struct Expansions(AtomicU64);

impl Observer for Expansions {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Progress(progress) = event {
            self.0.fetch_max(progress.expanded, SeqCst);
        }
    }

    /// The last progress comes when all is done.
    fn progress_interval(&self) -> Option<Duration> {
        Some(Duration::from_secs(100_000))
    }
}

/// Makes a certificate of a claim, and counts the sets that are expanded for it.
fn make(
    board: &Board,
    claim: &CertificateClaim<'_>,
    refuted: RefutedSets,
) -> (Result<BoundCertificate, PuzzleError>, u64) {
    let (stop, expansions) = (StopToken::new(), Expansions::default());
    let context = Context { observer: &expansions, ..without_limits(1, &stop) };
    let task = Request::default().task(board).expect("a flood");
    let certificates = task.as_certifiable().expect("Flood-It has some");
    let made = certificates.certify(claim, CertificateForm::Records, refuted, &context);
    (made, expansions.0.into_inner())
}

/// Checks the certificate of what a search has proven. Returns the sets that are expanded for it, with what the search
/// has refuted and without.
fn certify(board: &Board, outcome: &Outcome) -> [u64; 2] {
    let is_optimal = outcome.status() == Status::Optimal;
    let moves = outcome.incumbent.as_ref().map(|held| &held.moves[..]).filter(|_| is_optimal);
    let claim = CertificateClaim { bound: outcome.lower_bound, moves };
    let count = |refuted| {
        let (made, expanded) = make(board, &claim, refuted);
        let proven = checked(&made.expect("a certificate").bytes).expect("a proof");
        assert_eq!((proven.bound as Cost, proven.is_optimum), (outcome.lower_bound, is_optimal));
        expanded
    };
    [count(outcome.refuted.clone()), count(RefutedSets::default())]
}

fn sum(counts: impl Iterator<Item = [u64; 2]>) -> [u64; 2] {
    counts.fold([0; 2], |[with, without], of| [with + of[0], without + of[1]])
}

#[test]
fn what_a_search_has_refuted_spares_a_second_search() {
    for setting in [learning(), Setting::new(StateEngine::LEARNING, 3), Setting::new(StateEngine::AUTO, 1)] {
        let certify = |board: Board| {
            let outcome = search(&board, setting);
            assert_eq!(outcome.status(), Status::Optimal);
            certify(&board, &outcome)
        };
        let [with, without] = sum(boards().into_iter().map(certify));
        assert!(without > 1_500 && with * 50 < without, "{with} instead of {without} sets");
    }
}

#[test]
fn a_search_that_is_stopped_has_the_certificate_of_its_lower_bound() {
    let certify = |board: Board| {
        let expansions = Some(search(&board, learning()).statistics.expanded / 2);
        let outcome = search(&board, Setting { limits: Limits { expansions, ..Limits::default() }, ..learning() });
        assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit));
        certify(&board, &outcome)
    };
    let [with, without] = sum(boards().into_iter().map(certify));
    assert!(without > 300 && with * 50 < without, "{with} instead of {without} sets");
}

/// A checkpoint is the list of no-goods, so it does not matter how often a search is ended and resumed.
#[test]
fn a_search_that_is_resumed_has_a_certificate() {
    let mut sessions = 0;
    let mut certify = |board: Board| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = keep(folder.path(), Duration::from_secs(100_000));
        loop {
            let limits = Limits { expansions: Some(150), ..Limits::default() };
            let outcome = search(&board, Setting { checkpoints: Some(&config), limits, ..learning() });
            sessions += 1;
            if outcome.stopped.is_none() {
                return certify(&board, &outcome);
            }
            config.resume = true;
        }
    };
    let [with, without] = sum(boards().into_iter().map(&mut certify));
    assert!(sessions > 20, "{sessions} sessions: too few to tell");
    assert!(without > 1_500 && with * 50 < without, "{with} instead of {without} sets");
}

/// What memory has no room for is learned again, where it is missing.
#[test]
fn a_search_that_forgets_has_a_certificate() {
    let certify = |board: Board| {
        let memory = search(&board, learning()).statistics.peak_bytes / 4 * 3;
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        let outcome = search(&board, Setting { limits, ..learning() });
        certify(&board, &outcome)
    };
    let [with, without] = sum(boards().into_iter().map(certify));
    assert!(with > 10 && with < without, "{with} instead of {without} sets");
}

/// The checker knows `elimination` alone: where a search has refuted sets with another lower bound, the rest is
/// learned.
#[test]
fn a_search_with_another_lower_bound_has_a_certificate() {
    let mut rng = rng(192);
    for _ in 0..8 {
        let board = random_board(&mut rng, 12, 12, 6);
        let outcome = run_in(&board, "layers", learning());
        assert_eq!(outcome.status(), Status::Optimal);
        certify(&board, &outcome);
    }
}

/// No-goods of another board are wrong here: there is no certificate, or it proves what it says.
#[test]
fn wrong_no_goods_make_no_false_certificate() {
    let (boards, mut refused) = (boards(), 0);
    for (board, other) in boards.iter().zip(boards.iter().skip(1)) {
        let (optimum, refuted) = (search(board, learning()).lower_bound, search(other, learning()).refuted);
        for bound in [optimum, optimum + 1] {
            match make(board, &CertificateClaim { bound, moves: None }, refuted.clone()).0 {
                Ok(made) => assert!(checked(&made.bytes).is_ok() && bound == optimum),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused >= boards.len() - 1, "{refused} refused");
}
