//! What every format reads.

use super::*;

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
        "dir/file:1: found a row of 1 cell in row 2, expected 3 cells in every row, or --json-layout columns-up"
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
        "dir/file:1: found start cell 4,1, expected one of 2 x 3 cells, counted from 1"
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
