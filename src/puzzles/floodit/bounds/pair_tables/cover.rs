//! Which targets would have spared a search the most work.

use super::deadlines::{CELLS, LAYOUT, Question, SlotSet, lower};
use super::effort::{CROWD, Cut, Effort};
use super::reach::PairReach;
use super::target::{Target, target};
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};

/// A state that a search expanded, and the value of the bound that would have spared it.
pub(super) struct Wish<'a, const W: usize> {
    pub(super) state: &'a Flood<W>,
    pub(super) goal: u8,
    pub(super) unfinished: SlotSet,
}

/// Regions of one colour, in rising order, each with regions of another colour or of its own.
type Rows<const W: usize> = Vec<(u16, Bits<W>)>;

/// The targets that raise one cell at one state as far as is wanted: regions of one colour, in rising order, each with
/// those of the other colour that are far enough together with it.
struct Item<const W: usize> {
    wish: usize,
    rows: Rows<W>,
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
    /// Adds `share` to the worth of each target.
    fn share_out(&self, numbers: Numbers, share: i32, worth: &mut [i32], effort: &mut Effort<'_>) -> Result<(), Cut> {
        for (u, vs) in &self.rows {
            effort.spend(W + bits::count(vs) as usize)?;
            bits::for_each(vs, |v| worth[numbers.number(usize::from(*u), v)] += share);
        }
        Ok(())
    }

    fn holds(&self, numbers: Numbers, number: usize) -> bool {
        let (u, v) = numbers.regions(number);
        let row = self.rows.binary_search_by_key(&u, |row| usize::from(row.0));
        row.is_ok_and(|at| bits::contains(&self.rows[at].1, v))
    }
}

/// The worth of each target, some of which are looked at between two questions about the time.
const SOME: usize = 1 << 16;

/// The first of the targets of the greatest worth, if any is worth something.
fn worthiest(worth: &[i32], effort: &mut Effort<'_>) -> Result<Option<usize>, Cut> {
    let (mut most, mut place) = (0, None);
    for (number, some) in worth.chunks(SOME).enumerate() {
        effort.spend(SOME / 2)?;
        let best = some.iter().fold(0, |best, &worth| worth.max(best));
        if best > most {
            (most, place) = (best, Some(number * SOME));
        }
    }
    Ok(place.and_then(|from| Some(from + worth[from..].iter().position(|&worth| worth == most)?)))
}

/// How often each wish is fulfilled, by other targets each time: the states that are still to come resemble the sample,
/// but are not those of the sample.
const ROUNDS: usize = 3;

/// What it costs to lower the value of a cell, in words of sets.
const A_CELL: usize = 1 << 17;

/// The worth of a wish, which is shared out among its open items.
const WHOLE: i32 = 2520;

