//! The context of a search: threads, limits, observer, checkpoints, ranks.

use super::checkpoints::CheckpointConfig;
use crate::platform::{HAS_FILES, HAS_THREADS, Instant, purge, resident_bytes};
use crate::runtime::{Exchange, Limits, Observer, StopReason, StopToken};

/// The resources and limits of a search, and its connections to the caller and to other ranks.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The number of worker threads, at least 1.
    pub threads: usize,
    /// Limits of time, memory and expansions.
    pub limits: Limits,
    /// Receives the events of the search.
    pub observer: &'a dyn Observer,
    /// Stops the search from outside.
    pub stop: &'a StopToken,
    /// The checkpoint configuration, if checkpoints are taken. An engine without
    /// [checkpoints](super::EngineInfo::has_checkpoints) restarts the search after a resume.
    pub checkpoints: Option<&'a CheckpointConfig>,
    /// The exchange with other ranks that search the same board, if there are any. An engine that does not [use
    /// ranks](super::EngineInfo::uses_ranks) searches on the leading rank alone.
    pub exchange: Option<&'a Exchange>,
}

impl<'a> Context<'a> {
    /// A context without checkpoints and without other ranks.
    #[must_use]
    pub fn new(threads: usize, limits: Limits, observer: &'a dyn Observer, stop: &'a StopToken) -> Self {
        Self { threads, limits, observer, stop, checkpoints: None, exchange: None }
    }

    /// The checkpoint configuration, if any. `None` on a platform without files: the compiler sees this, so the
    /// WebAssembly module has no code for checkpoints.
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

    pub(super) fn ranks(&self) -> usize {
        self.exchange.map_or(1, Exchange::ranks)
    }

    /// Whether this rank is the leader. The leader runs the engines that use one rank.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.exchange.is_none_or(Exchange::is_leader)
    }

    /// This context with the remaining limits of a session that began at `began` and has expanded `expanded` states.
    #[must_use]
    pub fn remaining(&self, began: Instant, expanded: u64) -> Self {
        let mut remaining = *self;
        remaining.limits.time = remaining.limits.time.map(|time| time.saturating_sub(began.elapsed()));
        remaining.limits.expansions = remaining.limits.expansions.map(|limit| limit.saturating_sub(expanded));
        remaining
    }

    /// This context without other ranks, for work of the leading rank alone.
    pub(super) fn without_ranks(&self) -> Self {
        Self { exchange: None, ..*self }
    }

    /// This context without [`Limits::memory`]. [`Limits::resident`] stays.
    pub(super) fn without_memory_limit(&self) -> Self {
        Self { limits: Limits { memory: None, ..self.limits }, ..*self }
    }

    /// This context with [`Limits::memory`] lowered by `bytes`, which are in use elsewhere.
    pub(super) fn with_reserved_memory(&self, bytes: u64) -> Self {
        let mut reduced = *self;
        reduced.limits.memory = reduced.limits.memory.map(|memory| memory.saturating_sub(bytes));
        reduced
    }

    /// This context with [`Limits::memory`] of at most the bytes that [`Limits::resident`] leaves free, if it is set.
    #[must_use]
    pub fn limited_to_free_memory(&self) -> Self {
        let mut limited = *self;
        if self.limits.resident.is_some() {
            // A search that keeps within its limit itself must know this limit.
            limited.limits.memory = Some(self.free_memory_bytes());
        }
        limited
    }

    pub(super) fn stop_reason(&self, began: Instant) -> Option<StopReason> {
        let is_time_over = self.limits.time.is_some_and(|time| began.elapsed() >= time);
        self.stop.reason().or(is_time_over.then_some(StopReason::TimeLimit))
    }

    /// The bytes of memory that the limits leave free.
    pub(super) fn free_memory_bytes(&self) -> u64 {
        let free = self.limits.resident.map_or(u64::MAX, remaining_bytes);
        self.limits.memory.map_or(free, |memory| memory.min(free))
    }
}

/// The bytes left of a limit of resident memory. Purges the allocator only if less than half of the limit seems to be
/// left, because a purge takes longer than solving a small board.
fn remaining_bytes(limit: u64) -> u64 {
    let free = limit.saturating_sub(resident_bytes());
    if free >= limit / 2 {
        return free;
    }
    purge();
    limit.saturating_sub(resident_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Silent;

    /// With a limit of resident memory alone, a search still has a limit of what it counts.
    #[test]
    fn a_limit_of_resident_memory_also_limits_counted_memory() {
        let stop = StopToken::new();
        let limits = Limits { resident: Some(1 << 40), ..Limits::default() };
        let limited = Context::new(1, limits, &Silent, &stop).limited_to_free_memory();
        assert!(limited.limits.memory.is_some_and(|memory| memory <= 1 << 40));
    }
}
