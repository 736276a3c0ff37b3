//! The panels of the screens, as lines of text.

use super::super::number_format::{abbreviated, bytes, count, signed};
use super::super::progress_line::{
    clock_time, duplicates_text, range_text, rate_text, short_duration, stage_text, used_of_limit,
};
use super::super::record::{CheckpointProgress, ProgressRow, RowEvent};
use super::super::text::{plural, record_range};
use super::estimate::{Forecast, Interval, LayerGrowth, finished_layers, forecast};
use super::model::WatchedRun;
use super::styles::Styles;
use gridhunt_hunt::BoardRecord;
use gridhunt_search::engine::Status;
use ratatui::text::{Line, Span};
use std::collections::BTreeMap;

/// The proven range and its gap.
pub(crate) fn range_with_gap(row: &ProgressRow) -> String {
    let gap = match (row.incumbent, row.objective()) {
        (None, _) => String::new(),
        (Some(_), objective) if objective.is_goal_only() => String::new(),
        (Some(cost), objective) if cost <= row.lower_bound => {
            return format!("optimum {} (proven)", signed(objective.value(cost)));
        }
        (Some(cost), _) => format!(", gap {}", count(u64::from(cost - row.lower_bound))),
    };
    format!("{}{gap}", range_text(row))
}

pub(super) fn layer_lines(row: &ProgressRow, layers: &[LayerGrowth], styles: Styles) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(" layer       expanded  growth", styles.heading())];
    for LayerGrowth { layer, factor } in layers {
        let factor = factor.map_or_else(String::new, |factor| format!("{factor:.1}"));
        lines.push(Line::from(format!("{:>6}{:>15}{factor:>8}", layer.f, count(layer.expanded))));
    }
    let is_unfinished = |f| layers.last().is_none_or(|last| last.layer.f < f);
    if let Some(layer) = row.layer.filter(|&layer| is_unfinished(layer) && row.event != RowEvent::Board) {
        lines.push(Line::styled(format!("{layer:>6}{:>15}{:>8}", count(row.in_layer), "now"), styles.proven()));
    }
    lines
}

/// Rate, open nodes, and forecasts of layers and boards.
pub(crate) fn estimate_lines(
    run: &WatchedRun,
    row: &ProgressRow,
    layers: &[LayerGrowth],
    styles: Styles,
) -> Vec<Line<'static>> {
    let boards =
        run.boards_seconds_left().map(|left| Line::from(format!("all boards: about {} more", short_duration(left))));
    if row.event == RowEvent::Board {
        let ended = Line::styled(format!("ended: {}", row.ended.as_deref().unwrap_or("unknown")), styles.heading());
        return [ended].into_iter().chain(boards).collect();
    }
    let mut lines = Vec::new();
    let threads = row.workers.len();
    let idle = idle_shares(run);
    let mean_idle = idle.iter().sum::<f64>() / (idle.len().max(1)) as f64;
    let rate = row.rate.filter(|&rate| rate >= 1.0);
    let workers = (threads > 0).then(|| format!("{}, idle {}", plural(threads as u64, "thread"), percent(mean_idle)));
    let speed = match (rate.and_then(|_| rate_text(row)), workers) {
        (Some(speed), Some(workers)) => Some(format!("{speed} ({workers})")),
        (speed, workers) => speed.or(workers),
    };
    lines.extend(speed.map(|speed| Line::styled(speed, styles.heading())));
    if let Some(stage) = &row.stage {
        lines.push(Line::styled(stage_text(stage), styles.best()));
    }
    // A layer starts with one open node, and some engines report no others.
    let open = row.layer.and_then(|layer| Some((layer, row.open_nodes_in(layer).filter(|&open| open > 1)?)));
    if let Some((layer, open)) = open {
        lines.push(Line::from(format!("open in {layer}: {}", abbreviated(open))));
        let least = row.layer_seconds_left();
        lines.extend(least.map(|least| Line::from(format!("  at least {} more", short_duration(least)))));
    }
    let later: u64 = row.open.iter().filter(|(f, _)| Some(*f) > row.layer).map(|(_, nodes)| nodes).sum();
    if later > 0 {
        lines.push(Line::from(format!("open in later layers: {}", abbreviated(later))));
    }
    if let Some(Forecast { layer, states, next }) = forecast(row, layers) {
        let done = row.in_layer as f64;
        let remaining = Interval { least: (states.least - done).max(0.0), most: (states.most - done).max(0.0) };
        lines.push(Line::from(format!("layer {layer}: {}", states_text(states))));
        let times = |states: Interval| rate.map(|rate| states.seconds_at_rate(rate)).filter(|times| times.most >= 1.0);
        let text = |times| if remaining.is_vague() { NOT_PREDICTABLE.to_owned() } else { times_text(times) + " more" };
        let text = times(remaining).filter(|_| !states.is_vague()).map(text);
        lines.extend(text.map(|text| Line::from(format!("  {text}"))));
        if row.incumbent.is_none_or(|cost| cost > layer + 1) {
            lines.push(Line::from(format!("then {}: {}", layer + 1, states_text(next))));
            let time = |times| Line::from(format!("  {}", times_text(times)));
            lines.extend(times(next).filter(|_| !next.is_vague()).map(time));
        }
    }
    lines.into_iter().chain(boards).collect()
}

