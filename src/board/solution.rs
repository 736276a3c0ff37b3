//! Reads and writes solutions of Flood-It: the moves for one board after the other.
//!
//! A line is the solution of one board. It lists colours by their symbols, with spaces or commas between them or
//! without any separator (`2 4 1 3`, `2,4,1,3`, `2413`). Between separators a number of several digits stands for the
//! letter of that value (10 for `A`). In JSON a solution is a list of symbols or numbers, or the object that
//! `solve --json` prints. Of that object the reader takes `moves`, `cost` and `board`, and ignores all other fields.

use super::document::{Document, to_parser_error};
use super::source::{Line, Source};
use super::symbol::{Problem, quote, show_char, symbol_of, value};
use super::{Board, BoardError, MAX_CELLS, Position};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// A solution as it was read. The reader checks only that each move is a colour of the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenSolution {
    /// The colours to play, as indices into [`Board::symbols`].
    pub moves: Vec<u16>,
    /// The cost that the file claims.
    pub cost: Option<u32>,
    /// The name of the board that the file claims to solve.
    pub board: Option<String>,
}

/// Reads the solutions of a file, one after the other. Each call says for which puzzle the next solution is:
/// [`next_for`](SolutionReader::next_for) (Flood-It), [`next_clicks`](SolutionReader::next_clicks) (Clickomania) or
/// [`next_program`](SolutionReader::next_program) (Hopping Bunny).
pub struct SolutionReader<R> {
    pub(super) source: Source<R>,
}

impl SolutionReader<Box<dyn BufRead + Send>> {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BoardError> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            return Ok(Self::new("stdin", Box::new(BufReader::new(io::stdin()))));
        }
        let file = path.display().to_string();
        match File::open(path) {
            Ok(open) => Ok(Self::new(file, Box::new(BufReader::new(open)))),
            Err(source) => Err(BoardError::Read { file, source }),
        }
    }
}

impl<R: BufRead> SolutionReader<R> {
    /// Reads from `input`, which messages call `file`.
    pub fn new(file: impl Into<String>, input: R) -> Self {
        Self { source: Source::new(file.into(), input) }
    }

    /// The next solution of Flood-It, for `board`; `None` at the end of the file.
    ///
    /// # Errors
    /// When the next text is no solution, names a colour that the board does not have, or has more than [`MAX_CELLS`]
    /// moves. Unless the input itself failed, the next call continues behind that text.
    pub fn next_for(&mut self, board: &Board) -> Result<Option<WrittenSolution>, BoardError> {
        match self.next_opens() {
            Some('{' | '[') => self.next_json(board),
            _ => match self.source.next_line()? {
                None => Ok(None),
                Some(line) => {
                    let moves = read_line(&line, board).or_else(|(at, p)| self.source.fail(at, p.found, p.expected))?;
                    Ok(Some(WrittenSolution { moves, ..WrittenSolution::default() }))
                }
            },
        }
    }

    /// The first character of the next solution, spaces aside; `None` at the end of the file.
    pub(super) fn next_opens(&mut self) -> Option<char> {
        self.source.peek(|_| false).0.first().and_then(|line| line.text.trim_start().chars().next())
    }

    fn next_json(&mut self, board: &Board) -> Result<Option<WrittenSolution>, BoardError> {
        const EXPECTED: &str = "a solution: a list of moves, or an object with one";
        let Some(document) = Document::read(&mut self.source, &['{', '['], EXPECTED)? else { return Ok(None) };
        let object = if document.begins_with('[') {
            Object { moves: Some(document.parse(EXPECTED)?), cost: None, board: None }
        } else {
            document.parse(EXPECTED)?
        };
        let fail = |p: Problem| self.source.fail(document.begin(), p.found, p.expected);
        let Some(Moves(moves)) = object.moves else {
            return self.source.fail(document.begin(), "an object without moves", "a solution with its moves");
        };
        let moves = moves.iter().enumerate().map(|(i, &v)| {
            colour(v, board).ok_or_else(|| unknown(&format!("move {} of colour {}", i + 1, symbol_of(v)), board))
        });
        let moves = moves.collect::<Result<_, _>>().or_else(fail)?;
        Ok(Some(WrittenSolution { moves, cost: object.cost, board: object.board }))
    }
}

/// Writes a solution as one line that [`SolutionReader`] reads: symbols with spaces between them.
///
/// # Errors
/// When the output fails.
pub fn write_solution(board: &Board, moves: &[u16], out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> =
        moves.iter().filter_map(|&m| board.symbols().get(usize::from(m))).map(String::as_str).collect();
    writeln!(out, "{}", names.join(" "))
}

