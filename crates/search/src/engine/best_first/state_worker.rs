//! The part of a worker that expands stored states: it reads a state from the store, expands it, and stores the
//! children.

use super::batch::{Admitted, Batch, Blocking, FlushStats};
use super::rank_parcels::{OutgoingParcels, SentChild, SentChildren, Trail, broadcast_solution};
use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::engine::incumbent::Incumbent;
use crate::engine::outcome::Solution;
use crate::engine::work::Work;
use crate::expand::{Child, Counts, Expander, FValue, Slot, StateSpace};
use crate::runtime::{Gauges, Notice};
use crate::store::{Id, Lookup, MAX_G, RecordReader, ShardGuard, Store, Tag, hash_key};
use std::sync::atomic::Ordering::Relaxed;

pub(super) struct StateWorker<'s, 'a> {
    space: &'s dyn StateSpace,
    store: &'s Store,
    /// The parcels to other ranks, if there are any.
    outgoing: Option<&'s OutgoingParcels<'s>>,
    incumbent: &'s Incumbent<'a>,
    expander: Box<dyn Expander + 's>,
    batch: Batch,
    children: Vec<Child>,
    /// The nodes that the last flush opened. The engine takes them from here.
    pub(super) admitted: Vec<Admitted>,
    reader: RecordReader,
    pub(super) expanded: u64,
    pub(super) flush_stats: FlushStats,
    /// The work, and the numbers of stored states and of duplicates, that the gauges contain already.
    reported: (Work, u64, u64),
    /// Closed states that the journal does not have yet.
    closed: Vec<Id>,
    /// The children of the parcel that is being received.
    arrivals: Vec<Arrival>,
}

/// A child that another rank has sent.
struct Arrival {
    shard: u32,
    /// Its offset in the parcel.
    offset: u32,
    hash: u64,
    /// Its f, after its evaluation.
    f: Cost,
}

/// The number of closed states at which a worker reports them to the journal.
const MAX_UNNOTED: usize = 1 << 13;

impl<'s, 'a> StateWorker<'s, 'a> {
    pub(super) fn new(
        space: &'s dyn StateSpace,
        store: &'s Store,
        outgoing: Option<&'s OutgoingParcels<'s>>,
        incumbent: &'s Incumbent<'a>,
    ) -> Self {
        Self {
            space,
            store,
            outgoing,
            incumbent,
            expander: space.expander(),
            batch: Batch::default(),
            children: Vec::new(),
            admitted: Vec::new(),
            reader: RecordReader::default(),
            expanded: 0,
            flush_stats: FlushStats::default(),
            reported: (Work::default(), 0, 0),
            closed: Vec::new(),
            arrivals: Vec::new(),
        }
    }

    /// The number of children that are not flushed yet.
    #[inline]
    pub(super) fn pending(&self) -> usize {
        self.batch.len()
    }

    /// Opens the root if this rank owns it.
    pub(super) fn begin(&mut self) {
        let terminal_cost = self.space.root_terminal_cost();
        if let Some(cost) = terminal_cost {
            self.incumbent.offer(cost, Vec::new);
        }
        let Slot { frame, .. } = self.expander.place_root();
        let root = Child { mv: 0, cost: 0, sleep_set: 0, terminal_cost };
        self.batch.push(self.store, &*self.expander, Id::NONE, 0, frame, &[root]);
        // Every rank generates the root, so none sends it: without `outgoing`, all but its owner drop it.
        self.flush_to(None, 0, Blocking::Wait);
    }

    /// Expands the woken moves of a closed state, if there are any. `min_f` is a lower bound on the f of the state.
    /// Returns the cost of the cheapest solution among the children ([`Cost::MAX`] if there is none).
    #[inline]
    pub(super) fn expand_woken(&mut self, min_f: Cost) -> Option<Cost> {
        let (id, moves) = self.batch.pop_woken()?;
        Some(self.generate(id, !moves, min_f))
    }

    /// Closes and expands an open node, unless it is closed already. `min_f` is a lower bound on the f of the node.
    /// Returns the cost of the cheapest solution among the children, or [`Cost::MAX`] if there is none.
    #[inline]
    pub(super) fn expand(&mut self, id: Id, min_f: Cost) -> Cost {
        let Some(sleep_set) = self.store.close(id) else { return Cost::MAX };
        self.expanded += 1;
        if self.store.files().is_some() {
            self.closed.push(id);
            if self.closed.len() >= MAX_UNNOTED {
                self.note_closed();
            }
        }
        self.generate(id, sleep_set, min_f)
    }

