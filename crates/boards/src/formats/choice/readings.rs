//! Collects every reading that explains a whole input, and decides between them.
//!
//! * One reading explains the input: it is taken, unless its first row may be the header of a board that was cut off.
//! * Several explain it and agree on every board: the first one is taken.
//! * Several explain it and differ: [`BoardError::Ambiguous`], with options that choose each of them.
//! * None explains it: the error of the reading that came farthest.
//!
//! A reading with a board that is no position of the puzzle is dropped where another reading has only positions.
//!
//! A reading is dropped if a more regular one also explains the input:
//! * cells that are broken into lines anywhere, where lines are rows under a header;
//! * square boards of one line each, where the lines are a square;
//! * a first line of words as a row, where a rule parts it from the others and they are numbers;
//! * a first board of one row, or boards stacked without gaps, where the first line can be a header;
//! * a board of one row or one column under a header without colours, where anything else explains the input.

use super::grammar::{Boards, Grammar};
use crate::error::Reading;
use crate::formats::cells::colour_names::colour_name;
use crate::formats::cells::symbol::EMPTY_NUMBER;
use crate::formats::input::decode::Decoded;
use crate::formats::input::row::{Separator, cells, content, whole_numbers};
use crate::formats::input::source::{Line, Source};
use crate::formats::notations::game_id::is_game_id;
use crate::formats::notations::headed::{FORMS, Headed};
use crate::formats::notations::rows::{Gap, Labels, Rows};
use crate::formats::problem::show_text;
use crate::{BoardError, Format, MAX_CELLS, MAX_COLOURS, Position, ReadOptions};
use std::io::{BufRead, Cursor};
use std::marker::PhantomData;
use std::sync::Arc;

/// An input that was read as a whole, in UTF-8. Its readings read it as the input `R` was read, so that each grammar is
/// compiled once.
pub(crate) struct Input<R> {
    /// What messages call the input.
    pub path: String,
    /// The file name without folders.
    pub file: String,
    pub text: Arc<[u8]>,
    pub of: PhantomData<R>,
}

impl<R: BufRead> Input<R> {
    pub fn source(&self, options: &ReadOptions) -> Source<Decoded<R>> {
        let mut source = Source::new(self.path.clone(), Decoded::InMemory(Cursor::new(Arc::clone(&self.text))));
        source.empty.clone_from(&options.empty);
        source
    }

    /// The lines of content, up to `most`.
    fn lines(&self, options: &ReadOptions, most: usize) -> Vec<Line> {
        let mut source = self.source(options);
        std::iter::from_fn(|| source.next_line().ok().flatten()).take(most).collect()
    }

    fn boards(&self, grammar: Grammar, options: &ReadOptions) -> Boards<Decoded<R>> {
        Boards::new(self.source(options), grammar, options.clone(), &self.file)
    }

    /// Decides how to read the input.
    ///
    /// # Errors
    /// [`BoardError::Ambiguous`] when several readings explain the input and differ; the error of the nearest reading
    /// when none does; an error of its own when the only reading takes a row that may be the header of a larger board.
    pub fn decide(&self, options: &ReadOptions) -> Result<Boards<Decoded<R>>, BoardError> {
        if let [first, second] = &self.lines(options, 2)[..]
            && let Some(problem) =
                crate::formats::input::foreign_text::one_cell_a_line(first, second).filter(|_| options.format.is_none())
        {
            return Err(BoardError::at(&self.path, first.at(0), problem.found, problem.expected));
        }
        let found = self.collect(options)?;
        let differing = self.differing(found, options);
        if let [only] = differing[..] {
            if options.format.is_none() && options.size.is_none() && matches!(only.grammar, Grammar::Rows(_)) {
                self.refuse_cut_off(options)?;
            }
            return Ok(self.boards(only.grammar, options));
        }
        let position = self.source(options).peek(|_| false).0.first().map_or(Position::default(), |line| line.at(0));
        let describe = |reading: &Explained| Reading {
            format: reading.format,
            text: reading.describe(),
            choose: self.flags_for(reading, options),
        };
        Err(BoardError::Ambiguous {
            file: self.path.clone(),
            position,
            readings: differing.iter().map(describe).collect(),
        })
    }

