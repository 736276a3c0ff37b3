//! `results.jsonl`: the results of a run, one line each.

use super::files::At;
use super::identities::{Identities, note_left_out};
use super::sealed::{self, Seal};
use crate::hunt::RunError;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Status, Times};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// The fields of a line of `results.jsonl` that a resume needs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FinishedBoard {
    /// The board's number in the run, from 1.
    pub number: usize,
    /// The board's name.
    pub board: String,
    /// The status of the board.
    pub status: Status,
    /// The reason why the search ended early, if it did.
    pub stopped: Option<String>,
    /// The cost of the best solution.
    pub cost: Option<Cost>,
    /// The proven lower bound; `None` if the board is proven to have no solution.
    pub lower_bound: Option<Cost>,
    /// The moves of the best solution, if the board needs a further search.
    #[serde(default)]
    pub moves: Vec<String>,
    /// What the result is about.
    #[serde(default)]
    pub identity: String,
    /// The times of all sessions.
    #[serde(flatten)]
    pub times: Times,
}

impl FinishedBoard {
    /// Whether the board needs no further search.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.stopped.is_none()
    }

    /// The result after an earlier one of the same identity: what was proven or found before still holds.
    pub(super) fn after(self, earlier: Option<&Self>) -> Self {
        // Only a later search needs the moves.
        let moves = if self.is_done() { Vec::new() } else { self.moves };
        let this = Self { moves, ..self };
        let Some(earlier) = earlier else { return this };
        let lower_bound = this.lower_bound.map(|bound| bound.max(earlier.lower_bound.unwrap_or(0)));
        let is_better = |held: Cost| this.cost.is_none_or(|cost| held < cost);
        match earlier.cost {
            Some(held) if is_better(held) => {
                Self { cost: Some(held), moves: earlier.moves.clone(), lower_bound, ..this }
            }
            _ => Self { lower_bound, ..this },
        }
    }

    /// The best solution as a result in JSON, which every reader of solutions knows.
    pub(super) fn solution_as_json(&self) -> String {
        serde_json::json!({ "board": self.board, "cost": self.cost, "moves": self.moves }).to_string()
    }
}

/// The content of `results.jsonl`.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    /// The results by the number of the board.
    pub(super) finished: BTreeMap<usize, FinishedBoard>,
    /// The bytes of whole lines. The bytes behind them are a line that was never finished.
    pub(super) whole: u64,
    /// The bytes of lines whose checksums are right.
    pub(super) sealed: u64,
    /// Whether the last whole line lacks its line end.
    pub(super) is_open: bool,
    /// What was noticed besides, for people.
    pub(super) notes: Vec<String>,
}

/// Parses one line, without its line end.
///
/// # Errors
/// The text says what was found, and what was expected.
fn parse<T: DeserializeOwned>(line: &str) -> Result<(T, Seal), Fault> {
    let seal = sealed::check(line);
    if let Seal::Broken { found, expected } = seal {
        let (found, expected) = (format!("the checksum {found:08x}"), format!("{expected:08x}"));
        return Err(Fault { found, expected, is_whole: false });
    }
    let fault = |e: serde_json::Error| Fault {
        found: e.to_string(),
        expected: "one result a line".to_owned(),
        is_whole: seal == Seal::Whole,
    };
    Ok((serde_json::from_str(line).map_err(fault)?, seal))
}

/// Why a line is no result.
struct Fault {
    found: String,
    expected: String,
    /// Whether the line is as it was written.
    is_whole: bool,
}

/// Reads the result that a line states.
///
/// # Errors
/// When the line is not a result.
pub(super) fn parse_new<T: DeserializeOwned>(line: &str, path: &Path) -> Result<T, RunError> {
    parse(line).map(|(result, _)| result).map_err(|fault| damaged(path, 0, fault))
}

