//! Game IDs: texts of one line with which other programs describe a board.
//!
//! | program | text |
//! |---|---|
//! | Flood, of Simon Tatham's puzzles | `WxHcNmL:cells,limit`: colours from 0, without separators |
//! | Same Game, of Simon Tatham's puzzles | `WxHcNsL:cells`: colours from 1, with commas |
//! | ColorFill | `;ColorFill;W;H;N;start;cells;step;steps;`: colours from 1; start: an index, or below 0 |
//!
//! In ColorFill a start below 0 is a corner or the centre. A [saved game](super::saved_game) of the first two programs
//! holds a game ID.

use super::saved_game;
use crate::formats::cells::grid::{Grid, check_size};
use crate::formats::cells::palette::DeclaredColours;
use crate::formats::input::board_source::BoardSource;
use crate::formats::input::line_source::Line;
use crate::formats::mismatch::{Mismatch, plural, quote};
use crate::{BoardError, Cell, Entry, MAX_CELLS, MAX_COLOURS, Start};
use std::io::BufRead;

/// What a game ID says.
struct Description<'a> {
    rows: usize,
    cols: usize,
    colours: Option<usize>,
    start: Start,
    cells: Vec<&'a str>,
    domain: &'static str,
    move_limit: Option<u32>,
}

impl Description<'_> {
    /// Checks that the description has as many cells as its size says, and not too many cells or colours.
    fn checked(self) -> Result<Self, Mismatch> {
        let (rows, cols, cells) = (self.rows, self.cols, self.cells.len());
        let product = rows.saturating_mul(cols);
        if product == 0 || product > MAX_CELLS {
            return Mismatch::fail(format!("{rows} x {cols} cells"), format!("1 to {MAX_CELLS} cells"));
        }
        if cells != product {
            return Mismatch::fail(plural(cells, "cell"), format!("{} ({rows} x {cols})", plural(product, "cell")));
        }
        if let Some(colours) = self.colours.filter(|colours| !(1..=MAX_COLOURS).contains(colours)) {
            return Mismatch::fail(format!("{colours} colours"), format!("1 to {MAX_COLOURS} colours"));
        }
        Ok(self)
    }
}

const COLORFILL: &str = ";ColorFill;";

/// Whether a line looks like a game ID, or begins a saved game, which holds one.
pub(crate) fn is_game_id(line: &Line) -> bool {
    looks_like_game_id(&line.text) || saved_game::begins(line)
}

/// Whether a text looks like a game ID, also with quotes around it, or words or the address of a page before it.
#[must_use]
pub fn looks_like_game_id(text: &str) -> bool {
    let text = bare_id(text);
    text.starts_with(COLORFILL) || split_parameters(text).is_some()
}

/// The game ID of a text, without quotes, and without words or the address of a page before it.
fn bare_id(text: &str) -> &str {
    let text = text.trim().trim_matches(['"', '\'', '`']);
    let text = text.rsplit_once(' ').map_or(text, |(_, last)| last);
    text.rsplit_once(".html#").map_or(text, |(_, id)| id)
}

/// Reads the next line, or the next saved game; `None` at the end of the input.
///
/// # Errors
/// When the line is no game ID, or the saved game has none. The next call reads the text after it.
pub(crate) fn read<R: BufRead>(source: &mut BoardSource<'_, R>) -> Result<Option<Entry>, BoardError> {
    let Some(line) = source.lines.next_line()? else { return Ok(None) };
    let saved = saved_game::begins(&line).then(|| saved_game::read(source.lines, &line)).transpose()?;
    let text = saved.as_ref().map_or(bare_id(&line.text), |saved| saved.id.as_str());
    let description =
        if let Some(rest) = text.strip_prefix(COLORFILL) { parse_colorfill(rest) } else { parse_tatham(text) };
    let description = description.or_else(|mismatch| source.fail(line.at(1), mismatch))?;
    let Description { rows, cols, colours, start, cells, domain, move_limit } = description;
    let mut grid = Grid::new(Some((rows, cols)), DeclaredColours::of_count(colours), source.options);
    for text in cells {
        grid.push_wrapping(text, line.at(1), false).map_err(|located| source.lines.error(located))?;
    }
    check_size((rows, cols), source.options.size).or_else(|mismatch| source.fail(line.at(1), mismatch))?;
    let entry = source.finish(grid, line.at(1), Some(start))?;
    source.findings.move_limit = move_limit;
    source.findings.domain.get_or_insert_with(|| domain.to_owned());
    if saved.is_some_and(|saved| saved.has_moves) {
        source.findings.ignore("MOVE".to_owned());
    }
    Ok(Some(entry))
}

