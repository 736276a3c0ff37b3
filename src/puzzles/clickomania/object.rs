//! Clickomania: click groups away.

use crate::puzzles::clickomania::{
    Column, Game, GameBound, GameBoundKind, Visitor, certificate, check_fallen, score_table, with_game,
    with_scored_game,
};
use crate::puzzles::error::Result;
use crate::puzzles::gameplay::{Choice, Gameplay};
use crate::puzzles::names::plural;
use crate::puzzles::playback::Playback;
use crate::puzzles::puzzle::{
    BoundCertificate, BoundInfo, CertificateForm, CertifiedPuzzle, Claim, Instance, Puzzle, Solutions, SpaceFactory,
    StatePuzzle, Visit,
};
use crate::puzzles::start::position;
use crate::puzzles::state_search::search_states;
use crate::puzzles::verdict::{Fact, Verdict, Verified};
use crate::puzzles::{BoundName, ObjectiveValue, PuzzleError, PuzzleId, Request, Start};
use gridhunt_boards::verify::{ClickError, ClickPlay, ClickReplay, replay_clicks, verify_clicks};
use gridhunt_boards::{Board, BoardError, Cell, EMPTY, Frame, Mark, Objective, Scoring, WrittenClicks};
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::{Context, EngineKind, Outcome, RefutedSets, Solution, StateEngine};
use gridhunt_search::expand::{Problem, StateSpace};

/// The greatest loss, by stopping at once, that an engine with stored states accepts. The open list has one stack for
/// each f and g, and a record holds g only up to [`gridhunt_search::store::MAX_G`].
const MOST_SCORE: u32 = 4_000;

/// The puzzle object.
pub(in crate::puzzles) struct ClickomaniaPuzzle;

