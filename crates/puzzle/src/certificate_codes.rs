//! Encodes certificates: single numbers, and the records of an enumeration. `docs/certificates.md` has the formats.

use super::{BoundCertificate, PuzzleError};
use gridhunt_boards::Board;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{ChildCover, Closure, ProofError};

/// Builds a certificate: the text that `header` returns for the number of records, then the codes of the records. The
/// records are the closure that `enumerate` returns for `bound` - 1.
///
/// # Errors
/// When `enumerate` fails, or finds no closure.
pub fn build_certificate(
    board: &Board,
    bound: Cost,
    enumerate: impl FnOnce(Cost) -> Result<Result<Closure, ProofError>, PuzzleError>,
    header: impl FnOnce(usize) -> String,
) -> Result<BoundCertificate, PuzzleError> {
    let closure = match bound.checked_sub(1) {
        Some(f) => enumerate(f)?,
        // A lower bound of 0 needs no proof.
        None => Ok(Closure { records: 1, ..Closure::default() }),
    };
    let closure = closure.map_err(|reason| PuzzleError::NotCertified { board: board.name().to_owned(), reason })?;
    let mut bytes = header(closure.records).into_bytes();
    write_codes(&closure, &mut bytes);
    Ok(BoundCertificate { bytes, formula: None, records: closure.records })
}

/// The number of children in a group. One code has a bit for each child of its group: 1 unless the child is refuted.
const GROUP_SIZE: usize = 7;

/// Appends the codes of all children, record by record.
fn write_codes(closure: &Closure, out: &mut Vec<u8>) {
    let (mut next, mut remaining) = (1, &closure.children[..]);
    for &count in &closure.child_counts {
        let (children, following) = remaining.split_at(count);
        remaining = following;
        for group in children.chunks(GROUP_SIZE) {
            let code_bit = |(at, cover): (usize, &ChildCover)| u64::from(*cover != ChildCover::Refuted) << at;
            write_leb128(group.iter().enumerate().map(code_bit).sum(), out);
            for cover in group {
                match *cover {
                    ChildCover::Refuted => {}
                    ChildCover::NewRecord => {
                        next += 1;
                        write_leb128(0, out);
                    }
                    ChildCover::Record(record) if record >= next => write_leb128(1 + 2 * u64::from(record - next), out),
                    ChildCover::Record(record) => write_leb128(2 * u64::from(next - record), out),
                }
            }
        }
    }
}

/// Writes a number in unsigned LEB128: 7 bits a byte, the lowest first; the highest bit says that more bytes follow.
pub fn write_leb128(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 & 127 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}
