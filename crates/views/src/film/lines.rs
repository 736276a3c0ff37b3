//! A frame as lines of a terminal.

use super::Film;
use gridhunt_boards::{Frame, Mark, is_light};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::ops::Range;

/// The text of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellForm {
    /// The mark, the symbol, and a space.
    Wide,
    /// The mark and the symbol.
    Marked,
    /// The symbol; the style shows the mark.
    Narrow,
}

impl CellForm {
    /// All forms, the widest first.
    pub const ALL: [Self; 3] = [Self::Wide, Self::Marked, Self::Narrow];

    /// The columns of a cell.
    #[must_use]
    pub fn width(self, film: &Film) -> usize {
        film.label_width() + [2, 1, 0][self as usize]
    }
}

/// Draws these rows and columns of a frame, one line for each row. Without `has_colour`, styles have no colours.
#[must_use]
pub fn cell_lines(
    film: &Film,
    frame: &Frame,
    form: CellForm,
    has_colour: bool,
    (rows, cols): (Range<usize>, Range<usize>),
) -> Vec<Line<'static>> {
    let board_cols = film.size().1;
    let line = |row: usize| {
        cols.clone().map(|col| cell_span(film, frame, form, has_colour, row * board_cols + col)).collect::<Line<'_>>()
    };
    rows.map(line).collect()
}

/// Draws these rows and columns of a frame as colours only: a line for two rows, a column for each cell.
#[must_use]
pub fn half_block_lines(film: &Film, frame: &Frame, (rows, cols): (Range<usize>, Range<usize>)) -> Vec<Line<'static>> {
    let board_cols = film.size().1;
    let colour = |row: usize, col: usize| {
        let cell = (rows.contains(&row)).then(|| frame.cells.get(row * board_cols + col).copied().flatten()).flatten();
        cell.map(|cell| terminal_colour(film.colours[usize::from(cell)]))
    };
    let half = |row: usize, col: usize| match (colour(row, col), colour(row + 1, col)) {
        (Some(upper), Some(lower)) => Span::styled("▀", Style::default().fg(upper).bg(lower)),
        (Some(upper), None) => Span::styled("▀", Style::default().fg(upper)),
        (None, Some(lower)) => Span::styled("▄", Style::default().fg(lower)),
        (None, None) => Span::from(" "),
    };
    rows.clone().step_by(2).map(|row| cols.clone().map(|col| half(row, col)).collect()).collect()
}

fn terminal_colour(colour: u32) -> Color {
    let [_, red, green, blue] = colour.to_be_bytes();
    Color::Rgb(red, green, blue)
}

fn cell_span(film: &Film, frame: &Frame, form: CellForm, has_colour: bool, index: usize) -> Span<'static> {
    let mark = frame.marks.get(index).copied().unwrap_or_default();
    let cell = frame.cells.get(index).copied().flatten().map(usize::from);
    let label = cell.map_or_else(|| format!("{:>1$}", ".", film.label_width()), |cell| film.labels[cell].clone());
    let text = match form {
        CellForm::Wide => format!("{}{label} ", mark.character()),
        CellForm::Marked => format!("{}{label}", mark.character()),
        CellForm::Narrow => label,
    };
    let mut style = Style::default();
    if let (Some(cell), true) = (cell, has_colour) {
        let ink = if is_light(film.colours[cell]) { Color::Rgb(0, 0, 0) } else { Color::Rgb(255, 255, 255) };
        style = style.fg(ink).bg(terminal_colour(film.colours[cell]));
    }
    match (mark, form) {
        (Mark::None, _) => {}
        (Mark::Area, CellForm::Narrow) => style = style.add_modifier(Modifier::UNDERLINED),
        (Mark::Area, _) => style = style.add_modifier(Modifier::BOLD),
        (_, CellForm::Narrow) => style = style.add_modifier(Modifier::REVERSED),
        _ => style = style.add_modifier(Modifier::BOLD),
    }
    Span::styled(text, style)
}
