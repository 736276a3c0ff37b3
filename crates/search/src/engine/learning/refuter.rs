//! Finds the no-goods of a search that has ended, and learns those that are missing.

use super::bits::size;
use super::learner::{Learner, Refutation};
use super::notices::Peer;
use super::peers::Peers;
use super::refuted_sets::RefutedSets;
use crate::domain::Cost;
use crate::engine::checkpointer::Checkpointer;
use crate::engine::context::Context;
use crate::engine::enumeration::NotClosed;
use crate::expand::StateSpace;
use crate::runtime::Monitor;
use std::cmp::Reverse;

/// Has a no-good wherever there is one.
pub struct Refuter<'a> {
    learner: Learner<'a>,
    monitor: &'a Monitor<'a>,
}

impl Refuter<'_> {
    /// Calls `ask` with a refuter that begins with `refuted`, what a search of `space` has left, whatever its lower
    /// bound was; and with a monitor of the limits of `context`.
    ///
    /// # Errors
    /// When the states of the space are no sets, and when `ask` fails.
    pub fn serve<T>(
        refuted: RefutedSets,
        space: &dyn StateSpace,
        context: &Context<'_>,
        ask: impl FnOnce(&mut Refuter<'_>, &Monitor<'_>) -> Result<T, NotClosed>,
    ) -> Result<T, NotClosed> {
        let expander = space.set_expander().ok_or(NotClosed::Uncovered)?;
        let monitor = &Monitor::new(context.limits, context.observer, context.stop);
        let (checkpointer, alone) = (Checkpointer::new(None, monitor), [Peer::default()]);
        let peers = Peers::new(&alone, 0, None);
        let mut learner = Learner::new(expander, context.limits.memory, monitor, &checkpointer, peers);
        if refuted.all == learner.all {
            learner.levels = refuted.levels;
        }
        monitor.gauges.survey.begin(1);
        monitor.watch(|| ask(&mut Refuter { learner, monitor }, monitor))
    }

    /// The largest known no-good of a budget that contains `set`. If there is none, one is learned. Words that `set`
    /// lacks are 0.
    ///
    /// # Errors
    /// When a solution from `set` costs no more than the budget, and when a limit is reached.
    pub fn containing(&mut self, set: &[u64], budget: Cost) -> Result<&[u64], NotClosed> {
        let mut words = vec![0; self.learner.all.len()];
        words.iter_mut().zip(set).for_each(|(word, of_set)| *word = *of_set);
        if self.learner.is_goal(&words) {
            return Err(NotClosed::Solved(0));
        }
        if self.largest(&words, budget).is_none() {
            match self.learner.refute(words.clone(), budget) {
                Refutation::Solved(_, cost) => return Err(NotClosed::Solved(cost)),
                Refutation::Refuted | Refutation::Left => {}
            }
        }
        let stopped = || self.monitor.stopped().map_or(NotClosed::Uncovered, NotClosed::Stopped);
        let number = self.largest(&words, budget).ok_or_else(stopped)?;
        Ok(self.learner.levels[budget as usize].no_goods.get(number))
    }

    /// The number of the largest known no-good of a budget that contains `set`.
    fn largest(&self, set: &[u64], budget: Cost) -> Option<usize> {
        let no_goods = &self.learner.levels.get(budget as usize)?.no_goods;
        let mut found = Vec::new();
        no_goods.all_containing(set, usize::MAX, &mut found);
        found.into_iter().max_by_key(|&number| (size(no_goods.get(number)), Reverse(number)))
    }
}
