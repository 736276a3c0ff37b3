//! Refutes sets depth first, and learns a no-good from each refutation.

use super::super::checkpointer::Checkpointer;
use super::bits::size;
use super::no_goods::NoGoods;
use super::visited::Visited;
use crate::domain::{Cost, MoveIndex};
use crate::expand::{SetChild, SetExpander};
use crate::runtime::Monitor;

/// The no-goods of one budget, and the sets that were searched with it.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) no_goods: NoGoods,
    pub(super) visited: Visited,
}

/// What is known of a child of a set.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// The move costs more than is left.
    TooDear,
    /// The child is the set itself.
    Unchanged,
    /// The lower bound refutes the child.
    Bound,
    /// The child lies within this no-good.
    Within(Vec<u64>),
    /// The child has to be searched.
    Open,
}

/// A child of a set.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) mv: MoveIndex,
    /// What is left of the budget.
    pub(super) rest: Cost,
    /// Its place on the stack of the expander.
    pub(super) slot: usize,
    is_goal: bool,
    pub(super) verdict: Verdict,
}

/// A set whose children are to be refuted.
#[derive(Debug, Default)]
pub(super) struct Expansion {
    pub(super) set: Vec<u64>,
    pub(super) budget: Cost,
    pub(super) children: Vec<Child>,
    /// The slot of the first child on the stack of the expander.
    first: usize,
    /// Whether larger sets have no further choices as long as they lack an element of `pins`.
    pub(super) is_pinned: bool,
    pub(super) pins: Vec<u64>,
    /// The children that are left to be searched, as indices of `children`; the last one comes first.
    open: Vec<usize>,
    /// The child that is searched now.
    current: usize,
}

/// How a refutation ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refutation {
    /// No solution costs as little as the budget. A no-good says so.
    Refuted,
    /// These moves lead from the root to a goal, and cost so much, which is no more than the budget.
    Solved(Vec<MoveIndex>, Cost),
    /// The search is to stop, or a pause is due.
    Left,
}

/// How a child is judged.
enum Judged {
    Goal,
    Is(Verdict),
}

/// One worker of the search.
pub(super) struct Learner<'a> {
    pub(super) expander: Box<dyn SetExpander + 'a>,
    monitor: &'a Monitor<'a>,
    checkpointer: &'a Checkpointer<'a>,
    /// By budget.
    pub(super) levels: Vec<Level>,
    pub(super) all: Vec<u64>,
    /// Sets expanded.
    pub(super) expanded: u64,
    /// The greatest number of no-goods at any time.
    pub(super) most_held: u64,
    /// The memory limit of the no-goods, in bytes.
    memory: Option<u64>,
    /// Space for the set of a child.
    child: Vec<u64>,
    children: Vec<SetChild>,
    /// The move that was not refuted last when a set was looked at; it is tried first at the next one.
    pub(super) unrefuted: usize,
}

impl<'a> Learner<'a> {
    pub(super) fn new(
        expander: Box<dyn SetExpander + 'a>,
        memory: Option<u64>,
        monitor: &'a Monitor<'a>,
        checkpointer: &'a Checkpointer<'a>,
    ) -> Self {
        let words = expander.words();
        let mut all = vec![0; words];
        (0..expander.elements()).for_each(|element| super::bits::insert(&mut all, element as u32));
        Self {
            expander,
            monitor,
            checkpointer,
            levels: Vec::new(),
            all,
            expanded: 0,
            most_held: 0,
            memory,
            child: vec![0; words],
            children: Vec::new(),
            unrefuted: 0,
        }
    }

    /// The level of a budget.
    pub(super) fn level(&mut self, budget: Cost) -> &mut Level {
        let (words, elements) = (self.all.len(), self.expander.elements());
        while self.levels.len() <= budget as usize {
            let visited = Visited::new(elements, &self.all);
            self.levels.push(Level { no_goods: NoGoods::new(words), visited });
        }
        &mut self.levels[budget as usize]
    }

    /// Bytes of the memory that the no-goods take.
    pub(super) fn bytes(&self) -> u64 {
        self.levels.iter().map(|level| level.no_goods.bytes() + level.visited.bytes()).sum()
    }

    /// The number of no-goods.
    pub(super) fn held(&self) -> u64 {
        self.levels.iter().map(|level| level.no_goods.len() as u64).sum()
    }

