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

use crate::file_settings::FileSettings;
use crate::formats::cells::colour_names::{colour_name, first_repeat};
use crate::formats::cells::grid::check_start;
use crate::formats::cells::palette::{DeclaredColours, rising_symbols};
use crate::formats::cells::writing::{refuse_names, symbols_of, tokens_of};
use crate::formats::input::board_source::BoardSource;
use crate::formats::mismatch::{Mismatch, plural, quote};
use crate::{
    Board, BoardError, Cell, Entry, Format, JsonLayout, MAX_COLOURS, OptionError, Position, PuzzleContext, ReadOptions,
    Start, WriteError, bunny, parse_size, usual_symbols,
};
use cells::{Cells, boards_of_list, in_cell, refuse_channels};
use document::Document;
use std::collections::VecDeque;
use std::io::{BufRead, Write};
use value::Value;

const EXPECTED: &str = "a board: a JSON object, or a list of rows";

/// Reads the boards of the next value: returns the first one, and puts the others into `pending`, which is empty.
/// `None` at the end of the file.
///
/// # Errors
/// When the text is no JSON, or the first board is none. A later value that is no board is an error in `pending`.
pub(crate) fn read<R: BufRead>(
    source: &mut BoardSource<'_, R>,
    pending: &mut VecDeque<Result<Entry, BoardError>>,
) -> Result<Option<Entry>, BoardError> {
    let Some(document) = Document::read(source.lines, EXPECTED)? else { return Ok(None) };
    let begin = document.begin();
    let values = boards_of(document.parse(EXPECTED)?, source.options.size, &source.options.puzzle);
    let values = values.or_else(|mismatch| source.fail(begin, mismatch))?;
    let is_single = source.number == 1 && values.len() == 1 && source.lines.is_over();
    for (index, value) in values.into_iter().enumerate() {
        let name =
            if is_single { source.file.to_owned() } else { format!("{}#{}", source.file, source.number + index) };
        let entry = BoardFields::of(value, &source.options.puzzle).and_then(|mut fields| {
            let board = fields.board(source.options, &name)?;
            if source.number + index == 1 {
                source.findings.settings = fields.settings;
            } else if let Some(key) = fields.settings.difference(&source.findings.settings) {
                return Mismatch::fail(format!("another {key} than that of the boards before"), "one for all boards");
            }
            // The boards of a list are read at once, so they have a limit only if it is the same.
            let is_same = index == 0 || source.findings.move_limit == fields.move_limit;
            source.findings.move_limit = fields.move_limit.filter(|_| is_same);
            source.findings.domain = source.findings.domain.take().or(fields.domain);
            fields.ignored.into_iter().for_each(|key| source.findings.ignore(key));
            Ok(Entry { board, published_optimum: fields.published_optimum })
        });
        pending.push_back(entry.or_else(|mismatch| source.fail(begin, mismatch)));
    }
    pending.pop_front().transpose()
}

/// The values that are boards: the value itself, or items of its list.
fn boards_of(value: Value, size: Option<(usize, usize)>, context: &PuzzleContext) -> Result<Vec<Value>, Mismatch> {
    match value {
        Value::List(items) => refuse_channels(&items, size).and_then(|()| boards_of_list(items, size)),
        Value::Object(mut fields) => {
            let has_cells = fields.iter().any(|(key, value)| is_cells(key, value));
            let is_list = |(key, value): &(String, Value)| {
                !has_cells && value.list().is_some() && ["boards", "puzzles", "levels"].contains(&&*normalized_key(key))
            };
            let Some((_, Value::List(items))) = fields.iter().position(is_list).map(|at| fields.remove(at)) else {
                return Ok(vec![Value::Object(merge_inner_board(fields))]);
            };
            // The fields beside the list belong to each of its boards, except their name. Long fields are not copied,
            // and none if there are more than 100. A rule among these is an error.
            fields.retain(|(key, _)| !["name", "title"].contains(&&*normalized_key(key)));
            let are_few = fields.len() <= 100;
            let is_long = |value: &Value| {
                value.scalar().map_or(matches!(value, Value::List(_) | Value::Object(_)), |text| text.len() > 100)
            };
            let is_short = |(key, value): &(String, Value)| are_few && key.len() <= 100 && !is_long(value);
            let (fields, not_copied): (Vec<_>, Vec<_>) = fields.into_iter().partition(is_short);
            if let Some(rule) = rules_of(&not_copied, context)?.iter().position(Option::is_some) {
                return Mismatch::fail(
                    format!("{}: {}", not_copied[rule].0, not_copied[rule].1.describe()),
                    "at most 100 short fields beside a list of boards",
                );
            }
            let key = |board: &Value| if let Value::Object(_) = board { "" } else { "cells" };
            let joined = |board| merge_inner_board([&fields[..], &[(key(&board).to_owned(), board)]].concat());
            Ok(boards_of_list(items, size)?.into_iter().map(joined).map(Value::Object).collect())
        }
        other => Ok(vec![other]),
    }
}

