//! Random Clickomania boards that are known to be solvable.
//!
//! A board is built backwards from the empty board: each step inserts the group that a click would remove.

use crate::{Columns, Rules};
use gridhunt_boards::generator::{board_rng, check_spec, uniform_below};
use gridhunt_boards::{Board, BoardError, Cell, GenerateSpec, Position, plural, usual_symbols};
use rand_chacha::ChaCha8Rng;

/// How many random placements of a group the builder tries, per cell of the board, before it backtracks.
const TRIES_PER_CELL: usize = 50;

/// How often the builder backtracks before it gives up.
const MAX_BACKTRACKS: usize = 300;

/// Generates board `index` of a sequence of clearable boards, and clicks that clear it. The board depends on `spec`,
/// `rules` and `index` alone, not on the other boards of the sequence.
///
/// # Errors
/// When the size or the number of colours is out of range, when the board has fewer rows than the smallest group has
/// cells, or when the builder finds no such board.
pub fn generate_clearable(spec: &GenerateSpec, rules: Rules, index: u64) -> Result<(Board, Vec<Cell>), BoardError> {
    let name = format!("clearable-{}", check_spec(spec, index)?.0);
    let fail = |found: String, expected: String| Err(BoardError::at(&name, Position::default(), found, expected));
    let min_group = rules.min_group.max(2) as usize;
    if spec.rows < min_group {
        return fail(plural(spec.rows, "row"), format!("{min_group} rows or more for boards that can be cleared"));
    }
    let mut rng = board_rng(spec, index);
    let mut builder = ReverseBuilder { spec, rules, min_group, columns: Vec::new(), groups: Vec::new() };
    match rules.columns {
        Columns::Close => {}
        Columns::Stay => builder.columns.resize(spec.cols, Vec::new()),
    }
    if !builder.fill(&mut rng) {
        // The builder fails on large boards of two or three colours, but nearly all of them can be cleared anyway.
        let expected = "more colours, fewer cells or smaller groups, or no --kind: nearly all random boards of \
                        this size can be cleared";
        return fail("no clearable board of this size after every attempt".into(), expected.into());
    }
    let (cells, clicks) = builder.to_board();
    let start = spec.start.cell(spec.rows, spec.cols);
    Ok((Board::new(name, spec.rows, spec.cols, cells, usual_symbols(spec.colours), start)?, clicks))
}

/// A board under construction, seen from the corner to which cells fall: columns from the left, cells from the bottom.
struct ReverseBuilder<'a> {
    spec: &'a GenerateSpec,
    rules: Rules,
    /// The fewest cells of a group; at least 2.
    min_group: usize,
    columns: Vec<Vec<u8>>,
    /// The placement and the size of each group, in the order of insertion.
    groups: Vec<(Placement, usize)>,
}

/// Where a group is inserted.
#[derive(Clone, Copy)]
enum Placement {
    /// The cells lie one above the other in an existing column.
    InColumn { col: usize, height: usize },
    /// The cells lie one above the other in a new column.
    NewColumn { col: usize },
    /// The cells lie side by side in neighbouring columns, all at the same height.
    AcrossColumns { col: usize, height: usize },
}

