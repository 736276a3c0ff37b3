//! Lower bounds compared on one board: how tight, how dear, how much search they leave, and whether they are right.

use super::flood::table_bytes;
use super::{Audience, DomainKind, HuntError, Report, Request, solve_board};
use crate::board::Board;
use crate::domain::floodit::{BoundSpec, FloodBound, FloodIt, Visitor, with_puzzle};
use crate::engine::{Context, Solution, Trial, Truth, solve_all, try_bound};
use crate::runtime::StopToken;
use std::time::Instant;

/// What is to be compared, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyRequest {
    /// The bounds.
    pub bounds: Vec<BoundSpec>,
    /// How the board is solved beforehand, by bounds of its own; limits, threads and memory for tables hold for each search.
    pub request: Request,
    /// Boards with at most so many states are solved for every state, without any bound.
    pub exhaustive: usize,
}

/// The bounds on one board.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The solution that they are held against, and how far it is proven.
    pub reference: Report,
    /// How many states were solved without any bound, if the board has few enough of them.
    pub states: Option<usize>,
    /// One trial for each bound, in the order of the request; fewer when somebody stopped it.
    pub trials: Vec<Trial>,
}

/// Solves a board and tries every bound on it.
///
/// # Errors
/// When the board cannot be solved at all, or when its solution is not what an exhaustive search says.
pub fn study_board(
    board: &Board,
    request: &StudyRequest,
    audience: &dyn Audience,
    stop: &StopToken,
) -> Result<Study, HuntError> {
    if request.request.domain != DomainKind::FloodIt {
        let (domain, expected) = (request.request.domain, DomainKind::FloodIt);
        return Err(HuntError::Foreign { what: "a comparison of lower bounds", domain, expected });
    }
    audience.begin(board.name());
    let reference = solve_board(board, &request.request, audience, stop, None)?;
    let study = Study { reference, states: None, trials: Vec::new() };
    let Some(solution) = study.reference.outcome.incumbent.clone() else { return Ok(study) };
    let bench = Bench { request, board, solution, study, audience, stop };
    with_puzzle(board, bench)
}

struct Bench<'a> {
    request: &'a StudyRequest,
    board: &'a Board,
    solution: Solution,
    study: Study,
    audience: &'a dyn Audience,
    stop: &'a StopToken,
}

impl Visitor for Bench<'_> {
    type Output = Result<Study, HuntError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let Self { request, board, solution, mut study, audience, stop } = self;
        let states = match request.exhaustive {
            0 => None,
            most => solve_all(puzzle, most, stop),
        };
        let optimum = states.as_ref().map(|states| states[0].left);
        if optimum.is_some_and(|optimum| contradicts(&study.reference, optimum)) {
            return Err(HuntError::Replay {
                board: board.name().to_owned(),
                engine: request.request.engine.name(),
                reason: format!("found {} proven, expected what all states say: {optimum:?}", solution.cost),
            });
        }
        study.states = states.as_ref().map(Vec::len);
        let truth = Truth { solution: &solution, states: states.as_deref() };
        let own = &request.request;
        let context = Context { threads: own.threads.max(1), limits: own.limits, observer: audience, stop, keep: None };
        for spec in &request.bounds {
            if stop.reason().is_some() {
                break;
            }
            audience.begin(&format!("{}, {spec}", board.name()));
            let (began, bytes) = (Instant::now(), table_bytes(own, &context));
            let make = || context.making(began, |making| FloodBound::within(puzzle, spec, bytes, making));
            let trial = try_bound(puzzle, make, &truth, &context);
            study.trials.push(Trial { name: spec.to_string(), ..trial? });
        }
        Ok(study)
    }
}

/// Whether a report says what an exhaustive search denies.
fn contradicts(report: &Report, optimum: Option<u32>) -> bool {
    let optimum = optimum.unwrap_or(u32::MAX);
    report.outcome.lower_bound > optimum || report.cost().is_some_and(|cost| cost < optimum)
}
