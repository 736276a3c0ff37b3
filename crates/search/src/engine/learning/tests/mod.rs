//! The search that learns, on random domains whose exact costs are known.

mod game;
mod no_goods;
mod ranks;

use super::learner::{Learner, Refutation};
use super::notices::Peer;
use super::peers::Peers;
use super::refuted_sets::{SharedLevel, SharedLevels};
use super::{RefutedSets, Refuter, saved};
use crate::checkpoint::{CheckpointFiles, exists, read_manifest};
use crate::domain::{Cost, Domain, MoveIndex};
use crate::engine::checkpoints::{CheckpointConfig, Checkpointer, SessionClock, Snapshot, Times};
use crate::engine::{Context, Outcome, Parameters, ProofError, StateEngine, Status, search};
use crate::expand::{Problem, StateSpace};
use crate::runtime::{Exchange, Limits, Monitor, Silent, StopToken};
use crate::store::StorageConfig;
use game::{Dice, Fault, Game, Kind, Memo, Strength, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The stored no-goods that are none: (set, budget).
fn wrong_no_goods(game: &Game, learner: &Learner<'_>, memo: &mut Memo) -> Vec<(u64, Cost)> {
    stored(learner).into_iter().filter(|&(set, budget)| game.optimum(set, memo) <= budget).collect()
}

/// All no-goods with their budgets.
fn stored(learner: &Learner<'_>) -> Vec<(u64, Cost)> {
    let of = |(budget, level): (Cost, Arc<SharedLevel>)| {
        let no_goods = &level.read().no_goods;
        (0..no_goods.len()).map(|number| (no_goods.get(number)[0], budget)).collect::<Vec<_>>()
    };
    (0..).zip(learner.shared.all()).flat_map(of).collect()
}

/// How a search is disturbed.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The memory limit of the no-goods.
    memory: Option<u64>,
    /// A pause is due after this number of evaluations, and after one more each time; 0 for none.
    pauses: u64,
    /// A session ends after this number of expansions, and the next one begins with its checkpoint, and has one more; 0
    /// for none.
    sessions: u64,
}

/// What comes of a search.
#[derive(Debug, Default)]
struct Report {
    /// The least cost that was not refuted.
    cost: Cost,
    moves: Option<Vec<MoveIndex>>,
    wrong: Vec<(u64, Cost)>,
    checked: usize,
    expanded: u64,
    left: u32,
}

/// Refutes one cost after the other, as the engine does, up to the exact optimum, and checks all no-goods after each.
fn solve(game: &Game, strength: Strength, way: Way) -> Report {
    let mut memo = Memo::new();
    let optimum = game.optimum(game.root, &mut memo);
    let mut report = Report::default();
    let (mut body, mut allowed, mut between): (Option<Vec<u8>>, _, _) = (None, way.sessions, way.pauses);
    loop {
        let stop = StopToken::new();
        let limits = Limits { expansions: (allowed > 0).then_some(allowed), ..Limits::default() };
        let monitor = Monitor::new(limits, &Silent, &stop);
        let (evaluations, due) = (AtomicU64::new(0), AtomicU64::new(between));
        let tick = || {
            if due.load(Relaxed) > 0 && evaluations.fetch_add(1, Relaxed) + 1 == due.load(Relaxed) {
                monitor.pause();
            }
        };
        let space = Problem::new(game, Weak::new(game, strength, &tick));
        let checkpointer = Checkpointer::new(None, &monitor);
        let alone = [Peer::default()];
        let peers = Peers::new(&alone, 0, None);
        let shared = SharedLevels::default();
        let expander = space.set_expander().unwrap();
        let mut learner = Learner::new(expander, &shared, way.memory, &monitor, &checkpointer, peers);
        if let Some(body) = body.take() {
            read_body(&body, &mut learner).unwrap();
        }
        report.cost = report.cost.max(space.lower_bound());
        while report.moves.is_none() && report.cost <= optimum && monitor.stop_reason().is_none() {
            match learner.refute_root(report.cost) {
                Refutation::Refuted => report.cost += 1,
                Refutation::Solved(moves, cost) => (report.moves, report.cost) = (Some(moves), cost),
                Refutation::Interrupted => {
                    report.left += 1;
                    between += 1;
                    evaluations.store(0, Relaxed);
                    due.store(if way.pauses > 0 { between } else { 0 }, Relaxed);
                    monitor.resume();
                }
            }
            report.wrong.extend(wrong_no_goods(game, &learner, &mut memo));
            report.checked += stored(&learner).len();
        }
        report.expanded += learner.expanded;
        if report.moves.is_some() || report.cost > optimum {
            return report;
        }
        body = Some(body_of(&learner, game));
        allowed += 1;
    }
}