/// If an object has no cells, but exactly one object inside it has cells, also deeper, joins the fields of both. Those
/// of the inner object replace those of the outer one.
fn merge_inner_board(mut fields: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let has_board = |(key, value): &(String, Value)| {
        let is_named = ["board", "bunny"].contains(&&*normalized_key(key)) && !matches!(value, Value::Object(_));
        is_named || is_cells(key, value)
    };
    if fields.iter().any(has_board) {
        return fields;
    }
    let mut inside: Vec<usize> = Vec::new();
    for (at, (_, value)) in fields.iter_mut().enumerate() {
        let Value::Object(inner) = value else { continue };
        *inner = merge_inner_board(std::mem::take(inner));
        inside.extend(inner.iter().any(has_board).then_some(at));
    }
    if let [only] = inside[..] {
        let Value::Object(inner) = fields.remove(only).1 else { return fields };
        fields.retain(|(key, _)| !inner.iter().any(|(known, _)| normalized_key(known) == normalized_key(key)));
        fields.extend(inner);
    }
    fields
}

/// The puzzle and the option that a field means. The option is `domain` if the field names the puzzle.
type Rule = (&'static str, &'static str);

/// The rule of each field. If the puzzle is not known and there is `maxMoves`, the level is one of Flood-It, and rules
/// of other puzzles are refused.
///
/// # Errors
/// When a field, also one inside another, is a rule that the puzzle does not have.
fn rules_of(fields: &[(String, Value)], context: &PuzzleContext) -> Result<Vec<Option<Rule>>, Mismatch> {
    /// What fields contain, or are, that look like rules. No puzzle here has them, except as said below.
    const OTHER_RULES: &str = "maxsteps solutionsteps target goal finalcol startcell startpos seedcell gravity wrap \
        torus toroidal periodic cyclic diagonal hex hexag topology neighbo connectiv adjacen directions wall barrier \
        obstacle mask locked blocked frozen forbidden weight rule variant mingroup";
    const OTHER_GAMES: [&str; 6] = ["tetris", "sokoban", "sudoku", "minesweeper", "bejeweled", "lights out"];
    let rule_of = |domain: Option<&str>, (key, value): &(String, Value)| {
        let key = normalized_key(key);
        // A number in `columns` is the width of the board, one in `score` is the score of a result.
        let is_width_or_score =
            matches!(value, Value::Number(_) | Value::Fraction(_)) && ["columns", "score"].contains(&&*key);
        let rules = context.rules.as_ref().filter(|_| *value != Value::Null && !is_width_or_score);
        rules?.rule_of_field(domain, &key, value.scalar().unwrap_or_default())
    };
    let of_caller = context.domain.as_ref().map(|name| ("domain".to_owned(), Value::Text(name.clone())));
    let naming = of_caller.as_ref().map_or(fields, std::slice::from_ref).iter();
    let domain = naming.filter_map(|field| rule_of(None, field)).find(|rule| rule.1 == "domain").map(|rule| rule.0);
    let rules: Vec<Option<Rule>> = fields.iter().map(|field| rule_of(domain, field)).collect();
    let has_max_moves = fields.iter().any(|field| MAX_MOVES_KEYS.contains(&&*normalized_key(&field.0)));
    let is_of_puzzle = |rule: &Rule| rule.1 == "domain" || domain.map_or(!has_max_moves, |known| known == rule.0);
    let is_level = has_max_moves || rules.iter().flatten().any(|rule| rule.1 != "domain" && is_of_puzzle(rule));
    let is_refused = |&((key, value), rule, is_inner): &(&(String, Value), Option<Rule>, bool)| {
        let (key, text) = (normalized_key(key), value.text().unwrap_or_default().to_lowercase());
        let begins = |names: &str| names.split(' ').any(|name| key.starts_with(name));
        let has = |names: &str| names.split(' ').any(|name| key == name || name.len() > 3 && key.contains(name));
        let falls = key == "gravity" && domain == Some("clickomania");
        let changes_nothing = match value {
            Value::Bool(is_on) => *is_on == falls || has("mask locked blocked frozen"),
            Value::Text(text) => text == "down" && falls,
            Value::Number(number) if number == "4" => has("neighbo connectiv directions"),
            Value::Number(number) => number == "0" && !begins("target goal final start"),
            Value::List(items) => items.is_empty(),
            value => *value == Value::Null,
        };
        // Of a level of Flood-It, the reader says that it ignores the target. A rule inside another field is not read.
        let is_accepted = rule.is_some_and(|rule| is_of_puzzle(&rule) && (!is_inner || rule.1 == "domain"))
            || has_max_moves && begins("target")
            || is_level && begins("maxsteps solutionsteps");
        let is_start = (value.text().is_none() || text.parse::<Start>().is_ok())
            && (key != "start" || is_inner && value.scalar().is_none());
        let is_cell = |item: &Value| item.list().map_or(matches!(item, Value::Number(_)), |cell| cell.len() == 2);
        let is_place = match value {
            Value::List(items) => items.first().is_some_and(is_cell),
            Value::Object(inner) => inner.iter().any(|(key, _)| ["x", "r", "row"].contains(&&*normalized_key(key))),
            _ => false,
        };
        let is_rule = rule.is_some()
            || has(OTHER_RULES)
            || begins("start") && is_start && !begins("started starttime startdate")
            || begins("origin position initial player source") && is_place
            || has("shape type grid tiling") && ["hex", "tor", "tri"].iter().any(|name| text.starts_with(name))
            || domain == Some("clickomania") && has("scoring bonus")
            || has("game puzzle") && OTHER_GAMES.contains(&&*text);
        !is_accepted && !changes_nothing && is_rule
    };
    // The fields, then those inside objects at any depth, except objects that say how colours look.
    let mut all: Vec<_> = fields.iter().zip(&rules).map(|(field, rule)| (field, *rule, false)).collect();
    let mut next = 0;
    while let Some(&((key, value), ..)) = all.get(next) {
        let inner = if let Value::Object(inner) = value { &inner[..] } else { &[] };
        let inner = inner.iter().filter(|_| !normalized_key(key).contains("colo"));
        all.extend(inner.map(|field| (field, rule_of(domain, field), true)));
        next += 1;
    }
    let refused = all.iter().filter(|field| is_refused(field));
    let found: Vec<&str> = refused.map(|((key, _), ..)| &**key).take(20).collect();
    if found.is_empty() {
        return Ok(rules.into_iter().map(|rule| rule.filter(is_of_puzzle)).collect());
    }
    let found = format!("{}, which the rules of the puzzle do not have", found.join(", "));
    Mismatch::fail(found, "a board without them; delete the fields to solve the board by the rules in docs/puzzles.md")
}

