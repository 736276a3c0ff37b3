//! One board: board -> domain -> engine -> verify.

use super::{DomainKind, HuntError, Measure, Request, bunny, clicks, flood, memory};
use crate::board::Board;
use crate::domain::Cost;
use crate::domain::clickomania::check_fallen;
use crate::domain::floodit::check_full;
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
    pub domain: DomainKind,
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
    pub measure: Measure,
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

/// What a domain finds out about a board. A solution has passed its replay.
pub(super) struct Found {
    pub(super) outcome: Outcome,
    pub(super) moves: Vec<String>,
}

/// A solution that the plain rules do not accept.
pub(super) fn refuse(board: &Board, request: &Request, reason: impl ToString) -> HuntError {
    let (board, engine) = (board.name().to_owned(), request.engine.name());
    HuntError::Replay { board, engine, reason: reason.to_string() }
}

/// Refuses a board that is none of the puzzle: one of another puzzle, or with empty cells where the rules have none. A search
/// refuses it likewise.
///
/// # Errors
/// At the first cell that is not as it should be.
pub fn check_cells(board: &Board, request: &Request) -> Result<(), HuntError> {
    let domain = request.domain;
    if domain != DomainKind::Bunny && board.is_bunny() {
        return Err(HuntError::Squares { board: board.name().to_owned(), domain });
    }
    match domain {
        DomainKind::FloodIt => check_full(board)?,
        DomainKind::Clickomania => check_fallen(board, request.rules)?,
        DomainKind::Bunny => bunny::check_squares(board)?,
    }
    Ok(())
}

/// Searches one board and replays what comes out before anybody is told. With `keep` the search is kept on disk.
///
/// # Errors
/// When the [request](Request::check) is refused, the board is none of its domain, the replay refuses the engine's solution, or `keep` names a checkpoint that cannot be
/// used.
pub fn solve_board(
    board: &Board,
    request: &Request,
    observer: &dyn Observer,
    stop: &StopToken,
    keep: Option<&CheckpointConfig>,
) -> Result<Report, HuntError> {
    let began = Instant::now();
    request.check()?;
    check_cells(board, request)?;
    let context = Context { threads: request.threads.max(1), limits: request.limits, observer, stop, keep };
    let found = match request.domain {
        DomainKind::FloodIt => flood::solve(board, request, &context)?,
        DomainKind::Clickomania => clicks::solve(board, request, &context)?,
        DomainKind::Bunny => bunny::solve(board, request, &context)?,
    };
    report(board, request, found, began)
}

/// The report of what was found, if its range makes sense.
fn report(board: &Board, request: &Request, found: Found, began: Instant) -> Result<Report, HuntError> {
    let Found { outcome, moves } = found;
    if let Some(cost) = outcome.incumbent.as_ref().map(|solution| solution.cost)
        && outcome.lower_bound > cost
    {
        let lower_bound = outcome.lower_bound;
        return Err(refuse(
            board,
            request,
            format!("found cost {cost}, expected at least the lower bound {lower_bound}"),
        ));
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
        measure: Measure::of(board, request),
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
    fn a_range_that_is_none_is_not_reported() {
        let claim = |lower_bound| {
            let incumbent = Some(Solution { cost: 3, moves: Vec::new() });
            let outcome =
                Outcome { incumbent, lower_bound, stopped: None, failure: None, statistics: Statistics::default() };
            let found = Found { outcome, moves: Vec::new() };
            let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
            report(&row, &Request::default(), found, Instant::now())
        };
        assert_eq!(claim(3).unwrap().status(), Status::Optimal);
        let error = claim(4).unwrap_err();
        assert!(error.is_internal());
        assert!(error.to_string().ends_with("found cost 3, expected at least the lower bound 4"), "{error}");
    }
}
