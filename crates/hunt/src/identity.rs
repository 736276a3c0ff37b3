//! The identity of a result: puzzle, rules and board.

use super::Request;
use gridhunt_boards::Board;
use gridhunt_search::store::hash_key;

/// The checksum of puzzle, rules and board. Results with equal identities may be combined, whatever engine and lower
/// bound found them.
pub(super) fn identity(board: &Board, request: &Request) -> String {
    let domain = request.domain;
    format!("{:016x}", hash_key(format!("{domain}{}{}", request.rules_suffix(), board_identity(board)).as_bytes()))
}

/// The board in words, as a part of an identity.
pub(super) fn board_identity(board: &Board) -> String {
    let mut cells = board.cells().to_vec();
    cells.extend(board.symbols().iter().flat_map(|symbol| symbol.bytes()));
    format!(
        " on the board {} ({} x {}, {} colours, start {}, checksum {:016x})",
        board.name(),
        board.rows(),
        board.cols(),
        board.colours(),
        board.start(),
        hash_key(&cells),
    )
}
