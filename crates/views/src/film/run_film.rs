//! The film of the best solution of a board in a run.

use super::Film;
use gridhunt_boards::Entry;
use gridhunt_hunt::{RunState, SolutionRecord};
use gridhunt_puzzle::{Solutions, Task};
use gridhunt_search::engine::Solution;
use std::io::Cursor;

impl Film {
    /// Board `number` of a run with its best solution, replayed by the plain rules, in at most `max_frames` frames.
    /// Without a solution, the film has only the board.
    ///
    /// # Errors
    /// When the boards or the results cannot be read, or the solution does not fit the board.
    pub fn of_run(state: &RunState, number: usize, max_frames: usize) -> Result<Self, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let request = state.config.request();
        let Entry { board, .. } = state.board(number).map_err(|error| text(&error))?;
        let task = request.task(&board).map_err(|error| text(&error))?;
        let Some(json) = best_solution_json(state, number, &*task)? else {
            let mut frame = request.domain.board_frame(&board).map_err(|error| text(&error))?;
            frame.caption += ", no solution yet";
            return Ok(Self::new(&board, vec![frame]));
        };
        let json = Box::new(Cursor::new(json));
        let mut solutions = Solutions::new("solution".to_owned(), json).map_err(|error| text(&error))?;
        let solution = task.read_solution(&mut solutions).map_err(|error| text(&error))?;
        let playback = solution.ok_or("found no solution, expected one")?.playback();
        playback.and_then(|playback| Self::of_playback(&board, playback, max_frames)).map_err(|error| text(&error))
    }
}

/// The best solution, as JSON for any reader of solutions: the recorded solution, unless an event has a better one.
fn best_solution_json(state: &RunState, number: usize, task: &dyn Task) -> Result<Option<String>, String> {
    let from_events = state.history.open_boards.get(&number).and_then(|range| range.solution.as_ref());
    let recorded = state.results.records().get(&number).filter(|record| record.cost.is_some());
    let is_better = |found: &&Solution| recorded.and_then(|record| record.cost).is_none_or(|cost| found.cost < cost);
    match from_events.filter(is_better) {
        None => Ok(recorded.map(|record| record.solution_of(&record.moves).to_json())),
        Some(solution) => {
            let moves = task.replay(solution)?;
            let (board, cost) = (task.info().board.name(), Some(solution.cost));
            Ok(Some(SolutionRecord { board, cost, moves: &moves }.to_json()))
        }
    }
}
