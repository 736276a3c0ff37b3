//! What a rank says of its work, and when it last said something.

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
    /// The resident memory of the process at its last sign of life, in bytes.
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

/// The status of a rank, written and read by several threads.
#[derive(Debug, Default)]
struct Shown {
    status: Mutex<RankStatus>,
    /// Milliseconds from the beginning to the last sign of life.
    last_alive: AtomicU64,
}

/// The last status of every rank.
#[derive(Debug)]
pub(super) struct Statuses {
    rank: usize,
    /// The number of the search under way.
    search: AtomicU64,
    shown: Vec<Shown>,
    begun: Instant,
}

impl Statuses {
    pub(super) fn new(rank: usize, ranks: usize) -> Self {
        Self {
            rank,
            search: AtomicU64::new(0),
            shown: (0..ranks).map(|_| Shown::default()).collect(),
            begun: Instant::now(),
        }
    }

    /// The ranks that look after this one: the next one, and the leader, who shows what all ranks do.
    pub(super) fn watchers(&self) -> impl Iterator<Item = usize> + use<> {
        let (rank, next) = (self.rank, (self.rank + 1) % self.shown.len());
        [(rank > 0).then_some(0), (next > 0).then_some(next)].into_iter().flatten()
    }

    /// Counts all ranks as alive at this moment.
    pub(super) fn begin_anew(&self) {
        let now = self.begun.elapsed().as_millis() as u64;
        self.shown.iter().for_each(|shown| shown.last_alive.store(now, Relaxed));
    }

    /// Begins the next search.
    pub(super) fn begin_search(&self) {
        self.search.fetch_add(1, Relaxed);
        (0..self.shown.len()).for_each(|rank| self.show(rank, RankStatus::default()));
    }

    /// The number of the search under way.
    pub(super) fn search(&self) -> u64 {
        self.search.load(Relaxed)
    }

    /// Sets the status of this rank.
    pub(super) fn set(&self, status: RankStatus) {
        self.show(self.rank, status);
    }

    /// Takes the status of a rank as a sign of life. Its work counts only if it belongs to the search under way.
    pub(super) fn note_alive(&self, rank: usize, search: u64, status: RankStatus) {
        if let Some(shown) = self.shown.get(rank) {
            shown.last_alive.store(self.begun.elapsed().as_millis() as u64, Relaxed);
            if search == self.search.load(Relaxed) {
                self.show(rank, status);
            }
        }
    }

    fn show(&self, rank: usize, status: RankStatus) {
        self.shown.get(rank).into_iter().for_each(|shown| *lock(&shown.status) = status);
    }

    /// The number of the search under way, and the work of this rank in it.
    pub(super) fn of_this_rank(&self) -> (u64, RankStatus) {
        let own = *lock(&self.shown[self.rank].status);
        (self.search.load(Relaxed), RankStatus { resident: resident_bytes(), ..own })
    }

    pub(super) fn all(&self) -> Vec<RankStatus> {
        self.shown.iter().map(|shown| *lock(&shown.status)).collect()
    }

    /// Whether nothing was heard of a rank for longer than `limit`. A rank is heard only by the ranks that look after
    /// it.
    pub(super) fn is_silent(&self, rank: usize, limit: Duration) -> bool {
        let last_alive = self.shown.get(rank).map_or(0, |shown| shown.last_alive.load(Relaxed));
        self.begun.elapsed().saturating_sub(Duration::from_millis(last_alive)) > limit
    }

    /// A rank that this rank looks after and has not heard of for longer than `limit`.
    pub(super) fn silent(&self, limit: Duration) -> Option<usize> {
        let watched = match self.rank {
            0 => 1..self.shown.len(),
            rank => rank - 1..rank,
        };
        watched.into_iter().find(|&rank| self.is_silent(rank, limit))
    }
}

impl Exchange {
    /// Begins a search: no rank has done any work in it. All ranks call this equally often.
    pub(crate) fn begin_search(&self) {
        self.statuses.begin_search();
    }

    /// The number of searches that all ranks have begun together.
    #[must_use]
    pub fn searches(&self) -> u64 {
        self.statuses.search()
    }

    /// Records the work of this rank in the search.
    #[inline]
    pub(crate) fn report(&self, status: RankStatus) {
        self.statuses.set(status);
    }

    /// The last known work of each rank. A rank other than the leader knows only its own work and that of the rank
    /// before it.
    pub(crate) fn each(&self) -> Vec<RankStatus> {
        let mut all = self.statuses.all();
        all[self.rank()] = self.statuses.of_this_rank().1;
        all
    }

    /// The sum of the last known work of all ranks. A rank other than the leader knows only its own work and that of
    /// the rank before it.
    pub(crate) fn sum(&self) -> RankStatus {
        self.statuses.all().into_iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_looked_after_by_the_next_one_and_by_the_leader() {
        let all = [0, 1, 2].map(|rank| Statuses::new(rank, 3));
        assert_eq!(all.each_ref().map(|s| s.watchers().collect::<Vec<_>>()), [vec![1], vec![0, 2], vec![0]]);
        assert_eq!(Statuses::new(1, 2).watchers().collect::<Vec<_>>(), [0]);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(all.each_ref().map(|s| s.silent(Duration::ZERO)), [Some(1), Some(0), Some(1)]);
        assert_eq!(all.each_ref().map(|s| s.silent(Duration::from_secs(3_600))), [None; 3]);
        let [leader, ..] = all;
        let last_alive = || leader.shown.iter().map(|shown| shown.last_alive.load(Relaxed)).min();
        assert_eq!(last_alive(), Some(0));
        leader.begin_anew();
        assert!(last_alive() > Some(0), "after a suspension");
        let status = RankStatus { expanded: 1, generated: 2, stored: 3, bytes: 4, resident: 5 };
        leader.begin_search();
        leader.note_alive(1, 0, status);
        leader.note_alive(2, 1, status);
        leader.set(RankStatus { expanded: 9, ..status });
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
