//! [`Format::Csv`]: one row a line, with commas between the cells.

use super::grid::Grid;
use super::source::{Line, Source};
use super::symbol::Problem;
use super::write_common::{refuse_start, tokens_of};
use super::{Board, BoardError, Format, Position, ReadOptions, WriteError};
use std::io::{BufRead, Write};

pub(super) fn read<R: BufRead>(source: &mut Source<R>, options: &ReadOptions, name: &str) -> Result<Board, BoardError> {
    let grid = Grid::new(options.size, None);
    grid.fill_from(source, options.start.unwrap_or_default(), name, read_row)
}

fn read_row(line: &Line, grid: &mut Grid) -> Result<(), (Position, Problem)> {
    let mut column = 1;
    for field in line.text.split(',') {
        let cell = field.trim_matches([' ', '\t']);
        let indent = field.chars().take_while(|c| [' ', '\t'].contains(c)).count();
        let value = grid.symbols.read_token(cell);
        value.and_then(|v| grid.push(v)).map_err(|p| (line.at(column + indent), p))?;
        column += field.chars().count() + 1;
    }
    grid.end_row().map_err(|p| (line.end(), p))
}

pub(super) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    refuse_start(board, Format::Csv)?;
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, ",", |colour| board.symbols()[colour].clone()))?;
    }
    Ok(())
}
