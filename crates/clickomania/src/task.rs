//! Clickomania as a puzzle, and its boards as tasks.

use crate::click_game::{ClickGame, cells_of, frame, parse_cell, play_clicks};
use crate::replay::{ClickError, ClickReplay, replay_clicks, verify_clicks};
use crate::variant::{OBJECTIVES, OPTIONS};
use crate::{
    Column, Game, GameBound, GameBoundKind, Goal, Options, Scoring, Visitor, certificate, check_fallen,
    generate_clearable, score_table, with_game, with_scored_game,
};
use gridhunt_boards::{Board, Cell, Frame, GenerateSpec, Mark, UncheckedSolution, generate, plural};
use gridhunt_puzzle::{
    BoundCertificate, BoundInfo, BoundName, CandidateSolution, CertifiableTask, CertificateClaim, CertificateForm,
    CertifiedBoard, EngineKind, Gameplay, Level, OptionValues, Playback, Puzzle, PuzzleError, PuzzleId, PuzzleInfo,
    ReadSolution, Remark, Result, SearchMethod, Solutions, SpaceFactory, SpaceVisitor, StartPosition, StateTask, Task,
    TaskInfo, ValidSolution, Verdict, search_states,
};
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::{Context, Outcome, RefutedSets, Solution, StateEngine};
use gridhunt_search::expand::{Problem, StateSpace};

/// The greatest loss of stopping before the first click that an engine with stored states accepts. The open list has
/// one stack for each f and g, and a record holds g only up to [`gridhunt_search::store::MAX_G`].
const MAX_SCORE_COST: u32 = 4_000;

/// The puzzle.
pub struct ClickomaniaPuzzle;

gridhunt_puzzle::register!(2, ClickomaniaPuzzle);

/// Describes a bound. None is marked as the default, because the default depends on the board and on the goal.
const fn bound(kind: GameBoundKind) -> BoundInfo {
    BoundInfo { name: kind.name(), summary: kind.summary(), is_default: false }
}

const fn level(name: &'static str, side: usize, colours: usize) -> Level {
    Level { name, side, colours, kind: "clearable", options: &[("objective", "clicks")] }
}

static INFO: PuzzleInfo = PuzzleInfo {
    names: &["clickomania", "samegame", "same-game", "same_game"],
    title: "Clickomania",
    options: &OPTIONS,
    objectives: &OBJECTIVES,
    engines: || {
        let engines = StateEngine::ALL.into_iter().filter(|engine| *engine != StateEngine::LEARNING);
        engines.map(|engine| engine.info).collect()
    },
    bounds: &[
        bound(GameBoundKind::Colours),
        bound(GameBoundKind::Permanent),
        bound(GameBoundKind::OneClick),
        bound(GameBoundKind::FirstClick),
    ],
    has_certificates: true,
    kinds: &["clearable"],
    levels: &[
        level("easy", 6, 3),
        level("medium", 7, 4),
        level("hard", 8, 4),
        Level { options: &[], ..level("expert", 12, 5) },
    ],
    ..PuzzleInfo::NONE
};

impl Puzzle for ClickomaniaPuzzle {
    fn info(&self) -> &'static PuzzleInfo {
        &INFO
    }

    fn rules(&self, values: &OptionValues) -> String {
        Options::of(values).to_string()
    }

    fn board_frame(&self, board: &Board) -> Result<Frame> {
        let caption = format!("{} x {}, {}", board.rows(), board.cols(), plural(board.colours(), "colour"));
        let cells: Vec<_> = board.contents().collect();
        Ok(Frame { caption, marks: vec![Mark::None; cells.len()], cells })
    }

    fn task<'b>(&self, board: &'b Board, values: &OptionValues) -> Result<Box<dyn Task + 'b>> {
        let options = Options::of(values);
        check_fallen(board, options.rules).map_err(PuzzleError::invalid_position)?;
        let objective = options.objective(board)?;
        let info = TaskInfo { puzzle: PuzzleId::new(&ClickomaniaPuzzle), board, objective, facts: options.facts() };
        Ok(Box::new(ClickTask { info, board, options }))
    }

    fn generate(&self, kind: &str, _: u32, spec: &GenerateSpec, values: &OptionValues, index: u64) -> Result<Board> {
        match kind {
            "" => Ok(generate(spec, index)?),
            "clearable" => Ok(generate_clearable(spec, Options::of(values).rules, index)?.0),
            kind => Err(PuzzleError::UnknownKind { found: kind.to_owned(), expected: INFO.kinds }),
        }
    }
}

