//! Solutions of Flood-It: the colours to play.
//!
//! A colour is written as its symbol or its name, or as the beginning of exactly one name. Symbols may follow each
//! other without separators (`2413`, `24131 2`). Between separators, a number of several digits is the colour with that
//! number, or the letter with that value (10 for `A`).

use super::ambiguity::{refuse_corners, refuse_drawings, refuse_header, refuse_headings, refuse_other_readings};
use super::solution::{SolutionReader, UncheckedSolution};
use super::solution_text::{TextSolution, Word, no_move};
use crate::formats::cells::colour_names::colour_name;
use crate::formats::cells::palette::value_or_number;
use crate::formats::cells::symbol::{number, value};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, show_char, too_many};
use crate::formats::notations::json::value::Value;
use crate::{Board, BoardError, MAX_CELLS, Position};
use std::io::{self, BufRead, Write};

impl<R: BufRead> SolutionReader<R> {
    /// Reads the next solution of Flood-It, for `board`; `None` at the end of the file. A move is a colour to play, as
    /// an index into [`Board::symbols`]; the reader checks only that the board has this colour. `merit` rates how well
    /// moves solve the board, 0 if they do not. If the first of several lines may be a move or the number of the other
    /// lines, the reading with the higher merit is taken.
    ///
    /// # Errors
    /// When the next text is no solution, names a colour that the board does not have, or has more than [`MAX_CELLS`]
    /// moves. Unless the input itself failed, the next call continues after that text.
    pub fn next_solution(
        &mut self,
        board: &Board,
        merit: impl Fn(&[u16]) -> u8,
    ) -> Result<Option<UncheckedSolution<Vec<u16>>>, BoardError> {
        let cost = |moves: &Vec<u16>| if merit(moves) > 0 { moves.len() as u32 } else { 0 };
        let of_value = |moves, _| refuse_from_zero(of_json(moves, board)?, board, &merit);
        self.next_parsed(of_value, |words| of_words(words, board, &merit), cost, false)
    }
}

fn of_words(words: &TextSolution, board: &Board, merit: impl Fn(&[u16]) -> u8) -> Result<Vec<u16>, LocatedMismatch> {
    if words.is_plan {
        return words.all().map(|word| plan_colour(word, board)).collect();
    }
    let count = |words: &[Word]| moves_of(words, board).map_or(0, |moves| moves.len());
    let is_move = |word: &Word| colour(&word.text, board).is_some();
    let merit_of_moves = merit;
    let merit = &|words: &[Word]| moves_of(words, board).map_or(0, |moves| merit_of_moves(&moves));
    let at_start = |mismatch: Mismatch| mismatch.at(words.begin());
    let size = (board.rows(), board.cols());
    let moves = words.without_move_count(count, is_move, merit).map_err(at_start)?;
    // In the text that `solve` prints, it is clear what is a move and what is not.
    if words.value.is_none() && words.board.is_none() {
        if merit(&moves) == 0 {
            refuse_corners(words).map_err(at_start)?;
            refuse_other_readings(words, count, merit).map_err(at_start)?;
        }
        if moves.len() == words.all().count() {
            refuse_header(words, size, merit).map_err(at_start)?;
        }
        if merit(&moves) == 0 {
            refuse_drawings(&words.lines, size, words.lines.first().is_some_and(|line| count(line) > 1))?;
            // Between commas, several digits are one number.
            let is_odd = |word: &&Word| word.text.len() > 1 && colour(&word.text, board).is_none();
            if let Some(word) = words.all().find(is_odd).filter(|_| words.texts.iter().any(|text| text.contains(','))) {
                return Err(no_move(word, expected(board)));
            }
        }
    }
    let moves = moves_of(&moves, board).or_else(|error| refuse_headings(words).and(Err(error)))?;
    refuse_from_zero(moves, board, merit_of_moves).map_err(at_start)
}

/// Refuses moves that do not solve the board as they are, but do with 1 added to the number of each colour.
fn refuse_from_zero(moves: Vec<u16>, board: &Board, merit: impl Fn(&[u16]) -> u8) -> Result<Vec<u16>, Mismatch> {
    let one_more =
        |&index: &u16| colour(&number(&board.symbols()[usize::from(index)])?.checked_add(1)?.to_string(), board);
    let others: Vec<u16> = moves.iter().map(one_more).collect::<Option<_>>().unwrap_or_default();
    if merit(&moves) > 0 || others.is_empty() || merit(&others) == 0 {
        return Ok(moves);
    }
    let found = "colours counted from 0: with 1 added to each they solve the board";
    Mismatch::fail(found, "colours as the board names them")
}

