//! The history of a run, read from `events.jsonl`.
//!
//! The log is not synced, and damaged or unfinished lines are skipped. So the log may have less than was proven, and
//! never more. A lower bound counts only if the checksum of its line is right, and the last `begin` of its board has
//! the identity of the board. A damaged line may have been a `begin` of any board, so later lines about a board count
//! only after its next `begin`. A solution is replayed before it counts.

use super::identities::{Identities, ignored_lines_note};
use super::line_checksum::DamagedLines;
use crate::KnownRange;
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::engine::Solution;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A summary of the events of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Whether there are events.
    pub is_known: bool,
    /// Why the log exists and cannot be read; otherwise `None`.
    pub unreadable: Option<String>,
    /// The number of searches of other identities, which are ignored.
    pub ignored_lines: usize,
    /// The lines that were skipped because they are damaged.
    pub damaged: DamagedLines,
    /// Whether a session has begun.
    pub has_session: bool,
    /// How the last session ended; `None` without an `end` event.
    pub session_end: Option<String>,
    /// The ranges of the boards whose search was begun and has no final result, by number. Solutions are not replayed.
    pub open_boards: BTreeMap<usize, KnownRange>,
    /// The time of the last event, in seconds since 1970.
    pub last_event_time: f64,
    /// The boards that the last session was searching at its end, by number, with the times when it began them.
    pub searched_since: BTreeMap<usize, f64>,
}

/// A line of the log.
#[derive(Debug, Deserialize)]
struct EventLine {
    time: f64,
    #[serde(default)]
    number: Option<usize>,
    event: String,
    value: Value,
    #[serde(default)]
    moves: Vec<MoveIndex>,
}

impl History {
    /// The log of events in a run directory.
    #[must_use]
    pub fn path(run: &Path) -> PathBuf {
        run.join("events.jsonl")
    }

