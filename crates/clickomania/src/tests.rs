//! The game compared with the rules played cell by cell.

use super::*;
use crate::Columns;
use gridhunt_boards::{Cell, Corner, usual_symbols};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::HashMap;

/// The default bonus for a clear, and the points of a click on `n` cells.
const CLEARED: u32 = 1000;

fn points(n: u32) -> u32 {
    n.saturating_sub(2).pow(2)
}

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
        let mut grouped: Vec<Vec<bool>> = self.0.iter().map(|column| vec![false; column.len()]).collect();
        for col in 0..self.0.len() {
            for height in 0..self.0[col].len() {
                if std::mem::replace(&mut grouped[col][height], true) {
                    continue;
                }
                let mut group = vec![(col, height)];
                let mut at = 0;
                while let Some(&(c, h)) = group.get(at) {
                    at += 1;
                    let beside = [(c + 1, h), (c.wrapping_sub(1), h), (c, h + 1), (c, h.wrapping_sub(1))];
                    for (c, h) in beside {
                        let colour = self.0.get(c).and_then(|column| column.get(h));
                        if colour == Some(&self.0[col][height]) && !std::mem::replace(&mut grouped[c][h], true) {
                            group.push((c, h));
                        }
                    }
                }
                groups.push(group);
            }
        }
        groups
    }

    /// The groups that can be clicked.
    fn large_groups(&self, rules: Rules) -> Vec<Vec<(usize, usize)>> {
        self.groups().into_iter().filter(|group| group.len() >= rules.min_group as usize).collect()
    }

    /// The board without a group.
    fn without(&self, group: &[(usize, usize)], rules: Rules) -> Self {
        let mut columns = self.0.clone();
        for &(col, height) in group {
            columns[col][height] = 0;
        }
        columns.iter_mut().for_each(|column| column.retain(|&colour| colour > 0));
        if rules.columns == Columns::Close {
            let all = columns.len();
            columns.retain(|column| !column.is_empty());
            columns.resize(all, Vec::new());
        }
        Self(columns)
    }

    pub(super) fn children(&self, rules: Rules) -> Vec<(Self, u8, u32)> {
        let child = |group: Vec<(usize, usize)>| {
            let (col, height) = group[0];
            (self.without(&group, rules), self.0[col][height], group.len() as u32)
        };
        self.large_groups(rules).into_iter().map(child).collect()
    }

    pub(super) fn of_colour(&self, colour: u8) -> u32 {
        self.0.iter().flatten().filter(|&&one| one == colour).count() as u32
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|column| column.len() as u32).sum()
    }

    /// The least loss from here on: cells left, clicks to clear or what is wanted otherwise; `None` when there is no
    /// way.
    pub(super) fn least(&self, rules: Rules, objective: Goal, known: &mut HashMap<Self, Option<u32>>) -> Option<u32> {
        if let Some(&least) = known.get(self) {
            return least;
        }
        let of_colour = |colour| self.of_colour(colour);
        let here = match objective {
            Goal::Left => Some(self.count()),
            Goal::Score => {
                let missed: u32 = (1..=9).map(|colour| points(of_colour(colour))).sum();
                Some(missed + if self.count() == 0 { 0 } else { CLEARED })
            }
            Goal::Clear | Goal::Clicks => (self.count() == 0).then_some(0),
        };
        let mut least = here;
        for (child, colour, size) in self.children(rules) {
            let before = of_colour(colour);
            let cost = match objective {
                Goal::Clear | Goal::Left => 0,
                Goal::Clicks => 1,
                Goal::Score => points(before) - points(before - size) - points(size),
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
pub(super) struct Walk<F>(pub(super) ChaCha8Rng, pub(super) F);

pub(super) trait Look {
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

pub(super) fn walk(seed: u64, board: &Board, rules: Rules, objective: Goal, look: impl Look) {
    with_game(board, rules, objective, Walk(ChaCha8Rng::seed_from_u64(seed), look)).expect("not too large");
}

struct Children;

impl Look for Children {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let plain = Plain::of(game, state);
        let mut children = Vec::new();
        game.successors(state, 0, &mut children);
        let groups = plain.large_groups(game.rules());
        assert_eq!(children.len(), groups.len());
        assert!(children.iter().map(|child| usize::from(child.mv)).eq(0..groups.len()));
        // Of many some, and others of the next state.
        let step = 1 + groups.len() / 50;
        for (child, group) in children.iter().zip(&groups).skip(plain.count() as usize % step).step_by(step) {
            let expected = plain.without(group, game.rules());
            assert_eq!(Plain::of(game, &child.state), expected, "{plain:?}");
            let anew = Position::new(*child.state.grid());
            assert_eq!(child.state.group_counts(), anew.group_counts(), "counted click by click: {plain:?}");
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
        // The largest boards take most of the time: one set of rules each, groups of 2. The tallest keeps its columns.
        let (skip, most) = if rows * cols > 1_000 { (2 + rows / 64, 1) } else { (0, usize::MAX) };
        for rules in variants().skip(skip).take(most) {
            let board = random_board(&mut rng, rows, cols, colours);
            walk(rng.next_u64(), &board, rules, Goal::Clear, Children);
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
    let small = [(1, 2, 2), (8, 8, 3), (12, 12, 5), (9, 7, 4), (16, 16, 7), (16, 4, 8)];
    let large = [(31, 32, 2), (64, 64, 7), (63, 5, 20), (64, 64, 35)];
    for (rows, cols, colours) in small.into_iter().chain(large) {
        for columns in [Columns::Close, Columns::Stay] {
            let board = random_board(&mut rng, rows, cols, colours);
            walk(rng.next_u64(), &board, Rules { columns, ..Rules::default() }, Goal::Clear, Packing::default());
        }
    }
}

struct Shapes;

impl Look for Shapes {
    fn look<T: Column, const C: usize, const P: usize>(&mut self, game: &Game<T, C, P>, state: &Position<T, C, P>) {
        let groups = Plain::of(game, state).groups();
        let shape = state.group_counts();
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
            walk(rng.next_u64(), &board, Rules::default(), Goal::Clear, Shapes);
        }
    }
}

/// A move that is asleep at a child leads to a state that a sibling reaches at the same cost.
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
                let awake: Vec<MoveIndex> =
                    children(&child.state, child.sleep_set).iter().map(|next| next.mv).collect();
                for next in children(&child.state, 0).into_iter().filter(|next| !awake.contains(&next.mv)) {
                    self.0 += 1;
                    let before = siblings.iter().filter(|sibling| sibling.mv < child.mv);
                    let comes = before.flat_map(|sibling| {
                        // The other move is not asleep at the sibling.
                        let next = children(&sibling.state, sibling.sleep_set).into_iter();
                        next.map(|next| (sibling.cost + next.cost, next.state))
                    });
                    let wanted = (child.cost + next.cost, next.state);
                    assert!(comes.into_iter().any(|other| other == wanted), "{:?}", Plain::of(game, state));
                }
            }
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut sleep_set = 0;
    for rules in variants() {
        for (rows, cols, colours) in [(1, 20, 2), (4, 9, 3), (3, 25, 3), (6, 7, 4)] {
            let board = random_board(&mut rng, rows, cols, colours);
            let objective = if cols == 9 { Goal::Score } else { Goal::Clicks };
            let look = Walk(ChaCha8Rng::seed_from_u64(rng.next_u64()), Asleep(0));
            sleep_set += with_game(&board, rules, objective, look).expect("not too large").0;
        }
    }
    assert!(sleep_set > 1_000, "{sleep_set} moves");
}

/// A rehearsal makes the clicks that there are, at their cost, to the end of the board, and keeps back the colour that
/// there is most of. A kept path can be changed at any place.
#[test]
fn rehearsals_are_clicks() {
    /// Clicks by whether their colour is kept back, and marks that had no click any more.
    #[derive(Default)]
    struct Seen {
        deferred: [u32; 2],
        without: u32,
    }
    struct Rehearsed<'a>(ChaCha8Rng, &'a mut Seen);
    impl Visitor for Rehearsed<'_> {
        type Output = ();

        fn visit<T: Column, const C: usize, const P: usize>(mut self, game: &Game<T, C, P>) {
            let counts = game.root().counts(game.colours).to_vec();
            let most = counts.iter().max().and_then(|most| (1_u8..).zip(&counts).find(|(_, count)| *count == most));
            let deferred = most.map(|(most, _)| most).filter(|_| game.objective() == Goal::Score);
            let mut path = game.local_search_path().expect("of its own");
            for round in 0..6 {
                let len = path.current_len();
                let shared = if len > 0 { self.0.next_u32() as usize % len } else { 0 };
                path.begin_candidate(shared);
                // A click is left out; the later ones follow where they still can.
                for at in shared + 1..len {
                    let (label, before) = (path.current_label(at), path.moves().len());
                    let played = path.try_move(label);
                    assert_eq!(path.moves().len(), before + usize::from(played));
                    self.1.without += u32::from(!played);
                }
                let drawn = path.moves().len();
                while let Some(label) = path.random_label(self.0.next_u32()) {
                    assert!(path.try_move(label));
                }
                let (mut state, mut cost) = (game.root(), 0);
                for (at, &mv) in path.moves().iter().enumerate() {
                    let mut children = Vec::new();
                    game.successors(&state, 0, &mut children);
                    let plain = Plain::of(game, &state).children(game.rules());
                    let is_deferred = |mv: u16| Some(plain[usize::from(mv)].1) == deferred;
                    if at >= drawn {
                        let all = children.iter().all(|child| is_deferred(child.mv));
                        assert!(all || !is_deferred(mv), "a click of the colour that is kept back");
                    }
                    self.1.deferred[usize::from(is_deferred(mv))] += 1;
                    let child = &children[usize::from(mv)];
                    (state, cost) = (child.state, cost + child.cost);
                }
                let mut children = Vec::new();
                game.successors(&state, 0, &mut children);
                assert!(children.is_empty(), "the path goes on to the end, round {round}");
                assert_eq!(path.cost(), game.terminal_cost(&state).map(|stop| cost + stop));
                path.accept();
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
            let objective = if rows == 6 { Goal::Clicks } else { Goal::Score };
            let rehearsed = Rehearsed(ChaCha8Rng::seed_from_u64(rng.next_u64()), &mut seen);
            with_game(&board, rules, objective, rehearsed).expect("not too large");
        }
    }
    let Seen { deferred, without } = seen;
    assert!(deferred.into_iter().chain([without]).all(|many| many > 100), "{deferred:?}, {without}");
}
