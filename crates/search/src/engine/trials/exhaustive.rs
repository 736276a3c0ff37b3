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

/// A state with its exact cost-to-go.
#[derive(Clone, Debug)]
pub struct ExactState {
    /// The packed key of the state.
    pub key: Box<[u8]>,
    /// The cost of a cheapest solution from the state on (h*); `None` when there is none.
    pub left: Option<Cost>,
    /// The children: for each move, the index of the child among all states, and the cost of the move.
    pub moves: Vec<(usize, Cost)>,
    /// The cost of stopping at the state, or `None` where stopping is not allowed.
    terminal: Option<Cost>,
}

/// Solves every state that can be reached from the root. The root is the first state of the result.
///
/// Returns `None` when there are more than `most` states, when they take more than a quarter of the memory that
/// `context` has room for, when its time is over, or when a stop is requested. The lower bound of `space` is not used.
/// Time and memory grow with the number of states and moves; nothing spills to disk.
pub fn solve_all(space: &dyn StateSpace, most: usize, context: &Context<'_>) -> Option<Vec<ExactState>> {
    let mut all = reach_all(space, most, context)?;
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

/// Finds all states that can be reached from the root, with their moves.
fn reach_all(space: &dyn StateSpace, most: usize, context: &Context<'_>) -> Option<Vec<ExactState>> {
    // Expansions between two looks at the clock and the stop token.
    const LOOK: usize = 1 << 6;
    let (began, room) = (Instant::now(), context.room() / 4);
    // Keys are held twice; a move is listed at its parent and at its child.
    let (of_state, of_move) = (2 * space.key_len() + 2 * size_of::<ExactState>(), 2 * size_of::<(usize, Cost)>());
    let mut moves = 0;
    let mut numbers: HashMap<Box<[u8]>, usize, FixedState> = HashMap::default();
    let mut all: Vec<ExactState> = Vec::new();
    let (mut expander, mut children) = (space.expander(), Vec::new());
    let mut key = space.root_key();
    let mut number_of = |key: &[u8], terminal: Option<Cost>, all: &mut Vec<ExactState>| {
        *numbers.entry(key.into()).or_insert_with(|| {
            all.push(ExactState { key: key.into(), left: None, moves: Vec::new(), terminal });
            all.len() - 1
        })
    };
    number_of(&key, space.root_terminal(), &mut all);
    let mut next = 0;
    while next < all.len() {
        let bytes = all.len() * of_state + moves * of_move;
        let is_over = || next.is_multiple_of(LOOK) && context.stopped(began).is_some();
        if all.len() > most || bytes as u64 > room || is_over() {
            return None;
        }
        expander.truncate(0);
        let frame = expander.expand_key(&all[next].key, 0, None, &mut children);
        for (at, child) in children.drain(..).enumerate() {
            expander.pack(Slot { frame, at: at as u32 }, &mut key);
            let number = number_of(&key, child.terminal, &mut all);
            all[next].moves.push((number, child.cost));
        }
        moves += all[next].moves.len();
        next += 1;
    }
    Some(all)
}