impl Puzzle for ClickomaniaPuzzle {
    fn names(&self) -> &'static [&'static str] {
        &["clickomania", "samegame", "same-game", "same_game"]
    }

    fn check_board(&self, board: &Board, request: &Request) -> Result<()> {
        check_fallen(board, request.clickomania.rules).map_err(PuzzleError::position)?;
        if request.clickomania.objective == Objective::Score {
            score_table(board, request.clickomania.rules, &request.clickomania.scoring)
                .map_err(PuzzleError::position)?;
        }
        Ok(())
    }

    fn supports(&self, engine: EngineKind) -> bool {
        engine.of_states().is_some_and(|engine| engine != StateEngine::Learning)
    }

    fn objective_value(&self, board: &Board, request: &Request) -> ObjectiveValue {
        match request.clickomania.objective {
            Objective::Clear => ObjectiveValue::Clear,
            Objective::Clicks => ObjectiveValue::Clicks,
            Objective::Left => ObjectiveValue::Left,
            Objective::Score => {
                let table = score_table(board, request.clickomania.rules, &request.clickomania.scoring);
                // `check_board` refuses a board without a table.
                ObjectiveValue::Score { ceiling: table.map_or(0, |table| table.ceiling()) }
            }
        }
    }

    fn search(&self, instance: Instance<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        let Instance { board, request } = instance;
        let mut has_stored_states = true;
        if request.clickomania.objective == Objective::Score && request.engine.exact() {
            let table = score_table(board, request.clickomania.rules, &request.clickomania.scoring)
                .map_err(PuzzleError::position)?;
            let loss = table.loss_at_once();
            has_stored_states = loss <= MOST_SCORE;
            if !has_stored_states && request.engine != EngineKind::Auto {
                let (board, engine) = (board.name().to_owned(), request.engine.name());
                return Err(PuzzleError::TooDear { board, engine, found: loss, most: MOST_SCORE });
            }
        }
        search_states(self, instance, has_stored_states, known, context)
    }

    fn replay(&self, board: &Board, request: &Request, solution: &Solution) -> Result<Vec<String>, String> {
        let clicks = Clicks(&solution.moves);
        let clicks = with_scored_game(board, &request.clickomania, clicks);
        check(board, request, solution, &clicks.map_err(|error| error.to_string())?)
    }

    fn verify_next(&self, instance: Instance<'_>, solutions: &mut Solutions) -> Result<Option<Verdict>, BoardError> {
        let Instance { board, request } = instance;
        let Some(written) = next_written(instance, solutions)? else { return Ok(None) };
        let claimed =
            if request.clickomania.objective == Objective::Score { written.score } else { written.cost.map(i64::from) };
        let rules = request.clickomania.judged_by();
        let replayed = verify_clicks(board, rules, &written.clicks, claimed);
        let many = written.clicks.len();
        let describe = |(value, replay)| Verified { value, facts: facts(many, &replay), wasted: Vec::new() };
        let objective = self.objective_value(board, request);
        Ok(Some(Verdict::new(written.board, objective, replayed, describe, ClickError::failed_move)))
    }

    fn read_start(&self, instance: Instance<'_>, after: usize, solutions: &mut Solutions) -> Result<Option<Start>> {
        let Instance { board, request } = instance;
        let rules = request.clickomania.judged_by();
        let Some(WrittenClicks { clicks, .. }) = next_written(instance, solutions)? else {
            return Ok(None);
        };
        let cells = |played: &[Cell]| Ok(cells_of(&clicked_on(board, request, played)?));
        let known = |position: &Board, rest: &[Cell]| match verify_clicks(position, rules, rest, None) {
            Ok((value, _)) => Ok(Ok(solution_of(position, request, rest, value)?)),
            Err(error @ ClickError::Incomplete { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(PuzzleError::solution(position, error)),
        };
        Start::after(board, (after, "clicks"), &clicks, cells, known).map(Some)
    }

    fn still(&self, board: &Board) -> Result<Frame> {
        let colours = plural(board.colours(), "colour");
        let caption = format!("{} x {}, {colours}", board.rows(), board.cols());
        let cells: Vec<_> = board.contents().collect();
        Ok(Frame { caption, marks: vec![Mark::None; cells.len()], cells })
    }

    fn play_next<'b>(&self, instance: Instance<'b>, solutions: &mut Solutions) -> Result<Option<Playback<'b>>> {
        let Instance { board, request } = instance;
        let Some(written) = next_written(instance, solutions)? else { return Ok(None) };
        let fail = |error| PuzzleError::solution(board, error);
        replay_clicks(board, request.clickomania.rules, &Scoring::default(), &written.clicks).map_err(fail)?;
        let (mut play, clicks) = (clicked_on(board, request, &[])?, written.clicks);
        let (mut done, mut last) = (0, String::new());
        // The board with marks on the group of the next click.
        Ok(Some(Playback::new(clicks.len(), move |step| {
            for (number, &cell) in (1..).zip(&clicks).take(step).skip(done) {
                let size = play.click(number, cell).map_err(fail)?;
                last = format!(", {cell} with {}", plural(size, "cell"));
            }
            done = step;
            let mut marks = vec![Mark::None; play.cells().len()];
            if let Some(&next) = clicks.get(step) {
                play.group_of(step + 1, next).map_err(fail)?.into_iter().for_each(|cell| marks[cell] = Mark::Area);
                marks[board.index(next)] = Mark::Point;
            }
            let head = format!("click {step} of {}{last}", clicks.len());
            Ok(Frame { marks, ..frame(board, &play, &head) })
        })))
    }

    fn states(&self) -> Option<&dyn StatePuzzle> {
        Some(self)
    }

    fn certified(&self) -> Option<&dyn CertifiedPuzzle> {
        Some(self)
    }
}

