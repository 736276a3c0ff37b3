//! A board contracted to its regions: maximal connected sets of cells of one colour.

use gridhunt_boards::Board;

/// The regions of a board without empty cells, numbered in the order in which their first cells stand on the board, row
/// by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// Colour of each region.
    pub colour: Vec<u8>,
    /// The neighbours of each region, in rising order, without repetition.
    pub neighbours: Vec<Vec<usize>>,
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
                for neighbour in board.neighbours(cell) {
                    if of_cell[neighbour] == NONE && cells[neighbour] == cells[first] {
                        of_cell[neighbour] = region;
                        stack.push(neighbour);
                    }
                }
            }
        }
        let mut neighbours = vec![Vec::new(); colour.len()];
        for cell in 0..cells.len() {
            for neighbour in board.neighbours(cell) {
                if of_cell[neighbour] != of_cell[cell] {
                    neighbours[of_cell[cell]].push(of_cell[neighbour]);
                }
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let start = of_cell[board.index(board.start())];
        Self { colour, neighbours, of_cell, start }
    }

    /// Number of regions.
    #[must_use]
    pub fn count(&self) -> usize {
        self.colour.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::random_board;
    use super::*;

    /// Every pair of touching cells lies in one region or in two that touch; and a region is connected, because
    /// spreading from its first cell over equal numbers reaches all of it.
    #[test]
    fn regions_are_what_the_cells_say() {
        for index in 0..60 {
            let board = random_board(7, 1 + index as usize % 9, 3, index);
            let regions = Regions::of(&board);
            let mut neighbours = vec![std::collections::BTreeSet::new(); regions.count()];
            for cell in 0..board.cells().len() {
                let region = regions.of_cell[cell];
                assert_eq!(regions.colour[region], board.cells()[cell]);
                for neighbour in board.neighbours(cell) {
                    let other = regions.of_cell[neighbour];
                    assert_eq!(other == region, board.cells()[neighbour] == board.cells()[cell]);
                    if other != region {
                        neighbours[region].insert(other);
                    }
                }
            }
            assert_eq!(regions.neighbours, neighbours.into_iter().map(Vec::from_iter).collect::<Vec<_>>());
            let firsts: Vec<_> =
                (0..regions.count()).map(|r| regions.of_cell.iter().position(|&of| of == r).unwrap()).collect();
            assert!(firsts.is_sorted_by(|a, b| a < b), "numbered in the order of their first cells");
            for (region, &first) in firsts.iter().enumerate() {
                let mut reached = vec![first];
                let mut at = 0;
                while at < reached.len() {
                    for neighbour in board.neighbours(reached[at]) {
                        if regions.of_cell[neighbour] == region && !reached.contains(&neighbour) {
                            reached.push(neighbour);
                        }
                    }
                    at += 1;
                }
                assert_eq!(reached.len(), regions.of_cell.iter().filter(|&&of| of == region).count());
            }
            assert_eq!(regions.start, regions.of_cell[board.index(board.start())]);
        }
    }
}
