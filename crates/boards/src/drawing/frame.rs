//! A board at one moment, as text and pictures show it.

/// What a drawing adds to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// The start cell, or the cell of the next click.
    Point,
    /// A flooded cell, or a cell of the group of the next click.
    Area,
    /// The bunny, which looks to the right.
    East,
    /// The bunny, which looks down.
    South,
    /// The bunny, which looks to the left.
    West,
    /// The bunny, which looks up.
    North,
}

impl Mark {
    /// The character before the symbol of a cell.
    #[must_use]
    pub fn character(self) -> char {
        match self {
            Self::None => ' ',
            Self::Point => '*',
            Self::Area => '+',
            Self::East => '>',
            Self::South => 'v',
            Self::West => '<',
            Self::North => '^',
        }
    }
}

/// The cells of a board at one moment, with marks and a caption. Text, pictures and screens are drawn from frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// One line that describes the moment, without the name of the board.
    pub caption: String,
    /// The colour of each cell, in the order of [`Board::cells`](crate::Board::cells); `None` for an empty cell.
    pub cells: Vec<Option<u8>>,
    /// The mark of each cell.
    pub marks: Vec<Mark>,
}
