//! Clicks that are proven by what can go by one click.
//!
//! In any way that clears a board some pieces (see `pieces.rs`), a set S, are clicked once each, all others more often. A piece of S goes as a
//! whole, so it hangs together when its turn comes. Then those of S that went before are gone with all their
//! cells, those that come later have all of theirs, and of the pieces outside of S anything may be left. So S has an order in
//! which each of its pieces *may* hang together at its turn. The largest set that has one tells how many clicks there are at least.
//!
//! **Orders take more than greed**: what goes lets others fall, to where they may not touch any more.
//!
//! **Consistent.** A way from a child is a way from its parent with one click before it. If the clicked piece is gone, it goes first
//! in the parent's order. If it is not, then it is clicked more than once there, which counts two; what it lost is among what may be left of it, and the
//! pieces that it fell into count one each at least.
//!
//! **Left out.** Where columns close up, the runs of columns that a colour takes may come together, so only the colours count. A game of strings, a
//! letter for each run, says more of small boards; whether its optimum is never above the truth is proven nowhere, so it is no bound
//! here. Where columns stay, pieces are those runs.

use super::Game;
use super::column::Column;
use super::grid::{Cells, Grid, add, count, take};
use super::pieces::{Parts, Piece, Pieces};
use crate::domain::wide::for_each_level;
use crate::domain::{Bound, Cost};
use arrayvec::ArrayVec;

/// Pieces that orders are looked for at most; of those beyond anything may be left. Sets of them are bits of a table.
pub(super) const MOST_PIECES: usize = 20;

/// Colours that orders are looked for at most: more make too many sets.
const MOST_COLOURS: usize = 8;

/// What is asked beyond what goes at once. Each asks what those before it ask, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Further {
    /// Nothing.
    Nothing,
    /// Whether there is a first click; see `ahead.rs`.
    FirstClick,
    /// Whether the others go by two clicks each; see `twice.rs`.
    Twice,
}

/// Working memory of [`fewest_clicks`].
#[derive(Default)]
pub struct OrderScratch {
    /// Sets that lack equally many pieces, and those that lack one more.
    pub(super) sets: Vec<Pieces>,
    next: Vec<Pieces>,
    pub(super) seen: Seen,
    /// What may be left of a set, of which nobody has looked yet what comes next.
    pub(super) open: Vec<Pieces>,
}

/// A set of sets of pieces.
#[derive(Default)]
pub(super) struct Seen {
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

/// The pieces that orders are looked for.
pub(super) type OrderedPieces<T, const C: usize> = ArrayVec<Piece<T, C>, MOST_PIECES>;

/// Colours whose pieces are looked for orders.
#[inline(always)]
fn ordered_colours<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>) -> usize {
    let pieces_of_colour = if game.closes() { 1 } else { game.cols.div_ceil(2) };
    MOST_COLOURS.min(MOST_PIECES / pieces_of_colour)
}

/// Whether orders are looked for the pieces of all colours.
#[inline(always)]
pub(super) fn orders_all<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>) -> bool {
    usize::from(game.colours) <= ordered_colours(game)
}

/// Finds the pieces that orders are looked for, and tells how many there are of all colours; nothing when one of them can never go.
#[inline(always)]
pub(super) fn pieces_of<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    pieces: &mut OrderedPieces<T, C>,
) -> Option<Cost> {
    let colours = ordered_colours(game);
    let mut all = 0;
    for colour in 1..=game.colours {
        let mut rest = state.of(colour);
        while let Some(piece) = Piece::take(&mut rest, game.cols, game.closes()) {
            let count = count(&piece.cells);
            if count < game.rules.min_group {
                return None;
            }
            all += 1;
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
    Some(all)
}

for_each_level! {
    /// The least number of clicks that the pieces left allow; or no less than `enough`.
    pub(super) fn fewest_clicks<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, further: Further, enough: Cost, scratch: &mut OrderScratch,
    ) -> Bound = fewest
}

#[inline(always)]
fn fewest<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    further: Further,
    enough: Cost,
    scratch: &mut OrderScratch,
) -> Bound {
    let mut pieces = OrderedPieces::new();
    let Some(mut clicks) = pieces_of(game, state, &mut pieces) else { return Bound::DEAD_END };
    // Of other pieces nobody knows when they go.
    let further = if orders_all(game) { further } else { Further::Nothing };
    let mut orders = Orders::new(&mut pieces, state.cells());
    let mut left = orders.all_pieces();
    while left != 0 {
        let these = orders.together(left);
        left &= !these;
        let wanted = enough.saturating_sub(clicks);
        let Some(mut more) = orders.more_clicks(these, wanted, scratch) else { return Bound::DEAD_END };
        let (goes_ahead, plans) = (further >= Further::FirstClick && more == 1, further >= Further::Twice);
        if more > 0 && more < wanted && (goes_ahead || plans) {
            orders.keep_orders(scratch);
            let may_be = (!goes_ahead || orders.has_first_click(these, game, state, scratch))
                && (!plans || orders.goes_by_two(these, game.rules.min_group, &scratch.sets));
            more += Cost::from(!may_be);
        }
        clicks += more;
    }
    Bound(clicks)
}

