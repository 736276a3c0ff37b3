//! A lower bound on the number of clicks: which pieces can go by one click each.
//!
//! Take any solution, and let S be the set of pieces (see `pieces.rs`) that it clicks exactly once. Every other piece
//! is clicked at least twice. A piece of S goes as a whole, so its cells are connected when its turn comes. At that
//! turn
//!
//! * the pieces of S that went before are gone with all their cells;
//! * the pieces of S that come later have all their cells;
//! * nothing is known of the pieces outside S.
//!
//! So S has an *order* in which each piece *may* be connected at its turn. If there are n pieces, and no set of more
//! than m pieces has an order, a solution has at least m + 2 (n - m) clicks.
//!
//! **A greedy choice of the order is wrong.** A piece that goes lets others fall, perhaps to places where they no
//! longer touch.
//!
//! **Consistent.** A solution of a child is a solution of its parent with one click before it. If that click takes a
//! whole piece, this piece goes first in the order of the parent. If it takes only a part of a piece, the parent counts
//! 2 for this piece: the click counts 1, and the child at least 1 for each piece into which the rest falls. The order
//! of the other pieces stays valid, because nothing is assumed about the cells of a piece outside S.
//!
//! **A stronger bound that is not used.** When columns close up, a piece is the whole colour, because separate blocks
//! of columns with this colour may meet. A game on strings, with a letter for each block, gives greater values on small
//! boards, but no proof is known that its optimum is admissible. Where columns stay, each block is a piece anyway.

use super::pieces::{Parts, Piece, Pieces, break_from_left};
use crate::Game;
use crate::state::{Cells, Column, Grid, add, count, subtract};
use arrayvec::ArrayVec;
use gridhunt_search::domain::Cost;
use gridhunt_search::multiversion;

/// The most pieces that take part in orders. Nothing is known of the other pieces. [`SetOfSets`] has a bit for each set
/// of these pieces.
pub(super) const MAX_PIECES: usize = 20;

/// The most colours that take part in orders: with more of them there are too many sets.
const MAX_ORDERED_COLOURS: usize = 8;

/// Working memory of the bounds on the number of clicks.
#[derive(Default)]
pub struct OrderScratch {
    /// Subsets of the component, each without the same number of its pieces.
    pub(super) sets: Vec<Pieces>,
    /// Subsets without one piece more.
    next: Vec<Pieces>,
    /// In the search for an order: the subsets that have been reached, and those that are not expanded yet.
    pub(super) seen: SetOfSets,
    pub(super) open: Vec<Pieces>,
}

/// A set of sets of pieces.
#[derive(Default)]
pub(super) struct SetOfSets {
    words: Vec<u64>,
    touched: Vec<u32>,
}

impl SetOfSets {
    /// Empties the set, and makes room for sets of `pieces` pieces.
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

/// The pieces that take part in orders.
pub(super) type OrderedPieces<T, const C: usize> = ArrayVec<Piece<T, C>, MAX_PIECES>;

/// The number of colours whose pieces take part in orders.
#[inline(always)]
fn ordered_colours<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>) -> usize {
    let pieces_of_colour = if game.closes() { 1 } else { game.cols.div_ceil(2) };
    MAX_ORDERED_COLOURS.min(MAX_PIECES / pieces_of_colour)
}

/// Whether the pieces of all colours take part in orders.
#[inline(always)]
pub(super) fn orders_all<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>) -> bool {
    usize::from(game.colours) <= ordered_colours(game)
}

multiversion! {
    /// Finds the pieces that take part in orders, and returns the number of pieces of all colours. `None` when a piece
    /// can never go.
    pub(super) fn collect_pieces<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, pieces: &mut OrderedPieces<T, C>,
    ) -> Option<Cost> = find_pieces
}

#[inline(always)]
fn find_pieces<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    pieces: &mut OrderedPieces<T, C>,
) -> Option<Cost> {
    let colours = ordered_colours(game);
    let mut piece_count = 0;
    for colour in 1..=game.colours {
        let mut cells = state.cells_of(colour);
        while let Some(piece) = Piece::take(&mut cells, game.cols, game.closes()) {
            let count = count(&piece.cells);
            if count < game.rules.min_group {
                return None;
            }
            piece_count += 1;
            if usize::from(colour) <= colours {
                pieces.push(Piece { may_split: count >= 2 * game.rules.min_group, ..piece });
            }
        }
    }
    let pieces = pieces.as_mut_slice();
    for index in 0..pieces.len() {
        for other in 0..pieces.len() {
            let (piece, other_piece) = (&pieces[index], &pieces[other]);
            let overlaps = index != other && piece.first <= other_piece.last && other_piece.first <= piece.last;
            pieces[index].overlapping |= Pieces::from(overlaps) << other;
        }
    }
    Some(piece_count)
}

