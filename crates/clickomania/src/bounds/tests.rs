//! Bounds compared with the rules played cell by cell.

use super::super::tests::{Look, Plain, Walk, random_board, variants, walk};
use super::super::*;
use gridhunt_boards::{Cell, usual_symbols};
use gridhunt_search::domain::{Bound, LowerBound};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::HashMap;

/// The least loss of each state, and how many could be told from nothing.
#[derive(Default)]
struct Bounds(HashMap<Plain, Option<u32>>, u32);

impl Look for Bounds {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let (rules, objective) = (game.rules(), game.objective());
        let plain = Plain::of(game, state);
        let least = plain.least(rules, objective, &mut self.0);
        assert!(game.terminal_cost(state).is_none_or(|cost| least.is_some_and(|least| least <= cost)));
        let mut children = Vec::new();
        game.successors(state, 0, &mut children);
        for kind in GameBoundKind::ALL {
            let Some(bound) = GameBound::new(game, kind) else { continue };
            let h = |state: &Position<T, C, P>| bound.evaluate(state, Cost::MAX, &mut GameScratch::default());
            let here = h(state);
            self.1 += u32::from(here > Bound(0));
            for enough in 0..8 {
                let told = bound.evaluate(state, enough, &mut GameScratch::default());
                let is_enough = enough <= told.0 && told <= here && here != Bound::DEAD_END;
                assert!(told == here || is_enough, "{told:?} of {here:?} where {enough} are enough");
            }
            let of = format!("{kind:?} of {least:?}, {objective}, {rules:?}: {plain:?}");
            assert!(here.0 <= least.unwrap_or(u32::MAX), "{here:?}, {of}");
            for child in &children {
                assert!(here.0 <= child.cost.saturating_add(h(&child.state).0), "not consistent, {of}");
            }
        }
        let mut ways: Vec<u32> = game.terminal_cost(state).into_iter().collect();
        for child in children {
            let rest = Plain::of(game, &child.state).least(rules, objective, &mut self.0);
            ways.extend(rest.map(|rest| rest + child.cost));
        }
        assert_eq!(ways.into_iter().min(), least, "costs, {objective}: {plain:?}");
    }
}

#[test]
fn bounds_are_admissible_and_consistent_and_costs_add_up() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut told = 0;
    for rules in variants() {
        for objective in Goal::ALL {
            for (rows, cols, colours) in [(3, 3, 2), (3, 4, 3), (4, 3, 4), (1, 9, 3), (11, 1, 2), (12, 1, 3), (2, 5, 3)]
            {
                let board = random_board(&mut rng, rows, cols, colours);
                let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), Bounds::default());
                told += with_game(&board, rules, objective, look).expect("not too large").1;
            }
        }
    }
    assert!(told > 100, "{told} states of which a bound says anything");
}

/// The sums of what is counted in random games for the fewest clicks, on boards of each size under each variant.
fn seen_in_games<L: Look, const N: usize>(
    seed: u64,
    sizes: &[(usize, usize, u8)],
    games: usize,
    look: impl Fn() -> L,
    counts: impl Fn(L) -> [u32; N],
) -> [u32; N] {
    let (mut rng, mut sums) = (ChaCha8Rng::seed_from_u64(seed), [0; N]);
    for (rules, &(rows, cols, colours)) in variants().flat_map(|rules| sizes.iter().map(move |size| (rules, size))) {
        let board = random_board(&mut rng, rows, cols, colours);
        for _ in 0..games {
            let walk = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), look());
            let seen = with_game(&board, rules, Goal::Clicks, walk).expect("not too large");
            sums.iter_mut().zip(counts(seen)).for_each(|(sum, count)| *sum += count);
        }
    }
    sums
}

/// Boards on which colours bar each other; a few of them are as large as all their states allow.
#[test]
fn clicks_are_bounded_by_the_colours_that_go_at_once() {
    /// States that take more clicks than they have colours, those of which that is proven, and dead ends that are.
    #[derive(Default)]
    struct More(Bounds, [u32; 3]);
    impl Look for More {
        fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
            self.0.look(game, state);
            let colours = state.counts(game.colours).iter().filter(|&&count| count > 0).count() as u32;
            let least = self.0.0[&Plain::of(game, state)];
            let told = GameBound::best(game).evaluate(state, Cost::MAX, &mut GameScratch::default());
            self.1[0] += u32::from(least.is_some_and(|least| least > colours));
            self.1[1] += u32::from(told.0 > colours && least.is_some());
            self.1[2] += u32::from(told == Bound::DEAD_END);
        }
    }
    let sizes = [(4, 4, 3), (5, 3, 3), (3, 5, 4), (9, 2, 4), (2, 8, 5)];
    let [more, told, dead] = seen_in_games(7, &sizes, 4, More::default, |seen| seen.1);
    assert!(told > 100 && 2 * told > more && dead > 50, "{told} of {more}, {dead} dead ends");
}

