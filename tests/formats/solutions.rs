//! Solutions of Flood-It in every notation.

use super::*;

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
