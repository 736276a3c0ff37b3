//! The progress of one board in one line of a given width, and the details in a second line.

use super::number_format::{abbreviated, bytes, count, progress_text, seconds};
use super::record::{ProgressRow, StageProgress};
use super::text::{optimum_range, shortened};

/// The first line: name, time, proven range, layer or stage, rate, memory, next checkpoint. In fewer columns, a long
/// name loses its beginning, then fields drop out from the right. The time never drops out.
pub(super) fn progress_line(row: &ProgressRow, elapsed: f64, width: usize) -> String {
    let mut fields = vec![name_and_time(&row.board, elapsed, width), range_text(row)];
    fields.extend([work_text(row), rate_text(row), memory_text(row), checkpoint_text(row)].into_iter().flatten());
    if fields.join(", ").chars().count() > width {
        let time = clock_time(elapsed).len();
        fields[0] = name_and_time(&row.board, elapsed, width.min(SHORT_NAME_COLUMNS + 1 + time));
    }
    fit_fields(fields, width)
}

/// The second line, below the line `first`: engine, the next checkpoint if the first line has no room for it, open
/// nodes and how long they take at least, states, duplicates, disk, last checkpoint.
pub(super) fn detail_line(row: &ProgressRow, first: &str, width: usize) -> String {
    let next = checkpoint_text(row).filter(|next| !first.ends_with(next));
    let engine = Some(row.engine.clone()).filter(|engine| !engine.is_empty());
    let states = (row.stored > 1).then(|| format!("{} states", abbreviated(row.stored)));
    let disk = (row.disk > 0).then(|| format!("disk {}", used_of_limit(row.disk, row.disk_limit)));
    let last = row.checkpoint.filter(|_| row.writing.is_none());
    let last = last.map(|last| format!("checkpoint {} ({} ago)", last.number, short_duration(last.age)));
    let fields = [engine, next, open_text(row), states, duplicates_text(row), disk, last];
    let mut fields: Vec<_> = fields.into_iter().flatten().collect();
    fields.iter_mut().take(1).for_each(|first| first.insert_str(0, "  "));
    fit_fields(fields, width)
}

const SHORT_NAME_COLUMNS: usize = 16;

/// Joins the fields that fit. Fields drop out from the right, except the first field.
fn fit_fields(mut fields: Vec<String>, width: usize) -> String {
    while fields.len() > 1 && fields.join(", ").chars().count() > width {
        fields.pop();
    }
    fields.join(", ")
}

/// Name and time. A long name loses its beginning.
fn name_and_time(name: &str, elapsed: f64, width: usize) -> String {
    let time = clock_time(elapsed);
    let room = width.saturating_sub(time.len() + 1);
    if room > 1 || name.chars().count() <= room { format!("{} {time}", shortened(name, room)) } else { time }
}

pub(super) fn range_text(row: &ProgressRow) -> String {
    match (row.objective(), row.incumbent) {
        (_, None) if row.unsolvable => "proven unsolvable".to_owned(),
        (objective, None) if objective.is_goal_only() => format!("no {} so far", objective.name),
        (objective, Some(_)) if objective.is_goal_only() => objective.solved_word.to_owned(),
        (objective, incumbent) => optimum_range(objective, row.lower_bound, incumbent),
    }
}

/// The stage under way, or else the layer with the percentage of its known nodes that are expanded.
fn work_text(row: &ProgressRow) -> Option<String> {
    if let Some(stage) = &row.stage {
        return Some(stage_text(stage));
    }
    let layer = row.layer?;
    // Rounded down, so that an unfinished layer never shows 100 %.
    let percent = row.layer_percent().map(|percent| format!(" ({percent} %)"));
    Some(format!("layer {layer}{}", percent.unwrap_or_default()))
}

pub(super) fn stage_text(stage: &StageProgress) -> String {
    progress_text(&stage.what, stage.done, stage.total)
}

