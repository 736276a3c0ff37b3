//! Collects every reading that explains a whole input, and decides between them.
//!
//! * One reading explains the input: it is taken, unless its first row may be the header of a board that was cut off.
//! * Several explain it and agree on every board: the first one is taken.
//! * Several explain it and differ: [`BoardError::Ambiguous`], with options that choose each of them, where
//!   there are any.
//! * None explains it: the error of the reading that came farthest is returned.
//!
//! A reading with a board that is no position of the puzzle is dropped if another reading has only positions.
//!
//! A reading is dropped if a more regular one also explains the input:
//! * a board under a header whose rows do not end where lines end, if one row a line is possible under a header;
//! * square boards of one line each, if the lines form a square;
//! * a first line of words as a row, if a table's rule (`|---|`) separates it from the others, which are numbers;
//! * a first board of one row, or boards stacked without gaps, if the first line can be a header;
//! * a board of one row or one column under a header without colours, if any other reading explains the input.

use super::grammar::{Boards, Grammar};
use super::survey::LineSurvey;
use crate::error::PossibleReading;
use crate::formats::input::compressed::MAX_INPUT;
use crate::formats::input::decode::DecodedInput;
use crate::formats::input::foreign_text;
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::input::row::{Separator, whole_numbers};
use crate::formats::mismatch::{Mismatch, plural, show_text};
use crate::formats::notations::rows::{Labels, RowsGrammar};
use crate::{Board, BoardError, Cell, Format, MAX_CELLS, MAX_COLOURS, Position, ReadOptions, Start};
use std::io::{BufRead, Cursor, Read};
use std::marker::PhantomData;
use std::sync::Arc;

/// An input that was read as a whole, in UTF-8. `R` is the type of the stream that it came from. Its readings use the
/// same reader types as the stream, so that these are compiled only once.
pub(crate) struct Input<R> {
    /// What messages call the input.
    path: String,
    /// The file name without folders.
    file: String,
    text: Arc<[u8]>,
    reader: PhantomData<R>,
}

impl<R: BufRead> Input<R> {
    /// Reads the rest of an input.
    ///
    /// # Errors
    /// When the input cannot be read, or is too large.
    pub fn read_rest(source: LineSource<DecodedInput<R>>, path: String, file: String) -> Result<Self, BoardError> {
        let (mut text, rest) = source.into_recorded_and_rest();
        let read = rest.take(MAX_INPUT + 1).read_to_end(&mut text);
        read.map_err(|source| BoardError::Read { file: path.clone(), source })?;
        if text.len() as u64 > MAX_INPUT {
            let expected =
                "a smaller file, or --format lines, json, game-id or bunny, which are read one board at a time";
            return Err(BoardError::at(&path, Position::default(), format!("more than {MAX_INPUT} bytes"), expected));
        }
        Ok(Self { path, file, text: text.into(), reader: PhantomData })
    }

    fn source(&self, options: &ReadOptions) -> LineSource<DecodedInput<R>> {
        let mut source =
            LineSource::new(self.path.clone(), DecodedInput::InMemory(Cursor::new(Arc::clone(&self.text))));
        source.empty_symbol.clone_from(&options.empty_symbol);
        source
    }

    /// The lines of content, up to `most`.
    fn lines(&self, options: &ReadOptions, most: usize) -> Vec<Line> {
        let mut source = self.source(options);
        std::iter::from_fn(|| source.next_line().ok().flatten()).take(most).collect()
    }

    fn boards(&self, grammar: Grammar, options: &ReadOptions) -> Boards<DecodedInput<R>> {
        Boards::new(self.source(options), grammar, options.clone(), &self.file)
    }

    /// Chooses the reading of the input.
    ///
    /// # Errors
    /// [`BoardError::Ambiguous`] when several readings explain the input and differ. The error of the reading that came
    /// farthest when none explains it. Another error when the only reading takes the first line for a row, although
    /// that line may be the header of a larger board.
    pub fn decide(&self, options: &ReadOptions) -> Result<Boards<DecodedInput<R>>, BoardError> {
        let lines = self.lines(options, 2);
        if let [first, second] = &lines[..]
            && let Some(mismatch) = foreign_text::coordinate_table(first, second).filter(|_| options.format.is_none())
        {
            return Err(mismatch.at(first.at(0)).in_file(&self.path));
        }
        let distinct = self.distinct_readings(options)?;
        if let [only] = distinct[..] {
            return Ok(self.boards(only.grammar, options));
        }
        let describe = |reading: &FullReading| PossibleReading {
            format: reading.format,
            description: reading.describe(),
            flags: self.flags_for(reading, options),
        };
        Err(BoardError::Ambiguous {
            file: self.path.clone(),
            position: lines.first().map_or(Position::default(), |line| line.at(0)),
            readings: distinct.iter().map(describe).collect(),
        })
    }

