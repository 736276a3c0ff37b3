//! The progress of one board in one line of a given width, and the details in a second line.

use super::number_format::{bytes, count, seconds, share, short};
use super::record::{ProgressRow, StageProgress};
use super::text::{range, shortened};

/// The first line: name, time, proven range, layer or stage, rate, memory, next checkpoint. In fewer columns, a long
/// name loses its beginning, then fields drop out from the right. The time never drops out.
pub(super) fn line(row: &ProgressRow, elapsed: f64, width: usize) -> String {
    let fields = [Some(known(row)), work(row), rate(row), memory(row), checkpoint(row)];
    let fields: Vec<_> = fields.into_iter().flatten().collect();
    let whole = within(head(&row.board, elapsed, width), fields.clone(), usize::MAX);
    if whole.chars().count() <= width {
        return whole;
    }
    let time = clock(elapsed).len();
    within(head(&row.board, elapsed, width.min(SHORT_NAME + 1 + time)), fields, width)
}

/// The second line, below a `first` one: engine, the next checkpoint if the first line has no room for it, open nodes
/// and how long they take at least, states, duplicates, disk, last checkpoint.
pub(super) fn details(row: &ProgressRow, first: &str, width: usize) -> String {
    let next = checkpoint(row).filter(|next| !first.ends_with(next));
    let engine = Some(row.engine.clone()).filter(|engine| !engine.is_empty());
    let states = (row.stored > 0).then(|| format!("{} states", short(row.stored)));
    let disk = (row.disk > 0).then(|| format!("disk {}", of_limit(row.disk, row.disk_limit)));
    let last = row.checkpoint.filter(|_| row.writing.is_none());
    let last = last.map(|last| format!("checkpoint {} ({} ago)", last.number, rough(last.age)));
    let fields = [engine, next, open(row), states, duplicates(row), disk, last];
    let mut fields = fields.into_iter().flatten();
    match fields.next() {
        Some(first) => within(format!("  {first}"), fields.collect(), width),
        None => String::new(),
    }
}

/// The columns of a name where not everything fits.
const SHORT_NAME: usize = 16;

/// Joins as many fields as fit.
fn within(head: String, mut fields: Vec<String>, width: usize) -> String {
    loop {
        let line =
            std::iter::once(head.as_str()).chain(fields.iter().map(String::as_str)).collect::<Vec<_>>().join(", ");
        if line.chars().count() <= width || fields.pop().is_none() {
            return line;
        }
    }
}

/// Name and time. A name that is too long loses its beginning.
fn head(name: &str, elapsed: f64, width: usize) -> String {
    let time = clock(elapsed);
    let room = width.saturating_sub(time.len() + 1);
    if room > 1 || name.chars().count() <= room { format!("{} {time}", shortened(name, room)) } else { time }
}

/// What is proven and found.
pub(super) fn known(row: &ProgressRow) -> String {
    match (row.objective(), row.incumbent) {
        (_, None) if row.unsolvable => "proven unsolvable".to_owned(),
        (objective, None) if objective.is_goal_only() => format!("no {} so far", objective.name),
        (objective, Some(_)) if objective.is_goal_only() => objective.done.to_owned(),
        (objective, held) => range(objective, row.lower_bound, held),
    }
}

/// The stage under way, or else the layer with the share of its known nodes that are done.
fn work(row: &ProgressRow) -> Option<String> {
    if let Some(stage) = &row.stage {
        return Some(stage_text(stage));
    }
    let layer = row.layer?;
    // Rounded down, so that an unfinished layer never shows 100 %.
    let percent = row.layer_percent().map(|percent| format!(" ({percent} %)"));
    Some(format!("layer {layer}{}", percent.unwrap_or_default()))
}

pub(super) fn stage_text(stage: &StageProgress) -> String {
    share(&stage.what, stage.done, stage.total)
}

/// States expanded a second: `151 k/s`. Where none was expanded, there is no rate: the search does other work.
pub(super) fn rate(row: &ProgressRow) -> Option<String> {
    let rate = row.rate?.round() as u64;
    (rate > 0).then(|| format!("{}/s", short(rate)))
}

/// The share of duplicates: `71 % duplicates`.
pub(super) fn duplicates(row: &ProgressRow) -> Option<String> {
    row.duplicate_percent().map(|percent| format!("{percent} % duplicates"))
}

