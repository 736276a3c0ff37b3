//! Flood-It as sets: the contract on which the search that learns rests.

use crate::common::{Exhaustive, random_board, rng, with_puzzle};
use gridhunt_boards::Board;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor};
use gridhunt_search::domain::{Cost, Domain, LowerBound};
use std::collections::HashMap;

/// All floods of a board that the search can meet, as cells, and what each bound says of them.
struct Floods<'a>(&'a Board);

impl Visitor for Floods<'_> {
    type Output = Vec<(u64, Vec<Cost>)>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let bounds = BoundKind::ALL.map(|kind| FloodBound::new(puzzle, kind));
        let of_cell = gridhunt_floodit::Regions::of(self.0).of_cell;
        let (mut found, mut open) = (HashMap::new(), vec![puzzle.root()]);
        while let Some(state) = open.pop() {
            let has = |region: usize| state.flooded[region / 64] >> (region % 64) & 1 == 1;
            let cells = (0..of_cell.len()).filter(|&cell| has(of_cell[cell])).fold(0_u64, |set, cell| set | 1 << cell);
            if found.contains_key(&cells) {
                continue;
            }
            let h = |bound: &FloodBound<'_, W>| bound.evaluate(&state, Cost::MAX, &mut Default::default()).0;
            found.insert(cells, bounds.iter().map(h).collect());
            let mut children = Vec::new();
            puzzle.all_successors(&state, &mut children);
            open.extend(children.into_iter().map(|child| child.state));
        }
        found.into_iter().collect()
    }
}

/// Over all pairs of floods of small boards: a larger flood needs no more moves, and no bound is greater at it.
#[test]
fn larger_floods_are_never_worse_and_bounds_are_antitone() {
    let (mut pairs, mut rng) = (0, rng(41));
    for index in 0..160 {
        let board = random_board(&mut rng, 3 + index % 2, 4, 3 + (index % 3) as u8);
        let floods = with_puzzle(&board, Floods(&board));
        let exact = Exhaustive::with(&board, &floods.iter().map(|flood| flood.0).collect::<Vec<_>>());
        for (small, of_small) in &floods {
            for (large, of_large) in floods.iter().filter(|(large, _)| small & !large == 0) {
                assert!(exact.distance[large] <= exact.distance[small], "board {index}: {small:b} in {large:b}");
                for (kind, (low, high)) in BoundKind::ALL.iter().zip(of_large.iter().zip(of_small)) {
                    assert!(low <= high, "board {index}, {}: {small:b} in {large:b}", kind.name());
                }
                pairs += 1;
            }
        }
    }
    assert!(pairs > 20_000, "{pairs} pairs: too few to tell");
}
