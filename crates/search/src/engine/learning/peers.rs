//! Messages between the workers of one search: learned no-goods, and the sets under search.
//!
//! A notice is a fact, or a hint at the sets that other workers search. So it may arrive late, in any order, or never.

use super::bits::is_subset;
use super::notices::{Notice, NoticeKind, Peer, WorkerId};
use super::rank_messenger::RankMessenger;
use crate::domain::Cost;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The knowledge of one worker about the others.
pub(super) struct Peers<'p> {
    /// The workers of this rank.
    all: &'p [Peer],
    number: usize,
    /// Exchanges letters with other ranks, if there are any.
    messenger: Option<&'p RankMessenger<'p>>,
    /// For each other worker, the stack of sets in its last received visits, the root first.
    paths: BTreeMap<WorkerId, Vec<Arc<Notice>>>,
}

impl<'p> Peers<'p> {
    pub(super) fn new(all: &'p [Peer], number: usize, messenger: Option<&'p RankMessenger<'p>>) -> Self {
        Self { all, number, messenger, paths: BTreeMap::new() }
    }

    /// Sends a notice to all other workers.
    pub(super) fn notify(&self, kind: NoticeKind, set: &[u64], budget: Cost) {
        if self.all.len() == 1 && self.messenger.is_none() {
            return;
        }
        let notice = Arc::new(Notice { from: (self.rank(), self.number as u32), kind, budget, set: set.into() });
        let others = self.all.iter().enumerate().filter(|&(other, _)| other != self.number);
        others.for_each(|(_, other)| other.inbox.push(notice.clone()));
        self.messenger.into_iter().for_each(|messenger| messenger.queue(notice.clone()));
    }

    fn rank(&self) -> u32 {
        self.messenger.map_or(0, RankMessenger::rank)
    }

    /// Whether this worker has to store the content of a notice. The first worker of a rank stores the notices of other
    /// ranks; notices of its own rank are in the shared levels.
    pub(super) fn must_store(&self, notice: &Notice) -> bool {
        self.number == 0 && notice.from.0 != self.rank()
    }

    /// Takes the next notice of another worker, if there is one.
    pub(super) fn next_notice(&mut self) -> Option<Arc<Notice>> {
        let notice = self.all[self.number].inbox.pop()?;
        if let NoticeKind::Visit(depth) = notice.kind {
            let path = self.paths.entry(notice.from).or_default();
            path.truncate(depth as usize);
            path.push(notice.clone());
        }
        Some(notice)
    }

    /// Whether the last visits of another worker include a superset of `set` with this budget. This is a hint: the
    /// worker may have finished the set since.
    pub(super) fn is_searched(&self, set: &[u64], budget: Cost) -> bool {
        let searches = |notice: &Arc<Notice>| notice.budget == budget && is_subset(set, &notice.set);
        self.paths.values().any(|path| path.iter().any(searches))
    }

    /// Whether other ranks have proven that no solution costs `budget` or less.
    pub(super) fn have_refuted(&self, budget: Cost) -> bool {
        self.messenger.is_some_and(|messenger| messenger.lower_bound() > budget)
    }

    /// Exchanges letters with other ranks, unless another worker of this rank is doing this.
    pub(super) fn exchange(&self) {
        self.messenger.into_iter().for_each(|messenger| messenger.exchange(self.all));
    }

    /// Notes how many children this worker has generated. Returns the number of all workers of its rank together.
    pub(super) fn publish_and_sum(&self, generated: u64) -> u64 {
        self.all[self.number].generated.store(generated, Relaxed);
        self.all.iter().map(|peer| peer.generated.load(Relaxed)).sum()
    }
}
