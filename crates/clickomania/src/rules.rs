//! The rules in which variants differ, and the goals of a search.

use gridhunt_boards::{Corner, names};

/// What happens to an empty column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The columns on the far side of the empty one close the gap.
    #[default]
    Close,
    /// The empty column stays: cells on its two sides never touch.
    Stay,
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

/// What a search optimises. Each goal is a loss, which the search minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
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
names!(Goal: Clear "clear", Clicks "clicks", Left "left", Score "score");
