//! Pairs: two regions that no word reaches in time together.
//!
//! Let D2(u, v) be the length of the shortest word that leads two walkers, each starting anywhere in the flood, to the
//! regions `u` and `v`, where a letter lets each walker step to a touching region of that colour or wait. For each pair of
//! colours the largest D2 of some chosen targets says when not both of them can be finished before; `order` makes
//! a bound of these.
//!
//! **Admissible.** When a solution has flooded `u`, its word has led a walker there: the flood grows along paths whose
//! colours stand in the word in that order. The same holds of `v`, by the same word. So a solution needs D2(u, v) moves at
//! least until both are flooded, hence until the colours of both are finished. Colours outside the
//! [`SLOTS`] that take part only add to a solution.
//!
//! **Consistent.** Let colour c lead from s to t. Whatever word leads two walkers from t to `u` and `v`, c before it leads
//! two from s there: D2 falls by one at most, and so does every P. When all P fall by one, so does f(S), or it stays, by
//! induction over S; and when the move finishes c, then f(S) <= 1 + f(S without c) by the order that finishes c first: every other set is
//! one turn later, and what P says of c with d, is said of d alone from then on. D2 never rises, because a flood only grows.
//!
//! **From parent to child.** A distance falls by one or stays. With A the regions that the child adds, it falls from k
//! if and only if a walker starts in A: when, for some a in A, row (k - 1, a) of the table holds a region of the child's
//! flood. A walker need not start where it is shut in by the flood, unless it has arrived: its next step would lead to another
//! region of the flood, from where the way is no longer. So f falls by one or stays as well, and only the cells that decide
//! which of both are looked at; a cell keeps its P as soon as one of the targets that hold it keeps its distance. A child
//! whose f has fallen lies in the layer of its parent and is expanded soon: all its distances are computed and remembered.

mod choose;
mod memo;
mod order;
mod table;
#[cfg(test)]
mod tests;
mod walk;

use super::distance::Distances;
use crate::domain::Cost;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::wide::for_each_level;
use crate::domain::floodit::{Flood, FloodIt};
use arrayvec::ArrayVec;
use choose::Wish;
pub(super) use memo::Memo;
use order::{CELLS, Question, SLOTS, SlotSet, cell_of, cells_of, turns};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use table::{Table, Target};
use walk::Reach;

pub(super) const SUMMARY: &str = "order in which colours can be finished, from pairs of regions that are far together";

/// What it says without tables: the number of unfinished colours.
pub(super) fn evaluate<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, _: Cost, _: &mut Distances<W>) -> Cost {
    puzzle.of_colour.iter().filter(|regions| !bits::is_subset(regions, &state.set)).count() as Cost
}

/// How many pairs of colours take part, those of a colour with itself included.
pub(super) fn pairs_of_colours<const W: usize>(puzzle: &FloodIt<W>) -> usize {
    cells_of(puzzle.colours().min(SLOTS))
}

/// The bound of some targets on one board.
#[derive(Clone, Debug)]
pub(super) struct Pairs<const W: usize> {
    /// The colours that take part.
    slots: ArrayVec<u8, SLOTS>,
    /// Those of a cell side by side.
    tables: Vec<Table<W>>,
    /// Where the tables of each cell begin, and where the last ends.
    begin: [usize; CELLS + 1],
    /// Tells its values from those of other targets in the memory of a worker.
    number: u64,
}

impl<const W: usize> Pairs<W> {
    /// No targets yet.
    fn empty(puzzle: &FloodIt<W>) -> Self {
        Self { slots: choose::slots(puzzle), tables: Vec::new(), begin: [0; CELLS + 1], number: 0 }
    }

    /// Targets that are far from the start, within so many bytes of tables.
    pub(super) fn from_start(puzzle: &FloodIt<W>, bytes: u64) -> Self {
        let mut new = Self::empty(puzzle);
        let targets = choose::far_from_start(puzzle, &new.slots);
        // Nobody leaves.
        let _ = new.add(puzzle, &targets, bytes, &|| false);
        new
    }

    /// These targets, whatever their tables take; `None` when they are no targets on this puzzle, or there is no time.
    pub(super) fn of_targets(puzzle: &FloodIt<W>, targets: &[Target], leaves: &dyn Fn() -> bool) -> Option<Self> {
        let mut new = Self::empty(puzzle);
        let takes_part = |region: u16| {
            puzzle.colour.get(usize::from(region)).is_some_and(|colour| new.slots.contains(colour))
                && usize::from(region) != puzzle.start
        };
        if !targets.iter().all(|&(u, v)| takes_part(u) && takes_part(v)) {
            return None;
        }
        new.add(puzzle, targets, u64::MAX, leaves)?;
        (new.tables.len() == targets.len()).then_some(new)
    }