    /// The readings that explain the whole input and differ. Fails as [`Input::decide`] does, but not with
    /// [`BoardError::Ambiguous`].
    fn distinct_readings(&self, options: &ReadOptions) -> Result<Vec<FullReading>, BoardError> {
        let distinct = self.distinct(self.collect(options)?, options);
        if let [FullReading { grammar: Grammar::Rows(_), .. }] = distinct[..]
            && (options.format, options.size) == (None, None)
        {
            self.refuse_cut_off(options)?;
            let may_be = |board: Board| board.cols() == 3 && foreign_text::are_coordinates(board.cells());
            let first = self.lines(options, 1).pop().filter(|line| Separator::of(line) != Separator::None);
            if let Some(first) = first
                && self.boards(distinct[0].grammar, options).flatten().any(|entry| may_be(entry.board))
            {
                let found = "rows that may be the row, the column and the colour of each cell";
                let mismatch = Mismatch::new(found, "a row of cells on each line (or --size ROWSxCOLS)");
                return Err(mismatch.at(first.at(0)).in_file(&self.path));
            }
        }
        Ok(distinct)
    }

    /// Refuses rows whose first row may be the header of a larger board that was cut off.
    fn refuse_cut_off(&self, options: &ReadOptions) -> Result<(), BoardError> {
        let mut source = self.source(options);
        let Some(first) = source.next_line()?.filter(|line| !line.text.contains(',')) else { return Ok(()) };
        let header: Vec<usize> = whole_numbers(&first, 3).unwrap_or_default().iter().map(|n| n.value).collect();
        let (rows, cols, colours) = match header[..] {
            [rows, cols, colours] => (rows, cols, colours),
            [rows, cols] => (rows, cols, MAX_COLOURS),
            _ => return Ok(()),
        };
        let (mut cells, mut lines) = (0, 0);
        while let Some(line) = source.next_line()? {
            let Some(numbers) = whole_numbers(&line, header.len()) else { return Ok(()) };
            if numbers.iter().any(|number| number.value > colours) {
                return Ok(());
            }
            (cells, lines) = (cells + numbers.len(), lines + 1);
        }
        // Each line has as many cells as the header names columns, or the header names a plausibly large board.
        let are_its_rows = cols == header.len() && rows > 2 && lines > 0;
        let is_plausible_size = header.len() == 3 && rows.min(cols) >= 4 && rows.max(cols) <= 100 && colours <= 20;
        if !(are_its_rows || is_plausible_size) || cells >= rows.saturating_mul(cols) {
            return Ok(());
        }
        let cells = plural(cells, "cell");
        let found = format!("a first line that may be the header of {rows} x {cols} cells, with {cells} after it");
        let expected = "all cells of the board, or --format text or csv if the line is a row";
        Err(Mismatch::new(found, expected).at(first.at(0)).in_file(&self.path))
    }

    /// Collects the readings that explain the whole input, the most usual one first.
    fn collect(&self, options: &ReadOptions) -> Result<Vec<FullReading>, BoardError> {
        let survey = LineSurvey::of(self.source(options), &self.text);
        let mut trials = Trials::default();
        self.try_all(survey.headerless(options), options, &mut trials);
        // If the caller names the format `csv`, a table has labels or a header only if rows alone do not explain it.
        if options.format != Some(Format::Csv) || trials.readings.is_empty() {
            self.try_all(survey.labelled(options), options, &mut trials);
            self.try_all(survey.headed_rows(options), options, &mut trials);
        }
        self.try_all(survey.header_and_cells_in_line(options), options, &mut trials);
        if !trials.readings.iter().any(FullReading::is_headed) {
            self.try_all(survey.headed_numbers(options), options, &mut trials);
        }
        if trials.readings.is_empty() || options.format.is_none() {
            self.try_all(survey.one_cell_a_line(options), options, &mut trials);
        }
        if !trials.readings.is_empty() {
            return Ok(most_regular(trials.readings, &survey, options));
        }
        let recognised = foreign_text::recognise(&self.lines(options, MAX_CELLS));
        let recognised = recognised.map(|located| located.in_file(&self.path));
        let farthest = trials.farthest.map(|failure| failure.error);
        let unknown = || BoardError::at(&self.path, Position::default(), "text of no format", "boards");
        Err(recognised.or_else(|| self.suggest_empty_symbol(options)).or(farthest).unwrap_or_else(unknown))
    }

    fn try_all(&self, grammars: Vec<Grammar>, options: &ReadOptions, trials: &mut Trials) {
        grammars.into_iter().for_each(|grammar| trials.add(grammar, self.explain(grammar, options)));
    }

