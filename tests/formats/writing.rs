//! What every format writes, and what it cannot hold.

use super::*;

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
            let is_kept = match names {
                ["red", "blue"] | ["2", "1"] => format == Format::Json,
                _ => false,
            };
            let written = written(&named(names), format);
            assert_eq!(written.is_ok(), is_kept, "{names:?} {format}: {written:?}");
        }
    }
    let entry = Entry { board: letters, published_optimum: Some(4) };
    for format in Format::ALL {
        let mut out = Vec::new();
        let kept = write_entry(&entry, format, &mut out).is_ok();
        assert_eq!(kept, [Format::Numbers, Format::Json].contains(&format), "{format}");
        assert!(!kept || read(&out, options(Some(format))).unwrap().1[0].published_optimum == Some(4));
    }
}
