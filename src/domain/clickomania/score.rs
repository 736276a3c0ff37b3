//! Scores.

use crate::board::Board;

/// The bonus for a cleared board.
pub(super) const CLEARED: u32 = 1000;

/// The score of a click on `n` cells.
pub(super) fn points(n: u32) -> u32 {
    let over = n.saturating_sub(2);
    over * over
}

/// The score that no solution exceeds: each colour goes by one click, and the board is cleared. A click on `m + n`
/// cells scores at least as much as a click on `m` and one on `n`.
#[must_use]
pub fn ceiling(board: &Board) -> u32 {
    let count = |colour: usize| board.cells().iter().filter(|&&cell| usize::from(cell) == colour).count() as u32;
    (0..board.colours()).map(|colour| points(count(colour))).sum::<u32>() + CLEARED
}
