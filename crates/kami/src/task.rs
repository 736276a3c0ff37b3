//! Free flood as a puzzle, and its boards as tasks.

use crate::bound::{NAME, SUMMARY};
use crate::game::{FreeGame, frame, move_name, parse_move};
use crate::replay::{FreePlay, Move, MoveError, verify_moves};
use crate::{ColoursOrRadius, FreeFlood};
use gridhunt_boards::{Board, Frame, Mark, Position, UncheckedSolution, plural};
use gridhunt_puzzle::{
    BoundInfo, BoundName, CandidateSolution, Gameplay, Objective, OptionValues, Playback, Puzzle, PuzzleError,
    PuzzleId, PuzzleInfo, PuzzleOption, ReadSolution, Remark, Result, SearchMethod, Solutions, SpaceFactory,
    SpaceVisitor, StartPosition, StateTask, Task, TaskInfo, ValidSolution, Verdict, level, search_states,
};
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::{Context, Outcome, Solution, StateEngine};
use gridhunt_search::expand::{Problem, StateSpace};

/// The puzzle.
pub struct FreeFloodPuzzle;

gridhunt_puzzle::register!(4, FreeFloodPuzzle);

static INFO: PuzzleInfo = PuzzleInfo {
    names: &["free-flood", "kami", "free_flood"],
    title: "Free flood",
    options: &[PuzzleOption {
        name: "target",
        help: "The colour that all cells have to get, by its symbol [default: any one colour]",
        value_name: "COLOUR",
        values: &[],
        check: |text| if text.is_empty() { Err("found nothing, expected a colour".to_owned()) } else { Ok(()) },
        fields: &["target", "targetcolor", "targetcolour"],
        is_number: false,
        is_rule: true,
        fact: None,
    }],
    objectives: &[Objective::MOVES],
    engines: || {
        use StateEngine as E;
        [E::AUTO, E::BEST_FIRST, E::IDA, E::BEAM, E::ANNEAL].map(|engine| engine.info).to_vec()
    },
    bounds: &[BoundInfo { name: NAME, summary: SUMMARY, is_default: true }],
    levels: &[level("easy", 4, 3), level("medium", 5, 4), level("hard", 6, 4), level("expert", 7, 5)],
    ..PuzzleInfo::NONE
};

/// Why a board is not a position.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("{board}: found no colour {target}, expected a target of the board: {symbols}")]
    Target { board: String, target: String, symbols: String },
    #[error("{board}: found more than 4,096 possible moves, expected fewer areas or colours")]
    Large { board: String },
}

impl Puzzle for FreeFloodPuzzle {
    fn info(&self) -> &'static PuzzleInfo {
        &INFO
    }

    fn rules(&self, values: &OptionValues) -> String {
        values.get("target").map_or_else(String::new, |target| format!("target {target}"))
    }

    fn board_frame(&self, board: &Board) -> Result<Frame> {
        let caption = format!("{} x {}, {}", board.rows(), board.cols(), plural(board.colours(), "colour"));
        let cells: Vec<_> = board.contents().collect();
        Ok(Frame { caption, marks: vec![Mark::None; cells.len()], cells })
    }

    fn task<'b>(&self, board: &'b Board, values: &OptionValues) -> Result<Box<dyn Task + 'b>> {
        let name = || board.name().to_owned();
        let colour = |target: &str| {
            let symbols = board.symbols();
            let colour = symbols.iter().position(|symbol| symbol == target).map(|colour| colour as u8);
            let (target, symbols) = (target.to_owned(), symbols.join(" "));
            colour.ok_or_else(|| PuzzleError::invalid_position(Refusal::Target { board: name(), target, symbols }))
        };
        let target = values.get("target").map(colour).transpose()?;
        let space = FreeFlood::new(board, target);
        let space = space.ok_or_else(|| PuzzleError::invalid_position(Refusal::Large { board: name() }))?;
        let puzzle = PuzzleId::new(&FreeFloodPuzzle);
        let info = TaskInfo { puzzle, board, objective: Objective::MOVES, facts: Vec::new() };
        Ok(Box::new(FreeTask { info, board, space }))
    }
}

/// A board, which may have walls.
struct FreeTask<'b> {
    info: TaskInfo<'b>,
    board: &'b Board,
    space: FreeFlood,
}

impl FreeTask<'_> {
    fn names_of(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&mv| move_name(self.board, mv)).collect()
    }
}

