//! Bad input: file, line, column, what was found, what was expected.

use super::*;
use std::io::{self, BufReader, Read};

#[test]
fn bad_input_says_where_and_what() {
    let long = "12".repeat(MAX_CELLS / 2) + "1";
    let tall = "ab\n".repeat(MAX_CELLS / 2 + 1);
    let cases: &[(Option<Format>, &str, &str)] = &[
        (None, "", "dir/file:1:1: found an empty file, expected a board"),
        (None, "123\n12\n", "dir/file:2:3: found a row of 2 cells, expected 3 cells in every row"),
        (None, "12?\n123\n", "dir/file:1:3: found '?', expected a digit or a letter, or . for an empty cell"),
        (None, "123\n1\0\n", "dir/file:2:2: found the character U+0000, expected a digit or a letter"),
        (Some(Format::Text), &long, "dir/file:1:10001: found more than 10000 cells, expected a board of at most 10000"),
        (None, &tall, "dir/file:5001:1: found more than 10000 cells, expected a board of at most 10000 cells"),
        (Some(Format::Lines), &long, "dir/file:1:10002: found 10001 cells, expected a board of at most 10000 cells"),
        (
            Some(Format::Lines),
            "1212\n12\n",
            "dir/file:2:3: found 2 cells, expected as many cells as a square board has, or --size ROWSxCOLS",
        ),
        (
            Some(Format::Text),
            "3 3 3\n123\n",
            "dir/file:2:4: found the end of the file after 3 cells, expected 9 cells (3 x 3)",
        ),
        (
            None,
            "2 2 2\n12\n23\n",
            "dir/file:3:2: found colour 3, expected a colour from 1 to 2, since the file says 2 colours",
        ),
        (
            None,
            "1,2\n1,,2\n",
            "dir/file:2:3: found nothing, expected a digit, a letter, a number up to 255 or the name of a colour; or .",
        ),
        (
            None,
            "1,xyz\n",
            "dir/file:1:3: found \"xyz\", expected a digit, a letter, a number up to 255 or the name of a colour; or .",
        ),
        (
            None,
            "12 12 6\n1 2 3",
            "dir/file:1: found a first line that may be the header of 12 x 12 cells, with 3 cells after it, expected ",
        ),
        (None, "2 2 3\n1 2 3 1 7 7\n", "dir/file:2:11: found \"7\", expected the end of the line after the last cell"),
        (None, "2 2 3\n1 2 3 1\n20000\n", "dir/file:3:1: found \"20000\", expected the published optimum"),
        (Some(Format::Numbers), "2 2\n", "dir/file:1:1: found \"2 2\", expected a header: rows, columns, colours"),
        (
            None,
            "{\"cells\": [[1,-2]]}",
            "dir/file:1: found \"-2\" in row 1, cell 2, expected a digit, a letter, a number up to 255 or the name of ",
        ),
        (Some(Format::Json), "12\n", "dir/file:1:1: found '1', expected a board: a JSON object"),
        (
            None,
            "{\"cells\": [\"12\",\n \"123\"]}",
            "dir/file:1: found a row of 3 cells in row 2, expected 2 cells in every row, or --json-layout",
        ),
        (
            None,
            "{\"cells\": [[1,2.5]]}",
            "dir/file:1: found 2.5, expected a colour: a whole number, a symbol or a name; null for an empty cell",
        ),
        (None, "{\"cells\": []}", "dir/file:1: found an empty list, expected at least one row"),
        (None, "{\"cells\": [\"12\"]", "dir/file:1:17: found EOF while parsing an object, expected a board"),
        (
            None,
            "{\"cell\": 1}",
            "dir/file:1: found an object without cells, expected cells, or bunny for a board of Hopping Bunny",
        ),
        (
            None,
            "{\"rows\": 1e30, \"cells\": []}",
            "dir/file:1: found rows: 1000000000000000000000000000000, expected a whole number above 0",
        ),
        (
            None,
            "{\"rows\": 3, \"cells\": [\"12\"]}",
            "dir/file:1: found 1 x 2 cells, expected 3 rows, as the size in the object says",
        ),
        (
            None,
            "{\"colours\": 1, \"cells\": [\"12\"]}",
            "dir/file:1: found colour 2 in row 1, cell 2, expected a colour from 1 to 1, since the file says 1 colour",
        ),
        (
            None,
            "{\"symbols\": \"21\", \"cells\": [\"12\"]}",
            "dir/file:1: found symbols \"21\", expected digits, then letters",
        ),
        (
            None,
            "{\"start\": [0, 1], \"cells\": [\"12\"]}",
            "dir/file:1: found start: a list of 2 items, expected [row, column] counted from 1, or the name of a corne",
        ),
        (
            None,
            "{\"start\": [2, 1], \"cells\": [\"12\"]}",
            "dir/file:1: found start cell 2,1, expected one of 1 x 2 cells",
        ),
        (
            None,
            "{\"layout\": \"up\", \"cells\": [\"12\"]}",
            "dir/file:1: found \"up\", expected one of: rows, columns, columns-up",
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
            "{\"name\": \"\\u001b[2J\", \"cells\": [\"12\"]}",
            "dir/file:1: found the name \"\\u{1b}[2J\", expected a name",
        ),
    ];
    let mut wrong = Vec::new();
    for (format, content, expected) in cases {
        match read(content, options(*format)).map_err(|error| error.to_string()) {
            Err(found) if found.starts_with(expected) => {}
            found => wrong.push(format!("{content:.60?} as {format:?}:\n   found {found:?}\nexpected {expected}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(
        message(b"12\n\xff1\n", ReadOptions::default()),
        "dir/file:2:1: found the byte 0xFF, expected text in UTF-8"
    );
    let cut = message("12\n\u{e9}".as_bytes().split_last().unwrap().1, ReadOptions::default());
    assert_eq!(cut, "dir/file:2:1: found the byte 0xC3, expected text in UTF-8");
    // Half a character of UTF-16.
    for bytes in [&b"\xff\xfe1\x002"[..], b"\xff\xfe\x00\xd8"] {
        assert!(
            message(bytes, ReadOptions::default()).starts_with("dir/file: found text in UTF-16 with half a character")
        );
    }
    // Columns are characters, not bytes.
    assert!(message("1\u{e9}\u{fc}\n", ReadOptions::default()).starts_with("dir/file:1:2: found '\u{e9}'"));
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
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Picture).map(Some).chain([None]) {
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
}