/// A board on which all cells have fallen.
struct ClickTask<'b> {
    info: TaskInfo<'b>,
    board: &'b Board,
    options: Options,
}

impl ClickTask<'_> {
    /// Replays clicks, and compares their value with the claimed one.
    fn verify(&self, clicks: &[Cell], claimed: Option<i64>) -> Result<(i64, ClickReplay), ClickError> {
        verify_clicks(self.board, self.options.replay_rules(), clicks, claimed)
    }

    /// Replays the clicks of a solution. Returns the clicks as text.
    fn check(&self, solution: &Solution, clicks: &[Cell]) -> Result<Vec<String>, String> {
        if clicks.len() != solution.moves.len() {
            let (found, expected) = (plural(clicks.len(), "existing move"), solution.moves.len());
            return Err(format!("found {found}, expected {expected}"));
        }
        let claimed = Some(self.info.objective.value(solution.cost));
        self.verify(clicks, claimed).map_err(|error| error.to_string())?;
        Ok(clicks.iter().map(Cell::to_string).collect())
    }
}

impl Task for ClickTask<'_> {
    fn info(&self) -> &TaskInfo<'_> {
        &self.info
    }

    fn search(&self, method: &SearchMethod<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        let has_stored_states = match self.options.goal {
            Goal::Score if method.engine.info.proves => {
                let (board, Options { rules, scoring, .. }) = (self.board, &self.options);
                let table = score_table(board, *rules, scoring).map_err(PuzzleError::invalid_position)?;
                let (found, most) = (table.cost_of_no_clicks(), MAX_SCORE_COST);
                if found > most && method.engine != EngineKind::AUTO {
                    let (board, engine) = (board.name().to_owned(), method.engine.name());
                    return Err(PuzzleError::CostTooLarge { board, engine, found, most });
                }
                found <= most
            }
            Goal::Score | Goal::Clear | Goal::Clicks | Goal::Left => true,
        };
        search_states(self, method, has_stored_states, known, context)
    }

    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String> {
        let clicks = with_scored_game(self.board, &self.options, ToClicks(&solution.moves));
        self.check(solution, &clicks.map_err(|error| error.to_string())?)
    }

    fn read_solution<'t>(&'t self, solutions: &mut Solutions) -> ReadSolution<'t> {
        let merit = |clicks: &[Cell]| self.verify(clicks, None).is_ok().into();
        let written = solutions.next_clicks((self.board.rows(), self.board.cols()), merit)?;
        Ok(written.map(|written| Box::new(WrittenClicks { task: self, written }) as _))
    }

    fn as_state_task(&self) -> Option<&dyn StateTask> {
        Some(self)
    }

    fn as_certifiable(&self) -> Option<&dyn CertifiableTask> {
        Some(self)
    }

    fn game(&self) -> Option<Box<dyn Gameplay + '_>> {
        ClickGame::new(self.board, &self.options).ok().map(|game| Box::new(game) as _)
    }
}

/// Clicks that somebody wrote.
struct WrittenClicks<'t> {
    task: &'t ClickTask<'t>,
    written: UncheckedSolution<Vec<Cell>>,
}

