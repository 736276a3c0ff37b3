//! Held against the rules played cell by cell.

use super::*;
use crate::board::{Columns, EMPTY, usual_symbols};
use crate::domain::{Bound, Choice, LowerBound};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{HashMap, HashSet};

/// Columns from the left, each from the bottom; colours from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Plain(pub(super) Vec<Vec<u8>>);

impl Plain {
    pub(super) fn of<T: Column, const C: usize, const P: usize>(
        game: &Game<T, C, P>,
        state: &Position<T, C, P>,
    ) -> Self {
        let column = |col| {
            let heights = 0..game.rows as u32;
            let all: Vec<u8> = heights.map(|height| state.grid().colour((col, height))).collect();
            let top = all.iter().position(|&colour| colour == 0).unwrap_or(all.len());
            assert!(all[top..].iter().all(|&colour| colour == 0), "a cell hangs in the air: {all:?}");
            all[..top].to_vec()
        };
        Self((0..game.cols).map(column).collect())
    }

    /// All groups, each with its leftmost lowest cell first.
    pub(super) fn groups(&self) -> Vec<Vec<(usize, usize)>> {
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        for col in 0..self.0.len() {
            for height in 0..self.0[col].len() {
                if groups.iter().flatten().any(|&cell| cell == (col, height)) {
                    continue;
                }
                let mut group = vec![(col, height)];
                let mut at = 0;
                while let Some(&(c, h)) = group.get(at) {
                    at += 1;
                    let beside = [(c + 1, h), (c.wrapping_sub(1), h), (c, h + 1), (c, h.wrapping_sub(1))];
                    for (c, h) in beside {
                        let colour = self.0.get(c).and_then(|column| column.get(h));
                        if colour == Some(&self.0[col][height]) && !group.contains(&(c, h)) {
                            group.push((c, h));
                        }
                    }
                }
                groups.push(group);
            }
        }
        groups
    }

    fn children(&self, rules: Rules) -> Vec<(Self, u8, u32)> {
        let large = self.groups().into_iter().filter(|group| group.len() >= rules.min_group as usize);
        large
            .map(|group| {
                let mut columns = self.0.clone();
                for (col, column) in columns.iter_mut().enumerate() {
                    let mut height = 0;
                    column.retain(|_| {
                        height += 1;
                        !group.contains(&(col, height - 1))
                    });
                }
                if rules.columns == Columns::Close {
                    let all = columns.len();
                    columns.retain(|column| !column.is_empty());
                    columns.resize(all, Vec::new());
                }
                let (col, height) = group[0];
                (Self(columns), self.0[col][height], group.len() as u32)
            })
            .collect()
    }

    fn of_colour(&self, colour: u8) -> u32 {
        self.0.iter().flatten().filter(|&&one| one == colour).count() as u32
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|column| column.len() as u32).sum()
    }

    /// The least loss from here on: cells left, clicks to clear or what is wanted otherwise; `None` when there is no way.
    fn least(&self, rules: Rules, objective: Objective, known: &mut HashMap<Self, Option<u32>>) -> Option<u32> {
        if let Some(&least) = known.get(self) {
            return least;
        }
        let of_colour = |colour| self.of_colour(colour);
        let here = match objective {
            Objective::Left => Some(self.count()),
            Objective::Score => {
                let missed: u32 = (1..=9).map(|colour| points(of_colour(colour))).sum();
                Some(missed + if self.count() == 0 { 0 } else { CLEARED })
            }
            Objective::Clear | Objective::Clicks => (self.count() == 0).then_some(0),
        };
        let mut least = here;
        for (child, colour, size) in self.children(rules) {
            let before = of_colour(colour);
            let cost = match objective {
                Objective::Clear | Objective::Left => 0,
                Objective::Clicks => 1,
                Objective::Score => points(before) - points(before - size) - points(size),
            };
            let way = child.least(rules, objective, known).map(|rest| rest + cost);
            least = least.into_iter().chain(way).min();
        }
        known.insert(self.clone(), least);
        least
    }
}

pub(super) fn random_board(rng: &mut ChaCha8Rng, rows: usize, cols: usize, colours: u8) -> Board {
    let cells = (0..rows * cols).map(|_| (rng.next_u32() % u32::from(colours)) as u8).collect();
    Board::new("random", rows, cols, cells, usual_symbols(colours.into()), Cell::default()).unwrap()
}

pub(super) fn variants() -> impl Iterator<Item = Rules> {
    let columns = [Columns::Close, Columns::Stay];
    (1..=3).flat_map(move |min_group| columns.map(|columns| Rules { min_group, columns, corner: Corner::BottomLeft }))
}

