//! A cell of a board: its row and its column.

/// A cell: its row and its column, counted from 0 at the top left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Row from the top.
    pub row: usize,
    /// Column from the left.
    pub col: usize,
}

impl Cell {
    /// Parses `ROW,COLUMN`, counted from 1, which is also how a cell is displayed. `None` for any other text.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let from_one = |text: &str| text.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let (row, col) = text.split_once(',')?;
        Some(Self { row: from_one(row)?, col: from_one(col)? })
    }
}

impl std::fmt::Display for Cell {
    /// Writes `ROW,COLUMN`, counted from 1.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.row.saturating_add(1), self.col.saturating_add(1))
    }
}
