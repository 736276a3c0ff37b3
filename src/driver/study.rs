//! Lower bounds compared on one board: how tight, how dear, how much search they leave, and whether they are right.

use super::clicks::bound_on;
use super::flood::table_bytes;
use super::{Audience, BoundName, DomainKind, HuntError, Measure, Report, Request, solve_board};
use crate::board::Board;
use crate::domain::clickomania::{self, Column, Game, GameBound, GameBoundKind, with_game};
use crate::domain::floodit::{self, BoundKind, BoundSpec, FloodBound, FloodIt, with_puzzle};
use crate::engine::{Context, Solution, Trial, Truth, solve_all, try_bound};
use crate::expand::{Problem, RefinableSpace, StateSpace};
use crate::runtime::StopToken;
use std::time::Instant;

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
    let Request { domain, rules, objective, .. } = request.request;
    if let Some(bound) = request.bounds.iter().find(|bound| bound.domain() != domain) {
        return Err(HuntError::Foreign { what: "bound", domain, expected: bound.domain() });
    }
    if domain == DomainKind::Clickomania {
        with_game(board, rules, objective, Asked { board, names: &request.bounds })??;
    }
    audience.begin(board.name(), Measure::of(board, &request.request));
    let reference = solve_board(board, &request.request, audience, stop, None)?;
    let study = Study { reference, states: None, trials: Vec::new() };
    let Some(solution) = study.reference.outcome.incumbent.clone() else { return Ok(study) };
    let bench = Bench { request, board, solution, study, audience, stop };
    match domain {
        DomainKind::FloodIt => with_puzzle(board, bench)?,
        DomainKind::Clickomania => with_game(board, rules, objective, bench)?,
        DomainKind::Bunny => Err(HuntError::NoBounds { domain }),
    }
}

/// Whether every bound that was asked for knows the game.
struct Asked<'a> {
    board: &'a Board,
    names: &'a [BoundName],
}

impl clickomania::Visitor for Asked<'_> {
    type Output = Result<(), HuntError>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        self.names.iter().try_for_each(|name| bound_on(self.board, game, Some(name)).map(drop))
    }
}

struct Bench<'a> {
    request: &'a StudyRequest,
    board: &'a Board,
    solution: Solution,
    study: Study,
    audience: &'a dyn Audience,
    stop: &'a StopToken,
}

impl floodit::Visitor for Bench<'_> {
    type Output = Result<Study, HuntError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let own = &self.request.request;
        let names = self.names(BoundKind::ALL.map(|kind| BoundName::FloodIt(BoundSpec::new(&[kind]))));
        let plain = Problem::new(puzzle, FloodBound::new(puzzle, &BoundSpec::new(&[BoundKind::Layers])));
        self.try_all(&plain, &names, |at, context| {
            let spec = Request { bound: Some(names[at].clone()), ..own.clone() }.flood_bound();
            let (began, bytes) = (Instant::now(), table_bytes(own, context));
            let bound = context.with_build_context(began, |build| FloodBound::within(puzzle, &spec, bytes, build));
            Box::new(Problem::new(puzzle, bound))
        })
    }
}

impl clickomania::Visitor for Bench<'_> {
    type Output = Result<Study, HuntError>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let known = GameBoundKind::ALL.into_iter().filter(|kind| kind.knows(game));
        let names = self.names(known.map(BoundName::Clickomania));
        let bounds: Vec<_> =
            names.iter().map(|name| bound_on(self.board, game, Some(name))).collect::<Result<_, _>>()?;
        self.try_all(&Problem::new(game, GameBound::best(game)), &names, |at, _| {
            Box::new(Problem::new(game, bounds[at]))
        })
    }
}

impl Bench<'_> {
    /// The bounds that were asked for, or all that there are.
    fn names(&self, all: impl IntoIterator<Item = BoundName>) -> Vec<BoundName> {
        let wanted = &self.request.bounds;
        if wanted.is_empty() { all.into_iter().collect() } else { wanted.clone() }
    }

    /// Tries the bounds of these names, which `make` makes by their places. `plain` is the same space with a bound that is made at once.
    fn try_all<'p>(
        self,
        plain: &dyn StateSpace,
        names: &[BoundName],
        make: impl Fn(usize, &Context<'_>) -> Box<dyn RefinableSpace<'p> + 'p>,
    ) -> Result<Study, HuntError> {
        let Self { request, board, solution, mut study, audience, stop } = self;
        let own = &request.request;
        let context = Context { threads: own.threads.max(1), limits: own.limits, observer: audience, stop, keep: None };
        let states = match request.exhaustive {
            0 => None,
            most => solve_all(plain, most, stop),
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
        for (at, name) in names.iter().enumerate() {
            if stop.reason().is_some() {
                break;
            }
            audience.begin(&format!("{}, {name}", board.name()), Measure::of(board, own));
            let trial = try_bound(|| make(at, &context), &truth, &context)?;
            study.trials.push(Trial { name: name.to_string(), ..trial });
        }
        Ok(study)
    }
}

/// Whether a report says what an exhaustive search denies.
fn contradicts(report: &Report, optimum: Option<u32>) -> bool {
    let optimum = optimum.unwrap_or(u32::MAX);
    report.outcome.lower_bound > optimum || report.cost().is_some_and(|cost| cost < optimum)
}
