//! The pair bound: pairs of regions that no word floods in time together.
//!
//! Let two *walkers* start anywhere in the flood. A letter (a colour) lets each walker step to a neighbouring region of
//! that colour, or wait. A walker *touches* a region when the colour of the region is played while the walker stands on
//! the region or beside it; then it goes home and stays there. Let D2(u, v) be the length of the shortest word by which
//! one walker touches the region `u` and the other one `v`. A walker whose region has a finished colour starts at home.
//! For each set of one or two colours, let P be the largest D2 of some chosen *targets* of these colours: they cannot
//! all be finished before P turns are over. For a set S of colours, let f(S) be the bound that `deadlines` makes of all
//! P: the turns until all colours of S are finished.
//!
//! **Admissible.** Take the moves of a solution until the colours of `u` and `v` are finished. When the flood reaches
//! `u`, the word has led a walker beside `u`, because the flood grows along paths whose colours stand in the word in
//! that order; and the walker touches `u`. If `u` is flooded from the start and its colour is not finished, this colour
//! is among the moves, and a walker that waits on `u` touches it. The same holds of `v`, by the same word. So a
//! solution needs at least D2(u, v) moves until both colours are finished. Colours outside the [`SLOTS`] that take part
//! only make a solution longer.
//!
//! **Consistent.** Let colour c lead from s to t. Take a word that leads the walkers home from t. With c before it, it
//! leads them home from s: a walker that starts at a region that c floods starts beside it. Idle regions (`idle.rs`)
//! join t, too. A walker that starts at one of these, a, may start elsewhere. If it goes to another region y or touches
//! it, then y is flooded after the first letter or beside the flood then, and the walker starts at y or beside it. If
//! it touches a itself, it starts beside a. A walker that starts at home at t only, because c finishes the colour of u,
//! touches u by c. So a distance falls by one at most, and so does every P. When all P fall by one, f(S) falls by one
//! or stays, by induction over S. When the move finishes c, f(S) <= 1 + f(S without c) by the order that finishes c
//! first: every other set is one turn later, and the P of c with another colour holds for that colour alone from then
//! on. A distance never rises, because a flood only grows.
//!
//! **Distances are bytes.** A distance of more than 255 counts as 255, and so does f. Both are then less than they
//! could be, so they stay admissible. They stay consistent as well: where a value falls by one at most, so does the
//! lesser of the value and a constant. So all that follows holds of these values too.
//!
//! **From parent to child.** A distance falls by one or stays. Let A be the positions where walkers may start at the
//! child, but not at its parent. The distance falls from k if and only if a walker starts in A: when a minimal pair of
//! level k - 1 (see `table`) has one position in A and both at the child. So f falls by one or stays as well, and only
//! the cells that decide between the two are looked at. A cell (`deadlines` numbers the sets of one or two colours as
//! cells) keeps its P if one of the targets that attain it keeps its distance. What is known of the parent comes as a
//! memo (`follow`).
//!
//! **Not all distances are computed.** Only the targets that attain the P of their cell matter. Of another target it
//! suffices that it is nearer: one level that the walkers reach says so. It stays nearer until all targets that attain
//! P have fallen; only then those are looked at that may attain the new P.

mod choose;
mod cover;
mod deadlines;
mod effort;
mod follow;
mod minimal;
mod reach;
mod sets;
mod table;
mod target;
#[cfg(test)]
mod tests;

use super::distance::Distances;
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use arrayvec::ArrayVec;
use cover::{Wish, cover};
use deadlines::{CELLS, LAYOUT, SLOTS, SlotSet};
use effort::{CROWD, Cut, Effort};
use gridhunt_search::domain::{BuildContext, Cost};
use table::{Maker, Table};
use target::{HOMES, Target};

/// The bound without tables: the number of unfinished colours.
pub(super) fn unfinished_colours<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    _: Cost,
    _: &mut Distances<W>,
) -> Cost {
    puzzle.of_colour.iter().filter(|regions| !bits::is_subset(regions, &state.set)).count() as Cost
}

