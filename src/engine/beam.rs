//! Beam search: at each depth only the best states are kept.
//!
//! All workers expand one depth together. The candidates are ranked by f, by the ordering heuristic and by key, and
//! equal states are merged ([`TopK`]).
//!
//! **By outlook.** Where the domain has an [`Outlook`](crate::domain::Outlook), states are ranked by g plus the expected
//! cost instead, and compared with those of the same stage: a beam keeps the best states of each stage, however many
//! moves have led to them. Then no lower bound is evaluated below the root.
//!
//! **When to use it.** For a good solution of a large board within seconds, and for incumbents of exact engines. Memory
//! grows with the width, not with the time.
//!
//! **Guarantees.** The solution's cost and the expanded states do not depend on the number of threads; the moves may.
//! It proves nothing beyond the lower bound of the root.
//!
//! Reference: Lowerre (1976).

use super::context::Context;
use super::incumbent::Incumbent;
use super::outcome::{Outcome, Solution, Statistics};
use super::top_k::{Candidate, Link, Stopped, TopK};
use crate::domain::{Cost, MoveIndex, Outlook};
use crate::expand::{Counts, Expander, Promise, Slot, StateSpace};
use crate::runtime::{Crew, Event, Monitor, run_crew};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

/// The states of one depth or stage.
struct Depth {
    /// The number of the first state among all states that the beam has kept; see [`Beam::links`].
    first: usize,
    /// The g of each state.
    g: Vec<Cost>,
    /// Their packed keys, one after another.
    keys: Vec<u8>,
}

impl Depth {
    fn bytes(&self) -> usize {
        self.g.len() * size_of::<Cost>() + self.keys.len()
    }
}

/// How the states of one depth are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ranking {
    /// By f, then by the ordering heuristic.
    Bound,
    /// By g, then by the ordering heuristic. No lower bound is evaluated below the root, and the search reports 0 as the
    /// lower bound.
    Promise,
    /// By g plus the expected cost, stage by stage.
    Outlook,
}

/// Runs a beam search that keeps `width` states at each depth, ranked by f and by the ordering heuristic `promise`; or
/// at each stage, ranked by outlook, if there is one. `known` is a solution found before; only cheaper ones are searched.
pub(super) fn run(
    space: &dyn StateSpace,
    beam: (usize, Promise),
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let ranking = if space.has_outlooks() { Ranking::Outlook } else { Ranking::Bound };
    run_ranked(space, beam, ranking, known, context)
}

/// [`run`] with any ranking.
pub(super) fn run_ranked(
    space: &dyn StateSpace,
    (width, promise): (usize, Promise),
    ranking: Ranking,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let mut beam = Beam {
        space,
        width: width.max(1),
        promise,
        ranking,
        incumbent,
        monitor: &monitor,
        links: Vec::new(),
        ahead: Candidates::new(),
    };
    let mut statistics = Statistics::default();
    let lower_bound = match ranking {
        Ranking::Bound | Ranking::Outlook => space.lower_bound(),
        Ranking::Promise => 0,
    };
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| beam.run(context.threads.max(1), &mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { failure: None, incumbent, lower_bound, stopped: monitor.stopped(), statistics }
}

/// About how many lists of candidates are full at the same time. With many workers, each list is offered only a part of
/// the candidates. The figure, and so the width computed from it, does not depend on the number of threads.
const FULL_TOP_KS: u64 = 3;

/// The same where there are lists for several stages.
const FULL_TOP_KS_AHEAD: u64 = 24;

/// About the bytes that a beam holds for each state of its width: the states of this depth and the next one, and the
/// lists of candidates.
pub(super) fn bytes_per_width(space: &dyn StateSpace) -> u64 {
    let (key_len, lists) = (space.key_len(), if space.has_outlooks() { FULL_TOP_KS_AHEAD } else { FULL_TOP_KS });
    2 * (size_of::<Cost>() + key_len) as u64 + lists * TopK::bytes_per_width(key_len)
}

/// Nodes that a worker expands between two checks of the limits.
const BATCH: usize = 64;

/// A list of candidates, and the bytes of it that the gauges contain already.
struct Ahead {
    list: TopK,
    bytes: u64,
}

/// The candidates of a worker for each depth or stage.
type Candidates = BTreeMap<u32, Ahead>;

/// The state of one run.
struct Beam<'a> {
    space: &'a dyn StateSpace,
    width: usize,
    promise: Promise,
    ranking: Ranking,
    incumbent: Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// How each state was reached that the beam has kept, in the order in which they are expanded; the root, number 0,
    /// has no entry. [`Link::parent`] is the number of the parent.
    links: Vec<Link>,
    /// The candidates for depths or stages to come.
    ahead: Candidates,
}

