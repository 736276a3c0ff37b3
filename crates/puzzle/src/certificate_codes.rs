//! Writes the codes of certificates: single numbers, and the records of an enumeration. `docs/certificates.md` has the
//! formats.

use super::{BoundCertificate, PuzzleError};
use gridhunt_boards::Board;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{ChildCover, Closure, ProofError};

/// Makes a certificate: text that `head` makes from the number of records, then the codes of these records. The records
/// are the closure that `close` returns for `bound` - 1.
///
/// # Errors
/// When `close` fails, or finds no closure.
pub fn certificate(
    board: &Board,
    bound: Cost,
    close: impl FnOnce(Cost) -> Result<Result<Closure, ProofError>, PuzzleError>,
    head: impl FnOnce(usize) -> String,
) -> Result<BoundCertificate, PuzzleError> {
    let closure = match bound.checked_sub(1) {
        Some(f) => close(f)?,
        // Nothing is to be proven.
        None => Ok(Closure { records: 1, ..Closure::default() }),
    };
    let closure = closure.map_err(|reason| PuzzleError::NotCertified { board: board.name().to_owned(), reason })?;
    let mut bytes = head(closure.records).into_bytes();
    write_codes(&closure, &mut bytes);
    Ok(BoundCertificate { bytes, formula: None, records: closure.records })
}

/// The number of children in a group. One code says of each child of its group whether it is refuted.
const GROUP: usize = 7;

/// Appends the codes of all children, record by record.
fn write_codes(closure: &Closure, out: &mut Vec<u8>) {
    let (mut next, mut rest) = (1, &closure.children[..]);
    for &count in &closure.child_counts {
        let (children, others) = rest.split_at(count);
        rest = others;
        for group in children.chunks(GROUP) {
            let is_held = |(at, covered): (usize, &ChildCover)| u64::from(*covered != ChildCover::Refuted) << at;
            write_number(group.iter().enumerate().map(is_held).sum(), out);
            for covered in group {
                match *covered {
                    ChildCover::Refuted => {}
                    ChildCover::NewRecord => {
                        next += 1;
                        write_number(0, out);
                    }
                    ChildCover::Record(record) if record >= next => write_number(1 + 2 * u64::from(record - next), out),
                    ChildCover::Record(record) => write_number(2 * u64::from(next - record), out),
                }
            }
        }
    }
}

/// Writes a number as bytes of 7 bits, the lowest bits first. The highest bit of a byte says that more bytes follow.
pub fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 & 127 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}
