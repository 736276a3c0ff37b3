//! A board contracted to its regions: maximal connected sets of cells of one colour.

use crate::board::Board;

/// The regions of a board, numbered in the order in which their first cells stand on the board, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// Colour of each region.
    pub colour: Vec<u8>,
    /// Touching regions of each region, rising, without repetition.
    pub touching: Vec<Vec<usize>>,
    /// Region of each cell.
    pub of_cell: Vec<usize>,
    /// The region of the start cell.
    pub start: usize,
}

impl Regions {
    /// Contracts `board`. Linear in the number of cells.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        const NONE: usize = usize::MAX;
        let cells = board.cells();
        let mut of_cell = vec![NONE; cells.len()];
        let mut colour = Vec::new();
        let mut stack = Vec::new();
        for first in 0..cells.len() {
            if of_cell[first] != NONE {
                continue;
            }
            let region = colour.len();
            colour.push(cells[first]);
            of_cell[first] = region;
            stack.push(first);
            while let Some(cell) = stack.pop() {
                for next in board.neighbours(cell) {
                    if of_cell[next] == NONE && cells[next] == cells[first] {
                        of_cell[next] = region;
                        stack.push(next);
                    }
                }
            }
        }
        let mut touching = vec![Vec::new(); colour.len()];
        for cell in 0..cells.len() {
            for next in board.neighbours(cell) {
                if of_cell[next] != of_cell[cell] {
                    touching[of_cell[cell]].push(of_cell[next]);
                }
            }
        }
        for list in &mut touching {
            list.sort_unstable();
            list.dedup();
        }
        let start = of_cell[board.index(board.start())];
        Self { colour, touching, of_cell, start }
    }

    /// Number of regions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.colour.len()
    }

    /// Whether there is no region; never so for a board.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.colour.is_empty()
    }
}
