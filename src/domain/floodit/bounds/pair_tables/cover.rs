//! Which targets would have spared a search the most work.

use super::deadlines::{CELLS, LAYOUT, Question, SlotSet, lower};
use super::reach::PairReach;
use super::target::{Target, target};
use crate::domain::BuildContext;
use crate::domain::floodit::bits::{self, Bits};
use crate::domain::floodit::{Flood, FloodIt};

/// A state that a search expanded, and the value of the bound that would have spared it.
pub(super) struct Wish<'a, const W: usize> {
    pub(super) state: &'a Flood<W>,
    pub(super) goal: u8,
    /// P of each cell by the targets held so far.
    pub(super) cells: [u8; CELLS],
    pub(super) unfinished: SlotSet,
}

/// The targets that raise one cell at one state as far as is wanted: regions of one colour, in rising order, each with
/// those of the other colour that are far enough together with it.
struct Item<const W: usize> {
    wish: usize,
    rows: Vec<(u16, Bits<W>)>,
    open: bool,
}

/// A target is numbered by its regions.
#[derive(Clone, Copy)]
struct Numbers {
    regions: usize,
}

impl Numbers {
    fn number(self, u: usize, v: usize) -> usize {
        u * self.regions + v
    }

    fn regions(self, number: usize) -> (usize, usize) {
        (number / self.regions, number % self.regions)
    }
}

impl<const W: usize> Item<W> {
    fn for_each(&self, numbers: Numbers, mut f: impl FnMut(usize)) {
        for (u, vs) in &self.rows {
            bits::for_each(vs, |v| f(numbers.number(usize::from(*u), v)));
        }
    }

    fn holds(&self, numbers: Numbers, number: usize) -> bool {
        let (u, v) = numbers.regions(number);
        let row = self.rows.binary_search_by_key(&u, |row| usize::from(row.0));
        row.is_ok_and(|at| bits::contains(&self.rows[at].1, v))
    }
}

/// How often each wish is fulfilled, by other targets each time: the states that are still to come resemble the sample,
/// but are not those of the sample.
const ROUNDS: usize = 3;

/// The worth of a wish, which is shared out among its open items.
const WHOLE: i32 = 2520;

/// At most `most` new targets that together fulfil as many wishes as possible, chosen greedily: the target of the
/// greatest worth comes next. Tells `build` of each wish that was looked at, of `total` parts. `None` when there is no
/// time.
pub(super) fn cover<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    wishes: &[Wish<'_, W>],
    held: &[Target],
    most: usize,
    build: &BuildContext<'_>,
) -> Option<Vec<Target>> {
    let mut items = Vec::new();
    let mut reach = PairReach::default();
    for (wish, wanted) in wishes.iter().enumerate() {
        if (build.cancelled)() {
            return None;
        }
        let demanded = Demand { puzzle, slots, wish: wanted }.items(&mut reach);
        items.extend(demanded.into_iter().map(|rows| Item { wish, rows, open: true }));
        (build.progress)(wish + 1, wishes.len());
    }
    let numbers = Numbers { regions: puzzle.regions() };
    let mut open = vec![0_i32; wishes.len()];
    let mut worth = vec![0_i32; numbers.number(puzzle.regions(), 0)];
    let mut chosen: Vec<Target> = Vec::new();
    for _ in 0..ROUNDS {
        worth.fill(0);
        open.fill(0);
        for item in &mut items {
            item.open = true;
            open[item.wish] += 1;
        }
        for item in &items {
            item.for_each(numbers, |target| worth[target] += WHOLE / open[item.wish]);
        }
        for [u, v] in held.iter().chain(&chosen).map(|target| target.map(usize::from)) {
            worth[numbers.number(u, v)] = i32::MIN / 2;
            worth[numbers.number(v, u)] = i32::MIN / 2;
        }
        while chosen.len() < most {
            if (build.cancelled)() {
                return None;
            }
            let best = worth.iter().fold(0, |best, &worth| worth.max(best));
            let Some(best) = worth.iter().position(|&worth| worth == best && best > 0) else { break };
            let (u, v) = numbers.regions(best);
            chosen.push(target(u, v));
            worth[best] = i32::MIN / 2;
            let met: Vec<_> = (0..items.len()).filter(|&i| items[i].open && items[i].holds(numbers, best)).collect();
            let mut touched: Vec<_> = met.iter().map(|&i| items[i].wish).collect();
            touched.sort_unstable();
            touched.dedup();
            let mut share = |items: &[Item<W>], open: &[i32], sign: i32| {
                for item in items.iter().filter(|item| item.open && touched.binary_search(&item.wish).is_ok()) {
                    let share = sign * WHOLE / open[item.wish];
                    item.for_each(numbers, |target| worth[target] += share);
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

/// The cells in the order of their values.
fn by_value(values: &[u8]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by_key(|&cell| (values[cell], cell));
    order
}

/// Finds the cells that have to be raised for one wish.
struct Demand<'a, const W: usize> {
    puzzle: &'a FloodIt<W>,
    slots: &'a [u8],
    wish: &'a Wish<'a, W>,
}

impl<const W: usize> Demand<'_, W> {
    /// The targets that raise each cell which has to be raised for the bound to reach the goal, cell by cell, with as
    /// little asked of each cell as suffices. Empty when all pairs together do not reach the goal.
    fn items(&self, reach: &mut PairReach<W>) -> Vec<Vec<(u16, Bits<W>)>> {
        let Wish { state, goal, cells: held, unfinished } = self.wish;
        let cells = LAYOUT.cells(self.slots.len());
        reach.measure(self.puzzle, state);
        let mut full = [0; CELLS];
        for (cell, most) in full.iter_mut().enumerate().take(cells) {
            *most = (0..reach.depth()).rev().find(|&k| self.is_late(reach, cell, k)).map_or(0, |k| k as u8 + 1);
        }
        if Question::of(&full[..cells], *unfinished, *goal).answer().is_none() {
            return Vec::new();
        }
        let mut said = full;
        // Cells of small values are lowered first: what is left rests on few cells of great values.
        lower((*unfinished, *goal), &mut said[..cells], held, by_value(&full[..cells]));
        let raised = (0..cells).filter(|&cell| said[cell] > held[cell]);
        raised.map(|cell| self.late_pairs(reach, cell, usize::from(said[cell]) - 1)).collect()
    }

    /// The regions of a slot that are not flooded yet.
    fn outside(&self, slot: usize) -> Bits<W> {
        bits::minus(&self.puzzle.of_colour[usize::from(self.slots[slot])], &self.wish.state.set)
    }

    /// Whether there is a pair of a cell to which `k` letters do not lead.
    fn is_late(&self, reach: &PairReach<W>, cell: usize, k: usize) -> bool {
        let (us, vs) = LAYOUT.pair_of(cell).map(|slot| self.outside(slot)).into();
        let mut late = false;
        bits::for_each(&us, |u| late |= !bits::is_subset(&vs, reach.row(k, u)));
        late
    }

    /// The pairs of a cell to which `k` letters do not lead.
    fn late_pairs(&self, reach: &PairReach<W>, cell: usize, k: usize) -> Vec<(u16, Bits<W>)> {
        let [low, high] = LAYOUT.pair_of(cell);
        let (us, vs) = (self.outside(low), self.outside(high));
        let mut rows = Vec::new();
        bits::for_each(&us, |u| {
            let late = bits::minus(&vs, reach.row(k, u));
            // Each pair once.
            let late = if low == high { bits::from(&late, u) } else { late };
            if !bits::is_empty(&late) {
                rows.push((u as u16, late));
            }
        });
        rows
    }
}
