//! `render`: draws boards and the steps of solutions.

use super::args::{Colour, Render};
use super::exit::{Exit, Failure};
use super::input::Input;
use super::output::{Output, colour_wanted, tell};
use super::solutions::{request_for, with_solutions};
use gridhunt::board::{Board, Entry, Style};
use gridhunt::driver::{Config, Drawing, Request, Solutions, check_board, check_cells};

pub fn run(args: &Render) -> Result<Exit, Failure> {
    let stdin = |path: &std::path::Path| path.as_os_str() == "-";
    if stdin(&args.board) && args.solution.as_deref().is_some_and(stdin) {
        return Err(Failure::usage("the board and the solution cannot both come from standard input (-)"));
    }
    let mut config = Config::default();
    args.puzzle.lay_over(&mut config);
    args.rules.lay_over(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open(std::slice::from_ref(&args.board), options, args.boards.as_ref())?;
    let boards = input.by_ref().collect::<Result<Vec<Entry>, _>>()?;
    let mut solutions =
        args.solution.as_ref().map(|path| args.notation.open_solutions(path, Some(boards.len()))).transpose()?;
    let boards = match &mut solutions {
        Some(solutions) => with_solutions(boards, solutions, false)?,
        None => boards,
    };
    let request = match &mut solutions {
        Some(solutions) => request_for(config, solutions, input.domain)?,
        None => {
            config.domain = config.domain.or(input.domain);
            config.check()?;
            config.request()
        }
    };
    input.notes.iter().for_each(|note| tell(note));
    let mut pen = Pen::new(args);
    for Entry { board, .. } in boards {
        match &mut solutions {
            None => pen.draw_board(&board, &request)?,
            Some(solutions) => pen.draw_solution(&board, &request, solutions)?,
        }
    }
    Ok(Exit::Done)
}

/// The output and the style of drawings.
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

    fn write(&mut self, drawing: &Drawing) -> Result<(), Failure> {
        self.output.write(&format!("{}\n{}\n", drawing.head, drawing.rows))
    }

    /// Draws a board alone. The board need not be a position of the puzzle, but its cells must not belong to another
    /// puzzle.
    fn draw_board(&mut self, board: &Board, request: &Request) -> Result<(), Failure> {
        check_cells(board, request)?;
        self.write(&request.domain.draw(board, self.style)?)
    }

    /// Draws the steps of the next solution.
    fn draw_solution(&mut self, board: &Board, request: &Request, solutions: &mut Solutions) -> Result<(), Failure> {
        check_board(board, request)?;
        let playback = request.domain.play_next(board, request, solutions)?;
        let missing = || Failure::bad_input(format!("found no solution for {}, expected one", board.name()));
        let mut playback = playback.ok_or_else(missing)?;
        for step in self.steps(board, playback.steps())? {
            self.write(&playback.draw(step, self.style)?)?;
        }
        Ok(())
    }

    /// The steps to draw of a solution with `moves` steps, as selected by `--step` and `--frames`.
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
}

/// Selects at most `frames` of the steps 0 to `last`, evenly spread. The last step is always included.
fn spread(last: usize, frames: usize) -> Vec<usize> {
    match frames {
        1 => vec![last],
        n if n > last => (0..=last).collect(),
        n => (0..n).map(|i| i * last / (n - 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(7, 3), [0, 3, 7]);
        assert_eq!(spread(7, 1), [7]);
        assert_eq!(spread(3, 9), [0, 1, 2, 3]);
        assert_eq!(spread(0, 2), [0]);
    }
}
