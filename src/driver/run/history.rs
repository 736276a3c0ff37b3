//! The history of a run, read from `events.jsonl`.
//!
//! The log of events is talk: a line that is damaged or was never finished is skipped, and no search rests on it.

use crate::domain::Cost;
use crate::driver::sealed::{self, Seal};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The events of a run, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Whether there are events.
    pub is_known: bool,
    /// The last session; `None` if an older version wrote the events.
    pub session: Option<LastSession>,
    /// Boards that were begun and have no final result, by their names.
    pub begun: BTreeMap<String, BegunBoard>,
    /// The time of the last event, in seconds since 1970.
    pub last: f64,
    /// The time of the last result, or of the beginning of the last session.
    pub saved: f64,
}

/// The last session of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastSession {
    /// How the session ended; `None` if it did not say so.
    pub ended: Option<String>,
}

/// What was proven and found about a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BegunBoard {
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// The cost of the best solution that was found.
    pub incumbent: Option<Cost>,
}

/// A line of the log.
#[derive(Debug, Deserialize)]
struct Line {
    time: f64,
    board: String,
    event: String,
    value: Value,
}

impl History {
    /// The log of events in a run directory.
    pub(super) fn path(run: &Path) -> PathBuf {
        run.join("events.jsonl")
    }

    /// Reads the history of a run directory.
    #[must_use]
    pub fn read(run: &Path) -> Self {
        let mut history = Self::default();
        let Ok(file) = File::open(Self::path(run)) else { return history };
        let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
            if let Some(line) = str::from_utf8(&bytes).ok().and_then(parse) {
                history.take(line);
            }
            bytes.clear();
        }
        history
    }

    fn take(&mut self, Line { time, board, event, value }: Line) {
        self.is_known = true;
        self.last = self.last.max(time);
        let cost = value.as_u64().and_then(|cost| Cost::try_from(cost).ok());
        match event.as_str() {
            "session" => {
                self.session = Some(LastSession::default());
                self.saved = self.saved.max(time);
            }
            "end" => {
                if let Some(session) = &mut self.session {
                    session.ended = value.as_str().map(str::to_owned);
                }
            }
            "begin" => _ = self.begun.entry(board).or_default(),
            "lower-bound" => {
                if let Some(board) = self.begun.get_mut(&board) {
                    board.lower_bound = board.lower_bound.max(cost.unwrap_or(0));
                }
            }
            "incumbent" => {
                if let Some(board) = self.begun.get_mut(&board) {
                    board.incumbent = board.incumbent.into_iter().chain(cost).min();
                }
            }
            "finish" => {
                self.saved = self.saved.max(time);
                if let (Some(board), Some(Value::Null)) = (value["board"].as_str(), value.get("stopped")) {
                    self.begun.remove(board);
                }
            }
            _ => {}
        }
    }
}

fn parse(line: &str) -> Option<Line> {
    let line = line.trim_end();
    match sealed::check(line) {
        Seal::Broken { .. } => None,
        Seal::Whole | Seal::Missing => serde_json::from_str(line).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::sealed::seal;

    #[test]
    fn lines_that_are_damaged_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(History::read(folder.path()), History::default());
        let event = |time: f64, board: &str, event: &str, value: Value| {
            let line = serde_json::json!({ "time": time, "board": board, "event": event, "value": value });
            seal(&line.to_string()) + "\n"
        };
        let bent = event(9.0, "a", "lower-bound", 30.into()).replace("30", "39");
        let lines = [
            event(1.0, "", "session", serde_json::json!({ "process": 7 })),
            event(2.0, "a", "begin", Value::Null),
            event(3.0, "a", "lower-bound", 29.into()),
            event(4.0, "a", "lower-bound", 28.into()),
            event(5.0, "a", "incumbent", 35.into()),
            bent,
            "{\"time\":6.0,\"board\":\"a\",\"event\":\"lower-bound\",\"value\":30}\n".to_owned(),
            "nonsense\n".to_owned(),
            event(7.0, "b", "begin", Value::Null),
            event(8.0, "b", "finish", serde_json::json!({ "board": "b", "stopped": null })),
            "{\"time\":99".to_owned(),
        ];
        std::fs::write(History::path(folder.path()), lines.concat()).unwrap();
        let history = History::read(folder.path());
        let board = BegunBoard { lower_bound: 30, incumbent: Some(35) };
        assert_eq!(history.begun, BTreeMap::from([("a".to_owned(), board)]));
        assert_eq!((history.last, history.saved, history.session), (8.0, 8.0, Some(LastSession { ended: None })));
    }
}
