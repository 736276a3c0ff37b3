//! Replays solutions of Clickomania with the plain rules on a grid of cells.

use crate::{Columns, Goal, Rules, ScoreRuleError, Scoring};
use gridhunt_boards::{Board, Cell, plural};

/// What a replay of clicks has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickReplay {
    /// The number of cells that each click removed.
    pub sizes: Vec<usize>,
    /// The number of cells left at the end.
    pub cells_left: usize,
    /// Whether a further click is possible at the end.
    pub has_more_clicks: bool,
    /// The score under the scoring of the replay.
    pub score: i64,
}

/// Why a list of clicks is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClickError {
    /// This cell of the board (the first such cell, counted row by row) could still fall.
    #[error("found cell {0} that could still fall, expected all cells to have fallen")]
    Hanging(Cell),
    /// This cell (the first such cell, counted row by row) is behind an empty column that the rules close up.
    #[error("found cell {0} behind an empty column, expected all columns to have closed up")]
    Unclosed(Cell),
    /// A click names a cell outside the board.
    #[error("click {number}: found cell {cell}, expected one of {rows} x {cols}")]
    Outside {
        /// The click, from 1.
        number: usize,
        /// The cell that it names.
        cell: Cell,
        /// Rows of the board.
        rows: usize,
        /// Columns of the board.
        cols: usize,
    },
    /// A click hits an empty cell, or a group with too few cells.
    #[error(
        "click {number}: found {} of one colour at {cell}, expected {expected} or more",
        plural(*size, "cell")
    )]
    TooSmall {
        /// The click, from 1.
        number: usize,
        /// The cell that it names.
        cell: Cell,
        /// The number of cells of the group there; 0 for an empty cell.
        size: usize,
        /// The fewest cells that the rules allow.
        expected: u32,
    },
    /// Cells are left, although the objective was to clear the board.
    #[error("after {}: found {} left, expected none", plural(*clicks, "click"), plural(*left, "cell"))]
    Incomplete {
        /// The number of clicks.
        clicks: usize,
        /// The number of cells that they leave.
        left: usize,
    },
    /// The value of the solution differs from the claimed value.
    #[error("found {found} for the objective {what}, expected {claimed}, which the solution claims")]
    WrongCost {
        /// The objective.
        what: Goal,
        /// The value that the replay found.
        found: i64,
        /// The claimed value.
        claimed: i64,
    },
    /// The scoring has no value for a number of cells.
    #[error(transparent)]
    Scoring(#[from] ScoreRuleError),
}

impl ClickError {
    /// The number, from 1, of the invalid click. `None` when every click is valid and the error is about the board, the
    /// cells left or the claimed value.
    #[must_use]
    pub fn failed_move(&self) -> Option<usize> {
        match self {
            Self::Outside { number, .. } | Self::TooSmall { number, .. } => Some(*number),
            Self::Hanging(_) | Self::Unclosed(_) | Self::Scoring(_) => None,
            Self::Incomplete { .. } | Self::WrongCost { .. } => None,
        }
    }
}

/// A game of Clickomania in progress.
#[derive(Clone, Debug)]
pub struct ClickPlay<'a> {
    rules: Rules,
    board: &'a Board,
    /// The colour of each cell that is left, in the order of [`Board::cells`].
    cells: Vec<Option<u8>>,
}

impl<'a> ClickPlay<'a> {
    /// The game before the first click.
    ///
    /// # Errors
    /// When a cell could still fall, or a column could still close up.
    pub fn new(board: &'a Board, rules: Rules) -> Result<Self, ClickError> {
        let play = Self { rules, board, cells: board.contents().collect() };
        play.check_collapsed()?;
        Ok(play)
    }

    /// Checks that no cell can fall and no column can close up.
    fn check_collapsed(&self) -> Result<(), ClickError> {
        let Rules { columns, corner, .. } = self.rules;
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let empty_columns: Vec<bool> =
            (0..cols).map(|col| self.cells.iter().skip(col).step_by(cols).all(Option::is_none)).collect();
        for (row, line) in self.cells.chunks(cols).enumerate() {
            let beneath = if corner.is_top() { row.checked_sub(1) } else { Some(row + 1).filter(|&next| next < rows) };
            for col in (0..cols).filter(|&col| line[col].is_some()) {
                let cell = Cell { row, col };
                if beneath.is_some_and(|row| self.cells[row * cols + col].is_none()) {
                    return Err(ClickError::Hanging(cell));
                }
                let prev = if corner.is_right() { col + 1 } else { col.wrapping_sub(1) };
                match columns {
                    Columns::Close if empty_columns.get(prev) == Some(&true) => return Err(ClickError::Unclosed(cell)),
                    Columns::Close | Columns::Stay => {}
                }
            }
        }
        Ok(())
    }

    /// The colour of each cell, in the order of [`Board::cells`]; `None` for a cell that is gone.
    #[must_use]
    pub fn cells(&self) -> &[Option<u8>] {
        &self.cells
    }

    /// The cells, as indices, that a click on `cell` would remove. `number` is the number of the click in errors.
    ///
    /// # Errors
    /// When `cell` lies outside the board, is empty, or has a group that is too small.
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

    /// Makes click `number`. Returns the number of removed cells.
    ///
    /// # Errors
    /// As [`ClickPlay::group_of`].
    pub fn click(&mut self, number: usize, cell: Cell) -> Result<usize, ClickError> {
        let group = self.group_of(number, cell)?;
        let size = group.len();
        group.into_iter().for_each(|at| self.cells[at] = None);
        self.collapse();
        Ok(size)
    }

