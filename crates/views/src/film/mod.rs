//! Solutions as pictures: frames of a board, drawn as SVG, as GIF, or as lines of a terminal.
//!
//! * `layout`: the layout of pictures, and the duration of frames;
//! * `shapes`: the shapes of a frame: runs of cells, the border of the marked area;
//! * `svg`, `gif`: the pictures;
//! * `lines`: a frame as lines of text with styles;
//! * `run_film`: the film of the best solution of a board in a run.

mod gif;
mod layout;
mod lines;
mod run_film;
mod shapes;
mod svg;
#[cfg(test)]
mod tests;

pub use gif::{GifError, to_gif};
pub use lines::{CellForm, cell_lines, half_block_lines};
pub(crate) use svg::escaped;
pub use svg::to_svg;

use gridhunt_boards::{Board, Frame, Mark, cell_colours, cell_labels};
use gridhunt_puzzle::{Playback, PuzzleError};

/// The maximum number of frames of a picture, unless the caller sets another number.
pub const DEFAULT_FRAME_COUNT: usize = 200;

/// Selects at most `frames` of the steps 0 to `last`, evenly spread, and always the last step.
#[must_use]
pub fn spread_steps(last: usize, frames: usize) -> Vec<usize> {
    match frames {
        1 => vec![last],
        n if n > last => (0..=last).collect(),
        n => (0..n).map(|i| i * last / (n - 1)).collect(),
    }
}

/// A board and its frames, in the order in which they are shown.
#[derive(Clone, Debug)]
pub struct Film {
    name: String,
    rows: usize,
    cols: usize,
    /// The texts of the colours, all of one width.
    pub(crate) labels: Vec<String>,
    /// For each colour, the background of its cells, as red, green and blue.
    pub(crate) colours: Vec<u32>,
    frames: Vec<Frame>,
}

impl Film {
    /// A film of these frames of `board`.
    #[must_use]
    pub fn new(board: &Board, frames: Vec<Frame>) -> Self {
        let (labels, colours) = (cell_labels(board), cell_colours(board));
        Self { name: board.name().to_owned(), rows: board.rows(), cols: board.cols(), labels, colours, frames }
    }

    /// A film of a solution of `board`, in at most `max_frames` frames.
    ///
    /// # Errors
    /// When the plain rules refuse a move.
    pub fn of_playback(board: &Board, mut playback: Playback<'_>, max_frames: usize) -> Result<Self, PuzzleError> {
        let frames = spread_steps(playback.step_count(), max_frames).into_iter().map(|step| playback.frame(step));
        Ok(Self::new(board, frames.collect::<Result<_, _>>()?))
    }

    /// The name of the board.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of rows and columns of the board.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// The frames.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn label_width(&self) -> usize {
        self.labels.first().map_or(1, |label| label.chars().count())
    }

    /// The index of the cell of the start or of the next click, or of the arrow.
    fn focus(frame: &Frame) -> Option<usize> {
        frame.marks.iter().position(|mark| !matches!(mark, Mark::None | Mark::Area))
    }
}
