//! [`Format::Json`](crate::Format::Json): objects and nested lists, each on one line or on several lines.
//!
//! ```json
//! {"name": "small", "rows": 2, "cols": 3, "colours": 4, "start": [1, 1], "cells": [[1, 2, 3], [4, 1, 2]]}
//! {"symbols": "BGR", "start": "centre", "cells": ["RRG", "BGR", "GBB"], "published": 3}
//! {"layout": "columns-up", "cells": [[1, 1, 2], [], [2, 1]]}
//! [[1, 2, 2], [2, 2, 1], [1, 1, 2]]
//! ```

mod cells;
pub(crate) mod document;
pub(crate) mod literal;
pub(crate) mod value;

use crate::formats::cells::colour_names::colour_name;
use crate::formats::cells::palette::{Declared, rising_symbols};
use crate::formats::cells::writing::{symbols_of, tokens_of};
use crate::formats::input::board_source::BoardSource;
use crate::formats::problem::{Problem, quote};
use crate::{
    Board, BoardError, Cell, Entry, JsonLayout, MAX_COLOURS, ReadOptions, Start, WriteError, bunny, parse_size,
    usual_symbols,
};
use cells::{Cells, boards_of_list, in_cell, refuse_channels};
use document::Document;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use value::Value;

/// The boards of one value of the file, and what the reader says about the value.
#[derive(Default)]
pub(crate) struct Boards {
    pub entries: VecDeque<Result<Entry, BoardError>>,
    /// Fields that the reader ignored.
    pub ignored: Vec<String>,
    /// The puzzle that an object names.
    pub domain: Option<String>,
}

const EXPECTED: &str = "a board: a JSON object, or a list of rows";

/// Reads the boards of the next value; `None` at the end of the file.
///
/// # Errors
/// When the text is no JSON. A value that is no board is an error among the boards.
pub(crate) fn read<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<Boards>, BoardError> {
    let Some(document) = Document::read(source.lines, &['{', '['], EXPECTED)? else { return Ok(None) };
    let values = match document.parse(EXPECTED)? {
        Value::List(items) => refuse_channels(&items).and_then(|()| boards_of_list(items, source.options.size)),
        Value::Object(fields) => match list_of_boards(&fields) {
            Some(items) => boards_of_list(items.to_vec(), source.options.size),
            None => Ok(vec![Value::Object(unwrapped(fields))]),
        },
        other => Ok(vec![other]),
    };
    let begin = document.begin();
    let mut boards = Boards::default();
    let values = match values {
        Ok(values) => values,
        Err(problem) => {
            boards.entries.push_back(source.fail(begin, problem));
            return Ok(Some(boards));
        }
    };
    let is_alone = source.number == 1 && values.len() == 1 && source.lines.is_over();
    for (index, value) in values.into_iter().enumerate() {
        let name = if is_alone { source.file.to_owned() } else { format!("{}#{}", source.file, source.number + index) };
        let read = Object::of(value).and_then(|mut object| {
            let entry = object.entry(source.options, &name)?;
            boards.domain = boards.domain.take().or(object.domain);
            for key in object.ignored {
                if !boards.ignored.contains(&key) {
                    boards.ignored.push(key);
                }
            }
            Ok(entry)
        });
        boards.entries.push_back(read.or_else(|problem| source.fail(begin, problem)));
    }
    Ok(Some(boards))
}

/// The list under the key `boards` of an object without cells of its own.
fn list_of_boards(fields: &[(String, Value)]) -> Option<&[Value]> {
    let has_cells = fields.iter().any(|(key, value)| is_cells(key, value));
    let boards = fields.iter().find(|(key, _)| ["boards", "puzzles", "levels"].contains(&spelled(key).as_str()));
    match boards {
        Some((_, Value::List(items))) if !has_cells => Some(items),
        _ => None,
    }
}

/// The fields of an object without cells, joined by those of the only object inside it that has cells.
fn unwrapped(mut fields: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let has_cells =
        |(key, value): &(String, Value)| is_cells(key, value) || ["board", "bunny"].contains(&&*spelled(key));
    if fields.iter().any(has_cells) {
        return fields;
    }
    let mut inside: Vec<usize> = Vec::new();
    for (at, (_, value)) in fields.iter_mut().enumerate() {
        let Value::Object(inner) = value else { continue };
        *inner = unwrapped(std::mem::take(inner));
        inside.extend(inner.iter().any(has_cells).then_some(at));
    }
    if let [only] = inside[..] {
        let Value::Object(inner) = fields.remove(only).1 else { return fields };
        fields.retain(|(key, _)| !inner.iter().any(|(known, _)| spelled(known) == spelled(key)));
        fields.extend(inner);
    }
    fields
}

