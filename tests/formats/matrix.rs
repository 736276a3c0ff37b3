//! Every combination of header, separator, line end and encoding is read as the same board; what has two meanings is
//! asked about, with options that choose where there are any; what has none is refused.

use super::*;
use gridhunt_boards::PossibleReading;
use std::fmt::Write as _;

/// A board of 3 rows and 5 columns: no line could be a square board, and no first row a header.
const BOARD: [[u8; 5]; 3] = [[1, 2, 3, 3, 4], [4, 4, 1, 2, 1], [2, 1, 1, 4, 2]];

/// The rows with a text between the cells, around each cell, and at the end of each row. `less` is taken off each cell.
fn body(between: &str, around: &str, end: &str, less: u8) -> String {
    let row = |row: &[u8; 5]| {
        let cells: Vec<String> = row.iter().map(|cell| format!("{around}{}{around}", cell - less)).collect();
        cells.join(between) + end + "\n"
    };
    BOARD.iter().map(row).collect()
}

/// Separators, with the format that the reader says for rows without a header.
const SEPARATORS: [(&str, &str, &str, Format); 11] = [
    ("", "", "", Format::Text),
    (" ", "", "", Format::Text),
    ("\t", "", "", Format::Text),
    ("  ", "", " ", Format::Text),
    (",", "", "", Format::Csv),
    (", ", "", "", Format::Csv),
    (",", "", ",", Format::Csv),
    (";", "", "", Format::Csv),
    (";", "", ";", Format::Csv),
    (",", "\"", "", Format::Csv),
    ("|", " ", "", Format::Csv),
];

/// Headers, with the start cell that each names.
const HEADERS: [(&str, (usize, usize)); 14] = [
    ("", (0, 0)),
    ("3 5\n", (0, 0)),
    ("5 3\n", (0, 0)),
    ("3 5 4\n", (0, 0)),
    ("5 3 4\n", (0, 0)),
    ("3, 5, 4\n", (0, 0)),
    ("3 5 0 0\n", (0, 0)),
    ("3 5 3 5\n", (2, 4)),
    ("3 5 4 centre\n", (1, 2)),
    ("3 5 4 2,4\n", (1, 3)),
    ("3 5\n0 0\n", (0, 0)),
    ("3 5 4\n3 5\n", (2, 4)),
    ("# a comment\n3 5 4\n# the cells\n", (0, 0)),
    ("1\n3 5 4\n", (0, 0)),
];

type Encode = fn(&str) -> Vec<u8>;

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

const ENCODINGS: [Encode; 5] = [
    |text| text.as_bytes().to_vec(),
    |text| format!("\u{feff}{text}").into_bytes(),
    |text| utf16(&format!("\u{feff}{text}"), u16::to_le_bytes),
    |text| utf16(&format!("\u{feff}{text}"), u16::to_be_bytes),
    |text| utf16(text, u16::to_le_bytes),
];

#[test]
fn every_combination_is_the_same_board() {
    let mut read_boards = 0;
    for (between, around, end, format) in SEPARATORS {
        for (header, start) in HEADERS {
            for less in [0, 1] {
                let text = format!("{header}{}", body(between, around, end, less));
                for line_end in ["\n", "\r\n", "\r"] {
                    for (number, encode) in ENCODINGS.iter().enumerate() {
                        let bytes = encode(&text.replace('\n', line_end));
                        let (found, entries) = read(&bytes, ReadOptions::default())
                            .unwrap_or_else(|error| panic!("{text:?} with {line_end:?} in {number}: {error}"));
                        let [Entry { board, .. }] = &entries[..] else { panic!("{text:?}: {} boards", entries.len()) };
                        let cells: Vec<String> = BOARD.iter().flatten().map(|cell| (cell - less).to_string()).collect();
                        let names: Vec<&str> =
                            board.contents().flatten().map(|c| board.symbols()[usize::from(c)].as_str()).collect();
                        assert_eq!(
                            (names, (board.rows(), board.cols())),
                            (cells.iter().map(String::as_str).collect(), (3, 5)),
                            "{text:?}"
                        );
                        assert_eq!(board.start(), Cell { row: start.0, col: start.1 }, "{text:?}");
                        assert!(!header.is_empty() || found == format, "{text:?} as {found}");
                        read_boards += 1;
                    }
                }
            }
        }
    }
    assert_eq!(read_boards, SEPARATORS.len() * HEADERS.len() * 2 * 3 * ENCODINGS.len());
}

