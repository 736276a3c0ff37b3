//! The search that learns, on random domains whose exact costs are known.

use super::learner::{Learner, Refutation};
use super::no_goods::NoGoods;
use super::notices::Peer;
use super::peers::Peers;
use super::post_office::PostOffice;
use super::{RefutedSets, Refuter, of_leader, saved};
use crate::domain::{Bound, Cost, Domain, LowerBound, MoveIndex, MoveMask, SetMoves, Successor};
use crate::engine::checkpointer::Checkpointer;
use crate::engine::incumbent::Incumbent;
use crate::engine::{Context, NotClosed, Outcome, Parameters, StateEngine, Status, search};
use crate::expand::{Problem, StateSpace};
use crate::runtime::{Crowd, Exchange, Limits, Monitor, Silent, StopToken, Weather};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

struct Dice(ChaCha8Rng);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.0.next_u32() % limit
    }

    fn one_in(&mut self, limit: u32) -> bool {
        self.below(limit) == 0
    }

    /// A set of these elements, each with the chance 1 in `sparse`.
    fn subset(&mut self, elements: u32, sparse: u32) -> u64 {
        (0..elements).filter(|_| self.one_in(sparse)).fold(0, |set, element| set | 1 << element)
    }
}

fn each(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |element| set >> element & 1 == 1)
}

/// A move adds some elements always, and some for each element that the set holds.
struct Move {
    cost: Cost,
    always: u64,
    /// What each element adds.
    from: Vec<u64>,
}

/// Which choices a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choices {
    /// All moves that may still change a set.
    All,
    /// The same, promised less: as long as one of these elements lacks.
    Pinned(u64),
    /// In a flood: a move that finishes its colour alone, if there is one.
    Finish,
    /// In a cover: the moves that add the first missing element.
    First,
}

/// A fault that a test plants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Regressions keep an element too many.
    Regress,
    /// Explanations keep an element too many.
    Explain,
    /// Moves seem dearer by 1, so that no-goods are stored with a budget that is too high by 1.
    Budget,
}

/// Sets of few elements, all of which are to be collected.
struct Game {
    elements: u32,
    root: u64,
    moves: Vec<Move>,
    choices: Choices,
    /// Whether elements that each cover of another missing one covers are added (covers alone).
    raises: bool,
    fault: Fault,
}

type Memo = HashMap<u64, Cost>;

impl Game {
    /// A flood of a graph from a node; neighbours may have the same colour.
    fn flood(dice: &mut Dice) -> Self {
        let (elements, colours) = (4 + dice.below(9), 2 + dice.below(4));
        let colour: Vec<u32> = (0..elements).map(|_| dice.below(colours)).collect();
        let mut beside = vec![0_u64; elements as usize];
        let sparse = 2 + dice.below(8);
        for a in 1..elements {
            // A tree, so that each node is reached, and further edges.
            let parent = dice.below(a);
            for b in each(dice.subset(a, sparse) | 1 << parent) {
                beside[a as usize] |= 1 << b;
                beside[b as usize] |= 1 << a;
            }
        }
        let is_weighted = dice.one_in(3);
        let of_colour = |c: u32| (0..elements).filter(|&a| colour[a as usize] == c).fold(0, |set, a| set | 1 << a);
        let moves = (0..colours).map(|c| Move {
            cost: if is_weighted { 1 + dice.below(3) } else { 1 },
            always: 0,
            from: beside.iter().map(|beside| beside & of_colour(c)).collect(),
        });
        let moves = moves.collect();
        let choices = [Choices::All, Choices::Pinned(u64::from(dice.0.next_u32())), Choices::Finish, Choices::Finish]
            [dice.below(4) as usize];
        Self { elements, root: 1, moves, choices, raises: false, fault: Fault::None }
    }

    /// A weighted set cover.
    fn cover(dice: &mut Dice) -> Self {
        let (elements, sets) = (4 + dice.below(8), 4 + dice.below(9));
        let mut moves: Vec<Move> = (0..sets)
            .map(|_| Move {
                cost: 1 + dice.below(4),
                always: dice.subset(elements, 3),
                from: vec![0; elements as usize],
            })
            .collect();
        let alone = |element: u32| Move { cost: 4, always: 1 << element, from: vec![0; elements as usize] };
        moves.extend((0..elements).map(alone));
        let choices = if dice.one_in(3) { Choices::All } else { Choices::First };
        Self { elements, root: 0, moves, choices, raises: dice.one_in(2), fault: Fault::None }
    }