    /// The error for an input that can be read only if some sign, such as `-`, means an empty cell.
    fn suggest_empty_symbol(&self, options: &ReadOptions) -> Option<BoardError> {
        const SIGNS: [&str; 8] = ["-", "_", "*", "#", "~", "+", "=", "·"];
        let text = std::str::from_utf8(&self.text).ok().filter(|_| options.empty_symbol.is_none())?;
        let with_sign = |sign: &str| ReadOptions { empty_symbol: Some(sign.to_owned()), ..options.clone() };
        let mut signs = SIGNS.into_iter().filter(|sign| text.contains(sign));
        let sign = signs.find(|sign| self.collect(&with_sign(sign)).is_ok())?;
        let lines = self.lines(&with_sign(sign), MAX_CELLS);
        let (line, before) = lines.iter().find_map(|line| Some((line, line.text.split_once(sign)?.0)))?;
        let at = line.at(before.chars().count() + 1);
        let expected =
            format!("a digit or a letter, or . for an empty cell (or --empty '{sign}' if that is what it means)");
        Some(BoardError::at(&self.path, at, show_text(sign), expected))
    }

    /// Reads the whole input.
    fn explain(&self, grammar: Grammar, options: &ReadOptions) -> Result<FullReading, Failure> {
        let mut boards = self.boards(grammar, options).stopping_at_first_error();
        let fail = |reached, at, found, expected| {
            Err(Failure { reached, error: BoardError::at(&self.path, at, found, expected) })
        };
        let mut reading: Option<FullReading> = None;
        while let Some(entry) = boards.next() {
            let reached = |error: &BoardError| boards.reached(error.position().unwrap_or_default());
            let board = entry.map_err(|error| Failure { reached: reached(&error), error })?.board;
            let size = (board.rows(), board.cols());
            let is_cell = |size| size == (1, 1);
            if grammar == Grammar::Lines && is_cell(size) && options.size.is_none() {
                return fail(boards.end(), boards.end(), "a line of one cell", "a board in each line");
            }
            let has_one_cell = |before: FullReading| is_cell(size) || before.size.is_some_and(is_cell);
            if matches!(grammar, Grammar::Rows(_)) && reading.is_some_and(has_one_cell) {
                return fail(boards.end(), boards.end(), "a line of one cell", "a board, or nothing more");
            }
            let known = reading.get_or_insert(FullReading {
                grammar,
                format: boards.format(),
                boards: 0,
                size: Some(size),
                first_rows: size.0,
                start: board.start(),
                is_allowed: true,
            });
            known.format = boards.format();
            known.boards += 1;
            known.size = known.size.filter(|&earlier| earlier == size);
            known.is_allowed &= options.puzzle.allows(&board);
        }
        reading.map_or_else(|| fail(Position::default(), boards.end(), "no board", "a board"), Ok)
    }

    /// Leaves out readings that agree with an earlier reading on every board.
    fn distinct(&self, readings: Vec<FullReading>, options: &ReadOptions) -> Vec<FullReading> {
        let mut distinct: Vec<FullReading> = Vec::new();
        for reading in readings {
            if !distinct.iter().any(|other| self.are_equivalent((other, options), (&reading, options))) {
                distinct.push(reading);
            }
        }
        distinct
    }

    /// Whether two readings, each with its options, agree on every board.
    fn are_equivalent(&self, one: (&FullReading, &ReadOptions), other: (&FullReading, &ReadOptions)) -> bool {
        if (one.0.boards, one.0.size, one.0.start) != (other.0.boards, other.0.size, other.0.start) {
            return false;
        }
        let (mut ones, mut others) = (self.boards(one.0.grammar, one.1), self.boards(other.0.grammar, other.1));
        loop {
            match (ones.next(), others.next()) {
                (None, None) => return true,
                (Some(Ok(one)), Some(Ok(other))) if one.board.is_same_position(&other.board) => {}
                _ => return false,
            }
        }
    }

    /// Finds the first combination of format, size and start that leaves only this reading. Returns its options as the
    /// command line spells them; empty if there is no such combination.
    fn flags_for(&self, reading: &FullReading, options_before: &ReadOptions) -> String {
        let FullReading { format, size, start, .. } = *reading;
        // Each bit of a combination says whether it names the format, the size or the start.
        let choice = |combination: u8| {
            let (mut flags, mut options) = (Vec::new(), options_before.clone());
            if combination & 1 > 0 {
                options.format = Some(format);
                flags.push(format!("--format {format}"));
            }
            if combination & 2 > 0 {
                let (rows, cols) = size?;
                options.size = size;
                flags.push(format!("--size {rows}x{cols}"));
            }
            if combination & 4 > 0 {
                options.start = Some(Start::At(start));
                flags.push(format!("--start {start}"));
            }
            let left = self.distinct_readings(&options).unwrap_or_default();
            let is_chosen = |only| self.are_equivalent((reading, options_before), (only, &options));
            matches!(&left[..], [only] if is_chosen(only)).then(|| flags.join(" "))
        };
        (1..8).find_map(choice).unwrap_or_default()
    }
}

