//! Reads solutions of any puzzle, one for each board.
//!
//! A solution is a JSON value (a list of moves, or an object with `moves`, as `solve --json` prints it) or text: moves
//! with any separators, on one line or on several, the text that `solve` prints, or a line of ColorFill's results. The
//! reader for the puzzle ([`moves`](super::moves), [`clicks`](super::clicks),
//! [`written_program`](super::written_program)) turns the words into moves.

use super::piece::Piece;
use super::solution_table;
use super::solution_text::{Words, pieces_of};
use crate::claims::Claims;
use crate::formats::input::compressed::MAX_INPUT;
use crate::formats::input::decode::Decoded;
use crate::formats::input::source::{Line, Source, open_input};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural};
use crate::formats::notations::json::document::Document;
use crate::formats::notations::json::value::Value;
use crate::{BoardError, Origin, Position, visible};
use std::collections::{HashMap, VecDeque};
use std::io::BufRead;
use std::path::Path;
use std::str::FromStr;

/// A solution in JSON.
#[derive(Debug, Default)]
pub(crate) struct Object {
    pub moves: Option<Value>,
    pub cost: Option<u32>,
    pub score: Option<i64>,
    pub board: Option<String>,
    pub claims: Claims,
}

/// Reads the solutions of a file, one after the other. Each call says which puzzle the next solution is for:
/// [`next_solution`](SolutionReader::next_solution) (Flood-It), [`next_clicks`](SolutionReader::next_clicks) (Clickomania) or
/// [`next_program`](SolutionReader::next_program) (Hopping Bunny).
pub struct SolutionReader<R> {
    source: Source<Decoded<R>>,
    /// The number of solutions in the file, if the caller knows it.
    expected: Option<usize>,
    /// Whether the file has one solution, which every call returns.
    is_shared: bool,
    /// The solutions that have not been returned yet; `None` before the file was read.
    pieces: Option<VecDeque<Piece>>,
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
        let input = Decoded::new(input, &file)?;
        let mut source = Source::new(file, input);
        source.forget();
        Ok(Self { source, expected: None, is_shared: false, pieces: None, origin: Origin::default() })
    }

    /// Says how many solutions the file has. A solution in text may have several lines only if this is known.
    #[must_use]
    pub fn with_solution_count(mut self, solutions: usize) -> Self {
        self.expected = Some(solutions);
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

    /// What the next solution says in addition to its moves.
    ///
    /// # Errors
    /// When the file cannot be read, or its text is not one solution for each board.
    pub fn claims(&mut self) -> Result<Claims, BoardError> {
        Ok(match self.pieces()?.front() {
            Some(Piece::Json(value @ Value::Object(_), _)) => object(value.clone()).unwrap_or_default().claims,
            Some(Piece::Text(words)) => words.claims.clone(),
            _ => Claims::default(),
        })
    }

    /// Puts solutions that name their boards into the order of `boards`, and leaves out results without a solution. If
    /// any board has a solution, returns for each board without one why it has none.
    ///
    /// # Errors
    /// As [`SolutionReader::claims`].
    pub fn match_boards(&mut self, boards: &[&str]) -> Result<Vec<Option<String>>, BoardError> {
        let mut missing = vec![None; boards.len()];
        let pieces = self.pieces()?;
        let Some(places) = places(pieces, boards).filter(|_| pieces.iter().any(|piece| piece.missing().is_none()))
        else {
            return Ok(missing);
        };
        let mut of_board: Vec<Option<Piece>> = boards.iter().map(|_| None).collect();
        for (piece, place) in pieces.drain(..).zip(places) {
            of_board[place] = Some(piece);
        }
        for (piece, reason) in of_board.into_iter().zip(&mut missing) {
            match piece {
                Some(piece) => match piece.missing() {
                    Some(mismatch) => *reason = Some(mismatch.found),
                    None => pieces.push_back(piece),
                },
                None => *reason = Some("no result".to_owned()),
            }
        }
        Ok(missing)
    }

    /// The next solution; `None` at the end of the file.
    fn next_piece(&mut self) -> Result<Option<Piece>, BoardError> {
        let is_shared = self.is_shared;
        let pieces = self.pieces()?;
        let second = pieces.get(1).filter(|_| is_shared).map(Piece::begin);
        let piece = if is_shared { pieces.front().cloned() } else { pieces.pop_front() };
        let Some(piece) = piece else { return Ok(None) };
        let located = match piece.missing() {
            _ if let Some(at) = second => Mismatch::new("a second solution", "one for all boards").at(at),
            Some(mismatch) => mismatch.at(piece.begin()),
            None => return Ok(Some(piece)),
        };
        Err(self.error(located))
    }

    /// The next solution, made by `of_json` from a value and its position, or by `of_words`; `None` at the end of the
    /// file.
    pub(super) fn next_as<T>(
        &mut self,
        of_json: impl FnOnce(Value, Position) -> Result<T, Mismatch>,
        of_words: impl FnOnce(&Words) -> Result<T, LocatedMismatch>,
    ) -> Result<Option<T>, BoardError> {
        let solution = match self.next_piece()? {
            None => return Ok(None),
            Some(Piece::Json(value, at)) => of_json(value, at).map_err(|mismatch| mismatch.at(at)),
            Some(Piece::Text(words)) => of_words(&words),
        };
        solution.map(Some).map_err(|located| self.error(located))
    }

    /// The error of a mismatch in this solution file.
    pub(super) fn error(&self, located: LocatedMismatch) -> BoardError {
        self.source.error(located)
    }

    fn pieces(&mut self) -> Result<&mut VecDeque<Piece>, BoardError> {
        let pieces = match self.pieces.take() {
            Some(pieces) => pieces,
            None => self.read_all()?,
        };
        Ok(self.pieces.insert(pieces))
    }

    /// Reads the whole file.
    fn read_all(&mut self) -> Result<VecDeque<Piece>, BoardError> {
        const EXPECTED: &str = "a solution: a list of moves, or an object with one";
        let mut pieces = VecDeque::new();
        let mut text: Vec<Line> = Vec::new();
        let mut bytes = 0;
        loop {
            let next = self.source.peek_line().map(is_json);
            if next == Some(true) {
                self.add_text(&mut text, &mut pieces);
                let Some(document) = Document::read(&mut self.source, &['{', '['], EXPECTED)? else { continue };
                bytes = self.grown(bytes, document.len(), document.begin())?;
                match document.parse(EXPECTED)? {
                    Value::List(items) if are_solutions(&items, self.expected) => {
                        pieces.extend(items.into_iter().map(|item| Piece::Json(item, document.begin())));
                    }
                    value => pieces.push_back(Piece::Json(value, document.begin())),
                }
                continue;
            }
            let Some(line) = self.source.next_line()? else { break };
            bytes = self.grown(bytes, line.text.len(), line.at(0))?;
            text.push(line);
        }
        self.add_text(&mut text, &mut pieces);
        Ok(pieces)
    }

    /// Adds a line of `more` bytes at `at` to `bytes`, the least memory that the solutions take. Fails if this is too
    /// much.
    fn grown(&self, bytes: u64, more: usize, at: Position) -> Result<u64, BoardError> {
        /// The bytes that a line takes besides its characters.
        const LINE: u64 = 128;
        let bytes = bytes + more as u64 + LINE;
        match bytes > MAX_INPUT {
            true => self.source.fail(at, format!("solutions of more than {MAX_INPUT} bytes"), "a shorter file"),
            false => Ok(bytes),
        }
    }

    fn add_text(&self, text: &mut Vec<Line>, pieces: &mut VecDeque<Piece>) {
        if text.is_empty() {
            return;
        }
        let left = self.expected.map(|expected| expected.saturating_sub(pieces.len()).max(1));
        let lines = std::mem::take(text);
        if let Some(results) = solution_table::results(&lines) {
            pieces.extend(results);
        } else {
            pieces.extend(pieces_of(lines, left).into_iter().map(Piece::Text));
        }
    }
}

