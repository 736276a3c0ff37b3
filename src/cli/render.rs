//! `render`: draws boards, and the way of a solution over them.

use super::args::{Colour, Render};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, colour_wanted};
use gridhunt::board::{Board, Entry, SolutionReader, Style, render};
use gridhunt::proof;

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
    let boards = Input::open(std::slice::from_ref(&args.board), args.reading.options(), args.boards.as_ref())?;
    let mut solutions = args.solution.as_ref().map(SolutionReader::open).transpose()?;
    let mut output = Output::stdout();
    let style = match args.color {
        Colour::Always => Style::Colour,
        Colour::Never => Style::Plain,
        Colour::Auto if colour_wanted(output.is_terminal()) => Style::Colour,
        Colour::Auto => Style::Plain,
    };
    for entry in boards {
        let Entry { board, .. } = entry?;
        let Some(solutions) = &mut solutions else {
            let start = board.start();
            let head = format!(
                "{}: {} x {}, {} colours, start {},{}",
                board.name(),
                board.rows(),
                board.cols(),
                board.colours(),
                start.row + 1,
                start.col + 1
            );
            output.write(&format!("{head}\n{}\n", render(&board, None, style)))?;
            continue;
        };
        let Some(solution) = solutions.next_for(&board)? else {
            return Err(Failure::bad_input(format!("found no solution for {}, expected one", board.name())));
        };
        draw_solution(args, &board, &solution.moves, style, &mut output)?;
    }
    Ok(Exit::Done)
}

/// The frames that were asked for.
fn draw_solution(
    args: &Render,
    board: &Board,
    moves: &[u16],
    style: Style,
    output: &mut Output,
) -> Result<(), Failure> {
    // A move that the rules refuse cannot be drawn.
    proof::replay(board, moves).map_err(|e| Failure::bad_input(format!("{}: {e}", board.name())))?;
    let steps = match (args.step, args.frames) {
        (Some(step), _) if step > moves.len() => {
            let name = board.name();
            return Err(Failure::usage(format!("{name}: found --step {step}, expected at most {}", moves.len())));
        }
        (Some(step), _) => vec![step],
        (None, frames) => spread(moves.len(), frames.map_or(usize::MAX, usize::from)),
    };
    let mut frame = Frame::new(board);
    let mut done = 0;
    for step in steps {
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
        output.write(&format!("{head}\n{}\n", render(&frame.board, Some(&frame.flooded), style)))?;
    }
    Ok(())
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
    use gridhunt::board::{Cell, usual_symbols};

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
