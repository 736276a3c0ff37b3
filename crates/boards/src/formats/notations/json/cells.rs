//! The cells of a board in JSON: lists of rows or columns, texts, or one list that is broken into rows.

use super::value::Value;
use crate::formats::cells::colour_names::VARIATION_SELECTOR;
use crate::formats::cells::grid::{Grid, check_size, size_of_board};
use crate::formats::cells::palette::DeclaredColours;
use crate::formats::cells::symbol::{EMPTY_NUMBER, number};
use crate::formats::input::foreign_text::are_coordinates;
use crate::formats::mismatch::{LocatedMismatch, Mismatch, plural};
use crate::{JsonLayout, Position, ReadOptions};

/// The texts of the cells in rows or columns. `None` is an empty cell.
type Lists = Vec<Vec<Option<String>>>;

/// The texts of the cells, row by row.
pub(super) struct Cells {
    rows: Lists,
    /// Whether each text is one character of a longer text.
    are_characters: bool,
}

impl Cells {
    /// Arranges the cells of `value`. `rows` and `cols` are the numbers that the file or the caller names.
    pub fn of(value: Value, layout: JsonLayout, rows: Option<usize>, cols: Option<usize>) -> Result<Self, Mismatch> {
        let mut cells = Self::lists_of(value, layout, rows, cols)?;
        if layout != JsonLayout::Rows {
            cells.rows = rows_of_columns(cells.rows, layout, rows)?;
        }
        if rows.is_none() || cols.is_none() { cells.without_other_data() } else { Ok(cells) }
    }

    /// Refuses numbers that may be rows of cells, and rows that may be the row, the column and the colour of each cell.
    fn without_other_data(self) -> Result<Self, Mismatch> {
        let is_line = self.rows().min(self.cols()) == 1 && self.rows().max(self.cols()) > 1;
        let is_long = |text: &Option<String>| text.as_deref().and_then(number) > Some(99);
        let is_hexadecimal = |row: &Vec<Option<String>>| row.iter().flatten().take(2).eq(["0", "x"]);
        if is_line && self.rows.iter().flatten().all(is_long) || self.rows.iter().all(is_hexadecimal) {
            return Mismatch::fail("numbers that may be rows", "each row as a text: \"112\" (or --size ROWSxCOLS)");
        }
        let cells = self.rows.iter().flatten().map(|text| text.as_deref().and_then(number).unwrap_or(u8::MAX));
        if self.rows.iter().all(|row| row.len() == 3) && are_coordinates(&cells.collect::<Vec<_>>()) {
            let found = "lists that may be the row, the column and the colour of each cell";
            return Mismatch::fail(found, "a list of cells for each row (or --size ROWSxCOLS)");
        }
        Ok(self)
    }

