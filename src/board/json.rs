//! [`Format::Json`](super::Format::Json): one object a board, each on one line or on several lines.
//!
//! ```json
//! {"name": "small", "rows": 2, "cols": 3, "colours": 4, "start": [1, 1], "cells": [[1, 2, 3], [4, 1, 2]]}
//! {"symbols": "BGR", "start": "centre", "cells": ["RRG", "BGR", "GBB"], "published": 3}
//! {"layout": "columns-up", "cells": [[1, 1, 2], [], [2, 1]]}
//! ```

use super::document::{Document, to_parser_error};
use super::grid::{Grid, check_start};
use super::source::Source;
use super::symbol::{Problem, Symbols, quote, usual_by_value, value};
use super::write_common::{symbols_of, tokens_of};
use super::{
    Board, BoardError, Cell, Entry, JsonLayout, MAX_COLOURS, OptionError, ReadOptions, Start, WriteError, bunny,
    usual_symbols,
};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::io::{BufRead, Write};
use std::num::NonZeroUsize;

/// Reads the next object; `None` at the end of the file. `number` counts the boards of the file from 1.
///
/// A board without `name` has the name of the file, with its number behind it unless it is the only board.
pub(super) fn read<R: BufRead>(
    source: &mut Source<R>,
    options: &ReadOptions,
    name: &str,
    number: usize,
) -> Result<Option<Entry>, BoardError> {
    let Some(document) = Document::read(source, &['{'], EXPECTED)? else { return Ok(None) };
    let alone = number == 1 && source.peek(|_| false) == (Vec::new(), true);
    let name = if alone { name.to_owned() } else { format!("{name}#{number}") };
    let entry = match layout(&document, options) {
        JsonLayout::Rows => document.parse::<Object<false>>(EXPECTED)?.entry(options, &name),
        JsonLayout::Columns | JsonLayout::ColumnsUp => document.parse::<Object<true>>(EXPECTED)?.entry(options, &name),
    };
    entry.map(Some).or_else(|p| source.fail(document.begin(), p.found, p.expected))
}

const EXPECTED: &str = "a board: a JSON object";

/// How the cells of an object are arranged, by the options or by its field `layout`. Errors of the object are ignored
/// here, because parsing the whole object reports them.
fn layout(document: &Document, options: &ReadOptions) -> JsonLayout {
    #[derive(serde::Deserialize)]
    struct Head {
        layout: Option<WrittenLayout>,
    }
    let written = || document.parse::<Head>(EXPECTED).ok().and_then(|head| head.layout);
    options.json_layout.or_else(|| Some(written()?.0)).unwrap_or_default()
}

struct WrittenLayout(JsonLayout);

impl<'de> Deserialize<'de> for WrittenLayout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let layout = text.parse().map_err(|OptionError { found, expected }| Problem { found: quote(&found), expected });
        layout.map(WrittenLayout).map_err(to_parser_error)
    }
}

/// An object of the file. `COLUMNS` says whether `cells` holds columns.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Object<const COLUMNS: bool> {
    name: Option<String>,
    rows: Option<usize>,
    cols: Option<usize>,
    colours: Option<usize>,
    symbols: Option<String>,
    start: Option<JsonStart>,
    published: Option<u32>,
    layout: Option<WrittenLayout>,
    cells: Option<Cells<COLUMNS>>,
    bunny: Option<Vec<String>>,
}

impl<const COLUMNS: bool> Object<COLUMNS> {
    fn entry(self, options: &ReadOptions, name: &str) -> Result<Entry, Problem> {
        let published = self.published;
        Ok(Entry { board: self.board(options, name)?, published })
    }

    fn board(self, options: &ReadOptions, name: &str) -> Result<Board, Problem> {
        let name = self.name.as_deref().unwrap_or(name);
        if name.chars().any(char::is_control) {
            return Problem::fail(format!("the name {}", quote(name)), "a name without control characters");
        }
        let mut grid = match (self.cells, self.bunny) {
            (Some(cells), None) => cells.0,
            (None, Some(rows)) => return bunny_board(&rows, options, name),
            (Some(_), Some(_)) => return Problem::fail("cells and bunny", "one of them"),
            (None, None) => {
                return Problem::fail("an object without cells", "cells, or bunny for a board of Hopping Bunny");
            }
        };
        if COLUMNS {
            let layout = options.json_layout.or(self.layout.map(|layout| layout.0));
            let rows = options.size.map(|(rows, _)| rows).or(self.rows);
            grid = grid.into_rows(layout == Some(JsonLayout::ColumnsUp), rows)?;
        }
        let (rows, cols) = grid.size();
        let (wanted_rows, wanted_cols) = options.size.unwrap_or((rows, cols));
        for (what, found, wanted) in [
            ("rows", rows, self.rows.unwrap_or(rows)),
            ("cols", cols, self.cols.unwrap_or(cols)),
            ("the size asked for", rows, wanted_rows),
            ("the size asked for", cols, wanted_cols),
        ] {
            if found != wanted {
                return Problem::fail(
                    format!("{rows} x {cols} cells"),
                    format!("{wanted}, as {what} says, not {found}"),
                );
            }
        }
        match (self.colours, self.symbols) {
            (Some(_), Some(_)) => return Problem::fail("colours and symbols", "one of them"),
            (Some(k @ 2..=MAX_COLOURS), None) => grid.symbols.declare(usual_by_value(k))?,
            (Some(k), None) => return Problem::fail(format!("{k} colours"), format!("2 to {MAX_COLOURS} colours")),
            (None, Some(symbols)) => grid.symbols.declare(parse_symbols(&symbols)?)?,
            (None, None) => {}
        }
        let own = self.start.map_or(Start::TopLeft, |s| s.0);
        check_start(own.cell(rows, cols), rows, cols)?;
        grid.finish(name, options.start.unwrap_or(own))
    }
}