/// The pieces of one state, and which of them may go before which others.
pub(super) struct Orders<'a, T, const C: usize> {
    pub(super) pieces: &'a mut [Piece<T, C>],
    /// All cells.
    pub(super) cells: Cells<T, C>,
    /// Bit j of `can_precede[i]`: piece i may be connected while only piece j is known to stay. Bit j of
    /// `cannot_precede[i]`: it may not. A pair with neither bit has not been examined.
    pub(super) can_precede: [Pieces; MAX_PIECES],
    pub(super) cannot_precede: [Pieces; MAX_PIECES],
    pub(super) parts: [Parts; 2],
}

impl<'a, T: Column, const C: usize> Orders<'a, T, C> {
    #[inline(always)]
    pub(super) fn new(pieces: &'a mut OrderedPieces<T, C>, cells: Cells<T, C>) -> Self {
        let none = [0; MAX_PIECES];
        Self { pieces, cells, can_precede: none, cannot_precede: none, parts: [Parts::default(), Parts::default()] }
    }

    #[inline(always)]
    pub(super) fn all_pieces(&self) -> Pieces {
        (1 << self.pieces.len()) - 1
    }

    /// The first of these pieces with all pieces that are linked to it through common columns. No other piece interacts
    /// with them.
    #[inline(always)]
    pub(super) fn component_of(&self, pieces: Pieces) -> Pieces {
        let mut component = pieces & pieces.wrapping_neg();
        let mut unvisited = component;
        while unvisited != 0 {
            let new = self.pieces[unvisited.trailing_zeros() as usize].overlapping & !component;
            unvisited = unvisited & (unvisited - 1) | new;
            component |= new;
        }
        component
    }

    /// Returns how many pieces of `component`, at least, need more than one click. The result is at most `cap`. `None`,
    /// for any `cap`, when the pieces cannot all go.
    ///
    /// When the result is less than `cap`, [`OrderScratch::sets`] holds sets of pieces that may go by one click each.
    /// The first of them has an order. The later sets include every other set of this size that has an order.
    #[inline(always)]
    pub(super) fn extra_clicks(&mut self, component: Pieces, cap: Cost, scratch: &mut OrderScratch) -> Option<Cost> {
        let OrderScratch { sets, next, seen, open, .. } = scratch;
        let mut unsplit = 0;
        for (place, piece) in self.pieces.iter().enumerate() {
            unsplit |= Pieces::from(!piece.may_split) << place & component;
        }
        sets.clear();
        sets.push(component);
        let mut extra = 0;
        while extra < cap && !sets.is_empty() {
            next.clear();
            for at in 0..sets.len() {
                let set = sets[at];
                // Every subset with an order is without one of these pieces.
                let mut candidates = match self.conflict(set) {
                    Some(pair) => pair,
                    None if self.has_order(set, seen, open) => {
                        sets.drain(..at);
                        return Some(extra);
                    }
                    None => set,
                } & !unsplit;
                while candidates != 0 {
                    next.push(set & !(candidates & candidates.wrapping_neg()));
                    candidates &= candidates - 1;
                }
            }
            next.sort_unstable();
            next.dedup();
            std::mem::swap(sets, next);
            extra += 1;
        }
        let is_dead = sets.is_empty() || self.conflict(unsplit).is_some() || !self.has_order(unsplit, seen, open);
        (!is_dead).then_some(extra)
    }

    /// Keeps the sets that have an order. The first set is known to have one.
    #[inline(always)]
    pub(super) fn retain_ordered(&mut self, scratch: &mut OrderScratch) {
        let OrderScratch { sets, seen, open, .. } = scratch;
        let mut len = 1;
        for at in 1..sets.len() {
            let set = sets[at];
            if self.conflict(set).is_none() && self.has_order(set, seen, open) {
                sets[len] = set;
                len += 1;
            }
        }
        sets.truncate(len);
    }

