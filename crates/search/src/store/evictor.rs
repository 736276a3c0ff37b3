//! The evictor: the thread that keeps the memory of a store within its limits.

use super::segments::Segments;
use super::shard::Shard;
use super::storage::{IoContext, StorageError};
use crate::sync::lock;
use crossbeam::epoch;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time between two looks when a limit is passed, when it is nearly reached, and otherwise. A look takes about 80
/// us of processor time.
const HASTE: Duration = Duration::from_millis(2);
const INTERVAL: Duration = Duration::from_millis(10);
const CALM: Duration = Duration::from_millis(100);

/// Percentages of a limit. Above `NEAR` the evictor looks more often. Above `HIGH` it frees memory until `LOW` is
/// reached. When `WHOLE` is passed and nothing is left to free, the store is out of memory.
const NEAR: u64 = 70;
const HIGH: u64 = 94;
const LOW: u64 = 90;
const WHOLE: u64 = 100;

/// The store is out of memory after this number of looks in a row that found nothing to free: the system takes freed
/// memory back with a delay.
const MOST_HELPLESS_LOOKS: u32 = 100;

/// The evictor thread.
#[derive(Debug)]
pub(super) struct Evictor {
    state: Arc<State>,
    segments: Segments,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct State {
    is_out_of_memory: AtomicBool,
    is_over: AtomicBool,
    is_disk_low: AtomicBool,
    ended: Mutex<bool>,
    over: Condvar,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, bool> {
        lock(&self.ended)
    }
}

impl Evictor {
    /// Starts the thread. When the system refuses, the error is reported to the error latch.
    pub(super) fn start(segments: &Segments) -> Self {
        let state = Arc::<State>::default();
        let work = Work::new(segments.clone(), Arc::clone(&state));
        let thread = std::thread::Builder::new().name("evictor".to_owned()).spawn(move || work.run());
        let thread = thread.context("start a thread for", &segments.config().run);
        let thread = thread.map_err(|error| segments.errors().fail(error)).ok();
        Self { state, segments: segments.clone(), thread: Mutex::new(thread) }
    }

    pub(super) fn is_out_of_memory(&self) -> bool {
        self.state.is_out_of_memory.load(Relaxed)
    }

    /// Whether the last look found more memory in use than a limit allows.
    pub(super) fn is_over(&self) -> bool {
        self.state.is_over.load(Relaxed)
    }

    pub(super) fn is_disk_low(&self) -> bool {
        self.state.is_disk_low.load(Relaxed)
    }

    /// Ends the thread and waits for its end. Nobody waits for memory any more. A panic of the thread is reported to
    /// the error latch.
    pub(super) fn stop(&self) {
        *self.state.lock() = true;
        self.state.over.notify_all();
        self.state.is_over.store(false, Relaxed);
        let thread = lock(&self.thread).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            let reason = Arc::new(std::io::Error::other("its thread panicked"));
            let path = PathBuf::from("evictor");
            self.segments.errors().fail(StorageError::Io { action: "go on with the", path, reason });
        }
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The work of the thread.
struct Work {
    segments: Segments,
    state: Arc<State>,
    /// Bytes of a segment.
    segment: u64,
    /// Bytes of cold segments whose memory is not freed yet.
    pending: Arc<AtomicU64>,
    /// The number of looks in a row that found nothing to free.
    helpless: u32,
}

impl Work {
    fn new(segments: Segments, state: Arc<State>) -> Self {
        let segment = segments.layout().segment_bytes();
        Self { segments, state, segment, pending: Arc::default(), helpless: 0 }
    }

    /// Watches memory and disk until the owner ends the thread.
    fn run(mut self) {
        let state = Arc::clone(&self.state);
        let mut ended = state.lock();
        while !*ended {
            drop(ended);
            let interval = self.watch_memory();
            state.is_disk_low.store(self.segments.check_room(0).is_err(), Relaxed);
            ended = state.lock();
            if !*ended {
                ended = state.over.wait_timeout(ended, interval).map_or_else(|e| e.into_inner().0, |wait| wait.0);
            }
        }
    }

