//! The number of optimal solutions of a board.

use super::PlayError;
use super::game::{Game, Opened};
use super::knowledge::Known;
use super::solving::{Surroundings, usual_memory, within};
use crate::hunt::optimal_solutions;
use gridhunt_search::engine::Context;
use gridhunt_search::runtime::Silent;
use serde::{Deserialize, Serialize};

/// A board with what is known of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The game.
    pub game: Game,
    /// What is known of its board: the optimum.
    pub known: Known,
    /// The time limit, in seconds.
    pub seconds: f64,
    /// The memory limit, in bytes.
    #[serde(default = "usual_memory")]
    pub memory: u64,
}

/// The result of a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counted {
    /// The number of optimal solutions, as digits; null if a limit ended the count.
    pub count: Option<String>,
}

impl Count {
    /// Counts the solutions.
    ///
    /// # Errors
    /// When the game is not allowed, or its optimum is not known.
    pub fn run(&self, &Surroundings { threads, stop }: &Surroundings<'_>) -> Result<Counted, PlayError> {
        let Opened { board, request, .. } = self.game.open()?;
        let request = within(request, threads, (self.seconds, self.memory))?;
        let task = request.task(&board).map_err(PlayError::new)?;
        let Known { bound, held, .. } = self.known;
        let optimum = held.filter(|_| held == bound).and_then(|value| task.info().objective.cost(value));
        let cost = optimum.ok_or_else(|| PlayError::new("found no optimum, expected one to be known"))?;
        let context = Context::new(request.threads, request.limits, &Silent, stop);
        let counted = optimal_solutions(&*task, &request, cost, 0, &context).map_err(PlayError::new)?;
        Ok(Counted { count: counted.ok().map(|all| all.count) })
    }
}
