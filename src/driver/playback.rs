//! Drawings of a board, and of a solution step by step.

use super::HuntError;
use crate::board::Style;

/// A board as text, under one line that describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The line that describes the board.
    pub head: String,
    /// The rows of the board.
    pub rows: String,
}

/// A solution that was replayed as a whole, to be drawn step by step.
pub trait Playback {
    /// The number of steps. Step 0 is the board before the first move.
    fn steps(&self) -> usize;

    /// Draws the board after `step` moves. The numbers of the steps must rise from call to call.
    ///
    /// # Errors
    /// When the rules refuse a move, which the replay of the whole solution excludes.
    fn draw(&mut self, step: usize, style: Style) -> Result<Drawing, HuntError>;
}
