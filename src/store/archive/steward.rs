//! The thread that keeps memory within its budget.

use super::scribe::shape;
use super::{Common, resident_bytes};
use crate::store::shard::Shard;
use crossbeam::epoch;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// How often it looks.
const INTERVAL: Duration = Duration::from_millis(10);

/// Of a budget, in hundredths: above the first, memory is given back until the second is reached.
const HIGH: u64 = 94;
const LOW: u64 = 90;

/// So often in a row nothing helps before it says so: what was asked for goes back a little later.
const PATIENCE: u32 = 20;

/// The steward.
pub(super) struct Steward {
    common: Common,
    /// Bytes of a segment.
    segment: u64,
    /// Bytes of cold segments whose memory is not given back yet.
    pending: Arc<AtomicU64>,
    /// How often in a row nothing could be done.
    helpless: u32,
}

impl Steward {
    pub(super) fn new(common: Common) -> Self {
        let segment = shape(0, common.layout).segment;
        Self { common, segment, pending: Arc::default(), helpless: 0 }
    }

    /// Looks after memory and disk until the archive ends.
    pub(super) fn run(mut self) {
        let progress = Arc::clone(&self.common.progress);
        let mut looks = 0_u32;
        let mut ended = progress.lock();
        while !*ended {
            drop(ended);
            self.look_after_memory();
            if looks.is_multiple_of(10) {
                progress.disk_low.store(self.is_disk_low(), Relaxed);
            }
            looks = looks.wrapping_add(1);
            ended = progress.changed.wait_timeout(progress.lock(), INTERVAL).map_or_else(|e| e.into_inner().0, |w| w.0);
        }
    }

    fn look_after_memory(&mut self) {
        // Lets what was put off happen.
        epoch::pin().flush();
        let excess = self.excess().saturating_sub(self.pending.load(Relaxed));
        // What can go at once, and what will be able to when it is written.
        let could = self.could_cool().iter().map(|&segments| u64::from(segments)).sum::<u64>() * self.segment;
        let progress = &self.common.progress;
        let enough = could + progress.backlog.load(Relaxed) >= excess || !progress.caught_up.load(Relaxed);
        self.helpless = if enough { 0 } else { self.helpless + 1 };
        progress.squeezed.store(self.helpless >= PATIENCE, Relaxed);
        if excess > 0 {
            self.cool(excess);
        }
    }

    /// Of each shard, the segments that are on disk and in memory.
    fn could_cool(&self) -> Vec<u32> {
        self.common.shards.iter().map(Shard::could_cool).collect()
    }

    /// Bytes that have to go.
    fn excess(&self) -> u64 {
        let settings = &self.common.settings;
        let above = |budget: Option<u64>, used: &dyn Fn() -> u64| {
            let Some(budget) = budget else { return 0 };
            let used = used();
            if used > budget / 100 * HIGH { used - budget / 100 * LOW } else { 0 }
        };
        let held = || self.common.shards.iter().map(Shard::bytes).sum();
        above(settings.resident, &resident_bytes).max(above(settings.share, &held))
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

    /// Whether what is left of the disk is needed for a last checkpoint.
    fn is_disk_low(&self) -> bool {
        let (settings, progress) = (&self.common.settings, &self.common.progress);
        // Tails, closed ids and marks that wait, and the manifest.
        let last = self.common.shards.len() as u64 * self.segment + (8 << 20);
        let to_come = progress.backlog.load(Relaxed) + last;
        let budget = settings
            .disk
            .is_some_and(|disk| progress.written.load(Relaxed) + progress.scratch.load(Relaxed) + to_come > disk);
        let free = |folder| settings.medium.free_bytes(folder).unwrap_or(u64::MAX);
        budget
            || std::iter::once(&settings.run)
                .chain(&settings.spill)
                .any(|folder| free(folder) < settings.keep_free.saturating_add(to_come))
    }
}
