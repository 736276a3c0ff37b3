//! Makes a no-good of a refutation, as large as possible.
//!
//! Each child of the refuted set S has *reasons*, which are sets that contain the child: no-goods for what is left of
//! the budget, and the explanation of the lower bound. The largest set whose child by a move lies within a reason is
//! the *regression* of the reason. The no-good N is the intersection of one regression for each move, so S lies within
//! it, and each child of N lies within a reason.
//!
//! Then N grows: an element x is added if, for each move, some reason contains the child of N with x. If a single child
//! has no reason, but what is known refutes all of its own children, a no-good for it is learned first (counterexamples
//! to generalisation: Hassan, Bradley and Somenzi 2013).
//!
//! The first no-goods of a search do not grow, and have one reason for each move: a small puzzle is solved with them
//! before growing pays.

use super::bits::{contains, insert, intersect, is_subset, remove, shared};
use super::learner::{Child, Expansion, Learner, Verdict};
use super::reasons::MoveReasons;
use crate::domain::{Cost, MoveIndex};
use crate::runtime::Stopped;

/// The most no-goods that are looked at as reasons of one child.
const MAX_REASONS: usize = 16;

/// The most elements that are tried for one no-good.
const TRIALS: usize = 100;

/// How deep the refutations that growing begins may be nested.
const DEEPEST: usize = 12;

/// How many levels below its set such a refutation looks.
const DEEPER: usize = 2;

