//! Clicks that are proven by the colours that can go by one click.
//!
//! In any way that clears a board some colours, a set S, are clicked once each, all others more often. A colour of S goes as a whole, so it
//! hangs together when its turn comes. Then those of S that went before are gone with all their cells, those that come later have
//! all of theirs, and of the colours outside of S anything may be left. So S has an order in which each of its colours *may* hang
//! together at its turn. The cheapest set that has one tells how many clicks there are at least.
//!
//! **May hang together.** Cells of the colour between which nothing lies that comes later are a *run* of their column. A run lies no
//! lower than what stays below it is high, and no higher than it does while nothing else goes. Runs of columns that can come to lie side by side
//! may touch when those ranges overlap. Real heights lie within the ranges, so this is necessary.
//!
//! **Orders take more than greed**: what goes lets others fall, to where they may not touch any more.
//!
//! **Consistent.** A way from a child is a way from its parent with one click before it. If the clicked colour is gone, it goes first
//! in the parent's order; if it is not, then it is clicked more than once there, and what it lost is among what may be left of it.

use super::Game;
use super::column::Column;
use super::grid::{Cells, Grid, count};
use crate::domain::wide::for_each_level;
use crate::domain::{Bound, Cost};
use arrayvec::ArrayVec;

/// Colours at most: more make too many sets.
const MOST_COLOURS: usize = 8;

/// More clicks than there are cells.
const NEVER: Cost = 1 << 16;

const SETS: usize = 1 << MOST_COLOURS;

/// Colours by their place among those that are left.
type Colours = u16;

/// A colour that is left.
struct Colour<T, const C: usize> {
    cells: Cells<T, C>,
    /// Clicks if it goes by one click, as far as that depends on itself.
    once: Cost,
    /// The least number of clicks if it takes more than one, as far as that depends on itself.
    often: Cost,
}

for_each_level! {
    /// The least number of clicks that the colours left allow, or `enough` when it is no less. Nothing for boards of too many colours.
    pub(super) fn least_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, enough: Cost,
    ) -> Option<Bound> = least
}

#[inline(always)]
fn least<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    enough: Cost,
) -> Option<Bound> {
    let mut colours: ArrayVec<Colour<T, C>, MOST_COLOURS> = ArrayVec::new();
    for colour in 1..=game.colours {
        let cells = state.of(colour);
        let count = count(&cells);
        if count > 0 {
            let pieces = if game.closes() { 1 } else { pieces(&cells) };
            let most = count / game.rules.min_group;
            let (one, more) = (1, pieces.max(2));
            let once = if pieces == one && one <= most { one } else { NEVER };
            let often = if more <= most { more } else { NEVER };
            colours.try_push(Colour { cells, once, often }).ok()?;
        }
    }
    let mut orders = Orders {
        colours: &colours,
        all: state.cells(),
        cols: game.cols,
        closes: game.closes(),
        before: [0; MOST_COLOURS],
        behind: [0; MOST_COLOURS],
        parts: [Parts::default(), Parts::default()],
    };
    Some(orders.least(enough))
}

/// Runs of columns with some of these cells: no click takes cells of two of them when columns stay.
#[inline(always)]
fn pieces<T: Column, const C: usize>(cells: &Cells<T, C>) -> Cost {
    let (mut pieces, mut inside) = (0, false);
    for column in cells {
        pieces += Cost::from(!column.is_empty() && !inside);
        inside = !column.is_empty();
    }
    pieces
}

