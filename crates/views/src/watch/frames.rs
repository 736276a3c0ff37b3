//! The board of a run with its incumbent, step by step.

use super::super::film::{Film, Form, cell_lines, half_lines};
use gridhunt_hunt::RunState;
use ratatui::text::Line;
use std::path::Path;

/// The most steps of a solution that are drawn.
const MOST_ON_SCREEN: usize = 2_000;

/// The steps of a solution.
#[derive(Clone, Debug)]
pub struct Frames {
    film: Film,
    has_colour: bool,
    /// The step that is shown.
    at: usize,
}

impl Frames {
    /// Draws board `number` of a run with its best solution. Reads the run directory, and changes nothing in it.
    ///
    /// # Errors
    /// When the directory cannot be read, or the solution does not fit the board.
    pub fn of(run: &Path, number: usize, colour: bool) -> Result<Self, String> {
        let state = RunState::read(run).map_err(|error| error.to_string())?;
        let film = Film::of_run(&state, number, MOST_ON_SCREEN)?;
        Ok(Self { at: 0, film, has_colour: colour })
    }

    /// Goes to the next step, or to the one before.
    pub(super) fn step(&mut self, forward: bool) {
        let last = self.film.frames().len().saturating_sub(1);
        self.at = if forward { (self.at + 1).min(last) } else { self.at.saturating_sub(1) };
    }

    /// Heading and lines of the step that is shown, in so many columns and rows: in the widest form that fits, or else
    /// in half blocks, a column for each cell and a row for two of them. Of a board that has no room, its beginning.
    pub(super) fn shown(&self, (width, height): (usize, usize)) -> Option<(String, Vec<Line<'static>>)> {
        let (film, frame) = (&self.film, self.film.frames().get(self.at)?);
        let (rows, cols) = film.size();
        let fits = |form: &Form| cols * form.width(film) <= width && rows <= height;
        let lines = match Form::ALL.into_iter().find(fits) {
            Some(form) => cell_lines(film, frame, form, self.has_colour, (0..rows, 0..cols)),
            None if self.has_colour => half_lines(film, frame, (0..rows.min(2 * height), 0..cols.min(width))),
            None => {
                let cols = cols.min(width / Form::Narrow.width(film).max(1));
                cell_lines(film, frame, Form::Narrow, false, (0..rows.min(height), 0..cols))
            }
        };
        Some((format!("{}: {}", film.name(), frame.caption), lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunLog;
    use crate::text::tests::feasible;
    use gridhunt_boards::{Board, Cell, Entry, usual_symbols};
    use gridhunt_hunt::{BatchObserver, BoardRecord, BoardSearchInfo, Config, RunDir};
    use gridhunt_search::runtime::{Event, Observer};

    /// A run directory and all that it holds is read, and nothing is written.
    #[test]
    fn the_best_solution_is_drawn_step_by_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let board = Board::new("a", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap();
        let (config, entry) = (Config::default(), Entry { board, published: None });
        let run = RunDir::create(&path, &config, std::iter::once(Ok(entry.clone()))).unwrap();
        let none = Frames::of(&path, 1, false).unwrap();
        assert!(
            none.film.frames().len() == 1 && none.shown((80, 24)).unwrap().0.contains("no solution yet"),
            "{none:?}"
        );
        assert!(Frames::of(&path, 2, false).unwrap_err().contains("no board 2"));
        let log = RunLog::new(&run).unwrap();
        log.begin_board(&BoardSearchInfo::new(1, &entry.board, &config.request()));
        log.observe(&Event::Incumbent { cost: 3, moves: &[1, 0, 2] });
        drop(log);
        let mut frames = Frames::of(&path, 1, false).unwrap();
        let text =
            |frames: &Frames| frames.shown((10, 1)).unwrap().1.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((frames.film.frames().len(), text(&frames)), (4, vec!["*1 2 1 3".to_owned()]));
        (0..9).for_each(|_| frames.step(true));
        assert_eq!(text(&frames), ["*3+3+3+3"]);
        (0..2).for_each(|_| frames.step(false));
        assert_eq!(text(&frames), ["*2+2 1 3"]);
        // Without room for symbols, half blocks have colours alone.
        frames.has_colour = true;
        assert_eq!(frames.shown((3, 1)).unwrap().1[0].to_string(), "▀▀▀");
        // A recorded solution counts, unless a better one was found since.
        let identity = BoardSearchInfo::new(1, &entry.board, &config.request()).identity;
        let moves = ["2", "3", "1", "3"].map(str::to_owned).to_vec();
        run.add_result(&BoardRecord { board: "a".to_owned(), cost: Some(4), moves, identity, ..feasible() }).unwrap();
        assert_eq!(Frames::of(&path, 1, false).unwrap().film.frames().len(), 4);
    }
}
