//! Hopping Bunny as a puzzle, and its boards as tasks.

use crate::replay::{ProgramFault, ProgramPlay, ProgramReplay, verify_program};
use crate::{BoardKind, BunnyMachine, generate_board};
use gridhunt_boards::{
    Board, Entry, Format, Frame, GenerateSpec, INSTRUCTIONS, MARKED, Mark, Program, ProgramError, UNMARKED,
    UncheckedSolution, plural,
};
use gridhunt_puzzle::{
    CandidateSolution, Level, Objective, OptionValues, Playback, ProgramRun, ProgramStep, ProgramTask, Puzzle,
    PuzzleError, PuzzleId, PuzzleInfo, ReadSolution, Remark, Result, SearchMethod, Solutions, StartPosition, Task,
    TaskInfo, ValidSolution, Verdict,
};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, Outcome, Solution, Statistics};
use gridhunt_search::runtime::Event;
use gridhunt_synthesis::{ProgramEngine, search_program};

/// The most steps of a program that somebody plays. This number of steps takes half a second.
const MAX_PLAYED_STEPS: u64 = 5_000_000;

/// The puzzle.
pub struct BunnyPuzzle;

gridhunt_puzzle::register!(3, BunnyPuzzle);

const fn level(name: &'static str, side: usize, kind: BoardKind) -> Level {
    Level { name, side, colours: 1, kind: kind.name(), options: &[] }
}

const TOKENS: Objective =
    Objective { name: "tokens", unit: ["token", "tokens"], counts_moves: false, ..Objective::MOVES };

static INFO: PuzzleInfo = PuzzleInfo {
    names: &["bunny", "hopping-bunny", "hopping_bunny"],
    title: "Hopping Bunny",
    objectives: &[TOKENS],
    engines: || ProgramEngine::ALL.map(|engine| engine.info).to_vec(),
    has_programs: true,
    format: Some(Format::Bunny),
    kinds: &[
        BoardKind::Grown.name(),
        BoardKind::Random.name(),
        BoardKind::Lattice.name(),
        BoardKind::Spiral.name(),
        BoardKind::Carved.name(),
    ],
    levels: &[
        level("easy", 5, BoardKind::Grown),
        level("medium", 8, BoardKind::Grown),
        level("hard", 8, BoardKind::Random),
        level("expert", 7, BoardKind::Carved),
    ],
    ..PuzzleInfo::NONE
};

impl Puzzle for BunnyPuzzle {
    fn info(&self) -> &'static PuzzleInfo {
        &INFO
    }

    fn distinctive_cells(&self, board: &Board) -> Option<&'static str> {
        board.is_bunny().then_some("squares of the bunny")
    }

    fn board_frame(&self, board: &Board) -> Result<Frame> {
        check_squares(board)?;
        let left = board.cells().iter().filter(|&&cell| cell == UNMARKED).count();
        let caption = format!("{} x {}, {} to mark", board.rows(), board.cols(), plural(left, "square"));
        let mut marks = vec![Mark::None; board.cells().len()];
        marks[board.index(board.start())] = Mark::East;
        Ok(Frame { caption, cells: board.contents().collect(), marks })
    }

    fn task<'b>(&self, board: &'b Board, _: &OptionValues) -> Result<Box<dyn Task + 'b>> {
        check_squares(board)?;
        let info = TaskInfo { puzzle: PuzzleId::new(&BunnyPuzzle), board, objective: TOKENS, facts: Vec::new() };
        Ok(Box::new(BunnyTask { info, board }))
    }

    fn generate(&self, kind: &str, fill: u32, spec: &GenerateSpec, _: &OptionValues, index: u64) -> Result<Board> {
        let expected = INFO.kinds;
        let kind = if kind.is_empty() { expected[0] } else { kind };
        let kind = kind.parse().map_err(|_| PuzzleError::UnknownKind { found: kind.to_owned(), expected })?;
        Ok(generate_board(spec, kind, fill, index)?)
    }
}

