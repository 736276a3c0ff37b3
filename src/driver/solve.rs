//! One board: board -> puzzle -> engine -> replay.

use super::{HuntError, ObjectiveValue, PuzzleId, Request, memory};
use crate::board::Board;
use crate::domain::Cost;
use crate::engine::{CheckpointConfig, Context, EngineKind, Outcome, Status};
use crate::runtime::{Observer, StopToken};
use std::time::Instant;

/// Everything there is to say of one board. A solution in it has been replayed with the plain rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// Its number of rows.
    pub rows: usize,
    /// Its number of columns.
    pub cols: usize,
    /// Its number of colours.
    pub colours: usize,
    /// The optimum that the board's own file names.
    pub published: Option<Cost>,
    /// Which puzzle it is.
    pub domain: PuzzleId,
    /// Which engine searched.
    pub engine: EngineKind,
    /// Which lower bounds guided it in the end.
    pub bound: String,
    /// On how many threads.
    pub threads: usize,
    /// What the engine found out.
    pub outcome: Outcome,
    /// The moves of the incumbent: colours as the board writes them, or cells to click on.
    pub moves: Vec<String>,
    /// What its cost stands for.
    pub objective: ObjectiveValue,
    /// Wall-clock time of the board, in seconds.
    pub seconds: f64,
    /// The most physical memory that the process held at any time until now; 0 where the system does not say.
    pub peak_memory_bytes: u64,
}

impl Report {
    /// What is known of the board.
    #[must_use]
    pub fn status(&self) -> Status {
        self.outcome.status()
    }

    /// Cost of the best solution held.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        self.outcome.incumbent.as_ref().map(|solution| solution.cost)
    }

    /// The most bytes that the search held for each state that it stored; `None` when it stored none.
    #[must_use]
    pub fn bytes_per_state(&self) -> Option<f64> {
        let statistics = &self.outcome.statistics;
        (statistics.stored > 0).then(|| statistics.peak_bytes as f64 / statistics.stored as f64)
    }
}

/// A solution that the plain rules do not accept.
fn refuse(board: &Board, request: &Request, reason: String) -> HuntError {
    let (board, engine) = (board.name().to_owned(), request.engine.name());
    HuntError::Replay { board, engine, reason }
}

/// Refuses a board that is not a position of the request's puzzle. A search refuses such boards likewise.
///
/// # Errors
/// When [`check_cells`] refuses the board, and at the first cell that the rules do not allow.
pub fn check_board(board: &Board, request: &Request) -> Result<(), HuntError> {
    check_cells(board, request)?;
    request.domain.check_board(board, request)
}

/// Refuses a board with the cells of another puzzle. The board may still be no position of the request's puzzle.
///
/// # Errors
/// When another puzzle [recognises](super::Puzzle::recognises) the board; the error names that puzzle.
pub fn check_cells(board: &Board, request: &Request) -> Result<(), HuntError> {
    let domain = request.domain;
    let mut others = PuzzleId::all().filter(|puzzle| *puzzle != domain);
    match others.find_map(|expected| Some((expected, expected.recognises(board)?))) {
        Some((expected, found)) => {
            Err(HuntError::OtherPuzzle { board: board.name().to_owned(), found, domain, expected })
        }
        None => Ok(()),
    }
}

/// Searches one board and replays the incumbent with the plain rules. With `keep`, checkpoints go to disk.
///
/// # Errors
/// When the [request](Request::check) or the board is refused, the replay refuses the engine's solution, or `keep` names a
/// checkpoint that cannot be used.
pub fn solve_board(
    board: &Board,
    request: &Request,
    observer: &dyn Observer,
    stop: &StopToken,
    keep: Option<&CheckpointConfig>,
) -> Result<Report, HuntError> {
    let began = Instant::now();
    request.check()?;
    check_board(board, request)?;
    let context = Context { threads: request.threads.max(1), limits: request.limits, observer, stop, keep };
    let outcome = request.domain.search(board, request, &context)?;
    report(board, request, outcome, began)
}

/// The report of an outcome, if its incumbent passes the replay and its range makes sense.
fn report(board: &Board, request: &Request, outcome: Outcome, began: Instant) -> Result<Report, HuntError> {
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let refuse = |reason| refuse(board, request, reason);
        moves = request.domain.replay(board, request, solution).map_err(refuse)?;
        let (cost, lower_bound) = (solution.cost, outcome.lower_bound);
        if lower_bound > cost {
            return Err(refuse(format!("found cost {cost}, expected at least the lower bound {lower_bound}")));
        }
    }
    Ok(Report {
        number: 1,
        board: board.name().to_owned(),
        rows: board.rows(),
        cols: board.cols(),
        colours: board.colours(),
        published: None,
        domain: request.domain,
        engine: request.engine,
        bound: outcome.statistics.bound.clone(),
        threads: request.engine.threads(request.threads),
        outcome,
        moves,
        objective: request.domain.objective_value(board, request),
        seconds: began.elapsed().as_secs_f64(),
        peak_memory_bytes: memory::peak_resident().unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Cell, usual_symbols};
    use crate::engine::{Solution, Statistics};

    #[test]
    fn a_contradiction_is_not_reported() {
        let claim = |lower_bound, moves: &[u16]| {
            let incumbent = Some(Solution { cost: 3, moves: moves.to_vec() });
            let outcome =
                Outcome { incumbent, lower_bound, stopped: None, failure: None, statistics: Statistics::default() };
            let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
            report(&row, &Request::default(), outcome, Instant::now())
        };
        let found = claim(3, &[1, 0, 2]).unwrap();
        assert_eq!((found.status(), found.moves), (Status::Optimal, ["2", "1", "3"].map(str::to_owned).to_vec()));
        let error = claim(3, &[1, 0, 1]).unwrap_err();
        assert!(error.is_internal());
        let expected = "row: the solution of engine auto fails its replay: after 3 moves: found 1 cell left";
        assert!(error.to_string().starts_with(expected), "{error}");
        let error = claim(4, &[1, 0, 2]).unwrap_err();
        assert!(error.is_internal());
        assert!(error.to_string().ends_with("found cost 3, expected at least the lower bound 4"), "{error}");
    }
}
