//! What the workers of one search tell each other: no-goods as they are learned, and the sets that they search.
//!
//! A no-good is a fact: whoever hears of it may use it, at any time and in any order. So nothing here decides a result.
//! The sets that others search guide growing (`visited.rs`), and show where others are at work.

use super::bits::is_subset;
use crate::domain::Cost;
use crossbeam::queue::SegQueue;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Something that a worker tells the others.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) budget: Cost,
    pub(super) set: Box<[u64]>,
    /// Whether the set is a no-good of this budget, or a set that is searched with it.
    pub(super) is_no_good: bool,
}

/// A worker, as the others see it.
#[derive(Debug, Default)]
pub(super) struct Peer {
    inbox: SegQueue<Arc<Told>>,
    /// The sets that it is searching, with their budgets, one below the other.
    path: Mutex<Vec<(Cost, Box<[u64]>)>>,
    /// Bytes of its no-goods, and children that it has generated.
    bytes: AtomicU64,
    generated: AtomicU64,
}

/// One of several workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peers<'p> {
    all: &'p [Peer],
    number: usize,
}

impl<'p> Peers<'p> {
    /// Worker `number` of these.
    pub(super) fn new(all: &'p [Peer], number: usize) -> Self {
        Self { all, number }
    }

    fn others(&self) -> impl Iterator<Item = &'p Peer> {
        let Self { all, number } = *self;
        all.iter().enumerate().filter(move |&(other, _)| other != number).map(|(_, peer)| peer)
    }

    /// The number of workers.
    pub(super) fn count(&self) -> u64 {
        self.all.len() as u64
    }

    fn is_alone(&self) -> bool {
        self.all.len() == 1
    }

    /// Tells all others.
    fn tell(&self, budget: Cost, set: &[u64], is_no_good: bool) {
        if !self.is_alone() {
            let told = Arc::new(Told { budget, set: set.into(), is_no_good });
            self.others().for_each(|other| other.inbox.push(told.clone()));
        }
    }

    /// Tells the others of a no-good.
    pub(super) fn tell_no_good(&self, set: &[u64], budget: Cost) {
        self.tell(budget, set, true);
    }

    /// Something that others have told and this worker has not heard yet.
    pub(super) fn hear(&self) -> Option<Arc<Told>> {
        self.all[self.number].inbox.pop()
    }

    /// Tells the others that this worker searches a set.
    pub(super) fn begin(&self, set: &[u64], budget: Cost) {
        if !self.is_alone() {
            self.tell(budget, set, false);
            self.path(self.number, |path| path.push((budget, set.into())));
        }
    }

    /// Keeps of the sets that this worker searches the first ones.
    pub(super) fn end(&self, depth: usize) {
        if !self.is_alone() {
            self.path(self.number, |path| path.truncate(depth));
        }
    }

    /// Whether another worker searches a set that contains `set` with this budget.
    pub(super) fn is_searched(&self, set: &[u64], budget: Cost) -> bool {
        let searches = |path: &mut Vec<(Cost, Box<[u64]>)>| {
            path.iter().any(|(of, searched)| *of == budget && is_subset(set, searched))
        };
        (0..self.all.len()).any(|other| other != self.number && self.path(other, searches))
    }

    fn path<T>(&self, of: usize, use_it: impl FnOnce(&mut Vec<(Cost, Box<[u64]>)>) -> T) -> T {
        use_it(&mut self.all[of].path.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes the bytes and the children of this worker. Returns those of all.
    pub(super) fn sum(&self, bytes: u64, generated: u64) -> (u64, u64) {
        let own = &self.all[self.number];
        own.bytes.store(bytes, Relaxed);
        own.generated.store(generated, Relaxed);
        let sum =
            |sum: (u64, u64), peer: &Peer| (sum.0 + peer.bytes.load(Relaxed), sum.1 + peer.generated.load(Relaxed));
        self.all.iter().fold((0, 0), sum)
    }
}
