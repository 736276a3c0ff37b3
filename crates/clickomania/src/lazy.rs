//! Boards with the change that each click would make.
//!
//! A click changes single cells and groups only in its own columns and in those beside them. So the change is counted
//! once, and a child takes it over from its parent, unless the click that leads to the child is near. A child that is
//! not made costs only a sum of nine products. One hash of all columns serves all clicks by which columns close up.
//!
//! **The promise** weighs single cells and groups as `promise.rs` does, and columns too.
//!
//! **Near.** Which cells of a column are single depends on the columns beside it. So the change by a click on columns
//! `a..=b` depends on columns `a - 2..=b + 2`, and these hold all cells that belong to the group or touch it.

use super::game::Game;
use super::state::{Column, Grid, Group, Groups, Weights, affected};
use gridhunt_search::domain::{LazyChild, LazyState, MoveIndex};
use gridhunt_search::multiversion;

/// The most planes of colours. With more of them the counts of each column would take more memory than its cells.
const MAX_PLANES: usize = 4;

/// The weight of a column; the weight of a group is [`Weights::FINE_GROUP`]. Of boards with equally many groups, those
/// with fewer columns are easier to clear: their groups are nearer to each other.
const COLUMN_WEIGHT: i32 = 8 * Weights::FINE_GROUP as i32;

/// The greatest promise: that of a state without anything that counts against it.
const MAX_PROMISE: i32 = 1 << 30;

/// The digest of a board is the sum of the hashes of its columns, each times the power of this number that belongs to
/// the place of the column. So a column that moves changes the digest by a factor.
const PLACE_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const PLACE_POWERS: [u64; 65] = powers(PLACE_FACTOR);
const INVERSE_PLACE_POWERS: [u64; 65] = powers(inverse(PLACE_FACTOR));

const fn powers(factor: u64) -> [u64; 65] {
    let mut powers = [1_u64; 65];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1].wrapping_mul(factor);
        at += 1;
    }
    powers
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration, which doubles the number of correct bits.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < 64 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// The change that one click would make. `S` holds a number of single cells for each colour, from the first on, and
/// then a number of groups.
#[derive(Clone, Copy)]
struct Click<S> {
    /// The columns of the group, and its lowest cell in the first of them.
    first: u8,
    last: u8,
    height: u8,
    colour: u8,
    size: u16,
    /// How many columns close up.
    closed: u8,
    change: S,
    /// The change of the digest, without the columns that move as a whole.
    digest: u64,
}

/// A board with its clicks.
pub(super) struct LazyBoard<'a, T: Column, const C: usize, const P: usize> {
    game: &'a Game<T, C, P>,
    grid: Grid<T, C, P>,
    /// The number of columns that have cells.
    column_count: usize,
    /// The number of cells of each colour.
    cells: T::Counts,
    /// The counts of the board, and the share of each column.
    counts: T::Shares,
    shares: [T::Shares; C],
    digest: u64,
    /// In no particular order.
    clicks: Vec<Click<T::Shares>>,
}

/// Makes the root. Returns `None` unless there are at most [`MAX_PLANES`] planes of colours, columns close up, and
/// groups have at least two cells. The goals are cleared boards, whatever the objective; so it also returns `None` if
/// the score counts and has no bonus for a clear. The only dead end that is recognised is a colour with too few cells.
pub(super) fn root<'a, T: Column, const C: usize, const P: usize>(
    game: &'a Game<T, C, P>,
) -> Option<Box<dyn LazyState<'a> + 'a>> {
    let is_worthless = game.score.as_deref().is_some_and(|score| score.clear_bonus() == 0);
    let is_supported = P <= MAX_PLANES && !is_worthless;
    if !is_supported || game.rules.min_group == 1 || !game.closes() {
        return None;
    }
    let mut board = LazyBoard {
        game,
        grid: *game.root.grid(),
        column_count: 0,
        cells: T::NO_COUNTS,
        counts: T::NO_SHARES,
        shares: [T::NO_SHARES; C],
        digest: 0,
        clicks: Vec::new(),
    };
    let cells = game.root.counts(game.colours);
    board.cells.as_mut()[..cells.len()].copy_from_slice(cells);
    count(&mut board);
    Some(Box::new(board))
}