    /// Moves that add elements always and for others.
    fn mixed(dice: &mut Dice) -> Self {
        let (elements, count) = (4 + dice.below(7), 3 + dice.below(4));
        let sparse = elements + dice.below(12);
        let moves = (0..count).map(|_| Move {
            cost: 1 + dice.below(3),
            always: dice.subset(elements, 2 * sparse),
            from: (0..elements).map(|_| dice.subset(elements, sparse)).collect(),
        });
        let moves = moves.collect();
        let choices = if dice.one_in(2) { Choices::All } else { Choices::Pinned(u64::from(dice.0.next_u32())) };
        Self { elements, root: 1, moves, choices, raises: false, fault: Fault::None }
    }

    /// A game of any kind.
    fn random(dice: &mut Dice) -> Self {
        match dice.below(3) {
            0 => Self::flood(dice),
            1 => Self::cover(dice),
            _ => Self::mixed(dice),
        }
    }

    /// A random game that has a solution, of some cost.
    fn solvable(dice: &mut Dice) -> Self {
        loop {
            let game = Self::random(dice);
            if (2..100).contains(&game.optimum(game.root, &mut Memo::new())) {
                return game;
            }
        }
    }

    fn all(&self) -> u64 {
        (1 << self.elements) - 1
    }

    fn after(&self, set: u64, mv: usize) -> u64 {
        let Move { always, from, .. } = &self.moves[mv];
        each(set).fold(set | always, |sum, element| sum | from[element as usize])
    }

    /// All that a move adds to any set.
    fn most(&self, mv: usize) -> u64 {
        self.after(self.all(), mv) & self.moves[mv].from.iter().fold(self.moves[mv].always, |sum, set| sum | set)
    }

    /// The exact cost, by all moves.
    fn optimum(&self, set: u64, memo: &mut Memo) -> Cost {
        if set == self.all() {
            return 0;
        }
        if let Some(&known) = memo.get(&set) {
            return known;
        }
        let mut best = Cost::MAX;
        for (mv, Move { cost, .. }) in self.moves.iter().enumerate() {
            let child = self.after(set, mv);
            if child != set {
                best = best.min(self.optimum(child, memo).saturating_add(*cost));
            }
        }
        memo.insert(set, best);
        best
    }

    /// What these moves cost from the root; `None` if they lead to no goal.
    fn replay(&self, moves: &[MoveIndex]) -> Option<Cost> {
        let end = moves.iter().fold(self.root, |set, &mv| self.after(set, usize::from(mv)));
        (end == self.all()).then(|| moves.iter().map(|&mv| self.moves[usize::from(mv)].cost).sum())
    }
}

impl Domain for Game {
    type State = u64;

    fn key_len(&self) -> usize {
        self.elements.div_ceil(8) as usize
    }

    fn sets(&self) -> Option<&dyn SetMoves<u64>> {
        Some(self)
    }

    fn root(&self) -> u64 {
        self.root
    }

    fn pack(&self, set: &u64, key: &mut [u8]) {
        key.copy_from_slice(&set.to_le_bytes()[..key.len()]);
    }

    fn unpack(&self, key: &[u8], set: &mut u64) {
        let mut bytes = [0; 8];
        bytes[..key.len()].copy_from_slice(key);
        *set = u64::from_le_bytes(bytes);
    }

    fn successors(&self, set: &u64, _: MoveMask, out: &mut Vec<Successor<u64>>) {
        for (mv, Move { cost, .. }) in self.moves.iter().enumerate() {
            let state = self.after(*set, mv);
            if state != *set {
                out.push(Successor { mv: mv as MoveIndex, cost: *cost, asleep: 0, state });
            }
        }
    }

    fn terminal(&self, set: &u64) -> Option<Cost> {
        (*set == self.all()).then_some(0)
    }
}

impl SetMoves<u64> for Game {
    fn elements(&self) -> usize {
        self.elements as usize
    }

