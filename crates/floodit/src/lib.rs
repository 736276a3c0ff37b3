//! Flood-It: fill the board with one colour, in the fewest moves.
//!
//! Colours of regions outside the flood never change, so a state is the set of flooded regions. A larger set is never
//! worse: if A is a subset of B, the colours of an optimal solution of A also solve B. Regions that are sure to be
//! flooded in passing count as flooded (`idle.rs`).
//!
//! A move index is a colour, an index into [`Board::symbols`]; every move costs 1.
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod bits;
mod bounds;
mod certificate;
mod game;
mod idle;
mod moves;
mod pddl;
mod puzzle;
mod regions;
pub mod replay;
#[cfg(test)]
mod sample;
mod sets;
mod task;
#[cfg(not(target_family = "wasm"))]
mod veripb;

pub use bounds::{BoundKind, BoundScratch, FloodBound};
pub use pddl::{PDDL_DOMAIN, pddl_problem};
pub use puzzle::{Flood, FloodIt};
pub use regions::Regions;
pub use task::FloodItPuzzle;

use gridhunt_boards::{Board, Cell};
use gridhunt_search::domain::{Cost, Domain, Guidance, MoveIndex, MoveMask, SetMoves, Successor};
use gridhunt_search::platform::IS_SIZE_OPTIMIZED;

impl<const W: usize> Domain for FloodIt<W> {
    type State = Flood<W>;

    fn key_len(&self) -> usize {
        self.regions().div_ceil(8)
    }

    /// Revision 1 had sleep sets, and dropped moves that other moves contained. Revision 0 also had no idle regions.
    fn revision(&self) -> u8 {
        2
    }

    fn set_moves(&self) -> Option<&dyn SetMoves<Flood<W>>> {
        Some(self)
    }

    fn root(&self) -> Flood<W> {
        let mut set = bits::empty();
        bits::insert(&mut set, self.start);
        let start = self.flood(set);
        idle::saturate(self, start, &start.adjacent)
    }

    #[inline]
    fn pack(&self, state: &Flood<W>, key: &mut [u8]) {
        let (words, tail) = key.as_chunks_mut::<8>();
        for (bytes, word) in words.iter_mut().zip(state.flooded) {
            *bytes = word.to_le_bytes();
        }
        if !tail.is_empty() {
            tail.copy_from_slice(&state.flooded[words.len()].to_le_bytes()[..tail.len()]);
        }
    }

    #[inline]
    fn unpack(&self, key: &[u8], state: &mut Flood<W>) {
        *state = self.flood(bits::from_key(key));
    }

    #[inline]
    fn successors(&self, state: &Flood<W>, _: MoveMask, out: &mut Vec<Successor<Flood<W>>>) {
        moves::successors(self, state, out);
    }

    fn all_successors(&self, state: &Flood<W>, out: &mut Vec<Successor<Flood<W>>>) {
        moves::all_successors(self, state, out);
    }

    /// The number of regions that are flooded or touch the flood.
    fn promise(&self, state: &Flood<W>) -> u32 {
        bits::count(&state.flooded) + bits::count(&state.adjacent)
    }

    #[inline]
    fn terminal_cost(&self, state: &Flood<W>) -> Option<Cost> {
        bits::is_empty(&state.adjacent).then_some(0)
    }

    fn guidance(&self) -> Option<&dyn Guidance<Flood<W>>> {
        Some(self)
    }
}

impl<const W: usize> Guidance<Flood<W>> for FloodIt<W> {
    fn greedy_step(&self, state: &mut Flood<W>) -> Option<(MoveIndex, Cost)> {
        let (colour, child) = moves::step(self, state)?;
        *state = child;
        Some((colour as MoveIndex, 1))
    }
}

/// Work on a [`FloodIt`] of the width that the board needs.
pub trait Visitor {
    /// The result of the work.
    type Output;
    /// Does the work.
    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output;
}

/// A board with an empty cell, on which a flood is not defined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{board}: found an empty cell at {cell}, expected a colour in every cell for flood-it, or --domain clickomania"
)]
pub struct EmptyCell {
    /// The board's name.
    pub board: String,
    /// The first empty cell.
    pub cell: Cell,
}

/// Refuses a board with an empty cell.
///
/// # Errors
/// When a cell is empty.
pub fn check_full(board: &Board) -> Result<(), EmptyCell> {
    board.first_empty().map_or(Ok(()), |cell| Err(EmptyCell { board: board.name().to_owned(), cell }))
}

