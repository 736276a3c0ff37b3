//! Reads the boards of a file in any format, one after the other.

use super::choice::grammar::{Boards, Grammar};
use super::choice::readings::Input;
use super::input::board_source::Findings;
use super::input::decode::DecodedInput;
use super::input::line_source::{LineSource, open_input};
use super::notations::json::literal;
use super::notations::picture;
use crate::{BoardError, Entry, FileSettings, Format, Position, ReadOptions, visible};
use std::io::BufRead;
use std::path::Path;

/// An iterator over the boards of a file. A board that cannot be read is an error; if the format shows where the next
/// board begins, the next call continues with that board.
///
/// JSON, and `lines`, game IDs and `bunny` that the options, the head of the file or the ending `.lines` name, are read
/// one board at a time. Any other input is read as a whole first, because every reading has to explain all of it.
///
/// ```
/// use gridhunt_boards::{BoardReader, Format, ReadOptions};
///
/// let file = "# two boards\n112212221\n121212121\n";
/// let options = ReadOptions { format: Some(Format::Lines), ..ReadOptions::default() };
/// let reader = BoardReader::new("two.txt", file.as_bytes(), options)?;
/// let names: Vec<_> = reader.map(|entry| entry.map(|e| e.board.name().to_owned())).collect::<Result<_, _>>()?;
/// assert_eq!(names, ["two.txt#1", "two.txt#2"]);
/// # Ok::<(), gridhunt_boards::BoardError>(())
/// ```
pub struct BoardReader<R> {
    content: Content<R>,
    puzzle_name: Option<String>,
    /// Whether the format was named: by the options, in the head of the file, or by the ending of its name.
    is_format_named: bool,
    notes: Vec<String>,
}

enum Content<R> {
    /// Boards in text, which are read one at a time.
    Text(Box<Boards<DecodedInput<R>>>),
    /// The board of a picture; `None` after it was returned.
    Picture(Option<Entry>),
}

impl BoardReader<Box<dyn BufRead + Send>> {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// As [`BoardReader::new`], and when the file cannot be opened.
    pub fn open(path: impl AsRef<Path>, options: ReadOptions) -> Result<Self, BoardError> {
        let (file, input) = open_input(path.as_ref())?;
        Self::new(file, input, options)
    }
}

impl<R: BufRead> BoardReader<R> {
    /// Reads from `input`, which messages call `file`. The ending `.lines` makes [`Format::Lines`] the default format,
    /// unless the options have one.
    ///
    /// # Errors
    /// When the input is empty, cannot be read, has several readings that differ, or has none.
    pub fn new(file: impl Into<String>, input: R, mut options: ReadOptions) -> Result<Self, BoardError> {
        let path = visible(&file.into());
        let uncompressed_path = path.strip_suffix(".gz").or_else(|| path.strip_suffix(".zst")).unwrap_or(&path);
        if uncompressed_path.ends_with(".lines") && options.default_format.is_none() {
            options.default_format = Some(Format::Lines);
        }
        let file = Path::new(&path).file_name().map_or(path.clone(), |n| n.to_string_lossy().into_owned());
        let mut is_format_named = options.format.is_some();
        let mut input = DecodedInput::new(input, &path)?;
        if let Some((entry, note)) = picture::read(&mut input, &path, &file, &options)? {
            return Ok(Self {
                content: Content::Picture(Some(entry)),
                puzzle_name: None,
                is_format_named,
                notes: note.into_iter().collect(),
            });
        }
        let mut source = LineSource::new(path.clone(), input);
        let head = source.take_head()?.unwrap_or_default();
        let options = head.complete(options);
        source.empty_symbol.clone_from(&options.empty_symbol);
        let grammar = known_grammar(&mut source, &options)?;
        // Of the grammars that are known here, only JSON is recognised by the content.
        is_format_named |= head.format.is_some() || grammar.is_some_and(|grammar| grammar != Grammar::Json);
        if grammar.is_none() && source.peek_line().is_none() {
            // There is no line: reading has failed, or the file is empty.
            let at = source.end();
            source.next_line()?;
            return source.fail(at, source.describe_empty(), "a board");
        }
        let mut notes = Vec::new();
        if !head.unknown.is_empty() {
            notes.push(format!("ignored in the head: {}", head.unknown.join(", ")));
        }
        let mut boards = match grammar {
            Some(grammar) => Boards::new(source, grammar, options, &file),
            None => Input::read_rest(source, path, file)?.decide(&options)?,
        };
        boards.prefetch()?;
        let puzzle_name = head.domain.or_else(|| boards.findings.domain.clone());
        Ok(Self { content: Content::Text(Box::new(boards)), puzzle_name, is_format_named, notes })
    }