/// Plays at random to the end and shows each state.
struct Walk<F>(ChaCha8Rng, F);

trait Look {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>);
}

impl<F: Look> Visitor for Walk<F> {
    type Output = F;

    fn visit<T: Column, const C: usize, const P: usize>(mut self, game: &Game<T, C, P>) -> F {
        let mut state = game.root();
        loop {
            self.1.look(game, &state);
            let mut children = Vec::new();
            game.successors(&state, 0, &mut children);
            if children.is_empty() {
                return self.1;
            }
            let chosen = self.0.next_u32() as usize % children.len();
            state = children.swap_remove(chosen).state;
        }
    }
}

fn walk(seed: u64, board: &Board, rules: Rules, objective: Objective, look: impl Look) {
    with_game(board, rules, objective, Walk(ChaCha8Rng::seed_from_u64(seed), look)).expect("not too large");
}

struct Children;

impl Look for Children {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let plain = Plain::of(game, state);
        let mut children = Vec::new();
        game.successors(state, 0, &mut children);
        let expected = plain.children(game.rules());
        assert_eq!(children.len(), expected.len());
        for (number, (child, (expected, ..))) in children.iter().zip(&expected).enumerate() {
            assert_eq!(usize::from(child.mv), number);
            assert_eq!(Plain::of(game, &child.state), *expected, "{plain:?}");
            let anew = Position::new(*child.state.grid());
            assert_eq!(child.state.shape(), anew.shape(), "counted click by click: {plain:?}");
            assert_eq!(child.state.counts(game.colours), anew.counts(game.colours));
            for (colour, &count) in (1..).zip(anew.counts(game.colours)) {
                assert_eq!(expected.of_colour(colour), u32::from(count));
            }
        }
    }
}

#[test]
fn children_are_those_of_the_plain_rules() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let sizes =
        [(1, 1, 2), (1, 9, 2), (9, 1, 3), (4, 4, 3), (16, 16, 5), (5, 16, 7), (12, 12, 9), (17, 3, 2), (32, 32, 3)];
    let larger = [(33, 20, 3), (20, 64, 4), (64, 64, 2), (64, 5, 35)];
    for (rows, cols, colours) in sizes.into_iter().chain(larger) {
        for rules in variants() {
            let board = random_board(&mut rng, rows, cols, colours);
            walk(rng.next_u64(), &board, rules, Objective::Clear, Children);
        }
    }
}

/// Keys and the states behind them.
#[derive(Default)]
struct Packing(HashMap<Vec<u8>, Plain>);

impl Look for Packing {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let mut key = vec![0xFF; game.key_len()];
        game.pack(state, &mut key);
        let mut unpacked = game.root();
        game.unpack(&key, &mut unpacked);
        assert_eq!(unpacked, *state);
        let plain = Plain::of(game, state);
        assert_eq!(*self.0.entry(key).or_insert_with(|| plain.clone()), plain, "equal keys, different states");
    }
}

#[test]
fn packing_is_canonical() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let sizes = [
        (1, 2, 2),
        (8, 8, 3),
        (12, 12, 5),
        (9, 7, 4),
        (16, 16, 7),
        (16, 4, 8),
        (31, 32, 2),
        (64, 64, 7),
        (63, 5, 20),
        (64, 64, 35),
    ];
    for (rows, cols, colours) in sizes {
        for columns in [Columns::Close, Columns::Stay] {
            let board = random_board(&mut rng, rows, cols, colours);
            walk(rng.next_u64(), &board, Rules { columns, ..Rules::default() }, Objective::Clear, Packing::default());
        }
    }
}

struct Shapes;

impl Look for Shapes {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let groups = Plain::of(game, state).groups();
        let shape = state.shape();
        for colour in 1..=game.colours {
            let of_colour = |&(col, height): &(usize, usize)| state.grid().colour((col, height as u32)) == colour;
            let singles = groups.iter().filter(|group| group.len() == 1 && of_colour(&group[0])).count();
            assert_eq!(usize::from(shape.singles.as_ref()[usize::from(colour) - 1]), singles);
        }
        // A hole needs three rows and three columns.
        if game.rows.min(game.cols) < 3 {
            assert_eq!(shape.groups as usize, groups.len());
        } else {
            assert!(shape.groups <= groups.len() as i32);
        }
    }
}