/// Reads the rows of the field `bunny`, which have the form of [`Format::Bunny`](super::Format::Bunny).
fn bunny_board(rows: &[String], options: &ReadOptions, name: &str) -> Result<Board, Problem> {
    let squares = bunny::squares(rows.iter().map(String::as_str)).map_err(|(row, column, problem)| match column {
        0 => problem,
        _ => Problem { found: format!("{} in column {column} of row {}", problem.found, row + 1), ..problem },
    })?;
    squares.board(options, name)
}

/// Parses the field `symbols`: the symbol of every colour once, in rising order.
fn parse_symbols(text: &str) -> Result<Symbols, Problem> {
    let mut symbols = [None; 36];
    let mut last = None;
    for symbol in text.chars() {
        let value = value(symbol).filter(|&v| Some(v) > last);
        let Some(v) = value else {
            return Problem::fail(format!("symbols {}", quote(text)), "digits, then letters, rising, each once");
        };
        symbols[usize::from(v)] = Some(symbol);
        last = value;
    }
    Ok(symbols)
}

struct JsonStart(Start);

impl<'de> Deserialize<'de> for JsonStart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StartVisitor;
        impl<'de> Visitor<'de> for StartVisitor {
            type Value = JsonStart;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[row, column] counted from 1, \"top-left\" or \"centre\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<JsonStart, E> {
                text.parse().map(JsonStart).map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<JsonStart, A::Error> {
                let mut next =
                    |i| items.next_element::<NonZeroUsize>()?.ok_or_else(|| A::Error::invalid_length(i, &self));
                let cell = Cell { row: next(0)?.get() - 1, col: next(1)?.get() - 1 };
                match items.next_element::<serde::de::IgnoredAny>()? {
                    None => Ok(JsonStart(Start::At(cell))),
                    Some(_) => Err(A::Error::invalid_length(3, &self)),
                }
            }
        }
        deserializer.deserialize_any(StartVisitor)
    }
}

/// The rows or columns of `cells`. They are checked while they are parsed, so that errors have the position of the
/// cell.
struct Cells<const COLUMNS: bool>(Grid);

impl<'de, const COLUMNS: bool> Deserialize<'de> for Cells<COLUMNS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let grid = if COLUMNS { Grid::of_columns() } else { Grid::default() };
        deserializer.deserialize_seq(Rows(grid)).map(Self)
    }
}

struct Rows(Grid);

impl<'de> Visitor<'de> for Rows {
    type Value = Grid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}s", self.0.row_word())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut rows: A) -> Result<Grid, A::Error> {
        while rows.next_element_seed(Row(&mut self.0))?.is_some() {}
        if self.0.size().0 == 0 {
            return Err(A::Error::invalid_length(0, &format!("at least one {}", self.0.row_word()).as_str()));
        }
        Ok(self.0)
    }
}

struct Row<'a>(&'a mut Grid);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {}: a string of symbols or a list of whole numbers", self.0.row_word())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        for symbol in text.chars() {
            let value = self.0.symbols.read_symbol(symbol);
            value.and_then(|v| self.0.push(v)).map_err(to_parser_error)?;
        }
        self.0.end_row().map_err(to_parser_error)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        while cells.next_element_seed(OneCell(&mut *self.0))?.is_some() {}
        self.0.end_row().map_err(to_parser_error)
    }
}

struct OneCell<'a>(&'a mut Grid);

impl OneCell<'_> {
    fn read_number<E: Error>(self, number: &str) -> Result<(), E> {
        let value = self.0.symbols.read_number(number);
        value.and_then(|v| self.0.push(v)).map_err(to_parser_error)
    }
}

impl<'de> DeserializeSeed<'de> for OneCell<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for OneCell<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a colour: a whole number or a symbol")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.read_number(&number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.read_number(&number.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let value = self.0.symbols.read_token(text);
        value.and_then(|v| self.0.push(v)).map_err(to_parser_error)
    }
}

pub(super) fn write(board: &Board, published: Option<u32>, out: &mut impl Write) -> Result<(), WriteError> {
    let name = serde_json::Value::from(board.name());
    if board.is_bunny() {
        write!(out, "{{\"name\":{name}")?;
        if let Some(optimum) = published {
            write!(out, ",\"published\":{optimum}")?;
        }
        let rows: Vec<String> = bunny::rows(board).map(|row| format!("\"{row}\"")).collect();
        writeln!(out, ",\"bunny\":[{}]}}", rows.join(","))?;
        return Ok(());
    }
    write!(out, "{{\"name\":{name},\"rows\":{},\"cols\":{}", board.rows(), board.cols())?;
    let usual = board.symbols() == usual_symbols(board.colours());
    if usual {
        write!(out, ",\"colours\":{}", board.colours())?;
    } else {
        write!(out, ",\"symbols\":\"{}\"", board.symbols().concat())?;
    }
    write!(out, ",\"start\":[{},{}]", board.start().row + 1, board.start().col + 1)?;
    if let Some(optimum) = published {
        write!(out, ",\"published\":{optimum}")?;
    }
    let rows: Vec<String> = board
        .cells()
        .chunks(board.cols())
        .map(|row| {
            if usual {
                format!("[{}]", tokens_of(row, ",", |colour| (colour + 1).to_string()))
            } else {
                format!("\"{}\"", symbols_of(board, row))
            }
        })
        .collect();
    writeln!(out, ",\"cells\":[{}]}}", rows.join(","))?;
    Ok(())
}