/// Where all colours but one go at once, the bound is what the children's say, and one more.
#[test]
fn one_click_ahead_the_children_are_seen() {
    /// States looked at, and those of which more is said.
    struct Ahead([u32; 2]);
    impl Look for Ahead {
        fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
            let h = |kind, state: &Position<T, C, P>| {
                let bound = GameBound::new(game, kind).expect("knows clicks");
                bound.evaluate(state, Cost::MAX, &mut GameScratch::default())
            };
            let once = h(GameBoundKind::OneClick, state);
            let colours = state.counts(game.colours).iter().filter(|&&count| count > 0).count() as Cost;
            let ahead = h(GameBoundKind::FirstClick, state);
            assert!(ahead >= once, "{:?}", Plain::of(game, state));
            if game.closes() && once == Bound(colours + 1) {
                let mut children = Vec::new();
                game.successors(state, 0, &mut children);
                let seen =
                    children.iter().map(|child| h(GameBoundKind::OneClick, &child.state).0.saturating_add(1)).min();
                // Dead ends are left to be found one by one.
                let seen = seen.unwrap_or(Cost::MAX).min(once.0 + 1);
                assert!(ahead.0 >= seen, "{seen} is seen, said is {ahead:?}: {:?}", Plain::of(game, state));
                self.0[0] += 1;
                self.0[1] += u32::from(ahead > once);
            }
        }
    }
    let sizes = [(6, 6, 3), (7, 5, 4), (5, 8, 3), (9, 3, 3)];
    let [seen, more] = seen_in_games(9, &sizes, 10, || Ahead([0; 2]), |seen| seen.0);
    assert!(seen > 500 && 4 * more > seen, "{more} of {seen}");
}

/// A dismissed child has the value of its parent. A child with a smaller value by `one_click.rs` is kept, and no other
/// child is.
#[test]
fn clicks_that_leave_as_much_to_do_are_dismissed() {
    /// Children that were kept and dismissed.
    struct Dismissed([u32; 2]);
    impl Look for Dismissed {
        fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
            let bound = GameBound::new(game, GameBoundKind::OneClick).expect("knows clicks");
            let mut scratch = GameScratch::default();
            let mut h = |state: &Position<T, C, P>| bound.evaluate(state, Cost::MAX, &mut scratch);
            let here = h(state);
            let (mut children, mut scratch) = (Vec::new(), GameScratch::default());
            game.successors(state, 0, &mut children);
            // Some of the children alone, too: others may be asleep.
            for (enough, step) in
                [(here.0, 1), (here.0.saturating_add(1), 1), (here.0.saturating_add(1), 2), (Cost::MAX, 1)]
            {
                let asked: Vec<_> = children.iter().step_by(step).cloned().collect();
                let mut kept = asked.clone();
                bound.dismiss(state, enough, &mut kept, &mut scratch);
                if here == Bound::DEAD_END || enough > here.0 + 1 {
                    assert_eq!(kept.len(), asked.len());
                    continue;
                }
                for child in asked {
                    let is_kept = kept.iter().any(|kept| kept.mv == child.mv && kept.state == child.state);
                    let leaves_less = h(&child.state) < here;
                    assert_eq!(is_kept, leaves_less, "click {} of {:?}", child.mv, Plain::of(game, state));
                    self.0[usize::from(!is_kept)] += 1;
                }
            }
        }
    }
    let sizes = [(6, 6, 3), (7, 5, 4), (5, 8, 3), (9, 3, 3), (9, 7, 4), (8, 8, 5)];
    let [kept, dismissed] = seen_in_games(13, &sizes, 10, || Dismissed([0; 2]), |seen| seen.0);
    assert!(kept > 1_000 && dismissed > 1_000, "{kept} kept, {dismissed} dismissed");
}

/// More colours than orders are looked for.
#[test]
fn many_colours_are_only_counted() {
    for rules in variants() {
        // Each column has a colour of its own.
        let (rows, cols) = (rules.min_group as usize, 11);
        let cells = (0..rows * cols).map(|at| (at % cols) as u8).collect();
        let board = Board::new("columns", rows, cols, cells, usual_symbols(cols), Cell::default()).unwrap();
        struct Left;
        impl Look for Left {
            fn look<T: Column, const C: usize, const P: usize>(
                &mut self,
                game: &Game<T, C, P>,
                state: &Position<T, C, P>,
            ) {
                let colours = state.counts(game.colours).iter().filter(|&&count| count > 0).count() as Cost;
                assert_eq!(
                    GameBound::best(game).evaluate(state, Cost::MAX, &mut GameScratch::default()),
                    Bound(colours)
                );
            }
        }
        walk(10, &board, rules, Goal::Clicks, Left);
    }
}
