//! The panels as lines of text.

use super::super::line::{self, clock, known, of_limit, rough, stage_text};
use super::super::number_format::{bytes, count, short, signed};
use super::super::record::{CheckpointProgress, ProgressRow, RowEvent};
use super::super::text::{plural, record_range};
use super::estimate::{Forecast, Interval, LayerGrowth, forecast, layers as layers_of};
use super::model::WatchedRun;
use super::styles::Styles;
use gridhunt_hunt::BoardRecord;
use gridhunt_search::engine::Status;
use ratatui::text::{Line, Span};
use std::collections::BTreeMap;

/// The proven range, and how far its ends are apart.
pub(crate) fn range(row: &ProgressRow) -> String {
    let gap = match (row.incumbent, row.objective()) {
        (None, _) => String::new(),
        (Some(_), objective) if objective.is_goal_only() => String::new(),
        (Some(cost), objective) if cost <= row.lower_bound => {
            return format!("optimum {} (proven)", signed(objective.value(cost)));
        }
        (Some(cost), _) => format!(", gap {}", count(u64::from(cost - row.lower_bound))),
    };
    format!("{}{gap}", known(row))
}

/// The table of layers.
pub(super) fn layers(row: &ProgressRow, layers: &[LayerGrowth], styles: Styles) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(" layer       expanded  growth", styles.head())];
    for LayerGrowth { layer, factor } in layers {
        let factor = factor.map_or_else(String::new, |factor| format!("{factor:.1}"));
        lines.push(Line::from(format!("{:>6}{:>15}{factor:>8}", layer.f, count(layer.expanded))));
    }
    let is_new = |f| layers.last().is_none_or(|last| last.layer.f < f);
    if let Some(layer) = row.layer.filter(|&layer| is_new(layer) && row.event != RowEvent::Board) {
        lines.push(Line::styled(format!("{layer:>6}{:>15}{:>8}", count(row.in_layer), "now"), styles.proven()));
    }
    lines
}

/// What is known of the time to come.
pub(crate) fn estimates(
    run: &WatchedRun,
    row: &ProgressRow,
    layers: &[LayerGrowth],
    styles: Styles,
) -> Vec<Line<'static>> {
    let boards = run.boards_left().map(|left| Line::from(format!("all boards: about {} more", rough(left))));
    if row.event == RowEvent::Board {
        let ended = Line::styled(format!("ended: {}", row.ended.as_deref().unwrap_or("unknown")), styles.head());
        return [ended].into_iter().chain(boards).collect();
    }
    let mut lines = Vec::new();
    let threads = row.workers.len();
    let idle = idle_shares(run);
    let all = idle.iter().sum::<f64>() / (idle.len().max(1)) as f64;
    let rate = row.rate.filter(|&rate| rate >= 1.0);
    let workers = (threads > 0).then(|| format!("{}, idle {}", plural(threads as u64, "thread"), percent(all)));
    let speed = match (rate.and_then(|_| line::rate(row)), workers) {
        (Some(speed), Some(workers)) => Some(format!("{speed} ({workers})")),
        (speed, workers) => speed.or(workers),
    };
    lines.extend(speed.map(|speed| Line::styled(speed, styles.head())));
    if let Some(stage) = &row.stage {
        lines.push(Line::styled(stage_text(stage), styles.best()));
    }
    // A layer begins with one open node, and some engines tell of no others.
    let open = row.layer.and_then(|layer| Some((layer, row.open_in(layer).filter(|&open| open > 1)?)));
    if let Some((layer, open)) = open {
        lines.push(Line::from(format!("open in {layer}: {}", short(open))));
        lines.extend(row.layer_left().map(|least| Line::from(format!("  at least {} more", rough(least)))));
    }
    let later: u64 = row.open.iter().filter(|(f, _)| Some(*f) > row.layer).map(|(_, nodes)| nodes).sum();
    if later > 0 {
        lines.push(Line::from(format!("open in later layers: {}", short(later))));
    }
    if let Some(Forecast { layer, states, next }) = forecast(row, layers) {
        let done = row.in_layer as f64;
        let left = Interval { least: (states.least - done).max(0.0), most: (states.most - done).max(0.0) };
        lines.push(Line::from(format!("layer {layer}: {}", of_range(states))));
        let times = |states: Interval| rate.map(|rate| states.at(rate)).filter(|times| times.most >= 1.0);
        let more = |times| if left.is_vague() { VAGUE.to_owned() } else { format!("{} more", of_times(times)) };
        let more = times(left).filter(|_| !states.is_vague()).map(more);
        lines.extend(more.map(|more| Line::from(format!("  {more}"))));
        if row.incumbent.is_none_or(|cost| cost > layer + 1) {
            lines.push(Line::from(format!("then {}: {}", layer + 1, of_range(next))));
            let time = |times| Line::from(format!("  {}", of_times(times)));
            lines.extend(times(next).filter(|_| !next.is_vague()).map(time));
        }
    }
    lines.into_iter().chain(boards).collect()
}

