//! Detects the format of an input by its first lines. When two formats fit, the result is an error, never a guess.

use super::header::{is_header, named_size};
use super::lines::size_of_board;
use super::source::{Line, Source};
use super::symbol::{EMPTY_NUMBER, EMPTY_SYMBOL};
use super::{BoardError, Format, MAX_CELLS, ReadOptions};
use std::io::BufRead;

/// A detected format. For `text` it also says whether the file begins with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetectedFormat {
    Text { header: bool },
    Csv,
    Lines,
    Numbers,
    Json,
    Bunny,
}

impl DetectedFormat {
    pub fn format(self) -> Format {
        match self {
            Self::Text { .. } => Format::Text,
            Self::Csv => Format::Csv,
            Self::Lines => Format::Lines,
            Self::Numbers => Format::Numbers,
            Self::Json => Format::Json,
            Self::Bunny => Format::Bunny,
        }
    }
}

/// Two formats that fit the same input.
struct Ambiguity {
    formats: [Format; 2],
    /// What each format would read.
    found: String,
    /// The options that choose between them.
    choose: String,
}

/// The first lines of an input.
struct Prefix<'a> {
    lines: Vec<&'a Line>,
    /// Whether these are all lines of the input.
    complete: bool,
    size: Option<(usize, usize)>,
}

/// Decides how to read `source`, without consuming any line.
///
/// # Errors
/// [`BoardError::Ambiguous`] when two formats fit.
pub(super) fn detect<R: BufRead>(source: &mut Source<R>, options: &ReadOptions) -> Result<DetectedFormat, BoardError> {
    match options.format {
        Some(Format::Csv) => return Ok(DetectedFormat::Csv),
        Some(Format::Lines) => return Ok(DetectedFormat::Lines),
        Some(Format::Numbers) => return Ok(DetectedFormat::Numbers),
        Some(Format::Json) => return Ok(DetectedFormat::Json),
        Some(Format::Bunny) => return Ok(DetectedFormat::Bunny),
        Some(Format::Text) | None => {}
    }
    let file = source.file().to_owned();
    let (lines, complete) = source.peek(wants_more());
    let Some(first) = lines.first() else {
        // Unreachable: the caller has checked that there is a line.
        return Ok(DetectedFormat::Text { header: false });
    };
    let position = first.at(0);
    let prefix = Prefix { lines, complete, size: options.size };
    let decided = if options.format.is_some() { prefix.detect_text() } else { prefix.detect_any() };
    decided.map_err(|ambiguity| BoardError::Ambiguous {
        file,
        position,
        formats: ambiguity.formats,
        found: ambiguity.found,
        expected: ambiguity.choose,
    })
}

/// Asks for more lines until they hold more than any single board, or until the first line decides the format alone.
fn wants_more() -> impl FnMut(&Line) -> bool {
    const BYTES: usize = 1 << 16;
    let (mut bytes, mut lines) = (0, 0);
    move |line| {
        bytes += line.text.len() + 1;
        lines += 1;
        let settled = lines == 1 && !is_header(line) && line.text.contains(['{', '[', ',']);
        !settled && bytes < BYTES && lines <= MAX_CELLS + 2
    }
}

