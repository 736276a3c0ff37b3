//! What an iteration of antichain search has refuted, to be asked for supersets.

use super::super::incumbent::Incumbent;
use super::expansion::IterationContext;
use super::packed_sets::PackedSets;
use super::superset_index::{Queries, SupersetIndex};
use crate::domain::Cost;
use crate::engine::checkpointer::Checkpointer;
use crate::engine::context::Context;
use crate::engine::enumeration::NotClosed;
use crate::engine::parallel::Workers;
use crate::expand::StateSpace;
use crate::runtime::{Monitor, StopReason};

/// The sets of all levels of an iteration that has found no solution. They are the same for any number of threads.
pub struct RefutedSets {
    f: Cost,
    levels: Vec<RefutedLevel>,
}

struct RefutedLevel {
    g: Cost,
    supersets: SupersetIndex,
    queries: Queries,
    words: usize,
}

impl RefutedSets {
    /// Searches the iteration with threshold `f`, with all moves.
    ///
    /// # Errors
    /// When a solution costs `f` or less, and when a limit of `context` is reached.
    pub fn search(space: &dyn StateSpace, f: Cost, context: &Context<'_>) -> Result<Self, NotClosed> {
        if let Some(cost) = space.root_terminal().filter(|&cost| cost <= f) {
            return Err(NotClosed::Solved(cost));
        }
        let monitor = Monitor::new(context.limits, context.observer, context.stop);
        let (checkpointer, workers) = (Checkpointer::new(None, &monitor), Workers::new(context.threads, &monitor));
        monitor.gauges.survey.begin(context.threads);
        monitor.watch(|| {
            let incumbent = Incumbent::new(None, &monitor);
            let search = IterationContext {
                space,
                every_move: true,
                refined: None,
                workers: &workers,
                incumbent: &incumbent,
                checkpointer: &checkpointer,
                memory: context.limits.memory,
                bound_bytes: 0,
                spill: None,
            };
            let mut iteration = search.begin(f);
            iteration.levels = Some(Vec::new());
            let ended = search.run(&mut iteration, &|_| {});
            match (incumbent.cost(), monitor.stopped()) {
                (cost, _) if cost <= f => Err(NotClosed::Solved(cost)),
                (_, Some(reason)) => Err(NotClosed::Stopped(reason)),
                _ if ended.is_none() => Err(NotClosed::Stopped(StopReason::Interrupted)),
                _ => {
                    let levels = iteration.levels.into_iter().flatten().chain([iteration.level]);
                    Ok(Self { f, levels: levels.map(|level| RefutedLevel::new(level.g, &level.sets)).collect() })
                }
            }
        })
    }

    /// A set that contains `set`, and that has no solution of at most `left`. Words that `set` lacks are 0.
    pub fn holding(&mut self, left: Cost, set: &[u64]) -> Option<&[u64]> {
        let level = self.levels.iter_mut().find(|level| level.g + left == self.f)?;
        let mut words = vec![0; level.words];
        words.iter_mut().zip(set).for_each(|(word, of_set)| *word = *of_set);
        level.supersets.superset(&words, &mut level.queries)
    }
}

impl RefutedLevel {
    fn new(g: Cost, sets: &PackedSets) -> Self {
        let (words, mut supersets) = (sets.words(), SupersetIndex::new(sets.words()));
        // The order of a level depends on the threads. Which superset is found shall not.
        let mut order: Vec<_> = (0..sets.len()).map(|place| sets.get(place)).collect();
        order.sort_unstable();
        order.into_iter().for_each(|set| supersets.insert(set));
        Self { g, supersets, queries: Queries::default(), words }
    }
}
