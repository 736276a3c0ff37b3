//! Results as rows: CSV for spreadsheets and programs, a Markdown table for documents.

use super::json::result_to_json;
use super::number_format::seconds;
use super::text::verdict_text;
use gridhunt_hunt::{BoardResult, FailedBoard, error_chain};
use serde_json::Value;

/// The columns of the CSV, in this order: fields of the JSON objects.
const CSV_COLUMNS: &str = "number board domain objective status stopped cost score lower_bound upper_score published \
                           rows cols colours moves expanded generated stored threads seconds cpu_seconds \
                           peak_memory_bytes engine bound score_rule clear_bonus left_penalty error";

/// A value of JSON as the text of a cell. The elements of a list are joined with spaces.
fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(moves) => moves.iter().map(cell_text).collect::<Vec<_>>().join(" "),
        value => value.to_string(),
    }
}

/// Puts an apostrophe before a text that a spreadsheet would take for a formula.
pub(crate) fn escape_formula(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// A value of JSON as a cell of CSV. A number stays as it is.
fn csv_cell(value: &Value) -> String {
    let text = cell_text(value);
    if value.is_number() { text } else { escape_formula(text) }
}

/// The header line of the CSV.
///
/// # Errors
/// None in practice: the line is written into memory.
pub fn results_csv_header() -> csv::Result<String> {
    csv_line(CSV_COLUMNS.split(' '))
}

/// One result as a line of CSV.
///
/// # Errors
/// None in practice: CSV can represent every field.
pub fn result_to_csv(result: &BoardResult) -> csv::Result<String> {
    // The conversions cannot fail: JSON can represent every field.
    let json = result_to_json(result).unwrap_or_default();
    let fields: Value = serde_json::from_str(&json).unwrap_or_default();
    csv_line(CSV_COLUMNS.split(' ').map(|name| csv_cell(&fields[name])))
}

fn csv_line(cells: impl Iterator<Item: AsRef<[u8]>>) -> csv::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells)?;
    written_text(writer)
}

pub(crate) fn written_text(writer: csv::Writer<Vec<u8>>) -> csv::Result<String> {
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The head of the Markdown table.
#[must_use]
pub fn results_markdown_header() -> String {
    "| number | board | result | seconds | solution |\n| ---: | --- | --- | ---: | --- |\n".to_owned()
}

/// One result as a row of the Markdown table.
#[must_use]
pub fn result_to_markdown(result: &BoardResult) -> String {
    let cells = match result {
        BoardResult::Record { record, .. } => [
            record.number.to_string(),
            record.board.clone(),
            verdict_text(record),
            seconds(record.seconds),
            record.moves.join(" "),
        ],
        BoardResult::Failed(FailedBoard { number, board, error }) => {
            let board = board.clone().unwrap_or_default();
            let number = number.map_or_else(String::new, |number| number.to_string());
            [number, board, format!("error: {}", error_chain(error)), String::new(), String::new()]
        }
        BoardResult::NotBegun { number, board } => {
            [number.to_string(), board.clone(), "not begun".to_owned(), String::new(), String::new()]
        }
    };
    format!("| {} |\n", cells.map(|cell| cell.replace('|', "\\|").replace('\n', " ")).join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{feasible, optimal};
    use gridhunt_hunt::HuntError;

    fn results() -> [BoardResult; 4] {
        let record = |record| BoardResult::Record { record: Box::new(record), record_error: None };
        let error = HuntError::Panicked { board: "c,|".to_owned(), message: "out of luck".to_owned() };
        [
            record(optimal()),
            record(feasible()),
            BoardResult::Failed(FailedBoard { number: Some(3), board: Some("c,|".to_owned()), error }),
            BoardResult::NotBegun { number: 4, board: "d".to_owned() },
        ]
    }

    #[test]
    fn every_line_of_csv_has_the_columns_of_the_header() {
        let mut text = results_csv_header().unwrap();
        for result in &results() {
            text += &result_to_csv(result).unwrap();
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(columns.join(" "), CSV_COLUMNS);
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let at =
            |row: usize, name: &str| rows[row][columns.iter().position(|column| column == name).unwrap()].to_owned();
        assert_eq!(
            (at(0, "status"), at(0, "cost"), at(0, "moves")),
            ("optimal".into(), "7".into(), "1 2 1 2 1 2 1".into())
        );
        assert_eq!(
            (at(1, "status"), at(1, "stopped"), at(1, "lower_bound")),
            ("feasible".into(), "time-limit".into(), "5".into())
        );
        assert_eq!((at(2, "board"), at(2, "status")), ("c,|".into(), "error".into()));
        assert!(at(2, "error").contains("out of luck"));
        assert_eq!((at(3, "number"), at(3, "status"), at(3, "cost")), ("4".into(), "not-begun".into(), String::new()));
        assert_eq!((at(0, "rows"), at(0, "cols"), at(0, "left_penalty")), ("14".into(), "15".into(), String::new()));
    }
}
