//! Generalises a refutation to a no-good, as large as possible.
//!
//! Each child of the refuted set S has *reasons*, which are sets that contain the child: no-goods of the remaining
//! budget, and the explanation of the lower bound. The largest set whose child by a move lies within a reason is the
//! *regression* of the reason. The no-good N is the intersection of one regression for each move, so S lies within it,
//! and each child of N lies within a reason.
//!
//! Then N grows: an element x is added if, for each move, some reason contains the child of N with x. If a single child
//! has no reason, but the bound and known no-goods refute all of its own children, a no-good for it is learned first
//! (counterexamples to generalisation: Hassan, Bradley and Somenzi 2013).
//!
//! The first no-goods of a search do not grow, and have one reason for each move: on a small puzzle, growing does not
//! pay.

use super::bits::{contains, insert, intersect, is_subset, remove, shared};
use super::learner::{Child, Expansion, Learner, Verdict};
use super::reasons::MoveReasons;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::Stopped;

/// The largest number of no-goods that are considered as reasons of one child.
const MAX_REASONS: usize = 16;

/// The largest number of elements that are tried for one no-good.
const MAX_TRIALS: usize = 100;

/// The largest nesting depth of refutations that growing starts.
const MAX_NESTING: usize = 12;

/// The number of levels that such a refutation searches below its set.
const LOOKAHEAD_LEVELS: usize = 2;

/// A no-good that grows.
struct Growth<'w> {
    wanted: &'w [u64],
    /// The number of nested refutations that growing has begun.
    depth: usize,
    /// Whether a child may still be refuted. At most one child is, for each no-good.
    may_refute: bool,
    /// The number of the regression that is chosen for each move.
    chosen: Vec<usize>,
}

