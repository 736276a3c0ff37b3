//! Arbitrary bytes as a board file: recognised, and in every format. What is accepted must survive a round trip.
#![no_main]

use gridhunt::board::{BoardError, BoardReader, Cell, Entry, Format, JsonLayout, ReadOptions, write_entry};
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8], options: ReadOptions) -> Result<Vec<Entry>, BoardError> {
    BoardReader::new("input", bytes, options)?.collect()
}

fn check(error: &BoardError) {
    let line = error.position().expect("bytes in memory can be read").line;
    let message = error.to_string();
    assert!(message.starts_with(&format!("input:{line}")) && line > 0, "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

fn round_trip(entry: &Entry) {
    let mut out = Vec::new();
    write_entry(entry, Format::Json, &mut out).expect("what was read can be written");
    let options = ReadOptions { format: Some(Format::Json), ..ReadOptions::default() };
    let mut back = read(&out, options).expect("what was written can be read");
    assert_eq!(back.pop().as_ref(), Some(entry));
}

// The first byte chooses a size, none or that of a small board, and how the cells of JSON stand.
fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let size = (choice % 2 == 1).then_some((usize::from(choice / 2 % 8), usize::from(choice / 16)));
    let start = (choice == 254).then_some(gridhunt::board::Start::At(Cell { row: 1, col: 2 }));
    let json_layout = JsonLayout::ALL.get(usize::from(choice) / 2 % 4).copied();
    for format in Format::ALL.map(Some).into_iter().chain([None]) {
        match read(bytes, ReadOptions { format, default_format: None, size, start, json_layout }) {
            Ok(entries) => {
                assert!(!entries.is_empty(), "neither a board nor an error");
                entries.iter().for_each(round_trip);
            }
            Err(error) => check(&error),
        }
    }
});