/// The index of the board of each solution: by the names that the solutions give or, if a solution is missing, by their
/// numbers or their order. `None` if none of these is known.
fn places(pieces: &VecDeque<Piece>, boards: &[&str]) -> Option<Vec<usize>> {
    // Printed text has no line for a board that failed or was not begun. Other results name these boards.
    if pieces.len() < boards.len() && !pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        return None;
    }
    places_by_name(pieces.iter().map(Piece::board), boards).or_else(|| {
        let is_short = pieces.len() < boards.len() || pieces.iter().any(|piece| piece.missing().is_some());
        let of_number = |piece: &Piece| piece.number()?.checked_sub(1);
        let in_order = || (pieces.len() == boards.len()).then(|| (0..boards.len()).collect());
        is_short.then(|| distinct_places(pieces.iter().map(of_number), boards.len()).or_else(in_order)).flatten()
    })
}

/// The index of each name in `boards`; `None` if a name is missing, unknown or given twice, or if boards share a name.
fn places_by_name<'a>(names: impl Iterator<Item = Option<&'a str>>, boards: &[&str]) -> Option<Vec<usize>> {
    let numbers: HashMap<&str, usize> = boards.iter().copied().zip(0..).collect();
    let are_different = numbers.len() == boards.len();
    are_different.then(|| distinct_places(names.map(|name| numbers.get(&name?).copied()), boards.len())).flatten()
}

