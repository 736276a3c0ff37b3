//! Beam search: at each depth only the best states are kept.
//!
//! All workers expand one depth together. The candidates are ranked by f, by the ordering heuristic and by key, and
//! equal states are merged ([`TopK`]).
//!
//! **By promise.** A beam that looks for any goal ranks the candidates by g and by the ordering heuristic, and
//! evaluates no lower bound. If the states of a puzzle can rank their children before they generate them ([`lazy`]),
//! candidates are ranked by the heuristic alone.
//!
//! **By staged estimate.** If the domain has a [`StagedEstimate`], states are ranked by g plus the expected cost, and
//! only states of the same stage are compared. A beam keeps the best states of each stage, however many moves led to
//! them. Then no lower bound is evaluated below the root.
//!
//! **Cycles.** If moves lead back to earlier states, a beam may reach the states of an earlier depth again and never
//! end. So each depth is compared with one earlier depth: the last one whose number was a power of two (Brent 1980).
//!
//! **When to use it.** For a good solution of a large board within seconds, and for incumbents of exact engines. Memory
//! grows with the width, not with the time.
//!
//! **Guarantees.** The solution's cost and the expanded states do not depend on the number of threads; the moves may.
//! It proves nothing beyond the lower bound of the root.
//!
//! References: Lowerre (1976); Brent, *An improved Monte Carlo factorization algorithm*, BIT 20 (1980), 176-184.

mod lazy;
mod links;
mod run;
mod schedule;
mod top_k;

use crate::domain::{Cost, GoalCost, StagedEstimate};
use crate::engine::context::Context;
use crate::engine::dispatch::{EngineInfo, StateEngine};
use crate::engine::incumbent::Incumbent;
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::expand::{Counts, Expander, Slot, StateSpace};
use crate::runtime::{Crew, Event, Monitor, Silent, Stopped, run_crew};
use links::{Link, path};
use run::{BATCH, Beam, CandidateList};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use top_k::{Candidate, TopK};

pub(super) use run::{Ranking, Selection};
pub(super) use schedule::{BeamSchedule, BetweenLayers};

const SUMMARY: &str = "beam search: the best states of each depth, anytime, never a proof by itself";
pub(super) const ENGINE: StateEngine = StateEngine {
    info: &EngineInfo { name: "beam", summary: SUMMARY, proves: false, has_checkpoints: false, uses_ranks: false },
    run: |space, parameters, known, context| Ok(run(space, Selection::of_width(parameters.beam_width), known, context)),
};

/// The states of one depth or stage.
struct Depth {
    /// The number of the first state among all states that the beam has kept; see [`Beam::links`].
    first: usize,
    g: Vec<Cost>,
    /// Their packed keys, one after another.
    keys: Vec<u8>,
}

impl Depth {
    fn bytes(&self) -> usize {
        self.g.len() * size_of::<Cost>() + self.keys.len()
    }

    /// Whether these are the states of an earlier depth again, each with a g that rose by the same amount, which may be
    /// 0. Then the beam is in a cycle, and finds nothing cheaper.
    fn repeats(&self, earlier: &Self) -> bool {
        let rise = |at: usize| self.g[at].checked_sub(earlier.g[at]);
        self.keys == earlier.keys && (0..self.g.len()).all(|at| rise(at).is_some() && rise(at) == rise(0))
    }
}

/// Runs a beam search with the [default ranking](Ranking::default_for). `known` is a solution found before; only
/// cheaper ones are looked for.
pub(super) fn run(
    space: &dyn StateSpace,
    selection: Selection,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    run_ranked(space, selection, Ranking::default_for(space), known, space.lower_bound(), context)
}

/// [`run`] with any ranking. `lower_bound` is the lower bound of the root, or 0.
pub(super) fn run_ranked(
    space: &dyn StateSpace,
    selection: Selection,
    ranking: Ranking,
    known: Option<Solution>,
    lower_bound: Cost,
    context: &Context<'_>,
) -> Outcome {
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let incumbent = Incumbent::new(known, &monitor);
    let selection = Selection { width: selection.width.max(1), ..selection };
    let (threads, monitor) = (context.threads.max(1), &monitor);
    let mut beam = Beam { space, selection, ranking, incumbent, threads, monitor, links: Vec::new() };
    let mut statistics = Statistics::default();
    monitor.send(&Event::LowerBound(lower_bound));
    monitor.run_with_progress(|| beam.run(&mut statistics));
    let incumbent = beam.incumbent.into_solution();
    Outcome { incumbent, lower_bound, stopped: monitor.stop_reason(), statistics, ..Outcome::unknown() }
}

