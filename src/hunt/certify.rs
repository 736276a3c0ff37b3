//! Certificates of boards: evidence for a proven lower bound, which a program without a search can check.

use super::{BoardRecord, HuntError, solve_from};
use crate::puzzles::{BoundCertificate, CertificateForm, Claim, PuzzleError, Request};
use gridhunt_boards::Board;
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::{Context, Solution};
use gridhunt_search::runtime::{Observer, StopToken};

/// Searches a board, then makes the certificate of what the search has proven: that the optimum is that of the record,
/// or at least its lower bound. The search starts from `known`, if it is given. Limits hold for the search and for
/// making the certificate, each by itself.
///
/// # Errors
/// As [`solve_from`]; when the puzzle has no certificates of this form; when a limit is reached while the
/// certificate is made.
pub fn certify_board(
    board: &Board,
    request: &Request,
    known: Option<&Solution>,
    form: CertificateForm,
    observer: &dyn Observer,
    stop: &StopToken,
) -> Result<(BoardRecord, BoundCertificate), HuntError> {
    let domain = request.domain;
    let puzzle = domain.certified().ok_or(PuzzleError::NoCertificates { domain })?;
    puzzle.check_form(board, form)?;
    let record = solve_from(board, request, known, observer, stop, None)?;
    let bound = record.lower_bound.unwrap_or(0);
    let is_optimal = record.cost == Some(bound);
    let moves: Vec<_> = record.moves.iter().filter_map(|name| colour_of(board, name)).collect();
    let claim = Claim { bound, moves: is_optimal.then_some(&moves) };
    let threads = request.threads.max(1);
    let context = Context { threads, limits: request.limits, observer, stop, keep: None, exchange: None };
    let certificate = puzzle.certify(board, &claim, form, &context)?;
    Ok((record, certificate))
}

fn colour_of(board: &Board, name: &str) -> Option<MoveIndex> {
    let colour = board.symbols().iter().position(|symbol| symbol == name)?;
    MoveIndex::try_from(colour).ok()
}
