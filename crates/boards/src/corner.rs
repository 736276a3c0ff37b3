//! The corners of a board.

use crate::names;

/// A corner of a board: the one towards which cells fall and columns close up, or where cells are counted from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corner {
    /// Down and to the left.
    #[default]
    BottomLeft,
    /// Down and to the right.
    BottomRight,
    /// Up and to the left.
    TopLeft,
    /// Up and to the right.
    TopRight,
}

names!(Corner: BottomLeft "bottom-left", BottomRight "bottom-right", TopLeft "top-left", TopRight "top-right");

impl Corner {
    /// Whether cells fall upwards.
    #[must_use]
    pub fn is_top(self) -> bool {
        matches!(self, Self::TopLeft | Self::TopRight)
    }

    /// Whether columns close up to the right.
    #[must_use]
    pub fn is_right(self) -> bool {
        matches!(self, Self::BottomRight | Self::TopRight)
    }
}
