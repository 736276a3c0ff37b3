//! The history of a run, read from `events.jsonl`.
//!
//! The log is not synced, and a line that is damaged or was never finished is skipped. So the log may know less than
//! was proven, and never more: a lower bound counts only where the checksum of its line is right, for the search that
//! the line before names; a solution is replayed before it counts.

use super::sealed::{self, Seal};
use crate::hunt::Part;
use gridhunt_search::domain::{Cost, MoveIndex};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The events of a run, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Whether there are events.
    pub is_known: bool,
    /// Why the log cannot be read, if it exists and cannot be read.
    pub unreadable: Option<String>,
    /// The last session; `None` if an older version wrote the events.
    pub session: Option<LastSession>,
    /// Boards that were begun and have no final result, by their numbers.
    pub begun: BTreeMap<usize, BegunBoard>,
    /// Boards that lines without a checksum or a number name: older versions wrote them so. For reports alone.
    pub named: BTreeMap<String, BegunBoard>,
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
    /// What the search was about; `None` if an older version wrote the events.
    pub identity: Option<String>,
    /// The proven lower bound.
    pub lower_bound: Cost,
    /// The cost of the best solution that was found.
    pub incumbent: Option<Cost>,
    /// The moves of this solution, as the engine numbers them.
    pub moves: Vec<MoveIndex>,
}

impl BegunBoard {
    /// Takes a solution, if none was found before that costs as little.
    fn find(&mut self, cost: Cost, moves: Vec<MoveIndex>) {
        if self.incumbent.is_none_or(|held| cost < held) {
            (self.incumbent, self.moves) = (Some(cost), moves);
        }
    }
}

/// A line of the log.
#[derive(Debug, Deserialize)]
struct Line {
    time: f64,
    #[serde(default)]
    number: Option<usize>,
    board: String,
    event: String,
    value: Value,
    #[serde(default)]
    moves: Vec<MoveIndex>,
}

impl History {
    /// The log of events in a run directory.
    pub(crate) fn path(run: &Path) -> PathBuf {
        run.join("events.jsonl")
    }

    /// Reads the history of a run directory.
    #[must_use]
    pub fn read(run: &Path) -> Self {
        let mut history = Self::default();
        history.unreadable = match File::open(Self::path(run)) {
            Ok(file) => history.read_lines(BufReader::new(file)).err().map(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(error.to_string()),
        };
        history
    }

    fn read_lines(&mut self, mut reader: impl BufRead) -> io::Result<()> {
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes)? > 0 {
            if let Some(line) = str::from_utf8(&bytes).ok().and_then(parse) {
                self.take(line);
            }
            bytes.clear();
        }
        Ok(())
    }

    /// Whether the search of a board was begun.
    #[must_use]
    pub fn has_begun(&self, number: usize, name: &str) -> bool {
        self.begun.contains_key(&number) || self.named.contains_key(name)
    }

