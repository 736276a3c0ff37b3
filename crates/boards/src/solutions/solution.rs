//! Reads solutions of any puzzle, one for each board.
//!
//! A solution is a JSON value (a list of moves, or an object with `moves`, as `solve --json` prints it) or text: moves
//! with any separators, on one line or on several, the text that `solve` prints, or a line of ColorFill's results. The
//! reader for the puzzle ([`moves`](super::moves), [`clicks`](super::clicks),
//! [`written_program`](super::written_program)) turns the words into moves.

use super::ambiguity::{MAX_LINES, refuse_doubtful_lines};
use super::raw_solution::RawSolution;
use super::solution_table;
use super::solution_text::{TextSolution, solutions_of};
use crate::file_settings::FileSettings;
use crate::formats::input::compressed::MAX_INPUT;
use crate::formats::input::decode::DecodedInput;
use crate::formats::input::line_source::{Line, LineSource, open_input};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural};
use crate::formats::notations::json::document::Document;
use crate::formats::notations::json::value::Value;
use crate::{BoardError, Origin, Position, visible};
use std::collections::{HashMap, VecDeque};
use std::io::BufRead;
use std::iter::repeat_n;
use std::path::Path;
use std::str::FromStr;

/// A solution as read from a file: moves that nobody has played, and what the file claims of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UncheckedSolution<M> {
    /// The moves.
    pub moves: M,
    /// The cost that the file claims.
    pub cost: Option<u32>,
    /// The score that the file claims.
    pub score: Option<i64>,
    /// The name of the board that the file claims to solve.
    pub board: Option<String>,
}

/// A solution in JSON.
#[derive(Debug, Default)]
pub(crate) struct SolutionFields {
    pub moves: Option<Value>,
    pub cost: Option<u32>,
    pub score: Option<i64>,
    pub board: Option<String>,
    pub settings: FileSettings,
}

/// Reads the solutions of a file, one after the other. Each call says which puzzle the next solution is for:
/// [`next_solution`](SolutionReader::next_solution) (Flood-It), [`next_clicks`](SolutionReader::next_clicks)
/// (Clickomania) or [`next_program`](SolutionReader::next_program) (Hopping Bunny).
pub struct SolutionReader<R> {
    source: LineSource<DecodedInput<R>>,
    /// The number of solutions in the file, if the caller knows it.
    solution_count: Option<usize>,
    /// Whether the file has one solution, which every call returns.
    is_shared: bool,
    /// The solutions that have not been returned yet; `None` before the file was read.
    solutions: Option<VecDeque<RawSolution>>,
    /// How the rows and columns of clicked cells are counted.
    pub(crate) origin: Origin,
}

impl SolutionReader<Box<dyn BufRead + Send>> {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BoardError> {
        let (file, input) = open_input(path.as_ref())?;
        Self::new(file, input)
    }
}

impl<R: BufRead> SolutionReader<R> {
    /// Reads from `input`, which messages call `file`.
    ///
    /// # Errors
    /// When the input is a file of another kind, such as a picture, or is UTF-16 and cannot be read.
    pub fn new(file: impl Into<String>, input: R) -> Result<Self, BoardError> {
        let file = visible(&file.into());
        let input = DecodedInput::new(input, &file)?;
        let mut source = LineSource::new(file, input);
        source.stop_recording();
        Ok(Self { source, solution_count: None, is_shared: false, solutions: None, origin: Origin::default() })
    }

    /// Says how many solutions the file has. A solution in text may have several lines only if this is known.
    #[must_use]
    pub fn with_solution_count(mut self, solutions: usize) -> Self {
        self.solution_count = Some(solutions);
        self
    }

    /// Says that the file has one solution, for all boards: each call returns it.
    #[must_use]
    pub fn shared_by_all_boards(self) -> Self {
        Self { is_shared: true, ..self.with_solution_count(1) }
    }

    /// Sets how the rows and columns of clicked cells are counted.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The settings of puzzle and rules that each solution names. Further solutions of a board need not repeat them.
    ///
    /// # Errors
    /// When the file cannot be read, or its text is not one solution for each board.
    pub fn file_settings(&mut self) -> Result<Vec<FileSettings>, BoardError> {
        let settings = |solution: &RawSolution| match solution {
            // A result without moves is no solution.
            RawSolution::Json(value, _) => {
                let fields = solution_fields(value.clone()).unwrap_or_default();
                fields.moves.map(|_| fields.settings)
            }
            RawSolution::Text(words) => Some(words.settings.clone()),
        };
        let named = |group: &[RawSolution]| {
            let mut named: Vec<FileSettings> = group.iter().filter_map(settings).collect();
            named.dedup_by(|further, _| *further == FileSettings::default());
            named
        };
        Ok(groups(self.solutions()?.make_contiguous()).flat_map(named).collect())
    }

