//! Pancake sorting by prefix reversals, with the gap heuristic (Helmert 2010).
//!
//!     cargo run --release -p gridhunt-search --example pancakes

use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound, MoveIndex, MoveMask, Successor};
use gridhunt_search::engine::{Context, Outcome, Parameters, StateEngine, search};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Limits, Silent, StopToken};
use std::error::Error;

/// The sizes of the pancakes, from 1, from the top to the plate. Move `n` reverses the upper `n` pancakes.
#[derive(Clone, Debug)]
pub struct Pancakes(pub Vec<u8>);

impl Pancakes {
    /// Whether these moves sort the stack.
    pub fn is_sorted_by(&self, moves: &[MoveIndex]) -> bool {
        let mut stack = self.0.clone();
        moves.iter().for_each(|&turned| stack[..usize::from(turned)].reverse());
        stack.is_sorted()
    }
}

impl Domain for Pancakes {
    type State = Vec<u8>;

    fn key_len(&self) -> usize {
        self.0.len()
    }

    fn root(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn pack(&self, stack: &Vec<u8>, key: &mut [u8]) {
        key.copy_from_slice(stack);
    }

    fn unpack(&self, key: &[u8], stack: &mut Vec<u8>) {
        stack.copy_from_slice(key);
    }

    fn successors(&self, stack: &Vec<u8>, _: MoveMask, out: &mut Vec<Successor<Vec<u8>>>) {
        out.extend((2..=stack.len()).map(|turned| {
            let mut child = stack.clone();
            child[..turned].reverse();
            Successor { mv: turned as MoveIndex, cost: 1, sleep_set: 0, state: child }
        }));
    }

    fn terminal_cost(&self, stack: &Vec<u8>) -> Option<Cost> {
        stack.is_sorted().then_some(0)
    }
}

/// The number of neighbouring pairs whose sizes differ by more than 1. The plate counts as the next larger size.
///
/// **Admissible** and **consistent**: a move separates only one pair.
pub struct Gaps;

impl LowerBound<Pancakes> for Gaps {
    type Scratch = ();

    fn name(&self) -> String {
        "gap".to_owned()
    }

    fn evaluate(&self, stack: &Vec<u8>, _cutoff: Cost, (): &mut ()) -> Bound {
        let plate = stack.len() as u8 + 1;
        let below = stack.iter().skip(1).chain([&plate]);
        Bound(stack.iter().zip(below).filter(|(size, below)| size.abs_diff(**below) > 1).count() as Cost)
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

/// Searches on one thread without limits.
pub fn solve(puzzle: &Pancakes, engine: StateEngine) -> Result<Outcome, Box<dyn Error>> {
    let (parameters, limits, stop) = (Parameters::default(), Limits::default(), StopToken::new());
    let context = Context::new(1, limits, &Silent, &stop);
    Ok(search(engine, &Problem::new(puzzle, Gaps), &parameters, None, &context)?)
}

/// Sorts a stack by two engines.
pub fn main() -> Result<(), Box<dyn Error>> {
    let puzzle = Pancakes(vec![9, 3, 12, 6, 1, 14, 8, 4, 11, 2, 13, 7, 10, 5]);
    for engine in [StateEngine::BEST_FIRST, StateEngine::IDA] {
        let outcome = solve(&puzzle, engine)?;
        let moves = outcome.incumbent.map_or_else(Vec::new, |found| found.moves);
        println!("{:<11} {} moves: {moves:?}, {} expanded", engine.info.name, moves.len(), outcome.statistics.expanded);
    }
    Ok(())
}
