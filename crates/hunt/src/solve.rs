//! The search of one board: board -> puzzle -> engine -> replay.

use super::board_search::{BoardSearch, SearchOutput};
use super::error::Result;
use super::{BoardRecord, KnownRange, Request, memory, rounded};
use gridhunt_boards::Board;
use gridhunt_puzzle::{IncumbentFilter, PuzzleError, Task};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{AllSolutions, Context, Outcome, SessionClock, Solution, Status, Times, all_solutions};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Event, Exchange, Monitor, Observer, StopReason, StopToken};

/// Searches one board and replays the incumbent with the plain rules.
///
/// # Errors
/// When [`Request::check`] refuses the request, or [`Request::task`] refuses the board. When the replay refuses the
/// engine's solution.
pub fn solve_board(board: &Board, request: &Request, observer: &dyn Observer, stop: &StopToken) -> Result<BoardRecord> {
    let known_range = &KnownRange::default();
    let search = BoardSearch { board, request, known_solution: None, known_range, observer, stop, checkpoints: None };
    search_board(&search, None).map(|(record, _)| record)
}

/// Checks a search, and makes its task.
///
/// # Errors
/// The errors of [`solve_board`]. Also when the replay refuses the known solution.
pub(super) fn checked_task<'b>(search: &BoardSearch<'b>) -> Result<Box<dyn Task + 'b>> {
    let &BoardSearch { board, request, known_solution, .. } = search;
    request.check()?;
    let task = request.task(board)?;
    if let Some(solution) = known_solution {
        task.replay(solution).map_err(|reason| PuzzleError::invalid_solution(board, reason))?;
    }
    Ok(task)
}

/// Does what [`solve_board`] does, from a known solution and the range of earlier sessions. The record is never worse
/// than this range. If there is an exchange, the search runs on several ranks.
///
/// # Errors
/// The errors of [`solve_board`]. Also when the replay refuses the known solution, or a checkpoint cannot be used.
pub(super) fn search_board(search: &BoardSearch<'_>, exchange: Option<&Exchange>) -> Result<SearchOutput> {
    let search_count = || exchange.map_or(0, Exchange::search_count);
    let count_before = search_count();
    let (record, refuted) = solve_and_replay(search, exchange)?;
    // The other ranks take no part if the engine does not use ranks, or has a proof before its search.
    let ranks = exchange.filter(|_| search_count() > count_before).map_or(1, Exchange::ranks);
    Ok((BoardRecord { ranks, ..record }, refuted))
}

fn solve_and_replay(search: &BoardSearch<'_>, exchange: Option<&Exchange>) -> Result<SearchOutput> {
    let (start_time, new_clock) = (Instant::now(), SessionClock::after(Times::default(), 1));
    let task = checked_task(search)?;
    let &BoardSearch { request, known_solution, known_range, observer, stop, checkpoints, .. } = search;
    // Report the known range before the engine finds parts of it again.
    let bound = checkpoints.map_or(0, |checkpoints| checkpoints.earlier_progress().0).max(known_range.lower_bound);
    if bound > 0 {
        observer.observe(&Event::LowerBound(bound));
    }
    if let Some(Solution { cost, moves }) = &known_range.solution {
        observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    let known_cost = known_range.solution.as_ref().map(|solution| solution.cost);
    let observer = &IncumbentFilter { known_cost, observer };
    let context = Context::new(request.threads.max(1), request.limits, observer, stop);
    let context = Context { checkpoints, exchange, ..context };
    let mut outcome = task.search(&request.method(), known_solution, &context)?;
    known_range.merge_into(&mut outcome);
    let refuted = std::mem::take(&mut outcome.refuted);
    let expanded = outcome.statistics.expanded;
    let clock = checkpoints.map_or(&new_clock, |checkpoints| &checkpoints.clock);
    let mut record = make_record(&*task, request, outcome, clock)?;
    if let (Some(max_listed), Status::Optimal, Some(cost)) = (request.max_listed_optimal, record.status, record.cost) {
        let all = optimal_solutions(&*task, request, cost, max_listed, &context.remaining(start_time, expanded))?;
        (record.count_stopped, record.listed_solutions) = (all.count.as_ref().err().copied(), all.listed);
        record.optimal_solutions = all.count.ok();
        record.seconds = rounded(clock.now().seconds, 1e6);
        record.cpu_seconds = rounded(record.cpu_seconds + all.cpu_seconds, 1e6);
        record.peak_memory_bytes = memory::peak_resident().unwrap_or(0);
    }
    Ok((record, refuted))
}

fn replay_error(task: &dyn Task, request: &Request, reason: String) -> PuzzleError {
    let (board, engine) = (task.info().board.name().to_owned(), request.engine.name());
    PuzzleError::ReplayFailed { board, engine, reason }
}

/// All optimal solutions of a board.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimalSolutions {
    /// Their number, as decimal digits, or the limit that ended the count or the replay of the list.
    pub count: Result<String, StopReason>,
    /// The moves of the listed solutions, in lexicographic order.
    pub listed: Vec<Vec<String>>,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: f64,
}

