//! Board and solution files: what every format reads and writes, and how it refuses what is wrong.

use gridhunt::board::{
    Board, BoardError, BoardReader, Cell, EMPTY, Entry, Format, GenerateSpec, JsonLayout, MARKED, MAX_CELLS,
    ReadOptions, SolutionReader, Start, UNMARKED, WriteError, generate, parse_size, usual_symbols, write_board,
    write_entry, write_solution,
};
use gridhunt::verify::verify_solution;
use proptest::prelude::*;
use std::io::{self, BufRead, BufReader, Read};

fn options(format: Option<Format>) -> ReadOptions {
    ReadOptions { format, ..ReadOptions::default() }
}

fn sized(rows: usize, cols: usize) -> ReadOptions {
    ReadOptions { size: Some((rows, cols)), ..ReadOptions::default() }
}

/// The format and all boards of a text.
fn read(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<(Format, Vec<Entry>), BoardError> {
    let reader = BoardReader::new("dir/file", text.as_ref(), options)?;
    let format = reader.format();
    Ok((format, reader.collect::<Result<_, _>>()?))
}

fn read_data(file: &str, options: ReadOptions) -> (Format, Vec<Entry>) {
    let reader = BoardReader::open(format!("tests/data/{file}"), options).unwrap();
    let format = reader.format();
    (format, reader.collect::<Result<_, _>>().unwrap())
}

fn message(text: impl AsRef<[u8]>, options: ReadOptions) -> String {
    read(text, options).unwrap_err().to_string()
}

/// Rows of symbols, for comparisons that can be read.
fn rows(board: &Board) -> Vec<String> {
    let symbol = |c: &u8| board.symbols().get(usize::from(*c)).map_or(".", String::as_str);
    board.cells().chunks(board.cols()).map(|row| row.iter().map(symbol).collect()).collect()
}

const SMALL: [&str; 3] = ["1233", "4412", "2114"];

#[test]
fn every_spelling_of_the_small_board_is_recognised() {
    let spellings = [
        ("plain.txt", Format::Text, Some((3, 4)), 4, None),
        ("header.txt", Format::Text, None, 5, None),
        ("start.txt", Format::Text, None, 4, None),
        ("spaced.txt", Format::Text, None, 4, None),
        ("table.csv", Format::Csv, None, 4, None),
        ("numbers.txt", Format::Numbers, None, 4, Some(5)),
        ("board.json", Format::Json, None, 4, Some(4)),
        ("sized.txt", Format::Lines, Some((3, 4)), 4, None),
    ];
    for (file, format, size, colours, published) in spellings {
        let (recognised, entries) = read_data(file, ReadOptions { size, ..ReadOptions::default() });
        assert_eq!(recognised, format, "{file}");
        let Entry { board, published: found } = &entries[0];
        assert_eq!(
            (rows(board), board.colours(), *found),
            (SMALL.map(String::from).to_vec(), colours, published),
            "{file}"
        );
        let start = if ["start.txt", "board.json"].contains(&file) { Cell { row: 1, col: 2 } } else { Cell::default() };
        assert_eq!(board.start(), start, "{file}");
    }
}

/// What stands in the header first is the width when all rows that follow are as wide.
#[test]
fn headers_of_width_and_height() {
    let wide = ["1221", "3133"];
    let spellings = [
        ("4 2 3\n1 2 2 1\n3 1 3 3\n", Format::Numbers),
        ("4 2 3\n1 2 2 1\n3 1 3 3\n7\n", Format::Numbers),
        ("2 4 3\n1 2 2 1\n3 1 3 3\n", Format::Numbers),
        ("4 2 3\n1221\n3133\n", Format::Text),
        ("2 4 3\n1221\n3133\n", Format::Text),
    ];
    for (text, format) in spellings {
        let (recognised, entries) = read(text, ReadOptions::default()).unwrap();
        assert_eq!((recognised, rows(&entries[0].board)), (format, wide.map(String::from).to_vec()), "{text}");
        assert!(read(text, sized(2, 4)).is_ok());
        assert!(message(text, sized(4, 2)).contains("found 2 x 4 cells"), "{text}");
    }
    let narrow = read("2 3 3\n12\n13\n33\n", ReadOptions::default()).unwrap();
    assert_eq!((narrow.0, rows(&narrow.1[0].board).join(" ").as_str()), (Format::Text, "12 13 33"));
    // Rows that are not all as wide tell nothing: cells may be broken into lines anywhere.
    for text in ["4 2 3\n1 2 2 1 3\n1 3 3\n", "4 2 3\n1 2 2 1\n3 1 3\n3\n"] {
        let (_, entries) = read(text, ReadOptions::default()).unwrap();
        assert_eq!(rows(&entries[0].board).join(" "), "12 21 31 33", "{text}");
    }
}

#[test]
fn files_of_many_boards_number_them() {
    let (format, entries) = read_data("squares.txt", ReadOptions::default());
    assert_eq!(format, Format::Lines);
    let names: Vec<_> = entries.iter().map(|e| e.board.name()).collect();
    assert_eq!(names, ["squares.txt#1", "squares.txt#2"]);
    assert_eq!(
        (rows(&entries[0].board), rows(&entries[1].board)[1].as_str()),
        (["112", "233", "121"].map(String::from).to_vec(), "21")
    );

    let (format, entries) = read_data("many.json", ReadOptions::default());
    assert_eq!(format, Format::Json);
    let names: Vec<_> = entries.iter().map(|e| e.board.name()).collect();
    assert_eq!(names, ["many.json#1", "many.json#2"]);
    assert_eq!(entries[0].board.start(), Cell { row: 1, col: 1 });
    assert_eq!(entries[0].board.symbols(), ["B", "G", "R"]);

    let (_, entries) = read_data("board.json", ReadOptions::default());
    assert_eq!(entries[0].board.name(), "by hand");
    let (_, entries) = read(r#"{"cells": ["12"]}"#, ReadOptions::default()).unwrap();
    assert_eq!(entries[0].board.name(), "file");
    let (_, entries) = read(r#"{"name": "file#1", "cells": ["12"]}"#, ReadOptions::default()).unwrap();
    assert_eq!(entries[0].board.name(), "file#1");
}

/// Two rows of a game that has begun: nothing in the corner, a colour alone above others, and a column without cells.
const PLAYED: [&str; 2] = ["..2.", "12.3"];

#[test]
fn empty_cells_have_a_spelling_in_every_format() {
    let spellings = [
        (Format::Text, "..2.\n12.3\n"),
        (Format::Text, ". . 2 .\n1 2 . 3\n"),
        (Format::Text, "2 4 3\n..2.\n12.3\n"),
        (Format::Text, "2 4 3\n. . 2 .\n1 2 . 3\n"),
        (Format::Csv, "-1,-1,2,-1\n1,2,-1,3\n"),
        (Format::Csv, ".,.,2,.\n1, 2, ., 3\n"),
        (Format::Lines, "..2.12.3\n"),
        (Format::Numbers, "2 4 3\n-1 -1 2 -1\n1 2 -1 3\n"),
        (Format::Numbers, "2 4 3 2,1\n-1\n-1 2 -1 1 2 -1 3 9\n"),
        (Format::Json, "{\"cells\": [[-1, -1, 2, -1], [1, 2, -1, 3]]}"),
        (Format::Json, "{\"colours\": 3, \"cells\": [\"..2.\", \"12.3\"]}"),
        (Format::Json, "{\"cells\": [[\"-1\", \".\", \"2\", \".\"], [\"1\", 2, -1, 3]]}"),
    ];
    for (format, text) in spellings {
        let size = [Format::Lines, Format::Text].contains(&format).then_some((2, 4));
        let (recognised, entries) = read(text, ReadOptions { size, ..ReadOptions::default() }).unwrap();
        let board = &entries[0].board;
        assert_eq!((recognised, rows(board)), (format, PLAYED.map(String::from).to_vec()), "{text}");
        assert_eq!(board.contents().nth(2), Some(Some(1)), "{text}");
        assert_eq!((board.has_empty(), board.first_empty()), (true, Some(Cell::default())), "{text}");
    }
    // A column; numbers make csv of it.
    let columns = [("-1\n1\n2\n", Format::Csv), (".\n1\n2\n", Format::Text), ("3 1 2\n-1\n1\n2\n", Format::Numbers)];
    for (text, format) in columns {
        let (recognised, entries) = read(text, ReadOptions::default()).unwrap();
        assert_eq!((recognised, rows(&entries[0].board).join(" ").as_str()), (format, ". 1 2"), "{text}");
    }
    // Rows above everything are no boards: nothing but text has them.
    let (recognised, entries) = read("....\n....\n1212\n2121\n", ReadOptions::default()).unwrap();
    assert_eq!((recognised, rows(&entries[0].board)[1].as_str()), (Format::Text, "...."));
    assert_eq!(read("1..2\n112233121\n", ReadOptions::default()).unwrap().0, Format::Lines);
}

/// What is gone may be all of a colour, and all but one colour.
#[test]
fn one_colour_is_enough_beside_empty_cells() {
    for (text, symbols) in [
        (".1\n11\n", ["1", "2"]),
        ("-1,3\n3,3\n", ["1", "3"]),
        ("{\"cells\": [\"b.\"]}", ["1", "b"]),
        ("{\"symbols\": \"B\", \"cells\": [\"B.\"]}", ["1", "B"]),
        ("{\"colours\": 2, \"cells\": [[2, -1]]}", ["1", "2"]),
    ] {
        let board = read(text, ReadOptions::default()).unwrap().1.remove(0).board;
        assert_eq!((board.symbols(), board.has_empty()), (&symbols.map(String::from)[..], true), "{text}");
    }
    let gone = Board::new("b", 1, 2, vec![EMPTY; 2], usual_symbols(2), Cell::default()).unwrap_err().to_string();
    assert_eq!(gone, "b: found only empty cells, expected at least one cell with a colour");
}

/// The field of the file says what the lists are, unless the caller does.
#[test]
fn json_has_columns_too() {
    let object = |layout: &str, cells: &str| format!("{{{layout} \"cells\": {cells}}}");
    let field = |layout: JsonLayout| format!("\"layout\": \"{layout}\",");
    let given = |layout| ReadOptions { json_layout: Some(layout), ..ReadOptions::default() };
    let (lists, texts) = ("[[1, 2, 3], [3], [], [2, 1]]", r#"["123", "3", "", "21"]"#);
    for (layout, expected) in
        [(JsonLayout::Columns, ["1...", "2..2", "33.1"]), (JsonLayout::ColumnsUp, ["3...", "2..1", "13.2"])]
    {
        assert_eq!(layout.to_string().parse(), Ok(layout));
        for cells in [lists, texts] {
            let shown = |text: &str, options| rows(&read(text, options).unwrap().1[0].board);
            assert_eq!(shown(&object(&field(layout), cells), ReadOptions::default()), expected, "{layout}");
            for written in [String::new(), field(JsonLayout::Rows), field(JsonLayout::ColumnsUp)] {
                assert_eq!(shown(&object(&written, cells), given(layout)), expected, "{layout} over {written}");
            }
            // More rows than any column has cells.
            let high = object(&format!("\"rows\": 4, \"cols\": 4, {}", field(layout)), cells);
            assert_eq!(shown(&high, ReadOptions::default()), [&["...."], &expected[..]].concat(), "{layout}");
            let size = Some((4, 4));
            let sized = ReadOptions { size, ..given(layout) };
            assert_eq!(shown(&object("", cells), sized), [&["...."], &expected[..]].concat(), "{layout}");
        }
    }
    let (rows_of, columns) =
        (r#"{"cells": ["12", "21"], "layout": "rows"}"#, r#"{"cells": ["12", "33"], "layout": "columns"}"#);
    assert_eq!(rows(&read(rows_of, ReadOptions::default()).unwrap().1[0].board), ["12", "21"]);
    let both = read(format!("{columns}\n{rows_of}"), ReadOptions::default()).unwrap().1;
    assert_eq!(
        (rows(&both[0].board), rows(&both[1].board)),
        (vec!["13".into(), "23".into()], vec!["12".into(), "21".into()])
    );
    assert_eq!(rows(&read(columns, given(JsonLayout::Rows)).unwrap().1[0].board), ["12", "33"]);
    assert_eq!(
        message(object("", lists), given(JsonLayout::Rows)),
        "dir/file:1:26: found a row of 1 cells, expected 3 cells in every row"
    );
}

#[test]
fn colours_are_ordered_digits_first() {
    assert_eq!(
        message("zA9\n0a1\n", ReadOptions::default()),
        "dir/file:2:2: found 'a' and also 'A', expected every letter in one case only, upper or lower"
    );
    let (_, entries) = read("zA9\n0A1\n", ReadOptions::default()).unwrap();
    assert_eq!(entries[0].board.symbols(), ["0", "1", "9", "A", "z"]);
    assert_eq!(entries[0].board.cells(), [4, 3, 2, 0, 3, 1]);
    let (_, entries) = read_data("wrapped.txt", ReadOptions::default());
    assert_eq!(entries[0].board.symbols(), usual_symbols(12));
    assert_eq!(rows(&entries[0].board), ["C1B", "33A"]);
    let (_, entries) = read("10,A,9\n1,35,1\n", ReadOptions::default()).unwrap();
    assert_eq!(rows(&entries[0].board), ["AA9", "1Z1"]);
}

#[test]
fn starts() {
    let at = |row, col| Start::At(Cell { row, col });
    for (text, start, cell) in [
        ("top-left", Start::TopLeft, (0, 0)),
        ("centre", Start::Centre, (9, 10)),
        ("center", Start::Centre, (9, 10)),
        ("1,1", at(0, 0), (0, 0)),
        ("3, 20", at(2, 19), (2, 19)),
    ] {
        let parsed: Start = text.parse().unwrap();
        assert_eq!((parsed, parsed.cell(19, 20)), (start, Cell { row: cell.0, col: cell.1 }));
        assert_eq!(parsed.to_string().parse(), Ok(start));
    }
    for text in ["", "0,1", "1,0", "1", "1,2,3", "-1,2", "middle", "99999999999999999999,1"] {
        assert!(text.parse::<Start>().unwrap_err().to_string().contains("counted from 1"), "{text}");
    }
    let start = Some(Start::At(Cell { row: 3, col: 0 }));
    let outside = ReadOptions { start, ..ReadOptions::default() };
    assert_eq!(
        message("123\n321\n", outside),
        "dir/file:1: found start cell 4,1, expected a cell of 2 rows and 3 columns, counted from 1"
    );
    // What the caller asks for goes before what the file says.
    let top = ReadOptions { start: Some(Start::TopLeft), ..ReadOptions::default() };
    assert_eq!(read_data("start.txt", top).1[0].board.start(), Cell::default());
}

#[test]
fn options_have_names() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
        assert!(!format.summary().is_empty());
    }
    let error = "xml".parse::<Format>().unwrap_err().to_string();
    assert_eq!(error, "found \"xml\", expected one of the formats text, csv, lines, numbers, json, bunny");
    assert_eq!((parse_size("19x20"), parse_size("3X1")), (Ok((19, 20)), Ok((3, 1))));
    for text in ["", "19", "0x3", "3x0", "3x3x3", "axb", "3 x 3"] {
        assert!(parse_size(text).is_err(), "{text}");
    }
}

/// Content that two formats fit: both are named, and the options that the message proposes do choose.
#[test]
fn doubtful_content_is_not_guessed() {
    let (lines, text, numbers) = (Format::Lines, Format::Text, Format::Numbers);
    let square = "1212\n2121\n1212\n2121\n";
    let line = format!("{}\n", "12".repeat(8));
    let three = "2 3 3\n1 2 3\n3 2 1\n";
    let cut_off = "3 3 4\n1 2 3\n1 2 4\n";
    for (content, formats) in [
        (square, [text, lines]),
        (&line, [text, lines]),
        // Neither fits, but each could be meant.
        ("1212\n212\n", [text, lines]),
        (three, [numbers, text]),
        (cut_off, [numbers, text]),
    ] {
        match read(content, ReadOptions::default()).unwrap_err() {
            BoardError::Ambiguous { formats: found, ref expected, ref position, .. } => {
                assert_eq!((found, position.line), (formats, 1), "{content}");
                assert!(formats.iter().all(|f| expected.contains(&format!("--format {f}"))), "{expected}");
            }
            other => panic!("{content:?}: {other}"),
        }
    }
    assert_eq!(read(square, options(Some(text))).unwrap().1.len(), 1);
    assert_eq!(read(square, options(Some(lines))).unwrap().1.len(), 4);
    assert_eq!(read(square, sized(4, 4)).unwrap().0, text);
    assert_eq!(read(square, sized(1, 4)).unwrap().1.len(), 4);
    assert_eq!(read(&line, sized(4, 4)).unwrap().0, lines);
    assert_eq!(rows(&read(three, options(Some(numbers))).unwrap().1[0].board), ["123", "321"]);
    assert_eq!(rows(&read(three, sized(2, 3)).unwrap().1[0].board), ["123", "321"]);
    let as_rows = ReadOptions { format: Some(text), size: Some((3, 3)), ..ReadOptions::default() };
    assert_eq!(rows(&read(three, as_rows).unwrap().1[0].board), ["233", "123", "321"]);
    let doubt = read(three, options(Some(text))).unwrap_err();
    assert!(doubt.to_string().contains("--size 3x3"), "{doubt}");
    // The sizes of both readings are the same; the format decides, and a header is then short of a row.
    assert_eq!(rows(&read(cut_off, as_rows).unwrap().1[0].board), ["334", "123", "124"]);
    assert!(message(cut_off, options(Some(numbers))).contains("after 6 cells"));
}

#[test]
fn content_that_leaves_no_doubt() {
    let (lines, text, numbers) = (Format::Lines, Format::Text, Format::Numbers);
    let many = format!("{}\n", "1213".repeat(49)).repeat(60);
    for (content, format, boards) in [
        // More cells than one board may have.
        (many.as_str(), lines, 60),
        // Lines of several lengths, or with blank lines between them.
        ("1212\n112233121\n", lines, 2),
        ("1212\n\n2121\n", lines, 2),
        // No square number.
        ("121\n212\n", text, 1),
        ("12\n", text, 1),
        // A cell alone is no board.
        ("1\n2\n", text, 1),
        // Too many cells for the header that the first row might be; no header at all.
        ("1 2 3\n2 3 1\n3 1 2\n", text, 1),
        ("1 2 A\n2 A 1\n", text, 1),
        ("1 2\n2 1\n", text, 1),
        ("2 2 3\n12\n31\n", text, 1),
        ("2 2 11\n1 2\nB 1\n", text, 1),
        ("2 2 12\n12\n11\n1\n2\n", numbers, 1),
        ("2 1 3\n1\n3\n", numbers, 1),
        ("2 12 12\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12 12 11 10 9 8 7 6 5 4 3 2 1\n9", numbers, 1),
        ("2 2 2 2,2\n12\n21\n", text, 1),
        ("1 2 2 centre\n1 2\n", numbers, 1),
        ("1,2\n", Format::Csv, 1),
    ] {
        let (recognised, entries) =
            read(content, ReadOptions::default()).unwrap_or_else(|e| panic!("{content:?}: {e}"));
        assert_eq!((recognised, entries.len()), (format, boards), "{content:?}");
    }
}

#[test]
fn bad_input_says_where_and_what() {
    let long = "12".repeat(MAX_CELLS / 2) + "1";
    let tall = "12\n".repeat(MAX_CELLS / 2 + 1);
    let all: String = ('0'..='9').chain('A'..='Z').collect();
    let cases: &[(Option<Format>, &str, &str)] = &[
        (None, "", "dir/file:1:1: found an empty file, expected a board"),
        (None, "# nothing\n\n  \n", "dir/file:1:1: found an empty file, expected a board"),
        (None, "123\n12\n", "dir/file:2:3: found a row of 2 cells, expected 3 cells in every row"),
        (None, "123\n1233\n", "dir/file:2:4: found cell 4 of the row, expected 3 cells in every row"),
        (None, "12?\n123\n", "dir/file:1:3: found '?', expected a digit or a letter, or . for an empty cell"),
        (None, "123\n1\0\n", "dir/file:2:2: found the character U+0000, expected a digit or a letter"),
        (None, "12\n1\u{1b}\n", "dir/file:2:2: found the character U+001B, expected a digit or a letter"),
        (None, "11\n11\n", "dir/file:1: found one colour (1), expected at least two colours"),
        (None, "12\n\n21\n", "dir/file:3:1: found a row after a blank line, expected the end of the file: one board"),
        (None, "1 2 10 3\n", "dir/file:1:5: found \"10\", expected one symbol between spaces"),
        (
            None,
            &all,
            "dir/file:1: found lines of 36 symbols that are text (one board, 1 x 36) or lines (boards of 6 x 6)",
        ),
        (Some(Format::Text), &all, "dir/file:1: found 36 colours, expected at most 35 colours"),
        (Some(Format::Text), &long, "dir/file:1:10001: found more than 10000 cells, expected a board of at most 10000"),
        (None, &tall, "dir/file:5001:1: found more than 10000 cells, expected a board of at most 10000 cells"),
        (Some(Format::Lines), &long, "dir/file:1:10002: found 10001 symbols, expected a board of at most 10000"),
        (
            Some(Format::Lines),
            "1212\n12\n",
            "dir/file:2:3: found 2 symbols, expected as many symbols as a square board has",
        ),
        (Some(Format::Lines), "1212\n 1111\n", "dir/file:2:2: found one colour (1), expected at least two colours"),
        (Some(Format::Lines), "1212\n12 1\n", "dir/file:2:3: found ' ', expected a digit or a letter"),
        (Some(Format::Text), "3 3 3\n123\n", "dir/file:2:4: found the end after 1 rows, expected 3 rows"),
        (None, "10 2 3\n12\n", "dir/file:2:3: found the end after 1 rows, expected 10 rows"),
        (None, "2 2 2\n12\n21\n12\n", "dir/file:4:1: found row 3, expected no more than 2 rows"),
        (None, "2 2 2\n12\n23\n", "dir/file:3:2: found '3', expected one of the 2 colours 1 2"),
        (None, "1,2\n1\n", "dir/file:2:2: found a row of 1 cells, expected 2 cells in every row"),
        (None, "1,2\n1,,2\n", "dir/file:2:3: found nothing, expected a digit or a letter, or . for an empty cell"),
        (None, "1,2,\n", "dir/file:1:5: found nothing"),
        (None, "1, 36\n", "dir/file:1:4: found \"36\", expected a colour from 1 to 35"),
        (None, "1,xyz\n", "dir/file:1:3: found \"xyz\", expected one digit or letter"),
        (None, "12 12 6\n1 2 3", "dir/file:2:6: found the end of the file after 3 cells, expected 144 cells (12 x 12)"),
        (None, "12 12 6\n", "dir/file:1:8: found the end of the file after 0 cells, expected 144 cells"),
        (None, "0 2 2 top-left\n1 2\n", "dir/file:1:1: found \"0\", expected the number of rows, 1 to 10000"),
        (
            None,
            "99999999999999999999999 2 2\n1 2\n",
            "dir/file:1:1: found \"99999999999999999999999\", expected the number",
        ),
        (None, "10000 10000 2\n1 2\n", "dir/file:1:1: found 10000 x 10000 cells, expected at most 10000 cells"),
        (None, "2 2 36\n1 2 3 4\n", "dir/file:1:5: found \"36\", expected the number of colours, 1 to 35"),
        (None, "2 2 1\n1 1 1 1\n", "dir/file:1:5: found one colour, expected 2 to 35 colours"),
        (None, "2 2 3\n1 1 1 1\n", "dir/file:2: found one colour (1), expected at least two colours"),
        (None, "2 2 3\n1 2 4 1\n", "dir/file:2:5: found colour 4, expected a colour from 1 to 3"),
        (None, "2 2 3\n1 2 0 1\n", "dir/file:2:5: found colour 0, expected a colour from 1 to 3"),
        (None, "2 2 3\n1 2 300 1\n", "dir/file:2:5: found \"300\", expected a colour from 1 to 3"),
        (None, "2 2 3\n1 2 3 1 7 7\n", "dir/file:2:11: found \"7\", expected the end of the file after the published"),
        (None, "2 2 3\n1 2 3 1\n0\n", "dir/file:3:1: found \"0\", expected the published optimum"),
        (None, "2 2 3 9,9\n1 2 3 1\n", "dir/file:1:7: found start cell 9,9, expected a cell of 2 rows and 2 columns"),
        (Some(Format::Numbers), "2 2\n", "dir/file:1:4: found the end of the line, expected the number of colours"),
        (Some(Format::Numbers), "2 2 2 2\n", "dir/file:1:7: found \"2\", expected top-left, centre, or ROW,COLUMN"),
        (Some(Format::Numbers), "+2 2 2\n", "dir/file:1:1: found \"+2\", expected the number of rows"),
        (None, "..\n..\n", "dir/file:1: found only empty cells, expected at least one cell with a colour"),
        (None, "1 .. 2\n", "dir/file:1:3: found \"..\", expected one symbol between spaces"),
        (None, "1 -1 2\n", "dir/file:1:3: found \"-1\", expected one symbol between spaces"),
        (
            Some(Format::Lines),
            "12-1\n",
            "dir/file:1:3: found '-', expected a digit or a letter, or . for an empty cell",
        ),
        (None, "1,-2\n", "dir/file:1:3: found \"-2\", expected one digit or letter"),
        (
            Some(Format::Numbers),
            "2 2 3\n1 2 -2 1\n",
            "dir/file:2:5: found \"-2\", expected a colour from 1 to 3, or -1 for an empty cell",
        ),
        (None, "2 2 3\n-1 -1\n-1 -1\n", "dir/file:2: found only empty cells, expected at least one cell"),
        (
            None,
            "{\"cells\": [[1,-2]]}",
            "dir/file:1:16: found \"-2\", expected a colour from 1 to 35, or -1 for an empty",
        ),
        (Some(Format::Json), "12\n", "dir/file:1:1: found '1', expected a board: a JSON object"),
        (None, "[1]\n", "dir/file:1:1: found '[', expected a board: a JSON object"),
        (
            None,
            "{\"cells\": [\"12\",\n \"123\"]}",
            "dir/file:2:6: found cell 3 of the row, expected 2 cells in every row",
        ),
        (None, "{\"cells\": [[1,2],\n\n# x\n[1,99]]}", "dir/file:4:5: found \"99\", expected a colour from 1 to 35"),
        (None, "{\"cells\": [[1,2.5]]}", "dir/file:1:17: found floating point `2.5`, expected a colour"),
        (None, "{\"cells\": []}", "dir/file:1:12: found invalid length 0, expected at least one row"),
        (None, "{\"cells\": [[]]}", "dir/file:1:13: found a row of 0 cells, expected at least one cell in every row"),
        (None, "{\"cells\": [\"12\"]", "dir/file:1:17: found EOF while parsing an object, expected a board"),
        (None, "{\"cells\": [\"12\"]} x", "dir/file:1:19: found trailing characters"),
        (None, "{\"cell\": 1}", "dir/file:1:7: found unknown field `cell`, expected one of `name`, `rows`"),
        (None, "{\"rows\": 2}", "dir/file:1: found an object without cells, expected cells, or bunny for"),
        (None, "{\"rows\": 1e30, \"cells\": []}", "dir/file:1:13: found floating point"),
        (None, "{\"rows\": 3, \"cells\": [\"12\"]}", "dir/file:1: found 1 x 2 cells, expected 3, as rows says, not 1"),
        (None, "{\"colours\": 1, \"cells\": [\"12\"]}", "dir/file:1: found 1 colours, expected 2 to 35 colours"),
        (None, "{\"colours\": 2, \"cells\": [\"13\"]}", "dir/file:1: found '3', expected one of the 2 colours 1 2"),
        (
            None,
            "{\"symbols\": \"21\", \"cells\": [\"12\"]}",
            "dir/file:1: found symbols \"21\", expected digits, then letters",
        ),
        (
            None,
            "{\"start\": [0, 1], \"cells\": [\"12\"]}",
            "dir/file:1:12: found integer `0`, expected a nonzero usize",
        ),
        (
            None,
            "{\"start\": [2, 1], \"cells\": [\"12\"]}",
            "dir/file:1: found start cell 2,1, expected a cell of 1 rows",
        ),
        (
            None,
            "{\"layout\": \"up\", \"cells\": [\"12\"]}",
            "dir/file:1:15: found \"up\", expected one of: rows, columns, columns-up",
        ),
        (
            None,
            "{\"layout\": \"columns\", \"cells\": []}",
            "dir/file:1:33: found invalid length 0, expected at least one column",
        ),
        (
            None,
            "{\"layout\": \"columns\", \"cells\": [1]}",
            "dir/file:1:33: found integer `1`, expected a column: a string",
        ),
        (
            None,
            "{\"layout\": \"columns\", \"cells\": [[]]}",
            "dir/file:1: found columns without cells, expected at least one",
        ),
        (
            None,
            "{\"rows\": 5001, \"layout\": \"columns\", \"cells\": [\"12\", \"1\"]}",
            "dir/file:1: found 5001 x 2 cells, expected at most 10000 cells",
        ),
        (
            None,
            "{\"rows\": 2, \"layout\": \"columns-up\", \"cells\": [\"123\", \"1\"]}",
            "dir/file:1: found 3 x 2 cells, expected 2, as rows says, not 3",
        ),
        (
            None,
            "{\"name\": \"\\u001b[2J\", \"cells\": [\"12\"]}",
            "dir/file:1: found the name \"\\u{1b}[2J\", expected a name",
        ),
    ];
    for (format, content, expected) in cases {
        let found = message(content, options(*format));
        assert!(found.starts_with(expected), "{:.60?} as {format:?}:\n   found {found}\nexpected {expected}", content);
    }
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(
        message(b"12\n\xff1\n", ReadOptions::default()),
        "dir/file:2:1: found the byte 0xFF, expected text in UTF-8"
    );
    let cut = message("12\n\u{e9}".as_bytes().split_last().unwrap().1, ReadOptions::default());
    assert_eq!(cut, "dir/file:2:1: found the byte 0xC3, expected text in UTF-8");
    let utf16 = message(b"\xff\xfe1\0", ReadOptions::default());
    assert_eq!(utf16, "dir/file:1:1: found the byte 0xFF, expected text in UTF-8");
    // Columns are characters, not bytes.
    assert!(message("1\u{e9}\u{fc}\n", ReadOptions::default()).starts_with("dir/file:1:2: found '\u{e9}'"));
}

#[test]
fn sizes_are_checked_in_every_format() {
    for (content, format) in [
        ("123\n321\n", Format::Text),
        ("2 3 3\n123\n321\n", Format::Text),
        ("1,2,3\n3,2,1\n", Format::Csv),
        ("123321\n", Format::Lines),
        ("2 3 3\n1 2 3 3 2 1\n", Format::Numbers),
        ("{\"cells\":[\"123\",\"321\"]}", Format::Json),
    ] {
        let with =
            |rows, cols| ReadOptions { format: Some(format), size: Some((rows, cols)), ..ReadOptions::default() };
        assert_eq!(rows(&read(content, with(2, 3)).unwrap().1[0].board), ["123", "321"], "{format}");
        for (rows, cols) in [(3, 3), (2, 2), (usize::MAX, usize::MAX)] {
            let error = read(content, with(rows, cols)).unwrap_err();
            assert!(error.position().is_some_and(|p| p.line > 0), "{format} {rows}x{cols}: {error}");
        }
    }
}

#[test]
fn nothing_comes_after_an_error() {
    let mut reader = BoardReader::new("f", "1212\n1\n2121\n".as_bytes(), options(Some(Format::Lines))).unwrap();
    assert!(reader.next().unwrap().is_ok());
    // A single symbol is a square board, of one colour.
    assert!(reader.next().unwrap().unwrap_err().to_string().starts_with("f:2:1: found one colour"));
    assert!(reader.next().is_none() && reader.next().is_none());
}

#[test]
fn files_that_cannot_be_read() {
    let error = BoardReader::open("tests/data/none.txt", ReadOptions::default()).err().unwrap();
    assert!(matches!(error, BoardError::Read { .. }) && error.to_string().starts_with("tests/data/none.txt: "));
    assert!(BoardReader::open("tests/data", ReadOptions::default()).is_err());
    assert!(SolutionReader::open("tests/data/none.txt").is_err());
}

/// Endless content that counts what is taken of it.
struct Endless {
    pattern: &'static [u8],
    taken: usize,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        for slot in &mut *out {
            *slot = self.pattern[self.taken % self.pattern.len()];
            self.taken += 1;
        }
        Ok(out.len())
    }
}

#[test]
fn lines_without_end_are_refused_soon() {
    for format in Format::ALL.map(Some).into_iter().chain([None]) {
        for pattern in [&b"12"[..], b"1 ", b"1,", b"{", b"#", b"\"", b" "] {
            let mut input = BufReader::new(Endless { pattern, taken: 0 });
            let error = match BoardReader::new("f", &mut input, options(format)) {
                Ok(mut reader) => reader.next().unwrap().unwrap_err(),
                Err(error) => error,
            };
            assert!(error.to_string().starts_with("f:1"), "{error}");
            assert!(input.into_inner().taken < 3 << 20);
        }
    }
}

#[test]
fn boards_are_read_one_at_a_time() {
    for (pattern, format) in
        [(&b"112233121\n"[..], Format::Lines), (b"{\"cells\":[\"112\",\n\"121\"]}\n", Format::Json)]
    {
        let mut input = BufReader::with_capacity(4096, Endless { pattern, taken: 0 });
        let reader = BoardReader::new("f", &mut input, options(Some(format))).unwrap();
        assert_eq!(reader.take(1_000).filter(Result::is_ok).count(), 1_000);
        assert!(input.get_ref().taken <= 1_001 * pattern.len() + 4096, "{format}");
    }
    // To recognise the format takes the first lines only.
    let mut input = BufReader::new(Endless { pattern: b"112233121\n", taken: 0 });
    let reader = BoardReader::new("f", &mut input, ReadOptions::default()).unwrap();
    assert_eq!((reader.format(), reader.recognised()), (Format::Lines, true));
    drop(reader);
    assert!(input.fill_buf().is_ok() && input.get_ref().taken < 1 << 18);
}

fn written(board: &Board, format: Format) -> Result<String, WriteError> {
    let mut out = Vec::new();
    write_board(board, format, &mut out).map(|()| String::from_utf8(out).unwrap())
}

#[test]
fn what_writers_write() {
    let centre = GenerateSpec { rows: 2, cols: 3, colours: 12, seed: 9, start: Start::At(Cell { row: 1, col: 2 }) };
    let Entry { board, .. } = read_data("wrapped.txt", ReadOptions::default()).1.remove(0);
    assert_eq!(written(&board, Format::Text).unwrap(), "2 3 12\nC1B\n33A\n");
    assert_eq!(written(&board, Format::Csv).unwrap(), "C,1,B\n3,3,A\n");
    assert_eq!(written(&board, Format::Lines).unwrap(), "C1B33A\n");
    assert_eq!(written(&board, Format::Numbers).unwrap(), "2 3 12\n12 1 11\n3 3 10\n");
    assert_eq!(
        written(&board, Format::Json).unwrap(),
        "{\"name\":\"wrapped.txt\",\"rows\":2,\"cols\":3,\"colours\":12,\"start\":[1,1],\"cells\":[[12,1,11],[3,3,10]]}\n"
    );
    let board = generate(&centre, 0).unwrap();
    assert!(written(&board, Format::Text).unwrap().starts_with("2 3 12 2,3\n"));
    assert!(written(&board, Format::Numbers).unwrap().starts_with("2 3 12 2,3\n"));
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let letters = read_data("letters.txt", ReadOptions::default()).1.remove(0).board;
    let moved = letters.clone().with_start(Cell { row: 1, col: 1 }).unwrap();
    for format in [Format::Text, Format::Csv, Format::Lines] {
        let error = written(&moved, format).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("letters.txt: found the start cell 2,2, expected a board that the format {format} can hold")
        );
    }
    let zero = read("012\n210\n", ReadOptions::default()).unwrap().1.remove(0).board;
    assert!(written(&zero, Format::Numbers).unwrap_err().to_string().contains("the symbol 0"));
    let named = |names: [&str; 2]| {
        Board::new("b", 1, 2, vec![0, 1], names.map(String::from).to_vec(), Cell::default()).unwrap()
    };
    for names in [["red", "blue"], ["2", "1"], ["a", "A"], ["", "1"], ["-", "1"]] {
        for format in Format::ALL {
            assert!(
                matches!(written(&named(names), format), Err(WriteError::Unrepresentable { .. })),
                "{names:?} {format}"
            );
        }
    }
    let entry = Entry { board: letters, published: Some(4) };
    for format in Format::ALL {
        let mut out = Vec::new();
        let kept = write_entry(&entry, format, &mut out).is_ok();
        assert_eq!(kept, [Format::Numbers, Format::Json].contains(&format), "{format}");
        assert!(!kept || read(&out, options(Some(format))).unwrap().1[0].published == Some(4));
    }
}

fn solutions(text: &str, board: &Board) -> Vec<Result<Vec<u16>, String>> {
    let mut reader = SolutionReader::new("s", text.as_bytes());
    std::iter::from_fn(|| reader.next_for(board).transpose())
        .map(|s| s.map(|s| s.moves).map_err(|e| e.to_string()))
        .collect()
}

#[test]
fn solutions_in_every_spelling() {
    let board = read_data("plain.txt", options(Some(Format::Text))).1.remove(0).board;
    let mut reader = SolutionReader::open("tests/data/moves.txt").unwrap();
    for _ in 0..3 {
        let solution = reader.next_for(&board).unwrap().unwrap();
        assert_eq!((&solution.moves[..], solution.cost), (&[1, 2, 0, 1, 3][..], None));
        assert_eq!(verify_solution(&board, &solution.moves, None).unwrap().cost, 5);
    }
    let letters = read_data("letters.txt", ReadOptions::default()).1.remove(0).board;
    let solution = reader.next_for(&letters).unwrap().unwrap();
    assert_eq!(solution.moves, [1, 2, 0, 1]);
    assert!(verify_solution(&letters, &solution.moves, None).is_ok());
    assert_eq!(reader.next_for(&letters).unwrap(), None);

    let Entry { board, published } = read_data("board.json", ReadOptions::default()).1.remove(0);
    let mut reader = SolutionReader::open("tests/data/moves.json").unwrap();
    let first = reader.next_for(&board).unwrap().unwrap();
    assert_eq!((first.board.as_deref(), first.cost), (Some("by hand"), Some(4)));
    let second = reader.next_for(&board).unwrap().unwrap();
    assert_eq!((&second.moves, second.cost, second.board), (&first.moves, None, None));
    assert_eq!(verify_solution(&board, &first.moves, first.cost).unwrap().cost, published.unwrap());
    assert_eq!(reader.next_for(&board).unwrap(), None);
}

#[test]
fn numbers_of_several_digits_are_letters() {
    let board = read_data("wrapped.txt", ReadOptions::default()).1.remove(0).board;
    let expected = vec![9, 10, 0, 1];
    for text in ["10 11 1 2", "A,B,1,2", "ab12", "[10,\"11\",1,\"2\"]", "{\"moves\":\"AB12\"}", "a 11\t1 ,2"] {
        assert_eq!(solutions(text, &board), [Ok(expected.clone())], "{text}");
    }
}

#[test]
fn bad_solutions_say_where_and_what() {
    let board = read_data("plain.txt", options(Some(Format::Text))).1.remove(0).board;
    let long = "12".repeat(MAX_CELLS);
    for (text, expected) in [
        ("12\n125\n", "s:2:3: found '5', expected one of the colours 1 2 3 4"),
        ("1 2\n 1, x\n", "s:2:5: found \"x\", expected one of the colours 1 2 3 4"),
        ("1 2\n1,,2\n", "s:2:3: found \"\", expected one of the colours 1 2 3 4"),
        ("1 2\n1,2,\n", "s:2:5: found \"\", expected one of the colours"),
        ("1 2\n12 10\n", "s:2:1: found \"12\", expected one of the colours"),
        ("1 2\n1\u{7}\n", "s:2:2: found the character U+0007, expected one of the colours"),
        ("12\n[1, 2, 7]\n", "s:2: found move 3 of colour 7, expected one of the colours"),
        ("12\n[1, 2.5]\n", "s:2:7: found floating point `2.5`, expected a colour: its symbol, or its number"),
        ("12\n[1, -1]\n", "s:2:6: found integer `-1`, expected a colour"),
        ("12\n{\"moves\": null}\n", "s:2: found an object without moves, expected a solution with its moves"),
        ("12\n{\"moves\": \"1 2\"}\n", "s:2:15: found ' ', expected a colour"),
        ("12\n{\"cost\": 3\n", "s:2:11: found EOF while parsing an object, expected a solution"),
        ("12\n{\"moves\": [1], \"cost\": \"x\"}\n", "s:2:26: found string \"x\", expected u32"),
    ] {
        let found = solutions(text, &board);
        assert_eq!(found.len(), 2, "{text:?}: {found:?}");
        let error = found[1].as_ref().unwrap_err();
        assert!(error.starts_with(expected), "{text:?}:\n   found {error}\nexpected {expected}");
    }
    assert!(solutions(&long, &board)[0].as_ref().unwrap_err().starts_with("s:1:10001: found more than 10000 moves"));
    // What comes behind a faulty solution can still be read.
    assert_eq!(solutions("9\n[9]\n21\n", &board)[2], Ok(vec![1, 0]));
}

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

/// The board as a format without a list of colours hands it back. A colour that is alone beside empty cells gets another one.
fn without_unused_colours(board: &Board, name: &str) -> Board {
    let is_used = |colour: &usize| board.contents().flatten().any(|used| usize::from(used) == *colour);
    let mut symbols: Vec<_> = (0..board.colours()).filter(is_used).map(|c| board.symbols()[c].clone()).collect();
    if symbols.len() == 1 {
        symbols.push(if symbols[0] == "1" { "2" } else { "1" }.to_owned());
        symbols.sort_unstable();
    }
    let index = |colour: u8| symbols.iter().position(|name| *name == board.symbols()[usize::from(colour)]).unwrap();
    let cells =
        board.contents().map(|colour| colour.map_or(EMPTY, |colour| u8::try_from(index(colour)).unwrap())).collect();
    Board::new(name, board.rows(), board.cols(), cells, symbols, board.start()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_gives_back_what_was_written(board in boards()) {
        let usual = board.symbols() == usual_symbols(board.colours());
        for format in Format::ALL.into_iter().filter(|format| format.holds_colours()) {
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
                Err(BoardError::Ambiguous { formats, .. }) => prop_assert!(formats.contains(&format), "{}", text),
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
            r#"(\{"moves": ?)?\[("[0-9]{1,2},[0-9]{1,2}",? ?){0,9}\]\}?"#.prop_map(String::into_bytes),
        ],
        size in prop::option::of((any::<usize>(), 0usize..5)),
        json_layout in prop::option::of(prop::sample::select(&JsonLayout::ALL[..])),
    ) {
        let check = |error: &BoardError| {
            let position = error.position().unwrap_or_default();
            let message = error.to_string();
            prop_assert!(position.line >= 1, "no line: {}", message);
            let place = format!("dir/file:{}", position.line);
            prop_assert!(message.starts_with(&place) && message.contains("found ") && message.contains("expected "), "{}", message);
            prop_assert!(message.len() < 600 && !message.chars().any(char::is_control), "{:?}", message);
            Ok(())
        };
        for format in Format::ALL.into_iter().filter(|format| format.holds_colours()).map(Some).chain([None]) {
            match read(&bytes, ReadOptions { format, size, json_layout, ..ReadOptions::default() }) {
                Ok((_, entries)) => {
                    prop_assert!(!entries.is_empty());
                    for Entry { board, .. } in entries {
                        prop_assert!(size.is_none_or(|s| s == (board.rows(), board.cols())));
                        prop_assert!(board.cells().iter().any(|c| *c != board.cells()[0]), "one colour");
                    }
                }
                Err(error) => check(&error)?,
            }
        }
        let board = Board::new("b", 1, 4, vec![0, 1, 2, 3], usual_symbols(4), Cell::default()).unwrap();
        let mut reader = SolutionReader::new("dir/file", &bytes[..]);
        // Every call takes a line at least.
        let mut ends = false;
        for _ in 0..=bytes.len() + 1 {
            match reader.next_for(&board) {
                Ok(None) => {
                    ends = true;
                    break;
                }
                Ok(Some(solution)) => prop_assert!(solution.moves.iter().all(|&m| m < 4)),
                Err(error) => check(&error)?,
            }
        }
        prop_assert!(ends, "the reader never ends");
        let mut reader = SolutionReader::new("dir/file", &bytes[..]);
        for _ in 0..=bytes.len() + 1 {
            match reader.next_clicks() {
                Ok(None) => return Ok(()),
                Ok(Some(written)) => prop_assert!(written.clicks.len() <= MAX_CELLS),
                Err(error) => check(&error)?,
            }
        }
        prop_assert!(false, "the reader of clicks never ends");
    }
}

/// The boards of a text in the format `bunny`, whether it is named or usual.
fn meadows(text: impl AsRef<[u8]>) -> Result<Vec<Board>, String> {
    let boards = |options| -> Result<Vec<Board>, String> {
        let entries = read(text.as_ref(), options).map_err(|error| error.to_string())?.1;
        Ok(entries.into_iter().map(|entry| entry.board).collect())
    };
    let named = boards(options(Some(Format::Bunny)));
    assert_eq!(named, boards(ReadOptions { default_format: Some(Format::Bunny), ..ReadOptions::default() }));
    named
}

#[test]
fn boards_of_the_bunny() {
    let boards = meadows("\n  \nS##\n  #\n .O#\n\n.\n S#.\n\n\n").unwrap();
    let sizes: Vec<_> = boards.iter().map(|board| (board.name(), board.rows(), board.cols(), board.start())).collect();
    assert_eq!(sizes, [("file#1", 3, 4, Cell::default()), ("file#2", 2, 4, Cell { row: 1, col: 1 })]);
    let [e, u, m] = [EMPTY, UNMARKED, MARKED];
    assert_eq!(boards[0].cells(), [m, u, u, e, e, e, u, e, e, e, m, u]);
    assert_eq!(boards[1].cells(), [e, e, e, e, e, m, u, e]);
    assert!(boards.iter().all(Board::is_bunny));
    assert_eq!(meadows("S\n").unwrap()[0].name(), "file");
    for board in &boards {
        let text = written(board, Format::Bunny).unwrap();
        assert_eq!(meadows(&text).unwrap()[0].cells(), board.cells(), "{text}");
        let entry = Entry { board: board.clone(), published: Some(7) };
        let mut json = Vec::new();
        write_entry(&entry, Format::Json, &mut json).unwrap();
        assert_eq!(read(&json, ReadOptions::default()).unwrap().1, std::slice::from_ref(&entry));
        assert_eq!(
            read(&json, ReadOptions { default_format: Some(Format::Bunny), ..ReadOptions::default() }).unwrap().1,
            [entry]
        );
        for format in Format::ALL.into_iter().filter(|format| ![Format::Bunny, Format::Json].contains(format)) {
            assert!(matches!(written(board, format), Err(WriteError::Unrepresentable { .. })), "{format}");
        }
    }
    let colours = Board::new("b", 1, 2, vec![0, 1], usual_symbols(2), Cell::default()).unwrap();
    assert!(matches!(written(&colours, Format::Bunny), Err(WriteError::Unrepresentable { .. })));
    let unmarked = Board::new("b", 1, 2, vec![0, 1], ["#", "O"].map(String::from).to_vec(), Cell::default()).unwrap();
    assert!(!unmarked.is_bunny(), "the start is not marked");
}

#[test]
fn bad_boards_of_the_bunny_say_where_and_what() {
    for (text, expected) in [
        ("##\n#O\n", "dir/file:1: found a board without a start, expected one S"),
        ("S#\n#S\n", "dir/file:2:2: found a second start, after the one at 1,1, expected one S"),
        ("S#\n\n##\n #x\n", "dir/file:4:3: found 'x', expected S, #, O, or a space or a dot"),
        ("S\t#\n", "dir/file:1:2: found the character U+0009, expected S, #, O"),
        ("\n\n", "dir/file"),
    ] {
        let error = meadows(text).unwrap_err();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
    let wide = format!("S{}\n", "#".repeat(10_000));
    assert!(meadows(wide).unwrap_err().contains("found 1 x 10001 cells, expected at most 10000"));
    let tall = "S\n".to_owned() + &"#\n".repeat(10_000);
    assert!(meadows(tall).unwrap_err().contains("expected at most 10000 cells"));
    let given = |options: ReadOptions| message("S#\n", ReadOptions { format: Some(Format::Bunny), ..options });
    assert!(
        given(ReadOptions { start: Some(Start::Centre), ..ReadOptions::default() })
            .contains("expected no start option")
    );
    assert!(
        given(ReadOptions { size: Some((2, 2)), ..ReadOptions::default() })
            .contains("found 1 x 2 cells, expected 2 x 2")
    );
    for (json, expected) in [
        (r#"{"bunny": ["S#"], "cells": ["12"]}"#, "found cells and bunny, expected one of them"),
        (r#"{"bunny": ["S#", "?"]}"#, "found '?' in column 1 of row 2, expected S, #, O"),
        (r#"{"bunny": []}"#, "found a board without a start, expected one S"),
        (r#"{"name": "b"}"#, "found an object without cells, expected cells, or bunny"),
    ] {
        let error = message(json, ReadOptions::default());
        assert!(error.contains(expected), "{json}: {error}");
    }
}