/// Rate and estimates of the board that was searched last, as plain text.
pub(crate) fn notes(run: &WatchedRun) -> Vec<String> {
    let plain = Styles { colour: false };
    let lines = run.latest().map(|row| estimates(run, row, &layers_of(run.rows()), plain)).unwrap_or_default();
    lines.iter().map(ToString::to_string).collect()
}

fn of_range(range: Interval) -> String {
    if range.is_vague() { VAGUE.to_owned() } else { between(short(range.least as u64), short(range.most as u64)) }
}

fn of_times(range: Interval) -> String {
    if range.is_vague() { VAGUE.to_owned() } else { between(rough(range.least), rough(range.most)) }
}

/// What is said of a range that says nothing.
const VAGUE: &str = "not predictable";

fn between(least: String, most: String) -> String {
    if least == most { least } else { format!("{least} - {most}") }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", (share * 100.0).clamp(0.0, 100.0))
}

/// The idle share of each worker between the last two rows with different times.
pub(crate) fn idle_shares(run: &WatchedRun) -> Vec<f64> {
    let Some(now) = run.latest() else { return Vec::new() };
    let before = run.rows().rev().find(|row| row.session == now.session && now.elapsed - row.elapsed >= 1.0);
    let time = now.elapsed - before.map_or(0.0, |row| row.elapsed);
    let workers = now.workers.iter().enumerate();
    workers
        .map(|(number, worker)| {
            let earlier = before.and_then(|row| row.workers.get(number)).map_or(0.0, |worker| worker.idle_seconds);
            ((worker.idle_seconds - earlier) / time.max(1.0)).clamp(0.0, 1.0)
        })
        .collect()
}

/// Each worker: its idle share and its steals.
pub(super) fn workers(run: &WatchedRun, row: &ProgressRow, styles: Styles) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(" worker   idle now    idle in all      steals", styles.head())];
    for (number, (worker, share)) in row.workers.iter().zip(idle_shares(run)).enumerate() {
        let idle = rough(worker.idle_seconds);
        lines.push(Line::from(format!(
            "{:>7}{:>11}{idle:>15}{:>12}  {}",
            number + 1,
            percent(share),
            count(worker.steals),
            bar(1.0 - share, 10)
        )));
    }
    if row.workers.is_empty() {
        lines.push(Line::from(" the engine tells nothing of its workers"));
    }
    if !row.ranks.is_empty() {
        lines.push(Line::styled(" rank      expanded        stored      resident", styles.head()));
    }
    for (number, rank) in row.ranks.iter().enumerate() {
        let (expanded, stored) = (count(rank.expanded), count(rank.stored));
        lines.push(Line::from(format!("{number:>5}{expanded:>14}{stored:>14}{:>14}", bytes(rank.resident))));
    }
    lines
}

/// A bar of so many columns: `###---`.
pub(super) fn bar(share: f64, width: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    format!("{}{}", "#".repeat(full), "-".repeat(width - full))
}

/// A few words about a resource.
pub(crate) struct Field {
    pub(crate) text: String,
    /// The share that is used, if there is a limit.
    pub(crate) share: Option<f64>,
}

/// Memory, disk, index, states on disk only; then checkpoints, duplicates, states. `is_over`: no process searches.
pub(crate) fn fields(row: &ProgressRow, is_over: bool) -> [Vec<Field>; 2] {
    let part = |what: &str, used: u64, limit: Option<u64>| {
        let share = limit.filter(|&limit| limit > 0).map(|limit| used as f64 / limit as f64);
        Field { text: format!("{what} {}", of_limit(used, limit)), share }
    };
    let plain = |text: String| Field { text, share: None };
    let has_disk = row.disk > 0 || row.disk_limit.is_some();
    let cold = (100 * row.cold).checked_div(row.hot + row.cold);
    let first = [
        Some(part("mem", row.memory(), row.memory_limit)),
        has_disk.then(|| part("disk", row.disk, row.disk_limit)),
        row.index_load.map(|load| plain(format!("index {} full", percent(load)))),
        cold.map(|cold| plain(format!("{cold} % only on disk"))),
    ];
    let checkpoint = match (&row.writing, row.checkpoint) {
        (Some(writing), _) => stage_text(writing),
        (None, Some(CheckpointProgress { number, age, seconds, bytes: size })) => {
            // The age is that at the time of the row, so it says nothing of a run that is over.
            let age = if is_over { String::new() } else { format!(", {} ago", rough(age)) };
            format!("checkpoint {number}{age}, {seconds:.1} s, {}", bytes(size))
        }
        (None, None) => "no checkpoint".to_owned(),
    };
    let second = [
        Some(plain(checkpoint)),
        row.next_checkpoint.filter(|_| !is_over).map(|next| plain(format!("next in {}", rough(next)))),
        line::duplicates(row).map(plain),
        (row.stored > 0).then(|| plain(format!("{} states", short(row.stored)))),
        (row.reopened > 0).then(|| plain(format!("{} reopened", short(row.reopened)))),
    ];
    [first.into_iter().flatten().collect(), second.into_iter().flatten().collect()]
}