    /// Reads the history of a run directory. Ignores events of other identities.
    #[must_use]
    pub fn read(run: &Path, identities: &Identities) -> Self {
        let mut history = Self::default();
        history.unreadable = match File::open(Self::path(run)) {
            Ok(file) => history.read_lines(BufReader::new(file), identities).err().map(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(error.to_string()),
        };
        history
    }

    /// Notes for the user.
    pub(super) fn notes(&self, run: &Path) -> impl Iterator<Item = String> {
        let path = Self::path(run);
        let ignored = ignored_lines_note(&path, self.ignored_lines);
        let unreadable = |reason| format!("{}: {reason}: its events are ignored", path.display());
        let damaged = self.damaged.note(&path);
        self.unreadable.as_ref().map(unreadable).into_iter().chain(ignored).chain(damaged)
    }

    fn read_lines(&mut self, mut reader: impl BufRead, identities: &Identities) -> io::Result<()> {
        let (mut bytes, mut searched) = (Vec::new(), BTreeSet::new());
        while reader.read_until(b'\n', &mut bytes)? > 0 {
            match self.damaged.check(&bytes).and_then(|line| serde_json::from_str(line).ok()) {
                Some(line) => self.apply(line, identities, &mut searched),
                None => searched.clear(),
            }
            bytes.clear();
        }
        Ok(())
    }

    /// Applies an event. `searched` has the boards whose last `begin` has their identity.
    fn apply(&mut self, line: EventLine, identities: &Identities, searched: &mut BTreeSet<usize>) {
        let EventLine { time, number, event, value, moves } = line;
        self.is_known = true;
        self.last_event_time = self.last_event_time.max(time);
        let cost = value.as_u64().and_then(|cost| Cost::try_from(cost).ok());
        let of_search = number.filter(|number| searched.contains(number));
        let board = of_search.and_then(|number| self.open_boards.get_mut(&number));
        match event.as_str() {
            "session" => {
                (self.has_session, self.session_end) = (true, None);
                self.searched_since.clear();
            }
            "end" if self.has_session => self.session_end = value.as_str().map(str::to_owned),
            "begin" => {
                let Some(number) = number else { return };
                if identities.matches(number, value["identity"].as_str().unwrap_or_default()) {
                    searched.insert(number);
                    self.searched_since.insert(number, time);
                    self.open_boards.entry(number).or_default();
                } else {
                    searched.remove(&number);
                    self.ignored_lines += 1;
                }
            }
            "lower-bound" => {
                if let Some(board) = board {
                    board.lower_bound = board.lower_bound.max(cost.unwrap_or(0));
                }
            }
            "incumbent" => {
                if let (Some(board), Some(cost)) = (board, cost)
                    && board.solution.as_ref().is_none_or(|known| cost < known.cost)
                {
                    board.solution = Some(Solution { cost, moves });
                }
            }
            "finish" => {
                if let Some(number) = number {
                    self.searched_since.remove(&number);
                }
                if let (Some(number), Some(Value::Null)) = (of_search, value.get("stopped")) {
                    self.open_boards.remove(&number);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line_checksum;
    use super::*;

    fn read(lines: &[String]) -> History {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(History::path(folder.path()), lines.concat()).unwrap();
        History::read(folder.path(), &Identities::named(&["1a"; 2]))
    }

    fn event(time: f64, number: Option<usize>, board: &str, event: &str, value: Value) -> String {
        let line = serde_json::json!({
            "time": time, "number": number, "board": board, "event": event, "value": value
        });
        line_checksum::append(&line.to_string()) + "\n"
    }

    fn found(cost: u32, moves: &[u16]) -> String {
        let line = serde_json::json!({
            "time": 5.0, "number": 1, "board": "a", "event": "incumbent", "value": cost, "moves": moves
        });
        line_checksum::append(&line.to_string()) + "\n"
    }

    /// After an edit of the configuration, what was proven before is about another search.
    #[test]
    fn a_search_of_something_else_begins_with_nothing() {
        let begin = |identity: &str| event(1.0, Some(1), "a", "begin", serde_json::json!({ "identity": identity }));
        let bound = event(2.0, Some(1), "a", "lower-bound", 9.into());
        let of = |lines: &[String]| read(lines).open_boards[&1].clone();
        assert_eq!(of(&[begin("1a"), bound.clone(), begin("1a")]).lower_bound, 9);
        let lines = [begin("1a"), bound.clone(), begin("2b"), event(3.0, Some(1), "a", "lower-bound", 11.into())];
        assert_eq!(of(&lines).lower_bound, 9, "a search of something else proves nothing");
        let finished = event(4.0, Some(1), "a", "finish", serde_json::json!({ "stopped": null }));
        let lines = [&lines[..], &[found(7, &[1]), finished, begin("1a")]].concat();
        assert_eq!(of(&lines), KnownRange { lower_bound: 9, solution: None }, "and takes nothing away");
        assert_eq!(read(&[begin("2b"), bound]).open_boards, BTreeMap::new());
        let notes: Vec<_> = read(&lines).notes(Path::new("run")).collect();
        assert_eq!(notes, ["run/events.jsonl: ignored: 1 line about another board, puzzle or rules"]);
    }

    /// The line may have been the beginning of another search, of any of the boards side by side.
    #[test]
    fn what_follows_a_damaged_line_counts_only_when_its_board_begins_again() {
        let begin = |number: usize, identity: &str| {
            event(1.0, Some(number), "a", "begin", serde_json::json!({ "identity": identity }))
        };
        let bound = |number: usize, cost: u32| event(2.0, Some(number), "a", "lower-bound", cost.into());
        let bent = begin(1, "2b").replace("2b", "2c");
        for lost in [bent.as_str(), "\n", "\u{0}\u{0}\n"] {
            let lines = [
                [begin(1, "1a"), bound(1, 3), begin(2, "1a"), bound(2, 4), lost.to_owned()].concat(),
                [bound(1, 9), found(7, &[1]), bound(2, 9), begin(1, "1a"), bound(1, 5), begin(2, "1a")].concat(),
            ];
            let begun = read(&lines).open_boards;
            let board = |lower_bound| KnownRange { lower_bound, solution: None };
            assert_eq!(begun, BTreeMap::from([(1, board(5)), (2, board(4))]), "{lost:?}");
        }
    }

    #[test]
    fn lines_that_are_damaged_are_skipped() {
        assert_eq!(History::read(Path::new("/nowhere"), &Identities::default()), History::default());
        let bent = event(9.0, Some(1), "a", "lower-bound", 30.into()).replace("30", "39");
        let lines = [
            event(1.0, None, "", "session", serde_json::json!({ "process": 7 })),
            event(2.0, Some(1), "a", "begin", serde_json::json!({ "identity": "1a" })),
            event(3.0, Some(1), "a", "lower-bound", 29.into()),
            event(4.0, Some(1), "a", "lower-bound", 28.into()),
            bent,
            "{\"time\":6.0,\"number\":1,\"board\":\"a\",\"event\":\"lower-bound\",\"value\":30}\n".to_owned(),
            event(6.0, Some(1), "a", "begin", serde_json::json!({ "identity": "1a" })),
            found(35, &[3, 1]),
            found(36, &[1]),
            found(35, &[2]),
            "nonsense\n".to_owned(),
            event(7.0, Some(2), "b", "begin", serde_json::json!({ "identity": "1a" })),
            event(8.0, Some(2), "b", "finish", serde_json::json!({ "board": "b", "stopped": null })),
            "{\"time\":99".to_owned(),
        ];
        let history = read(&lines);
        let board = KnownRange { lower_bound: 29, solution: Some(Solution { cost: 35, moves: vec![3, 1] }) };
        assert_eq!(history.open_boards, BTreeMap::from([(1, board)]), "a line without a checksum proves nothing");
        assert_eq!(
            (history.last_event_time, history.searched_since, history.has_session, history.session_end),
            (8.0, BTreeMap::from([(1, 6.0)]), true, None)
        );
    }
}
