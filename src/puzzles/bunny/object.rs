//! Hopping Bunny: find the shortest program that makes the bunny hop onto every square.

use crate::puzzles::bunny::BunnyMachine;
use crate::puzzles::error::Result;
use crate::puzzles::gameplay::{ProgramRun, ProgramStep};
use crate::puzzles::names::plural;
use crate::puzzles::playback::Playback;
use crate::puzzles::puzzle::{Instance, Puzzle, Solutions};
use crate::puzzles::verdict::{Fact, Verdict, Verified};
use crate::puzzles::{ObjectiveValue, PuzzleError, Request, Start};
use gridhunt_boards::verify::{Direction, ProgramFault, ProgramPlay, ProgramReplay, verify_program};
use gridhunt_boards::{
    Board, BoardError, Entry, Format, Frame, INSTRUCTIONS, MARKED, Mark, Program, ProgramError, UNMARKED,
};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, EngineKind, Outcome, Solution, Statistics};
use gridhunt_search::runtime::Event;
use gridhunt_synthesis::{ProgramEngine, search_program};

/// The most steps of a program that somebody plays: they take half a second.
const MOST_PLAYED: u64 = 5_000_000;

/// The puzzle object.
pub(in crate::puzzles) struct BunnyPuzzle;

impl Puzzle for BunnyPuzzle {
    fn names(&self) -> &'static [&'static str] {
        &["bunny", "hopping-bunny", "hopping_bunny"]
    }

    fn format(&self) -> Option<Format> {
        Some(Format::Bunny)
    }

    fn recognises(&self, board: &Board) -> Option<&'static str> {
        board.is_bunny().then_some("squares of the bunny")
    }

    fn check_board(&self, board: &Board, _: &Request) -> Result<()> {
        check_squares(board)
    }

    fn supports(&self, engine: EngineKind) -> bool {
        ProgramEngine::of(engine).is_some()
    }

    fn objective_value(&self, _: &Board, _: &Request) -> ObjectiveValue {
        ObjectiveValue::Tokens
    }

    fn search(&self, instance: Instance<'_>, known: Option<&Solution>, context: &Context<'_>) -> Result<Outcome> {
        let Instance { board, request } = instance;
        let (engine, domain) = (request.engine, request.domain);
        let engine = ProgramEngine::of(engine).ok_or(PuzzleError::Engine { engine, domain })?;
        let machine = BunnyMachine::new(board);
        let Some(cell) = machine.unreachable() else {
            if let Some(Solution { cost, moves }) = known {
                context.observer.observe(&Event::Incumbent { cost: *cost, moves });
            }
            return Ok(search_program(engine, &machine, &request.parameters, known.cloned(), context)?);
        };
        let note = format!("{}: the square at {cell} cannot be reached from the start", board.name());
        context.observer.observe(&Event::Note(&note));
        let statistics = Statistics { bound: "reach".to_owned(), ..Statistics::default() };
        Ok(Outcome { lower_bound: Cost::MAX, statistics, ..Outcome::unknown() })
    }

    fn replay(&self, board: &Board, _: &Request, solution: &Solution) -> Result<Vec<String>, String> {
        let program = Program::from_codes(&solution.moves).ok_or("found codes that are not a program")?;
        verify_program(board, &program, Some(solution.cost)).map_err(|error| error.to_string())?;
        Ok(vec![program.to_string()])
    }

    fn verify_next(&self, instance: Instance<'_>, solutions: &mut Solutions) -> Result<Option<Verdict>, BoardError> {
        let Instance { board, request } = instance;
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let replayed = verify_program(board, &written.program, written.cost);
        let describe = |ProgramReplay { cost, steps }| Verified {
            value: cost.into(),
            facts: vec![Fact::Count(cost.into(), "token", "tokens"), Fact::Count(steps, "step", "steps")],
            wasted: Vec::new(),
        };
        let objective = self.objective_value(board, request);
        Ok(Some(Verdict::new(written.board, objective, replayed, describe, |_| None)))
    }

    fn read_start(&self, instance: Instance<'_>, after: usize, solutions: &mut Solutions) -> Result<Option<Start>> {
        let fail = |reason: String| PuzzleError::solution(instance.board, reason);
        if after > 0 {
            // A program has no position that another program could start from: its loops are still open.
            return Err(fail("found --after for a program, expected it for flood-it or clickomania".to_owned()));
        }
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let replay = verify_program(instance.board, &written.program, None).map_err(|error| fail(error.to_string()))?;
        let known = Solution { cost: replay.cost, moves: written.program.codes() };
        Ok(Some(Start { entry: Entry { board: instance.board.clone(), published: None }, known: Some(known) }))
    }

    fn still(&self, board: &Board) -> Result<Frame> {
        check_squares(board)?;
        let program = Program::default();
        let play = ProgramPlay::new(board, &program).map_err(|error| PuzzleError::solution(board, error))?;
        let caption = format!("{} x {}, {} squares to mark", board.rows(), board.cols(), play.left());
        Ok(squares(board, &play, caption))
    }

    fn play_next<'b>(&self, instance: Instance<'b>, solutions: &mut Solutions) -> Result<Option<Playback<'b>>> {
        let board = instance.board;
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let fail = |error: ProgramFault| PuzzleError::solution(board, error);
        let replay = verify_program(board, &written.program, None).map_err(fail)?;
        let play = ProgramPlay::new(board, &written.program).map_err(fail)?;
        Ok(Some(hopping(board, play, replay.steps as usize)))
    }

    fn run_program(&self, instance: Instance<'_>, text: &str, most: usize) -> Result<ProgramRun> {
        let board = instance.board;
        let fail = |error: String| PuzzleError::solution(board, error);
        let program: Program = text.parse().map_err(|error: ProgramError| fail(error.to_string()))?;
        let mut play = ProgramPlay::new(board, &program).map_err(|error| fail(error.to_string()))?;
        let (mut steps, mut is_over) = (Vec::new(), false);
        while !is_over && play.steps() < MOST_PLAYED {
            let Some(instruction) = play.step() else {
                is_over = true;
                continue;
            };
            if steps.len() == most {
                continue;
            }
            let (instruction, left) = (INSTRUCTIONS[usize::from(instruction)], play.left());
            steps.push(ProgramStep { instruction, bunny: play.bunny(), left });
        }
        let (all, left) = (play.steps(), play.left());
        let squares = if left == 1 { "1 square is left".to_owned() } else { format!("{left} squares are left") };
        let fault = match (left, is_over) {
            (0, _) => None,
            (_, true) => Some(format!("{squares} after {}", plural(all as usize, "step"))),
            (_, false) => Some(format!("{squares} after {all} steps, and no more are played")),
        };
        Ok(ProgramRun { program: program.to_string(), tokens: program.cost(), steps, all, left, fault })
    }
}