impl<'t> CandidateSolution<'t> for WrittenClicks<'t> {
    fn verdict(&self) -> Verdict {
        let UncheckedSolution { moves: clicks, cost, score, board } = &self.written;
        let claimed = match self.task.options.goal {
            Goal::Score => *score,
            Goal::Clear | Goal::Clicks | Goal::Left => cost.map(i64::from),
        };
        let replayed = self.task.verify(clicks, claimed);
        let describe = |(value, replay)| {
            let remarks = remarks(clicks.len(), &replay);
            ValidSolution { value, remarks, wasted_moves: Vec::new() }
        };
        Verdict::new(board.clone(), replayed, describe, ClickError::failed_move)
    }

    fn start_after(&self, after: usize) -> Result<StartPosition> {
        let (board, options) = (self.task.board, &self.task.options);
        let cells = |played: &[Cell]| Ok(cells_of(&play_clicks(board, options.rules, played)?));
        let replay = |position: &Board, tail: &[Cell]| match verify_clicks(position, options.replay_rules(), tail, None)
        {
            Ok((value, _)) => Ok(Ok(solution_of(position, options, tail, value)?)),
            Err(error @ ClickError::Incomplete { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(PuzzleError::invalid_solution(position, error)),
        };
        StartPosition::after_moves(board, (after, "clicks"), &self.written.moves, cells, replay)
    }

    fn playback(self: Box<Self>) -> Result<Playback<'t>> {
        let (board, rules) = (self.task.board, self.task.options.rules);
        let clicks = self.written.moves;
        let fail = |error| PuzzleError::invalid_solution(board, error);
        replay_clicks(board, rules, &Scoring::default(), &clicks).map_err(fail)?;
        let mut play = play_clicks(board, rules, &[])?;
        let (mut played, mut last) = (0, String::new());
        // The board with marks on the group of the next click.
        Ok(Playback::new(clicks.len(), move |step| {
            for (number, &cell) in (1..).zip(&clicks).take(step).skip(played) {
                let size = play.click(number, cell).map_err(fail)?;
                last = format!(", {cell} with {}", plural(size, "cell"));
            }
            played = step;
            let mut marks = vec![Mark::None; play.cells().len()];
            if let Some(&next) = clicks.get(step) {
                play.group_of(step + 1, next).map_err(fail)?.into_iter().for_each(|cell| marks[cell] = Mark::Area);
                marks[board.index(next)] = Mark::Point;
            }
            let head = format!("click {step} of {}{last}", clicks.len());
            Ok(Frame { marks, ..frame(board, &play, &head) })
        }))
    }
}

impl CertifiableTask for ClickTask<'_> {
    fn certify(
        &self,
        claim: &CertificateClaim<'_>,
        form: CertificateForm,
        _: RefutedSets,
        context: &Context<'_>,
    ) -> Result<BoundCertificate> {
        self.check_form(form)?;
        certificate::certify(self.board, &self.options, claim, context)
    }

    fn check_form(&self, form: CertificateForm) -> Result<()> {
        let refuse = |found, expected| Err(PuzzleError::NotCertifiable { found, expected });
        match (form, self.options.goal) {
            (CertificateForm::Records, Goal::Clear | Goal::Clicks | Goal::Left) => Ok(()),
            (CertificateForm::Records, Goal::Score) => refuse("the objective score", "clear, clicks or left"),
            #[cfg(not(target_family = "wasm"))]
            (CertificateForm::VeriPb, _) => refuse("a proof for VeriPB for the domain clickomania", "records"),
        }
    }

    fn certified_board(&self) -> CertifiedBoard {
        CertifiedBoard { rules: certificate::rules(self.board, self.options.rules).to_vec(), empty_cell: Some(0) }
    }
}

impl StateTask for ClickTask<'_> {
    fn with_spaces(&self, visit: SpaceVisitor<'_>) -> Result<()> {
        let visitor = PassSpaces { board: self.board, visit };
        with_scored_game(self.board, &self.options, visitor).map_err(PuzzleError::invalid_position)?
    }

    fn move_names(&self, moves: &[MoveIndex]) -> Option<Vec<String>> {
        // The numbers of moves do not depend on the goal.
        let clicks = with_game(self.board, self.options.rules, Goal::Clear, ToClicks(moves)).ok()?;
        (clicks.len() == moves.len()).then(|| clicks.iter().map(Cell::to_string).collect())
    }

    fn moves_named(&self, names: &[String]) -> Vec<MoveIndex> {
        let cells: Vec<_> = names.iter().map_while(|name| parse_cell(name)).collect();
        with_game(self.board, self.options.rules, Goal::Clear, ToMoves(&cells)).unwrap_or_default()
    }
}

/// Turns clicks that the plain rules accept into a solution with this value.
fn solution_of(board: &Board, options: &Options, clicks: &[Cell], value: i64) -> Result<Solution> {
    let moves = with_scored_game(board, options, ToMoves(clicks)).map_err(PuzzleError::invalid_position)?;
    let wrong = || PuzzleError::invalid_solution(board, format!("found the value {value}"));
    Ok(Solution { cost: options.objective(board)?.cost(value).ok_or_else(wrong)?, moves })
}