impl CertifiedPuzzle for ClickomaniaPuzzle {
    fn certify(
        &self,
        board: &Board,
        request: &Request,
        claim: &Claim<'_>,
        form: CertificateForm,
        _: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate> {
        self.check_form(board, request, form)?;
        certificate::certify(board, &request.clickomania, claim, context)
    }

    fn check_form(&self, _: &Board, request: &Request, form: CertificateForm) -> Result<()> {
        if form != CertificateForm::Records {
            let (what, expected) = ("a proof for VeriPB".to_owned(), PuzzleId::default());
            return Err(PuzzleError::Foreign { what, domain: request.domain, expected });
        }
        match request.clickomania.objective {
            Objective::Score => Err(PuzzleError::NoCertificatesOfScores),
            Objective::Clear | Objective::Clicks | Objective::Left => Ok(()),
        }
    }

    fn certified_rules(&self, board: &Board, request: &Request) -> Vec<usize> {
        certificate::rules(board, request.clickomania.rules).to_vec()
    }

    fn moves_named(&self, board: &Board, request: &Request, names: &[String]) -> Vec<MoveIndex> {
        let cells: Vec<_> = names.iter().map_while(|name| cell_named(name)).collect();
        // The moves depend neither on the objective nor on the order.
        with_game(board, request.clickomania.rules, Objective::Clear, Moves(&cells)).unwrap_or_default()
    }
}

impl StatePuzzle for ClickomaniaPuzzle {
    /// No bound is marked as the default, because the default depends on the board and on the objective.
    fn bounds(&self) -> Vec<BoundInfo> {
        let info = |kind: GameBoundKind| BoundInfo { name: kind.name(), summary: kind.summary(), default: false };
        GameBoundKind::ALL.map(info).to_vec()
    }

    fn bound_identity(&self, request: &Request) -> String {
        request.bound.as_ref().map_or_else(|| "that is best".to_owned(), ToString::to_string)
    }

    fn with_spaces(&self, board: &Board, request: &Request, visit: Visit<'_>) -> Result<()> {
        let visitor = Typed { board, visit };
        with_scored_game(board, &request.clickomania, visitor).map_err(PuzzleError::position)?
    }

    fn move_names(&self, board: &Board, request: &Request, moves: &[MoveIndex]) -> Option<Vec<String>> {
        // The moves depend neither on the objective nor on the order.
        let clicks = with_game(board, request.clickomania.rules, Objective::Clear, Clicks(moves)).ok()?;
        (clicks.len() == moves.len()).then(|| clicks.iter().map(Cell::to_string).collect())
    }

    fn gameplay<'b>(&self, board: &'b Board, request: &'b Request) -> Result<Box<dyn Gameplay + 'b>> {
        self.check_board(board, request)?;
        Ok(Box::new(ClickGame { board, request, play: clicked_on(board, request, &[])?, sizes: Vec::new() }))
    }
}

/// The game as it is. The caption begins with `head`.
fn frame(board: &Board, play: &ClickPlay<'_>, head: &str) -> Frame {
    let (left, all) = (play.left(), board.contents().flatten().count());
    let caption = format!("{head}, {left} of {} left", plural(all, "cell"));
    Frame { caption, cells: play.cells().to_vec(), marks: vec![Mark::None; play.cells().len()] }
}

/// The cell `row,column`, counted from 1.
fn cell_named(name: &str) -> Option<Cell> {
    let (row, col) = name.split_once(',')?;
    let from_one = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
    Some(Cell { row: from_one(row)?, col: from_one(col)? })
}

/// A game that somebody plays.
#[derive(Clone)]
struct ClickGame<'b> {
    board: &'b Board,
    request: &'b Request,
    play: ClickPlay<'b>,
    /// The cells that each click removed.
    sizes: Vec<usize>,
}

