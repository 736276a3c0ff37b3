//! The ways in which a text may hold boards, and an iterator that reads boards in one of them.

use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::source::Source;
use crate::formats::notations::headed::{Announced, Headed};
use crate::formats::notations::rows::Rows;
use crate::formats::notations::{game_id, json, lines};
use crate::{BoardError, Entry, Format, ReadOptions, bunny};
use std::collections::VecDeque;
use std::io::BufRead;

/// One way to read boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// Rows without a header.
    Rows(Rows),
    /// Rows or numbers under headers.
    Headed(Headed),
    /// One board a line.
    Lines,
    /// One game ID a line.
    GameIds,
    /// JSON values.
    Json,
    /// Boards of Hopping Bunny.
    Bunny,
}

/// The boards of an input, read in one way.
pub(crate) struct Boards<R> {
    source: Source<R>,
    grammar: Grammar,
    options: ReadOptions,
    /// The file name without folders.
    file: String,
    /// Boards read so far, including those with an error.
    count: usize,
    announced: Announced,
    /// Boards of a JSON value that are not handed out yet.
    ahead: VecDeque<Result<Entry, BoardError>>,
    /// The format of the last board.
    format: Option<Format>,
    /// The puzzle that the input names.
    pub domain: Option<String>,
    /// The moves that the last board's game ID allows.
    pub limit: Option<u32>,
    /// Fields of JSON that were ignored.
    pub ignored: Vec<String>,
    is_over: bool,
    is_trial: bool,
    /// The part of the last board at which reading it ended.
    part: Part,
}

impl<R: BufRead> Boards<R> {
    pub fn new(mut source: Source<R>, grammar: Grammar, options: ReadOptions, file: &str) -> Self {
        source.set_verbatim(grammar == Grammar::Bunny);
        source.forget();
        source.empty.clone_from(&options.empty);
        Self {
            source,
            grammar,
            options,
            file: file.to_owned(),
            count: 0,
            announced: None,
            ahead: VecDeque::new(),
            format: None,
            domain: None,
            limit: None,
            ignored: Vec::new(),
            is_over: false,
            is_trial: false,
            part: Part::Header,
        }
    }

    /// The same boards, to find out whether all of them can be read: nothing is read behind an error.
    pub fn on_trial(mut self) -> Self {
        self.is_trial = true;
        self
    }

    /// The format of the last board that was read; before that, the format of the grammar.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(match self.grammar {
            Grammar::Rows(_) => Format::Text,
            Grammar::Headed(_) => Format::Numbers,
            Grammar::Lines => Format::Lines,
            Grammar::GameIds => Format::GameId,
            Grammar::Json => Format::Json,
            Grammar::Bunny => Format::Bunny,
        })
    }

    /// How far the input was explained when an error at this position ended the reading.
    pub fn came_to(&self, error: crate::Position) -> crate::Position {
        let end = self.source.end();
        match self.part {
            // Nothing of the first board is explained.
            Part::Header if self.count <= 1 => crate::Position::default(),
            Part::Header => crate::Position { line: error.line, column: 0 },
            // A fault of a whole row was found behind its last cell.
            Part::Cells if error.column == 0 => end,
            Part::Cells => error,
            Part::Colours => crate::Position { column: usize::MAX, ..end },
        }
    }

    /// How far the input has been read.
    pub fn end(&self) -> crate::Position {
        self.source.end()
    }

    /// Reads the first board ahead. Returns the puzzle that the input names.
    ///
    /// # Errors
    /// When the input has no board. An error of the first board itself comes when that board is asked for.
    pub fn look_ahead(&mut self) -> Result<Option<String>, BoardError> {
        match self.read() {
            None => self.source.fail(self.source.end(), self.source.describe_empty(), "a board"),
            Some(first) => {
                self.ahead.push_front(first);
                Ok(self.domain.clone())
            }
        }
    }

    fn read(&mut self) -> Option<Result<Entry, BoardError>> {
        let skips = !self.is_trial;
        let mut source = BoardSource {
            lines: &mut self.source,
            options: &self.options,
            file: &self.file,
            number: self.count + 1,
            part: Part::Header,
        };
        let read = match self.grammar {
            Grammar::Rows(rows) => rows.read(&mut source, skips),
            Grammar::Headed(headed) => headed.read(&mut source, &mut self.announced),
            Grammar::Lines => lines::read(&mut source).map(|read| read.map(|entry| (Format::Lines, entry))),
            Grammar::Bunny => bunny::read(&mut source).map(|read| read.map(|entry| (Format::Bunny, entry))),
            Grammar::GameIds => game_id::read(&mut source).map(|read| {
                read.map(|game| {
                    self.limit = game.limit;
                    self.domain.get_or_insert_with(|| game.domain.to_owned());
                    let is_new = |key: &&str| !self.ignored.iter().any(|known| known == key);
                    self.ignored.extend(game.ignored.filter(is_new).map(str::to_owned));
                    (Format::GameId, game.entry)
                })
            }),
            Grammar::Json => {
                let read = json::read(&mut source);
                return self.take_json(read);
            }
        };
        self.part = source.part;
        // Nothing says where the next board under a header begins.
        self.is_over = read.is_err() && matches!(self.grammar, Grammar::Headed(_));
        read.map(|read| {
            read.map(|(format, entry)| {
                self.format = Some(format);
                entry
            })
        })
        .transpose()
    }

    /// Takes over the boards of a JSON value, and returns the first one.
    fn take_json(&mut self, read: Result<Option<json::Boards>, BoardError>) -> Option<Result<Entry, BoardError>> {
        match read {
            Ok(None) => None,
            Err(error) => Some(Err(error)),
            Ok(Some(boards)) => {
                self.domain = self.domain.take().or(boards.domain);
                let is_new = |key: &String| !self.ignored.contains(key);
                let ignored: Vec<String> = boards.ignored.into_iter().filter(is_new).collect();
                self.ignored.extend(ignored);
                self.ahead = boards.entries;
                self.ahead.pop_front()
            }
        }
    }
}

impl<R: BufRead> Iterator for Boards<R> {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ahead.is_empty() && self.is_over {
            return None;
        }
        let entry = self.ahead.pop_front().or_else(|| self.read());
        self.count += 1;
        self.is_over |= entry.is_none() || matches!(entry, Some(Err(BoardError::Read { .. })));
        entry
    }
}
