//! One JSON value of an input that may hold several.

use super::literal;
use super::value::Value;
use crate::formats::input::foreign_text;
use crate::formats::input::line_source::{Line, LineSource, MAX_LINE};
use crate::formats::mismatch::{excerpt, show_char};
use crate::{BoardError, Position};
use std::io::BufRead;

/// The lines of one JSON object or list, to the end of the line that closes it.
pub(crate) struct Document {
    file: String,
    /// The number of each line in the file.
    lines: Vec<usize>,
    text: String,
}

impl Document {
    /// Reads the next value; `None` at the end of the input. A value that is not closed is returned as it is, so that
    /// [`Document::parse`] reports what is missing.
    ///
    /// # Errors
    /// When the value is neither an object nor a list, has more than [`MAX_LINE`] bytes, or cannot be read.
    pub fn read<R: BufRead>(source: &mut LineSource<R>, expected: &str) -> Result<Option<Self>, BoardError> {
        let Some(mut line) = source.next_line()? else { return Ok(None) };
        if let Some(mismatch) = foreign_text::minizinc(&line.text) {
            return Err(source.error(mismatch.at(line.at(0))));
        }
        if let Some(at) = literal::value_start(&line.text) {
            // Blanks keep the columns as they are in the file.
            let blanks = " ".repeat(line.text[..at].chars().count());
            line.text.replace_range(..at, &blanks);
        } else if let Some((column, token)) = line.tokens().next()
            && !token.starts_with(['{', '['])
        {
            return source.fail(line.at(column), token.chars().next().map_or(String::new(), show_char), expected);
        }
        let mut document = Self { file: source.file().to_owned(), lines: Vec::new(), text: String::new() };
        let mut nesting = Nesting::default();
        let mut next = Some(line);
        while let Some(line) = next {
            document.push(&line);
            if document.text.len() > MAX_LINE {
                return source.fail(line.at(0), format!("more than {MAX_LINE} bytes"), "a shorter JSON value");
            }
            nesting.follow(&line.text);
            next = if nesting.depth > 0 { source.next_line()? } else { None };
        }
        Ok(Some(document))
    }

    fn push(&mut self, line: &Line) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        self.lines.push(line.number);
        self.text.push_str(&line.text);
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// The line where the value begins.
    pub fn begin(&self) -> Position {
        Position { line: self.lines.first().copied().unwrap_or(0), column: 0 }
    }

    /// Parses the value: JSON, or a [literal] of a programming language.
    ///
    /// # Errors
    /// When the text is neither. The error has the position in the file; it says `expected`, unless the parser says
    /// something more precise.
    pub fn parse(&self, expected: &str) -> Result<Value, BoardError> {
        serde_json::from_str(&self.text)
            .or_else(|error| literal::parse(&self.text).ok_or(error))
            .map_err(|error| self.explain(&error, expected))
    }

    /// Turns an error of the parser into one with a position in the file.
    fn explain(&self, error: &serde_json::Error, expected: &str) -> BoardError {
        let index = error.line().saturating_sub(1);
        let bytes = self.text.lines().nth(index).unwrap_or("").as_bytes();
        // The parser counts bytes, including the last byte that it consumed.
        let taken = error.column().saturating_sub(usize::from(!error.is_eof()));
        let before = &bytes[..taken.min(bytes.len())];
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        let position = Position { line: self.lines.get(index).copied().unwrap_or(0), column };
        let mut message = error.to_string();
        message.truncate(message.rfind(" at line ").unwrap_or(message.len()));
        let (found, expected) = message.rsplit_once(", expected ").unwrap_or((&message, expected));
        BoardError::at(&self.file, position, excerpt(found), expected)
    }
}

/// Follows the nesting depth of objects and lists in JSON and in literals.
#[derive(Default)]
struct Nesting {
    depth: usize,
    /// Inside quotes, the quote that ends them.
    quote: Option<u8>,
    escaped: bool,
}

impl Nesting {
    fn follow(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.quote.is_some(),
                _ if self.quote == Some(byte) => self.quote = None,
                _ if self.quote.is_some() => {}
                b'"' | b'\'' => self.quote = Some(byte),
                b'{' | b'[' | b'(' => self.depth += 1,
                b'}' | b']' | b')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}
