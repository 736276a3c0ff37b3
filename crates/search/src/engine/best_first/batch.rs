//! Children on their way into the store, in batches.
//!
//! A batch goes to the store in three steps:
//!
//! 1. **Look up.** A child that is known with the same or a smaller g is dropped. The lookup may wake moves of a closed
//!    state.
//! 2. **Evaluate.** The lower bound of each remaining child is computed. This step costs most and holds no lock. A
//!    child that cannot beat the incumbent is dropped.
//! 3. **Admit.** The remaining children are stored. Each is looked up again, because another worker may have stored the
//!    same state meanwhile.
//!
//! Steps 1 and 3 visit each shard once, under one lock. Another worker may hold a shard for milliseconds, for example
//! while the shard grows. Then the flush skips the children of this shard and leaves them in the batch, so that no
//! worker waits.
//!
//! A child that belongs to another rank is sent there without lookup and evaluation: only its owner knows whether it is
//! new.

use super::rank_parcels::{OutgoingParcels, SentChild};
use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::expand::{self, Expander, Slot};
use crate::store::{Id, Lookup, Offer, ShardGuard, Store, Tag, hash_key};
use std::ops::Range;

struct Child {
    slot: Slot,
    hash: u64,
    sleep_set: MoveMask,
    parent: Id,
    g: Cost,
    mv: MoveIndex,
    /// The f of the child, after its evaluation.
    f: Cost,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Admitted {
    pub(super) id: Id,
    pub(super) f: Cost,
    pub(super) g: Cost,
    /// The position of the child in its batch: the order in which children were generated.
    pub(super) position: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlushStats {
    /// States that were not stored before.
    pub(super) stored: u64,
    /// Stored states that were closed before with a larger g.
    pub(super) reopened: u64,
    /// Children that were dropped because their state was known.
    pub(super) duplicates: u64,
}

/// What a flush does with a shard that another worker has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocking {
    /// The flush waits for the shard, so no child stays in the batch.
    Wait,
    /// The flush skips the children of the shard, unless the batch has more than [`MAX_SKIPPED`] children.
    Skip,
}

/// A batch with more children than this always waits for shards, so that it does not grow without end.
const MAX_SKIPPED: usize = 256;

#[derive(Default)]
pub(super) struct Batch {
    children: Vec<Child>,
    /// The packed keys of `children`, one after another.
    keys: Vec<u8>,
    /// Shard and position of the children that go to the next step of a flush, sorted by shard.
    order: Vec<(u32, u32)>,
    /// Shard and position of the children that belong to other ranks.
    foreign: Vec<(u32, u32)>,
    /// Shard and position of the children whose shard another worker had locked.
    skipped: Vec<(u32, u32)>,
    /// The frames of the skipped children, in rising order.
    frames: Vec<u32>,
    /// Closed states, their moves that were woken from the sleep set, and the position of the child that woke them.
    woken: Vec<(Id, MoveMask, u32)>,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// Takes a closed state with woken moves, and these moves, if there is one. They have to be expanded after all.
    #[inline]
    pub(super) fn pop_woken(&mut self) -> Option<(Id, MoveMask)> {
        self.woken.pop().map(|(id, moves, _)| (id, moves))
    }

    /// Adds the children in `frame`: those of the state `parent`, which was reached at cost `g`. Packs and hashes each
    /// child, and prefetches its slot in the index.
    #[inline]
    pub(super) fn push(
        &mut self,
        store: &Store,
        expander: &dyn Expander,
        parent: Id,
        g: Cost,
        frame: u32,
        children: &[expand::Child],
    ) {
        for (at, child) in children.iter().enumerate() {
            let (offset, slot) = (self.keys.len(), Slot { frame, index: at as u32 });
            self.keys.resize(offset + store.key_len(), 0);
            expander.pack(slot, &mut self.keys[offset..]);
            let hash = hash_key(&self.keys[offset..]);
            let (shard, position) = (store.shard_of_hash(hash), self.children.len() as u32);
            if store.owns(shard) {
                store.prefetch(hash);
                self.order.push((shard as u32, position));
            } else {
                self.foreign.push((shard as u32, position));
            }
            let (sleep_set, mv, g) = (child.sleep_set, child.mv, g + child.cost);
            self.children.push(Child { slot, hash, sleep_set, parent, g, mv, f: Cost::MAX });
        }
    }

