//! Certificates of lower bounds: `docs/certificates.md` has the format and what it proves.

use super::bounds::{BoundKind, BoundSpec, FloodBound};
use super::puzzle::FloodIt;
use super::{Visitor, check_full, with_puzzle};
use crate::puzzles::certificate_codes::certificate;
use crate::puzzles::{BoundCertificate, Claim, PuzzleError};
use gridhunt_boards::Board;
use gridhunt_search::engine::{Children, Closure, Context, NotClosed, close};
use gridhunt_search::expand::Problem;
use std::fmt::Write;

/// The rows and the columns that the format has.
const MOST_SIDE: usize = 255;

/// Refuses a board that the format cannot hold.
///
/// # Errors
/// When it has empty cells, or too many rows or columns.
pub(super) fn check_size(board: &Board) -> Result<(), PuzzleError> {
    check_full(board).map_err(PuzzleError::position)?;
    if board.rows().max(board.cols()) <= MOST_SIDE {
        return Ok(());
    }
    let (board, rows, cols) = (board.name().to_owned(), board.rows(), board.cols());
    Err(PuzzleError::LargeForCertificate { board, rows, cols, expected: "255 x 255 for a certificate" })
}

/// Makes the certificate of a claim about a board.
///
/// # Errors
/// When the claim is wrong, and when a limit of `context` is reached.
pub(super) fn certify(
    board: &Board,
    claim: &Claim<'_>,
    context: &Context<'_>,
) -> Result<BoundCertificate, PuzzleError> {
    let close = |f| with_puzzle(board, Close { f, context }).map_err(PuzzleError::position);
    certificate(board, claim.bound, close, |records| head(board, claim, records))
}

struct Close<'a> {
    f: u32,
    context: &'a Context<'a>,
}

impl Visitor for Close<'_> {
    type Output = Result<Closure, NotClosed>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let bound = FloodBound::new(puzzle, &BoundSpec::new(&[BoundKind::Elimination]));
        close(&Problem::new(puzzle, bound), self.f, Children::Pruned, self.context)
    }
}

/// The text before the codes.
fn head(board: &Board, claim: &Claim<'_>, records: usize) -> String {
    let numbers = |of: &[u8]| of.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
    let (rows, cols, colours) = (board.rows(), board.cols(), board.colours());
    let start = board.index(board.start());
    let mut text = format!("GHCERT 1 flood-it\n{rows} {cols} {colours} {} {start}\n", claim.bound);
    for row in board.cells().chunks(cols) {
        let _ = writeln!(text, "{}", numbers(row));
    }
    let moves = claim.moves.unwrap_or_default();
    let _ = write!(text, "{}", moves.len());
    moves.iter().for_each(|colour| _ = write!(text, " {colour}"));
    let _ = writeln!(text, "\n{records}");
    text
}