    fn choices(&self, set: &u64, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool {
        let missing = self.all() & !set;
        let open = (0..self.moves.len()).filter(|&mv| self.most(mv) & missing != 0);
        match self.choices {
            Choices::First => {
                pins[0] |= 1 << missing.trailing_zeros();
                moves.extend(open.clone().filter(|&mv| self.moves[mv].always & pins[0] != 0).map(|mv| mv as MoveIndex));
            }
            Choices::Finish => {
                if let Some(mv) = open.clone().find(|&mv| self.most(mv) & !self.after(*set, mv) == 0) {
                    pins[0] |= self.most(mv) & missing;
                    moves.push(mv as MoveIndex);
                }
            }
            Choices::Pinned(mask) => {
                pins[0] |= if missing & mask == 0 { missing } else { missing & mask };
            }
            Choices::All => {}
        }
        if moves.is_empty() && self.choices != Choices::First {
            moves.extend(open.map(|mv| mv as MoveIndex));
        }
        pins[0] != 0
    }

    fn cost(&self, mv: MoveIndex) -> Cost {
        self.moves[usize::from(mv)].cost + Cost::from(self.fault == Fault::Budget)
    }

    fn child(&self, set: &u64, mv: MoveIndex) -> u64 {
        self.after(*set, usize::from(mv))
    }

    fn raise(&self, set: &mut u64) {
        if !self.raises {
            return;
        }
        let holders = |element: u32| {
            (0..self.moves.len()).filter(move |&mv| self.moves[mv].always >> element & 1 == 1).collect::<HashSet<_>>()
        };
        let missing = self.all() & !*set;
        for (element, other) in each(missing).flat_map(|element| each(missing).map(move |other| (element, other))) {
            let (own, others) = (holders(element), holders(other));
            if others.is_subset(&own) && (other < element || others != own) {
                *set |= 1 << element;
            }
        }
    }

    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]) {
        let Move { always, from, .. } = &self.moves[usize::from(mv)];
        out.fill(0);
        if always & !set[0] == 0 {
            out[0] = each(set[0]).filter(|&a| from[a as usize] & !set[0] == 0).fold(0, |sum, a| sum | 1 << a);
        }
        if self.fault == Fault::Regress {
            let lost = set[0] & !out[0];
            out[0] |= lost & lost.wrapping_neg();
        }
    }
}

/// What a lower bound is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Zero,
    /// Rounds of all moves together, at the least cost of a move.
    Rounds,
    /// The moves that alone add some missing element.
    Landmarks,
    Exact,
}

#[derive(Clone, Copy, Debug)]
struct Strength {
    kind: Kind,
    /// What is taken off; with `bent` up to this, otherwise at each state.
    minus: Cost,
    bent: bool,
    explains: bool,
}

impl Strength {
    fn random(dice: &mut Dice) -> Self {
        let kind = [Kind::Zero, Kind::Rounds, Kind::Landmarks, Kind::Exact][dice.below(4) as usize];
        let bent = dice.one_in(4);
        Self { kind, minus: dice.below(4), bent, explains: !bent && dice.below(3) > 0 }
    }
}

/// A lower bound, which calls `tick` at each evaluation.
struct Weak<'a> {
    game: &'a Game,
    strength: Strength,
    memo: Mutex<Memo>,
    tick: &'a (dyn Fn() + Sync),
}

impl<'a> Weak<'a> {
    fn new(game: &'a Game, strength: Strength, tick: &'a (dyn Fn() + Sync)) -> Self {
        Self { game, strength, memo: Mutex::default(), tick }
    }

    fn value(&self, set: u64) -> Cost {
        let Self { game, strength: Strength { kind, minus, bent, .. }, .. } = *self;
        let missing = game.all() & !set;
        let moves = || 0..game.moves.len();
        let value = match kind {
            Kind::Zero => 0,
            Kind::Rounds => {
                let least = game.moves.iter().map(|mv| mv.cost).min().unwrap_or(0);
                let (mut now, mut rounds) = (set, 0);
                while now != game.all() {
                    let next = moves().fold(now, |sum, mv| sum | game.after(now, mv));
                    if next == now {
                        return Cost::MAX;
                    }
                    (now, rounds) = (next, rounds + least);
                }
                rounds
            }
            Kind::Landmarks => {
                let is_alone = |element: u32| moves().filter(|&mv| game.most(mv) >> element & 1 == 1).count() == 1;
                let alone = each(missing).filter(|&element| is_alone(element)).fold(0, |sum, a| sum | 1 << a);
                moves().filter(|&mv| game.most(mv) & alone != 0).map(|mv| game.moves[mv].cost).sum()
            }
            Kind::Exact => game.optimum(set, &mut self.memo.lock().unwrap()),
        };
        let minus = if bent { (set.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as Cost % (minus + 1) } else { minus };
        if value == Cost::MAX { value } else { value.saturating_sub(minus) }
    }
}

impl LowerBound<Game> for Weak<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        "weak".to_owned()
    }

    fn evaluate(&self, set: &u64, _: Cost, (): &mut ()) -> Bound {
        (self.tick)();
        Bound(self.value(*set))
    }

    fn consistent(&self) -> bool {
        false
    }

    /// All values but bent ones are antitone: what is refuted with further elements is refuted within.
    fn explain(&self, set: &u64, need: Cost, wanted: &[u64], out: &mut [u64], (): &mut ()) -> bool {
        (self.tick)();
        if !self.strength.explains || self.value(*set) < need {
            return false;
        }
        let mut reason = *set;
        for element in each(wanted[0]).chain(each(self.game.all() & !wanted[0])) {
            if self.value(reason | 1 << element) >= need {
                reason |= 1 << element;
            }
        }
        let rest = self.game.all() & !reason;
        if self.game.fault == Fault::Explain && rest.count_ones() > 1 {
            reason |= rest & rest.wrapping_neg();
        }
        out.fill(0);
        out[0] = reason;
        true
    }
}

