//! Clicks that are proven by what can go by one click.
//!
//! A *piece* is cells of one colour of which no click ever takes any together with others: all cells of the colour; where columns stay,
//! those in columns side by side. In any way that clears a board some pieces, a set S, are clicked once each, all others more
//! often. A piece of S goes as a whole, so it hangs together when its turn comes. Then those of S that went before are gone with all their
//! cells, those that come later have all of theirs, and of the pieces outside of S anything may be left. So S has an order in
//! which each of its pieces *may* hang together at its turn. The largest set that has one tells how many clicks there are at least.
//!
//! **May hang together.** Cells of the piece between which nothing lies that comes later are a *run* of their column. A run lies no
//! lower than what stays below it is high, and no higher than it does while nothing else goes. Runs of columns that can come to lie side by side
//! may touch when those ranges overlap. Real heights lie within the ranges, so this is necessary.
//!
//! **Orders take more than greed**: what goes lets others fall, to where they may not touch any more.
//!
//! **Consistent.** A way from a child is a way from its parent with one click before it. If the clicked piece is gone, it goes first
//! in the parent's order. If it is not, then it is clicked more than once there, which counts two; what it lost is among what may be left of it, and the
//! pieces that it fell into count one each at least.

use super::Game;
use super::column::Column;
use super::grid::{Cells, Grid, count};
use crate::domain::wide::for_each_level;
use crate::domain::{Bound, Cost};
use arrayvec::ArrayVec;

/// Pieces that orders are looked for at most; of those beyond anything may be left. Sets of them are bits of a table.
const MOST_PIECES: usize = 20;

/// Colours that orders are looked for at most: more make too many sets.
const MOST_COLOURS: usize = 8;

/// Pieces, by their places.
type Pieces = u32;

/// What goes by one click or by several.
struct Piece<T, const C: usize> {
    cells: Cells<T, C>,
    /// Its columns.
    first: usize,
    last: usize,
    /// Whether it has cells for two clicks.
    may_split: bool,
    /// The others in its columns.
    near: Pieces,
}

/// Working memory of [`fewest_clicks`].
#[derive(Default)]
pub struct OrderScratch {
    /// Sets that lack equally many pieces, and those that lack one more.
    sets: Vec<Pieces>,
    next: Vec<Pieces>,
    seen: Seen,
    /// What may be left of a set, of which nobody has looked yet what comes next.
    open: Vec<Pieces>,
}

/// A set of sets of pieces.
#[derive(Default)]
struct Seen {
    words: Vec<u64>,
    touched: Vec<u32>,
}

impl Seen {
    /// Forgets all, and has room for sets of so many pieces.
    #[inline(always)]
    fn clear(&mut self, pieces: usize) {
        for word in self.touched.drain(..) {
            self.words[word as usize] = 0;
        }
        let words = (1_usize << pieces).div_ceil(64);
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    #[inline(always)]
    fn contains(&self, set: Pieces) -> bool {
        self.words[set as usize / 64] >> (set % 64) & 1 == 1
    }

    #[inline(always)]
    fn insert(&mut self, set: Pieces) {
        let word = &mut self.words[set as usize / 64];
        if *word == 0 {
            self.touched.push(set / 64);
        }
        *word |= 1 << (set % 64);
    }
}

for_each_level! {
    /// The least number of clicks that the pieces left allow, or no less than `enough`.
    pub(super) fn fewest_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, enough: Cost, scratch: &mut OrderScratch,
    ) -> Bound = fewest
}

#[inline(always)]
fn fewest<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    enough: Cost,
    scratch: &mut OrderScratch,
) -> Bound {
    let pieces_of_colour = if game.closes() { 1 } else { game.cols.div_ceil(2) };
    let colours = MOST_COLOURS.min(MOST_PIECES / pieces_of_colour);
    let mut pieces: ArrayVec<Piece<T, C>, MOST_PIECES> = ArrayVec::new();
    let mut clicks = 0;
    for colour in 1..=game.colours {
        let mut rest = state.of(colour);
        while let Some(piece) = take_piece(&mut rest, game.cols, game.closes()) {
            let count = count(&piece.cells);
            if count < game.rules.min_group {
                return Bound::DEAD_END;
            }
            clicks += 1;
            if usize::from(colour) <= colours {
                pieces.push(Piece { may_split: count >= 2 * game.rules.min_group, ..piece });
            }
        }
    }
    for its in 0..pieces.len() {
        for other in 0..pieces.len() {
            let (piece, them) = (&pieces[its], &pieces[other]);
            let is_near = its != other && piece.first <= them.last && them.first <= piece.last;
            pieces[its].near |= Pieces::from(is_near) << other;
        }
    }
    let mut orders = Orders {
        pieces: &pieces,
        all: state.cells(),
        before: [0; MOST_PIECES],
        behind: [0; MOST_PIECES],
        parts: [Parts::default(), Parts::default()],
    };
    orders.fewest(clicks, enough, scratch)
}

/// Takes the leftmost piece out of the cells of a colour.
#[inline(always)]
fn take_piece<T: Column, const C: usize>(rest: &mut Cells<T, C>, cols: usize, closes: bool) -> Option<Piece<T, C>> {
    let first = rest[..cols].iter().position(|column| !column.is_empty())?;
    let mut cells = [T::default(); C];
    let mut last = first;
    for col in first..cols {
        if rest[col].is_empty() {
            if closes {
                continue;
            }
            break;
        }
        cells[col] = std::mem::take(&mut rest[col]);
        last = col;
    }
    Some(Piece { cells, first, last, may_split: false, near: 0 })
}

