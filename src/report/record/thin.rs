//! Which rows of a long run are kept.
//!
//! Periodic rows thin out with age: two of them are at least as far apart as a share of their age, so that a day ago there
//! is a row every few minutes where now there is one every ten seconds. The share is doubled until the rest fits. Rows
//! about the ends of layers, about the proven range, and about sessions stay. In a run over very many boards even these
//! are too many: then the oldest boards that have ended lose all their rows.

use super::row::{ProgressRow, RowEvent};
use std::collections::BTreeSet;

/// The first share of its age by which a row stands apart from the next one, and the last.
const SHARES: [f64; 2] = [0.000_5, 0.25];

/// Chooses rows of at most `most` bytes together, as far as that can be. `rows` have their lengths in bytes. Returns
/// the positions of the rows that are kept, in their order.
pub(in crate::report) fn thin(rows: Vec<(u64, &ProgressRow)>, most: u64) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..rows.len()).collect();
    let length = |kept: &[usize]| kept.iter().map(|&at| rows[at].0).sum::<u64>();
    let now = rows.last().map_or(0.0, |(_, row)| row.elapsed);
    let mut share = SHARES[0];
    while length(&kept) > most && share <= SHARES[1] {
        // From the newest row, which says how far the run is, to the oldest.
        let mut next = f64::INFINITY;
        let mut spaced: Vec<usize> = (0..rows.len()).rev().collect();
        spaced.retain(|&at| {
            let row = rows[at].1;
            let is_apart = next == f64::INFINITY || next - row.elapsed >= share * (now - next);
            let is_kept = is_apart || row.event != RowEvent::Time;
            if is_apart {
                next = row.elapsed;
            }
            is_kept
        });
        spaced.reverse();
        kept = spaced;
        share *= 2.0;
    }
    let ended: Vec<usize> = kept.iter().copied().filter(|&at| rows[at].1.event == RowEvent::Board).collect();
    let mut too_much = length(&kept).saturating_sub(most);
    let mut dropped = BTreeSet::new();
    for number in ended.into_iter().map(|at| rows[at].1.number) {
        if too_much == 0 {
            break;
        }
        if dropped.insert(number) {
            let of_board = kept.iter().filter(|&&at| rows[at].1.number == number);
            too_much = too_much.saturating_sub(of_board.map(|&at| rows[at].0).sum());
        }
    }
    kept.retain(|&at| rows[at].1.number.is_none() || !dropped.contains(&rows[at].1.number));
    kept
}
