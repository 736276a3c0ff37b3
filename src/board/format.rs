//! The formats and the options that readers obey.

use super::{Cell, JsonLayout, OptionError};
use std::fmt;
use std::str::FromStr;

/// A format of board files. In all of them but `bunny` lines that begin with `#` are comments; a byte order mark and CRLF are
/// accepted. A symbol is a digit or a letter; the colours are ordered `0` to `9`, then `A` to `Z`. An empty cell is `.` among
/// symbols and `-1` among numbers and in `csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One row a line, the symbols with or without spaces between them; before them, optionally, a header
    /// `rows cols colours [start]`. With a header the colours are the symbols `1`, `2`, ... up to that number.
    Text,
    /// One row a line, symbols (or whole numbers, where 10 is the symbol `A`) with commas between them.
    Csv,
    /// Many boards, one a line without spaces: square, or all of the size that the options give.
    Lines,
    /// A header `rows cols colours [start]`, then the cells row by row as whole numbers from 1, broken into lines
    /// anywhere; at the end, optionally, the published optimum.
    Numbers,
    /// Objects, one or many: `cells` (rows, each a string of symbols or a list of whole numbers) and, optionally,
    /// `rows`, `cols`, `colours` (how many) or `symbols` (which), `start` (`[row, column]` from 1, or a word),
    /// `name`, `published`, `layout` (the name of a [`JsonLayout`], where `cells` are columns). Instead of `cells` a board of
    /// Hopping Bunny has `bunny`: rows as in the format of that name.
    Json,
    /// Boards of Hopping Bunny, a blank line between them: `S` the start, `#` a square that is not marked, `O` one that is, and
    /// nothing for a space or a dot.
    Bunny,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [Self::Text, Self::Csv, Self::Lines, Self::Numbers, Self::Json, Self::Bunny];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Lines => "lines",
            Self::Numbers => "numbers",
            Self::Json => "json",
            Self::Bunny => "bunny",
        }
    }

    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => "one row a line, digits or letters, spaces or none; a header `rows cols colours` or none",
            Self::Csv => "one row a line, commas between the cells",
            Self::Lines => "one board a line, square or of the size given with --size",
            Self::Numbers => "a header `rows cols colours`, then the cells as numbers from 1, then perhaps the optimum",
            Self::Json => "an object with `cells`, or many of them one after the other",
            Self::Bunny => "boards of Hopping Bunny: S, #, O and spaces; a blank line between them",
        }
    }

    /// Whether it holds boards of any colours.
    #[must_use]
    pub fn holds_colours(self) -> bool {
        self != Self::Bunny
    }

    /// Whether one file may hold many boards.
    #[must_use]
    pub fn holds_many(self) -> bool {
        matches!(self, Self::Lines | Self::Json | Self::Bunny)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        Self::ALL.into_iter().find(|f| f.name() == text).ok_or_else(|| OptionError {
            found: text.to_owned(),
            expected: format!("one of the formats {}", Self::ALL.map(Self::name).join(", ")),
        })
    }
}

/// Where the flood starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// The first cell of the first row.
    #[default]
    TopLeft,
    /// Row `rows / 2` and column `cols / 2`, counted from 0: the middle of odd sizes, right below the middle of even
    /// ones.
    Centre,
    /// A cell.
    At(Cell),
}

impl Start {
    /// The cell on a board of that size; it lies outside when the start was given so.
    #[must_use]
    pub fn cell(self, rows: usize, cols: usize) -> Cell {
        match self {
            Self::TopLeft => Cell::default(),
            Self::Centre => Cell { row: rows / 2, col: cols / 2 },
            Self::At(cell) => cell,
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TopLeft => f.pad("top-left"),
            Self::Centre => f.pad("centre"),
            Self::At(cell) => f.pad(&cell.to_string()),
        }
    }
}

impl FromStr for Start {
    type Err = OptionError;

    /// `top-left`, `centre` (or `center`), or `R,C`: row and column counted from 1.
    fn from_str(text: &str) -> Result<Self, OptionError> {
        match text {
            "top-left" => Some(Self::TopLeft),
            "centre" | "center" => Some(Self::Centre),
            _ => Cell::from_text(text).map(Self::At),
        }
        .ok_or_else(|| OptionError {
            found: text.to_owned(),
            expected: "top-left, centre, or ROW,COLUMN counted from 1".into(),
        })
    }
}

/// A size as `--size` takes it: `ROWSxCOLS`, both at least 1.
///
/// # Errors
/// When it is not that.
pub fn parse_size(text: &str) -> Result<(usize, usize), OptionError> {
    let positive = |s: &str| s.parse::<usize>().ok().filter(|&n| n > 0);
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((positive(rows)?, positive(cols)?)))
        .ok_or_else(|| OptionError { found: text.to_owned(), expected: "a size ROWSxCOLS, such as 19x19".into() })
}

/// How to read a board file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; without it the content decides, and content that fits two formats is an error.
    pub format: Option<Format>,
    /// The format of a file that is not JSON, where none is named and the content would not tell: `bunny`, or none.
    pub default_format: Option<Format>,
    /// Rows and columns of every board: needed for `lines` that are not square, checked everywhere.
    pub size: Option<(usize, usize)>,
    /// The start cell; goes before what the file says.
    pub start: Option<Start>,
    /// How the cells of JSON stand; goes before what the file says.
    pub json_layout: Option<JsonLayout>,
}