/// Many boards: blank lines, comments, headers, and one a line.
#[test]
fn every_way_to_put_boards_into_one_file() {
    let (one, two) = ("123\n231\n", "321\n112\n");
    for text in [
        format!("{one}\n{two}"),
        format!("{one}\n\n\n{two}\n"),
        format!("# one\n{one}# two\n{two}"),
        format!("// one\n{one}// two\n{two}"),
        format!("2 3\n{one}2 3\n{two}"),
        format!("2 3 3\n{one}2 3 3\n{two}"),
        "2 3 3\n1 2 3\n2 3 1\n4\n2 3 3\n3 2 1\n1 1 2\n5\n".to_owned(),
        format!("2\n2 3 3\n{one}\n2 3 3\n{two}"),
        "1,2,3\n2,3,1\n\n3,2,1\n1,1,2\n".to_owned(),
        "[[1,2,3],[2,3,1]]\n[[3,2,1],[1,1,2]]\n".to_owned(),
        "[[['1','2','3'],['2','3','1']],[['3','2','1'],['1','1','2']]]\n".to_owned(),
        "{\"cells\":[\"123\",\"231\"]}\n{\"board\":[[3,2,1],[1,1,2]]}\n".to_owned(),
        "{\"cells\":[\"123\",\"231\"]}\n{\"board\":{\"cells\":[[3,2,1],[1,1,2]]}}\n".to_owned(),
        "[{\"grid\":[\"123\",\"231\"]},\n{\"rows\":[\"321\",\"112\"]}]\n".to_owned(),
        "[\"123\\n231\",\"321\\n112\"]".to_owned(),
        "# gridhunt format=lines size=2x3\n123231\n321112\n".to_owned(),
        "3x2c3:012120,5\n3x2c3m2:210001,7\n".to_owned(),
    ] {
        let entries = read(&text, ReadOptions::default()).unwrap_or_else(|error| panic!("{text:?}: {error}")).1;
        let found: Vec<String> = entries.iter().map(|entry| rows(&entry.board).join(" ")).collect();
        let zero_based = ["012 120", "210 001"].map(str::to_owned);
        assert!(
            found == ["123 231", "321 112"] || (text.contains("x2c3") && found == zero_based),
            "{text:?}: {found:?}"
        );
        assert_eq!(entries[1].board.name(), "file#2", "{text:?}");
    }
    let size = sized(2, 3);
    assert_eq!(read("123231\n321112\n", size.clone()).unwrap().1.len(), 2);
    assert_eq!(read("123\n231\n321\n112\n", size).unwrap().1.len(), 2);
}

/// Colours in every spelling: the names of the colours, and the cells of the row `b a b c`.
#[test]
fn every_spelling_of_colours() {
    for (text, symbols) in [
        ("2 1 2 3\n", "1 2 3"),
        ("1 0 1 2\n", "0 1 2"),
        ("11 10 11 12\n", "A B C"),
        ("200 10 200 250\n", "10 200 250"),
        ("B A B C\n", "A B C"),
        ("green blue green red\n", "blue green red"),
        ("Green,BLUE,green,Red\n", "blue green red"),
        ("🟩🟦🟩🟥\n", "blue green red"),
        ("💚💙💚❤\u{fe0f}\n", "blue green red"),
        ("{\"cells\": [[\"#00ff00\", \"#0000ff\", \"#00FF00\", \"#ff0000\"]]}", "#0000ff #00ff00 #ff0000"),
        ("{\"cells\": [[1.0, 0.0, 1.0, 2.0]]}", "0 1 2"),
    ] {
        let options = ReadOptions { size: Some((1, 4)), ..ReadOptions::default() };
        let board = read(text, options).unwrap_or_else(|error| panic!("{text:?}: {error}")).1.remove(0).board;
        assert_eq!(board.symbols().join(" "), symbols, "{text:?}");
        assert_eq!(board.cells(), [1, 0, 1, 2], "{text:?}");
    }
    let all: String = (0..255).fold(String::new(), |mut text, colour| {
        let _ = write!(text, "{colour} ");
        text
    });
    assert_eq!(read(all, ReadOptions::default()).unwrap().1[0].board.colours(), 255);
}

