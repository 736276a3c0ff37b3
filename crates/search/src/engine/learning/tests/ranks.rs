//! Workers and ranks that search together: optima, and what they tell each other.

use super::game::{Dice, Game, Memo, Strength, Weak};
use super::{run_rank, wrong_no_goods};
use crate::checkpoint::tests::ranks::on_ranks;
use crate::domain::Cost;
use crate::engine::Outcome;
use crate::engine::checkpoints::Checkpointer;
use crate::engine::incumbent::Incumbent;
use crate::engine::learning::broadcast_from_leader;
use crate::engine::learning::learner::{Learner, Refutation};
use crate::engine::learning::notices::Peer;
use crate::engine::learning::peers::Peers;
use crate::engine::learning::rank_messenger::RankMessenger;
use crate::engine::learning::refuted_sets::SharedLevels;
use crate::expand::{Problem, StateSpace};
use crate::runtime::{Limits, MessageDelays, Monitor, Silent, StopToken};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Workers that refute one root hear of each other's no-goods, and all of these hold.
#[test]
fn what_workers_tell_each_other_holds() {
    let (mut dice, mut heard) = (Dice::of(10), 0);
    for number in 0..400 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let mut memo = Memo::new();
        let optimum = game.optimum(game.root, &mut memo);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
        let checkpointer = Checkpointer::new(None, &monitor);
        let all: Vec<_> = (0..3).map(|_| Peer::default()).collect();
        let shared = SharedLevels::default();
        let learner = |worker| {
            let peers = Peers::new(&all, worker, None);
            Learner::new(space.set_expander().unwrap(), &shared, None, &monitor, &checkpointer, peers)
        };
        let mut learners: Vec<_> = (0..3).map(learner).collect();
        for budget in space.lower_bound()..optimum {
            std::thread::scope(|scope| {
                let refute = |learner: &mut Learner<'_>| assert_eq!(learner.refute_root(budget), Refutation::Refuted);
                learners.iter_mut().for_each(|learner| drop(scope.spawn(move || refute(learner))));
            });
        }
        let expanded: u64 = learners.iter().map(|learner| learner.expanded).sum();
        for learner in &mut learners {
            learner.receive_notices(&[]);
            assert_eq!(wrong_no_goods(&game, learner, &mut memo), [], "game {number}, {:?}", game.choices);
            heard += u64::from(learner.expanded < expanded && shared.no_good_count() > 0);
        }
    }
    assert!(heard > 100, "no worker has heard anything");
}

#[test]
fn ranks_find_the_optimum_with_its_moves() {
    let mut dice = Dice::of(11);
    for number in 0..300 {
        let (game, strength) = (Game::mixed(&mut dice), Strength::random(&mut dice));
        let optimum = game.optimum(game.root, &mut Memo::new());
        let (ranks, weather) = (2 + number as usize % 3, MessageDelays { seed: number, delay: number as u32 % 5 });
        let threads = 1 + number as usize % 2;
        let outcomes = on_ranks(ranks, weather, |exchange| run_rank(&game, strength, threads, Some(exchange)));
        let work = |outcome: &Outcome| outcome.statistics.expanded;
        for outcome in &outcomes {
            assert_eq!((outcome.lower_bound, outcome.stopped), (optimum, None), "game {number}");
            let found = outcome.incumbent.as_ref();
            assert_eq!(found.map_or(Cost::MAX, |found| found.cost), optimum, "game {number}");
            assert!(found.is_none_or(|found| game.replay(&found.moves) == Some(optimum)), "game {number}");
            assert!(work(outcome) <= work(&outcomes[0]), "game {number}: the leader counts the work of all");
        }
    }
}

/// What ranks tell each other in letters holds, whenever it arrives.
#[test]
fn what_ranks_tell_each_other_holds() {
    let mut dice = Dice::of(12);
    let heard = AtomicU64::new(0);
    for number in 0..200 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let optimum = game.optimum(game.root, &mut Memo::new());
        on_ranks(3, MessageDelays { seed: number, delay: 3 }, |exchange| {
            let stop = StopToken::new();
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
            let checkpointer = Checkpointer::new(None, &monitor);
            let incumbent = Incumbent::new(None, &monitor);
            let messenger = RankMessenger::new(exchange, &incumbent, &monitor, None);
            let own = [Peer::default()];
            let peers = Peers::new(&own, 0, Some(&messenger));
            let (shared, expander) = (SharedLevels::default(), space.set_expander().unwrap());
            let mut learner = Learner::new(expander, &shared, None, &monitor, &checkpointer, peers);
            let mut memo = Memo::new();
            for budget in space.lower_bound()..optimum {
                learner.exchange();
                assert_eq!(learner.refute_root(budget), Refutation::Refuted);
                learner.exchange();
                learner.receive_notices(&[]);
                assert_eq!(wrong_no_goods(&game, &learner, &mut memo), [], "game {number}, {:?}", game.choices);
            }
            heard.fetch_add(messenger.remote_work().expanded, Relaxed);
        });
    }
    assert!(heard.into_inner() > 1_000, "no rank has heard anything");
}

/// A rank that takes part no more, and gives no sign of life, costs its share alone. It is told all the same, and what
/// it says later is not taken for something else.
#[test]
fn a_rank_that_falls_silent_does_not_keep_the_others() {
    let mut dice = Dice::of(13);
    for number in 0..10 {
        let games = [(); 2].map(|()| (Game::solvable(&mut dice), Strength::random(&mut dice)));
        let optima = games.each_ref().map(|(game, _)| game.optimum(game.root, &mut Memo::new()));
        let has_proven = AtomicBool::new(false);
        let outcomes = on_ranks(3, MessageDelays { seed: number, delay: 2 }, |exchange| {
            exchange.limit_silence(50);
            let run = |at: usize| run_rank(&games[at].0, games[at].1, 1, Some(exchange));
            if exchange.rank() == 2 {
                // Begins with the others, and sleeps until the leader has an outcome.
                broadcast_from_leader(exchange, None);
                exchange.begin_search();
                while !has_proven.load(Relaxed) {
                    std::thread::yield_now();
                }
                exchange.gather_at_leader(Vec::new());
            }
            let first = (exchange.rank() < 2).then(|| run(0));
            has_proven.fetch_or(exchange.is_leader(), Relaxed);
            (first, run(1))
        });
        for (first, second) in outcomes {
            assert!(first.is_none_or(|first| first.lower_bound == optima[0]), "game {number}");
            assert_eq!(second.lower_bound, optima[1], "game {number}");
        }
    }
}
