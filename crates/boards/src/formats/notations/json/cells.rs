//! The cells of a board in JSON: lists of rows or columns, texts, or one list that is broken into rows.

use super::value::Value;
use crate::formats::cells::grid::{Grid, check_size, size_of_board};
use crate::formats::cells::palette::Declared;
use crate::formats::cells::symbol::EMPTY_NUMBER;
use crate::formats::problem::{Problem, plural};
use crate::{JsonLayout, Position, ReadOptions};

/// The texts of the cells, row by row. `None` is an empty cell.
pub(crate) struct Cells {
    rows: Vec<Vec<Option<String>>>,
    /// Whether each text is one character of a longer text.
    are_symbols: bool,
}

impl Cells {
    /// Arranges the cells of `value`. `size` has the rows and the columns that the file or the caller names.
    pub fn of(value: Value, layout: JsonLayout, size: (Option<usize>, Option<usize>)) -> Result<Self, Problem> {
        let (lists, are_symbols) = lists(value, size, layout)?;
        let rows = if layout == JsonLayout::Rows { lists } else { rows_of_columns(lists, layout, size.0)? };
        Ok(Self { rows, are_symbols })
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn cols(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Checks the cells. Messages name row and column, because the parser of JSON keeps no positions.
    pub fn grid(&self, declared: Declared, options: &ReadOptions) -> Result<Grid, Problem> {
        let mut grid = Grid::new(None, declared, options);
        for (row, texts) in (1..).zip(&self.rows) {
            let in_row = |problem: Problem| Problem { found: format!("{} in row {row}", problem.found), ..problem };
            if texts.len() != self.cols() {
                let expected = format!("{} in every row; or --json-layout columns-up", plural(self.cols(), "cell"));
                return Err(in_row(Problem::new(format!("a row of {}", plural(texts.len(), "cell")), expected)));
            }
            for (col, text) in (1..).zip(texts) {
                let text = text.as_deref().unwrap_or(EMPTY_NUMBER);
                let at = Position { line: row, column: col };
                grid.push(text, at, self.are_symbols).map_err(|problem| in_cell(at, problem))?;
            }
            grid.end_row().map_err(in_row)?;
        }
        Ok(grid)
    }
}

/// A problem with the row and the cell where it is.
pub(crate) fn in_cell(at: Position, problem: Problem) -> Problem {
    Problem { found: format!("{} in row {}, cell {}", problem.found, at.line, at.column), ..problem }
}

type Lists = Vec<Vec<Option<String>>>;

/// The lists of `value`, and whether they come from texts.
fn lists(
    value: Value,
    (rows, cols): (Option<usize>, Option<usize>),
    layout: JsonLayout,
) -> Result<(Lists, bool), Problem> {
    let items = match value {
        Value::Text(text) => {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let lists = match lines[..] {
                [only] => broken(characters(only), rows, cols)?,
                _ => lines.into_iter().map(characters).collect(),
            };
            return Ok((lists, true));
        }
        Value::List(items) => items,
        other => return Problem::fail(other.describe(), "a list of rows"),
    };
    if items.is_empty() {
        let what = if layout == JsonLayout::Rows { "row" } else { "column" };
        return Problem::fail("an empty list", format!("at least one {what}"));
    }
    if items.iter().all(|item| matches!(item, Value::Text(_))) && !is_row_of_cells(&items, cols) {
        let text = |item: &Value| if let Value::Text(text) = item { characters(text) } else { Vec::new() };
        return Ok((items.iter().map(text).collect(), true));
    }
    if items.iter().all(|item| !matches!(item, Value::List(_))) {
        let cells = items.iter().map(cell).collect::<Result<_, _>>()?;
        return Ok((broken(cells, rows, cols)?, false));
    }
    let list = |item: &Value| match item {
        Value::List(cells) => cells.iter().map(cell).collect::<Result<Vec<_>, _>>(),
        Value::Text(text) => Ok(characters(text)),
        other => Problem::fail(other.describe(), "a row: a text of symbols or a list of cells"),
    };
    let are_symbols = items.iter().all(|item| matches!(item, Value::Text(_)));
    Ok((items.iter().map(list).collect::<Result<_, _>>()?, are_symbols))
}

/// Whether a list of texts is one list of cells that the width breaks into rows.
fn is_row_of_cells(items: &[Value], cols: Option<usize>) -> bool {
    let is_short = |item: &Value| matches!(item, Value::Text(text) if text.chars().count() != cols.unwrap_or(0));
    cols.is_some_and(|cols| cols < items.len()) && items.iter().all(is_short)
}

fn characters(text: &str) -> Vec<Option<String>> {
    let separators = [' ', '\t', ',', ';'];
    if text.trim().contains(separators) {
        return text.split(separators).filter(|text| !text.is_empty()).map(|text| Some(text.to_owned())).collect();
    }
    let mut texts: Vec<Option<String>> = Vec::new();
    for c in text.chars() {
        match texts.last_mut() {
            Some(Some(last)) if c == crate::formats::cells::colour_names::VARIATION_SELECTOR => last.push(c),
            _ => texts.push(Some(c.to_string())),
        }
    }
    texts
}

/// The text of a cell.
fn cell(value: &Value) -> Result<Option<String>, Problem> {
    match value {
        Value::Null => Ok(None),
        Value::Number(text) => Ok(Some(text.clone())),
        Value::Text(text) => Ok(Some(text.trim().to_owned())),
        other => {
            Problem::fail(other.describe(), "a colour: a whole number, a symbol or a name; null for an empty cell")
        }
    }
}

/// Breaks one list of cells into rows.
fn broken(cells: Vec<Option<String>>, rows: Option<usize>, cols: Option<usize>) -> Result<Lists, Problem> {
    let of_rows = |rows: usize| (rows > 0 && cells.len().is_multiple_of(rows)).then(|| cells.len() / rows);
    let cols = match (rows, cols) {
        (_, Some(cols)) if cols > 0 && cells.len().is_multiple_of(cols) => Some(cols),
        (Some(rows), None) => of_rows(rows),
        _ => None,
    };
    match cols.filter(|_| !cells.is_empty()) {
        Some(cols) => Ok(cells.chunks(cols).map(<[_]>::to_vec).collect()),
        None => Problem::fail(
            format!("one list of {}", plural(cells.len(), "cell")),
            "a list of rows, or a field `width` that divides the list (or --size ROWSxCOLS)",
        ),
    }
}

/// Makes rows of columns. There are as many rows as the longest column has cells, and at least `rows`; empty cells fill
/// short columns at the top.
fn rows_of_columns(columns: Lists, layout: JsonLayout, rows: Option<usize>) -> Result<Lists, Problem> {
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    if tallest == 0 {
        return Problem::fail("columns without cells", "at least one cell");
    }
    let (rows, cols) = (rows.unwrap_or(tallest).max(tallest), columns.len());
    check_size((rows, cols), None)?;
    let mut lists = vec![vec![None; cols]; rows];
    for (col, cells) in columns.into_iter().enumerate() {
        let length = cells.len();
        for (at, cell) in cells.into_iter().enumerate() {
            let row = if layout == JsonLayout::ColumnsUp { rows - 1 - at } else { rows - length + at };
            lists[row][col] = cell;
        }
    }
    Ok(lists)
}

/// Refuses lists of lists of numbers that may be one board with several numbers for each cell: red, green and blue, or
/// a 1 for its colour and a 0 for every other one.
pub(crate) fn refuse_channels(items: &[Value]) -> Result<(), Problem> {
    let list = |value: &Value| if let Value::List(items) = value { Some(items.clone()) } else { None };
    let row = |row: &Value| list(row)?.iter().map(Value::whole).collect::<Option<Vec<usize>>>();
    let plane = |plane: &Value| list(plane)?.iter().map(row).collect::<Option<Vec<_>>>();
    let planes: Vec<_> = items.iter().map_while(plane).collect();
    let (rows, cols) = planes.first().map_or((0, 0), |plane| (plane.len(), plane.first().map_or(0, Vec::len)));
    let is_even = |plane: &Vec<Vec<usize>>| plane.len() == rows && plane.iter().all(|row| row.len() == cols);
    if planes.len() < items.len().max(2) || rows.min(cols) < 2 || !planes.iter().all(is_even) {
        return Ok(());
    }
    let largest = planes.iter().flatten().flatten().copied().max();
    let sum = |cell: (usize, usize)| planes.iter().map(|plane| plane[cell.0][cell.1]).sum::<usize>();
    let are_planes = || (0..rows * cols).all(|at| sum((at / cols, at % cols)) == 1);
    let are_one_hot = || are_planes() || planes.iter().flatten().all(|row| row.iter().sum::<usize>() == 1);
    let several = "or each of several boards as a JSON value of its own";
    match largest {
        Some(1) if are_one_hot() => {
            let found = "lists in which each cell is 1 once: one-hot planes of one board, or several boards";
            Problem::fail(found, format!("one number for each cell (as argmax of numpy gives), {several}"))
        }
        Some(36..=255) if (3..=4).contains(&cols) => {
            let found = format!("lists of {cols} numbers up to 255: colours of one board in RGB, or several boards");
            Problem::fail(found, format!("one text for each cell, such as \"#ff0000\" for 255, 0, 0; {several}"))
        }
        _ => Ok(()),
    }
}

/// The boards of a list: one board if its items are rows, otherwise one for each item.
///
/// # Errors
/// When the list is empty, or some of its items are boards and others are not.
pub(crate) fn boards_of_list(items: Vec<Value>, size: Option<(usize, usize)>) -> Result<Vec<Value>, Problem> {
    let is_board = |item: &Value| match item {
        Value::Object(_) => true,
        Value::List(rows) => rows.first().is_some_and(|row| matches!(row, Value::List(_))),
        Value::Text(text) => text.trim().contains('\n'),
        _ => false,
    };
    if items.is_empty() {
        return Problem::fail("an empty list", "at least one board");
    }
    if items.iter().all(is_board) {
        return Ok(items);
    }
    if items.iter().any(is_board) {
        return Problem::fail("a list of boards and other values", "a list of boards, or a list of rows");
    }
    let length = |item: &Value| match item {
        Value::List(cells) => cells.len(),
        Value::Text(text) => text.chars().count(),
        _ => 0,
    };
    let lengths: Vec<usize> = items.iter().map(length).collect();
    let is_flat = |&length: &usize| length > 1 && size_of_board(length, size).is_some();
    if !lengths.iter().all(is_flat) {
        return Ok(vec![Value::List(items)]);
    }
    let (rows, cols) = (items.len(), lengths[0]);
    let are_rows = lengths.iter().all(|&length| length == cols) && size.is_none_or(|size| size == (rows, cols));
    let sides = |length: usize| size.unwrap_or((length.isqrt(), length.isqrt()));
    match are_rows {
        // A list of lists is rows, unless a size says that each item is a board whose rows stand behind each other.
        true => Ok(vec![Value::List(items)]),
        false => {
            let flat = |(item, length): (Value, usize)| {
                let (rows, cols) = sides(length);
                let size =
                    [("rows", rows), ("cols", cols)].map(|(key, n)| (key.to_owned(), Value::Number(n.to_string())));
                Value::Object(size.into_iter().chain([("cells".to_owned(), item)]).collect())
            };
            Ok(items.into_iter().zip(lengths).map(flat).collect())
        }
    }
}