#[test]
fn singles_and_groups_are_counted() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for (rows, cols) in [(2, 16), (16, 2), (1, 9), (12, 12), (2, 40), (64, 2), (30, 30)] {
        for colours in [2, 3, 6] {
            let board = random_board(&mut rng, rows, cols, colours);
            walk(rng.next_u64(), &board, Rules::default(), Objective::Clear, Shapes);
        }
    }
}

/// From each corner the same game is played, turned.
#[test]
fn corners_are_the_same_game_turned() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    struct Clicks<'a>(&'a [MoveIndex]);
    impl Visitor for Clicks<'_> {
        type Output = Vec<Cell>;

        fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Vec<Cell> {
            game.clicks(self.0)
        }
    }
    let (rows, cols) = (7, 5);
    let board = random_board(&mut rng, rows, cols, 3);
    let moves = [3, 0, 2, 1, 0, 0];
    let clicks = |board: &Board, corner| {
        with_game(board, Rules { corner, ..Rules::default() }, Objective::Clear, Clicks(&moves)).expect("not too large")
    };
    let straight = clicks(&board, Corner::BottomLeft);
    assert!(straight.len() > 3);
    for corner in Corner::ALL {
        let turned = |Cell { row, col }: Cell| Cell {
            row: if corner.is_top() { rows - 1 - row } else { row },
            col: if corner.is_right() { cols - 1 - col } else { col },
        };
        let cells =
            (0..rows * cols).map(|at| board.cells()[board.index(turned(Cell { row: at / cols, col: at % cols }))]);
        let other = Board::new("turned", rows, cols, cells.collect(), usual_symbols(3), Cell::default()).unwrap();
        let expected: Vec<Cell> = straight.iter().map(|&cell| turned(cell)).collect();
        assert_eq!(clicks(&other, corner), expected, "{corner}");
    }
}

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