/// The results of trying readings on a whole input.
#[derive(Default)]
struct Trials {
    readings: Vec<FullReading>,
    /// The failure of the reading that came farthest.
    farthest: Option<Failure>,
}

/// The failure of a reading.
struct Failure {
    /// How far the input was explained.
    reached: Position,
    error: BoardError,
}

impl Trials {
    fn add(&mut self, grammar: Grammar, trial: Result<FullReading, Failure>) {
        match trial {
            Ok(reading) => self.readings.push(reading),
            // A failed reading with row names is not reported: the error is about a first column of cells.
            Err(_) if matches!(grammar, Grammar::Rows(RowsGrammar { labels: Labels::Rows, .. })) => {}
            Err(failure) => {
                let place = |failure: &Failure| (failure.reached.line, failure.reached.column);
                if self.farthest.as_ref().is_none_or(|farthest| place(&failure) > place(farthest)) {
                    self.farthest = Some(failure);
                }
            }
        }
    }
}

/// Drops each reading that is less regular than another one, by the rules at the top of this file.
fn most_regular(mut readings: Vec<FullReading>, survey: &LineSurvey, options: &ReadOptions) -> Vec<FullReading> {
    let is_labelled = |e: &FullReading| matches!(e.grammar, Grammar::Rows(rows) if rows.labels != Labels::Nothing);
    if survey.begins_with_names && readings.iter().any(is_labelled) {
        readings.retain(is_labelled);
    }
    if readings.iter().any(|reading| reading.is_allowed) {
        readings.retain(|reading| reading.is_allowed);
    }
    if readings.iter().any(FullReading::is_headed) {
        // A first line that can be a header is neither a board of one row nor a row of boards stacked without gaps.
        let is_stack = |e: &FullReading| options.size.is_some() && e.boards > 1;
        let begins_with_row = |e: &FullReading| e.size.is_none() && e.first_rows == 1;
        readings.retain(|e| !(matches!(e.grammar, Grammar::Rows(_)) && (is_stack(e) || begins_with_row(e))));
    }
    // A board of one row or one column under a header without colours: `1 2` above `2 1` is more likely two rows.
    let is_one_wide = |e: &FullReading| matches!(e.size, Some((1, _) | (_, 1)));
    let is_headed_line =
        |e: &FullReading| matches!(e.grammar, Grammar::Headed(headed) if !headed.form.has_colours()) && is_one_wide(e);
    if readings.iter().any(|reading| !is_headed_line(reading)) && options.format != Some(Format::Numbers) {
        readings.retain(|reading| !is_headed_line(reading));
    }
    let is_square = |e: &FullReading| e.size.is_some_and(|(rows, cols)| rows == cols);
    if readings.iter().any(|e| matches!(e.grammar, Grammar::Rows(_)) && e.boards == 1 && is_square(e)) {
        readings.retain(|reading| reading.grammar != Grammar::Lines);
    }
    readings
}

/// A reading that explains a whole input.
#[derive(Clone, Copy, Debug)]
struct FullReading {
    grammar: Grammar,
    format: Format,
    /// The number of boards, at least one.
    boards: usize,
    /// The numbers of rows and columns, if these are the same for all boards.
    size: Option<(usize, usize)>,
    /// The number of rows of the first board.
    first_rows: usize,
    /// The start cell of the first board.
    start: Cell,
    /// Whether the puzzle allows each board.
    is_allowed: bool,
}

impl FullReading {
    fn is_headed(&self) -> bool {
        matches!(self.grammar, Grammar::Headed(_))
    }

    fn describe(&self) -> String {
        let size = self.size.map_or_else(|| "several sizes".to_owned(), |(rows, cols)| format!("{rows} x {cols}"));
        let boards = if self.boards == 1 { "one board".to_owned() } else { plural(self.boards, "board") };
        let how = match self.grammar {
            Grammar::Headed(headed) => {
                let start = if headed.form.has_start() { format!(", start {}", self.start) } else { String::new() };
                format!(" under a header ({}){start}", headed.form.describe())
            }
            Grammar::Lines => ", one a line".to_owned(),
            Grammar::Rows(RowsGrammar { labels: Labels::Nothing, .. }) => String::new(),
            Grammar::Rows(RowsGrammar { labels: Labels::Rows, .. }) => " beside the names of its rows".to_owned(),
            Grammar::Rows(_) => " under the names of its columns".to_owned(),
            Grammar::Bunny => " of Hopping Bunny".to_owned(),
            Grammar::GameIds | Grammar::Json => String::new(),
        };
        format!("{boards} of {size}{how}")
    }
}
