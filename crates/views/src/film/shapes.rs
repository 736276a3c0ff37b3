//! The shapes of a frame.

use super::Film;
use gridhunt_boards::{Frame, Mark};
use std::collections::BTreeMap;

/// Adjacent cells of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellRun {
    pub row: usize,
    pub col: usize,
    pub cells: usize,
}

/// A line of the border: from a corner of a cell, to the right or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub row: usize,
    pub col: usize,
    pub cells: usize,
    pub is_vertical: bool,
}

/// The cells that differ from the previous frame, as runs, by their new colour.
pub(super) fn changed_runs(film: &Film, previous: Option<&Frame>, frame: &Frame) -> BTreeMap<Option<u8>, Vec<CellRun>> {
    let cols = film.size().1;
    let has_changed = |index: usize| previous.is_none_or(|old| old.cells.get(index) != frame.cells.get(index));
    let mut runs_by_colour: BTreeMap<Option<u8>, Vec<CellRun>> = BTreeMap::new();
    for (index, &cell) in frame.cells.iter().enumerate().filter(|&(index, _)| has_changed(index)) {
        let (row, col) = (index / cols, index % cols);
        let runs = runs_by_colour.entry(cell).or_default();
        match runs.last_mut() {
            Some(run) if run.row == row && run.col + run.cells == col => run.cells += 1,
            _ => runs.push(CellRun { row, col, cells: 1 }),
        }
    }
    runs_by_colour
}

pub(super) fn marked_border(film: &Film, frame: &Frame) -> Vec<Edge> {
    let (rows, cols) = film.size();
    let is_marked = |row: usize, col: usize| {
        let mark = (row < rows && col < cols).then(|| frame.marks.get(row * cols + col)).flatten();
        matches!(mark, Some(Mark::Area | Mark::Point))
    };
    let mut edges = Vec::new();
    // Cells outside the board are not marked. `wrapping_sub` makes the index before 0 an index outside the board.
    for row in 0..=rows {
        let is_edge = |col| is_marked(row, col) != is_marked(row.wrapping_sub(1), col);
        edges.extend(runs(cols, is_edge).into_iter().map(|(col, cells)| Edge { row, col, cells, is_vertical: false }));
    }
    for col in 0..=cols {
        let is_edge = |row| is_marked(row, col) != is_marked(row, col.wrapping_sub(1));
        edges.extend(runs(rows, is_edge).into_iter().map(|(row, cells)| Edge { row, col, cells, is_vertical: true }));
    }
    edges
}

/// The maximal runs of numbers below `end` with `is_in`, as first number and length.
fn runs(end: usize, is_in: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let numbers: Vec<usize> = (0..end).filter(|&number| is_in(number)).collect();
    numbers.chunk_by(|one, next| one + 1 == *next).map(|run| (run[0], run.len())).collect()
}

/// The corners of the arrow of a direction, in eighths of a cell from the top left of its cell.
pub(super) fn arrow_corners(mark: Mark) -> Option<[(usize, usize); 3]> {
    Some(match mark {
        Mark::East => [(2, 1), (7, 4), (2, 7)],
        Mark::West => [(6, 1), (1, 4), (6, 7)],
        Mark::South => [(1, 2), (4, 7), (7, 2)],
        Mark::North => [(1, 6), (4, 1), (7, 6)],
        Mark::None | Mark::Point | Mark::Area => return None,
    })
}
