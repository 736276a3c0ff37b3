//! Draws the screens.

use super::super::line::clock;
use super::super::number_format::short;
use super::super::record::ProgressRow;
use super::estimate::layers;
use super::ink::Ink;
use super::model::{Panel, Watched, WatchedRun};
use super::{panels, plot};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// The fewest columns with a second column of text beside the layers.
const TWO_COLUMNS: u16 = 58;

/// From so many columns on, the layers have more room.
const WIDE: u16 = 72;

/// Draws what is shown into `area`.
pub fn draw(watched: &Watched, ink: Ink, area: Rect, buf: &mut Buffer) {
    let [middle, keys] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    match watched.shown().and_then(|shown| watched.runs.get(shown)) {
        Some(run) => draw_run(watched, run, ink, middle, buf),
        None => draw_list(watched, ink, middle, buf),
    }
    let text = match (watched.shown(), watched.panel) {
        (None, _) => "[up/down] select  [enter] open  [q] quit (hunts go on)",
        (_, Panel::Board) => "[left/right] step  [b] back  [q] quit (the hunt goes on)",
        (_, Panel::Layers | Panel::Workers | Panel::Events) => {
            "[up/down] scroll  [esc] back  [q] quit (the hunt goes on)"
        }
        (_, Panel::Plot) => "[p] back  [q] quit (the hunt goes on)",
        (_, Panel::Overview) if area.width < WIDE => "[b]oard [l]ayers [w]orkers [e]vents [p]lot [q]uit",
        (_, Panel::Overview) => "[b]oard+incumbent  [l]ayers  [w]orkers  [e]vents  [p]lot  [q]uit (hunt goes on)",
    };
    Line::styled(text, ink.dim()).render(keys, buf);
}

fn draw_run(watched: &Watched, run: &WatchedRun, ink: Ink, area: Rect, buf: &mut Buffer) {
    let [first, second, rest] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let elapsed = run.last().map_or(0.0, |row| row.elapsed);
    split_line(format!("{}  {}", run.name, run.state()), clock(elapsed), ink, first, buf);
    if let Some(error) = &run.error {
        return Line::styled(error.clone(), ink.loud()).render(second, buf);
    }
    let Some(row) = run.latest() else {
        return Line::from("no rows of progress yet").render(second, buf);
    };
    let boards = row.boards.filter(|&boards| boards > 1);
    let boards = boards.map_or_else(String::new, |boards| format!("  {} of {boards} boards done", row.done));
    let name = if row.board.is_empty() { String::new() } else { format!("{}  {}  ", row.board, row.engine) };
    Line::from(format!("{name}{}{boards}", panels::range(row))).render(second, buf);
    match watched.panel {
        Panel::Overview => draw_overview(run, row, ink, rest, buf),
        Panel::Plot => plot::draw(run.rows().chain([row]), ink, rest, buf),
        Panel::Board => draw_board(run, ink, rest, buf),
        Panel::Layers => scroll(panels::layers(row, &run_layers(run, row), ink), watched.scrolled, rest, buf),
        Panel::Workers => scroll(panels::workers(run, row, ink), watched.scrolled, rest, buf),
        Panel::Events => scroll(panels::events(run.all_rows(), clock), watched.scrolled, rest, buf),
    }
}

fn run_layers(run: &WatchedRun, row: &ProgressRow) -> Vec<super::estimate::Grown> {
    let mut rows: Vec<ProgressRow> = run.rows().filter(|row| row.finished.is_some()).cloned().collect();
    rows.push(row.clone());
    layers(&rows)
}

