//! Children on their way into the store, some at a time.
//!
//! A batch goes to the store in three steps: the children *meet* what is known, those that are new are *evaluated* (which
//! costs most, and needs no lock), and those that may still lead to something better are *admitted*. Each step
//! visits a shard once, under one lock. Children of a shard that another worker holds (it may be growing, which takes
//! milliseconds) stay behind for the next time, so that nobody waits who has something else to do.

use super::kernel::Kernel;
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask, Successor};
use crate::store::{Id, Meeting, Offer, ShardGuard, Store};
use std::ops::Range;

struct Child<S> {
    state: S,
    hash: u64,
    asleep: MoveMask,
    parent: Id,
    g: Cost,
    mv: MoveIndex,
    /// Its f, once evaluated.
    f: Cost,
}

/// A child that is open now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Admitted {
    pub(super) id: Id,
    pub(super) f: Cost,
    pub(super) g: Cost,
    /// [`Domain::promise`] of the state.
    pub(super) promise: u32,
}

/// What a flush did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bill {
    pub(super) stored: u64,
    pub(super) reopened: u64,
}

/// Whether a worker waits for shards that another one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// It does, and leaves nothing behind.
    Waits,
    /// It does not, unless [`MOST_LEFT`] children would be left behind.
    GoesOn,
}

/// The most children that a batch leaves behind.
const MOST_LEFT: usize = 256;

/// The children that one worker has collected.
pub(super) struct Batch<D: Domain> {
    children: Vec<Child<D::State>>,
    /// The packed keys of `children`, one after another.
    keys: Vec<u8>,
    /// Shard and position of the children that are still to be visited, by shard.
    order: Vec<(u32, u32)>,
    /// Those whose shard another worker held.
    left: Vec<(u32, u32)>,
    /// Moves of closed states that turned out not to be superfluous.
    woken: Vec<(Id, MoveMask)>,
}

impl<D: Domain> Default for Batch<D> {
    fn default() -> Self {
        Self { children: Vec::new(), keys: Vec::new(), order: Vec::new(), left: Vec::new(), woken: Vec::new() }
    }
}

impl<D: Domain> Batch<D> {
    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// A closed state and moves of it that have to be expanded after all.
    #[inline]
    pub(super) fn pop_woken(&mut self) -> Option<(Id, MoveMask)> {
        self.woken.pop()
    }

    /// Adds a child of the state `parent`, which was reached at cost `g`.
    #[inline]
    pub(super) fn push(&mut self, store: &Store, domain: &D, parent: Id, g: Cost, child: Successor<D::State>) {
        let Successor { mv, cost, asleep, state } = child;
        let at = self.keys.len();
        self.keys.resize(at + store.key_len(), 0);
        domain.pack(&state, &mut self.keys[at..]);
        let hash = store.hash(&self.keys[at..]);
        store.prefetch(hash);
        self.order.push((store.owner(hash) as u32, self.children.len() as u32));
        self.children.push(Child { state, hash, asleep, parent, g: g + cost, mv, f: Cost::MAX });
    }

    /// Empties the batch into the store, as far as its patience goes. A child is admitted when its f, taken as at least `range.start`, lies below
    /// `range.end`; `admitted` receives it.
    pub(super) fn flush<B: LowerBound<D>>(
        &mut self,
        store: &Store,
        kernel: &mut Kernel<'_, D, B>,
        range: Range<Cost>,
        patience: Patience,
        admitted: &mut Vec<Admitted>,
    ) -> Bill {
        let mut bill = Bill::default();
        let waits = patience == Patience::Waits || self.children.len() > MOST_LEFT;
        self.order.sort_unstable();
        self.visit_shards(store, waits, |batch, shard, at| {
            let meeting = shard.meet(&batch.offer(store, at));
            batch.heed(meeting)
        });
        let children = &mut self.children;
        self.order.retain(|&(_, at)| {
            let child = &mut children[at as usize];
            let f = kernel.evaluate(&child.state, child.g, range.end);
            child.f = f.map_or(Cost::MAX, |f| f.max(range.start));
            child.f < range.end
        });
        self.visit_shards(store, waits, |batch, shard, at| {
            let child = &batch.children[at];
            match shard.admit(&batch.offer(store, at), child.mv, child.parent) {
                Ok((id, reopened)) => {
                    bill.stored += 1;
                    bill.reopened += u64::from(reopened);
                    let promise = kernel.problem.domain.promise(&child.state);
                    admitted.push(Admitted { id, f: child.f, g: child.g, promise });
                }
                Err(meeting) => {
                    batch.heed(meeting);
                }
            }
            false
        });
        self.keep_left(store.key_len());
        bill
    }

    /// Forgets all children but those that were left behind.
    fn keep_left(&mut self, key_len: usize) {
        self.left.sort_unstable_by_key(|&(_, at)| at);
        for (to, &(owner, at)) in self.left.iter().enumerate() {
            let at = at as usize;
            self.children.swap(to, at);
            self.keys.copy_within(at * key_len..(at + 1) * key_len, to * key_len);
            self.order.push((owner, to as u32));
        }
        self.children.truncate(self.left.len());
        self.keys.truncate(self.left.len() * key_len);
        self.left.clear();
    }

    /// Calls `visit` for each child in `order` under the lock of its shard; keeps those that it returns true for. Unless
    /// it `waits`, the children of a shard that is held are left behind.
    #[inline]
    fn visit_shards(
        &mut self,
        store: &Store,
        waits: bool,
        mut visit: impl FnMut(&mut Self, &mut ShardGuard<'_>, usize) -> bool,
    ) {
        let mut order = std::mem::take(&mut self.order);
        let (mut kept, mut from) = (0, 0);
        while from < order.len() {
            let owner = order[from].0;
            let shard = if waits { Some(store.lock(owner as usize)) } else { store.try_lock(owner as usize) };
            let Some(mut shard) = shard else {
                let of_shard = order[from..].iter().take_while(|entry| entry.0 == owner).count();
                self.left.extend_from_slice(&order[from..from + of_shard]);
                from += of_shard;
                continue;
            };
            while from < order.len() && order[from].0 == owner {
                let entry = order[from];
                from += 1;
                if visit(self, &mut shard, entry.1 as usize) {
                    order[kept] = entry;
                    kept += 1;
                }
            }
        }
        order.truncate(kept);
        self.order = order;
    }

    #[inline]
    fn offer(&self, store: &Store, at: usize) -> Offer<'_> {
        let (child, len) = (&self.children[at], store.key_len());
        Offer { hash: child.hash, key: &self.keys[at * len..][..len], g: child.g, asleep: child.asleep }
    }

    /// Whether the child is new; notes moves that were woken.
    #[inline]
    fn heed(&mut self, meeting: Meeting) -> bool {
        if let Meeting::Woken(id, moves) = meeting {
            self.woken.push((id, moves));
        }
        meeting == Meeting::New
    }
}
