//! Beam search: at each depth only the best states are kept.
//!
//! All workers expand one depth together. The candidates are ranked by f, by the ordering heuristic and by key, and
//! equal states are merged ([`TopK`]).
//!
//! **By promise.** A beam that looks for any goal ranks the candidates by g and by the ordering heuristic, and
//! evaluates no lower bound; before they are made and by the heuristic alone, where a puzzle has such states
//! ([`lazy`]).
//!
//! **By staged estimate.** Where the domain has a [`StagedEstimate`], states are ranked by g plus the expected cost
//! instead, and compared with those of the same stage: a beam keeps the best states of each stage, however many moves
//! have led to them. Then no lower bound is evaluated below the root.
//!
//! **Circles.** Where moves lead back to earlier states, a beam comes to a depth that it has had before, and would go
//! round for ever. Each depth is compared with one earlier depth, the last whose number was a power of two (Brent
//! 1980).
//!
//! **When to use it.** For a good solution of a large board within seconds, and for incumbents of exact engines. Memory
//! grows with the width, not with the time.
//!
//! **Guarantees.** The solution's cost and the expanded states do not depend on the number of threads; the moves may.
//! It proves nothing beyond the lower bound of the root.
//!
//! References: Lowerre (1976); Brent, *An improved Monte Carlo factorization algorithm*, BIT 20 (1980), 176-184.

mod lazy;
mod run;

use super::context::Context;
use super::incumbent::Incumbent;
use super::links::{Link, path};
use super::outcome::{Outcome, Solution, Statistics};
use super::parallel::Workers;
use super::top_k::{Candidate, Stopped, TopK};
use crate::domain::{Cost, GoalCost, StagedEstimate};
use crate::expand::{Counts, Expander, Slot, StateSpace};
use crate::runtime::{Crew, Event, Exchange, Monitor, Silent, StopReason, run_crew};
use run::{Ahead, BATCH, Beam};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

pub(super) use run::{Ranking, Selection};

/// The most bytes of the candidates that all ranks send together.
const MOST_SENT: u64 = 1 << 30;

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

    /// Whether these are the states of an earlier depth again, all of them reached at the same greater cost, or at the
    /// same cost. Then the beam goes in a circle, and finds nothing cheaper.
    fn repeats(&self, earlier: &Self) -> bool {
        let more = |at: usize| self.g[at].checked_sub(earlier.g[at]);
        self.keys == earlier.keys && (0..self.g.len()).all(|at| more(at).is_some() && more(at) == more(0))
    }
}

/// Runs a beam search with the [usual ranking](Ranking::usual). `known` is a solution found before; only cheaper ones
/// are searched.
pub(super) fn run(
    space: &dyn StateSpace,
    selection: Selection,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    run_ranked(space, selection, Ranking::usual(space), (known, space.lower_bound()), context)
}

