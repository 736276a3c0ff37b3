//! What every format reads.

use super::*;

#[test]
fn every_spelling_of_the_small_board_is_recognised() {
    let spellings = [
        ("plain.txt", Format::Text, Some((3, 4)), 4, None),
        ("header.txt", Format::Text, None, 5, None),
        ("start.txt", Format::Text, None, 4, None),
        ("spaced.txt", Format::Text, Some((3, 4)), 4, None),
        ("table.csv", Format::Csv, Some((3, 4)), 4, None),
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
        assert!(read(text, sized(3, 3)).is_err());
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
        let size = [Format::Lines, Format::Text, Format::Csv].contains(&format).then_some((2, 4));
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
        (".1\n11\n", &["1"][..]),
        ("-1,3\n3,3\n", &["3"]),
        ("{\"cells\": [\"b.\"]}", &["b"]),
        ("{\"symbols\": \"B\", \"cells\": [\"B.\"]}", &["B"]),
        ("{\"colours\": 2, \"cells\": [[2, -1]]}", &["1", "2"]),
    ] {
        let board = read(text, ReadOptions::default()).unwrap().1.remove(0).board;
        assert_eq!((board.symbols().join(" "), board.has_empty()), (symbols.join(" "), true), "{text}");
    }
    for (text, colours) in [("..\n..\n", 1), ("2 2 3\n-1 -1\n-1 -1\n", 1), ("2 2 3\n1 1\n1 1\n", 3), ("1\n", 1)] {
        let board = read(text, ReadOptions::default()).unwrap().1.remove(0).board;
        assert_eq!(board.colours(), colours, "{text}");
    }
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
        "dir/file:1: found a row of 1 cell in row 2, expected 3 cells in every row"
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
    let (_, entries) = read("10,11,9\n1,35,1\n", ReadOptions::default()).unwrap();
    assert_eq!(rows(&entries[0].board), ["AB9", "1Z1"]);
    assert_eq!(
        message("10,A,9\n1,35,1\n", ReadOptions::default()),
        "dir/file:1:4: found 'A', expected a number, like the cells of several digits"
    );
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
    for text in ["", "0,1", "1,0", "1", "1,2,3", "-1,2", "nowhere", "99999999999999999999,1"] {
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
    assert_eq!(error, "found \"xml\", expected one of: text, csv, lines, numbers, json, bunny, game-id, picture");
    assert_eq!((parse_size("19x20"), parse_size("3 X 1")), (Ok((19, 20)), Ok((3, 1))));
    for text in ["", "19", "0x3", "3x0", "3x3x3", "axb", "3 y 3"] {
        assert!(parse_size(text).is_err(), "{text}");
    }
}

/// Content that two formats fit: both are named, and the options that the message proposes do choose.
#[test]
fn doubtful_content_is_not_guessed() {
    let (lines, text, numbers) = (Format::Lines, Format::Text, Format::Numbers);
    let two_rows = "112231123\n121212121\n";
    let line = format!("{}\n", "12".repeat(8));
    let three = "2 3 3\n1 2 3\n3 2 1\n";
    for (content, formats) in [(two_rows, [text, lines]), (&line, [text, lines]), (three, [text, numbers])] {
        match read(content, ReadOptions::default()).unwrap_err() {
            BoardError::Ambiguous { readings, position, .. } => {
                let found: Vec<Format> = readings.iter().map(|reading| reading.format).collect();
                assert_eq!((found, position.line), (formats.to_vec(), 1), "{content}");
                assert!(readings.iter().all(|reading| !reading.choose.is_empty()), "{readings:?}");
            }
            other => panic!("{content:?}: {other}"),
        }
    }
    assert_eq!(read(two_rows, options(Some(text))).unwrap().1.len(), 1);
    assert_eq!(read(two_rows, options(Some(lines))).unwrap().1.len(), 2);
    assert_eq!(read(two_rows, sized(2, 9)).unwrap().0, text);
    assert_eq!(read(two_rows, sized(1, 9)).unwrap().1.len(), 2);
    assert_eq!(read(&line, sized(4, 4)).unwrap().0, lines);
    assert_eq!(rows(&read(three, options(Some(numbers))).unwrap().1[0].board), ["123", "321"]);
    assert_eq!(rows(&read(three, sized(2, 3)).unwrap().1[0].board), ["123", "321"]);
    let as_rows = ReadOptions { format: Some(text), size: Some((3, 3)), ..ReadOptions::default() };
    assert_eq!(rows(&read(three, as_rows.clone()).unwrap().1[0].board), ["233", "123", "321"]);
    let doubt = read(three, options(Some(text))).unwrap_err();
    assert!(doubt.to_string().contains("--size 3x3"), "{doubt}");
    // With the format `numbers` a header is short of a row.
    assert!(message("3 3 4\n1 2 3\n1 2 4\n", options(Some(numbers))).contains("after 6 cells"));
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
        // No square number.
        ("121\n212\n", text, 1),
        ("12\n", text, 1),
        // A cell alone is no board.
        ("1\n2\n", text, 1),
        // Too many cells for the header that the first row might be; no header at all.
        ("1 2 3\n2 3 1\n3 1 2\n", text, 1),
        ("1 2 A\n2 A 1\n", text, 1),
        ("1 3\n3 1\n", text, 1),
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
fn nothing_comes_after_an_error_that_hides_where_boards_begin() {
    let mut reader = BoardReader::new("f", &b"1212\n12\n2121\n\xff"[..], options(Some(Format::Lines))).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().unwrap_err().to_string().starts_with("f:2:3: found 2 cells, expected as many"));
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none() && reader.next().is_none());
}