/// Refuses a board with cells that are not squares, or without a start.
fn check_squares(board: &Board) -> Result<()> {
    if board.is_bunny() {
        return Ok(());
    }
    let (board, found) = (board.name().to_owned(), format!("the colours {}", board.symbols().join(" ")));
    Err(PuzzleError::InvalidCells { board, found, expected: "squares of the bunny: # and O, and a start" })
}

/// A board of squares.
struct BunnyTask<'b> {
    info: TaskInfo<'b>,
    board: &'b Board,
}

impl BunnyTask<'_> {
    fn fail(&self, reason: impl ToString) -> PuzzleError {
        PuzzleError::invalid_solution(self.board, reason)
    }
}

impl Task for BunnyTask<'_> {
    fn info(&self) -> &TaskInfo<'_> {
        &self.info
    }

    fn search(&self, method: &SearchMethod<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        let unsupported = || PuzzleError::UnsupportedEngine { engine: method.engine, domain: self.info.puzzle };
        let engine = ProgramEngine::from_name(method.engine.name()).ok_or_else(unsupported)?;
        let machine = BunnyMachine::new(self.board);
        let Some(cell) = machine.unreachable() else {
            if let Some(Solution { cost, moves }) = known {
                context.observer.observe(&Event::Incumbent { cost: *cost, moves });
            }
            return Ok(search_program(engine, &machine, method.parameters, known.cloned(), context)?);
        };
        let note = format!("{}: the square at {cell} cannot be reached from the start", self.board.name());
        context.observer.observe(&Event::Note(&note));
        let statistics = Statistics { bound: "reach".to_owned(), ..Statistics::default() };
        Ok(Outcome { lower_bound: Cost::MAX, statistics, ..Outcome::unknown() })
    }

    fn replay(&self, solution: &Solution) -> Result<Vec<String>, String> {
        let program = Program::from_codes(&solution.moves).ok_or("found codes that are not a program")?;
        verify_program(self.board, &program, Some(solution.cost)).map_err(|error| error.to_string())?;
        Ok(vec![program.to_string()])
    }

    fn read_solution<'t>(&'t self, solutions: &mut Solutions) -> ReadSolution<'t> {
        let cost = |program: &Program| verify_program(self.board, program, None).map_or(0, |replay| replay.cost);
        let written = solutions.next_program(cost)?;
        Ok(written.map(|written| Box::new(ProgramSolution { task: self, written }) as _))
    }

    fn as_program_task(&self) -> Option<&dyn ProgramTask> {
        Some(self)
    }
}

/// A program that somebody wrote.
struct ProgramSolution<'t> {
    task: &'t BunnyTask<'t>,
    written: UncheckedSolution<Program>,
}

impl<'t> CandidateSolution<'t> for ProgramSolution<'t> {
    fn verdict(&self) -> Verdict {
        let replayed = verify_program(self.task.board, &self.written.moves, self.written.cost);
        let describe = |ProgramReplay { cost, steps }| ValidSolution {
            value: cost.into(),
            remarks: vec![Remark::Count(cost.into(), "token", "tokens"), Remark::Count(steps, "step", "steps")],
            wasted_moves: Vec::new(),
        };
        Verdict::new(self.written.board.clone(), replayed, describe, |_| None)
    }

    fn start_after(&self, after: usize) -> Result<StartPosition> {
        let (task, program) = (self.task, &self.written.moves);
        if after > 0 {
            // A program has no position that another program could start from: its loops are still open.
            return Err(task.fail("found --after for a program, expected it for a solution of moves"));
        }
        let replay = verify_program(task.board, program, None).map_err(|error| task.fail(error))?;
        let known = Solution { cost: replay.cost, moves: program.codes() };
        Ok(StartPosition { entry: Entry { board: task.board.clone(), published_optimum: None }, solution: Some(known) })
    }

    fn playback(self: Box<Self>) -> Result<Playback<'t>> {
        let (task, program) = (self.task, &self.written.moves);
        let fail = |error: ProgramFault| task.fail(error);
        let replay = verify_program(task.board, program, None).map_err(fail)?;
        Ok(playback_of(task.board, ProgramPlay::new(task.board, program).map_err(fail)?, replay.steps as usize))
    }
}

