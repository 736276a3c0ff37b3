//! Hopping Bunny: find the shortest program that makes the bunny hop onto every square.

use crate::board::{Board, BoardError, Entry, Format, INSTRUCTIONS, MARKED, Program, Style, UNMARKED, render_cells};
use crate::domain::Cost;
use crate::domain::bunny::BunnyMachine;
use crate::driver::playback::{Drawing, Playback};
use crate::driver::puzzle::{Puzzle, Solutions, Visit};
use crate::driver::verdict::{Fact, Verdict, Verified};
use crate::driver::{DriverError, ObjectiveValue, Request, Start};
use crate::engine::{Context, EngineKind, Outcome, Solution, Statistics, search_program_from};
use crate::runtime::Event;
use crate::verify::{Direction, ProgramFault, ProgramPlay, ProgramReplay, verify_program};

/// The puzzle object.
pub(super) struct BunnyPuzzle;

impl Puzzle for BunnyPuzzle {
    fn name(&self) -> &'static str {
        "bunny"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["hopping-bunny", "hopping_bunny"]
    }

    fn format(&self) -> Option<Format> {
        Some(Format::Bunny)
    }

    fn recognises(&self, board: &Board) -> Option<&'static str> {
        board.is_bunny().then_some("squares of the bunny")
    }

    fn check_board(&self, board: &Board, _: &Request) -> Result<(), DriverError> {
        check_squares(board)
    }

    fn knows(&self, engine: EngineKind) -> bool {
        engine.of_programs().is_some()
    }

    fn objective_value(&self, _: &Board, _: &Request) -> ObjectiveValue {
        ObjectiveValue::Tokens
    }

    fn bound_identity(&self, _: &Request) -> String {
        "that is its size".to_owned()
    }

    fn search(
        &self,
        board: &Board,
        request: &Request,
        known: Option<&Solution>,
        context: &Context<'_>,
    ) -> Result<Outcome, DriverError> {
        let (engine, domain) = (request.engine, request.domain);
        let engine = engine.of_programs().ok_or(DriverError::Engine { engine, domain })?;
        let machine = BunnyMachine::new(board);
        let Some(cell) = machine.unreachable() else {
            if let Some(Solution { cost, moves }) = known {
                context.observer.observe(&Event::Incumbent { cost: *cost, moves });
            }
            return Ok(search_program_from(engine, &machine, &request.parameters, known.cloned(), context)?);
        };
        let note = format!("{}: the square at {cell} cannot be reached from the start", board.name());
        context.observer.observe(&Event::Note(&note));
        let statistics = Statistics { bound: "reach".to_owned(), ..Statistics::default() };
        Ok(Outcome { incumbent: None, lower_bound: Cost::MAX, stopped: None, failure: None, statistics })
    }

    fn replay(&self, board: &Board, _: &Request, solution: &Solution) -> Result<Vec<String>, String> {
        let program = Program::from_codes(&solution.moves).ok_or("found codes that are not a program")?;
        verify_program(board, &program, Some(solution.cost)).map_err(|error| error.to_string())?;
        Ok(vec![program.to_string()])
    }

    fn with_spaces(&self, _: &Board, request: &Request, _: Visit<'_>) -> Result<(), DriverError> {
        Err(DriverError::NoBounds { domain: request.domain })
    }

    fn verify_next(
        &self,
        entry: &Entry,
        request: &Request,
        solutions: &mut Solutions,
    ) -> Result<Option<Verdict>, BoardError> {
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let replayed = verify_program(&entry.board, &written.program, written.cost);
        let describe = |ProgramReplay { cost, steps }| Verified {
            value: cost.into(),
            facts: vec![Fact::Count(cost.into(), "token", "tokens"), Fact::Count(steps, "step", "steps")],
            wasted: Vec::new(),
        };
        let objective = self.objective_value(&entry.board, request);
        Ok(Some(Verdict::new(written.board, objective, replayed, describe, |_| None)))
    }

    fn read_start(
        &self,
        entry: &Entry,
        _: &Request,
        after: usize,
        solutions: &mut Solutions,
    ) -> Result<Option<Start>, DriverError> {
        let fail = |reason: String| DriverError::solution(&entry.board, reason);
        if after > 0 {
            // A program has no position that another program could start from: its loops are still open.
            return Err(fail("found --after for a program, expected it for flood-it or clickomania".to_owned()));
        }
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let replay = verify_program(&entry.board, &written.program, None).map_err(|error| fail(error.to_string()))?;
        let known = Solution { cost: replay.cost, moves: written.program.codes() };
        Ok(Some(Start { entry: entry.clone(), known: Some(known) }))
    }

    fn draw(&self, board: &Board, style: Style) -> Result<Drawing, DriverError> {
        check_squares(board)?;
        let program = Program::default();
        let play = ProgramPlay::new(board, &program).map_err(|error| DriverError::solution(board, error))?;
        let (name, rows, cols) = (board.name(), board.rows(), board.cols());
        let head = format!("{name}: {rows} x {cols}, {} squares to mark", play.left());
        Ok(Drawing { head, rows: squares(board, &play, style) })
    }

    fn play_next<'b>(
        &self,
        board: &'b Board,
        _: &Request,
        solutions: &mut Solutions,
    ) -> Result<Option<Box<dyn Playback + 'b>>, DriverError> {
        let Some(written) = solutions.next_program()? else { return Ok(None) };
        let fail = |error: ProgramFault| DriverError::solution(board, error);
        let replay = verify_program(board, &written.program, None).map_err(fail)?;
        Ok(Some(Box::new(Hopping { board, program: written.program, steps: replay.steps as usize })))
    }
}

