//! Boards of Hopping Bunny.

use super::*;

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
        let entry = Entry { board: board.clone(), published_optimum: Some(7) };
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
        ("S#\n#S\n", "dir/file:2:2: found a second S, after the one at 1,1, expected one S"),
        ("S S\n", "dir/file:1:3: found a second S, after the one at 1,1, expected one S"),
        ("S#\n\n##\n #x\n", "dir/file:4:3: found 'x', expected S, #, O, or a space or a dot"),
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
        (r#"{"name": "b"}"#, "found an object without cells, expected cells, or bunny"),
    ] {
        let error = message(json, ReadOptions::default());
        assert!(error.contains(expected), "{json}: {error}");
    }
}