/// The colours of words: each word is a colour, or otherwise each character is a colour.
fn moves_of(words: &[Word], board: &Board) -> Result<Vec<u16>, LocatedMismatch> {
    let one_each = |word: &Word| colour(&word.text, board).ok_or_else(|| no_move(word, expected(board)));
    let named: Result<Vec<u16>, _> = words.iter().map(one_each).collect();
    let moves = match named {
        Ok(moves) => moves,
        Err(error) => {
            // If a word is longer than the name of any colour, the words are groups of symbols.
            let symbols = |word: &Word| symbols_of(word, board);
            let grouped: Result<Vec<Vec<u16>>, _> = words.iter().map(symbols).collect();
            let is_one_word = words.len() == 1;
            grouped.map_err(|other| if is_one_word { other } else { error })?.concat()
        }
    };
    if moves.len() > MAX_CELLS {
        let at = words.first().map_or(Position::default(), |word| word.at);
        return Err(too_many(MAX_CELLS, "move").at(at));
    }
    Ok(moves)
}

/// The colour of an action of a plan: `c2` is the second colour of the board.
fn plan_colour(word: &Word, board: &Board) -> Result<u16, LocatedMismatch> {
    let number = word.text.strip_prefix(['c', 'C']).and_then(|digits| digits.parse::<u16>().ok());
    let index = number.and_then(|number| number.checked_sub(1)).filter(|index| usize::from(*index) < board.colours());
    index.ok_or_else(|| no_move(word, format!("a colour of the plan, c1 to c{}", board.colours())))
}

fn symbols_of(word: &Word, board: &Board) -> Result<Vec<u16>, LocatedMismatch> {
    if word.text.is_empty() {
        return Err(no_move(word, expected(board)));
    }
    let colour = |(index, symbol): (usize, char)| {
        colour(&symbol.to_string(), board).ok_or_else(|| {
            let at = Position { column: word.at.column + index, ..word.at };
            Mismatch::new(show_char(symbol), expected(board)).at(at)
        })
    };
    word.text.chars().enumerate().map(colour).collect()
}

/// The colour that a text names.
fn colour(text: &str, board: &Board) -> Option<u16> {
    let names = board.symbols();
    let index = |is_meant: &dyn Fn(&String) -> bool| names.iter().position(is_meant);
    let lower = text.to_lowercase();
    let found = index(&|name| name == text)
        .or_else(|| index(&|name| name.to_lowercase() == lower))
        .or_else(|| colour_name(text).and_then(|word| index(&|name| *name == word)))
        .or_else(|| {
            // If the first digit is a zero, the digits are symbols.
            let as_number = number(text).filter(|_| text.len() == 1 || !text.starts_with('0'));
            let wanted = as_number.or_else(|| text.chars().next().filter(|_| text.len() == 1).and_then(value))?;
            index(&|name| value_or_number(name) == Some(wanted))
        })
        .or_else(|| {
            let begins = |name: &&String| !lower.is_empty() && name.chars().count() > 1 && name.starts_with(&lower);
            let mut meant = names.iter().filter(|name| number(name).is_none() && begins(name));
            let first = meant.next().filter(|_| meant.next().is_none())?;
            index(&|name| name == first)
        });
    found.and_then(|index| u16::try_from(index).ok())
}

fn expected(board: &Board) -> String {
    format!("one of the colours {}", board.symbols().join(" "))
}

fn of_json(moves: Option<Value>, board: &Board) -> Result<Vec<u16>, Mismatch> {
    let moves = match moves {
        None => return Mismatch::fail("an object without moves", "a solution with its moves"),
        Some(Value::Text(text)) => {
            let word = |text: &str| Word { text: text.to_owned(), at: Position::default() };
            let separated: Vec<Word> = text.split([' ', ',', ';']).filter(|text| !text.is_empty()).map(word).collect();
            let moves = if separated.len() > 1 { moves_of(&separated, board) } else { symbols_of(&word(&text), board) };
            moves.map_err(|located| located.mismatch)?
        }
        Some(Value::List(items)) => {
            let of_item = |(index, item): (usize, &Value)| match item {
                Value::Text(text) | Value::Number(text) => colour(text, board).ok_or_else(|| {
                    Mismatch::new(format!("move {} of colour {}", index + 1, item.describe()), expected(board))
                }),
                other => Mismatch::fail(other.describe(), "a colour: its symbol, its name or its number"),
            };
            items.iter().enumerate().map(of_item).collect::<Result<_, _>>()?
        }
        Some(other) => return Mismatch::fail(other.describe(), "a list of moves, or a text of symbols"),
    };
    if moves.len() > MAX_CELLS {
        return Err(too_many(MAX_CELLS, "move"));
    }
    Ok(moves)
}

/// Writes a solution as one line that [`SolutionReader`] reads: names with spaces between them.
///
/// # Errors
/// When the output fails.
pub fn write_solution(board: &Board, moves: &[u16], out: &mut impl Write) -> io::Result<()> {
    let names = moves.iter().filter_map(|&m| board.symbols().get(usize::from(m))).map(String::as_str);
    writeln!(out, "{}", names.collect::<Vec<_>>().join(" "))
}
