//! The surroundings of a search: threads, limits, observer, checkpoints.

use super::checkpoints::CheckpointConfig;
use crate::platform::{HAS_FILES, HAS_THREADS, Instant, purge, resident_bytes};
use crate::runtime::{Exchange, Limits, Observer, StopReason, StopToken};

/// The surroundings of a search.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Limits of time, memory and expansions.
    pub limits: Limits,
    /// Receives the events of the search.
    pub observer: &'a dyn Observer,
    /// Stops the search from outside.
    pub stop: &'a StopToken,
    /// Where and how often checkpoints are taken, if at all. An engine without
    /// [checkpoints](super::EngineInfo::has_checkpoints) begins anew after a resume.
    pub checkpoints: Option<&'a CheckpointConfig>,
    /// The exchange with other ranks that search the same board, if there are any. An engine that does not
    /// [use it](super::EngineInfo::uses_ranks) searches on the leading rank alone.
    pub exchange: Option<&'a Exchange>,
}

impl<'a> Context<'a> {
    /// A context without checkpoints and without other ranks.
    #[must_use]
    pub fn new(threads: usize, limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self { threads, limits, observer, stop, checkpoints: None, exchange: None }
    }

    /// Returns where checkpoints are taken, if at all. `None` on a platform without files: the compiler sees this, so
    /// the module for a web page has no code for checkpoints.
    #[must_use]
    #[inline(always)]
    pub fn checkpoint_config(&self) -> Option<&'a CheckpointConfig> {
        self.checkpoints.filter(|_| HAS_FILES)
    }

    /// The exchange with other ranks. `None` on a platform without threads, which the compiler sees.
    #[inline(always)]
    pub(super) fn exchange(&self) -> Option<&'a Exchange> {
        self.exchange.filter(|_| HAS_THREADS)
    }

    /// The number of ranks that search the board.
    pub(super) fn ranks(&self) -> usize {
        self.exchange.map_or(1, Exchange::ranks)
    }

    /// Whether this rank runs the engines that are not spread over ranks.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.exchange.is_none_or(Exchange::is_leader)
    }

    /// Returns this context with what is left of its limits in a session that began at `began` and has expanded
    /// `expanded` states.
    #[must_use]
    pub fn remaining(&self, began: Instant, expanded: u64) -> Self {
        let mut rest = *self;
        rest.limits.time = rest.limits.time.map(|time| time.saturating_sub(began.elapsed()));
        rest.limits.expansions = rest.limits.expansions.map(|most| most.saturating_sub(expanded));
        rest
    }

    /// Returns this context without other ranks, for what the leading rank does alone.
    pub(super) fn alone(&self) -> Self {
        Self { exchange: None, ..*self }
    }

    /// Returns this context with a memory limit lowered by `bytes`, which are in use elsewhere.
    pub(super) fn beside(&self, bytes: u64) -> Self {
        let mut rest = *self;
        rest.limits.memory = rest.limits.memory.map(|memory| memory.saturating_sub(bytes));
        rest
    }

    /// Returns this context with a memory limit that leaves room for what the process holds already: the program, and
    /// the tables of the board. Without a limit of resident memory, the limit stays as it is.
    #[must_use]
    pub fn within_process(&self) -> Self {
        let mut within = *self;
        if let Some(resident) = within.limits.resident {
            let room = left_of(resident);
            within.limits.memory = within.limits.memory.map(|memory| memory.min(room));
        }
        within
    }

    /// The reason to end a session that began at `began`, if there is one.
    pub(super) fn stopped(&self, began: Instant) -> Option<StopReason> {
        let is_late = self.limits.time.is_some_and(|time| began.elapsed() >= time);
        self.stop.reason().or(is_late.then_some(StopReason::TimeLimit))
    }

    /// The number of bytes of memory that may be taken beside what the process holds.
    pub(super) fn room(&self) -> u64 {
        let free = self.limits.resident.map_or(u64::MAX, left_of);
        self.limits.memory.map_or(free, |memory| memory.min(free))
    }
}

/// The bytes that are left of a limit of resident memory. Purges only if less than half of the limit seems to be left,
/// because a purge takes longer than solving a small board.
fn left_of(limit: u64) -> u64 {
    let left = limit.saturating_sub(resident_bytes());
    if left >= limit / 2 {
        return left;
    }
    purge();
    limit.saturating_sub(resident_bytes())
}
