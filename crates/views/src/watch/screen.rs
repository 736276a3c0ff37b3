//! Draws the screens.

use super::super::line::{clock, rate};
use super::super::record::ProgressRow;
use super::super::text::shortened;
use super::estimate::{LayerGrowth, layers};
use super::model::{Panel, Watched, WatchedRun};
use super::styles::Styles;
use super::{panels, plot};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// The fewest columns with a second column of text beside the layers.
const TWO_COLUMNS: u16 = 58;

/// From so many columns on, the layers have more room.
const WIDE: u16 = 72;

/// The keys, and what they do.
const KEYS: [(&str, &str); 12] = [
    ("b", "the board with its best solution: [left/right] steps through it"),
    ("l", "all layers"),
    ("w", "workers and ranks, and which of them are idle"),
    ("e", "what happened"),
    ("p", "lower bound and best solution over time"),
    ("up, down", "scroll; in the list of runs: select"),
    ("page up, down", "scroll by ten lines"),
    ("enter", "open the selected run"),
    ("esc", "back: to the overview, then to the list of runs"),
    ("?", "these keys, and back"),
    ("q", "end the view: hunts go on"),
    ("ctrl-c", "end the view; of solve --watch: end the search"),
];

/// The screen as text, without colours, as so many lines.
#[must_use]
pub fn text(watched: &mut Watched, columns: u16, rows: u16) -> String {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    draw(watched, Styles { colour: false }, area, &mut buffer);
    lines_of(&buffer)
}

