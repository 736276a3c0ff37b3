//! Children on their way into the store, some at a time.
//!
//! A batch goes to the store in three steps: the children *meet* what is known, those that are new are *evaluated*
//! (which costs most, and needs no lock), and those that may still lead to something better are *admitted*. Each step
//! visits a shard once, under one lock. Children of a shard that another worker holds (it may be growing, which takes
//! milliseconds) stay behind for the next time, so that nobody waits who has something else to do.

use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::expand::{self, Expander, Promise, Slot};
use crate::store::{Id, Lookup, Offer, ShardGuard, Store, hash_key};
use std::ops::Range;

struct Child {
    /// Where its typed state is.
    slot: Slot,
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
    /// How promising the state looks, where the engine ranks states; else 0.
    pub(super) promise: u32,
    /// Its number among what was brought to the store with it, in the order in which it was generated.
    pub(super) place: u32,
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
    /// It does not, unless more than [`MOST_LEFT`] children are in the batch.
    GoesOn,
}

/// A batch of more children than this waits, so that it does not grow for ever.
const MOST_LEFT: usize = 256;

/// The children that one worker has collected.
#[derive(Default)]
pub(super) struct Batch {
    children: Vec<Child>,
    /// The packed keys of `children`, one after another.
    keys: Vec<u8>,
    /// Shard and position of the children that are still to be visited, by shard.
    order: Vec<(u32, u32)>,
    /// Those whose shard another worker held.
    left: Vec<(u32, u32)>,
    /// The frames of these.
    frames: Vec<u32>,
    /// Moves of closed states that turned out not to be superfluous.
    woken: Vec<(Id, MoveMask)>,
    /// Whether the engine ranks states by their promise.
    ranks: bool,
}

