//! `render`: draws boards, and the way of a solution over them.

use super::args::{Colour, Render};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, colour_wanted};
use gridhunt::board::{
    Board, Cell, Entry, INSTRUCTIONS, MARKED, Program, Rules, SolutionReader, Style, UNMARKED, render, render_cells,
};
use gridhunt::driver::{DomainKind, check_cells};
use gridhunt::verify::{self, ClickError, ClickPlay, Direction, ProgramFault, ProgramPlay, verify_program};

/// A board during a solution.
struct Frame {
    board: Board,
    flooded: Vec<bool>,
}

pub fn run(args: &Render) -> Result<Exit, Failure> {
    let stdin = |path: &std::path::Path| path.as_os_str() == "-";
    if stdin(&args.board) && args.solution.as_deref().is_some_and(stdin) {
        return Err(Failure::usage("the board and the solution cannot both come from standard input (-)"));
    }
    let request = args.variant.request(args.domain)?;
    let boards =
        Input::open(std::slice::from_ref(&args.board), args.reading.options(request.domain), args.boards.as_ref())?;
    let mut solutions = args.solution.as_ref().map(SolutionReader::open).transpose()?;
    let mut pen = Pen::new(args);
    for entry in boards {
        let Entry { board, .. } = entry?;
        let missing = || Failure::bad_input(format!("found no solution for {}, expected one", board.name()));
        // What hangs in the air can be looked at, but not played.
        if solutions.is_some() || request.domain != DomainKind::Clickomania {
            check_cells(&board, &request)?;
        }
        match (&mut solutions, request.domain) {
            (None, domain) => pen.draw_board(&board, domain)?,
            (Some(solutions), DomainKind::Clickomania) => {
                let written = solutions.next_clicks()?.ok_or_else(missing)?;
                pen.draw_clicks(&board, request.rules, &written.clicks)?;
            }
            (Some(solutions), DomainKind::Bunny) => {
                let written = solutions.next_program()?.ok_or_else(missing)?;
                pen.draw_program(&board, &written.program)?;
            }
            (Some(solutions), DomainKind::FloodIt) => {
                let written = solutions.next_for(&board)?.ok_or_else(missing)?;
                pen.draw_flood(&board, &written.moves)?;
            }
        }
    }
    Ok(Exit::Done)
}

/// Where and how to draw.
struct Pen<'a> {
    args: &'a Render,
    style: Style,
    output: Output,
}

impl<'a> Pen<'a> {
    fn new(args: &'a Render) -> Self {
        let output = Output::stdout();
        let style = match args.color {
            Colour::Always => Style::Colour,
            Colour::Never => Style::Plain,
            Colour::Auto if colour_wanted(output.is_terminal()) => Style::Colour,
            Colour::Auto => Style::Plain,
        };
        Self { args, style, output }
    }

    fn draw(&mut self, head: &str, drawing: &str) -> Result<(), Failure> {
        self.output.write(&format!("{head}\n{drawing}\n"))
    }

    /// A board by itself; where the flood starts, if there is one.
    fn draw_board(&mut self, board: &Board, domain: DomainKind) -> Result<(), Failure> {
        if domain == DomainKind::Bunny {
            let program = Program::default();
            let play = ProgramPlay::new(board, &program).map_err(|e| Failure::bad_input(e.to_string()))?;
            let head =
                format!("{}: {} x {}, {} squares to mark", board.name(), board.rows(), board.cols(), play.left());
            return self.draw(&head, &self.squares(board, &play));
        }
        let (name, start) = (board.name(), board.start());
        let head = format!("{name}: {} x {}, {} colours", board.rows(), board.cols(), board.colours());
        if domain == DomainKind::Clickomania {
            let cells: Vec<_> = board.contents().collect();
            return self.draw(&head, &render_cells(board, &cells, |_| ' ', self.style));
        }
        self.draw(&format!("{head}, start {start}"), &render(board, None, self.style))
    }

    /// The steps that are wanted of a solution of so many moves.
    fn steps(&self, board: &Board, moves: usize) -> Result<Vec<usize>, Failure> {
        match (self.args.step, self.args.frames) {
            (Some(step), _) if step > moves => {
                let name = board.name();
                Err(Failure::usage(format!("{name}: found --step {step}, expected at most {moves}")))
            }
            (Some(step), _) => Ok(vec![step]),
            (None, frames) => Ok(spread(moves, frames.map_or(usize::MAX, usize::from))),
        }
    }

    /// The frames of a way to flood a board.
    fn draw_flood(&mut self, board: &Board, moves: &[u16]) -> Result<(), Failure> {
        // Nothing is drawn of a way with a move that the rules refuse.
        verify::replay(board, moves).map_err(|e| Failure::bad_input(format!("{}: {e}", board.name())))?;
        let mut frame = Frame::new(board);
        let mut done = 0;
        for step in self.steps(board, moves.len())? {
            for &colour in &moves[done..step] {
                frame = frame.play(colour)?;
            }
            done = step;
            let last = step
                .checked_sub(1)
                .map_or_else(String::new, |i| format!(", colour {}", board.symbols()[usize::from(moves[i])]));
            let flooded = frame.flooded.iter().filter(|f| **f).count();
            let cells = frame.flooded.len();
            let head = format!("{}: move {step} of {}{last}, {flooded} of {cells} cells", board.name(), moves.len());
            self.draw(&head, &render(&frame.board, Some(&frame.flooded), self.style))?;
        }
        Ok(())
    }

