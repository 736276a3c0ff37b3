//! The board of a run and its best solution, step by step.

use super::super::film::{CellForm, Film, cell_lines, half_block_lines};
use gridhunt_hunt::RunState;
use ratatui::text::Line;
use std::path::Path;

const MAX_FRAMES: usize = 2_000;

/// The film of a solution, and the step that is shown.
#[derive(Clone, Debug)]
pub struct Frames {
    film: Film,
    has_colour: bool,
    shown_step: usize,
}

impl Frames {
    /// The film of board `number` with its best solution. Only reads the run directory.
    ///
    /// # Errors
    /// When the directory cannot be read, or the solution does not fit the board.
    pub fn of(run: &Path, number: usize, has_colour: bool) -> Result<Self, String> {
        let state = RunState::read(run).map_err(|error| error.to_string())?;
        let film = Film::of_run(&state, number, MAX_FRAMES)?;
        Ok(Self { shown_step: 0, film, has_colour })
    }

    pub(super) fn step(&mut self, forward: bool) {
        let last = self.film.frames().len().saturating_sub(1);
        self.shown_step = if forward { (self.shown_step + 1).min(last) } else { self.shown_step.saturating_sub(1) };
    }

    /// The heading and the lines of the step in `width` columns and `height` rows: in the widest form that fits, or in
    /// half blocks, a column for each cell and a row for two cells. Of a larger board, only the top left part is shown.
    pub(super) fn lines(&self, (width, height): (usize, usize)) -> Option<(String, Vec<Line<'static>>)> {
        let (film, frame) = (&self.film, self.film.frames().get(self.shown_step)?);
        let (rows, cols) = film.size();
        let fits = |form: &CellForm| cols * form.width(film) <= width && rows <= height;
        let lines = match CellForm::ALL.into_iter().find(fits) {
            Some(form) => cell_lines(film, frame, form, self.has_colour, (0..rows, 0..cols)),
            None if self.has_colour => half_block_lines(film, frame, (0..rows.min(2 * height), 0..cols.min(width))),
            None => {
                let cols = cols.min(width / CellForm::Narrow.width(film).max(1));
                cell_lines(film, frame, CellForm::Narrow, false, (0..rows.min(height), 0..cols))
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
        let (config, entry) = (Config::default(), Entry { board, published_optimum: None });
        let run = RunDir::create(&path, &config, std::iter::once(Ok(entry.clone()))).unwrap();
        let none = Frames::of(&path, 1, false).unwrap();
        assert!(
            none.film.frames().len() == 1 && none.lines((80, 24)).unwrap().0.contains("no solution yet"),
            "{none:?}"
        );
        assert!(Frames::of(&path, 2, false).unwrap_err().contains("no board 2"));
        let log = RunLog::new(&run).unwrap();
        log.begin_board(&BoardSearchInfo::new(1, &entry.board, &config.request()));
        log.observe(&Event::Incumbent { cost: 3, moves: &[1, 0, 2] });
        drop(log);
        let mut frames = Frames::of(&path, 1, false).unwrap();
        let text =
            |frames: &Frames| frames.lines((10, 1)).unwrap().1.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((frames.film.frames().len(), text(&frames)), (4, vec!["*1 2 1 3".to_owned()]));
        (0..9).for_each(|_| frames.step(true));
        assert_eq!(text(&frames), ["*3+3+3+3"]);
        (0..2).for_each(|_| frames.step(false));
        assert_eq!(text(&frames), ["*2+2 1 3"]);
        // Without room for symbols, half blocks show only colours.
        frames.has_colour = true;
        assert_eq!(frames.lines((3, 1)).unwrap().1[0].to_string(), "▀▀▀");
        // A recorded solution counts, unless a better one was found since.
        let identity = BoardSearchInfo::new(1, &entry.board, &config.request()).identity;
        let moves = ["2", "3", "1", "3"].map(str::to_owned).to_vec();
        run.add_result(&BoardRecord { board: "a".to_owned(), cost: Some(4), moves, identity, ..feasible() }).unwrap();
        assert_eq!(Frames::of(&path, 1, false).unwrap().film.frames().len(), 4);
    }
}
