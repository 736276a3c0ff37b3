//! Reads an input line by line, without blank lines and comments, and with a limit on the length of a line.
//!
//! A line ends with LF, CRLF or CR. [`line_kind`](super::line_kind) says which lines are content.

use super::compressed::MAX_INPUT;
use super::head::Head;
use super::line_kind::{self, Kind};
use crate::{BoardError, Position, visible};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

/// Opens a file, or standard input for `-`. Returns the name for messages and the input.
///
/// # Errors
/// When the file cannot be opened. The error for a directory names it as one, not as a read that failed.
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

/// The most blank lines and comments behind each other.
const MAX_EMPTY: usize = 1 << 23;

/// A line of content: neither blank nor a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The number of the line in the file, from 1.
    pub number: usize,
    /// The text without its line end.
    pub text: String,
    /// Whether a blank line stands between this line and the line of content before it.
    pub after_blank: bool,
    /// Whether a comment stands between this line and the line of content before it, or before the first line.
    pub after_comment: bool,
    /// Whether a rule of a table stands between this line and the line of content before it.
    pub after_rule: bool,
}

impl Line {
    /// The position of a column of this line.
    pub fn at(&self, column: usize) -> Position {
        Position { line: self.number, column }
    }

    /// The position behind the last character.
    pub fn end(&self) -> Position {
        self.at(self.text.chars().count() + 1)
    }

    /// The text without spaces and tabs around it.
    pub fn trimmed(&self) -> &str {
        self.text.trim_matches([' ', '\t'])
    }

    /// The column of the first character that is neither a space nor a tab; 1 if there is none.
    pub fn indent(&self) -> usize {
        self.tokens().next().map_or(1, |(column, _)| column)
    }

    /// The words between spaces and tabs, each with its column.
    pub fn tokens(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = (0, 1);
        self.text.split([' ', '\t']).filter_map(move |token| {
            let (byte, column) = at;
            at = (byte + token.len() + 1, column + token.chars().count() + 1);
            (!token.is_empty()).then_some((column, token))
        })
    }
}

/// An input, with the lines that were looked at but not handed out yet.
pub(crate) struct Source<R> {
    input: R,
    file: String,
    /// Number of lines read so far.
    number: usize,
    /// Lines that were looked at and not handed out yet.
    ahead: VecDeque<Result<Line, BoardError>>,
    /// Whether a blank line, a comment, and a rule were read since the last line of content.
    blank: bool,
    comment: bool,
    rule: bool,
    /// Whether the last line ended with CR, so that an LF behind it belongs to the same line end.
    after_return: bool,
    /// The end of the content that was handed out.
    end: Position,
    done: bool,
    /// Whether blank lines and lines that begin with `#` are content.
    verbatim: bool,
    /// A line that was read and put back.
    put_back: Option<String>,
    /// The symbol of empty cells, which no comment begins with.
    pub empty: Option<String>,
    /// Whether the input has at least one byte.
    has_bytes: bool,
    /// The bytes read so far, until [`Source::forget`].
    record: Option<Vec<u8>>,
}

impl<R: BufRead> Source<R> {
    /// Reads from `input`, which messages call `file`.
    pub fn new(file: String, input: R) -> Self {
        let end = Position { line: 1, column: 1 };
        Self {
            input,
            file,
            number: 0,
            ahead: VecDeque::new(),
            blank: false,
            comment: false,
            rule: false,
            after_return: false,
            end,
            done: false,
            verbatim: false,
            put_back: None,
            empty: None,
            has_bytes: false,
            record: Some(Vec::new()),
        }
    }

    /// Says whether every line is content from here on, also blank lines and lines that begin with `#`.
    pub fn set_verbatim(&mut self, verbatim: bool) {
        self.verbatim = verbatim;
    }

    /// Takes the first line if it is the head of a file that gridhunt wrote. Only before any other line is read.
    ///
    /// # Errors
    /// When the line cannot be read, or is a head with a wrong value.
    pub fn take_head(&mut self) -> Result<Option<Head>, BoardError> {
        let Some(text) = self.read_text().inspect_err(|_| self.done = true)? else { return Ok(None) };
        match Head::parse(&text) {
            Some(head) => head.map(Some).or_else(|p| self.fail(Position { line: 1, column: 1 }, p.found, p.expected)),
            None => {
                self.put_back = Some(text);
                Ok(None)
            }
        }
    }

