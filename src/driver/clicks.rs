//! Clickomania: board -> game -> engine -> replay.

use super::solve::{Found, refuse};
use super::{BoundName, HuntError, Measure, Request};
use crate::board::{Board, Cell};
use crate::domain::clickomania::{Column, Game, GameBound, GameBoundKind, Visitor, with_game};
use crate::engine::{self, Context, Outcome};
use crate::expand::Problem;
use crate::verify::verify_clicks;

/// Losses that the exact engines take on, which store states: open nodes lie in stacks by f and g, and a record has room for
/// [`crate::store::MAX_G`].
const MOST_SCORE: u32 = 4_000;

/// The bound of that name on a game; without a name the best.
pub(super) fn bound_on<'a, T: Column, const C: usize, const P: usize>(
    board: &Board,
    game: &'a Game<T, C, P>,
    name: Option<&BoundName>,
) -> Result<GameBound<'a, T, C, P>, HuntError> {
    let Some(name) = name else { return Ok(GameBound::best(game)) };
    let bound = match name {
        BoundName::Clickomania(kind) => GameBound::new(game, *kind),
        BoundName::FloodIt(_) => None,
    };
    bound.ok_or_else(|| HuntError::Bound {
        board: board.name().to_owned(),
        bound: name.clone(),
        objective: game.objective(),
        known: GameBoundKind::ALL.into_iter().filter(|kind| kind.knows(game)).collect(),
    })
}

struct Search<'a> {
    board: &'a Board,
    request: &'a Request,
    context: &'a Context<'a>,
}

impl Visitor for Search<'_> {
    type Output = Result<(Outcome, Vec<Cell>), HuntError>;

    /// Comes with the clicks of the best solution.
    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let Self { board, request, context } = self;
        let game = &game.clone().ordered(request.order);
        let bound = bound_on(board, game, request.bound.as_ref())?;
        let problem = Problem::new(game, bound);
        let outcome = engine::search(request.engine, &problem, &request.parameters, context)?;
        let clicks = outcome.incumbent.as_ref().map_or_else(Vec::new, |solution| game.clicks(&solution.moves));
        Ok((outcome, clicks))
    }
}

/// Searches a board and replays what comes out.
pub(super) fn solve(board: &Board, request: &Request, context: &Context<'_>) -> Result<Found, HuntError> {
    if let Measure::Score { ceiling } = Measure::of(board, request)
        && ceiling > MOST_SCORE
        && request.engine.exact()
    {
        let (board, engine) = (board.name().to_owned(), request.engine.name());
        return Err(HuntError::TooDear { board, engine, ceiling, most: MOST_SCORE });
    }
    let (rules, objective) = (request.rules, request.objective);
    let (outcome, clicks) = with_game(board, rules, objective, Search { board, request, context })??;
    conclude(board, request, (outcome, clicks))
}

/// What is found when it passes its replay.
fn conclude(board: &Board, request: &Request, (outcome, clicks): (Outcome, Vec<Cell>)) -> Result<Found, HuntError> {
    if let Some(solution) = &outcome.incumbent {
        if clicks.len() != solution.moves.len() {
            let (found, expected) = (clicks.len(), solution.moves.len());
            return Err(refuse(board, request, format!("found {found} moves that exist, expected {expected}")));
        }
        let claimed = Some(Measure::of(board, request).value(solution.cost));
        verify_clicks(board, (request.rules, request.objective), &clicks, claimed)
            .map_err(|e| refuse(board, request, e))?;
    }
    Ok(Found { outcome, moves: clicks.iter().map(Cell::to_string).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Objective, usual_symbols};
    use crate::domain::Cost;
    use crate::driver::DomainKind;
    use crate::engine::{Solution, Statistics};

    /// 1 2 2 1 in one row: the twos go first.
    fn claim(objective: Objective, clicks: &[(usize, usize)], cost: Cost) -> Result<Found, HuntError> {
        let row = Board::new("row", 1, 4, vec![0, 1, 1, 0], usual_symbols(2), Cell::default()).unwrap();
        let incumbent = Some(Solution { cost, moves: vec![0; clicks.len()] });
        let outcome =
            Outcome { incumbent, lower_bound: 0, stopped: None, failure: None, statistics: Statistics::default() };
        let clicks = clicks.iter().map(|&(row, col)| Cell { row, col }).collect();
        let request = Request { domain: DomainKind::Clickomania, objective, ..Request::default() };
        conclude(&row, &request, (outcome, clicks))
    }

    #[test]
    fn nothing_is_found_that_fails_its_replay() {
        assert_eq!(claim(Objective::Clicks, &[(0, 1), (0, 0)], 2).unwrap().moves, ["1,2", "1,1"]);
        assert!(claim(Objective::Score, &[(0, 1), (0, 0)], 0).is_ok());
        let cases = [
            (claim(Objective::Clicks, &[(0, 1), (0, 0)], 3), "found 2 for the objective clicks, expected 3"),
            (claim(Objective::Clicks, &[(0, 1)], 1), "after 1 click: found 2 cells left"),
            (claim(Objective::Clicks, &[(0, 0)], 1), "click 1: found 1 cell of one colour at 1,1, expected 2"),
            (claim(Objective::Clear, &[(0, 1), (0, 3)], 0), "click 2: found 0 cells"),
            (claim(Objective::Left, &[(0, 1)], 1), "found 2 for the objective left, expected 1"),
            (claim(Objective::Left, &[(0, 4)], 4), "click 1: found cell 1,5, expected one of 1 x 4"),
            (claim(Objective::Score, &[(0, 1), (0, 0)], 1), "expected 999"),
        ];
        for (result, expected) in cases {
            let error = result.map(|found| found.moves).unwrap_err();
            assert!(error.is_internal() && error.to_string().contains(expected), "{error}");
        }
    }
}