#[test]
fn every_spelling_of_empty_cells() {
    for (text, empty) in [
        ("12.\n1..\n", None),
        ("1 2 -1\n1 -1 -1\n", None),
        ("12_\n1__\n", Some("_")),
        ("120\n100\n", Some("0")),
        ("1,2,\n1,,\n", Some("")),
        ("1;2;x\n1;x;x\n", Some("x")),
        ("12#\n1##\n", Some("#")),
        ("1 2 /\n1 / /\n", Some("/")),
        ("1 2 none\n1 none none\n", Some("none")),
        ("[[1,2,null],[1,null,null]]", None),
        ("[[1,2,0],[1,0,0]]", Some("0")),
        ("[[1,2,\"\"],[1,\"\",\"\"]]", Some("")),
    ] {
        let options = ReadOptions { empty_symbol: empty.map(str::to_owned), ..ReadOptions::default() };
        let board = read(text, options).unwrap_or_else(|error| panic!("{text:?}: {error}")).1.remove(0).board;
        assert_eq!(rows(&board), ["12.", "1.."], "{text:?}");
    }
    let refused = message("12_\n1__\n", ReadOptions::default());
    assert!(refused.contains("1:3: found '_'") && refused.contains("--empty"), "{refused}");
}

/// A symbol of empty cells at the begin of a line makes no comment of the line.
#[test]
fn the_symbol_of_empty_cells_begins_no_comment() {
    for (empty, text) in [("#", "###\n121\n"), ("/", "///\n121\n"), ("#", "2 3\n###\n121\n")] {
        let options = ReadOptions { empty_symbol: Some(empty.to_owned()), ..ReadOptions::default() };
        let board = read(text, options).unwrap_or_else(|error| panic!("{text:?}: {error}")).1.remove(0).board;
        assert_eq!(rows(&board), ["...", "121"], "{text:?}");
    }
}

/// The readings of a text with several meanings.
fn asked(text: &str) -> Vec<PossibleReading> {
    match read(text, ReadOptions::default()) {
        Err(BoardError::Ambiguous { readings, .. }) => readings,
        other => panic!("{text:?}: {other:?}"),
    }
}

/// The options of a choice as the command line spells them.
fn chosen(choose: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    let mut words = choose.split(' ');
    while let (Some(flag), Some(value)) = (words.next(), words.next()) {
        match flag {
            "--format" => options.format = Some(value.parse().unwrap()),
            "--size" => options.size = Some(parse_size(value).unwrap()),
            "--start" => options.start = Some(value.parse().unwrap()),
            other => panic!("{other}"),
        }
    }
    options
}

/// The sizes of the boards that each reading finds with the options that choose it.
fn sizes(text: &str) -> Vec<String> {
    let of = |reading: PossibleReading| {
        assert!(!reading.flags.is_empty(), "{text:?}: nothing chooses {reading:?}");
        let entries = read(text, chosen(&reading.flags)).unwrap_or_else(|e| panic!("{text:?}: {e}")).1;
        let size = |entry: &Entry| format!("{}x{}", entry.board.rows(), entry.board.cols());
        entries.iter().map(size).collect::<Vec<_>>().join(" ")
    };
    asked(text).into_iter().map(of).collect()
}