/// States expanded per second: `151 k/s`; `None` while the search expands nothing.
pub(super) fn rate_text(row: &ProgressRow) -> Option<String> {
    let rate = row.rate?.round() as u64;
    (rate > 0).then(|| format!("{}/s", abbreviated(rate)))
}

pub(super) fn duplicates_text(row: &ProgressRow) -> Option<String> {
    row.duplicate_percent().map(|percent| format!("{percent} % duplicates"))
}

fn memory_text(row: &ProgressRow) -> Option<String> {
    let used = row.memory_bytes();
    (used > 0).then(|| used_of_limit(used, row.memory_limit))
}

fn checkpoint_text(row: &ProgressRow) -> Option<String> {
    match &row.writing {
        Some(writing) => Some(stage_text(writing)),
        None => row.next_checkpoint.map(|next| format!("checkpoint in {}", short_duration(next))),
    }
}

fn open_text(row: &ProgressRow) -> Option<String> {
    let open = row.open_nodes_in(row.layer?)?;
    let least = time_left(", at least", row.layer_seconds_left());
    Some(format!("{} open{least}", abbreviated(open)))
}

/// `about 60 s more`; empty without an estimate.
pub(super) fn time_left(how_sure: &str, left: Option<f64>) -> String {
    left.map_or_else(String::new, |left| format!("{how_sure} {} more", short_duration(left)))
}

/// `7.1 of 8.0 GiB`.
pub(super) fn used_of_limit(used: u64, limit: Option<u64>) -> String {
    let Some(limit) = limit else { return bytes(used) };
    let (used, limit) = (bytes(used), bytes(limit));
    match (used.split_once(' '), limit.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {limit}"),
        _ => format!("{used} of {limit}"),
    }
}

/// `0:07`, `12:40`, `3:12:40`, `5d 3:12:40`.
pub(super) fn clock_time(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (days, hours, minutes, seconds) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60, whole % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{}d {hours}:{minutes:02}:{seconds:02}", count(days)),
    }
}

