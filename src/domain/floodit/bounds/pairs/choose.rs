//! Which pairs of regions become targets.

use super::order::{CELLS, Question, SLOTS, SlotSet, cell_of, cells_of};
use super::table::Target;
use super::walk::Reach;
use crate::domain::Domain;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};
use arrayvec::ArrayVec;

/// Targets of each cell that are chosen at the start.
const A_CELL: usize = 3;

/// The colours that take part: those whose farthest region is farthest, the lower one first.
pub(super) fn slots<const W: usize>(puzzle: &FloodIt<W>) -> ArrayVec<u8, SLOTS> {
    let mut reach = Reach::default();
    let root = puzzle.root();
    reach.measure(puzzle, &root);
    let farthest = |regions: &Bits<W>| {
        let mut most = 0;
        bits::for_each(&bits::minus(regions, &root.set), |r| most = most.max(reach.distance(r, r)));
        most
    };
    let mut colours: Vec<_> = puzzle
        .of_colour
        .iter()
        .enumerate()
        .map(|(c, regions)| (std::cmp::Reverse(farthest(regions)), c as u8))
        .collect();
    colours.sort_unstable();
    colours.retain(|colour| colour.0.0 > 0);
    let mut slots: ArrayVec<u8, SLOTS> = colours.into_iter().take(SLOTS).map(|(_, colour)| colour).collect();
    slots.sort_unstable();
    slots
}

/// For each pair of colours a few targets that are farthest from the start, no region twice.
pub(super) fn far_from_start<const W: usize>(puzzle: &FloodIt<W>, slots: &[u8]) -> Vec<Target> {
    let mut reach = Reach::default();
    let root = puzzle.root();
    reach.measure(puzzle, &root);
    let mut targets = Vec::new();
    for (j, &d) in slots.iter().enumerate() {
        for &c in &slots[..=j] {
            let mut us = bits::minus(&puzzle.of_colour[usize::from(c)], &root.set);
            let mut vs = bits::minus(&puzzle.of_colour[usize::from(d)], &root.set);
            for _ in 0..A_CELL {
                let Some((u, v)) = farthest(&reach, &us, &vs) else { break };
                targets.push((u as u16, v as u16));
                for used in [u, v] {
                    us[used / 64] &= !(1 << (used % 64));
                    vs[used / 64] &= !(1 << (used % 64));
                }
            }
        }
    }
    targets
}

fn farthest<const W: usize>(reach: &Reach<W>, us: &Bits<W>, vs: &Bits<W>) -> Option<(usize, usize)> {
    let mut found = None;
    for k in (0..reach.depth()).rev() {
        bits::for_each(us, |u| {
            let late = bits::minus(vs, reach.row(k, u));
            if found.is_none() && !bits::is_empty(&late) {
                bits::for_each(&late, |v| found = found.or(Some((u, v))));
            }
        });
        if found.is_some() {
            break;
        }
    }
    found
}

/// A state that a search expanded, and the bound that would have spared it.
pub(super) struct Wish<'a, const W: usize> {
    pub(super) state: &'a Flood<W>,
    pub(super) goal: u8,
    /// What the targets held so far say of each cell.
    pub(super) cells: [u8; CELLS],
    pub(super) unfinished: SlotSet,
}

/// What has to be said of one cell at one state: the targets that say it.
struct Item<const W: usize> {
    wish: usize,
    /// Regions of one colour, and those of the other that are far enough with it.
    rows: Vec<(u16, Bits<W>)>,
    open: bool,
}

impl<const W: usize> Item<W> {
    fn holds(&self, (u, v): Target) -> bool {
        self.rows.binary_search_by_key(&u, |row| row.0).is_ok_and(|at| bits::contains(&self.rows[at].1, v.into()))
    }
}

