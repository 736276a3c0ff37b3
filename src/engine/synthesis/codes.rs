//! Programs as codes of [`crate::board::Program`]: 0 ends a loop, then come the instructions, the endless loop, and
//! loops that count.

use crate::domain::Cost;
use std::cmp::Ordering;

/// The code of an endless loop. The code of a loop of `n` repetitions is `LOOP + n`.
pub(super) const LOOP: u16 = crate::board::INSTRUCTIONS.len() as u16 + 1;

/// The number of tokens of a program.
pub(super) fn cost(codes: &[u16]) -> Cost {
    codes.iter().filter(|code| **code != 0).count() as Cost
}

/// Lexical order of programs: ends of loops before instructions before loops. Counts decide where everything else is
/// equal.
pub(super) fn order(one: &[u16], other: &[u16]) -> Ordering {
    fn without_counts(codes: &[u16]) -> impl Iterator<Item = u16> {
        codes.iter().map(|&code| code.min(LOOP))
    }
    without_counts(one).cmp(without_counts(other)).then_with(|| one.cmp(other))
}
