//! The log of a session: what is searched and within which limits, then rows of fixed columns.

use super::number_format::{abbreviated, bytes, count, seconds, signed};
use super::progress_line::{clock_time, rate_text, stage_text, time_left};
use super::record::{LiveView, ProgressRow, ROW_INTERVAL_SECONDS, RowEvent};
use super::text::plural;
use gridhunt_boards::visible;
use gridhunt_hunt::{Request, RunDir};
use std::fmt::Write as _;
use std::io;
use std::mem::{replace, take};

/// The column heads of a [`row_text`], without the last two.
const COLUMNS: &str = "     time layer expanded     open   proven     best   gap";

/// The shortest pause between two writes in a session of one board, in seconds.
const SHORTEST_PAUSE: f64 = 0.5;

/// The shortest pause in a session of many boards. Easy boards would otherwise fill the log.
const SHORTEST_PAUSE_MANY_BOARDS: f64 = 5.0;

/// The maximum number of rows of one write. If more boards run side by side, they take turns.
const MAX_ROWS: usize = 10;

/// What a session searches, within which limits, and its run directory: one to three lines.
#[must_use]
pub fn log_heading(request: &Request, run: Option<&RunDir>) -> String {
    let (domain, engine) = (request.domain, request.engine.name());
    let rules = request.rules_suffix();
    let bound = request.bound.as_ref().map_or("automatic", |bound| bound.as_str());
    let threads = plural(request.threads as u64, "thread");
    let version = env!("CARGO_PKG_VERSION");
    let mut heading = format!("gridhunt {version}: {domain}{rules}, engine {engine}, lower bound {bound}, {threads}\n");
    let limits = request.limits;
    let parts = [
        limits.resident.or(limits.memory).map(|limit| format!("memory {}", bytes(limit))),
        request.storage.max_disk_bytes.map(|limit| format!("disk {}", bytes(limit))),
        limits.time.map(|limit| format!("{} per board", seconds(limit.as_secs_f64()))),
        limits.expansions.map(|limit| plural(limit, "expansion") + " per board"),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        let _ = writeln!(heading, "limits: {}", parts.join(", "));
    }
    if let Some(run) = run {
        let (path, checkpoint) =
            (visible(&run.path().display().to_string()), request.storage.checkpoint_interval.as_secs_f64());
        let _ = writeln!(heading, "run directory: {path}, a checkpoint every {}", seconds(checkpoint));
    }
    heading
}

/// A log of the rows of a session. It writes the last row of each board when the proven range of a board becomes
/// smaller, and at least every ten seconds. A board that has all threads has a title; rows of boards side by side
/// name their board, and none of them is lost when the board ends.
pub struct RowLog<W> {
    out: W,
    heading: String,
    /// The last unwritten row of each board, the longest waiting first.
    waiting: Vec<ProgressRow>,
    /// When the session began. This time and those below are in seconds, as [`ProgressRow::elapsed`].
    began_at: f64,
    written_at: Option<f64>,
    due_at: f64,
    has_column_heads: bool,
    last_title: Option<String>,
    /// The numbers of boards done, proven and stopped, as last written.
    written_counts: [u64; 3],
}

impl<W: io::Write + Send> RowLog<W> {
    /// A log that begins with `heading`.
    #[must_use]
    pub fn new(out: W, heading: String) -> Self {
        Self {
            out,
            heading,
            waiting: Vec::new(),
            began_at: 0.0,
            written_at: None,
            due_at: ROW_INTERVAL_SECONDS,
            has_column_heads: false,
            last_title: None,
            written_counts: [0; 3],
        }
    }

    fn enqueue(&mut self, row: &ProgressRow) {
        // One board at a time has all threads.
        let has_title = row.title.is_some();
        let is_same = |other: &&mut ProgressRow| other.number == row.number || has_title && other.title.is_some();
        match self.waiting.iter_mut().find(is_same) {
            Some(waiting) => waiting.clone_from(row),
            None if row.number.is_some() => self.waiting.push(row.clone()),
            None => {}
        }
    }

    fn write_when_due(&mut self, current: &ProgressRow) {
        if current.elapsed >= self.due_at {
            let text = self.due_text(current);
            // An empty text restarts the pause too.
            (self.written_at, self.due_at) = (Some(current.elapsed), current.elapsed + ROW_INTERVAL_SECONDS);
            // If stderr is closed, nobody reads the log.
            let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        }
    }

