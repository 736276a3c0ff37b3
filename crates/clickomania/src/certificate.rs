//! Certificates: `docs/certificates.md` defines the format and the claim that it proves.

use super::{Column, Game, GameBound, GameBoundKind, Options, Visitor, with_scored_game};
use crate::{Columns, Goal, Rules};
use gridhunt_boards::Board;
use gridhunt_puzzle::{BoundCertificate, CertificateClaim, PuzzleError, Result, build_certificate};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Closure, Context, ProofError, enumerate};
use gridhunt_search::expand::Problem;
use std::fmt::Write;

/// Makes the certificate of a claim about a board.
///
/// The claim that a board cannot be cleared becomes a claim about the cells that are left: at least one.
///
/// # Errors
/// When the claim is wrong, and when a limit of `context` is reached.
pub(super) fn certify(
    board: &Board,
    options: &Options,
    claim: &CertificateClaim<'_>,
    context: &Context<'_>,
) -> Result<BoundCertificate> {
    let (goal, bound) = match (options.goal, claim.bound) {
        (_, Cost::MAX) => (Goal::Left, 1),
        (Goal::Clicks, bound) => (Goal::Clicks, bound),
        (_, bound) => (Goal::Left, bound),
    };
    // The moves number the groups in the order of the format.
    let game = Options { rules: options.rules, goal, ..Options::default() };
    let close = |f| with_scored_game(board, &game, Enumerate { f, context }).map_err(PuzzleError::invalid_position);
    build_certificate(board, bound, close, |records| head(board, &game, &CertificateClaim { bound, ..*claim }, records))
}

struct Enumerate<'a> {
    f: Cost,
    context: &'a Context<'a>,
}

impl Visitor for Enumerate<'_> {
    type Output = Result<Closure, ProofError>;

    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
        let bound = GameBound::new(game, GameBoundKind::Colours).unwrap_or_else(|| GameBound::best(game));
        enumerate(&Problem::new(game, bound), self.f, self.context)
    }
}

/// The least number of cells of a group, whether columns stay, and the corner, as numbers.
pub(super) fn rules(board: &Board, rules: Rules) -> [usize; 3] {
    // A greater number says nothing more, because no group has more cells than the board.
    let least = (rules.min_group as usize).min(board.rows() * board.cols() + 1);
    let corner = usize::from(rules.corner.is_right()) + 2 * usize::from(rules.corner.is_top());
    let stays = match rules.columns {
        Columns::Close => 0,
        Columns::Stay => 1,
    };
    [least, stays, corner]
}

/// Writes the text before the codes.
fn head(board: &Board, game: &Options, claim: &CertificateClaim<'_>, records: usize) -> String {
    let (rows, cols, colours) = (board.rows(), board.cols(), board.colours());
    let mut text = format!("GHCERT 1 clickomania\n{rows} {cols} {colours} {}\n", claim.bound);
    let goal = match game.goal {
        Goal::Left => 1,
        Goal::Clear | Goal::Clicks | Goal::Score => 0,
    };
    let [least, stays, corner] = rules(board, game.rules);
    let _ = writeln!(text, "{goal} {least} {stays} {corner}");
    let cells: Vec<_> = board.contents().map(|cell| cell.map_or(0, |colour| usize::from(colour) + 1)).collect();
    for row in cells.chunks(cols) {
        let row: Vec<_> = row.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    let moves = claim.moves.unwrap_or_default();
    let _ = write!(text, "{} {}", u8::from(claim.moves.is_some()), moves.len());
    moves.iter().for_each(|mv| _ = write!(text, " {mv}"));
    let _ = writeln!(text, "\n{records}");
    text
}