struct Orders<'a, T, const C: usize> {
    pieces: &'a [Piece<T, C>],
    /// All cells.
    all: Cells<T, C>,
    /// Before which others each may go while those alone stay, and before which it may not, as far as that was looked at.
    before: [Pieces; MOST_PIECES],
    behind: [Pieces; MOST_PIECES],
    parts: [Parts; 2],
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Clicks at least, where there is one for each piece and one more for each that does not go at once. Dead ends are told whatever is enough.
    #[inline(always)]
    fn fewest(&mut self, mut clicks: Cost, enough: Cost, scratch: &mut OrderScratch) -> Bound {
        let OrderScratch { sets, next, seen, open } = scratch;
        let (mut all, mut forced) = (0, 0);
        for (place, piece) in self.pieces.iter().enumerate() {
            all |= 1 << place;
            forced |= Pieces::from(!piece.may_split) << place;
        }
        sets.clear();
        sets.push(all);
        while clicks < enough && !sets.is_empty() {
            next.clear();
            for &set in &*sets {
                // Of a set without an order a part that has one lacks one of these.
                let mut lacks = match self.conflict(set) {
                    Some(pair) => pair,
                    None if self.has_order(set, seen, open) => return Bound(clicks),
                    None => set,
                } & !forced;
                while lacks != 0 {
                    next.push(set & !(lacks & lacks.wrapping_neg()));
                    lacks &= lacks - 1;
                }
            }
            next.sort_unstable();
            next.dedup();
            std::mem::swap(sets, next);
            clicks += 1;
        }
        let is_dead = sets.is_empty() || self.conflict(forced).is_some() || !self.has_order(forced, seen, open);
        if is_dead { Bound::DEAD_END } else { Bound(clicks) }
    }

    /// Two pieces of a set of which neither may go before the other. A part of a set that has an order has one too, for of what may be left of it there is
    /// only more; so such a set has none.
    #[inline(always)]
    fn conflict(&mut self, set: Pieces) -> Option<Pieces> {
        let mut rest = set;
        while rest != 0 {
            let its = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let mut others = rest & self.pieces[its].near;
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                others &= others - 1;
                if !self.goes_before(its, 1 << other) && !self.goes_before(other, 1 << its) {
                    return Some(1 << its | 1 << other);
                }
            }
        }
        None
    }

    /// Whether the pieces of `set` may go one after another.
    #[inline(always)]
    fn has_order(&mut self, set: Pieces, seen: &mut Seen, open: &mut Vec<Pieces>) -> bool {
        seen.clear(self.pieces.len());
        open.clear();
        open.push(set);
        while let Some(rest) = open.pop() {
            if rest == 0 {
                return true;
            }
            let mut its_turn = rest;
            while its_turn != 0 {
                let its = its_turn.trailing_zeros() as usize;
                its_turn &= its_turn - 1;
                let others = rest & !(1 << its);
                if !seen.contains(others) && self.is_next(its, set, others) {
                    seen.insert(others);
                    open.push(others);
                }
            }
        }
        false
    }

    /// Whether a piece may go before `others`, when those of `set` that are neither are gone.
    #[inline(always)]
    fn is_next(&mut self, its: usize, set: Pieces, others: Pieces) -> bool {
        let near = self.pieces[its].near;
        if !self.goes_before(its, others & near) {
            return false;
        }
        let (gone, others) = (set & !others & near, others & near);
        if gone == 0 && others & others.wrapping_sub(1) == 0 {
            // Each of them is all of them.
            return true;
        }
        let (mut fixed, mut left) = (self.pieces[its].cells, self.all);
        for (place, piece) in self.pieces.iter().enumerate() {
            if others >> place & 1 == 1 {
                add(&mut fixed, &piece.cells);
            } else if gone >> place & 1 == 1 {
                for (left, gone) in left.iter_mut().zip(&piece.cells) {
                    *left &= !*gone;
                }
            }
        }
        self.hangs_together(its, &fixed, &left)
    }

    /// Whether a piece may go while any one of the others stays.
    #[inline(always)]
    fn goes_before(&mut self, its: usize, others: Pieces) -> bool {
        if others & self.behind[its] != 0 {
            return false;
        }
        let mut unknown = others & !self.before[its];
        while unknown != 0 {
            let other = unknown.trailing_zeros() as usize;
            unknown &= unknown - 1;
            let mut fixed = self.pieces[its].cells;
            add(&mut fixed, &self.pieces[other].cells);
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

    /// Whether a piece may hang together while the cells of `fixed`, its own included, stay, and others of those `left` may go.
    #[inline(always)]
    fn hangs_together(&mut self, its: usize, fixed: &Cells<T, C>, left: &Cells<T, C>) -> bool {
        let Piece { cells: own, first, last, .. } = &self.pieces[its];
        // The parts that hang together up to some column.
        let [parts, next] = &mut self.parts;
        let (mut parts, mut next) = (parts, next);
        parts.runs(own[*first].to_bits(), fixed[*first].to_bits(), left[*first].to_bits());
        for col in first + 1..=*last {
            if own[col].is_empty() {
                // A column without cells of a piece is one that may close up.
                if !fixed[col].is_empty() {
                    return false;
                }
                continue;
            }
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