impl Gameplay for ClickGame<'_> {
    /// The groups that may be clicked, by their first cells in row order.
    fn choices(&self) -> Vec<Choice> {
        let mut seen = vec![false; self.play.cells().len()];
        let mut choices = Vec::new();
        for index in 0..seen.len() {
            if seen[index] {
                continue;
            }
            let cell = self.board.cell(index);
            // An error says that the group is too small, or that the cell is empty.
            let Ok(mut cells) = self.play.group_of(self.sizes.len() + 1, cell) else { continue };
            cells.sort_unstable();
            cells.iter().for_each(|&index| seen[index] = true);
            choices.push(Choice { name: cell.to_string(), cells });
        }
        choices
    }

    fn is_over(&self) -> bool {
        let number = self.sizes.len() + 1;
        (0..self.play.cells().len()).all(|index| self.play.group_of(number, self.board.cell(index)).is_err())
    }

    fn play(&mut self, name: &str) -> Result<()> {
        let number = self.sizes.len() + 1;
        let fail = |reason: String| PuzzleError::solution(self.board, reason);
        let unknown = || fail(format!("click {number}: found {name}, expected a cell: row,column from 1"));
        let cell = cell_named(name).ok_or_else(unknown)?;
        let size = self.play.click(number, cell).map_err(|error| fail(error.to_string()))?;
        self.sizes.push(size);
        Ok(())
    }

    fn cell_of(&self, name: &str) -> Option<usize> {
        let Cell { row, col } = cell_named(name)?;
        (row < self.board.rows() && col < self.board.cols()).then(|| self.board.index(Cell { row, col }))
    }

    fn fork(&self) -> Box<dyn Gameplay + '_> {
        Box::new(self.clone())
    }

    fn moves(&self) -> usize {
        self.sizes.len()
    }

    fn value(&self) -> i64 {
        let points =
            |&size: &usize| self.request.clickomania.scoring.points.value(u32::try_from(size).unwrap_or(u32::MAX));
        match self.request.clickomania.objective {
            Objective::Clicks => self.sizes.len() as i64,
            // `check_board` has refused a scoring that has no value for a group of this board.
            Objective::Score => self.sizes.iter().map(|size| points(size).unwrap_or(0)).sum(),
            Objective::Clear | Objective::Left => 0,
        }
    }

    fn value_of_end(&self) -> Option<i64> {
        match self.request.clickomania.objective {
            Objective::Clear | Objective::Clicks => self.is_solved().then(|| self.value()),
            Objective::Left => Some(self.play.left() as i64),
            Objective::Score => self.play.score(&self.request.clickomania.scoring, &self.sizes).ok(),
        }
    }

    fn is_solved(&self) -> bool {
        self.play.left() == 0
    }

    fn frame(&self) -> Frame {
        frame(self.board, &self.play, &plural(self.sizes.len(), "click"))
    }

    fn position(&self) -> Result<Board> {
        position(self.board, self.sizes.len(), cells_of(&self.play))
    }
}

/// The next clicks of a file, for a board.
fn next_written(instance: Instance<'_>, solutions: &mut Solutions) -> Result<Option<WrittenClicks>, BoardError> {
    let Instance { board, request } = instance;
    let rules = request.clickomania.judged_by();
    let merit = |clicks: &[Cell]| verify_clicks(board, rules, clicks, None).is_ok().into();
    solutions.next_clicks_with((board.rows(), board.cols()), merit)
}

/// The game after these clicks.
fn clicked_on<'b>(board: &'b Board, request: &Request, clicks: &[Cell]) -> Result<ClickPlay<'b>> {
    let mut play = ClickPlay::new(board, request.clickomania.rules).map_err(PuzzleError::position)?;
    for (number, &cell) in (1..).zip(clicks) {
        play.click(number, cell).map_err(|error| PuzzleError::solution(board, error))?;
    }
    Ok(play)
}

/// The cells of a game, as [`Board::cells`] has them.
fn cells_of(play: &ClickPlay<'_>) -> Vec<u8> {
    play.cells().iter().map(|cell| cell.unwrap_or(EMPTY)).collect()
}

/// Clicks that the plain rules accept, as a solution of this objective value.
fn solution_of(board: &Board, request: &Request, clicks: &[Cell], value: i64) -> Result<Solution> {
    let moves = with_scored_game(board, &request.clickomania, Moves(clicks));
    let cost = match ClickomaniaPuzzle.objective_value(board, request) {
        ObjectiveValue::Score { ceiling } => ceiling - value,
        _ => value,
    };
    let cost = Cost::try_from(cost).map_err(|error| PuzzleError::solution(board, error))?;
    Ok(Solution { cost, moves: moves.map_err(PuzzleError::position)? })
}