/// At most `most` targets that together fulfil as many wishes as possible, chosen greedily: the target of the
/// greatest worth comes next. Tells of each wish that was looked at, of `total` parts. Where memory has no room for all
/// wishes, the first ones count, and the user is told.
pub(super) fn cover<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    wishes: &[Wish<'_, W>],
    most: usize,
    effort: &mut Effort<'_>,
) -> Result<Vec<Target>, Cut> {
    let numbers = Numbers { regions: puzzle.regions() };
    let targets = numbers.number(puzzle.regions(), 0);
    let bytes = (targets * size_of::<i32>()) as u64;
    effort.fits(bytes)?;
    let whole = effort.room;
    effort.room -= bytes;
    let mut items = Vec::new();
    let (mut crowd, mut wish) = (CROWD, 0);
    'wishes: while wish < wishes.len() {
        let some = &wishes[wish..wishes.len().min(wish + crowd)];
        let demands = effort.map(some, |reach, wish, effort| (Demand { puzzle, slots, wish }).items(reach, effort));
        for demanded in demands {
            match demanded {
                Ok(demanded) => {
                    effort.room -= demanded.iter().map(|rows| size_of_val(&**rows) as u64).sum::<u64>();
                    items.extend(demanded.into_iter().map(|rows| Item { wish, rows, open: true }));
                }
                // This one needs more than a share.
                Err(Cut::Room(_)) if crowd > 1 => {
                    crowd = 1;
                    break;
                }
                Err(Cut::Room(_)) if wish > 0 => {
                    effort.lack(wish, wishes.len(), "states of the sample");
                    break 'wishes;
                }
                Err(Cut::Room(wanted)) => return Err(Cut::Room(wanted + bytes)),
                Err(Cut::Late) => return Err(Cut::Late),
            }
            wish += 1;
            effort.tell(wish, wishes.len());
        }
    }
    effort.room = whole;
    let mut open = vec![0_i32; wishes.len()];
    let mut worth = vec![0_i32; targets];
    let mut chosen: Vec<Target> = Vec::new();
    for _ in 0..ROUNDS {
        for some in worth.chunks_mut(SOME) {
            effort.spend(SOME / 2)?;
            some.fill(0);
        }
        open.fill(0);
        for item in &mut items {
            item.open = true;
            open[item.wish] += 1;
        }
        for item in &items {
            item.share_out(numbers, WHOLE / open[item.wish], &mut worth, effort)?;
        }
        for [u, v] in chosen.iter().map(|target| target.map(usize::from)) {
            worth[numbers.number(u, v)] = i32::MIN / 2;
            worth[numbers.number(v, u)] = i32::MIN / 2;
        }
        while chosen.len() < most {
            effort.ask()?;
            let Some(best) = worthiest(&worth, effort)? else { break };
            let (u, v) = numbers.regions(best);
            chosen.push(target(u, v));
            worth[best] = i32::MIN / 2;
            let met: Vec<_> = (0..items.len()).filter(|&i| items[i].open && items[i].holds(numbers, best)).collect();
            let mut touched: Vec<_> = met.iter().map(|&i| items[i].wish).collect();
            touched.sort_unstable();
            touched.dedup();
            let mut share = |items: &[Item<W>], open: &[i32], sign: i32| {
                let mut of_touched = items.iter().filter(|item| item.open && touched.binary_search(&item.wish).is_ok());
                of_touched
                    .try_for_each(|item| item.share_out(numbers, sign * WHOLE / open[item.wish], &mut worth, effort))
            };
            share(&items, &open, -1)?;
            for &i in &met {
                items[i].open = false;
                open[items[i].wish] -= 1;
            }
            share(&items, &open, 1)?;
        }
    }
    Ok(chosen)
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
    /// little asked of each cell as suffices. Empty when all pairs together do not reach the goal. The room that is
    /// left falls by what the targets take.
    fn items(&self, reach: &mut PairReach<W>, effort: &mut Effort<'_>) -> Result<Vec<Rows<W>>, Cut> {
        let Wish { state, goal, unfinished } = self.wish;
        let cells = LAYOUT.cells(self.slots.len());
        reach.measure(self.puzzle, state, effort)?;
        let mut full = [0; CELLS];
        for (cell, most) in full.iter_mut().enumerate().take(cells) {
            // The least number of letters that leads to all pairs. A level has a number below 255, so this is a byte.
            let mut letters = reach.depth();
            while letters > 0 && !self.is_late(reach, cell, letters - 1, effort)? {
                letters -= 1;
            }
            *most = letters as u8;
        }
        if Question::of(&full[..cells], *unfinished, *goal).answer().is_none() {
            return Ok(Vec::new());
        }
        let mut said = full;
        // Cells of small values are lowered first: what is left rests on few cells of great values.
        for cell in by_value(&full[..cells]) {
            effort.spend(A_CELL)?;
            lower((*unfinished, *goal), &mut said[..cells], cell);
        }
        let mut items = Vec::new();
        for cell in (0..cells).filter(|&cell| said[cell] > 0) {
            let rows = self.late_pairs(reach, cell, usize::from(said[cell]) - 1, effort)?;
            items.push(rows);
        }
        Ok(items)
    }

    /// The regions of a slot that are not flooded yet.
    fn outside(&self, slot: usize) -> Bits<W> {
        bits::minus(&self.puzzle.of_colour[usize::from(self.slots[slot])], &self.wish.state.set)
    }

    /// Whether there is a pair of a cell to which `k` letters do not lead.
    fn is_late(&self, reach: &PairReach<W>, cell: usize, k: usize, effort: &mut Effort<'_>) -> Result<bool, Cut> {
        let (us, vs) = LAYOUT.pair_of(cell).map(|slot| self.outside(slot)).into();
        effort.spend(2 * W * (4 + bits::count(&us) as usize))?;
        let mut late = false;
        bits::for_each(&us, |u| late |= !bits::is_subset(&vs, reach.row(k, u)));
        Ok(late)
    }

    /// The pairs of a cell to which `k` letters do not lead. The room that is left falls by what they take.
    fn late_pairs(&self, reach: &PairReach<W>, cell: usize, k: usize, effort: &mut Effort<'_>) -> Result<Rows<W>, Cut> {
        let [low, high] = LAYOUT.pair_of(cell);
        let (us, vs) = (self.outside(low), self.outside(high));
        let most = bits::count(&us) as usize;
        effort.spend(2 * W * (4 + most))?;
        effort.fits(reach.bytes() + (most * size_of::<(u16, Bits<W>)>()) as u64)?;
        let mut rows = Vec::with_capacity(most);
        bits::for_each(&us, |u| {
            let late = bits::minus(&vs, reach.row(k, u));
            // Each pair once.
            let late = if low == high { bits::from(&late, u) } else { late };
            if !bits::is_empty(&late) {
                rows.push((u as u16, late));
            }
        });
        rows.shrink_to_fit();
        effort.room -= size_of_val(&*rows) as u64;
        Ok(rows)
    }
}