/// Refuses fields that say that the board is one of a game with other rules.
fn refuse_other_rules(fields: &[(String, Value)]) -> Result<(), Problem> {
    const OTHERS: [&str; 7] = ["maxsteps", "solutionsteps", "wrap", "torus", "toroidal", "diagonal", "hexagonal"];
    let says = |(key, value): &&(String, Value)| {
        // A level with `maxMoves` is one of Flood-It: the reader says that it ignores the target.
        let is_target = spelled(key).starts_with("target") && !fields.iter().any(|(key, _)| spelled(key) == "maxmoves");
        let is_off = matches!(value, Value::Null | Value::Bool(false)) || value.whole() == Some(0);
        (is_target || OTHERS.iter().any(|other| spelled(key).starts_with(other))) && !is_off
    };
    let found: Vec<&str> = fields.iter().filter(says).map(|(key, _)| &**key).collect();
    if found.is_empty() {
        return Ok(());
    }
    let found = format!("{}, which the rules of the puzzle do not have", found.join(", "));
    Problem::fail(found, "a board without them; delete the fields to solve the board by the rules in docs/puzzles.md")
}

/// The fields of a board, as the file has them.
#[derive(Default)]
struct Object {
    name: Option<String>,
    rows: Option<usize>,
    cols: Option<usize>,
    colours: Option<Value>,
    symbols: Option<String>,
    start: Option<Start>,
    published: Option<u32>,
    layout: Option<JsonLayout>,
    cells: Option<Value>,
    bunny: Option<Vec<String>>,
    domain: Option<String>,
    ignored: Vec<String>,
    /// Whether the object names a width and has no list of cells: the text of `board` is its cells then.
    has_size: bool,
}

impl Object {
    fn of(value: Value) -> Result<Self, Problem> {
        let mut object = Self::default();
        match value {
            Value::Object(fields) => {
                refuse_other_rules(&fields)?;
                let has_cells = fields.iter().any(|(key, value)| is_cells(key, value));
                object.has_size = !has_cells
                    && fields.iter().any(|(key, _)| ["width", "cols", "columns", "size"].contains(&&*spelled(key)));
                for (key, value) in fields {
                    object.take(&key, value, has_cells)?;
                }
            }
            list => object.cells = Some(list),
        }
        Ok(object)
    }

    fn take(&mut self, key: &str, value: Value, has_cells: bool) -> Result<(), Problem> {
        let field = |expected: &str| Problem::new(format!("{key}: {}", value.describe()), expected.to_owned());
        let positive = || value.whole().filter(|n: &usize| *n > 0).ok_or_else(|| field("a whole number above 0"));
        let text = || match &value {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(field("a text")),
        };
        if value == Value::Null {
            return Ok(());
        }
        let is_broken = self.has_size && spelled(key) == "board" && matches!(value, Value::Text(_));
        if is_cells(key, &value) || is_broken {
            if self.cells.is_some() {
                return Problem::fail(format!("a second list of cells, {key}"), "one of them");
            }
            self.cells = Some(value);
            return Ok(());
        }
        match spelled(key).as_str() {
            "name" | "title" => self.name = Some(text()?),
            "rows" | "height" => set(&mut self.rows, positive()?, key)?,
            "cols" | "columns" | "width" => set(&mut self.cols, positive()?, key)?,
            "size" => {
                let (rows, cols) =
                    size(&value).ok_or_else(|| field("a size: a number, [rows, columns] or ROWSxCOLS"))?;
                set(&mut self.rows, rows, key)?;
                set(&mut self.cols, cols, key)?;
            }
            // An object says how colours look.
            "colours" | "colors" if matches!(value, Value::Object(_)) => self.ignored.push(key.to_owned()),
            "colours" | "colors" | "numcolours" | "numcolors" => set(&mut self.colours, value, key)?,
            "symbols" => self.symbols = Some(text()?),
            "start" => self.start = Some(start(&value).ok_or_else(|| field(START))?),
            // 0 says that the optimum is not known.
            "published" => {
                self.published = Some(value.whole().ok_or_else(|| field("a whole number"))?).filter(|&value| value > 0);
            }
            "layout" => {
                self.layout =
                    Some(text()?.parse().map_err(|e: crate::OptionError| Problem::new(quote(&e.found), e.expected))?)
            }
            "bunny" => self.bunny = Some(texts(&value).ok_or_else(|| field("a list of rows"))?),
            "domain" => self.domain = Some(text()?),
            // The text of a board that has its cells elsewhere is its name, as in results.
            "board" if has_cells => self.name = self.name.take().or(Some(text()?)),
            _ => self.ignored.push(key.to_owned()),
        }
        Ok(())
    }

