//! Shows a board, and a solution step by step.

use super::PuzzleError;
use gridhunt_boards::{Board, Frame, Style};
use std::fmt;

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
        Self { head: format!("{}: {}", board.name(), frame.caption), rows: frame.to_text(board, style) }
    }
}

/// A solution to be shown step by step. The plain rules of the puzzle have accepted the whole solution; they also make
/// each frame.
pub struct Playback<'b> {
    steps: usize,
    frame: Box<dyn FnMut(usize) -> Result<Frame, PuzzleError> + 'b>,
}

impl<'b> Playback<'b> {
    /// Makes the playback of a solution with `steps` steps. `frame` returns the board after a number of steps; the
    /// numbers rise from call to call.
    #[must_use]
    pub fn new(steps: usize, frame: impl FnMut(usize) -> Result<Frame, PuzzleError> + 'b) -> Self {
        Self { steps, frame: Box::new(frame) }
    }

    /// The number of steps. Step 0 is the board before the first move.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The board after `step` moves. `step` must increase from call to call.
    ///
    /// # Errors
    /// When the rules refuse a move. This cannot happen if the rules have accepted the whole solution.
    pub fn frame(&mut self, step: usize) -> Result<Frame, PuzzleError> {
        (self.frame)(step)
    }
}

impl fmt::Debug for Playback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playback").field("steps", &self.steps).finish_non_exhaustive()
    }
}
