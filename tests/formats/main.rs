//! Board and solution files: what every format reads and writes, and how it refuses what is wrong.

use gridhunt_boards::{
    Board, BoardError, BoardReader, Cell, EMPTY, Entry, Format, GenerateSpec, JsonLayout, MARKED, MAX_CELLS,
    ReadOptions, SolutionReader, Start, UNMARKED, WriteError, generate, parse_size, usual_symbols, write_board,
    write_entry, write_solution,
};
use gridhunt_floodit::replay::verify_solution;

mod anything;
mod bunny;
mod errors;
mod matrix;
mod no_board;
mod notations;
mod reading;
mod solutions;
mod writing;

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

fn written(board: &Board, format: Format) -> Result<String, WriteError> {
    let mut out = Vec::new();
    write_board(board, format, &mut out).map(|()| String::from_utf8(out).unwrap())
}

fn solutions(text: &str, board: &Board) -> Vec<Result<Vec<u16>, String>> {
    let mut reader = SolutionReader::new("s", text.as_bytes()).unwrap();
    std::iter::from_fn(|| reader.next_solution(board, |_| 0).transpose())
        .map(|s| s.map(|s| s.moves).map_err(|e| e.to_string()))
        .collect()
}