/// The estimates of the latest board, as plain text.
pub(crate) fn estimate_texts(run: &WatchedRun) -> Vec<String> {
    let plain = Styles { has_colour: false };
    let lines = |row| estimate_lines(run, row, &finished_layers(run.board_rows()), plain);
    run.last_board_or_session_row().map(lines).unwrap_or_default().iter().map(ToString::to_string).collect()
}

fn states_text(range: Interval) -> String {
    interval_text(range, |states| abbreviated(states as u64))
}

fn times_text(range: Interval) -> String {
    interval_text(range, short_duration)
}

const NOT_PREDICTABLE: &str = "not predictable";

fn interval_text(range: Interval, text: impl Fn(f64) -> String) -> String {
    match (text(range.least), text(range.most)) {
        _ if range.is_vague() => NOT_PREDICTABLE.to_owned(),
        (least, most) if least == most => least,
        (least, most) => format!("{least} - {most}"),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", (share * 100.0).clamp(0.0, 100.0))
}

/// The idle share of each worker between the last two rows with different times.
pub(crate) fn idle_shares(run: &WatchedRun) -> Vec<f64> {
    let Some(row) = run.last_board_or_session_row() else { return Vec::new() };
    let earlier =
        run.board_rows().rev().find(|other| other.session == row.session && row.elapsed - other.elapsed >= 1.0);
    let time = row.elapsed - earlier.map_or(0.0, |row| row.elapsed);
    let workers = row.workers.iter().enumerate();
    workers
        .map(|(number, worker)| {
            let earlier = earlier.and_then(|row| row.workers.get(number)).map_or(0.0, |worker| worker.idle_seconds);
            ((worker.idle_seconds - earlier) / time.max(1.0)).clamp(0.0, 1.0)
        })
        .collect()
}

pub(super) fn worker_lines(run: &WatchedRun, row: &ProgressRow, styles: Styles) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(" worker   idle now    idle in all      steals", styles.heading())];
    for (number, (worker, share)) in row.workers.iter().zip(idle_shares(run)).enumerate() {
        let (idle_now, idle, steals) = (percent(share), short_duration(worker.idle_seconds), count(worker.steals));
        let busy = bar(1.0 - share, 10);
        lines.push(Line::from(format!("{:>7}{idle_now:>11}{idle:>15}{steals:>12}  {busy}", number + 1)));
    }
    if row.workers.is_empty() {
        lines.push(Line::from(" the engine reports nothing about its workers"));
    }
    if !row.ranks.is_empty() {
        lines.push(Line::styled(" rank      expanded        stored      resident", styles.heading()));
    }
    for (number, rank) in row.ranks.iter().enumerate() {
        let (expanded, stored) = (count(rank.expanded), count(rank.stored));
        lines.push(Line::from(format!("{number:>5}{expanded:>14}{stored:>14}{:>14}", bytes(rank.resident))));
    }
    lines
}

/// A bar of `width` columns: `###---`.
pub(super) fn bar(share: f64, width: usize) -> String {
    let full = (share.clamp(0.0, 1.0) * width as f64).round() as usize;
    format!("{}{}", "#".repeat(full), "-".repeat(width - full))
}

/// A resource in a few words.
pub(crate) struct ResourceField {
    pub(crate) text: String,
    /// The used share, if there is a limit.
    pub(crate) share: Option<f64>,
}