impl<'a, T: Column, const C: usize, const P: usize> LazyState<'a> for LazyBoard<'a, T, C, P> {
    fn move_count(&self) -> usize {
        self.clicks.len()
    }

    fn children(&self, variation: Option<u32>, least: u32, out: &mut Vec<LazyChild>) {
        list(self, variation.map_or(Weights::DEFAULT, Weights::varied), least, out);
    }

    fn move_to(&self, number: MoveIndex) -> MoveIndex {
        let position = |click: &Click<T::Shares>| (click.first, click.height);
        let at = position(&self.clicks[usize::from(number)]);
        self.clicks.iter().map(|click| MoveIndex::from(position(click) < at)).sum()
    }

    fn child(&self, number: MoveIndex) -> Box<dyn LazyState<'a> + 'a> {
        let clicks = Vec::with_capacity(self.clicks.len() + SPARE_CLICKS);
        let mut child = Box::new(Self { clicks, ..*self });
        click(self, usize::from(number), &mut child);
        child
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.clicks.capacity() * size_of::<Click<T::Shares>>()
    }
}

/// The number of clicks for which a child has room beyond the number of its parent.
const SPARE_CLICKS: usize = 8;

impl<T: Column, const C: usize, const P: usize> LazyBoard<'_, T, C, P> {
    /// Finds the clicks on groups that have cells in the columns `from..=to`.
    #[inline(always)]
    fn find_clicks(&mut self, from: usize, to: usize) {
        let (links, min_group) = (self.grid.links(), self.game.rules.min_group);
        let mut seeds = [T::default(); C];
        seeds[from..=to].fill(!T::default());
        let mut groups = Groups::touching(&links, min_group, &seeds);
        let mut scratch = Grid::empty();
        while let Some((_, group)) = groups.next() {
            if group.size() >= min_group {
                let click = self.measure_click(group, &mut scratch);
                self.clicks.push(click);
            }
        }
    }

    /// Finds what a click would change. `scratch` is overwritten.
    #[inline(always)]
    fn measure_click(&self, group: &Group<T, C>, scratch: &mut Grid<T, C, P>) -> Click<T::Shares> {
        let (from, to) = affected(group);
        let (first, last) = (group.first, group.last);
        for p in 0..P {
            for col in from.saturating_sub(1)..=(to + 1).min(C - 1) {
                scratch.planes[p][col] = self.grid.planes[p][col];
            }
        }
        let closed = scratch.remove(group, true);
        let mut change = counts_of_columns(scratch, from, to.saturating_sub(closed));
        let digest =
            columns_digest(scratch, first, last + 1 - closed).wrapping_sub(columns_digest(&self.grid, first, last + 1));
        for col in from..=to {
            for (change, before) in change.as_mut().iter_mut().zip(self.shares[col].as_ref()) {
                *change -= *before;
            }
        }
        Click {
            first: first as u8,
            last: last as u8,
            height: group.cells[first].to_bits().trailing_zeros() as u8,
            colour: self.grid.colour_of(group),
            size: group.size() as u16,
            closed: closed as u8,
            change,
            digest,
        }
    }

    /// For each column, the share in the digest that this column and all columns after it have.
    #[inline(always)]
    fn digest_suffixes(&self) -> [u64; C] {
        let (mut suffixes, mut digest) = ([0; C], 0_u64);
        for col in (0..C).rev() {
            digest = digest.wrapping_add(columns_digest(&self.grid, col, col + 1));
            suffixes[col] = digest;
        }
        suffixes
    }
}

/// The change of the digest by the columns after a group, which move as a whole.
#[inline(always)]
fn shifted_digest<S, const C: usize>(suffixes: &[u64; C], click: &Click<S>) -> u64 {
    let from = usize::from(click.last) + 1;
    if from < C {
        suffixes[from].wrapping_mul(INVERSE_PLACE_POWERS[usize::from(click.closed)].wrapping_sub(1))
    } else {
        0
    }
}

/// The share of the columns `from..=to` in the counts of a board.
#[inline(always)]
fn counts_of_columns<T: Column, const C: usize, const P: usize>(
    grid: &Grid<T, C, P>,
    from: usize,
    to: usize,
) -> T::Shares {
    let counts = grid.group_counts(from, to);
    let (mut share, singles) = (T::NO_SHARES, counts.singles.as_ref());
    for (share, &singles) in share.as_mut().iter_mut().zip(singles) {
        *share = singles as i16;
    }
    share.as_mut()[singles.len()] = counts.groups as i16;
    share
}

