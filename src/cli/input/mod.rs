//! The boards of the input files, in the order of the command line.

pub(super) mod solutions;
pub(super) mod starts;

use crate::cli::args::path_check::check_input;
use crate::cli::output::exit::Failure;
use crate::cli::output::print_message;
use gridhunt::hunt::{Config, Selection, error_chain, nearest_path, shipped};
use gridhunt::play::{Game, PlayError, SharedGame, is_link};
use gridhunt::puzzles::PuzzleId;
use gridhunt_boards::{
    BoardError, BoardReader, Entry, FileSettings, Position, ReadOptions, looks_like_game_id, plural, visible,
};
use std::collections::VecDeque;
use std::io::{self, BufRead, Cursor};
use std::path::{Path, PathBuf};

/// The most bytes of boards that [`Input::read_all`] returns.
const MAX_BYTES: usize = 1 << 30;

/// The approximate size of a board without its cells.
const BOARD_BYTES: usize = 512;

type Reader = BoardReader<Box<dyn BufRead + Send>>;

/// An iterator over the selected boards of all input files.
pub struct Input {
    sources: VecDeque<Source>,
    options: ReadOptions,
    selection: Option<Selection>,
    current: Option<SelectedBoards>,
    /// Boards of a stream that [`Input::has_many`] has read ahead.
    read_ahead: VecDeque<Result<Entry, BoardError>>,
    /// The number of boards; `None` if an input is a stream.
    pub total: Option<usize>,
    /// Notes for the user about recognised formats.
    pub notes: Vec<String>,
    /// The limit of moves that the last board sets for its player.
    pub move_limit: Option<u32>,
    /// The puzzle that the files name, and the rules of a link.
    settings: Config,
    /// What the files name; equal ones only once in a row.
    named: Vec<FileSettings>,
}

enum Source {
    /// A regular file whose boards have all been read once.
    File(PathBuf),
    /// An input that can be read only once.
    Stream(Box<SelectedBoards>),
    /// An input that holds no board, or cannot be read.
    Bad(BoardError),
}

impl Input {
    /// Opens the files. Regular files are read completely first, so that no search begins if a file is invalid.
    pub fn open(files: &[PathBuf], options: ReadOptions, selection: Option<&Selection>) -> Result<Self, Failure> {
        Self::open_with(files, options, selection, true)
    }

    /// Does what [`Input::open`] does, but returns invalid boards and unreadable files as errors of the iterator. An
    /// unreadable file counts as a board. Fails only if no input has a valid board.
    pub fn open_each(files: &[PathBuf], options: ReadOptions, selection: Option<&Selection>) -> Result<Self, Failure> {
        Self::open_with(files, options, selection, false)
    }