    /// The no-good of a budget that contains `set`, if there is one.
    pub(super) fn known(&mut self, set: &[u64], budget: Cost) -> Option<Vec<u64>> {
        let no_goods = &mut self.levels.get_mut(budget as usize)?.no_goods;
        let number = no_goods.containing(set, 0)?;
        no_goods.used(number);
        Some(no_goods.get(number).to_vec())
    }

    /// Learns a no-good.
    pub(super) fn learn(&mut self, set: &[u64], budget: Cost) {
        let Level { no_goods, visited } = self.level(budget);
        no_goods.add(set, |element| visited.share(element));
    }

    /// Whether the search is to stop, or a pause is due.
    pub(super) fn leaves(&self) -> bool {
        self.monitor.leaving()
    }

    /// Whether the root has a solution. Each child contains its parent and is never worse, so that any path decides: it
    /// ends at a goal, or at a set that no choice changes.
    pub(super) fn is_solvable(&mut self) -> bool {
        let (mut set, mut child) = (vec![0; self.all.len()], vec![0; self.all.len()]);
        self.expander.root(&mut set);
        while !self.expander.is_goal(&set) {
            let expansion = self.expand(set.clone(), Cost::MAX);
            let is_larger = expansion.children.iter().any(|of| {
                self.expander.set(of.slot, &mut child);
                child != set
            });
            self.expander.truncate(expansion.first);
            if !is_larger {
                return false;
            }
            std::mem::swap(&mut set, &mut child);
        }
        true
    }

    /// Refutes the root for a budget, or finds a solution that costs no more.
    pub(super) fn refute_root(&mut self, allowed: Cost) -> Refutation {
        let mut root = vec![0; self.all.len()];
        self.expander.root(&mut root);
        if self.known(&root, allowed).is_some() {
            return Refutation::Refuted;
        }
        let mut stack: Vec<Expansion> = Vec::new();
        let mut next = Some((root, allowed));
        loop {
            if let Some((set, budget)) = next.take() {
                match self.visit(set, budget) {
                    Some(Ok(expansion)) => stack.push(expansion),
                    Some(Err((mv, rest))) => {
                        let moves = stack.iter().map(|above| above.children[above.current].mv);
                        return Refutation::Solved(moves.chain([mv]).collect(), allowed - rest);
                    }
                    None => return Refutation::Left,
                }
            }
            let Some(top) = stack.last_mut() else { return Refutation::Refuted };
            if let Some(at) = top.open.pop() {
                top.current = at;
                next = self.descend(&mut top.children[at]);
                continue;
            }
            let Some(mut top) = stack.pop() else { return Refutation::Refuted };
            let Some(no_good) = self.generalise(&mut top, 0) else { return Refutation::Left };
            self.expander.truncate(top.first);
            if let Some(above) = stack.last_mut() {
                above.children[above.current].verdict = Verdict::Within(no_good);
            }
            // After a no-good was learned: else checkpoints might be all that is done.
            self.checkpointer.check(None);
        }
    }

    /// Expands a set of the search. `Err` is a move to a goal, with what it leaves of the budget; `None` if the search
    /// is to stop.
    fn visit(&mut self, set: Vec<u64>, budget: Cost) -> Option<Result<Expansion, (MoveIndex, Cost)>> {
        self.monitor.count_expansion();
        self.expanded += 1;
        if self.expanded.is_multiple_of(16) {
            self.look_around();
        }
        if self.leaves() {
            return None;
        }
        self.level(budget).visited.add(&set);
        let mut expansion = self.expand(set, budget);
        let mut sizes = Vec::new();
        for at in 0..expansion.children.len() {
            match self.judge(&expansion.set, &expansion.children[at]) {
                Judged::Goal => return Some(Err((expansion.children[at].mv, expansion.children[at].rest))),
                Judged::Is(verdict) => {
                    if matches!(verdict, Verdict::Open) {
                        sizes.push((size(&self.child), at));
                    }
                    expansion.children[at].verdict = verdict;
                }
            }
        }
        // The largest child first: what refutes it is likely to refute the others.
        sizes.sort_by_key(|&(size, at)| (size, usize::MAX - at));
        expansion.open = sizes.into_iter().map(|(_, at)| at).collect();
        Some(Ok(expansion))
    }

