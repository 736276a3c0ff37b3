//! What the micro benchmarks share.

use gridhunt_boards::{Board, GenerateSpec, Start, generate};

/// Board number `index` of a seed: square, with six colours and its start in the top left corner.
///
/// # Panics
/// When the side is out of range.
#[must_use]
pub fn square(side: usize, seed: u64, index: u64) -> Board {
    let spec = GenerateSpec { rows: side, cols: side, colours: 6, seed, start: Start::TopLeft };
    generate(&spec, index).expect("a side in range")
}
