//! Values of the ordering heuristics.
//!
//! **By states.** [`Order::Singles`] weighs single cells and groups, and is kept up to date click by click; see
//! [`Position::estimate`]. [`Order::Distances`] sums the distances of single cells from other cells of their colour,
//! and breaks ties by the number of groups.
//!
//! **By clicks**, for depth-first search in a fixed order of the clickable groups. Columns count from the side to which
//! they close up, and heights from the floor. The group whose last column is farthest comes first, because its click
//! moves no other column. Ties go to the group that is nearest to another cell of its colour, to the group with the
//! lowest cell, or to the group with the highest cell.

use super::game::Game;
use super::order::Order;
use super::state::{Cells, Column, Group, Groups, Position, Weights, count, take};
use gridhunt_search::domain::Successor;
use gridhunt_search::for_each_level;
use std::cmp::Reverse;

/// The promise of a state without anything to be wary of.
const MOST: u32 = 1 << 30;

/// How promising a state is by its groups and single cells.
pub(super) fn by_weights<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    weights: Weights,
) -> u32 {
    MOST - state.estimate(game.colours, game.rules.min_group, weights)
}

/// How promising a state is by an order; more is better.
pub(super) fn promise<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    order: Order,
    state: &Position<T, C, P>,
) -> u32 {
    match order {
        Order::Singles => by_weights(game, state, Weights::USUAL),
        Order::Distances => MOST - distances(game, state).min(MOST),
        Order::FarThenNear | Order::FarThenLow | Order::FarThenHigh => 0,
    }
}

for_each_level! {
    /// One number: first the sum over single cells of the distance to the nearest other cell of the colour, then the
    /// number of groups. The only cell of a colour counts the sum of the board's sides. Where single cells can be
    /// clicked away, the sum is 0.
    fn distances<const C: usize, const P: usize; T: Column>(game: &Game<T, C, P>, state: &Position<T, C, P>) -> u32 =
        distances_and_groups
}

#[inline(always)]
fn distances_and_groups<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
) -> u32 {
    let (grid, longest) = (state.grid(), (game.rows + game.cols) as u32);
    let mut all = 0;
    if game.rules.min_group > 1 {
        let linked = grid.links().linked();
        for colour in 1..=game.colours {
            let cells = grid.of(colour);
            let mut alone = cells;
            take(&mut alone, &linked);
            let (mut left, mut rings) = (count(&alone), Rings::around(&cells));
            let mut distance = 1;
            while left > 0 && distance < longest {
                take(&mut alone, &rings.next());
                let farther = count(&alone);
                all += distance * (left - farther);
                (left, distance) = (farther, distance + 1);
            }
            all += longest * left;
        }
    }
    all.saturating_mul((game.rows * game.cols) as u32 + 1).saturating_add(state.groups())
}

/// The cells at distance 1, 2, and so on from some cells, in steps along columns and rows.
struct Rings<T, const C: usize> {
    /// The cells, with as many empty columns on either side as the board has.
    framed: [Cells<T, C>; 3],
    /// Cells at the current distance that lie above or beside the cells, and those that lie below or beside.
    above: Cells<T, C>,
    below: Cells<T, C>,
    distance: usize,
}

impl<T: Column, const C: usize> Rings<T, C> {
    #[inline(always)]
    fn around(cells: &Cells<T, C>) -> Self {
        let empty = [T::default(); C];
        Self { framed: [empty, *cells, empty], above: *cells, below: *cells, distance: 0 }
    }

    /// The cells one step farther: above or below those at the distance before, or beside the cells in their rows.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "a column has its place in several arrays")]
    fn next(&mut self) -> Cells<T, C> {
        self.distance += 1;
        let mut ring = [T::default(); C];
        let framed = self.framed.as_flattened();
        // Arrays, so that bounds are checked once and not column by column.
        if self.distance <= C
            && let Some(before) = framed[C - self.distance..].first_chunk::<C>()
            && let Some(behind) = framed[C + self.distance..].first_chunk::<C>()
        {
            for col in 0..C {
                ring[col] = before[col] | behind[col];
            }
        }
        for col in 0..C {
            self.above[col] = self.above[col] << 1 | ring[col];
            self.below[col] = self.below[col] >> 1 | ring[col];
            ring[col] = self.above[col] | self.below[col];
        }
        ring
    }
}

/// Sorts the children of a state by the clicks that lead to them.
pub(super) fn sort<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    children: &mut [Successor<Position<T, C, P>>],
) {
    let links = state.grid().links();
    let mut groups = Groups::of(&links, game.rules.min_group);
    let mut ranks = Vec::new();
    while let Some((_, group)) = groups.next() {
        ranks.push((group.last, second(game, state, group)));
    }
    children.sort_by_cached_key(|child| Reverse(ranks[usize::from(child.mv)]));
}

/// The rank among groups with the same last column; the greatest rank comes first.
fn second<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    group: &Group<T, C>,
) -> u32 {
    let columns = || group.cells().iter().filter(|cells| !cells.is_empty());
    match game.order {
        Order::FarThenLow => 63 - columns().map(|cells| cells.to_bits().trailing_zeros()).min().unwrap_or(63),
        Order::FarThenHigh => columns().map(|cells| 63 - cells.to_bits().leading_zeros()).max().unwrap_or(0),
        Order::FarThenNear => 128 - to_others(game, state, group).unwrap_or(128),
        Order::Singles | Order::Distances => 0,
    }
}

