//! Random boards come back, and random bytes give a board or an error.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Boards with any symbols, any start, and perhaps colours that do not occur.
fn boards() -> impl Strategy<Value = Board> {
    let symbols = prop::sample::subsequence(('0'..='9').chain('A'..='Z').collect::<Vec<_>>(), 2..=35);
    let symbols = prop_oneof![
        (2usize..=35).prop_map(usual_symbols),
        (symbols, any::<bool>()).prop_map(|(symbols, lower)| {
            let case = |c: char| if lower { c.to_ascii_lowercase() } else { c };
            symbols.into_iter().map(|c| case(c).to_string()).collect()
        })
    ];
    let size = (1usize..9, 1usize..9).prop_map(|(rows, cols)| if rows * cols == 1 { (1, 2) } else { (rows, cols) });
    (symbols, size, "[ -~äß]{0,9}").prop_flat_map(|(symbols, (rows, cols), name)| {
        let colours = u8::try_from(symbols.len()).unwrap();
        let full = prop::collection::vec(0..colours, rows * cols);
        let played = prop::collection::vec(prop_oneof![0..colours, Just(EMPTY)], rows * cols);
        (prop_oneof![full, played], 0..rows, 0..cols).prop_map(move |(mut cells, row, col)| {
            if cells.iter().all(|c| *c == cells[0]) {
                cells[0] = if cells[0] == EMPTY { 0 } else { (cells[0] + 1) % colours };
            }
            Board::new(&name, rows, cols, cells, symbols.clone(), Cell { row, col }).unwrap()
        })
    })
}