/// The fields with the number of moves that a level of Flood-It allows. Other levels have `maxsteps`.
const MAX_MOVES_KEYS: [&str; 3] = ["maxmoves", "movelimit", "moveslimit"];

/// The fields of a board, as the file has them.
#[derive(Default)]
struct BoardFields {
    name: Option<String>,
    rows: Option<usize>,
    cols: Option<usize>,
    colours: Option<Value>,
    symbols: Option<String>,
    start: Option<Start>,
    published_optimum: Option<u32>,
    layout: Option<JsonLayout>,
    cells: Option<Value>,
    bunny: Option<Vec<String>>,
    domain: Option<String>,
    settings: FileSettings,
    move_limit: Option<u32>,
    ignored: Vec<String>,
}

impl BoardFields {
    fn of(value: Value, context: &PuzzleContext) -> Result<Self, Mismatch> {
        let mut board_fields = Self::default();
        let Value::Object(fields) = value else {
            board_fields.cells = Some(value);
            return Ok(board_fields);
        };
        let rules = rules_of(&fields, context)?;
        let has_cells = fields.iter().any(|(key, value)| is_cells(key, value));
        let is_width =
            |(key, _): &(String, Value)| ["width", "cols", "columns", "size"].contains(&&*normalized_key(key));
        let has_width = fields.iter().any(is_width);
        for ((key, value), rule) in fields.into_iter().zip(rules) {
            match rule {
                Some((domain, option)) => {
                    let wrong = || Mismatch::new(format!("{key}: {}", value.describe()), "a text or a whole number");
                    let text = value.scalar().ok_or_else(wrong)?;
                    board_fields.domain.get_or_insert_with(|| domain.to_owned());
                    if option != "domain" || context.domain.is_none() {
                        board_fields.settings.add(option, if option == "domain" { domain } else { text });
                    }
                }
                None => board_fields.add(&key, value, has_cells, has_width)?,
            }
        }
        Ok(board_fields)
    }

