//! A comparison of lower bounds on one board: gap, evaluation time, expanded states, and soundness.

use super::{BatchObserver, BoardRecord, BoardSearchInfo, HuntError, Request, solve_board};
use gridhunt_boards::Board;
use gridhunt_puzzle::{BoundName, PuzzleError, SpaceFactory};
use gridhunt_search::engine::{Context, KnownCosts, Solution, Trial, solve_all, try_bound};
use gridhunt_search::runtime::StopToken;

/// The request for a comparison of lower bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyRequest {
    /// The bounds to compare. If the list is empty, all bounds that apply to the board are compared.
    pub bounds: Vec<BoundName>,
    /// The request for the reference search, which solves the board first with its own bound. The trials use the same
    /// limits and threads.
    pub request: Request,
    /// If a board has at most this number of states, and time and memory suffice, the exact cost of each state is
    /// computed without a bound.
    pub max_exhaustive_states: usize,
}

/// The result of a comparison on one board.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The record of the reference search. Its solution and lower bound are the reference for all bounds.
    pub reference: BoardRecord,
    /// The number of states with a known exact cost; `None` if the board has too many states.
    pub exact_states: Option<usize>,
    /// One trial for each bound, in the order of the request. A study that was stopped has fewer trials.
    pub trials: Vec<Trial>,
}

/// Solves a board and tries every bound on it.
///
/// # Errors
/// When the board cannot be searched, a bound does not apply to the board, or an exhaustive search contradicts the
/// reference.
pub fn study_board(
    board: &Board,
    request: &StudyRequest,
    observer: &dyn BatchObserver,
    stop: &StopToken,
) -> Result<Study, HuntError> {
    let search_request = &request.request;
    request.bounds.iter().try_for_each(|bound| bound.check(search_request.domain))?;
    let task = search_request.task(board)?;
    let states = task.as_state_task().ok_or(PuzzleError::NoStates(search_request.domain))?;
    let context = Context::new(search_request.threads.max(1), search_request.limits, observer, stop);
    // Refuse a bound that does not apply before the reference search begins.
    states.with_spaces(&mut |spaces| {
        let inapplicable = request.bounds.iter().find(|bound| !spaces.applies(bound));
        inapplicable.map_or(Ok(()), |bound| spaces.space(Some(bound)).map(drop))
    })?;
    observer.begin_board(&BoardSearchInfo::new(1, board, search_request));
    let reference = solve_board(board, search_request, observer, stop)?;
    let mut study = Study { reference, exact_states: None, trials: Vec::new() };
    let Some(solution) = study.reference.solution.clone() else { return Ok(study) };
    let trials_of_board = BoardTrials { request, board, solution, context };
    states.with_spaces(&mut |spaces| trials_of_board.try_all(spaces, &mut study, observer))?;
    Ok(study)
}

/// The trials of one board.
struct BoardTrials<'a> {
    request: &'a StudyRequest,
    board: &'a Board,
    solution: Solution,
    context: Context<'a>,
}

impl BoardTrials<'_> {
    /// Tries the bounds of the request, or all that apply to the board, and adds the trials to `study`.
    fn try_all(
        &self,
        spaces: &dyn SpaceFactory<'_>,
        study: &mut Study,
        observer: &dyn BatchObserver,
    ) -> gridhunt_puzzle::Result<()> {
        let Self { request, board, solution, context } = self;
        let search_request = &request.request;
        let states = match request.max_exhaustive_states {
            0 => None,
            max_states => solve_all(&*spaces.fast_space(), max_states, context),
        };
        let optimum = states.as_ref().map(|states| states[0].cost_to_go);
        if optimum.is_some_and(|optimum| contradicts(&study.reference, optimum)) {
            return Err(PuzzleError::ReplayFailed {
                board: board.name().to_owned(),
                engine: search_request.engine.name(),
                reason: format!("found {} proven, expected the exact optimum: {optimum:?}", solution.cost),
            });
        }
        study.exact_states = states.as_ref().map(Vec::len);
        let known_costs = KnownCosts { solution, states: states.as_deref() };
        let bounds: Vec<BoundName> = match &request.bounds[..] {
            [] => spaces.applicable_bounds().into_iter().filter_map(|name| name.parse().ok()).collect(),
            requested => requested.to_vec(),
        };
        for name in bounds {
            if context.stop.reason().is_some() {
                break;
            }
            let title = format!("{}, {name}", board.name());
            observer.begin_board(&BoardSearchInfo { name: &title, ..BoardSearchInfo::new(1, board, search_request) });
            let mut failure = None;
            let make_space = || {
                spaces.space(Some(&name)).unwrap_or_else(|error| {
                    failure = Some(error);
                    spaces.fast_space()
                })
            };
            let trial = try_bound(make_space, &known_costs, context)?;
            if let Some(error) = failure {
                return Err(error);
            }
            study.trials.push(Trial { name: name.to_string(), ..trial });
        }
        Ok(())
    }
}

/// Whether the optimum of an exhaustive search contradicts a record. `None` means that no solution exists.
fn contradicts(record: &BoardRecord, optimum: Option<u32>) -> bool {
    let optimum = optimum.unwrap_or(u32::MAX);
    record.lower_bound.unwrap_or(u32::MAX) > optimum || record.cost.is_some_and(|cost| cost < optimum)
}