/// The last result of each board that counts and `is_wanted`, by the number of the board; none without a file. A last
/// line that was never finished does not count.
///
/// # Errors
/// When the file cannot be read, or a line is damaged.
pub(super) fn last<T: DeserializeOwned>(
    path: &Path,
    identities: &Identities,
    is_wanted: impl Fn(&FinishedBoard) -> bool,
) -> Result<BTreeMap<usize, T>, RunError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        text => text.at("read", path)?,
    };
    let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let mut found = BTreeMap::new();
    for line in lines {
        let result: FinishedBoard = parse_new(line, path)?;
        if identities.admit(result.number, &result.identity) && is_wanted(&result) {
            found.insert(result.number, parse_new(line, path)?);
        }
    }
    Ok(found)
}

fn damaged(path: &Path, number: usize, Fault { found, expected, is_whole }: Fault) -> RunError {
    if is_whole {
        return RunError::OtherForm(format!("{}: line {number}: found {found}", path.display()));
    }
    RunError::Damaged {
        path: path.to_owned(),
        place: format!("line {number}"),
        found,
        expected,
        remedy: "restore the file from a copy, or remove the line; `gridhunt resume` searches its board again then"
            .to_owned(),
    }
}

/// Whether bytes without a line end are the beginning of a line: the process ended while it wrote them, or the machine
/// stopped before they reached the disk.
fn is_unfinished(bytes: &[u8]) -> bool {
    let written = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let line = &bytes[..written];
    // A character may be cut in its midst.
    let text = match str::from_utf8(line) {
        Ok(text) => text,
        Err(e) if e.error_len().is_none() => str::from_utf8(&line[..e.valid_up_to()]).unwrap_or_default(),
        Err(_) => return false,
    };
    text.is_empty() || serde_json::from_str::<serde_json::Value>(text).is_err_and(|e| e.is_eof())
}

/// Reads the results of a run, of which those with these identities count.
///
/// # Errors
/// When the file cannot be read, or a line is damaged. A last line that was never finished is no damage.
pub(super) fn read(file: &mut File, path: &Path, identities: &Identities) -> Result<Results, RunError> {
    let mut results = Results::default();
    let mut reader = BufReader::new(file);
    let (mut line, mut number, mut unsealed, mut left_out) = (Vec::new(), 0, 0, 0);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).at("read", path)?;
        if read == 0 {
            break;
        }
        number += 1;
        let text = line.strip_suffix(b"\n");
        results.is_open = text.is_none();
        if results.is_open && is_unfinished(&line) {
            results.is_open = false;
            results.notes.push(format!("{}: line {number} was never finished, and does not count", path.display()));
            break;
        }
        let utf8 = |_| Fault {
            found: "bytes that are no text".to_owned(),
            expected: "text in UTF-8".to_owned(),
            is_whole: false,
        };
        let parsed = str::from_utf8(text.unwrap_or(&line)).map_err(utf8).and_then(parse::<FinishedBoard>);
        let (result, seal) = parsed.map_err(|fault| damaged(path, number, fault))?;
        match seal {
            Seal::Missing => unsealed += 1,
            _ => results.sealed += read as u64,
        }
        results.whole += read as u64;
        if !identities.admit(result.number, &result.identity) {
            left_out += 1;
            continue;
        }
        let earlier = results.finished.get(&result.number);
        let result = result.after(earlier);
        results.finished.insert(result.number, result);
    }
    if unsealed > 0 {
        let note = format!("{}: {unsealed} of {number} lines have no checksum, and were not checked", path.display());
        results.notes.push(note);
    }
    results.notes.extend(note_left_out(path, left_out));
    Ok(results)
}

/// Removes a last line that was never finished, and moves to the end of the file.
///
/// # Errors
/// When the file cannot be changed.
pub(super) fn tidy(file: &mut File, results: &Results, path: &Path) -> Result<(), RunError> {
    file.set_len(results.whole).at("cut", path)?;
    file.seek(SeekFrom::End(0)).at("use", path)?;
    if results.is_open { file.write_all(b"\n").at("write", path) } else { Ok(()) }
}