/// Collects the places; `None` unless each of them is less than `boards`, and none occurs twice.
fn distinct_places(places: impl Iterator<Item = Option<usize>>, boards: usize) -> Option<Vec<usize>> {
    let mut is_taken = vec![false; boards];
    let mut is_new = |&place: &usize| is_taken.get_mut(place).is_some_and(|taken| !std::mem::replace(taken, true));
    places.map(|place| place.filter(&mut is_new)).collect()
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
fn are_solutions(items: &[Value], expected: Option<usize>) -> bool {
    let is_solution = |item: &Value| match item {
        Value::Object(fields) => fields.iter().any(|(key, _)| key == "moves"),
        Value::List(moves) => expected == Some(items.len()) && (items.len() > 1 || !moves.iter().all(is_number)),
        _ => false,
    };
    !items.is_empty() && items.iter().all(is_solution)
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Number(_))
}

/// The fields of a solution. Fields that are no part of a solution are ignored.
pub(crate) fn object(value: Value) -> Result<Object, Mismatch> {
    let fields = match value {
        Value::Object(fields) => fields,
        moves => return Ok(Object { moves: Some(moves), ..Object::default() }),
    };
    let mut object = Object::default();
    for (key, value) in fields {
        match key.as_str() {
            "moves" if value != Value::Null => object.moves = Some(value),
            "cost" => object.cost = whole_or_null(&key, &value)?,
            "score" => object.score = whole_or_null(&key, &value)?,
            "board" => {
                if let Value::Text(name) = value {
                    object.board = Some(name);
                }
            }
            // The caller, who knows the puzzles, knows which of these are options.
            _ => {
                if let Value::Text(text) | Value::Number(text) = value {
                    object.claims.add(key, text);
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
        number => number.whole().map(Some).ok_or_else(wrong),
    }
}

/// The error for a solution with more than `most` moves.
pub(crate) fn too_many(most: usize, what: &str) -> Mismatch {
    Mismatch::new(format!("more than {}", plural(most, what)), format!("at most {}", plural(most, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_missing_unknown_or_said_twice_tell_no_places() {
        let of =
            |names: &[Option<&'static str>], boards: &[&'static str]| places_by_name(names.iter().copied(), boards);
        assert_eq!(of(&[Some("b"), Some("a")], &["a", "b"]), Some(vec![1, 0]));
        assert_eq!(of(&[Some("b")], &["a", "b"]), Some(vec![1]));
        for names in [&[Some("a"), None][..], &[Some("a"), Some("c")], &[Some("a"), Some("a")]] {
            assert_eq!(of(names, &["a", "b"]), None, "{names:?}");
        }
        assert_eq!(of(&[Some("a"), Some("b")], &["a", "a", "b"]), None);
        assert_eq!(distinct_places([Some(1), Some(0)].into_iter(), 2), Some(vec![1, 0]));
        assert_eq!(distinct_places([Some(2)].into_iter(), 2), None);
        assert_eq!(distinct_places([Some(1), Some(1)].into_iter(), 2), None);
    }
}
