//! [`Format::Lines`]: one board in each line, row after row, perhaps with blanks between the rows.

use crate::formats::cells::colour_names::colour_name;
use crate::formats::cells::grid::{Grid, size_of_board};
use crate::formats::cells::palette::{DeclaredColours, is_cell};
use crate::formats::cells::symbol::number_with_point;
use crate::formats::cells::writing::{refuse_start, refuse_unsorted, symbols_of};
use crate::formats::input::board_source::{BoardSource, Part};
use crate::formats::input::row::{Separator, cells};
use crate::formats::mismatch::{Mismatch, plural, quote};
use crate::{Board, BoardError, Entry, Format, MAX_CELLS, WriteError};
use std::io::{BufRead, Write};

/// Reads the next board; `None` at the end of the input.
///
/// # Errors
/// When the line is no board. The next call reads the next line.
pub(crate) fn read<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
    let Some(line) = source.lines.next_line()? else { return Ok(None) };
    let separator = Separator::of(&line);
    let mut texts = cells(&line, separator);
    let is_trailing = |(_, text): &(usize, &str)| text.is_empty() && source.options.empty_symbol.as_deref() != Some("");
    if texts.len() > 1 && texts.last().is_some_and(is_trailing) {
        texts.pop();
    }
    let (wanted, count) = (source.options.size, texts.len());
    let size = size_of_board(count, wanted).filter(|_| count <= MAX_CELLS);
    // A word may be one cell or a row of cells. Words that may be cells are read as rows only if no board has as many
    // cells as there are words, and if the file has no other line or the caller names this format.
    let is_format_named = source.options.format == Some(Format::Lines);
    let mut is_only_line = || source.number == 1 && source.lines.is_over();
    let rows = rows_in_words(&texts).map(|cells| ((count, cells.len() / count), cells));
    let rows = rows.filter(|(size, _)| wanted.is_none_or(|wanted| wanted == *size));
    let rows = rows.filter(|_| !is_cell(texts[0].1) || (size.is_none() && (is_format_named || is_only_line())));
    let are_characters = separator == Separator::None || rows.is_some();
    let Some((size, texts)) = rows.or_else(|| Some((size?, texts))) else {
        return source.fail(line.end(), wrong_length(count, wanted));
    };
    source.part = Part::Cells;
    let mut grid = Grid::new(Some(size), DeclaredColours::of_count(source.options.colours), source.options);
    for (column, text) in texts {
        if text.contains(',') {
            // In other formats, a comma may be a decimal comma. Here the two numbers may also be two cells.
            return source.lines.fail(line.at(column), quote(text), "a cell without a comma");
        }
        let pushed = grid.push_wrapping(text, line.at(column), are_characters);
        pushed.map_err(|located| source.lines.error(located))?;
    }
    source.entry(grid, line.at(line.first_column()), None, &source.numbered_name()).map(Some)
}

/// The cells of words that all have the same length and may be rows, as in `123 321`.
fn rows_in_words<'a>(words: &[(usize, &'a str)]) -> Option<Vec<(usize, &'a str)>> {
    let cols = words.first()?.1.len();
    let is_symbol = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
    let is_name = |text: &str| number_with_point(text).is_some() || colour_name(text).is_some();
    let is_row = |text: &str| text.len() == cols && text.bytes().all(is_symbol) && !is_name(text);
    let cells = |&(column, word): &(usize, &'a str)| (0..cols).map(move |at| (column + at, &word[at..=at]));
    let are_rows = cols.min(words.len()) > 1 && words.iter().all(|(_, word)| is_row(word));
    are_rows.then(|| words.iter().flat_map(cells).collect())
}

fn wrong_length(cells: usize, size: Option<(usize, usize)>) -> Mismatch {
    let expected = match size {
        _ if cells > MAX_CELLS => format!("a board of at most {MAX_CELLS} cells"),
        Some((rows, cols)) => format!("{} for a board of {rows} x {cols}", plural(rows.saturating_mul(cols), "cell")),
        None => "as many cells as a square board has, or --size ROWSxCOLS".into(),
    };
    Mismatch::new(plural(cells, "cell"), expected)
}

/// Writes a board on one line.
pub(crate) fn write(board: &Board, out: &mut impl Write) -> Result<(), WriteError> {
    refuse_unsorted(board, Format::Lines)?;
    refuse_start(board, Format::Lines)?;
    writeln!(out, "{}", symbols_of(board, board.cells()))?;
    Ok(())
}
