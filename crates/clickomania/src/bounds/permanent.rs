//! Cells that can never go.
//!
//! A cell goes together with another cell of its colour that it touches. It is *permanent* when it can touch no cell of
//! its colour that may go. For each of these cells, one reason holds:
//!
//! * It lies in the same column, and a permanent cell lies between the two.
//! * It lies in another column, and a column between the two never closes up (or columns do not close up at all).
//! * The two can never come to the same height. A cell falls at most to the permanent cells below it, and never rises.
//!
//! If fewer cells of a colour may go than a group needs, these cells are permanent too. Each permanent cell may make
//! others permanent, so the rules are applied until they find no more.
//!
//! **Sound.** Consider the first click that takes permanent cells, and of these cells the one that was found first. It
//! touches another cell of its colour that goes with it and that had not been found before it. All cells found before
//! it are still there, and the cells of a column keep their order. So the two cells could touch, and the cell would not
//! have been found.
//!
//! **Consistent.** A permanent cell stays permanent: after a click a cell has no more cells below it than before, and
//! no fewer permanent cells below it. Columns only close up, except those with permanent cells.
//!
//! If single cells can be clicked away, nothing is permanent. If columns close up and each colour has enough cells,
//! nothing is permanent either, because all other columns may go.
//!
//! The idea is known from the solver "click2026".

use crate::Game;
use crate::state::{Cells, Column, Position, count, subtract};

/// Finds the cells that can never go.
pub(super) fn permanent<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
) -> Cells<T, C> {
    let mut permanent = [T::default(); C];
    let (min_group, closes) = (game.rules.min_group, game.closes());
    let is_dead = |&count: &u16| 0 < count && u32::from(count) < min_group;
    if min_group == 1 || closes && !state.counts(game.colours).iter().any(is_dead) {
        return permanent;
    }
    loop {
        let before = permanent;
        for colour in 1..=game.colours {
            let mut removable = state.grid().cells_of(colour);
            subtract(&mut removable, &permanent);
            let too_few = count(&removable) < min_group;
            for col in 0..game.cols {
                let mut cells = removable[col];
                while !cells.is_empty() {
                    let cell = cells.lowest();
                    cells &= !cell;
                    if too_few || !may_touch(&removable, &permanent, (col, cell), (game.cols, closes)) {
                        permanent[col] |= cell;
                        removable[col] &= !cell;
                    }
                }
            }
        }
        if permanent == before {
            return permanent;
        }
    }
}

/// Whether a cell may touch another cell of its colour. `removable` are the cells of that colour that may go.
#[inline(always)]
fn may_touch<T: Column, const C: usize>(
    removable: &Cells<T, C>,
    permanent: &Cells<T, C>,
    (col, cell): (usize, T),
    (cols, closes): (usize, bool),
) -> bool {
    if !(removable[col] & !cell & unseparated(permanent[col], cell)).is_empty() {
        return true;
    }
    // No cell beyond a column that never closes up can touch it.
    let blocks = |other: usize| !closes || !permanent[other].is_empty();
    for other in col + 1..cols {
        if can_reach_height(removable[other], permanent[other], cell, permanent[col]) {
            return true;
        }
        if blocks(other) {
            break;
        }
    }
    for other in (0..col).rev() {
        if can_reach_height(removable[other], permanent[other], cell, permanent[col]) {
            return true;
        }
        if blocks(other) {
            break;
        }
    }
    false
}

/// Whether a cell can come to the height of one of `others`. `others_permanent` are the permanent cells of the column
/// of `others`, and `cell_permanent` those of the column of the cell.
#[inline(always)]
fn can_reach_height<T: Column>(mut others: T, others_permanent: T, cell: T, cell_permanent: T) -> bool {
    if others_permanent.is_empty() && cell_permanent.is_empty() {
        return !others.is_empty();
    }
    while !others.is_empty() {
        let other = others.lowest();
        others &= !other;
        if min_height(others_permanent, other) <= height(cell) && min_height(cell_permanent, cell) <= height(other) {
            return true;
        }
    }
    false
}

/// The height of a cell.
#[inline(always)]
fn height<T: Column>(cell: T) -> u32 {
    cell.to_bits().trailing_zeros()
}

/// The height of a cell when all cells below it that may go are gone.
#[inline(always)]
fn min_height<T: Column>(permanent: T, cell: T) -> u32 {
    (permanent.to_bits() & (cell.to_bits() - 1)).count_ones()
}

/// The cells of a column that no permanent cell separates from `cell`.
#[inline(always)]
fn unseparated<T: Column>(permanent: T, cell: T) -> T {
    let (permanent, cell) = (permanent.to_bits(), cell.to_bits());
    let below = permanent & (cell - 1);
    let above = permanent & !(cell - 1);
    let from = if below == 0 { 0 } else { 64 - below.leading_zeros() };
    let to = above.trailing_zeros();
    let up_to = if to >= 64 { u64::MAX } else { (1 << to) - 1 };
    T::from_bits(up_to & u64::MAX.checked_shl(from).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, Goal, Rules};
    use crate::{Visitor, with_game};
    use gridhunt_boards::{Board, Cell, usual_symbols};
    use gridhunt_search::domain::Domain;

    struct Count;

    impl Visitor for Count {
        type Output = u32;

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> u32 {
            count(&permanent(game, &game.root()))
        }
    }

    /// The number of cells that can never go, on a board whose rows are given from the top.
    fn stay(rows: &[&str], min_group: u32, columns: Columns) -> u32 {
        let cells = rows.concat().bytes().map(|symbol| symbol - b'1').collect();
        let board = Board::new("b", rows.len(), rows[0].len(), cells, usual_symbols(9), Cell::default()).unwrap();
        with_game(&board, Rules { min_group, columns, ..Rules::default() }, Goal::Left, Count).unwrap()
    }

    #[test]
    fn what_can_never_go_is_seen() {
        let cases: [(&[&str], u32, Columns, u32); 13] = [
            // First no cell that stays lies between the two, then one does.
            (&["1", "2", "2", "1"], 2, Columns::Close, 0),
            (&["1", "2", "1", "3", "3"], 2, Columns::Close, 3),
            (&["1", "2", "1", "1"], 2, Columns::Close, 2),
            // A column between them never closes up.
            (&["121"], 2, Columns::Close, 3),
            (&["1221"], 2, Columns::Close, 0),
            (&["1221"], 2, Columns::Stay, 2),
            (&["3223", "1221"], 2, Columns::Stay, 4),
            // One lies on what stays, and the other comes down to the floor, or may lie beside it for a while.
            (&["15", "21"], 2, Columns::Close, 4),
            (&["33", "14", "21", "44"], 2, Columns::Close, 1),
            (&["44", "14", "21"], 2, Columns::Close, 3),
            // A group needs three cells, and the ones are a pair.
            (&["1122222"], 3, Columns::Close, 2),
            (&["1112222"], 3, Columns::Close, 0),
            // Single cells go.
            (&["123"], 1, Columns::Stay, 0),
        ];
        for (rows, min_group, columns, expected) in cases {
            assert_eq!(stay(rows, min_group, columns), expected, "{rows:?}, groups of {min_group}, columns {columns}");
        }
    }
}