    /// Refuses rows whose first row may be the header of a larger board that was cut off.
    fn refuse_cut_off(&self, options: &ReadOptions) -> Result<(), BoardError> {
        let mut source = self.source(options);
        let Some(first) = source.next_line()?.filter(|line| !line.text.contains(',')) else { return Ok(()) };
        let header: Vec<usize> = whole_numbers(&first, 3).unwrap_or_default().iter().map(|&(_, value)| value).collect();
        let (rows, cols, colours) = match header[..] {
            [rows, cols, colours] => (rows, cols, colours),
            [rows, cols] => (rows, cols, MAX_COLOURS),
            _ => return Ok(()),
        };
        let (mut cells, mut lines) = (0, 0);
        while let Some(line) = source.next_line()? {
            let Some(numbers) = whole_numbers(&line, header.len()) else { return Ok(()) };
            if numbers.iter().any(|&(_, value)| value > colours) {
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
        let found =
            format!("a first line that may be the header of {rows} x {cols} cells, with {cells} cells behind it");
        let expected = "all cells of the board, or --format text or csv if the line is a row";
        Err(BoardError::at(&self.path, first.at(0), found, expected))
    }

    /// Every reading that explains the whole input, the most usual one first.
    fn collect(&self, options: &ReadOptions) -> Result<Vec<Explained>, BoardError> {
        let mut found: Vec<Explained> = Vec::new();
        let mut nearest: Option<(Position, BoardError)> = None;
        let mut try_all = |grammars: Vec<Grammar>, found: &mut Vec<Explained>| {
            for grammar in grammars {
                match self.explain(grammar, options) {
                    Ok(explained) => found.push(explained),
                    // Where no reading explains the input, its first column is cells.
                    Err(_) if matches!(grammar, Grammar::Rows(Rows { labels: Labels::Rows, .. })) => {}
                    Err((reached, error)) => {
                        let is_nearer = |(before, _): &(Position, BoardError)| {
                            (reached.line, reached.column) > (before.line, before.column)
                        };
                        if nearest.as_ref().is_none_or(is_nearer) {
                            nearest = Some((reached, error));
                        }
                    }
                }
            }
        };
        let shape = LineSurvey::of(self, options);
        try_all(shape.headerless(options), &mut found);
        // Where the caller names the format `csv`, a table has labels or a header only if rows alone do not explain it.
        if options.format != Some(Format::Csv) || found.is_empty() {
            try_all(shape.labelled(options), &mut found);
            try_all(shape.headed(options, true), &mut found);
        }
        try_all(shape.inline(options), &mut found);
        if !found.iter().any(|explained| matches!(explained.grammar, Grammar::Headed(_))) {
            try_all(shape.headed(options, false), &mut found);
        }
        if found.is_empty() || options.format.is_none() {
            try_all(shape.one_cell_a_line(options), &mut found);
        }
        let is_labelled = |e: &Explained| match e.grammar {
            Grammar::Rows(rows) => rows.labels != Labels::Nothing,
            _ => false,
        };
        if shape.has_named_head && found.iter().any(is_labelled) {
            found.retain(is_labelled);
        }
        if found.iter().any(|explained| explained.is_allowed) {
            found.retain(|explained| explained.is_allowed);
        }
        if found.iter().any(|explained| matches!(explained.grammar, Grammar::Headed(_))) {
            // The first line can be a header: it is no board of one row, and no row of boards stacked without gaps.
            let is_stack = |e: &Explained| options.size.is_some() && e.boards > 1;
            let begins_with_row = |e: &Explained| e.size.is_none() && e.first_rows == 1;
            found.retain(|e| !(matches!(e.grammar, Grammar::Rows(_)) && (is_stack(e) || begins_with_row(e))));
        }
        // A board of one row or one column under a header without colours: `1 2` above `2 1` is rather two rows.
        let is_one_wide = |e: &Explained| matches!(e.size, Some((1, _) | (_, 1)));
        let is_headed_line = |e: &Explained| match e.grammar {
            Grammar::Headed(headed) => !headed.form.has_colours() && is_one_wide(e),
            _ => false,
        };
        if found.iter().any(|explained| !is_headed_line(explained)) && options.format != Some(Format::Numbers) {
            found.retain(|explained| !is_headed_line(explained));
        }
        let is_square = |e: &Explained| matches!(e.grammar, Grammar::Rows(_)) && e.boards == 1 && e.is_square();
        if found.iter().any(is_square) {
            found.retain(|explained| explained.grammar != Grammar::Lines);
        }
        match nearest {
            Some((_, error)) if found.is_empty() => {
                let recognised = crate::formats::input::foreign_text::recognise(&self.lines(options, MAX_CELLS));
                let recognised = recognised.map(|(at, p)| BoardError::at(&self.path, at, p.found, p.expected));
                Err(recognised.or_else(|| self.as_empty_cell(options)).unwrap_or(error))
            }
            _ => Ok(found),
        }
    }

    /// The error for an input that can be read if a sign that is no cell stands for empty cells.
    fn as_empty_cell(&self, options: &ReadOptions) -> Option<BoardError> {
        const SIGNS: [&str; 8] = ["-", "_", "*", "#", "~", "+", "=", "·"];
        let text = std::str::from_utf8(&self.text).ok().filter(|_| options.empty.is_none())?;
        let sign = SIGNS.into_iter().filter(|sign| text.contains(sign)).find(|sign| {
            let options = ReadOptions { empty: Some((*sign).to_owned()), ..options.clone() };
            self.collect(&options).is_ok()
        })?;
        let (line, row) = (1..).zip(text.lines()).find(|(_, row)| row.contains(sign))?;
        let column = row.split(sign).next().unwrap_or_default().chars().count() + 1;
        let expected =
            format!("a digit or a letter, or . for an empty cell (or --empty '{sign}' if that is what it means)");
        Some(BoardError::at(&self.path, Position { line, column }, show_text(sign), expected))
    }

    /// Reads the whole input. On failure, also says how far the reading came.
    fn explain(&self, grammar: Grammar, options: &ReadOptions) -> Result<Explained, (Position, BoardError)> {
        let mut boards = self.boards(grammar, options).on_trial();
        let mut explained = Explained {
            grammar,
            format: Format::Text,
            boards: 0,
            size: None,
            first_rows: 0,
            start: None,
            is_allowed: true,
        };
        loop {
            let entry = match boards.next() {
                Some(Ok(entry)) => entry,
                Some(Err(error)) => {
                    let reached = boards.came_to(error.position().unwrap_or_default());
                    return Err((reached, error));
                }
                None => break,
            };
            let size = (entry.board.rows(), entry.board.cols());
            if grammar == Grammar::Lines && size == (1, 1) && options.size.is_none() {
                let found = "a line of one cell";
                return Err((boards.end(), BoardError::at(&self.path, boards.end(), found, "a board in each line")));
            }
            let is_cell = |size| size == (1, 1);
            let has_before = explained.boards > 0 && matches!(grammar, Grammar::Rows(_));
            if has_before && (is_cell(size) || explained.size.is_some_and(is_cell)) {
                let error = BoardError::at(&self.path, boards.end(), "a line of one cell", "a board, or nothing more");
                return Err((boards.end(), error));
            }
            explained.format = boards.format();
            explained.is_allowed &= options.positions.allow(&entry.board);
            if explained.boards == 0 {
                (explained.first_rows, explained.start) = (size.0, Some(entry.board.start()));
            }
            explained.size = match explained.size {
                _ if explained.boards == 0 => Some(size),
                known => known.filter(|&known| known == size),
            };
            explained.boards += 1;
        }
        if explained.boards > 0 {
            return Ok(explained);
        }
        let error = BoardError::at(&self.path, boards.end(), "no board", "a board");
        Err((Position::default(), error))
    }

    /// Leaves out readings that agree with an earlier one on every board.
    fn differing(&self, found: Vec<Explained>, options: &ReadOptions) -> Vec<Explained> {
        let mut kept: Vec<Explained> = Vec::new();
        for explained in found {
            if !kept.iter().any(|other| self.agree(other, &explained, options)) {
                kept.push(explained);
            }
        }
        kept
    }

    fn agree(&self, one: &Explained, other: &Explained, options: &ReadOptions) -> bool {
        if (one.boards, one.size, one.start) != (other.boards, other.size, other.start) {
            return false;
        }
        let (mut ones, mut others) = (self.boards(one.grammar, options), self.boards(other.grammar, options));
        loop {
            match (ones.next(), others.next()) {
                (None, None) => return true,
                (Some(Ok(one)), Some(Ok(other))) if one.board.is_same_position(&other.board) => {}
                _ => return false,
            }
        }
    }

    /// The first of some combinations of format, size and start under which this is the only reading left, as the
    /// command line spells it; empty if none is.
    fn flags_for(&self, reading: &Explained, options: &ReadOptions) -> String {
        let Explained { format, size, start, .. } = *reading;
        let sized = |options: ReadOptions| ReadOptions { size, ..options };
        let formatted = |options: ReadOptions| ReadOptions { format: Some(format), ..options };
        let format_flag = format!("--format {format}");
        let size_flag = size.map(|(rows, cols)| format!("--size {rows}x{cols}"));
        let mut choices = vec![(format_flag.clone(), formatted(options.clone()))];
        if let Some(size_flag) = size_flag {
            choices.push((size_flag.clone(), sized(options.clone())));
            choices.push((format!("{format_flag} {size_flag}"), formatted(sized(options.clone()))));
        }
        if let Some(start) = start {
            let at = |options: &ReadOptions| ReadOptions { start: Some(crate::Start::At(start)), ..options.clone() };
            let with_start: Vec<_> =
                choices.iter().map(|(flags, options)| (format!("{flags} --start {start}"), at(options))).collect();
            choices.push((format!("--start {start}"), at(options)));
            choices.extend(with_start);
        }
        let chooses = |options: &ReadOptions| {
            let left = self.collect(options).map(|found| self.differing(found, options)).unwrap_or_default();
            matches!(&left[..], [only] if only.boards == reading.boards && only.size == size && only.start == start)
        };
        choices.into_iter().find(|(_, options)| chooses(options)).map_or(String::new(), |(flags, _)| flags)
    }
}

/// A reading that explains a whole input.
#[derive(Clone, Copy, Debug)]
struct Explained {
    grammar: Grammar,
    format: Format,
    boards: usize,
    /// Rows and columns, if all boards have the same.
    size: Option<(usize, usize)>,
    /// The rows and the start cell of the first board.
    first_rows: usize,
    start: Option<crate::Cell>,
    /// Whether the puzzle allows each board.
    is_allowed: bool,
}

impl Explained {
    fn is_square(&self) -> bool {
        self.size.is_some_and(|(rows, cols)| rows == cols)
    }

    fn describe(&self) -> String {
        let size = self.size.map_or_else(|| "several sizes".to_owned(), |(rows, cols)| format!("{rows} x {cols}"));
        let boards = if self.boards == 1 { "one board".to_owned() } else { format!("{} boards", self.boards) };
        let how = match self.grammar {
            Grammar::Headed(headed) => format!(" under a header ({})", headed.form.describe()),
            Grammar::Lines => ", one a line".to_owned(),
            Grammar::Rows(Rows { labels: Labels::Nothing, .. }) => String::new(),
            Grammar::Rows(Rows { labels: Labels::Rows, .. }) => " behind the names of its rows".to_owned(),
            Grammar::Rows(_) => " under the names of its columns".to_owned(),
            Grammar::Bunny => " of Hopping Bunny".to_owned(),
            Grammar::GameIds | Grammar::Json => String::new(),
        };
        let start = match (self.grammar, self.start) {
            (Grammar::Headed(headed), Some(start)) if headed.form.has_start() => format!(", start {start}"),
            _ => String::new(),
        };
        format!("{boards} of {size}{how}{start}")
    }
}

/// What the lines of an input look like: which readings are worth a try.
#[derive(Default)]
struct LineSurvey {
    /// The words of the first line, if it can be a header.
    header_words: Option<usize>,
    /// Whether the first line is no row: one of several numbers is no colour, or a word behind two numbers or more
    /// names a start cell.
    begins_with_header: bool,
    has_game_id: bool,
    /// Whether all lines of content are single words.
    are_words: bool,
    /// Whether comments stand between rows, but none before the first.
    has_inner_comments: bool,
    /// Whether a blank line follows each line.
    is_double_spaced: bool,
    /// Whether something stands between the cells of the first line.
    has_separator: bool,
    /// Lines of content.
    lines: usize,
    /// Whether the first line is more than four numbers: perhaps a header of three numbers at most, with the cells.
    has_many_numbers: bool,
    /// Whether all lines are words for colours.
    are_colours: bool,
    /// Whether a line is one empty cell as a number.
    has_empty_line: bool,
    looks_like_bunny: bool,
    /// Whether the first line has no number, and stands above the only rule between lines.
    has_named_head: bool,
    /// Whether rules of a table stand between lines, so that no line is a board of its own.
    has_rules: bool,
}

impl LineSurvey {
    fn of<R: BufRead>(input: &Input<R>, options: &ReadOptions) -> Self {
        let mut shape = Self { are_words: true, is_double_spaced: true, are_colours: true, ..Self::default() };
        let mut source = input.source(options);
        let mut number = 0;
        let mut is_first_commented = false;
        while let Ok(Some(line)) = source.next_line() {
            number += 1;
            if number == 1 {
                shape.begin(&line);
                is_first_commented = line.after_comment;
            } else {
                shape.has_inner_comments |= line.after_comment && !line.after_blank;
                shape.is_double_spaced &= line.after_blank;
                shape.has_named_head &= line.after_rule == (number == 2);
                shape.has_rules |= line.after_rule;
            }
            let text = content(&line).1;
            shape.are_colours = shape.are_colours && text.chars().count() > 1 && colour_name(text).is_some();
            shape.has_empty_line |= line.trimmed() == EMPTY_NUMBER;
            shape.are_words &= !line.trimmed().contains([' ', '\t', ',', ';', '|']);
        }
        shape.lines = number;
        shape.has_inner_comments &= !is_first_commented;
        shape.is_double_spaced &= number > 1;
        shape.looks_like_bunny = looks_like_bunny(&input.text);
        shape
    }

    fn begin(&mut self, line: &Line) {
        let words = line.tokens().count();
        let numbers = whole_numbers(line, 5);
        self.has_many_numbers = whole_numbers(line, usize::MAX).is_some_and(|numbers| numbers.len() > 4);
        let last = line.tokens().last().map_or("", |(_, word)| word);
        let has_start = words > 1 && starts_with_numbers(line, words - 1) && last.parse::<crate::Start>().is_ok();
        self.header_words = (numbers.is_some() || has_start).then_some(words);
        let has_large = numbers.is_some_and(|all| words > 1 && all.iter().any(|&(_, value)| value > MAX_COLOURS));
        self.begins_with_header = has_large || (has_start && words > 2);
        self.has_game_id = is_game_id(line);
        let separator = Separator::of(line);
        self.has_separator = separator != Separator::None;
        self.has_named_head = cells(line, separator).iter().all(|(_, name)| name.parse::<f64>().is_err());
    }

    /// The readings without a header.
    fn headerless(&self, options: &ReadOptions) -> Vec<Grammar> {
        let wants = |format: Format| options.format.is_none_or(|wanted| wanted == format);
        let mut grammars = Vec::new();
        if self.has_game_id && wants(Format::GameId) {
            return vec![Grammar::GameIds];
        }
        if (wants(Format::Text) || wants(Format::Csv)) && !self.begins_with_header {
            let gaps = [(Gap::Blank, self.has_inner_comments), (Gap::Nothing, self.is_double_spaced)];
            let gaps = gaps.into_iter().filter(|(_, is_worth)| *is_worth).map(|(gap, _)| gap);
            let rows = |gap| Grammar::Rows(Rows { gap, ..Rows::default() });
            grammars.extend([Gap::Any].into_iter().chain(gaps).map(rows));
        }
        if wants(Format::Lines) && (!self.has_rules || options.format.is_some()) {
            grammars.push(Grammar::Lines);
        }
        if self.looks_like_bunny && wants(Format::Bunny) {
            grammars.push(Grammar::Bunny);
        }
        grammars
    }

    /// The readings of a table with the names of its columns, of its rows, or of both.
    fn labelled(&self, options: &ReadOptions) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| wanted == Format::Csv);
        if !self.has_separator || self.has_game_id || !is_wanted {
            return Vec::new();
        }
        let rows = |labels| Grammar::Rows(Rows { labels, ..Rows::default() });
        [Labels::Columns, Labels::ColumnsAndRows, Labels::Rows].map(rows).to_vec()
    }

