//! The exact cost of every state of a small board, without any lower bound.
//!
//! Forward, every state that the search could reach; then back from the ends, cheapest first (Dijkstra 1959). What is found
//! rests on the rules and their exact pruning alone, so estimates can be held against it.

use crate::domain::{Cost, Domain};
use crate::runtime::StopToken;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A state with what is true of it.
#[derive(Clone, Debug)]
pub struct ExactState<S> {
    /// The state.
    pub state: S,
    /// What a cheapest way from here to an end costs; `None` when there is no way.
    pub left: Option<Cost>,
    /// The states that a move leads to, by their number, with what the move costs.
    pub moves: Vec<(usize, Cost)>,
}

/// Solves every state that can be reached from the root, which is the first. `None` when there are more than `most`, or when
/// `stop` says so. Time and memory grow with the number of states; nothing is spilled.
pub fn solve_all<D: Domain>(domain: &D, most: usize, stop: &StopToken) -> Option<Vec<ExactState<D::State>>> {
    let mut all = reach_all(domain, most, stop)?;
    let mut before = vec![Vec::new(); all.len()];
    let mut queue = BinaryHeap::new();
    for (number, state) in all.iter().enumerate() {
        for &(child, cost) in &state.moves {
            before[child].push((number, cost));
        }
        queue.extend(domain.terminal(&state.state).map(|cost| Reverse((cost, number))));
    }
    while let Some(Reverse((cost, number))) = queue.pop() {
        if all[number].left.is_none() {
            all[number].left = Some(cost);
            queue.extend(before[number].iter().map(|&(parent, step)| Reverse((cost + step, parent))));
        }
    }
    Some(all)
}

fn reach_all<D: Domain>(domain: &D, most: usize, stop: &StopToken) -> Option<Vec<ExactState<D::State>>> {
    // Often enough to leave within a moment, seldom enough to cost nothing.
    const LOOK: usize = 1 << 10;
    let mut numbers: HashMap<Box<[u8]>, usize, FixedState> = HashMap::default();
    let mut all: Vec<ExactState<D::State>> = Vec::new();
    let (mut key, mut children) = (vec![0; domain.key_len()], Vec::new());
    let mut number_of = |state: D::State, all: &mut Vec<_>| {
        domain.pack(&state, &mut key);
        *numbers.entry(key.as_slice().into()).or_insert_with(|| {
            all.push(ExactState { state, left: None, moves: Vec::new() });
            all.len() - 1
        })
    };
    number_of(domain.root(), &mut all);
    let mut next = 0;
    while next < all.len() {
        if all.len() > most || next.is_multiple_of(LOOK) && stop.reason().is_some() {
            return None;
        }
        domain.successors(&all[next].state, 0, &mut children);
        for child in children.drain(..) {
            let number = number_of(child.state, &mut all);
            all[next].moves.push((number, child.cost));
        }
        next += 1;
    }
    Some(all)
}