/// The remarks on a correct solution.
fn remarks(clicks: usize, replay: &ClickReplay) -> Vec<Remark> {
    let mut remarks = vec![match replay.cells_left {
        0 => Remark::Word("cleared"),
        left => Remark::Count(left as u64, "cell left", "cells left"),
    }];
    remarks.extend(replay.has_more_clicks.then_some(Remark::Word("and more clicks are possible")));
    remarks.extend([Remark::Count(clicks as u64, "click", "clicks"), Remark::Score(replay.score)]);
    remarks
}

/// Translates moves, made one after another, into clicks.
struct ToClicks<'a>(&'a [MoveIndex]);

impl Visitor for ToClicks<'_> {
    type Output = Vec<Cell>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        game.clicks(self.0)
    }
}

/// Translates clicks into moves.
struct ToMoves<'a>(&'a [Cell]);

impl Visitor for ToMoves<'_> {
    type Output = Vec<MoveIndex>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        game.moves(self.0)
    }
}

/// Passes the search spaces of the game to `visit`.
struct PassSpaces<'a> {
    board: &'a Board,
    visit: SpaceVisitor<'a>,
}

impl Visitor for PassSpaces<'_> {
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
        let Some(name) = bound else { return Ok(self.fast_space()) };
        let kind = GameBoundKind::ALL.into_iter().find(|kind| kind.name() == name.as_str());
        let bound = kind.and_then(|kind| GameBound::new(self.game, kind));
        let bound = bound.ok_or_else(|| PuzzleError::InapplicableBound {
            board: self.board.name().to_owned(),
            bound: name.clone(),
            objective: self.game.objective().name(),
            applicable: self.applicable_bounds(),
        })?;
        Ok(Box::new(Problem::new(self.game, bound)))
    }

    fn fast_space(&self) -> Box<dyn StateSpace + 'p> {
        Box::new(Problem::new(self.game, GameBound::best(self.game)))
    }

    fn applicable_bounds(&self) -> Vec<&'static str> {
        GameBoundKind::ALL.into_iter().filter(|kind| kind.supports(self.game)).map(GameBoundKind::name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::usual_symbols;
    use gridhunt_search::domain::Cost;

    /// Replays clicks on the row 1 2 2 1. Only the twos can be clicked first.
    fn claim(goal: Goal, clicks: &[(usize, usize)], cost: Cost) -> Result<Vec<String>, String> {
        let row = Board::new("row", 1, 4, vec![0, 1, 1, 0], usual_symbols(2), Cell::default()).unwrap();
        let solution = Solution { cost, moves: vec![0; clicks.len()] };
        let clicks: Vec<_> = clicks.iter().map(|&(row, col)| Cell { row, col }).collect();
        let mut values = OptionValues::default();
        let objective = OPTIONS.iter().find(|option| option.name == "objective").unwrap();
        values.set(objective, goal.name()).unwrap();
        let options = Options::of(&values);
        let info = TaskInfo {
            puzzle: PuzzleId::new(&ClickomaniaPuzzle),
            board: &row,
            objective: options.objective(&row).unwrap(),
            facts: Vec::new(),
        };
        ClickTask { info, board: &row, options }.check(&solution, &clicks)
    }

    #[test]
    fn a_wrong_solution_fails_its_replay() {
        assert_eq!(claim(Goal::Clicks, &[(0, 1), (0, 0)], 2).unwrap(), ["1,2", "1,1"]);
        assert!(claim(Goal::Score, &[(0, 1), (0, 0)], 0).is_ok());
        let cases = [
            (claim(Goal::Clicks, &[(0, 1), (0, 0)], 3), "found 2 for the objective clicks, expected 3"),
            (claim(Goal::Clicks, &[(0, 1)], 1), "after 1 click: found 2 cells left"),
            (claim(Goal::Clicks, &[(0, 0)], 1), "click 1: found 1 cell of one colour at 1,1, expected 2"),
            (claim(Goal::Clear, &[(0, 1), (0, 3)], 0), "click 2: found 0 cells"),
            (claim(Goal::Left, &[(0, 1)], 1), "found 2 for the objective left, expected 1"),
            (claim(Goal::Left, &[(0, 4)], 4), "click 1: found cell 1,5, expected one of 1 x 4"),
            (claim(Goal::Score, &[(0, 1), (0, 0)], 1), "expected 999"),
        ];
        for (result, expected) in cases {
            let error = result.unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