/// When pieces go.
pub(super) struct Orders<'a, T, const C: usize> {
    pub(super) pieces: &'a mut [Piece<T, C>],
    /// All cells.
    pub(super) all: Cells<T, C>,
    /// Before which others each may go while those alone stay, and before which it may not, as far as that was looked at.
    pub(super) before: [Pieces; MOST_PIECES],
    pub(super) behind: [Pieces; MOST_PIECES],
    pub(super) parts: [Parts; 2],
}

impl<'a, T: Column, const C: usize> Orders<'a, T, C> {
    #[inline(always)]
    pub(super) fn new(pieces: &'a mut OrderedPieces<T, C>, all: Cells<T, C>) -> Self {
        let none = [0; MOST_PIECES];
        Self { pieces, all, before: none, behind: none, parts: [Parts::default(), Parts::default()] }
    }

    #[inline(always)]
    pub(super) fn all_pieces(&self) -> Pieces {
        (1 << self.pieces.len()) - 1
    }

    /// The first of these pieces, those in its columns, those in theirs, and so on. None of them has to do with any other.
    #[inline(always)]
    pub(super) fn together(&self, pieces: Pieces) -> Pieces {
        let mut found = pieces & pieces.wrapping_neg();
        let mut rest = found;
        while rest != 0 {
            let near = self.pieces[rest.trailing_zeros() as usize].near & !found;
            rest = rest & (rest - 1) | near;
            found |= near;
        }
        found
    }

    /// How many of `these` pieces at least do not go at once, or as many as are wanted; nothing where they cannot all go, whatever is wanted.
    ///
    /// Where it is less than what is wanted, it leaves sets of those that may go at once: the first has an order, and whatever other set of so many
    /// has one is among those behind it.
    #[inline(always)]
    pub(super) fn more_clicks(&mut self, these: Pieces, wanted: Cost, scratch: &mut OrderScratch) -> Option<Cost> {
        let OrderScratch { sets, next, seen, open, .. } = scratch;
        let mut forced = 0;
        for (place, piece) in self.pieces.iter().enumerate() {
            forced |= Pieces::from(!piece.may_split) << place & these;
        }
        sets.clear();
        sets.push(these);
        let mut more = 0;
        while more < wanted && !sets.is_empty() {
            next.clear();
            for at in 0..sets.len() {
                let set = sets[at];
                // Of a set without an order a part that has one lacks one of these.
                let mut lacks = match self.conflict(set) {
                    Some(pair) => pair,
                    None if self.has_order(set, seen, open) => {
                        sets.drain(..at);
                        return Some(more);
                    }
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
            more += 1;
        }
        let is_dead = sets.is_empty() || self.conflict(forced).is_some() || !self.has_order(forced, seen, open);
        (!is_dead).then_some(more)
    }

    /// Keeps the sets that have an order. The first has one.
    #[inline(always)]
    pub(super) fn keep_orders(&mut self, scratch: &mut OrderScratch) {
        let OrderScratch { sets, seen, open, .. } = scratch;
        let mut kept = 1;
        for at in 1..sets.len() {
            let set = sets[at];
            if self.conflict(set).is_none() && self.has_order(set, seen, open) {
                sets[kept] = set;
                kept += 1;
            }
        }
        sets.truncate(kept);
    }

    /// Two pieces of a set of which neither may go before the other. A part of a set that has an order has one too, for of what may be left of it there is
    /// only more; so such a set has none.
    #[inline(always)]
    fn conflict(&mut self, set: Pieces) -> Option<Pieces> {
        let mut rest = set;
        while rest != 0 {
            let its = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let Some(other) = self.conflict_with(its, rest) {
                return Some(1 << its | 1 << other);
            }
        }
        None
    }

    /// One of `others` such that neither it nor this piece may go before the other.
    #[inline(always)]
    pub(super) fn conflict_with(&mut self, its: usize, others: Pieces) -> Option<usize> {
        let mut others = others & self.pieces[its].near;
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            if !self.goes_before(its, 1 << other) && !self.goes_before(other, 1 << its) {
                return Some(other);
            }
        }
        None
    }

    /// Whether the pieces of `set` may go one after another.
    #[inline(always)]
    pub(super) fn has_order(&mut self, set: Pieces, seen: &mut Seen, open: &mut Vec<Pieces>) -> bool {
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
        let (mut fixed, mut left) = ([T::default(); C], self.all);
        for (place, piece) in self.pieces.iter().enumerate() {
            if others >> place & 1 == 1 {
                add(&mut fixed, &piece.cells);
            } else if gone >> place & 1 == 1 {
                take(&mut left, &piece.cells);
            }
        }
        self.pieces[its].break_at(&fixed, &left, &mut self.parts, false).is_none()
    }

    /// Whether a piece may go while any one of the others stays.
    #[inline(always)]
    pub(super) fn goes_before(&mut self, its: usize, others: Pieces) -> bool {
        if others & self.behind[its] != 0 {
            return false;
        }
        let mut unknown = others & !self.before[its];
        while unknown != 0 {
            let other = unknown.trailing_zeros() as usize;
            unknown &= unknown - 1;
            let fixed = &self.pieces[other].cells;
            let goes = self.pieces[its].break_at(fixed, &self.all, &mut self.parts, false).is_none();
            let known = if goes { &mut self.before } else { &mut self.behind };
            known[its] |= 1 << other;
            if !goes {
                return false;
            }
        }
        true
    }
}
