//! The input of a grammar: lines, options, and the name of the next board.

use super::source::Source;
use crate::formats::cells::grid::Grid;
use crate::formats::problem::Problem;
use crate::{BoardError, Entry, Position, ReadOptions, Start};
use std::io::BufRead;

/// The input of a grammar that reads one board after the other.
pub(crate) struct BoardSource<'a, R> {
    pub lines: &'a mut Source<R>,
    pub options: &'a ReadOptions,
    /// The file name without folders.
    pub file: &'a str,
    /// The number of the next board, from 1.
    pub number: usize,
    /// The part of a board that is being read.
    pub part: Part,
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
        let is_alone = self.number == 1 && self.lines.is_over();
        if is_alone { self.file.to_owned() } else { self.numbered_name() }
    }

    /// The file name with the number of the board.
    pub fn numbered_name(&self) -> String {
        format!("{}#{}", self.file, self.number)
    }

    /// Makes the board of a grid whose first cells stand at `first`. `own` is the start cell that the file names.
    pub fn finish(&mut self, grid: Grid, first: Position, own: Option<Start>) -> Result<Entry, BoardError> {
        let name = self.name();
        self.finish_named(grid, first, own, &name)
    }

    /// As [`BoardSource::finish`], with a name for the board.
    pub fn finish_named(
        &mut self,
        grid: Grid,
        first: Position,
        own: Option<Start>,
        name: &str,
    ) -> Result<Entry, BoardError> {
        self.part = Part::Colours;
        let start = self.options.start.or(own).unwrap_or_default();
        match grid.finish(name, start) {
            Ok(board) => Ok(Entry { board, published: None }),
            Err((at, problem)) => self.fail(at.unwrap_or(first), problem),
        }
    }

    /// An error at this position of the file.
    pub fn fail<T>(&self, at: Position, problem: Problem) -> Result<T, BoardError> {
        self.lines.fail(at, problem.found, problem.expected)
    }
}
