//! Reads solutions of Hopping Bunny: one program for each board.
//!
//! In text, each line is the program for one board. In JSON, a solution is a list of strings, which are joined to one
//! program, or the object that `solve --json` prints. The reader ignores all fields of the object except `moves`,
//! `cost` and `board`.

use super::solution::{SolutionReader, UncheckedSolution};
use super::solution_text::TextSolution;
use crate::formats::mismatch::{LocatedMismatch, Mismatch};
use crate::formats::notations::json::value::Value;
use crate::{BoardError, Position, Program};
use std::io::BufRead;

impl<R: BufRead> SolutionReader<R> {
    /// The next program; `None` at the end of the file. The reader checks only the notation. `solving_cost` returns
    /// the cost of a program, 0 if it does not solve the board.
    ///
    /// # Errors
    /// When the next text is no program. Unless the input itself failed, the next call continues after that text.
    pub fn next_program(
        &mut self,
        solving_cost: impl Fn(&Program) -> u32,
    ) -> Result<Option<UncheckedSolution<Program>>, BoardError> {
        self.next_parsed(|moves, _| of_json(moves), of_text, solving_cost, false)
    }
}

fn of_text(words: &TextSolution) -> Result<Program, LocatedMismatch> {
    words.texts.join(" ").parse().map_err(|error: crate::ProgramError| {
        let begin = words.begin();
        let at = if words.lines.len() > 1 { 0 } else { begin.column + error.at - 1 };
        Mismatch::new(error.found, error.expected).at(Position { column: at, ..begin })
    })
}

fn of_json(moves: Option<Value>) -> Result<Program, Mismatch> {
    let text = match moves {
        None => return Mismatch::fail("an object without moves", "a program in `moves`"),
        Some(Value::Text(text)) => text,
        Some(Value::List(items)) => {
            let piece = |item: &Value| match item {
                Value::Text(text) => Ok(text.clone()),
                other => Mismatch::fail(other.describe(), "a piece of a program"),
            };
            items.iter().map(piece).collect::<Result<Vec<_>, _>>()?.concat()
        }
        Some(other) => return Mismatch::fail(other.describe(), "a program"),
    };
    text.parse().map_err(|error: crate::ProgramError| {
        Mismatch::new(format!("{} at character {} of the program", error.found, error.at), error.expected)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<UncheckedSolution<Program>>, String> {
        SolutionReader::new("s", text.as_bytes()).unwrap().next_program(|_| 0).map_err(|e| e.to_string())
    }

    #[test]
    fn programs_in_every_form() {
        for text in ["LOOP(7){FL}\n", " LOOP(7) { F L }", "[\"LOOP(7){FL}\"]", "{\"moves\": [\"LOOP(7){\",\n \"FL}\"]}"]
        {
            assert_eq!(read(text).unwrap().unwrap().moves.to_string(), "LOOP(7){FL}", "{text}");
        }
        let solution = read("{\"moves\":[],\"cost\":3,\"board\":\"b\"}").unwrap().unwrap();
        let expected = UncheckedSolution { cost: Some(3), board: Some("b".into()), ..UncheckedSolution::default() };
        assert_eq!(solution, expected);
        assert_eq!(read(""), Ok(None));
    }

    #[test]
    fn errors_say_where() {
        for (text, expected) in [
            ("FFX", "s:1:3: found 'X', expected F, L, R"),
            ("(", "s:1:1: found '(', expected F, L, R"),
            ("[\"FX\"]", "s:1: found 'X' at character 2 of the program, expected F"),
            ("{\"cost\": 2}", "s:1: found an object without moves, expected a program"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
