//! Scores.

use crate::board::Board;

/// What a clear adds to a score.
pub(super) const CLEARED: u32 = 1000;

/// What `n` cells of one colour bring when they go by one click.
pub(super) fn points(n: u32) -> u32 {
    let over = n.saturating_sub(2);
    over * over
}

/// The score that no way exceeds: each colour goes by one click, and the board is cleared. A group of `m + n` brings no less
/// than one of `m` and one of `n`.
#[must_use]
pub fn ceiling(board: &Board) -> u32 {
    let count = |colour: usize| board.cells().iter().filter(|&&cell| usize::from(cell) == colour).count() as u32;
    (0..board.colours()).map(|colour| points(count(colour))).sum::<u32>() + CLEARED
}