    /// Adds a field. The text `board` is the name of the board if the object has cells, as results do; otherwise it is
    /// the cells if the object has a width.
    fn add(&mut self, key: &str, value: Value, has_cells: bool, has_width: bool) -> Result<(), Mismatch> {
        let wrong = |expected: &str| Mismatch::new(format!("{key}: {}", value.describe()), expected.to_owned());
        let positive = || value.whole_number().filter(|&n| n > 0_usize).ok_or_else(|| wrong("a whole number above 0"));
        let text = || value.text().map(str::to_owned).ok_or_else(|| wrong("a text"));
        if value == Value::Null {
            return Ok(());
        }
        let normalized = normalized_key(key);
        let is_board_of_cells = normalized == "board" && !has_cells && has_width && value.text().is_some();
        if is_cells(key, &value) || is_board_of_cells {
            if self.cells.is_some() {
                return Mismatch::fail(format!("cells in a second field, {key}"), "one field with cells");
            }
            self.cells = Some(value);
            return Ok(());
        }
        match normalized.as_str() {
            "name" | "title" => self.name = Some(text()?),
            "rows" | "height" => set_once(&mut self.rows, positive()?, key)?,
            "cols" | "columns" | "width" => set_once(&mut self.cols, positive()?, key)?,
            "size" => {
                let size = size(&value).ok_or_else(|| wrong("a size: a number, [rows, columns] or ROWSxCOLS"))?;
                set_once(&mut self.rows, size.0, key)?;
                set_once(&mut self.cols, size.1, key)?;
            }
            // An object says how colours look.
            "colours" | "colors" if matches!(value, Value::Object(_)) => self.ignored.push(key.to_owned()),
            "colours" | "colors" | "numcolours" | "numcolors" => set_once(&mut self.colours, value, key)?,
            "symbols" => self.symbols = Some(text()?),
            "start" => self.start = Some(start(&value).ok_or_else(|| wrong(EXPECTED_START))?),
            // 0 says that the optimum is not known.
            "published" => {
                let optimum = value.whole_number().ok_or_else(|| wrong("a whole number"))?;
                self.published_optimum = Some(optimum).filter(|&optimum| optimum > 0);
            }
            "layout" => {
                let mismatch = |error: OptionError| Mismatch::new(quote(&error.found), error.expected);
                self.layout = Some(text()?.parse().map_err(mismatch)?);
            }
            "bunny" => self.bunny = Some(texts(&value).ok_or_else(|| wrong("a list of rows"))?),
            "domain" => self.domain = Some(text()?),
            key if key == "maxsteps" || MAX_MOVES_KEYS.contains(&key) => {
                self.move_limit = Some(value.whole_number().ok_or_else(|| wrong("a whole number"))?)
            }
            "board" if has_cells => self.name = self.name.take().or(Some(text()?)),
            _ => self.ignored.push(key.to_owned()),
        }
        Ok(())
    }