/// Whatever has several meanings is asked about, and each of the proposed options leaves one of them.
#[test]
fn what_has_several_meanings_is_asked_about() {
    for (text, expected) in [
        // A header of rows and columns, or a row.
        ("3 2\n1 1\n2 2\n1 1\n", &["4x2", "3x2"][..]),
        ("2 2\n0 0\n1 2\n2 1\n", &["4x2", "2x2"]),
        ("2 3 3\n1 2 3\n3 2 1\n", &["3x3", "2x3"]),
        // Rows of one board, or square boards.
        ("1,2,3,3,2,1,1,1,2\n2,2,1,1,3,3,1,2,1\n", &["2x9", "3x3 3x3"]),
        ("112231123\n121212121\n", &["2x9", "3x3 3x3"]),
        ("1213\n", &["1x4", "2x2"]),
        // A column of numbers, or a square under its side.
        ("2\n1\n1\n1\n-1\n", &["2x2", "5x1"]),
        ("3x3\n123\n321\n112\n", &["4x3", "3x3"]),
        // The numbers of columns, or a row; a header in front of the cells, or a row; a word, or symbols.
        ("0,1,2\n1,2,2\n2,1,1\n", &["3x3", "2x3"]),
        ("4 2 3 0 2 1 2 0 2 1 0\n", &["1x11", "4x2"]),
        ("red\n", &["1x3", "1x1"]),
        ("a\tb\tc\n1\t2\t3\n3\t2\t1\n2\t2\t1\n", &["4x3", "3x3"]),
        ("row,b\n1,2\n2,1\n", &["2x2", "2x1"]),
        // Boards with something between them, or one board.
        ("12\n21\n# more\n11\n22\n", &["2x2 2x2", "4x2"]),
        ("123\n\n231\n\n312\n", &["1x3 1x3 1x3", "3x3"]),
        // A start cell counted from 0 or from 1.
        ("3 5 1 2\n12334\n44121\n21142\n", &["3x5", "3x5"]),
    ] {
        assert_eq!(sizes(text), expected, "{text:?}");
    }
    // Two readings with as many boards and the same first board: no options choose the second one.
    let readings = asked("2 2\n2 3\n3 a\n2 1\n3 2\n");
    let by_width = readings.iter().find(|reading| reading.description.ends_with("(columns, rows)"));
    assert_eq!(by_width.map(|reading| reading.flags.as_str()), Some(""));
}