fn memory(row: &ProgressRow) -> Option<String> {
    let used = row.memory();
    (used > 0).then(|| of_limit(used, row.memory_limit))
}

fn checkpoint(row: &ProgressRow) -> Option<String> {
    match &row.writing {
        Some(writing) => Some(stage_text(writing)),
        None => row.next_checkpoint.map(|next| format!("checkpoint in {}", rough(next))),
    }
}

fn open(row: &ProgressRow) -> Option<String> {
    let open = row.open_in(row.layer?)?;
    let least = row.layer_left().map_or_else(String::new, |least| format!(", at least {} more", rough(least)));
    Some(format!("{} open{least}", short(open)))
}

/// An amount and its limit: `7.1 of 8.0 GiB`.
pub(super) fn of_limit(used: u64, limit: Option<u64>) -> String {
    let Some(limit) = limit else { return bytes(used) };
    let (used, limit) = (bytes(used), bytes(limit));
    match (used.split_once(' '), limit.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} of {limit}"),
        _ => format!("{used} of {limit}"),
    }
}

/// A time as a clock shows it: `0:07`, `12:40`, `3:12:40`, `5d 3:12:40`.
pub(super) fn clock(time: f64) -> String {
    let all = time.max(0.0) as u64;
    let (days, hours, minutes, seconds) = (all / 86_400, all / 3_600 % 24, all / 60 % 60, all % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{seconds:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{}d {hours}:{minutes:02}:{seconds:02}", count(days)),
    }
}

/// A time in one or two units, without fractions: `8 s`, `2m 10s`, `3h 5m`, `5d 3h`.
pub(super) fn rough(time: f64) -> String {
    match time.max(0.0) {
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
            assert_eq!(line(&row(), HOURS, width), expected, "{width}");
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
            assert_eq!(details(&row(), &line(&row(), HOURS, 120), width), expected, "{width}");
        }
        assert_eq!(details(&ProgressRow::default(), "", 80), "");
        let below = details(&row(), &line(&row(), HOURS, 80), 80);
        assert_eq!(below, "  best-first, checkpoint in 2m 10s, 420 k open, at least 3 s more, 2.35 M states");
    }

    #[test]
    fn a_long_name_makes_room_before_fields_drop_out() {
        let long = ProgressRow { board: "a/folder/with/a/long/name/b32.txt".to_owned(), ..row() };
        let shown = line(&long, HOURS, 90);
        assert_eq!(shown, "~ng/name/b32.txt 3:12:40, 33 <= optimum <= 35, layer 34 (58 %), 151 k/s, 7.1 of 8.0 GiB");
    }

    #[test]
    fn a_search_that_expands_nothing_now_has_no_rate() {
        assert_eq!(rate(&ProgressRow { rate: Some(0.3), ..row() }), None);
    }

    #[test]
    fn an_unfinished_layer_is_never_whole() {
        let share = |in_layer, open| {
            let row = ProgressRow { in_layer, open: vec![(34, open)], ..row() };
            work(&row).expect("a layer")
        };
        assert_eq!(share(999_999, 1), "layer 34 (99 %)");
        assert_eq!([share(0, 5), share(7, 0)], ["layer 34 (0 %)", "layer 34"]);
    }

    /// Open nodes and duplicates are those of the leader, the other counts those of all ranks.
    #[test]
    fn several_ranks_have_no_shares() {
        let row = ProgressRow { ranks: vec![RankStatus::default(); 2], ..row() };
        assert_eq!((row.layer_percent(), work(&row).as_deref()), (None, Some("layer 34")));
        assert!(!details(&row, "", 140).contains("duplicates"), "{}", details(&row, "", 140));
    }

    #[test]
    fn the_share_of_duplicates_is_a_percent_at_least_and_a_hundred_at_most() {
        let share = |duplicates, generated| ProgressRow { duplicates, generated, ..row() }.duplicate_percent();
        assert_eq!([share(9, 1_000), share(10, 1_000), share(7, 5), share(7, 0)], [None, Some(1), Some(100), None]);
        assert_eq!(share(u64::MAX, u64::MAX), Some(100));
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
            assert_eq!((rough(time).as_str(), clock(time).as_str()), (text, shown));
        }
    }
}
