//! Certificates of boards: evidence for a proven lower bound, which a program without a search can check.

use super::board_search::BoardSearch;
use super::solve::search_board;
use super::{BoardRecord, HuntError, KnownRange, Request, RunError, write_atomically};
use gridhunt_boards::{Board, EMPTY};
use gridhunt_check::Proven;
use gridhunt_puzzle::{BoundCertificate, CertifiableTask, CertificateClaim, CertificateForm, PuzzleError, Task};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, ProofError, RefutedSets, Solution};
use gridhunt_search::runtime::{Observer, StopReason, StopToken};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Searches a board, then makes the certificate of what the search has proven. The search starts from `known`, if it is
/// given. The limits apply to the search, and once more to the making of the certificate.
///
/// # Errors
/// As [`solve_board`](super::solve_board). When the puzzle has no certificates, when the search proves nothing, and
/// when a limit is reached.
pub fn certify_board(
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    form: CertificateForm,
    observer: &dyn Observer,
    stop: &StopToken,
) -> Result<(BoardRecord, BoundCertificate), HuntError> {
    // A board that has no certificates of this form is refused before the search.
    certificates(&*request.task(board)?)?.check_form(form)?;
    let search = BoardSearch { board, request, known, held: &KnownRange::default(), observer, stop, checkpoints: None };
    let (record, refuted) = search_board(&search, None)?;
    let certificate = certify_record(&search, (&record, refuted), form)?;
    Ok((record, certificate))
}

/// Returns the task as [`CertifiableTask`].
///
/// # Errors
/// When its lower bounds have no certificates.
pub fn certificates(task: &dyn Task) -> Result<&dyn CertifiableTask, PuzzleError> {
    task.as_certifiable().ok_or(PuzzleError::NoCertificates(task.info().puzzle))
}

/// Makes the certificate of what the record of a search says: that its cost is the optimum, or that the optimum is at
/// least its lower bound. The checker has accepted the certificate. The record comes with what the search has refuted;
/// the less that is, the longer this takes.
///
/// # Errors
/// When the puzzle has no certificates, when the record proves nothing, and when a limit is reached.
pub(super) fn certify_record(
    &BoardSearch { board, request, observer, stop, .. }: &BoardSearch<'_>,
    (record, refuted): (&BoardRecord, RefutedSets),
    form: CertificateForm,
) -> Result<BoundCertificate, HuntError> {
    let task = request.task(board)?;
    let certified = certificates(&*task)?;
    certified.check_form(form)?;
    let bound = record.lower_bound.unwrap_or(Cost::MAX);
    let is_optimal = record.cost == Some(bound);
    if bound == 0 && !is_optimal {
        let reason = ProofError::Stopped(record.stopped.unwrap_or(StopReason::Interrupted));
        return Err(PuzzleError::NotCertified { board: board.name().to_owned(), reason }.into());
    }
    let moves = task.as_state_task().map(|states| states.moves_named(&record.moves)).unwrap_or_default();
    let claim = CertificateClaim { bound, moves: is_optimal.then_some(&moves) };
    let threads = request.threads.max(1);
    let context = Context::new(threads, request.limits, observer, stop);
    let made = certified.certify(&claim, form, refuted, &context)?;
    if made.formula.is_none() {
        let refused = |reason| PuzzleError::CertificateRefused { board: board.name().to_owned(), reason };
        check_certificate(&made.bytes, Some(&*task)).map_err(refused)?;
    }
    Ok(made)
}

/// The memory that checking a certificate may take.
const CHECKING: u64 = 4 << 30;

/// Checks a certificate, and returns what it proves. If a task is given, the certificate must be about its board and
/// rules.
///
/// # Errors
/// The reason, when the certificate is refused.
pub fn check_certificate(bytes: &[u8], task: Option<&dyn Task>) -> Result<Proven, String> {
    let proven = gridhunt_check::check(bytes, CHECKING)?;
    match task {
        Some(task) if !is_of(&proven, task) => {
            Err(format!("it is of another board than {}, or of other rules", task.info().board.name()))
        }
        _ => Ok(proven),
    }
}

/// Whether a certificate is about the board and the rules of a task, whatever the names of the colours are.
fn is_of(proven: &Proven, task: &dyn Task) -> bool {
    let Some(certified) = task.as_certifiable().map(CertifiableTask::certified_board) else { return false };
    let board = task.info().board;
    let mut names = [[None; 256], [None; 256]];
    let mut match_up = |one: usize, other: usize| {
        let [to, from] = &mut names;
        *to[one].get_or_insert(other) == other && *from[other].get_or_insert(one) == one
    };
    certified.empty_cell.is_none_or(|empty| match_up(empty, usize::from(EMPTY)))
        && proven.board[..2] == [board.rows(), board.cols()]
        && certified.rules == proven.board[3..]
        && proven.cells.iter().zip(board.cells()).all(|(&one, &other)| match_up(one, usize::from(other)))
}

/// A folder with a file for each board: `NAME.EXTENSION`.
#[derive(Debug)]
pub struct BoardFolder {
    path: PathBuf,
    canonical: PathBuf,
    extension: &'static str,
    /// Files that must not be replaced: the inputs, and the files of earlier boards.
    taken: Mutex<HashSet<PathBuf>>,
}

impl BoardFolder {
    /// The extension of certificates.
    pub const CERTIFICATES: &'static str = "cert";

    /// Opens a folder, and creates it if it is not there. `inputs` are files that must not be replaced.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn create(path: &Path, inputs: &[PathBuf], extension: &'static str) -> Result<Self, HuntError> {
        let failed = |reason| RunError::Io { action: "create", path: path.to_owned(), reason };
        fs::create_dir_all(path).map_err(failed)?;
        let canonical = path.canonicalize().map_err(failed)?;
        let taken = inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
        Ok(Self { path: path.to_owned(), canonical, extension, taken: Mutex::new(taken) })
    }

    /// The file of a board with this name.
    #[must_use]
    pub fn file_of(folder: &Path, board: &str, extension: &str) -> PathBuf {
        let name: String = board.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
        folder.join(format!("{name}.{extension}"))
    }

    /// Reserves the file of a board with this name for this board.
    ///
    /// # Errors
    /// When the file is that of another board, or an input.
    pub fn reserve(&self, board: &str) -> Result<PathBuf, HuntError> {
        let file = Self::file_of(&self.path, board, self.extension);
        match self.taken.lock().insert(Self::file_of(&self.canonical, board, self.extension)) {
            true => Ok(file),
            false => Err(PuzzleError::FileConflict { board: board.to_owned(), file }.into()),
        }
    }
}

/// Writes a certificate, and returns its path. After a crash a file is whole or not there.
///
/// # Errors
/// When a file cannot be written.
pub fn write_certificate(file: PathBuf, certificate: &BoundCertificate) -> Result<PathBuf, HuntError> {
    let (file, files) = certificate.files(file);
    for (path, bytes) in files {
        write_atomically(&path, bytes).map_err(|reason| RunError::Io { action: "write", path, reason })?;
    }
    Ok(file)
}