fn body_of(learner: &Learner<'_>, game: &Game) -> Vec<u8> {
    let mut body = Vec::new();
    saved::write(learner.shared, game.key_len(), &mut body).unwrap();
    body
}

fn read_body(body: &[u8], learner: &mut Learner<'_>) -> Result<(), String> {
    let key_len = learner.expander.element_count().div_ceil(8);
    saved::read(&mut &*body, body.len() as u64, key_len, learner)
}

/// The optimum, with moves, and all stored no-goods hold.
fn assert_right(game: &Game, report: &Report, context: &str) {
    let optimum = game.optimum(game.root, &mut Memo::new());
    assert_eq!(report.wrong, [], "{context}");
    assert_eq!(report.cost, optimum, "{context}");
    assert_eq!(game.replay(report.moves.as_ref().expect("a solution")), Some(optimum), "{context}");
}

/// Solves random games, and returns the no-goods that were checked, the expansions, and how often searches were left.
fn solve_random(seed: u64, games: u32, way: Way) -> (usize, u64, u32) {
    let mut dice = Dice::of(seed);
    let mut sums = (0, 0, 0);
    for number in 0..games {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let report = solve(&game, strength, way);
        assert_right(&game, &report, &format!("game {number}, {:?}, {strength:?}, {way:?}", game.choices));
        sums = (sums.0 + report.checked, sums.1 + report.expanded, sums.2 + report.left);
    }
    sums
}

#[test]
fn each_stored_no_good_costs_more_than_its_budget() {
    let (checked, expanded, _) = solve_random(1, 3_000, Way::default());
    assert!(checked > 50_000 && expanded > 20_000, "{checked} no-goods, {expanded} sets: too easy to tell");
}

#[test]
fn forgotten_no_goods_change_no_optimum() {
    let mut dice = Dice::of(2);
    let (mut more, mut fewer) = (0, 0);
    for number in 0..400 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let plain = solve(&game, strength, Way::default());
        let report = solve(&game, strength, Way { memory: Some(1), ..Way::default() });
        assert_right(&game, &report, &format!("game {number}, {:?}, {strength:?}", game.choices));
        more += u32::from(report.expanded > plain.expanded);
        fewer += u32::from(report.checked < plain.checked);
    }
    assert!(more > 20 && fewer > 20, "{more} games with more sets, {fewer} with fewer no-goods: nothing is forgotten");
}

#[test]
fn a_search_that_is_left_goes_on_to_the_same_optimum() {
    for pauses in [1, 7, 30] {
        let (_, _, left) = solve_random(3, 300, Way { pauses, ..Way::default() });
        assert!(left > 300, "left {left} times");
    }
}

#[test]
fn sessions_that_hand_on_their_no_goods_come_to_the_same_optimum() {
    for sessions in [1, 5] {
        let (_, _, left) = solve_random(4, 300, Way { sessions, memory: Some(4_000), ..Way::default() });
        assert!(left > 300, "left {left} times");
    }
}

/// A check that accepts everything would find nothing: it finds each fault that is planted.
#[test]
fn planted_faults_are_found() {
    for fault in [Fault::Regress, Fault::Explain, Fault::Budget] {
        let mut dice = Dice::of(5);
        let (mut found, mut wrong_optima) = (0, 0);
        for _ in 0..400 {
            let game = Game { fault, ..Game::solvable(&mut dice) };
            // What is taken off a bound would hide an element too many.
            let kind = if dice.one_in(2) { Kind::Rounds } else { Kind::Landmarks };
            let strength = Strength { kind, minus: 0, bent: false, explains: true };
            let report = solve(&game, strength, Way::default());
            found += u32::from(!report.wrong.is_empty());
            wrong_optima += u32::from(report.cost > game.optimum(game.root, &mut Memo::new()));
        }
        assert!(found > 20, "{fault:?}: wrong no-goods in {found} games");
        assert!(wrong_optima > 0, "{fault:?} changes no optimum");
    }
}

