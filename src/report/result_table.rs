//! Tables of results, from lines of JSON as `solve --json` and run directories have them.

use crate::hunt::sealed::{self, Seal};
use crate::hunt::{BoardRecord, Identities, object_in};
use crate::report::MissingRecord;
use gridhunt_search::domain::Cost;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

/// A row of the table of results.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultRow {
    /// The number of the board, from 1.
    pub number: usize,
    /// The name of the board.
    pub name: String,
    /// The status, in the word of the results.
    pub status: String,
    /// The value of the best solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The proven limit of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Seconds that the search took.
    pub seconds: f64,
    /// States expanded.
    pub expanded: u64,
    /// The engine.
    pub engine: String,
    /// The lower bounds.
    pub bounds: String,
    /// Why the search ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// What values count.
    #[serde(skip)]
    pub objective: String,
    /// Whether the bound is an upper limit.
    #[serde(skip)]
    pub is_score: bool,
    /// What the result is about.
    #[serde(skip)]
    identity: String,
}

impl ResultRow {
    /// What is proven and found.
    #[must_use]
    pub fn range(&self) -> String {
        let (low, high) = if self.is_score { (&self.value, &self.bound) } else { (&self.bound, &self.value) };
        match (low, high) {
            (Some(low), Some(high)) if low == high => format!("optimum {low} (proven)"),
            (Some(low), Some(high)) => format!("{low} <= optimum <= {high}"),
            (Some(low), None) => format!("{low} <= optimum"),
            (None, Some(high)) => format!("optimum <= {high}"),
            (None, None) => self.status.clone(),
        }
    }
}

impl From<BoardRecord> for ResultRow {
    fn from(of: BoardRecord) -> Self {
        let text =
            |score: Option<i64>, cost: Option<Cost>| score.or(cost.map(i64::from)).map(|value| value.to_string());
        Self {
            number: of.number,
            name: of.board,
            status: of.status.name().to_owned(),
            value: text(of.score, of.cost),
            bound: text(of.upper_score, of.lower_bound),
            seconds: of.seconds,
            expanded: of.expanded,
            engine: of.engine.name().to_owned(),
            bounds: of.bound,
            stopped: of.stopped.map(|reason| reason.name().to_owned()),
            objective: of.objective.name().to_owned(),
            is_score: of.objective.ceiling().is_some(),
            identity: of.identity,
        }
    }
}

/// The row of a line of JSON, if it is a result. A board that could not be read has the number 0.
fn row_of(line: &str) -> Option<ResultRow> {
    let record = || serde_json::from_str::<BoardRecord>(line).ok().map(ResultRow::from);
    let missing = || {
        let MissingRecord { number, board, status, .. } = serde_json::from_str(line).ok()?;
        let (number, name) = (number.unwrap_or_default(), board.unwrap_or_default());
        Some(ResultRow { number, name, status, ..ResultRow::default() })
    };
    record().or_else(missing)
}

/// The results of a run directory, as far as they are read.
#[derive(Clone, Debug, Default)]
pub struct ResultReader {
    /// Length and time of the file at the last look.
    seen: Option<(u64, Option<SystemTime>)>,
    /// The bytes that are read: whole lines.
    read: u64,
    changes: u64,
    table: ResultTable,
}

impl ResultReader {
    /// Forgets what was read.
    pub fn begin_anew(&mut self) {
        *self = Self { changes: self.changes, ..Self::default() };
    }

    /// Reads the lines that are new and have these identities, or all if the file was replaced. Returns whether
    /// something is new.
    pub fn look(&mut self, folder: &Path, identities: &Identities) -> bool {
        let path = folder.join("results.jsonl");
        let now = fs::metadata(&path).ok().map(|file| (file.len(), file.modified().ok()));
        if now == self.seen {
            return false;
        }
        self.seen = now;
        if now.is_none_or(|(length, _)| length < self.read) {
            (self.read, self.table) = (0, ResultTable::default());
        }
        // A file that cannot be read now may be read at the next look.
        if let Ok(bytes) = self.new_lines(&path) {
            self.read += bytes.len() as u64;
            self.table.take(&bytes, Some(identities));
        }
        self.changes += 1;
        true
    }

    /// The whole lines behind those that are read.
    fn new_lines(&self, path: &Path) -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1));
        Ok(bytes)
    }

    /// The results.
    #[must_use]
    pub fn table(&self) -> &ResultTable {
        &self.table
    }

    /// Counts the changes.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.changes
    }
}

/// The last result of each board.
#[derive(Clone, Debug, Default)]
pub struct ResultTable {
    last: BTreeMap<usize, ResultRow>,
    unread: usize,
    unnumbered: usize,
}

impl ResultTable {
    /// Takes lines, of a run those with its identities alone. Lines that are no results, or damaged, are passed over.
    pub fn take(&mut self, text: &[u8], identities: Option<&Identities>) {
        for line in text.split(|&byte| byte == b'\n') {
            let Some(object) = object_in(line) else { continue };
            let whole = str::from_utf8(object).ok().filter(|line| !matches!(sealed::check(line), Seal::Broken { .. }));
            match whole.and_then(row_of) {
                Some(row) if row.number == 0 => self.unnumbered += 1,
                Some(row) if identities.is_some_and(|identities| !identities.admit(row.number, &row.identity)) => {}
                Some(row) => _ = self.last.insert(row.number, row),
                None => self.unread += 1,
            }
        }
    }

    /// The rows, with rising numbers.
    pub fn rows(&self) -> impl Iterator<Item = &ResultRow> {
        self.last.values()
    }

    /// The row of a board.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&ResultRow> {
        self.last.get(&number)
    }

    /// How many boards are done, and how many of these are proven: optimal or unsolvable.
    #[must_use]
    pub fn done(&self) -> (u64, u64) {
        let done = || self.last.values().filter(|row| row.stopped.is_none());
        let is_proven = |row: &&ResultRow| ["optimal", "unsolvable"].contains(&&*row.status);
        (done().count() as u64, done().filter(is_proven).count() as u64)
    }

    /// How many lines are about boards that could not be read. Without a number they have no row.
    #[must_use]
    pub fn unnumbered(&self) -> usize {
        self.unnumbered
    }

    /// How many lines were passed over.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread
    }
}
