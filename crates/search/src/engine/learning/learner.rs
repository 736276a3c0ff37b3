//! Refutes sets depth first, and learns a no-good from each refutation.

use super::bits::{is_subset, size};
use super::element_frequencies::ElementFrequencies;
use super::no_goods::NoGoods;
use super::notices::NoticeKind;
use super::peers::Peers;
use super::reasons::MoveReasons;
use super::refuted_sets::{Level, SharedLevel, SharedLevels};
use crate::domain::{Cost, MoveIndex};
use crate::engine::checkpoints::Checkpointer;
use crate::expand::SetExpander;
use crate::runtime::{Monitor, Stopped};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// The largest number of warm-up visits. In the warm-up, the first visits of a search, no-goods do not grow.
const MAX_WARM_UP_VISITS: u64 = if cfg!(test) { 3 } else { 30_000 };

/// The number of warm-up visits, times the fourth power of the number of elements.
const WARM_UP_FACTOR: u64 = 10_000_000_000_000;

/// The verdict on a child of a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Verdict {
    /// The move costs more than the budget.
    OverBudget,
    /// The child is the set itself.
    Unchanged,
    /// The lower bound refutes the child.
    Bound,
    /// The child is a subset of a no-good or of an explanation of the lower bound, stored in the expansion.
    InNoGood,
    /// The child has to be searched.
    Open,
}

#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) mv: MoveIndex,
    /// The remaining budget after the move.
    pub(super) budget: Cost,
    /// The position of its state on the stack of the expander, once the child is judged.
    pub(super) slot: usize,
    /// The number of its elements, if it is open.
    size: u32,
    pub(super) verdict: Verdict,
}

/// A set whose children are to be refuted.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) set: Vec<u64>,
    pub(super) budget: Cost,
    pub(super) children: Vec<Child>,
    /// For each child with [`Verdict::InNoGood`], the set that refutes it.
    reasons: Vec<u64>,
    /// The position of the set on the stack of the expander; the children follow it.
    slot: usize,
    /// Whether the choices suffice only for supersets that lack an element of `pins`
    /// ([`SetMoves::choices`](crate::domain::SetMoves::choices)).
    pub(super) is_pinned: bool,
    pub(super) pins: Vec<u64>,
    /// The children that are still to be searched, as indices of `children`; the last one is searched first.
    open: Vec<usize>,
    /// Children that were deferred because another worker searches them.
    deferred: Vec<usize>,
    /// Whether the deferred children are being searched now.
    is_last_round: bool,
    /// The child that is being searched.
    current: usize,
}

impl Expansion {
    /// The set that contains child number `at` and refutes it.
    pub(super) fn reason(&self, at: usize) -> &[u64] {
        &self.reasons[at * self.set.len()..][..self.set.len()]
    }

    /// The first child whose reason contains `set` too, and refutes it for `remaining_budget`.
    pub(super) fn sibling_with_reason(&self, set: &[u64], remaining_budget: Cost) -> Option<usize> {
        let has_reason = |child: &Child| matches!(child.verdict, Verdict::InNoGood) && child.budget >= remaining_budget;
        (0..self.children.len()).find(|&at| has_reason(&self.children[at]) && is_subset(set, self.reason(at)))
    }

    fn reason_mut(&mut self, at: usize) -> &mut [u64] {
        let words = self.set.len();
        &mut self.reasons[at * words..][..words]
    }

    /// Records the no-good that contains child number `at`.
    fn refute(&mut self, at: usize, no_good: &[u64]) {
        self.children[at].verdict = Verdict::InNoGood;
        self.reason_mut(at).copy_from_slice(no_good);
    }

