//! Witnesses: a few targets that prove a value, asked before all targets are.
//!
//! A search that goes on with a refined bound only has to know whether an open node belongs to the current layer, and
//! most nodes do not. The same few targets prove that for many states. A value that they prove suffices for the caller.
//! Where they prove nothing, all targets are asked, and those that prove the value become a witness.

use super::deadlines::{CELLS, Question, SlotSet, lower};
use super::table::Table;
use crate::domain::floodit::bits::Bits;
use crate::domain::wide::for_each_level;
use arrayvec::ArrayVec;

/// The most witnesses of a worker. The witness that was of use last is asked first.
const MOST: usize = 64;

/// The most targets of a witness. With more of them a witness costs more than it saves, with ten colours by far.
const TARGETS: usize = 12;

/// Targets that together prove that f of some unfinished colours is at least `goal`.
#[derive(Clone, Debug)]
struct Witness {
    unfinished: SlotSet,
    goal: u8,
    /// The number of each table, and the least distance that it must have.
    far: ArrayVec<(u32, u8), TARGETS>,
}

/// The witnesses of one worker.
#[derive(Clone, Debug, Default)]
pub(super) struct Witnesses(Vec<Witness>);

impl Witnesses {
    /// Adds a witness for f of these unfinished colours to be at least `goal`, if it is and few cells prove it. The
    /// tables, which begin at `begin` cell by cell, have these `values`, of which the greatest of each cell, in `cells`, is
    /// a distance.
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
            // A table of the cell that attains the value.
            let Some(table) = (begin[cell]..begin[cell + 1]).find(|&table| values[table] == cells[cell]) else {
                return;
            };
            far.push((table as u32, said[cell]));
        }
        self.0.truncate(MOST - 1);
        self.0.insert(0, Witness { unfinished, goal, far });
    }
}

for_each_level! {
    /// The value of a witness that proves f of these unfinished colours to be at least `goal` at a flood, if there is
    /// one.
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
