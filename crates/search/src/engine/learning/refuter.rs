//! Finds the no-goods of a search that has ended, and learns missing ones.

use super::bits::size;
use super::learner::{Learner, Refutation, all_elements};
use super::notices::Peer;
use super::peers::Peers;
use super::refuted_sets::{RefutedSets, SharedLevels};
use crate::domain::Cost;
use crate::engine::checkpoints::Checkpointer;
use crate::engine::context::Context;
use crate::engine::trials::ProofError;
use crate::expand::StateSpace;
use crate::runtime::Monitor;
use std::cmp::Reverse;

/// Finds a no-good for a set and a budget.
pub struct Refuter<'a> {
    learner: Learner<'a>,
    monitor: &'a Monitor<'a>,
}

impl Refuter<'_> {
    /// Calls `work` with a refuter and with a monitor of the limits of `context`. The refuter begins with `refuted`,
    /// the no-goods of an earlier search of `space` under any lower bound.
    ///
    /// # Errors
    /// When the states of the space are not sets, and when `work` fails.
    pub fn run<T>(
        refuted: RefutedSets,
        space: &dyn StateSpace,
        context: &Context<'_>,
        work: impl FnOnce(&mut Refuter<'_>, &Monitor<'_>) -> Result<T, ProofError>,
    ) -> Result<T, ProofError> {
        let expander = space.set_expander().ok_or(ProofError::NotRefuted)?;
        let monitor = &Monitor::new(context.limits, context.observer, context.stop);
        let (checkpointer, only_peer) = (Checkpointer::new(None, monitor), [Peer::default()]);
        let peers = Peers::new(&only_peer, 0, None);
        let is_of_space = refuted.all == all_elements(&*expander);
        let levels = SharedLevels::new(if is_of_space { refuted.levels } else { Vec::new() });
        let learner = Learner::new(expander, &levels, context.limits.memory, monitor, &checkpointer, peers);
        monitor.gauges.survey.set_worker_count(1);
        monitor.run_with_progress(|| work(&mut Refuter { learner, monitor }, monitor))
    }

    /// The largest known no-good of a budget that contains `set`. If there is none, this function learns one. `set` may
    /// be shorter than other sets; the words that it lacks are 0.
    ///
    /// # Errors
    /// When a solution from `set` costs no more than the budget, and when a limit is reached.
    pub fn no_good_containing(&mut self, set: &[u64], budget: Cost) -> Result<Vec<u64>, ProofError> {
        let mut words = vec![0; self.learner.all.len()];
        words.iter_mut().zip(set).for_each(|(word, of_set)| *word = *of_set);
        if self.learner.is_goal(&words) {
            return Err(ProofError::Solved(0));
        }
        if let Some(no_good) = self.largest(&words, budget) {
            return Ok(no_good);
        }
        if let Refutation::Solved(_, cost) = self.learner.refute(words.clone(), budget) {
            return Err(ProofError::Solved(cost));
        }
        let stopped = || self.monitor.stop_reason().map_or(ProofError::NotRefuted, ProofError::Stopped);
        self.largest(&words, budget).ok_or_else(stopped)
    }

    /// The largest known no-good of a budget that contains `set`.
    fn largest(&self, set: &[u64], budget: Cost) -> Option<Vec<u64>> {
        let level = self.learner.levels.get(budget as usize)?.read();
        let mut found = Vec::new();
        level.no_goods.all_containing(set, usize::MAX, &mut found);
        let sets = found.into_iter().map(|number| (level.no_goods.get(number), number));
        sets.max_by_key(|&(set, number)| (size(set), Reverse(number))).map(|(set, _)| set.to_vec())
    }
}
