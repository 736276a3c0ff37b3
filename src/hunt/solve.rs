//! One board: board -> domain -> engine -> proof.

use super::{DomainKind, HuntError, Request, memory};
use crate::board::Board;
use crate::domain::Cost;
use crate::domain::floodit::{FloodBound, FloodIt, Visitor, with_puzzle};
use crate::engine::{self, Context, EngineKind, Keep, Outcome, Problem, Status};
use crate::proof::verify_solution;
use crate::runtime::{Observer, StopToken};
use crate::store::ArchiveError;
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
    /// The moves of the incumbent as the board writes its colours.
    pub moves: Vec<String>,
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

struct Search<'a> {
    request: &'a Request,
    context: Context<'a>,
}

/// Bytes that tables of a lower bound may take: a quarter of the memory of a search at most. A search that is kept goes on
/// with the same tables whatever its memory, which is measured there with all that the process holds.
pub(super) fn table_bytes(request: &Request, context: &Context<'_>) -> u64 {
    let memory = context.limits.memory.filter(|_| context.keep.is_none());
    memory.map_or(request.bound_memory, |memory| request.bound_memory.min(memory / 4))
}

impl Visitor for Search<'_> {
    type Output = Result<Outcome, ArchiveError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let Self { request, context } = self;
        let (began, bytes) = (Instant::now(), table_bytes(request, &context));
        let bound = context.making(began, |making| FloodBound::within(puzzle, &request.bound, bytes, making));
        let problem = Problem { domain: puzzle, bound: &bound };
        engine::search(request.engine, problem, &request.parameters, &context.remaining(began, 0))
    }
}

/// Searches one board and replays what comes out before anybody is told. With `keep` the search is kept on disk.
///
/// # Errors
/// When the domain is not built yet, the replay refuses the engine's solution, or `keep` names a checkpoint that cannot be
/// used.
pub fn solve_board(
    board: &Board,
    request: &Request,
    observer: &dyn Observer,
    stop: &StopToken,
    keep: Option<&Keep>,
) -> Result<Report, HuntError> {
    let began = Instant::now();
    let context = Context { threads: request.threads.max(1), limits: request.limits, observer, stop, keep };
    let outcome = match request.domain {
        DomainKind::FloodIt => with_puzzle(board, Search { request, context })?,
        domain @ (DomainKind::Clickomania | DomainKind::Bunny) => return Err(HuntError::NotBuilt { domain }),
    };
    conclude(board, request, outcome, began)
}

/// The report of an outcome whose solution passes its replay.
fn conclude(board: &Board, request: &Request, outcome: Outcome, began: Instant) -> Result<Report, HuntError> {
    let refuse =
        |reason: String| HuntError::Replay { board: board.name().to_owned(), engine: request.engine.name(), reason };
    let mut moves = Vec::new();
    if let Some(solution) = &outcome.incumbent {
        let claimed = Some(solution.cost);
        let cost = verify_solution(board, &solution.moves, claimed).map_err(|e| refuse(e.to_string()))?.cost;
        if outcome.lower_bound > cost {
            return Err(refuse(format!(
                "found cost {cost}, expected at least the lower bound {}",
                outcome.lower_bound
            )));
        }
        moves = solution.moves.iter().map(|&m| board.symbols()[usize::from(m)].clone()).collect();
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
        seconds: began.elapsed().as_secs_f64(),
        peak_memory_bytes: memory::peak_resident().unwrap_or(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Cell, usual_symbols};
    use crate::engine::{Solution, Statistics};
    use crate::runtime::{Event, Silent, StopReason};
    use std::sync::Mutex;
    use std::time::Duration;

    /// One row, 1 2 1 3: the optimum is 3.
    fn row() -> Board {
        Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap()
    }

    fn claim(moves: &[u16], cost: Cost, lower_bound: Cost) -> Result<Report, HuntError> {
        let incumbent = Some(Solution { cost, moves: moves.to_vec() });
        let outcome =
            Outcome { incumbent, lower_bound, stopped: None, failure: None, statistics: Statistics::default() };
        conclude(&row(), &Request::default(), outcome, Instant::now())
    }

    #[test]
    fn nothing_is_reported_that_fails_its_replay() {
        assert_eq!(claim(&[1, 0, 2], 3, 3).unwrap().moves, ["2", "1", "3"]);
        let cases = [
            (claim(&[1, 0], 2, 2), "found 1 cell left"),
            (claim(&[1, 0, 2, 1], 4, 3), "move 4"),
            (claim(&[1, 0, 9], 3, 3), "found colour number 9"),
            (claim(&[1, 0, 2], 2, 2), "found 3 moves, expected 2"),
            (claim(&[1, 0, 2], 3, 4), "found cost 3, expected at least the lower bound 4"),
        ];
        for (result, expected) in cases {
            let error = result.unwrap_err();
            assert!(error.is_internal());
            let text = error.to_string();
            assert!(text.starts_with("row: the solution of engine auto fails its replay: "), "{text}");
            assert!(text.contains(expected), "{text}");
        }
    }

    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Observer for Notes {
        fn observe(&self, event: &Event<'_>) {
            let name = format!("{event:?}");
            let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            self.0.lock().unwrap().push(name[..end].to_owned());
        }
    }

    #[test]
    fn every_engine_is_watched_and_reported() {
        for engine in EngineKind::ALL {
            let request = Request { engine, threads: 1, ..Request::default() };
            let notes = Notes::default();
            let report = solve_board(&row(), &request, &notes, &StopToken::new(), None).unwrap();
            assert_eq!((report.cost(), report.moves.len()), (Some(3), 3), "{engine:?}");
            assert_eq!(report.status() == Status::Optimal, engine.exact() || report.outcome.lower_bound == 3);
            let notes = notes.0.into_inner().unwrap();
            assert_eq!(notes[0], "EngineStarted", "{engine:?}");
            assert!(notes.contains(&"Incumbent".to_owned()), "{engine:?}: {notes:?}");
        }
    }

    #[test]
    fn a_stop_before_the_beginning_is_told() {
        let stop = StopToken::new();
        stop.stop(StopReason::Interrupted);
        let cells = (0..400u32).map(|i| (i * i % 7 % 5) as u8).collect();
        let board = Board::new("b", 20, 20, cells, usual_symbols(5), Cell::default()).unwrap();
        let report = solve_board(&board, &Request::default(), &Silent, &stop, None).unwrap();
        assert_eq!(report.outcome.stopped, Some(StopReason::Interrupted));
        assert!(report.cost().is_none_or(|cost| report.outcome.lower_bound <= cost));
        assert!(report.seconds < Duration::from_secs(20).as_secs_f64());
    }

    #[test]
    fn domains_that_are_not_built_say_so() {
        for domain in DomainKind::ALL {
            let request = Request { domain, threads: 1, ..Request::default() };
            let result = solve_board(&row(), &request, &Silent, &StopToken::new(), None);
            assert_eq!(result.is_ok(), domain.is_built());
            if let Err(error) = result {
                assert!(!error.is_internal() && error.to_string().contains("not built yet"), "{error}");
            }
        }
    }
}
