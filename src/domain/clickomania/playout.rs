//! The moves of playouts.

use super::column::Column;
use super::grid::{Group, Groups};
use super::{Game, Position};
use crate::board::Objective;
use crate::domain::wide::for_each_level;
use crate::domain::{Choice, Cost, MoveIndex};

/// Heights are below this.
const ROWS: u32 = 64;

/// The colour that playouts for a high score keep back, from 1, among so many cells of each: that of most cells. What is left
/// of it comes together, and a large group scores more than its parts.
pub(super) fn kept_back(counts: &[u16], objective: Objective) -> Option<u8> {
    let most = (1..).zip(counts).max_by_key(|(colour, count)| (**count, u8::MAX - colour));
    most.filter(|_| objective == Objective::Score).map(|(colour, _)| colour)
}

for_each_level! {
    /// Groups that can be clicked away; those of the colour that is kept back only where there are no others.
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
    let begin = out.len();
    let links = state.grid().links();
    let mut kept = Vec::new();
    for (mv, group) in Groups::of(&links, game.rules.min_group) {
        let colour = state.grid().colour_of(&group);
        let choice = choice(mv, &group, colour);
        if game.kept_back == Some(colour) { kept.push(choice) } else { out.push(choice) }
    }
    if out.len() == begin {
        out.append(&mut kept);
    }
}

/// The same group of cells has the same code, whatever lies around it.
#[inline(always)]
fn choice<T: Column, const C: usize>(mv: MoveIndex, group: &Group<T, C>, colour: u8) -> Choice {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut code = u64::from(colour) << 32 | group.first as u64;
    for cells in &group.cells[group.first..=group.last] {
        code = (code.wrapping_mul(FACTOR) ^ code >> 29) ^ cells.to_bits();
    }
    let height = group.cells[group.first].to_bits().trailing_zeros();
    Choice { mv, place: group.first as u32 * ROWS + height, code }
}

for_each_level! {
    /// Clicks on the group of a choice.
    pub(super) fn play<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &mut Position<T, C, P>, choice: Choice,
    ) -> Cost = click
}

#[inline(always)]
fn click<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &mut Position<T, C, P>,
    choice: Choice,
) -> Cost {
    let (col, height) = ((choice.place / ROWS) as usize, choice.place % ROWS);
    let group = state.grid().links().group(col, T::from_bits(1 << height));
    let cost = game.cost(state, &group);
    state.remove(&group, game.closes());
    cost
}