impl Batch {
    /// An empty batch for an engine that ranks states by their promise, or does not.
    pub(super) fn new(ranks: bool) -> Self {
        Self { ranks, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// A closed state and moves of it that have to be expanded after all.
    #[inline]
    pub(super) fn pop_woken(&mut self) -> Option<(Id, MoveMask)> {
        self.woken.pop()
    }

    /// Adds the children in `frame` of the state `parent`, which was reached at cost `g`.
    #[inline]
    pub(super) fn push(
        &mut self,
        (store, expander): (&Store, &dyn Expander),
        (parent, g): (Id, Cost),
        frame: u32,
        children: &[expand::Child],
    ) {
        for (at, child) in children.iter().enumerate() {
            let (place, slot) = (self.keys.len(), Slot { frame, at: at as u32 });
            self.keys.resize(place + store.key_len(), 0);
            expander.pack(slot, &mut self.keys[place..]);
            let hash = hash_key(&self.keys[place..]);
            store.prefetch(hash);
            self.order.push((store.owner(hash) as u32, self.children.len() as u32));
            let (asleep, mv, g) = (child.asleep, child.mv, g + child.cost);
            self.children.push(Child { slot, hash, asleep, parent, g, mv, f: Cost::MAX });
        }
    }

    /// Empties the batch into the store, as far as its patience goes. A child is admitted when its f, taken as at least
    /// `range.start`, lies below `range.end`; `admitted` receives it.
    pub(super) fn flush(
        &mut self,
        store: &Store,
        expander: &mut dyn Expander,
        range: Range<Cost>,
        patience: Patience,
        admitted: &mut Vec<Admitted>,
    ) -> Bill {
        let mut bill = Bill::default();
        let waits = patience == Patience::Waits || self.children.len() > MOST_LEFT;
        self.order.sort_unstable();
        self.visit_shards(store, waits, |batch, shard, at| {
            let meeting = shard.lookup(&batch.offer(store, at));
            batch.heed(meeting)
        });
        let children = &mut self.children;
        self.order.retain(|&(_, at)| {
            let child = &mut children[at as usize];
            let f = expander.evaluate(child.slot, child.g, range.end);
            child.f = f.map_or(Cost::MAX, |f| f.max(range.start));
            child.f < range.end
        });
        self.visit_shards(store, waits, |batch, shard, at| {
            let child = &batch.children[at];
            match shard.admit(&batch.offer(store, at), child.mv, child.parent) {
                Ok((id, reopened)) => {
                    bill.stored += 1;
                    bill.reopened += u64::from(reopened);
                    let promise = if batch.ranks { expander.promise(child.slot, Promise::Usual) } else { 0 };
                    admitted.push(Admitted { id, f: child.f, g: child.g, promise, place: at as u32 });
                }
                Err(meeting) => {
                    batch.heed(meeting);
                }
            }
            false
        });
        self.keep_left(store.key_len());
        expander.keep(&self.frames);
        bill
    }

    /// Forgets all children but those that were left behind. Their frames are numbered by [`Batch::frames`] then.
    fn keep_left(&mut self, key_len: usize) {
        self.left.sort_unstable_by_key(|&(_, at)| at);
        self.frames.clear();
        for (to, &(owner, at)) in self.left.iter().enumerate() {
            let at = at as usize;
            self.children.swap(to, at);
            // Frames stand in the order of their children: the one kept last may be this child's as well.
            let slot = &mut self.children[to].slot;
            if self.frames.last() != Some(&slot.frame) {
                self.frames.push(slot.frame);
            }
            slot.frame = self.frames.len() as u32 - 1;
            self.keys.copy_within(at * key_len..(at + 1) * key_len, to * key_len);
            self.order.push((owner, to as u32));
        }
        self.children.truncate(self.left.len());
        self.keys.truncate(self.left.len() * key_len);
        self.left.clear();
    }

    /// Calls `visit` for each child in `order` under the lock of its shard; keeps those that it returns true for.
    /// Unless it `waits`, the children of a shard that is held are left behind.
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
    fn heed(&mut self, meeting: Lookup) -> bool {
        if let Lookup::Woken(id, moves) = meeting {
            self.woken.push((id, moves));
        }
        meeting == Lookup::New
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::{Bound, Domain, LowerBound, Successor};
    use crate::engine::explorer::new_store;
    use crate::expand::{Problem, StateSpace};

    /// Numbers below 200 that can be reached from the root alone.
    pub(in crate::engine) struct Numbers;

    impl Domain for Numbers {
        type State = u32;

        fn key_len(&self) -> usize {
            4
        }

        fn mask_bits(&self) -> u32 {
            0
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
                out.extend((0..200).map(|state| Successor { mv: 0, cost: 1, asleep: 0, state }));
            }
        }

        fn promise(&self, state: &u32) -> u32 {
            *state
        }

        fn terminal(&self, _: &u32) -> Option<Cost> {
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

        fn consistent(&self) -> bool {
            false
        }
    }

    /// What is admitted by a flush of the range 3..8, as (number, f).
    fn flush(
        (store, expander): (&Store, &mut dyn Expander),
        batch: &mut Batch,
        patience: Patience,
    ) -> Vec<(u32, Cost)> {
        let mut admitted = Vec::new();
        let bill = batch.flush(store, expander, 3..8, patience, &mut admitted);
        assert_eq!((bill.stored, bill.reopened), (admitted.len() as u64, 0));
        for child in &admitted {
            assert_eq!(store.key(child.id), child.promise.to_le_bytes(), "the record holds the state's own key");
            assert_eq!((child.g, store.tag(child.id).g), (1, 1));
        }
        admitted.iter().map(|child| (child.promise, child.f)).collect()
    }

    #[test]
    fn children_of_a_held_shard_stay_behind_and_arrive_later() {
        let problem = Problem::new(&Numbers, Numbers);
        let (store, mut expander) = (new_store(&problem, 1), problem.expander());
        let expander = &mut *expander;
        let owner = |number: u32| store.owner(hash_key(&number.to_le_bytes()));
        let (mut batch, mut children) = (Batch::new(true), Vec::new());
        let frame = expander.expand_key(&u32::MAX.to_le_bytes(), 0, None, &mut children);
        batch.push((&store, expander), (Id::NONE, 0), frame, &children);
        let wanted = |held: bool| {
            let numbers = (0..200).filter(|&number| number % 10 < 7 && (owner(number) == 2) == held);
            numbers.map(|number| (number, (1 + number % 10).max(3))).collect::<Vec<_>>()
        };
        let guard = store.lock(2);
        let mut first = flush((&store, expander), &mut batch, Patience::GoesOn);
        first.sort_unstable();
        assert_eq!(first, wanted(false));
        assert_eq!(batch.len(), (0..200).filter(|&number| owner(number) == 2).count());
        assert_eq!(flush((&store, expander), &mut batch, Patience::GoesOn), [], "the shard is still held");
        drop(guard);
        let mut second = flush((&store, expander), &mut batch, Patience::Waits);
        second.sort_unstable();
        assert_eq!((second, batch.len()), (wanted(true), 0));
    }
}