    fn board(&mut self, options: &ReadOptions, name: &str) -> Result<Board, Mismatch> {
        let stated_name = self.name.take();
        let name = stated_name.as_deref().unwrap_or(name);
        if name.chars().any(char::is_control) {
            return Mismatch::fail(format!("the name {}", quote(name)), "a name without control characters");
        }
        match (self.cells.take(), &self.bunny) {
            (Some(cells), None) => self.coloured_board(cells, options, name),
            (None, Some(rows)) => bunny_board(rows, options, name),
            (Some(_), Some(_)) => Mismatch::fail("cells and bunny", "one of them"),
            (None, None) => Mismatch::fail("an object without cells", "cells, or bunny for a board of Hopping Bunny"),
        }
    }

    fn coloured_board(&self, cells: Value, options: &ReadOptions, name: &str) -> Result<Board, Mismatch> {
        let layout = options.json_layout.or(self.layout).unwrap_or_default();
        let (wanted_rows, wanted_cols) = options.size.unzip();
        let cells = Cells::of(cells, layout, wanted_rows.or(self.rows), wanted_cols.or(self.cols))?;
        let (rows, cols) = (cells.rows(), cells.cols());
        for (unit, stated_by, found, wanted) in [
            ("row", "the size in the object", rows, self.rows),
            ("column", "the size in the object", cols, self.cols),
            ("row", "the size asked for", rows, wanted_rows),
            ("column", "the size asked for", cols, wanted_cols),
        ] {
            if let Some(wanted) = wanted.filter(|&wanted| wanted != found) {
                let expected = format!("{}, as {stated_by} says", plural(wanted, unit));
                return Mismatch::fail(format!("{rows} x {cols} cells"), expected);
            }
        }
        let grid = cells.grid(self.declared_colours(options)?, options)?;
        let start = self.start.unwrap_or_default();
        check_start(start.cell(rows, cols), rows, cols)?;
        grid.finish(name, options.start.unwrap_or(start), Position::default()).map_err(in_cell)
    }

    /// The colours that the object declares.
    fn declared_colours(&self, options: &ReadOptions) -> Result<DeclaredColours, Mismatch> {
        let names = match (&self.colours, &self.symbols) {
            (Some(_), Some(_)) => return Mismatch::fail("colours and symbols", "one of them"),
            (None, Some(symbols)) => rising_symbols(symbols).ok_or_else(|| {
                Mismatch::new(format!("symbols {}", quote(symbols)), "digits, then letters, rising, each once")
            })?,
            (Some(list @ Value::List(_)), None) => {
                let mismatch = || Mismatch::new("colours: a list", "a list of names, or a number");
                let names = texts(list).ok_or_else(mismatch)?.into_iter();
                names.map(|name| colour_name(&name).unwrap_or(name)).collect()
            }
            (Some(count), None) => {
                let found = || format!("{} colours", count.describe());
                let mismatch = || Mismatch::new(found(), format!("1 to {MAX_COLOURS} colours"));
                let count = count.whole_number().filter(|count| (1..=MAX_COLOURS).contains(count));
                return count.map(DeclaredColours::Count).ok_or_else(mismatch);
            }
            (None, None) => return Ok(DeclaredColours::of_count(options.colours)),
        };
        if names.is_empty() || names.len() > MAX_COLOURS || first_repeat(&names).is_some() {
            let expected = format!("1 to {MAX_COLOURS} different names");
            return Mismatch::fail(format!("{} names of colours", names.len()), expected);
        }
        Ok(DeclaredColours::Names(names))
    }
}

/// A key in small letters, without hyphens, underscores and spaces.
fn normalized_key(key: &str) -> String {
    key.chars().filter(|c| !['-', '_', ' '].contains(c)).flat_map(char::to_lowercase).collect()
}

/// Whether a field of a JSON object holds the cells of a board. `is_list` says whether its value is a list; `text` is
/// the value if it is a text.
#[must_use]
pub fn is_cells_field(key: &str, is_list: bool, text: Option<&str>) -> bool {
    match normalized_key(key).as_str() {
        "cells" | "grid" => true,
        "board" => is_list || text.is_some_and(|text| text.contains('\n')),
        "rows" => is_list,
        _ => false,
    }
}

fn is_cells(key: &str, value: &Value) -> bool {
    is_cells_field(key, value.list().is_some(), value.text())
}