    /// Finds two pieces of a set such that neither may go before the other. A set with a conflict has no order, because
    /// every subset of a set with an order has one: nothing is known of a piece outside the subset, so that piece
    /// restricts the order less.
    fn conflict(&mut self, set: Pieces) -> Option<Pieces> {
        first_conflict(self, set)
    }

    /// Finds one of `others` that has a conflict with this piece: neither may go before the other.
    #[inline(always)]
    pub(super) fn conflict_with(&mut self, index: usize, others: Pieces) -> Option<usize> {
        let mut others = others & self.pieces[index].overlapping;
        while others != 0 {
            let other = others.trailing_zeros() as usize;
            others &= others - 1;
            if !self.may_precede(index, 1 << other) && !self.may_precede(other, 1 << index) {
                return Some(other);
            }
        }
        None
    }

    /// Whether the pieces of `set` may go one after another.
    pub(super) fn has_order(&mut self, set: Pieces, seen: &mut SetOfSets, open: &mut Vec<Pieces>) -> bool {
        order_exists(self, set, seen, open)
    }

    /// Whether a piece may go before `others`, after all other pieces of `set` are gone.
    #[inline(always)]
    fn may_go_next(&mut self, index: usize, set: Pieces, others: Pieces) -> bool {
        let overlapping = self.pieces[index].overlapping;
        if !self.may_precede(index, others & overlapping) {
            return false;
        }
        let (gone, others) = (set & !others & overlapping, others & overlapping);
        if gone == 0 && others & others.wrapping_sub(1) == 0 {
            // There is at most one other piece, and `may_precede` has dealt with it.
            return true;
        }
        let (mut fixed, mut remaining) = ([T::default(); C], self.cells);
        for (place, piece) in self.pieces.iter().enumerate() {
            if others >> place & 1 == 1 {
                add(&mut fixed, &piece.cells);
            } else if gone >> place & 1 == 1 {
                subtract(&mut remaining, &piece.cells);
            }
        }
        break_from_left(&self.pieces[index], &fixed, &remaining, &mut self.parts).is_none()
    }

    /// Whether a piece may go before each of the others, taken alone.
    #[inline(always)]
    pub(super) fn may_precede(&mut self, index: usize, others: Pieces) -> bool {
        if others & self.cannot_precede[index] != 0 {
            return false;
        }
        let mut unknown = others & !self.can_precede[index];
        while unknown != 0 {
            let other = unknown.trailing_zeros() as usize;
            unknown &= unknown - 1;
            let fixed = &self.pieces[other].cells;
            let can_precede = break_from_left(&self.pieces[index], fixed, &self.cells, &mut self.parts).is_none();
            let table = if can_precede { &mut self.can_precede } else { &mut self.cannot_precede };
            table[index] |= 1 << other;
            if !can_precede {
                return false;
            }
        }
        true
    }
}

multiversion! {
    /// See [`Orders::has_order`].
    fn order_exists<const C: usize; T: Column>(
        orders: &mut Orders<'_, T, C>, set: Pieces, seen: &mut SetOfSets, open: &mut Vec<Pieces>,
    ) -> bool = find_order
}

#[inline(always)]
fn find_order<T: Column, const C: usize>(
    orders: &mut Orders<'_, T, C>,
    set: Pieces,
    seen: &mut SetOfSets,
    open: &mut Vec<Pieces>,
) -> bool {
    seen.clear(orders.pieces.len());
    open.clear();
    open.push(set);
    while let Some(remaining) = open.pop() {
        if remaining == 0 {
            return true;
        }
        let mut candidates = remaining;
        while candidates != 0 {
            let index = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let others = remaining & !(1 << index);
            if !seen.contains(others) && orders.may_go_next(index, set, others) {
                seen.insert(others);
                open.push(others);
            }
        }
    }
    false
}

multiversion! {
    /// See [`Orders::conflict`].
    fn first_conflict<const C: usize; T: Column>(orders: &mut Orders<'_, T, C>, set: Pieces) -> Option<Pieces> =
        find_conflict
}

#[inline(always)]
fn find_conflict<T: Column, const C: usize>(orders: &mut Orders<'_, T, C>, set: Pieces) -> Option<Pieces> {
    let mut later = set;
    while later != 0 {
        let index = later.trailing_zeros() as usize;
        later &= later - 1;
        if let Some(other) = orders.conflict_with(index, later) {
            return Some(1 << index | 1 << other);
        }
    }
    None
}
