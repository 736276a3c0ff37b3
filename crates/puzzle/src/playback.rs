//! Drawings of boards as text, and playback of solutions step by step.

use super::PuzzleError;
use gridhunt_boards::{Board, Frame, Style};
use std::fmt;

/// A board as text, with a heading of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The line that describes the board.
    pub heading: String,
    /// The rows of the board.
    pub rows: String,
}

impl Drawing {
    /// Draws a frame of a board as text.
    #[must_use]
    pub fn new(board: &Board, frame: &Frame, style: Style) -> Self {
        Self { heading: format!("{}: {}", board.name(), frame.caption), rows: frame.to_text(board, style) }
    }
}

/// A solution, step by step. The plain rules of the puzzle have accepted the whole solution; they also make each frame.
pub struct Playback<'b> {
    step_count: usize,
    frame_after: Box<dyn FnMut(usize) -> Result<Frame, PuzzleError> + 'b>,
}

impl<'b> Playback<'b> {
    /// Makes the playback of a solution with `step_count` steps. `frame_after` returns the board after a number of
    /// steps, which increases from call to call.
    #[must_use]
    pub fn new(step_count: usize, frame_after: impl FnMut(usize) -> Result<Frame, PuzzleError> + 'b) -> Self {
        Self { step_count, frame_after: Box::new(frame_after) }
    }

    /// The number of steps. Step 0 is the board before the first move.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.step_count
    }

    /// The board after `step` steps. `step` must increase from call to call.
    ///
    /// # Errors
    /// When the rules refuse a move. This cannot happen if the rules have accepted the whole solution.
    pub fn frame(&mut self, step: usize) -> Result<Frame, PuzzleError> {
        (self.frame_after)(step)
    }
}

impl fmt::Debug for Playback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playback").field("step_count", &self.step_count).finish_non_exhaustive()
    }
}
