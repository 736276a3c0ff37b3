//! Random domains whose states are sets, their exact costs, and lower bounds of any strength.

use crate::domain::{Bound, Cost, Domain, LowerBound, MoveIndex, MoveMask, SetMoves, Successor};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.0.next_u32() % limit
    }

    pub(super) fn one_in(&mut self, limit: u32) -> bool {
        self.below(limit) == 0
    }

    /// A set of these elements, each with the chance 1 in `sparse`.
    pub(super) fn subset(&mut self, elements: u32, sparse: u32) -> u64 {
        (0..elements).filter(|_| self.one_in(sparse)).fold(0, |set, element| set | 1 << element)
    }
}

pub(super) fn each(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |element| set >> element & 1 == 1)
}

/// A move adds some elements always, and some for each element that the set holds.
pub(super) struct Move {
    pub(super) cost: Cost,
    pub(super) always: u64,
    /// What each element adds.
    pub(super) from: Vec<u64>,
}

/// Which choices a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choices {
    /// All moves that may still change a set.
    All,
    /// The same, promised less: as long as one of these elements lacks.
    Pinned(u64),
    /// In a graph: a move that finishes its colour alone, if there is one.
    Finish,
    /// In a cover: the moves that add the first missing element.
    First,
}

/// A fault that a test plants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// Regressions keep an element too many.
    Regress,
    /// Explanations keep an element too many.
    Explain,
    /// Moves seem dearer by 1, so that no-goods are stored with a budget that is too high by 1.
    Budget,
}

/// Sets of few elements, all of which are to be collected.
pub(super) struct Game {
    pub(super) elements: u32,
    pub(super) root: u64,
    pub(super) moves: Vec<Move>,
    pub(super) choices: Choices,
    /// Whether elements that each cover of another missing one covers are added (covers alone).
    pub(super) raises: bool,
    pub(super) fault: Fault,
}

pub(super) type Memo = HashMap<u64, Cost>;

impl Game {
    /// The nodes of a graph that are reached from one of them. A move adds all neighbours of one colour; neighbours may
    /// have the same colour.
    pub(super) fn graph(dice: &mut Dice) -> Self {
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
    pub(super) fn cover(dice: &mut Dice) -> Self {
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
    pub(super) fn mixed(dice: &mut Dice) -> Self {
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
    pub(super) fn random(dice: &mut Dice) -> Self {
        match dice.below(3) {
            0 => Self::graph(dice),
            1 => Self::cover(dice),
            _ => Self::mixed(dice),
        }
    }

    /// A random game that has a solution, of some cost.
    pub(super) fn solvable(dice: &mut Dice) -> Self {
        loop {
            let game = Self::random(dice);
            if (2..100).contains(&game.optimum(game.root, &mut Memo::new())) {
                return game;
            }
        }
    }

    pub(super) fn all(&self) -> u64 {
        (1 << self.elements) - 1
    }

    pub(super) fn after(&self, set: u64, mv: usize) -> u64 {
        let Move { always, from, .. } = &self.moves[mv];
        each(set).fold(set | always, |sum, element| sum | from[element as usize])
    }

    /// All that a move adds to any set.
    pub(super) fn most(&self, mv: usize) -> u64 {
        self.after(self.all(), mv) & self.moves[mv].from.iter().fold(self.moves[mv].always, |sum, set| sum | set)
    }

    /// The exact cost, by all moves.
    pub(super) fn optimum(&self, set: u64, memo: &mut Memo) -> Cost {
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
    pub(super) fn replay(&self, moves: &[MoveIndex]) -> Option<Cost> {
        let end = moves.iter().fold(self.root, |set, &mv| self.after(set, usize::from(mv)));
        (end == self.all()).then(|| moves.iter().map(|&mv| self.moves[usize::from(mv)].cost).sum())
    }
}

impl Domain for Game {
    type State = u64;

    fn key_len(&self) -> usize {
        self.elements.div_ceil(8) as usize
    }

    fn set_moves(&self) -> Option<&dyn SetMoves<u64>> {
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
                out.push(Successor { mv: mv as MoveIndex, cost: *cost, sleep_set: 0, state });
            }
        }
    }

    fn terminal_cost(&self, set: &u64) -> Option<Cost> {
        (*set == self.all()).then_some(0)
    }
}

impl SetMoves<u64> for Game {
    fn element_count(&self) -> usize {
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

    fn saturate(&self, set: &mut u64) {
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
pub(super) enum Kind {
    Zero,
    /// Rounds of all moves together, at the least cost of a move.
    Rounds,
    /// The moves that alone add some missing element.
    Landmarks,
    Exact,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Strength {
    pub(super) kind: Kind,
    /// What is taken off; with `bent` up to this, otherwise at each state.
    pub(super) minus: Cost,
    pub(super) bent: bool,
    pub(super) explains: bool,
}

impl Strength {
    pub(super) fn random(dice: &mut Dice) -> Self {
        let kind = [Kind::Zero, Kind::Rounds, Kind::Landmarks, Kind::Exact][dice.below(4) as usize];
        let bent = dice.one_in(4);
        Self { kind, minus: dice.below(4), bent, explains: !bent && dice.below(3) > 0 }
    }
}

/// A lower bound, which calls `tick` at each evaluation.
pub(super) struct Weak<'a> {
    pub(super) game: &'a Game,
    pub(super) strength: Strength,
    pub(super) memo: Mutex<Memo>,
    pub(super) tick: &'a (dyn Fn() + Sync),
}

impl<'a> Weak<'a> {
    pub(super) fn new(game: &'a Game, strength: Strength, tick: &'a (dyn Fn() + Sync)) -> Self {
        Self { game, strength, memo: Mutex::default(), tick }
    }

    pub(super) fn value(&self, set: u64) -> Cost {
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

    fn is_consistent(&self) -> bool {
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