    /// Its targets; [`Pairs::of_targets`] makes the same of them.
    pub(super) fn targets(&self) -> impl Iterator<Item = Target> {
        self.tables.iter().map(|table| table.target)
    }

    /// These targets and at most so many more, chosen for states that a search expanded, each with the bound that would have
    /// spared it; `None` when there are none to add, no room within so many bytes, or the last limit says that it is no use
    /// any more.
    pub(super) fn sharpened(
        held: Option<&Self>,
        puzzle: &FloodIt<W>,
        sample: &[(Flood<W>, Cost)],
        (most, bytes, leaves): (usize, u64, &dyn Fn() -> bool),
        memo: &mut Memo<W>,
    ) -> Option<Self> {
        let mut new = held.cloned().unwrap_or_else(|| Self::empty(puzzle));
        let mut wishes = Vec::new();
        for (state, goal) in sample {
            if leaves() {
                return None;
            }
            let place = recall(&new, puzzle, state, memo);
            let cells = memo.entry(place).0.cells;
            let unfinished = unfinished(&new, puzzle, &state.set);
            wishes.push(Wish { state, goal: (*goal).min(250) as u8, cells, unfinished });
        }
        let held: Vec<Target> = new.targets().collect();
        let targets = choose::cover(puzzle, &new.slots, &wishes, &held, (most, leaves))?;
        new.add(puzzle, &targets, bytes, leaves)?;
        (new.tables.len() > held.len()).then_some(new)
    }

    /// Adds the tables of more targets, as long as all tables together take no more than so many bytes. `None` when there is
    /// no time for that; what is here is of no use then.
    fn add(&mut self, puzzle: &FloodIt<W>, targets: &[Target], bytes: u64, leaves: &dyn Fn() -> bool) -> Option<()> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let mut reach = Reach::default();
        reach.measure(puzzle, &crate::domain::Domain::root(puzzle));
        let mut left = bytes.saturating_sub(self.bytes(puzzle));
        let mut affordable = Vec::new();
        for &(u, v) in targets {
            let top = u8::try_from(reach.distance(u.into(), v.into())).unwrap_or(u8::MAX);
            let bytes = Table::bytes(puzzle, top);
            if bytes > left {
                break;
            }
            left -= bytes;
            if top > 0 {
                affordable.push(((u, v), top));
            }
        }
        self.tables.extend(Table::build(puzzle, &affordable, leaves)?);
        let Self { slots, tables, begin, number } = self;
        tables.sort_by_key(|table| cell(puzzle, slots, table.target));
        *begin = [0; CELLS + 1];
        for table in tables.iter() {
            begin[cell(puzzle, slots, table.target) + 1] += 1;
        }
        for cell in 0..CELLS {
            begin[cell + 1] += begin[cell];
        }
        *number = NUMBERS.fetch_add(1, Relaxed);
        Some(())
    }

    /// How many cells the colours that take part have.
    #[inline(always)]
    fn cells(&self) -> usize {
        cells_of(self.slots.len())
    }

    /// Bytes of all tables.
    pub(super) fn bytes(&self, puzzle: &FloodIt<W>) -> u64 {
        self.tables.iter().map(|table| Table::bytes(puzzle, table.top)).sum()
    }

    /// The bound at `state`.
    pub(super) fn evaluate(&self, puzzle: &FloodIt<W>, state: &Flood<W>, memo: &mut Memo<W>) -> Cost {
        let place = recall(self, puzzle, state, memo);
        Cost::from(memo.entry(place).0.turns)
    }

    /// The greater of the bound at a child of `parent` and `floor`; it may be any value from `enough` on. `whole` computes what
    /// `floor` is for the child, for the parent.
    pub(super) fn evaluate_child(
        &self,
        puzzle: &FloodIt<W>,
        (parent, child): (&Flood<W>, &Flood<W>),
        (floor, enough): (Cost, Cost),
        memo: &mut Memo<W>,
        whole: impl FnOnce() -> Cost,
    ) -> Cost {
        let place = recall(self, puzzle, parent, memo);
        let entry = memo.entry_mut(place).0;
        let before = Cost::from(entry.turns);
        if entry.h == 0 {
            entry.h = before.max(whole());
        }
        // A child of the parent's layer is expanded soon, and what is enough is never expanded; others wait for a later layer,
        // and will be forgotten.
        let soon = |value: Cost| value < enough && value + 1 == entry.h;
        let (kept, fallen) = (floor.max(before), floor.max(before.saturating_sub(1)));
        let remembered = [fallen, kept].map(soon);
        if before > enough || kept == fallen && !remembered[0] {
            return fallen;
        }
        let stays = follow(self, puzzle, parent, child, remembered, memo);
        if stays { kept } else { fallen }
    }
}