/// One or two units, without fractions: `8 s`, `2m 10s`, `3h 5m`, `5d 3h`.
pub(super) fn short_duration(duration: f64) -> String {
    match duration.max(0.0) {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 86_400.0 => seconds(s),
        s if s < 100.0 * 365.0 * 86_400.0 => {
            let hours = (s / 3_600.0).round() as u64;
            format!("{}d {}h", count(hours / 24), hours % 24)
        }
        _ => "more than 100 years".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::CheckpointProgress;
    use super::*;
    use gridhunt_search::runtime::RankStatus;

    const HOURS: f64 = 3.0 * 3_600.0 + 12.0 * 60.0 + 40.0;

    fn row() -> ProgressRow {
        ProgressRow {
            board: "b32.txt".to_owned(),
            engine: "best-first".to_owned(),
            layer: Some(34),
            lower_bound: 33,
            incumbent: Some(35),
            generated: 1_000,
            duplicates: 712,
            stored: 2_345_678,
            in_layer: 580_000,
            open: vec![(34, 420_000), (35, 9)],
            rate: Some(151_234.0),
            resident: (71 << 30) / 10,
            memory_limit: Some(8 << 30),
            disk: 41 << 30,
            disk_limit: Some(200 << 30),
            checkpoint: Some(CheckpointProgress { number: 12, age: 130.0, seconds: 1.4, bytes: 310 << 20 }),
            next_checkpoint: Some(130.2),
            ..ProgressRow::default()
        }
    }

    #[test]
    fn the_line_fits_and_drops_fields_from_the_right() {
        let whole =
            "b32.txt 3:12:40, 33 <= optimum <= 35, layer 34 (58 %), 151 k/s, 7.1 of 8.0 GiB, checkpoint in 2m 10s";
        let cases = [
            (120, whole),
            (80, "b32.txt 3:12:40, 33 <= optimum <= 35, layer 34 (58 %), 151 k/s, 7.1 of 8.0 GiB"),
            (60, "b32.txt 3:12:40, 33 <= optimum <= 35, layer 34 (58 %)"),
            (40, "b32.txt 3:12:40, 33 <= optimum <= 35"),
            (20, "b32.txt 3:12:40"),
            (12, "~txt 3:12:40"),
            (5, "3:12:40"),
        ];
        for (width, expected) in cases {
            assert_eq!(progress_line(&row(), HOURS, width), expected, "{width}");
        }
    }

    #[test]
    fn the_second_line_fits_too() {
        let start = "  best-first, 420 k open, at least 3 s more, 2.35 M states, 71 % duplicates";
        let cases = [
            (140, format!("{start}, disk 41.0 of 200.0 GiB, checkpoint 12 (2m 10s ago)")),
            (120, format!("{start}, disk 41.0 of 200.0 GiB")),
            (80, start.to_owned()),
            (60, "  best-first, 420 k open, at least 3 s more, 2.35 M states".to_owned()),
        ];
        for (width, expected) in cases {
            assert_eq!(detail_line(&row(), &progress_line(&row(), HOURS, 120), width), expected, "{width}");
        }
        assert_eq!(detail_line(&ProgressRow::default(), "", 80), "");
        let below = detail_line(&row(), &progress_line(&row(), HOURS, 80), 80);
        assert_eq!(below, "  best-first, checkpoint in 2m 10s, 420 k open, at least 3 s more, 2.35 M states");
    }

    #[test]
    fn a_long_name_makes_room_before_fields_drop_out() {
        let long = ProgressRow { board: "a/folder/with/a/long/name/b32.txt".to_owned(), ..row() };
        let shown = progress_line(&long, HOURS, 90);
        assert_eq!(shown, "~ng/name/b32.txt 3:12:40, 33 <= optimum <= 35, layer 34 (58 %), 151 k/s, 7.1 of 8.0 GiB");
    }

    #[test]
    fn a_search_that_expands_nothing_now_has_no_rate() {
        assert_eq!(rate_text(&ProgressRow { rate: Some(0.3), ..row() }), None);
    }

    #[test]
    fn an_unfinished_layer_is_never_whole() {
        let percent = |in_layer, open| {
            let row = ProgressRow { in_layer, open: vec![(34, open)], ..row() };
            work_text(&row).expect("a layer")
        };
        assert_eq!(percent(999_999, 1), "layer 34 (99 %)");
        assert_eq!([percent(0, 5), percent(7, 0)], ["layer 34 (0 %)", "layer 34"]);
    }

    /// Open nodes and duplicates are those of the leader, the other counts those of all ranks.
    #[test]
    fn several_ranks_have_no_shares() {
        let row = ProgressRow { ranks: vec![RankStatus::default(); 2], ..row() };
        assert_eq!((row.layer_percent(), work_text(&row).as_deref()), (None, Some("layer 34")));
        assert!(!detail_line(&row, "", 140).contains("duplicates"), "{}", detail_line(&row, "", 140));
    }

    #[test]
    fn the_share_of_duplicates_is_a_percent_at_least_and_a_hundred_at_most() {
        let percent = |duplicates, generated| ProgressRow { duplicates, generated, ..row() }.duplicate_percent();
        assert_eq!(
            [percent(9, 1_000), percent(10, 1_000), percent(7, 5), percent(7, 0)],
            [None, Some(1), Some(100), None]
        );
        assert_eq!(percent(u64::MAX, u64::MAX), Some(100));
    }

    #[test]
    fn times_are_rough() {
        let cases = [
            (-1.0, "0 s", "0:00"),
            (8.4, "8 s", "0:08"),
            (130.0, "2m 10s", "2:10"),
            (86_399.0, "24h 0m", "23:59:59"),
            (5.0 * 86_400.0 + 11_560.0, "5d 3h", "5d 3:12:40"),
            (1e10, "more than 100 years", "115,740d 17:46:40"),
        ];
        for (time, text, shown) in cases {
            assert_eq!((short_duration(time).as_str(), clock_time(time).as_str()), (text, shown));
        }
    }
}