/// The share of the columns `from..to` in the digest. The share of an empty column is 0.
#[inline(always)]
fn columns_digest<T: Column, const C: usize, const P: usize>(grid: &Grid<T, C, P>, from: usize, to: usize) -> u64 {
    let mut digest = 0_u64;
    for (col, power) in PLACE_POWERS.iter().enumerate().take(to).skip(from) {
        let mut hash = 0_u64;
        for p in 0..P {
            hash = (hash.rotate_left(29) ^ grid.planes[p][col].to_bits()).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        }
        digest = digest.wrapping_add((hash ^ hash >> 29).wrapping_mul(*power));
    }
    digest
}

#[inline(always)]
fn add<S: AsRef<[i16]> + AsMut<[i16]>>(counts: &mut S, more: &S) {
    let (counts, more) = (counts.as_mut(), more.as_ref());
    for at in 0..counts.len() {
        counts[at] += more[at];
    }
}

/// The weight of `columns` columns.
#[inline(always)]
fn column_weight(columns: usize) -> i32 {
    COLUMN_WEIGHT * columns as i32
}

/// The sum of counts times weights.
#[inline(always)]
fn dot_product<S: AsRef<[i16]>>(counts: &S, weights: &S) -> i32 {
    let (counts, weights, mut sum) = (counts.as_ref(), weights.as_ref(), 0);
    for at in 0..counts.len() {
        sum += i32::from(counts[at]) * i32::from(weights[at]);
    }
    sum
}

