//! The thread that keeps memory within its budget.

use super::Common;
use crate::store::shard::Shard;
use crossbeam::epoch;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How often it looks when a budget is nearly used up, and when not: a look costs some 80 us of a processor.
const INTERVAL: Duration = Duration::from_millis(10);
const CALM: Duration = Duration::from_millis(100);

/// Of a budget, in hundredths: above the first it looks more often, above the second memory is given back until the third
/// is reached. When the whole is passed with everything given back that can be, memory is at its end.
const NEAR: u64 = 70;
const HIGH: u64 = 94;
const LOW: u64 = 90;
const WHOLE: u64 = 100;

/// So often in a row that is found before it is said: what was asked for goes back a little later.
const PATIENCE: u32 = 20;

/// The steward.
pub(super) struct Steward {
    common: Common,
    /// Bytes of a segment.
    segment: u64,
    /// Bytes of cold segments whose memory is not given back yet.
    pending: Arc<AtomicU64>,
    /// How often in a row there was no way back into the budget.
    helpless: u32,
}

impl Steward {
    pub(super) fn new(common: Common) -> Self {
        let segment = common.layout.segment_bytes();
        Self { common, segment, pending: Arc::default(), helpless: 0 }
    }

    /// Looks after memory and disk until the archive ends.
    pub(super) fn run(mut self) {
        let progress = Arc::clone(&self.common.progress);
        let mut ended = progress.lock();
        while !*ended {
            drop(ended);
            let interval = self.look_after_memory();
            progress.disk_low.store(self.common.check_room(0).is_err(), Relaxed);
            ended = progress.over.wait_timeout(progress.lock(), interval).map_or_else(|e| e.into_inner().0, |w| w.0);
        }
    }

    /// Returns the time until the next look.
    fn look_after_memory(&mut self) -> Duration {
        // Lets what was put off happen.
        epoch::pin().flush();
        let loads = self.common.loads();
        let pending = self.pending.load(Relaxed);
        let above = |hundredths| {
            let most = loads.iter().map(|load| load.above(hundredths)).max();
            most.unwrap_or(0).saturating_sub(pending)
        };
        let excess = if above(HIGH) > 0 { above(LOW) } else { 0 };
        let progress = &self.common.progress;
        // What can go at once, and what will be able to when it is written.
        let could = self.could_cool().iter().map(|&segments| u64::from(segments)).sum::<u64>() * self.segment
            + progress.backlog.load(Relaxed);
        if excess > 0 {
            self.cool(excess);
        }
        let has_all = progress.caught_up.load(Relaxed);
        let indexes = if has_all && excess > could { self.put_indexes_away(excess - could) } else { 0 };
        let is_short = has_all && above(WHOLE) > could + indexes;
        self.helpless = if is_short { self.helpless + 1 } else { 0 };
        progress.squeezed.store(self.helpless >= PATIENCE, Relaxed);
        if loads.iter().any(|load| load.above(NEAR) > 0) { INTERVAL } else { CALM }
    }

    /// Sends indexes to disk, the largest first, until `wanted` bytes are given back or none is left for which it is worth
    /// it. Returns the bytes that are.
    fn put_indexes_away(&self, wanted: u64) -> u64 {
        let mut could: Vec<(u64, usize)> = (0..self.common.shards.len())
            .map(|number| (self.common.could_put_index_away(number), number))
            .filter(|&(bytes, _)| bytes > 0)
            .collect();
        could.sort_unstable();
        let mut given_back = 0;
        while given_back < wanted
            && let Some((_, number)) = could.pop()
        {
            match self.common.put_index_away(number) {
                Ok(bytes) => given_back += bytes,
                Err(error) => {
                    self.common.health.fail(error);
                    break;
                }
            }
        }
        given_back
    }

    /// Of each shard, the segments that are on disk and in memory.
    fn could_cool(&self) -> Vec<u32> {
        self.common.shards.iter().map(Shard::could_cool).collect()
    }

    /// Makes segments cold, the oldest of each shard first, until `wanted` bytes have become so, or all.
    fn cool(&self, wanted: u64) {
        let could = self.could_cool();
        let all = could.iter().map(|&segments| u64::from(segments)).sum::<u64>();
        let wanted = wanted.div_ceil(self.segment).min(all);
        for (number, &could) in could.iter().enumerate() {
            // From each shard the same share.
            let segments = (u64::from(could) * wanted).div_ceil(all.max(1)) as u32;
            if segments > 0 {
                self.cool_shard(number, segments);
            }
        }
    }

    fn cool_shard(&self, number: usize, segments: u32) {
        let shard = &self.common.shards[number];
        let from = shard.log().cold_segments();
        shard.log().cool(from + segments);
        let bytes = u64::from(segments) * self.segment;
        self.pending.fetch_add(bytes, Relaxed);
        let (shards, pending) = (Arc::clone(&self.common.shards), Arc::clone(&self.pending));
        let discard = move || {
            for segment in from..from + segments {
                // SAFETY: the segment is cold, and everybody is gone who was pinned when it became so.
                unsafe { shards[number].log().discard(segment) };
            }
            shards[number].gave_back(bytes);
            pending.fetch_sub(bytes, Relaxed);
        };
        epoch::pin().defer(discard);
    }
}