    fn entry(&mut self, options: &ReadOptions, name: &str) -> Result<Entry, Problem> {
        let published = self.published;
        Ok(Entry { board: self.board(options, name)?, published })
    }

    fn board(&mut self, options: &ReadOptions, name: &str) -> Result<Board, Problem> {
        let own_name = self.name.take();
        let name = own_name.as_deref().unwrap_or(name);
        if name.chars().any(char::is_control) {
            return Problem::fail(format!("the name {}", quote(name)), "a name without control characters");
        }
        let cells = match (self.cells.take(), &self.bunny) {
            (Some(cells), None) => cells,
            (None, Some(rows)) => return bunny_board(rows, options, name),
            (Some(_), Some(_)) => return Problem::fail("cells and bunny", "one of them"),
            (None, None) => {
                return Problem::fail("an object without cells", "cells, or bunny for a board of Hopping Bunny");
            }
        };
        let layout = options.json_layout.or(self.layout).unwrap_or_default();
        let size = (options.size.map(|s| s.0).or(self.rows), options.size.map(|s| s.1).or(self.cols));
        let cells = Cells::of(cells, layout, size)?;
        for (what, found, wanted) in [
            ("rows", cells.rows(), self.rows),
            ("cols", cells.cols(), self.cols),
            ("the size asked for", cells.rows(), options.size.map(|s| s.0)),
            ("the size asked for", cells.cols(), options.size.map(|s| s.1)),
        ] {
            if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
                let (rows, cols) = (cells.rows(), cells.cols());
                return Problem::fail(
                    format!("{rows} x {cols} cells"),
                    format!("{wanted}, as {what} says, not {found}"),
                );
            }
        }
        let grid = cells.grid(self.declared(options)?, options)?;
        let own = self.start.unwrap_or_default();
        let (rows, cols) = grid.size();
        crate::formats::cells::grid::check_start(own.cell(rows, cols), rows, cols)?;
        grid.finish(name, options.start.unwrap_or(own)).map_err(|(at, problem)| match at {
            Some(at) => in_cell(at, problem),
            None => problem,
        })
    }

    /// The colours that the object declares.
    fn declared(&self, options: &ReadOptions) -> Result<Declared, Problem> {
        let names = match (&self.colours, &self.symbols) {
            (Some(_), Some(_)) => return Problem::fail("colours and symbols", "one of them"),
            (None, Some(symbols)) => rising_symbols(symbols).ok_or_else(|| {
                Problem::new(format!("symbols {}", quote(symbols)), "digits, then letters, rising, each once")
            })?,
            (Some(Value::List(_)), None) => {
                let list = self.colours.as_ref().and_then(texts);
                let list = list.ok_or_else(|| Problem::new("colours: a list", "a list of names, or a number"))?;
                list.into_iter().map(|name| colour_name(&name).unwrap_or(name)).collect()
            }
            (Some(count), None) => {
                let expected = || format!("1 to {MAX_COLOURS} colours");
                let wrong = || Problem::new(format!("{} colours", count.describe()), expected());
                let count = count.whole().filter(|k| (1..=MAX_COLOURS).contains(k)).ok_or_else(wrong)?;
                return Ok(Declared::Count(count));
            }
            (None, None) => return Ok(options.colours.map_or(Declared::Nothing, Declared::Count)),
        };
        let is_twice = |(i, name): (usize, &String)| names[..i].contains(name);
        if names.is_empty() || names.len() > MAX_COLOURS || names.iter().enumerate().any(is_twice) {
            return Problem::fail(
                format!("{} names of colours", names.len()),
                format!("1 to {MAX_COLOURS} different names"),
            );
        }
        Ok(Declared::Names(names))
    }
}

/// A key without case, hyphens and underscores.
fn spelled(key: &str) -> String {
    key.chars().filter(|c| !['-', '_', ' '].contains(c)).flat_map(char::to_lowercase).collect()
}

/// Whether a field of a JSON object holds the cells of a board, from its key, whether its value is a list, and its
/// value if that is a text.
#[must_use]
pub fn holds_cells(key: &str, is_list: bool, text: Option<&str>) -> bool {
    match spelled(key).as_str() {
        "cells" | "grid" => true,
        "board" => is_list || text.is_some_and(|text| text.contains('\n')),
        "rows" => is_list,
        _ => false,
    }
}