    /// The lines to write now; empty if nothing has changed.
    fn due_text(&mut self, current: &ProgressRow) -> String {
        let mut text = take(&mut self.heading);
        let mut rows: Vec<_> = self.waiting.drain(..MAX_ROWS.min(self.waiting.len())).collect();
        rows.sort_by(|one, other| one.elapsed.total_cmp(&other.elapsed));
        let title = rows.iter().find_map(|row| Some(row.title.as_ref()?.0.clone()));
        let title = title.filter(|title| self.last_title.as_ref() != Some(title));
        self.last_title = title.clone().or(self.last_title.take());
        let counts = [current.done, current.proven, current.stopped];
        let has_new_counts = replace(&mut self.written_counts, counts) != counts;
        let shows_boards = has_new_counts || title.is_some() || rows.is_empty();
        let boards = Some(boards_text(current)).filter(|boards| !boards.is_empty() && shows_boards);
        // Boards one by one have times of their own.
        let (before, after) = if self.last_title.is_some() { (boards, None) } else { (None, boards) };
        let title_parts: Vec<_> = before.into_iter().chain(title).collect();
        if !title_parts.is_empty() {
            let blank_line = if rows.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{blank_line}{}", title_parts.join("; "));
        }
        for row in &rows {
            // A session searches boards one by one or side by side, so its first row fixes the heads of all columns.
            if !replace(&mut self.has_column_heads, true) {
                let last = if row.title.is_some() { "    memory  search" } else { "      rate  board" };
                let _ = writeln!(text, "{COLUMNS} {last}");
            }
            let elapsed = row.title.as_ref().map_or(row.elapsed - self.began_at, |(_, elapsed)| *elapsed);
            let _ = writeln!(text, "{}", row_text(row, elapsed));
        }
        if let Some(boards) = after {
            let _ = writeln!(text, "{:>9}  {boards}", clock_time(current.elapsed - self.began_at));
        }
        text
    }
}

impl<W: io::Write + Send> LiveView for RowLog<W> {
    fn show_written(&mut self, row: &ProgressRow) {
        match row.event {
            RowEvent::Session => (self.began_at, self.due_at) = (row.elapsed, row.elapsed + ROW_INTERVAL_SECONDS),
            RowEvent::End => {}
            RowEvent::Board => {
                let waiting_at = self.waiting.iter().position(|waiting| waiting.number == row.number);
                if let Some(at) = waiting_at.filter(|_| row.title.is_none()) {
                    // It may be the only row that names the board.
                    self.waiting[..=at].rotate_right(1);
                    self.due_at = row.elapsed;
                    self.write_when_due(row);
                }
                // The result replaces the waiting row of a board that has all threads.
                self.waiting.retain(|waiting| waiting.number != row.number);
                if self.waiting.is_empty() {
                    self.due_at = self.written_at.unwrap_or(self.began_at) + ROW_INTERVAL_SECONDS;
                }
            }
            _ => {
                let has_range = row.incumbent.is_some() || row.lower_bound > 0;
                if row.event == RowEvent::Range || row.event == RowEvent::Begin && has_range {
                    let pause = if row.boards == Some(1) { SHORTEST_PAUSE } else { SHORTEST_PAUSE_MANY_BOARDS };
                    self.due_at =
                        self.due_at.min(self.written_at.map_or(self.began_at, |written_at| written_at + pause));
                }
                self.enqueue(row);
                // Rows of boards side by side wait for the others of the same moment.
                if row.title.is_some() {
                    self.write_when_due(row);
                }
            }
        }
    }

    fn show_current(&mut self, row: &ProgressRow) {
        self.enqueue(row);
        self.write_when_due(row);
    }
}

/// The progress of a session of several boards; empty if it has one.
fn boards_text(row: &ProgressRow) -> String {
    let (done, proven) = (count(row.done), count(row.proven));
    let stopped = if row.stopped > 0 { format!(", {} stopped", count(row.stopped)) } else { String::new() };
    let left = time_left(", about", row.boards_seconds_left());
    match row.boards {
        Some(1) => String::new(),
        Some(all) => format!("{done} of {} done, {proven} proven{stopped}{left}", plural(all, "board")),
        None => format!("{} done, {proven} proven{stopped}", plural(row.done, "board")),
    }
}

