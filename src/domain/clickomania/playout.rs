//! The moves of playouts.

use super::game::Game;
use super::state::{Cells, Column, Group, Groups, Position, Tally, Weights};
use crate::domain::wide::for_each_level;
use crate::domain::{Choice, Cost, MoveIndex};

/// Heights are less than this.
const ROWS: u32 = 64;

for_each_level! {
    /// The clickable groups. Those of one colour may be deferred.
    pub(super) fn choices<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Position<T, C, P>, out: &mut Vec<Choice>,
    ) = all_choices
}

#[inline(always)]
fn all_choices<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    out: &mut Vec<Choice>,
) {
    let links = state.grid().links();
    let mut groups = Groups::of(&links, game.rules.min_group);
    while let Some((_, group)) = groups.next() {
        out.push(choice(game, state, group));
    }
}

/// The choice of a group. Its code depends on the cells of the group and their colour, and not on other cells.
#[inline(always)]
fn choice<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    group: &Group<T, C>,
) -> Choice {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let colour = state.grid().colour_of(group);
    let mut code = u64::from(colour) << 32;
    for cells in group.cells() {
        code = (code.wrapping_mul(FACTOR) ^ code >> 29) ^ cells.to_bits();
    }
    let height = group.cells[group.first].to_bits().trailing_zeros();
    let place = group.first as u32 * ROWS + height;
    Choice { place, code: code ^ of_column(group.first as u32), deferred: game.deferred == Some(colour) }
}

/// The part of the code of a group that depends on its first column.
#[inline(always)]
fn of_column(col: u32) -> u64 {
    const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;
    u64::from(col + 1).wrapping_mul(FACTOR)
}

/// With no more groups than this, a first solution looks at all children of a state.
const FEW_GROUPS: MoveIndex = 100;

for_each_level! {
    /// Where there are more groups than [`FEW_GROUPS`]: makes the most promising click among the first ones that are not
    /// deferred, and returns the move and its cost. Otherwise `None`, and nothing is clicked. Where single cells can be
    /// clicked, the largest group is the most promising.
    pub(super) fn step<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &mut Position<T, C, P>,
    ) -> Option<(MoveIndex, Cost)> = quick_click
}

#[inline(always)]
fn quick_click<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &mut Position<T, C, P>,
) -> Option<(MoveIndex, Cost)> {
    if !has_many_groups(game, state) {
        return None;
    }
    let (links, tally, min_group) = (state.grid().links(), Tally::of(state), game.rules.min_group);
    let mut groups = Groups::of(&links, min_group);
    let (mut best, mut rank) = (None, (false, 0));
    while let Some((mv, group)) = groups.next() {
        if mv == FEW_GROUPS {
            break;
        }
        let mut child = *state;
        let promise = if min_group > 1 {
            child.remove_from(group, game.closes(), &tally.around(group));
            u32::MAX - child.estimate(game.colours, min_group, Weights::USUAL)
        } else {
            group.size()
        };
        let its_rank = (game.deferred != Some(state.grid().colour_of(group)), promise);
        if best.is_none() || its_rank > rank {
            (best, rank) = (Some((mv, *group)), its_rank);
        }
    }
    let (mv, group) = best?;
    let cost = game.cost(state, &group);
    state.remove(&group, game.closes());
    Some((mv, cost))
}

/// Whether there are more groups than [`FEW_GROUPS`].
#[inline(always)]
fn has_many_groups<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>, state: &Position<T, C, P>) -> bool {
    let links = state.grid().links();
    let mut groups = Groups::of(&links, game.rules.min_group);
    while let Some((mv, _)) = groups.next() {
        if mv == FEW_GROUPS {
            return true;
        }
    }
    false
}

for_each_level! {
    /// Clicks on the group of a choice.
    pub(super) fn play<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &mut Position<T, C, P>, choices: &mut Vec<Choice>, at: usize,
    ) -> (MoveIndex, Cost) = click
}

#[inline(always)]
fn click<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &mut Position<T, C, P>,
    choices: &mut Vec<Choice>,
    at: usize,
) -> (MoveIndex, Cost) {
    let place = choices[at].place;
    // Places are ordered as groups are.
    let mut mv = 0;
    for choice in &*choices {
        mv += MoveIndex::from(choice.place < place);
    }
    let (col, height) = ((place / ROWS) as usize, place % ROWS);
    let group = state.grid().links().group(col, T::from_bits(1 << height));
    let cost = game.cost(state, &group);
    let closed = state.remove(&group, game.closes());
    bring_up_to_date(game, state, choices, &group, closed);
    (mv, cost)
}

/// Turns the choices before a click into those after it, when `closed` columns have closed up.
///
/// Every group with a cell [around](around) the change is found again, unless it is a single cell that is too small. A
/// group without such a cell is the same before and after the click. Of the choices before the click, those are dropped
/// whose first cell has been looked at. They are all groups that have changed, because the first cell of a changed
/// group lies around the change, or is connected with a cell there by cells that have not changed; and of the unchanged
/// groups only those that have been found again.
#[inline(always)]
fn bring_up_to_date<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    choices: &mut Vec<Choice>,
    group: &Group<T, C>,
    closed: usize,
) {
    let (links, mut looked_at, before) = (state.grid().links(), around(group, closed), choices.len());
    let mut groups = Groups::around(&links, game.rules.min_group, &looked_at);
    while let Some((_, found)) = groups.next() {
        let cols = found.first..=found.last;
        for (looked_at, cells) in looked_at[cols.clone()].iter_mut().zip(&found.cells[cols]) {
            *looked_at |= *cells;
        }
        if found.size() >= game.rules.min_group {
            choices.push(choice(game, state, found));
        }
    }
    let mut kept = 0;
    for at in 0..before {
        if let Some(choice) = left_alone(choices[at], group, closed, &looked_at) {
            choices[kept] = choice;
            kept += 1;
        }
    }
    choices.drain(kept..before);
}

/// The places where cells went, came or fell when a group went and `closed` columns closed up, and their neighbours, as
/// the board lies now. A column that moved as a whole has changed its place alone.
#[inline(always)]
fn around<T: Column, const C: usize>(group: &Group<T, C>, closed: usize) -> Cells<T, C> {
    let mut around = [T::default(); C];
    if closed > 0 {
        around[group.first.saturating_sub(1)..=group.last + 1 - closed].fill(!T::default());
        return around;
    }
    for col in group.first..=group.last {
        let moved = !T::below(group.cells[col].to_bits().trailing_zeros());
        around[col] |= moved | moved >> 1;
        if col > 0 {
            around[col - 1] |= moved;
        }
        if col + 1 < C {
            around[col + 1] |= moved;
        }
    }
    around
}

/// A choice before the click as it is after the click; `None` when its first cell has been looked at.
#[inline(always)]
fn left_alone<T: Column, const C: usize>(
    mut choice: Choice,
    group: &Group<T, C>,
    closed: usize,
    looked_at: &Cells<T, C>,
) -> Option<Choice> {
    let (mut col, height) = (choice.place / ROWS, choice.place % ROWS);
    if closed > 0 && col as usize >= group.first {
        if col as usize <= group.last {
            return None;
        }
        choice.code ^= of_column(col) ^ of_column(col - closed as u32);
        col -= closed as u32;
        choice.place = col * ROWS + height;
    }
    (looked_at[col as usize].to_bits() >> height & 1 == 0).then_some(choice)
}