/// Runs a beam search for a goal. Returns the outcome with the cheaper of `known` and the solution found, and whether a
/// goal was found.
pub(super) fn seek_goal(
    space: &dyn StateSpace,
    selection: Selection,
    known: Option<Solution>,
    lower_bound: Cost,
    context: &Context<'_>,
) -> (Outcome, bool) {
    let ranking = Ranking::for_goals(space);
    let known_cost = known.as_ref().map_or(Cost::MAX, |known| known.cost);
    let may_goals_cost_more = space.guidance().lazy_goal_cost == Some(GoalCost::Any);
    if known_cost == Cost::MAX || !may_goals_cost_more || space.root_terminal_cost().is_none() {
        let outcome = run_ranked(space, selection, ranking, known, lower_bound, context);
        let goal_found = outcome.incumbent.as_ref().is_some_and(|found| found.cost < known_cost);
        return (outcome, goal_found);
    }
    // A goal counts even if it costs more than `known`. So this search does not get `known`.
    let silent = Context { observer: &Silent, ..*context };
    let mut outcome = run_ranked(space, selection, ranking, None, lower_bound, &silent);
    let found = outcome.incumbent.take();
    let goal_found = found.is_some();
    outcome.incumbent = Solution::cheaper(known, found);
    if let Some(Solution { cost, moves }) = outcome.incumbent.as_ref().filter(|better| better.cost < known_cost) {
        context.observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    (outcome, goal_found)
}

/// The least number of nodes of a depth for each worker: starting a worker takes as long as expanding some nodes.
const MIN_NODES_PER_WORKER: usize = 128;

/// About how many lists of candidates are full at the same time. With many workers, each list is offered only a part of
/// the candidates. This number, and so the width computed from it, does not depend on the number of threads.
const FULL_LISTS: u64 = 3;

/// [`FULL_LISTS`] for a beam that has lists for several stages.
const FULL_LISTS_STAGED: u64 = 24;

/// Estimates how many bytes a beam holds for each state of its width: for the states of this depth, of the next one,
/// and of the earlier depth that reveals cycles, and for the lists of candidates.
pub(super) fn bytes_per_width(space: &dyn StateSpace, ranking: Ranking) -> u64 {
    let key_len = space.key_len();
    let (states, key_len) = match ranking.lazy_root(space) {
        Some(root) => (2 * root.bytes(), lazy::DIGEST_LEN),
        None => (3 * (size_of::<Cost>() + key_len), key_len),
    };
    let lists = if ranking == Ranking::StagedEstimate { FULL_LISTS_STAGED } else { FULL_LISTS };
    states as u64 + lists * TopK::bytes_per_width(key_len)
}

type CandidatesByStage = BTreeMap<u32, CandidateList>;

impl Beam<'_> {
    /// Expands one depth after another until none is left, the path is too long, or the search has to stop.
    fn run(&mut self, statistics: &mut Statistics) {
        let lazy = self.ranking.lazy_root(self.space);
        // A root with moves is no goal.
        let is_goal = lazy.as_ref().is_none_or(|root| root.move_count() == 0);
        if let Some(cost) = self.space.root_terminal_cost().filter(|_| is_goal) {
            self.incumbent.offer(cost, Vec::new);
        }
        match lazy {
            Some(root) => self.run_lazy(root, statistics),
            None => self.run_packed(statistics),
        }
        statistics.expanded = self.monitor.gauges.expanded.load(Relaxed);
        statistics.peak_bytes = self.monitor.gauges.peak_bytes.load(Relaxed);
    }

    /// [`Beam::run`] with packed states between the depths.
    fn run_packed(&mut self, statistics: &mut Statistics) {
        let (mut nodes, mut depth) = (Depth { first: 0, g: vec![0], keys: self.space.root_key() }, 0_usize);
        let mut earlier = Depth { first: 0, g: Vec::new(), keys: Vec::new() };
        let mut pending = CandidatesByStage::new();
        // Each child has a greater stage than its parent, so these paths end without a limit.
        let max_depth =
            if self.ranking == Ranking::StagedEstimate { usize::MAX } else { self.space.guidance().max_played_moves };
        while depth < max_depth && !self.monitor.should_leave_layer() {
            let pending_bytes: u64 = pending.values().map(|list| list.bytes).sum();
            let bytes = self.links.len() * size_of::<Link>() + nodes.bytes() + earlier.bytes();
            self.monitor.gauges.set_bytes(bytes as u64 + pending_bytes);
            let Ok(Some(best)) = self.expand_all(&nodes, depth as u32, &mut pending, statistics) else {
                break;
            };
            let (links, g): (Vec<Link>, _) = best.candidates().map(|candidate| (candidate.link, candidate.g)).unzip();
            let next = Depth { first: self.next_number(), g, keys: best.into_keys() };
            self.links.extend(links);
            let previous = std::mem::replace(&mut nodes, next);
            if depth.is_power_of_two() {
                earlier = previous;
            }
            if nodes.repeats(&earlier) {
                break;
            }
            depth += 1;
            self.report_depth(nodes.first, nodes.g.len());
            statistics.stored = statistics.stored.max(nodes.g.len() as u64);
        }
    }

    /// Expands all nodes of a depth. Returns the best candidates for the next depth or stage; `None` when there are no
    /// candidates. The candidates of later stages stay in `pending`.
    fn expand_all(
        &self,
        nodes: &Depth,
        depth: u32,
        pending: &mut CandidatesByStage,
        statistics: &mut Statistics,
    ) -> Result<Option<TopK>, Stopped> {
        // One slice for each worker is balanced, because all nodes of a depth cost about the same.
        let share = nodes.g.len().div_ceil(self.threads).max(MIN_NODES_PER_WORKER);
        let slices = nodes.g.chunks(share).zip(nodes.keys.chunks(share * self.space.key_len()));
        // The first worker continues the lists of earlier depths: their last candidates show which children rank too
        // low.
        let mut earlier_lists = Some(std::mem::take(pending));
        let slices: Vec<_> = slices.map(|slice| (slice, earlier_lists.take().unwrap_or_default())).collect();
        let crew = run_crew(&Crew::new(slices.len()), slices, |number, ((all_g, keys), pending)| {
            let (mut candidates, counts) = self.expand_slice(all_g, keys, depth, nodes.first + number * share, pending);
            // Sorted lists are joined fast. [`Beam::join`] notices if a selection was stopped.
            for CandidateList { top_k, .. } in candidates.values_mut().filter(|_| self.threads > 1) {
                let _ = top_k.select(Cost::MAX, || self.monitor.should_leave_layer());
            }
            (candidates, counts)
        });
        statistics.cpu_seconds += crew.cpu_seconds;
        for (candidates, counts) in crew.results {
            statistics.generated += counts.generated;
            statistics.evaluated += counts.evaluated;
            for (stage, of_stage) in candidates {
                match pending.get_mut(&stage) {
                    Some(earlier) => self.join(earlier, of_stage)?,
                    None => drop(pending.insert(stage, of_stage)),
                }
            }
        }
        // An expected cost proves nothing, so it excludes no candidate.
        let upper = if self.ranking == Ranking::StagedEstimate { Cost::MAX } else { self.incumbent.cost() };
        while let Some((_, CandidateList { mut top_k, .. })) = pending.pop_first() {
            top_k.select(upper, || self.monitor.should_leave_layer())?;
            if top_k.len() > 0 {
                return Ok(Some(top_k));
            }
        }
        Ok(None)
    }

    /// Expands a slice of a depth. `from` is the number of its first node.
    fn expand_slice(
        &self,
        all_g: &[Cost],
        keys: &[u8],
        depth: u32,
        from: usize,
        mut pending: CandidatesByStage,
    ) -> (CandidatesByStage, Counts) {
        let (mut expander, mut children) = (self.space.expander(), Vec::new());
        let (key_len, mut reported) = (self.space.key_len(), 0);
        let new_list = || CandidateList::new(self.selection.width, key_len);
        for (at, (&g, key)) in all_g.iter().zip(keys.chunks(key_len)).enumerate() {
            if at % BATCH == 0 {
                self.report_generated(expander.counts().generated, &mut reported);
            }
            if self.monitor.should_leave_layer() {
                return (pending, expander.counts());
            }
            self.monitor.count_expansion();
            expander.truncate(0);
            let frame = expander.expand_key(key, 0, None, &mut children);
            for (number, child) in children.drain(..).enumerate() {
                let link = Link { parent: (from + at) as u32, mv: child.mv };
                let (slot, g) = (Slot { frame, index: number as u32 }, g + child.cost);
                if let Some(end_cost) = child.terminal_cost {
                    self.incumbent.offer(g + end_cost, || path(&self.links, link));
                }
                let Some((stage, f, promise)) = self.rank(&mut *expander, slot, g) else { continue };
                let list = pending.entry(stage.unwrap_or(depth + 1)).or_insert_with(new_list);
                if !list.top_k.has_room(1) && !self.grow(list, 1) {
                    return (pending, expander.counts());
                }
                list.top_k.offer(Candidate { f, promise, g, link }, |key| expander.pack(slot, key));
                if list.top_k.is_full() && list.top_k.select(Cost::MAX, || self.monitor.should_leave_layer()).is_err() {
                    return (pending, expander.counts());
                }
            }
        }
        self.report_generated(expander.counts().generated, &mut reported);
        (pending, expander.counts())
    }

    /// Ranks a child. Returns its stage (`None` if it belongs to the next depth), its f (or g, or g plus the expected
    /// cost, by the ranking), and its promise. `None` if the child cannot beat the incumbent.
    fn rank(&self, expander: &mut dyn Expander, slot: Slot, g: Cost) -> Option<(Option<u32>, Cost, Reverse<u32>)> {
        let promise = |expander: &dyn Expander| Reverse(expander.promise(slot, self.selection.variation));
        match self.ranking {
            Ranking::Bound => {
                let f = expander.f_below(slot, g, self.incumbent.cost())?;
                Some((None, f, promise(expander)))
            }
            Ranking::Promise => (g < self.incumbent.cost()).then(|| (None, g, promise(expander))),
            Ranking::StagedEstimate => {
                let StagedEstimate { stage, cost } = expander.staged_estimate(slot, self.selection.variation)?;
                (g < self.incumbent.cost()).then(|| (Some(stage), g.saturating_add(cost), Reverse(0)))
            }
        }
    }
}