impl Beam<'_> {
    /// Expands one depth after another until none is left, the path is too long, or the search has to stop.
    fn run(&mut self, workers: usize, statistics: &mut Statistics) {
        if let Some(cost) = self.space.root_terminal() {
            self.incumbent.offer(cost, Vec::new);
        }
        let mut expander = self.space.expander();
        let mut root = vec![0; self.space.key_len()];
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut root);
        drop(expander);
        let (mut nodes, mut depth) = (Depth { first: 0, g: vec![0], keys: root }, 0);
        // Paths through ever greater stages end by themselves.
        let most = if self.ranking == Ranking::Outlook { usize::MAX } else { self.space.max_played_moves() };
        while depth < most && !self.monitor.leaving() {
            let ahead: u64 = self.ahead.values().map(|ahead| ahead.bytes).sum();
            let bytes = self.links.len() * size_of::<Link>() + nodes.bytes();
            self.monitor.gauges.hold(bytes as u64 + ahead);
            let Ok(next) = self.expand_all(&nodes, depth as u32, workers, statistics) else { break };
            let Some(best) = next else { break };
            let first = self.links.len() + 1;
            let (links, g): (Vec<Link>, _) = best.kept().map(|of| (of.link, of.g)).unzip();
            self.links.extend(links);
            nodes = Depth { first, g, keys: best.into_keys() };
            depth += 1;
            self.tell_depth(&nodes);
            statistics.stored = statistics.stored.max(nodes.g.len() as u64);
        }
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// Tells the observer the state that ranks first at the last depth, if it wants to know.
    fn tell_depth(&self, nodes: &Depth) {
        if self.monitor.watches_beams()
            && let Some(&first) = self.links.get(nodes.first - 1)
        {
            let moves = path(&self.links, first);
            self.monitor.tell(&Event::Beam { depth: moves.len(), width: nodes.g.len(), moves: &moves });
        }
    }

    /// Expands all nodes of a depth. Returns the best candidates for the next depth or stage; `None` when there are no
    /// candidates.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    fn expand_all(
        &mut self,
        nodes: &Depth,
        depth: u32,
        workers: usize,
        statistics: &mut Statistics,
    ) -> Result<Option<TopK>, Stopped> {
        // One slice for each worker is balanced, because all nodes of a depth cost about the same.
        let share = nodes.g.len().div_ceil(workers).max(1);
        let slices = nodes.g.chunks(share).zip(nodes.keys.chunks(share * self.space.key_len()));
        // The first worker goes on with the candidates so far, whose last ones show what ranks too low.
        let mut ahead = Some(std::mem::take(&mut self.ahead));
        let slices: Vec<_> = slices.map(|slice| (slice, ahead.take().unwrap_or_default())).collect();
        let crew = run_crew(&Crew::new(slices.len()), slices, |number, (slice, ahead)| {
            self.expand_slice(slice, (depth, nodes.first + number * share), ahead)
        });
        statistics.cpu_seconds += crew.cpu_seconds;
        statistics.expanded = self.monitor.gauges.expanded.load(Relaxed);
        let mut all = Candidates::new();
        for (candidates, counts) in crew.results {
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            self.merge(&mut all, candidates)?;
        }
        let best = loop {
            let Some((_, Ahead { mut list, .. })) = all.pop_first() else { break None };
            list.select(self.upper(), || self.monitor.leaving())?;
            if list.len() > 0 {
                break Some(list);
            }
        };
        self.ahead = all;
        Ok(best)
    }

    /// What the f of a candidate has to be below. An expected cost excludes nothing.
    fn upper(&self) -> Cost {
        if self.ranking == Ranking::Outlook { Cost::MAX } else { self.incumbent.cost() }
    }

    /// Joins candidates. Between two lists of a stage all but the best ones are dropped, so that few are held at a time.
    fn merge(&self, all: &mut Candidates, more: Candidates) -> Result<(), Stopped> {
        for (stage, of_stage) in more {
            let Some(held) = all.get_mut(&stage) else {
                all.insert(stage, of_stage);
                continue;
            };
            if held.list.is_full() {
                held.list.select(Cost::MAX, || self.monitor.leaving())?;
            }
            let bytes = held.list.bytes_for(held.list.len() + of_stage.list.len());
            self.monitor.gauges.hold_more(bytes);
            self.monitor.check_limits();
            if self.monitor.leaving() {
                return Err(Stopped);
            }
            held.list.absorb(of_stage.list);
            self.monitor.gauges.hold_less(held.bytes + of_stage.bytes);
            held.bytes = bytes;
        }
        Ok(())
    }

    /// Expands a slice of a depth. `from` is the number of its first node.
    fn expand_slice(
        &self,
        (all_g, keys): (&[Cost], &[u8]),
        (depth, from): (u32, usize),
        mut ahead: Candidates,
    ) -> (Candidates, Counts) {
        let (mut expander, mut children) = (self.space.expander(), Vec::new());
        let mut reported = 0;
        for (at, (&g, key)) in all_g.iter().zip(keys.chunks(self.space.key_len())).enumerate() {
            if at % BATCH == 0 {
                self.report_gauges(expander.counts(), &mut reported);
            }
            if self.monitor.leaving() {
                return (ahead, expander.counts());
            }
            self.monitor.gauges.expanded.fetch_add(1, Relaxed);
            expander.truncate(0);
            let frame = expander.expand_key(key, 0, None, &mut children);
            for (number, child) in children.drain(..).enumerate() {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let (slot, g) = (Slot { frame, at: number as u32 }, g + child.cost);
                if let Some(stop) = child.terminal {
                    self.incumbent.offer(g + stop, || path(&self.links, link));
                }
                let Some((stage, f, promise)) = self.judge(&mut *expander, slot, g) else { continue };
                let stage = stage.unwrap_or(depth + 1);
                let best = ahead.entry(stage).or_insert_with(|| Ahead { list: self.new_top_k(), bytes: 0 });
                if !best.list.has_room(1) && !self.grow(best) {
                    return (ahead, expander.counts());
                }
                best.list.offer(Candidate { f, promise, g, link }, |key| expander.pack(slot, key));
                if best.list.is_full() && best.list.select(Cost::MAX, || self.monitor.leaving()).is_err() {
                    return (ahead, expander.counts());
                }
            }
        }
        self.report_gauges(expander.counts(), &mut reported);
        (ahead, expander.counts())
    }

    /// The stage of a child, unless that is the next depth, and its rank; `None` if it is of no use.
    fn judge(&self, expander: &mut dyn Expander, slot: Slot, g: Cost) -> Option<(Option<u32>, Cost, Reverse<u32>)> {
        let promise = |expander: &dyn Expander| Reverse(expander.promise(slot, self.promise));
        match self.ranking {
            Ranking::Bound => {
                let f = expander.evaluate(slot, g, self.incumbent.cost())?;
                Some((None, f, promise(expander)))
            }
            Ranking::Promise => (g < self.incumbent.cost()).then(|| (None, g, promise(expander))),
            Ranking::Outlook => {
                let Outlook { stage, cost } = expander.outlook(slot, self.promise)?;
                (g < self.incumbent.cost()).then(|| (Some(stage), g.saturating_add(cost), Reverse(0)))
            }
        }
    }

    /// An empty list of candidates.
    fn new_top_k(&self) -> TopK {
        TopK::new(self.width, self.space.key_len())
    }

    /// Makes room for more candidates. Returns false if the search is to stop, because memory does not suffice or for
    /// another reason.
    fn grow(&self, ahead: &mut Ahead) -> bool {
        let capacity = ahead.list.next_capacity(1);
        let (gauges, bytes) = (&self.monitor.gauges, ahead.list.bytes_for(capacity));
        // While candidates move to a larger buffer, both buffers are held.
        gauges.hold_more(bytes);
        self.monitor.check_limits();
        if self.monitor.leaving() {
            return false;
        }
        ahead.list.grow(capacity);
        gauges.hold_less(ahead.bytes);
        ahead.bytes = bytes;
        true
    }

    /// Updates the gauges and checks the limits.
    fn report_gauges(&self, counts: Counts, reported: &mut u64) {
        self.monitor.gauges.generated.fetch_add(counts.generated - *reported, Relaxed);
        *reported = counts.generated;
        self.monitor.check_limits();
    }
}

/// The moves from the root to the state of `link`. `links` are those of all states kept before.
fn path(links: &[Link], mut link: Link) -> Vec<MoveIndex> {
    let mut moves = vec![link.mv];
    while let Some(before) = (link.parent as usize).checked_sub(1) {
        link = links[before];
        moves.push(link.mv);
    }
    moves.reverse();
    moves
}