    /// Leaves only the first solution of each board, unless there are as many solutions as boards.
    ///
    /// # Errors
    /// As [`SolutionReader::file_settings`].
    pub fn first_of_boards(mut self) -> Result<Self, BoardError> {
        let count = self.solution_count;
        let solutions = self.solutions()?;
        if count != Some(solutions.len()) {
            *solutions = groups(solutions.make_contiguous()).map(|group| group[0].clone()).collect();
        }
        Ok(self)
    }

    /// Puts the solutions into the order of `boards`, and leaves out results without a solution; unless `all` are
    /// wanted, only the first of each board remains. Returns for each board the number of its solutions, or why it has
    /// none; 1 for each board if it is not known which solution is for which.
    ///
    /// # Errors
    /// As [`SolutionReader::file_settings`]; if `all` are wanted, also when there is not one for each board then.
    pub fn match_boards(&mut self, boards: &[&str], all: bool) -> Result<Vec<Result<usize, String>>, BoardError> {
        let solutions = self.solutions()?;
        let has_solution = solutions.iter().any(|solution| solution.missing_reason().is_none());
        let places = board_indices(solutions.make_contiguous(), boards).filter(|_| has_solution);
        let Some(places) = places else {
            let count = solutions.len();
            // Otherwise the first call fails for the first result.
            if all && count != boards.len() && (has_solution || count == 0) {
                let expected = format!("{}, one for each board", boards.len());
                return Err(self.error(Mismatch::new(plural(count, "solution"), expected).at(Position::default())));
            }
            return Ok(vec![Ok(1); boards.len()]);
        };
        let mut of_boards: Vec<(usize, RawSolution)> = places.into_iter().zip(solutions.drain(..)).collect();
        of_boards.sort_by_key(|(place, _)| *place);
        if !all {
            of_boards.dedup_by_key(|(place, _)| *place);
        }
        let mut counts = vec![Err("no result".to_owned()); boards.len()];
        for (place, solution) in of_boards {
            counts[place] = match solution.missing_reason() {
                Some(mismatch) => Err(mismatch.found),
                None => Ok(counts[place].as_ref().map_or(1, |count| count + 1)),
            };
            solutions.extend(counts[place].is_ok().then_some(solution));
        }
        Ok(counts)
    }

    /// The next solution; `None` at the end of the file.
    fn next_raw(&mut self) -> Result<Option<RawSolution>, BoardError> {
        let is_shared = self.is_shared;
        let solutions = self.solutions()?;
        let second = solutions.get(1).filter(|_| is_shared).map(RawSolution::begin);
        let solution = if is_shared { solutions.front().cloned() } else { solutions.pop_front() };
        let Some(solution) = solution else { return Ok(None) };
        let located = match solution.missing_reason() {
            _ if let Some(at) = second => Mismatch::new("a second solution", "one for all boards").at(at),
            Some(mismatch) => mismatch.at(solution.begin()),
            None => return Ok(Some(solution)),
        };
        Err(self.error(located))
    }

    /// The next solution; `None` at the end of the file. `of_json` makes its moves from the field `moves` and the
    /// position of the value, `of_words` from words. `solving_cost` returns the cost of the moves, 0 if they do not
    /// solve the board. `may_go_on` says that moves may follow those that solve the board.
    pub(super) fn next_parsed<M>(
        &mut self,
        of_json: impl FnOnce(Option<Value>, Position) -> Result<M, Mismatch>,
        of_words: impl Fn(&TextSolution) -> Result<M, LocatedMismatch>,
        solving_cost: impl Fn(&M) -> u32,
        may_go_on: bool,
    ) -> Result<Option<UncheckedSolution<M>>, BoardError> {
        let solution = match self.next_raw()? {
            None => return Ok(None),
            Some(RawSolution::Json(value, at)) => {
                let written =
                    solution_fields(value).and_then(|SolutionFields { moves, cost, score, board, .. }| {
                        Ok(UncheckedSolution { moves: of_json(moves, at)?, cost, score, board })
                    });
                written.map_err(|mismatch| mismatch.at(at))
            }
            Some(RawSolution::Text(words)) => of_words(&words).and_then(|moves| {
                let tried = if solving_cost(&moves) == 0 { MAX_LINES } else { (!may_go_on && !self.is_shared).into() };
                let solves_alone = |line: &TextSolution| of_words(line).is_ok_and(|moves| solving_cost(&moves) > 1);
                refuse_doubtful_lines(&words, tried, solves_alone)?;
                let is_score = words.settings.value("objective") == Some("score");
                let (cost, score) = if is_score { (None, words.value) } else { (words.value, None) };
                Ok(UncheckedSolution { moves, cost, score: score.map(i64::from), board: words.board })
            }),
        };
        solution.map(Some).map_err(|located| self.error(located))
    }

