//! Every notation of text as a grammar, and an iterator that reads boards by one grammar.

use crate::formats::input::board_source::{BoardSource, Findings, Part};
use crate::formats::input::line_source::LineSource;
use crate::formats::notations::headed::HeadedGrammar;
use crate::formats::notations::rows::RowsGrammar;
use crate::formats::notations::{game_id, json, lines};
use crate::{BoardError, Entry, Format, Position, ReadOptions, bunny};
use std::collections::VecDeque;
use std::io::BufRead;

/// One way to read boards from lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Rows without a header.
    Rows(RowsGrammar),
    /// Rows or numbers under headers.
    Headed(HeadedGrammar),
    /// One board per line.
    Lines,
    /// One game ID a line.
    GameIds,
    /// JSON values.
    Json,
    /// Boards of Hopping Bunny.
    Bunny,
}

impl Grammar {
    /// The format of the boards, unless their rows show another one.
    fn format(self) -> Format {
        match self {
            Self::Rows(_) => Format::Text,
            Self::Headed(_) => Format::Numbers,
            Self::Lines => Format::Lines,
            Self::GameIds => Format::GameId,
            Self::Json => Format::Json,
            Self::Bunny => Format::Bunny,
        }
    }
}

/// The boards of an input, read in one way.
pub(crate) struct Boards<R> {
    source: LineSource<R>,
    grammar: Grammar,
    options: ReadOptions,
    /// The file name without folders.
    file: String,
    /// Boards read so far, including those with an error.
    count: usize,
    /// Boards that have been read and not yet returned.
    pending: VecDeque<Result<Entry, BoardError>>,
    pub findings: Findings,
    is_over: bool,
    stops_at_error: bool,
    /// The part of the last board in which reading ended.
    part: Part,
}

impl<R: BufRead> Boards<R> {
    pub fn new(mut source: LineSource<R>, grammar: Grammar, options: ReadOptions, file: &str) -> Self {
        source.set_verbatim(grammar == Grammar::Bunny);
        source.stop_recording();
        source.empty_symbol.clone_from(&options.empty_symbol);
        Self {
            source,
            grammar,
            options,
            file: file.to_owned(),
            count: 0,
            pending: VecDeque::new(),
            findings: Findings::default(),
            is_over: false,
            stops_at_error: false,
            part: Part::Header,
        }
    }

    /// Prepares for a caller that stops at the first error: the rest of the board with the error is not skipped, so
    /// [`Boards::end`] is the place of the error.
    pub fn stopping_at_first_error(mut self) -> Self {
        self.stops_at_error = true;
        self
    }

    /// The format of the last board that was read; before that, the format of the grammar.
    pub fn format(&self) -> Format {
        self.findings.format.unwrap_or(self.grammar.format())
    }

    /// The position up to which this grammar could read the input, if an error at position `error` ended the reading.
    pub fn reached(&self, error: Position) -> Position {
        let end = self.source.end();
        match self.part {
            // Nothing of the first board counts as read.
            Part::Header if self.count <= 1 => Position::default(),
            Part::Header => Position { line: error.line, column: 0 },
            // A mismatch of a whole row is found after the last cell of the row.
            Part::Cells if error.column == 0 => end,
            Part::Cells => error,
            Part::Colours => Position { column: usize::MAX, ..end },
        }
    }

    /// How far the input has been read.
    pub fn end(&self) -> Position {
        self.source.end()
    }

    /// Reads the first board ahead.
    ///
    /// # Errors
    /// When the input has no board. An error in the first board is returned later, by [`Iterator::next`].
    pub fn prefetch(&mut self) -> Result<(), BoardError> {
        match self.read().transpose() {
            None => self.source.fail(self.source.end(), self.source.describe_empty(), "a board"),
            Some(first) => {
                self.pending.push_front(first);
                Ok(())
            }
        }
    }

    fn read(&mut self) -> Result<Option<Entry>, BoardError> {
        let mut source = BoardSource {
            lines: &mut self.source,
            options: &self.options,
            file: &self.file,
            number: self.count + 1,
            part: Part::Header,
            findings: &mut self.findings,
        };
        let read = match self.grammar {
            Grammar::Rows(rows) => rows.read(&mut source),
            Grammar::Headed(headed) => headed.read(&mut source),
            Grammar::Lines => lines::read(&mut source),
            Grammar::GameIds => game_id::read(&mut source),
            Grammar::Json => json::read(&mut source, &mut self.pending),
            Grammar::Bunny => bunny::read(&mut source),
        };
        self.part = source.part;
        match self.grammar {
            // It is unknown where the next header begins.
            Grammar::Headed(_) if read.is_err() => self.is_over = true,
            Grammar::Rows(rows) if read.is_err() && !self.stops_at_error => rows.skip(&mut self.source),
            _ => {}
        }
        read
    }
}

impl<R: BufRead> Iterator for Boards<R> {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pending.is_empty() && self.is_over {
            return None;
        }
        let entry = self.pending.pop_front().or_else(|| self.read().transpose());
        self.count += 1;
        self.is_over |= entry.is_none() || matches!(entry, Some(Err(BoardError::Read { .. })));
        entry
    }
}
