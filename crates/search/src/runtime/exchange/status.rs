//! The last status of each rank, and the time of its last heartbeat.

use super::Exchange;
use crate::platform::{Instant, resident_bytes};
use crate::sync::lock;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The work of a rank so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankStatus {
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// States stored.
    pub stored: u64,
    /// Bytes in use, as far as the search counts them.
    pub bytes: u64,
    /// The resident memory of the process at its last heartbeat, in bytes.
    pub resident: u64,
}

impl std::iter::Sum for RankStatus {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            expanded: sum.expanded + one.expanded,
            generated: sum.generated + one.generated,
            stored: sum.stored + one.stored,
            bytes: sum.bytes + one.bytes,
            resident: sum.resident + one.resident,
        })
    }
}

/// The last known status of one rank.
#[derive(Debug, Default)]
struct RankRecord {
    status: Mutex<RankStatus>,
    /// The time of the last heartbeat, in milliseconds since `Statuses::start`.
    last_heartbeat_ms: AtomicU64,
}

/// The last known status of every rank.
#[derive(Debug)]
pub(super) struct Statuses {
    rank: usize,
    /// The number of the search under way.
    search: AtomicU64,
    records: Vec<RankRecord>,
    start: Instant,
}

impl Statuses {
    pub(super) fn new(rank: usize, ranks: usize) -> Self {
        let records = (0..ranks).map(|_| RankRecord::default()).collect();
        Self { rank, search: AtomicU64::new(0), records, start: Instant::now() }
    }

    /// The ranks that watch this one: the next rank, and the leader, which shows the progress of all ranks.
    pub(super) fn watchers(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, next) = (self.rank, (self.rank + 1) % self.records.len());
        [(rank > 0).then_some(0), (next > 0).then_some(next)].into_iter().flatten()
    }

    /// Restarts the silence of every rank: counts all ranks as alive now.
    pub(super) fn reset_silence(&self) {
        let now = self.start.elapsed().as_millis() as u64;
        self.records.iter().for_each(|record| record.last_heartbeat_ms.store(now, Relaxed));
    }

    /// Begins the next search.
    pub(super) fn begin_search(&self) {
        self.search.fetch_add(1, Relaxed);
        (0..self.records.len()).for_each(|rank| self.set_status_of(rank, RankStatus::default()));
    }

    /// The number of the search under way.
    pub(super) fn search(&self) -> u64 {
        self.search.load(Relaxed)
    }

    /// Records the heartbeat of a rank. Its status counts only if it belongs to the search under way.
    pub(super) fn note_heartbeat(&self, rank: usize, search: u64, status: RankStatus) {
        if let Some(record) = self.records.get(rank) {
            record.last_heartbeat_ms.store(self.start.elapsed().as_millis() as u64, Relaxed);
            if search == self.search.load(Relaxed) {
                self.set_status_of(rank, status);
            }
        }
    }

    fn set_status_of(&self, rank: usize, status: RankStatus) {
        self.records.get(rank).into_iter().for_each(|record| *lock(&record.status) = status);
    }

    /// The number of the search under way, and the work of this rank in it.
    pub(super) fn of_this_rank(&self) -> (u64, RankStatus) {
        let status = *lock(&self.records[self.rank].status);
        (self.search.load(Relaxed), RankStatus { resident: resident_bytes(), ..status })
    }

    pub(super) fn all(&self) -> Vec<RankStatus> {
        self.records.iter().map(|record| *lock(&record.status)).collect()
    }

    /// Whether the last heartbeat of a rank is older than `limit`. Only the ranks that watch a rank get its heartbeats.
    pub(super) fn is_silent(&self, rank: usize, limit: Duration) -> bool {
        let last_heartbeat_ms = self.records.get(rank).map_or(0, |record| record.last_heartbeat_ms.load(Relaxed));
        self.start.elapsed().saturating_sub(Duration::from_millis(last_heartbeat_ms)) > limit
    }

    /// A rank that this rank watches and whose last heartbeat is older than `limit`, if there is one.
    pub(super) fn find_silent(&self, limit: Duration) -> Option<usize> {
        let watched = match self.rank {
            0 => 1..self.records.len(),
            rank => rank - 1..rank,
        };
        watched.into_iter().find(|&rank| self.is_silent(rank, limit))
    }
}

impl Exchange {
    /// Begins a search, in which no rank has done any work. All ranks call this equally often.
    pub(crate) fn begin_search(&self) {
        self.statuses.begin_search();
    }

    /// The number of searches that the ranks have begun.
    #[must_use]
    pub fn search_count(&self) -> u64 {
        self.statuses.search()
    }

    /// Records the work of this rank in the search.
    #[inline]
    pub(crate) fn set_status(&self, status: RankStatus) {
        self.statuses.set_status_of(self.rank(), status);
    }

    /// The last known work of each rank. A rank other than the leader knows only its own work and that of the rank
    /// before it.
    pub(crate) fn statuses(&self) -> Vec<RankStatus> {
        let mut all = self.statuses.all();
        all[self.rank()] = self.statuses.of_this_rank().1;
        all
    }

    /// The sum of the last known work of all ranks. A rank other than the leader knows only its own work and that of
    /// the rank before it.
    pub(crate) fn total_status(&self) -> RankStatus {
        self.statuses.all().into_iter().sum()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_watched_by_the_next_one_and_by_the_leader() {
        let all = [0, 1, 2].map(|rank| Statuses::new(rank, 3));
        assert_eq!(all.each_ref().map(|s| s.watchers().collect::<Vec<_>>()), [vec![1], vec![0, 2], vec![0]]);
        assert_eq!(Statuses::new(1, 2).watchers().collect::<Vec<_>>(), [0]);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(all.each_ref().map(|s| s.find_silent(Duration::ZERO)), [Some(1), Some(0), Some(1)]);
        assert_eq!(all.each_ref().map(|s| s.find_silent(Duration::from_secs(3_600))), [None; 3]);
        let [leader, ..] = all;
        let last_heartbeat_ms = || leader.records.iter().map(|record| record.last_heartbeat_ms.load(Relaxed)).min();
        assert_eq!(last_heartbeat_ms(), Some(0));
        leader.reset_silence();
        assert!(last_heartbeat_ms() > Some(0), "after a suspension");
        let status = RankStatus { expanded: 1, generated: 2, stored: 3, bytes: 4, resident: 5 };
        leader.begin_search();
        leader.note_heartbeat(1, 0, status);
        leader.note_heartbeat(2, 1, status);
        leader.set_status_of(0, RankStatus { expanded: 9, ..status });
        assert_eq!(leader.all().iter().map(|status| status.expanded).collect::<Vec<_>>(), [9, 0, 1]);
        assert_eq!(
            leader.all().into_iter().sum::<RankStatus>(),
            RankStatus { expanded: 10, generated: 4, stored: 6, bytes: 8, resident: 10 }
        );
        leader.begin_search();
        assert_eq!((leader.of_this_rank().0, leader.all().into_iter().sum::<RankStatus>()), (2, RankStatus::default()));
        assert_eq!(Statuses::new(0, 1).watchers().count(), 0, "alone");
    }
}