/// Refuses a board with cells that are not squares, or without a start.
fn check_squares(board: &Board) -> Result<(), DriverError> {
    if board.is_bunny() {
        return Ok(());
    }
    let (board, found) = (board.name().to_owned(), format!("the colours {}", board.symbols().join(" ")));
    Err(DriverError::Cells { board, found, expected: "squares of the bunny: # and O, and a start" })
}

/// Draws the marked and unmarked squares. An arrow for the bunny stands before the bunny's square.
fn squares(board: &Board, play: &ProgramPlay<'_>, style: Style) -> String {
    let cell =
        |(index, cell): (usize, Option<u8>)| cell.map(|_| if play.is_unmarked(index) { UNMARKED } else { MARKED });
    let cells: Vec<_> = board.contents().enumerate().map(cell).collect();
    let (at, direction) = play.bunny();
    let arrow = match direction {
        Direction::East => '>',
        Direction::South => 'v',
        Direction::West => '<',
        Direction::North => '^',
    };
    render_cells(board, &cells, |index| if index == board.index(at) { arrow } else { ' ' }, style)
}

/// A program to be drawn step by step.
struct Hopping<'b> {
    board: &'b Board,
    program: Program,
    steps: usize,
}

impl Playback for Hopping<'_> {
    fn steps(&self) -> usize {
        self.steps
    }

    fn draw(&mut self, step: usize, style: Style) -> Result<Drawing, DriverError> {
        let (board, all) = (self.board, self.steps);
        // Each drawing runs the program from the start, because `self` cannot store a `ProgramPlay` that borrows
        // `self.program`. Programs are fast enough.
        let mut play = ProgramPlay::new(board, &self.program).map_err(|error| DriverError::solution(board, error))?;
        let mut last = String::new();
        while play.steps() < step as u64 {
            let Some(instruction) = play.step() else { break };
            last = format!(", {}", INSTRUCTIONS[usize::from(instruction)]);
        }
        let head = format!("{}: step {step} of {all}{last}, {} squares left", board.name(), play.left());
        Ok(Drawing { head, rows: squares(board, &play, style) })
    }
}
