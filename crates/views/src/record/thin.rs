//! Selects the rows of a long run that are kept.
//!
//! Periodic rows thin out with age: two rows of one board are at least a share of their age apart. So new rows are ten
//! seconds apart, and rows of a day ago are a few minutes apart. The share is doubled until the rows fit. Each board
//! keeps its last row, because the next session continues its counts. Rows about ends of layers, proven ranges and
//! sessions stay. If a run over very many boards still has too many rows, the boards that finished first lose theirs.

use super::row::{ProgressRow, RowEvent};
use std::collections::{BTreeMap, BTreeSet};

/// The smallest and largest distance of two rows, as a share of their age.
const SHARES: [f64; 2] = [0.000_5, 0.25];

/// Selects rows whose sizes add up to at most `max_size`, as far as possible. Each row comes with its size. Returns
/// the indexes of the selected rows, in order.
pub(crate) fn select_rows(rows: Vec<(u64, &ProgressRow)>, max_size: u64) -> Vec<usize> {
    let mut selected: Vec<usize> = (0..rows.len()).collect();
    let length = |selected: &[usize]| selected.iter().map(|&at| rows[at].0).sum::<u64>();
    let mut share = SHARES[0];
    while length(&selected) > max_size && share <= SHARES[1] {
        selected = spaced_rows(&rows, share);
        share *= 2.0;
    }
    let mut excess = length(&selected).saturating_sub(max_size);
    let mut dropped = BTreeSet::new();
    for number in finished_boards(&rows) {
        if excess == 0 {
            break;
        }
        dropped.insert(number);
        let of_board = selected.iter().filter(|&&at| rows[at].1.number == number);
        excess = excess.saturating_sub(of_board.map(|&at| rows[at].0).sum());
    }
    selected.retain(|&at| !dropped.contains(&rows[at].1.number));
    selected
}

/// The rows that remain if two periodic rows of one board are at least this share of their age apart.
fn spaced_rows(rows: &[(u64, &ProgressRow)], share: f64) -> Vec<usize> {
    let now = rows.last().map_or(0.0, |(_, row)| row.elapsed);
    // From the newest row to the oldest. Boards that are searched side by side have rows of the same time, so each
    // board has a next row of its own.
    let mut next_elapsed: BTreeMap<(Option<usize>, &str), f64> = BTreeMap::new();
    let mut spaced: Vec<usize> = (0..rows.len()).rev().collect();
    spaced.retain(|&at| {
        let row = rows[at].1;
        let board = (row.number, row.identity.as_str());
        let is_apart = next_elapsed.get(&board).is_none_or(|&next| next - row.elapsed >= share * (now - next));
        if is_apart {
            next_elapsed.insert(board, row.elapsed);
        }
        is_apart || row.event != RowEvent::Time
    });
    spaced.reverse();
    spaced
}

/// The finished boards, in the order of their last rows. A stopped board that is searched again is not finished.
fn finished_boards(rows: &[(u64, &ProgressRow)]) -> Vec<Option<usize>> {
    let board_rows = rows.iter().enumerate().filter(|(_, (_, row))| row.number.is_some());
    let last: BTreeMap<Option<usize>, usize> = board_rows.map(|(at, (_, row))| (row.number, at)).collect();
    let mut ends: Vec<usize> = last.into_values().filter(|&at| rows[at].1.is_final()).collect();
    ends.sort_unstable();
    ends.into_iter().map(|at| rows[at].1.number).collect()
}
