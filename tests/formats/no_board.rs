//! Data that is no grid of colours, or a board in a form that is not read: converted where certain, else asked about or
//! refused with what to do.

use super::*;

/// The only board of a text, its rows joined, or the message.
fn board(text: &str) -> Result<String, String> {
    let entries = read(text, ReadOptions::default()).map_err(|error| error.to_string())?.1;
    match &entries[..] {
        [entry] => Ok(rows(&entry.board).join(" ")),
        _ => Err(format!("{} boards", entries.len())),
    }
}

#[test]
fn rows_in_words_of_one_line_are_asked_about() {
    for text in ["212 121\n", "12 21 11\n", "100,212,121\n"] {
        let Err(BoardError::Ambiguous { readings, .. }) = read(text, ReadOptions::default()) else { panic!("{text}") };
        let choices: Vec<&str> = readings.iter().map(|reading| reading.flags.as_str()).collect();
        assert!(choices.len() == 2 && choices[1] == "--format lines", "{text}: {choices:?}");
    }
    let boards = read("212 121\n121 212\n", options(Some(Format::Lines))).unwrap().1;
    assert_eq!(boards.iter().map(|entry| rows(&entry.board).join(" ")).collect::<Vec<_>>(), ["212 121", "121 212"]);
    assert_eq!(board("rgb bgr\n"), Ok("rgb bgr".to_owned()));
    // Names of colours and numbers with a point are cells; a square of lines is one board.
    assert_eq!(board("red tan red\n"), Ok("redtanred".to_owned()));
    assert_eq!(board("1.0 2.0\n"), Ok("12".to_owned()));
    assert_eq!(board("10 12\n12 10\n"), Ok("AC CA".to_owned()));
    assert_eq!(board("40\t12\t12\n12\t12\t40\n"), Ok("401212 121240".to_owned()));
}

#[test]
fn lists_with_several_numbers_for_each_cell_are_refused() {
    for (text, expected) in [
        (
            "[[[9, 0, 200], [0, 9, 0]], [[0, 9, 0], [9, 0, 200]]]",
            "lists of 3 numbers: cells of one board, such as colours in RGB",
        ),
        ("[[[0, 255, 0, 255], [0, 0, 0, 255]], [[9, 9, 9, 255], [0, 0, 0, 255]]]", "lists of 4 numbers: cells"),
        ("[[[1], [2], [3]], [[2], [3], [1]]]", "lists of 1 number: cells"),
        ("[[[30, 12, 9], [20, 20, 35]], [[1, 2, 3], [4, 5, 6]]]", "lists of 3 numbers: cells"),
        ("[[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]]", "one-hot planes of one board"),
        ("[[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 0]]]", "each cell is 1 once"),
    ] {
        let error = board(text).unwrap_err();
        assert!(error.contains(expected) && error.contains("as a JSON value of its own"), "{text}: {error}");
    }
    assert_eq!(board("[[[1, 2], [2, 1]], [[3, 2], [1, 1]]]"), Err("2 boards".to_owned()));
    let several = "[[[1, 2, 3], [2, 1, 1]], [[3, 2, 1], [1, 1, 2]]]";
    let size = ReadOptions { size: Some((2, 3)), ..ReadOptions::default() };
    assert_eq!(read(several, size).unwrap().1.len(), 2);
    assert_eq!(board("[[0, 1], [1, 0]]\n[[1, 0], [0, 1]]"), Err("2 boards".to_owned()));
}

#[test]
fn fields_that_change_the_rules_are_refused_by_name() {
    for (fields, named) in [
        ("\"targetColor\": 2, \"maxSteps\": 4", "targetColor, maxSteps, which the rules"),
        ("\"target\": \"red\"", "target, which the rules"),
        ("\"wrap_around\": true", "wrap_around, which the rules"),
        (
            "\"startCell\": [0, 0], \"gravity\": true, \"hex\": true, \"goal\": 0",
            "startCell, gravity, hex, goal, which",
        ),
    ] {
        let error = board(&format!("{{{fields}, \"grid\": [[1, 2], [2, 1]]}}")).unwrap_err();
        assert!(error.contains(named) && error.contains("delete the fields"), "{error}");
    }
    let read = |fields: &str| board(&format!("{{{fields}, 'grid': ['12', '21']}}").replace('\'', "\""));
    let refused = "'startRow': 1;'startCorner': 'bottom-right';'origin': [1, 1];'player': {'row': 1};'mask': ['10'];\
        'sources': [[0, 1]];'isTorus': true;'adjacency': 'moore';'directions': 8;'grid_type': 'hex';'minGroupSize': 3;\
        'game': 'Tetris';'options': {'wrap': true};'a': {'b': {'targetColor': 2}};'set': {'start': [2, 2]}";
    for fields in refused.split(';') {
        assert!(read(fields).is_err_and(|error| error.contains("which the rules")), "{fields}");
    }
    let harmless = "'torus': false, 'walls': 0, 'maxSteps': null;'meta': {'score': 12, 'origin': 'web'};'locked': true;\
        'puzzle': 'daily 12';'player': {'id': 7};'startTime': 7;'colors': {'wall': '#fff'};'walls': [];'format': 'hex';\
        'neighbors': 4;'time': {'start': 1};'initial': [[1, 2, 1], [1, 1, 1]]";
    for fields in harmless.split(';') {
        assert_eq!(read(fields), Ok("12 21".to_owned()), "{fields}");
    }
}