impl ProgramTask for BunnyTask<'_> {
    fn run(&self, text: &str, max_steps: usize) -> Result<ProgramRun> {
        let program: Program = text.parse().map_err(|error: ProgramError| self.fail(error))?;
        let mut play = ProgramPlay::new(self.board, &program).map_err(|error| self.fail(error))?;
        let (mut steps, mut is_over) = (Vec::new(), false);
        while !is_over && play.steps() < MAX_PLAYED_STEPS {
            let Some(instruction) = play.step() else {
                is_over = true;
                continue;
            };
            if steps.len() == max_steps {
                continue;
            }
            let (cell, direction) = play.bunny();
            let (instruction, unmarked_count) = (INSTRUCTIONS[usize::from(instruction)], play.unmarked_count());
            steps.push(ProgramStep { instruction, cell, direction: direction as u8, unmarked_count });
        }
        let (step_count, left) = (play.steps(), play.unmarked_count());
        let squares = if left == 1 { "1 square is left".to_owned() } else { format!("{left} squares are left") };
        let failure = match (left, is_over) {
            (0, _) => None,
            (_, true) => Some(format!("{squares} after {}", plural(step_count as usize, "step"))),
            (_, false) => Some(format!("{squares} after {step_count} steps, and no more are played")),
        };
        Ok(ProgramRun {
            program: program.to_string(),
            token_count: program.cost(),
            steps,
            step_count,
            unmarked_count: left,
            failure,
        })
    }
}

/// Draws the marked and unmarked squares, with the bunny.
fn frame_of(board: &Board, play: &ProgramPlay<'_>, caption: String) -> Frame {
    let colour = |index| if play.is_unmarked(index) { UNMARKED } else { MARKED };
    let cells: Vec<_> = (0..).zip(board.contents()).map(|(index, cell)| cell.map(|_| colour(index))).collect();
    let mut marks = vec![Mark::None; cells.len()];
    let (at, direction) = play.bunny();
    marks[board.index(at)] = [Mark::East, Mark::South, Mark::West, Mark::North][direction as usize];
    Frame { caption, cells, marks }
}

/// Makes the playback of a program, which shows it step by step.
fn playback_of<'b>(board: &'b Board, mut play: ProgramPlay<'b>, step_count: usize) -> Playback<'b> {
    let mut last = String::new();
    Playback::new(step_count, move |step| {
        while play.steps() < step as u64 {
            let Some(instruction) = play.step() else { break };
            last = format!(", {}", INSTRUCTIONS[usize::from(instruction)]);
        }
        let caption = format!("step {step} of {step_count}{last}, {} left", plural(play.unmarked_count(), "square"));
        Ok(frame_of(board, &play, caption))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, EMPTY};

    /// A frame continues from the frame before it, and looks as if the program had run from its start.
    #[test]
    fn frames_run_each_instruction_once() {
        let mut cells = vec![UNMARKED; 9];
        (cells[0], cells[4]) = (MARKED, EMPTY);
        let board = Board::new("ring", 3, 3, cells, vec!["#".to_owned(), "O".to_owned()], Cell::default()).unwrap();
        let program: Program = "LOOP{FFR}".parse().unwrap();
        let steps = verify_program(&board, &program, None).unwrap().steps as usize;
        let play = || ProgramPlay::new(&board, &program).unwrap();
        let mut film = playback_of(&board, play(), steps);
        for step in [0, 1, 4, steps] {
            let frame = film.frame(step).unwrap();
            assert!(frame.caption.starts_with(&format!("step {step} of {steps}")));
            assert_eq!(frame, playback_of(&board, play(), steps).frame(step).unwrap());
        }
        assert_eq!(film.frame(steps).unwrap().caption, "step 10 of 10, F, 0 squares left");
    }
}
