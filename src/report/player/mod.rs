//! Plays solutions on the whole screen of a terminal, step by step or by itself.

#[cfg(test)]
mod tests;

use super::film::{Film, Form, cell_lines};
use super::watch::{Key, Styles};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;
use std::ops::Range;

/// The steps of a leap.
const LEAP: usize = 10;

/// Films, and which frame of which one is shown.
#[derive(Clone, Debug)]
pub struct Player {
    films: Vec<Film>,
    /// The film that is shown.
    film: usize,
    /// The frame that is shown.
    at: usize,
    plays: bool,
}

impl Player {
    /// Shows the first frame of the first film.
    #[must_use]
    pub fn new(films: Vec<Film>) -> Self {
        Self { films, film: 0, at: 0, plays: false }
    }

    /// Whether the film runs by itself.
    #[must_use]
    pub fn plays(&self) -> bool {
        self.plays
    }

    /// The number of the last frame.
    fn last(&self) -> usize {
        self.films.get(self.film).map_or(0, |film| film.frames().len().saturating_sub(1))
    }

    /// Shows the next frame of a film that runs by itself. The film stops at its end.
    pub fn tick(&mut self) {
        if self.plays {
            self.go(self.at + 1);
            self.plays = self.at < self.last();
        }
    }

    fn go(&mut self, frame: usize) {
        self.at = frame.min(self.last());
    }

    fn open(&mut self, film: usize) {
        if film < self.films.len() && film != self.film {
            (self.film, self.at, self.plays) = (film, 0, false);
        }
    }

    /// Handles a key. Returns whether the view shall end.
    pub fn press(&mut self, key: Key) -> bool {
        match key {
            Key::Letter('q') | Key::Escape => return true,
            Key::Letter(' ') => {
                // At the end the film begins anew.
                if !self.plays && self.at == self.last() {
                    self.at = 0;
                }
                self.plays = !self.plays && self.last() > 0;
                return false;
            }
            Key::Letter('n') => self.open(self.film + 1),
            Key::Letter('p') => self.open(self.film.wrapping_sub(1)),
            Key::Right => self.go(self.at + 1),
            Key::Left => self.go(self.at.saturating_sub(1)),
            Key::Down => self.go(self.at + LEAP),
            Key::Up => self.go(self.at.saturating_sub(LEAP)),
            Key::PageDown => self.go(self.last()),
            Key::PageUp => self.go(0),
            Key::Letter(_) | Key::Enter => return false,
        }
        self.plays = false;
        false
    }
}

/// Draws the frame that is shown into `area`.
pub fn draw(player: &Player, styles: Styles, area: Rect, buf: &mut Buffer) {
    let rows = [
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [name, caption, board, bar, keys] = Layout::vertical(rows).areas(area);
    let Some(film) = player.films.get(player.film) else { return };
    let Some(frame) = film.frames().get(player.at) else { return };
    Line::from(frame.caption.clone()).render(caption, buf);
    let form = Form::ALL.into_iter().find(|form| film.size().1 * form.width(film) <= usize::from(board.width));
    let form = form.unwrap_or(Form::Narrow);
    let (rows, cols) = film.size();
    let focus = Film::focus(frame).unwrap_or(0);
    let shown_rows = window(rows, board.height.into(), focus / cols);
    let shown_cols = window(cols, usize::from(board.width) / form.width(film).max(1), focus % cols);
    draw_name(player, film, (&shown_rows, &shown_cols), styles, name, buf);
    let lines = cell_lines(film, frame, form, styles.colour, (shown_rows, shown_cols));
    for (line, row) in lines.into_iter().zip(board.rows()) {
        line.render(row, buf);
    }
    draw_bar(player, styles, bar, buf);
    let (more, short) = if player.films.len() > 1 { ("  [n/p] board", " [n/p]") } else { ("", "") };
    let texts = [
        format!("[left/right] step  [up/down] ten  [page up/down] ends  [space] play{more}  [q] quit"),
        format!("[left/right] step  [up/down] ten  [space] play{more}  [q] quit"),
        format!("[left/right] step  [space] play{more}  [q] quit"),
        format!("[left/right] [space]{short} [q]"),
    ];
    let text = texts.into_iter().find(|text| text.len() <= usize::from(keys.width)).unwrap_or_default();
    Line::styled(text, styles.dim()).render(keys, buf);
}

/// The numbers below `all` for which there is room, with `focus` near the middle.
fn window(all: usize, room: usize, focus: usize) -> Range<usize> {
    let room = room.min(all);
    let first = focus.saturating_sub(room / 2).min(all - room);
    first..first + room
}

/// The name of the board, the part of the board that is shown, and the number of the film.
fn draw_name(
    player: &Player,
    film: &Film,
    (rows, cols): (&Range<usize>, &Range<usize>),
    styles: Styles,
    area: Rect,
    buf: &mut Buffer,
) {
    let (all_rows, all_cols) = film.size();
    let part = |what: &str, shown: &Range<usize>, all: usize| {
        if shown.len() < all { format!("  {what} {}-{} of {all}", shown.start + 1, shown.end) } else { String::new() }
    };
    let mut right = part("rows", rows, all_rows) + &part("cols", cols, all_cols);
    if player.films.len() > 1 {
        right += &format!("  {} of {}", player.film + 1, player.films.len());
    }
    let room = usize::from(area.width).saturating_sub(right.chars().count());
    let name: String = film.name().chars().take(room).collect();
    Line::styled(name, styles.head()).render(area, buf);
    Line::styled(right, styles.head()).right_aligned().render(area, buf);
}

/// How far the film is, and whether it runs.
fn draw_bar(player: &Player, styles: Styles, area: Rect, buf: &mut Buffer) {
    let state = match (player.plays, player.at == player.last()) {
        (true, _) => " playing",
        (false, true) => " end",
        (false, false) => "",
    };
    let length = usize::from(area.width).saturating_sub(" playing".len() + 2);
    let full = length * player.at / player.last().max(1);
    let bar = format!("[{}{}]{state}", "=".repeat(full), " ".repeat(length - full));
    Line::styled(bar, styles.best()).render(area, buf);
}