/// Bytes of drafts that are collected before they are packed side by side. Packing copies them at one go.
const PACKED: u64 = 16 << 20;

/// The bound of some targets on one board.
#[derive(Clone, Debug)]
pub(super) struct PairTables<const W: usize> {
    /// The colours that take part.
    slots: ArrayVec<u8, SLOTS>,
    /// The tables of each cell side by side.
    tables: Vec<Table<W>>,
    /// Where the tables of each cell begin, and where the last ends.
    begin: [usize; CELLS + 1],
}

impl<const W: usize> PairTables<W> {
    /// No targets yet.
    fn empty(puzzle: &FloodIt<W>) -> Self {
        Self { slots: choose::slots(puzzle), tables: Vec::new(), begin: [0; CELLS + 1] }
    }

    /// Targets that are far from the start. The tables and the work for them take so many bytes at most. `None` when
    /// there is no time, or no room to choose targets.
    pub(super) fn from_start(puzzle: &FloodIt<W>, bytes: u64, build: &BuildContext<'_>) -> Option<Self> {
        let (mut new, mut effort) = (Self::empty(puzzle), Effort::within(bytes, build));
        let targets = choose::far_from_start(puzzle, &new.slots, &mut effort);
        new.add(puzzle, &effort.whole(targets)?, &mut effort)?;
        Some(new)
    }

    /// The tables of these targets, whatever memory they take. `None` when they are no targets of this puzzle, or there
    /// is no time, or `build` has no room for them.
    pub(super) fn of_targets(puzzle: &FloodIt<W>, targets: &[Target], build: &BuildContext<'_>) -> Option<Self> {
        let mut new = Self::empty(puzzle);
        let takes_part = |region: u16| {
            puzzle.colour.get(usize::from(region)).is_some_and(|colour| new.slots.contains(colour))
                && usize::from(region) != puzzle.start
        };
        if !targets.iter().all(|target| target.is_sorted() && target.iter().all(|&region| takes_part(region))) {
            return None;
        }
        new.add(puzzle, targets, &mut Effort::within(u64::MAX, build))?;
        (new.tables.len() == targets.len()).then_some(new)
    }

    /// The targets. [`PairTables::of_targets`] makes the same tables of them.
    pub(super) fn targets(&self) -> impl Iterator<Item = Target> {
        self.tables.iter().map(|table| table.target)
    }

    /// At most `most` tables, which take at most `bytes`, the work for them included. Their targets are chosen for a
    /// sample of states that a search expanded, each with the value that would have spared it. `None` when there is no
    /// target that is of use, no room, or no time.
    pub(super) fn refined(
        puzzle: &FloodIt<W>,
        sample: &[(Flood<W>, Cost)],
        (most, bytes): (usize, u64),
        build: &BuildContext<'_>,
    ) -> Option<Self> {
        let (mut new, mut effort) = (Self::empty(puzzle), Effort::within(bytes, build));
        let mut wishes = Vec::new();
        for (state, goal) in sample {
            // No table can spare a search a state whose value does not fit a byte.
            if let Ok(goal) = u8::try_from(*goal) {
                wishes.push(Wish { state, goal, unfinished: new.unfinished(puzzle, &state.set) });
            }
        }
        let targets = cover(puzzle, &new.slots, &wishes, most, &mut effort);
        new.add(puzzle, &effort.whole(targets)?, &mut effort)?;
        (!new.tables.is_empty()).then_some(new)
    }

