//! Solutions of Clickomania: the cells to click.
//!
//! A cell is two numbers (`2,5`, `(2, 5)`, `2 5`), by default row and column from 1 at the top left; another [`Origin`]
//! changes this. In JSON a cell is a text, a list of two numbers, or an object with `row` and `col`. A letter and a
//! number (`B3`) name column and row; for these, the caller has to name the origin.

use super::ambiguity::{refuse_drawings, refuse_header, refuse_headings};
use super::solution::{SolutionReader, UncheckedSolution};
use super::solution_text::{TextSolution, Word, no_move};
use crate::formats::mismatch::{LocatedMismatch, Mismatch, too_many};
use crate::formats::notations::json::value::Value;
use crate::{BoardError, Cell, MAX_CELLS, Origin};
use std::io::BufRead;

impl<R: BufRead> SolutionReader<R> {
    /// Reads the next clicks, on a board with `size` rows and columns; `None` at the end of the file. A click is a cell
    /// of the clicked group, in coordinates of the board just before that click; the reader checks only that it is a
    /// cell of the board. `merit` rates how well clicks solve the board, 0 if they do not. Lines that may be no clicks
    /// are refused if the merit of the whole text is 0.
    ///
    /// # Errors
    /// When the next text is not a list of clicks, or has more than [`MAX_CELLS`] of them. Unless the input itself
    /// failed, the next call continues after that text.
    pub fn next_clicks(
        &mut self,
        size: (usize, usize),
        merit: impl Fn(&[Cell]) -> u8,
    ) -> Result<Option<UncheckedSolution<Vec<Cell>>>, BoardError> {
        let parser = ClickParser { origin: self.origin, size, merit };
        let cost = |clicks: &Vec<Cell>| if (parser.merit)(clicks) > 0 { clicks.len() as u32 } else { 0 };
        self.next_parsed(|moves, _| parser.of_json(moves), |words| parser.of_words(words), cost, true)
    }
}

/// Turns words and JSON values into clicked cells.
struct ClickParser<M> {
    origin: Origin,
    size: (usize, usize),
    /// Rates how well clicks solve the board; 0 if they do not.
    merit: M,
}

impl<M: Fn(&[Cell]) -> u8> ClickParser<M> {
    fn expected(&self) -> String {
        let (rows, cols) = self.size;
        if self.origin == Origin::default() {
            return format!(
                "a cell ROW,COLUMN counted from 1, at most {rows},{cols} (for cells with another origin: --origin)"
            );
        }
        let order = if self.origin.is_column_first { "COLUMN ROW" } else { "ROW COLUMN" };
        let (corner, base) = (self.origin.corner, self.origin.base);
        format!("a cell {order} counted from {base} at the {corner} of {rows} x {cols} cells")
    }

    fn cell(&self, first: &str, second: &str) -> Result<Cell, Mismatch> {
        let numbers = first.parse().ok().zip(second.parse().ok());
        let cell = numbers.and_then(|(first, second)| self.origin.cell(first, second, self.size));
        cell.ok_or_else(|| Mismatch::new(format!("the cell {first},{second}"), self.expected()))
    }

    /// Parses a cell such as `B3`: column and row.
    fn cell_with_letter(&self, text: &str) -> Option<Cell> {
        let mut chars = text.chars();
        let letter = chars.next().filter(char::is_ascii_alphabetic)?.to_ascii_lowercase();
        let col = usize::from(letter as u8 - b'a') + self.origin.base;
        let row: usize = chars.as_str().parse().ok()?;
        let origin = Origin { is_column_first: true, ..self.origin };
        (self.origin != Origin::default()).then(|| origin.cell(col, row, self.size)).flatten()
    }