/// The facts about a correct solution.
fn facts(clicks: usize, replay: &ClickReplay) -> Vec<Fact> {
    let mut facts = vec![match replay.left {
        0 => Fact::Remark("cleared"),
        left => Fact::Count(left as u64, "cell left", "cells left"),
    }];
    facts.extend(replay.has_more_clicks.then_some(Fact::Remark("and more clicks are possible")));
    facts.extend([Fact::Count(clicks as u64, "click", "clicks"), Fact::Score(replay.score)]);
    facts
}

/// Replays the clicks of a solution. Returns the clicks as text.
fn check(board: &Board, request: &Request, solution: &Solution, clicks: &[Cell]) -> Result<Vec<String>, String> {
    if clicks.len() != solution.moves.len() {
        let (found, expected) = (clicks.len(), solution.moves.len());
        return Err(format!("found {found} moves that exist, expected {expected}"));
    }
    let claimed = Some(ClickomaniaPuzzle.objective_value(board, request).value(solution.cost));
    let rules = request.clickomania.judged_by();
    verify_clicks(board, rules, clicks, claimed).map_err(|error| error.to_string())?;
    Ok(clicks.iter().map(Cell::to_string).collect())
}

/// Translates moves, made one after another, into clicks.
struct Clicks<'a>(&'a [MoveIndex]);

impl Visitor for Clicks<'_> {
    type Output = Vec<Cell>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        game.clicks(self.0)
    }
}

/// Translates clicks into moves.
struct Moves<'a>(&'a [Cell]);

impl Visitor for Moves<'_> {
    type Output = Vec<MoveIndex>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        game.moves(self.0)
    }
}

/// Passes the search spaces of the typed game to `visit`.
struct Typed<'a> {
    board: &'a Board,
    visit: Visit<'a>,
}

impl Visitor for Typed<'_> {
    type Output = Result<()>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        (self.visit)(&GameSpaces { game, board: self.board })
    }
}

/// The search spaces of one game.
struct GameSpaces<'p, 'a, T: Column, const C: usize, const P: usize> {
    game: &'p Game<T, C, P>,
    board: &'a Board,
}

impl<'p, T: Column, const C: usize, const P: usize> SpaceFactory<'p> for GameSpaces<'p, '_, T, C, P> {
    fn space(&self, bound: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>> {
        let Some(name) = bound else { return Ok(self.plain()) };
        let kind = GameBoundKind::ALL.into_iter().find(|kind| kind.name() == name.as_str());
        let bound = kind.and_then(|kind| GameBound::new(self.game, kind));
        let bound = bound.ok_or_else(|| PuzzleError::Bound {
            board: self.board.name().to_owned(),
            bound: name.clone(),
            objective: self.game.objective().name(),
            known: self.applicable(),
        })?;
        Ok(Box::new(Problem::new(self.game, bound)))
    }

    fn plain(&self) -> Box<dyn StateSpace + 'p> {
        Box::new(Problem::new(self.game, GameBound::best(self.game)))
    }

    fn applicable(&self) -> Vec<&'static str> {
        GameBoundKind::ALL.into_iter().filter(|kind| kind.knows(self.game)).map(GameBoundKind::name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::clickomania::Options;
    use gridhunt_boards::usual_symbols;

    /// Replays clicks on the row 1 2 2 1. Only the twos can be clicked first.
    fn claim(objective: Objective, clicks: &[(usize, usize)], cost: Cost) -> Result<Vec<String>, String> {
        let row = Board::new("row", 1, 4, vec![0, 1, 1, 0], usual_symbols(2), Cell::default()).unwrap();
        let solution = Solution { cost, moves: vec![0; clicks.len()] };
        let clicks: Vec<_> = clicks.iter().map(|&(row, col)| Cell { row, col }).collect();
        let clickomania = Options { objective, ..Options::default() };
        check(&row, &Request { clickomania, ..Request::default() }, &solution, &clicks)
    }

    #[test]
    fn a_wrong_solution_fails_its_replay() {
        assert_eq!(claim(Objective::Clicks, &[(0, 1), (0, 0)], 2).unwrap(), ["1,2", "1,1"]);
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
            let error = result.unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