    /// The next child to be searched. Deferred children come last.
    fn next_open(&mut self) -> Option<usize> {
        if self.open.is_empty() && !self.is_last_round {
            self.is_last_round = true;
            self.open.extend(self.deferred.drain(..).rev());
        }
        self.open.pop()
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refutation {
    /// No solution costs the budget or less: a no-good contains the set.
    Refuted,
    /// These moves lead from the root to a goal, and have this cost, which is no more than the budget.
    Solved(Vec<MoveIndex>, Cost),
    /// The search is to stop or to pause.
    Interrupted,
}

enum Visit {
    Expanded(Expansion),
    /// A move to a goal, and the remaining budget after it.
    Goal {
        mv: MoveIndex,
        remaining_budget: Cost,
    },
}

pub(super) fn all_elements(expander: &dyn SetExpander) -> Vec<u64> {
    let mut all = vec![0; expander.words()];
    (0..expander.element_count()).for_each(|element| super::bits::insert(&mut all, element as u32));
    all
}

pub(super) struct Learner<'a> {
    pub(super) expander: Box<dyn SetExpander + 'a>,
    monitor: &'a Monitor<'a>,
    checkpointer: &'a Checkpointer<'a>,
    peers: Peers<'a>,
    /// The levels that the workers of this rank share.
    pub(super) shared: &'a SharedLevels,
    /// The levels of `shared` that this worker knows so far.
    pub(super) levels: Vec<Arc<SharedLevel>>,
    pub(super) all: Vec<u64>,
    pub(super) expanded: u64,
    /// Sets that earlier sessions have expanded.
    pub(super) expanded_before: u64,
    /// The number of visits before no-goods grow.
    warm_up_visits: u64,
    /// The greatest number of no-goods at any time.
    pub(super) peak_no_goods: u64,
    /// The memory limit of the shared levels and the lower bound, in bytes.
    memory: Option<u64>,
    /// Scratch memory for the set of a child, and for the elements that an explanation should contain.
    pub(super) child: Vec<u64>,
    pub(super) wanted: Vec<u64>,
    /// Reasons whose memory is reused.
    pub(super) reasons: Vec<MoveReasons>,
    moves: Vec<MoveIndex>,
    /// The number of the child that [`Learner::refute_with_lookahead`] last failed to refute. The next call tries this
    /// number first.
    pub(super) last_unrefuted: usize,
}

impl<'a> Learner<'a> {
    pub(super) fn new(
        expander: Box<dyn SetExpander + 'a>,
        shared: &'a SharedLevels,
        memory: Option<u64>,
        monitor: &'a Monitor<'a>,
        checkpointer: &'a Checkpointer<'a>,
        peers: Peers<'a>,
    ) -> Self {
        let words = expander.words();
        let all = all_elements(&*expander);
        let warm_up_visits = WARM_UP_FACTOR / (expander.element_count().max(1) as u64).saturating_pow(4);
        Self {
            expander,
            monitor,
            checkpointer,
            peers,
            shared,
            levels: shared.all(),
            all,
            expanded: 0,
            expanded_before: 0,
            warm_up_visits: warm_up_visits.min(MAX_WARM_UP_VISITS),
            peak_no_goods: 0,
            memory,
            child: vec![0; words],
            wanted: vec![0; words],
            reasons: Vec::new(),
            moves: Vec::new(),
            last_unrefuted: 0,
        }
    }

    pub(super) fn level(&mut self, budget: Cost) -> &SharedLevel {
        if self.levels.len() <= budget as usize {
            let (words, elements) = (self.all.len(), self.expander.element_count());
            let empty =
                || Level { no_goods: NoGoods::new(words), frequencies: ElementFrequencies::new(elements, &self.all) };
            self.levels = self.shared.grow_to(budget, empty);
        }
        &self.levels[budget as usize]
    }

    /// Whether a no-good of `budget` contains `set`. If so, copies this no-good to `no_good`.
    pub(super) fn is_in_no_good(&mut self, set: &[u64], budget: Cost, no_good: &mut [u64]) -> bool {
        let level = self.level(budget);
        let number = {
            let Level { no_goods, .. } = &*level.read();
            let Some(number) = no_goods.containing(set) else { return false };
            no_good.copy_from_slice(no_goods.get(number));
            number
        };
        level.write().no_goods.count_use(number);
        true
    }

    /// Adds a no-good, and sends it to the other workers.
    pub(super) fn learn(&mut self, set: &[u64], budget: Cost) {
        self.peers.notify(NoticeKind::NoGood, set, budget);
        self.add(set, budget);
    }

