//! The surroundings of a search: threads, limits, observer, checkpoints.

use super::checkpointer::CheckpointConfig;
use crate::domain::BuildContext;
use crate::platform::{HAS_FILES, HAS_THREADS, Instant, purge, resident_bytes};
use crate::runtime::{Event, Exchange, Limits, Observer, Stage, StopReason, StopToken};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    /// Where and how often checkpoints are taken, if at all. `antichain`, `best-first`, `ida`, `auto` and `synthesis`
    /// take checkpoints; the other engines begin anew after a resume.
    pub checkpoints: Option<&'a CheckpointConfig>,
    /// The exchange with other ranks that search the same board, if there are any. `antichain`, `best-first`,
    /// `ida` and `auto` use it; the other engines search on the leading rank alone.
    pub exchange: Option<&'a Exchange>,
}

impl<'a> Context<'a> {
    /// Where checkpoints are taken. Without files nowhere, which the compiler sees: a web page has no code for them.
    #[inline(always)]
    pub(super) fn kept(&self) -> Option<&'a CheckpointConfig> {
        self.checkpoints.filter(|_| HAS_FILES)
    }

    /// The exchange with other ranks. Without threads there are none, which the compiler sees.
    #[inline(always)]
    pub(super) fn exchange(&self) -> Option<&'a Exchange> {
        self.exchange.filter(|_| HAS_THREADS)
    }

    /// The number of ranks that search the board.
    pub(super) fn ranks(&self) -> usize {
        self.exchange.map_or(1, Exchange::ranks)
    }

    /// Whether this rank has nothing to do in an engine that only the leading rank runs.
    pub(super) fn is_idle(&self) -> bool {
        self.exchange.is_some_and(|exchange| !exchange.leads())
    }

    /// This context with the limits that are left, for a session that began at `began` and has expanded `expanded`
    /// states.
    #[must_use]
    pub fn remaining(&self, began: Instant, expanded: u64) -> Self {
        let mut rest = *self;
        rest.limits.time = rest.limits.time.map(|time| time.saturating_sub(began.elapsed()));
        rest.limits.expansions = rest.limits.expansions.map(|most| most.saturating_sub(expanded));
        rest
    }

    /// This context without other ranks, for what the leading rank does alone.
    pub(super) fn alone(&self) -> Self {
        Self { exchange: None, ..*self }
    }

    /// This context with a memory limit lowered by `bytes`, which are in use elsewhere.
    pub(super) fn beside(&self, bytes: u64) -> Self {
        let mut rest = *self;
        rest.limits.memory = rest.limits.memory.map(|memory| memory.saturating_sub(bytes));
        rest
    }

    /// This context with a memory limit that leaves room for what the process holds already: the program, and the
    /// tables of the board. Without a limit of resident memory, the limit stays as it is.
    pub(super) fn within_process(&self) -> Self {
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

    /// Bytes of memory that may be taken beside what the process holds. On several ranks, what the rank with the least
    /// has, so that all make the same tables. All ranks call this together.
    #[must_use]
    pub fn room(&self) -> u64 {
        let free = self.limits.resident.map_or(u64::MAX, left_of);
        self.least(self.limits.memory.map_or(free, |memory| memory.min(free)))
    }

    /// The least of the values that the ranks name. All ranks call this together.
    #[must_use]
    pub fn least<T: Ord + Serialize + DeserializeOwned>(&self, own: T) -> T {
        match self.exchange() {
            Some(exchange) => exchange.all_gather(&own).into_iter().min().unwrap_or(own),
            None => own,
        }
    }

    /// Calls `make` with a build context of one thread for a lower bound. It has the room of this context, reports
    /// progress to the observer, and is cancelled when the session that began at `began` has to end. Returns also why
    /// the work is not complete, if it is not: it was cancelled, or memory did not suffice, which the observer is told.
    pub fn with_build_context<R>(
        &self,
        began: Instant,
        make: impl FnOnce(&BuildContext<'_>) -> R,
    ) -> (R, Option<StopReason>) {
        let lacks = AtomicBool::new(false);
        let cancelled = || self.stopped(began).is_some();
        let lack = |wanted: &str| {
            lacks.store(true, Relaxed);
            let note = format!("memory does not suffice for the whole lower bound, which wants {wanted}");
            self.observer.observe(&Event::Note(&note));
        };
        let progress = |done, total| {
            let [done, total] = [done, total].map(|parts: usize| parts as u64);
            self.observer.observe(&Event::Stage { stage: Stage::Refinement, done, total });
        };
        let room = self.room();
        let made = make(&BuildContext { room, lack: &lack, progress: &progress, ..BuildContext::alone(&cancelled) });
        (made, self.stopped(began).or(lacks.into_inner().then_some(StopReason::MemoryLimit)))
    }
}

/// Bytes that are left of a limit of resident memory, after a purge if they seem to be less than half of it: to purge
/// takes longer than to solve a small board.
fn left_of(limit: u64) -> u64 {
    let left = limit.saturating_sub(resident_bytes());
    if left >= limit / 2 {
        return left;
    }
    purge();
    limit.saturating_sub(resident_bytes())
}
