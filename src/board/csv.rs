//! [`Format::Csv`]: one row a line, commas between the cells.

use super::grid::Grid;
use super::source::{Line, Source};
use super::symbol::Problem;
use super::{Board, BoardError, Format, Position, ReadOptions, WriteError};
use std::io::{BufRead, Write};

pub(super) fn read<R: BufRead>(source: &mut Source<R>, options: &ReadOptions, name: &str) -> Result<Board, BoardError> {
    let mut grid = Grid::new(options.size, None);
    let mut first: Option<Position> = None;
    while let Some(line) = source.next_line()? {
        if line.after_blank && first.is_some() {
            return source.fail(line.at(1), "a row after a blank line", "the end of the file: one board");
        }
        first.get_or_insert(line.at(0));
        read_row(&line, &mut grid).or_else(|(at, p)| source.fail(at, p.found, p.expected))?;
    }
    let at = if grid.is_short() { source.end() } else { first.unwrap_or(source.end()) };
    grid.finish(name, options.start.unwrap_or_default()).or_else(|p| source.fail(at, p.found, p.expected))
}

fn read_row(line: &Line, grid: &mut Grid) -> Result<(), (Position, Problem)> {
    let mut column = 1;
    for field in line.text.split(',') {
        let cell = field.trim_matches([' ', '\t']);
        let indent = field.chars().take_while(|c| [' ', '\t'].contains(c)).count();
        let value = grid.symbols.take_token(cell);
        value.and_then(|v| grid.push(v)).map_err(|p| (line.at(column + indent), p))?;
        column += field.chars().count() + 1;
    }
    grid.end_row().map_err(|p| (line.end(), p))
}

pub(super) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    super::write::refuse_start(board, Format::Csv)?;
    for row in board.cells().chunks(board.cols()) {
        let cells: Vec<_> = row.iter().map(|&c| board.symbols()[usize::from(c)].as_str()).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}
