//! Solutions of Flood-It in every notation.

use super::*;

#[test]
fn solutions_in_every_spelling() {
    let board = read_data("plain.txt", options(Some(Format::Text))).1.remove(0).board;
    let mut reader = SolutionReader::open("tests/data/moves.txt").unwrap();
    for _ in 0..3 {
        let solution = reader.next_solution(&board, |_| 0).unwrap().unwrap();
        assert_eq!((&solution.moves[..], solution.cost), (&[1, 2, 0, 1, 3][..], None));
        assert_eq!(verify_solution(&board, &solution.moves, None).unwrap().cost, 5);
    }
    let letters = read_data("letters.txt", ReadOptions::default()).1.remove(0).board;
    let solution = reader.next_solution(&letters, |_| 0).unwrap().unwrap();
    assert_eq!(solution.moves, [1, 2, 0, 1]);
    assert!(verify_solution(&letters, &solution.moves, None).is_ok());
    assert_eq!(reader.next_solution(&letters, |_| 0).unwrap(), None);

    let Entry { board, published_optimum } = read_data("board.json", ReadOptions::default()).1.remove(0);
    let mut reader = SolutionReader::open("tests/data/moves.json").unwrap();
    let first = reader.next_solution(&board, |_| 0).unwrap().unwrap();
    assert_eq!((first.board.as_deref(), first.cost), (Some("by hand"), Some(4)));
    let second = reader.next_solution(&board, |_| 0).unwrap().unwrap();
    assert_eq!((&second.moves, second.cost, second.board), (&first.moves, None, None));
    assert_eq!(verify_solution(&board, &first.moves, first.cost).unwrap().cost, published_optimum.unwrap());
    assert_eq!(reader.next_solution(&board, |_| 0).unwrap(), None);
}

#[test]
fn numbers_of_several_digits_are_letters() {
    let board = read_data("wrapped.txt", ReadOptions::default()).1.remove(0).board;
    let expected = vec![9, 10, 0, 1];
    // With a zero in front the digits are symbols.
    let zero = read("012\n210\n", ReadOptions::default()).unwrap().1.remove(0).board;
    assert_eq!(solutions("01 2", &zero), [Ok(vec![0, 1, 2])]);
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
        ("1 2\n12 10\n", "s:2:1: found \"12\", expected one of the colours"),
        ("1 2\n1\u{7}\n", "s:2:2: found the character U+0007, expected one of the colours"),
        ("12\n[1, 2, 7]\n", "s:2: found move 3 of colour 7, expected one of the colours"),
        ("12\n[1, 2.5]\n", "s:2: found 2.5, expected a colour: its symbol, its name or its number"),
        ("12\n[1, -1]\n", "s:2: found move 2 of colour -1, expected one of the colours"),
        ("12\n{\"moves\": null}\n", "s:2: found an object without moves, expected a solution with its moves"),
        ("12\n{\"moves\": \"1 x\"}\n", "s:2: found \"x\", expected one of the colours"),
        ("12\n{\"cost\": 3\n", "s:2:11: found EOF while parsing an object, expected a solution"),
        ("12\n{\"moves\": [1], \"cost\": \"x\"}\n", "s:2: found cost: \"x\", expected a whole number"),
    ] {
        let found = solutions(text, &board);
        let error = found.iter().find_map(|solution| solution.as_ref().err()).unwrap();
        assert!(error.starts_with(expected), "{text:?}:\n   found {error}\nexpected {expected}");
    }
    assert!(solutions(&long, &board)[0].as_ref().unwrap_err().starts_with("s:1:1: found more than 10000 moves"));
    // What comes behind a faulty solution can still be read.
    assert_eq!(solutions("9\n[9]\n21\n", &board)[2], Ok(vec![1, 0]));
}

/// The only solution of a board of these rows, read as `verify` reads it.
fn only(text: &str, rows: &str) -> Result<Vec<u16>, String> {
    let board = super::read(rows, options(Some(Format::Text))).unwrap().1.remove(0).board;
    let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
    let read = reader.next_solution(&board, |moves| verify_solution(&board, moves, None).is_ok().into());
    read.map(|solution| solution.unwrap().moves).map_err(|error| error.to_string())
}

/// The only clicks of a board of 3 rows and 2 columns, of which these clear it.
fn only_clicks(text: &str, clears: &[Cell]) -> Result<Vec<Cell>, String> {
    let reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
    let read =
        reader.with_origin("top-left,0,rc".parse().unwrap()).next_clicks((3, 4), |clicks| (clicks == clears).into());
    read.map(|solution| solution.unwrap().moves).map_err(|error| error.to_string())
}