/// One row: time, layer, states expanded in the search and open in the layer, proven limit of the optimum, best value,
/// their difference. A board that has all threads adds its memory and the engine or stage under way; a board that is
/// searched side by side adds its rate and name. If the objective is a goal, the row has no proven limit, and the best
/// value is the name of the goal once it is reached.
fn row_text(row: &ProgressRow, elapsed: f64) -> String {
    let objective = row.objective();
    let is_goal = objective.is_goal_only();
    let proven = (!is_goal).then(|| objective.value(row.lower_bound));
    let best = row.incumbent.map(|cost| objective.value(cost));
    let gap = proven.zip(best).map(|(proven, best)| count(proven.abs_diff(best)));
    let cell = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let best = best.map(|best| if is_goal { objective.name.to_owned() } else { signed(best) });
    let memory = Some(row.memory_bytes()).filter(|&used| used > 0).map(bytes);
    let work = || row.stage.as_ref().map_or_else(|| row.engine.clone(), stage_text);
    let (amount, name) = if row.title.is_some() { (memory, work()) } else { (rate_text(row), row.board.clone()) };
    let left = time_left(", at least", row.layer_seconds_left());
    format!(
        "{:>9} {:>5} {:>8} {:>8} {:>8} {:>8} {:>5} {:>10}  {name}{left}",
        clock_time(elapsed),
        cell(row.layer.map(|layer| layer.to_string())),
        abbreviated(row.expanded),
        cell(row.layer.and_then(|layer| row.open_nodes_in(layer)).map(abbreviated)),
        cell(proven.map(signed)),
        cell(best),
        cell(gap),
        cell(amount),
    )
    .trim_end()
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::{objective, scores};
    use gridhunt_puzzle::Objective;
    use gridhunt_search::runtime::Limits;
    use std::time::Duration;

    /// A log of a session that begins now.
    fn log() -> RowLog<Vec<u8>> {
        let mut log = RowLog::new(Vec::new(), "heading\n".to_owned());
        log.show_written(&ProgressRow { event: RowEvent::Session, ..ProgressRow::default() });
        log
    }

    fn text(log: &mut RowLog<Vec<u8>>) -> String {
        String::from_utf8(take(&mut log.out)).unwrap()
    }

    /// A row of a board that has all threads.
    fn of_main(name: &str, elapsed: f64, event: RowEvent, objective: Objective) -> ProgressRow {
        ProgressRow {
            event,
            elapsed,
            number: Some(name.len()),
            board: name.to_owned(),
            title: Some((format!("{name}: 2 x 3, 4 colours"), elapsed - 1.0)),
            boards: Some(2),
            objective: objective.name.to_owned(),
            ceiling: objective.ceiling(),
            ..ProgressRow::default()
        }
    }

    #[test]
    fn rows_stand_under_their_columns() {
        let mut log = log();
        log.show_written(&of_main("a.txt", 1.0, RowEvent::Begin, Objective::MOVES));
        assert_eq!(text(&mut log), "", "a beginning is no news");
        let row = ProgressRow {
            engine: "beam".to_owned(),
            layer: Some(12),
            open: vec![(12, 1_234)],
            lower_bound: 12,
            incumbent: Some(15),
            ..of_main("a.txt", 3_701.0, RowEvent::Range, Objective::MOVES)
        };
        log.show_written(&row);
        let head =
            format!("heading\n\n0 of 2 boards done, 0 proven; a.txt: 2 x 3, 4 colours\n{COLUMNS}     memory  search\n");
        let line = "  1:01:40    12        0   1.23 k       12       15     3          -  beam\n";
        assert_eq!(text(&mut log), head + line);
        log.show_current(&ProgressRow { elapsed: 3_710.0, ..row.clone() });
        assert_eq!(text(&mut log), "", "nothing is new");
        let title = row.title.clone().map(|(title, elapsed)| (title, elapsed + 10.0));
        let later = ProgressRow { title, elapsed: 3_711.0, rate: Some(100.0), ..row.clone() };
        log.show_current(&later);
        let line = "  1:01:50    12        0   1.23 k       12       15     3          -  beam, at least 12 s more\n";
        assert_eq!(text(&mut log), line, "title and head stand once");
        log.show_written(&ProgressRow { event: RowEvent::Board, elapsed: 3_712.0, ..row });
        log.show_current(&ProgressRow {
            boards: Some(2),
            done: 1,
            proven: 1,
            elapsed: 3_722.0,
            ..ProgressRow::default()
        });
        assert_eq!(text(&mut log), "1 of 2 boards done, 1 proven\n");
        let range = of_main("score.txt", 3_732.0, RowEvent::Range, scores(5_000));
        log.show_written(&ProgressRow { incumbent: Some(900), lower_bound: 5, ..range });
        let line = "  1:02:11     -        0        -    4,995    4,100   895          -";
        assert_eq!(text(&mut log).lines().last(), Some(line));
    }

    #[test]
    fn a_clear_has_no_gap() {
        let mut log = log();
        let mut last = |row: ProgressRow| {
            log.show_written(&row);
            text(&mut log).lines().last().map(str::to_owned)
        };
        let row = of_main("a.txt", 1.0, RowEvent::Range, objective("clear"));
        assert_eq!(last(row).as_deref(), Some("     0:00     -        0        -        -        -     -          -"));
        let clear = "     0:10     -        0        -        -    clear     -          -";
        assert_eq!(
            last(ProgressRow { incumbent: Some(0), ..of_main("a.txt", 11.0, RowEvent::Range, objective("clear")) })
                .as_deref(),
            Some(clear)
        );
    }

    #[test]
    fn much_news_in_a_moment_is_few_lines() {
        for (boards, gap) in [(1, SHORTEST_PAUSE), (2, SHORTEST_PAUSE_MANY_BOARDS)] {
            let mut log = log();
            let row = |elapsed, lower_bound| ProgressRow {
                lower_bound,
                boards: Some(boards),
                ..of_main("a.txt", elapsed, RowEvent::Range, Objective::MOVES)
            };
            (1..50).for_each(|cost| log.show_written(&row(2.0, cost)));
            assert_eq!(text(&mut log).lines().count(), 5, "the heading, two lines, the head and a row, at once");
            log.show_current(&row(2.0 + gap, 49));
            let news = text(&mut log);
            assert!(news.lines().count() == 1 && news.contains(" 49 "), "{news}");
            log.show_current(&row(11.0 + gap, 49));
            assert_eq!(text(&mut log), "", "nothing is new");
            log.show_current(&row(12.0 + gap, 49));
            assert_eq!(text(&mut log).lines().count(), 1, "a row is due");
        }
    }

    #[test]
    fn boards_side_by_side_have_rows_with_their_names() {
        let mut log = log();
        let row = |number: usize, elapsed, event| ProgressRow {
            number: Some(number),
            event,
            elapsed,
            board: format!("m.txt#{number}"),
            boards: Some(40),
            layer: Some(19),
            lower_bound: 19,
            incumbent: Some(25),
            expanded: 4_321,
            rate: Some(432.0),
            ..ProgressRow::default()
        };
        let time = |elapsed, done| ProgressRow { boards: Some(40), done, elapsed, ..ProgressRow::default() };
        log.show_current(&time(9.0, 0));
        log.show_written(&row(1, 10.0, RowEvent::Begin));
        assert_eq!(text(&mut log), "", "others of this moment may follow");
        log.show_current(&time(10.0, 0));
        let line = |time, number| {
            format!("{time:>9}    19   4.32 k        -       19       25     6      432/s  m.txt#{number}\n")
        };
        assert_eq!(text(&mut log), format!("heading\n{COLUMNS}       rate  board\n{}", line("0:10", 1)));
        log.show_written(&row(2, 11.0, RowEvent::Begin));
        log.show_written(&row(1, 12.0, RowEvent::Range));
        assert_eq!(text(&mut log), "");
        log.show_current(&time(15.0, 0));
        assert_eq!(text(&mut log), line("0:11", 2) + &line("0:12", 1));
        log.show_written(&row(1, 16.0, RowEvent::Board));
        log.show_written(&row(2, 25.0, RowEvent::Time));
        log.show_current(&time(25.0, 0));
        assert_eq!(text(&mut log), line("0:25", 2));
        (3..40).for_each(|number| log.show_written(&row(number, 30.0, RowEvent::Time)));
        log.show_current(&time(40.0, 20));
        let most = text(&mut log);
        assert_eq!(most.lines().last(), Some("     0:40  20 of 40 boards done, 0 proven, about 40 s more"));
        assert!(most.lines().count() == 1 + MAX_ROWS && most.contains("#12") && !most.contains("#13"), "{most}");
        log.show_current(&time(50.0, 20));
        assert!(text(&mut log).starts_with(&line("0:30", 13)), "the others have their turn");
        log.show_written(&row(39, 51.0, RowEvent::Range));
        log.show_written(&ProgressRow { done: 21, ..row(39, 52.0, RowEvent::Board) });
        let last = line("0:51", 39) + "     0:52  21 of 40 boards done, 0 proven, about 47 s more\n";
        assert!(text(&mut log).ends_with(&last), "a row is written before its board ends");
    }

    #[test]
    fn the_heading_names_what_was_asked_for() {
        let time = Some(Duration::from_secs(12));
        let request = Request {
            domain: "clickomania".parse().unwrap(),
            threads: 1,
            limits: Limits { time, expansions: Some(1_000_000), resident: Some(3 << 30), ..Limits::default() },
            ..Request::default()
        };
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            "gridhunt {version}: clickomania (clear, groups of 2, columns close, corner bottom-left), engine auto, lower \
             bound automatic, 1 thread\nlimits: memory 3.0 GiB, 12.0 s per board, 1,000,000 expansions per board\n"
        );
        assert_eq!(log_heading(&request, None), expected);
        assert_eq!(log_heading(&Request::default(), None).lines().count(), 1);
    }
}
