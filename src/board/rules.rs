//! What the known variants of Clickomania differ in, and what is wanted of a board.

use super::names::names;

/// What happens to a column without cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The columns on its far side close up.
    #[default]
    Close,
    /// It stays: what is on either side never meets.
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
    /// Cells of a group that can be clicked away, at least; 1 or more.
    pub min_group: u32,
    /// What happens to a column without cells.
    pub columns: Columns,
    /// Where everything goes.
    pub corner: Corner,
}

impl Default for Rules {
    /// SameGame: pairs and more, columns close up, down and to the left.
    fn default() -> Self {
        Self { min_group: 2, columns: Columns::default(), corner: Corner::default() }
    }
}

/// What is wanted; each is a loss to be made as small as possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Any way to clear the board: it costs nothing.
    #[default]
    Clear,
    /// The fewest clicks that clear it.
    Clicks,
    /// The fewest cells left.
    Left,
    /// The highest score: `(n - 2)^2` for each click on `n` cells, and 1000 for a clear. The loss is what it falls short of a clear with
    /// one click for each colour.
    Score,
}

names!(Columns: Close "close", Stay "stay");
names!(Objective: Clear "clear", Clicks "clicks", Left "left", Score "score");
names!(Corner: BottomLeft "bottom-left", BottomRight "bottom-right", TopLeft "top-left", TopRight "top-right");

impl Corner {
    /// Whether cells go up.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_back() {
        assert!(Columns::ALL.into_iter().all(|one| one.to_string().parse() == Ok(one)));
        assert!(Corner::ALL.into_iter().all(|one| one.to_string().parse() == Ok(one)));
        assert!(Objective::ALL.into_iter().all(|one| one.to_string().parse() == Ok(one)));
        let error = "gone".parse::<Columns>().unwrap_err();
        assert_eq!(error.to_string(), "found \"gone\", expected one of: close, stay");
    }
}