    /// Reports all states closed so far to the journal.
    pub(super) fn note_closed(&mut self) {
        if !self.closed.is_empty() {
            self.store.note_closed(std::mem::take(&mut self.closed));
        }
    }

    /// Calls `open` with f, g and id of each open node in one part of a store that was read back from disk. This f
    /// comes from the record, raised to `floor`. It is at most the f of the node, which is evaluated when its turn
    /// comes.
    pub(super) fn reopen(&mut self, part: usize, floor: Cost, mut open: impl FnMut(Cost, Cost, Id)) {
        let upper = self.incumbent.cost();
        let Self { store, reader, .. } = self;
        store.open_records(part, reader, |id, g, h| {
            let f = (g + h).max(floor);
            if f < upper {
                open(f, g, id);
            }
        });
        reader.unpin();
    }

    /// The f and g of an open node, evaluated again with the current lower bound. `None` if the node cannot beat the
    /// incumbent. An f above `layer` is a lower bound on the true f, because the evaluation stops early.
    pub(super) fn reevaluate(&mut self, id: Id, layer: Cost) -> Option<(Cost, Cost)> {
        // When a record cannot be read, the store has an error, which ends the search.
        let (key, tag) = self.store.record(id, &mut self.reader)?;
        let f_value = self.expander.evaluate_key(key, tag.g, layer);
        self.reader.unpin();
        let (FValue::Within(f) | FValue::Beyond(f)) = f_value else { return None };
        (f < self.incumbent.cost()).then_some((f, tag.g))
    }

    #[inline]
    fn generate(&mut self, id: Id, skip: MoveMask, min_f: Cost) -> Cost {
        // When a record cannot be read, the store has an error, which ends the search.
        let Some((key, tag)) = self.store.record(id, &mut self.reader) else { return Cost::MAX };
        let g = tag.g;
        let upper = self.incumbent.cost();
        // With more slack, few children would be dismissed.
        let cutoff = (min_f.saturating_add(1) >= upper).then(|| upper.saturating_sub(g));
        self.children.clear();
        let frame = self.expander.expand_key(key, skip, cutoff, &mut self.children);
        let (mut cheapest, mut solutions) = (Cost::MAX, Vec::new());
        for child in &self.children {
            if let Some(end_cost) = child.terminal_cost {
                let cost = g + child.cost + end_cost;
                if cost < self.incumbent.cost() {
                    solutions.push((cost, child.mv));
                }
                cheapest = cheapest.min(cost);
            }
        }
        self.batch.push(self.store, &*self.expander, id, g, frame, &self.children);
        solutions.into_iter().for_each(|(cost, mv)| self.offer(id, mv, cost));
        self.reader.unpin();
        cheapest
    }

    #[cold]
    fn offer(&mut self, id: Id, mv: MoveIndex, cost: Cost) {
        let Some(outgoing) = self.outgoing else {
            if let Some(path) = self.store.path(id, &mut self.reader) {
                self.incumbent.offer(cost, || [&path[..], &[mv]].concat());
            }
            return;
        };
        if self.incumbent.claim(cost) {
            outgoing.exchange.broadcast(Notice::Incumbent(cost));
            self.follow(outgoing, Trail { cost, id, moves: vec![mv] });
        }
    }

    /// Follows the path of a solution through the records of this rank. At the root the path is complete, and all ranks
    /// get the solution; otherwise the trail goes on to the rank that owns the next record.
    pub(super) fn follow(&mut self, outgoing: &OutgoingParcels<'_>, mut trail: Trail) {
        // When a record cannot be read, the store has an error, which ends the search.
        let Some(next) = self.store.trace(trail.id, &mut trail.moves, &mut self.reader) else { return };
        self.reader.unpin();
        if next == Id::NONE {
            let Trail { cost, mut moves, .. } = trail;
            moves.reverse();
            let solution = Solution { cost, moves };
            broadcast_solution(outgoing.exchange, &solution);
            self.incumbent.confirm(solution);
        } else {
            outgoing.forward(&Trail { id: next, ..trail }, self.store.shard_of(next));
        }
    }