    fn of_words(&self, words: &TextSolution) -> Result<Vec<Cell>, LocatedMismatch> {
        let have_letters =
            |words: &[Word]| words.iter().any(|word| word.text.starts_with(|c: char| c.is_ascii_alphabetic()));
        let cells = |words: &[Word]| if have_letters(words) { self.of_letters(words) } else { self.of_pairs(words) };
        let count = |words: &[Word]| if have_letters(words) { words.len() } else { words.len() / 2 };
        let at_start = |mismatch: Mismatch| mismatch.at(words.begin());
        let is_move = |_: &Word| count(&words.all().cloned().collect::<Vec<_>>()) > 0;
        let moves = words.without_move_count(count, is_move, |_| 0).map_err(at_start)?;
        if moves.len() == words.all().count() && words.value.is_none() && words.board.is_none() {
            let merit = |words: &[Word]| self.of_pairs(words).is_ok().into();
            refuse_header(words, self.size, merit).map_err(at_start)?;
            let merit = |words: &[Word]| cells(words).map_or(0, |clicks| (self.merit)(&clicks));
            let is_wrong = merit(&moves) == 0;
            if is_wrong {
                refuse_drawings(&words.lines, self.size, words.lines.first().is_some_and(|line| count(line) > 1))?;
            }
            let is_number = |word: &Word| word.text.parse::<usize>().is_ok();
            let has_odd_count = |line: &&Vec<Word>| line.len() % 2 == 1 && line.iter().all(is_number);
            let has_cells = words.lines.len() > 1 && words.lines.iter().any(|line| line.len() > 1);
            let is_doubtful = words.is_numbered || (is_wrong && has_cells);
            if let Some(line) = words.lines.iter().find(has_odd_count).filter(|_| is_doubtful) {
                return Err(no_move(&line[0], format!("two numbers for each click of a line; {}", self.expected())));
            }
        }
        let clicks = cells(&moves).or_else(|error| refuse_headings(words).and(Err(error)))?;
        if clicks.len() > MAX_CELLS {
            return Err(too_many(MAX_CELLS, "click").at(words.begin()));
        }
        Ok(clicks)
    }

    fn of_letters(&self, words: &[Word]) -> Result<Vec<Cell>, LocatedMismatch> {
        let cell = |word: &Word| {
            let expected = match self.origin == Origin::default() {
                true => "two numbers (for cells with a letter: --origin, such as bottom-left,1)".to_owned(),
                false => self.expected(),
            };
            self.cell_with_letter(&word.text).ok_or_else(|| no_move(word, expected))
        };
        words.iter().map(cell).collect()
    }

    fn of_pairs(&self, words: &[Word]) -> Result<Vec<Cell>, LocatedMismatch> {
        let is_no_number = |word: &&Word| word.text.parse::<usize>().is_err();
        if let Some(wrong) = words.iter().find(is_no_number) {
            return Err(no_move(wrong, self.expected()));
        }
        let pairs = words.chunks_exact(2);
        if let [odd] = pairs.remainder() {
            return Err(no_move(odd, format!("two numbers for each click; {}", self.expected())));
        }
        pairs.map(|pair| self.cell(&pair[0].text, &pair[1].text).map_err(|mismatch| mismatch.at(pair[0].at))).collect()
    }

    fn of_json(&self, moves: Option<Value>) -> Result<Vec<Cell>, Mismatch> {
        let items = match moves {
            Some(Value::List(items)) => items,
            Some(Value::Text(text)) => {
                return self.of_words(&TextSolution::of_text(&text)).map_err(|located| located.mismatch);
            }
            Some(other) => return Mismatch::fail(other.describe(), "a list of cells"),
            None => return Mismatch::fail("an object without moves", "clicks with their cells"),
        };
        if items.len() > MAX_CELLS {
            return Err(too_many(MAX_CELLS, "click"));
        }
        items.iter().map(|item| self.of_item(item)).collect()
    }

