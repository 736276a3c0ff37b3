//! Solutions in a notation that the puzzle itself parses: the words of the moves, with their positions.

use super::solution::{SolutionReader, UncheckedSolution};
use super::solution_text::TextSolution;
use crate::formats::mismatch::{LocatedMismatch, Mismatch, quote, too_many};
use crate::formats::notations::json::value::Value;
use crate::{BoardError, MAX_CELLS, Position};
use std::io::BufRead;

/// The words of a solution, each with its place in the file. Separators and brackets are not among the words.
type LocatedWords = Vec<(String, Position)>;

/// The most words of a move.
const MAX_WORDS_PER_MOVE: usize = 8;

impl<R: BufRead> SolutionReader<R> {
    /// Reads the next solution; `None` at the end of the file. `parse_moves` turns words into moves, or returns the
    /// index of the first word that fits no move, and what was expected in its place. `solving_cost` returns the cost
    /// of moves, 0 if they do not solve the board.
    ///
    /// # Errors
    /// When the next text is no solution. Unless the input itself failed, the next call continues after that text.
    pub fn next_words<T>(
        &mut self,
        parse_moves: impl Fn(&[(String, Position)]) -> Result<Vec<T>, (usize, String)>,
        solving_cost: impl Fn(&Vec<T>) -> u32,
    ) -> Result<Option<UncheckedSolution<Vec<T>>>, BoardError> {
        let parse = |words: LocatedWords| {
            parse_moves(&words).map_err(|(index, expected)| {
                let (word, at) = words.get(index).cloned().unwrap_or_default();
                Mismatch::new(quote(&word), expected).at(at)
            })
        };
        let of_value = |moves, at| parse(of_json(moves, at)?).map_err(|located| located.mismatch);
        self.next_parsed(of_value, |words| parse(of_words(words, None)?), solving_cost, false)
    }
}

fn of_words(words: &TextSolution, at: Option<Position>) -> Result<LocatedWords, LocatedMismatch> {
    let all: Vec<_> = words.all().map(|word| (word.text.clone(), at.unwrap_or(word.at))).collect();
    if all.len() > MAX_WORDS_PER_MOVE * MAX_CELLS {
        return Err(too_many(MAX_CELLS, "move").at(words.begin()));
    }
    Ok(all)
}

fn of_json(moves: Option<Value>, at: Position) -> Result<LocatedWords, Mismatch> {
    let texts = match moves {
        Some(Value::Text(text)) => vec![text],
        Some(Value::List(items)) => {
            let text = |item: &Value| item.text().map(str::to_owned).ok_or_else(|| item.describe());
            let texts = items.iter().map(text).collect::<Result<_, _>>();
            texts.map_err(|found| Mismatch::new(found, "a move in quotes"))?
        }
        Some(other) => return Mismatch::fail(other.describe(), "a list of moves"),
        None => return Mismatch::fail("an object without moves", "moves"),
    };
    of_words(&TextSolution::of_text(&texts.join(" ")), Some(at)).map_err(|located| located.mismatch)
}