    /// The lists of `value`: rows, or columns if `layout` says so.
    fn lists_of(value: Value, layout: JsonLayout, rows: Option<usize>, cols: Option<usize>) -> Result<Self, Mismatch> {
        let items = match value {
            Value::Text(text) => {
                let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                let rows = match lines[..] {
                    [only] => break_into_rows(&characters(only), rows, cols)?,
                    _ => lines.into_iter().map(characters).collect(),
                };
                return Ok(Self { rows, are_characters: true });
            }
            Value::List(items) => items,
            other => return Mismatch::fail(other.describe(), "a list of rows"),
        };
        if items.is_empty() {
            let what = if layout == JsonLayout::Rows { "row" } else { "column" };
            return Mismatch::fail("an empty list", format!("at least one {what}"));
        }
        let are_texts = items.iter().all(|item| item.text().is_some());
        if items.iter().all(|item| item.list().is_none()) && (!are_texts || is_flat_list_of_cells(&items, cols)) {
            let cells: Vec<_> = items.iter().map(text_of_cell).collect::<Result<_, _>>()?;
            return Ok(Self { rows: break_into_rows(&cells, rows, cols)?, are_characters: false });
        }
        let list = |item: &Value| match item {
            Value::List(cells) => cells.iter().map(text_of_cell).collect::<Result<Vec<_>, _>>(),
            Value::Text(text) => Ok(characters(text)),
            other => Mismatch::fail(other.describe(), "a row: a text of symbols or a list of cells"),
        };
        Ok(Self { rows: items.iter().map(list).collect::<Result<_, _>>()?, are_characters: are_texts })
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn cols(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Checks the cells. Messages name row and column, because the parser of JSON keeps no positions.
    pub fn grid(&self, declared: DeclaredColours, options: &ReadOptions) -> Result<Grid, Mismatch> {
        let mut grid = Grid::new(None, declared, options);
        for (row, texts) in (1..).zip(&self.rows) {
            let in_row = |wrong: Mismatch| Mismatch { found: format!("{} in row {row}", wrong.found), ..wrong };
            if texts.len() != self.cols() {
                let expected = format!("{} in every row, or --json-layout columns-up", plural(self.cols(), "cell"));
                return Err(in_row(Mismatch::new(format!("a row of {}", plural(texts.len(), "cell")), expected)));
            }
            for (col, text) in (1..).zip(texts) {
                let text = text.as_deref().unwrap_or(EMPTY_NUMBER);
                grid.push(text, Position { line: row, column: col }, self.are_characters).map_err(in_cell)?;
            }
            grid.end_row(Position::default()).map_err(|located| in_row(located.mismatch))?;
        }
        Ok(grid)
    }
}

/// Adds the row and the cell to the message, if the mismatch has a position.
pub(super) fn in_cell(LocatedMismatch { at, mismatch }: LocatedMismatch) -> Mismatch {
    match at {
        Position { line: 0, .. } => mismatch,
        _ => Mismatch { found: format!("{} in row {}, cell {}", mismatch.found, at.line, at.column), ..mismatch },
    }
}

/// Whether each text of a list is one cell, so that rows of `cols` cells follow each other in the list.
fn is_flat_list_of_cells(items: &[Value], cols: Option<usize>) -> bool {
    let is_short = |item: &Value| item.text().is_some_and(|text| text.chars().count() != cols.unwrap_or(0));
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
            Some(Some(last)) if c == VARIATION_SELECTOR => last.push(c),
            _ => texts.push(Some(c.to_string())),
        }
    }
    texts
}

/// The text of a cell.
fn text_of_cell(value: &Value) -> Result<Option<String>, Mismatch> {
    match value {
        Value::Null => Ok(None),
        Value::Number(text) => Ok(Some(text.clone())),
        Value::Text(text) => Ok(Some(text.trim().to_owned())),
        odd => Mismatch::fail(odd.describe(), "a colour: a whole number, a symbol or a name; null for an empty cell"),
    }
}

/// Breaks one list of cells into rows.
fn break_into_rows(cells: &[Option<String>], rows: Option<usize>, cols: Option<usize>) -> Result<Lists, Mismatch> {
    let of_rows = |rows: usize| (rows > 0 && cells.len().is_multiple_of(rows)).then(|| cells.len() / rows);
    let cols = match (rows, cols) {
        (_, Some(cols)) if cols > 0 && cells.len().is_multiple_of(cols) => Some(cols),
        (Some(rows), None) => of_rows(rows),
        _ => None,
    };
    match cols.filter(|_| !cells.is_empty()) {
        Some(cols) => Ok(cells.chunks(cols).map(<[_]>::to_vec).collect()),
        None => Mismatch::fail(
            format!("one list of {}", plural(cells.len(), "cell")),
            "a list of rows, or a field `width` that divides the list (or --size ROWSxCOLS)",
        ),
    }
}