/// Memory, disk, index, states only on disk; then checkpoints, duplicates, states. `is_over` says whether the search
/// has ended.
pub(crate) fn resource_fields(row: &ProgressRow, is_over: bool) -> [Vec<ResourceField>; 2] {
    let used = |what: &str, amount: u64, limit: Option<u64>| {
        let share = limit.filter(|&limit| limit > 0).map(|limit| amount as f64 / limit as f64);
        ResourceField { text: format!("{what} {}", used_of_limit(amount, limit)), share }
    };
    let plain = |text: String| ResourceField { text, share: None };
    let has_disk = row.disk > 0 || row.disk_limit.is_some();
    let cold = (100 * row.cold).checked_div(row.hot + row.cold);
    let first = [
        Some(used("mem", row.memory_bytes(), row.memory_limit)),
        has_disk.then(|| used("disk", row.disk, row.disk_limit)),
        row.index_load.map(|load| plain(format!("index {} full", percent(load)))),
        cold.map(|cold| plain(format!("{cold} % only on disk"))),
    ];
    let checkpoint = match (&row.writing, row.checkpoint) {
        (Some(writing), _) => stage_text(writing),
        (None, Some(CheckpointProgress { number, age, seconds, bytes: size })) => {
            // After the end of the search, the age at the time of the row means nothing.
            let age = if is_over { String::new() } else { format!(", {} ago", short_duration(age)) };
            format!("checkpoint {number}{age}, {seconds:.1} s, {}", bytes(size))
        }
        (None, None) => "no checkpoint".to_owned(),
    };
    let second = [
        Some(plain(checkpoint)),
        row.next_checkpoint.filter(|_| !is_over).map(|next| plain(format!("next in {}", short_duration(next)))),
        duplicates_text(row).map(plain),
        (row.stored > 1).then(|| plain(format!("{} states", abbreviated(row.stored)))),
        (row.reopened > 0).then(|| plain(format!("{} reopened", abbreviated(row.reopened)))),
    ];
    [first.into_iter().flatten().collect(), second.into_iter().flatten().collect()]
}

/// Two lines with the [`resource_fields`] that fit.
pub(super) fn resource_lines(row: &ProgressRow, is_over: bool, styles: Styles, width: u16) -> Vec<Line<'static>> {
    let spans = |ResourceField { text, share }: ResourceField| {
        let Some(share) = share else { return vec![Span::from(text)] };
        let style = if share > 0.9 { styles.warning() } else { styles.dim() };
        vec![Span::from(text), Span::styled(format!(" {}", bar(share, 6)), style)]
    };
    resource_fields(row, is_over).map(|fields| fit_fields(fields.into_iter().map(spans), width)).into()
}

fn fit_fields(fields: impl Iterator<Item = Vec<Span<'static>>>, width: u16) -> Line<'static> {
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

pub(super) fn result_lines(run: &WatchedRun, max_lines: usize) -> Vec<Line<'static>> {
    let records = run.results.records();
    let line = |record: &BoardRecord| {
        let optimum = record.cost.filter(|_| record.status == Status::Optimal);
        let range = optimum.map_or_else(|| record_range(record), |cost| signed(record.objective.value(cost)));
        Line::from(format!("{:>6}  {}  {}: {range}", record.number, record.board, record.status.name()))
    };
    records.values().skip(records.len().saturating_sub(max_lines)).map(line).collect()
}

pub(super) fn event_lines(rows: &[ProgressRow], styles: Styles) -> Vec<Line<'static>> {
    let event = |(time, text)| Line::from(format!("{:>11}  {text}", clock_time(time)));
    let heading = Line::styled("       time  event", styles.heading());
    [heading].into_iter().chain(run_events(rows).into_iter().map(event)).collect()
}

/// The events of a run, in the order of their times: seconds of the run, and a text. The first two rows of a board side
/// by side are written at once, so the range of the second is told too.
pub(crate) fn run_events(rows: &[ProgressRow]) -> Vec<(f64, String)> {
    let mut events = Vec::new();
    // Rows of boards side by side alternate, so each row is compared with the previous row of its board.
    let mut last: BTreeMap<(Option<usize>, &str), &ProgressRow> = BTreeMap::new();
    for row in rows {
        let previous = last.insert((row.number, &row.identity), row);
        let mut add = |text: String| {
            let name = if row.board.is_empty() { String::new() } else { format!("{}: ", row.board) };
            events.push((row.elapsed, format!("{name}{text}")));
        };
        match row.event {
            RowEvent::Session => add(format!("session {} begins", row.session)),
            RowEvent::Begin => add(format!("{} begins, {}", row.engine, range_text(row))),
            RowEvent::Layer => {
                let layer = row.finished.unwrap_or_default();
                add(format!("layer {} ended, {} expanded", layer.f, count(layer.expanded)));
            }
            RowEvent::Range | RowEvent::Time if previous.is_none_or(|last| range_text(last) != range_text(row)) => {
                add(range_text(row))
            }
            RowEvent::Range | RowEvent::Time => {}
            RowEvent::Board => add(format!("{}: {}", row.ended.as_deref().unwrap_or("ended"), range_text(row))),
            RowEvent::End => add(format!("session {} ended: {}", row.session, row.ended.as_deref().unwrap_or("?"))),
        }
        let last_number = previous.and_then(|previous| previous.checkpoint).map(|checkpoint| checkpoint.number);
        if let Some(written) = row.checkpoint.filter(|checkpoint| Some(checkpoint.number) != last_number) {
            add(format!("checkpoint {}, {}, {:.1} s", written.number, bytes(written.bytes), written.seconds));
        }
    }
    events.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    events
}
