//! The search of a board with an engine that searches states.

use super::PuzzleError;
use super::error::Result;
use super::task::{SearchMethod, Task};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{self, Context, Outcome, Solution, StateEngine};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Observer, Progress};
use std::time::Duration;

/// Searches a board with an engine of states. The time to prepare the bound counts against the time limit.
///
/// `auto` plays a first path before the bound is prepared. If a limit ends an engine that proves nothing, another path
/// is played. Their solutions are reported if the search finds no better one.
///
/// If `has_stored_states` is false, costs may exceed [`MAX_G`](gridhunt_search::store::MAX_G), the greatest g of a
/// stored state, as the scores of large boards do. `auto` then anneals, and proves only the lower bound of the root.
///
/// # Errors
/// When the engine does not search states, the bound does not apply to the board, or a checkpoint cannot be used.
pub fn search_states(
    task: &dyn Task,
    method: &SearchMethod<'_>,
    has_stored_states: bool,
    known: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Outcome> {
    let unsupported = || PuzzleError::UnsupportedEngine { engine: method.engine, domain: task.info().puzzle };
    let engine = StateEngine::from_name(method.engine.name()).ok_or_else(unsupported)?;
    let states = task.as_state_task().ok_or_else(unsupported)?;
    let mut outcome = Outcome::unknown();
    states.with_spaces(&mut |spaces| {
        let start_time = Instant::now();
        if let Some(Solution { cost, moves }) = known {
            context.observer.observe(&Event::Incumbent { cost: *cost, moves });
        }
        let upper_bound = known.map_or(Cost::MAX, |known| known.cost);
        let is_auto = engine == StateEngine::AUTO;
        let first_solution = is_auto.then(|| {
            context.observer.observe(&Event::EngineStarted { engine: engine.info.name });
            let observer = IncumbentFilter { known_cost: known.map(|known| known.cost), observer: context.observer };
            let context = Context { observer: &observer, ..*context };
            engine::first_solution(&*spaces.fast_space(), upper_bound, &context)
        });
        let first_solution = first_solution.flatten();
        let best_known = first_solution.as_ref().or(known);
        let known_cost = best_known.map(|solution| solution.cost);
        let observer = IncumbentFilter { known_cost, observer: context.observer };
        let context = Context { observer: &observer, ..*context };
        let space = spaces.space(method.bound)?;
        let engine_to_run = if is_auto && !has_stored_states { StateEngine::ANNEAL } else { engine };
        let remaining = context.remaining(start_time, 0);
        outcome = engine::search(engine_to_run, &*space, method.parameters, known.cloned(), &remaining)?;
        // A stopped engine without a proof may have only the path to the state at which it was stopped.
        let needs_path = outcome.stopped.is_some() && !engine.info.proves;
        let played = needs_path.then(|| engine::greedy_path(&*spaces.fast_space(), &context)).flatten();
        let best_played = best_known.into_iter().chain(&played).min_by_key(|solution| solution.cost);
        let is_better = |played: &&Solution| outcome.incumbent.as_ref().is_none_or(|found| played.cost < found.cost);
        if let Some(better) = best_played.filter(is_better) {
            context.observer.observe(&Event::Incumbent { cost: better.cost, moves: &better.moves });
            outcome.incumbent = Some(better.clone());
            outcome.stopped = outcome.stopped.filter(|_| better.cost > outcome.lower_bound);
        }
        Ok(())
    })?;
    Ok(outcome)
}

/// Passes on all events but incumbents that are no better than a solution from before the search.
pub struct IncumbentFilter<'a> {
    /// The cost of that solution, if there is one.
    pub known_cost: Option<Cost>,
    /// The observer that gets the events.
    pub observer: &'a dyn Observer,
}

impl Observer for IncumbentFilter<'_> {
    fn observe(&self, event: &Event<'_>) {
        match (self.known_cost, event) {
            (Some(known), Event::Incumbent { cost, .. }) if *cost >= known => {}
            (Some(known), Event::Progress(progress)) => {
                let incumbent = Some(progress.incumbent.map_or(known, |cost| cost.min(known)));
                let progress = Progress { incumbent, ..progress.as_ref().clone() };
                self.observer.observe(&Event::Progress(Box::new(progress)));
            }
            _ => self.observer.observe(event),
        }
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.observer.progress_interval()
    }

    fn watches_beams(&self) -> bool {
        self.observer.watches_beams()
    }
}