/// A no-good that grows.
struct Growth<'w> {
    wanted: &'w [u64],
    /// The number of nested refutations that growing has begun.
    depth: usize,
    /// Whether a child may still be refuted. This is done once at most.
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
        let wanted = self.level(expansion.budget).read().visited.frequent().to_vec();
        let mut of_moves = Vec::with_capacity(expansion.children.len());
        let (mut still, mut of_set) = (Vec::new(), None);
        let changes = |at: &usize| !matches!(expansion.children[*at].verdict, Verdict::Unchanged);
        let count = expansion.children.len();
        // Moves that change the set come first. The no-good that their reasons leave guides the choice of reasons for
        // the other moves.
        for at in (0..count).filter(changes).chain((0..count).filter(|at| !changes(at))) {
            let child = &expansion.children[at];
            if matches!(child.verdict, Verdict::OverBudget) {
                continue;
            }
            let mut reasons = self.reasons_of(expansion, at, &no_good, &wanted, &of_set);
            if !changes(&at) && of_set.as_ref().is_none_or(|&(rest, ..)| rest != child.rest) {
                of_set = Some((child.rest, reasons.by_bound, reasons.sets.clone()));
            }
            if reasons.sets.is_empty() {
                still.push(child.mv);
                continue;
            }
            let of = |set: &[u64]| shared(set, &no_good, &wanted);
            let best = reasons.sets.chunks_exact(words).enumerate();
            let best = best.max_by_key(|&(at, set)| (of(set), usize::MAX - at)).map_or(0, |(at, _)| at);
            self.regress(&mut reasons, best);
            intersect(&mut no_good, reasons.regression(0, words));
            of_moves.push((reasons, best));
        }
        if expansion.is_pinned && is_subset(&expansion.pins, &no_good) {
            let mut pin = None;
            super::bits::for_each(&expansion.pins, |element| pin = Some(element));
            pin.into_iter().for_each(|pin| remove(&mut no_good, pin));
        }
        // This comes last: a move that changes nothing at a set may change the set without a pin.
        self.hold_still(&mut no_good, &still);
        if of_moves.is_empty() && self.is_goal(&no_good) {
            no_good.clone_from(&expansion.set);
        } else if still.is_empty() && !expansion.is_pinned && !self.is_beginning() {
            let alternatives = |(mut reasons, best)| {
                self.add_alternatives(&mut reasons, best, &no_good);
                reasons
            };
            let mut of_moves: Vec<_> = of_moves.into_iter().map(alternatives).collect();
            let grown = self.grow(&mut no_good, &mut of_moves, expansion.budget, &wanted, depth);
            self.reasons.append(&mut of_moves);
            grown?;
        } else {
            self.reasons.extend(of_moves.into_iter().map(|(reasons, _)| reasons));
        }
        if !is_subset(&expansion.set, &no_good) {
            // A regression does not keep its promise. All children of `expansion.set` are refuted, so this set is a
            // no-good.
            no_good.clone_from(&expansion.set);
        }
        self.learn(&no_good, expansion.budget);
        Ok(no_good)
    }

    /// Removes elements from `set` until none of these moves changes it. A set within `set` at which they change
    /// nothing stays within it.
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

    /// Returns the reasons for the move to refuted child number `at`. The lower bound is asked to keep the elements
    /// that `no_good` and `wanted` share. Moves that change nothing and leave the same budget have the same reasons:
    /// `of_set` has them, once they are known.
    fn reasons_of(
        &mut self,
        expansion: &Expansion,
        at: usize,
        no_good: &[u64],
        wanted: &[u64],
        of_set: &Option<(Cost, bool, Vec<u64>)>,
    ) -> MoveReasons {
        let Child { mv, rest, slot, verdict, .. } = expansion.children[at];
        let mut of_move = self.reasons.pop().unwrap_or_default();
        of_move.begin(mv, rest);
        if let (Verdict::Unchanged, Some((of, by_bound, sets))) = (verdict, of_set)
            && *of == rest
        {
            of_move.by_bound = *by_bound;
            of_move.sets.extend_from_slice(sets);
            return of_move;
        }
        let (mut set, mut both) = (std::mem::take(&mut self.child), std::mem::take(&mut self.wanted));
        match verdict {
            // The set lies within each of its children, and so within what refutes a child.
            Verdict::Unchanged
                if self.is_beginning()
                    && let Some(of) = expansion.beside(&expansion.set, rest) =>
            {
                of_move.sets.extend_from_slice(expansion.reason(of));
            }
            Verdict::Bound | Verdict::Unchanged => {
                both.copy_from_slice(wanted);
                intersect(&mut both, no_good);
                if self.expander.explain(slot, rest + 1, &both, &mut set) {
                    of_move.by_bound = true;
                    of_move.sets.extend_from_slice(&set);
                }
            }
            Verdict::InNoGood => of_move.sets.extend_from_slice(expansion.reason(at)),
            Verdict::OverBudget | Verdict::Open => {}
        }
        if of_move.sets.is_empty() || !self.is_beginning() {
            match verdict {
                Verdict::Unchanged => set.copy_from_slice(&expansion.set),
                _ => self.expander.set(slot, &mut set),
            }
            self.add_known(&set, &mut of_move);
        }
        (self.child, self.wanted) = (set, both);
        of_move
    }

    /// Adds the no-goods that contain `set` to the reasons.
    fn add_known(&self, set: &[u64], of_move: &mut MoveReasons) {
        let Some(level) = self.levels.get(of_move.rest as usize) else { return };
        let level = level.read();
        let mut numbers = Vec::new();
        level.no_goods.all_containing(set, MAX_REASONS, &mut numbers);
        numbers.into_iter().for_each(|number| of_move.sets.extend_from_slice(level.no_goods.get(number)));
    }

    /// Adds the regression of a reason, and returns it.
    fn regress<'r>(&self, of_move: &'r mut MoveReasons, reason: usize) -> &'r [u64] {
        let (words, before) = (self.all.len(), of_move.regressions.len());
        of_move.regressions.resize(before + words, 0);
        let set = &of_move.sets[reason * words..][..words];
        let out = &mut of_move.regressions[before..];
        self.expander.regress(set, of_move.mv, out);
        out
    }

    /// Adds the regressions of the other reasons that contain the no-good, in the order of the reasons. `best` is the
    /// reason in use.
    fn add_alternatives(&self, of_move: &mut MoveReasons, best: usize, no_good: &[u64]) {
        let words = self.all.len();
        for at in (0..of_move.sets.len() / words).filter(|&at| at != best) {
            if is_subset(no_good, &of_move.sets[at * words..][..words]) {
                self.regress(of_move, at);
            }
        }
        of_move.retain(no_good, words);
    }

    /// Adds elements to a no-good, as long as each move has a reason from the larger set.
    fn grow(
        &mut self,
        no_good: &mut Vec<u64>,
        of_moves: &mut [MoveReasons],
        budget: Cost,
        wanted: &[u64],
        depth: usize,
    ) -> Result<(), Stopped> {
        let words = self.all.len();
        let order = self.level(budget).read().visited.order().to_vec();
        let mut trials = 0;
        let mut larger = no_good.clone();
        let mut growth = Growth { wanted, depth, may_refute: depth < DEEPEST, chosen: vec![0; of_moves.len()] };
        for element in order {
            if contains(no_good, element) {
                continue;
            }
            if trials == TRIALS {
                break;
            }
            trials += 1;
            if self.leaves() {
                return Err(Stopped);
            }
            larger.clone_from(no_good);
            insert(&mut larger, element);
            if !self.find_reasons(&larger, element, of_moves, &mut growth) {
                continue;
            }
            no_good.clone_from(&self.all);
            for (of_move, &chosen) in of_moves.iter_mut().zip(&growth.chosen) {
                of_move.current = chosen;
                intersect(no_good, of_move.regression(chosen, words));
            }
            of_moves.iter_mut().for_each(|of_move| of_move.retain(no_good, words));
        }
        Ok(())
    }

    /// Finds a reason for each move from `larger`, which has a new element. Returns false if a move has none.
    fn find_reasons(
        &mut self,
        larger: &[u64],
        element: u32,
        of_moves: &mut [MoveReasons],
        growth: &mut Growth<'_>,
    ) -> bool {
        let (mut without, mut hopeless) = (Vec::new(), 0);
        for (at, of_move) in of_moves.iter().enumerate() {
            match of_move.holding(element, larger.len()) {
                Some(regression) => growth.chosen[at] = regression,
                None => {
                    hopeless += usize::from(!of_move.by_bound);
                    if hopeless > usize::from(growth.may_refute) {
                        return false;
                    }
                    without.push(at);
                }
            }
        }
        if without.is_empty() {
            return true;
        }
        let slot = self.expander.push(larger);
        let finds = self.find_new_reasons(larger, slot, of_moves, &without, growth);
        self.expander.truncate(slot);
        finds
    }

    /// Finds new reasons from `larger` for the moves in `without`, which have none: by the lower bound, and for one
    /// move by refuting its child. The state of `larger` is in `slot`.
    fn find_new_reasons(
        &mut self,
        larger: &[u64],
        slot: usize,
        of_moves: &mut [MoveReasons],
        without: &[usize],
        growth: &mut Growth<'_>,
    ) -> bool {
        let mut left = None;
        for &at in without {
            let of_move = &mut of_moves[at];
            let child = self.expander.push_child(slot, of_move.mv);
            if of_move.by_bound && self.explain_anew(larger, child, growth.wanted, of_move) {
                growth.chosen[at] = of_move.regressions.len() / larger.len() - 1;
            } else if left.is_some() || !growth.may_refute {
                return false;
            } else {
                left = Some((at, child));
            }
        }
        let Some((at, child)) = left else { return true };
        growth.may_refute = false;
        let rest = of_moves[at].rest;
        if rest == 0 || self.expander.is_goal(child) {
            return false;
        }
        let mut saturated = vec![0; larger.len()];
        let slot = self.expander.push_saturated(child, &mut saturated);
        let Some(set) = self.refute_by_known(saturated, slot, rest, growth.depth + 1, DEEPER) else { return false };
        growth.chosen[at] = of_moves[at].regressions.len() / larger.len();
        self.add_reason(&mut of_moves[at], &set);
        true
    }

    /// Whether a set is a goal.
    pub(super) fn is_goal(&mut self, set: &[u64]) -> bool {
        let slot = self.expander.push(set);
        let is_goal = self.expander.is_goal(slot);
        self.expander.truncate(slot);
        is_goal
    }

    /// Adds a reason with its regression.
    fn add_reason(&self, of_move: &mut MoveReasons, set: &[u64]) {
        of_move.sets.extend_from_slice(set);
        self.regress(of_move, of_move.sets.len() / set.len() - 1);
    }

    /// Adds the explanation of the lower bound for the child of `larger` in `slot`, if the bound refutes it.
    fn explain_anew(&mut self, larger: &[u64], slot: usize, wanted: &[u64], of_move: &mut MoveReasons) -> bool {
        let (mut set, mut both) = (std::mem::take(&mut self.child), std::mem::take(&mut self.wanted));
        both.copy_from_slice(wanted);
        intersect(&mut both, larger);
        let explains = self.expander.explain(slot, of_move.rest + 1, &both, &mut set);
        if explains {
            self.add_reason(of_move, &set);
        }
        (self.child, self.wanted) = (set, both);
        explains
    }
}
