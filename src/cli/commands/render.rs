//! `render`: draws boards and the steps of solutions, as text and as pictures.

use crate::cli::args::output_form::{Picture, form_of_drawing};
use crate::cli::args::{ColourChoice, Render};
use crate::cli::input::Input;
use crate::cli::input::solutions::{request_for, with_solutions};
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, check_not_input, print_message, use_colour};
use gridhunt::hunt::{Config, Request};
use gridhunt::puzzles::{Drawing, Solutions};
use gridhunt::views::film::{DEFAULT_FRAME_COUNT, Film, GifError, spread_steps, to_gif, to_svg};
use gridhunt_boards::{Board, Entry, Frame, Style};

pub fn run(args: &Render) -> Result<Exit, Failure> {
    let stdin = |path: &std::path::Path| path.as_os_str() == "-";
    if stdin(&args.board) && args.solution.as_deref().is_some_and(stdin) {
        return Err(Failure::usage("the board and the solution cannot both come from standard input (-)"));
    }
    let picture = form_of_drawing(args)?;
    if args.symbols && picture == Picture::Text {
        return Err(Failure::usage("found --symbols, expected --svg or --gif with it; text has symbols anyway"));
    }
    let inputs: Vec<_> = [Some(args.board.clone()), args.solution.clone()].into_iter().flatten().collect();
    if let Some(path) = &args.output {
        check_not_input(path, &inputs)?;
    }
    let mut config = Config::default();
    args.puzzle.apply_to(&mut config);
    args.rules.apply_to(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open(std::slice::from_ref(&args.board), options, args.boards.as_ref())?;
    let boards = input.read_all()?;
    let mut solutions =
        args.solution.as_ref().map(|path| args.notation.open_solutions(path, Some(boards.len()))).transpose()?;
    let boards = match &mut solutions {
        Some(solutions) => {
            with_solutions(boards, solutions, false, false)?.into_iter().map(|(entry, _)| entry).collect()
        }
        None => boards,
    };
    let request = request_for(config, solutions.as_mut(), &input)?;
    input.notes.iter().for_each(|note| print_message(note));
    let drawings = Drawings { args, boards, request, solutions };
    match picture {
        Picture::Svg | Picture::Gif => drawings.picture(picture),
        Picture::Text => drawings.text(),
    }
}

/// The boards and solutions to draw.
struct Drawings<'a> {
    args: &'a Render,
    boards: Vec<Entry>,
    request: Request,
    solutions: Option<Solutions>,
}

impl Drawings<'_> {
    /// Draws text, board by board.
    fn text(mut self) -> Result<Exit, Failure> {
        let mut output = Output::open(self.args.output.as_deref(), &[])?;
        let style = match self.args.color {
            ColourChoice::Always => Style::Colour,
            ColourChoice::Never => Style::Plain,
            ColourChoice::Auto if use_colour(output.is_terminal()) => Style::Colour,
            ColourChoice::Auto => Style::Plain,
        };
        for Entry { board, .. } in std::mem::take(&mut self.boards) {
            self.each_frame(&board, usize::MAX, |frame| {
                let Drawing { heading, rows } = Drawing::new(&board, &frame, style);
                output.write(&format!("{heading}\n{rows}\n"))
            })?;
        }
        Ok(Exit::Done)
    }

    /// Writes a picture of the only board.
    fn picture(mut self, picture: Picture) -> Result<Exit, Failure> {
        let args = self.args;
        let boards = std::mem::take(&mut self.boards);
        let [Entry { board, .. }] = &boards[..] else {
            let found = format!("found {} boards, expected one for a picture", boards.len());
            return Err(Failure::usage(format!("{found}; --boards selects one")));
        };
        if picture == Picture::Gif && args.output.is_none() && Output::stdout().is_terminal() {
            let found = "found a terminal on standard output, expected a file for a GIF";
            return Err(Failure::usage(format!("{found}; --output names one")));
        }
        let mut frames = Vec::new();
        self.each_frame(board, DEFAULT_FRAME_COUNT, |frame| {
            frames.push(frame);
            Ok(())
        })?;
        let film = Film::new(board, frames);
        let bytes = if picture == Picture::Gif {
            to_gif(&film, args.symbols).map_err(|error| match error {
                GifError::Encoding { .. } => Failure::internal(error),
                GifError::Colours { .. } | GifError::Size { .. } => Failure::bad_input(error),
            })?
        } else {
            to_svg(&film, args.symbols).into_bytes()
        };
        Output::open(args.output.as_deref(), &[])?.write_bytes(&bytes)?;
        Ok(Exit::Done)
    }

    /// Calls `take` with the frames of the next solution, at most `max_frames` unless `--frames` sets a number. Without
    /// solutions, takes the frame of the board, which need not be a position but must not have cells of another puzzle.
    fn each_frame(
        &mut self,
        board: &Board,
        max_frames: usize,
        mut take: impl FnMut(Frame) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Self { request, solutions, .. } = self;
        let Some(solutions) = solutions else {
            request.domain.check_cells(board)?;
            return take(request.domain.board_frame(board)?);
        };
        let task = request.task(board)?;
        let missing = || Failure::bad_input(format!("found no solution for {}, expected one", board.name()));
        let mut playback = task.read_solution(solutions)?.ok_or_else(missing)?.playback()?;
        for step in steps(self.args, board, playback.step_count(), max_frames)? {
            take(playback.frame(step)?)?;
        }
        Ok(())
    }
}

/// The steps to draw of a solution with `moves` steps, as selected by `--step` and `--frames`.
fn steps(args: &Render, board: &Board, moves: usize, max_frames: usize) -> Result<Vec<usize>, Failure> {
    match (args.step, args.frames) {
        (Some(step), _) if step > moves => {
            let name = board.name();
            Err(Failure::usage(format!("{name}: found --step {step}, expected at most {moves}")))
        }
        (Some(step), _) => Ok(vec![step]),
        (None, frames) => Ok(spread_steps(moves, frames.map_or(max_frames, usize::from))),
    }
}