    /// The boards that were begun and have no final result, by their numbers in the list of `names`. Events of older
    /// versions name boards, so boards that share a name are left out there.
    #[must_use]
    pub fn by_number(&self, part: Part, names: &[String]) -> BTreeMap<usize, BegunBoard> {
        let mut boards = self.begun.clone();
        let mut numbers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, name) in part.numbers().zip(names).filter(|(_, name)| self.named.contains_key(*name)) {
            numbers.entry(name).or_default().push(number);
        }
        for (name, numbers) in numbers {
            if let [number] = numbers[..] {
                let board = boards.entry(number).or_default();
                let earlier = &self.named[name];
                board.lower_bound = board.lower_bound.max(earlier.lower_bound);
                if let Some(cost) = earlier.incumbent {
                    board.find(cost, Vec::new());
                }
            }
        }
        boards.retain(|number, _| part.place(*number).is_some_and(|place| place < names.len()));
        boards
    }

    /// The entry of a board that an event is about.
    fn board(&mut self, number: Option<usize>, name: &str) -> Option<&mut BegunBoard> {
        match number {
            Some(number) => self.begun.get_mut(&number),
            None => self.named.get_mut(name),
        }
    }

    fn take(&mut self, Line { time, number, board, event, value, moves }: Line) {
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
            "begin" => match number {
                Some(number) => {
                    let identity = value["identity"].as_str().map(str::to_owned);
                    let board = self.begun.entry(number).or_default();
                    if board.identity != identity {
                        *board = BegunBoard { identity, ..BegunBoard::default() };
                    }
                }
                None => _ = self.named.entry(board).or_default(),
            },
            "lower-bound" => {
                if let Some(board) = self.board(number, &board) {
                    board.lower_bound = board.lower_bound.max(cost.unwrap_or(0));
                }
            }
            "incumbent" => {
                if let (Some(board), Some(cost)) = (self.board(number, &board), cost) {
                    board.find(cost, moves);
                }
            }
            "finish" => {
                self.saved = self.saved.max(time);
                if let (Some(board), Some(Value::Null)) = (value["board"].as_str(), value.get("stopped")) {
                    self.named.remove(board);
                    number.map(|number| self.begun.remove(&number));
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
        Seal::Whole => serde_json::from_str(line).ok(),
        Seal::Missing => serde_json::from_str(line).ok().map(|line: Line| Line { number: None, ..line }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sealed::seal;
    use super::*;

    fn read(lines: &[String]) -> History {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(History::path(folder.path()), lines.concat()).unwrap();
        History::read(folder.path())
    }

    fn event(time: f64, number: Option<usize>, board: &str, event: &str, value: Value) -> String {
        let line = serde_json::json!({
            "time": time, "number": number, "board": board, "event": event, "value": value
        });
        seal(&line.to_string()) + "\n"
    }

    fn found(cost: u32, moves: &[u16]) -> String {
        let line = serde_json::json!({
            "time": 5.0, "number": 1, "board": "a", "event": "incumbent", "value": cost, "moves": moves
        });
        seal(&line.to_string()) + "\n"
    }

    /// After an edit of the configuration, what was proven before is about another search.
    #[test]
    fn a_search_of_something_else_begins_with_nothing() {
        let begin = |identity: &str| event(1.0, Some(1), "a", "begin", serde_json::json!({ "identity": identity }));
        let bound = event(2.0, Some(1), "a", "lower-bound", 9.into());
        let of = |lines: &[String]| read(lines).begun[&1].clone();
        assert_eq!(of(&[begin("1a"), bound.clone(), begin("1a")]).lower_bound, 9);
        let identity = Some("2b".to_owned());
        assert_eq!(
            of(&[begin("1a"), bound, found(7, &[1]), begin("2b")]),
            BegunBoard { identity, ..BegunBoard::default() }
        );
    }

    #[test]
    fn lines_that_are_damaged_are_skipped() {
        assert_eq!(History::read(Path::new("/nowhere")), History::default());
        let bent = event(9.0, Some(1), "a", "lower-bound", 30.into()).replace("30", "39");
        let lines = [
            event(1.0, None, "", "session", serde_json::json!({ "process": 7 })),
            event(2.0, Some(1), "a", "begin", serde_json::json!({ "identity": "1a" })),
            event(3.0, Some(1), "a", "lower-bound", 29.into()),
            event(4.0, Some(1), "a", "lower-bound", 28.into()),
            bent,
            "{\"time\":6.0,\"number\":1,\"board\":\"a\",\"event\":\"lower-bound\",\"value\":30}\n".to_owned(),
            found(35, &[3, 1]),
            found(36, &[1]),
            found(35, &[2]),
            "nonsense\n".to_owned(),
            event(7.0, Some(2), "b", "begin", Value::Null),
            event(8.0, Some(2), "b", "finish", serde_json::json!({ "board": "b", "stopped": null })),
            "{\"time\":99".to_owned(),
        ];
        let history = read(&lines);
        let identity = Some("1a".to_owned());
        let board = BegunBoard { identity, lower_bound: 29, incumbent: Some(35), moves: vec![3, 1] };
        assert_eq!(history.begun, BTreeMap::from([(1, board)]), "a line without a checksum proves nothing");
        assert_eq!((history.last, history.saved, history.session), (8.0, 8.0, Some(LastSession { ended: None })));
    }

    #[test]
    fn events_of_older_versions_are_about_the_board_of_their_name() {
        let old = |name: &str, event: &str, value: Value| {
            let line = serde_json::json!({ "time": 1.0, "board": name, "event": event, "value": value });
            seal(&line.to_string()) + "\n"
        };
        let history = read(&[
            old("a", "begin", Value::Null),
            old("a", "lower-bound", 5.into()),
            old("twice", "begin", Value::Null),
            event(2.0, Some(1), "a", "begin", Value::Null),
            event(2.0, Some(1), "a", "lower-bound", 4.into()),
            event(2.0, Some(9), "gone", "begin", Value::Null),
        ]);
        let names = ["a", "twice", "twice"].map(str::to_owned);
        let board = BegunBoard { lower_bound: 5, ..BegunBoard::default() };
        assert_eq!(history.by_number(Part::default(), &names), BTreeMap::from([(1, board)]));
        let begun: Vec<_> = (1..).zip(&names).map(|(number, name)| history.has_begun(number, name)).collect();
        assert_eq!(begun, [true, true, true]);
        let done = old("twice", "finish", serde_json::json!({ "board": "twice", "stopped": null }));
        assert!(!read(&[old("twice", "begin", Value::Null), done]).has_begun(2, "twice"));
    }
}