    /// The cells of the group at an index; none for an empty cell.
    fn group(&self, at: usize) -> Vec<usize> {
        let Some(colour) = self.cells[at] else { return Vec::new() };
        let mut group = vec![at];
        let mut seen = vec![false; self.cells.len()];
        seen[at] = true;
        let mut next = 0;
        while next < group.len() {
            for neighbour in self.board.neighbours(group[next]) {
                if !seen[neighbour] && self.cells[neighbour] == Some(colour) {
                    seen[neighbour] = true;
                    group.push(neighbour);
                }
            }
            next += 1;
        }
        group
    }

    /// Lets cells fall and, if the rules say so, columns close up.
    fn collapse(&mut self) {
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let mut columns: Vec<Vec<u8>> =
            (0..cols).map(|col| (0..rows).filter_map(|row| self.cells[row * cols + col]).collect()).collect();
        match self.rules.columns {
            Columns::Close => columns.retain(|column| !column.is_empty()),
            Columns::Stay => {}
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

    /// The number of cells left.
    #[must_use]
    pub fn cells_left(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    /// Whether a click is possible.
    fn has_more_clicks(&self) -> bool {
        (0..self.cells.len())
            .any(|at| self.cells[at].is_some() && self.group(at).len() >= self.rules.min_group as usize)
    }
}

impl ClickPlay<'_> {
    /// The score if the game ended now, after clicks on groups of these sizes.
    ///
    /// # Errors
    /// When the scoring has no value for a number of cells.
    pub fn score(&self, scoring: &Scoring, sizes: &[usize]) -> Result<i64, ScoreRuleError> {
        let count = |cells: usize| u32::try_from(cells).unwrap_or(u32::MAX);
        let mut score = 0;
        for &size in sizes {
            score += scoring.points.value(count(size))?;
        }
        for colour in 0..=u8::MAX {
            let left = self.cells.iter().filter(|&&cell| cell == Some(colour)).count();
            score -= scoring.left_penalty.value(count(left))?;
        }
        Ok(score + if self.cells_left() == 0 { i64::from(scoring.clear_bonus) } else { 0 })
    }
}

/// Plays `clicks`. Each is a cell of the board as it lies just before that click.
///
/// # Errors
/// When a cell of the board could still fall or a column could still close up, when a click is invalid, and when the
/// scoring has no value for a group.
pub fn replay_clicks(
    board: &Board,
    rules: Rules,
    scoring: &Scoring,
    clicks: &[Cell],
) -> Result<ClickReplay, ClickError> {
    let mut play = ClickPlay::new(board, rules)?;
    let sizes = (1..).zip(clicks).map(|(number, &cell)| play.click(number, cell)).collect::<Result<Vec<_>, _>>()?;
    let score = play.score(scoring, &sizes)?;
    Ok(ClickReplay { has_more_clicks: play.has_more_clicks(), sizes, cells_left: play.cells_left(), score })
}

/// Replays clicks, and compares their value with the claimed value, if there is one. Returns the value and the replay.
///
/// The value depends on the objective: 0 for `clear`, the number of clicks, the number of cells left, or the score.
///
/// # Errors
/// As [`replay_clicks`], and when cells are left although the objective is to clear the board, or when the value
/// differs from the claimed one.
pub fn verify_clicks(
    board: &Board,
    (rules, goal, scoring): (Rules, Goal, &Scoring),
    clicks: &[Cell],
    claimed: Option<i64>,
) -> Result<(i64, ClickReplay), ClickError> {
    let replay = replay_clicks(board, rules, scoring, clicks)?;
    let left = replay.cells_left;
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let found = match goal {
        Goal::Clear | Goal::Clicks if left > 0 => return Err(ClickError::Incomplete { clicks: clicks.len(), left }),
        Goal::Clear => 0,
        Goal::Clicks => count(clicks.len()),
        Goal::Left => count(left),
        Goal::Score => replay.score,
    };
    match claimed.filter(|&claimed| claimed != found) {
        Some(claimed) => Err(ClickError::WrongCost { what: goal, found, claimed }),
        None => Ok((found, replay)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Corner, EMPTY, usual_symbols};

    #[test]
    fn empty_cells_stand_only_where_the_rules_have_them() {
        let played = |rows, cols, cells| Board::new("b", rows, cols, cells, usual_symbols(2), Cell::default()).unwrap();
        let half = played(2, 2, vec![EMPTY, 0, 0, 0]);
        let rules = |corner, columns| Rules { corner, columns, ..Rules::default() };
        let replay = |board: &Board, corner, columns, clicks: &[Cell]| {
            replay_clicks(board, rules(corner, columns), &Scoring::default(), clicks)
        };
        let click = [Cell { row: 1, col: 1 }];
        assert_eq!(replay(&half, Corner::BottomLeft, Columns::Close, &click).unwrap().cells_left, 0);
        let hanging = replay(&half, Corner::TopLeft, Columns::Stay, &click).unwrap_err();
        assert_eq!(hanging, ClickError::Hanging(Cell { row: 1, col: 0 }));
        assert_eq!(hanging.to_string(), "found cell 2,1 that could still fall, expected all cells to have fallen");
        let apart = played(1, 4, vec![0, EMPTY, 0, 0]);
        for (corner, col) in [(Corner::BottomLeft, 2), (Corner::TopRight, 0)] {
            let error = replay(&apart, corner, Columns::Close, &[]).unwrap_err();
            assert!(
                error.to_string().starts_with(&format!("found cell 1,{} behind an empty column", col + 1)),
                "{error}"
            );
            assert_eq!((error.failed_move(), error), (None, ClickError::Unclosed(Cell { row: 0, col })));
            assert!(replay(&apart, corner, Columns::Stay, &[Cell { row: 0, col: 3 }]).is_ok());
        }
    }
}
