//! Which targets would have spared a search the most work.

use super::each::{MOST_THREADS, each};
use super::order::{CELLS, Layout, Question, SlotSet, lower, slots_in};
use super::reach::{PairReach, TripleReach};
use super::table::{Target, is_triple, pair, triple};
use crate::domain::Making;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};
use std::collections::HashMap;

/// A state that a search expanded, and the bound that would have spared it.
pub(super) struct Wish<'a, const W: usize> {
    pub(super) state: &'a Flood<W>,
    pub(super) goal: u8,
    /// What the targets held so far say of each cell.
    pub(super) cells: [u8; CELLS],
    pub(super) unfinished: SlotSet,
}

/// Targets and their numbers. Those of two regions are numbered by these; three are numbered as they come.
struct Numbers {
    regions: usize,
    triples: Vec<Target>,
    of_triple: HashMap<Target, u32>,
}

impl Numbers {
    fn of_pair(&self, u: usize, v: usize) -> usize {
        u * self.regions + v
    }

    fn add(&mut self, target: Target) -> usize {
        let new = self.triples.len() as u32;
        let number = *self.of_triple.entry(target).or_insert(new);
        if number == new {
            self.triples.push(target);
        }
        self.regions * self.regions + number as usize
    }

    fn number<const W: usize>(&mut self, targets: Targets<Target, W>) -> Targets<usize, W> {
        match targets {
            Targets::Pairs(rows) => Targets::Pairs(rows),
            Targets::Triples(targets) => {
                let mut numbers: Vec<_> = targets.into_iter().map(|target| self.add(target)).collect();
                numbers.sort_unstable();
                Targets::Triples(numbers)
            }
        }
    }

    fn len(&self) -> usize {
        self.regions * self.regions + self.triples.len()
    }

    fn target(&self, number: usize) -> Target {
        match number.checked_sub(self.regions * self.regions) {
            Some(triple) => self.triples[triple],
            None => pair(number / self.regions, number % self.regions),
        }
    }

    /// All numbers of a target.
    fn of(&self, target: Target) -> impl Iterator<Item = usize> {
        let [u, v] = [target[0], target[2]].map(usize::from);
        let of_triple = self.of_triple.get(&target).map(|&number| self.regions * self.regions + number as usize);
        let of_pair = [self.of_pair(u, v), self.of_pair(v, u)].into_iter().filter(move |_| !is_triple(target));
        of_triple.into_iter().chain(of_pair)
    }
}

/// The targets that say what has to be said of one cell at one state.
enum Targets<T, const W: usize> {
    /// Regions of one colour, and those of the other that are far enough with it.
    Pairs(Vec<(u16, Bits<W>)>),
    /// As they are, or their numbers, rising.
    Triples(Vec<T>),
}

/// What has to be said of one cell at one state.
struct Item<const W: usize> {
    wish: usize,
    targets: Targets<usize, W>,
    open: bool,
}

impl<const W: usize> Item<W> {
    fn for_each(&self, numbers: &Numbers, mut f: impl FnMut(usize)) {
        match &self.targets {
            Targets::Pairs(rows) => {
                for (u, vs) in rows {
                    bits::for_each(vs, |v| f(numbers.of_pair(usize::from(*u), v)));
                }
            }
            Targets::Triples(targets) => targets.iter().for_each(|&number| f(number)),
        }
    }

    fn holds(&self, numbers: &Numbers, number: usize) -> bool {
        match &self.targets {
            Targets::Pairs(rows) => {
                let (u, v) = (number / numbers.regions, number % numbers.regions);
                let row = rows.binary_search_by_key(&u, |row| usize::from(row.0));
                row.is_ok_and(|at| bits::contains(&rows[at].1, v))
            }
            Targets::Triples(targets) => targets.binary_search(&number).is_ok(),
        }
    }
}

/// How often each wish is fulfilled, by other targets each time: the states that are still to come are like those of the
/// sample, not the same.
const ROUNDS: usize = 3;

/// What a wish is worth; it is shared out among what is still open of it.
const WHOLE: i32 = 2520;