struct Orders<'a, T, const C: usize> {
    colours: &'a [Colour<T, C>],
    /// All cells.
    all: Cells<T, C>,
    cols: usize,
    closes: bool,
    /// Before which others each may go while those alone stay, and before which it may not, as far as that was looked at.
    before: [Colours; MOST_COLOURS],
    behind: [Colours; MOST_COLOURS],
    parts: [Parts; 2],
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// The cheapest set that has an order, as far as it costs less than `enough`. Dead ends are told whatever is enough.
    #[inline(always)]
    fn least(&mut self, enough: Cost) -> Bound {
        let costs = self.costs();
        let mut sets: ArrayVec<(Cost, Colours), SETS> = ArrayVec::new();
        for set in 0 as Colours..1 << self.colours.len() {
            let cost = costs[usize::from(set)];
            if cost < enough.min(NEVER) {
                sets.push((cost, set));
            }
        }
        sets.sort_unstable();
        for &(cost, set) in &sets {
            if self.pairs_have_orders(set) && self.has_order(set) {
                return Bound(cost);
            }
        }
        // Whatever else goes by one click, these do.
        let mut forced = 0;
        for (place, colour) in self.colours.iter().enumerate() {
            if colour.once == NEVER && colour.often == NEVER {
                return Bound::DEAD_END;
            }
            forced |= Colours::from(colour.often == NEVER) << place;
        }
        if self.pairs_have_orders(forced) && self.has_order(forced) { Bound(enough) } else { Bound::DEAD_END }
    }

    /// Whether of any two colours of a set one may go before the other: a part of a set that has an order has one too, for of what may be left of it
    /// there is only more.
    #[inline(always)]
    fn pairs_have_orders(&mut self, set: Colours) -> bool {
        let mut rest = set;
        while rest != 0 {
            let its = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mut others = rest;
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                others &= others - 1;
                if !self.goes_before(its, 1 << other) && !self.goes_before(other, 1 << its) {
                    return false;
                }
            }
        }
        true
    }

    /// Clicks when the colours of a set go by one each and all others by more, for each set.
    #[inline(always)]
    fn costs(&self) -> [Cost; SETS] {
        let mut costs = [0; SETS];
        for (place, colour) in self.colours.iter().enumerate() {
            let sets = 1 << place;
            for set in 0..sets {
                costs[set + sets] = costs[set] + colour.once;
                costs[set] += colour.often;
            }
        }
        costs
    }

    /// Whether the colours of `set` may go one after another.
    #[inline(always)]
    fn has_order(&mut self, set: Colours) -> bool {
        // What may be left of it, of which nobody has looked yet what comes next.
        let (mut open, mut count) = ([0; SETS], 0);
        let mut seen = [0_u64; SETS / 64];
        let mut rest = set;
        loop {
            let mut its_turn = rest;
            while its_turn != 0 {
                let its = its_turn.trailing_zeros() as usize;
                its_turn &= its_turn - 1;
                let others = rest & !(1 << its);
                let (word, bit) = (usize::from(others) / 64, 1 << (others % 64));
                if seen[word] & bit == 0 && self.is_next(its, set, others) {
                    if others == 0 {
                        return true;
                    }
                    seen[word] |= bit;
                    open[count] = others;
                    count += 1;
                }
            }
            if count == 0 {
                return set == 0;
            }
            count -= 1;
            rest = open[count];
        }
    }

    /// Whether a colour may go before `others`, when those of `set` that are neither are gone.
    #[inline(always)]
    fn is_next(&mut self, its: usize, set: Colours, others: Colours) -> bool {
        if !self.goes_before(its, others) {
            return false;
        }
        let gone = set & !others & !(1 << its);
        if gone == 0 && others & others.wrapping_sub(1) == 0 {
            // Each of them is all of them.
            return true;
        }
        let (mut fixed, mut left) = (self.colours[its].cells, self.all);
        for (place, colour) in self.colours.iter().enumerate() {
            if others >> place & 1 == 1 {
                add(&mut fixed, &colour.cells);
            } else if gone >> place & 1 == 1 {
                for (left, gone) in left.iter_mut().zip(&colour.cells) {
                    *left &= !*gone;
                }
            }
        }
        self.hangs_together(its, &fixed, &left)
    }

    /// Whether a colour may go while any one of the others stays.
    #[inline(always)]
    fn goes_before(&mut self, its: usize, others: Colours) -> bool {
        if others & self.behind[its] != 0 {
            return false;
        }
        let mut unknown = others & !self.before[its];
        while unknown != 0 {
            let other = unknown.trailing_zeros() as usize;
            unknown &= unknown - 1;
            let mut fixed = self.colours[its].cells;
            add(&mut fixed, &self.colours[other].cells);
            let left = self.all;
            let goes = self.hangs_together(its, &fixed, &left);
            let known = if goes { &mut self.before } else { &mut self.behind };
            known[its] |= 1 << other;
            if !goes {
                return false;
            }
        }
        true
    }

    /// Whether a colour may hang together while the cells of `fixed`, its own included, stay, and others of those `left` may go.
    #[inline(always)]
    fn hangs_together(&mut self, its: usize, fixed: &Cells<T, C>, left: &Cells<T, C>) -> bool {
        let own = &self.colours[its].cells;
        // The parts that hang together up to some column.
        let [parts, next] = &mut self.parts;
        let (mut parts, mut next) = (parts, next);
        parts.count = 0;
        let mut is_barred = false;
        for col in 0..self.cols {
            if own[col].is_empty() {
                is_barred |= !self.closes || !fixed[col].is_empty();
                continue;
            }
            if is_barred && parts.count > 0 {
                return false;
            }
            is_barred = false;
            next.runs(own[col].to_bits(), fixed[col].to_bits(), left[col].to_bits());
            for &heights in &parts.heights[..parts.count] {
                if !next.join(heights) {
                    return false;
                }
            }
            std::mem::swap(&mut parts, &mut next);
        }
        parts.count == 1
    }
}

#[inline(always)]
fn add<T: Column, const C: usize>(cells: &mut Cells<T, C>, more: &Cells<T, C>) {
    for (cells, more) in cells.iter_mut().zip(more) {
        *cells |= *more;
    }
}

/// Parts of a colour, each by the heights at which it may be touched in one column, as bits.
struct Parts {
    /// Runs of a column of 64 cells, of which every other one is a run.
    heights: [u64; 32],
    count: usize,
}

impl Default for Parts {
    #[inline(always)]
    fn default() -> Self {
        Self { heights: [0; 32], count: 0 }
    }
}

impl Parts {
    /// The runs of a column: cells of its `own` with nothing `fixed` between them.
    #[inline(always)]
    fn runs(&mut self, own: u64, fixed: u64, left: u64) {
        let later = fixed & !own;
        self.count = 0;
        let mut rest = own;
        while rest != 0 {
            let below = (rest & rest.wrapping_neg()) - 1;
            let bars = later & !below;
            let run = if bars == 0 { rest } else { rest & ((bars & bars.wrapping_neg()) - 1) };
            rest &= !run;
            let top = 63 - run.leading_zeros();
            let lowest = (fixed & below).count_ones();
            let highest = (left & ((1 << top) - 1)).count_ones();
            self.heights[self.count] = u64::MAX << lowest & u64::MAX >> (63 - highest);
            self.count += 1;
        }
    }

    /// Makes one part of all that touch these heights. Whether there are any.
    #[inline(always)]
    fn join(&mut self, heights: u64) -> bool {
        let (mut joined, mut kept) = (0, 0);
        for at in 0..self.count {
            let part = self.heights[at];
            if part & heights == 0 {
                self.heights[kept] = part;
                kept += 1;
            } else {
                joined |= part;
            }
        }
        self.heights[kept] = joined;
        self.count = kept + usize::from(joined != 0);
        joined != 0
    }
}