    pub(super) fn add(&mut self, set: &[u64], budget: Cost) {
        let Level { no_goods, frequencies } = &mut *self.level(budget).write();
        no_goods.add(set, |element| frequencies.share(element));
    }

    /// Whether the search is in its first visits, whose no-goods do not grow.
    pub(super) fn is_warm_up(&self) -> bool {
        self.expanded_before + self.expanded < self.warm_up_visits
    }

    /// Whether the search is to stop or to pause.
    pub(super) fn should_leave(&self) -> bool {
        self.monitor.should_leave_layer()
    }

    /// Whether the root has a solution. Each child contains its parent and is never worse, so one path decides: it ends
    /// at a goal, or at a set that no choice changes. Also true if the search is to stop before that.
    pub(super) fn is_solvable(&mut self) -> bool {
        let (mut set, mut child) = (vec![0; self.all.len()], vec![0; self.all.len()]);
        self.expander.root(&mut set);
        loop {
            if self.should_leave() || self.is_goal(&set) {
                return true;
            }
            let slot = self.expander.push(&set);
            let expansion = self.expand(set.clone(), slot, Cost::MAX);
            let is_larger = expansion.children.iter().any(|candidate| {
                let slot = self.expander.push_child(slot, candidate.mv);
                self.expander.set(slot, &mut child);
                child != set
            });
            self.expander.truncate(slot);
            if !is_larger {
                return false;
            }
            std::mem::swap(&mut set, &mut child);
        }
    }

    /// Processes the notices of other workers. Returns the number of the first set on the stack that one of their
    /// no-goods refutes, and this no-good.
    pub(super) fn receive_notices(&mut self, stack: &[Expansion]) -> Option<(usize, Vec<u64>)> {
        let mut refuted: Option<(usize, Vec<u64>)> = None;
        while let Some(notice) = self.peers.next_notice() {
            let (set, budget) = (&notice.set, notice.budget);
            let is_new = self.peers.must_store(&notice);
            if notice.kind != NoticeKind::NoGood {
                is_new.then(|| self.level(budget).write().frequencies.add(set));
                continue;
            }
            is_new.then(|| self.add(set, budget));
            let is_refuted = |expansion: &Expansion| expansion.budget == budget && is_subset(&expansion.set, set);
            if let Some(at) = stack.iter().position(is_refuted)
                && refuted.as_ref().is_none_or(|(first, _)| at < *first)
            {
                refuted = Some((at, set.to_vec()));
            }
        }
        refuted
    }

    pub(super) fn exchange(&self) {
        self.peers.exchange();
    }

    /// [`refute`](Self::refute) of the root.
    pub(super) fn refute_root(&mut self, max_cost: Cost) -> Refutation {
        let mut root = vec![0; self.all.len()];
        self.expander.root(&mut root);
        self.refute(root, max_cost)
    }

    /// Refutes a set for a budget, or finds a solution from it that costs no more.
    pub(super) fn refute(&mut self, root: Vec<u64>, max_cost: Cost) -> Refutation {
        if self.is_in_no_good(&root, max_cost, &mut vec![0; root.len()]) {
            return Refutation::Refuted;
        }
        self.expander.truncate(0);
        let mut stack: Vec<Expansion> = Vec::new();
        let slot = self.expander.push(&root);
        let mut next = Some((root, slot, max_cost));
        loop {
            if let Some((set, slot, budget)) = next.take() {
                match self.visit(set, slot, budget, stack.len()) {
                    Ok(Visit::Expanded(expansion)) => stack.push(expansion),
                    Ok(Visit::Goal { mv, remaining_budget }) => {
                        let moves = stack.iter().map(|parent| parent.children[parent.current].mv);
                        return Refutation::Solved(moves.chain([mv]).collect(), max_cost - remaining_budget);
                    }
                    Err(Stopped) => return Refutation::Interrupted,
                }
            }
            if self.peers.have_refuted(max_cost) {
                return Refutation::Refuted;
            }
            let no_good = if let Some((at, no_good)) = self.receive_notices(&stack) {
                stack.truncate(at + 1);
                no_good
            } else {
                let Some(top) = stack.last_mut() else { return Refutation::Refuted };
                if let Some(at) = top.next_open() {
                    top.current = at;
                    next = self.descend(top);
                    continue;
                }
                let Ok(no_good) = self.generalise(top, 0) else { return Refutation::Interrupted };
                no_good
            };
            stack.pop().into_iter().for_each(|refuted| self.expander.truncate(refuted.slot));
            let Some(parent) = stack.last_mut() else { return Refutation::Refuted };
            parent.refute(parent.current, &no_good);
            // The check follows a learned no-good. Otherwise a search might do nothing but take checkpoints.
            self.checkpointer.check(None);
        }
    }