/// A board of colours from `a` on.
fn drawn(rows: &[&str]) -> Board {
    let colour = |letter: char| if letter == '.' { EMPTY } else { letter as u8 - b'a' };
    let cells = rows.iter().flat_map(|row| row.chars()).map(colour).collect();
    Board::new("drawn", rows.len(), rows[0].len(), cells, usual_symbols(6), Cell::default()).unwrap()
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
    // A piece is clicked first, then another one that hangs together only then, then the first one again, which nothing else lets go; and what is like that.
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
        for (rows, cols, colours) in [(6, 4, 3), (5, 5, 3), (4, 6, 3), (8, 3, 3), (5, 4, 4)] {
            for _ in 0..3 {
                let board = random_board(&mut rng, rows, cols, colours);
                let of_board = with_game(&board, rules, Objective::Clicks, Twice).expect("not too large");
                counts.iter_mut().zip(of_board).for_each(|(all, count)| *all += count);
            }
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

/// What is asleep at a child would have come to the same state by a sibling, at the same cost.
#[test]
fn what_is_asleep_goes_before() {
    struct Asleep(u32);
    impl Look for Asleep {
        fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
            let children = |state: &Position<T, C, P>, skip| {
                let mut children = Vec::new();
                game.successors(state, skip, &mut children);
                children
            };
            let siblings = children(state, 0);
            for child in &siblings {
                let awake: Vec<MoveIndex> = children(&child.state, child.asleep).iter().map(|next| next.mv).collect();
                for next in children(&child.state, 0).into_iter().filter(|next| !awake.contains(&next.mv)) {
                    self.0 += 1;
                    let before = siblings.iter().filter(|sibling| sibling.mv < child.mv);
                    let comes = before.flat_map(|sibling| {
                        // It is not asleep there.
                        let next = children(&sibling.state, sibling.asleep).into_iter();
                        next.map(|next| (sibling.cost + next.cost, next.state))
                    });
                    let wanted = (child.cost + next.cost, next.state);
                    assert!(comes.into_iter().any(|other| other == wanted), "{:?}", Plain::of(game, state));
                }
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut asleep = 0;
    for rules in variants() {
        for (rows, cols, colours) in [(1, 20, 2), (4, 9, 3), (3, 40, 3), (7, 8, 4)] {
            let board = random_board(&mut rng, rows, cols, colours);
            let objective = if cols == 9 { Objective::Score } else { Objective::Clicks };
            let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), Asleep(0));
            asleep += with_game(&board, rules, objective, look).expect("not too large").0;
        }
    }
    assert!(asleep > 1_000, "{asleep} moves");
}

/// A playout has the clicks that there are, from the first to the last, makes them as any engine does, and keeps back the colour that there is
/// most of.
#[test]
fn choices_are_clicks() {
    /// Choices by whether they are kept back, and clicks by how many columns close up.
    #[derive(Default)]
    struct Seen {
        kept_back: [u32; 2],
        closed: [u32; 3],
    }
    struct Playout<'a>(ChaCha8Rng, &'a mut Seen);
    impl Visitor for Playout<'_> {
        type Output = ();

        fn visit<T: Column, const C: usize, const P: usize>(mut self, game: &Game<T, C, P>) {
            let standing =
                |state: &Position<T, C, P>| state.grid().cells().iter().filter(|cells| !cells.is_empty()).count();
            let anew = |state: &Position<T, C, P>| {
                let mut choices = Vec::new();
                game.choices(state, &mut choices);
                choices
            };
            let in_order = |choices: &[Choice]| {
                let mut choices = choices.to_vec();
                choices.sort_unstable_by_key(|choice| choice.place);
                choices
            };
            let counts = game.root().counts(game.colours).to_vec();
            let most = counts.iter().max().and_then(|most| (1_u8..).zip(&counts).find(|(_, count)| *count == most));
            let mut state = game.root();
            let mut choices = anew(&state);
            loop {
                let mut children = Vec::new();
                game.successors(&state, 0, &mut children);
                assert_eq!(choices.len(), children.len());
                let codes: HashSet<u64> = choices.iter().map(|choice| choice.code).collect();
                assert_eq!(codes.len(), choices.len(), "groups of the same code");
                let plain = Plain::of(game, &state).children(game.rules());
                let mut made = HashSet::new();
                for (at, choice) in choices.iter().enumerate() {
                    let (mut next, mut after) = (state, choices.clone());
                    let (mv, cost) = game.play(&mut next, &mut after, at);
                    let child = &children[usize::from(mv)];
                    assert_eq!((cost, next, next.shape()), (child.cost, child.state, child.state.shape()));
                    assert_eq!(in_order(&after), anew(&next), "{:?}", Plain::of(game, &state));
                    let is_most = most.is_some_and(|(most, _)| plain[usize::from(mv)].1 == most);
                    assert_eq!(choice.kept_back, is_most && game.objective() == Objective::Score);
                    assert!(made.insert(mv));
                    self.1.kept_back[usize::from(choice.kept_back)] += 1;
                    self.1.closed[(standing(&state) - standing(&next)).min(2)] += 1;
                }
                if choices.is_empty() {
                    return;
                }
                let at = self.0.next_u32() as usize % choices.len();
                game.play(&mut state, &mut choices, at);
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    // As large as states of a kind are, in both directions, and smaller.
    let full = [(16, 16, 3), (32, 9, 2), (9, 32, 2), (64, 3, 3), (3, 64, 2), (5, 16, 9)];
    let smaller = [(6, 6, 3), (15, 15, 5), (20, 33, 4)];
    let mut seen = Seen::default();
    for rules in variants() {
        for (rows, cols, colours) in full.into_iter().chain(smaller) {
            let board = random_board(&mut rng, rows, cols, colours);
            let objective = if rows == 6 { Objective::Clicks } else { Objective::Score };
            let playout = Playout(ChaCha8Rng::seed_from_u64(rng.next_u64()), &mut seen);
            with_game(&board, rules, objective, playout).expect("not too large");
        }
    }
    let Seen { kept_back, closed } = seen;
    assert!(kept_back.into_iter().chain(closed).all(|many| many > 100), "{kept_back:?}, {closed:?}");
}

/// What a way scores is what the ceiling is, less its loss.
#[test]
fn losses_are_scores() {
    struct Way<'a>(ChaCha8Rng, &'a Board);
    impl Visitor for Way<'_> {
        type Output = ();

        fn visit<T: Column, const C: usize, const P: usize>(mut self, game: &Game<T, C, P>) {
            let (mut state, mut loss, mut score) = (game.root(), 0, 0);
            loop {
                let cleared = if Plain::of(game, &state).count() == 0 { 1000 } else { 0 };
                assert_eq!(ceiling(self.1) - loss - game.terminal(&state).unwrap(), score + cleared);
                let mut children = Vec::new();
                game.successors(&state, 0, &mut children);
                if children.is_empty() {
                    return;
                }
                let chosen = self.0.next_u32() as usize % children.len();
                let size = Plain::of(game, &state).children(game.rules())[chosen].2;
                score += size.saturating_sub(2).pow(2);
                loss += children[chosen].cost;
                state = children.swap_remove(chosen).state;
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for rules in variants() {
        let board = random_board(&mut rng, 8, 8, 3);
        let way = Way(ChaCha8Rng::seed_from_u64(rng.next_u64()), &board);
        with_game(&board, rules, Objective::Score, way).expect("not too large");
    }
}
