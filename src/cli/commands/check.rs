//! `check`: checks a certificate with code that the solver does not use.

use crate::cli::args::certificate::Check;
use crate::cli::input::Input;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, print_message};
use gridhunt::hunt::{Config, Request, check_certificate};
use gridhunt::puzzles::Task;
use gridhunt_boards::Board;
use gridhunt_check::Proven;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a certificate.
const MAX_BYTES: u64 = 1 << 30;

/// What a certificate proves, in JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Proof"))]
pub struct JsonProof {
    /// The certificate.
    pub file: String,
    /// Whether it proves what it says.
    pub proven: bool,
    /// Why it is refused.
    pub reason: Option<String>,
    /// What is proven, in words, with the rules if there are any.
    pub claim: Option<String>,
    /// No solution has fewer moves, or leaves fewer cells.
    pub bound: Option<usize>,
    /// Whether a solution reaches `bound`, which is then the optimum.
    pub optimal: Option<bool>,
    /// Its records.
    pub records: Option<usize>,
}

impl JsonProof {
    pub fn new(file: &Path, checked: &Result<Proven, String>) -> Self {
        let (proven, reason) = (checked.as_ref().ok(), checked.as_ref().err().cloned());
        Self {
            file: file.display().to_string(),
            proven: proven.is_some(),
            reason,
            claim: proven.map(claim),
            bound: proven.map(|proven| proven.bound),
            optimal: proven.map(|proven| proven.is_optimum),
            records: proven.map(|proven| proven.records),
        }
    }
}

pub fn run(args: &Check) -> Result<Exit, Failure> {
    let board = args.board.as_ref().map(|_| read_board(args)).transpose()?;
    let task = board.as_ref().map(|(board, request)| request.task(board)).transpose()?;
    let checked = check_file(&args.file, task.as_deref())?;
    let text = match (&checked, &board) {
        _ if args.json => serde_json::to_string(&JsonProof::new(&args.file, &checked)).map_err(Failure::internal)?,
        (Ok(proven), None) => proven.text.clone(),
        _ => proof_line(&args.file, &checked),
    };
    Output::stdout().write(&(text + "\n"))?;
    Ok(if checked.is_ok() { Exit::Done } else { Exit::Invalid })
}

/// Checks the certificate in a file. Returns what it proves, or why it is refused. If a task is given, the certificate
/// must be about its board and rules.
pub fn check_file(file: &Path, task: Option<&dyn Task>) -> Result<Result<Proven, String>, Failure> {
    let mut bytes = Vec::new();
    let read = match file.as_os_str() == "-" {
        true => io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes),
        false => File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| Failure::bad_input(format!("{}: {error}", file.display())))?;
    if bytes.len() as u64 > MAX_BYTES {
        let found = format!("{}: found more than 1 GiB, expected a certificate of at most 1 GiB", file.display());
        return Err(Failure::bad_input(found));
    }
    Ok(check_certificate(&bytes, task))
}

/// The proven claim, in one line.
fn claim(proven: &Proven) -> String {
    proven.text.lines().last().unwrap_or_default().to_owned()
}

/// Writes a verdict in one line.
pub fn proof_line(file: &Path, checked: &Result<Proven, String>) -> String {
    match checked {
        Ok(proven) => format!("{}: {}", file.display(), claim(proven)),
        Err(reason) => format!("{}: refused: {reason}", file.display()),
    }
}

/// Reads the board that the user names.
fn read_board(args: &Check) -> Result<(Board, Request), Failure> {
    let mut config = Config::default();
    args.puzzle.apply_to(&mut config);
    args.rules.apply_to(&mut config);
    let options = args.reading.options(&config);
    let mut input = Input::open(args.board.as_slice(), options, args.boards.as_ref())?;
    let mut boards = input.read_all()?;
    input.fill_config(&mut config)?;
    input.notes.iter().for_each(|note| print_message(note));
    match (boards.pop(), boards.is_empty()) {
        (Some(entry), true) => Ok((entry.board, config.request())),
        _ => Err(Failure::bad_input(
            "found several boards, expected the board of the certificate: select it with --boards",
        )),
    }
}