/// At most `most` new targets that together fulfil as many wishes as possible: the one that takes most of them farthest,
/// again and again. `None` when there is no time for it.
pub(super) fn cover<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    wishes: &[Wish<'_, W>],
    held: &[Target],
    (most, leaves): (usize, &dyn Fn() -> bool),
) -> Option<Vec<Target>> {
    let mut reach = Reach::default();
    let mut items = Vec::new();
    for (number, wish) in wishes.iter().enumerate() {
        if leaves() {
            return None;
        }
        reach.measure(puzzle, wish.state);
        demand(puzzle, slots, &reach, number, wish, &mut items);
    }
    let regions = puzzle.regions();
    let mut open = vec![0_i32; wishes.len()];
    let mut worth = vec![0_i32; regions * regions];
    let at = |(u, v): Target| usize::from(u) * regions + usize::from(v);
    let mut chosen: Vec<Target> = Vec::new();
    for _ in 0..ROUNDS {
        worth.fill(0);
        open.fill(0);
        for item in &mut items {
            item.open = true;
            open[item.wish] += 1;
        }
        for item in &items {
            add(&mut worth, regions, item, WHOLE / open[item.wish]);
        }
        for &target in held.iter().chain(&chosen) {
            worth[at(target)] = i32::MIN / 2;
        }
        while chosen.len() < most {
            if leaves() {
                return None;
            }
            let best = worth.iter().fold(0, |best, &worth| worth.max(best));
            let Some(best) = worth.iter().position(|&worth| worth == best && best > 0) else { break };
            let target = ((best / regions) as u16, (best % regions) as u16);
            chosen.push(target);
            worth[best] = i32::MIN / 2;
            let met: Vec<_> = (0..items.len()).filter(|&i| items[i].open && items[i].holds(target)).collect();
            let mut touched: Vec<_> = met.iter().map(|&i| items[i].wish).collect();
            touched.sort_unstable();
            touched.dedup();
            for &wish in &touched {
                let share = WHOLE / open[wish];
                items
                    .iter()
                    .filter(|item| item.open && item.wish == wish)
                    .for_each(|item| add(&mut worth, regions, item, -share));
            }
            for &i in &met {
                items[i].open = false;
                open[items[i].wish] -= 1;
            }
            for &wish in touched.iter().filter(|&&wish| open[wish] > 0) {
                let share = WHOLE / open[wish];
                items
                    .iter()
                    .filter(|item| item.open && item.wish == wish)
                    .for_each(|item| add(&mut worth, regions, item, share));
            }
        }
    }
    Some(chosen)
}

/// How often each wish is fulfilled, by other targets each time: the states that are still to come are like those of the
/// sample, not the same.
const ROUNDS: usize = 3;

/// What a wish is worth; it is shared out among what is still open of it.
const WHOLE: i32 = 2520;

fn add<const W: usize>(worth: &mut [i32], regions: usize, item: &Item<W>, share: i32) {
    for (u, vs) in &item.rows {
        let row = &mut worth[usize::from(*u) * regions..][..regions];
        bits::for_each(vs, |v| row[v] += share);
    }
}

/// Finds out what least has to be said of which cells so that the bound at the state is what is wished, and adds an item
/// for each that is not said yet. Nothing is added when all pairs together do not say it.
fn demand<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    reach: &Reach<W>,
    number: usize,
    wish: &Wish<'_, W>,
    items: &mut Vec<Item<W>>,
) {
    let outside = |slot: usize| bits::minus(&puzzle.of_colour[usize::from(slots[slot])], &wish.state.set);
    let mut said = [0; CELLS];
    for j in 0..slots.len() {
        for i in 0..=j {
            let (us, vs) = (outside(i), outside(j));
            let far = (0..reach.depth()).rev().find(|&k| {
                let mut late = false;
                bits::for_each(&us, |u| late |= !bits::is_subset(&vs, reach.row(k, u)));
                late
            });
            said[cell_of(i, j)] = far.map_or(0, |k| k as u8 + 1);
        }
    }
    let full = said;
    let cells = cells_of(slots.len());
    let is_enough = |said: &[u8; CELLS]| Question::of(&said[..cells], wish.unfinished, wish.goal).answer().is_some();
    if !is_enough(&said) {
        return;
    }
    // What says least goes first: what is left says much, in few cells.
    let mut order: Vec<usize> = (0..cells).collect();
    order.sort_by_key(|&cell| (full[cell], cell));
    for &cell in &order {
        let held = wish.cells[cell].min(full[cell]);
        while said[cell] > held {
            said[cell] -= 1;
            if !is_enough(&said) {
                said[cell] += 1;
                break;
            }
        }
    }
    for j in 0..slots.len() {
        for i in 0..=j {
            let cell = cell_of(i, j);
            if said[cell] <= wish.cells[cell] {
                continue;
            }
            let (us, vs) = (outside(i), outside(j));
            let mut rows = Vec::new();
            bits::for_each(&us, |u| {
                let mut late = bits::minus(&vs, reach.row(usize::from(said[cell]) - 1, u));
                if i == j {
                    // Each pair once.
                    for v in 0..u {
                        late[v / 64] &= !(1 << (v % 64));
                    }
                }
                if !bits::is_empty(&late) {
                    rows.push((u as u16, late));
                }
            });
            items.push(Item { wish: number, rows, open: true });
        }
    }
}