/// The board as a format without a list of colours gives it back.
fn without_unused_colours(board: &Board, name: &str) -> Board {
    let is_used = |colour: &usize| board.contents().flatten().any(|used| usize::from(used) == *colour);
    let symbols: Vec<_> = (0..board.colours()).filter(is_used).map(|c| board.symbols()[c].clone()).collect();
    let index = |colour: u8| symbols.iter().position(|name| *name == board.symbols()[usize::from(colour)]).unwrap();
    let cells =
        board.contents().map(|colour| colour.map_or(EMPTY, |colour| u8::try_from(index(colour)).unwrap())).collect();
    Board::new(name, board.rows(), board.cols(), cells, symbols, board.start()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn reading_gives_back_what_was_written(board in boards()) {
        let usual = board.symbols() == usual_symbols(board.colours());
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Bunny && format.is_writable()) {
            let holds_start = format == Format::Json || format == Format::Numbers || (format == Format::Text && usual);
            let board = if holds_start { board.clone() } else { board.clone().with_start(Cell::default()).unwrap() };
            let text = match written(&board, format) {
                Ok(text) => text,
                Err(error) => {
                    prop_assert!(format == Format::Numbers && board.symbols()[0] == "0", "{}", error);
                    continue;
                }
            };
            let size = (format == Format::Lines || (format == Format::Text && !usual)).then_some((board.rows(), board.cols()));
            let given = ReadOptions { format: Some(format), size, ..ReadOptions::default() };
            let name = match format {
                Format::Json => board.name(),
                Format::Lines => "file#1",
                _ => "file",
            };
            let back = read(&text, given).map_err(|e| TestCaseError::fail(format!("{e} in\n{text}")))?.1.remove(0).board;
            if format == Format::Json || (usual && [Format::Text, Format::Numbers].contains(&format)) {
                let same = Board::new(
                    name, board.rows(), board.cols(), board.cells().to_vec(), board.symbols().to_vec(), board.start()
                ).unwrap();
                prop_assert_eq!(&back, &same, "{}", text);
            } else if format == Format::Numbers {
                // Colours are renamed: letters in upper case, and numbers up to the largest are all there.
                prop_assert_eq!(rows(&back), rows(&board).iter().map(|r| r.to_uppercase()).collect::<Vec<_>>());
                prop_assert_eq!(back.start(), board.start());
            } else {
                prop_assert_eq!(&back, &without_unused_colours(&board, name), "{}", text);
            }
            // Where nothing is said about the format, it is the one that was written or a doubt.
            match read(&text, ReadOptions { size, ..ReadOptions::default() }) {
                Ok((recognised, entries)) => {
                    prop_assert_eq!(rows(&entries[0].board), rows(&back), "as {}: {}", recognised, text);
                }
                Err(BoardError::Ambiguous { readings, .. }) => prop_assert!(readings.len() > 1),
                Err(other) => prop_assert!(false, "{}: {}", other, text),
            }
        }
    }

    #[test]
    fn solutions_come_back(board in boards(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let moves: Vec<u16> = picks.iter().map(|i| u16::try_from(i.index(board.colours())).unwrap()).collect();
        let mut out = Vec::new();
        write_solution(&board, &moves, &mut out).unwrap();
        let expected = if moves.is_empty() { vec![] } else { vec![Ok(moves.clone())] };
        prop_assert_eq!(solutions(std::str::from_utf8(&out).unwrap(), &board), expected);
        let json = serde_json::to_string(&moves.iter().map(|&m| &board.symbols()[usize::from(m)]).collect::<Vec<_>>()).unwrap();
        prop_assert_eq!(solutions(&json, &board), vec![Ok(moves)]);
    }

    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            "[0-9A-Fa-f ,\t\r\n#]{0,200}".prop_map(String::into_bytes),
            "[12 ]{0,9}\n([1-3]{3}\n|[1-3 ]{5}\n){0,6}".prop_map(String::into_bytes),
            "[1-4] [1-4] [0-9]{1,2}\n[0-9 \n]{0,40}".prop_map(String::into_bytes),
            r#"\{"(cells|start|rows|name|moves)": ?[\[\]{}"0-9a,:\\ \n-]{0,60}\}"#.prop_map(String::into_bytes),
            r#"\{"(rows": ?[1-9]|layout": ?"(columns|columns-up|rows)"), ?"cells": ?\[((\[((-1|[1-3]),?){0,4}\]|"[1-3.]{0,4}"),?){0,5}\]\}"#
                .prop_map(String::into_bytes),
            "[1-3.]{4}\n([1-3.]{4}\n){0,4}".prop_map(String::into_bytes),
            "([1-4] [1-4] [2-4]\n)?((-1|[1-4])[ ,\n]){0,17}".prop_map(String::into_bytes),
            "([0-9]{1,3},[0-9]{1,2}[ \t\n]){0,20}".prop_map(String::into_bytes),
            r#"(x = |array)?[\[\{\(]{1,2}[0-9 ,;\n\[\]\{\}\(\)':a-c=.]{0,40}"#.prop_map(String::into_bytes),
            "[|+=: 0-3│─&a-c\n\\\\-]{0,60}".prop_map(String::into_bytes),
            "P[1-6] [1-4] [1-4] ?[0-9\n ]{0,30}".prop_map(String::into_bytes),
            "(SAVEFILE|GAME|CPARAMS|DESC|MOVE) *:[0-9]{1,2}:(Flood|[0-9xcm,]{0,9})\n".prop_map(String::into_bytes),
            r#"(\{"moves": ?)?\[("[0-9]{1,2},[0-9]{1,2}",? ?){0,9}\]\}?"#.prop_map(String::into_bytes),
        ],
        size in prop::option::of((any::<usize>(), 0usize..5)),
        json_layout in prop::option::of(prop::sample::select(&JsonLayout::ALL[..])),
    ) {
        let check = |error: &BoardError| {
            let position = error.position().unwrap_or_default();
            let message = error.to_string();
            let has_lines = !message.contains("a picture") && !message.contains("UTF-16");
            prop_assert!(position.line >= 1 || !has_lines, "no line: {}", message);
            let place = format!("dir/file:{}", position.line).replace(":0", ":");
            prop_assert!(message.starts_with(&place) && message.contains("found ") && message.contains("expected "), "{}", message);
            prop_assert!(message.len() < 600 && !message.chars().any(char::is_control), "{:?}", message);
            Ok(())
        };
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Bunny && format.is_writable()).map(Some).chain([None]) {
            match read(&bytes, ReadOptions { format, size, json_layout, ..ReadOptions::default() }) {
                Ok((_, entries)) => {
                    prop_assert!(!entries.is_empty());
                    for Entry { board, .. } in entries {
                        prop_assert!(size.is_none_or(|s| s == (board.rows(), board.cols())));
                    }
                }
                Err(error) => check(&error)?,
            }
        }
        let board = Board::new("b", 1, 4, vec![0, 1, 2, 3], usual_symbols(4), Cell::default()).unwrap();
        let mut reader = match SolutionReader::new("dir/file", &bytes[..]) {
            Ok(reader) => reader,
            // Half a character of UTF-16 is found before the first line is read.
            Err(error) => return check(&error),
        };
        // Every call takes a line at least.
        let mut ends = false;
        for _ in 0..=bytes.len() + 1 {
            match reader.next_solution(&board, |_| 0) {
                Ok(None) => {
                    ends = true;
                    break;
                }
                Ok(Some(solution)) => prop_assert!(solution.moves.iter().all(|&m| m < 4)),
                Err(error) => check(&error)?,
            }
        }
        prop_assert!(ends, "the reader never ends");
        let mut reader = match SolutionReader::new("dir/file", &bytes[..]) {
            Ok(reader) => reader,
            // Half a character of UTF-16 is found before the first line is read.
            Err(error) => return check(&error),
        };
        for _ in 0..=bytes.len() + 1 {
            match reader.next_clicks((20, 20), |_| 0) {
                Ok(None) => return Ok(()),
                Ok(Some(written)) => prop_assert!(written.moves.len() <= MAX_CELLS),
                Err(error) => check(&error)?,
            }
        }
        prop_assert!(false, "the reader of clicks never ends");
    }
}