    /// Brings the batch to the store. `blocking` says what happens to shards that another worker has locked. A child is
    /// opened if its f, raised to `range.start`, is below `range.end`; it is appended to `admitted`. A child of another
    /// rank goes to `outgoing`; without `outgoing` it is dropped. Closes the frames of all children but the skipped
    /// ones.
    pub(super) fn flush(
        &mut self,
        store: &Store,
        outgoing: Option<&OutgoingParcels<'_>>,
        expander: &mut dyn Expander,
        range: Range<Cost>,
        blocking: Blocking,
        admitted: &mut Vec<Admitted>,
    ) -> FlushStats {
        let mut stats = FlushStats::default();
        let (admitted_before, woken_before) = (admitted.len(), self.woken.len());
        let waits = blocking == Blocking::Wait || self.children.len() > MAX_SKIPPED;
        self.order.sort_unstable();
        self.visit_shards(store, waits, |batch, shard, at| {
            let lookup = shard.lookup(&batch.offer(store, at));
            let is_new = batch.note_woken(lookup, at);
            stats.duplicates += u64::from(!is_new);
            is_new
        });
        let children = &mut self.children;
        self.order.retain(|&(_, at)| {
            let child = &mut children[at as usize];
            let f = expander.f_below(child.slot, child.g, range.end);
            child.f = f.map_or(Cost::MAX, |f| f.max(range.start));
            child.f < range.end
        });
        if let Some(outgoing) = outgoing {
            // If g alone is too large, no bound is needed.
            let children = &self.children;
            self.foreign.retain(|&(_, at)| children[at as usize].g < range.end);
            self.send(store, outgoing);
        }
        self.foreign.clear();
        self.visit_shards(store, waits, |batch, shard, at| {
            let child = &batch.children[at];
            match shard.admit(&batch.offer(store, at), child.mv, child.parent, child.f - child.g) {
                Ok((id, was_closed)) => {
                    stats.stored += u64::from(was_closed.is_none());
                    stats.reopened += u64::from(was_closed == Some(true));
                    admitted.push(Admitted { id, f: child.f, g: child.g, position: at as u32 });
                }
                Err(lookup) => {
                    stats.duplicates += 1;
                    batch.note_woken(lookup, at);
                }
            }
            false
        });
        // Shards are visited in the order of hashes. This sorting makes the results depend on the order of generation
        // alone.
        admitted[admitted_before..].sort_unstable_by_key(|child| child.position);
        self.woken[woken_before..].sort_unstable_by_key(|&(_, _, at)| at);
        self.keep_skipped(store.key_len());
        expander.retain_frames(&self.frames);
        stats
    }

    /// Sends the children of other ranks to their owners.
    fn send(&self, store: &Store, outgoing: &OutgoingParcels<'_>) {
        for &(shard, at) in &self.foreign {
            let Child { g, mv, parent, sleep_set, .. } = self.children[at as usize];
            let key = &self.keys[at as usize * store.key_len()..][..store.key_len()];
            outgoing.add(shard as usize, &SentChild { key, tag: Tag { g, mv, parent }, sleep_set });
        }
    }

    /// Drops all children but the skipped ones, and renumbers their frames from 0, in the order of `frames`.
    fn keep_skipped(&mut self, key_len: usize) {
        self.skipped.sort_unstable_by_key(|&(_, at)| at);
        self.frames.clear();
        for (to, &(shard, at)) in self.skipped.iter().enumerate() {
            let at = at as usize;
            self.children.swap(to, at);
            // Frame numbers rise with the positions of the children. So if `frames` has this frame already, it is the
            // last one.
            let slot = &mut self.children[to].slot;
            if self.frames.last() != Some(&slot.frame) {
                self.frames.push(slot.frame);
            }
            slot.frame = self.frames.len() as u32 - 1;
            self.keys.copy_within(at * key_len..(at + 1) * key_len, to * key_len);
            self.order.push((shard, to as u32));
        }
        self.children.truncate(self.skipped.len());
        self.keys.truncate(self.skipped.len() * key_len);
        self.skipped.clear();
    }

