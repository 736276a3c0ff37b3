//! Makes a no-good of a refutation, as large as possible.
//!
//! Each child of the refuted set S has *reasons*: no-goods of what is left of the budget that contain the child, and
//! the explanation of the lower bound. The largest set whose child by a move lies within a reason is the *regression*
//! of the reason. The no-good N is the intersection of one regression for each move, so S lies within it, and each
//! child of N lies within a reason.
//!
//! Then N grows: an element x is added if, for each move, some reason contains the child of N with x. If a single child
//! has no reason, and its own children are refuted by what is known, it is learned first (counterexamples to
//! generalisation: Hassan, Bradley and Somenzi 2013).

use super::bits::{contains, insert, intersect, is_subset, remove, shared};
use super::learner::{Child, Expansion, Learner, Verdict};
use crate::domain::{Cost, MoveIndex};

/// The most no-goods that are looked at as reasons of one child.
const MOST_REASONS: usize = 64;

/// The most elements that are tried.
const TRIALS: usize = 100;

/// The most refutations that growing begins, one within another.
const DEEPEST: usize = 12;

/// The levels that such a refutation looks down.
const DEEPER: usize = 2;

/// A set that is refuted for what is left of the budget.
struct Reason {
    set: Vec<u64>,
    /// Its regression, once it was needed.
    regression: Option<Vec<u64>>,
}

/// The reasons why a move leads to no solution.
struct MoveReasons {
    mv: MoveIndex,
    rest: Cost,
    /// Whether the lower bound refutes the child of the refuted set, so that it may refute larger ones.
    by_bound: bool,
    reasons: Vec<Reason>,
    /// The reason that is used.
    current: usize,
}

impl MoveReasons {
    fn regression(&self) -> &[u64] {
        self.reasons[self.current].regression.as_deref().unwrap_or(&[])
    }
}

