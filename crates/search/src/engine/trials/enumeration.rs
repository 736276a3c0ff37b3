//! The closure of an enumeration: a proof that no solution costs f or less. It needs no dominance between states.
//!
//! Its *records* are the states that are reachable through states that the lower bound does not refute, numbered
//! breadth first. Record 0 is the root. Each child of each record is refuted, is the next record, or equals an earlier
//! record. The enumeration runs on one thread.

use crate::domain::Cost;
use crate::engine::context::Context;
use crate::expand::{FValue, Slot, StateSpace};
use crate::runtime::{Monitor, StopReason};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// Why a child of a record needs no further proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildCover {
    /// Its g plus its lower bound exceeds f.
    Refuted,
    /// It is the next record.
    NewRecord,
    /// It equals the record with this number.
    Record(u32),
}

/// The records of an enumeration and their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// The number of records.
    pub records: usize,
    /// The number of children of each record.
    pub child_counts: Vec<usize>,
    /// The cover of each child: the children of record 0 in the order of the domain, then those of record 1, and so on.
    pub children: Vec<ChildCover>,
}

/// Why a proof of a lower bound failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// A limit was reached, or a stop was requested.
    #[error("the search was stopped ({})", .0.name())]
    Stopped(StopReason),
    /// There is a solution of this cost.
    #[error("a solution of cost {0} exists")]
    Solved(Cost),
    /// A set that counts as refuted is not: its children reach the goal.
    #[error("a set that counts as refuted is not refuted: its children reach the goal")]
    NotRefuted,
}

/// Bytes of a record besides its key.
const RECORD_OVERHEAD_BYTES: usize = 64;

/// The closure of an enumeration with threshold `f`. All moves of the space have the same cost.
///
/// # Errors
/// When a solution costs `f` or less, and when a limit of `context` is reached.
pub fn enumerate(space: &dyn StateSpace, f: Cost, context: &Context<'_>) -> Result<Closure, ProofError> {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    monitor.run_with_progress(|| build_closure(space, f, &monitor))
}

fn build_closure(space: &dyn StateSpace, f: Cost, monitor: &Monitor<'_>) -> Result<Closure, ProofError> {
    /// Expansions between two checks of the limits.
    const CHECK_INTERVAL: usize = 256;
    let check_cost = |cost: Cost| if cost <= f { Err(ProofError::Solved(cost)) } else { Ok(()) };
    space.root_terminal_cost().map_or(Ok(()), check_cost)?;
    let (mut expander, mut key, mut out) = (space.expander(), space.root_key(), Vec::new());
    let root: Box<[u8]> = key.as_slice().into();
    let (mut numbers, mut queue) = (HashMap::from([(root.clone(), 0)]), VecDeque::from([(root, 0)]));
    let (mut children, mut child_counts) = (Vec::new(), Vec::new());
    while let Some((parent, g)) = queue.pop_front() {
        if child_counts.len().is_multiple_of(CHECK_INTERVAL) {
            let held_bytes = (numbers.len() + queue.len()) * (key.len() + RECORD_OVERHEAD_BYTES)
                + (children.len() + child_counts.len()) * 8;
            monitor.gauges.set_bytes(held_bytes as u64);
            monitor.check_limits();
            monitor.stop_reason().map_or(Ok(()), |reason| Err(ProofError::Stopped(reason)))?;
        }
        monitor.count_expansion();
        expander.truncate(0);
        out.clear();
        let frame = expander.expand_all(&parent, &mut out);
        child_counts.push(out.len());
        for (at, child) in (0..).zip(&out) {
            let (slot, g): (_, Cost) = (Slot { frame, index: at }, g + child.cost);
            child.terminal_cost.map_or(Ok(()), |end_cost| check_cost(g.saturating_add(end_cost)))?;
            if !matches!(expander.evaluate(slot, g, f), FValue::Within(_)) {
                children.push(ChildCover::Refuted);
                continue;
            }
            expander.pack(slot, &mut key);
            let next = u32::try_from(numbers.len()).map_err(|_| ProofError::Stopped(StopReason::MemoryLimit))?;
            match numbers.entry(key.as_slice().into()) {
                Entry::Occupied(record) => children.push(ChildCover::Record(*record.get())),
                Entry::Vacant(place) => {
                    queue.push_back((place.key().clone(), g));
                    place.insert(next);
                    children.push(ChildCover::NewRecord);
                }
            }
        }
    }
    Ok(Closure { records: numbers.len(), child_counts, children })
}
