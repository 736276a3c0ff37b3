//! What a worker does with stored states in every engine that keeps them: take one from the store, expand it, bring
//! its children back.

use super::Statistics;
use super::batch::{Admitted, Batch, Bill, Patience};
use super::incumbent::Incumbent;
use super::snapshot::Work;
use super::team::Team;
use crate::domain::{Cost, MoveMask};
use crate::expand::{Child, Counts, Expander, Reach, StateSpace};
use crate::runtime::Gauges;
use crate::store::{Id, Layout, MAX_G, Reading, Store, shards_for};
use crossbeam::deque::Worker as Queue;
use std::sync::atomic::Ordering::Relaxed;

/// The exploring part of one worker.
pub(super) struct Explorer<'s, 'a> {
    space: &'s dyn StateSpace,
    store: &'s Store,
    incumbent: &'s Incumbent<'a>,
    expander: Box<dyn Expander + 's>,
    batch: Batch,
    children: Vec<Child>,
    /// What the last flush opened; for the engine to take.
    pub(super) admitted: Vec<Admitted>,
    reading: Reading,
    /// States expanded, each counted once.
    pub(super) expanded: u64,
    /// What the flushes did.
    pub(super) bill: Bill,
    /// What the gauges were told so far, with the states stored.
    told: (Work, u64),
    /// Closed states that the journal does not have yet.
    closed: Vec<Id>,
}

/// Closed states that a worker notes at a time.
const CLOSED: usize = 1 << 13;

/// An empty store for the states of `space`.
pub(super) fn new_store(space: &dyn StateSpace, workers: usize) -> Store {
    Store::new(Layout { key_len: space.key_len(), mask_bits: space.mask_bits(), shards: shards_for(workers) })
}

impl<'s, 'a> Explorer<'s, 'a> {
    /// `ranks` says whether the engine ranks states by their promise.
    pub(super) fn new(space: &'s dyn StateSpace, store: &'s Store, incumbent: &'s Incumbent<'a>, ranks: bool) -> Self {
        Self {
            space,
            store,
            incumbent,
            expander: space.expander(),
            batch: Batch::new(ranks),
            children: Vec::new(),
            admitted: Vec::new(),
            reading: Reading::default(),
            expanded: 0,
            bill: Bill::default(),
            told: (Work::default(), 0),
            closed: Vec::new(),
        }
    }

    /// Children collected and not yet flushed.
    #[inline]
    pub(super) fn pending(&self) -> usize {
        self.batch.len()
    }

    /// Collects the root; it is open after the next flush.
    pub(super) fn begin(&mut self) {
        let terminal = self.space.root_terminal();
        if let Some(cost) = terminal {
            self.incumbent.offer(cost, Vec::new);
        }
        let frame = self.expander.place(None);
        let root = Child { mv: 0, cost: 0, asleep: 0, terminal };
        self.batch.push((self.store, &*self.expander), (Id::NONE, 0), frame, &[root]);
    }

    /// Expands moves that were wrongly asleep at closed states, if there are any, of an f of `least` or more. Returns the cost of the cheapest
    /// solution met.
    #[inline]
    pub(super) fn expand_woken(&mut self, least: Cost) -> Option<Cost> {
        let (id, moves) = self.batch.pop_woken()?;
        Some(self.generate(id, !moves, least))
    }

    /// Expands an open node of an f of `least` or more, unless it was closed already. Returns the cost of the cheapest solution met, or
    /// [`Cost::MAX`].
    #[inline]
    pub(super) fn expand(&mut self, id: Id, least: Cost) -> Cost {
        let Some(asleep) = self.store.close(id) else { return Cost::MAX };
        self.expanded += 1;
        if self.store.backing().is_some() {
            self.closed.push(id);
            if self.closed.len() >= CLOSED {
                self.note_closed();
            }
        }
        self.generate(id, asleep, least)
    }

    /// Reports all closed states to the journal.
    pub(super) fn note_closed(&mut self) {
        if !self.closed.is_empty() {
            self.store.note_closed(std::mem::take(&mut self.closed));
        }
    }

    /// Hands the open nodes of a part of the store that was read back to `open`, with the f, g and id of each, as if they
    /// had just been admitted; `floor` is the least f.
    pub(super) fn reopen(&mut self, part: usize, floor: Cost, mut open: impl FnMut(Cost, Cost, Id)) {
        let upper = self.incumbent.cost();
        let Self { store, expander, reading, .. } = self;
        store.open_records(part, reading, |id, key, g| {
            if let Some(f) = expander.evaluate_key(key, g, upper).map(|f| f.max(floor)).filter(|&f| f < upper) {
                open(f, g, id);
            }
        });
        reading.unpin();
    }