/// Counts the optimal solutions of a board whose optimum is `cost`, and lists the first `max_listed`. The plain rules
/// replay each listed solution.
///
/// # Errors
/// When programs solve the puzzle, the bound does not apply to the board, or a replay refuses a solution.
pub fn optimal_solutions(
    task: &dyn Task,
    request: &Request,
    cost: Cost,
    max_listed: usize,
    context: &Context<'_>,
) -> Result<OptimalSolutions> {
    let states = task.as_state_task().ok_or(PuzzleError::NoStates(request.domain))?;
    let monitor = Monitor::new(context.limits, context.observer, context.stop);
    let mut all = AllSolutions { count: Err(StopReason::Interrupted), first: Vec::new(), cpu_seconds: 0.0 };
    states.with_spaces(&mut |spaces| {
        all = all_solutions(&*spaces.space(request.bound.as_ref())?, cost, max_listed, context);
        Ok(())
    })?;
    let AllSolutions { count, first, cpu_seconds } = all;
    let first = first.into_iter().map(|moves| Solution { cost, moves });
    Ok(match replay_unless_stopped(task, request, first, &monitor)? {
        Ok(listed) => OptimalSolutions { count: count.map(|count| count.to_string()), listed, cpu_seconds },
        Err(reason) => OptimalSolutions { count: Err(reason), listed: Vec::new(), cpu_seconds },
    })
}

/// Replays solutions, of which there may be millions. Returns their moves, or the reason why the monitor has stopped.
fn replay_unless_stopped(
    task: &dyn Task,
    request: &Request,
    solutions: impl Iterator<Item = Solution>,
    monitor: &Monitor<'_>,
) -> Result<Result<Vec<Vec<String>>, StopReason>> {
    let mut replayed = Vec::new();
    for solution in solutions {
        monitor.check_limits();
        if let Some(reason) = monitor.stop_reason() {
            return Ok(Err(reason));
        }
        replayed.push(task.replay(&solution).map_err(|reason| replay_error(task, request, reason))?);
    }
    Ok(Ok(replayed))
}

/// Makes the record of an outcome. Fails if the replay refuses the incumbent, or the lower bound exceeds its cost.
fn make_record(task: &dyn Task, request: &Request, mut outcome: Outcome, clock: &SessionClock) -> Result<BoardRecord> {
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let refuse = |reason| replay_error(task, request, reason);
        moves = task.replay(solution).map_err(refuse)?;
        let (cost, lower_bound) = (solution.cost, outcome.lower_bound);
        if lower_bound > cost {
            return Err(refuse(format!("found cost {cost}, expected at least the lower bound {lower_bound}")).into());
        }
    }
    outcome.statistics.cpu_seconds += clock.earlier.cpu_seconds;
    Ok(BoardRecord::new(task, request, outcome, moves, clock.now().seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, usual_symbols};
    use gridhunt_search::runtime::{Limits, Silent};
    use std::time::Duration;

    #[test]
    fn a_contradiction_is_not_reported() {
        let claim = |lower_bound, moves: &[u16]| {
            let incumbent = Some(Solution { cost: 3, moves: moves.to_vec() });
            let outcome = Outcome { incumbent, lower_bound, ..Outcome::unknown() };
            let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
            let request = Request::default();
            let task = request.task(&row).unwrap();
            make_record(&*task, &request, outcome, &SessionClock::after(Times::default(), 1))
        };
        let found = claim(3, &[1, 0, 2]).unwrap();
        assert_eq!((found.status, found.moves), (Status::Optimal, ["2", "1", "3"].map(str::to_owned).to_vec()));
        let error = claim(3, &[1, 0, 1]).unwrap_err();
        assert!(error.is_internal());
        let expected = "row: the solution of engine auto fails its replay: after 3 moves: found 1 cell left";
        assert!(error.to_string().starts_with(expected), "{error}");
        let error = claim(4, &[1, 0, 2]).unwrap_err();
        assert!(error.is_internal());
        assert!(error.to_string().ends_with("found cost 3, expected at least the lower bound 4"), "{error}");
    }

    #[test]
    fn a_stop_ends_the_replay_of_a_long_list() {
        let row = Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        let (request, stop) = (Request::default(), StopToken::new());
        let task = request.task(&row).unwrap();
        let monitor = Monitor::new(request.limits, &Silent, &stop);
        let endless = std::iter::repeat_with(|| Solution { cost: 3, moves: vec![1, 0, 2] });
        let three = replay_unless_stopped(&*task, &request, endless.take(3), &monitor).unwrap();
        assert_eq!(three.map(|listed| listed.len()), Ok(3));
        let no_time = Limits { time: Some(Duration::ZERO), ..request.limits };
        let late = Monitor::new(no_time, &Silent, &stop);
        assert_eq!(replay_unless_stopped(&*task, &request, endless, &late).unwrap(), Err(StopReason::TimeLimit));
        let mut count = 0;
        let stopping = endless.inspect(|_| {
            count += 1;
            if count == 3 {
                stop.stop(StopReason::Interrupted);
            }
        });
        assert_eq!(replay_unless_stopped(&*task, &request, stopping, &monitor).unwrap(), Err(StopReason::Interrupted));
    }
}