    /// Expands a set and judges its children. The state of the set is the last one on the stack of the expander.
    /// `depth` is the number of sets on the path above it.
    fn visit(&mut self, set: Vec<u64>, slot: usize, budget: Cost, depth: usize) -> Result<Visit, Stopped> {
        self.monitor.count_expansion();
        self.expanded += 1;
        self.peers.exchange();
        if self.expanded.is_multiple_of(16) {
            self.do_housekeeping();
        }
        if self.should_leave() {
            return Err(Stopped);
        }
        self.peers.notify(NoticeKind::Visit(depth as u32), &set, budget);
        self.level(budget).write().frequencies.add(&set);
        let mut expansion = self.expand(set, slot, budget);
        for at in 0..expansion.children.len() {
            if !self.judge(&mut expansion, at) {
                let Child { mv, budget: remaining_budget, .. } = expansion.children[at];
                return Ok(Visit::Goal { mv, remaining_budget });
            }
            if matches!(expansion.children[at].verdict, Verdict::Open) {
                expansion.children[at].size = size(&self.child);
                expansion.open.push(at);
            }
        }
        // The largest child comes first: its reason is likely to refute the others.
        let Expansion { open, children, .. } = &mut expansion;
        open.sort_by_key(|&at| (children[at].size, usize::MAX - at));
        Ok(Visit::Expanded(expansion))
    }

    /// Returns the set of the current child, its position on the stack, and the remaining budget. Returns `None` if a
    /// no-good refutes the child by now, or if the child is deferred because another worker searches it.
    fn descend(&mut self, parent: &mut Expansion) -> Option<(Vec<u64>, usize, Cost)> {
        let Child { slot, budget: remaining_budget, .. } = parent.children[parent.current];
        let mut set = vec![0; self.all.len()];
        self.expander.set(slot, &mut set);
        if self.is_in_no_good(&set, remaining_budget, parent.reason_mut(parent.current)) {
            parent.children[parent.current].verdict = Verdict::InNoGood;
            return None;
        }
        let slot = self.expander.push_saturated(slot, &mut set);
        if !parent.is_last_round && self.peers.is_searched(&set, remaining_budget) {
            self.expander.truncate(slot);
            parent.deferred.push(parent.current);
            return None;
        }
        Some((set, slot, remaining_budget))
    }

    /// Makes the expansion of a set from the choices at it. The state of the set is the last one on the stack, in
    /// `slot`.
    fn expand(&mut self, set: Vec<u64>, slot: usize, budget: Cost) -> Expansion {
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let mut pins = vec![0; self.all.len()];
        let is_pinned = self.expander.choices(slot, &mut moves, &mut pins);
        let child = |&mv: &MoveIndex| {
            let remaining = budget.checked_sub(self.expander.cost(mv));
            let verdict = if remaining.is_some() { Verdict::Open } else { Verdict::OverBudget };
            Child { mv, budget: remaining.unwrap_or(0), slot: 0, size: 0, verdict }
        };
        let children: Vec<Child> = moves.iter().map(child).collect();
        let reasons = vec![0; children.len() * set.len()];
        self.moves = moves;
        Expansion { set, budget, children, reasons, slot, is_pinned, pins, ..Expansion::default() }
    }