    /// The set of an open child, and what is left of the budget, unless the child is known to be refuted by now.
    fn descend(&mut self, child: &mut Child) -> Option<(Vec<u64>, Cost)> {
        let mut set = std::mem::take(&mut self.child);
        self.expander.set(child.slot, &mut set);
        let known = self.known(&set, child.rest);
        let next = match known {
            Some(no_good) => {
                child.verdict = Verdict::Within(no_good);
                None
            }
            None => {
                self.expander.raised(child.slot, &mut set);
                Some((set.clone(), child.rest))
            }
        };
        self.child = set;
        next
    }

    /// Generates the children of a set, all open.
    pub(super) fn expand(&mut self, set: Vec<u64>, budget: Cost) -> Expansion {
        let mut children = std::mem::take(&mut self.children);
        children.clear();
        let mut pins = vec![0; self.all.len()];
        let (first, is_pinned) = self.expander.expand(&set, &mut children, &mut pins);
        let of = |(slot, child): (usize, &SetChild)| Child {
            mv: child.mv,
            rest: budget.checked_sub(child.cost).unwrap_or(Cost::MAX),
            slot,
            is_goal: child.is_goal,
            verdict: if child.cost > budget { Verdict::TooDear } else { Verdict::Open },
        };
        let of_all = (first..).zip(&children).map(of).collect();
        self.children = children;
        Expansion { set, budget, children: of_all, first, is_pinned, pins, ..Expansion::default() }
    }

    /// Judges a child of `parent`. Its set is in `self.child` afterwards.
    fn judge(&mut self, parent: &[u64], child: &Child) -> Judged {
        if matches!(child.verdict, Verdict::TooDear) {
            return Judged::Is(Verdict::TooDear);
        }
        let mut set = std::mem::take(&mut self.child);
        self.expander.set(child.slot, &mut set);
        let judged = if set == parent {
            Judged::Is(Verdict::Unchanged)
        } else if child.is_goal {
            Judged::Goal
        } else if let Some(no_good) = self.known(&set, child.rest) {
            Judged::Is(Verdict::Within(no_good))
        } else if self.expander.refutes(child.slot, child.rest + 1) {
            Judged::Is(Verdict::Bound)
        } else {
            Judged::Is(Verdict::Open)
        };
        self.child = set;
        judged
    }

    /// Learns that `set` is refuted for a budget, if all of its children are refuted by what is known; then the no-good
    /// is returned. Of one child that is not, the children are looked at, down to `deeper` levels. `depth` is the depth
    /// of the refutation that needs the no-good.
    pub(super) fn refute_by_known(
        &mut self,
        set: Vec<u64>,
        budget: Cost,
        depth: usize,
        mut deeper: usize,
    ) -> Option<Vec<u64>> {
        let mut expansion = self.expand(set, budget);
        let count = expansion.children.len();
        let mut result = None;
        let first_tried = self.unrefuted;
        'all: {
            for turn in 0..count {
                let at = (turn + first_tried) % count;
                let Judged::Is(mut verdict) = self.judge(&expansion.set, &expansion.children[at]) else { break 'all };
                if matches!(verdict, Verdict::Open) {
                    let Child { slot, rest, .. } = expansion.children[at];
                    let below = if deeper > 0 && rest > 0 {
                        let mut raised = vec![0; self.all.len()];
                        self.expander.raised(slot, &mut raised);
                        self.refute_by_known(raised, rest, depth, deeper - 1)
                    } else {
                        None
                    };
                    let Some(no_good) = below else {
                        self.unrefuted = at;
                        break 'all;
                    };
                    deeper = 0;
                    verdict = Verdict::Within(no_good);
                }
                expansion.children[at].verdict = verdict;
            }
            result = self.generalise(&mut expansion, depth);
        }
        self.expander.truncate(expansion.first);
        result
    }

    /// Tells the gauges, looks at the limits, and forgets no-goods where memory is short.
    fn look_around(&mut self) {
        let (held, mut bytes) = (self.held(), self.bytes());
        self.most_held = self.most_held.max(held);
        if self.memory.is_some_and(|memory| bytes > memory / 8 * 7) {
            self.levels.iter_mut().for_each(|level| level.no_goods.forget_half());
            bytes = self.bytes();
        }
        let gauges = &self.monitor.gauges;
        gauges.hold(bytes);
        gauges.stored.store(held, std::sync::atomic::Ordering::Relaxed);
        gauges.generated.store(self.expander.counts().generated, std::sync::atomic::Ordering::Relaxed);
        self.monitor.report();
        self.monitor.check_limits();
    }
}
