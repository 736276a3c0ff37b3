//! The evictor: the thread that keeps the memory of a store within its limits.

use super::segments::Segments;
use super::shard::Shard;
use super::storage::IoContext;
use crate::sync::lock;
use crossbeam::epoch;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two checks when a limit is exceeded, near a limit, and otherwise. A check takes about 80 us.
const EXCEEDED_INTERVAL: Duration = Duration::from_millis(2);
const NEAR_INTERVAL: Duration = Duration::from_millis(10);
const NORMAL_INTERVAL: Duration = Duration::from_millis(100);

/// Percentages of a limit. Above `NEAR_PERCENT` checks are more frequent. Above `HIGH_PERCENT` the evictor frees memory
/// down to `LOW_PERCENT`. Above `LIMIT_PERCENT` with nothing left to free, the store is out of memory.
const NEAR_PERCENT: u64 = 70;
const HIGH_PERCENT: u64 = 94;
const LOW_PERCENT: u64 = 90;
const LIMIT_PERCENT: u64 = 100;

/// The store is out of memory after this number of consecutive checks that found nothing to free, because the system
/// reclaims freed memory with a delay.
const MAX_FUTILE_CHECKS: u32 = 100;

/// The evictor thread.
#[derive(Debug)]
pub(super) struct Evictor {
    pub(super) state: Arc<EvictorState>,
    segments: Segments,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The state that the thread and its owner share.
#[derive(Debug, Default)]
pub(super) struct EvictorState {
    pub(super) is_out_of_memory: AtomicBool,
    pub(super) is_limit_exceeded: AtomicBool,
    pub(super) is_disk_low: AtomicBool,
    is_ended: Mutex<bool>,
    ended_changed: Condvar,
}

impl Evictor {
    /// Starts the thread. When the system refuses, the error is reported to the error latch.
    pub(super) fn start(segments: &Segments) -> Self {
        let state = Arc::<EvictorState>::default();
        let evictor_loop = EvictorLoop::new(segments.clone(), Arc::clone(&state));
        let thread = std::thread::Builder::new().name("evictor".to_owned()).spawn(move || evictor_loop.run());
        let thread = thread.context("start a thread for", &segments.config().run);
        let thread = thread.map_err(|error| segments.errors().fail(error)).ok();
        Self { state, segments: segments.clone(), thread: Mutex::new(thread) }
    }

