//! Generates random boards that are the same on every machine.

use crate::{Board, BoardError, MAX_CELLS, MAX_COLOURS, Position, Start, usual_symbols};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A sequence of random boards. Equal values give equal boards, in every version and on every platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerateSpec {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Number of colours. A small board may lack some of them.
    pub colours: usize,
    /// The seed: another seed gives another sequence.
    pub seed: u64,
    /// The start cell. The colours of the cells do not depend on it.
    pub start: Start,
}

/// Generates board `index` of a sequence. Each cell has each colour with the same probability; a board with only one
/// colour is drawn again. The board depends on `spec` and `index` alone, not on the other boards of the sequence.
///
/// # Errors
/// When the size or the number of colours is out of range, or the start lies outside the board.
pub fn generate(spec: &GenerateSpec, index: u64) -> Result<Board, BoardError> {
    let (name, choices) = check_spec(spec, index)?;
    let GenerateSpec { rows, cols, colours, start, .. } = *spec;
    let mut rng = board_rng(spec, index);
    loop {
        let cells: Vec<u8> = (0..rows * cols).map(|_| uniform_below(choices, &mut rng) as u8).collect();
        // With one colour, or with one cell, every board has a single colour.
        if colours == 1 || cells.len() == 1 || cells.iter().any(|c| *c != cells[0]) {
            return Board::new(name, rows, cols, cells, usual_symbols(colours), start.cell(rows, cols));
        }
    }
}

/// Checks the size and the number of colours. Returns the name of board `index` and the number of colours.
pub fn check_spec(spec: &GenerateSpec, index: u64) -> Result<(String, u32), BoardError> {
    let GenerateSpec { rows, cols, colours, seed, .. } = *spec;
    let name = format!("{rows}x{cols}-{colours}c-seed{seed}#{}", u128::from(index) + 1);
    let fail = |found: String, expected: String| Err(BoardError::at(&name, Position::default(), found, expected));
    let cells = rows.saturating_mul(cols);
    if !(1..=MAX_CELLS).contains(&cells) {
        return fail(format!("{rows} x {cols} = {cells} cells"), format!("1 to {MAX_CELLS} cells"));
    }
    match u32::try_from(colours).ok().filter(|k| (1..=MAX_COLOURS).contains(&(*k as usize))) {
        Some(choices) => Ok((name, choices)),
        None => fail(format!("{colours} colours"), format!("1 to {MAX_COLOURS} colours")),
    }
}

/// The random generator of board `index`. Seed, size and colours make the key of ChaCha8; the index selects its stream.
#[must_use]
pub fn board_rng(spec: &GenerateSpec, index: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    let fields = [spec.seed, spec.rows as u64, spec.cols as u64, spec.colours as u64];
    for (slot, field) in key.chunks_exact_mut(8).zip(fields) {
        slot.copy_from_slice(&field.to_le_bytes());
    }
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream(index);
    rng
}

/// Draws a uniformly distributed number below `choices`. The highest draws, which would favour small results, are
/// rejected.
pub fn uniform_below(choices: u32, rng: &mut ChaCha8Rng) -> u32 {
    let limit = u32::MAX - u32::MAX % choices;
    loop {
        let drawn = rng.next_u32();
        if drawn < limit {
            return drawn % choices;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    const SPEC: GenerateSpec = GenerateSpec { rows: 4, cols: 6, colours: 6, seed: 1, start: Start::TopLeft };

    fn symbols(board: &Board) -> String {
        board.cells().iter().map(|&c| board.symbols()[usize::from(c)].as_str()).collect()
    }

    #[test]
    fn golden_boards() {
        // Datasets are described by size, colours and seed, so these boards must never change.
        assert_eq!(symbols(&generate(&SPEC, 0).unwrap()), "453116256121333225324312");
        assert_eq!(symbols(&generate(&SPEC, 1).unwrap()), "611562311434163515365216");
        let many = GenerateSpec { rows: 3, cols: 8, colours: 35, seed: u64::MAX, start: Start::TopLeft };
        assert_eq!(symbols(&generate(&many, u64::MAX).unwrap()), "AYH3IWYZWI3UEHXM5PKSRXO3");
    }

    #[test]
    fn every_part_of_the_description_matters() {
        let base = symbols(&generate(&SPEC, 7).unwrap());
        assert_eq!(base, symbols(&generate(&SPEC, 7).unwrap()));
        assert_ne!(base, symbols(&generate(&SPEC, 8).unwrap()));
        assert_ne!(base, symbols(&generate(&GenerateSpec { seed: 2, ..SPEC }, 7).unwrap()));
        assert_ne!(base, symbols(&generate(&GenerateSpec { rows: 6, cols: 4, ..SPEC }, 7).unwrap()));
        let centre = generate(&GenerateSpec { start: Start::Centre, ..SPEC }, 7).unwrap();
        assert_eq!((base, Cell { row: 2, col: 3 }), (symbols(&centre), centre.start()));
    }

    #[test]
    fn two_colours_always_occur() {
        let tiny = GenerateSpec { rows: 1, cols: 2, colours: 2, seed: 3, start: Start::TopLeft };
        for index in 0..200 {
            let board = generate(&tiny, index).unwrap();
            assert_ne!(board.cells()[0], board.cells()[1]);
        }
    }

    #[test]
    fn one_colour_and_many_are_drawn() {
        let spec = |rows, colours| GenerateSpec { rows, cols: rows, colours, ..SPEC };
        assert_eq!(symbols(&generate(&spec(2, 1), 0).unwrap()), "1111");
        assert_eq!(generate(&spec(1, 6), 0).unwrap().cells().len(), 1);
        let many = generate(&spec(90, 255), 0).unwrap();
        assert_eq!((many.colours(), many.cells().iter().max(), many.symbols()[254].as_str()), (255, Some(&254), "255"));
    }

    #[test]
    fn colours_are_equally_likely() {
        let spec = GenerateSpec { rows: 100, cols: 100, colours: 7, seed: 5, start: Start::TopLeft };
        let mut counts = [0u32; 7];
        for index in 0..7 {
            generate(&spec, index).unwrap().cells().iter().for_each(|&c| counts[usize::from(c)] += 1);
        }
        // 10,000 are expected of each; 93 is the standard deviation.
        assert!(counts.iter().all(|n| n.abs_diff(10_000) < 500), "{counts:?}");
    }

    #[test]
    fn sizes_out_of_range() {
        for (rows, cols, colours) in [(0, 5, 3), (101, 100, 3), (usize::MAX, 2, 3), (5, 5, 0), (5, 5, 256)] {
            assert!(generate(&GenerateSpec { rows, cols, colours, ..SPEC }, 0).is_err(), "{rows} {cols} {colours}");
        }
        let outside = Start::At(Cell { row: 4, col: 0 });
        assert!(
            generate(&GenerateSpec { start: outside, ..SPEC }, 0).unwrap_err().to_string().contains("start cell 5,1")
        );
    }
}