    /// Calls `visit` for each child in `order` under the lock of its shard, and keeps in `order` the children for which
    /// `visit` returns true. Unless `waits` is set, children of a locked shard move to `skipped`.
    #[inline]
    fn visit_shards(
        &mut self,
        store: &Store,
        waits: bool,
        mut visit: impl FnMut(&mut Self, &mut ShardGuard<'_>, usize) -> bool,
    ) {
        let mut order = std::mem::take(&mut self.order);
        let (mut kept, mut next) = (0, 0);
        while next < order.len() {
            let number = order[next].0;
            let shard = if waits { Some(store.lock(number as usize)) } else { store.try_lock(number as usize) };
            let Some(mut shard) = shard else {
                let child_count = order[next..].iter().take_while(|entry| entry.0 == number).count();
                self.skipped.extend_from_slice(&order[next..next + child_count]);
                next += child_count;
                continue;
            };
            while next < order.len() && order[next].0 == number {
                let entry = order[next];
                next += 1;
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
        Offer { hash: child.hash, key: &self.keys[at * len..][..len], g: child.g, sleep_set: child.sleep_set }
    }

    /// Notes moves that the lookup of the child at a position has woken. Returns whether the child is new.
    #[inline]
    pub(super) fn note_woken(&mut self, lookup: Lookup, at: usize) -> bool {
        if let Lookup::Woken(id, moves) = lookup {
            self.woken.push((id, moves, at as u32));
        }
        lookup == Lookup::New
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::layout_of;
    use super::*;
    use crate::domain::{Bound, Domain, LowerBound, Successor};
    use crate::expand::{Problem, StateSpace};

    /// The numbers below 200, each a child of the root.
    pub(crate) struct Numbers;

    impl Domain for Numbers {
        type State = u32;

        fn key_len(&self) -> usize {
            4
        }

        fn root(&self) -> u32 {
            u32::MAX
        }

        fn pack(&self, state: &u32, key: &mut [u8]) {
            key.copy_from_slice(&state.to_le_bytes());
        }

        fn unpack(&self, key: &[u8], state: &mut u32) {
            *state = key.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        }

        fn successors(&self, state: &u32, _: MoveMask, out: &mut Vec<Successor<u32>>) {
            if *state == self.root() {
                out.extend((0..200).map(|state| Successor { mv: 0, cost: 1, sleep_set: 0, state }));
            }
        }

        fn terminal_cost(&self, _: &u32) -> Option<Cost> {
            None
        }
    }

    impl LowerBound<Numbers> for Numbers {
        type Scratch = ();

        fn name(&self) -> String {
            "last digit".to_owned()
        }

        fn evaluate(&self, state: &u32, _: Cost, (): &mut ()) -> Bound {
            Bound(state % 10)
        }

        fn is_consistent(&self) -> bool {
            false
        }
    }

    /// The children that a flush with the range 3..8 opens, as (number, f).
    fn flush(store: &Store, expander: &mut dyn Expander, batch: &mut Batch, blocking: Blocking) -> Vec<(u32, Cost)> {
        let mut admitted = Vec::new();
        let stats = batch.flush(store, None, expander, 3..8, blocking, &mut admitted);
        assert_eq!((stats.stored, stats.reopened), (admitted.len() as u64, 0));
        for child in &admitted {
            assert_eq!((child.g, store.tag(child.id).g), (1, 1));
        }
        let number = |child: &Admitted| u32::from_le_bytes(store.key(child.id)[..].try_into().unwrap());
        admitted.iter().map(|child| (number(child), child.f)).collect()
    }

    #[test]
    fn children_of_a_held_shard_stay_behind_and_arrive_later() {
        let problem = Problem::new(&Numbers, Numbers);
        let (store, mut expander) = (Store::new(layout_of(&problem, 8)), problem.expander());
        let expander = &mut *expander;
        let owner = |number: u32| store.shard_of_hash(hash_key(&number.to_le_bytes()));
        let (mut batch, mut children) = (Batch::default(), Vec::new());
        let frame = expander.expand_key(&u32::MAX.to_le_bytes(), 0, None, &mut children);
        batch.push(&store, expander, Id::NONE, 0, frame, &children);
        let wanted = |held: bool| {
            let numbers = (0..200).filter(|&number| number % 10 < 7 && (owner(number) == 2) == held);
            numbers.map(|number| (number, (1 + number % 10).max(3))).collect::<Vec<_>>()
        };
        let guard = store.lock(2);
        let mut first = flush(&store, expander, &mut batch, Blocking::Skip);
        first.sort_unstable();
        assert_eq!(first, wanted(false));
        assert_eq!(batch.len(), (0..200).filter(|&number| owner(number) == 2).count());
        assert_eq!(flush(&store, expander, &mut batch, Blocking::Skip), [], "the shard is still held");
        drop(guard);
        let mut second = flush(&store, expander, &mut batch, Blocking::Wait);
        second.sort_unstable();
        assert_eq!((second, batch.len()), (wanted(true), 0));
    }
}