    /// The error of a mismatch in this solution file.
    pub(super) fn error(&self, located: LocatedMismatch) -> BoardError {
        self.source.error(located)
    }

    fn solutions(&mut self) -> Result<&mut VecDeque<RawSolution>, BoardError> {
        let solutions = match self.solutions.take() {
            Some(solutions) => solutions,
            None => self.read_all()?,
        };
        Ok(self.solutions.insert(solutions))
    }

    /// Reads the whole file.
    fn read_all(&mut self) -> Result<VecDeque<RawSolution>, BoardError> {
        const EXPECTED: &str = "a solution: a list of moves, or an object with one";
        let mut solutions = VecDeque::new();
        let mut text: Vec<Line> = Vec::new();
        let mut bytes = 0;
        loop {
            if self.source.peek_line().is_some_and(is_json) {
                self.add_text(&mut text, &mut solutions);
                let Some(document) = Document::read(&mut self.source, EXPECTED)? else { continue };
                bytes = self.add_bytes(bytes, document.len(), document.begin())?;
                match document.parse(EXPECTED)? {
                    Value::List(items) if are_solutions(&items, self.solution_count) => {
                        solutions.extend(items.into_iter().map(|item| RawSolution::Json(item, document.begin())));
                    }
                    value => solutions.push_back(RawSolution::Json(value, document.begin())),
                }
                continue;
            }
            let Some(line) = self.source.next_line()? else { break };
            bytes = self.add_bytes(bytes, line.text.len(), line.at(0))?;
            text.push(line);
        }
        self.add_text(&mut text, &mut solutions);
        Ok(solutions)
    }

    /// Adds a line of `line_bytes` at `at` to `bytes`, a lower limit of the memory that the solutions take. Fails if
    /// the sum is too large.
    fn add_bytes(&self, bytes: u64, line_bytes: usize, at: Position) -> Result<u64, BoardError> {
        /// The bytes that a line takes besides its characters.
        const LINE_OVERHEAD: u64 = 128;
        let bytes = bytes + line_bytes as u64 + LINE_OVERHEAD;
        match bytes > MAX_INPUT {
            true => self.source.fail(at, format!("solutions of more than {MAX_INPUT} bytes"), "a shorter file"),
            false => Ok(bytes),
        }
    }

    fn add_text(&self, text: &mut Vec<Line>, solutions: &mut VecDeque<RawSolution>) {
        if text.is_empty() {
            return;
        }
        let left = self.solution_count.map(|count| count.saturating_sub(solutions.len()).max(1));
        let lines = std::mem::take(text);
        if let Some(results) = solution_table::results(&lines) {
            solutions.extend(results);
        } else {
            solutions.extend(solutions_of(lines, left).into_iter().map(RawSolution::Text));
        }
    }
}

/// The solutions of one board after the other.
fn groups(solutions: &[RawSolution]) -> impl Iterator<Item = &[RawSolution]> {
    solutions.chunk_by(|before, next| next.is_further(before))
}

/// The index of the board of each solution: by the names in the solutions or else by numbers or order. `None` if none
/// of these is known.
fn board_indices(solutions: &[RawSolution], boards: &[&str]) -> Option<Vec<usize>> {
    let groups: Vec<&[RawSolution]> = groups(solutions).collect();
    // Printed text has no line for a board that failed or was not begun. Other results have an entry for it, unless
    // they list several solutions of a board.
    let is_text = solutions.iter().all(|solution| matches!(solution, RawSolution::Text(_)));
    if solutions.len() < boards.len() && groups.len() == solutions.len() && !is_text {
        return None;
    }
    let firsts = || groups.iter().map(|group| &group[0]);
    let of_number = |solution: &RawSolution| solution.number()?.checked_sub(1);
    let places = indices_by_name(firsts().map(RawSolution::board), boards)
        .or_else(|| distinct_indices(firsts().map(of_number), boards.len()))
        .or_else(|| (groups.len() == boards.len()).then(|| (0..boards.len()).collect()))?;
    Some(groups.iter().zip(places).flat_map(|(group, place)| repeat_n(place, group.len())).collect())
}