    /// Stores children that another rank has sent, as a flush stores the children of this rank. The children that were
    /// opened are in [`StateWorker::admitted`], with an f of at least `floor`. Sends nothing.
    pub(super) fn receive_children(&mut self, children: SentChildren<'_>, floor: Cost) {
        let upper = self.incumbent.cost().min(MAX_G + 1);
        self.arrivals.clear();
        for (offset, child) in children.iter() {
            let hash = hash_key(child.key);
            self.store.prefetch(hash);
            self.arrivals.push(Arrival { shard: self.store.shard_of_hash(hash) as u32, offset, hash, f: Cost::MAX });
        }
        self.arrivals.sort_unstable_by_key(|arrival| (arrival.shard, arrival.offset));
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.visit(&mut arrivals, |worker, shard, arrival| {
            let lookup = shard.lookup(&children.at(arrival.offset).offer(arrival.hash));
            worker.note_lookup(lookup)
        });
        arrivals.retain_mut(|arrival| {
            let SentChild { key, tag: Tag { g, .. }, .. } = children.at(arrival.offset);
            let f = self.expander.evaluate_key(key, g, upper.saturating_sub(1)).below(upper);
            arrival.f = f.map_or(Cost::MAX, |f| f.max(floor));
            arrival.f < upper
        });
        self.visit(&mut arrivals, |worker, shard, &mut Arrival { offset, hash, f, .. }| {
            let child = children.at(offset);
            let Tag { g, mv, parent } = child.tag;
            match shard.admit(&child.offer(hash), mv, parent, f - g) {
                Ok((id, was_closed)) => {
                    worker.flush_stats.stored += u64::from(was_closed.is_none());
                    worker.flush_stats.reopened += u64::from(was_closed == Some(true));
                    worker.admitted.push(Admitted { id, f, g, position: offset });
                }
                Err(lookup) => {
                    worker.note_lookup(lookup);
                }
            }
            false
        });
        self.arrivals = arrivals;
    }

    /// Calls `visit` for each arrival under the lock of its shard, and keeps the arrivals for which `visit` returns
    /// true.
    fn visit(
        &mut self,
        arrivals: &mut Vec<Arrival>,
        mut visit: impl FnMut(&mut Self, &mut ShardGuard<'_>, &mut Arrival) -> bool,
    ) {
        let mut locked: Option<(u32, ShardGuard<'_>)> = None;
        let store = self.store;
        arrivals.retain_mut(|arrival| {
            let shard = arrival.shard;
            if locked.as_ref().is_none_or(|(number, _)| *number != shard) {
                // No worker locks two shards at a time.
                drop(locked.take());
            }
            let (_, guard) = locked.get_or_insert_with(|| (shard, store.lock(shard as usize)));
            visit(self, guard, arrival)
        });
    }

    /// Counts a child whose state is known already, and notes moves that its lookup has woken. Returns whether the
    /// state is new.
    fn note_lookup(&mut self, lookup: Lookup) -> bool {
        let is_new = self.batch.note_woken(lookup, 0);
        self.flush_stats.duplicates += u64::from(!is_new);
        is_new
    }

    /// Stores the collected children. The children that were opened are in [`StateWorker::admitted`], with an f of at
    /// least `floor`.
    #[inline]
    pub(super) fn flush(&mut self, floor: Cost, blocking: Blocking) {
        self.flush_to(self.outgoing, floor, blocking);
    }

    #[inline]
    fn flush_to(&mut self, outgoing: Option<&OutgoingParcels<'_>>, floor: Cost, blocking: Blocking) {
        // The upper end is at most `MAX_G + 1`, because a record cannot hold a larger g.
        let range = floor..self.incumbent.cost().min(MAX_G + 1);
        let stats = self.batch.flush(self.store, outgoing, &mut *self.expander, range, blocking, &mut self.admitted);
        self.flush_stats.stored += stats.stored;
        self.flush_stats.reopened += stats.reopened;
        self.flush_stats.duplicates += stats.duplicates;
    }

    pub(super) fn work(&self) -> Work {
        let Counts { generated, evaluated } = self.expander.counts();
        Work { expanded: self.expanded, generated, evaluated, reopened: self.flush_stats.reopened }
    }

    /// The number of expanded states that the gauges do not contain yet.
    #[inline]
    pub(super) fn unreported(&self) -> u64 {
        self.expanded - self.reported.0.expanded
    }

    /// Adds to the gauges the work that they do not contain yet.
    pub(super) fn report(&mut self, gauges: &Gauges) {
        let (work, FlushStats { stored, duplicates, .. }) = (self.work(), self.flush_stats);
        let new = work - self.reported.0;
        gauges.expanded.fetch_add(new.expanded, Relaxed);
        gauges.generated.fetch_add(new.generated, Relaxed);
        gauges.stored.fetch_add(stored - self.reported.1, Relaxed);
        gauges.duplicates.fetch_add(duplicates - self.reported.2, Relaxed);
        gauges.reopened.fetch_add(new.reopened, Relaxed);
        self.reported = (work, stored, duplicates);
    }
}
