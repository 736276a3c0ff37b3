//! The plain rules of Clickomania on a grid of cells.

use super::replay::plural;
use crate::board::{Board, Cell, Columns, Objective, Rules};

/// What happened on the board, click by click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickReplay {
    /// Cells that went with each click.
    pub sizes: Vec<usize>,
    /// Cells left at the end.
    pub left: usize,
    /// Whether a click is possible at the end.
    pub has_more_clicks: bool,
    /// `(n - 2)^2` for each click on `n` cells, and 1000 for a clear.
    pub score: u32,
}

/// Why clicks are no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClickError {
    /// A cell of the board has nothing beneath it.
    #[error("found cell {cell} with nothing beneath it, expected that cells have fallen")]
    Hanging {
        /// The first such cell, row by row from the top left.
        cell: Cell,
    },
    /// A cell of the board has an empty column before it, though columns close up.
    #[error("found cell {cell} with an empty column before it, expected that columns have closed up")]
    Apart {
        /// The first such cell, row by row from the top left.
        cell: Cell,
    },
    /// A click outside.
    #[error("click {number}: found cell {cell}, expected one of {rows} x {cols}")]
    Outside {
        /// The click, from 1.
        number: usize,
        /// What it names.
        cell: Cell,
        /// Rows of the board.
        rows: usize,
        /// Columns of the board.
        cols: usize,
    },
    /// A click on a place without a cell, or on too few of them.
    #[error("click {number}: found {size} {} of one colour at {cell}, expected {expected} or more", plural(*size, "cell"))]
    TooSmall {
        /// The click, from 1.
        number: usize,
        /// Where.
        cell: Cell,
        /// Cells of the group there; 0 where there is none.
        size: usize,
        /// What the rules want.
        expected: u32,
    },
    /// Cells are left of a board that was to be cleared.
    #[error("after {clicks} {}: found {left} {} left, expected none", plural(*clicks, "click"), plural(*left, "cell"))]
    Incomplete {
        /// How many clicks there are.
        clicks: usize,
        /// What they leave.
        left: usize,
    },
    /// What they come to is not what was claimed.
    #[error("found {found} for the objective {what}, expected {claimed}, which the solution claims")]
    WrongCost {
        /// What is counted.
        what: Objective,
        /// The truth.
        found: u32,
        /// The claim.
        claimed: u32,
    },
}

impl ClickError {
    /// The number, from 1, of the click that fails; `None` when none does, but the board, or what they lead to or claim.
    #[must_use]
    pub fn failed_move(&self) -> Option<usize> {
        match self {
            Self::Outside { number, .. } | Self::TooSmall { number, .. } => Some(*number),
            Self::Hanging { .. } | Self::Apart { .. } | Self::Incomplete { .. } | Self::WrongCost { .. } => None,
        }
    }
}

/// A board that is being clicked away.
#[derive(Clone, Debug)]
pub struct ClickPlay<'a> {
    rules: Rules,
    board: &'a Board,
    /// The colour of each cell, in the order of the board.
    cells: Vec<Option<u8>>,
}

impl<'a> ClickPlay<'a> {
    /// Before the first click.
    ///
    /// # Errors
    /// When a cell has still to fall, or a column to close up.
    pub fn new(board: &'a Board, rules: Rules) -> Result<Self, ClickError> {
        let play = Self { rules, board, cells: board.contents().collect() };
        play.check()?;
        Ok(play)
    }

    /// Whether everything has come to rest.
    fn check(&self) -> Result<(), ClickError> {
        let Rules { columns, corner, .. } = self.rules;
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let empty_columns: Vec<bool> =
            (0..cols).map(|col| self.cells.iter().skip(col).step_by(cols).all(Option::is_none)).collect();
        for (row, line) in self.cells.chunks(cols).enumerate() {
            let beneath = if corner.is_top() { row.checked_sub(1) } else { Some(row + 1).filter(|&next| next < rows) };
            for col in (0..cols).filter(|&col| line[col].is_some()) {
                let cell = Cell { row, col };
                if beneath.is_some_and(|row| self.cells[row * cols + col].is_none()) {
                    return Err(ClickError::Hanging { cell });
                }
                let before = if corner.is_right() { col + 1 } else { col.wrapping_sub(1) };
                if columns == Columns::Close && empty_columns.get(before) == Some(&true) {
                    return Err(ClickError::Apart { cell });
                }
            }
        }
        Ok(())
    }

    /// The colour of each cell that is left, in the order of [`Board::cells`].
    #[must_use]
    pub fn cells(&self) -> &[Option<u8>] {
        &self.cells
    }

