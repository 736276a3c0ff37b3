//! The exact cost of every state of a small board, without a lower bound.
//!
//! It generates all states that can be reached, then runs Dijkstra's algorithm (1959) backwards from all states where
//! stopping is allowed. The result rests on the rules of the domain and their exact pruning alone, so lower bounds can
//! be compared with it ([`try_bound`](crate::engine::try_bound)). It runs on one thread and is deterministic.

use crate::domain::Cost;
use crate::engine::context::Context;
use crate::expand::{Slot, StateSpace};
use crate::platform::Instant;
use foldhash::fast::FixedState;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A state with its exact cost to go.
#[derive(Clone, Debug)]
pub struct ExactState {
    /// The packed key of the state.
    pub key: Box<[u8]>,
    /// The cost of a cheapest solution from the state on (h*); `None` when there is none.
    pub cost_to_go: Option<Cost>,
    /// For each child its index among all states, and the cost of the move.
    pub children: Vec<(usize, Cost)>,
    /// The cost of stopping at the state, or `None` where stopping is not allowed.
    terminal_cost: Option<Cost>,
}

/// Solves every state that can be reached from the root. The root is the first state of the result.
///
/// Returns `None` if there are more than `max_states` states, if they take more than a quarter of the free memory, or
/// if the time limit is reached or a stop is requested. The lower bound of `space` is not used. Time and memory grow
/// with the number of states and moves; nothing spills to disk.
pub fn solve_all(space: &dyn StateSpace, max_states: usize, context: &Context<'_>) -> Option<Vec<ExactState>> {
    let mut all = reach_all(space, max_states, context)?;
    let mut parents = vec![Vec::new(); all.len()];
    let mut queue = BinaryHeap::new();
    for (number, state) in all.iter().enumerate() {
        for &(child, cost) in &state.children {
            parents[child].push((number, cost));
        }
        queue.extend(state.terminal_cost.map(|cost| Reverse((cost, number))));
    }
    while let Some(Reverse((cost, number))) = queue.pop() {
        if all[number].cost_to_go.is_none() {
            all[number].cost_to_go = Some(cost);
            queue.extend(parents[number].iter().map(|&(parent, step)| Reverse((cost + step, parent))));
        }
    }
    Some(all)
}

fn reach_all(space: &dyn StateSpace, max_states: usize, context: &Context<'_>) -> Option<Vec<ExactState>> {
    // Expansions between two checks of the time limit and the stop token.
    const CHECK_INTERVAL: usize = 1 << 6;
    let (began, max_bytes) = (Instant::now(), context.free_memory_bytes() / 4);
    // Keys are stored twice; a move is listed at its parent and at its child.
    let (state_bytes, move_bytes) = (2 * space.key_len() + 2 * size_of::<ExactState>(), 2 * size_of::<(usize, Cost)>());
    let mut move_count = 0;
    let mut numbers: HashMap<Box<[u8]>, usize, FixedState> = HashMap::default();
    let mut all: Vec<ExactState> = Vec::new();
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let mut key = space.root_key();
    let mut number_of = |key: &[u8], terminal_cost: Option<Cost>, all: &mut Vec<ExactState>| {
        *numbers.entry(key.into()).or_insert_with(|| {
            all.push(ExactState { key: key.into(), cost_to_go: None, children: Vec::new(), terminal_cost });
            all.len() - 1
        })
    };
    number_of(&key, space.root_terminal_cost(), &mut all);
    let mut next = 0;
    while next < all.len() {
        let bytes = all.len() * state_bytes + move_count * move_bytes;
        let is_over = || next.is_multiple_of(CHECK_INTERVAL) && context.stop_reason(began).is_some();
        if all.len() > max_states || bytes as u64 > max_bytes || is_over() {
            return None;
        }
        expander.truncate(0);
        let frame = expander.expand_key(&all[next].key, 0, None, &mut children);
        for (at, child) in children.drain(..).enumerate() {
            expander.pack(Slot { frame, index: at as u32 }, &mut key);
            let number = number_of(&key, child.terminal_cost, &mut all);
            all[next].children.push((number, child.cost));
        }
        move_count += all[next].children.len();
        next += 1;
    }
    Some(all)
}