/// At most `most` new targets, found with so many bytes, that together fulfil as many wishes as possible: the one that takes most of them farthest,
/// again and again. `None` when there is no time for it.
pub(super) fn cover<const W: usize>(
    puzzle: &FloodIt<W>,
    (slots, layout, takes_triples): (&[u8], &'static Layout, bool),
    wishes: &[Wish<'_, W>],
    held: &[Target],
    (most, bytes): (usize, u64),
    making: &Making<'_>,
) -> Option<Vec<Target>> {
    let bytes = bytes / MOST_THREADS as u64;
    let demand = Demand { puzzle, slots, layout, takes_triples, bytes };
    let demanded = each(wishes, making, (takes_triples, 0, wishes.len()), Reaches::default, |reaches, wish| {
        demand.of(wish, reaches)
    })?;
    let mut numbers = Numbers { regions: puzzle.regions(), triples: Vec::new(), of_triple: HashMap::new() };
    let mut items = Vec::new();
    for (wish, demanded) in demanded.into_iter().enumerate() {
        items.extend(demanded.into_iter().map(|targets| Item { wish, targets: numbers.number(targets), open: true }));
    }
    let mut open = vec![0_i32; wishes.len()];
    let mut worth = vec![0_i32; numbers.len()];
    let mut chosen: Vec<Target> = Vec::new();
    for _ in 0..ROUNDS {
        worth.fill(0);
        open.fill(0);
        for item in &mut items {
            item.open = true;
            open[item.wish] += 1;
        }
        for item in &items {
            item.for_each(&numbers, |target| worth[target] += WHOLE / open[item.wish]);
        }
        for &target in held.iter().chain(&chosen) {
            numbers.of(target).for_each(|number| worth[number] = i32::MIN / 2);
        }
        while chosen.len() < most {
            if (making.leaves)() {
                return None;
            }
            let best = worth.iter().fold(0, |best, &worth| worth.max(best));
            let Some(best) = worth.iter().position(|&worth| worth == best && best > 0) else { break };
            chosen.push(numbers.target(best));
            worth[best] = i32::MIN / 2;
            let met: Vec<_> = (0..items.len()).filter(|&i| items[i].open && items[i].holds(&numbers, best)).collect();
            let mut touched: Vec<_> = met.iter().map(|&i| items[i].wish).collect();
            touched.sort_unstable();
            touched.dedup();
            let mut share = |items: &[Item<W>], open: &[i32], sign: i32| {
                for item in items.iter().filter(|item| item.open && touched.binary_search(&item.wish).is_ok()) {
                    let share = sign * WHOLE / open[item.wish];
                    item.for_each(&numbers, |target| worth[target] += share);
                }
            };
            share(&items, &open, -1);
            for &i in &met {
                items[i].open = false;
                open[items[i].wish] -= 1;
            }
            share(&items, &open, 1);
        }
    }
    Some(chosen)
}

/// Finds out what has to be said.
struct Demand<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    slots: &'a [u8],
    layout: &'static Layout,
    takes_triples: bool,
    /// What may be taken to measure triples.
    bytes: u64,
}

/// How far all regions are from a state.
#[derive(Default)]
struct Reaches<const W: usize> {
    pairs: PairReach<W>,
    triples: TripleReach<W>,
}

/// The targets that are considered for an item of triples, about: there can be a hundred thousand.
const CONSIDERED: u64 = 1000;

impl<const W: usize> Demand<'_, W> {
    /// What least has to be said of which cells so that the bound at a state is what is wished: the targets that say it, for
    /// each cell of which it is not said yet. Triples come in only where all pairs together do not say it; nothing does where
    /// they do not say it either.
    fn of(&self, wish: &Wish<'_, W>, reaches: &mut Reaches<W>) -> Vec<Targets<Target, W>> {
        let cells = self.layout.cells(self.slots.len());
        let is_enough = |said: &[u8; CELLS]| {
            Question::of(self.layout, &said[..cells], wish.unfinished, wish.goal).answer().is_some()
        };
        reaches.pairs.measure(self.puzzle, wish.state);
        let by_pairs = self.most(reaches.pairs.depth(), |cell, k| self.some_pair_is_late(reaches, wish, cell, k));
        let mut full = by_pairs;
        if !is_enough(&full) {
            if !self.takes_triples || !reaches.triples.measure(self.puzzle, wish.state, self.bytes) {
                return Vec::new();
            }
            let is_late = |cell, k| self.some_triple_is_late(reaches, wish, cell, k);
            let by_triples = self.most(reaches.triples.depth(), is_late);
            (0..cells).for_each(|cell| full[cell] = by_triples[cell].max(by_pairs[cell]));
            if !is_enough(&full) {
                return Vec::new();
            }
        }
        let mut said = full;
        // What says least goes first: what is left says much, in few cells.
        let mut order: Vec<usize> = (0..cells).collect();
        order.sort_by_key(|&cell| (full[cell], cell));
        lower(self.layout, (wish.unfinished, wish.goal), &mut said[..cells], &wish.cells, order);
        let demanded = (0..cells).filter(|&cell| said[cell] > wish.cells[cell]).map(|cell| {
            let k = usize::from(said[cell]) - 1;
            let is_said_by_pairs = said[cell] <= by_pairs[cell];
            let of_cell = if is_said_by_pairs { Self::late_pairs } else { Self::late_triples };
            of_cell(self, reaches, wish, cell, k)
        });
        demanded.collect()
    }

    /// What all targets together say of each cell.
    fn most(&self, depth: usize, is_late: impl Fn(usize, usize) -> bool) -> [u8; CELLS] {
        let mut most = [0; CELLS];
        for (cell, most) in most.iter_mut().enumerate().take(self.layout.cells(self.slots.len())) {
            *most = (0..depth).rev().find(|&k| is_late(cell, k)).map_or(0, |k| k as u8 + 1);
        }
        most
    }

    /// The regions of a slot that are not flooded yet.
    fn outside(&self, wish: &Wish<'_, W>, slot: usize) -> Bits<W> {
        bits::minus(&self.puzzle.of_colour[usize::from(self.slots[slot])], &wish.state.set)
    }

    /// Whether there is a pair of a cell to which `k` letters do not lead.
    fn some_pair_is_late(&self, reaches: &Reaches<W>, wish: &Wish<'_, W>, cell: usize, k: usize) -> bool {
        let Some((low, high)) = slots_of_pair(self.layout.slots_of(cell)) else {
            return false;
        };
        let (us, vs) = (self.outside(wish, low), self.outside(wish, high));
        let mut late = false;
        bits::for_each(&us, |u| late |= !bits::is_subset(&vs, reaches.pairs.row(k, u)));
        late
    }

    /// The pairs of a cell to which `k` letters do not lead.
    fn late_pairs(&self, reaches: &Reaches<W>, wish: &Wish<'_, W>, cell: usize, k: usize) -> Targets<Target, W> {
        let mut rows = Vec::new();
        if let Some((low, high)) = slots_of_pair(self.layout.slots_of(cell)) {
            let (us, vs) = (self.outside(wish, low), self.outside(wish, high));
            bits::for_each(&us, |u| {
                let late = bits::minus(&vs, reaches.pairs.row(k, u));
                // Each pair once.
                let late = if low == high { bits::from(&late, u) } else { late };
                if !bits::is_empty(&late) {
                    rows.push((u as u16, late));
                }
            });
        }
        Targets::Pairs(rows)
    }

    /// Whether there is a triple of a cell to which `k` letters do not lead.
    fn some_triple_is_late(&self, reaches: &Reaches<W>, wish: &Wish<'_, W>, cell: usize, k: usize) -> bool {
        let mut late = false;
        self.for_each_row(&reaches.triples, wish, cell, k, |_, _, thirds| late |= !bits::is_empty(thirds));
        late
    }

    /// Some of the triples of a cell to which `k` letters do not lead: the same ones for each state, as far as they are late there.
    fn late_triples(&self, reaches: &Reaches<W>, wish: &Wish<'_, W>, cell: usize, k: usize) -> Targets<Target, W> {
        let mut all = 0;
        self.for_each_row(&reaches.triples, wish, cell, k, |_, _, thirds| all += u64::from(bits::count(thirds)));
        let share = (CONSIDERED << 32) / all.max(1);
        let mut late = Vec::new();
        self.for_each_row(&reaches.triples, wish, cell, k, |u, v, thirds| {
            bits::for_each(thirds, |w| {
                let target = triple(u, v, w);
                if hash(target) <= share {
                    late.push(target);
                }
            });
        });
        Targets::Triples(late)
    }

    /// Calls `f` with every two regions of a cell's triples and the third ones to which, with them, `k` letters do not lead; each triple
    /// of different regions comes once.
    fn for_each_row(
        &self,
        reach: &TripleReach<W>,
        wish: &Wish<'_, W>,
        cell: usize,
        k: usize,
        mut f: impl FnMut(usize, usize, &Bits<W>),
    ) {
        for [i, j, l] in slots_of_triples(self.layout.slots_of(cell)) {
            let [us, vs, ws] = [i, j, l].map(|slot| self.outside(wish, slot));
            bits::for_each(&us, |u| {
                let vs = if i == j { bits::from(&vs, u + 1) } else { vs };
                bits::for_each(&vs, |v| {
                    let ws = if j == l { bits::from(&ws, v + 1) } else { ws };
                    f(u, v, &bits::minus(&ws, reach.row(k, u, v)));
                });
            });
        }
    }
}

/// The lower slot and the higher one, which may be the same, where there are no more.
fn slots_of_pair(set: SlotSet) -> Option<(usize, usize)> {
    let slots = slots_in(set);
    (set.count_ones() <= 2).then(|| (slots.clone().next().unwrap_or(0), slots.last().unwrap_or(0)))
}

/// The slots of three regions that have just these colours.
fn slots_of_triples(set: SlotSet) -> Vec<[usize; 3]> {
    match slots_in(set).collect::<Vec<_>>()[..] {
        [i] => vec![[i, i, i]],
        [i, j] => vec![[i, i, j], [i, j, j]],
        [i, j, k] => vec![[i, j, k]],
        _ => Vec::new(),
    }
}

/// 32 bits that look like chance.
fn hash(target: Target) -> u64 {
    let [u, v, w] = target.map(u64::from);
    ((u << 32 | v << 16 | w).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D).wrapping_mul(0xD134_2543_DE82_EF95)
        >> 32
}