/// Splits one of Tatham's descriptions at the colon, or at the `#` before a random seed. The part before it has the
/// width, the height, and letters with numbers.
fn split_parameters(text: &str) -> Option<(&str, &str)> {
    let (parameters, cells) = text.split_once([':', '#'])?;
    let is_parameter = |c: char| c.is_ascii_digit() || "xcmsr".contains(c);
    let are_parameters = parameters.starts_with(|c: char| c.is_ascii_digit()) && parameters.chars().all(is_parameter);
    (are_parameters && parameters.contains(|c: char| c.is_ascii_alphabetic())).then_some((parameters, cells))
}

/// The number after a letter of the parameters.
fn parameter(parameters: &str, letter: char) -> Option<usize> {
    let (_, rest) = parameters.split_once(letter)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn parse_tatham(text: &str) -> Result<Description<'_>, Mismatch> {
    const EXPECTED: &str = "a game ID WIDTHxHEIGHTcCOLOURSmMOVES:CELLS,LIMIT or WIDTHxHEIGHTcCOLOURSsSCORE:CELLS";
    let Some((parameters, rest)) = split_parameters(text) else { return Mismatch::fail(quote(text), EXPECTED) };
    if text[parameters.len()..].starts_with('#') {
        let expected = "a game ID with `:` and the cells, because the seed alone does not say them";
        return Mismatch::fail("a random seed", expected);
    }
    let width = parameters.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    let Some(width) = width.filter(|width| (1..=MAX_CELLS).contains(width)) else {
        return Mismatch::fail(quote(parameters), EXPECTED);
    };
    let height = parameter(parameters, 'x').unwrap_or(width);
    let colours = parameter(parameters, 'c');
    let is_same_game = parameters.contains('s');
    let (cells, move_limit, domain) = if is_same_game {
        (rest.split(',').map(str::trim).collect(), None, "clickomania")
    } else {
        let (cells, limit) = rest.split_once(',').unwrap_or((rest, ""));
        let wrong = |_| Mismatch::new(quote(limit), "a limit: a whole number");
        let limit = if limit.is_empty() { None } else { Some(limit.trim().parse().map_err(wrong)?) };
        (characters(cells.trim()), limit, "flood-it")
    };
    Description { rows: height, cols: width, colours, start: Start::TopLeft, cells, domain, move_limit }.checked()
}

fn parse_colorfill(rest: &str) -> Result<Description<'_>, Mismatch> {
    const EXPECTED: &str = "a game ID ;ColorFill;WIDTH;HEIGHT;COLOURS;START;CELLS;STEP;STEPS;";
    let fields: Vec<&str> = rest.split(';').map(str::trim).collect();
    let [width, height, colours, start, cells, ..] = fields[..] else { return Mismatch::fail(quote(rest), EXPECTED) };
    let number = |text: &str| text.parse().map_err(|_| Mismatch::new(quote(text), EXPECTED));
    let (cols, rows): (usize, usize) = (number(width)?, number(height)?);
    let colours: usize = number(colours)?;
    let start: i64 = start.parse().map_err(|_| Mismatch::new(quote(start), EXPECTED))?;
    let start = match start {
        -1 => Start::TopLeft,
        -2 => Start::TopRight,
        -3 => Start::BottomLeft,
        -4 => Start::BottomRight,
        -5 => Start::Centre,
        index => match usize::try_from(index).ok().filter(|_| cols > 0) {
            Some(index) => Start::At(Cell { row: index / cols, col: index % cols }),
            None => return Mismatch::fail(format!("start {index}"), "a cell, or -1 to -5 for a corner or the centre"),
        },
    };
    let cells = characters(cells);
    Description { rows, cols, colours: Some(colours), start, cells, domain: "flood-it", move_limit: None }.checked()
}

fn characters(text: &str) -> Vec<&str> {
    text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect()
}
