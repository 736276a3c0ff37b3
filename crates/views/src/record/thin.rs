//! Which rows of a long run are kept.
//!
//! Periodic rows thin out with age: two rows of one board are at least as far apart as a share of their age. So new
//! rows are ten seconds apart, and those of a day ago a few minutes. The share is doubled until the kept rows fit.
//! Each board keeps its last row, because the next session continues the counts of this row. Rows about the ends of
//! layers, about the proven range, and about sessions stay. In a run over very many boards even these are too many:
//! then the oldest boards that have ended for good lose all their rows.

use super::row::{ProgressRow, RowEvent};
use std::collections::{BTreeMap, BTreeSet};

/// The smallest and the largest distance between two rows, as a share of their age.
const SHARES: [f64; 2] = [0.000_5, 0.25];

/// Chooses rows whose sizes add up to at most `most`, as far as possible. Each row comes with its size, in the unit of
/// `most`. Returns the positions of the rows that are kept, in their order.
pub(crate) fn select_rows(rows: Vec<(u64, &ProgressRow)>, most: u64) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..rows.len()).collect();
    let length = |kept: &[usize]| kept.iter().map(|&at| rows[at].0).sum::<u64>();
    let mut share = SHARES[0];
    while length(&kept) > most && share <= SHARES[1] {
        kept = spaced_rows(&rows, share);
        share *= 2.0;
    }
    let mut too_much = length(&kept).saturating_sub(most);
    let mut dropped = BTreeSet::new();
    for number in finished_boards(&rows) {
        if too_much == 0 {
            break;
        }
        dropped.insert(number);
        let of_board = kept.iter().filter(|&&at| rows[at].1.number == number);
        too_much = too_much.saturating_sub(of_board.map(|&at| rows[at].0).sum());
    }
    kept.retain(|&at| !dropped.contains(&rows[at].1.number));
    kept
}

/// The rows that are kept if two periodic rows of one board have to be at least this share of their age apart.
fn spaced_rows(rows: &[(u64, &ProgressRow)], share: f64) -> Vec<usize> {
    let now = rows.last().map_or(0.0, |(_, row)| row.elapsed);
    // From the newest row, which says how far the run is, to the oldest. Boards that are searched side by side have
    // rows of the same time, so each board has a next row of its own.
    let mut next: BTreeMap<(Option<usize>, &str), f64> = BTreeMap::new();
    let mut spaced: Vec<usize> = (0..rows.len()).rev().collect();
    spaced.retain(|&at| {
        let row = rows[at].1;
        let board = (row.number, row.identity.as_str());
        let is_apart = next.get(&board).is_none_or(|&next| next - row.elapsed >= share * (now - next));
        if is_apart {
            next.insert(board, row.elapsed);
        }
        is_apart || row.event != RowEvent::Time
    });
    spaced.reverse();
    spaced
}

/// The boards that have ended for good, in the order of their ends. A board that was stopped and is searched again has
/// not ended.
fn finished_boards(rows: &[(u64, &ProgressRow)]) -> Vec<Option<usize>> {
    let about_boards = rows.iter().enumerate().filter(|(_, (_, row))| row.number.is_some());
    let last: BTreeMap<Option<usize>, usize> = about_boards.map(|(at, (_, row))| (row.number, at)).collect();
    let mut ends: Vec<usize> = last.into_values().filter(|&at| rows[at].1.is_final()).collect();
    ends.sort_unstable();
    ends.into_iter().map(|at| rows[at].1.number).collect()
}