/// The [`fields`] as two lines, as many of them as fit.
pub(super) fn resources(row: &ProgressRow, is_over: bool, styles: Styles, width: u16) -> Vec<Line<'static>> {
    let spans = |Field { text, share }: Field| {
        let Some(share) = share else { return vec![Span::from(text)] };
        let style = if share > 0.9 { styles.loud() } else { styles.dim() };
        vec![Span::from(text), Span::styled(format!(" {}", bar(share, 6)), style)]
    };
    fields(row, is_over).map(|fields| fitting(fields.into_iter().map(spans), width)).into()
}

/// A line of as many fields as fit.
fn fitting(fields: impl Iterator<Item = Vec<Span<'static>>>, width: u16) -> Line<'static> {
    let mut line = Line::default();
    for field in fields {
        let gap = if line.spans.is_empty() { 0 } else { 2 };
        if line.width() + gap + field.iter().map(Span::width).sum::<usize>() > usize::from(width) {
            break;
        }
        line.spans.push(Span::from(" ".repeat(gap)));
        line.spans.extend(field);
    }
    line
}

/// The last results, one line a board.
pub(super) fn results(run: &WatchedRun, most: usize) -> Vec<Line<'static>> {
    let records = run.results.records();
    let line = |record: &BoardRecord| {
        let optimum = record.cost.filter(|_| record.status == Status::Optimal);
        let known = optimum.map_or_else(|| record_range(record), |cost| signed(record.objective.value(cost)));
        Line::from(format!("{:>6}  {}  {}: {known}", record.number, record.board, record.status.name()))
    };
    records.values().skip(records.len().saturating_sub(most)).map(line).collect()
}

/// What happened, with times of the run.
pub(super) fn events(rows: &[ProgressRow], styles: Styles) -> Vec<Line<'static>> {
    let event = |(time, text)| Line::from(format!("{:>11}  {text}", clock(time)));
    let heading = Line::styled("       time  event", styles.head());
    [heading].into_iter().chain(happenings(rows).into_iter().map(event)).collect()
}

/// What happened: seconds of the run, and a text.
pub(crate) fn happenings(rows: &[ProgressRow]) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    // Boards side by side have their rows in turn, so each row is compared with the last one of its board.
    let mut last: BTreeMap<(Option<usize>, &str), &ProgressRow> = BTreeMap::new();
    for row in rows {
        let before = last.insert((row.number, &row.identity), row);
        let mut tell = |text: String| {
            let name = if row.board.is_empty() { String::new() } else { format!("{}: ", row.board) };
            all.push((row.elapsed, format!("{name}{text}")));
        };
        match row.event {
            RowEvent::Session => tell(format!("session {} begins", row.session)),
            RowEvent::Begin => tell(format!("{} begins, {}", row.engine, known(row))),
            RowEvent::Layer => {
                let layer = row.finished.unwrap_or_default();
                tell(format!("layer {} ended, {} expanded", layer.f, count(layer.expanded)));
            }
            RowEvent::Range if before.is_none_or(|before| known(before) != known(row)) => tell(known(row)),
            RowEvent::Range | RowEvent::Time => {}
            RowEvent::Board => tell(format!("{}: {}", row.ended.as_deref().unwrap_or("ended"), known(row))),
            RowEvent::End => tell(format!("session {} ended: {}", row.session, row.ended.as_deref().unwrap_or("?"))),
        }
        let told = before.and_then(|before| before.checkpoint).map(|checkpoint| checkpoint.number);
        if let Some(new) = row.checkpoint.filter(|checkpoint| Some(checkpoint.number) != told) {
            tell(format!("checkpoint {}, {}, {:.1} s", new.number, bytes(new.bytes), new.seconds));
        }
    }
    all
}
