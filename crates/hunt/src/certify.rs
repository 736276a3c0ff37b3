//! Certificates of boards: evidence for a proven lower bound, which a checker verifies without a search.

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

/// Searches a board, then makes the certificate of the proven lower bound. The search starts from `known_solution`.
/// The limits apply to the search, and again to the making of the certificate.
///
/// # Errors
/// The errors of [`solve_board`](super::solve_board). Also when the puzzle has no certificates, when the search proves
/// nothing, and when a limit is reached.
pub fn certify_board(
    board: &Board,
    request: &Request,
    known_solution: Option<&Solution>,
    form: CertificateForm,
    observer: &dyn Observer,
    stop: &StopToken,
) -> Result<(BoardRecord, BoundCertificate), HuntError> {
    certifiable_task(&*request.task(board)?)?.check_form(form)?;
    let known_range = &KnownRange::default();
    let search = BoardSearch { board, request, known_solution, known_range, observer, stop, checkpoints: None };
    let (record, refuted) = search_board(&search, None)?;
    let certificate = certify_record(&search, (&record, refuted), form)?;
    Ok((record, certificate))
}

/// Returns the task as [`CertifiableTask`].
///
/// # Errors
/// When its lower bounds have no certificates.
pub fn certifiable_task(task: &dyn Task) -> Result<&dyn CertifiableTask, PuzzleError> {
    task.as_certifiable().ok_or(PuzzleError::NoCertificates(task.info().puzzle))
}

/// Makes the certificate of the claim of a record: that its cost is the optimum, or that the optimum is at least its
/// lower bound. The checker has accepted the certificate. The fewer sets the search has refuted, the longer this takes.
///
/// # Errors
/// When the puzzle has no certificates, when the record proves nothing, and when a limit is reached.
pub(super) fn certify_record(
    &BoardSearch { board, request, observer, stop, .. }: &BoardSearch<'_>,
    (record, refuted): (&BoardRecord, RefutedSets),
    form: CertificateForm,
) -> Result<BoundCertificate, HuntError> {
    let task = request.task(board)?;
    let certifiable = certifiable_task(&*task)?;
    certifiable.check_form(form)?;
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
    let certificate = certifiable.certify(&claim, form, refuted, &context)?;
    if certificate.formula.is_none() {
        let refused = |reason| PuzzleError::CertificateRefused { board: board.name().to_owned(), reason };
        check_certificate(&certificate.bytes, Some(&*task)).map_err(refused)?;
    }
    Ok(certificate)
}

/// The memory limit of the checker, in bytes.
const MAX_CHECK_MEMORY_BYTES: u64 = 4 << 30;

/// Checks a certificate, and returns what it proves. If there is a task, the certificate must be about its board and
/// rules.
///
/// # Errors
/// The reason, when the certificate is refused.
pub fn check_certificate(bytes: &[u8], task: Option<&dyn Task>) -> Result<Proven, String> {
    let proven = gridhunt_check::check(bytes, MAX_CHECK_MEMORY_BYTES)?;
    match task {
        Some(task) if !is_about(&proven, task) => {
            Err(format!("it certifies another board than {}, or other rules", task.info().board.name()))
        }
        _ => Ok(proven),
    }
}

/// Whether a certificate is about the board and the rules of a task, up to a renaming of the colours.
fn is_about(proven: &Proven, task: &dyn Task) -> bool {
    let Some(certified_board) = task.as_certifiable().map(CertifiableTask::certified_board) else { return false };
    let board = task.info().board;
    let mut bijection = [[None; 256], [None; 256]];
    let mut is_same_colour = |certified: usize, cell: usize| {
        let [to_cell, to_certified] = &mut bijection;
        *to_cell[certified].get_or_insert(cell) == cell && *to_certified[cell].get_or_insert(certified) == certified
    };
    certified_board.empty_cell.is_none_or(|empty| is_same_colour(empty, usize::from(EMPTY)))
        && proven.board[..2] == [board.rows(), board.cols()]
        && certified_board.rules == proven.board[3..]
        && proven.cells.iter().zip(board.cells()).all(|(&certified, &cell)| is_same_colour(certified, cell.into()))
}

/// A folder with a file for each board: `NAME.EXTENSION`.
#[derive(Debug)]
pub struct BoardFolder {
    path: PathBuf,
    canonical: PathBuf,
    extension: &'static str,
    /// The canonical paths that must not be replaced: the inputs, and the files of earlier boards.
    reserved: Mutex<HashSet<PathBuf>>,
}

impl BoardFolder {
    /// The extension of certificates.
    pub const CERT_EXTENSION: &'static str = "cert";

    /// Opens or creates a folder. `inputs` are files that must not be replaced.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn create(path: &Path, inputs: &[PathBuf], extension: &'static str) -> Result<Self, HuntError> {
        let failed = |reason| RunError::Io { action: "create", path: path.to_owned(), reason };
        fs::create_dir_all(path).map_err(failed)?;
        let canonical = path.canonicalize().map_err(failed)?;
        let reserved = inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
        Ok(Self { path: path.to_owned(), canonical, extension, reserved: Mutex::new(reserved) })
    }

    /// The file of a board with this name.
    #[must_use]
    pub fn file_of(folder: &Path, board: &str, extension: &str) -> PathBuf {
        let name: String = board.chars().map(|c| if matches!(c, '/' | '\\' | ':') { '_' } else { c }).collect();
        folder.join(format!("{name}.{extension}"))
    }

    /// Reserves the file of the board with this name.
    ///
    /// # Errors
    /// When the file is reserved for another board, or an input.
    pub fn reserve(&self, board: &str) -> Result<PathBuf, HuntError> {
        let file = Self::file_of(&self.path, board, self.extension);
        match self.reserved.lock().insert(Self::file_of(&self.canonical, board, self.extension)) {
            true => Ok(file),
            false => Err(PuzzleError::FileConflict { board: board.to_owned(), file }.into()),
        }
    }
}

/// Writes the files of a certificate atomically, and returns the path of the certificate.
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