    /// The readings of one line with a header and the cells.
    fn inline(&self, options: &ReadOptions) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| wanted == Format::Numbers);
        if !is_wanted || self.lines != 1 || !self.has_many_numbers {
            return Vec::new();
        }
        let headed = |form| Headed { form, base: 1, has_board_count: false, is_row_per_line: false, is_inline: true };
        let forms = FORMS.iter().filter(|form| !form.is_width_first() && !form.has_start());
        forms.map(|form| Grammar::Headed(headed(form))).collect()
    }

    /// The readings of one cell a line.
    fn one_cell_a_line(&self, options: &ReadOptions) -> Vec<Grammar> {
        // Lines of digits such as `123` may be rows of a board that was cut off, so a column is tried only for words
        // and where a line is -1.
        let is_wanted = options.format == Some(Format::Csv)
            || (options.format.is_none() && (self.has_empty_line || self.are_colours));
        let rows = Rows { is_cell_per_line: true, ..Rows::default() };
        if self.are_words && is_wanted { vec![Grammar::Rows(rows)] } else { Vec::new() }
    }

    /// The readings under headers. With `is_row_per_line` each line is a row; otherwise lines are broken anywhere.
    fn headed(&self, options: &ReadOptions, is_row_per_line: bool) -> Vec<Grammar> {
        let is_wanted = options.format.is_none_or(|wanted| {
            [Format::Text, Format::Csv, Format::Numbers].contains(&wanted)
                && (is_row_per_line || wanted == Format::Numbers)
        });
        if !is_wanted || (self.header_words.is_none() && options.format != Some(Format::Numbers)) {
            return Vec::new();
        }
        let mut grammars = Vec::new();
        for has_board_count in
            [false, true].into_iter().filter(|has_board_count| !has_board_count || self.header_words == Some(1))
        {
            for form in FORMS.iter().filter(|form| is_row_per_line || !form.is_width_first()) {
                let bases = if form.has_start() { 0..=1 } else { 1..=1 };
                let headed =
                    |base| Grammar::Headed(Headed { form, base, has_board_count, is_row_per_line, is_inline: false });
                grammars.extend(bases.rev().map(headed));
            }
        }
        grammars
    }
}

/// Whether a line begins with this many whole numbers, before a word.
fn starts_with_numbers(line: &Line, count: usize) -> bool {
    count <= 3 && line.tokens().take(count).all(|(_, token)| token.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text has only the characters of boards of Hopping Bunny, with a start.
fn looks_like_bunny(text: &[u8]) -> bool {
    let is_known = |byte: &u8| b"S#O. \t\r\n".contains(byte);
    text.contains(&b'S') && text.iter().all(is_known)
}