/// The more regular reading is taken.
#[test]
fn what_the_lines_show_decides() {
    let nine = "112112231\n132313122\n233212113\n233231121\n132122223\n213133331\n123133313\n111311131\n323222333\n";
    for (text, format, size, boards) in [
        (nine, Format::Text, (9, 9), 1),
        ("1212\n2121\n1212\n2121\n", Format::Text, (4, 4), 1),
        ("1,2,1,2\n2,1,2,1\n1,2,1,2\n2,1,2,1\n", Format::Csv, (4, 4), 1),
        // Cells that are broken anywhere, under a header.
        ("2 3 3\n1 2 1 3\n2 1\n", Format::Numbers, (2, 3), 1),
        ("2 3 3\n1\n2\n1\n3\n2\n1\n", Format::Numbers, (2, 3), 1),
        // The header says the height first unless the rows say otherwise.
        ("2 3\n123\n321\n", Format::Text, (2, 3), 1),
        ("3 2\n123\n321\n", Format::Text, (2, 3), 1),
        ("1 1 1\n1\n", Format::Numbers, (1, 1), 1),
        ("1 1\n1\n", Format::Numbers, (1, 1), 1),
        ("5 x 3\n123\n321\n112\n112\n112\n", Format::Text, (5, 3), 1),
        ("#ff0000,#00ff00\n#00ff00,#ff0000\n", Format::Csv, (2, 2), 1),
        ("3x2\n12\n21\n11\n", Format::Text, (3, 2), 1),
        ("14\t28\t28\n13\t13\t14\n", Format::Text, (2, 3), 1),
        ("2 2 5\n3 3\n3 3\n", Format::Numbers, (2, 2), 1),
        ("4 5 3\n1 3 1 3 2 \n1 2 3 1 1 \n2 2 1 3 3 \n3 1 1 2 1 \n", Format::Numbers, (4, 5), 1),
        // A header of two numbers names two rows and two columns at least.
        ("1 2\n2 1\n", Format::Text, (2, 2), 1),
        ("3 5 4 0 4\n12334\n44121\n21142\n", Format::Text, (3, 5), 1),
        ("[1, 2, 3]\n[3, 2, 1]\n", Format::Csv, (2, 3), 1),
        ("-1\n12\n7\n", Format::Csv, (3, 1), 1),
        // Rows that are not all as wide tell nothing: cells may be broken into lines anywhere.
        ("4 2 3\n1 2 2 1 3\n1 3 3\n", Format::Numbers, (4, 2), 1),
        // Lines of several lengths, no square number, a cell alone, too many cells for a header.
        ("1212\n112233121\n", Format::Lines, (2, 2), 2),
        ("121\n212\n", Format::Text, (2, 3), 1),
        ("1\n2\n", Format::Text, (2, 1), 1),
        ("1 2 3\n2 3 1\n3 1 2\n", Format::Text, (3, 3), 1),
    ] {
        let (found, entries) = read(text, ReadOptions::default()).unwrap_or_else(|e| panic!("{text:?}: {e}"));
        let board = &entries[0].board;
        assert_eq!((found, (board.rows(), board.cols()), entries.len()), (format, size, boards), "{text:?}");
    }
}

/// No reading explains these whole.
#[test]
fn what_has_no_meaning_is_refused_where_it_ends() {
    for (text, expected) in [
        // Clicks of another puzzle behind the board.
        ("4\n1223\n3321\n1132\n2213\n3\n0 0, 1 1, 2 2\n", "dir/file:7:1: found \"0 0\", expected a digit"),
        (
            "123\n3 2 1\n",
            "dir/file:2:1: found cells with spaces between them, expected cells without separators, as in",
        ),
        ("1 2 3\n321\n", "dir/file:2:"),
        ("1,2,3\n3;2;1\n", "dir/file:2:"),
        ("1,2,3,\n3,2,1\n", "dir/file:2:6: found no separator, expected one after the last cell"),
        ("1 2 red\n", "dir/file:1:5: found \"red\", expected a digit or a letter, like the other cells"),
        ("3x3c3:0120120,5\n", "dir/file:1:1: found 7 cells, expected 9 cells (3 x 3)"),
        ("12x12c6m5#123456\n", "dir/file:1:1: found a random seed, expected a game ID with `:`"),
        (
            "# gridhunt format=lines size=2x3\n12323\n",
            "dir/file:2:6: found 5 cells, expected 6 cells for a board of 2 x 3",
        ),
        ("# gridhunt size=2\n12323\n", "dir/file:1:1: found \"size=2\", expected a size ROWSxCOLS"),
    ] {
        let found = message(text, ReadOptions::default());
        assert!(found.starts_with(expected), "{text:?}:\n   found {found}\nexpected {expected}");
    }
}