    /// Adds the tables of targets, as long as there is room for them and for the work. `None` when there is no time;
    /// the object is then of no use.
    fn add(&mut self, puzzle: &FloodIt<W>, targets: &[Target], effort: &mut Effort<'_>) -> Option<()> {
        // A target without a cell has no influence on the bound.
        let targets: Vec<_> = targets.iter().copied().filter(|&target| self.cell(puzzle, target).is_some()).collect();
        let (mut drafts, mut waiting) = (Vec::new(), 0);
        let (mut crowd, mut number) = (CROWD, 0);
        'targets: while number < targets.len() {
            let some = &targets[number..targets.len().min(number + crowd)];
            // While drafts are packed, they are there twice. `room` counts each of them once, and `waiting` once more.
            let room = effort.room;
            effort.room = room.saturating_sub(waiting);
            let made = effort.map(some, |maker: &mut Maker<W>, &target, effort| {
                maker.draft(puzzle, (target, self.homes(puzzle, target)), effort)
            });
            effort.room = room;
            for made in made {
                match made {
                    Ok(draft) => {
                        effort.room -= draft.bytes();
                        waiting += draft.bytes();
                        drafts.push(draft);
                    }
                    // This one needs more than a share, or those that wait have to be packed before.
                    Err(Cut::Room(_)) if crowd > 1 || waiting > 0 => {
                        crowd = 1;
                        self.tables.extend(Table::pack(std::mem::take(&mut drafts)));
                        waiting = 0;
                        break;
                    }
                    Err(Cut::Room(_)) => {
                        effort.lack(number, targets.len(), "new tables");
                        break 'targets;
                    }
                    Err(Cut::Late) => return None,
                }
                number += 1;
                effort.tell(number, targets.len());
            }
            if waiting > PACKED {
                self.tables.extend(Table::pack(std::mem::take(&mut drafts)));
                waiting = 0;
            }
        }
        self.tables.extend(Table::pack(drafts));
        self.arrange(puzzle);
        Some(())
    }

    /// Sorts the tables by their cells.
    fn arrange(&mut self, puzzle: &FloodIt<W>) {
        let mut tables = std::mem::take(&mut self.tables);
        let mut sorted = Vec::with_capacity(tables.len());
        let mut begin = [0; CELLS + 1];
        for cell in 0..CELLS {
            sorted.extend(tables.extract_if(.., |table| self.cell(puzzle, table.target) == Some(cell)));
            begin[cell + 1] = sorted.len();
        }
        (self.tables, self.begin) = (sorted, begin);
    }

    /// The slot of a region, if its colour takes part.
    fn slot(&self, puzzle: &FloodIt<W>, region: u16) -> Option<usize> {
        self.slots.iter().position(|&colour| colour == puzzle.colour[usize::from(region)])
    }

    /// The cell of a target, if its colours take part.
    fn cell(&self, puzzle: &FloodIt<W>, [u, v]: Target) -> Option<usize> {
        LAYOUT.cell_of(1 << self.slot(puzzle, u)? | 1 << self.slot(puzzle, v)?)
    }

    /// The homes of the walkers to a target. Where both regions have the same colour, the second walker has a home of
    /// its own, and no walker ever starts there.
    fn homes(&self, puzzle: &FloodIt<W>, [u, v]: Target) -> [usize; 2] {
        let home = |region| puzzle.regions() + self.slot(puzzle, region).unwrap_or(HOMES - 1);
        let (one, other) = (home(u), home(v));
        [one, if one == other { puzzle.regions() + HOMES - 1 } else { other }]
    }

    /// The slots of colours that are not finished at a flood.
    #[inline(always)]
    fn unfinished(&self, puzzle: &FloodIt<W>, set: &Bits<W>) -> SlotSet {
        let mut unfinished = 0;
        for (slot, &colour) in self.slots.iter().enumerate() {
            if !bits::is_subset(&puzzle.of_colour[usize::from(colour)], set) {
                unfinished |= 1 << slot;
            }
        }
        unfinished
    }

    /// The positions at which walkers may start at a flood: its regions, and the homes of finished slots.
    #[inline(always)]
    fn positions(&self, puzzle: &FloodIt<W>, set: &Bits<W>, unfinished: SlotSet) -> Bits<W> {
        let mut positions = *set;
        for slot in 0..self.slots.len() {
            if unfinished >> slot & 1 == 0 {
                bits::set(&mut positions, puzzle.regions() + slot);
            }
        }
        positions
    }

    /// How many cells the colours that take part have.
    #[inline(always)]
    fn cells(&self) -> usize {
        LAYOUT.cells(self.slots.len())
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self) -> u64 {
        self.tables.iter().map(Table::bytes).sum()
    }
}