    fn open_with(
        files: &[PathBuf],
        options: ReadOptions,
        selection: Option<&Selection>,
        is_strict: bool,
    ) -> Result<Self, Failure> {
        if files.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
            return Err(Failure::usage("standard input (-) can be read only once"));
        }
        let mut input = Self {
            sources: VecDeque::new(),
            options,
            selection: selection.cloned(),
            current: None,
            read_ahead: VecDeque::new(),
            total: Some(0),
            notes: Vec::new(),
            move_limit: None,
            settings: Config::default(),
            named: Vec::new(),
        };
        // The first error of each input, and whether a regular file has a valid board.
        let (mut first_errors, mut has_valid): (Vec<String>, bool) = (Vec::new(), false);
        for path in files {
            if let Some(Ok(shared)) = open_link(path) {
                input.set_rules(&shared, files.len())?;
            }
            let checked =
                check_input(path, files).map_err(|source| BoardError::Read { file: display_name(path), source });
            let mut boards = match checked.and_then(|()| input.open_boards(path)) {
                Err(error) if !is_strict => {
                    input.total = input.total.map(|total| total + 1);
                    first_errors.push(error_chain(&error));
                    input.sources.push_back(Source::Bad(error));
                    continue;
                }
                boards => boards?,
            };
            if let Boards::Read(reader) = &boards.boards {
                if reader.is_format_recognised() {
                    input.notes.push(format!("{}: read as {}", boards.file, reader.format()));
                }
                input.notes.extend(reader.notes().into_iter().map(|note| format!("{}: {note}", boards.file)));
                input.set_domain(&boards.file, reader.puzzle_name())?;
                input.add_settings(reader.file_settings());
            }
            // Shipped data sets and links can be read again too.
            if path.as_os_str() != "-" && path.metadata().map_or(true, |metadata| metadata.is_file()) {
                let (mut count, earlier_errors) = (0, first_errors.len());
                for entry in &mut boards {
                    count += 1;
                    match entry {
                        Ok(_) => has_valid = true,
                        Err(error) if is_strict => return Err(error.into()),
                        Err(error) if first_errors.len() == earlier_errors => first_errors.push(error_chain(&error)),
                        Err(_) => {}
                    }
                }
                if let Some(error) = boards.missing.take() {
                    return Err(error.into());
                }
                if let Boards::Read(reader) = &boards.boards {
                    input.move_limit = reader.move_limit();
                }
                input.total = input.total.map(|total| total + count);
                input.sources.push_back(Source::File(path.clone()));
            } else {
                input.total = None;
                input.sources.push_back(Source::Stream(Box::new(boards)));
            }
        }
        match first_errors.pop() {
            // If every board is invalid, no search begins.
            Some(last) if !has_valid && input.total.is_some() => {
                first_errors.iter().for_each(|error| print_message(&format!("gridhunt: {error}")));
                Err(Failure::bad_input(last))
            }
            _ => Ok(input),
        }
    }

    /// Reads all boards, for commands that need them at once.
    ///
    /// # Errors
    /// When a board cannot be read, or the boards take too much memory.
    pub fn read_all(&mut self) -> Result<Vec<Entry>, Failure> {
        let (mut boards, mut bytes) = (Vec::new(), 0);
        for entry in self {
            let entry = entry?;
            bytes += BOARD_BYTES + entry.board.cells().len();
            if bytes > MAX_BYTES {
                let found = format!("more than {} boards, which fill {MAX_BYTES} bytes", boards.len());
                return Err(Failure::bad_input(format!("{found}, expected fewer: --boards selects some")));
            }
            boards.push(entry);
        }
        Ok(boards)
    }

    /// Whether there is more than one board. Reads up to two boards of a stream ahead.
    pub fn has_many(&mut self) -> bool {
        if let Some(total) = self.total {
            return total > 1;
        }
        while self.read_ahead.len() < 2 {
            match self.read_next() {
                Some(entry) => self.read_ahead.push_back(entry),
                None => {
                    self.total = Some(self.read_ahead.len());
                    break;
                }
            }
        }
        self.read_ahead.len() > 1
    }

    /// Sets the options that `config` does not set to the puzzle and the rules of the files.
    ///
    /// # Errors
    /// When files have different rules, or name a wrong one.
    pub fn fill_config(&self, config: &mut Config) -> Result<(), Failure> {
        if config.domain.is_none() || config.domain == self.settings.domain {
            config.fill_from(self.settings.clone());
        }
        Ok(config.fill_from_all_settings(&self.named)?)
    }

    fn add_settings(&mut self, named: FileSettings) {
        if self.named.last() != Some(&named) {
            self.named.push(named);
        }
    }

    /// Sets the puzzle that a file names. All files must have the same puzzle.
    fn set_domain(&mut self, file: &str, name: Option<&str>) -> Result<(), Failure> {
        let Some(name) = name else { return Ok(()) };
        let unknown = |error| Failure::bad_input(format!("{file}: {error}, or --domain"));
        let domain: PuzzleId = name.parse().map_err(unknown)?;
        match self.settings.domain.replace(domain) {
            Some(previous) if previous != domain => Err(Failure::usage(format!(
                "{file}: found boards of {domain} after boards of {previous}, expected one puzzle in one call"
            ))),
            _ => Ok(()),
        }
    }

    /// Sets the rules of a link.
    fn set_rules(&mut self, shared: &SharedGame, inputs: usize) -> Result<(), Failure> {
        let Game { puzzle, options, limit, .. } = &shared.game;
        self.move_limit = *limit;
        if options.is_empty() {
            self.add_settings(FileSettings::default());
            return self.set_domain("link", Some(puzzle));
        }
        if inputs > 1 {
            return Err(Failure::usage("found a link with rules beside other inputs, expected the link alone"));
        }
        self.settings = shared.game.config()?;
        Ok(())
    }

    fn open_boards(&self, path: &Path) -> Result<SelectedBoards, BoardError> {
        let mut file = display_name(path);
        let boards = match (argument_content(path), open_link(path)) {
            (Some((name, content)), _) => {
                file = name.unwrap_or(file);
                Boards::Read(Box::new(BoardReader::new(file.clone(), content, self.options.clone())?))
            }
            (None, Some(shared)) => {
                file = "link".to_owned();
                Boards::Linked(Some(board_of(shared)?))
            }
            (None, None) => {
                let reader = BoardReader::open(path, self.options.clone());
                Boards::Read(Box::new(reader.map_err(|error| with_suggestion(error, path))?))
            }
        };
        Ok(SelectedBoards { boards, file, selection: self.selection.clone(), read_count: 0, missing: None })
    }

    fn read_next(&mut self) -> Option<Result<Entry, BoardError>> {
        loop {
            if let Some(boards) = &mut self.current
                && let Some(entry) = boards.next()
            {
                if let Boards::Read(reader) = &boards.boards {
                    self.move_limit = reader.move_limit();
                }
                return Some(entry);
            }
            self.current = Some(match self.sources.pop_front()? {
                Source::Bad(error) => return Some(Err(error)),
                Source::Stream(boards) => *boards,
                Source::File(path) => match self.open_boards(&path) {
                    Ok(boards) => boards,
                    Err(e) => return Some(Err(e)),
                },
            });
        }
    }
}

