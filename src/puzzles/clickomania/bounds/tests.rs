//! Bounds compared with the rules played cell by cell.

use super::super::tests::{Look, Plain, Walk, random_board, variants, walk};
use super::super::*;
use gridhunt_boards::{Cell, Columns, EMPTY, usual_symbols};
use gridhunt_search::domain::{Bound, LowerBound};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{HashMap, HashSet};

/// The least loss of each state, and how many could be told from nothing.
#[derive(Default)]
struct Bounds(HashMap<Plain, Option<u32>>, u32);

impl Look for Bounds {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let (rules, objective) = (game.rules(), game.objective());
        let plain = Plain::of(game, state);
        let least = plain.least(rules, objective, &mut self.0);
        assert!(game.terminal(state).is_none_or(|cost| least.is_some_and(|least| least <= cost)));
        let mut children = Vec::new();
        game.successors(state, 0, &mut children);
        for kind in GameBoundKind::ALL {
            let Some(bound) = GameBound::new(game, kind) else { continue };
            let h = |state: &Position<T, C, P>| bound.evaluate(state, Cost::MAX, &mut GameScratch::default());
            let here = h(state);
            self.1 += u32::from(here > Bound(0));
            for enough in 0..8 {
                let told = bound.evaluate(state, enough, &mut GameScratch::default());
                let is_enough = enough <= told.0 && told <= here && !here.is_dead_end();
                assert!(told == here || is_enough, "{told:?} of {here:?} where {enough} are enough");
            }
            let of = format!("{kind:?} of {least:?}, {objective}, {rules:?}: {plain:?}");
            assert!(here.0 <= least.unwrap_or(u32::MAX), "{here:?}, {of}");
            assert!(kind != GameBoundKind::Line || least.map_or(Bound::DEAD_END, Bound) == here, "{here:?}, {of}");
            for child in &children {
                assert!(here.0 <= child.cost.saturating_add(h(&child.state).0), "not consistent, {of}");
            }
        }
        let mut ways: Vec<u32> = game.terminal(state).into_iter().collect();
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
        for objective in Objective::ALL {
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
            self.1[2] += u32::from(told.is_dead_end());
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut counts = [0; 3];
    for rules in variants() {
        for (rows, cols, colours) in [(4, 4, 3), (5, 3, 3), (3, 5, 4), (9, 2, 4), (2, 8, 5)] {
            let board = random_board(&mut rng, rows, cols, colours);
            for _ in 0..4 {
                let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), More::default());
                let more = with_game(&board, rules, Objective::Clicks, look).expect("not too large");
                counts.iter_mut().zip(more.1).for_each(|(all, count)| *all += count);
            }
        }
    }
    let [more, told, dead] = counts;
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
            let once = h(GameBoundKind::Once, state);
            let colours = state.counts(game.colours).iter().filter(|&&count| count > 0).count() as Cost;
            let ahead = h(GameBoundKind::Ahead, state);
            assert!(ahead >= once, "{:?}", Plain::of(game, state));
            if game.closes() && once == Bound(colours + 1) {
                let mut children = Vec::new();
                game.successors(state, 0, &mut children);
                let seen = children.iter().map(|child| h(GameBoundKind::Once, &child.state).0.saturating_add(1)).min();
                // Dead ends are left to be found one by one.
                let seen = seen.unwrap_or(Cost::MAX).min(once.0 + 1);
                assert!(ahead.0 >= seen, "{seen} is seen, said is {ahead:?}: {:?}", Plain::of(game, state));
                self.0[0] += 1;
                self.0[1] += u32::from(ahead > once);
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut counts = [0; 2];
    for rules in variants() {
        for (rows, cols, colours) in [(6, 6, 3), (7, 5, 4), (5, 8, 3), (9, 3, 3)] {
            let board = random_board(&mut rng, rows, cols, colours);
            for _ in 0..10 {
                let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), Ahead([0; 2]));
                let ahead = with_game(&board, rules, Objective::Clicks, look).expect("not too large");
                counts.iter_mut().zip(ahead.0).for_each(|(all, count)| *all += count);
            }
        }
    }
    let [seen, more] = counts;
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
            let bound = GameBound::new(game, GameBoundKind::Once).expect("knows clicks");
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
                if here.is_dead_end() || enough > here.0 + 1 {
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
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let mut counts = [0; 2];
    for rules in variants() {
        for (rows, cols, colours) in [(6, 6, 3), (7, 5, 4), (5, 8, 3), (9, 3, 3), (9, 7, 4), (8, 8, 5)] {
            let board = random_board(&mut rng, rows, cols, colours);
            for _ in 0..10 {
                let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), Dismissed([0; 2]));
                let dismissed = with_game(&board, rules, Objective::Clicks, look).expect("not too large");
                counts.iter_mut().zip(dismissed.0).for_each(|(all, count)| *all += count);
            }
        }
    }
    let [kept, dismissed] = counts;
    assert!(kept > 1_000 && dismissed > 1_000, "{kept} kept, {dismissed} dismissed");
}

/// A board of colours from `a` on.
fn drawn(rows: &[&str]) -> Board {
    let colour = |letter: char| if letter == '.' { EMPTY } else { letter as u8 - b'a' };
    let cells = rows.iter().flat_map(|row| row.chars()).map(colour).collect();
    Board::new("drawn", rows.len(), rows[0].len(), cells, usual_symbols(6), Cell::default()).unwrap()
}

