//! Drawings of a board, and of a solution step by step.

use super::DriverError;
use crate::board::Style;

/// A board as text, with a heading of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The line that describes the board.
    pub head: String,
    /// The rows of the board.
    pub rows: String,
}

/// A solution to be drawn step by step. The whole solution was replayed before.
pub trait Playback {
    /// The number of steps. Step 0 is the board before the first move.
    fn steps(&self) -> usize;

    /// Draws the board after `step` moves. `step` must increase from call to call.
    ///
    /// # Errors
    /// When the rules refuse a move. The replay of the whole solution excludes this error.
    fn draw(&mut self, step: usize, style: Style) -> Result<Drawing, DriverError>;
}
