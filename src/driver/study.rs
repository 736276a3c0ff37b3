//! Lower bounds compared on one board: how tight, how dear, how much search they leave, and whether they are right.

use super::puzzle::Spaces;
use super::request::check_bound;
use super::{Audience, BoundName, HuntError, Report, Request, solve_board};
use crate::board::Board;
use crate::engine::{Context, Solution, Trial, Truth, solve_all, try_bound};
use crate::runtime::StopToken;

/// What is to be compared, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyRequest {
    /// The bounds; every one that knows the board when there are none.
    pub bounds: Vec<BoundName>,
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
    /// One trial for each bound, in the order of the request; fewer when the study was stopped.
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
    let own = &request.request;
    request.bounds.iter().try_for_each(|bound| check_bound(Some(bound), own.domain))?;
    let context = Context { threads: own.threads.max(1), limits: own.limits, observer: audience, stop, keep: None };
    // A bound that does not apply is refused before the board is solved.
    own.domain.with_spaces(board, own, &mut |spaces| {
        let foreign = request.bounds.iter().find(|bound| !spaces.applies(bound));
        foreign.map_or(Ok(()), |bound| spaces.space(Some(bound), &context).map(drop))
    })?;
    audience.begin(board.name(), own.domain.objective_value(board, own));
    let reference = solve_board(board, own, audience, stop, None)?;
    let mut study = Study { reference, states: None, trials: Vec::new() };
    let Some(solution) = study.reference.outcome.incumbent.clone() else { return Ok(study) };
    let bench = Bench { request, board, solution, context };
    own.domain.with_spaces(board, own, &mut |spaces| bench.try_all(spaces, &mut study, audience))?;
    Ok(study)
}

/// The trials of one board.
struct Bench<'a> {
    request: &'a StudyRequest,
    board: &'a Board,
    solution: Solution,
    context: Context<'a>,
}

impl Bench<'_> {
    /// The bounds of the request, or all that apply to the board.
    fn bounds(&self, spaces: &dyn Spaces<'_>) -> Vec<BoundName> {
        let wanted = &self.request.bounds;
        if wanted.is_empty() {
            spaces.applicable().into_iter().filter_map(|name| name.parse().ok()).collect()
        } else {
            wanted.clone()
        }
    }

    /// Tries every bound, and adds the trials to `study`.
    fn try_all(&self, spaces: &dyn Spaces<'_>, study: &mut Study, audience: &dyn Audience) -> Result<(), HuntError> {
        let Self { request, board, solution, context } = self;
        let own = &request.request;
        let states = match request.exhaustive {
            0 => None,
            most => solve_all(&*spaces.plain(), most, context.stop),
        };
        let optimum = states.as_ref().map(|states| states[0].left);
        if optimum.is_some_and(|optimum| contradicts(&study.reference, optimum)) {
            return Err(HuntError::Replay {
                board: board.name().to_owned(),
                engine: own.engine.name(),
                reason: format!("found {} proven, expected what all states say: {optimum:?}", solution.cost),
            });
        }
        study.states = states.as_ref().map(Vec::len);
        let truth = Truth { solution, states: states.as_deref() };
        for name in self.bounds(spaces) {
            if context.stop.reason().is_some() {
                break;
            }
            audience.begin(&format!("{}, {name}", board.name()), own.domain.objective_value(board, own));
            let mut failure = None;
            let make = || {
                spaces.space(Some(&name), context).unwrap_or_else(|error| {
                    failure = Some(error);
                    spaces.plain()
                })
            };
            let trial = try_bound(make, &truth, context)?;
            if let Some(error) = failure {
                return Err(error);
            }
            study.trials.push(Trial { name: name.to_string(), ..trial });
        }
        Ok(())
    }
}

/// Whether a report says what an exhaustive search denies.
fn contradicts(report: &Report, optimum: Option<u32>) -> bool {
    let optimum = optimum.unwrap_or(u32::MAX);
    report.outcome.lower_bound > optimum || report.cost().is_some_and(|cost| cost < optimum)
}
