//! Reads the boards of a file in any format, one after the other.

use super::detect::{self, DetectedFormat};
use super::source::Source;
use super::{BoardError, Entry, Format, ReadOptions, bunny, csv, json, lines, numbers, text};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// An iterator over the boards of a file. It holds one board at a time, and ends after the first error.
///
/// ```
/// use gridhunt::board::{BoardReader, Format, ReadOptions};
///
/// let file = "# two boards\n112212221\n121212121\n";
/// let options = ReadOptions { format: Some(Format::Lines), ..ReadOptions::default() };
/// let reader = BoardReader::new("two.txt", file.as_bytes(), options)?;
/// let names: Vec<_> = reader.map(|entry| entry.map(|e| e.board.name().to_owned())).collect::<Result<_, _>>()?;
/// assert_eq!(names, ["two.txt#1", "two.txt#2"]);
/// # Ok::<(), gridhunt::board::BoardError>(())
/// ```
pub struct BoardReader<R> {
    source: Source<R>,
    options: ReadOptions,
    detected: DetectedFormat,
    /// The file name without folders.
    name: String,
    count: usize,
    done: bool,
}

impl BoardReader<Box<dyn BufRead + Send>> {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// As [`BoardReader::new`], and when the file cannot be opened.
    pub fn open(path: impl AsRef<Path>, options: ReadOptions) -> Result<Self, BoardError> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            return Self::new("stdin", Box::new(BufReader::new(io::stdin())), options);
        }
        let file = path.display().to_string();
        match File::open(path) {
            Ok(open) => Self::new(file, Box::new(BufReader::with_capacity(1 << 16, open)), options),
            Err(source) => Err(BoardError::Read { file, source }),
        }
    }
}

impl<R: BufRead> BoardReader<R> {
    /// Reads from `input`, which messages call `file`. The first lines decide the format unless the options name one.
    ///
    /// # Errors
    /// When the input is empty, cannot be read, or fits two formats.
    pub fn new(file: impl Into<String>, input: R, mut options: ReadOptions) -> Result<Self, BoardError> {
        let file = file.into();
        let name = Path::new(&file).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned());
        let mut source = Source::new(file, input);
        if options.format.or(options.default_format) == Some(Format::Bunny) {
            source.set_verbatim(true);
            if bunny::is_json(&mut source)? && options.format.is_none() {
                source.set_verbatim(false);
            } else {
                options.format = Some(Format::Bunny);
            }
        }
        if source.peek(|_| false).0.is_empty() {
            let at = source.end();
            // There is no line: either reading has failed, or the file is empty.
            source.next_line()?;
            return source.fail(at, "an empty file", "a board");
        }
        let detected = detect::detect(&mut source, &options)?;
        Ok(Self { source, options, detected, name, count: 0, done: false })
    }

    /// The format of the file, named by the options or detected.
    #[must_use]
    pub fn format(&self) -> Format {
        self.detected.format()
    }

    /// Whether the format was detected by the content.
    #[must_use]
    pub fn recognised(&self) -> bool {
        self.options.format.is_none()
    }

    fn read(&mut self) -> Result<Option<Entry>, BoardError> {
        let plain = |board| Entry { board, published: None };
        let (source, options, name) = (&mut self.source, &self.options, self.name.as_str());
        match self.detected {
            DetectedFormat::Lines => {
                lines::read(source, options, &format!("{name}#{}", self.count + 1)).map(|b| b.map(plain))
            }
            DetectedFormat::Bunny => bunny::read(source, options, name, self.count + 1).map(|b| b.map(plain)),
            DetectedFormat::Json => json::read(source, options, name, self.count + 1),
            _ if self.count > 0 => Ok(None),
            DetectedFormat::Text { header } => text::read(source, options, header, name).map(plain).map(Some),
            DetectedFormat::Csv => csv::read(source, options, name).map(plain).map(Some),
            DetectedFormat::Numbers => numbers::read(source, options, name).map(Some),
        }
    }
}

impl<R: BufRead> Iterator for BoardReader<R> {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let entry = self.read().transpose();
        self.count += 1;
        self.done = !matches!(entry, Some(Ok(_)));
        entry
    }
}

impl<R: BufRead> std::iter::FusedIterator for BoardReader<R> {}
