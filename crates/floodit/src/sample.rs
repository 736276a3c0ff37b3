//! Boards and states for the unit tests of Flood-It.

use super::{Flood, FloodIt, Regions};
use gridhunt_boards::{Board, Cell, GenerateSpec, Start, generate, usual_symbols};
use gridhunt_search::domain::Domain;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Makes a board of digits, with the start at (`row`, `col`), from 0.
pub(super) fn board(lines: &[&str], row: usize, col: usize) -> Board {
    let cells: Vec<u8> = lines.concat().bytes().map(|b| b - b'1').collect();
    let colours = cells.iter().max().map_or(0, |&c| usize::from(c) + 1);
    Board::new("sample", lines.len(), lines[0].len(), cells, usual_symbols(colours), Cell { row, col }).unwrap()
}

/// Generates a random board.
pub(super) fn random_board(rows: usize, cols: usize, colours: usize, index: u64) -> Board {
    generate(&GenerateSpec { rows, cols, colours, seed: 17, start: Start::Centre }, index).unwrap()
}

/// The puzzle on a board of at most `64 * W` regions.
pub(super) fn puzzle<const W: usize>(board: &Board) -> FloodIt<W> {
    FloodIt::new(&Regions::of(board), board.colours())
}

/// The states of a random way to the goal, both ends included.
pub(super) fn walk<const W: usize>(puzzle: &FloodIt<W>, seed: u64) -> Vec<Flood<W>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut states, mut children) = (vec![puzzle.root()], Vec::new());
    loop {
        children.clear();
        puzzle.successors(&states[states.len() - 1], 0, &mut children);
        if children.is_empty() {
            return states;
        }
        states.push(children[random.next_u32() as usize % children.len()].state);
    }
}
