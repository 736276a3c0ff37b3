//! Formats of board files, and options for reading them.

use crate::{Cell, OptionError, closest_name, names};
use std::fmt;
use std::str::FromStr;

/// A format of board files.
///
/// A symbol is a digit or a letter, and colours are sorted by symbol: `0` to `9`, then `A` to `Z`. An empty cell is `.`
/// among symbols, and `-1` among numbers and in `csv`. A line that begins with `#` is a comment, except in `bunny`.
/// Every format accepts a byte order mark and CRLF line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One row per line, the symbols with or without spaces between them. A header `rows cols colours [start]` may come
    /// first; then the colours are the usual symbols `1`, `2`, ... up to that number.
    Text,
    /// One row per line, with commas between the cells. A cell is a symbol or a whole number (10 is the symbol `A`).
    Csv,
    /// Many boards, one a line, without spaces. The boards are square, or have the size that the options give.
    Lines,
    /// A header `rows cols colours [start]`, then the cells row by row as whole numbers from 1, with line breaks
    /// anywhere. The published optimum may follow.
    Numbers,
    /// One or more JSON objects. `cells` is a list of rows, each a string of symbols or a list of whole numbers.
    /// Optional fields: `rows`, `cols`, `colours` (their number) or `symbols` (their symbols), `start` (`[row, column]`
    /// from 1, or a word), `name`, `published`, and `layout` (the name of a [`JsonLayout`](crate::JsonLayout)) when
    /// `cells` holds columns. A board of Hopping Bunny has `bunny` instead of `cells`: rows as in [`Format::Bunny`].
    Json,
    /// Boards of Hopping Bunny with a blank line between them. `S` is the start, `#` an unmarked square, `O` a marked
    /// square; a space or a dot is no square.
    Bunny,
    /// Game IDs, one a line: of Flood and Same Game in Simon Tatham's puzzles, and of ColorFill. Also saved games of
    /// the former.
    GameId,
    /// A picture of one board, PNG, JPEG or PNM (P1 to P6), or of a screen that shows one.
    Picture,
}

names!(Format: Text "text", Csv "csv", Lines "lines", Numbers "numbers", Json "json", Bunny "bunny", GameId "game-id",
    Picture "picture");

impl Format {
    /// A description in one line, for help texts.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => {
                "one row per line, digits or letters, with or without spaces; optional header `rows cols colours`"
            }
            Self::Csv => "one row per line, commas between the cells",
            Self::Lines => "one board per line, square or of the size given with --size",
            Self::Numbers => {
                "a header `rows cols colours`, then the cells as numbers from 1, then optionally the optimum"
            }
            Self::Json => "one or more objects with `cells`",
            Self::Bunny => "boards of Hopping Bunny: S, #, O and spaces; a blank line between them",
            Self::GameId => "game IDs of Tatham's Flood and Same Game, and of ColorFill, one a line",
            Self::Picture => "a picture of a board, PNG, JPEG or PNM, or of a screen with a board",
        }
    }

    /// Whether boards can be written in the format.
    #[must_use]
    pub fn is_writable(self) -> bool {
        !matches!(self, Self::GameId | Self::Picture)
    }
}

/// The start cell of a board, as an option or a file names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// The first cell of the first row.
    #[default]
    TopLeft,
    /// The last cell of the first row.
    TopRight,
    /// The first cell of the last row.
    BottomLeft,
    /// The last cell of the last row.
    BottomRight,
    /// Row `rows / 2` and column `cols / 2`, counted from 0. This is the middle of an odd size; on an even size it is
    /// the lower right of the middle cells.
    Centre,
    /// This cell.
    At(Cell),
}

impl Start {
    /// The start cell of a board of this size. The result is not checked: [`Start::At`] may name a cell outside the
    /// board.
    #[must_use]
    pub fn cell(self, rows: usize, cols: usize) -> Cell {
        match self {
            Self::TopLeft => Cell::default(),
            Self::TopRight => Cell { row: 0, col: cols.saturating_sub(1) },
            Self::BottomLeft => Cell { row: rows.saturating_sub(1), col: 0 },
            Self::BottomRight => Cell { row: rows.saturating_sub(1), col: cols.saturating_sub(1) },
            Self::Centre => Cell { row: rows / 2, col: cols / 2 },
            Self::At(cell) => cell,
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TopLeft => f.pad("top-left"),
            Self::TopRight => f.pad("top-right"),
            Self::BottomLeft => f.pad("bottom-left"),
            Self::BottomRight => f.pad("bottom-right"),
            Self::Centre => f.pad("centre"),
            Self::At(cell) => f.pad(&cell.to_string()),
        }
    }
}

impl FromStr for Start {
    type Err = OptionError;

    /// Parses a corner such as `top-left`, `centre` (or `center`), or `ROW,COLUMN` counted from 1.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        match text.to_lowercase().replace('_', "-").as_str() {
            "top-left" | "topleft" | "corner" => Some(Self::TopLeft),
            "top-right" | "topright" => Some(Self::TopRight),
            "bottom-left" | "bottomleft" => Some(Self::BottomLeft),
            "bottom-right" | "bottomright" => Some(Self::BottomRight),
            "centre" | "center" | "middle" => Some(Self::Centre),
            _ => Cell::from_text(text).map(Self::At),
        }
        .ok_or_else(|| OptionError {
            found: text.to_owned(),
            nearest: closest_name(text, ["top-left", "top-right", "bottom-left", "bottom-right", "centre"])
                .map(Into::into),
            expected: "a corner (top-left, top-right, bottom-left, bottom-right), centre, or ROW,COLUMN counted from 1"
                .into(),
        })
    }
}

/// Parses a size `ROWSxCOLS` into rows and columns, both at least 1.
///
/// # Errors
/// When the text has another form.
pub fn parse_size(text: &str) -> Result<(usize, usize), OptionError> {
    let positive = |s: &str| s.trim().parse::<usize>().ok().filter(|&n| n > 0);
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((positive(rows)?, positive(cols)?)))
        .ok_or_else(|| OptionError::new(text, "a size ROWSxCOLS, such as 19x19"))
}
