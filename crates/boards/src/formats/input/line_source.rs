//! Reads an input line by line, without blank lines and comments, and with a limit on the length of a line.
//!
//! A line ends with LF, CRLF or CR. [`line_kind`](super::line_kind) says which lines are content.

use super::compressed::MAX_INPUT;
use super::head::Head;
use super::line_kind::LineKind;
use crate::formats::mismatch::LocatedMismatch;
use crate::{BoardError, Position, visible};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

/// Opens a file, or standard input for `-`. Returns the name for messages and the input.
///
/// # Errors
/// When the file cannot be opened. For a directory, the error says that it is a directory.
pub(crate) fn open_input(path: &Path) -> Result<(String, Box<dyn BufRead + Send>), BoardError> {
    if path.as_os_str() == "-" {
        return Ok(("stdin".to_owned(), Box::new(BufReader::new(io::stdin()))));
    }
    let file = path.display().to_string();
    let opened = File::open(path).and_then(|open| match open.metadata()?.is_dir() {
        true => Err(io::Error::new(ErrorKind::IsADirectory, "found a directory, expected a file")),
        false => Ok(open),
    });
    match opened {
        Ok(open) => Ok((file, Box::new(BufReader::with_capacity(1 << 16, open)))),
        Err(source) => Err(BoardError::Read { file: visible(&file), source }),
    }
}

/// The most bytes of a line, and of a JSON object. A board of the largest size fits in every format.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// The most blank lines and comments in a row.
const MAX_SKIPPED_LINES: usize = 1 << 23;

/// A line of content: neither blank nor a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number of the line in the file, from 1.
    pub number: usize,
    /// The text without its line end.
    pub text: String,
    /// Whether a blank line, or the end of a table (two rules in a row), comes before this line and after the line of
    /// content before it, if there is one.
    pub after_blank: bool,
    /// The same for a comment.
    pub after_comment: bool,
    /// The same for a rule: a horizontal line of a table, such as `|---|`.
    pub after_rule: bool,
}

impl Line {
    /// The position of a column of this line.
    pub fn at(&self, column: usize) -> Position {
        Position { line: self.number, column }
    }

    /// The position after the last character.
    pub fn end(&self) -> Position {
        self.at(self.text.chars().count() + 1)
    }

    /// The text without spaces and tabs around it.
    pub fn trimmed(&self) -> &str {
        self.text.trim_matches([' ', '\t'])
    }

    /// The column of the first character that is neither a space nor a tab; 1 if there is none.
    pub fn first_column(&self) -> usize {
        self.tokens().next().map_or(1, |(column, _)| column)
    }

    /// The words between spaces and tabs, each with its column.
    pub fn tokens(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut next = 1;
        self.text.split([' ', '\t']).filter_map(move |token| {
            let column = next;
            next += token.chars().count() + 1;
            (!token.is_empty()).then_some((column, token))
        })
    }
}

/// An input whose lines of content are returned one by one.
pub(crate) struct LineSource<R> {
    input: R,
    file: String,
    /// The number of lines read so far.
    number: usize,
    /// The next line of content, if it was looked at.
    peeked: Option<Result<Line, BoardError>>,
    /// The flags `after_...` of the next line of content, collected so far. `number` and `text` are unused.
    pending: Line,
    /// Whether the last line ended with CR, so that an LF after it belongs to the same line end.
    after_cr: bool,
    /// The end of the last line that was returned.
    end: Position,
    is_done: bool,
    /// Whether blank lines and lines that begin with `#` are content.
    is_verbatim: bool,
    /// The first line, if it has been read and is no head.
    unread_first_line: Option<String>,
    /// The symbol of empty cells. A line that begins with it is no comment, even if the symbol is `#`.
    pub empty_symbol: Option<String>,
    /// Whether the input has at least one byte.
    has_bytes: bool,
    /// The bytes read so far; `None` after [`LineSource::stop_recording`].
    recorded: Option<Vec<u8>>,
}

impl<R: BufRead> LineSource<R> {
    /// Reads from `input`, which messages call `file`.
    pub fn new(file: String, input: R) -> Self {
        let end = Position { line: 1, column: 1 };
        Self {
            input,
            file,
            number: 0,
            peeked: None,
            pending: Line::default(),
            after_cr: false,
            end,
            is_done: false,
            is_verbatim: false,
            unread_first_line: None,
            empty_symbol: None,
            has_bytes: false,
            recorded: Some(Vec::new()),
        }
    }

    /// Sets whether every line is content from here on, even blank lines and lines that begin with `#`.
    pub fn set_verbatim(&mut self, verbatim: bool) {
        self.is_verbatim = verbatim;
    }

    /// Takes the first line if it is the head of a file that gridhunt wrote. Must be called before any other line is
    /// read.
    ///
    /// # Errors
    /// When the line cannot be read, or is a head with a wrong value.
    pub fn take_head(&mut self) -> Result<Option<Head>, BoardError> {
        let Some(text) = self.read_text()? else { return Ok(None) };
        match Head::parse(&text) {
            Some(head) => head.map(Some).map_err(|mismatch| self.error(mismatch.at(self.position_at(1)))),
            None => {
                self.unread_first_line = Some(text);
                Ok(None)
            }
        }
    }

