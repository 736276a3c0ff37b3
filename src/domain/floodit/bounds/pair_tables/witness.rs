//! Why states were late: a few targets that say so, asked before all others are.
//!
//! Where a search goes on with a sharpened bound, it only has to know of each open node whether it belongs to the layer under way, and of
//! most that it does not. The same few targets say so of many states. A value that they give is
//! enough for whoever asked; where they say nothing, all targets are asked, and what they answer is remembered.

use super::deadlines::{CELLS, Question, SlotSet, lower};
use super::table::Table;
use crate::domain::floodit::bits::Bits;
use crate::domain::wide::for_each_level;
use arrayvec::ArrayVec;

/// Witnesses that a worker remembers. Those that were of use last are asked first.
const MOST: usize = 64;

/// Targets of a witness at most: one that needs more costs more to find than it spares, with ten colours by far.
const TARGETS: usize = 12;

/// Targets that together say that f of some unfinished colours is at least `goal`.
#[derive(Clone, Debug)]
struct Witness {
    unfinished: SlotSet,
    goal: u8,
    /// The number of each table, and what its distance has to be at least.
    far: ArrayVec<(u32, u8), TARGETS>,
}

/// What a worker remembers of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Witnesses(Vec<Witness>);

impl Witnesses {
    /// Remembers why f of these unfinished colours is at least `goal`, if it is, and few cells say so: the tables from `begin` on,
    /// cell by cell, have these `values`, the most of each cell being in `cells`.
    pub(super) fn learn(
        &mut self,
        (unfinished, goal): (SlotSet, u8),
        (begin, values, cells): (&[usize], &[u8], &[u8]),
    ) {
        let Some(used) = Question::of(cells, unfinished, goal).answer() else { return };
        if used.count_ones() as usize > TARGETS {
            return;
        }
        let used = (0..cells.len()).filter(|cell| used >> cell & 1 == 1);
        let mut said = [0; CELLS];
        used.clone().for_each(|cell| said[cell] = cells[cell].min(goal));
        lower((unfinished, goal), &mut said[..cells.len()], &[0; CELLS], used.clone());
        let mut far = ArrayVec::new();
        for cell in used.filter(|&cell| said[cell] > 0) {
            // One of them has the most.
            let Some(table) = (begin[cell]..begin[cell + 1]).find(|&table| values[table] >= said[cell]) else { return };
            far.push((table as u32, said[cell]));
        }
        self.0.truncate(MOST - 1);
        self.0.insert(0, Witness { unfinished, goal, far });
    }
}

for_each_level! {
    /// What a witness says of f of these unfinished colours, from a flood, if one says that it is `goal` at least.
    pub(super) fn ask<const W: usize>(
        witnesses: &mut Witnesses, tables: &[Table<W>], set: &Bits<W>, unfinished: SlotSet, goal: u8,
    ) -> Option<u8> = ask_each
}

#[inline(always)]
fn ask_each<const W: usize>(
    Witnesses(witnesses): &mut Witnesses,
    tables: &[Table<W>],
    set: &Bits<W>,
    unfinished: SlotSet,
    goal: u8,
) -> Option<u8> {
    for at in 0..witnesses.len() {
        let witness = &witnesses[at];
        let mut holds = witness.goal >= goal && witness.unfinished == unfinished;
        for &(table, distance) in &witness.far {
            holds = holds && tables[table as usize].is_as_far(set, distance);
        }
        if holds {
            let found = witness.goal;
            witnesses[..=at].rotate_right(1);
            return Some(found);
        }
    }
    None
}