/// Refuses a board with cells that are not squares, or without a start.
fn check_squares(board: &Board) -> Result<()> {
    if board.is_bunny() {
        return Ok(());
    }
    let (board, found) = (board.name().to_owned(), format!("the colours {}", board.symbols().join(" ")));
    Err(PuzzleError::Cells { board, found, expected: "squares of the bunny: # and O, and a start" })
}

/// The marked and unmarked squares, with the bunny.
fn squares(board: &Board, play: &ProgramPlay<'_>, caption: String) -> Frame {
    let cell =
        |(index, cell): (usize, Option<u8>)| cell.map(|_| if play.is_unmarked(index) { UNMARKED } else { MARKED });
    let cells: Vec<_> = board.contents().enumerate().map(cell).collect();
    let mut marks = vec![Mark::None; cells.len()];
    let (at, direction) = play.bunny();
    marks[board.index(at)] = match direction {
        Direction::East => Mark::East,
        Direction::South => Mark::South,
        Direction::West => Mark::West,
        Direction::North => Mark::North,
    };
    Frame { caption, cells, marks }
}

/// A program to be shown step by step, from its start on.
fn hopping<'b>(board: &'b Board, mut play: ProgramPlay<'b>, all: usize) -> Playback<'b> {
    let mut last = String::new();
    Playback::new(all, move |step| {
        while play.steps() < step as u64 {
            let Some(instruction) = play.step() else { break };
            last = format!(", {}", INSTRUCTIONS[usize::from(instruction)]);
        }
        let caption = format!("step {step} of {all}{last}, {} squares left", play.left());
        Ok(squares(board, &play, caption))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, EMPTY};

    /// A frame goes on where the frame before it stopped, and looks as if the program had run from its start.
    #[test]
    fn frames_run_each_instruction_once() {
        let mut cells = vec![UNMARKED; 9];
        (cells[0], cells[4]) = (MARKED, EMPTY);
        let board = Board::new("ring", 3, 3, cells, vec!["#".to_owned(), "O".to_owned()], Cell::default()).unwrap();
        let program: Program = "LOOP{FFR}".parse().unwrap();
        let steps = verify_program(&board, &program, None).unwrap().steps as usize;
        let play = || ProgramPlay::new(&board, &program).unwrap();
        let mut film = hopping(&board, play(), steps);
        for step in [0, 1, 4, steps] {
            let frame = film.frame(step).unwrap();
            assert!(frame.caption.starts_with(&format!("step {step} of {steps}")));
            assert_eq!(frame, hopping(&board, play(), steps).frame(step).unwrap());
        }
        assert_eq!(film.frame(steps).unwrap().caption, "step 10 of 10, F, 0 squares left");
    }
}