#[test]
fn game_ids() {
    for (text, rows_of, start, domain) in [
        ("5x4c4m2:01230112300312210032,9\n", "01230 11230 03122 10032", (0, 0), "flood-it"),
        ("Game ID: 3x2c3:012210,4", "012 210", (0, 0), "flood-it"),
        ("\"3x2c3:012210,4\"", "012 210", (0, 0), "flood-it"),
        ("https://a.example/flood.html#3x2c3:012210,4", "012 210", (0, 0), "flood-it"),
        ("3c3:012120201,4", "012 120 201", (0, 0), "flood-it"),
        ("3x2c3s2:1,2,3,3,2,1", "123 321", (0, 0), "clickomania"),
        (";ColorFill;3;2;3;-4;123321;0;;", "123 321", (1, 2), "flood-it"),
        (";ColorFill;3;2;3;4;123321;2;121;", "123 321", (1, 1), "flood-it"),
    ] {
        let reader = BoardReader::new("file", text.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!((reader.format(), reader.puzzle_name()), (Format::GameId, Some(domain)), "{text}");
        let board = reader.map(|entry| entry.unwrap().board).next().unwrap();
        assert_eq!(
            (rows(&board).join(" ").as_str(), board.start()),
            (rows_of, Cell { row: start.0, col: start.1 }),
            "{text}"
        );
    }
}

#[test]
fn json_in_the_forms_of_others() {
    for text in [
        r#"{"board": [[1,2,3],[3,2,1]]}"#,
        r#"{"grid": ["123","321"], "author": "somebody", "level": 3}"#,
        r#"{"rows": [[1,2,3],[3,2,1]]}"#,
        r#"{"width": 3, "height": 2, "cells": [1,2,3,3,2,1]}"#,
        r#"{"width": 3, "cells": "123321"}"#,
        r#"{"cells": "123\n321"}"#,
        r#"{"width": 3, "board": "123321"}"#,
        r#"{"boards": [{"cells": ["1 2 3", "3,2,1"]}]}"#,
        r#"{"size": "2 x 3", "cells": [1,2,3,3,2,1]}"#,
        "[[1, 2, 3],\n [3, 2, 1],]",
        "[['1','2','3'],['3','2','1']]",
        r#"{"size": [2, 3], "colors": 3, "cells": [1,2,3,3,2,1]}"#,
        r#"{"size": "2x3", "num_colors": 3, "Cells": [["1","2","3"],["3","2","1"]]}"#,
        r#"{"name": "n", "colours": ["1","2","3"], "cells": [[1,2,3],[3,2,1]]}"#,
        "[[1,2,3],\n [3,2,1]]",
        "[\"123\",\"321\"]",
    ] {
        let entries = read(text, ReadOptions::default()).unwrap_or_else(|error| panic!("{text}: {error}")).1;
        assert_eq!(rows(&entries[0].board).join(" "), "123 321", "{text}");
    }
    let mut reader =
        BoardReader::new("f", &br#"{"cells": ["12"], "seed": 7, "x": null}"#[..], ReadOptions::default()).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(reader.notes(), ["ignored the fields seed"]);
    let twice = message(r#"{"cells": ["12"], "cells": ["21"]}"#, ReadOptions::default());
    assert!(twice.contains("found the key \"cells\" twice"), "{twice}");
}

/// A file of many boards goes on behind a bad one where it says where the next one begins.
#[test]
fn one_bad_board_does_not_hide_the_others() {
    let bad_third = [
        (Some(Format::Lines), "1212\n1221\n12?1\n2121\n"),
        (None, "{\"cells\":[\"12\"]}\n{\"cells\":[\"12\"]}\n{\"cells\":[\"?2\"]}\n{\"cells\":[\"12\"]}\n"),
        (Some(Format::Bunny), "S#\n\nS#\n\n##\n\nS#\n"),
        (Some(Format::GameId), "2x1c2:01,3\n2x1c2:01,3\n2x1c2:0,3\n2x1c2:10,3\n"),
    ];
    for (format, text) in bad_third {
        let reader = BoardReader::new("f", text.as_bytes(), options(format)).unwrap();
        let found: Vec<bool> = reader.map(|entry| entry.is_ok()).collect();
        assert_eq!(found, [true, true, false, true], "{text:?}");
    }
    // Without a format that streams, every reading has to explain the file.
    let text = "123\n231\n\n123\n231\n\n123\n2?1\n312\n\n321\n123\n";
    assert!(BoardReader::new("f", text.as_bytes(), options(Some(Format::Text))).is_err());
}