/// Sets a field that several keys may name. Fails when they have different values.
fn set_once<T: PartialEq>(slot: &mut Option<T>, value: T, key: &str) -> Result<(), Mismatch> {
    if slot.as_ref().is_some_and(|known| *known != value) {
        return Mismatch::fail(format!("another value in {key} than in a field of the same meaning"), "one value");
    }
    *slot = Some(value);
    Ok(())
}

fn size(value: &Value) -> Option<(usize, usize)> {
    let positive = |value: &Value| value.whole_number().filter(|n: &usize| *n > 0);
    match value {
        Value::List(items) if let [rows, cols] = &items[..] => Some((positive(rows)?, positive(cols)?)),
        Value::Text(text) => parse_size(text).ok(),
        side => positive(side).map(|side| (side, side)),
    }
}

const EXPECTED_START: &str = "[row, column] counted from 1, or the name of a corner or of the centre";

fn start(value: &Value) -> Option<Start> {
    match value {
        Value::Text(text) => text.parse().ok(),
        Value::List(items) if let [row, col] = &items[..] => {
            let from_one = |value: &Value| value.whole_number::<usize>()?.checked_sub(1);
            Some(Start::At(Cell { row: from_one(row)?, col: from_one(col)? }))
        }
        _ => None,
    }
}

/// The texts of a list of texts and whole numbers; `None` for any other value.
fn texts(value: &Value) -> Option<Vec<String>> {
    value.list()?.iter().map(|item| item.scalar().map(str::to_owned)).collect()
}

/// Reads the rows of the field `bunny`, which have the form of [`Format::Bunny`](crate::Format::Bunny).
fn bunny_board(rows: &[String], options: &ReadOptions, name: &str) -> Result<Board, Mismatch> {
    let in_square = |(row, column, mismatch): (usize, usize, Mismatch)| match column {
        0 => mismatch,
        _ => Mismatch { found: format!("{} in column {column} of row {}", mismatch.found, row + 1), ..mismatch },
    };
    bunny::parse_squares(rows.iter().map(String::as_str)).map_err(in_square)?.into_board(options, name)
}

/// Writes a board as one object on one line.
pub(crate) fn write(entry: &Entry, domain: Option<&str>, out: &mut impl Write) -> Result<(), WriteError> {
    let Entry { board, published_optimum } = entry;
    refuse_names(board, Format::Json, &DeclaredColours::Names(board.symbols().to_vec()))?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut fields = vec![format!("\"name\":{}", quoted(board.name()))];
    fields.extend(domain.map(|domain| format!("\"domain\":{}", quoted(domain))));
    let optimum = published_optimum.map(|optimum| format!("\"published\":{optimum}"));
    if board.is_bunny() {
        let rows: Vec<String> = bunny::row_texts(board).iter().map(|row| quoted(row)).collect();
        fields.extend(optimum);
        fields.push(format!("\"bunny\":[{}]", rows.join(",")));
    } else {
        let is_usual = board.symbols() == usual_symbols(board.colours());
        let are_symbols = rising_symbols(&board.symbols().concat()).as_deref() == Some(board.symbols());
        let row = |row: &[u8]| match (is_usual, are_symbols) {
            (true, _) => format!("[{}]", tokens_of(row, ",", |colour| (colour + 1).to_string())),
            (false, true) => quoted(&symbols_of(board, row)),
            (false, false) => format!("[{}]", tokens_of(row, ",", |colour| quoted(&board.symbols()[colour]))),
        };
        let rows: Vec<String> = board.cells().chunks(board.cols()).map(row).collect();
        fields.push(format!("\"rows\":{},\"cols\":{}", board.rows(), board.cols()));
        fields.push(match (is_usual, are_symbols) {
            (true, _) => format!("\"colours\":{}", board.colours()),
            (false, true) => format!("\"symbols\":{}", quoted(&board.symbols().concat())),
            (false, false) => format!("\"colours\":{}", serde_json::Value::from(board.symbols())),
        });
        fields.push(format!("\"start\":[{},{}]", board.start().row + 1, board.start().col + 1));
        fields.extend(optimum);
        fields.push(format!("\"cells\":[{}]", rows.join(",")));
    }
    writeln!(out, "{{{}}}", fields.join(","))?;
    Ok(())
}