/// Turns columns into rows. There are as many rows as the longest column has cells, and at least `rows`; empty cells
/// fill short columns at the top.
fn rows_of_columns(columns: Lists, layout: JsonLayout, rows: Option<usize>) -> Result<Lists, Mismatch> {
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    if tallest == 0 {
        return Mismatch::fail("columns without cells", "at least one cell");
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

/// Refuses nested lists of numbers that may be one board: red, green and blue or one number in a list for each cell, or
/// a 1 for the colour of the cell and a 0 for every other colour. The size of each board settles it.
pub(super) fn refuse_channels(items: &[Value], size: Option<(usize, usize)>) -> Result<(), Mismatch> {
    let row = |row: &Value| row.list()?.iter().map(Value::whole_number).collect::<Option<Vec<u8>>>();
    let plane = |plane: &Value| plane.list()?.iter().map(row).collect::<Option<Vec<_>>>();
    let planes: Vec<_> = items.iter().map_while(plane).collect();
    let (rows, cols) = planes.first().map_or((0, 0), |plane| (plane.len(), plane.first().map_or(0, Vec::len)));
    let is_even = |plane: &Vec<Vec<u8>>| plane.len() == rows && plane.iter().all(|row| row.len() == cols);
    if planes.len() < items.len().max(2) || !planes.iter().all(is_even) || size == Some((rows, cols)) {
        return Ok(());
    }
    let in_planes = |at: usize| planes.iter().map(|plane| usize::from(plane[at / cols][at % cols])).sum::<usize>();
    let in_row = |row: &Vec<u8>| row.iter().copied().map(usize::from).sum::<usize>();
    let are_one_hot =
        (0..rows * cols).all(|at| in_planes(at) == 1) || planes.iter().flatten().all(|row| in_row(row) == 1);
    let several = format!("or each of several boards as a JSON value of its own (or --size {rows}x{cols})");
    if are_one_hot && rows.min(cols) > 1 {
        let found = "lists in which each cell is 1 once: one-hot planes of one board, or several boards";
        return Mismatch::fail(found, format!("one number for each cell (as argmax of numpy gives), {several}"));
    }
    if ![1, 3, 4].contains(&cols) {
        return Ok(());
    }
    let found =
        format!("lists of {}: cells of one board, such as colours in RGB, or several boards", plural(cols, "number"));
    Mismatch::fail(found, format!("one number or one text for each cell, such as \"#ff0000\" for 255, 0, 0; {several}"))
}

/// The boards of a list: one board if its items are rows, otherwise one for each item.
///
/// # Errors
/// When the list is empty, or some of its items are boards and others are not.
pub(super) fn boards_of_list(items: Vec<Value>, size: Option<(usize, usize)>) -> Result<Vec<Value>, Mismatch> {
    let is_board = |item: &Value| match item {
        Value::Object(_) => true,
        Value::List(rows) => rows.first().is_some_and(|row| row.list().is_some()),
        Value::Text(text) => text.trim().contains('\n'),
        _ => false,
    };
    if items.is_empty() {
        return Mismatch::fail("an empty list", "at least one board");
    }
    if items.iter().all(is_board) {
        return Ok(items);
    }
    if items.iter().any(is_board) {
        return Mismatch::fail("a list of boards and other values", "a list of boards, or a list of rows");
    }
    let characters = |item: &Value| item.text().map_or(0, |text| text.chars().count());
    let length = |item: &Value| item.list().map_or_else(|| characters(item), <[_]>::len);
    let lengths: Vec<usize> = items.iter().map(length).collect();
    let (rows, cols) = (items.len(), lengths[0]);
    // A list of lists is a list of rows, unless a size says that each item is a board whose rows follow each other in
    // one list.
    let are_rows = lengths.iter().all(|&length| length == cols) && size.is_none_or(|size| size == (rows, cols));
    let sizes = lengths.into_iter().map(|length| size_of_board(length, size).filter(|_| length > 1));
    let sizes: Option<Vec<(usize, usize)>> = sizes.collect();
    let Some(sizes) = sizes.filter(|_| !are_rows) else { return Ok(vec![Value::List(items)]) };
    let number = |key: &str, number: usize| (key.to_owned(), Value::Number(number.to_string()));
    let fields = |(cells, (rows, cols))| vec![number("rows", rows), number("cols", cols), ("cells".to_owned(), cells)];
    Ok(items.into_iter().zip(sizes).map(fields).map(Value::Object).collect())
}