    /// What messages call an input without content.
    pub fn describe_empty(&self) -> &'static str {
        if self.has_bytes { "a file without content" } else { "an empty file" }
    }

    /// Makes `line` the next line. Must be called right after [`LineSource::next_line`] returned a line.
    pub fn unread(&mut self, line: Line) {
        debug_assert!(self.peeked.is_none(), "a line was looked at");
        self.peeked = Some(Ok(line));
    }

    /// Whether no line of content is left.
    pub fn is_over(&mut self) -> bool {
        self.peek_line().is_none() && self.peeked.is_none()
    }

    /// Forgets the recorded bytes and records no more. After that, [`LineSource::into_recorded_and_rest`] returns none
    /// of the bytes that were read.
    pub fn stop_recording(&mut self) {
        self.recorded = None;
    }

    /// The bytes that were read so far, and the rest of the input.
    pub fn into_recorded_and_rest(self) -> (Vec<u8>, R) {
        (self.recorded.unwrap_or_default(), self.input)
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// The end of the last line of content that was returned.
    pub fn end(&self) -> Position {
        self.end
    }

    /// The position of a column of the line that was read last.
    fn position_at(&self, column: usize) -> Position {
        Position { line: self.number, column }
    }

    /// The error of a mismatch in this input.
    pub fn error(&self, located: LocatedMismatch) -> BoardError {
        located.in_file(&self.file)
    }

    /// Returns an error at this position of the file.
    pub fn fail<T>(
        &self,
        at: Position,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Result<T, BoardError> {
        Err(BoardError::at(&self.file, at, found, expected))
    }

    /// Returns the next line of content; `None` at the end of the input.
    ///
    /// # Errors
    /// When the input cannot be read, is not UTF-8, or has a line of more than [`MAX_LINE`] bytes. Every later call
    /// returns `None`.
    pub fn next_line(&mut self) -> Result<Option<Line>, BoardError> {
        match self.peeked.take().map_or_else(|| self.read_content(), |line| line.map(Some)) {
            Ok(Some(line)) => {
                self.end = line.end();
                Ok(Some(line))
            }
            other => {
                self.is_done = true;
                other
            }
        }
    }

    /// The line of content that `next_line` will return next; `None` at the end of the input, and if the line cannot be
    /// read.
    pub fn peek_line(&mut self) -> Option<&Line> {
        if self.peeked.is_none() {
            self.peeked = self.read_content().transpose();
        }
        self.peeked.as_ref()?.as_ref().ok()
    }

    fn read_content(&mut self) -> Result<Option<Line>, BoardError> {
        let before = self.number;
        while !self.is_done {
            if self.number - before > MAX_SKIPPED_LINES {
                let found = format!("more than {MAX_SKIPPED_LINES} lines without content");
                return self.fail(self.position_at(0), found, "content");
            }
            let Some(text) = self.read_text()? else {
                self.is_done = true;
                break;
            };
            if self.is_verbatim {
                return Ok(Some(Line { number: self.number, text, ..Line::default() }));
            }
            let is_head = self.number > 1 && Head::parse(text.trim_start()).is_some();
            match LineKind::of(text, self.empty_symbol.as_deref()) {
                LineKind::Blank => self.pending.after_blank = true,
                LineKind::Comment if is_head => {
                    let expected = "one file; pass several files as separate arguments";
                    return self.fail(self.position_at(1), "the first line of another file", expected);
                }
                LineKind::Comment => self.pending.after_comment = true,
                // After two rules in a row, one table has ended and the next one begins.
                LineKind::Rule if self.pending.after_rule => self.pending.after_blank = true,
                LineKind::Rule => self.pending.after_rule = true,
                LineKind::Content(text) => {
                    return Ok(Some(Line { number: self.number, text, ..std::mem::take(&mut self.pending) }));
                }
            }
        }
        Ok(None)
    }

    fn read_text(&mut self) -> Result<Option<String>, BoardError> {
        if let Some(text) = self.unread_first_line.take() {
            return Ok(Some(text));
        }
        let Some(mut bytes) = self.read_bytes()? else { return Ok(None) };
        if self.number == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        String::from_utf8(bytes).map(Some).or_else(|e| {
            let valid = e.utf8_error().valid_up_to();
            let column = String::from_utf8_lossy(&e.as_bytes()[..valid]).chars().count() + 1;
            let found = format!("the byte 0x{:02X}", e.as_bytes()[valid]);
            self.fail(self.position_at(column), found, "text in UTF-8")
        })
    }

    /// Reads the bytes up to the next line end, at most [`MAX_LINE`].
    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>, BoardError> {
        let mut line = Vec::new();
        self.number += 1;
        let at = self.position_at(0);
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(BoardError::Read { file: self.file.clone(), source }),
            };
            if chunk.is_empty() {
                return Ok((!line.is_empty()).then_some(line));
            }
            self.has_bytes = true;
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                if let Some(recorded) = &mut self.recorded {
                    recorded.push(b'\n');
                }
                self.input.consume(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', chunk);
            let taken = end.unwrap_or(chunk.len());
            if line.len() + taken > MAX_LINE {
                return self.fail(at, format!("a line of more than {MAX_LINE} bytes"), "a shorter line");
            }
            if self.recorded.as_ref().is_some_and(|recorded| recorded.len() as u64 > MAX_INPUT) {
                return self.fail(at, format!("more than {MAX_INPUT} bytes without a board"), "a board");
            }
            line.extend_from_slice(&chunk[..taken]);
            self.after_cr = end.is_some_and(|end| chunk[end] == b'\r');
            let consumed = taken + usize::from(end.is_some());
            if let Some(recorded) = &mut self.recorded {
                recorded.extend_from_slice(&chunk[..consumed]);
            }
            self.input.consume(consumed);
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}