    /// What a text has besides the boards.
    fn findings(&self) -> Option<&Findings> {
        match &self.content {
            Content::Text(boards) => Some(&boards.findings),
            Content::Picture(_) => None,
        }
    }

    /// The format of the file, named by the options or recognised.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.content {
            Content::Text(boards) => boards.format(),
            Content::Picture(_) => Format::Picture,
        }
    }

    /// Whether the format was recognised by the content.
    #[must_use]
    pub fn is_format_recognised(&self) -> bool {
        !self.is_format_named
    }

    /// The puzzle that the file names: in its head, in its first JSON object or in its first game ID.
    #[must_use]
    pub fn puzzle_name(&self) -> Option<&str> {
        self.puzzle_name.as_deref()
    }

    /// The settings of the puzzle that fields of JSON have named so far.
    #[must_use]
    pub fn file_settings(&self) -> FileSettings {
        self.findings().map(|findings| findings.settings.clone()).unwrap_or_default()
    }

    /// The number of moves that the last board allows a player; `None` if nothing says it.
    #[must_use]
    pub fn move_limit(&self) -> Option<u32> {
        self.findings()?.move_limit
    }

    /// Notes for the user on what the reader has ignored so far.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let ignored = self.findings().filter(|findings| !findings.ignored.is_empty());
        let fields = ignored.map(|findings| format!("ignored the fields {}", findings.ignored.join(", ")));
        self.notes.iter().cloned().chain(fields).collect()
    }
}

/// Finds the grammar of an input whose format is known, or that is JSON. Such an input is read one board at a time.
fn known_grammar<R: BufRead>(source: &mut LineSource<R>, options: &ReadOptions) -> Result<Option<Grammar>, BoardError> {
    if options.format.or(options.default_format) == Some(Format::Bunny) {
        source.set_verbatim(true);
        if options.format.is_some() || !crate::bunny::is_json(source)? {
            return Ok(Some(Grammar::Bunny));
        }
        source.set_verbatim(false);
        return Ok(Some(Grammar::Json));
    }
    if options.format == Some(Format::Picture) {
        // Only a head says so: with the option, the input was read as a picture before.
        return source.fail(Position { line: 1, column: 0 }, "text", "a picture, as the head of the file says");
    }
    let begins_as_json = source.peek_line().is_some_and(|line| begins_as_json(&line.text));
    Ok(match options.format {
        Some(Format::Lines) => Some(Grammar::Lines),
        Some(Format::Json) => Some(Grammar::Json),
        Some(Format::GameId) => Some(Grammar::GameIds),
        None if begins_as_json => Some(Grammar::Json),
        None if options.default_format == Some(Format::Lines) => Some(Grammar::Lines),
        _ => None,
    })
}

/// Whether a line begins JSON or a literal of a programming language. A list of cells alone does not: it may be a row
/// of text.
fn begins_as_json(line: &str) -> bool {
    let Some(begin) = literal::value_start(line) else { return false };
    let value = line[begin..].trim_end();
    let count = |brackets: [char; 3]| value.matches(brackets).count();
    let is_open = count(['[', '{', '(']) > count([']', '}', ')']);
    let mut chars = value.chars().filter(|c| ![' ', '\t'].contains(c));
    match (chars.next(), chars.next()) {
        _ if !line[..begin].trim().is_empty() || is_open => true,
        (Some('{'), Some(c)) => "\"'}{[(".contains(c) || value.contains(':'),
        (Some('['), Some(c)) => "[{(\"'".contains(c) || value.contains(';'),
        (_, Some(c)) => ['(', '['].contains(&c),
        (_, None) => true,
    }
}

impl<R: BufRead> Iterator for BoardReader<R> {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.content {
            Content::Text(boards) => boards.next(),
            Content::Picture(entry) => entry.take().map(Ok),
        }
    }
}