    /// Generates child number `at` and judges it. Returns false if it is a goal. Its set is in `self.child` afterwards.
    fn judge(&mut self, expansion: &mut Expansion, at: usize) -> bool {
        let child = &mut expansion.children[at];
        if matches!(child.verdict, Verdict::OverBudget) {
            return true;
        }
        let (slot, remaining_budget) = (self.expander.push_child(expansion.slot, child.mv), child.budget);
        child.slot = slot;
        if self.expander.is_goal(slot) {
            return false;
        }
        let mut set = std::mem::take(&mut self.child);
        self.expander.set(slot, &mut set);
        let verdict = if is_subset(&set, &expansion.set) {
            Verdict::Unchanged
        } else if let Some(sibling) = expansion.sibling_with_reason(&set, remaining_budget) {
            let words = set.len();
            expansion.reasons.copy_within(sibling * words..(sibling + 1) * words, at * words);
            Verdict::InNoGood
        } else if self.is_in_no_good(&set, remaining_budget, expansion.reason_mut(at)) {
            Verdict::InNoGood
        } else if self.is_warm_up() {
            // In the warm-up, the bound refutes only with an explanation.
            let mut wanted = std::mem::take(&mut self.wanted);
            wanted.copy_from_slice(self.level(expansion.budget).read().frequencies.frequent());
            let explains = self.expander.explain(slot, remaining_budget + 1, &wanted, expansion.reason_mut(at));
            self.wanted = wanted;
            if explains { Verdict::InNoGood } else { Verdict::Open }
        } else if self.expander.refutes(slot, remaining_budget + 1) {
            Verdict::Bound
        } else {
            Verdict::Open
        };
        expansion.children[at].verdict = verdict;
        self.child = set;
        true
    }

    /// Learns that `set` is refuted for `budget`, and returns the no-good, if the lower bound and known no-goods refute
    /// all children. For one other child, the function may call itself, down to `lookahead` levels. The state of `set`
    /// is the last one on the stack. `depth` is the number of nested refutations that growing has begun.
    pub(super) fn refute_with_lookahead(
        &mut self,
        set: Vec<u64>,
        slot: usize,
        budget: Cost,
        depth: usize,
        mut lookahead: usize,
    ) -> Option<Vec<u64>> {
        let mut expansion = self.expand(set, slot, budget);
        let count = expansion.children.len();
        let mut result = None;
        let first_tried = self.last_unrefuted;
        'all: {
            for turn in 0..count {
                let at = (turn + first_tried) % count;
                if !self.judge(&mut expansion, at) {
                    break 'all;
                }
                let Child { slot, budget: remaining_budget, verdict, .. } = expansion.children[at];
                if matches!(verdict, Verdict::Open) {
                    let mut refuting = None;
                    if lookahead > 0 && remaining_budget > 0 {
                        let mut saturated = vec![0; self.all.len()];
                        let slot = self.expander.push_saturated(slot, &mut saturated);
                        refuting = self.refute_with_lookahead(saturated, slot, remaining_budget, depth, lookahead - 1);
                    }
                    let Some(no_good) = refuting else {
                        self.last_unrefuted = at;
                        break 'all;
                    };
                    lookahead = 0;
                    expansion.refute(at, &no_good);
                }
            }
            result = self.generalise(&mut expansion, depth).ok();
        }
        self.expander.truncate(expansion.slot);
        result
    }

    /// Updates the gauges, checks the limits, and evicts no-goods if memory is short.
    fn do_housekeeping(&mut self) {
        let count = self.shared.no_good_count();
        self.peak_no_goods = self.peak_no_goods.max(count);
        let bytes = || self.shared.bytes() + self.expander.bound_bytes();
        if self.memory.is_some_and(|memory| bytes() > memory / 8 * 7) {
            self.shared.all().iter().for_each(|level| level.write().no_goods.forget_half());
        }
        let gauges = &self.monitor.gauges;
        gauges.set_bytes(bytes());
        gauges.stored.store(count, Relaxed);
        gauges.generated.store(self.peers.publish_and_sum(self.expander.counts().generated), Relaxed);
        self.monitor.report_to_ranks();
        self.monitor.check_limits();
    }
}
