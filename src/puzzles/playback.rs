//! Frames of a board, and of a solution step by step.

use super::PuzzleError;
use gridhunt_boards::{Board, Frame, Style};

/// A board as text, with a heading of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The line that describes the board.
    pub head: String,
    /// The rows of the board.
    pub rows: String,
}

impl Drawing {
    /// Draws a frame of a board as text.
    #[must_use]
    pub fn new(board: &Board, frame: &Frame, style: Style) -> Self {
        Self { head: format!("{}: {}", board.name(), frame.caption), rows: frame.rows(board, style) }
    }
}

/// A solution to be shown step by step. The plain rules of [`gridhunt_boards::verify`] replayed the whole solution
/// before, and make each frame.
pub trait Playback {
    /// The board of the solution.
    fn board(&self) -> &Board;

    /// The number of steps. Step 0 is the board before the first move.
    fn steps(&self) -> usize;

    /// The board after `step` moves. `step` must increase from call to call.
    ///
    /// # Errors
    /// When the rules refuse a move. The replay of the whole solution excludes this error.
    fn frame(&mut self, step: usize) -> Result<Frame, PuzzleError>;

    /// [`Playback::frame`] as text.
    ///
    /// # Errors
    /// As [`Playback::frame`].
    fn draw(&mut self, step: usize, style: Style) -> Result<Drawing, PuzzleError> {
        let frame = self.frame(step)?;
        Ok(Drawing::new(self.board(), &frame, style))
    }
}
