//! Hopping Bunny: a program has to make the bunny hop onto every square that is not marked.
//!
//! A state is a square with a direction. So there are four states for each square that the bunny can reach.

#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod generate;
pub mod replay;
mod task;

pub use generate::{BoardKind, generate_board};
pub use task::BunnyPuzzle;

use gridhunt_boards::{Board, Cell, EMPTY, UNMARKED};
use gridhunt_synthesis::Machine;

/// A board as a machine for programs of `F`, `L` and `R`.
#[derive(Clone, Debug)]
pub struct BunnyMachine {
    /// For each state, square by square, the state after a hop; the state itself if there is no square ahead.
    after_hop: Vec<u16>,
    /// The number of the goal of each square; `None` for a square without a goal.
    goals: Vec<Option<u16>>,
    goal_count: usize,
    unreachable: Option<Cell>,
}

/// The number of directions: east, south, west, north. Each is a right turn from the one before.
const DIRECTIONS: u16 = 4;

impl BunnyMachine {
    /// Makes the machine of the squares that can be reached from the start.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        let exists = |index: usize| board.cells()[index] != EMPTY;
        let mut number_of: Vec<Option<u16>> = vec![None; board.cells().len()];
        let start = board.index(board.start());
        number_of[start] = Some(0);
        let (mut squares, mut at) = (vec![start], 0);
        while let Some(&square) = squares.get(at) {
            for neighbour in board.neighbours(square).filter(|&index| exists(index)) {
                if number_of[neighbour].is_none() {
                    number_of[neighbour] = Some(squares.len() as u16);
                    squares.push(neighbour);
                }
            }
            at += 1;
        }
        let is_goal = |index: usize| board.cells()[index] == UNMARKED;
        let mut goals = Vec::with_capacity(squares.len());
        let mut goal_count = 0;
        for &square in &squares {
            goals.push(is_goal(square).then_some(goal_count));
            goal_count += u16::from(is_goal(square));
        }
        let square_ahead = |square: usize, direction: u16| {
            let Cell { row, col } = board.cell(square);
            let (row, col) = match direction {
                0 => (row, col + 1),
                1 => (row + 1, col),
                2 => (row, col.wrapping_sub(1)),
                _ => (row.wrapping_sub(1), col),
            };
            let inside = row < board.rows() && col < board.cols();
            inside.then(|| number_of[board.index(Cell { row, col })]).flatten()
        };
        let mut after_hop = Vec::with_capacity(squares.len() * usize::from(DIRECTIONS));
        for (number, &square) in (0..).zip(&squares) {
            after_hop.extend((0..DIRECTIONS).map(|dir| square_ahead(square, dir).unwrap_or(number) * DIRECTIONS + dir));
        }
        let unreachable_goal = (0..number_of.len()).find(|&index| number_of[index].is_none() && is_goal(index));
        let unreachable = unreachable_goal.map(|index| board.cell(index));
        Self { after_hop, goals, goal_count: goal_count.into(), unreachable }
    }

    /// The first square, row by row, that is not marked and that the bunny cannot reach. If there is one, no program
    /// solves the board.
    #[must_use]
    pub fn unreachable(&self) -> Option<Cell> {
        self.unreachable
    }
}

impl Machine for BunnyMachine {
    fn states(&self) -> usize {
        self.after_hop.len()
    }

    fn goals(&self) -> usize {
        self.goal_count
    }

    /// The bunny is on the start square, which is the first square, and faces east.
    fn start(&self) -> u16 {
        0
    }

    fn instructions(&self) -> u8 {
        3
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        let turn = |quarters| state / DIRECTIONS * DIRECTIONS + (state % DIRECTIONS + quarters) % DIRECTIONS;
        match instruction {
            0 => {
                let next = self.after_hop[usize::from(state)];
                (next, if next == state { None } else { self.goals[usize::from(next / DIRECTIONS)] })
            }
            1 => (turn(3), None),
            _ => (turn(1), None),
        }
    }
}