fn is_cells(key: &str, value: &Value) -> bool {
    let text = if let Value::Text(text) = value { Some(&**text) } else { None };
    holds_cells(key, matches!(value, Value::List(_)), text)
}

/// Sets a field that several keys name.
fn set<T: PartialEq>(slot: &mut Option<T>, value: T, key: &str) -> Result<(), Problem> {
    match slot {
        Some(known) if *known != value => Problem::fail(format!("another value in {key}"), "the same value in both"),
        _ => {
            *slot = Some(value);
            Ok(())
        }
    }
}

fn size(value: &Value) -> Option<(usize, usize)> {
    let positive = |value: &Value| value.whole().filter(|n: &usize| *n > 0);
    match value {
        Value::List(items) => match &items[..] {
            [rows, cols] => Some((positive(rows)?, positive(cols)?)),
            _ => None,
        },
        Value::Text(text) => parse_size(text).ok(),
        side => positive(side).map(|side| (side, side)),
    }
}

const START: &str = "[row, column] counted from 1, or the name of a corner or of the centre";

fn start(value: &Value) -> Option<Start> {
    match value {
        Value::Text(text) => text.parse().ok(),
        Value::List(items) => match &items[..] {
            [row, col] => {
                let from_one = |value: &Value| value.whole::<usize>()?.checked_sub(1);
                Some(Start::At(Cell { row: from_one(row)?, col: from_one(col)? }))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A list of texts; `None` for any other value.
fn texts(value: &Value) -> Option<Vec<String>> {
    let Value::List(items) = value else { return None };
    let text = |item: &Value| match item {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        _ => None,
    };
    items.iter().map(text).collect()
}

/// Reads the rows of the field `bunny`, which have the form of [`Format::Bunny`](crate::Format::Bunny).
fn bunny_board(rows: &[String], options: &ReadOptions, name: &str) -> Result<Board, Problem> {
    let squares = bunny::squares(rows.iter().map(String::as_str)).map_err(|(row, column, problem)| match column {
        0 => problem,
        _ => Problem { found: format!("{} in column {column} of row {}", problem.found, row + 1), ..problem },
    })?;
    squares.board(options, name)
}

/// Writes a board as one object on one line.
pub(crate) fn write(entry: &Entry, domain: Option<&str>, out: &mut impl Write) -> Result<(), WriteError> {
    let Entry { board, published } = entry;
    let name = serde_json::Value::from(board.name());
    write!(out, "{{\"name\":{name}")?;
    if let Some(domain) = domain {
        write!(out, ",\"domain\":{}", serde_json::Value::from(domain))?;
    }
    if board.is_bunny() {
        if let Some(optimum) = published {
            write!(out, ",\"published\":{optimum}")?;
        }
        let rows: Vec<String> = bunny::rows(board).map(|row| format!("\"{row}\"")).collect();
        writeln!(out, ",\"bunny\":[{}]}}", rows.join(","))?;
        return Ok(());
    }
    write!(out, ",\"rows\":{},\"cols\":{}", board.rows(), board.cols())?;
    let is_usual = board.symbols() == usual_symbols(board.colours());
    let are_symbols = rising_symbols(&board.symbols().concat()).as_deref() == Some(board.symbols());
    if is_usual {
        write!(out, ",\"colours\":{}", board.colours())?;
    } else if are_symbols {
        write!(out, ",\"symbols\":\"{}\"", board.symbols().concat())?;
    } else {
        write!(out, ",\"colours\":{}", serde_json::Value::from(board.symbols()))?;
    }
    write!(out, ",\"start\":[{},{}]", board.start().row + 1, board.start().col + 1)?;
    if let Some(optimum) = published {
        write!(out, ",\"published\":{optimum}")?;
    }
    let row = |row: &[u8]| match (is_usual, are_symbols) {
        (true, _) => format!("[{}]", tokens_of(row, ",", |colour| (colour + 1).to_string())),
        (false, true) => format!("\"{}\"", symbols_of(board, row)),
        (false, false) => {
            let name = |colour: usize| serde_json::Value::from(board.symbols()[colour].as_str()).to_string();
            format!("[{}]", tokens_of(row, ",", name))
        }
    };
    let rows: Vec<String> = board.cells().chunks(board.cols()).map(row).collect();
    writeln!(out, ",\"cells\":[{}]}}", rows.join(","))?;
    Ok(())
}
