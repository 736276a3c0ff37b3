//! A custom puzzle whose states are sets: weighted set cover, by `learning` and by best-first search.
//!
//!     cargo run --release -p gridhunt-search --example set_cover
//!
//! [`Cover`] implements [`SetMoves`]: its keys are sets, and more covered elements are never worse. So `auto` searches
//! it by `learning`.

use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveIndex, MoveMask, SetMoves, Successor};
use gridhunt_search::engine::{Context, Outcome, Parameters, StateEngine, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;

/// A universe of at most 64 elements, and priced sets of at most ten elements. A move buys a set.
pub struct Cover {
    /// The number of elements.
    pub elements: u32,
    /// The sets, as bits, with their prices, which are at least 1.
    pub sets: Vec<(u64, Cost)>,
}

/// The parts of a price of 1. Divisible by 1 to 10, so every price divides evenly among the elements of a set.
const PARTS_PER_PRICE: Cost = 2_520;

impl Cover {
    /// Sets of two to ten random elements, drawn by a linear congruential generator. Each element is in some set.
    pub fn random(elements: u32, sets: usize, seed: u64) -> Self {
        let mut state = seed;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32 % below
        };
        let mut all: Vec<(u64, Cost)> =
            (0..sets).map(|_| ((0..2 + draw(9)).fold(0, |set, _| set | 1 << draw(elements)), 1 + draw(9))).collect();
        all.extend((0..elements).map(|element| (1 << element, 9)));
        Self { elements, sets: all }
    }

    fn universe(&self) -> u64 {
        u64::MAX >> (64 - self.elements)
    }

    /// The sets with the first uncovered element; none if all are covered.
    fn with_first_uncovered(&self, covered: &u64) -> impl Iterator<Item = MoveIndex> {
        let first = 1 << covered.trailing_ones().min(63);
        (0..).zip(&self.sets).filter(move |(_, (set, _))| set & first & !covered != 0).map(|(mv, _)| mv)
    }

    /// The price of these sets; `None` if they leave an element uncovered.
    pub fn price(&self, moves: &[u16]) -> Option<Cost> {
        let bought = moves.iter().map(|&mv| self.sets.get(usize::from(mv))).collect::<Option<Vec<_>>>()?;
        let covered = bought.iter().fold(0, |covered, (set, _)| covered | set);
        (covered == self.universe()).then(|| bought.iter().map(|(_, price)| price).sum())
    }
}

impl Domain for Cover {
    /// The covered elements.
    type State = u64;

    fn key_len(&self) -> usize {
        self.elements.div_ceil(8) as usize
    }

    fn set_moves(&self) -> Option<&dyn SetMoves<u64>> {
        Some(self)
    }

    fn root(&self) -> u64 {
        0
    }

    fn pack(&self, covered: &u64, key: &mut [u8]) {
        key.copy_from_slice(&covered.to_le_bytes()[..key.len()]);
    }

    fn unpack(&self, key: &[u8], covered: &mut u64) {
        let mut bytes = [0; 8];
        bytes[..key.len()].copy_from_slice(key);
        *covered = u64::from_le_bytes(bytes);
    }

    /// Some set with the first uncovered element has to be bought, so one is bought now.
    fn successors(&self, covered: &u64, _: MoveMask, out: &mut Vec<Successor<u64>>) {
        let moves = self.with_first_uncovered(covered);
        out.extend(moves.map(|mv| Successor { mv, cost: self.cost(mv), sleep_set: 0, state: self.child(covered, mv) }));
    }

    fn promise(&self, covered: &u64) -> u32 {
        covered.count_ones()
    }

    fn terminal_cost(&self, covered: &u64) -> Option<Cost> {
        (*covered == self.universe()).then_some(0)
    }
}

impl SetMoves<u64> for Cover {
    fn element_count(&self) -> usize {
        self.elements as usize
    }