/// The engine by its own loop: cost, moves, layers.
fn run_engine(game: &Game, strength: Strength, threads: usize) -> Outcome {
    run_rank(game, strength, threads, None)
}

/// The engine on one of several ranks.
fn run_rank(game: &Game, strength: Strength, threads: usize, exchange: Option<&Exchange>) -> Outcome {
    let stop = StopToken::new();
    let limits = Limits { expansions: Some(100_000), ..Limits::default() };
    let context = Context { exchange, ..Context::new(threads, limits, &Silent, &stop) };
    let space = Problem::new(game, Weak::new(game, strength, &|| {}));
    search(StateEngine::LEARNING, &space, &Parameters::default(), None, &context).unwrap()
}

#[test]
fn the_engine_finds_the_optimum_with_its_moves() {
    let mut dice = Dice::of(6);
    for number in 0..1_000 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let optimum = game.optimum(game.root, &mut Memo::new());
        let outcome = run_engine(&game, strength, 1 + number % 3);
        let found = outcome.incumbent.as_ref().expect("a solution");
        assert_eq!((outcome.status(), outcome.lower_bound), (Status::Optimal, optimum), "game {number}");
        assert_eq!((game.replay(&found.moves), found.cost), (Some(optimum), optimum), "game {number}");
        let layers = &outcome.statistics.layers;
        assert!(layers.iter().map(|layer| layer.f).eq(optimum + 1 - layers.len() as Cost..=optimum), "game {number}");
    }
}

#[test]
fn what_has_no_solution_is_proven_to_have_none() {
    let (mut dice, mut unsolvable) = (Dice::of(9), 0);
    for number in 0..400 {
        let game = Game::mixed(&mut dice);
        if game.optimum(game.root, &mut Memo::new()) < Cost::MAX {
            continue;
        }
        unsolvable += 1;
        let outcome =
            run_engine(&game, Strength { kind: Kind::Zero, minus: 0, bent: false, explains: false }, 1 + number % 3);
        assert_eq!((outcome.status(), outcome.stopped), (Status::Unsolvable, None), "game {number}");
    }
    assert!(unsolvable > 20, "{unsolvable} games: too few to tell");
}

#[test]
fn checkpoint_bodies_come_back_and_damaged_ones_are_refused() {
    let mut dice = Dice::of(8);
    let stop = StopToken::new();
    let monitor = Monitor::new(Limits::default(), &Silent, &stop);
    let mut most = 0;
    for _ in 0..20 {
        let game = Game::solvable(&mut dice);
        let strength = Strength { kind: Kind::Zero, minus: 0, bent: false, explains: false };
        let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
        let checkpointer = Checkpointer::new(None, &monitor);
        let alone = [Peer::default()];
        let peers = || Peers::new(&alone, 0, None);
        let expander = || space.set_expander().unwrap();
        let read_anew = |body: &[u8]| {
            let levels = SharedLevels::default();
            read_body(body, &mut Learner::new(expander(), &levels, None, &monitor, &checkpointer, peers()))
        };
        let levels = [(); 2].map(|()| SharedLevels::default());
        let learner = |levels| Learner::new(expander(), levels, None, &monitor, &checkpointer, peers());
        let [mut first, mut second] = levels.each_ref().map(learner);
        (0..game.optimum(game.root, &mut Memo::new()))
            .for_each(|f| assert_eq!(first.refute_root(f), Refutation::Refuted));
        let body = body_of(&first, &game);
        assert_eq!(read_body(&body, &mut second), Ok(()));
        assert_eq!(stored(&second), stored(&first));
        most = most.max(stored(&first).len());
        for length in 0..body.len() {
            assert!(read_anew(&body[..length]).is_err());
        }
        assert!(read_anew(&[&body[..], &[0]].concat()).is_err());
        for at in 0..body.len().min(200) {
            let mut bent = body.clone();
            bent[at] ^= 0x80;
            // A bent set may be another one; the checksum of the file is there for that.
            let read = read_anew(&bent);
            let is_in_budget = at >= 8 && (at - 8) % (4 + game.key_len()) == 3;
            assert!(read.is_err() || at >= 8 && !is_in_budget, "byte {at}");
        }
        for number in [u64::MAX, u64::MAX / 8, 1 << 40] {
            let bent = [&number.to_le_bytes()[..], &body[8..]].concat();
            assert!(read_anew(&bent).is_err());
        }
        let outside = [&1_u64.to_le_bytes()[..], &[0; 4], &vec![0xFF; game.key_len()]].concat();
        assert!(read_anew(&outside).is_err(), "a goal, or more elements than there are");
    }
    assert!(most > 10, "{most} no-goods: too easy to tell");
}