impl Task for FreeTask<'_> {
    fn info(&self) -> &TaskInfo<'_> {
        &self.info
    }

    fn search(&self, method: &SearchMethod<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        search_states(self, method, true, known, context)
    }

    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String> {
        let moves = self.space.moves(&solution.moves);
        if moves.len() < solution.moves.len() {
            return Err(format!("found {}, expected {}", plural(moves.len(), "existing move"), solution.moves.len()));
        }
        verify_moves(self.board, self.space.target(), &moves, Some(solution.cost))
            .map_err(|error| error.to_string())?;
        Ok(self.names_of(&moves))
    }

    fn read_solution<'t>(&'t self, solutions: &mut Solutions) -> ReadSolution<'t> {
        let moves_of = |words: &[(String, Position)]| {
            let of_move = |(number, words): (usize, &[(String, Position)])| {
                let words: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
                let expected = || (3 * number, "a move: row,column,colour, counted from 1".to_owned());
                parse_move(self.board, &words.join(",")).ok_or_else(expected)
            };
            words.chunks(3).enumerate().map(of_move).collect::<Result<Vec<_>, _>>()
        };
        let cost = |moves: &Vec<Move>| verify_moves(self.board, self.space.target(), moves, None).unwrap_or(0);
        let written = solutions.next_words(moves_of, cost)?;
        Ok(written.map(|written| Box::new(WrittenMoves { task: self, written }) as _))
    }

    fn as_state_task(&self) -> Option<&dyn StateTask> {
        Some(self)
    }

    fn game(&self) -> Option<Box<dyn Gameplay + '_>> {
        let play = FreePlay::new(self.board);
        Some(Box::new(FreeGame { board: self.board, play, target: self.space.target(), moves: 0 }))
    }
}

/// Moves that somebody wrote.
struct WrittenMoves<'t> {
    task: &'t FreeTask<'t>,
    written: UncheckedSolution<Vec<Move>>,
}

impl<'t> CandidateSolution<'t> for WrittenMoves<'t> {
    fn verdict(&self) -> Verdict {
        let replayed = verify_moves(self.task.board, self.task.space.target(), &self.written.moves, self.written.cost);
        let describe = |cost: u32| ValidSolution {
            value: cost.into(),
            remarks: vec![Remark::Count(cost.into(), "move", "moves")],
            wasted_moves: Vec::new(),
        };
        Verdict::new(self.written.board.clone(), replayed, describe, MoveError::failed_move)
    }

    fn start_after(&self, after: usize) -> Result<StartPosition> {
        let (board, target) = (self.task.board, self.task.space.target());
        let cells = |played: &[Move]| {
            let mut play = FreePlay::new(board);
            let played = (1..).zip(played).try_for_each(|(number, &mv)| play.play(number, mv));
            played.map_err(|error| PuzzleError::invalid_solution(board, error))?;
            Ok(play.cells().to_vec())
        };
        let replay = |position: &Board, remaining: &[Move]| match verify_moves(position, target, remaining, None) {
            Ok(cost) => {
                let space = FreeFlood::new(position, target).map(|space| space.move_indices(remaining, position));
                Ok(Ok(Solution { cost, moves: space.unwrap_or_default() }))
            }
            Err(error @ MoveError::Incomplete { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(PuzzleError::invalid_solution(position, error)),
        };
        StartPosition::after_moves(board, (after, "moves"), &self.written.moves, cells, replay)
    }

    fn playback(self: Box<Self>) -> Result<Playback<'t>> {
        let (board, target, moves) = (self.task.board, self.task.space.target(), self.written.moves);
        let fail = |error| PuzzleError::invalid_solution(board, error);
        let (mut play, mut played) = (FreePlay::new(board), 0);
        let mut full_replay = play.clone();
        (1..).zip(&moves).try_for_each(|(number, &mv)| full_replay.play(number, mv)).map_err(fail)?;
        Ok(Playback::new(moves.len(), move |step| {
            for (number, &mv) in (1..).zip(&moves).take(step).skip(played) {
                play.play(number, mv).map_err(fail)?;
            }
            played = step;
            let last = moves[..step].last().map_or_else(String::new, |&mv| format!(", {}", move_name(board, mv)));
            let mut frame = frame(board, &play, target, &format!("move {step} of {}{last}", moves.len()));
            // The board with marks on the area of the next move.
            if let Some(next) = moves.get(step) {
                play.area(board.index(next.cell)).into_iter().for_each(|cell| frame.marks[cell] = Mark::Area);
                frame.marks[board.index(next.cell)] = Mark::Point;
            }
            Ok(frame)
        }))
    }
}

impl StateTask for FreeTask<'_> {
    fn with_spaces(&self, visit: SpaceVisitor<'_>) -> Result<()> {
        visit(&Spaces(&self.space))
    }

    fn move_names(&self, moves: &[MoveIndex]) -> Option<Vec<String>> {
        let found = self.space.moves(moves);
        (found.len() == moves.len()).then(|| self.names_of(&found))
    }

    fn moves_named(&self, names: &[String]) -> Vec<MoveIndex> {
        let moves: Vec<Move> = names.iter().map_while(|name| parse_move(self.board, name)).collect();
        self.space.move_indices(&moves, self.board)
    }
}

/// The search space of one board.
struct Spaces<'p>(&'p FreeFlood);

impl<'p> SpaceFactory<'p> for Spaces<'p> {
    fn space(&self, _: Option<&BoundName>) -> Result<Box<dyn StateSpace + 'p>> {
        Ok(self.fast_space())
    }

    fn fast_space(&self) -> Box<dyn StateSpace + 'p> {
        Box::new(Problem::new(self.0, ColoursOrRadius(self.0)))
    }

    fn applicable_bounds(&self) -> Vec<&'static str> {
        vec![NAME]
    }
}
