//! The head of a file that gridhunt wrote: a comment in the first line that says how to read the file.
//!
//! ```text
//! # gridhunt format=lines size=9x7 colours=3 start=2,3 domain=clickomania
//! ```
//!
//! The head is a list of `key=value`. Every key may be left out, and a reader ignores unknown keys.

use crate::formats::mismatch::{Mismatch, quote};
use crate::{Board, Cell, Format, PuzzleContext, ReadOptions, Start, parse_size};
use std::fmt::Write;

/// How every head begins.
const HEAD_PREFIX: &str = "# gridhunt ";

/// What a head says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub format: Option<Format>,
    pub size: Option<(usize, usize)>,
    pub colours: Option<usize>,
    pub start: Option<Start>,
    pub domain: Option<String>,
    /// Keys that this version does not know.
    pub unknown: Vec<String>,
}

impl Head {
    /// Reads the first line of a file; `None` if the line is no head.
    ///
    /// # Errors
    /// When a word is not `key=value`, or a known key has a wrong value.
    pub fn parse(line: &str) -> Option<Result<Self, Mismatch>> {
        let words = line.trim_start_matches('\u{feff}').strip_prefix(HEAD_PREFIX)?;
        // A line without a pair is a comment like any other.
        words.contains('=').then(|| words.split_whitespace().try_fold(Self::default(), Self::with_pair))
    }

    /// Fills in, from the head, the options that are not set.
    pub fn complete(&self, options: ReadOptions) -> ReadOptions {
        let domain = options.puzzle.domain.or_else(|| self.domain.clone());
        ReadOptions {
            format: options.format.or(self.format),
            size: options.size.or(self.size),
            colours: options.colours.or(self.colours),
            start: options.start.or(self.start),
            puzzle: PuzzleContext { domain, ..options.puzzle },
            ..options
        }
    }

    fn with_pair(mut self, word: &str) -> Result<Self, Mismatch> {
        let Some((key, value)) = word.split_once('=') else {
            return Mismatch::fail(quote(word), "key=value in the head of the file");
        };
        let wrong = |expected: String| Mismatch::new(quote(word), expected);
        match key {
            "format" => self.format = Some(value.parse().map_err(|e: crate::OptionError| wrong(e.expected))?),
            "size" => self.size = Some(parse_size(value).map_err(|e| wrong(e.expected))?),
            "start" => self.start = Some(value.parse().map_err(|e: crate::OptionError| wrong(e.expected))?),
            "colours" => self.colours = Some(value.parse().map_err(|_| wrong("a number of colours".to_owned()))?),
            "domain" => self.domain = Some(value.to_owned()),
            _ => self.unknown.push(key.to_owned()),
        }
        Ok(self)
    }
}

/// Writes the head of a file of boards like this one.
///
/// The head has the number of colours if the colours have the usual names. So a reader also knows the colours that no
/// cell has.
pub(crate) fn head_of(board: &Board, format: Format, domain: Option<&str>) -> String {
    let mut head = format!("{HEAD_PREFIX}format={format}");
    if format != Format::Bunny {
        let _ = write!(head, " size={}x{}", board.rows(), board.cols());
        if board.symbols() == crate::usual_symbols(board.colours()) {
            let _ = write!(head, " colours={}", board.colours());
        }
        if board.start() != Cell::default() {
            let _ = write!(head, " start={}", board.start());
        }
    }
    if let Some(domain) = domain {
        let _ = write!(head, " domain={domain}");
    }
    head + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_read() {
        let head = Head::parse("# gridhunt format=lines size=9x7 colours=3 start=2,3 domain=clickomania mood=good");
        let expected = Head {
            format: Some(Format::Lines),
            size: Some((9, 7)),
            colours: Some(3),
            start: Some(Start::At(Cell { row: 1, col: 2 })),
            domain: Some("clickomania".to_owned()),
            unknown: vec!["mood".to_owned()],
        };
        assert_eq!(head, Some(Ok(expected)));
        for line in ["# a comment", "gridhunt format=lines", "#gridhunt format=lines", "# gridhunt is a program"] {
            assert_eq!(Head::parse(line), None, "{line}");
        }
        for line in
            ["# gridhunt size=9", "# gridhunt format=xml", "# gridhunt format=text mood", "# gridhunt start=0,1"]
        {
            assert!(Head::parse(line).unwrap().is_err(), "{line}");
        }
    }
}