fn read_line(line: &Line, board: &Board) -> Result<Vec<u16>, (Position, Problem)> {
    let text = line.text.trim_matches([' ', '\t']);
    let indent = line.tokens().next().map_or(1, |(column, _)| column);
    let mut moves = Vec::new();
    let mut add = |column: usize, value: Option<u8>, found: &dyn Fn() -> String| {
        if moves.len() >= MAX_CELLS {
            return Err((line.at(column), too_many()));
        }
        moves.push(value.and_then(|v| colour(v, board)).ok_or_else(|| (line.at(column), unknown(&found(), board)))?);
        Ok(())
    };
    if text.contains([' ', '\t', ',']) {
        for (column, token) in split(text) {
            add(indent + column, value_of_token(token), &|| quote(token))?;
        }
    } else {
        for (column, symbol) in (indent..).zip(text.chars()) {
            add(column, value(symbol), &|| show_char(symbol))?;
        }
    }
    Ok(moves)
}

/// The moves of a line as tokens, each with its column from 0. Spaces, or one comma with or without spaces around it,
/// separate two moves. An empty token stands for a move that is missing beside a comma.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(',').flat_map(move |field| {
        let begin = at;
        at += field.chars().count() + 1;
        let mut inner = begin;
        let mut tokens: Vec<(usize, &str)> = Vec::new();
        for token in field.split([' ', '\t']) {
            if !token.is_empty() {
                tokens.push((inner, token));
            }
            inner += token.chars().count() + 1;
        }
        if tokens.is_empty() {
            tokens.push((begin, ""));
        }
        tokens
    })
}

/// The value of a token: a single symbol, or a number of several digits.
fn value_of_token(token: &str) -> Option<u8> {
    let mut chars = token.chars();
    match (chars.next(), chars.as_str()) {
        (Some(c), "") => value(c),
        (Some('1'..='9'), rest) if rest.bytes().all(|b| b.is_ascii_digit()) => token.parse().ok(),
        _ => None,
    }
}

/// The colour whose symbol has the value `wanted`, whatever the case of the letter.
fn colour(wanted: u8, board: &Board) -> Option<u16> {
    let has_value = |name: &String| super::symbol::value_of_name(name) == Some(wanted);
    board.symbols().iter().position(has_value).and_then(|i| u16::try_from(i).ok())
}

fn unknown(found: &str, board: &Board) -> Problem {
    Problem { found: found.to_owned(), expected: format!("one of the colours {}", board.symbols().join(" ")) }
}

fn too_many() -> Problem {
    Problem { found: format!("more than {MAX_CELLS} moves"), expected: format!("at most {MAX_CELLS} moves") }
}

#[derive(serde::Deserialize)]
struct Object {
    moves: Option<Moves>,
    cost: Option<u32>,
    board: Option<String>,
}

/// The moves of a solution in JSON, as values of symbols.
struct Moves(Vec<u8>);

impl<'de> Deserialize<'de> for Moves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MovesVisitor;
        impl<'de> Visitor<'de> for MovesVisitor {
            type Value = Moves;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of moves, or a string of symbols")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Moves, E> {
                let values = text.chars().map(|c| value(c).ok_or(c)).collect::<Result<Vec<_>, _>>();
                let values = values.map_err(|c| {
                    to_parser_error::<E>(Problem {
                        found: show_char(c),
                        expected: "a colour: a digit or a letter".into(),
                    })
                })?;
                if values.len() > MAX_CELLS { Err(to_parser_error(too_many())) } else { Ok(Moves(values)) }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Moves, A::Error> {
                let mut values = Vec::new();
                while let Some(OneMove(value)) = items.next_element()? {
                    if values.len() >= MAX_CELLS {
                        return Err(to_parser_error(too_many()));
                    }
                    values.push(value);
                }
                Ok(Moves(values))
            }
        }
        deserializer.deserialize_any(MovesVisitor)
    }
}

struct OneMove(u8);

impl<'de> Deserialize<'de> for OneMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MoveVisitor;
        impl Visitor<'_> for MoveVisitor {
            type Value = OneMove;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour: its symbol, or its number")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneMove, E> {
                let value = value_of_token(text).filter(|&v| v < 36);
                value.map(OneMove).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<OneMove, E> {
                let value = u8::try_from(number).ok().filter(|&v| v < 36);
                value.map(OneMove).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
        }
        deserializer.deserialize_any(MoveVisitor)
    }
}
