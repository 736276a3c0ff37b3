//! Arbitrary bytes as a board file: recognised, and in every format. What is accepted must survive a round trip.
#![no_main]

use gridhunt_boards::{BoardError, BoardReader, Cell, Entry, Format, JsonLayout, ReadOptions, write_entry};
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8], options: ReadOptions) -> Result<Vec<Entry>, BoardError> {
    BoardReader::new("input", bytes, options)?.collect()
}

fn check(error: &BoardError) {
    // An input in UTF-16 that cannot be converted has no position.
    let Some(line) = error.position().map(|position| position.line) else { return };
    let message = error.to_string();
    assert!(message.starts_with("input") && (line > 0 || message.contains("bytes")), "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

fn round_trip(entry: &Entry) {
    let mut out = Vec::new();
    write_entry(entry, Format::Json, &mut out).expect("what was read can be written");
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    let mut back = read(&out, options).expect("what was written can be read");
    assert_eq!(back.pop().as_ref(), Some(entry));
}

/// No reading explains less than the file: nothing but headers, labels and published optima is left beside the cells.
fn is_explained(bytes: &[u8], format: Format, entries: &[Entry]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if !matches!(format, Format::Text | Format::Csv | Format::Numbers | Format::Lines) {
        return;
    }
    // A comment may stand behind a row.
    let cells_of = |line: &'_ str| line.split(['#', '/', '%', '\u{feff}']).next().unwrap_or_default().len();
    let lines = text.split(['\n', '\r']).map(|line| &line[..cells_of(line)]);
    let is_separator = |c: char| c.is_whitespace() || ",;|".contains(c);
    let words: usize = lines.map(|line| line.split(is_separator).filter(|word| !word.is_empty()).count()).sum();
    let beside = |board: &gridhunt_boards::Board| 8 + board.rows() + board.cols();
    let most: usize = entries.iter().map(|entry| entry.board.cells().len() + beside(&entry.board)).sum();
    assert!(words <= most + 1, "{words} words, {most} explained");
}

// The first byte chooses a size, none or that of a small board, and how the cells of JSON stand.
fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let size = (choice % 2 == 1).then_some((usize::from(choice / 2 % 8), usize::from(choice / 16)));
    let start = (choice == 254).then_some(gridhunt_boards::Start::At(Cell { row: 1, col: 2 }));
    let json_layout = JsonLayout::ALL.get(usize::from(choice) / 2 % 4).copied();
    for format in Format::ALL.map(Some).into_iter().chain([None]) {
        let empty = (choice == 253).then(|| "0".to_owned());
        let options = ReadOptions { format, size, start, json_layout, empty, ..ReadOptions::default() };
        let found = BoardReader::new("input", bytes, options.clone()).map(|reader| reader.format());
        match read(bytes, options) {
            Ok(entries) => {
                is_explained(bytes, found.expect("a format"), &entries);
                assert!(!entries.is_empty(), "neither a board nor an error");
                entries.iter().for_each(round_trip);
            }
            Err(error) => check(&error),
        }
    }
});