/// Contracts the board and hands the puzzle to `visitor`, with the narrowest states that hold its regions.
///
/// # Errors
/// As [`check_full`].
pub fn with_puzzle<V: Visitor>(board: &Board, visitor: V) -> Result<V::Output, EmptyCell> {
    check_full(board)?;
    let regions = Regions::of(board);
    macro_rules! narrowest {
        ($($width:literal)*) => {
            $(if let Some(puzzle) = FloodIt::<$width>::try_new(&regions, board.colours()) {
                return Ok(visitor.visit(&puzzle));
            })*
        };
    }
    // The search is compiled once for each width. Widths between these would make it less than 3 % faster, or not at
    // all.
    narrowest!(4 8 16);
    if !IS_SIZE_OPTIMIZED {
        narrowest!(24 48);
    }
    // The largest board has MAX_CELLS cells, so it has at most as many regions.
    const WIDEST: usize = (gridhunt_boards::MAX_CELLS + puzzle::SPARE_BITS).div_ceil(64);
    Ok(visitor.visit(&FloodIt::<WIDEST>::new(&regions, board.colours())))
}

#[cfg(test)]
mod tests {
    use super::puzzle::flood;
    use super::sample::{puzzle, random_board, walk};
    use super::*;
    use gridhunt_boards::{MAX_CELLS, usual_symbols};
    use std::collections::HashMap;

    #[test]
    fn packing_is_canonical() {
        // 8 and 16 are whole words of keys and of states; the others are not.
        for (rows, cols) in [(1, 2), (2, 4), (4, 4), (8, 8), (9, 9), (12, 11)] {
            let board = random_board(rows, cols, 5, 3);
            let puzzle = puzzle::<3>(&board);
            assert_eq!(puzzle.key_len(), Regions::of(&board).count().div_ceil(8));
            let mut states = HashMap::new();
            for seed in 0..20 {
                for state in walk(&puzzle, seed) {
                    let mut key = vec![0xFF; puzzle.key_len()];
                    puzzle.pack(&state, &mut key);
                    let mut unpacked = puzzle.flood(puzzle.all_regions);
                    puzzle.unpack(&key, &mut unpacked);
                    assert_eq!(unpacked, state);
                    assert_eq!(*states.entry(key).or_insert(state), state, "equal keys, different states");
                }
            }
            assert_eq!(states.values().filter(|state| puzzle.terminal_cost(state).is_some()).count(), 1);
        }
    }

    #[test]
    fn what_is_near_is_kept_up_to_date() {
        let puzzle = puzzle::<4>(&random_board(14, 14, 6, 5));
        for state in walk(&puzzle, 9) {
            let mut near = bits::empty();
            for region in 0..puzzle.regions() {
                if bits::intersects(&puzzle.neighbours[region], &state.flooded)
                    && !bits::contains(&state.flooded, region)
                {
                    bits::insert(&mut near, region);
                }
            }
            assert_eq!(state.adjacent, near);
            assert_eq!(flood(&puzzle, state.flooded), state, "portable code");
            assert_eq!(puzzle.promise(&state), bits::count(&state.flooded) + bits::count(&near));
            assert_eq!(puzzle.terminal_cost(&state), (state.flooded == puzzle.all_regions).then_some(0));
        }
    }

    struct Width;

    impl Visitor for Width {
        type Output = (usize, usize);

        fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> (usize, usize) {
            (puzzle.regions(), W)
        }
    }

    #[test]
    fn states_are_as_narrow_as_the_board_allows() {
        let mut widths = Vec::new();
        // With two cells of one colour never side by side, every cell is a region.
        let most = [256, 512, 1_024, 1_536, 3_072].map(|bits| bits - puzzle::SPARE_BITS);
        for regions in [2, MAX_CELLS].into_iter().chain(most).chain(most.map(|most| most + 1)) {
            let cells = (0..regions).map(|cell| (cell % 2) as u8).collect();
            let symbols = usual_symbols(2);
            let board = Board::new("row", 1, regions, cells, symbols, Cell::default()).unwrap();
            let (found, width) = with_puzzle(&board, Width).unwrap();
            assert_eq!(found, regions);
            widths.push(width);
        }
        assert_eq!(widths, [4, 157, 4, 8, 16, 24, 48, 8, 16, 24, 48, 157]);
    }
}
