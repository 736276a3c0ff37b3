//! The log of a session: what is searched and within which limits, then rows of fixed columns.

use super::line::{clock, stage_text};
use super::number_format::{bytes, count, seconds, short, signed};
use super::record::ProgressRow;
use super::text::plural;
use super::view::View;
use gridhunt_boards::visible;
use gridhunt_hunt::Request;
use gridhunt_hunt::RunDir;
use std::fmt::Write;
use std::path::Path;

/// The head of the columns of a [`row`].
const COLUMNS: &str = "     time layer expanded     open   proven     best   gap     memory  search";

/// What a session searches, and within which limits: one or two lines.
#[must_use]
pub fn log_heading(request: &Request, run: Option<&RunDir>) -> String {
    let (domain, engine) = (request.domain, request.engine.name());
    let rules = request.rules();
    let bound = request.bound.as_ref().map_or("best for the board", |bound| bound.as_str());
    let threads = plural(request.threads as u64, "thread");
    let version = env!("CARGO_PKG_VERSION");
    let mut heading = format!("gridhunt {version}: {domain}{rules}, engine {engine}, lower bound {bound}, {threads}\n");
    let limits = request.limits;
    let parts = [
        limits.resident.or(limits.memory).map(|most| format!("memory {}", bytes(most))),
        request.storage.disk.map(|most| format!("disk {}", bytes(most))),
        limits.time.map(|most| format!("{} a board", seconds(most.as_secs_f64()))),
        limits.expansions.map(|most| format!("{} expansions a board", count(most))),
        run.map(RunDir::path).map(|path| kept(path, request)),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        let _ = writeln!(heading, "limits: {}", parts.join(", "));
    }
    heading
}

fn kept(path: &Path, request: &Request) -> String {
    let (path, checkpoint) = (visible(&path.display().to_string()), request.storage.checkpoint);
    format!("kept in {path}, a checkpoint every {}", seconds(checkpoint.as_secs_f64()))
}

/// Writes the log: each board that takes long enough for a row has a title, and the first one the head of the
/// columns.
#[derive(Debug)]
pub(super) struct LogTable {
    /// What comes before the first row.
    heading: String,
    /// The board whose title was written, as the number of boards that were begun.
    titled: usize,
}

impl LogTable {
    pub(super) fn new(heading: String) -> Self {
        Self { heading, titled: 0 }
    }

    /// The lines of this moment; empty if there is nothing to tell.
    pub(super) fn lines(&mut self, view: &View) -> String {
        let mut text = std::mem::take(&mut self.heading);
        let boards = view.boards();
        let Some((row, elapsed)) = view.row() else {
            if !boards.is_empty() {
                let _ = writeln!(text, "{boards}");
            }
            return text;
        };
        if self.titled != view.begun {
            let is_first = self.titled == 0;
            self.titled = view.begun;
            let before = if boards.is_empty() { String::new() } else { format!("{boards}; ") };
            let head = if is_first { format!("{COLUMNS}\n") } else { String::new() };
            let _ = write!(text, "\n{before}{}: {}\n{head}", row.board, view.shape);
        }
        let _ = writeln!(text, "{}", self::row(&row, elapsed));
        text
    }
}

/// One row: the time of the search, its layer, states expanded in all and open in the layer, the proven limit of the
/// optimum, the best value held, their difference, the memory, and the engine or the stage under way.
fn row(row: &ProgressRow, elapsed: f64) -> String {
    let objective = row.objective();
    let is_clear = objective.is_goal();
    let proven = (!is_clear).then(|| objective.value(row.lower_bound));
    let best = row.incumbent.map(|cost| objective.value(cost));
    let gap = proven.zip(best).map(|(proven, best)| count(proven.abs_diff(best)));
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let best = best.map(|best| if is_clear { objective.name.to_owned() } else { signed(best) });
    let memory = Some(row.memory()).filter(|&used| used > 0).map(bytes);
    format!(
        "{:>9} {:>5} {:>8} {:>8} {:>8} {:>8} {:>5} {:>10}  {}",
        clock(elapsed),
        known(row.layer.map(|layer| layer.to_string())),
        short(row.expanded),
        known(row.layer.and_then(|layer| row.open_in(layer)).map(short)),
        known(proven.map(signed)),
        known(best),
        known(gap),
        known(memory),
        row.stage.as_ref().map_or_else(|| row.engine.clone(), stage_text),
    )
    .trim_end()
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionFacts;
    use crate::text::tests::{objective, scores};
    use gridhunt_hunt::BoardSearchInfo;
    use gridhunt_puzzle::Objective;
    use gridhunt_search::runtime::{Event, Limits};
    use std::time::Duration;

    fn board(number: usize, objective: Objective) -> BoardSearchInfo<'static> {
        let name = ["", "a.txt", "b.txt"][number];
        BoardSearchInfo { number, name, objective, shape: "2 x 3, 4 colours".to_owned(), identity: String::new() }
    }

    #[test]
    fn rows_stand_under_their_columns() {
        let mut view = View::new(Some(2), SessionFacts::default());
        let mut log = LogTable::new("heading\n".to_owned());
        view.begin(&board(1, Objective::MOVES));
        view.take(&Event::EngineStarted { engine: "beam" });
        view.take(&Event::Incumbent { cost: 15, moves: &[] });
        view.take(&Event::LowerBound(12));
        view.take(&Event::LayerStarted { f: 12, open: 1_234 });
        view.now = 3_700.0;
        let head = format!("heading\n\n0 of 2 boards done, 0 proven optimal; a.txt: 2 x 3, 4 colours\n{COLUMNS}\n");
        let line = "  1:01:40    12        0   1.23 k       12       15     3          -  beam\n";
        assert_eq!(log.lines(&view), head + line);
        assert_eq!(log.lines(&view), line, "title and head stand once");
        view.finish(true);
        assert_eq!(log.lines(&view), "1 of 2 boards done, 1 proven optimal\n");
        view.begin(&board(2, scores(5_000)));
        view.take(&Event::Incumbent { cost: 900, moves: &[] });
        view.take(&Event::LowerBound(5));
        let line = "     0:00     -        0        -    4,995    4,100   895          -";
        assert_eq!(log.lines(&view).lines().last(), Some(line));
        assert!(COLUMNS.len() <= 80);
    }

    #[test]
    fn a_clear_has_no_gap() {
        let mut view = View::new(Some(1), SessionFacts::default());
        view.begin(&board(1, objective("clear")));
        let last = |view: &View| LogTable::new(String::new()).lines(view).lines().last().map(str::to_owned);
        assert_eq!(
            last(&view).as_deref(),
            Some("     0:00     -        0        -        -        -     -          -")
        );
        view.take(&Event::Incumbent { cost: 0, moves: &[] });
        let clear = "     0:00     -        0        -        -    clear     -          -";
        assert_eq!(last(&view).as_deref(), Some(clear));
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
             bound best for the board, 1 thread\nlimits: memory 3.0 GiB, 12.0 s a board, 1,000,000 expansions a board\n"
        );
        assert_eq!(log_heading(&request, None), expected);
        assert_eq!(log_heading(&Request::default(), None).lines().count(), 1);
    }
}
