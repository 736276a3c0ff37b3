//! The screen of a game.

use super::game::TerminalGame;
use crate::views::film::{CellForm, Film, cell_lines};
use crate::views::watch::Styles;
use gridhunt_boards::plural;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};
use std::ops::Range;

/// The fewest columns for the text beside the board.
const MIN_TEXT_COLUMNS: u16 = 34;

/// The fewest rows for the text below the board.
const MIN_TEXT_ROWS: u16 = 6;

struct ScreenLayout {
    heading: Rect,
    board: Rect,
    text: Rect,
    keys: Rect,
    form: CellForm,
    rows: Range<usize>,
    cols: Range<usize>,
}

impl ScreenLayout {
    /// Places the text beside the board if there is room, otherwise below it. If the whole board has no room, the part
    /// around the cursor is visible.
    fn of(terminal_game: &TerminalGame, film: &Film, area: Rect) -> Self {
        let parts = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1)];
        let [heading, body, keys] = Layout::vertical(parts).areas(area);
        let (rows, cols) = film.size();
        let width_beside = usize::from(body.width.saturating_sub(MIN_TEXT_COLUMNS));
        let height_above_text = usize::from(body.height.saturating_sub(MIN_TEXT_ROWS));
        let fits = |form: &CellForm, width: usize| cols * form.width(film) <= width;
        let wide = CellForm::ALL.into_iter().find(|form| fits(form, width_beside) && rows <= usize::from(body.height));
        let (form, [board, text]) = if let Some(form) = wide {
            let width = (cols * form.width(film)) as u16 + 2;
            (form, Layout::horizontal([Constraint::Length(width), Constraint::Min(0)]).areas(body))
        } else {
            let height = rows.min(height_above_text) as u16;
            let form = CellForm::ALL.into_iter().find(|form| fits(form, body.width.into())).unwrap_or(CellForm::Narrow);
            (form, Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(body))
        };
        let window = |all: usize, room: usize, focus: usize| {
            let room = room.min(all);
            let first = focus.saturating_sub(room / 2).min(all - room);
            first..first + room
        };
        let rows = window(rows, board.height.into(), terminal_game.cursor / cols);
        let cols = window(cols, usize::from(board.width) / form.width(film).max(1), terminal_game.cursor % cols);
        Self { heading, board, text, keys, form, rows, cols }
    }
}

/// The cell at a column and a row of a screen of this size.
#[must_use]
pub fn cell_at(terminal_game: &TerminalGame, area: Rect, (x, y): (u16, u16)) -> Option<usize> {
    let film = Film::new(&terminal_game.board, vec![terminal_game.frame()]);
    let layout = ScreenLayout::of(terminal_game, &film, area);
    let (x, y) = (x.checked_sub(layout.board.x)?, y.checked_sub(layout.board.y)?);
    let row = layout.rows.start + usize::from(y);
    let col = layout.cols.start + usize::from(x) / layout.form.width(&film).max(1);
    (layout.rows.contains(&row) && layout.cols.contains(&col)).then(|| row * film.size().1 + col)
}

/// Draws the game into `area`.
pub fn draw(terminal_game: &TerminalGame, styles: Styles, area: Rect, buf: &mut Buffer) {
    let film = Film::new(&terminal_game.board, vec![terminal_game.frame()]);
    let layout = ScreenLayout::of(terminal_game, &film, area);
    let (head, keys) = (layout.heading, layout.keys);
    let game = &terminal_game.game;
    let title = format!("{}  {} x {}, {}", game.puzzle, game.rows, game.cols, plural(game.symbols.len(), "colour"));
    let name = format!("{} ", game.name);
    Line::from(vec![Span::styled(title, styles.heading()), Span::raw("  "), Span::styled(name, styles.dim())])
        .render(head, buf);
    draw_board(terminal_game, &film, &layout, styles, buf);
    draw_texts(terminal_game, styles, layout.text, buf);
    let texts = [
        "[1-9] colour  [arrows, enter, mouse] cell  [u]ndo [r]edo [a]gain  [h]int [o]ptimal here  [s]hare [n]ew [q]uit",
        "[1-9, enter] move  [u]ndo [r]edo [a]gain [h]int [o]ptimal [s]hare [n]ew [q]uit",
        "[u]ndo [r]edo [a]gain [h]int [o]ptimal [q]uit",
        "[u] [r] [a] [h] [o] [s] [n] [q]",
    ];
    let text = texts.into_iter().find(|text| text.len() <= usize::from(keys.width)).unwrap_or_default();
    Line::styled(text, styles.dim()).render(keys, buf);
}

fn draw_board(terminal_game: &TerminalGame, film: &Film, layout: &ScreenLayout, styles: Styles, buf: &mut Buffer) {
    let (area, form, cols) = (layout.board, layout.form, film.size().1);
    let (shown_rows, shown_cols) = (layout.rows.clone(), layout.cols.clone());
    let width = form.width(film).max(1);
    let lines = cell_lines(film, &film.frames()[0], form, styles.has_colour, (shown_rows.clone(), shown_cols.clone()));
    for (line, row) in lines.into_iter().zip(area.rows()) {
        line.render(row, buf);
    }
    let mut mark = |cell: usize, modifier: Modifier| {
        let (row, col) = (cell / cols, cell % cols);
        if shown_rows.contains(&row) && shown_cols.contains(&col) {
            let x = area.x + ((col - shown_cols.start) * width) as u16;
            let y = area.y + (row - shown_rows.start) as u16;
            for x in x..(x + width as u16).min(area.right()) {
                let style = buf[(x, y)].style().add_modifier(modifier);
                buf[(x, y)].set_style(style);
            }
        }
    };
    terminal_game.hint_cells().iter().for_each(|&cell| mark(cell, Modifier::UNDERLINED));
    mark(terminal_game.cursor, Modifier::REVERSED);
}

/// Draws the texts about the game; the moves, the last one first.
fn draw_texts(terminal_game: &TerminalGame, styles: Styles, area: Rect, buf: &mut Buffer) {
    let view = &terminal_game.view;
    let line = |head: &str, text: String| Line::from(vec![Span::styled(format!("{head} "), styles.dim()), text.into()]);
    let end = view.end.iter().map(|end| Line::styled(end.headline.clone(), styles.heading()));
    let mut lines: Vec<_> = end.collect();
    lines.extend([line("optimum", view.optimum.clone()), line("you", view.standing.clone())]);
    if let Some(last) = view.path.last() {
        lines.push(line("last move", format!("{}: {}", last.name, last.text)));
    }
    if !view.over {
        lines.push(line("here", view.here.clone()));
    }
    if let Some(hint) = view.hint.as_ref().filter(|_| terminal_game.shows_hint) {
        let proven = if hint.proven { "proven" } else { "best known" };
        lines.push(line("hint", format!("{} ({proven}); h again plays it", hint.name)));
    }
    if let Some(best) = terminal_game.best {
        lines.push(line("your best", format!("{best} {}", view.unit)));
    }
    if let Some(position) = terminal_game.next_search() {
        lines.push(line("searching", position.role.to_owned()));
    }
    if !terminal_game.message.is_empty() {
        lines.push(Line::styled(terminal_game.message.clone(), styles.best()));
    }
    if terminal_game.shows_verdicts {
        lines.extend(view.choices.iter().map(|choice| line(&choice.name, choice.text.clone())));
    }
    for (at, played) in view.path.iter().enumerate().rev() {
        lines.push(line(&format!("{:3}.", at + 1), format!("{}: {}", played.name, played.text)));
    }
    Paragraph::new(lines).wrap(Wrap { trim: false }).render(area, buf);
}
