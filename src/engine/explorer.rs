//! What a worker does with stored states in every engine that keeps them: take one from the store, expand it, bring
//! its children back.

use super::Statistics;
use super::batch::{Admitted, Batch, Bill, Patience};
use super::incumbent::Incumbent;
use super::kernel::{Counts, Kernel, Problem, Reach};
use super::snapshot::Work;
use super::team::Team;
use crate::domain::{Cost, Domain, LowerBound, MoveMask, Successor};
use crate::runtime::Gauges;
use crate::store::{Id, Reading, Store};
use crossbeam::deque::Worker as Queue;
use std::sync::atomic::Ordering::Relaxed;

/// The exploring part of one worker.
pub(super) struct Explorer<'s, 'a, D: Domain, B: LowerBound<D>> {
    store: &'s Store,
    incumbent: &'s Incumbent<'a>,
    pub(super) kernel: Kernel<'a, D, B>,
    batch: Batch<D>,
    /// What the last flush opened; for the engine to take.
    pub(super) admitted: Vec<Admitted>,
    scratch: D::State,
    reading: Reading,
    /// States expanded, each counted once.
    pub(super) expanded: u64,
    /// What the flushes did.
    pub(super) bill: Bill,
    /// What the gauges were told so far, with the states stored.
    told: (Work, u64),
    /// States closed, for the archive.
    closed: Vec<Id>,
}

/// Closed states that a worker notes at a time.
const CLOSED: usize = 1 << 13;

impl<'s, 'a, D: Domain, B: LowerBound<D>> Explorer<'s, 'a, D, B> {
    pub(super) fn new(problem: Problem<'a, D, B>, store: &'s Store, incumbent: &'s Incumbent<'a>) -> Self {
        Self {
            store,
            incumbent,
            kernel: Kernel::new(problem),
            batch: Batch::default(),
            admitted: Vec::new(),
            scratch: problem.domain.root(),
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
        let domain = self.kernel.problem.domain;
        let root = domain.root();
        if let Some(cost) = domain.terminal(&root) {
            self.incumbent.offer(cost, Vec::new);
        }
        self.batch.push(self.store, domain, Id::NONE, 0, Successor { mv: 0, cost: 0, asleep: 0, state: root });
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
        if self.store.archive().is_some() {
            self.closed.push(id);
            if self.closed.len() >= CLOSED {
                self.note_closed();
            }
        }
        self.generate(id, asleep, least)
    }

    /// Tells the archive of all states closed.
    pub(super) fn note_closed(&mut self) {
        if !self.closed.is_empty() {
            self.store.note_closed(std::mem::take(&mut self.closed));
        }
    }

    /// Hands the open nodes of a part of the store that was read back to `open`, with the f, g and id of each, as if they
    /// had just been admitted; `floor` is the least f.
    pub(super) fn reopen(&mut self, part: usize, floor: Cost, mut open: impl FnMut(Cost, Cost, Id)) {
        let upper = self.incumbent.cost();
        let Self { store, kernel, scratch, reading, .. } = self;
        store.open_records(part, reading, |id, key, g| {
            kernel.problem.domain.unpack(key, scratch);
            if let Some(f) = kernel.evaluate(None, scratch, g, upper).map(|f| f.max(floor)).filter(|&f| f < upper) {
                open(f, g, id);
            }
        });
        reading.unpin();
    }

    /// The f and g of an open node by the bound of today, `None` when that is as much as the incumbent costs. An f above `layer` may be
    /// any from there on that is no more than it is.
    pub(super) fn appraise(&mut self, id: Id, layer: Cost) -> Option<(Cost, Cost)> {
        // What cannot be read is an error of the archive, and the search ends.
        let (key, tag) = self.store.record(id, &mut self.reading)?;
        self.kernel.problem.domain.unpack(key, &mut self.scratch);
        let reach = self.kernel.reach(None, &self.scratch, tag.g, layer);
        self.reading.unpin();
        let (Reach::Within(f) | Reach::Beyond(f)) = reach else { return None };
        (f < self.incumbent.cost()).then_some((f, tag.g))
    }

    #[inline]
    fn generate(&mut self, id: Id, skip: MoveMask, least: Cost) -> Cost {
        let domain = self.kernel.problem.domain;
        // Without its record there is nothing to expand: the archive has an error, and the search ends.
        let Some((key, tag)) = self.store.record(id, &mut self.reading) else { return Cost::MAX };
        let g = tag.g;
        domain.unpack(key, &mut self.scratch);
        let upper = self.incumbent.cost();
        // With more to spare few children would be dismissed.
        let mut children = if least.saturating_add(1) < upper {
            self.kernel.expand(&self.scratch, skip)
        } else {
            self.kernel.expand_below(&self.scratch, skip, g, upper)
        };
        self.batch.begin(&self.scratch);
        let mut cheapest = Cost::MAX;
        for child in children.drain(..) {
            if let Some(stop) = domain.terminal(&child.state) {
                let cost = g + child.cost + stop;
                if cost < self.incumbent.cost()
                    && let Some(path) = self.store.path(id, &mut self.reading)
                {
                    self.incumbent.offer(cost, || [&path[..], &[child.mv]].concat());
                }
                cheapest = cheapest.min(cost);
            }
            self.batch.push(self.store, domain, id, g, child);
        }
        self.reading.unpin();
        self.kernel.recycle(children);
        cheapest
    }

    /// Brings the collected children to the store; those that are open now, with an f of `floor` at least, are in
    /// [`Explorer::admitted`].
    #[inline]
    pub(super) fn flush(&mut self, floor: Cost, patience: Patience) {
        let range = floor..self.incumbent.cost();
        let bill = self.batch.flush(self.store, &mut self.kernel, range, patience, &mut self.admitted);
        self.bill.stored += bill.stored;
        self.bill.reopened += bill.reopened;
    }

    /// What this worker did so far.
    pub(super) fn work(&self) -> Work {
        let Counts { generated, evaluated } = self.kernel.counts;
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
pub(super) fn explore<'s, 'a, D: Domain, B: LowerBound<D>, W: Send>(
    problem: Problem<'a, D, B>,
    team: &'s Team<'a, W>,
    store: &'s Store,
    queues: Vec<Queue<W>>,
    work: impl Fn(usize, Queue<W>, Explorer<'s, 'a, D, B>) -> Explorer<'s, 'a, D, B> + Sync,
) -> Statistics {
    let haul = team.run(queues, |number, queue| {
        let explorer = Explorer::new(problem, store, &team.incumbent);
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