    fn of_item(&self, item: &Value) -> Result<Cell, Mismatch> {
        let fail = || Mismatch::new(item.describe(), self.expected());
        let is_separator = |c: char| !c.is_ascii_digit();
        match item {
            Value::Text(text) => {
                let numbers: Vec<&str> = text.split(is_separator).filter(|part| !part.is_empty()).collect();
                let is_plain = text.chars().all(|c| c.is_ascii_digit() || " ,;()[]".contains(c));
                match numbers[..] {
                    [first, second] if is_plain => self.cell(first, second),
                    _ => self.cell_with_letter(text).ok_or_else(fail),
                }
            }
            Value::List(pair) => match &pair[..] {
                [Value::Number(first), Value::Number(second)] => self.cell(first, second),
                _ => Err(fail()),
            },
            Value::Object(fields) => {
                let get = |names: [&str; 2]| {
                    let field = fields.iter().find(|(key, _)| names.contains(&key.as_str()));
                    field.and_then(|(_, value)| value.whole_number::<usize>())
                };
                let (row, col) = (get(["row", "y"]), get(["col", "x"]));
                let origin = Origin { is_column_first: false, ..self.origin };
                row.zip(col).and_then(|(row, col)| origin.cell(row, col, self.size)).ok_or_else(fail)
            }
            _ => Err(fail()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_from(text: &str, origin: Origin) -> Result<Option<UncheckedSolution<Vec<Cell>>>, String> {
        let reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
        reader.with_origin(origin).next_clicks((12, 9), |_| 0).map_err(|e| e.to_string())
    }

    fn read(text: &str) -> Result<Option<UncheckedSolution<Vec<Cell>>>, String> {
        read_from(text, Origin::default())
    }

    #[test]
    fn clicks_in_every_form() {
        let clicks = [Cell { row: 1, col: 1 }, Cell { row: 11, col: 0 }];
        for text in [
            "2,2 12,1\n",
            "  2,2\t12,1",
            "(2,2) (12,1)",
            "2 2;12 1",
            "2 2\n12 1\n",
            "2\n2 2\n12 1\n",
            "[(2, 2), (12, 1)]",
            "[\"2,2\", \"12,1\"]",
            "[[2,2],[12,1]]",
            "{\"moves\": [{\"row\": 2, \"col\": 2}, [12, 1]]}",
            "{\"moves\": [\"2,2\",\n \"(12, 1)\"], \"layers\": []}",
        ] {
            assert_eq!(read(text).unwrap().unwrap().moves, clicks, "{text}");
        }
        for text in ["1 10;0 0", "(1,10) -> (0,0)", "B10 A0", "[[1,10],[0,0]]", "[\"b10\",\"a0\"]"] {
            let read = read_from(text, "bottom-left".parse().unwrap()).unwrap().unwrap();
            assert_eq!(read.moves, [Cell { row: 1, col: 1 }, Cell { row: 11, col: 0 }], "{text}");
        }
        let solution = read("{\"moves\":[],\"cost\":3,\"score\":1000,\"board\":\"b\"}").unwrap().unwrap();
        let expected =
            UncheckedSolution { cost: Some(3), score: Some(1000), board: Some("b".into()), moves: Vec::new() };
        assert_eq!(solution, expected);
        assert_eq!(read(""), Ok(None));
    }

    #[test]
    fn errors_say_where() {
        let cases = [
            ("2,2 0,1", "s:1:5: found the cell 0,1, expected a cell ROW,COLUMN counted from 1, at most 12,9"),
            ("2,2 13,1", "s:1:5: found the cell 13,1, expected a cell"),
            ("22", "s:1:1: found \"22\", expected two numbers for each click"),
            ("2,2 b3", "s:1:1: found \"2\", expected two numbers (for cells with a letter: --origin"),
            ("2,2 3:4", "s:1:5: found \"3:4\", expected a cell"),
            ("[\"2,2\",\n \"a\"]", "s:1: found \"a\", expected a cell"),
            ("{\"cost\": 2}", "s:1: found an object without moves, expected clicks"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