    /// What messages call an input without content.
    pub fn describe_empty(&self) -> &'static str {
        if self.has_bytes { "a file without content" } else { "an empty file" }
    }

    /// Puts a line in front of those that are not handed out yet.
    pub fn put_front(&mut self, line: Line) {
        self.ahead.push_front(Ok(line));
    }

    /// Whether no line of content is left.
    pub fn is_over(&mut self) -> bool {
        self.peek(|_| false) == (Vec::new(), true)
    }

    /// Stops to record what is read, which [`Source::into_rest`] needs.
    pub fn forget(&mut self) {
        self.record = None;
    }

    /// The bytes that were read so far, and the input behind them.
    pub fn into_rest(self) -> (Vec<u8>, R) {
        (self.record.unwrap_or_default(), self.input)
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// The end of the last line of content that was handed out.
    pub fn end(&self) -> Position {
        self.end
    }

    /// An error at this position of the file.
    pub fn fail<T>(
        &self,
        at: Position,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Result<T, BoardError> {
        Err(BoardError::at(&self.file, at, found, expected))
    }

    /// The next line of content; `None` at the end of the input.
    ///
    /// # Errors
    /// When the input cannot be read, is not UTF-8, or has a line of more than [`MAX_LINE`] bytes. Every later call
    /// returns `None`.
    pub fn next_line(&mut self) -> Result<Option<Line>, BoardError> {
        let next = match self.ahead.pop_front() {
            Some(line) => Some(line),
            None => self.read_content().transpose(),
        };
        match next.transpose() {
            Ok(Some(line)) => {
                self.end = line.end();
                Ok(Some(line))
            }
            other => {
                self.done = true;
                self.ahead.clear();
                other
            }
        }
    }

    /// The lines of content that `next_line` will hand out next, without handing them out: at least one, if there is
    /// one, and further lines as long as `more` returns true. The second value says whether the input ends behind them.
    pub fn peek(&mut self, mut more: impl FnMut(&Line) -> bool) -> (Vec<&Line>, bool) {
        let mut want = true;
        let mut seen = 0;
        while want && !matches!(self.ahead.back(), Some(Err(_))) {
            if seen == self.ahead.len() {
                match self.read_content().transpose() {
                    Some(line) => self.ahead.push_back(line),
                    None => break,
                }
            }
            want = self.ahead[seen].as_ref().is_ok_and(&mut more);
            seen += 1;
        }
        let complete = self.done && self.ahead.iter().all(Result::is_ok);
        (self.ahead.iter().flatten().collect(), complete)
    }

    fn read_content(&mut self) -> Result<Option<Line>, BoardError> {
        let before = self.number;
        while !self.done {
            if self.number - before > MAX_EMPTY {
                self.done = true;
                let at = Position { line: self.number, column: 0 };
                return self.fail(at, format!("more than {MAX_EMPTY} lines without content"), "content");
            }
            let Some(text) = self.read_text().inspect_err(|_| self.done = true)? else {
                self.done = true;
                break;
            };
            if self.verbatim {
                return Ok(Some(Line { number: self.number, text, ..Line::default() }));
            }
            let is_head = self.number > 1 && Head::parse(text.trim_start()).is_some();
            match line_kind::sort(text, self.empty.as_deref()) {
                Kind::Blank => self.blank = true,
                Kind::Comment if is_head => {
                    let at = Position { line: self.number, column: 1 };
                    self.done = true;
                    return self.fail(at, "the first line of another file", "one file; a command takes several files");
                }
                Kind::Comment => self.comment = true,
                // One table ends and the next one begins.
                Kind::Rule if self.rule => self.blank = true,
                Kind::Rule => self.rule = true,
                Kind::Content(text) => {
                    let [after_blank, after_comment, after_rule] =
                        [&mut self.blank, &mut self.comment, &mut self.rule].map(std::mem::take);
                    return Ok(Some(Line { number: self.number, text, after_blank, after_comment, after_rule }));
                }
            }
        }
        Ok(None)
    }

    fn read_text(&mut self) -> Result<Option<String>, BoardError> {
        if let Some(text) = self.put_back.take() {
            return Ok(Some(text));
        }
        let Some(mut bytes) = self.read_bytes()? else { return Ok(None) };
        if self.number == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
            bytes.drain(..3);
        }
        String::from_utf8(bytes).map(Some).or_else(|e| {
            let good = e.utf8_error().valid_up_to();
            let column = String::from_utf8_lossy(&e.as_bytes()[..good]).chars().count() + 1;
            let found = format!("the byte 0x{:02X}", e.as_bytes()[good]);
            self.fail(Position { line: self.number, column }, found, "text in UTF-8")
        })
    }

    /// The bytes up to the next line end, at most [`MAX_LINE`].
    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>, BoardError> {
        let mut line = Vec::new();
        self.number += 1;
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
            if std::mem::take(&mut self.after_return) && chunk[0] == b'\n' {
                self.record.iter_mut().for_each(|record| record.push(b'\n'));
                self.input.consume(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', chunk);
            let taken = end.unwrap_or(chunk.len());
            if line.len() + taken > MAX_LINE {
                let at = Position { line: self.number, column: 0 };
                return self.fail(at, format!("a line of more than {MAX_LINE} bytes"), "a shorter line");
            }
            if self.record.as_ref().is_some_and(|record| record.len() as u64 > MAX_INPUT) {
                let at = Position { line: self.number, column: 0 };
                return self.fail(at, format!("more than {MAX_INPUT} bytes without a board"), "a board");
            }
            line.extend_from_slice(&chunk[..taken]);
            self.after_return = end.is_some_and(|end| chunk[end] == b'\r');
            self.record
                .iter_mut()
                .for_each(|record| record.extend_from_slice(&chunk[..taken + usize::from(end.is_some())]));
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(Some(line));
            }
        }
    }
}
