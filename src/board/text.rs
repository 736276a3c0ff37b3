//! [`Format::Text`]: one row a line, with or without a header.

use super::grid::Grid;
use super::header::{self, Header};
use super::source::{Line, Source};
use super::symbol::Problem;
use super::write_common::{refuse_start, symbols_of};
use super::{Board, BoardError, Format, Position, ReadOptions, WriteError, usual_symbols};
use std::io::{BufRead, Write};

pub(super) fn read<R: BufRead>(
    source: &mut Source<R>,
    options: &ReadOptions,
    has_header: bool,
    name: &str,
) -> Result<Board, BoardError> {
    let (grid, start) = if has_header {
        let header = Header::read(source, options, width)?;
        (Grid::new(Some((header.rows, header.cols)), Some(header.colours)), header.start)
    } else {
        (Grid::new(options.size, None), options.start.unwrap_or_default())
    };
    grid.fill_from(source, start, name, read_row)
}

/// The number of cells of a line that is a row.
fn width(line: &Line) -> Option<usize> {
    let mut tokens = line.tokens().map(|(_, token)| token);
    let first = tokens.next()?;
    Some(match tokens.count() {
        0 => first.chars().count(),
        more => 1 + more,
    })
}

/// Reads a row of symbols: all with spaces between them, or all without.
pub(super) fn read_row(line: &Line, grid: &mut Grid) -> Result<(), (Position, Problem)> {
    let text = line.text.trim_matches([' ', '\t']);
    if text.contains([' ', '\t']) {
        for (column, token) in line.tokens() {
            if token.chars().nth(1).is_some() {
                let problem = Problem {
                    found: super::symbol::quote(token),
                    expected: "one symbol between spaces (colours above 9 are letters in this format)".into(),
                };
                return Err((line.at(column), problem));
            }
            let value = grid.symbols.read_token(token);
            value.and_then(|v| grid.push(v)).map_err(|p| (line.at(column), p))?;
        }
    } else {
        let indent = line.tokens().next().map_or(1, |(column, _)| column);
        for (column, symbol) in (indent..).zip(text.chars()) {
            let value = grid.symbols.read_symbol(symbol);
            value.and_then(|v| grid.push(v)).map_err(|p| (line.at(column), p))?;
        }
    }
    grid.end_row().map_err(|p| (line.end(), p))
}

pub(super) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    if board.symbols() == usual_symbols(board.colours()) {
        header::write(board, board.colours(), out)?;
    } else {
        refuse_start(board, Format::Text)?;
    }
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", symbols_of(board, row))?;
    }
    Ok(())
}