/// The stored no-goods that are none: (set, budget).
fn wrong_no_goods(game: &Game, learner: &Learner<'_>, memo: &mut Memo) -> Vec<(u64, Cost)> {
    stored(learner).into_iter().filter(|&(set, budget)| game.optimum(set, memo) <= budget).collect()
}

/// All no-goods with their budgets.
fn stored(learner: &Learner<'_>) -> Vec<(u64, Cost)> {
    let of = |(budget, level): (Cost, &super::refuted_sets::Level)| {
        (0..level.no_goods.len()).map(|number| (level.no_goods.get(number)[0], budget)).collect::<Vec<_>>()
    };
    (0..).zip(&learner.levels).flat_map(of).collect()
}

/// How a search is disturbed.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// The memory limit of the no-goods.
    memory: Option<u64>,
    /// A pause is due after so many evaluations, and after one more each time; 0 for none.
    pauses: u64,
    /// A session ends after so many expansions, and the next one begins with its checkpoint, and has one more; 0 for
    /// none.
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
        let mut learner = Learner::new(space.set_expander().unwrap(), way.memory, &monitor, &checkpointer, peers);
        if let Some(body) = body.take() {
            read_body(&body, &mut learner).unwrap();
        }
        report.cost = report.cost.max(space.lower_bound());
        while report.moves.is_none() && report.cost <= optimum && monitor.stopped().is_none() {
            match learner.refute_root(report.cost) {
                Refutation::Refuted => report.cost += 1,
                Refutation::Solved(moves, cost) => (report.moves, report.cost) = (Some(moves), cost),
                Refutation::Left => {
                    report.left += 1;
                    between += 1;
                    evaluations.store(0, Relaxed);
                    due.store(if way.pauses > 0 { between } else { 0 }, Relaxed);
                    monitor.go_on();
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
    saved::write(learner, game.key_len(), &mut body).unwrap();
    body
}

fn read_body(body: &[u8], learner: &mut Learner<'_>) -> Result<(), String> {
    let key_len = learner.expander.elements().div_ceil(8);
    saved::read((&mut &*body, body.len() as u64), key_len, learner)
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
    let context = Context {
        threads,
        limits: Limits { expansions: Some(100_000), ..Limits::default() },
        observer: &Silent,
        stop: &stop,
        checkpoints: None,
        exchange,
    };
    let space = Problem::new(game, Weak::new(game, strength, &|| {}));
    search(StateEngine::Learning, &space, &Parameters::default(), &context).unwrap()
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
        let learner = |worker| {
            let peers = Peers::new(&all, worker, None);
            Learner::new(space.set_expander().unwrap(), None, &monitor, &checkpointer, peers)
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
            learner.hear_all();
            assert_eq!(wrong_no_goods(&game, learner, &mut memo), [], "game {number}, {:?}", game.choices);
            heard += u64::from(learner.expanded < expanded && learner.held() > 0);
        }
    }
    assert!(heard > 100, "no worker has heard anything");
}

/// Works on ranks in one process, each on a thread of its own.
fn on_ranks<T: Send>(ranks: usize, weather: Weather, work: impl Fn(&Exchange) -> T + Sync) -> Vec<T> {
    let exchanges: Vec<_> = Crowd::gather(ranks, weather).into_iter().map(Exchange::new).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = exchanges.iter().map(|exchange| scope.spawn(|| work(exchange))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn ranks_find_the_optimum_with_its_moves() {
    let mut dice = Dice::of(11);
    for number in 0..300 {
        let (game, strength) = (Game::mixed(&mut dice), Strength::random(&mut dice));
        let optimum = game.optimum(game.root, &mut Memo::new());
        let (ranks, weather) = (2 + number as usize % 3, Weather { seed: number, delay: number as u32 % 5 });
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
        on_ranks(3, Weather { seed: number, delay: 3 }, |exchange| {
            let stop = StopToken::new();
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let space = Problem::new(&game, Weak::new(&game, strength, &|| {}));
            let checkpointer = Checkpointer::new(None, &monitor);
            let incumbent = Incumbent::new(None, &monitor);
            let office = PostOffice::new(exchange, &incumbent, &monitor, None);
            let own = [Peer::default()];
            let peers = Peers::new(&own, 0, Some(&office));
            let mut learner = Learner::new(space.set_expander().unwrap(), None, &monitor, &checkpointer, peers);
            let mut memo = Memo::new();
            for budget in space.lower_bound()..optimum {
                learner.exchange();
                assert_eq!(learner.refute_root(budget), Refutation::Refuted);
                learner.exchange();
                learner.hear_all();
                assert_eq!(wrong_no_goods(&game, &learner, &mut memo), [], "game {number}, {:?}", game.choices);
            }
            heard.fetch_add(office.elsewhere().0, Relaxed);
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
        let outcomes = on_ranks(3, Weather { seed: number, delay: 2 }, |exchange| {
            exchange.set_patience(50);
            let run = |at: usize| run_rank(&games[at].0, games[at].1, 1, Some(exchange));
            if exchange.rank() == 2 {
                // Begins with the others, and sleeps until the leader has an outcome.
                of_leader(exchange, None);
                exchange.begin_search();
                while !has_proven.load(Relaxed) {
                    std::thread::yield_now();
                }
                exchange.farewell(Vec::new());
            }
            let first = (exchange.rank() < 2).then(|| run(0));
            has_proven.fetch_or(exchange.leads(), Relaxed);
            (first, run(1))
        });
        for (first, second) in outcomes {
            assert!(first.is_none_or(|first| first.lower_bound == optima[0]), "game {number}");
            assert_eq!(second.lower_bound, optima[1], "game {number}");
        }
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

/// A list of no-goods that is searched from one end to the other.
#[derive(Default)]
struct Plain(Vec<([u64; 4], u32)>);

impl Plain {
    fn containing(&self, set: &[u64]) -> impl Iterator<Item = usize> {
        let holds = move |held: &[u64; 4]| held.iter().zip(set).all(|(held, set)| set & !held == 0);
        self.0.iter().enumerate().filter(move |(_, (held, _))| holds(held)).map(|(number, _)| number)
    }

    fn of(no_goods: &NoGoods, uses: &HashMap<[u64; 4], u32>) -> Self {
        let all = (0..no_goods.len()).map(|number| <[u64; 4]>::try_from(no_goods.get(number)).unwrap());
        Self(all.map(|set| (set, uses.get(&set).copied().unwrap_or(0))).collect())
    }

    fn sorted(&self) -> Vec<[u64; 4]> {
        let mut sets: Vec<_> = self.0.iter().map(|held| held.0).collect();
        sets.sort_unstable();
        sets
    }
}

#[test]
fn no_goods_agree_with_a_plain_list() {
    for seed in 0..4 {
        let mut dice = Dice::of(70 + seed);
        let (mut no_goods, mut plain) = (NoGoods::new(4), Plain::default());
        let (mut removed, mut hits, mut forgotten) = (0, 0, 0);
        // 250 elements: the last word is not full, and more elements than columns.
        let part = |dice: &mut Dice, lacking: u32| {
            let mut set = [u64::MAX, u64::MAX, u64::MAX, (1 << 58) - 1];
            (0..lacking).for_each(|_| {
                let element = dice.below(250).min(dice.below(250));
                set[element as usize / 64] &= !(1 << (element % 64));
            });
            set
        };
        for step in 0..4_000 {
            let lacking = if dice.one_in(40) { 1 + dice.below(3) } else { 3 + dice.below(12) };
            let set = part(&mut dice, lacking);
            let before = plain.0.len();
            plain.0.retain(|(held, _)| held.iter().zip(set).any(|(held, set)| held & !set != 0));
            removed += before - plain.0.len();
            plain.0.push((set, 0));
            no_goods.add(&set, |element| f64::from(element % 7));
            let uses = plain.0.iter().copied().collect();
            let now = Plain::of(&no_goods, &uses);
            assert_eq!(now.sorted(), plain.sorted(), "step {step}");
            plain = now;
            for _ in 0..4 {
                let lacking = 5 + dice.below(200);
                let (asked, most) = (part(&mut dice, lacking), 1 + dice.below(20) as usize);
                let mut all = Vec::new();
                no_goods.all_containing(&asked, most, &mut all);
                assert_eq!(all, plain.containing(&asked).take(most).collect::<Vec<_>>(), "step {step}");
                let found = no_goods.containing(&asked);
                assert_eq!(found, all.first().copied(), "step {step}");
                if let Some(number) = found {
                    hits += 1;
                    no_goods.used(number);
                    plain.0[number].1 += 1;
                }
            }
            if dice.one_in(800) || (plain.0.len() > 600 && dice.one_in(4)) {
                let uses: HashMap<_, _> = plain.0.iter().copied().collect();
                no_goods.forget_half();
                let mut kept = Plain::of(&no_goods, &uses);
                assert_eq!(kept.0.len(), plain.0.len() / 2);
                let of: HashSet<_> = kept.0.iter().map(|held| held.0).collect();
                let least = kept.0.iter().map(|held| held.1).min().unwrap_or(u32::MAX);
                assert!(plain.0.iter().all(|(set, uses)| of.contains(set) || *uses <= least), "step {step}");
                kept.0.iter_mut().for_each(|(_, uses)| *uses /= 2);
                (plain, forgotten) = (kept, forgotten + 1);
            }
        }
        assert!(removed > 100 && hits > 1_000 && forgotten > 3, "{removed} removed, {hits} found, {forgotten} times");
    }
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
        let learner = || Learner::new(space.set_expander().unwrap(), None, &monitor, &checkpointer, peers());
        let mut first = learner();
        (0..game.optimum(game.root, &mut Memo::new()))
            .for_each(|f| assert_eq!(first.refute_root(f), Refutation::Refuted));
        let body = body_of(&first, &game);
        let mut second = learner();
        assert_eq!(read_body(&body, &mut second), Ok(()));
        assert_eq!(stored(&second), stored(&first));
        most = most.max(stored(&first).len());
        for length in 0..body.len() {
            assert!(read_body(&body[..length], &mut learner()).is_err());
        }
        assert!(read_body(&[&body[..], &[0]].concat(), &mut learner()).is_err());
        for at in 0..body.len().min(200) {
            let mut bent = body.clone();
            bent[at] ^= 0x80;
            // A bent set may be another one; the checksum of the file is there for that.
            let read = read_body(&bent, &mut learner());
            let is_in_budget = at >= 8 && (at - 8) % (4 + game.key_len()) == 3;
            assert!(read.is_err() || at >= 8 && !is_in_budget, "byte {at}");
        }
        for number in [u64::MAX, u64::MAX / 8, 1 << 40] {
            let bent = [&number.to_le_bytes()[..], &body[8..]].concat();
            assert!(read_body(&bent, &mut learner()).is_err());
        }
        let outside = [&1_u64.to_le_bytes()[..], &[0; 4], &vec![0xFF; game.key_len()]].concat();
        assert!(read_body(&outside, &mut learner()).is_err(), "a goal, or more elements than there are");
    }
    assert!(most > 10, "{most} no-goods: too easy to tell");
}

/// Whatever is known of a game, a refuter has a no-good for each set that has one, and a solution for the others.
#[test]
fn a_refuter_learns_what_is_missing() {
    let (mut dice, stop) = (Dice::of(11), StopToken::new());
    let context = Context {
        threads: 1,
        limits: Limits::default(),
        observer: &Silent,
        stop: &stop,
        checkpoints: None,
        exchange: None,
    };
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
                match refuter.containing(&[set], budget) {
                    Ok(no_good) => {
                        assert!(
                            set & !no_good[0] == 0 && game.optimum(no_good[0], &mut memo) > budget,
                            "game {number}"
                        );
                        refuted += 1;
                    }
                    Err(reason) => {
                        let NotClosed::Solved(cost) = reason else { panic!("game {number}: {reason}") };
                        assert!((optimum..=budget).contains(&cost), "game {number}: {cost}, optimum {optimum}");
                        solved += 1;
                    }
                }
            }
            Ok(())
        };
        assert_eq!(Refuter::serve(known, &space, &context, ask), Ok(()));
    }
    assert!(refuted > 1_000 && solved > 1_000, "{refuted} refuted, {solved} solved: too few to tell");
}