#[test]
fn the_only_board_inside_an_object_is_read() {
    let text = "{\"player\": 7, \"data\": {\"state\": {\"name\": \"a\", \"board\": [[\"red\", \"tan\"]]}}}";
    let reader = BoardReader::new("f", text.as_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(reader.notes(), ["ignored the fields player"]);
    assert_eq!(board(text), Ok("redtan".to_owned()));
    let two = "{\"before\": {\"cells\": [\"12\"]}, \"after\": {\"cells\": [\"11\"]}}";
    assert!(board(two).unwrap_err().contains("an object without cells"));
}

#[test]
fn words_of_css_are_colours() {
    assert_eq!(board("SkyBlue,darkgray\ndarkgrey,tan\n"), Ok("skybluedarkgrey darkgreytan".to_owned()));
    let listed = "{\"colors\": [\"LightGray\", \"Red\"], \"board\": [[\"red\", \"lightgray\"]]}";
    assert_eq!(board(listed), Ok("redlightgrey".to_owned()));
    assert!(board("skyblue,skyblu\n").unwrap_err().contains("found \"skyblu\", expected"));
}

#[test]
fn lists_of_columns_are_named_as_such() {
    let error = board("[[2, 1], [2, 1, 2], [1]]").unwrap_err();
    assert!(
        error.contains("found a row of 3 cells in row 2, expected 2 cells in every row, or --json-layout columns-up"),
        "{error}"
    );
    for text in ["#(#(2 1) #(2 1 2) #(1))\n", "'#(#(2 1)\n   #(2 1 2)\n   #(1))\n", "'((2 1) (2 1 2) (1))\n"] {
        let options = ReadOptions { json_layout: Some(JsonLayout::ColumnsUp), ..ReadOptions::default() };
        let found = read(text, options).map(|(_, entries)| rows(&entries[0].board).join(" "));
        assert_eq!(found.map_err(|error| error.to_string()), Ok(".2. 11. 221".to_owned()), "{text}");
    }
    // A comment stays one.
    assert_eq!(board("#(the first)\n12\n21\n"), Ok("12 21".to_owned()));
}

/// Colours may be called I and J; the first line of a table has no numbers.
#[test]
fn a_row_with_numbers_names_no_columns() {
    assert_eq!(board("1,1,-1,J,I\n1,1,1,1,1\n"), Ok("11.JI 11111".to_owned()));
}

#[test]
fn texts_in_a_form_that_is_not_read_are_named() {
    for (text, place, expected) in [
        ("row;column;colour\n0;0;1\n0;1;2\n1;0;2\n1;1;1\n", ":1:", "the columns row and column: one cell per line"),
        ("id,x,y,kind\n7,0,0,1\n8,1,0,2\n", ":1:", "the columns x and y: one cell per line"),
        ("pos_x,pos_y,color_id\n0,0,1\n0,1,2\n1,0,2\n1,1,1\n", ":1:", "the columns x and y: one cell per line"),
        ("Zeile;Spalte;Farbe\n0;0;1\n0;1;2\n1;0;2\n1;1;1\n", ":1:", "the columns zeile and spalte: one cell"),
        ("x,y,c\n0,0,1\n0,1,2\n1,0,2\n1,1,1\n", ":1:", "the columns x and y: one cell per line"),
        ("posX,rowIdx,posY\n0,0,1\n0,1,2\n1,0,2\n1,1,1\n", ":1:", "the columns x and y: one cell per line"),
        ("rowIdx,colIdx,value\n0,0,1\n0,1,2\n1,0,2\n", ":1:", "the columns row and col: one cell per line"),
        ("index,color\n0,1\n1,2\n2,2\n3,1\n", ":1:", "the columns index and color: one cell per line"),
        ("r g b\n255 0 0\n0 255 0\n", ":1:", "the columns r and g and b: one cell per line"),
        ("0 0 1\n0 1 2\n1 0 2\n1 1 1\n", ":1:", "the row, the column and the colour of each cell"),
        ("{\"cells\": [[0,0,1],[1,0,2],[0,1,2],[1,1,1]]}", ":1:", "the row, the column and the colour of each cell"),
        ("{\"width\": 3, \"cells\": [112,221,121]}", ":1:", "numbers that may be rows, expected each row as a text"),
        ("[\"0x112\",\"0x221\"]", ":1:", "numbers that may be rows"),
        ("size(2).\nat(1,1,2).\nat(1,2,1).\n", ":1:", "a fact of a logic program"),
        ("n = 2;\nb = array2d(1..n, 1..n,\n  [1,2,2,1]);\n", ":2:", "an array of MiniZinc"),
        ("b = array2d(1..2, 1..2, [1,2,2,1]);\n", ":1:", "an array of MiniZinc"),
        ("b = [| 1, 2 | 2, 1 |];\n", ":1:", "an array of MiniZinc"),
        ("1 | 1 2 2\n0 | 2 1 1\n--+------\n  | 0 1 2\n", ":4:", "an axis: the numbers of the columns"),
        ("  | 0 1 2\n--+------\n1 | 1 2 2\n0 | 2 1 1\n", ":1:", "an axis: the numbers of the columns"),
        ("3 2 9 Q\n1 2 2\n2 1 1\n", ":1:7:", "found 'Q' in a header, expected a header of numbers"),
        ("2 3 9 9 9 9\n1 2 2\n2 1 1\n", ":1:11:", "found '9' in a header"),
        ("a.txt: 2 x 2, 2 colours, start 1,1\n*1 2\n 2 1\n", ":1:", "a drawing of render or solve"),
    ] {
        let error = board(text).unwrap_err();
        assert!(error.contains(place) && error.contains(expected), "{text}: {error}");
    }
    // A table whose columns have such names can be asked for. Cells without separators are no list.
    assert_eq!(board("001\n012\n102\n111\n"), Ok("001 012 102 111".to_owned()));
    let table = read("x,y,zed\n1,2,1\n2,1,2\n", options(Some(Format::Csv))).unwrap().1;
    assert_eq!(rows(&table[0].board), ["121", "212"]);
}