multiversion! {
    fn count<const C: usize, const P: usize; T: Column>(board: &mut LazyBoard<'_, T, C, P>) = count_all
}

#[inline(always)]
fn count_all<T: Column, const C: usize, const P: usize>(board: &mut LazyBoard<'_, T, C, P>) {
    for col in 0..C {
        board.shares[col] = counts_of_columns(&board.grid, col, col);
        add(&mut board.counts, &board.shares[col]);
        board.column_count += usize::from(!board.grid.column(col).is_empty());
    }
    board.digest = columns_digest(&board.grid, 0, C);
    board.find_clicks(0, C - 1);
}

multiversion! {
    fn list<const C: usize, const P: usize; T: Column>(
        board: &LazyBoard<'_, T, C, P>, weights: Weights, least: u32, out: &mut Vec<LazyChild>,
    ) = list_children
}

#[inline(always)]
fn list_children<T: Column, const C: usize, const P: usize>(
    board: &LazyBoard<'_, T, C, P>,
    weights: Weights,
    least: u32,
    out: &mut Vec<LazyChild>,
) {
    // No colour has as many cells as the largest `u16`.
    let min_group = u16::try_from(board.game.rules.min_group).unwrap_or(u16::MAX);
    let (mut weights_by_colour, mut left, cells) = (T::NO_SHARES, 0, board.cells.as_ref());
    for (colour, (weight, &cells)) in weights_by_colour.as_mut().iter_mut().zip(cells).enumerate() {
        if 0 < cells && cells < min_group {
            return;
        }
        *weight = weights.fine_single(colour, cells);
        left += cells;
    }
    weights_by_colour.as_mut()[cells.len()] = Weights::FINE_GROUP;
    let max_promise = MAX_PROMISE - dot_product(&board.counts, &weights_by_colour) - column_weight(board.column_count);
    let mut suffixes = None;
    for number in 0..board.clicks.len() {
        let click = &board.clicks[number];
        let at = usize::from(click.colour - 1);
        let remaining = cells[at] - click.size;
        if 0 < remaining && remaining < min_group {
            continue;
        }
        // The single cells of the clicked colour weigh more afterwards, because they are a greater part of the colour.
        let weight_increase = i32::from(weights.fine_single(at, remaining)) - i32::from(weights_by_colour.as_ref()[at]);
        let singles = i32::from(board.counts.as_ref()[at] + click.change.as_ref()[at]);
        let promise = (max_promise - dot_product(&click.change, &weights_by_colour) - weight_increase * singles
            + column_weight(click.closed.into())) as u32;
        if promise < least {
            continue;
        }
        let mut digest = board.digest.wrapping_add(click.digest);
        if click.closed > 0 {
            digest =
                digest.wrapping_add(shifted_digest(suffixes.get_or_insert_with(|| board.digest_suffixes()), click));
        }
        let terminal_cost = (click.size == left).then_some(0);
        let cost = board.game.click_cost(cells[at].into(), click.size.into());
        out.push(LazyChild { number: number as MoveIndex, cost, terminal_cost, promise, digest });
    }
}

multiversion! {
    fn click<const C: usize, const P: usize; T: Column>(
        board: &LazyBoard<'_, T, C, P>, number: usize, child: &mut LazyBoard<'_, T, C, P>,
    ) = click_on
}

/// Turns `child`, which is the board without clicks, into the board after a click.
#[inline(always)]
fn click_on<T: Column, const C: usize, const P: usize>(
    board: &LazyBoard<'_, T, C, P>,
    number: usize,
    child: &mut LazyBoard<'_, T, C, P>,
) {
    let click = board.clicks[number];
    let group = board.grid.links().group(click.first.into(), T::from_bits(1 << click.height));
    let closed = child.grid.remove(&group, true);
    child.cells.as_mut()[usize::from(click.colour - 1)] -= click.size;
    add(&mut child.counts, &click.change);
    child.digest = child.digest.wrapping_add(click.digest);
    child.column_count -= closed;
    if closed > 0 {
        child.digest = child.digest.wrapping_add(shifted_digest(&board.digest_suffixes(), &click));
        // The columns after the group move by as many places as columns close up.
        child.shares.copy_within(group.last + 1.., group.last + 1 - closed);
        child.shares[C - closed..].fill(T::NO_SHARES);
    }
    let (from, to) = affected(&group);
    for col in from..=to.saturating_sub(closed) {
        child.shares[col] = counts_of_columns(&child.grid, col, col);
    }
    for other in &board.clicks {
        if usize::from(other.last) + 2 < group.first {
            child.clicks.push(*other);
        } else if usize::from(other.first) > group.last + 2 {
            let mut other = *other;
            other.first -= closed as u8;
            other.last -= closed as u8;
            other.digest = other.digest.wrapping_mul(INVERSE_PLACE_POWERS[closed]);
            child.clicks.push(other);
        }
    }
    child.find_clicks(group.first.saturating_sub(2), (group.last + 2 - closed).min(C - 1));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random_board;
    use crate::{Columns, Goal, Rules};
    use crate::{Position, Visitor, promise, with_game};
    use gridhunt_search::domain::Guidance;
    use gridhunt_search::domain::{Domain, Successor};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use std::collections::HashMap;

    /// Plays at random, and compares lazy states and their children with the usual ones.
    struct Compare<'t> {
        rng: &'t mut ChaCha8Rng,
        /// The digest of each key, and the key of each digest.
        digests: HashMap<Vec<u8>, u64>,
        keys: HashMap<u64, Vec<u8>>,
    }

    impl Visitor for Compare<'_> {
        type Output = usize;

        fn visit<T: Column, const C: usize, const P: usize>(mut self, game: &Game<T, C, P>) -> usize {
            let (mut lazy, mut state) = (game.lazy_root().expect("lazy states"), game.root());
            let mut seen = 0;
            loop {
                let children = self.compare(game, &*lazy, &state);
                seen += children.len();
                if children.is_empty() {
                    return seen;
                }
                // Children of children are reached in several orders.
                for _ in 0..3 {
                    let (number, child) = &children[self.rng.next_u32() as usize % children.len()];
                    self.compare(game, &*lazy.child(*number), child);
                }
                let (number, child) = &children[self.rng.next_u32() as usize % children.len()];
                (lazy, state) = (lazy.child(*number), *child);
            }
        }
    }

    impl Compare<'_> {
        /// Returns the children with their numbers.
        fn compare<T: Column, const C: usize, const P: usize>(
            &mut self,
            game: &Game<T, C, P>,
            lazy: &dyn LazyState<'_>,
            state: &Position<T, C, P>,
        ) -> Vec<(MoveIndex, Position<T, C, P>)> {
            let (mut usual, mut found) = (Vec::new(), Vec::new());
            game.successors(state, 0, &mut usual);
            assert_eq!(lazy.move_count(), usual.len());
            let variation = Some(self.rng.next_u32() % 200).filter(|variation| *variation < 100);
            lazy.children(variation, 0, &mut found);
            let by_move: HashMap<_, _> = found.iter().map(|child| (lazy.move_to(child.number), *child)).collect();
            assert_eq!(by_move.len(), found.len(), "each move leads to one child");
            let weights = variation.map_or(Weights::DEFAULT, Weights::varied);
            let mut children = Vec::new();
            for Successor { mv, cost, state, .. } in usual {
                let is_dead = |&count: &u16| 0 < count && u32::from(count) < game.rules.min_group;
                let Some(child) = by_move.get(&mv) else {
                    assert!(state.counts(game.colours).iter().any(is_dead));
                    continue;
                };
                assert!(!state.counts(game.colours).iter().any(is_dead));
                let is_goal = state.counts(game.colours).iter().all(|&count| count == 0);
                assert_eq!((child.cost, child.terminal_cost), (cost, game.terminal_cost(&state).filter(|_| is_goal)));
                // One of the two promises rounds the weight of each single cell, the other that of each colour.
                let columns = state.grid().cells().iter().filter(|column| !column.is_empty()).count();
                let fine = MAX_PROMISE - child.promise as i32 - column_weight(columns);
                let coarse = 16 * (MAX_PROMISE - promise::by_weights(game, &state, weights) as i32);
                let singles: i32 = state.group_counts().singles.as_ref().iter().map(|&count| i32::from(count)).sum();
                let most = coarse + 64 * i32::from(game.colours);
                assert!((coarse - 3 * singles..most).contains(&fine), "{fine} for {coarse}");
                let mut key = vec![0; game.key_len()];
                game.pack(&state, &mut key);
                assert_eq!(*self.digests.entry(key.clone()).or_insert(child.digest), child.digest);
                assert_eq!(*self.keys.entry(child.digest).or_insert(key.clone()), key);
                children.push((child.number, state));
            }
            assert_eq!(children.len(), found.len());
            let (least, mut best) = (found.iter().map(|child| child.promise).max().unwrap_or(0), Vec::new());
            lazy.children(variation, least, &mut best);
            let kept = found.into_iter().filter(|child| child.promise >= least);
            assert!(kept.eq(best), "{least}");
            children
        }
    }

    #[test]
    fn lazy_states_know_their_children() {
        let mut rng = ChaCha8Rng::seed_from_u64(40);
        let mut seen = 0;
        let small = [(4, 4, 3, 40), (1, 9, 2, 20), (9, 2, 4, 20), (5, 7, 9, 10), (16, 16, 7, 2)];
        let large = [(32, 32, 6, 1), (5, 64, 4, 2), (40, 33, 5, 1), (20, 30, 15, 1)];
        for (rows, cols, colours, boards) in small.into_iter().chain(large) {
            for number in 0..boards {
                let board = random_board(&mut rng, rows, cols, colours);
                let rules = Rules { min_group: 2 + number % 2, ..Rules::default() };
                let compare = Compare { rng: &mut rng, digests: HashMap::new(), keys: HashMap::new() };
                let objective = Goal::ALL[number as usize % Goal::ALL.len()];
                seen += with_game(&board, rules, objective, compare).expect("not too large");
            }
        }
        assert!(seen > 10_000, "{seen} children");
    }

    /// Whether the root of a game is lazy.
    struct IsLazy;

    impl Visitor for IsLazy {
        type Output = bool;

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> bool {
            game.lazy_root().is_some()
        }
    }

    #[test]
    fn where_more_than_a_dead_colour_ends_a_way_states_are_not_lazy() {
        let board = random_board(&mut ChaCha8Rng::seed_from_u64(1), 4, 4, 3);
        let of = |rules, objective| with_game(&board, rules, objective, IsLazy).expect("not too large");
        let usual = Rules::default();
        for objective in Goal::ALL {
            assert!(of(usual, objective));
            assert!(!of(Rules { columns: Columns::Stay, ..usual }, objective));
            assert!(!of(Rules { min_group: 1, ..usual }, objective));
        }
    }
}