/// [`run`] with any ranking. `lower_bound` is that of the root, or 0. On several ranks all call this together, and come
/// to the same solution, unless a limit ends it.
pub(super) fn run_ranked(
    space: &dyn StateSpace,
    selection: Selection,
    ranking: Ranking,
    (known, lower_bound): (Option<Solution>, Cost),
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let selection = Selection { width: selection.width.max(1), ..selection };
    // States that rank their children before they are made are not sent, and no more than fit into a message: each rank
    // makes them all then.
    let candidate = (space.key_len() + size_of::<(Candidate, usize)>()) as u64;
    let fits = |exchange: &&Exchange| {
        let most = candidate.saturating_mul(exchange.ranks() as u64).saturating_mul(selection.width as u64);
        most <= MOST_SENT && ranking.lazy_root(space).is_none()
    };
    let workers = &Workers::new(context.threads, &monitor).among(context.exchange().filter(fits));
    let mut beam = Beam { space, selection, ranking, incumbent, workers, links: Vec::new() };
    let mut statistics = Statistics::default();
    monitor.tell(&Event::LowerBound(lower_bound));
    monitor.watch(|| beam.run(&mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { incumbent, lower_bound, stopped: monitor.stopped(), statistics, ..Outcome::unknown() }
}

/// Runs a beam search for a goal. Returns the outcome with the better one of `known` and what was found, and whether a
/// goal was found.
pub(super) fn seek(
    space: &dyn StateSpace,
    selection: Selection,
    (known, lower_bound): (Option<Solution>, Cost),
    context: &Context<'_>,
) -> (Outcome, bool) {
    let ranking = Ranking::of_goals(space);
    let least = known.as_ref().map_or(Cost::MAX, |known| known.cost);
    if least == Cost::MAX || space.guidance().lazy_goal_cost != Some(GoalCost::Any) || space.root_terminal().is_none() {
        let outcome = run_ranked(space, selection, ranking, (known, lower_bound), context);
        let is_found = outcome.incumbent.as_ref().is_some_and(|found| found.cost < least);
        return (outcome, is_found);
    }
    // A goal that costs more than what is known is a goal still.
    let apart = Context { observer: &Silent, ..*context };
    let mut outcome = run_ranked(space, selection, ranking, (None, lower_bound), &apart);
    let found = outcome.incumbent.take();
    let is_found = found.is_some();
    outcome.incumbent = known.into_iter().chain(found).min_by_key(|solution| solution.cost);
    if let Some(Solution { cost, moves }) = outcome.incumbent.as_ref().filter(|better| better.cost < least) {
        context.observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    (outcome, is_found)
}

/// About how many lists of candidates are full at the same time. With many workers, each list is offered only a part of
/// the candidates. The figure, and so the width computed from it, does not depend on the number of threads.
const FULL_TOP_KS: u64 = 3;

/// The same where there are lists for several stages.
const FULL_TOP_KS_AHEAD: u64 = 24;

/// About the bytes that a beam holds for each state of its width: the states of this depth and the next one, those of
/// an earlier depth where circles are noticed, and the lists of candidates.
pub(super) fn bytes_per_width(space: &dyn StateSpace, ranking: Ranking) -> u64 {
    let key_len = space.key_len();
    let (states, key_len) = match ranking.lazy_root(space) {
        Some(root) => (2 * root.bytes(), lazy::DIGEST),
        None => (3 * (size_of::<Cost>() + key_len), key_len),
    };
    let lists = if ranking == Ranking::StagedEstimate { FULL_TOP_KS_AHEAD } else { FULL_TOP_KS };
    states as u64 + lists * TopK::bytes_per_width(key_len)
}

/// The candidates of a worker for each depth or stage to come.
type Candidates = BTreeMap<u32, Ahead>;

/// What came of some nodes.
type Found = (Candidates, Counts);

impl Beam<'_> {
    /// Expands one depth after another until none is left, the path is too long, or the search has to stop.
    fn run(&mut self, statistics: &mut Statistics) {
        let lazy = self.ranking.lazy_root(self.space);
        // A root with moves is no goal.
        let is_goal = lazy.as_ref().is_none_or(|root| root.moves() == 0);
        if let Some(cost) = self.space.root_terminal().filter(|_| is_goal) {
            self.incumbent.offer(cost, Vec::new);
        }
        match lazy {
            Some(root) => self.run_lazy(root, statistics),
            None => self.run_packed(statistics),
        }
        statistics.expanded = self.workers.monitor.gauges.expanded.load(Relaxed);
        statistics.peak_bytes = self.workers.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// [`Beam::run`] with packed states between the depths.
    fn run_packed(&mut self, statistics: &mut Statistics) {
        let mut expander = self.space.expander();
        let mut root = vec![0; self.space.key_len()];
        let frame = expander.place(None);
        expander.pack(Slot { frame, at: 0 }, &mut root);
        drop(expander);
        let (mut nodes, mut depth) = (Depth { first: 0, g: vec![0], keys: root }, 0_usize);
        let mut earlier = Depth { first: 0, g: Vec::new(), keys: Vec::new() };
        let mut ahead = Candidates::new();
        // Paths through ever greater stages end by themselves.
        let most =
            if self.ranking == Ranking::StagedEstimate { usize::MAX } else { self.space.guidance().max_played_moves };
        while depth < most && !self.workers.leaving() {
            let waiting: u64 = ahead.values().map(Ahead::bytes).sum();
            let bytes = self.links.len() * size_of::<Link>() + nodes.bytes() + earlier.bytes();
            self.workers.monitor.gauges.hold(bytes as u64 + waiting);
            let Ok(Some(best)) = self.expand_all(&nodes, depth as u32, &mut ahead, statistics) else {
                break;
            };
            let (links, g): (Vec<Link>, _) = best.kept().map(|of| (of.link, of.g)).unzip();
            let next = Depth { first: self.next_number(), g, keys: best.into_keys() };
            self.links.extend(links);
            let before = std::mem::replace(&mut nodes, next);
            if depth.is_power_of_two() {
                earlier = before;
            }
            if nodes.repeats(&earlier) {
                break;
            }
            depth += 1;
            self.tell_depth(nodes.first, nodes.g.len());
            statistics.stored = statistics.stored.max(nodes.g.len() as u64);
        }
    }

    /// Expands all nodes of a depth. Returns the best candidates for the next depth or stage; `None` when there are no
    /// candidates. The others stay in `ahead`.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    fn expand_all(
        &self,
        nodes: &Depth,
        depth: u32,
        ahead: &mut Candidates,
        statistics: &mut Statistics,
    ) -> Result<Option<TopK>, Stopped> {
        let &Workers { threads, monitor, .. } = self.workers;
        let generated = monitor.gauges.generated.load(Relaxed);
        // The nodes of this rank. Each worker has a slice: all nodes of a depth cost about the same. One rank stops
        // in the middle of a depth; several expand as many nodes as they may, then stop.
        let replicas = self.workers.replicas();
        let (rank, ranks) = replicas.map_or((0, 1), |replicas| (replicas.rank(), replicas.ranks()));
        let all = nodes.g.len();
        let all = if replicas.is_some() { monitor.allowance(all as u64, 1) as usize } else { all };
        let (first, end) = (all * rank / ranks, all * (rank + 1) / ranks);
        let share = (end - first).div_ceil(threads).max(1);
        let keys = &nodes.keys[first * self.space.key_len()..];
        let slices = nodes.g[first..end].chunks(share).zip(keys.chunks(share * self.space.key_len()));
        // The first worker of all goes on with the candidates so far, whose last ones show what ranks too low.
        let mut so_far = Some(std::mem::take(ahead)).filter(|_| rank == 0);
        let slices: Vec<_> = slices.map(|slice| (slice, so_far.take().unwrap_or_default())).collect();
        let first = nodes.first + first;
        let crew = run_crew(&Crew::new(slices.len()), slices, |number, (slice, ahead)| {
            let (mut candidates, counts) = self.expand_slice(slice, (depth, first + number * share), ahead);
            // Sorted lists are joined fast. A stop is noticed there.
            for Ahead { list, .. } in candidates.values_mut().filter(|_| threads * ranks > 1) {
                let _ = list.select(Cost::MAX, || monitor.leaving());
            }
            (candidates, counts)
        });
        statistics.cpu_seconds += crew.cpu_seconds;
        // A rank may have no nodes.
        let left = so_far.map(|candidates| (candidates, Counts::default()));
        let (candidates, counts) = self.of_all_ranks(self.joined(crew.results.into_iter().chain(left)))?;
        statistics.generated += counts.generated;
        statistics.evaluated += counts.evaluated;
        if replicas.is_some() {
            self.count_together(all as u64, generated + counts.generated)?;
        }
        *ahead = candidates;
        // An expected cost excludes nothing.
        let upper = if self.ranking == Ranking::StagedEstimate { Cost::MAX } else { self.incumbent.cost() };
        while let Some((_, Ahead { mut list, .. })) = ahead.pop_first() {
            list.select(upper, || self.workers.leaving())?;
            if list.len() > 0 {
                return Ok(Some(list));
            }
        }
        Ok(None)
    }

    /// Counts the states that all ranks together have expanded at a depth. They have generated so many in all.
    ///
    /// # Errors
    /// [`Stopped`] when they were the last that may be expanded.
    fn count_together(&self, expanded: u64, generated: u64) -> Result<(), Stopped> {
        let monitor = self.workers.monitor;
        monitor.gauges.expanded.fetch_add(expanded, Relaxed);
        monitor.gauges.generated.store(generated, Relaxed);
        if monitor.has_spent_expansions() {
            self.workers.end(StopReason::ExpansionLimit);
            return Err(Stopped);
        }
        Ok(())
    }

    /// The candidates of several slices together.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    fn joined(&self, parts: impl IntoIterator<Item = Found>) -> Result<Found, Stopped> {
        let (mut all, mut counts) = (Candidates::new(), Counts::default());
        for (candidates, of_part) in parts {
            counts.generated += of_part.generated;
            counts.evaluated += of_part.evaluated;
            for (stage, of_stage) in candidates {
                match all.get_mut(&stage) {
                    Some(held) => self.join(held, of_stage)?,
                    None => drop(all.insert(stage, of_stage)),
                }
            }
        }
        Ok((all, counts))
    }

    /// What all ranks have found, if this one has found `own`. All have the same best solution then.
    ///
    /// # Errors
    /// [`Stopped`] when a rank has to stop.
    fn of_all_ranks(&self, own: Result<Found, Stopped>) -> Result<Found, Stopped> {
        let Some(replicas) = self.workers.replicas() else { return own };
        let page = own.ok().map(|found| (found, self.incumbent.solution()));
        let own: Vec<_> = page.into_iter().collect();
        let all =
            replicas.gather(replicas.ranks(), &own, self.workers.monitor).filter(|all| all.len() == replicas.ranks());
        let (found, best): (Vec<Found>, Vec<_>) = all.ok_or(Stopped)?.into_iter().unzip();
        self.incumbent.replace(best.into_iter().flatten().min_by_key(|best| best.cost));
        let others = found.iter().enumerate().filter(|(rank, _)| *rank != replicas.rank());
        let bytes: u64 = others.flat_map(|(_, (candidates, _))| candidates.values()).map(Ahead::bytes).sum();
        self.workers.monitor.gauges.hold_more(bytes);
        self.joined(found)
    }

    /// Expands a slice of a depth. `from` is the number of its first node.
    fn expand_slice(
        &self,
        (all_g, keys): (&[Cost], &[u8]),
        (depth, from): (u32, usize),
        mut ahead: Candidates,
    ) -> (Candidates, Counts) {
        let (mut expander, mut children) = (self.space.expander(), Vec::new());
        let (key_len, mut reported) = (self.space.key_len(), 0);
        for (at, (&g, key)) in all_g.iter().zip(keys.chunks(key_len)).enumerate() {
            if at % BATCH == 0 {
                self.report_generated(expander.counts().generated, &mut reported);
            }
            if self.workers.monitor.leaving() {
                return (ahead, expander.counts());
            }
            // Several ranks count the states that all have expanded, at the end of a depth.
            if self.workers.replicas().is_none() {
                self.workers.monitor.count_expansion();
            }
            expander.truncate(0);
            let frame = expander.expand_key(key, 0, None, &mut children);
            for (number, child) in children.drain(..).enumerate() {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let (slot, g) = (Slot { frame, at: number as u32 }, g + child.cost);
                if let Some(stop) = child.terminal {
                    self.incumbent.offer(g + stop, || path(&self.links, link));
                }
                let Some((stage, f, promise)) = self.judge(&mut *expander, slot, g) else { continue };
                let best = ahead
                    .entry(stage.unwrap_or(depth + 1))
                    .or_insert_with(|| Ahead::new(self.selection.width, key_len));
                if !best.list.has_room(1) && !self.grow(best, 1) {
                    return (ahead, expander.counts());
                }
                best.list.offer(Candidate { f, promise, g, link }, |key| expander.pack(slot, key));
                if best.list.is_full() && best.list.select(Cost::MAX, || self.workers.monitor.leaving()).is_err() {
                    return (ahead, expander.counts());
                }
            }
        }
        self.report_generated(expander.counts().generated, &mut reported);
        (ahead, expander.counts())
    }

    /// The stage of a child, unless that is the next depth, and its rank; `None` if it is of no use.
    fn judge(&self, expander: &mut dyn Expander, slot: Slot, g: Cost) -> Option<(Option<u32>, Cost, Reverse<u32>)> {
        let promise = |expander: &dyn Expander| Reverse(expander.promise(slot, self.selection.promise));
        match self.ranking {
            Ranking::Bound => {
                let f = expander.evaluate(slot, g, self.incumbent.cost())?;
                Some((None, f, promise(expander)))
            }
            Ranking::Promise => (g < self.incumbent.cost()).then(|| (None, g, promise(expander))),
            Ranking::StagedEstimate => {
                let StagedEstimate { stage, cost } = expander.staged_estimate(slot, self.selection.promise)?;
                (g < self.incumbent.cost()).then(|| (Some(stage), g.saturating_add(cost), Reverse(0)))
            }
        }
    }
}
