//! Boards and solutions as people have them: tables with borders, literals of programming languages, saved games,
//! pictures, results of a batch; and readings that a puzzle forbids.

use super::*;
use gridhunt::puzzles::OptionValues;
use gridhunt_boards::{Corner, PuzzleContext};
use gridhunt_clickomania::{Columns, Options, Rules};

/// The boards of a text, their rows joined.
fn boards(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<Vec<String>, String> {
    let entries = read(text, options).map_err(|error| error.to_string())?.1;
    Ok(entries.iter().map(|entry| rows(&entry.board).join(" ")).collect())
}

/// The only board of a text, its rows joined.
fn board(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    let found = boards(text, ReadOptions::default());
    match found.as_deref() {
        Ok([board]) => board.clone(),
        other => panic!("{:?}: {other:?}", String::from_utf8_lossy(text)),
    }
}

/// The number of readings of a text that is asked about.
fn meanings(text: &str, options: ReadOptions) -> usize {
    match read(text, options) {
        Err(BoardError::Ambiguous { readings, .. }) => readings.len(),
        other => panic!("{text:?}: {other:?}"),
    }
}

/// The positions of a puzzle as the program asks for them.
fn of_puzzle(domain: &str, rules: Rules) -> ReadOptions {
    let options = OptionValues::from(&Options { rules, ..Options::default() });
    let puzzle = PuzzleContext { domain: Some(domain.to_owned()), ..gridhunt::puzzles::puzzle_context(None, &options) };
    ReadOptions { puzzle, ..ReadOptions::default() }
}

#[test]
fn readings_that_the_puzzle_forbids_are_no_readings() {
    // One board of two rows, or one square board per line, in which cells hang.
    for text in [".1..\n11..\n", "212.\n212.\n", "12..\n112.\n"] {
        assert_eq!(meanings(text, ReadOptions::default()), 2, "{text}");
    }
    let game = || of_puzzle("clickomania", Rules::default());
    assert_eq!(boards("212.\n212.\n", game()), Ok(vec!["212. 212.".to_owned()]));
    assert_eq!(boards("11..\n112.\n", of_puzzle("samegame", Rules::default())).unwrap().len(), 1);
    // The rules decide: cells fall upwards, or empty columns stay.
    let up = Rules { corner: Corner::TopLeft, ..Rules::default() };
    assert_eq!(boards("11..\n1.1.\n", of_puzzle("clickomania", up)).unwrap().len(), 2);
    assert_eq!(boards("..1.\n1.1.\n", game()).unwrap(), [".. 1.", "1. 1."]);
    // Also where the lines are a square.
    assert_eq!(boards("1.1.\n1.1.\n..12\n..12\n", game()).unwrap().len(), 4);
    // A column that has not closed up, and one that stays.
    assert_eq!(meanings("1..1\n1..1\n", game()), 2);
    let stay = Rules { columns: Columns::Stay, ..Rules::default() };
    assert_eq!(boards("1..1\n1..1\n", of_puzzle("clickomania", stay)).unwrap(), ["1..1 1..1"]);
    // The head of the file names the puzzle.
    let head = "# gridhunt domain=clickomania\n212.\n212.\n";
    let named = gridhunt::puzzles::puzzle_context(None, &OptionValues::default());
    assert_eq!(boards(head, ReadOptions { puzzle: named, ..ReadOptions::default() }).unwrap().len(), 1);
    // Flood-It has no empty cells: the second line is no row, but the start cell.
    let zero = ReadOptions { empty_symbol: Some("0".to_owned()), ..of_puzzle("flood-it", Rules::default()) };
    assert_eq!(boards("2 2\n0 0\n1 2\n2 1\n", zero.clone()).unwrap(), ["12 21"]);
    assert_eq!(meanings("2 2\n0 0\n1 2\n2 1\n", ReadOptions { puzzle: PuzzleContext::default(), ..zero }), 2);
    // The only reading stays, whatever the puzzle says.
    assert_eq!(boards("1.2\n.12\n", game()).unwrap(), ["1.2 .12"]);
}

#[test]
fn utf16_without_a_mark_may_begin_with_any_sign() {
    let orders: [fn(u16) -> [u8; 2]; 2] = [u16::to_le_bytes, u16::to_be_bytes];
    for text in [
        "🟥🟦🟥\n🟦🟦🟥\n",
        "🟥🟦🟥\r\n🟦🟦🟥",
        "❤\u{fe0f}💙❤\u{fe0f}\n💙💙❤\u{fe0f}\n",
        "⬛🟥⬛\n🟥🟥⬛\n",
        "│1│2│1│\n│2│2│1│\n",
    ] {
        let expected = board(text);
        for order in orders {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            assert_eq!(board(bytes), expected, "{text}");
        }
    }
    // UTF-8 with a wrong byte, a control character, or a character that is cut off stays UTF-8.
    for (text, expected) in [
        (&b"1212\n\xff"[..], "the byte 0xFF"),
        (b"12\x00\n", "the character U+0000"),
        (b"12\n2\xe2\x96", "the byte 0xE2"),
        (b"\x1b\x1b12\n", "the character U+001B"),
    ] {
        let error = message(text, ReadOptions::default());
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn tables_with_borders() {
    for text in [
        "+---+---+\n| 1 | 2 |\n+---+---+\n| 2 | 1 |\n+---+---+\n",
        "+---+\n|1 2|\n|2 1|\n+---+\n",
        "+--+\n|12|\n|21|\n+--+\n",
        "┌───┬───┐\n│ 1 │ 2 │\n├───┼───┤\n│ 2 │ 1 │\n└───┴───┘\n",
        "╔═╦═╗\n║1║2║\n╠═╬═╣\n║2║1║\n╚═╩═╝\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 2 | 1 |\n",
        "| a | b |\n|:--|--:|\n| 1 | 2 |\n| 2 | 1 |\n",
        "| 1 | 2 |\n|---|---|\n| 2 | 1 |\n",
        "|    |   0 |   1 |\n|---:|----:|----:|\n|  0 |   1 |   2 |\n|  1 |   2 |   1 |\n",
        " a | b\n---+---\n 1 | 2\n 2 | 1\n(2 rows)\n".trim_end_matches("(2 rows)\n"),
        "```\n12\n21\n```\n",
        "\\begin{tabular}{cc}\n\\hline\n1 & 2 \\\\ \\hline\n2 & 1 \\\\\n\\hline\n\\end{tabular}\n",
        "1 & 2 \\\\\n2 & 1\n",
        "\"12\",\n\"21\"\n",
        "board = \"\"\"\n12\n21\n\"\"\"\n",
        "1.0 2.0\n2.0 1.0\n",
        "1.000e+00,2.000e+00\n2.000e+00,1.000e+00\n",
    ] {
        assert_eq!(board(text), "12 21", "{text}");
    }
    assert_eq!(board("1 2 | 3 4\n----+----\n4 3 | 2 1\n"), "1234 4321");
    // Letters above letters may be a row; a frame ends a board, a rule does not.
    assert_eq!(board("| r | g |\n|---|---|\n| g | r |\n"), "rg gr");
    let frames = "+--+\n|12|\n|21|\n+--+\n+--+\n|21|\n|12|\n+--+\n";
    assert_eq!(boards(frames, ReadOptions::default()).unwrap(), ["12 21", "21 12"]);
    assert_eq!(meanings("12\n21\n----\n21\n12\n----\n", ReadOptions::default()), 2);
    // Numbers above a rule may be cells.
    assert_eq!(meanings("| 0 | 1 |\n|---|---|\n| 1 | 0 |\n| 1 | 1 |\n", ReadOptions::default()), 2);
    // Dashes that may be cells are no rule.
    for text in ["| - | - |\n| 1 | 2 |\n", "- -\n1 2\n", "--\n12\n"] {
        let error = message(text, ReadOptions::default());
        assert!(error.contains(":1:"), "{text}: {error}");
    }
    let empty = ReadOptions { empty_symbol: Some("-".to_owned()), ..ReadOptions::default() };
    assert_eq!(boards("---\n122\n", empty).unwrap(), ["... 122"]);
}

#[test]
fn names_of_rows() {
    for text in [
        "   0  1  2\n0  1  2  1\n1  2  1  1\n",
        "  a b c\n2 1 2 1\n1 2 1 1\n",
        ",A,B,C\n1,1,2,1\n2,2,1,1\n",
        ",1,2,3\nA,1,2,1\nB,2,1,1\n",
        "\tc1\tc2\tc3\nr1\t1\t2\t1\nr2\t2\t1\t1\n",
        "r0 1 2 1\nr1 2 1 1\n",
    ] {
        assert_eq!(board(text), "121 211", "{text}");
    }
    // They may be cells.
    for text in ["A,1,2\nB,2,1\n", "5 1 2\n4 2 1\n3 1 1\n2 2 2\n1 1 1\n", "1;2;1\n2;1;2\n3;1;1\n4;2;2\n5;1;2\n"] {
        assert_eq!(meanings(text, ReadOptions::default()), 2, "{text}");
    }
    assert_eq!(meanings("3 1 2\n2 2 1\n1 1 1\n", ReadOptions::default()), 2);
    assert_eq!(board("1 2 1\n2 1 3\n3 1 1\n"), "121 213 311");
}

#[test]
fn brackets_and_quotes_in_quotes_are_cells() {
    for empty in ["(", "]", "\""] {
        let options = ReadOptions { empty_symbol: Some(empty.to_owned()), ..ReadOptions::default() };
        let text = format!("[['{empty}', 'a'], ['a', 'b']]\n[['a', 'a'], ['a', 'b']]\n");
        assert_eq!(boards(&text, options).unwrap(), [".a ab", "aa ab"], "{text}");
    }
    for text in [
        "{'name': 'set # two', 'cells': ['12', '21']}\n",
        "'((1 2) (2 1)) # a list of Lisp\n",
        "'1' '2' # first row\n'2' '1'\n",
        "'12' # first row\n'21'\n",
        "'1', '2' # first row\n'2', '1'\n",
    ] {
        assert_eq!(boards(text, ReadOptions::default()).unwrap(), ["12 21"], "{text}");
    }
}

#[test]
fn boards_of_a_file_have_one_rule_and_short_notes() {
    let puzzle = gridhunt::puzzles::puzzle_context(None, &OptionValues::default());
    let options = ReadOptions { puzzle, ..ReadOptions::default() };
    let (one, other) = (r#"{"cells": ["1122", "2211"], "minGroup": 3}"#, r#"{"cells": ["1122", "2211"]}"#);
    for text in [format!("[{one}, {other}]"), format!("{one}\n{other}"), format!("{other}\n{one}")] {
        let error = boards(&text, options.clone()).unwrap_err();
        assert!(error.contains("found another min-group than that of the boards before"), "{text}: {error}");
    }
    let notes = |text: String| BoardReader::new("f", text.as_bytes(), ReadOptions::default()).unwrap().notes().concat();
    // A long key beside a list of boards is not copied for each of them.
    assert_eq!(notes(format!(r#"{{"{}": 1, "boards": [[[1, 2]]]}}"#, "k".repeat(300_000))), "");
    let keys: String = (0..2_000).map(|number| format!("\"key{number}\": 1, ")).collect();
    assert_eq!(notes(format!("{{{keys}\"cells\": [\"12\"]}}")).matches("key").count(), 20);
}

/// The sign of empty cells is compared as the cells are: as a number where it is one.
#[test]
fn an_empty_cell_may_be_a_number_with_a_point() {
    for empty in ["0", "0.0"] {
        let options = ReadOptions { empty_symbol: Some(empty.to_owned()), ..ReadOptions::default() };
        assert_eq!(boards("0.00 1.0\n1.0 1.0\n", options).unwrap(), [".1 11"], "{empty}");
    }
}

#[test]
fn a_format_that_a_file_names_is_not_recognised() {
    for (name, text, is_recognised) in
        [("f.lines", "1212\n", false), ("f.lines", "[[1, 2]]\n", true), ("f", "12\n21\n", true)]
    {
        let reader = BoardReader::new(name, text.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(reader.is_format_recognised(), is_recognised, "{name}: {text}");
    }
    let no_picture = message("# gridhunt format=picture\n12\n21\n", ReadOptions::default());
    assert_eq!(no_picture, "dir/file:1: found text, expected a picture, as the head of the file says");
}

#[test]
fn literals_of_programming_languages() {
    for text in [
        "[[1 2]\n [2 1]]\n",
        "[1 2; 2 1]\n",
        "A = [1 2; 2 1];\n",
        "[1 2\n 2 1]\n",
        "board = [[1, 2], [2, 1]]\n",
        "board = [\n    [1, 2],  # first row\n    [2, 1],\n]\n",
        "int b[2][2] = {{1,2},{2,1}};\n",
        "const board = [\n  [1, 2],\n  [2, 1],\n];\n",
        "{{1, 2}, {2, 1}}\n",
        "((1, 2), (2, 1))\n",
        "[(1, 2), (2, 1)]\n",
        "array([[1, 2],\n       [2, 1]], dtype=uint8)\n",
        "x = np.array([[1, 2], [2, 1]])\n",
        "let b = vec![vec![1, 2], vec![2, 1]];\n",
        "int[][] b = new int[][] {{1, 2}, {2, 1}};\n",
        "{board: [[1, 2], [2, 1]], moves: 3}\n",
        "{'board': [[1, 2], [2, 1]], 'solved': None}\n",
        "{1, 2},\n{2, 1}\n",
        "1 2;\n2 1;\n",
        "1,2,,\n2,1,,\n,,,\n,,,\n",
        "sep=;\n1;2\n2;1\n",
        "[1, 2]\n[2, 1]\n",
        "% a matrix\n1 2 % top row\n2 1\n",
        "1,2 // top row\n2,1\n",
    ] {
        assert_eq!(board(text), "12 21", "{text}");
    }
    let two = "a = [[1, 2], [2, 1]]\nb = [[2, 2], [1, 1]]\n";
    assert_eq!(boards(two, ReadOptions::default()).unwrap(), ["12 21", "22 11"]);
    // A comment has words: cells are kept.
    let error = message("1 #\n2 #\n", ReadOptions::default());
    assert!(error.contains("found \"#\"") || error.contains("found '#'"), "{error}");
    for text in [
        "[[1 2]\n [2 1]\n",
        "[[1,,2],[2,1]]\n",
        "[[1 ... 2]\n [2 ... 1]]\n",
        "a = b[0]\n",
        "print(board)\n",
        "x = f(abc)\n",
        "matrix(c(1,2,2,1), nrow=2)\n",
    ] {
        assert!(read(text, ReadOptions::default()).is_err(), "{text}");
    }
}

/// A line of a saved game.
fn saved(key: &str, value: &str) -> String {
    format!("{key:<8}:{}:{value}\n", value.len())
}

fn saved_game(game: &str, params: &str, description: &str, more: &str) -> String {
    saved("SAVEFILE", "Simon Tatham's Portable Puzzle Collection")
        + &saved("VERSION", "1")
        + &saved("GAME", game)
        + &saved("PARAMS", "9x9c6m5")
        + &saved("CPARAMS", params)
        + &saved("DESC", description)
        + more
}

#[test]
fn saved_games() {
    let played = saved("NSTATES", "2") + &saved("STATEPOS", "2") + &saved("MOVE", "M1");
    for (text, expected, domain, notes) in [
        (saved_game("Flood", "3x2c3m5", "012120,4", ""), "012 120", "flood-it", 0),
        (saved_game("Flood", "3x2c3m5", "012120,4", &played), "012 120", "flood-it", 1),
        (saved_game("Same Game", "3x2c3s2", "1,2,3,3,2,1", ""), "123 321", "clickomania", 0),
        (
            saved_game("Flood", "3x2c3m5", "012120,4", "").replace("CPARAMS", "XPARAMS").replace("9x9c6m5", "3x2c3m5"),
            "012 120",
            "flood-it",
            0,
        ),
    ] {
        let reader = BoardReader::new("file", text.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(
            (reader.format(), reader.puzzle_name(), reader.notes().len()),
            (Format::GameId, Some(domain), notes)
        );
        let found: Vec<String> = reader.map(|entry| rows(&entry.unwrap().board).join(" ")).collect();
        assert_eq!(found, [expected], "{text}");
    }
    let two = saved_game("Flood", "2x1c2m5", "01,4", "") + &saved_game("Flood", "2x1c2m5", "10,4", "");
    assert_eq!(boards(two, ReadOptions::default()).unwrap(), ["01", "10"]);
    for (text, expected) in [
        (saved_game("Mines", "9x9n10", "x", ""), "file:3:1: found a game of \"Mines\", expected Flood or Same Game"),
        (saved_game("Flood", "3x2c3m5", "012120,4", "rest\n"), "file:7:1: found \"rest\", expected KEY:LENGTH:VALUE"),
        (saved("SAVEFILE", "Simon"), "file:1:1: found a saved game without a board, expected the fields GAME"),
    ] {
        let error = message(&text, ReadOptions::default());
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn pictures_in_grey_and_black() {
    for (bytes, expected) in [
        (b"P2\n# grey\n3 2\n2\n0 1 2\n2 1 0\n".to_vec(), 3),
        (b"P5 3 2 255\n\x00\x40\xff\xff\x40\x00".to_vec(), 3),
        (b"P1\n3 2\n1 0 1\n001\n".to_vec(), 2),
        (b"P4 3 2\n\xa0\x20".to_vec(), 2),
        // Neighbouring values of pixels that are cells are different colours.
        (b"P2 3 2 255 1 2 3 3 2 1\n".to_vec(), 3),
    ] {
        let (format, entries) = read(&bytes, ReadOptions::default()).unwrap();
        let board = &entries[0].board;
        assert_eq!(
            (format, board.rows(), board.cols(), board.colours()),
            (Format::Picture, 2, 3, expected),
            "{bytes:?}"
        );
        assert_ne!(board.cells()[0], board.cells()[1]);
    }
    let black = read(b"P1 2 1 10", ReadOptions::default()).unwrap().1.remove(0).board;
    assert_eq!(rows(&black), ["blackwhite"]);
    for bytes in [&b"P2 3 2 2 0 1 2 2 1"[..], b"P2 1 1 2 3", b"P1 2 1 12", b"P4 9 2 \x00\x00\x00"] {
        assert!(message(bytes, ReadOptions::default()).contains("found a damaged PNM"), "{bytes:?}");
    }
    for (kind, size) in (1..=6).flat_map(|kind| ["0 0", "0 3", "3 0"].map(|size| (kind, size))) {
        let text = format!("P{kind}\n{size}\n255\n1 2 3");
        let found = format!("found a picture of {} pixels", size.replace(' ', " x "));
        assert!(message(text.as_bytes(), ReadOptions::default()).contains(&found), "{text}");
    }
}

/// The solutions of a file for boards with these names, and which of the boards have none.
fn assigned(text: &str, names: &[&str]) -> (Vec<Vec<u16>>, Vec<bool>) {
    let board = read("123\n231\n", ReadOptions::default()).unwrap().1.remove(0).board;
    let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(names.len());
    let missing = reader.match_boards(names, false).unwrap().iter().map(Result::is_err).collect();
    let moves =
        std::iter::from_fn(|| reader.next_solution(&board, |_| 0).unwrap()).map(|written| written.moves).collect();
    (moves, missing)
}

#[test]
fn results_of_a_batch_without_some_solutions() {
    let names = ["f#1", "f#2", "f#3"];
    let (all, holes) = (vec![vec![1, 0], vec![2]], vec![false, true, false]);
    for text in [
        "f#1: optimal, 2 moves: 21\nf#2: unsolvable, proven\nf#3: optimal, 1 move: 3\n3 boards: 2 solved\n",
        // A board that failed or was not begun has no line; boards may come in any order.
        "f#3: optimal, 1 move: 3\nf#1: optimal, 2 moves: 21\n2 boards: 2 solved, 1 failed\n",
        "f#1: optimal, 2 moves: 21\nf#2: unknown, no solution found, proven: 3 <= optimum\nf#3: optimal, 1 move: 3\n",
        "{\"board\":\"f#1\",\"status\":\"optimal\",\"moves\":[\"2\",\"1\"]}\n{\"board\":\"f#2\",\"status\":\"error\"}\n\
         {\"board\":\"f#3\",\"status\":\"optimal\",\"moves\":[\"3\"]}\n",
        "number,board,status,cost,moves,error\n1,f#1,optimal,2,2 1,\n2,f#2,not-begun,,,\n3,f#3,optimal,1,3,\n",
        "| number | board | result | seconds | solution |\n| ---: | --- | --- | ---: | --- |\n\
         | 1 | f#1 | optimal, 2 moves | 0.1 s | 2 1 |\n| 2 | f#2 | error: bad \\| worse |  |  |\n\
         | 3 | f#3 | optimal, 1 move | 0.1 s | 3 |\n",
    ] {
        assert_eq!(assigned(text, &names), (all.clone(), holes.clone()), "{text}");
        // The results of the same boards under another name.
        let other = text.replace("f#", "stdin#");
        assert_eq!(assigned(&other, &names), (all.clone(), holes.clone()), "{other}");
    }
    // Numbers decide where no name fits.
    for text in [
        "x#2: optimal, 1 move: 3\nx#1: optimal, 2 moves: 21\n",
        "{\"board\":\"x\",\"number\":2,\"moves\":\"3\"}\n{\"board\":\"x\",\"number\":1,\"moves\":\"21\"}\n",
    ] {
        assert_eq!(assigned(text, &names[..2]), (all.clone(), vec![false, false]), "{text}");
    }
    // JSON names the boards that failed. Without one of them, the caller finds a solution too few.
    let json = "{\"board\":\"f#1\",\"status\":\"optimal\",\"moves\":[\"2\"]}\n";
    assert_eq!(assigned(json, &["f#1", "f#2"]), (vec![vec![1]], vec![false, false]));
    // Where no board has a solution, that is the error.
    let mut reader = SolutionReader::new("s", &b"f#1: unsolvable, proven\n"[..]).unwrap().with_solution_count(1);
    assert_eq!(reader.match_boards(&["f#1"], true).unwrap(), [Ok(1)]);
    let board = read("12\n", ReadOptions::default()).unwrap().1.remove(0).board;
    let error = reader.next_solution(&board, |_| 0).unwrap_err().to_string();
    assert_eq!(error, "s:1:1: found \"unsolvable, proven\", expected a result with its moves");
}

#[test]
fn one_move_a_line_is_read_as_it_solves() {
    let board = read("1213\n", options(Some(Format::Text))).unwrap().1.remove(0).board;
    let merit =
        |moves: &[u16]| verify_solution(&board, moves, None).map_or(0, |found| 1 + u8::from(found.wasted.is_empty()));
    let moves = |text: &str| {
        let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap().with_solution_count(1);
        reader.next_solution(&board, merit).map(|written| written.unwrap().moves).map_err(|error| error.to_string())
    };
    // The number of the moves behind it, or a move of its own.
    assert_eq!(moves("3\n2\n1\n3\n"), Ok(vec![1, 0, 2]));
    assert_eq!(moves("2\n1\n3\n"), Ok(vec![1, 0, 2]));
    for text in ["3\n2\n2\n2\n", "3\n1\n2\n1\n"] {
        assert!(moves(text).unwrap_err().contains("4 lines that are 4 moves, or their number and 3 moves"), "{text}");
    }
    let two = read("112\n", options(Some(Format::Text))).unwrap().1.remove(0).board;
    let mut reader = SolutionReader::new("s", &b"1\n2\n"[..]).unwrap().with_solution_count(1);
    assert_eq!(reader.next_solution(&two, |_| 0).unwrap().unwrap().moves, [1]);
}

#[test]
fn an_optimum_of_0_is_not_known() {
    let published = |text: &str| read(text, ReadOptions::default()).unwrap().1[0].published_optimum;
    assert_eq!(published("3 3 5\n1 2 3 2 3 4 3 4 5\n0\n"), None);
    assert_eq!(published("3 3 5\n1 2 3 2 3 4 3 4 5\n4\n"), Some(4));
    assert_eq!(published("{\"cells\": [[1, 2]], \"published\": 0}"), None);
}

#[test]
fn decimal_commas_stand_in_rows() {
    assert_eq!(board("1,0;2,0\n2,0;1,0\n"), "12 21");
    assert_eq!(board("1,0\t2,0\n2,0\t1,0\n"), "12 21");
    for text in ["1,0;2,0;3,0\n", "1,0;0,0;1,0;0,0\n", "1,5;2,0\n2,0;1,0\n"] {
        assert!(read(text, ReadOptions::default()).is_err(), "{text}");
    }
}

#[test]
fn a_level_may_say_how_its_colours_look() {
    let text = "{\"maxMoves\": 3, \"targetColor\": 2, \"colors\": {\"1\": \"#a12\", \"2\": \"#2b3\"}, \"grid\": [[1, 2], [2, 1]]}";
    assert_eq!(board(text), "12 21");
}

#[test]
fn a_sign_that_may_be_an_empty_cell_is_asked_about() {
    let after_comment = ("# a_b\n1_1\n121\n", "_", ":2:2:");
    for (text, sign, place) in [("2 3 2\n-1-\n121\n", "-", ":2:1:"), ("1_1\n121\n", "_", ":1:2:"), after_comment] {
        let error = read(text, ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(place) && error.contains(&format!("or --empty '{sign}'")), "{error}");
        let options = ReadOptions { empty_symbol: Some(sign.to_owned()), ..ReadOptions::default() };
        assert!(read(text, options).is_ok(), "{text}");
    }
}

#[test]
fn files_of_another_kind_are_named_and_compressed_ones_read() {
    let error = |bytes: &[u8]| read(bytes, ReadOptions::default()).unwrap_err().to_string();
    assert!(error(b"GIF89a\x05\0\x05\0").starts_with(
        "dir/file: found a GIF picture, expected text, or a picture of a board as PNG or JPEG; convert it to PNG"
    ));
    assert!(error(b"\xff\xd8\xff\xe0\0\x10JFIF").starts_with("dir/file: found a damaged JPEG"));
    assert!(error(b"BZh91AY&SY\x01").contains("found bzip2 data, expected text, or a file that gzip or zstd"));
    // The text `12`, `21` by gzip and by zstd.
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\x33\x34\xe2\x32\x32\xe4\x02\0\x7b\xa1\xdf\xcb\x06\0\0\0";
    let zstd = b"\x28\xb5\x2f\xfd\x04\x58\x31\0\0\x31\x32\x0a\x32\x31\x0a\xff\x46\x89\xb6";
    assert_eq!((board(gzip), board(zstd)), ("12 21".to_owned(), "12 21".to_owned()));
    let cut = read(&gzip[..12], ReadOptions::default());
    assert!(matches!(cut, Err(BoardError::Read { source, .. }) if source.to_string().contains("damaged gzip data")));
}
