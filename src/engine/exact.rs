//! The exact cost of every state of a small board, without any lower bound.
//!
//! Forward, every state that the search could reach; then back from the ends, cheapest first (Dijkstra 1959). What is found
//! rests on the rules and their exact pruning alone, so estimates can be held against it.

use crate::domain::Cost;
use crate::expand::{Slot, StateSpace};
use crate::runtime::StopToken;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A state with what is true of it.
#[derive(Clone, Debug)]
pub struct ExactState {
    /// The packed key of the state.
    pub key: Box<[u8]>,
    /// What a cheapest way from here to an end costs; `None` when there is no way.
    pub left: Option<Cost>,
    /// The states that a move leads to, by their number, with what the move costs.
    pub moves: Vec<(usize, Cost)>,
    /// What it costs to stop here, where stopping is allowed.
    terminal: Option<Cost>,
}

/// Solves every state that can be reached from the root, which is the first. `None` when there are more than `most`, or when
/// `stop` says so. The lower bound of `space` is not asked. Time and memory grow with the number of states; nothing is spilled.
pub fn solve_all(space: &dyn StateSpace, most: usize, stop: &StopToken) -> Option<Vec<ExactState>> {
    let mut all = reach_all(space, most, stop)?;
    let mut before = vec![Vec::new(); all.len()];
    let mut queue = BinaryHeap::new();
    for (number, state) in all.iter().enumerate() {
        for &(child, cost) in &state.moves {
            before[child].push((number, cost));
        }
        queue.extend(state.terminal.map(|cost| Reverse((cost, number))));
    }
    while let Some(Reverse((cost, number))) = queue.pop() {
        if all[number].left.is_none() {
            all[number].left = Some(cost);
            queue.extend(before[number].iter().map(|&(parent, step)| Reverse((cost + step, parent))));
        }
    }
    Some(all)
}

fn reach_all(space: &dyn StateSpace, most: usize, stop: &StopToken) -> Option<Vec<ExactState>> {
    // Often enough to leave within a moment, seldom enough to cost nothing.
    const LOOK: usize = 1 << 10;
    let mut numbers: HashMap<Box<[u8]>, usize, FixedState> = HashMap::default();
    let mut all: Vec<ExactState> = Vec::new();
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let mut key = vec![0; space.key_len()];
    let mut number_of = |key: &[u8], terminal: Option<Cost>, all: &mut Vec<ExactState>| {
        *numbers.entry(key.into()).or_insert_with(|| {
            all.push(ExactState { key: key.into(), left: None, moves: Vec::new(), terminal });
            all.len() - 1
        })
    };
    let frame = expander.place(None);
    expander.pack(Slot { frame, at: 0 }, &mut key);
    number_of(&key, space.root_terminal(), &mut all);
    let mut next = 0;
    while next < all.len() {
        if all.len() > most || next.is_multiple_of(LOOK) && stop.reason().is_some() {
            return None;
        }
        expander.truncate(0);
        let frame = expander.expand_key(&all[next].key, 0, None, &mut children);
        for (at, child) in children.drain(..).enumerate() {
            expander.pack(Slot { frame, at: at as u32 }, &mut key);
            let number = number_of(&key, child.terminal, &mut all);
            all[next].moves.push((number, child.cost));
        }
        next += 1;
    }
    Some(all)
}
