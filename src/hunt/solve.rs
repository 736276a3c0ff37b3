//! The search of one board: board -> puzzle -> engine -> replay.

use super::task::Task;
use super::{HuntError, KnownRange, memory, rules_identity};
use crate::puzzles::{FromSolution, ObjectiveValue, PuzzleError, PuzzleId, Request, check_board};
use gridhunt_boards::{Board, Rules, Scoring};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{CheckpointConfig, Context, EngineKind, Outcome, Solution, Status};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Exchange, Observer, StopToken};
use gridhunt_search::store::hash_key;

/// The full result of one board. The plain rules have accepted the solution in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The number of colours.
    pub colours: usize,
    /// The published optimum in the board's file.
    pub published: Option<Cost>,
    /// The puzzle.
    pub domain: PuzzleId,
    /// The engine that searched.
    pub engine: EngineKind,
    /// The lower bounds that guided the search at its end.
    pub bound: String,
    /// The number of threads of the search, on each rank.
    pub threads: usize,
    /// The number of ranks that searched the board together.
    pub ranks: usize,
    /// The outcome of the engine.
    pub outcome: Outcome,
    /// The moves of the incumbent: colours in the board's symbols, cells to click on, or one program.
    pub moves: Vec<String>,
    /// The meaning of the cost.
    pub objective: ObjectiveValue,
    /// The rules, if the puzzle has variants.
    pub rules: Option<Rules>,
    /// The scoring, if the objective is the score.
    pub scoring: Option<Scoring>,
    /// Wall-clock time of the board, in seconds.
    pub seconds: f64,
    /// The peak physical memory of the process until now; 0 if the system does not report this value.
    pub peak_memory_bytes: u64,
    /// The identity of the search.
    pub identity: String,
}

impl Report {
    /// The status of the board.
    #[must_use]
    pub fn status(&self) -> Status {
        self.outcome.status()
    }

    /// The cost of the incumbent.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        self.outcome.incumbent.as_ref().map(|solution| solution.cost)
    }

    /// The peak memory of the search divided by the number of stored states. `None` if no states were stored.
    #[must_use]
    pub fn bytes_per_state(&self) -> Option<f64> {
        let statistics = &self.outcome.statistics;
        (statistics.stored > 0).then(|| statistics.peak_bytes as f64 / statistics.stored as f64)
    }
}

/// What a result is about, as a checksum: puzzle, rules and board. Results with equal identities hold together,
/// whatever engine and lower bound found them.
pub(super) fn identity(board: &Board, request: &Request) -> String {
    let domain = request.domain;
    format!("{:016x}", hash_key(format!("{domain}{}{}", rules_identity(request), described(board)).as_bytes()))
}

/// The board, as part of an identity.
pub(super) fn described(board: &Board) -> String {
    let mut cells = board.cells().to_vec();
    cells.extend(board.symbols().iter().flat_map(|symbol| symbol.bytes()));
    format!(
        " on the board {} ({} x {}, {} colours, start {}, checksum {:016x})",
        board.name(),
        board.rows(),
        board.cols(),
        board.colours(),
        board.start(),
        hash_key(&cells),
    )
}

/// The error for a solution that the plain rules refuse.
fn refuse(board: &Board, request: &Request, reason: String) -> PuzzleError {
    let (board, engine) = (board.name().to_owned(), request.engine.name());
    PuzzleError::Replay { board, engine, reason }
}

/// Searches one board and replays the incumbent with the plain rules. With `keep`, the search writes checkpoints.
///
/// # Errors
/// When [`Request::check`] refuses the request, or [`check_board`] refuses the board. When the replay refuses the
/// engine's solution. When the checkpoint of `keep` cannot be used.
pub fn solve_board(
    board: &Board,
    request: &Request,
    observer: &dyn Observer,
    stop: &StopToken,
    keep: Option<&CheckpointConfig>,
) -> Result<Report, HuntError> {
    solve_from(board, request, None, observer, stop, keep)
}

/// [`solve_board`] from a known solution of the board: the search proves this solution optimal, or finds a better one.
///
/// # Errors
/// As [`solve_board`], and when the replay refuses the known solution.
pub fn solve_from(
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    observer: &dyn Observer,
    stop: &StopToken,
    keep: Option<&CheckpointConfig>,
) -> Result<Report, HuntError> {
    solve_task(&Task { board, request, known, held: &KnownRange::default(), observer, stop, keep }, None)
}

/// Refuses a task as [`solve_from`] does.
///
/// # Errors
/// As [`solve_from`], before the search.
pub(super) fn check(&Task { board, request, known, .. }: &Task<'_>) -> Result<(), HuntError> {
    request.check()?;
    check_board(board, request)?;
    if let Some(known) = known {
        request.domain.replay(board, request, known).map_err(|reason| PuzzleError::solution(board, reason))?;
    }
    Ok(())
}

/// [`solve_from`], with what earlier sessions of a run hold: the report is never worse. On several ranks if there is an
/// exchange between them.
///
/// # Errors
/// As [`solve_from`].
pub(super) fn solve_task(task: &Task<'_>, exchange: Option<&Exchange>) -> Result<Report, HuntError> {
    let searches = || exchange.map_or(0, Exchange::searches);
    let before = searches();
    let report = solve_and_replay(task, exchange)?;
    // An engine that cannot be spread, or that has a proof before its search, takes no other rank in.
    let ranks = exchange.filter(|_| searches() > before).map_or(1, Exchange::ranks);
    Ok(Report { ranks, ..report })
}

fn solve_and_replay(task: &Task<'_>, exchange: Option<&Exchange>) -> Result<Report, HuntError> {
    let began = Instant::now();
    check(task)?;
    let &Task { board, request, known, held, observer, stop, keep } = task;
    // Progress begins with the proven range, not with the solution or lower bound that the engine finds again.
    let proven = keep.map_or(0, CheckpointConfig::proven).max(held.lower_bound);
    if proven > 0 {
        observer.observe(&Event::LowerBound(proven));
    }
    if let Some(Solution { cost, moves }) = &held.solution {
        observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    let observer = &FromSolution { cost: held.solution.as_ref().map(|solution| solution.cost), next: observer };
    let context = Context { threads: request.threads.max(1), limits: request.limits, observer, stop, keep, exchange };
    let mut outcome = request.domain.search(board, request, known, &context)?;
    held.join(&mut outcome);
    report(board, request, outcome, began)
}

/// Makes the report of an outcome. Fails if the replay refuses the incumbent, or the lower bound exceeds its cost.
fn report(board: &Board, request: &Request, outcome: Outcome, began: Instant) -> Result<Report, HuntError> {
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let refuse = |reason| refuse(board, request, reason);
        moves = request.domain.replay(board, request, solution).map_err(refuse)?;
        let (cost, lower_bound) = (solution.cost, outcome.lower_bound);
        if lower_bound > cost {
            return Err(refuse(format!("found cost {cost}, expected at least the lower bound {lower_bound}")).into());
        }
    }
    let objective = request.domain.objective_value(board, request);
    let is_scored = matches!(objective, ObjectiveValue::Score { .. });
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
        threads: request.threads.max(1),
        ranks: 1,
        outcome,
        moves,
        objective,
        rules: objective.has_rules().then_some(request.rules),
        scoring: is_scored.then(|| request.scoring.clone()),
        seconds: began.elapsed().as_secs_f64(),
        peak_memory_bytes: memory::peak_resident().unwrap_or(0),
        identity: identity(board, request),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, usual_symbols};
    use gridhunt_search::engine::Statistics;

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