/// The symbols of a buffer, without spaces at the ends of lines.
pub(super) fn lines_of(buffer: &Buffer) -> String {
    let columns = |y| buffer.area.columns().map(move |column| (column.x, y));
    let line = |y| columns(y).map(|at| buffer[at].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    buffer.area.rows().map(|row| line(row.y)).collect()
}

/// Draws what is shown into `area`. Takes back how far a panel was scrolled beyond its lines.
pub fn draw(watched: &mut Watched, styles: Styles, area: Rect, buf: &mut Buffer) {
    let [middle, keys_line] = Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
    if watched.is_help {
        let keys = KEYS.iter().map(|(key, what)| Line::from(format!(" {key:<14} {what}")));
        let heading = Line::styled(" key            what it does", styles.head());
        head([heading].into_iter().chain(keys).collect(), middle, buf);
        return Line::styled("[?] back  [q] quit (hunts go on)", styles.dim()).render(keys_line, buf);
    }
    watched.scrolled = match watched.shown().and_then(|shown| watched.runs.get(shown)) {
        Some(run) => draw_run(watched, run, styles, middle, buf),
        None => {
            draw_list(watched, styles, middle, buf);
            0
        }
    };
    let text = match (watched.shown(), watched.panel) {
        (None, _) => "[up/down] select  [enter] open  [?] keys  [q] quit (hunts go on)",
        (_, Panel::Board) => "[left/right] step  [b] back  [q] quit (the hunt goes on)",
        (_, Panel::Layers | Panel::Workers | Panel::Events) => {
            "[up/down] scroll  [esc] back  [q] quit (the hunt goes on)"
        }
        (_, Panel::Plot) => "[p] back  [q] quit (the hunt goes on)",
        (_, Panel::Overview) if area.width < WIDE => "[b]oard [l]ayers [w]orkers [e]vents [p]lot [?] [q]uit",
        (_, Panel::Overview) => "[b]oard  [l]ayers  [w]orkers  [e]vents  [p]lot  [?] keys  [q]uit (hunt goes on)",
    };
    Line::styled(text, styles.dim()).render(keys_line, buf);
}

/// Draws a run. Returns by how many lines its panel is scrolled.
fn draw_run(watched: &Watched, run: &WatchedRun, styles: Styles, area: Rect, buf: &mut Buffer) -> usize {
    let [first, second, rest] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let age = run.age_of_rows().map_or_else(String::new, |age| format!(", {age}"));
    let name = format!("{}  {}{age}", run.name, run.state());
    split_line(name, clock(run.elapsed().unwrap_or(0.0)), styles, first, buf);
    if let Some(error) = &run.error {
        Line::styled(error.clone(), styles.loud()).render(second, buf);
        return 0;
    }
    let Some(row) = run.latest() else {
        Line::from("no rows of progress yet").render(second, buf);
        return 0;
    };
    let boards = run.boards();
    let boards = boards.map_or_else(String::new, |(done, boards)| format!("  {done} of {boards} boards done"));
    let name = if row.board.is_empty() { String::new() } else { format!("{}  {}  ", row.board, row.engine) };
    // Rows of a session tell nothing of a board.
    let range = row.number.map_or_else(String::new, |_| panels::range(row));
    Line::from(format!("{name}{range}{boards}").trim_start().to_owned()).render(second, buf);
    let lines = match watched.panel {
        Panel::Overview => {
            draw_overview(run, row, styles, rest, buf);
            return 0;
        }
        Panel::Plot => {
            plot::draw(run.rows().chain([row]), run.known_until(row), styles, rest, buf);
            return 0;
        }
        Panel::Board => {
            draw_board(run, styles, rest, buf);
            return 0;
        }
        Panel::Layers => panels::layers(row, &run_layers(run, row), styles),
        Panel::Workers => panels::workers(run, row, styles),
        Panel::Events => panels::events(run.all_rows(), styles),
    };
    scroll(lines, watched.scrolled, rest, buf)
}

fn run_layers(run: &WatchedRun, row: &ProgressRow) -> Vec<LayerGrowth> {
    layers(run.rows().chain([row]))
}

/// Chart above, layers and estimates below, then memory, disk and checkpoints.
fn draw_overview(run: &WatchedRun, row: &ProgressRow, styles: Styles, area: Rect, buf: &mut Buffer) {
    let middle = area.height.saturating_sub(2);
    let chart = (middle / 2).max(4).min(middle);
    let [above, below, resources] =
        Layout::vertical([Constraint::Length(chart), Constraint::Min(0), Constraint::Length(2)]).areas(area);
    let results = if row.number.is_none() { panels::results(run, above.height.into()) } else { Vec::new() };
    match results.is_empty() {
        // Boards that were searched beside others and soon done have no curves.
        false => head(results, above, buf),
        true => plot::draw(run.rows().chain([row]), run.known_until(row), styles, above, buf),
    }
    let all = run_layers(run, row);
    let table = panels::layers(row, &all, styles);
    let estimates = match run.resume() {
        Some(resume) => vec![
            Line::styled(format!("ended: {}", run.state()), styles.head()),
            Line::from("continue with:"),
            Line::from(format!("  {resume}")),
        ],
        None => panels::estimates(run, row, &all, styles),
    };
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
    head(panels::resources(row, run.is_over(), styles, area.width), resources, buf);
}

fn draw_board(run: &WatchedRun, styles: Styles, area: Rect, buf: &mut Buffer) {
    match &run.frames {
        None => Line::from("the board is read ...").render(area, buf),
        Some(Err(error)) => Line::styled(error.clone(), styles.loud()).render(area, buf),
        Some(Ok(frames)) => {
            if let Some((heading, rows)) = frames.shown((area.width.into(), usize::from(area.height).saturating_sub(1)))
            {
                let mut lines = vec![Line::styled(heading, styles.head())];
                lines.extend(rows);
                head(lines, area, buf);
            }
        }
    }
}

/// One line a run.
fn draw_list(watched: &Watched, styles: Styles, area: Rect, buf: &mut Buffer) {
    let mut lines = vec![Line::styled(
        format!("{:<16} {:>10}  {:<27} {:>8}  state", "run", "time", "proven range", "rate"),
        styles.head(),
    )];
    // The selected run is always in sight.
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let first = (watched.selected + 1).saturating_sub(room);
    for (number, run) in watched.runs.iter().enumerate().skip(first).take(room) {
        let row = run.latest();
        let rate = row.and_then(rate).unwrap_or_default();
        let time = run.elapsed().map_or_else(String::new, clock);
        let boards = run.boards();
        let range = match (row, boards) {
            (_, Some((done, boards))) => format!("{done} of {boards} boards done"),
            (Some(row), None) => panels::range(row),
            (None, None) => run.error.clone().unwrap_or_default(),
        };
        let (name, range) = (shortened(&run.name, 16), range.chars().take(27).collect::<String>());
        let line = format!("{name:<16} {time:>10}  {range:<27} {rate:>8}  {}", run.state());
        lines.push(if number == watched.selected { Line::styled(line, styles.selected()) } else { Line::from(line) });
    }
    head(lines, area, buf);
}

/// A heading with a text at its right end. Of too little room the left text loses its beginning.
fn split_line(left: String, right: String, styles: Styles, area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.width).saturating_sub(right.len() + 1);
    Line::styled(shortened(&left, room.max(1)), styles.head()).render(area, buf);
    Line::styled(right, styles.head()).right_aligned().render(area, buf);
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

/// The heading, and as many lines as have room; `scrolled` lines of the end are left out, or as many as have no room.
/// Returns how many are left out.
fn scroll(lines: Vec<Line<'static>>, scrolled: usize, area: Rect, buf: &mut Buffer) -> usize {
    let room = usize::from(area.height);
    let hidden = lines.len().saturating_sub(room);
    let scrolled = scrolled.min(hidden);
    let mut lines = lines.into_iter();
    let heading = lines.next().into_iter();
    head(heading.chain(lines.skip(hidden - scrolled)).collect(), area, buf);
    scrolled
}