impl Learner<'_> {
    /// Learns a no-good that contains the set of an expansion whose children are all refuted, and returns it. `None` if
    /// the search is to stop. `depth` is the number of refutations that growing has begun, one within another.
    pub(super) fn generalise(&mut self, expansion: &mut Expansion, depth: usize) -> Option<Vec<u64>> {
        let mut no_good = self.all.clone();
        let wanted = self.level(expansion.budget).visited.frequent().to_vec();
        let mut of_moves = Vec::with_capacity(expansion.children.len());
        let mut still = Vec::new();
        let is_unchanged = |child: &&Child| matches!(child.verdict, Verdict::Unchanged);
        // What moves that change something allow guides the choice of reasons for the others.
        let (unchanged, changed): (Vec<_>, Vec<_>) = expansion.children.iter().partition(is_unchanged);
        for child in changed.into_iter().chain(unchanged) {
            if matches!(child.verdict, Verdict::TooDear) {
                continue;
            }
            let mut reasons = self.reasons_of(child, &expansion.set, (&no_good, &wanted));
            if reasons.reasons.is_empty() {
                still.push(child.mv);
                continue;
            }
            let of = |reason: &Reason| shared(&reason.set, &no_good, &wanted);
            let best = (0..reasons.reasons.len()).max_by_key(|&at| (of(&reasons.reasons[at]), usize::MAX - at));
            reasons.current = best.unwrap_or(0);
            let mv = reasons.mv;
            let regression = self.regression_of(&mut reasons.reasons[reasons.current], mv);
            intersect(&mut no_good, regression);
            of_moves.push(reasons);
        }
        if expansion.is_pinned && is_subset(&expansion.pins, &no_good) {
            let mut pin = None;
            super::bits::for_each(&expansion.pins, |element| pin = Some(element));
            pin.into_iter().for_each(|pin| remove(&mut no_good, pin));
        }
        // Last: a move that changes nothing at a set may change what is left of it without a pin.
        self.hold_still(&mut no_good, &still);
        if of_moves.is_empty() && self.expander.is_goal(&no_good) {
            no_good.clone_from(&expansion.set);
        } else if still.is_empty() && !expansion.is_pinned {
            self.grow(&mut no_good, &mut of_moves, (expansion.budget, &wanted), depth)?;
        }
        debug_assert!(is_subset(&expansion.set, &no_good));
        self.learn(&no_good, expansion.budget);
        Some(no_good)
    }

    /// Takes out of `set` what lets one of these moves change it. They change nothing at a set within it, which stays
    /// within it.
    fn hold_still(&mut self, set: &mut Vec<u64>, moves: &[MoveIndex]) {
        let mut smaller = set.clone();
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for &mv in moves {
                self.expander.regress(set, mv, &mut smaller);
                is_stable &= smaller == *set;
                std::mem::swap(set, &mut smaller);
            }
        }
    }

    /// The reasons for the move to a refuted child of `parent`. The lower bound is asked to keep the elements that
    /// `no_good` and `wanted` share.
    fn reasons_of(&mut self, child: &Child, parent: &[u64], (no_good, wanted): (&[u64], &[u64])) -> MoveReasons {
        let Child { mv, rest, slot, .. } = *child;
        let mut of_move = MoveReasons { mv, rest, by_bound: false, reasons: Vec::new(), current: 0 };
        let mut set = vec![0; self.all.len()];
        match &child.verdict {
            Verdict::Bound | Verdict::Unchanged => {
                let mut both = wanted.to_vec();
                intersect(&mut both, no_good);
                if self.expander.explain(slot, rest + 1, &both, &mut set) {
                    of_move.by_bound = true;
                    of_move.reasons.push(Reason { set: set.clone(), regression: None });
                }
            }
            Verdict::Within(no_good) => {
                of_move.reasons.push(Reason { set: no_good.clone(), regression: None });
            }
            Verdict::TooDear | Verdict::Open => {}
        }
        match child.verdict {
            Verdict::Unchanged => set.copy_from_slice(parent),
            _ => self.expander.set(slot, &mut set),
        }
        self.add_known(&set, &mut of_move);
        of_move
    }

    /// Adds the no-goods that contain `set` to the reasons.
    fn add_known(&self, set: &[u64], of_move: &mut MoveReasons) {
        let Some(level) = self.levels.get(of_move.rest as usize) else { return };
        let mut from = 0;
        while of_move.reasons.len() < MOST_REASONS
            && let Some(number) = level.no_goods.containing(set, from)
        {
            of_move.reasons.push(Reason { set: level.no_goods.get(number).to_vec(), regression: None });
            from = number + 1;
        }
    }

    /// The regression of a reason for a move.
    fn regression_of<'r>(&self, reason: &'r mut Reason, mv: MoveIndex) -> &'r [u64] {
        let Reason { set, regression } = reason;
        regression.get_or_insert_with(|| {
            let mut out = vec![0; set.len()];
            self.expander.regress(set, mv, &mut out);
            out
        })
    }

    /// Adds elements to a no-good for which each move has a reason. `None` if the search is to stop.
    fn grow(
        &mut self,
        no_good: &mut Vec<u64>,
        of_moves: &mut [MoveReasons],
        (budget, wanted): (Cost, &[u64]),
        depth: usize,
    ) -> Option<()> {
        let order = self.level(budget).visited.order().to_vec();
        let (mut trials, mut refutes) = (0, depth < DEEPEST);
        let mut larger = no_good.clone();
        let mut chosen = vec![None; of_moves.len()];
        for element in order {
            if contains(no_good, element) {
                continue;
            }
            if trials == TRIALS {
                break;
            }
            trials += 1;
            if self.leaves() {
                return None;
            }
            larger.clone_from(no_good);
            insert(&mut larger, element);
            if !self.find_reasons(&larger, element, of_moves, wanted, (&mut refutes, depth), &mut chosen) {
                continue;
            }
            no_good.clone_from(&self.all);
            for (of_move, chosen) in of_moves.iter_mut().zip(&chosen) {
                of_move.current = chosen.unwrap_or(of_move.current);
                intersect(no_good, of_move.regression());
            }
        }
        Some(())
    }

    /// Finds a reason for each move from `larger`, which has a new element. Returns false if a move has none. `chosen`
    /// is the reason of each move that needs another one. `refutes` says whether a child may be refuted for it, which
    /// is done once.
    fn find_reasons(
        &mut self,
        larger: &[u64],
        element: u32,
        of_moves: &mut [MoveReasons],
        wanted: &[u64],
        (refutes, depth): (&mut bool, usize),
        chosen: &mut [Option<usize>],
    ) -> bool {
        let (mut without, mut hopeless) = (Vec::new(), 0);
        for (at, of_move) in of_moves.iter_mut().enumerate() {
            chosen[at] = None;
            if contains(of_move.regression(), element) {
                continue;
            }
            let mv = of_move.mv;
            let holds = |reason: &mut Reason| {
                is_subset(larger, &reason.set) && is_subset(larger, self.regression_of(reason, mv))
            };
            chosen[at] = of_move.reasons.iter_mut().position(holds);
            if chosen[at].is_none() {
                hopeless += usize::from(!of_move.by_bound);
                if hopeless > usize::from(*refutes) {
                    return false;
                }
                without.push(at);
            }
        }
        let mut left = None;
        for at in without {
            let of_move = &mut of_moves[at];
            if of_move.by_bound && self.explain_anew(larger, wanted, of_move) {
                chosen[at] = Some(of_move.reasons.len() - 1);
            } else if left.is_some() || !*refutes {
                return false;
            } else {
                left = Some(at);
            }
        }
        let Some(at) = left else { return true };
        *refutes = false;
        let of_move = &mut of_moves[at];
        let slot = self.expander.push_child(larger, of_move.mv);
        let mut child = vec![0; larger.len()];
        self.expander.raised(slot, &mut child);
        self.expander.truncate(slot);
        let refuted = of_move.rest > 0 && !self.expander.is_goal(&child);
        let Some(set) = refuted.then(|| self.refute_by_known(child, of_move.rest, depth + 1, DEEPER)).flatten() else {
            return false;
        };
        chosen[at] = Some(of_move.reasons.len());
        of_move.reasons.push(Reason { set, regression: None });
        let mv = of_move.mv;
        let regression = self.regression_of(&mut of_moves[at].reasons[chosen[at].unwrap_or(0)], mv);
        is_subset(larger, regression)
    }

    /// Adds the explanation of the lower bound for the child of `larger`, if the bound refutes it.
    fn explain_anew(&mut self, larger: &[u64], wanted: &[u64], of_move: &mut MoveReasons) -> bool {
        let slot = self.expander.push_child(larger, of_move.mv);
        let (mut both, mut set) = (wanted.to_vec(), vec![0; larger.len()]);
        intersect(&mut both, larger);
        let explains = self.expander.explain(slot, of_move.rest + 1, &both, &mut set);
        self.expander.truncate(slot);
        if explains {
            let mut reason = Reason { set, regression: None };
            let holds = is_subset(larger, self.regression_of(&mut reason, of_move.mv));
            of_move.reasons.push(reason);
            return holds;
        }
        false
    }
}
