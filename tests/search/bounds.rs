//! Every lower bound against the exact distance, on all floods of exhaustively solved boards.

use crate::common::{Exhaustive, board, children, is_long, random_board, rng, with_puzzle};
use gridhunt_boards::{Board, Cell};
use gridhunt_floodit::bits;
use gridhunt_floodit::{BoundKind, BoundScratch, Flood, FloodBound, FloodIt, Regions, Visitor};
use gridhunt_search::domain::{Cost, Domain, LowerBound};
use rand::Rng;

/// Checks all floods of a board; returns how many bounds it looked at.
struct Check<'a> {
    board: &'a Board,
    exact: &'a Exhaustive,
}

impl Check<'_> {
    fn state<const W: usize>(&self, puzzle: &FloodIt<W>, regions: &Regions, cells: u64) -> Flood<W> {
        let mut set = bits::empty();
        (0..self.board.cells().len())
            .filter(|cell| cells >> cell & 1 == 1)
            .for_each(|cell| bits::insert(&mut set, regions.of_cell[cell]));
        puzzle.flood(set)
    }
}

impl Visitor for Check<'_> {
    type Output = usize;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> usize {
        let regions = Regions::of(self.board);
        let mut bounds = BoundKind::ALL.map(|kind| (FloodBound::new(puzzle, kind), BoundScratch::default()));
        let mut looked_at = 0;
        for (&flood, &exact) in &self.exact.distance {
            let state = self.state(puzzle, &regions, flood);
            for (bound, scratch) in &mut bounds {
                let h = bound.evaluate(&state, Cost::MAX, scratch).0;
                assert!(h <= exact, "{} says {h}, {exact} moves suffice: {flood:b} of {:?}", bound.name(), self.board);
                assert_eq!(h == 0, exact == 0, "{} at {flood:b} of {:?}", bound.name(), self.board);
                for enough in 0..=h {
                    let early = bound.evaluate(&state, enough, scratch).0;
                    assert!((enough..=h).contains(&early), "{} stops at {early} for {enough}, {h}", bound.name());
                }
                assert!(bound.is_consistent());
                for child in children(self.board, flood) {
                    let child = self.state(puzzle, &regions, child);
                    let next = bound.evaluate(&child, Cost::MAX, scratch).0;
                    assert!(h <= next + 1, "{} falls from {h} to {next}: {flood:b} of {:?}", bound.name(), self.board);
                }
                looked_at += 1;
            }
            let mut key = vec![0; puzzle.key_len()];
            puzzle.pack(&state, &mut key);
            let mut unpacked = puzzle.root();
            puzzle.unpack(&key, &mut unpacked);
            assert_eq!(state, unpacked);
            assert_eq!(puzzle.terminal_cost(&state), (exact == 0).then_some(0));
        }
        looked_at
    }
}

fn check(board: &Board) -> usize {
    let exact = Exhaustive::solve(board);
    with_puzzle(board, Check { board, exact: &exact })
}

#[test]
fn all_boards_of_three_by_three_with_three_colours() {
    let mut looked_at = 0;
    for code in 0..3_usize.pow(9) {
        let cells = (0..9).map(|k| (code / 3_usize.pow(k) % 3) as u8).collect();
        looked_at += check(&board(3, 3, 3, cells, Cell::default()));
    }
    assert!(looked_at > 250_000, "{looked_at} bounds");
}

#[test]
fn random_boards() {
    let mut rng = rng(1);
    let long = is_long();
    for _ in 0..if long { 20_000 } else { 500 } {
        let (rows, cols) = (rng.random_range(1..=6), rng.random_range(2..=6));
        let colours = rng.random_range(2..=6);
        check(&random_board(&mut rng, rows, cols, colours));
    }
}

#[test]
fn random_boards_of_seven_by_seven() {
    let mut rng = rng(2);
    for colours in 2..=4 {
        for _ in 0..12 {
            check(&random_board(&mut rng, 7, 7, colours));
        }
    }
}
