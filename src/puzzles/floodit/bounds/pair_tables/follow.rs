//! Values that are carried from a parent to its child.
//!
//! A *memo* holds what is known of a state: its bound, the greatest distance of each cell, and an upper limit for the
//! distance of each target, which is the distance itself for the targets that attain the greatest value of their cell.
//! The memo of a child follows from that of its parent, because a distance falls by one at most: see the head of this
//! module. Each byte stands for itself, so a memo is the same on every machine.

use super::super::distance::Distances;
use super::PairTables;
use super::deadlines::{Question, turns};
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::domain::Cost;
use gridhunt_search::for_each_level;

impl<const W: usize> PairTables<W> {
    /// Bytes of a memo.
    pub(in super::super) fn memo_len(&self) -> usize {
        1 + self.cells() + self.tables.len()
    }

    /// The bound at `state`. Appends its memo to `memo`.
    pub(in super::super) fn write_memo(
        &self,
        puzzle: &FloodIt<W>,
        state: &Flood<W>,
        distances: &mut Distances<W>,
        memo: &mut Vec<u8>,
    ) -> Cost {
        write(self, puzzle, state, distances, memo)
    }

    /// The bound at the flood `child`; any value from `enough` on may stand for a greater one. If it is below `enough`,
    /// the memo of the child is appended to `memo`. `parent` is a flood from which one move leads to `child`, with its
    /// memo.
    pub(in super::super) fn follow_memo(
        &self,
        puzzle: &FloodIt<W>,
        (parent, of_parent): (&Bits<W>, &[u8]),
        child: &Bits<W>,
        enough: Cost,
        memo: &mut Vec<u8>,
    ) -> Cost {
        let before = Cost::from(of_parent[0]);
        // The bound falls by one at most.
        if before > enough { enough } else { follow(self, puzzle, parent, of_parent, child, enough, memo) }
    }
}

for_each_level! {
    fn write<const W: usize>(
        held: &PairTables<W>, puzzle: &FloodIt<W>, state: &Flood<W>, distances: &mut Distances<W>, memo: &mut Vec<u8>,
    ) -> Cost = from_nothing
}

#[inline(always)]
fn from_nothing<const W: usize>(
    held: &PairTables<W>,
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    distances: &mut Distances<W>,
    memo: &mut Vec<u8>,
) -> Cost {
    let plain = distances.measure(puzzle, state).of_regions(puzzle.regions());
    let unfinished = held.unfinished(puzzle, &state.set);
    let positions = held.positions(puzzle, &state.set, unfinished);
    let begin = memo.len();
    memo.resize(begin + held.memo_len(), 0);
    let (cells, values) = memo[begin + 1..].split_at_mut(held.cells());
    for (cell, most) in cells.iter_mut().enumerate() {
        let of_cell = held.begin[cell]..held.begin[cell + 1];
        for (table, value) in held.tables[of_cell.clone()].iter().zip(&mut values[of_cell]) {
            *value = table.distance_from(&positions, plain, *most);
            *most = (*most).max(*value);
        }
    }
    let turns = turns(cells, unfinished);
    memo[begin] = turns;
    turns.into()
}

for_each_level! {
    fn follow<const W: usize>(
        held: &PairTables<W>, puzzle: &FloodIt<W>, parent: &Bits<W>, of_parent: &[u8], child: &Bits<W>, enough: Cost,
        memo: &mut Vec<u8>,
    ) -> Cost = from_parent
}

#[inline(always)]
fn from_parent<const W: usize>(
    held: &PairTables<W>,
    puzzle: &FloodIt<W>,
    parent: &Bits<W>,
    of_parent: &[u8],
    child: &Bits<W>,
    enough: Cost,
    memo: &mut Vec<u8>,
) -> Cost {
    let (before, (cells, values)) = (of_parent[0], of_parent[1..].split_at(held.cells()));
    let left = held.unfinished(puzzle, child);
    let positions = held.positions(puzzle, child, left);
    let added = bits::minus(&positions, &held.positions(puzzle, parent, held.unfinished(puzzle, parent)));
    // Whether the bound stays. Every cell is assumed to keep its value; the cells on which the answer rests are then
    // looked at. What is found out stays in `fallen`.
    let mut question = Question::new(before, left);
    question.put_all(cells);
    let stays = loop {
        let Some(mut open) = question.answer() else { break false };
        let mut falls = false;
        while open != 0 {
            let cell = open.trailing_zeros() as usize;
            open &= open - 1;
            let keeps = keeps(held, cell, (cells[cell], values), &added, &positions);
            falls |= !keeps;
            question.settle(cell, cells[cell], !keeps);
        }
        if !falls {
            break true;
        }
    };
    let bound = before - u8::from(!stays);
    if Cost::from(bound) >= enough {
        return bound.into();
    }
    let begin = memo.len();
    memo.extend_from_slice(of_parent);
    memo[begin] = bound;
    let (cells, values) = memo[begin + 1..].split_at_mut(held.cells());
    for (cell, greatest) in cells.iter_mut().enumerate() {
        let of_cell = held.begin[cell]..held.begin[cell + 1];
        let (before, tables) = (*greatest, &held.tables[of_cell.clone()]);
        let (values, values_before) = (&mut values[of_cell.clone()], &of_parent[1 + held.cells()..][of_cell]);
        if before == 0 {
            continue;
        }
        for (table, value) in tables.iter().zip(&mut *values) {
            if *value == before && table.meets(before - 1, &added, &positions) {
                *value -= 1;
            }
        }
        *greatest = values.iter().fold(0, |most, &value| value.max(most));
        // Where all that attained the value have fallen, others may attain the new one.
        let fallen = *greatest;
        if 0 < fallen && fallen < before {
            for ((table, value), before) in tables.iter().zip(values).zip(values_before) {
                if *before == fallen && !table.is_as_far(&positions, fallen) {
                    *value -= 1;
                }
            }
        }
    }
    bound.into()
}

/// Whether one of the targets that attain the value of a cell keeps its distance.
#[inline(always)]
fn keeps<const W: usize>(
    held: &PairTables<W>,
    cell: usize,
    (value, values): (u8, &[u8]),
    added: &Bits<W>,
    positions: &Bits<W>,
) -> bool {
    let of_cell = held.begin[cell]..held.begin[cell + 1];
    for (table, &own) in held.tables[of_cell.clone()].iter().zip(&values[of_cell]) {
        if own == value && value > 0 && !table.meets(value - 1, added, positions) {
            return true;
        }
    }
    false
}
