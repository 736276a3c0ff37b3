//! The input of a notation that reads one board after the other, and what the input has besides the boards.

use super::line_source::LineSource;
use crate::file_settings::FileSettings;
use crate::formats::cells::grid::Grid;
use crate::formats::mismatch::Mismatch;
use crate::{BoardError, Entry, Format, Position, ReadOptions, Start};
use std::io::BufRead;

/// The input of a notation that reads one board after the other.
pub(crate) struct BoardSource<'a, R> {
    pub lines: &'a mut LineSource<R>,
    pub options: &'a ReadOptions,
    /// The file name without folders.
    pub file: &'a str,
    /// The number of the board that is being read, from 1.
    pub number: usize,
    /// The part of a board that is being read.
    pub part: Part,
    pub findings: &'a mut Findings,
}

/// What the input has besides the boards.
#[derive(Default)]
pub(crate) struct Findings {
    /// The format of the last board, if the notation allows several formats.
    pub format: Option<Format>,
    /// The puzzle that the input names.
    pub domain: Option<String>,
    /// The settings of the puzzle that the input names.
    pub settings: FileSettings,
    /// The number of moves that the last board allows a player.
    pub move_limit: Option<u32>,
    /// The number of boards that the input announces and that have not been read.
    pub boards_left: Option<usize>,
    /// The first twenty fields that were ignored, each once.
    pub ignored: Vec<String>,
}

impl Findings {
    /// Notes an ignored field.
    pub fn ignore(&mut self, field: String) {
        if self.ignored.len() < 20 && !self.ignored.contains(&field) {
            self.ignored.push(field);
        }
    }
}

/// A part of a board. An error in a later part says more about what the input is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Part {
    /// A header, or a line that has to be a whole board.
    #[default]
    Header,
    Cells,
    /// All cells are there; their colours are checked.
    Colours,
}

impl<R: BufRead> BoardSource<'_, R> {
    /// The name of the board that was just read: the file name, with a number unless the board is the only one.
    pub fn name(&mut self) -> String {
        let is_only_board = self.number == 1 && self.lines.is_over();
        if is_only_board { self.file.to_owned() } else { self.numbered_name() }
    }

    /// The file name with the number of the board.
    pub fn numbered_name(&self) -> String {
        format!("{}#{}", self.file, self.number)
    }

    /// Makes the board of a grid. An error that no single cell causes gets the position `at`. `start` is the start cell
    /// that the file names.
    pub fn finish(&mut self, grid: Grid, at: Position, start: Option<Start>) -> Result<Entry, BoardError> {
        let name = self.name();
        self.entry(grid, at, start, &name)
    }

    /// As [`BoardSource::finish`], but gives the board this name.
    pub fn entry(&mut self, grid: Grid, at: Position, start: Option<Start>, name: &str) -> Result<Entry, BoardError> {
        self.part = Part::Colours;
        let start = self.options.start.or(start).unwrap_or_default();
        let board = grid.finish(name, start, at).map_err(|located| self.lines.error(located))?;
        Ok(Entry { board, published_optimum: None })
    }

    /// Returns an error at this position of the file.
    pub fn fail<T>(&self, at: Position, mismatch: Mismatch) -> Result<T, BoardError> {
        Err(self.lines.error(mismatch.at(at)))
    }
}