/// A board with columns of other heights: some cells of it are gone, and others were put in, at the top or anywhere.
fn mutated(rng: &mut ChaCha8Rng, rows: &[&str]) -> Board {
    let mut below = |most: usize| rng.next_u32() as usize % most;
    let column = |col: usize| rows.iter().rev().map(|row| row.as_bytes()[col]).filter(|&cell| cell != b'.').collect();
    let mut columns: Vec<Vec<u8>> = (0..rows[0].len()).map(column).collect();
    for _ in 0..1 + below(6) {
        let at = below(columns.len());
        let column = &mut columns[at];
        match below(4) {
            0 if column.len() > 1 => drop(column.remove(below(column.len()))),
            1 => column.insert(below(column.len() + 1), b"abde"[below(4)]),
            _ => column.push(b"abde"[below(4)]),
        }
    }
    let high = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |column: &Vec<u8>, height: usize| char::from(column.get(height).copied().unwrap_or(b'.'));
    let row = |height| columns.iter().map(|column| cell(column, height)).collect();
    let rows: Vec<String> = (0..high).rev().map(row).collect();
    drawn(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Boards on which pieces that do not go at once bar each other's two clicks, with every state that can be come to.
#[test]
fn two_clicks_are_not_always_enough() {
    /// How many states there are, and those of which more is said than one click ahead.
    struct Twice;
    impl Visitor for Twice {
        type Output = [u32; 2];

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> [u32; 2] {
            let [ahead, twice] = [GameBoundKind::Ahead, GameBoundKind::Twice]
                .map(|kind| GameBound::new(game, kind).expect("knows clicks where columns stay"));
            let (mut known, mut counts) = (HashMap::new(), [0; 2]);
            let (mut open, mut children) = (vec![game.root()], Vec::new());
            let mut seen = HashSet::from([Plain::of(game, &open[0])]);
            let mut scratch = GameScratch::default();
            while let Some(state) = open.pop() {
                let plain = Plain::of(game, &state);
                let least = plain.least(game.rules(), game.objective(), &mut known).unwrap_or(Cost::MAX);
                let here = twice.evaluate(&state, Cost::MAX, &mut scratch).0;
                let more = here > ahead.evaluate(&state, Cost::MAX, &mut scratch).0;
                assert!(here <= least, "{here} of {least}: {plain:?}");
                counts[0] += 1;
                counts[1] += u32::from(more);
                game.successors(&state, 0, &mut children);
                for child in children.drain(..) {
                    let there = twice.evaluate(&child.state, Cost::MAX, &mut scratch).0;
                    assert!(here <= there.saturating_add(1), "{here} and {there}: {plain:?}");
                    if seen.insert(Plain::of(game, &child.state)) {
                        open.push(child.state);
                    }
                }
            }
            counts
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut counts = [0; 2];
    // A piece is clicked first, then another one that hangs together only then, then the first one again, which nothing
    // else lets go; and what is like that.
    let chained = [
        &["...d.", "..abe", ".bdab", "aabde"][..],
        &["fffff", "fffdf", "ffabf", "fbdae", "aabdb", "aabde"],
        &[".b...", ".f...", ".f..a", ".affd", ".fbda", "ababe", "aadab", "aabde"],
    ];
    for rules in variants().filter(|rules| rules.columns == Columns::Stay) {
        // With single cells that go, the larger ones have too many states.
        for rows in chained.into_iter().filter(|rows| rules.min_group > 1 || rows.len() < 5) {
            with_game(&drawn(rows), rules, Objective::Clicks, Twice).expect("not too large");
        }
        let many = if rules.min_group > 1 { 300 } else { 0 };
        let mut boards: Vec<Board> = (0..many).map(|_| mutated(&mut rng, chained[0])).collect();
        for (rows, cols, colours) in [(6, 4, 3), (5, 5, 3), (4, 6, 3), (8, 3, 3), (5, 4, 4)] {
            boards.extend((0..3).map(|_| random_board(&mut rng, rows, cols, colours)));
        }
        for board in boards {
            let of_board = with_game(&board, rules, Objective::Clicks, Twice).expect("not too large");
            counts.iter_mut().zip(of_board).for_each(|(all, count)| *all += count);
        }
    }
    let [all, more] = counts;
    assert!(all > 100_000 && more > 500, "{more} of {all}");
}

/// Columns of more runs than there is room for, cleared by three clicks.
#[test]
fn what_there_is_no_room_for_is_not_claimed() {
    struct Root;
    impl Visitor for Root {
        type Output = Bound;

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Bound {
            let bound = GameBound::new(game, GameBoundKind::Twice).expect("knows clicks where columns stay");
            bound.evaluate(&game.root(), Cost::MAX, &mut GameScratch::default())
        }
    }
    for high in [50, 60] {
        let striped = "ba".repeat(high / 2);
        let others = ["b".repeat(high) + "a", "a".repeat(high + 1) + "b", "a".repeat(high + 3) + "b"];
        let columns = [&[striped.as_str(); 3][..], &others.each_ref().map(String::as_str)].concat();
        let cell = |row: usize, column: &&str| column.chars().nth(high + 3 - row).unwrap_or('.');
        let rows: Vec<String> =
            (0..high + 4).map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let rules = Rules { columns: Columns::Stay, ..Rules::default() };
        let told = with_game(&drawn(&rows), rules, Objective::Clicks, Root).expect("not too large");
        assert_eq!(told, Bound(3), "{high} cells high");
    }
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
        walk(10, &board, rules, Objective::Clicks, Left);
    }
}
