//! What a search that learns has refuted, to be asked for no-goods that hold a set.

use super::bits::size;
use super::learner::{Learner, Refutation};
use super::no_goods::NoGoods;
use super::notices::Peer;
use super::peers::Peers;
use crate::domain::Cost;
use crate::engine::checkpointer::Checkpointer;
use crate::engine::context::Context;
use crate::engine::enumeration::NotClosed;
use crate::expand::StateSpace;
use crate::runtime::Monitor;
use std::cmp::Reverse;

/// The no-goods of a search that has found no solution.
pub struct RefutedSets {
    by_budget: Vec<NoGoods>,
}

impl RefutedSets {
    /// Searches for solutions that cost `f` or less.
    ///
    /// # Errors
    /// When there is one, when the states of the space are no sets, and when a limit of `context` is reached.
    pub fn search(space: &dyn StateSpace, f: Cost, context: &Context<'_>) -> Result<Self, NotClosed> {
        if let Some(cost) = space.root_terminal().filter(|&cost| cost <= f) {
            return Err(NotClosed::Solved(cost));
        }
        let expander = space.set_expander().ok_or(NotClosed::Uncovered)?;
        let monitor = Monitor::new(context.limits, context.observer, context.stop);
        monitor.gauges.survey.begin(1);
        monitor.watch(|| {
            let (checkpointer, alone) = (Checkpointer::new(None, &monitor), [Peer::default()]);
            let peers = Peers::new(&alone, 0, None);
            let mut learner = Learner::new(expander, context.limits.memory, &monitor, &checkpointer, peers);
            // No-goods hold for every trial cost, so the smaller ones cost nothing.
            let mut budget = space.lower_bound();
            while budget <= f {
                match learner.refute_root(budget) {
                    Refutation::Refuted => budget += 1,
                    Refutation::Solved(_, cost) => return Err(NotClosed::Solved(cost)),
                    Refutation::Left => match monitor.stopped() {
                        Some(reason) => return Err(NotClosed::Stopped(reason)),
                        None => monitor.go_on(),
                    },
                }
            }
            Ok(Self { by_budget: learner.levels.into_iter().map(|level| level.no_goods).collect() })
        })
    }

    /// The largest no-good of a budget that contains `set`. Words that `set` lacks are 0.
    pub fn holding(&mut self, budget: Cost, set: &[u64]) -> Option<&[u64]> {
        let no_goods = self.by_budget.get(budget as usize)?;
        let mut words = vec![0; no_goods.words()];
        words.iter_mut().zip(set).for_each(|(word, of_set)| *word = *of_set);
        let mut found = Vec::new();
        no_goods.all_containing(&words, usize::MAX, &mut found);
        let largest = found.into_iter().max_by_key(|&number| (size(no_goods.get(number)), Reverse(number)))?;
        Some(no_goods.get(largest))
    }
}
