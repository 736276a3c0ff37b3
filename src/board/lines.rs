//! [`Format::Lines`]: one board a line, without spaces.

use super::grid::Grid;
use super::source::{Line, Source};
use super::symbol::{A_SYMBOL, EMPTY_SYMBOL, Problem};
use super::write_common::{refuse_start, symbols_of};
use super::{Board, BoardError, Format, MAX_CELLS, Position, ReadOptions, WriteError};
use std::io::{BufRead, Write};

pub(super) fn read<R: BufRead>(
    source: &mut Source<R>,
    options: &ReadOptions,
    name: &str,
) -> Result<Option<Board>, BoardError> {
    let Some(line) = source.next_line()? else { return Ok(None) };
    read_line(&line, options, name).map(Some).or_else(|(at, p)| source.fail(at, p.found, p.expected))
}

/// The size of a board whose line has this number of symbols: `size` if it fits, a square if no size is given. `None`
/// when there is no such size.
pub(super) fn size_of_board(symbols: usize, size: Option<(usize, usize)>) -> Option<(usize, usize)> {
    let side = symbols.isqrt();
    match size {
        Some((rows, cols)) => (rows.checked_mul(cols) == Some(symbols)).then_some((rows, cols)),
        None => (side * side == symbols && symbols > 0).then_some((side, side)),
    }
}

fn read_line(line: &Line, options: &ReadOptions, name: &str) -> Result<Board, (Position, Problem)> {
    let text = line.text.trim_matches([' ', '\t']);
    let symbols = text.chars().count();
    let indent = line.tokens().next().map_or(1, |(column, _)| column);
    if let Some(at) = text.chars().position(|c| !c.is_ascii_alphanumeric() && c != EMPTY_SYMBOL) {
        let found = text.chars().nth(at).map_or(String::new(), super::symbol::show_char);
        return Err((line.at(indent + at), Problem { found, expected: A_SYMBOL.into() }));
    }
    let Some((rows, cols)) = size_of_board(symbols, options.size).filter(|_| symbols <= MAX_CELLS) else {
        let expected = match options.size {
            _ if symbols > MAX_CELLS => format!("a board of at most {MAX_CELLS} symbols"),
            Some((rows, cols)) => format!("{} symbols for a board of {rows} x {cols}", rows.saturating_mul(cols)),
            None => "as many symbols as a square board has, or --size ROWSxCOLS".into(),
        };
        return Err((line.end(), Problem { found: format!("{symbols} symbols"), expected }));
    };
    let mut grid = Grid::new(Some((rows, cols)), None);
    for (i, symbol) in text.chars().enumerate() {
        let added = grid.symbols.read_symbol(symbol).and_then(|v| grid.push(v));
        added.map_err(|p| (line.at(indent + i), p))?;
        if (i + 1) % cols == 0 {
            grid.end_row().map_err(|p| (line.at(indent + i), p))?;
        }
    }
    grid.finish(name, options.start.unwrap_or_default()).map_err(|p| (line.at(indent), p))
}

pub(super) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    refuse_start(board, Format::Lines)?;
    writeln!(out, "{}", symbols_of(board, board.cells()))?;
    Ok(())
}
