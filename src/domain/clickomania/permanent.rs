//! Cells that can never go.
//!
//! A cell goes with another one of its colour that it touches. So it is *permanent* when it can touch none of those that may go: in its own
//! column a permanent cell lies between them; in another one a column between the two never closes up, or all do not, or the two can
//! never come to the same height. A cell comes down as far as the permanent cells below it, and no farther; it never goes up. Each permanent cell may
//! make others so, until none is left that may. Where a colour has fewer cells that may go than a group needs, they are permanent, too.
//!
//! **Never wrong.** Take the first click that takes permanent cells, and of these the one that was found first. It touches another cell that goes, of its
//! colour, which had not been found before it; and what had been found is there still, cells of a column in the same order. So the two could touch, and it would
//! not have been found.
//!
//! **Consistent.** What is permanent stays so: below a cell there are never more cells than before, and never fewer permanent ones; and columns only
//! close up, but for those that have permanent cells.
//!
//! With single cells that go, nothing is permanent. Where columns close up, and each colour has cells enough, nothing is either: all other columns may be gone.
//!
//! The idea is known from the solver "click2026".

use super::column::Column;
use super::grid::{Cells, count, take};
use super::{Game, Position};

/// The cells that can never go.
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
            let mut rest = state.grid().of(colour);
            take(&mut rest, &permanent);
            let few = count(&rest) < min_group;
            for col in 0..game.cols {
                let mut cells = rest[col];
                while !cells.is_empty() {
                    let cell = cells.lowest();
                    cells &= !cell;
                    if few || !may_touch(&rest, &permanent, (col, cell), (game.cols, closes)) {
                        permanent[col] |= cell;
                        rest[col] &= !cell;
                    }
                }
            }
        }
        if permanent == before {
            return permanent;
        }
    }
}

/// Whether a cell may touch another one of its colour, which are in `rest`.
#[inline(always)]
fn may_touch<T: Column, const C: usize>(
    rest: &Cells<T, C>,
    permanent: &Cells<T, C>,
    (col, cell): (usize, T),
    (cols, closes): (usize, bool),
) -> bool {
    if !(rest[col] & !cell & between(permanent[col], cell)).is_empty() {
        return true;
    }
    // Beyond a column that never closes up it sees nothing.
    let ends = |other: usize| !closes || !permanent[other].is_empty();
    for other in col + 1..cols {
        if meets(rest[other], permanent[other], cell, permanent[col]) {
            return true;
        }
        if ends(other) {
            break;
        }
    }
    for other in (0..col).rev() {
        if meets(rest[other], permanent[other], cell, permanent[col]) {
            return true;
        }
        if ends(other) {
            break;
        }
    }
    false
}

/// Whether a cell can come to the height of one of `others`, which are in a column with other permanent cells than its own.
#[inline(always)]
fn meets<T: Column>(mut others: T, beside: T, cell: T, own: T) -> bool {
    if beside.is_empty() && own.is_empty() {
        return !others.is_empty();
    }
    while !others.is_empty() {
        let one = others.lowest();
        others &= !one;
        if lowest(beside, one) <= height(cell) && lowest(own, cell) <= height(one) {
            return true;
        }
    }
    false
}

/// Where a cell lies.
#[inline(always)]
fn height<T: Column>(cell: T) -> u32 {
    cell.to_bits().trailing_zeros()
}

/// Where it lies when all is gone below it that may go.
#[inline(always)]
fn lowest<T: Column>(permanent: T, cell: T) -> u32 {
    (permanent.to_bits() & (cell.to_bits() - 1)).count_ones()
}

/// The cells of a column that no permanent one lies before, as seen from a cell.
#[inline(always)]
fn between<T: Column>(permanent: T, cell: T) -> T {
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
    use super::super::{Visitor, with_game};
    use super::*;
    use crate::board::{Board, Cell, Columns, Objective, Rules, usual_symbols};
    use crate::domain::Domain;

    struct Count;

    impl Visitor for Count {
        type Output = u32;

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> u32 {
            count(&permanent(game, &game.root()))
        }
    }

    /// How many cells can never go, of a board whose rows are given from the top.
    fn stay(rows: &[&str], min_group: u32, columns: Columns) -> u32 {
        let cells = rows.concat().bytes().map(|symbol| symbol - b'1').collect();
        let board = Board::new("b", rows.len(), rows[0].len(), cells, usual_symbols(9), Cell::default()).unwrap();
        with_game(&board, Rules { min_group, columns, ..Rules::default() }, Objective::Left, Count).unwrap()
    }

    #[test]
    fn what_can_never_go_is_seen() {
        let cases: [(&[&str], u32, Columns, u32); 13] = [
            // Nothing lies between them that stays, or something does.
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
            // Pairs, where a group needs three.
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
