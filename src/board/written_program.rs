//! Reads solutions of Hopping Bunny: one program for each board.
//!
//! A line is the program for one board. In JSON a solution is a list of strings, which are joined to one program, or
//! the object that `solve --json` prints. Of that object the reader takes `moves`, `cost` and `board`, and ignores all
//! other fields.

use super::document::Document;
use super::solution::SolutionReader;
use super::{BoardError, Program};
use std::io::BufRead;

/// A program as it was read. The reader checks only the notation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenProgram {
    /// The program.
    pub program: Program,
    /// The cost that the file claims.
    pub cost: Option<u32>,
    /// The name of the board that the file claims to solve.
    pub board: Option<String>,
}

#[derive(Default, serde::Deserialize)]
struct Object {
    moves: Option<Vec<String>>,
    cost: Option<u32>,
    board: Option<String>,
}

impl<R: BufRead> SolutionReader<R> {
    /// The next program; `None` at the end of the file.
    ///
    /// # Errors
    /// When the next text is no program. Unless the input itself failed, the next call continues behind that text.
    pub fn next_program(&mut self) -> Result<Option<WrittenProgram>, BoardError> {
        if matches!(self.next_opens(), Some('{' | '[')) {
            return self.next_program_of_json();
        }
        let Some(line) = self.source.next_line()? else { return Ok(None) };
        let program =
            line.text.parse().or_else(|e: super::ProgramError| self.source.fail(line.at(e.at), e.found, e.expected))?;
        Ok(Some(WrittenProgram { program, ..WrittenProgram::default() }))
    }

    fn next_program_of_json(&mut self) -> Result<Option<WrittenProgram>, BoardError> {
        const EXPECTED: &str = "a solution: a list with a program, or an object with one";
        let Some(document) = Document::read(&mut self.source, &['{', '['], EXPECTED)? else { return Ok(None) };
        let object = if document.begins_with('[') {
            Object { moves: Some(document.parse(EXPECTED)?), ..Object::default() }
        } else {
            document.parse(EXPECTED)?
        };
        let Object { moves, cost, board } = object;
        let Some(moves) = moves else {
            return self.source.fail(document.begin(), "an object without moves", "a program in `moves`");
        };
        let program = moves.concat().parse().or_else(|e: super::ProgramError| {
            self.source.fail(document.begin(), format!("{} at character {} of the program", e.found, e.at), e.expected)
        })?;
        Ok(Some(WrittenProgram { program, cost, board }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<WrittenProgram>, String> {
        SolutionReader::new("s", text.as_bytes()).next_program().map_err(|e| e.to_string())
    }

    #[test]
    fn programs_in_every_form() {
        for text in ["LOOP(7){FL}\n", " LOOP(7) { F L }", "[\"LOOP(7){FL}\"]", "{\"moves\": [\"LOOP(7){\",\n \"FL}\"]}"]
        {
            assert_eq!(read(text).unwrap().unwrap().program.to_string(), "LOOP(7){FL}", "{text}");
        }
        let claims = read("{\"moves\":[],\"cost\":3,\"board\":\"b\"}").unwrap().unwrap();
        assert_eq!(claims, WrittenProgram { cost: Some(3), board: Some("b".into()), ..WrittenProgram::default() });
        assert_eq!(read(""), Ok(None));
    }

    #[test]
    fn errors_say_where() {
        for (text, expected) in [
            ("FFX", "s:1:3: found 'X', expected F, L, R"),
            ("[\"FX\"]", "s:1: found 'X' at character 2 of the program, expected F"),
            ("{\"cost\": 2}", "s:1: found an object without moves, expected a program"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