    /// Frees memory if a limit is nearly reached, and notes whether memory suffices. Returns the time until the next
    /// look.
    fn watch_memory(&mut self) -> Duration {
        // Runs deferred frees.
        epoch::pin().flush();
        let loads = self.segments.loads();
        let pending = self.pending.load(Relaxed);
        let above = |hundredths| {
            let most = loads.iter().map(|load| load.above(hundredths)).max();
            most.unwrap_or(0).saturating_sub(pending)
        };
        let excess = if above(HIGH) > 0 { above(LOW) } else { 0 };
        let usage = self.segments.usage();
        // The bytes that cooling can free: those of segments on disk, and of segments that will be there soon.
        let could = self.could_cool().iter().map(|&segments| u64::from(segments)).sum::<u64>() * self.segment
            + usage.backlog.load(Relaxed);
        if excess > 0 {
            self.cool(excess);
        }
        let has_all = usage.caught_up.load(Relaxed);
        let indexes = if has_all && excess > could { self.put_indexes_away(excess - could) } else { 0 };
        let is_short = has_all && above(WHOLE) > could + indexes;
        self.helpless = if is_short { self.helpless + 1 } else { 0 };
        self.state.is_out_of_memory.store(self.helpless >= MOST_HELPLESS_LOOKS, Relaxed);
        let is_over = above(WHOLE) > 0;
        self.state.is_over.store(is_over, Relaxed);
        if is_over {
            return HASTE;
        }
        if loads.iter().any(|load| load.above(NEAR) > 0) { INTERVAL } else { CALM }
    }

    /// Writes indexes to disk, the largest first, until `wanted` bytes are freed, or no index is worth writing. Returns
    /// the number of freed bytes.
    fn put_indexes_away(&self, wanted: u64) -> u64 {
        let mut could: Vec<(u64, usize)> = (0..self.segments.shards.len())
            .map(|number| (self.segments.index_to_put_away(number), number))
            .filter(|&(bytes, _)| bytes > 0)
            .collect();
        could.sort_unstable();
        let mut freed = 0;
        while freed < wanted
            && let Some((_, number)) = could.pop()
        {
            match self.segments.put_index_away(number) {
                Ok(bytes) => freed += bytes,
                Err(error) => {
                    self.segments.errors().fail(error);
                    break;
                }
            }
        }
        freed
    }

    /// Returns for each shard the number of segments that are both on disk and in memory.
    fn could_cool(&self) -> Vec<u32> {
        self.segments.shards.iter().map(Shard::could_cool).collect()
    }

    /// Makes segments cold, the oldest of each shard first, until `wanted` bytes or all segments are cold.
    fn cool(&self, wanted: u64) {
        let could = self.could_cool();
        let all = could.iter().map(|&segments| u64::from(segments)).sum::<u64>();
        let wanted = wanted.div_ceil(self.segment).min(all);
        for (number, &could) in could.iter().enumerate() {
            // Each shard gives the same share of its segments.
            let segments = (u64::from(could) * wanted).div_ceil(all.max(1)) as u32;
            if segments > 0 {
                self.cool_shard(number, segments);
            }
        }
    }

    fn cool_shard(&self, number: usize, segments: u32) {
        let shard = &self.segments.shards[number];
        let from = shard.log().cold_segments();
        shard.log().cool(from + segments);
        let bytes = u64::from(segments) * self.segment;
        self.pending.fetch_add(bytes, Relaxed);
        let (shards, pending) = (Arc::clone(&self.segments.shards), Arc::clone(&self.pending));
        let discard = move || {
            for segment in from..from + segments {
                // SAFETY: the segment is cold, and all readers have left that were pinned when it became cold.
                unsafe { shards[number].log().discard(segment) };
            }
            shards[number].gave_back(bytes);
            pending.fetch_sub(bytes, Relaxed);
        };
        epoch::pin().defer(discard);
    }
}
