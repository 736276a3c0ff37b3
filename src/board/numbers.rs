//! [`Format::Numbers`]: a header, the cells as whole numbers, and optionally the published optimum.

use super::grid::Grid;
use super::header::{self, Header};
use super::source::{Line, Source};
use super::symbol::{Problem, quote, value_of_name};
use super::write_common::{tokens_of, unrepresentable};
use super::{Board, BoardError, Entry, Format, MAX_CELLS, Position, ReadOptions, WriteError};
use std::io::{BufRead, Write};

pub(super) fn read<R: BufRead>(source: &mut Source<R>, options: &ReadOptions, name: &str) -> Result<Entry, BoardError> {
    let header = Header::read(source, options, width)?;
    let mut body = Body::new(header);
    let mut first: Option<Position> = None;
    while let Some(line) = source.next_line()? {
        first.get_or_insert(line.at(0));
        body.read_line(&line).or_else(|(at, p)| source.fail(at, p.found, p.expected))?;
    }
    let cells = header.rows * header.cols;
    if body.read < cells {
        let found = format!("the end of the file after {} cells", body.read);
        return source.fail(source.end(), found, format!("{cells} cells ({} x {})", header.rows, header.cols));
    }
    let board = body.grid.finish(name, header.start);
    let board = board.or_else(|p| source.fail(first.unwrap_or_default(), p.found, p.expected))?;
    Ok(Entry { board, published: body.published })
}

/// The number of cells of a line that may be a row. `None` for a line of one number, which is no evidence for a width,
/// because lines may be broken anywhere.
fn width(line: &Line) -> Option<usize> {
    Some(line.tokens().count()).filter(|&count| count > 1)
}

struct Body {
    header: Header,
    grid: Grid,
    read: usize,
    published: Option<u32>,
}

impl Body {
    fn new(header: Header) -> Self {
        let grid = Grid::new(Some((header.rows, header.cols)), Some(header.colours));
        Self { header, grid, read: 0, published: None }
    }

    fn read_line(&mut self, line: &Line) -> Result<(), (Position, Problem)> {
        for (column, token) in line.tokens() {
            self.read_number(token).map_err(|p| (line.at(column), p))?;
        }
        Ok(())
    }

    fn read_number(&mut self, token: &str) -> Result<(), Problem> {
        if self.read < self.header.rows * self.header.cols {
            let value = self.grid.symbols.read_number(token)?;
            self.grid.push(value)?;
            self.read += 1;
            return if self.read.is_multiple_of(self.header.cols) { self.grid.end_row() } else { Ok(()) };
        }
        if self.published.is_some() {
            return Problem::fail(quote(token), "the end of the file after the published optimum");
        }
        let most = MAX_CELLS.try_into().unwrap_or(u32::MAX);
        self.published = token.parse().ok().filter(|n| (1..=most).contains(n));
        match self.published {
            Some(_) => Ok(()),
            None => Problem::fail(quote(token), format!("the published optimum, 1 to {most}, or the end of the file")),
        }
    }
}

pub(super) fn write(board: &Board, published: Option<u32>, out: &mut impl Write) -> Result<(), WriteError> {
    let values: Vec<u8> = board.symbols().iter().filter_map(|s| value_of_name(s)).collect();
    if values.contains(&0) {
        return Err(unrepresentable(board, Format::Numbers, "the symbol 0"));
    }
    let colours = values.last().copied().unwrap_or(0);
    header::write(board, colours.into(), out)?;
    for row in board.cells().chunks(board.cols()) {
        writeln!(out, "{}", tokens_of(row, " ", |colour| values[colour].to_string()))?;
    }
    if let Some(optimum) = published {
        writeln!(out, "{optimum}")?;
    }
    Ok(())
}