/// The cell of a target whose colours take part.
fn cell<const W: usize>(puzzle: &FloodIt<W>, slots: &[u8], (u, v): Target) -> usize {
    let slot = |region: u16| slots.iter().position(|&c| c == puzzle.colour[usize::from(region)]).unwrap_or(0);
    cell_of(slot(u), slot(v))
}

for_each_level! {
    /// The place of a state in the memory, after it was evaluated if need be.
    fn recall<const W: usize>(
        pairs: &Pairs<W>, puzzle: &FloodIt<W>, state: &Flood<W>, memo: &mut Memo<W>,
    ) -> usize = from_nothing
}

for_each_level! {
    /// Whether the bound at a child is what it is at its parent, which is in the memory; otherwise it is one less, and the
    /// child is remembered if that is wanted.
    fn follow<const W: usize>(
        pairs: &Pairs<W>, puzzle: &FloodIt<W>, parent: &Flood<W>, child: &Flood<W>, remembered: [bool; 2], memo: &mut Memo<W>,
    ) -> bool = from_parent
}

/// The slots of colours that are not finished at `state`.
#[inline(always)]
fn unfinished<const W: usize>(pairs: &Pairs<W>, puzzle: &FloodIt<W>, set: &Bits<W>) -> SlotSet {
    let mut unfinished = 0;
    for (slot, &colour) in pairs.slots.iter().enumerate() {
        if !bits::is_subset(&puzzle.of_colour[usize::from(colour)], set) {
            unfinished |= 1 << slot;
        }
    }
    unfinished
}

#[inline(always)]
fn from_nothing<const W: usize>(pairs: &Pairs<W>, puzzle: &FloodIt<W>, state: &Flood<W>, memo: &mut Memo<W>) -> usize {
    memo.belong_to(pairs.number, pairs.tables.len());
    let (place, is_known) = memo.find(&state.set);
    if is_known {
        return place;
    }
    // The distances of any state are a better guess than none.
    memo.copy_recent(place);
    let (entry, values) = memo.entry_mut(place);
    let border = puzzle.neighbours(&state.near, &state.set);
    for (table, value) in pairs.tables.iter().zip(values.iter_mut()) {
        *value = distance(table, &state.set, &border, *value);
    }
    entry.set = state.set;
    entry.h = 0;
    for cell in 0..pairs.cells() {
        entry.cells[cell] = most(&values[pairs.begin[cell]..pairs.begin[cell + 1]]);
    }
    entry.turns = turns(&entry.cells[..pairs.cells()], unfinished(pairs, puzzle, &state.set));
    place
}

/// The distance of a target from a flood with that border, looked for from a guess on.
#[inline(always)]
fn distance<const W: usize>(table: &Table<W>, set: &Bits<W>, border: &Bits<W>, guess: u8) -> u8 {
    let (u, v) = table.target;
    if bits::contains(set, u.into()) && bits::contains(set, v.into()) {
        return 0;
    }
    let mut k = guess.clamp(1, table.top);
    while k < table.top && !within(table, set, border, k) {
        k += 1;
    }
    // It is k at most; one more look is needed only where the guess was not too low.
    if k <= guess.max(1) {
        while k > 1 && within(table, set, border, k - 1) {
            k -= 1;
        }
    }
    k
}

/// Whether two walkers have no more than `k` letters to go, not both of them having arrived.
#[inline(always)]
fn within<const W: usize>(table: &Table<W>, set: &Bits<W>, border: &Bits<W>, k: u8) -> bool {
    let near = bits::and(border, table.rows(k));
    for (word, &near) in near.iter().enumerate() {
        let mut rest = near;
        while rest != 0 {
            if bits::intersects(table.row(k, word * 64 + rest.trailing_zeros() as usize), set) {
                return true;
            }
            rest &= rest - 1;
        }
    }
    false
}