impl Learner<'_> {
    /// Learns a no-good that contains the set of an expansion whose children are all refuted, and returns it. `depth`
    /// is the number of nested refutations that growing has begun.
    pub(super) fn generalise(&mut self, expansion: &mut Expansion, depth: usize) -> Result<Vec<u64>, Stopped> {
        let words = self.all.len();
        let mut no_good = self.all.clone();
        let wanted = self.level(expansion.budget).read().frequencies.frequent().to_vec();
        let mut reasons_by_move = Vec::with_capacity(expansion.children.len());
        let (mut unchanging_moves, mut unchanged_reasons) = (Vec::new(), None);
        let changes = |at: &usize| !matches!(expansion.children[*at].verdict, Verdict::Unchanged);
        let count = expansion.children.len();
        // Moves that change the set come first. The intersection of their regressions guides the choice of reasons for
        // the other moves.
        for at in (0..count).filter(changes).chain((0..count).filter(|at| !changes(at))) {
            let child = &expansion.children[at];
            if matches!(child.verdict, Verdict::OverBudget) {
                continue;
            }
            let mut reasons = self.reasons_of(expansion, at, &no_good, &wanted, &unchanged_reasons);
            if !changes(&at) && unchanged_reasons.as_ref().is_none_or(|&(budget, ..)| budget != child.budget) {
                unchanged_reasons = Some((child.budget, reasons.by_bound, reasons.sets.clone()));
            }
            if reasons.sets.is_empty() {
                unchanging_moves.push(child.mv);
                continue;
            }
            let overlap = |set: &[u64]| shared(set, &no_good, &wanted);
            let numbered = reasons.sets.chunks_exact(words).enumerate();
            let best = numbered.max_by_key(|&(at, set)| (overlap(set), usize::MAX - at)).map_or(0, |(at, _)| at);
            self.regress(&mut reasons, best);
            intersect(&mut no_good, reasons.regression(0, words));
            reasons_by_move.push((reasons, best));
        }
        if expansion.is_pinned && is_subset(&expansion.pins, &no_good) {
            let mut pin = None;
            super::bits::for_each(&expansion.pins, |element| pin = Some(element));
            pin.into_iter().for_each(|pin| remove(&mut no_good, pin));
        }
        // A pin is removed first: a move that changes nothing at a set may change the set without that pin.
        self.shrink_until_unchanged(&mut no_good, &unchanging_moves);
        if reasons_by_move.is_empty() && self.is_goal(&no_good) {
            no_good.clone_from(&expansion.set);
        } else if unchanging_moves.is_empty() && !expansion.is_pinned && !self.is_warm_up() {
            let alternatives = |(mut reasons, best)| {
                self.add_alternatives(&mut reasons, best, &no_good);
                reasons
            };
            let mut reasons_by_move: Vec<_> = reasons_by_move.into_iter().map(alternatives).collect();
            let grown = self.grow(&mut no_good, &mut reasons_by_move, expansion.budget, &wanted, depth);
            self.reasons.append(&mut reasons_by_move);
            grown?;
        } else {
            self.reasons.extend(reasons_by_move.into_iter().map(|(reasons, _)| reasons));
        }
        if !is_subset(&expansion.set, &no_good) {
            // `regress` has broken its contract. All children of `expansion.set` are refuted, so this set is a no-good.
            no_good.clone_from(&expansion.set);
        }
        self.learn(&no_good, expansion.budget);
        Ok(no_good)
    }

    /// Removes elements from `set` until none of these moves changes it. A subset of `set` that none of the moves
    /// changes remains a subset.
    fn shrink_until_unchanged(&mut self, set: &mut Vec<u64>, moves: &[MoveIndex]) {
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

    /// Returns the reasons for the move to refuted child number `at`. The lower bound is asked to keep the elements
    /// that `no_good` and `wanted` share. Moves that change nothing and leave the same budget have the same reasons:
    /// `unchanged_reasons` has them, once they are known.
    fn reasons_of(
        &mut self,
        expansion: &Expansion,
        at: usize,
        no_good: &[u64],
        wanted: &[u64],
        unchanged_reasons: &Option<(Cost, bool, Vec<u64>)>,
    ) -> MoveReasons {
        let Child { mv, budget, slot, verdict, .. } = expansion.children[at];
        let mut move_reasons = self.reasons.pop().unwrap_or_default();
        move_reasons.begin(mv, budget);
        if let (Verdict::Unchanged, Some((known_budget, by_bound, sets))) = (verdict, unchanged_reasons)
            && *known_budget == budget
        {
            move_reasons.by_bound = *by_bound;
            move_reasons.sets.extend_from_slice(sets);
            return move_reasons;
        }
        let (mut set, mut wanted_subset) = (std::mem::take(&mut self.child), std::mem::take(&mut self.wanted));
        match verdict {
            // The set lies within each of its children, and so within each reason of a child.
            Verdict::Unchanged
                if self.is_warm_up()
                    && let Some(sibling) = expansion.sibling_with_reason(&expansion.set, budget) =>
            {
                move_reasons.sets.extend_from_slice(expansion.reason(sibling));
            }
            Verdict::Bound | Verdict::Unchanged => {
                wanted_subset.copy_from_slice(wanted);
                intersect(&mut wanted_subset, no_good);
                if self.expander.explain(slot, budget + 1, &wanted_subset, &mut set) {
                    move_reasons.by_bound = true;
                    move_reasons.sets.extend_from_slice(&set);
                }
            }
            Verdict::InNoGood => move_reasons.sets.extend_from_slice(expansion.reason(at)),
            Verdict::OverBudget | Verdict::Open => {}
        }
        if move_reasons.sets.is_empty() || !self.is_warm_up() {
            match verdict {
                Verdict::Unchanged => set.copy_from_slice(&expansion.set),
                _ => self.expander.set(slot, &mut set),
            }
            self.add_known(&set, &mut move_reasons);
        }
        (self.child, self.wanted) = (set, wanted_subset);
        move_reasons
    }

    /// Adds the no-goods that contain `set` to the reasons.
    fn add_known(&self, set: &[u64], move_reasons: &mut MoveReasons) {
        let Some(level) = self.levels.get(move_reasons.budget as usize) else { return };
        let level = level.read();
        let mut numbers = Vec::new();
        level.no_goods.all_containing(set, MAX_REASONS, &mut numbers);
        numbers.into_iter().for_each(|number| move_reasons.sets.extend_from_slice(level.no_goods.get(number)));
    }

    /// Adds the regression of a reason, and returns it.
    fn regress<'r>(&self, move_reasons: &'r mut MoveReasons, reason: usize) -> &'r [u64] {
        let (words, offset) = (self.all.len(), move_reasons.regressions.len());
        move_reasons.regressions.resize(offset + words, 0);
        let set = &move_reasons.sets[reason * words..][..words];
        let out = &mut move_reasons.regressions[offset..];
        self.expander.regress(set, move_reasons.mv, out);
        out
    }

    /// Adds the regressions of the other reasons that contain the no-good, in the order of the reasons. `best` is the
    /// reason in use.
    fn add_alternatives(&self, move_reasons: &mut MoveReasons, best: usize, no_good: &[u64]) {
        let words = self.all.len();
        for at in (0..move_reasons.sets.len() / words).filter(|&at| at != best) {
            if is_subset(no_good, &move_reasons.sets[at * words..][..words]) {
                self.regress(move_reasons, at);
            }
        }
        move_reasons.retain(no_good, words);
    }

    /// Adds elements to a no-good, as long as each move has a reason from the larger set.
    fn grow(
        &mut self,
        no_good: &mut Vec<u64>,
        reasons_by_move: &mut [MoveReasons],
        budget: Cost,
        wanted: &[u64],
        depth: usize,
    ) -> Result<(), Stopped> {
        let words = self.all.len();
        let order = self.level(budget).read().frequencies.order().to_vec();
        let mut trials = 0;
        let mut larger = no_good.clone();
        let mut growth =
            Growth { wanted, depth, may_refute: depth < MAX_NESTING, chosen: vec![0; reasons_by_move.len()] };
        for element in order {
            if contains(no_good, element) {
                continue;
            }
            if trials == MAX_TRIALS {
                break;
            }
            trials += 1;
            if self.should_leave() {
                return Err(Stopped);
            }
            larger.clone_from(no_good);
            insert(&mut larger, element);
            if !self.find_reasons(&larger, element, reasons_by_move, &mut growth) {
                continue;
            }
            no_good.clone_from(&self.all);
            for (move_reasons, &chosen) in reasons_by_move.iter_mut().zip(&growth.chosen) {
                move_reasons.current = chosen;
                intersect(no_good, move_reasons.regression(chosen, words));
            }
            reasons_by_move.iter_mut().for_each(|move_reasons| move_reasons.retain(no_good, words));
        }
        Ok(())
    }

    /// Finds a reason for each move from `larger`, which has a new element. Returns false if a move has none.
    fn find_reasons(
        &mut self,
        larger: &[u64],
        element: u32,
        reasons_by_move: &mut [MoveReasons],
        growth: &mut Growth<'_>,
    ) -> bool {
        let (mut without_reason, mut without_bound) = (Vec::new(), 0);
        for (at, move_reasons) in reasons_by_move.iter().enumerate() {
            match move_reasons.regression_with(element, larger.len()) {
                Some(regression) => growth.chosen[at] = regression,
                None => {
                    without_bound += usize::from(!move_reasons.by_bound);
                    if without_bound > usize::from(growth.may_refute) {
                        return false;
                    }
                    without_reason.push(at);
                }
            }
        }
        if without_reason.is_empty() {
            return true;
        }
        let slot = self.expander.push(larger);
        let found = self.find_new_reasons(larger, slot, reasons_by_move, &without_reason, growth);
        self.expander.truncate(slot);
        found
    }

    /// Finds new reasons from `larger` for the moves in `without_reason`, which have none: by the lower bound, and for
    /// one move by refuting its child. The state of `larger` is in `slot`.
    fn find_new_reasons(
        &mut self,
        larger: &[u64],
        slot: usize,
        reasons_by_move: &mut [MoveReasons],
        without_reason: &[usize],
        growth: &mut Growth<'_>,
    ) -> bool {
        let mut unexplained = None;
        for &at in without_reason {
            let move_reasons = &mut reasons_by_move[at];
            let child = self.expander.push_child(slot, move_reasons.mv);
            if move_reasons.by_bound && self.explain_anew(larger, child, growth.wanted, move_reasons) {
                growth.chosen[at] = move_reasons.regressions.len() / larger.len() - 1;
            } else if unexplained.is_some() || !growth.may_refute {
                return false;
            } else {
                unexplained = Some((at, child));
            }
        }
        let Some((at, child)) = unexplained else { return true };
        growth.may_refute = false;
        let budget = reasons_by_move[at].budget;
        if budget == 0 || self.expander.is_goal(child) {
            return false;
        }
        let mut saturated = vec![0; larger.len()];
        let slot = self.expander.push_saturated(child, &mut saturated);
        let Some(set) = self.refute_with_lookahead(saturated, slot, budget, growth.depth + 1, LOOKAHEAD_LEVELS) else {
            return false;
        };
        growth.chosen[at] = reasons_by_move[at].regressions.len() / larger.len();
        self.add_reason(&mut reasons_by_move[at], &set);
        true
    }

    pub(super) fn is_goal(&mut self, set: &[u64]) -> bool {
        let slot = self.expander.push(set);
        let is_goal = self.expander.is_goal(slot);
        self.expander.truncate(slot);
        is_goal
    }

    fn add_reason(&self, move_reasons: &mut MoveReasons, set: &[u64]) {
        move_reasons.sets.extend_from_slice(set);
        self.regress(move_reasons, move_reasons.sets.len() / set.len() - 1);
    }

    fn explain_anew(&mut self, larger: &[u64], slot: usize, wanted: &[u64], move_reasons: &mut MoveReasons) -> bool {
        let (mut set, mut wanted_subset) = (std::mem::take(&mut self.child), std::mem::take(&mut self.wanted));
        wanted_subset.copy_from_slice(wanted);
        intersect(&mut wanted_subset, larger);
        let explains = self.expander.explain(slot, move_reasons.budget + 1, &wanted_subset, &mut set);
        if explains {
            self.add_reason(move_reasons, &set);
        }
        (self.child, self.wanted) = (set, wanted_subset);
        explains
    }
}