    /// The sets with the first uncovered element. They suffice for every larger state that lacks this element.
    fn choices(&self, covered: &u64, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool {
        moves.extend(self.with_first_uncovered(covered));
        pins[0] = self.universe() & !covered & (covered + 1);
        pins[0] != 0
    }

    fn cost(&self, mv: MoveIndex) -> Cost {
        self.sets[usize::from(mv)].1
    }

    fn child(&self, covered: &u64, mv: MoveIndex) -> u64 {
        covered | self.sets[usize::from(mv)].0
    }

    /// Each child contains the bought set, so `set` has to contain it too.
    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]) {
        let bought = self.sets[usize::from(mv)].0;
        out.fill(0);
        out[0] = if bought & !set[0] == 0 { set[0] } else { 0 };
    }
}

/// The elements of a set share its price evenly. The bound sums the least shares of the uncovered elements.
///
/// **Admissible**: each element of a bought set pays at least its least share. **Consistent**: a purchase reduces the
/// sum by at most its price. **Antitone**: a larger state has fewer uncovered elements.
pub struct Shares {
    /// The least share of each element, in parts of 1 / [`PARTS_PER_PRICE`].
    least: Vec<Cost>,
}

impl Shares {
    /// The bound for these sets.
    pub fn new(cover: &Cover) -> Self {
        let share = |element: u32| {
            let with_it = cover.sets.iter().filter(move |(set, _)| set >> element & 1 == 1);
            with_it.map(|(set, price)| price * PARTS_PER_PRICE / set.count_ones()).min().unwrap_or(0)
        };
        Self { least: (0..cover.elements).map(share).collect() }
    }
}

impl LowerBound<Cover> for Shares {
    type Scratch = ();

    fn name(&self) -> String {
        "shares".to_owned()
    }

    fn evaluate(&self, covered: &u64, _cutoff: Cost, (): &mut ()) -> Bound {
        let uncovered = self.least.iter().enumerate().filter(|(element, _)| covered >> element & 1 == 0);
        Bound(uncovered.map(|(_, share)| share).sum::<Cost>().div_ceil(PARTS_PER_PRICE))
    }

    fn is_consistent(&self) -> bool {
        true
    }

    /// Adds elements, the wanted ones first, as long as the bound is at least `min_bound`.
    fn explain(&self, covered: &u64, min_bound: Cost, wanted: &[u64], out: &mut [u64], (): &mut ()) -> bool {
        let is_explained = |set: &u64| self.evaluate(set, min_bound, &mut ()).0 >= min_bound;
        let mut reason = *covered;
        let elements = (0..self.least.len()).map(|element| 1 << element);
        let (first, later): (Vec<u64>, Vec<u64>) = elements.partition(|element| wanted[0] & element != 0);
        for element in first.into_iter().chain(later) {
            if is_explained(&(reason | element)) {
                reason |= element;
            }
        }
        out.fill(0);
        out[0] = reason;
        is_explained(covered)
    }
}

fn solve(cover: &Cover, engine: StateEngine) -> Result<Outcome, Box<dyn Error>> {
    let stop = StopToken::new();
    let context = Context::new(2, Limits::default(), &Silent, &stop);
    let outcome = search(engine, &Problem::new(cover, Shares::new(cover)), &Parameters::default(), None, &context)?;
    let is_right = outcome.incumbent.as_ref().is_some_and(|found| cover.price(&found.moves) == Some(found.cost));
    if is_right { Ok(outcome) } else { Err("not a cover of this price".into()) }
}

/// Solves three random covers by two engines, and compares.
pub fn main() -> Result<(), Box<dyn Error>> {
    for seed in 1..=3 {
        let cover = Cover::random(40, 60, seed);
        let mut optimum = None;
        for engine in [StateEngine::LEARNING, StateEngine::BEST_FIRST] {
            let outcome = solve(&cover, engine)?;
            let (found, expanded) = (outcome.lower_bound, outcome.statistics.expanded);
            println!("cover {seed}: optimum {found}, {expanded} states expanded by {}", engine.info.name);
            if *optimum.get_or_insert(found) != found {
                return Err("two optima".into());
            }
        }
    }
    Ok(())
}
