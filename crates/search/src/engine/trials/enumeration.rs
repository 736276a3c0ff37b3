//! The closure of an enumeration: a proof, step by step, that no solution costs f or less. It is for domains in which
//! no state is known to be at least as good as another.
//!
//! Its *records* are the states that are reached from the root through states that the lower bound does not refute,
//! numbered as they are found, breadth first. Record 0 is the root. Each child of each record is refuted, is the next
//! record, or equals a record that was found before. The enumeration runs on one thread, so the closure does not depend
//! on the number of threads.

use crate::domain::Cost;
use crate::engine::context::Context;
use crate::expand::{Reach, Slot, StateSpace};
use crate::runtime::{Monitor, StopReason};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// What covers a child of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// The sum of its g and its lower bound is more than f.
    Refuted,
    /// It is the next record.
    Next,
    /// It is the record of this number.
    By(u32),
}

/// The records of an enumeration and their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// The number of records.
    pub records: usize,
    /// The number of children of each record.
    pub counts: Vec<usize>,
    /// What covers each child: the children of record 0 in the order of the domain, then those of record 1, and so on.
    pub children: Vec<Covered>,
}

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotClosed {
    /// A limit was reached, or a stop was requested.
    #[error("the search was stopped ({})", .0.name())]
    Stopped(StopReason),
    /// There is a solution of this cost.
    #[error("a solution of cost {0} exists")]
    Solved(Cost),
    /// What is said to be refuted is not: its children reach the goal.
    #[error("what the search has refuted is not refuted: its children reach the goal")]
    Uncovered,
}

/// Bytes that a record takes beside its keys.
const OVERHEAD: usize = 64;

/// The closure of an enumeration with threshold `f`. All moves of the space have the same cost.
///
/// # Errors
/// When a solution costs `f` or less, and when a limit of `context` is reached.
pub fn enumerate(space: &dyn StateSpace, f: Cost, context: &Context<'_>) -> Result<Closure, NotClosed> {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    monitor.run_with_progress(|| records(space, f, &monitor))
}

fn records(space: &dyn StateSpace, f: Cost, monitor: &Monitor<'_>) -> Result<Closure, NotClosed> {
    const LOOK: usize = 256;
    let solved = |cost: Cost| if cost <= f { Err(NotClosed::Solved(cost)) } else { Ok(()) };
    space.root_terminal().map_or(Ok(()), solved)?;
    let (mut expander, mut key, mut out) = (space.expander(), space.root_key(), Vec::new());
    let root: Box<[u8]> = key.as_slice().into();
    let (mut numbers, mut waiting) = (HashMap::from([(root.clone(), 0)]), VecDeque::from([(root, 0)]));
    let (mut children, mut counts) = (Vec::new(), Vec::new());
    while let Some((parent, g)) = waiting.pop_front() {
        if counts.len().is_multiple_of(LOOK) {
            let held = (numbers.len() + waiting.len()) * (key.len() + OVERHEAD) + (children.len() + counts.len()) * 8;
            monitor.gauges.set_bytes(held as u64);
            monitor.check_limits();
            monitor.stop_reason().map_or(Ok(()), |reason| Err(NotClosed::Stopped(reason)))?;
        }
        monitor.count_expansion();
        expander.truncate(0);
        out.clear();
        let frame = expander.expand_all(&parent, &mut out);
        counts.push(out.len());
        for (at, child) in (0..).zip(&out) {
            let (slot, g): (_, Cost) = (Slot { frame, at }, g + child.cost);
            child.terminal.map_or(Ok(()), |stop| solved(g.saturating_add(stop)))?;
            if !matches!(expander.reach(slot, g, f), Reach::Within(_)) {
                children.push(Covered::Refuted);
                continue;
            }
            expander.pack(slot, &mut key);
            let next = u32::try_from(numbers.len()).map_err(|_| NotClosed::Stopped(StopReason::MemoryLimit))?;
            match numbers.entry(key.as_slice().into()) {
                Entry::Occupied(record) => children.push(Covered::By(*record.get())),
                Entry::Vacant(place) => {
                    waiting.push_back((place.key().clone(), g));
                    place.insert(next);
                    children.push(Covered::Next);
                }
            }
        }
    }
    Ok(Closure { records: numbers.len(), counts, children })
}