    /// Ends the thread and joins it. No worker waits for memory afterwards. A panic of the thread is reported to the
    /// error latch.
    pub(super) fn stop(&self) {
        *lock(&self.state.is_ended) = true;
        self.state.ended_changed.notify_all();
        self.state.is_limit_exceeded.store(false, Relaxed);
        self.segments.errors().join(&self.thread, "evictor");
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The loop that the thread runs, with its data.
struct EvictorLoop {
    segments: Segments,
    state: Arc<EvictorState>,
    /// Bytes of a segment.
    segment_bytes: u64,
    /// Bytes of cold segments whose memory is still to be freed.
    pending_bytes: Arc<AtomicU64>,
    /// The number of consecutive checks that found nothing to free.
    futile_checks: u32,
}

impl EvictorLoop {
    fn new(segments: Segments, state: Arc<EvictorState>) -> Self {
        let segment_bytes = segments.layout().segment_bytes();
        Self { segments, state, segment_bytes, pending_bytes: Arc::default(), futile_checks: 0 }
    }

    /// Watches memory and disk until the owner ends the thread.
    fn run(mut self) {
        let state = Arc::clone(&self.state);
        let mut is_ended = lock(&state.is_ended);
        while !*is_ended {
            drop(is_ended);
            let interval = self.watch_memory();
            state.is_disk_low.store(self.segments.check_room(0).is_err(), Relaxed);
            is_ended = lock(&state.is_ended);
            if !*is_ended {
                let wait = state.ended_changed.wait_timeout(is_ended, interval);
                is_ended = wait.map_or_else(|e| e.into_inner().0, |wait| wait.0);
            }
        }
    }

    /// Frees memory near a limit, and records whether memory suffices. Returns the time until the next check.
    fn watch_memory(&mut self) -> Duration {
        // Runs deferred frees.
        epoch::pin().flush();
        let loads = self.segments.loads();
        let pending_bytes = self.pending_bytes.load(Relaxed);
        let above = |percent| {
            let max = loads.iter().map(|load| load.bytes_above(percent)).max();
            max.unwrap_or(0).saturating_sub(pending_bytes)
        };
        let excess = if above(HIGH_PERCENT) > 0 { above(LOW_PERCENT) } else { 0 };
        let usage = self.segments.usage();
        // Segments that are on disk, or will be soon, can be freed.
        let freeable = self.coolable_segments().iter().map(|&segments| u64::from(segments)).sum::<u64>()
            * self.segment_bytes
            + usage.backlog_bytes.load(Relaxed);
        if excess > 0 {
            self.cool_segments(excess);
        }
        let has_snapshot = usage.is_snapshot_written.load(Relaxed);
        let index_bytes = if has_snapshot && excess > freeable { self.spill_indexes(excess - freeable) } else { 0 };
        let is_short = has_snapshot && above(LIMIT_PERCENT) > freeable + index_bytes;
        self.futile_checks = if is_short { self.futile_checks + 1 } else { 0 };
        self.state.is_out_of_memory.store(self.futile_checks >= MAX_FUTILE_CHECKS, Relaxed);
        let is_limit_exceeded = above(LIMIT_PERCENT) > 0;
        self.state.is_limit_exceeded.store(is_limit_exceeded, Relaxed);
        if is_limit_exceeded {
            return EXCEEDED_INTERVAL;
        }
        if loads.iter().any(|load| load.bytes_above(NEAR_PERCENT) > 0) { NEAR_INTERVAL } else { NORMAL_INTERVAL }
    }

    /// Spills indexes, the largest first, until `wanted_bytes` are freed or no index is worth spilling. Returns the
    /// number of freed bytes.
    fn spill_indexes(&self, wanted_bytes: u64) -> u64 {
        let mut candidates: Vec<(u64, usize)> = (0..self.segments.shards.len())
            .map(|number| (self.segments.spillable_index_bytes(number), number))
            .filter(|&(bytes, _)| bytes > 0)
            .collect();
        candidates.sort_unstable();
        let mut freed = 0;
        while freed < wanted_bytes
            && let Some((_, number)) = candidates.pop()
        {
            match self.segments.spill_index(number) {
                Ok(bytes) => freed += bytes,
                Err(error) => {
                    self.segments.errors().fail(error);
                    break;
                }
            }
        }
        freed
    }

    /// For each shard, the number of segments that are both on disk and in memory.
    fn coolable_segments(&self) -> Vec<u32> {
        self.segments.shards.iter().map(Shard::coolable_segments).collect()
    }

    /// Makes `wanted_bytes` of segments cold, or all, the oldest of each shard first.
    fn cool_segments(&self, wanted_bytes: u64) {
        let coolable = self.coolable_segments();
        let all = coolable.iter().map(|&segments| u64::from(segments)).sum::<u64>();
        let wanted_segments = wanted_bytes.div_ceil(self.segment_bytes).min(all);
        for (number, &coolable) in coolable.iter().enumerate() {
            // Each shard makes the same share of its segments cold.
            let segments = (u64::from(coolable) * wanted_segments).div_ceil(all.max(1)) as u32;
            if segments > 0 {
                self.cool_shard(number, segments);
            }
        }
    }

    fn cool_shard(&self, number: usize, segments: u32) {
        let shard = &self.segments.shards[number];
        let first = shard.log().cold_segments();
        shard.log().make_cold(first + segments);
        let bytes = u64::from(segments) * self.segment_bytes;
        self.pending_bytes.fetch_add(bytes, Relaxed);
        let (shards, pending_bytes) = (Arc::clone(&self.segments.shards), Arc::clone(&self.pending_bytes));
        let discard = move || {
            for segment in first..first + segments {
                // SAFETY: the segment is cold, and all readers have left that were pinned when it became cold.
                unsafe { shards[number].log().discard(segment) };
            }
            shards[number].subtract_bytes(bytes);
            pending_bytes.fetch_sub(bytes, Relaxed);
        };
        epoch::pin().defer(discard);
    }
}
