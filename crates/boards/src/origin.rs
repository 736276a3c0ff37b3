//! How files count the rows and columns of clicked cells.

use crate::{Cell, Corner, OptionError};
use std::fmt;
use std::str::FromStr;

/// How a file writes cells: the corner and the number from which it counts, and whether row or column comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The corner whose cell has the smallest numbers.
    pub corner: Corner,
    /// The number of the first row and of the first column: 0 or 1.
    pub base: usize,
    /// Whether the column comes before the row.
    pub is_column_first: bool,
}

impl Default for Origin {
    /// `ROW,COLUMN` from 1 at the top left, as gridhunt writes cells.
    fn default() -> Self {
        Self { corner: Corner::TopLeft, base: 1, is_column_first: false }
    }
}

impl Origin {
    /// The cell that two numbers name on a board of this size; `None` if it lies outside.
    #[must_use]
    pub fn cell(self, first: usize, second: usize, (rows, cols): (usize, usize)) -> Option<Cell> {
        let (row, col) = if self.is_column_first { (second, first) } else { (first, second) };
        let (row, col) = (row.checked_sub(self.base)?, col.checked_sub(self.base)?);
        if row >= rows || col >= cols {
            return None;
        }
        let row = if self.corner.is_top() { row } else { rows - 1 - row };
        let col = if self.corner.is_right() { cols - 1 - col } else { col };
        Some(Cell { row, col })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.corner, self.base, if self.is_column_first { "xy" } else { "rc" })
    }
}

impl FromStr for Origin {
    type Err = OptionError;

    /// Parses `CORNER[,BASE[,ORDER]]`, such as `bottom-left` or `top-left,0,rc`. The order is `xy` (column, row) or
    /// `rc` (row, column). A corner alone means `xy` from 0: most programs that name an origin count in this way.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut parts = text.split(',').map(str::trim);
        let corner = parts.next().and_then(|corner| corner.parse().ok());
        let base = match parts.next() {
            None | Some("0") => Some(0),
            Some("1") => Some(1),
            Some(_) => None,
        };
        let is_column_first = match parts.next() {
            None | Some("xy") => Some(true),
            Some("rc") => Some(false),
            Some(_) => None,
        };
        match (corner, base, is_column_first, parts.next()) {
            (Some(corner), Some(base), Some(is_column_first), None) => Ok(Self { corner, base, is_column_first }),
            _ => Err(OptionError::new(
                text,
                "CORNER[,BASE[,ORDER]], such as bottom-left or top-left,1,rc; BASE is 0 or 1, ORDER xy or rc",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_from_every_corner() {
        let cell = |origin: &str, a, b| origin.parse::<Origin>().unwrap().cell(a, b, (3, 5)).map(|c| (c.row, c.col));
        assert_eq!(cell("bottom-left", 0, 2), Some((0, 0)));
        assert_eq!(cell("bottom-left,1,rc", 1, 5), Some((2, 4)));
        assert_eq!(cell("top-right", 1, 2), Some((2, 3)));
        assert_eq!(cell("top-left,1", 5, 3), Some((2, 4)));
        assert_eq!((cell("top-left,1", 0, 3), cell("bottom-left", 5, 0)), (None, None));
        assert_eq!(Origin::default().cell(2, 1, (3, 5)), Some(Cell { row: 1, col: 0 }));
        for text in ["middle", "top-left,2", "top-left,0,yx", "top-left,0,xy,1", ""] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
        assert_eq!("bottom-right,1,rc".parse::<Origin>().unwrap().to_string(), "bottom-right,1,rc");
    }
}