    /// The squares as they are marked, with the bunny before its square.
    fn squares(&self, board: &Board, play: &ProgramPlay<'_>) -> String {
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
        render_cells(board, &cells, |index| if index == board.index(at) { arrow } else { ' ' }, self.style)
    }

    /// The frames of a program on a board.
    fn draw_program(&mut self, board: &Board, program: &Program) -> Result<(), Failure> {
        let fail = |e: ProgramFault| Failure::bad_input(format!("{}: {e}", board.name()));
        let replay = verify_program(board, program, None).map_err(fail)?;
        let mut play = ProgramPlay::new(board, program).map_err(fail)?;
        let (all, mut last) = (replay.steps as usize, String::new());
        for step in self.steps(board, all)? {
            while play.steps() < step as u64 {
                let Some(instruction) = play.step() else { break };
                last = format!(", {}", INSTRUCTIONS[usize::from(instruction)]);
            }
            let left = play.left();
            let head = format!("{}: step {step} of {all}{last}, {left} squares left", board.name());
            let squares = self.squares(board, &play);
            self.draw(&head, &squares)?;
        }
        Ok(())
    }

    /// The frames of clicks on a board; what goes with the next one is marked.
    fn draw_clicks(&mut self, board: &Board, rules: Rules, clicks: &[Cell]) -> Result<(), Failure> {
        let fail = |e: ClickError| Failure::bad_input(format!("{}: {e}", board.name()));
        // Nothing is drawn of a way with a click that the rules refuse.
        verify::replay_clicks(board, rules, clicks).map_err(fail)?;
        let mut play = ClickPlay::new(board, rules).map_err(fail)?;
        let (mut done, mut last) = (0, String::new());
        for step in self.steps(board, clicks.len())? {
            for (number, &cell) in (1..).zip(clicks).take(step).skip(done) {
                let size = play.click(number, cell).map_err(fail)?;
                last = format!(", {cell} with {size} {}", if size == 1 { "cell" } else { "cells" });
            }
            done = step;
            let next = clicks.get(step).map(|&cell| play.group_of(step + 1, cell)).transpose().map_err(fail)?;
            let mark = |index: usize| match (&next, clicks.get(step)) {
                (Some(_), Some(&cell)) if board.index(cell) == index => '*',
                (Some(group), _) if group.contains(&index) => '+',
                _ => ' ',
            };
            let (name, left, cells) = (board.name(), play.left(), board.contents().flatten().count());
            let head = format!("{name}: click {step} of {}{last}, {left} of {cells} cells left", clicks.len());
            self.draw(&head, &render_cells(board, play.cells(), mark, self.style))?;
        }
        Ok(())
    }
}

/// At most `frames` of the steps 0 to `last`, evenly spread; the last one is always among them.
fn spread(last: usize, frames: usize) -> Vec<usize> {
    match frames {
        1 => vec![last],
        n if n > last => (0..=last).collect(),
        n => (0..n).map(|i| i * last / (n - 1)).collect(),
    }
}

impl Frame {
    /// Before the first move.
    fn new(board: &Board) -> Self {
        let mut frame = Self { board: board.clone(), flooded: vec![false; board.cells().len()] };
        frame.spread_from(vec![board.index(board.start())]);
        frame
    }

    /// After one more move.
    fn play(mut self, colour: u16) -> Result<Self, Failure> {
        let mut cells = self.board.cells().to_vec();
        let flooded: Vec<usize> = (0..cells.len()).filter(|&i| self.flooded[i]).collect();
        flooded.iter().for_each(|&i| cells[i] = colour as u8);
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let symbols = self.board.symbols().to_vec();
        self.board = Board::new(self.board.name(), rows, cols, cells, symbols, self.board.start())?;
        self.spread_from(flooded);
        Ok(self)
    }

    /// Floods every cell that hangs together with these cells by colour.
    fn spread_from(&mut self, mut open: Vec<usize>) {
        while let Some(cell) = open.pop() {
            self.flooded[cell] = true;
            let colour = self.board.cells()[cell];
            let joins = |&n: &usize| !self.flooded[n] && self.board.cells()[n] == colour;
            open.extend(self.board.neighbours(cell).filter(joins));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt::board::usual_symbols;

    #[test]
    fn frames_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(7, 3), [0, 3, 7]);
        assert_eq!(spread(7, 1), [7]);
        assert_eq!(spread(3, 9), [0, 1, 2, 3]);
        assert_eq!(spread(0, 2), [0]);
    }

    #[test]
    fn a_move_floods_what_it_touches() {
        let board = Board::new("b", 1, 5, vec![0, 1, 1, 0, 1], usual_symbols(2), Cell::default()).unwrap();
        let frame = Frame::new(&board).play(1).unwrap();
        assert_eq!(frame.flooded, [true, true, true, false, false]);
        assert_eq!(frame.play(0).unwrap().board.cells(), [0, 0, 0, 0, 1]);
    }
}
