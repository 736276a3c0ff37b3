//! Results as a table: the CSV and the Markdown that `solve` writes.

use super::raw_solution::RawSolution;
use super::solution_text::parse_result;
use crate::formats::input::line_source::Line;
use crate::formats::notations::json::value::Value;

/// The columns of CSV that hold numbers.
const NUMBERS: [&str; 4] = ["number", "cost", "score", "clear_bonus"];

/// The results of a table; `None` if the lines are no table of results.
pub(crate) fn results(lines: &[Line]) -> Option<Vec<RawSolution>> {
    let (header, rows) = lines.split_first()?;
    csv(header, lines).or_else(|| markdown(header, rows))
}

/// The rows of a CSV with a column `moves`, as JSON objects.
fn csv(header: &Line, lines: &[Line]) -> Option<Vec<RawSolution>> {
    let mark = [b',', b';', b'\t'].into_iter().find(|&mark| header.text.contains(char::from(mark))).unwrap_or(b',');
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let mut reader = csv::ReaderBuilder::new().delimiter(mark).flexible(true).from_reader(text.as_bytes());
    let names: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
    if !names.iter().any(|name| name == "moves") {
        return None;
    }
    let solution = |record: csv::StringRecord| {
        let field = |(name, text): (&String, &str)| match name.as_str() {
            "moves" if text.is_empty() => Some((name.clone(), Value::List(Vec::new()))),
            _ if text.is_empty() => None,
            name if NUMBERS.contains(&name) => Some((name.to_owned(), Value::Number(text.to_owned()))),
            name => Some((name.to_owned(), Value::Text(without_apostrophe(text).to_owned()))),
        };
        let at = record.position().and_then(|position| lines.get(usize::try_from(position.line()).ok()? - 1));
        let fields = names.iter().zip(&record).filter_map(field).collect();
        RawSolution::Json(Value::Object(fields), at.map_or(header.at(0), |line| line.at(0)))
    };
    reader.records().map(|record| record.ok().map(solution)).collect()
}

/// Removes the apostrophe that prevents spreadsheets from taking a text for a formula.
fn without_apostrophe(text: &str) -> &str {
    text.strip_prefix('\'').filter(|text| text.starts_with(['=', '+', '-', '@', '\t', '\r'])).unwrap_or(text)
}

/// The rows of a Markdown table with the columns `board`, `result` and `solution`.
fn markdown(header: &Line, rows: &[Line]) -> Option<Vec<RawSolution>> {
    let names: Vec<String> = fields(header).into_iter().map(|(_, name)| name).collect();
    let column = |wanted: &str| names.iter().position(|name| name == wanted);
    let (board, verdict, moves) = (column("board")?, column("result")?, column("solution")?);
    let solution = |line: &Line| {
        let fields = fields(line);
        let ((at, moves), (_, verdict), (_, board)) = (fields.get(moves)?, fields.get(verdict)?, fields.get(board)?);
        let moves = Line { text: " ".repeat(at - 1) + moves, ..line.clone() };
        Some(RawSolution::Text(parse_result(line, verdict, Some(board), &[moves])))
    };
    rows.iter().map(solution).collect()
}

/// The fields of a row, each with its column. `\|` is not the border of a field.
fn fields(line: &Line) -> Vec<(usize, String)> {
    let mut found = vec![(1, String::new())];
    let mut is_escaped = false;
    for (column, c) in (1..).zip(line.text.chars()) {
        match (c, found.last_mut()) {
            ('|', Some((_, last))) if is_escaped => {
                last.pop();
                last.push(c);
            }
            ('|', _) => found.push((column + 1, String::new())),
            (' ', Some((at, last))) if last.is_empty() => *at = column + 1,
            (_, Some((_, last))) => last.push(c),
            (_, None) => {}
        }
        is_escaped = c == '\\';
    }
    found.into_iter().skip(1).map(|(at, text)| (at, text.trim_end().to_owned())).collect()
}