/// The distance of a group from the nearest cell of its colour outside the group.
fn to_others<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    group: &Group<T, C>,
) -> Option<u32> {
    let grid = state.grid();
    let mut others = grid.of(grid.colour_of(group));
    take(&mut others[group.first..=group.last], group.cells());
    if count(&others) == 0 {
        return None;
    }
    let mut rings = Rings::around(&others);
    (1..(game.rows + game.cols) as u32).find(|_| {
        let ring = rings.next();
        (group.first..=group.last).any(|col| !(ring[col] & group.cells[col]).is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Plain, random_board, variants};
    use super::super::{Visitor, with_game};
    use super::*;
    use gridhunt_boards::Objective;
    use gridhunt_search::domain::Domain;
    use gridhunt_search::domain::Guidance;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use std::collections::HashSet;

    fn apart(one: (usize, usize), other: (usize, usize)) -> u32 {
        (one.0.abs_diff(other.0) + one.1.abs_diff(other.1)) as u32
    }

    /// The distance of a group from the cells of its colour outside the group, cell by cell.
    fn by_hand(board: &Plain, group: &[(usize, usize)]) -> Option<u32> {
        let colour = board.0[group[0].0][group[0].1];
        let all = board.0.iter().enumerate().flat_map(|(col, column)| (0..column.len()).map(move |h| (col, h)));
        let others = all.filter(|&(col, h)| board.0[col][h] == colour && !group.contains(&(col, h)));
        others.flat_map(|other| group.iter().map(move |&cell| apart(cell, other))).min()
    }

    struct Check(Order);

    impl Visitor for Check {
        type Output = usize;

        /// The number of children that were compared.
        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> usize {
            let (game, order) = (game.clone().ordered(self.0), self.0);
            let (mut state, mut compared) = (game.root(), 0);
            loop {
                let plain = Plain::of(&game, &state);
                let all = plain.groups();
                if order == Order::Distances {
                    let alone = all.iter().filter(|group| group.len() == 1 && game.rules.min_group > 1);
                    let far = (game.rows + game.cols) as u32;
                    let sum: u32 = alone.map(|group| by_hand(&plain, group).unwrap_or(far)).sum();
                    let cells = (game.rows * game.cols) as u32;
                    let said = (1 << 30) - game.promise(&state);
                    assert_eq!(said / (cells + 1), sum, "{order}, {:?}: {plain:?}", game.rules);
                    assert_eq!(said % (cells + 1), state.groups());
                }
                let large: Vec<_> =
                    all.into_iter().filter(|group| group.len() >= game.rules.min_group as usize).collect();
                let (mut natural, mut children) = (Vec::new(), Vec::new());
                game.clone().ordered(Order::Singles).successors(&state, 0, &mut natural);
                game.successors(&state, 0, &mut children);
                let key = |child: &Successor<Position<T, C, P>>| {
                    let group = &large[usize::from(child.mv)];
                    let last = group.iter().map(|cell| cell.0).max().unwrap();
                    let low = group.iter().map(|cell| cell.1).min().unwrap() as i64;
                    let high = group.iter().map(|cell| cell.1).max().unwrap() as i64;
                    let near = by_hand(&plain, group).map_or(1000, i64::from);
                    let second = match order {
                        Order::FarThenNear => near,
                        Order::FarThenLow => low,
                        Order::FarThenHigh => -high,
                        Order::Singles | Order::Distances => return (Reverse(0), 0, child.mv),
                    };
                    (Reverse(last), second, child.mv)
                };
                assert!(children.is_sorted_by_key(key), "{order}, {:?}: {plain:?}", game.rules);
                compared += children.len();
                // The same children in any order.
                children.sort_by_key(|child| child.mv);
                let same = |(a, b): (&Successor<_>, &Successor<_>)| a.mv == b.mv && a.state == b.state;
                assert!(children.len() == natural.len() && children.iter().zip(&natural).all(same));
                let Some(child) = children.into_iter().rev().nth(compared % 3) else { return compared };
                state = child.state;
            }
        }
    }

    #[test]
    fn orders_are_what_they_are_called() {
        let mut rng = ChaCha8Rng::seed_from_u64(77);
        let mut compared = 0;
        for (rows, cols, colours) in [(5, 7, 3), (9, 4, 4), (12, 18, 5), (3, 40, 3), (64, 2, 3)] {
            for rules in variants() {
                let board = random_board(&mut rng, rows, cols, colours);
                for order in Order::ALL {
                    compared += with_game(&board, rules, Objective::Clear, Check(order)).unwrap();
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn where_single_cells_stay_their_weights_vary() {
        struct Varied;
        impl Visitor for Varied {
            type Output = Vec<usize>;

            /// How many different promises 298 variations of each order give the children of the board.
            fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output {
                let mut children = Vec::new();
                game.successors(&game.root(), 0, &mut children);
                let of = |order| {
                    let game = game.clone().ordered(order);
                    let varied = |variation| {
                        children
                            .iter()
                            .map(|child| game.varied_promise(&child.state, variation))
                            .collect::<Option<Vec<_>>>()
                    };
                    (0..298).filter_map(varied).collect::<HashSet<_>>().len()
                };
                Order::ALL.into_iter().map(of).collect()
            }
        }
        let board = random_board(&mut ChaCha8Rng::seed_from_u64(3), 6, 6, 3);
        for rules in variants() {
            let varied = with_game(&board, rules, Objective::Clear, Varied).unwrap();
            let of_singles = if rules.min_group > 1 { 298 } else { 0 };
            assert_eq!(varied, [of_singles, 0, 0, 0, 0], "{rules:?}");
        }
    }

    #[test]
    fn names_and_back() {
        assert!(Order::ALL.into_iter().all(|order| order.to_string().parse() == Ok(order)));
        assert_eq!(Order::ALL.into_iter().filter(|order| order.is_of_clicks()).count(), 3);
    }
}
