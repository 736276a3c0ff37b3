//! Options for reading boards.

use crate::{Board, Format, Start, names};
use std::fmt;
use std::sync::Arc;

/// What the caller knows about puzzles. `domain` is the name of a puzzle.
pub trait PuzzleRules: Send + Sync {
    /// Whether a board is a position of the puzzle with this name.
    fn is_position(&self, domain: &str, board: &Board) -> bool;

    /// The puzzle and the option that a field of a file of boards means. The option is `domain` if the field names the
    /// puzzle. `field` is in small letters, without hyphens and spaces; `value` is its text or its number, otherwise
    /// empty. `domain` is the puzzle of the board, if it is known.
    fn rule_of_field(&self, domain: Option<&str>, field: &str, value: &str) -> Option<(&'static str, &'static str)>;
}

/// The puzzle that boards are for.
#[derive(Clone, Default)]
pub struct PuzzleContext {
    /// The name of the puzzle, if the caller knows it. Otherwise the head of a file may name one.
    pub domain: Option<String>,
    /// What the caller knows of puzzles.
    pub rules: Option<Arc<dyn PuzzleRules>>,
}

impl fmt::Debug for PuzzleContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PuzzleContext").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl PuzzleContext {
    /// Whether a board may be a position of the puzzle. `true` if the puzzle is not known.
    pub(crate) fn allows(&self, board: &Board) -> bool {
        match (&self.domain, &self.rules) {
            (Some(domain), Some(rules)) => rules.is_position(domain, board),
            _ => true,
        }
    }
}

/// Options for reading a board file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format. If this is `None`, the format is recognised by the content; then content with several readings that
    /// differ is an error.
    pub format: Option<Format>,
    /// The format of a file that is not JSON, when `format` is `None`. Only [`Format::Bunny`] and [`Format::Lines`]
    /// have an effect.
    pub default_format: Option<Format>,
    /// Rows and columns of every board. Needed for `lines` whose boards are not square; checked in all formats.
    pub size: Option<(usize, usize)>,
    /// The start cell; overrides the start in the file.
    pub start: Option<Start>,
    /// How `cells` of JSON are arranged; overrides `layout` in the file.
    pub json_layout: Option<JsonLayout>,
    /// The text of an empty cell, beside `.` and `-1`.
    pub empty_symbol: Option<String>,
    /// The number of colours, for files that do not say it. The colours are then `1`, `2`, ..., or `0`, `1`, ... if a
    /// cell is `0`.
    pub colours: Option<usize>,
    /// The puzzle that the boards are for. A reading with a board that is no position of this puzzle is dropped if
    /// another reading has only positions.
    pub puzzle: PuzzleContext,
}

/// What each list in `cells` of [`Format::Json`](crate::Format::Json) holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonLayout {
    /// A row, from left to right. Rows come from top to bottom.
    #[default]
    Rows,
    /// A column, from top to bottom. Columns come from left to right; empty cells fill a short column at its top.
    Columns,
    /// A column, from bottom to top. Columns come from left to right; empty cells fill a short column at its top.
    ColumnsUp,
}

names!(JsonLayout: Rows "rows", Columns "columns", ColumnsUp "columns-up");