impl Prefix<'_> {
    /// Detects the format when the caller has named none.
    fn detect_any(&self) -> Result<DetectedFormat, Ambiguity> {
        let first = self.lines[0];
        if first.text.trim_start().starts_with(['{', '[']) {
            return Ok(DetectedFormat::Json);
        }
        if is_header(first) {
            return self.header_or_row(false);
        }
        // In a file without header, `-1` alone on a line is an empty cell of a csv board with one column.
        let is_empty_cell = |line: &&Line| line.text.trim_matches([' ', '\t']) == EMPTY_NUMBER;
        if first.text.contains(',') || self.lines.iter().any(is_empty_cell) {
            return Ok(DetectedFormat::Csv);
        }
        if is_spaced(first) { Ok(DetectedFormat::Text { header: false }) } else { self.lines_or_text() }
    }

    /// As [`Prefix::detect_any`], for an input whose format is known to be `text`: a header then belongs to `text`.
    fn detect_text(&self) -> Result<DetectedFormat, Ambiguity> {
        if !is_header(self.lines[0]) {
            return Ok(DetectedFormat::Text { header: false });
        }
        self.header_or_row(true).map(|detected| match detected {
            DetectedFormat::Numbers => DetectedFormat::Text { header: true },
            other => other,
        })
    }

    /// Decides whether a first line that looks like a header is a header or a row of three cells.
    ///
    /// It may be a header unless more cells follow than it names. Fewer cells do not rule it out, because the file may
    /// be truncated.
    fn header_or_row(&self, is_text: bool) -> Result<DetectedFormat, Ambiguity> {
        let first = self.lines[0];
        let body = &self.lines[1..];
        let row_of_three = |line: &&Line| {
            let mut tokens = line.tokens();
            tokens.by_ref().take(3).filter(|(_, t)| t.len() == 1).count() == 3 && tokens.next().is_none()
        };
        let rows_fit = self.lines.iter().all(row_of_three);
        let (named, colours) = named_size(first);
        let cells = named.0.saturating_mul(named.1);
        let tokens: usize = body.iter().map(|line| line.tokens().count()).sum();
        let header_fits = tokens <= cells.saturating_add(1);
        let as_rows = (self.lines.len(), 3);
        let (header_fits, rows_fit) = match self.size {
            // If the first line were a header of this size, one row would be missing.
            Some(size) if rows_fit && header_fits && size == as_rows && size == named => (!is_text, true),
            Some(size) if rows_fit && header_fits => (size == named, size == as_rows),
            _ => (header_fits, rows_fit),
        };
        match (header_fits, rows_fit) {
            (_, false) => self.under_header(named, colours),
            (false, true) => Ok(DetectedFormat::Text { header: false }),
            (true, true) => Err(Ambiguity {
                formats: [Format::Numbers, Format::Text],
                found: format!(
                    "a first line that is a header ({} x {} cells: numbers) or a row (one of {}: text)",
                    named.0, named.1, as_rows.0
                ),
                choose: format!("--format numbers, or --format text with --size {}x3", as_rows.0),
            }),
        }
    }

    /// Decides between `numbers` and `text` for an input with a header: separate whole numbers are `numbers`,
    /// everything else is `text`. When both fit, with one number for every cell of every row, the result is `numbers`;
    /// `text` would read the same board.
    fn under_header(&self, (rows, cols): (usize, usize), colours: usize) -> Result<DetectedFormat, Ambiguity> {
        let body = &self.lines[1..];
        let tokens = || body.iter().flat_map(|line| line.tokens()).map(|(_, token)| token);
        let cells = rows.saturating_mul(cols);
        let numbers_fit = tokens().all(is_number);
        if body.is_empty() || (numbers_fit && cols == 1) {
            return Ok(DetectedFormat::Numbers);
        }
        if body.iter().any(|line| is_spaced(line)) {
            let as_numbers = numbers_fit || tokens().any(|t| t.len() > 1 && is_number(t));
            return Ok(if as_numbers { DetectedFormat::Numbers } else { DetectedFormat::Text { header: true } });
        }
        let are_rows_of = |cols| tokens().all(|t: &str| t.chars().count() == cols);
        if rows != cols && rows > 1 && are_rows_of(rows) && tokens().count() == cols {
            // The header gives the width before the height.
            return Ok(DetectedFormat::Text { header: true });
        }
        let rows_fit = are_rows_of(cols);
        if !(numbers_fit && rows_fit) {
            let counted = [cells, cells.saturating_add(1)].contains(&tokens().count());
            let as_numbers = numbers_fit && (counted || tokens().all(|t| t.len() <= 2 && t.len() != cols));
            return Ok(if as_numbers { DetectedFormat::Numbers } else { DetectedFormat::Text { header: true } });
        }
        // One number a line, or rows of digits without spaces: the number of lines decides, if the file is complete.
        match tokens().count() {
            n if self.complete && n == rows => Ok(DetectedFormat::Text { header: true }),
            n if n == cells || n == cells.saturating_add(1) => Ok(DetectedFormat::Numbers),
            _ if !tokens().all(|t| t.parse().is_ok_and(|n: usize| n <= colours)) => {
                Ok(DetectedFormat::Text { header: true })
            }
            n => Err(Ambiguity {
                formats: [Format::Numbers, Format::Text],
                found: format!("{n} lines that are numbers (one cell each) or text (rows of {cols} cells)"),
                choose: "--format numbers or --format text".into(),
            }),
        }
    }

    /// Decides between `lines` and `text` for lines of symbols without spaces: each line may be a board, or all lines
    /// together may be one.
    fn lines_or_text(&self) -> Result<DetectedFormat, Ambiguity> {
        let length = |line: &Line| line.text.trim_matches([' ', '\t']).chars().count();
        let cols = length(self.lines[0]);
        // A board has at least two cells, and at least one of them has a colour.
        let size = |symbols: usize| size_of_board(symbols, self.size).filter(|_| symbols > 1);
        let has_colours = |line: &Line| line.text.contains(|c| ![EMPTY_SYMBOL, ' ', '\t'].contains(&c));
        let board = |line: &&Line| (!is_spaced(line) && has_colours(line)).then(|| size(length(line))).flatten();
        let Some((rows_each, cols_each)) = board(&self.lines[0]) else {
            return Ok(DetectedFormat::Text { header: false });
        };
        let too_many = self.lines.len().saturating_mul(cols) > MAX_CELLS;
        let other_size = self.size.is_some_and(|(rows, c)| rows == 1 || c != cols || self.lines.len() > rows);
        if too_many || other_size {
            return Ok(DetectedFormat::Lines);
        }
        let lines_fit = self.lines.iter().all(|line| board(line).is_some());
        let text_fits = self.lines.iter().skip(1).all(|line| length(line) == cols && !line.after_blank);
        match (lines_fit, text_fits) {
            (true, false) => Ok(DetectedFormat::Lines),
            (false, true) => Ok(DetectedFormat::Text { header: false }),
            _ => Err(Ambiguity {
                formats: [Format::Text, Format::Lines],
                found: format!(
                    "lines of {cols} symbols that are text (one board, {} x {cols}) \
                     or lines (boards of {rows_each} x {cols_each})",
                    self.lines.len(),
                ),
                choose: "--format text or --format lines".into(),
            }),
        }
    }
}

fn is_spaced(line: &Line) -> bool {
    line.text.trim_matches([' ', '\t']).contains([' ', '\t'])
}

fn is_number(token: &str) -> bool {
    token == EMPTY_NUMBER || token.bytes().all(|b| b.is_ascii_digit())
}