#[inline(always)]
fn most(values: &[u8]) -> u8 {
    let mut most = 0;
    for &value in values {
        most = value.max(most);
    }
    most
}

/// What a child adds to its parent's flood.
struct Added<const W: usize> {
    set: Bits<W>,
    /// The first regions at its border, all but those that are too many, and the regions that are shut in.
    open: ArrayVec<u16, 16>,
    rest: Bits<W>,
    shut: Bits<W>,
}

impl<const W: usize> Added<W> {
    #[inline(always)]
    fn new(puzzle: &FloodIt<W>, parent: &Flood<W>, child: &Flood<W>) -> Self {
        let add = bits::minus(&child.set, &parent.set);
        let (mut open, mut rest, mut shut) = (ArrayVec::new(), bits::empty(), bits::empty());
        bits::for_each(&add, |a| {
            if !bits::intersects(&puzzle.touching[a], &child.near) {
                bits::set(&mut shut, a);
            } else if open.try_push(a as u16).is_err() {
                bits::set(&mut rest, a);
            }
        });
        Self { set: child.set, open, rest, shut }
    }

    /// Whether the distance of a target, `k` at the parent, falls at the child.
    #[inline(always)]
    fn lowers(&self, table: &Table<W>, k: u8) -> bool {
        for &a in &self.open {
            if bits::intersects(table.row(k - 1, usize::from(a)), &self.set) {
                return true;
            }
        }
        let mut falls = !bits::is_empty(&self.rest) && within(table, &self.set, &self.rest, k - 1);
        let (u, v) = table.target;
        for arrived in [usize::from(u), usize::from(v)] {
            if !falls && bits::contains(&self.shut, arrived) {
                falls = bits::intersects(table.row(k - 1, arrived), &self.set);
            }
        }
        falls
    }
}

#[inline(always)]
fn from_parent<const W: usize>(
    pairs: &Pairs<W>,
    puzzle: &FloodIt<W>,
    parent: &Flood<W>,
    child: &Flood<W>,
    remembered: [bool; 2],
    memo: &mut Memo<W>,
) -> bool {
    let (place, _) = memo.find(&parent.set);
    let (entry, values) = memo.entry(place);
    let added = Added::new(puzzle, parent, child);
    let mut question = Question::new(entry.turns, unfinished(pairs, puzzle, &child.set));
    // Every cell is taken to keep its value, until those that matter are looked at.
    question.put_all(&entry.cells[..pairs.cells()]);
    let stays = loop {
        let Some(mut open) = question.answer() else { break false };
        let mut falls = false;
        while open != 0 {
            let cell = open.trailing_zeros() as usize;
            open &= open - 1;
            let value = entry.cells[cell];
            let of_cell = pairs.begin[cell]..pairs.begin[cell + 1];
            let mut keeps = false;
            for (table, &own) in pairs.tables[of_cell.clone()].iter().zip(&values[of_cell]) {
                keeps = keeps || own == value && value > 0 && !added.lowers(table, value);
            }
            falls |= !keeps;
            question.settle(cell, value, !keeps);
        }
        if !falls {
            break true;
        }
    };
    if remembered[usize::from(stays)] {
        let turns = entry.turns - u8::from(!stays);
        remember(pairs, place, &added, turns, memo);
    }
    stays
}

/// Remembers a child whose bound has fallen by one.
#[inline(always)]
fn remember<const W: usize>(pairs: &Pairs<W>, parent: usize, added: &Added<W>, turns: u8, memo: &mut Memo<W>) {
    let (place, is_known) = memo.find(&added.set);
    let h = memo.entry(parent).0.h - 1;
    // Where its own parent would have to go, it is forgotten: too rare to matter.
    if is_known || place == parent {
        return;
    }
    memo.copy(parent, place);
    let (entry, values) = memo.entry_mut(place);
    entry.set = added.set;
    entry.turns = turns;
    entry.h = h;
    for cell in 0..pairs.cells() {
        let of_cell = pairs.begin[cell]..pairs.begin[cell + 1];
        for (table, value) in pairs.tables[of_cell.clone()].iter().zip(&mut values[of_cell.clone()]) {
            if *value > 0 {
                *value -= u8::from(added.lowers(table, *value));
            }
        }
        entry.cells[cell] = most(&values[of_cell]);
    }
}
