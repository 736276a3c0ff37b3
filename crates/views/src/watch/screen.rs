//! Draws the screens.

use super::super::progress_line::{clock_time, rate_text};
use super::super::record::ProgressRow;
use super::super::text::shortened;
use super::estimate::{LayerGrowth, finished_layers};
use super::model::{Panel, WatchState, WatchedRun};
use super::styles::Styles;
use super::{panels, plot};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Length, Min};
use ratatui::layout::{Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget, Wrap};

/// The minimum width for text beside the layers, in columns.
const MIN_TWO_COLUMNS: u16 = 58;

/// The minimum width for a wider table of layers and longer help, in columns.
const MIN_WIDE: u16 = 72;

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
    ("ctrl-c", "end the view; in solve --watch: end the search"),
];

/// The screen as text, without colours, in `columns` and `rows`.
#[must_use]
pub fn screen_text(state: &mut WatchState, columns: u16, rows: u16) -> String {
    let area = Rect::new(0, 0, columns, rows);
    let mut buffer = Buffer::empty(area);
    draw(state, Styles { has_colour: false }, area, &mut buffer);
    lines_of(&buffer)
}

/// The text of a buffer, without spaces at line ends.
pub(super) fn lines_of(buffer: &Buffer) -> String {
    let columns = |y| buffer.area.columns().map(move |column| (column.x, y));
    let line = |y| columns(y).map(|at| buffer[at].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    buffer.area.rows().map(|row| line(row.y)).collect()
}

/// Draws the screen into `area`. Limits the scrolled lines to those of the panel.
pub fn draw(state: &mut WatchState, styles: Styles, area: Rect, buf: &mut Buffer) {
    let [middle, keys_line] = Layout::vertical([Min(0), Length(1)]).areas(area);
    if state.shows_help {
        let keys = KEYS.iter().map(|(key, what)| Line::from(format!(" {key:<14} {what}")));
        let heading = Line::styled(" key            what it does", styles.heading());
        draw_first_lines([heading].into_iter().chain(keys).collect(), middle, buf);
        return Line::styled("[?] back  [q] quit (hunts go on)", styles.dim()).render(keys_line, buf);
    }
    state.scrolled_lines = match state.shown_run().and_then(|shown| state.runs.get(shown)) {
        Some(run) => draw_run(state, run, styles, middle, buf),
        None => {
            draw_list(state, styles, middle, buf);
            0
        }
    };
    let text = match (state.shown_run(), state.panel) {
        (None, _) => "[up/down] select  [enter] open  [?] keys  [q] quit (hunts go on)",
        (_, Panel::Board) => "[left/right] step  [b] back  [q] quit (the hunt goes on)",
        (_, Panel::Layers | Panel::Workers | Panel::Events) => {
            "[up/down] scroll  [esc] back  [q] quit (the hunt goes on)"
        }
        (_, Panel::Plot) => "[p] back  [q] quit (the hunt goes on)",
        (_, Panel::Overview) if area.width < MIN_WIDE => "[b]oard [l]ayers [w]orkers [e]vents [p]lot [?] [q]uit",
        (_, Panel::Overview) => "[b]oard  [l]ayers  [w]orkers  [e]vents  [p]lot  [?] keys  [q]uit (hunt goes on)",
    };
    Line::styled(text, styles.dim()).render(keys_line, buf);
}

/// Draws a run. Returns by how many lines its panel is scrolled.
fn draw_run(state: &WatchState, run: &WatchedRun, styles: Styles, area: Rect, buf: &mut Buffer) -> usize {
    let [first, second, body] = Layout::vertical([Length(1), Length(1), Min(0)]).areas(area);
    let age = run.last_row_age().map_or_else(String::new, |age| format!(", {age}"));
    let name = format!("{}  {}{age}", run.name, run.state());
    split_line(name, clock_time(run.elapsed().unwrap_or(0.0)), styles, first, buf);
    if let Some(error) = &run.error {
        let error = Paragraph::new(error.as_str()).wrap(Wrap { trim: true });
        error.style(styles.warning()).render(second.union(body), buf);
        return 0;
    }
    let Some(row) = run.last_board_or_session_row() else {
        Line::from("no rows of progress yet").render(second, buf);
        return 0;
    };
    let boards = run.done_and_all();
    let boards = boards.map_or_else(String::new, |(done, boards)| format!("  {done} of {boards} boards done"));
    let name = if row.board.is_empty() { String::new() } else { format!("{}  {}  ", row.board, row.engine) };
    // Rows of a session have no range.
    let range = row.number.map_or_else(String::new, |_| panels::range_with_gap(row));
    Line::from(format!("{name}{range}{boards}").trim_start().to_owned()).render(second, buf);
    let mut lines = None;
    match state.panel {
        Panel::Overview => draw_overview(run, row, styles, body, buf),
        Panel::Plot => plot::draw_chart(run.board_rows().chain([row]), run.known_until(row), styles, body, buf),
        Panel::Board => draw_board(run, styles, body, buf),
        Panel::Layers => lines = Some(panels::layer_lines(row, &run_layers(run, row), styles)),
        Panel::Workers => lines = Some(panels::worker_lines(run, row, styles)),
        Panel::Events => lines = Some(panels::event_lines(run.all_rows(), styles)),
    }
    lines.map_or(0, |lines| draw_scrolled(lines, state.scrolled_lines, body, buf))
}

fn run_layers(run: &WatchedRun, row: &ProgressRow) -> Vec<LayerGrowth> {
    finished_layers(run.board_rows().chain([row]))
}

/// Draws the chart above, layers and estimates below, then the resources.
fn draw_overview(run: &WatchedRun, row: &ProgressRow, styles: Styles, area: Rect, buf: &mut Buffer) {
    let middle = area.height.saturating_sub(2);
    let chart = (middle / 2).max(4).min(middle);
    let [above, below, resources] = Layout::vertical([Length(chart), Min(0), Length(2)]).areas(area);
    let results = if row.number.is_none() { panels::result_lines(run, above.height.into()) } else { Vec::new() };
    match results.is_empty() {
        // Boards that were solved quickly have no curves.
        false => draw_first_lines(results, above, buf),
        true => plot::draw_chart(run.board_rows().chain([row]), run.known_until(row), styles, above, buf),
    }
    let layers = run_layers(run, row);
    let table = panels::layer_lines(row, &layers, styles);
    let estimates = match run.resume_command() {
        Some(resume) => vec![
            Line::styled(format!("ended: {}", run.state()), styles.heading()),
            Line::from("continue with:"),
            Line::from(format!("  {resume}")),
        ],
        None => panels::estimate_lines(run, row, &layers, styles),
    };
    if area.width < MIN_TWO_COLUMNS {
        draw_scrolled(table, 0, below, buf);
    } else {
        let table_width = if area.width < MIN_WIDE { 30 } else { 36 };
        let [left, _, right] = Layout::horizontal([Length(table_width), Length(1), Min(0)]).areas(below);
        draw_scrolled(table, 0, left, buf);
        draw_first_lines(estimates, right, buf);
    }
    draw_first_lines(panels::resource_lines(row, run.is_over(), styles, area.width), resources, buf);
}

fn draw_board(run: &WatchedRun, styles: Styles, area: Rect, buf: &mut Buffer) {
    match &run.frames {
        None => Line::from("reading the board ...").render(area, buf),
        Some(Err(error)) => Line::styled(error.clone(), styles.warning()).render(area, buf),
        Some(Ok(frames)) => {
            if let Some((heading, rows)) = frames.lines((area.width.into(), usize::from(area.height).saturating_sub(1)))
            {
                let mut lines = vec![Line::styled(heading, styles.heading())];
                lines.extend(rows);
                draw_first_lines(lines, area, buf);
            }
        }
    }
}

fn draw_list(state: &WatchState, styles: Styles, area: Rect, buf: &mut Buffer) {
    let mut lines = vec![Line::styled(
        format!("{:<16} {:>10}  {:<27} {:>8}  state", "run", "time", "proven range", "rate"),
        styles.heading(),
    )];
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let first = (state.selected + 1).saturating_sub(room);
    for (number, run) in state.runs.iter().enumerate().skip(first).take(room) {
        let row = run.last_board_or_session_row();
        let rate = row.and_then(rate_text).unwrap_or_default();
        let time = run.elapsed().map_or_else(String::new, clock_time);
        let boards = run.done_and_all();
        let range = match (row, boards) {
            (_, Some((done, boards))) => format!("{done} of {boards} boards done"),
            (Some(row), None) => panels::range_with_gap(row),
            (None, None) => run.error.clone().unwrap_or_default(),
        };
        let (name, range) = (shortened(&run.name, 16), range.chars().take(27).collect::<String>());
        let line = format!("{name:<16} {time:>10}  {range:<27} {rate:>8}  {}", run.state());
        lines.push(if number == state.selected { Line::styled(line, styles.selected()) } else { Line::from(line) });
    }
    draw_first_lines(lines, area, buf);
}

/// Draws a heading with a text at its right end. If `left` is too long, it loses its beginning.
fn split_line(left: String, right: String, styles: Styles, area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.width).saturating_sub(right.len() + 1);
    Line::styled(shortened(&left, room.max(1)), styles.heading()).render(area, buf);
    Line::styled(right, styles.heading()).right_aligned().render(area, buf);
}

fn draw_first_lines(lines: Vec<Line<'static>>, area: Rect, buf: &mut Buffer) {
    for (line, row) in lines.into_iter().zip(area.rows()) {
        line.render(row, buf);
    }
}

/// Draws the heading, and the lines that fit above the last `scrolled_lines` lines. Returns how many lines are below.
fn draw_scrolled(lines: Vec<Line<'static>>, scrolled_lines: usize, area: Rect, buf: &mut Buffer) -> usize {
    let room = usize::from(area.height);
    let hidden = lines.len().saturating_sub(room);
    let scrolled_lines = scrolled_lines.min(hidden);
    let mut lines = lines.into_iter();
    let heading = lines.next().into_iter();
    draw_first_lines(heading.chain(lines.skip(hidden - scrolled_lines)).collect(), area, buf);
    scrolled_lines
}