/// The index of each name in `boards`; `None` if a name is missing, unknown or given twice, or if boards share a name.
fn indices_by_name<'a>(names: impl Iterator<Item = Option<&'a str>>, boards: &[&str]) -> Option<Vec<usize>> {
    let numbers: HashMap<&str, usize> = boards.iter().copied().zip(0..).collect();
    let are_different = numbers.len() == boards.len();
    are_different.then(|| distinct_indices(names.map(|name| numbers.get(&name?).copied()), boards.len())).flatten()
}

/// Collects the indices; `None` unless each of them is less than `boards`, and none occurs twice.
fn distinct_indices(indices: impl Iterator<Item = Option<usize>>, boards: usize) -> Option<Vec<usize>> {
    let mut is_taken = vec![false; boards];
    let mut is_new = |&place: &usize| is_taken.get_mut(place).is_some_and(|taken| !std::mem::replace(taken, true));
    indices.map(|place| place.filter(&mut is_new)).collect()
}

/// Whether a line begins a JSON value, not a list in another notation.
fn is_json(line: &Line) -> bool {
    let mut chars = line.text.chars().filter(|c| ![' ', '\t'].contains(c));
    match (chars.next(), chars.next()) {
        (Some('{'), _) => true,
        (Some('['), Some(c)) => ['[', ']', '{', '"', '-'].contains(&c) || c.is_ascii_digit(),
        (Some('['), None) => true,
        _ => false,
    }
}

/// Whether the items of a list are solutions, not moves.
fn are_solutions(items: &[Value], solution_count: Option<usize>) -> bool {
    let is_solution = |item: &Value| match item {
        Value::Object(fields) => fields.iter().any(|(key, _)| key == "moves"),
        Value::List(moves) => solution_count == Some(items.len()) && (items.len() > 1 || !moves.iter().all(is_number)),
        _ => false,
    };
    !items.is_empty() && items.iter().all(is_solution)
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Number(_))
}

/// The fields of a solution. Fields that are no part of a solution are ignored.
pub(crate) fn solution_fields(value: Value) -> Result<SolutionFields, Mismatch> {
    let Value::Object(fields) = value else {
        return Ok(SolutionFields { moves: Some(value), ..SolutionFields::default() });
    };
    let mut object = SolutionFields::default();
    for (key, value) in fields {
        match key.as_str() {
            "moves" if value != Value::Null => object.moves = Some(value),
            "cost" => object.cost = whole_or_null(&key, &value)?,
            "score" => object.score = whole_or_null(&key, &value)?,
            "board" => object.board = value.text().map(str::to_owned),
            // The caller, who knows the puzzles, knows which of these are options.
            _ => {
                if let Value::Text(text) | Value::Number(text) = value {
                    object.settings.add(key, text);
                }
            }
        }
    }
    Ok(object)
}

/// The whole number of a field, or nothing.
fn whole_or_null<T: FromStr>(key: &str, value: &Value) -> Result<Option<T>, Mismatch> {
    let wrong = || Mismatch::new(format!("{key}: {}", value.describe()), "a whole number, or null");
    match value {
        Value::Null => Ok(None),
        number => number.whole_number().map(Some).ok_or_else(wrong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_missing_unknown_or_said_twice_tell_no_places() {
        let of =
            |names: &[Option<&'static str>], boards: &[&'static str]| indices_by_name(names.iter().copied(), boards);
        assert_eq!(of(&[Some("b"), Some("a")], &["a", "b"]), Some(vec![1, 0]));
        assert_eq!(of(&[Some("b")], &["a", "b"]), Some(vec![1]));
        for names in [&[Some("a"), None][..], &[Some("a"), Some("c")], &[Some("a"), Some("a")]] {
            assert_eq!(of(names, &["a", "b"]), None, "{names:?}");
        }
        assert_eq!(of(&[Some("a"), Some("b")], &["a", "a", "b"]), None);
        assert_eq!(distinct_indices([Some(1), Some(0)].into_iter(), 2), Some(vec![1, 0]));
        assert_eq!(distinct_indices([Some(2)].into_iter(), 2), None);
        assert_eq!(distinct_indices([Some(1), Some(1)].into_iter(), 2), None);
    }
}