#[test]
fn numbers_in_front_of_lines_are_left_out() {
    for text in [
        "1. 2\n2. 1\n3. 3\n",
        "0) 2\n1) 1\n2) 3\n",
        "Move 1: 2\nMove 2: 1\nMove 3: (3)\n",
        "  Step #1: 2\n  Step #2: 1\n\n  Step #3: 3\n",
    ] {
        assert_eq!(only(text, "1213\n"), Ok(vec![1, 0, 2]), "{text}");
    }
    // Each number is that of a board, or of a move within its block.
    let board = super::read("1213\n", options(Some(Format::Text))).unwrap().1.remove(0).board;
    for text in ["1. 213\n2. 21\n", "1: 2\n2: 1\n3: 3\n\n1: 2\n2: 1\n"] {
        let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(2);
        let moves = std::iter::from_fn(|| reader.next_solution(&board, |_| 0).unwrap()).map(|written| written.moves);
        assert_eq!(moves.collect::<Vec<_>>(), [vec![1, 0, 2], vec![1, 0]], "{text}");
    }
    let clears = [Cell { row: 2, col: 1 }, Cell { row: 0, col: 0 }];
    assert_eq!(only_clicks("Move 1: (2, 1)\nMove 2: (0, 0)\n", &clears), Ok(clears.to_vec()));
    // Other numbers are no count of the lines.
    assert!(
        only("1. 2\n3. 1\n2. 3\n", "1213\n")
            .unwrap_err()
            .starts_with("s:1:1: found an extra first word in each line, without")
    );
    let error = only_clicks("1: 2\n2: 1\n", &clears[..1]).unwrap_err();
    assert!(error.starts_with("s:1:4: found \"2\", expected two numbers for each click of a line"), "{error}");
}

#[test]
fn plans_are_moves() {
    for text in ["(play c2)\n(play c1)\n(play c3)\n; cost = 3\n", "0: (PLAY C2) \n1: (PLAY C1)\n2: (PLAY C3)\n"] {
        assert_eq!(only(text, "0102\n"), Ok(vec![1, 0, 2]), "{text}");
    }
    let error = only("(play c2)\n(play c4)\n", "0102\n").unwrap_err();
    assert_eq!(error, "s:2:7: found \"c4\", expected a colour of the plan, c1 to c3");
}

#[test]
fn lines_that_are_no_moves_are_named() {
    let (row, square) = ("1213\n", "121\n313\n");
    for (text, rows, expected) in [
        ("Solution:\n2\n1\n3\n", row, "s:1:1: found \"Solution:\" in a line that is no move"),
        ("1: 2\n2: 1\n3: 3\nCost: 3\n", row, "s:1:1: found \"1:\" in a line that is no move"),
        ("2 1 3\n2 1 3\n", row, "s:1:1: found a line that solves the board by itself, among other lines"),
        ("2 1 3\n2 1 3\n2 1 3\n", row, "s:1:1: found a line that solves the board by itself, among other lines"),
        ("2 3\n2 1 3\n1 3 2\n3 2 1\n", row, "s:2:1: found a line that solves the board by itself"),
        ("213\n213\n", row, "s:1:1: found a line that solves the board by itself"),
        ("2 1\n\n2 2 1\n3 1 3\n\n3\n", square, "s:3:1: found lines that may be a board of 2 x 3"),
        ("2\n221\n313\n3\n", square, "s:2:1: found lines that may be a board of 2 x 3"),
        ("121\n313\n\n221\n313\n", square, "s:1:1: found lines that may be a board of 2 x 3"),
        ("| 1 | 3 |\n| 2 | 1 |\n", row, "s:1:3: found \"| 1 | 3 |\", expected the moves alone, without a table"),
        ("1,2\n)1{\n", row, "s:2:2: found \")1{\", expected the moves alone, without a table, and with brackets"),
        ("2 1 3 = 3\n", row, "s:1:7: found \"=\", expected one of the colours"),
        ("213 3\n", row, "s:1:1: found the number of moves behind moves that solve the board"),
        ("2,1\n2,311,1\n", row, "s:2:3: found \"311\", expected one of the colours 1 2 3"),
    ] {
        let error = only(text, rows).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let clears = [Cell { row: 2, col: 1 }, Cell { row: 0, col: 0 }];
    for (text, expected) in [
        ("0 0\n1 0 0 0\n1 2 0 0\n2 2 1 0\n0 1\n", "s:2:1: found lines that may be a board of 3 x 4"),
        ("2 1 0 0\n2 1 0 0\n", "s:1:1: found a line that solves the board by itself"),
        ("0 0\n1 0 0\n2 2 1\n0 1\n", "s:2:1: found \"1\", expected two numbers for each click of a line"),
        ("Clicks (2):\n2 1\n0 0\n", "s:1:1: found \"Clicks\" in a line that is no move"),
        ("2 1 9 9\n", "s:1:5: found the cell 9,9, expected a cell ROW COLUMN counted from 0"),
    ] {
        let error = only_clicks(text, &clears).unwrap_err();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    for text in ["2 1 3", "213", "[2,1,3]", "{\"moves\":\"213\"}", "moves\n213\n"] {
        let error = only(text, "1324\n").unwrap_err();
        assert!(error.contains("found colours counted from 0: with 1 added to each they solve the board"), "{error}");
    }
    // What solves the board is right, however it is broken into lines.
    assert_eq!(only_clicks("2\n1 0\n0\n", &clears), Ok(clears.to_vec()));
    // Brackets part words.
    assert_eq!(only("(2)(1)(3)\n", row), Ok(vec![1, 0, 2]));
    assert!(only("(1)(x)(2)\n", row).unwrap_err().starts_with("s:1:5: found \"x\""));
}