/// The name of an input in messages.
fn display_name(path: &Path) -> String {
    if path.as_os_str() == "-" { "stdin".to_owned() } else { visible(&path.display().to_string()) }
}

/// The content of an argument that is not a file: a shipped data set, or a game ID, with its name in messages.
fn argument_content(path: &Path) -> Option<(Option<String>, Box<dyn BufRead + Send>)> {
    let text = path.to_str().filter(|_| !path.exists())?;
    match shipped::dataset(text) {
        Some(bytes) => Some((None, Box::new(bytes))),
        None => {
            looks_like_game_id(text).then(|| (Some("game ID".to_owned()), Box::new(Cursor::new(text.to_owned())) as _))
        }
    }
}

/// Opens a link that is given instead of a file. Returns `None` if the argument is not a link.
pub fn open_link(path: &Path) -> Option<Result<SharedGame, PlayError>> {
    let text = path.to_str().filter(|text| is_link(text) && !path.exists())?;
    Some(SharedGame::from_link(text))
}

/// The board of a link.
fn board_of(shared: Result<SharedGame, PlayError>) -> Result<Entry, BoardError> {
    let board = shared.and_then(|shared| shared.game.board());
    let wrong = |PlayError { error, .. }| {
        let text = error.trim_start_matches("link: ").trim_start_matches("found ");
        let (found, expected) = text.split_once(", expected ").unwrap_or((text, "the link of a game"));
        BoardError::at("link", Position::default(), found, expected)
    };
    board.map(|board| Entry { board, published_optimum: None }).map_err(wrong)
}

/// Adds the most similar name of a data set, or else of a file, to the error for a missing file.
fn with_suggestion(error: BoardError, path: &Path) -> BoardError {
    match error {
        BoardError::Read { file, source } if source.kind() == io::ErrorKind::NotFound => {
            let message = if path.to_str().is_some_and(|text| text.starts_with("http:") || text.starts_with("https:")) {
                "found an address without a board in it, expected a file, or a link of `gridhunt play`".to_owned()
            } else if let Some(name) = path.to_str().and_then(shipped::nearest_dataset) {
                format!("{source}; did you mean the data set {name}?")
            } else if let Some(near) = nearest_path(path) {
                format!("{source}; did you mean {}?", near.display())
            } else {
                return BoardError::Read { file, source };
            };
            BoardError::Read { file, source: io::Error::new(source.kind(), message) }
        }
        error => error,
    }
}

impl Iterator for Input {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_ahead.pop_front().or_else(|| self.read_next())
    }
}

/// The boards of one input.
enum Boards {
    Read(Box<Reader>),
    /// The board of a link, until it is returned.
    Linked(Option<Entry>),
}

impl Iterator for Boards {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Read(reader) => reader.next(),
            Self::Linked(entry) => entry.take().map(Ok),
        }
    }
}

/// The selected boards of one file.
struct SelectedBoards {
    boards: Boards,
    file: String,
    selection: Option<Selection>,
    /// The number of boards read so far.
    read_count: usize,
    /// The error for a selected board after the last one.
    missing: Option<BoardError>,
}

impl Iterator for SelectedBoards {
    type Item = Result<Entry, BoardError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(selection) = &self.selection else { return self.boards.next() };
        while self.missing.is_none() && self.read_count < selection.last() {
            let Some(entry) = self.boards.next() else {
                let missing = || BoardError::Unexpected {
                    file: self.file.clone(),
                    position: Position::default(),
                    found: plural(self.read_count, "board"),
                    expected: format!("board {}, which --boards selects", selection.last()),
                };
                self.missing = Some(missing());
                return Some(Err(missing()));
            };
            self.read_count += 1;
            // A board that is not selected may be wrong; an input that cannot be read has no more boards.
            if selection.contains(self.read_count) || matches!(entry, Err(BoardError::Read { .. })) {
                return Some(entry);
            }
        }
        None
    }
}