    /// The f and g of an open node by the bound of today, `None` when that is as much as the incumbent costs. An f above `layer` may be
    /// any from there on that is no more than it is.
    pub(super) fn appraise(&mut self, id: Id, layer: Cost) -> Option<(Cost, Cost)> {
        // When reading fails, the store has an error, and the search ends.
        let (key, tag) = self.store.record(id, &mut self.reading)?;
        let reach = self.expander.reach_key(key, tag.g, layer);
        self.reading.unpin();
        let (Reach::Within(f) | Reach::Beyond(f)) = reach else { return None };
        (f < self.incumbent.cost()).then_some((f, tag.g))
    }

    #[inline]
    fn generate(&mut self, id: Id, skip: MoveMask, least: Cost) -> Cost {
        // When reading fails, the store has an error, and the search ends.
        let Some((key, tag)) = self.store.record(id, &mut self.reading) else { return Cost::MAX };
        let g = tag.g;
        let upper = self.incumbent.cost();
        // With more to spare few children would be dismissed.
        let enough = (least.saturating_add(1) >= upper).then(|| upper.saturating_sub(g));
        self.children.clear();
        let frame = self.expander.expand_key(key, skip, enough, &mut self.children);
        let mut cheapest = Cost::MAX;
        for child in &self.children {
            if let Some(stop) = child.terminal {
                let cost = g + child.cost + stop;
                if cost < self.incumbent.cost()
                    && let Some(path) = self.store.path(id, &mut self.reading)
                {
                    self.incumbent.offer(cost, || [&path[..], &[child.mv]].concat());
                }
                cheapest = cheapest.min(cost);
            }
        }
        self.batch.push((self.store, &*self.expander), (id, g), frame, &self.children);
        self.reading.unpin();
        cheapest
    }

    /// Brings the collected children to the store; those that are open now, with an f of `floor` at least, are in
    /// [`Explorer::admitted`].
    #[inline]
    pub(super) fn flush(&mut self, floor: Cost, patience: Patience) {
        // A record has room for this g.
        let range = floor..self.incumbent.cost().min(MAX_G + 1);
        let bill = self.batch.flush(self.store, &mut *self.expander, range, patience, &mut self.admitted);
        self.bill.stored += bill.stored;
        self.bill.reopened += bill.reopened;
    }

    /// What this worker did so far.
    pub(super) fn work(&self) -> Work {
        let Counts { generated, evaluated } = self.expander.counts();
        Work { expanded: self.expanded, generated, evaluated, reopened: self.bill.reopened }
    }

    /// States expanded that the gauges do not know of.
    #[inline]
    pub(super) fn untold(&self) -> u64 {
        self.expanded - self.told.0.expanded
    }

    /// Brings the gauges up to date with this worker's account.
    pub(super) fn tell(&mut self, gauges: &Gauges) {
        let (work, stored) = (self.work(), self.bill.stored);
        let new = work - self.told.0;
        gauges.expanded.fetch_add(new.expanded, Relaxed);
        gauges.generated.fetch_add(new.generated, Relaxed);
        gauges.stored.fetch_add(stored - self.told.1, Relaxed);
        self.told = (work, stored);
    }
}

/// Runs `work` on a thread for each queue, each with an explorer that it gives back; returns what these did together.
/// `ranks` says whether the engine ranks states by their promise.
pub(super) fn explore<'s, 'a, W: Send>(
    (space, ranks): (&'s dyn StateSpace, bool),
    team: &'s Team<'a, W>,
    store: &'s Store,
    queues: Vec<Queue<W>>,
    work: impl Fn(usize, Queue<W>, Explorer<'s, 'a>) -> Explorer<'s, 'a> + Sync,
) -> Statistics {
    let haul = team.run(queues, |number, queue| {
        let explorer = Explorer::new(space, store, &team.incumbent, ranks);
        work(number, queue, explorer).work()
    });
    let mut work = Work::default();
    haul.results.into_iter().for_each(|part| work += part);
    Statistics {
        stored: store.records(),
        cpu_seconds: haul.cpu_seconds,
        peak_bytes: team.monitor.gauges.peak_bytes.load(Relaxed).max(store.bytes()),
        ..Statistics::from(work)
    }
}