impl ReverseBuilder<'_> {
    /// Inserts groups until the board is full and has at least two colours. Returns whether that succeeded.
    fn fill(&mut self, rng: &mut ChaCha8Rng) -> bool {
        let cells = self.spec.rows * self.spec.cols;
        for _ in 0..MAX_BACKTRACKS {
            while self.cells_placed() < cells && (0..TRIES_PER_CELL * cells).any(|_| self.try_insert(rng)) {}
            if self.cells_placed() == cells && self.has_colours() {
                return true;
            }
            // No group fits any more: remove some of those that were inserted last.
            let last = uniform_below(self.groups.len().clamp(1, 255) as u32, rng) as usize + 1;
            (0..last).for_each(|_| self.remove_last());
        }
        false
    }

    /// The number of cells inserted so far.
    fn cells_placed(&self) -> usize {
        self.groups.iter().map(|(_, size)| size).sum()
    }

    /// Draws a random group and inserts it if it fits. Returns whether it did.
    fn try_insert(&mut self, rng: &mut ChaCha8Rng) -> bool {
        let Some((place, size, colour)) = self.draw_group(rng) else { return false };
        let fits = self.fits(place, size, colour);
        if fits {
            self.insert(place, size, colour);
        }
        fits
    }

    /// Draws the placement, size and colour of a group. `None` when the drawn kind of placement is impossible now.
    fn draw_group(&self, rng: &mut ChaCha8Rng) -> Option<(Placement, usize, u8)> {
        let mut draw = |choices: usize| uniform_below(choices.min(255) as u32, rng) as usize;
        // Sizes from `min_group` to `2 * min_group - 1`: every number from `min_group` on is a sum of these sizes.
        let size = self.min_group + draw(self.min_group);
        let colour = draw(self.spec.colours) as u8;
        let can_add_column = self.columns.len() < self.spec.cols;
        let (kind, across, up) = (draw(3), draw(255) * 255 + draw(255), draw(255));
        let place = match kind {
            0 if can_add_column => Placement::NewColumn { col: across % (self.columns.len() + 1) },
            1 => {
                let col = across % self.columns.len().checked_sub(size - 1).filter(|places| *places > 0)?;
                let lowest = self.columns[col..col + size].iter().map(Vec::len).min()?;
                Placement::AcrossColumns { col, height: up % (lowest + 1) }
            }
            _ if self.columns.is_empty() => return None,
            _ => {
                let col = across % self.columns.len();
                Placement::InColumn { col, height: up % (self.columns[col].len() + 1) }
            }
        };
        Some((place, size, colour))
    }

    /// Whether there is room for the group, the room that is left can be filled by further groups, and the group
    /// touches no other group of its colour.
    fn fits(&self, place: Placement, size: usize, colour: u8) -> bool {
        // Columns grow evenly: a low column between two full ones would be hard to fill.
        let max_height_to_grow = self.columns.iter().map(Vec::len).min().unwrap_or(0) + 2 * self.min_group;
        let has_room = |col: usize, count: usize| {
            let height = self.columns.get(col).map_or(0, Vec::len);
            let free = self.spec.rows - height;
            height <= max_height_to_grow && free >= count && (free == count || free - count >= self.min_group)
        };
        let differs = |col: Option<usize>, height: usize| {
            let column = col.and_then(|col| self.columns.get(col));
            column.and_then(|column| column.get(height)) != Some(&colour)
        };
        let fits_column = |col: usize, height: usize, count: usize| {
            has_room(col, count) && differs(Some(col), height) && (height == 0 || differs(Some(col), height - 1))
        };
        match place {
            Placement::NewColumn { col } => {
                let fits_rows = self.spec.rows == size || self.spec.rows >= size + self.min_group;
                fits_rows && (0..size).all(|height| differs(col.checked_sub(1), height) && differs(Some(col), height))
            }
            Placement::InColumn { col, height } => {
                let sides_differ = |height| differs(col.checked_sub(1), height) && differs(Some(col + 1), height);
                fits_column(col, height, size) && (height..height + size).all(sides_differ)
            }
            Placement::AcrossColumns { col, height } => {
                (col..col + size).all(|col| fits_column(col, height, 1))
                    && differs(col.checked_sub(1), height)
                    && differs(Some(col + size), height)
            }
        }
    }

    fn insert(&mut self, place: Placement, size: usize, colour: u8) {
        match place {
            Placement::InColumn { col, height } => {
                self.columns[col].splice(height..height, std::iter::repeat_n(colour, size));
            }
            Placement::NewColumn { col } => self.columns.insert(col, vec![colour; size]),
            Placement::AcrossColumns { col, height } => {
                self.columns[col..col + size].iter_mut().for_each(|column| column.insert(height, colour));
            }
        }
        self.groups.push((place, size));
    }

    /// Removes the group that was inserted last, if there is one.
    fn remove_last(&mut self) {
        let Some((place, size)) = self.groups.pop() else { return };
        match place {
            Placement::InColumn { col, height } => {
                self.columns[col].drain(height..height + size);
            }
            Placement::NewColumn { col } => {
                self.columns.remove(col);
            }
            Placement::AcrossColumns { col, height } => {
                self.columns[col..col + size].iter_mut().for_each(|column| {
                    column.remove(height);
                });
            }
        }
    }

    /// Whether at least two colours occur.
    fn has_colours(&self) -> bool {
        let mut cells = self.columns.iter().flatten();
        cells.next().is_some_and(|first| cells.any(|colour| colour != first))
    }

    /// The cells row by row, and the clicks in playing order, both in coordinates of the board.
    fn to_board(&self) -> (Vec<u8>, Vec<Cell>) {
        let (rows, cols) = (self.spec.rows, self.spec.cols);
        let cell = |(col, height): (usize, usize)| Cell {
            row: if self.rules.corner.is_top() { height } else { rows - 1 - height },
            col: if self.rules.corner.is_right() { cols - 1 - col } else { col },
        };
        let mut cells = vec![0; rows * cols];
        for (col, column) in self.columns.iter().enumerate() {
            for (height, &colour) in column.iter().enumerate() {
                let Cell { row, col } = cell((col, height));
                cells[row * cols + col] = colour;
            }
        }
        let click = |&(place, _): &(Placement, usize)| match place {
            Placement::InColumn { col, height } | Placement::AcrossColumns { col, height } => cell((col, height)),
            Placement::NewColumn { col } => cell((col, 0)),
        };
        (cells, self.groups.iter().rev().map(click).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::verify_clicks;
    use crate::{Goal, Scoring};
    use gridhunt_boards::{Corner, Start};

    /// The rows of a board.
    fn rows(board: &Board) -> Vec<String> {
        let symbol = |&colour: &u8| board.symbols()[usize::from(colour)].as_str();
        board.cells().chunks(board.cols()).map(|row| row.iter().map(symbol).collect()).collect()
    }

    #[test]
    fn golden_boards() {
        // Datasets are described by size, colours, rules and seed: these must never change.
        let spec = GenerateSpec { rows: 4, cols: 5, colours: 3, seed: 1, start: Start::TopLeft };
        let (board, clicks) = generate_clearable(&spec, Rules::default(), 0).unwrap();
        assert_eq!(board.name(), "clearable-4x5-3c-seed1#1");
        assert_eq!((rows(&board).join(" ").as_str(), clicks.len()), ("23131 23131 31212 31212", 10));
        let turned = Rules { corner: Corner::TopRight, ..Rules::default() };
        let (board, _) = generate_clearable(&spec, turned, 0).unwrap();
        assert_eq!(rows(&board).join(" "), "21213 21213 13132 13132");
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let spec = GenerateSpec { rows: 2, cols: 9, colours: 3, seed: 1, start: Start::TopLeft };
        let error = |spec: &GenerateSpec, min_group| {
            let rules = Rules { min_group, ..Rules::default() };
            generate_clearable(spec, rules, 0).unwrap_err().to_string()
        };
        assert!(error(&spec, 3).contains("found 2 rows, expected 3 rows or more"), "{}", error(&spec, 3));
        assert!(error(&GenerateSpec { cols: 0, ..spec }, 2).contains("expected 1 to 10000 cells"));
        // One column of the cells of one group has one colour.
        assert!(error(&GenerateSpec { rows: 2, cols: 1, ..spec }, 2).contains("found no clearable board"));
    }

    #[test]
    fn boards_built_backwards_can_be_cleared() {
        for (rows, cols, colours, min_group) in
            [(5, 5, 5, 2), (2, 9, 3, 2), (9, 2, 2, 2), (12, 7, 6, 1), (9, 14, 5, 3), (30, 30, 6, 2)]
        {
            for columns in Columns::ALL {
                for corner in Corner::ALL {
                    let rules = Rules { min_group, columns, corner };
                    let spec = GenerateSpec { rows, cols, colours, seed: 9, start: Start::TopLeft };
                    for index in 0..5 {
                        let (board, clicks) = generate_clearable(&spec, rules, index).unwrap();
                        let claimed = Some(clicks.len() as i64);
                        let game = (rules, Goal::Clicks, &Scoring::default());
                        let verdict = verify_clicks(&board, game, &clicks, claimed);
                        assert!(verdict.is_ok_and(|(_, replay)| replay.cells_left == 0), "{rules:?} {}", board.name());
                    }
                }
            }
        }
    }
}
