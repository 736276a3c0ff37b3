//! Reads the boards of a file in any format, one after the other.

use super::notations::json::literal;
use super::notations::picture;
use crate::formats::choice::grammar::{Boards, Grammar};
use crate::formats::choice::readings::Input;
use crate::formats::input::compressed::MAX_INPUT;
use crate::formats::input::decode::Decoded;
use crate::formats::input::source::{Source, open_input};
use crate::{BoardError, Entry, Format, Position, ReadOptions, visible};
use std::io::{BufRead, Read};
use std::marker::PhantomData;
use std::path::Path;

/// An iterator over the boards of a file. A board that cannot be read is an error; where the format says where the next
/// board begins, the next call goes on with that board.
///
/// JSON, and formats that the options or the head of the file name, are read one board at a time. Any other input is
/// read as a whole first, because every reading has to explain all of it.
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
    boards: Kind<R>,
    domain: Option<String>,
    is_named: bool,
    notes: Vec<String>,
}

enum Kind<R> {
    /// Boards in text, which are read one at a time.
    Text(Box<Boards<Decoded<R>>>),
    /// The board of a picture.
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
    /// Reads from `input`, which messages call `file`. The ending `.lines` names the format [`Format::Lines`].
    ///
    /// # Errors
    /// When the input is empty, cannot be read, has several readings that differ, or has none.
    pub fn new(file: impl Into<String>, input: R, mut options: ReadOptions) -> Result<Self, BoardError> {
        let path = visible(&file.into());
        let uncompressed = path.strip_suffix(".gz").or_else(|| path.strip_suffix(".zst")).unwrap_or(&path);
        if uncompressed.ends_with(".lines") && options.default_format.is_none() {
            options.default_format = Some(Format::Lines);
        }
        let file = Path::new(&path).file_name().map_or(path.clone(), |n| n.to_string_lossy().into_owned());
        let is_named = options.format.is_some();
        let mut input = Decoded::new(input, &path)?;
        if let Some(entry) = picture::read(&mut input, &path, &file, &options)? {
            let boards = Kind::Picture(Some(entry));
            return Ok(Self { boards, domain: None, is_named, notes: Vec::new() });
        }
        let mut source = Source::new(path.clone(), input);
        let head = source.take_head()?.unwrap_or_default();
        let options = head.under(options);
        source.empty.clone_from(&options.empty);
        let grammar = direct(&mut source, &options)?;
        if grammar.is_none() && source.peek(|_| false).0.is_empty() {
            // There is no line: either reading has failed, or the file is empty.
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
            None => whole(source, path, file)?.decide(&options)?,
        };
        let domain = head.domain.or(boards.look_ahead()?);
        Ok(Self { boards: Kind::Text(Box::new(boards)), domain, is_named: is_named || head.format.is_some(), notes })
    }

    /// The format of the file, named by the options or recognised.
    #[must_use]
    pub fn format(&self) -> Format {
        match &self.boards {
            Kind::Text(boards) => boards.format(),
            Kind::Picture(_) => Format::Picture,
        }
    }

    /// Whether the format was recognised by the content.
    #[must_use]
    pub fn recognised(&self) -> bool {
        !self.is_named
    }

    /// The puzzle that the head of the file, its first JSON object or its first game ID names.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.domain.as_deref()
    }

    /// The moves that the game ID of the last board allows a player; `None` if nothing says it.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        match &self.boards {
            Kind::Text(boards) => boards.limit,
            Kind::Picture(_) => None,
        }
    }

    /// What the reader has ignored so far, for the user.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let ignored = match &self.boards {
            Kind::Text(boards) => &boards.ignored[..],
            Kind::Picture(_) => &[],
        };
        let fields = (!ignored.is_empty()).then(|| format!("ignored the fields {}", ignored.join(", ")));
        self.notes.iter().cloned().chain(fields).collect()
    }
}

/// The grammar of an input whose format is known, or that is JSON. Such an input is read one board at a time.
fn direct<R: BufRead>(source: &mut Source<R>, options: &ReadOptions) -> Result<Option<Grammar>, BoardError> {
    if options.format.or(options.default_format) == Some(Format::Bunny) {
        source.set_verbatim(true);
        if options.format.is_some() || !crate::bunny::is_json(source)? {
            return Ok(Some(Grammar::Bunny));
        }
        source.set_verbatim(false);
        return Ok(Some(Grammar::Json));
    }
    let begins_as_json = source.peek(|_| false).0.first().is_some_and(|line| begins_as_json(&line.text));
    Ok(match options.format {
        Some(Format::Lines) => Some(Grammar::Lines),
        Some(Format::Json) => Some(Grammar::Json),
        Some(Format::GameId) => Some(Grammar::GameIds),
        None if begins_as_json => Some(Grammar::Json),
        None if options.default_format == Some(Format::Lines) => Some(Grammar::Lines),
        _ => None,
    })
}

/// Whether a line begins JSON or a literal of a programming language. A list of cells alone may be a row of text.
fn begins_as_json(line: &str) -> bool {
    let Some(begin) = literal::begin(line) else { return false };
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

/// Reads the rest of an input.
fn whole<R: BufRead>(source: Source<Decoded<R>>, path: String, file: String) -> Result<Input<R>, BoardError> {
    let (mut text, rest) = source.into_rest();
    rest.take(MAX_INPUT + 1)
        .read_to_end(&mut text)
        .map_err(|source| BoardError::Read { file: path.clone(), source })?;
    if text.len() as u64 > MAX_INPUT {
        let found = format!("more than {MAX_INPUT} bytes");
        return Err(BoardError::at(
            &path,
            Position::default(),
            found,
            "--format, so that boards are read one at a time",
        ));
    }
    Ok(Input { path, file, text: text.into(), of: PhantomData })
}

impl<R: BufRead> Iterator for BoardReader<R> {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.boards {
            Kind::Text(boards) => boards.next(),
            Kind::Picture(entry) => entry.take().map(Ok),
        }
    }
}