    /// The cells that go with click `number`, as indices.
    ///
    /// # Errors
    /// When it names no cell, or a group that is too small to go.
    pub fn group_of(&self, number: usize, cell: Cell) -> Result<Vec<usize>, ClickError> {
        let (rows, cols) = (self.board.rows(), self.board.cols());
        if cell.row >= rows || cell.col >= cols {
            return Err(ClickError::Outside { number, cell, rows, cols });
        }
        let group = self.group(self.board.index(cell));
        let size = group.len();
        if size < self.rules.min_group as usize || size == 0 {
            return Err(ClickError::TooSmall { number, cell, size, expected: self.rules.min_group.max(1) });
        }
        Ok(group)
    }

    /// Makes click `number`; how many cells went.
    ///
    /// # Errors
    /// As [`ClickPlay::group_of`].
    pub fn click(&mut self, number: usize, cell: Cell) -> Result<usize, ClickError> {
        let group = self.group_of(number, cell)?;
        let size = group.len();
        group.into_iter().for_each(|at| self.cells[at] = None);
        self.settle();
        Ok(size)
    }

    /// The group of a cell; nothing where there is none.
    fn group(&self, at: usize) -> Vec<usize> {
        let Some(colour) = self.cells[at] else { return Vec::new() };
        let mut group = vec![at];
        let mut seen = vec![false; self.cells.len()];
        seen[at] = true;
        let mut next = 0;
        while next < group.len() {
            for beside in self.board.neighbours(group[next]) {
                if !seen[beside] && self.cells[beside] == Some(colour) {
                    seen[beside] = true;
                    group.push(beside);
                }
            }
            next += 1;
        }
        group
    }

    /// Lets cells fall, and columns close up.
    fn settle(&mut self) {
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let mut columns: Vec<Vec<u8>> =
            (0..cols).map(|col| (0..rows).filter_map(|row| self.cells[row * cols + col]).collect()).collect();
        if self.rules.columns == Columns::Close {
            columns.retain(|column| !column.is_empty());
        }
        let first = if self.rules.corner.is_right() { cols - columns.len() } else { 0 };
        self.cells.fill(None);
        for (column, col) in columns.iter().zip(first..) {
            let top = if self.rules.corner.is_top() { 0 } else { rows - column.len() };
            for (colour, row) in column.iter().zip(top..) {
                self.cells[row * cols + col] = Some(*colour);
            }
        }
    }

    /// How many cells are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    fn has_more_clicks(&self) -> bool {
        (0..self.cells.len())
            .any(|at| self.cells[at].is_some() && self.group(at).len() >= self.rules.min_group as usize)
    }
}

fn points(cells: usize) -> u32 {
    let over = u32::try_from(cells.saturating_sub(2)).unwrap_or(u32::MAX);
    over.saturating_mul(over)
}

/// Plays `clicks`, each a cell as the board lies then.
///
/// # Errors
/// When the board is not at rest, or a click names no cell, or a group that is too small to go.
pub fn replay_clicks(board: &Board, rules: Rules, clicks: &[Cell]) -> Result<ClickReplay, ClickError> {
    let mut play = ClickPlay::new(board, rules)?;
    let sizes = (1..).zip(clicks).map(|(number, &cell)| play.click(number, cell)).collect::<Result<Vec<_>, _>>()?;
    let left = play.left();
    let bonus = if left == 0 { 1000 } else { 0 };
    let score = sizes.iter().map(|&size| points(size)).sum::<u32>() + bonus;
    Ok(ClickReplay { has_more_clicks: play.has_more_clicks(), sizes, left, score })
}

/// Replays clicks to their end and says what they come to: 0 for a clear, clicks, cells left, or the score. Compares it with what
/// was claimed.
///
/// # Errors
/// When the board is not at rest, a click fails, cells are left of a board that was to be cleared, or it is not what was claimed.
pub fn verify_clicks(
    board: &Board,
    (rules, objective): (Rules, Objective),
    clicks: &[Cell],
    claimed: Option<u32>,
) -> Result<(u32, ClickReplay), ClickError> {
    let replay = replay_clicks(board, rules, clicks)?;
    let left = replay.left;
    if left > 0 && matches!(objective, Objective::Clear | Objective::Clicks) {
        return Err(ClickError::Incomplete { clicks: clicks.len(), left });
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let found = match objective {
        Objective::Clear => 0,
        Objective::Clicks => count(clicks.len()),
        Objective::Left => count(left),
        Objective::Score => replay.score,
    };
    match claimed.filter(|&claimed| claimed != found) {
        Some(claimed) => Err(ClickError::WrongCost { what: objective, found, claimed }),
        None => Ok((found, replay)),
    }
}
