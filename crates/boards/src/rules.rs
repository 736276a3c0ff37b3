//! The rules in which variants of Clickomania differ, and the objectives of a search.

use crate::names;

/// What happens to an empty column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The columns on the far side of the empty one close the gap.
    #[default]
    Close,
    /// The empty column stays: cells on its two sides never touch.
    Stay,
}

/// The corner towards which cells fall and columns close up.
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

/// The rules of one variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The fewest cells of a group that a click can remove; at least 1.
    pub min_group: u32,
    /// What happens to an empty column.
    pub columns: Columns,
    /// The corner towards which cells fall and columns close up.
    pub corner: Corner,
}

impl Default for Rules {
    /// The rules of SameGame: groups of two or more cells; cells fall down, and columns close up to the left.
    fn default() -> Self {
        Self { min_group: 2, columns: Columns::default(), corner: Corner::default() }
    }
}

/// What a search optimises. Each objective is a loss, which the search minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Clear the board, with any number of clicks. The loss is 0.
    #[default]
    Clear,
    /// Clear the board with the fewest clicks.
    Clicks,
    /// Leave the fewest cells.
    Left,
    /// Reach the highest score under a [`Scoring`](crate::Scoring). The loss is the difference to a score that no
    /// solution exceeds.
    Score,
}

names!(Columns: Close "close", Stay "stay");
names!(Objective: Clear "clear", Clicks "clicks", Left "left", Score "score");
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