/// Whatever is known of a game, a refuter has a no-good for each set that has one, and a solution for the others.
#[test]
fn a_refuter_learns_what_is_missing() {
    let (mut dice, stop) = (Dice::of(11), StopToken::new());
    let context = Context::new(1, Limits::default(), &Silent, &stop);
    let (mut refuted, mut solved) = (0, 0);
    for number in 0..400 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let mut memo = Memo::new();
        let other = Game::solvable(&mut dice);
        let known = match number % 3 {
            0 => RefutedSets::default(),
            // What is known of other elements is not used.
            1 if other.elements != game.elements => run_engine(&other, strength, 1).refuted,
            _ => run_engine(&game, strength, 1).refuted,
        };
        let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
        let ask = |refuter: &mut Refuter<'_>, _: &Monitor<'_>| {
            for _ in 0..20 {
                let set = game.root | dice.subset(game.elements, 1 + game.elements / 3);
                let (budget, optimum) = (dice.below(8), game.optimum(set, &mut memo));
                match refuter.no_good_containing(&[set], budget) {
                    Ok(no_good) => {
                        assert!(
                            set & !no_good[0] == 0 && game.optimum(no_good[0], &mut memo) > budget,
                            "game {number}"
                        );
                        refuted += 1;
                    }
                    Err(reason) => {
                        let ProofError::Solved(cost) = reason else { panic!("game {number}: {reason}") };
                        assert!((optimum..=budget).contains(&cost), "game {number}: {cost}, optimum {optimum}");
                        solved += 1;
                    }
                }
            }
            Ok(())
        };
        assert_eq!(Refuter::run(known, &space, &context, ask), Ok(()));
    }
    assert!(refuted > 1_000 && solved > 1_000, "{refuted} refuted, {solved} solved: too few to tell");
}

/// The beams before and between the iterations count too, in this session and after a resume.
#[test]
fn the_last_checkpoint_has_the_counts_of_the_result() {
    let (mut dice, mut resumed) = (Dice::of(8), 0);
    for number in 0..200 {
        let (game, strength) = (Game::solvable(&mut dice), Strength::random(&mut dice));
        let folder = tempfile::tempdir().unwrap();
        let storage = StorageConfig::unlimited(folder.path().to_owned());
        let files = CheckpointFiles { storage, identity: number.to_string() };
        let stop = StopToken::new();
        let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
        let mut before = 0;
        for expansions in [30, 1] {
            let resume = exists(&files);
            let clock = SessionClock::after(Times::default(), 1);
            let config = CheckpointConfig { files: files.clone(), every: Duration::MAX, resume, clock };
            let limits = Limits { expansions: Some(expansions), ..Limits::default() };
            let context = Context { checkpoints: Some(&config), ..Context::new(1, limits, &Silent, &stop) };
            let result = search(StateEngine::AUTO, &space, &Parameters::default(), None, &context).unwrap();
            if result.stopped.is_none() || !exists(&files) {
                break;
            }
            let snapshot = Snapshot::decode(&read_manifest(&files, None).unwrap().payload).unwrap();
            assert_eq!(snapshot.work, result.statistics.work(), "game {number}");
            assert_eq!(snapshot.work.expanded, before + expansions, "game {number}");
            (before, resumed) = (snapshot.work.expanded, resumed + u32::from(resume));
        }
    }
    assert!(resumed > 5, "{resumed} games: too few to tell");
}
