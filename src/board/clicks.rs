//! Reads solutions of Clickomania: the cells to click, for one board after the other.
//!
//! A line is the solution of one board: cells as `ROW,COLUMN`, counted from 1 at the top left, with spaces between them
//! (`2,2 5,1`). In JSON a solution is a list of such cells, or the object that `solve --json` prints. Of that object
//! the reader takes `moves`, `cost`, `score` and `board`, and ignores all other fields.

use super::document::{Document, to_parser_error};
use super::solution::SolutionReader;
use super::source::Line;
use super::symbol::{Problem, quote};
use super::{BoardError, Cell, MAX_CELLS, Position};
use serde::de::{Deserialize, Deserializer};
use std::io::BufRead;

/// Clicks as they were read. The reader checks only that each click is a cell `ROW,COLUMN`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenClicks {
    /// One cell of each clicked group, in coordinates of the board just before that click.
    pub clicks: Vec<Cell>,
    /// The cost that the file claims.
    pub cost: Option<u32>,
    /// The score that the file claims.
    pub score: Option<i64>,
    /// The name of the board that the file claims to solve.
    pub board: Option<String>,
}

/// What messages expect where a cell should stand.
const A_CELL: &str = "a cell ROW,COLUMN counted from 1";

fn cell(text: &str) -> Result<Cell, Problem> {
    Cell::from_text(text).ok_or_else(|| Problem { found: quote(text), expected: A_CELL.into() })
}

impl<R: BufRead> SolutionReader<R> {
    /// The next clicks; `None` at the end of the file.
    ///
    /// # Errors
    /// When the next text is not a list of clicks, or has more than [`MAX_CELLS`] of them. Unless the input itself
    /// failed, the next call continues behind that text.
    pub fn next_clicks(&mut self) -> Result<Option<WrittenClicks>, BoardError> {
        if matches!(self.next_opens(), Some('{' | '[')) {
            return self.next_clicks_of_json();
        }
        let Some(line) = self.source.next_line()? else { return Ok(None) };
        let clicks = read_line(&line).or_else(|(at, p)| self.source.fail(at, p.found, p.expected))?;
        Ok(Some(WrittenClicks { clicks, ..WrittenClicks::default() }))
    }

    fn next_clicks_of_json(&mut self) -> Result<Option<WrittenClicks>, BoardError> {
        const EXPECTED: &str = "a solution: a list of cells, or an object with one";
        let Some(document) = Document::read(&mut self.source, &['{', '['], EXPECTED)? else { return Ok(None) };
        let object = if document.begins_with('[') {
            Object { moves: Some(document.parse(EXPECTED)?), ..Object::default() }
        } else {
            document.parse(EXPECTED)?
        };
        let Object { moves, cost, score, board } = object;
        let Some(clicks) = moves else {
            return self.source.fail(document.begin(), "an object without moves", "clicks with their cells");
        };
        if clicks.len() > MAX_CELLS {
            let Problem { found, expected } = too_many();
            return self.source.fail(document.begin(), found, expected);
        }
        let clicks = clicks.into_iter().map(|WrittenCell(cell)| cell).collect();
        Ok(Some(WrittenClicks { clicks, cost, score, board }))
    }
}

fn read_line(line: &Line) -> Result<Vec<Cell>, (Position, Problem)> {
    let mut clicks = Vec::new();
    for (column, token) in line.tokens() {
        if clicks.len() >= MAX_CELLS {
            return Err((line.at(column), too_many()));
        }
        clicks.push(cell(token).map_err(|problem| (line.at(column), problem))?);
    }
    Ok(clicks)
}

fn too_many() -> Problem {
    Problem { found: format!("more than {MAX_CELLS} clicks"), expected: format!("at most {MAX_CELLS} clicks") }
}

#[derive(Default, serde::Deserialize)]
struct Object {
    moves: Option<Vec<WrittenCell>>,
    cost: Option<u32>,
    score: Option<i64>,
    board: Option<String>,
}

struct WrittenCell(Cell);

impl<'de> Deserialize<'de> for WrittenCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        cell(&String::deserialize(deserializer)?).map(WrittenCell).map_err(to_parser_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<WrittenClicks>, String> {
        SolutionReader::new("s", text.as_bytes()).next_clicks().map_err(|e| e.to_string())
    }

    #[test]
    fn cells_in_every_form() {
        let clicks = vec![Cell { row: 1, col: 1 }, Cell { row: 11, col: 0 }];
        for text in
            ["2,2 12,1\n", "  2,2\t12,1", "[\"2,2\", \"12,1\"]", "{\"moves\": [\"2,2\",\n \"12,1\"], \"layers\": []}"]
        {
            assert_eq!(read(text).unwrap().unwrap().clicks, clicks, "{text}");
        }
        let claims = read("{\"moves\":[],\"cost\":3,\"score\":1000,\"board\":\"b\"}").unwrap().unwrap();
        let expected = WrittenClicks { cost: Some(3), score: Some(1000), board: Some("b".into()), clicks: Vec::new() };
        assert_eq!(claims, expected);
        assert_eq!(read(""), Ok(None));
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            ("2,2 0,1", "s:1:5: found \"0,1\", expected a cell ROW,COLUMN counted from 1"),
            ("22", "s:1:1: found \"22\", expected a cell"),
            ("2,2 3;4", "s:1:5: found \"3;4\", expected a cell"),
            ("[\"2,2\",\n \"a\"]", "s:2:5: found \"a\", expected a cell"),
            ("{\"cost\": 2}", "s:1: found an object without moves, expected clicks"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