/// Chart above, layers and estimates below, then memory, disk and checkpoints.
fn draw_overview(run: &WatchedRun, row: &ProgressRow, ink: Ink, area: Rect, buf: &mut Buffer) {
    let middle = area.height.saturating_sub(2);
    let chart = (middle / 2).max(4).min(middle);
    let [above, below, resources] =
        Layout::vertical([Constraint::Length(chart), Constraint::Min(0), Constraint::Length(2)]).areas(area);
    plot::draw(run.rows().chain([row]), ink, above, buf);
    let all = run_layers(run, row);
    let table = panels::layers(row, &all, ink);
    let estimates = panels::estimates(run, row, &all, ink);
    if area.width < TWO_COLUMNS {
        tail(table, below, buf);
    } else {
        let [left, _, right] = Layout::horizontal([
            Constraint::Length(if area.width < WIDE { 30 } else { 36 }),
            Constraint::Length(1),
            Constraint::Min(0),
        ])
        .areas(below);
        tail(table, left, buf);
        head(estimates, right, buf);
    }
    head(panels::resources(row, run.is_over(), ink, area.width), resources, buf);
}

fn draw_board(run: &WatchedRun, ink: Ink, area: Rect, buf: &mut Buffer) {
    match &run.frames {
        None => Line::from("the board is read ...").render(area, buf),
        Some(Err(error)) => Line::styled(error.clone(), ink.loud()).render(area, buf),
        Some(Ok(frames)) => {
            if let Some((heading, rows)) = frames.shown() {
                let mut lines = vec![Line::styled(heading.clone(), ink.head())];
                lines.extend(rows.iter().cloned());
                head(lines, area, buf);
            }
        }
    }
}

/// One line a run.
fn draw_list(watched: &Watched, ink: Ink, area: Rect, buf: &mut Buffer) {
    let mut lines = vec![Line::styled(
        format!("{:<16} {:>10}  {:<27} {:>8}  state", "run", "time", "proven range", "rate"),
        ink.head(),
    )];
    // The selected run is always in sight.
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let first = (watched.selected + 1).saturating_sub(room);
    for (number, run) in watched.runs.iter().enumerate().skip(first).take(room) {
        let row = run.latest();
        let rate = row.and_then(|row| row.rate).map_or_else(String::new, |rate| format!("{}/s", short(rate as u64)));
        let time = run.last().map_or_else(String::new, |row| clock(row.elapsed));
        let boards = row.and_then(|row| row.boards.filter(|&boards| boards > 1).map(|boards| (row.done, boards)));
        let range = match (row, boards) {
            (_, Some((done, boards))) => format!("{done} of {boards} boards done"),
            (Some(row), None) => panels::range(row),
            (None, None) => run.error.clone().unwrap_or_default(),
        };
        let (name, range) = (shortened(&run.name, 16), range.chars().take(27).collect::<String>());
        let line = format!("{name:<16} {time:>10}  {range:<27} {rate:>8}  {}", run.state());
        lines.push(if number == watched.selected { Line::styled(line, ink.selected()) } else { Line::from(line) });
    }
    head(lines, area, buf);
}

/// The end of a text that is too long.
fn shortened(text: &str, width: usize) -> String {
    let letters = text.chars().count();
    if letters <= width {
        text.to_owned()
    } else {
        format!("~{}", text.chars().skip(letters + 1 - width).collect::<String>())
    }
}

/// A heading with a text at its right end. Of too little room the left text loses its beginning.
fn split_line(left: String, right: String, ink: Ink, area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.width).saturating_sub(right.len() + 1);
    Line::styled(shortened(&left, room.max(1)), ink.head()).render(area, buf);
    Line::styled(right, ink.head()).right_aligned().render(area, buf);
}

/// The first lines that have room.
fn head(lines: Vec<Line<'static>>, area: Rect, buf: &mut Buffer) {
    for (line, row) in lines.into_iter().zip(area.rows()) {
        line.render(row, buf);
    }
}

/// The heading, and the last lines that have room.
fn tail(lines: Vec<Line<'static>>, area: Rect, buf: &mut Buffer) {
    scroll(lines, 0, area, buf);
}

/// The heading, and as many lines as have room; `scrolled` lines of the end are left out.
fn scroll(lines: Vec<Line<'static>>, scrolled: usize, area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.height);
    let hidden = lines.len().saturating_sub(room);
    let skip = hidden - scrolled.min(hidden);
    let mut lines = lines.into_iter();
    let heading = lines.next().into_iter();
    head(heading.chain(lines.skip(skip)).collect(), area, buf);
}
