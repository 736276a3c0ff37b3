//! Searches with engines that search states, not programs.

use super::PuzzleError;
use super::error::Result;
use super::task::{Method, Task};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{self, Context, Outcome, Solution, StateEngine};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Observer, Progress};
use std::time::Duration;

/// Searches a board with an engine of states. The time to prepare the bound counts against the time limit.
///
/// `auto` plays a first solution before the bound is prepared. This solution is reported if the search finds no better
/// one. If a limit ends an engine that proves nothing, another path is played, and reported in the same way.
///
/// If `has_stored_states` is false, `auto` anneals, because costs are too large for stored states: records hold a g of
/// at most [`MAX_G`](gridhunt_search::store::MAX_G), and exact engines order their open nodes by f and g. The scores of
/// large boards are far beyond that. Annealing proves only the lower bound of the root.
///
/// # Errors
/// When the engine does not search states, the bound does not apply to the board, or a checkpoint cannot be used.
pub fn search_states(
    task: &dyn Task,
    method: &Method<'_>,
    has_stored_states: bool,
    known: Option<&Solution>,
    context: &Context<'_>,
) -> Result<Outcome> {
    let unable = || PuzzleError::Engine { engine: method.engine, domain: task.info().puzzle };
    let engine = StateEngine::from_name(method.engine.name()).ok_or_else(unable)?;
    let states = task.states().ok_or_else(unable)?;
    let mut found = Outcome::unknown();
    states.with_spaces(&mut |spaces| {
        let began = Instant::now();
        if let Some(Solution { cost, moves }) = known {
            context.observer.observe(&Event::Incumbent { cost: *cost, moves });
        }
        let upper = known.map_or(Cost::MAX, |known| known.cost);
        let plays_first = engine == StateEngine::AUTO;
        let first = plays_first.then(|| {
            context.observer.observe(&Event::EngineStarted { engine: engine.info.name });
            engine::first_solution(&*spaces.plain(), upper, context)
        });
        let first = first.flatten();
        let at_hand = first.as_ref().or(known);
        let observer = FromSolution { cost: at_hand.map(|solution| solution.cost), next: context.observer };
        let context = Context { observer: &observer, ..*context };
        let space = spaces.space(method.bound)?;
        let run_as = if plays_first && !has_stored_states { StateEngine::ANNEAL } else { engine };
        let context_left = context.remaining(began, 0);
        found = engine::search(run_as, &*space, method.parameters, known.cloned(), &context_left)?;
        // Such an engine may hold only a path to the state at which it was stopped, which is of little use.
        let is_cut = found.stopped.is_some() && !engine.info.proves;
        let played = is_cut.then(|| engine::played_path(&*spaces.plain(), &context)).flatten();
        let at_hand = at_hand.into_iter().chain(&played).min_by_key(|solution| solution.cost);
        let is_better = |at_hand: &&Solution| found.incumbent.as_ref().is_none_or(|held| at_hand.cost < held.cost);
        if let Some(better) = at_hand.filter(is_better) {
            context.observer.observe(&Event::Incumbent { cost: better.cost, moves: &better.moves });
            found.incumbent = Some(better.clone());
            found.stopped = found.stopped.filter(|_| better.cost > found.lower_bound);
        }
        Ok(())
    })?;
    Ok(found)
}

/// An observer that knows a solution from before the search: it passes on only better ones.
pub struct FromSolution<'a> {
    /// The cost of the solution, if there is one.
    pub cost: Option<Cost>,
    /// The observer to which events are passed on.
    pub next: &'a dyn Observer,
}

impl Observer for FromSolution<'_> {
    fn observe(&self, event: &Event<'_>) {
        match (self.cost, event) {
            (Some(known), Event::Incumbent { cost, .. }) if *cost >= known => {}
            (Some(known), Event::Progress(progress)) => {
                let incumbent = Some(progress.incumbent.map_or(known, |cost| cost.min(known)));
                let progress = Progress { incumbent, ..progress.as_ref().clone() };
                self.next.observe(&Event::Progress(Box::new(progress)));
            }
            _ => self.next.observe(event),
        }
    }

    fn progress_interval(&self) -> Option<Duration> {
        self.next.progress_interval()
    }

    fn watches_beams(&self) -> bool {
        self.next.watches_beams()
    }
}
