//! Runs programs of Hopping Bunny with the plain rules on a grid of cells.
//!
//! On a board with several starts all bunnies carry out each instruction together.

use super::replay::plural;
use crate::{Board, Cell, EMPTY, Program, Token, UNMARKED};
use std::collections::HashSet;

/// The most instructions that a replay executes.
pub const MAX_STEPS: u64 = 100_000_000;

/// The direction in which the bunny looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the right.
    East,
    /// Down.
    South,
    /// To the left.
    West,
    /// Up.
    North,
}

impl Direction {
    fn left(self) -> Self {
        match self {
            Self::East => Self::North,
            Self::North => Self::West,
            Self::West => Self::South,
            Self::South => Self::East,
        }
    }

    fn right(self) -> Self {
        self.left().left().left()
    }
}

/// What running a valid program has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramReplay {
    /// The cost of the program.
    pub cost: u32,
    /// The number of instructions executed until every square was marked.
    pub steps: u64,
}

/// Why a program is no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The board is not one of Hopping Bunny.
    #[error("found a board of the colours {colours}, expected squares of the bunny: # and O")]
    NoSquares {
        /// The colours of the board.
        colours: String,
    },
    /// The program ends or repeats itself for ever, and some squares are not marked.
    #[error(
        "after {steps} {}: found {left} {} not marked, expected none; the first is {first}{}",
        plural(*steps as usize, "step"),
        plural(*left, "square"),
        of_part(*part)
    )]
    Incomplete {
        /// The number of executed instructions.
        steps: u64,
        /// The number of unmarked squares.
        left: usize,
        /// The first unmarked square, row by row, of the leftmost part that has one.
        first: Cell,
        /// The part, and the number of starts: see [`ProgramPlay::part_of`].
        part: Option<(usize, usize)>,
    },
    /// The program runs for more than [`MAX_STEPS`] instructions.
    #[error("found more than {MAX_STEPS} steps with {left} {} not marked, expected fewer", plural(*left, "square"))]
    TooLong {
        /// The number of unmarked squares.
        left: usize,
    },
    /// The cost of the program differs from the claimed cost.
    #[error("found {found} {}, expected {claimed}, which the solution claims", plural(*found as usize, "token"))]
    WrongCost {
        /// The cost of the program.
        found: u32,
        /// The claimed cost.
        claimed: u32,
    },
}

/// The part of a square in a message, if the board has several.
fn of_part(part: Option<(usize, usize)>) -> String {
    part.map_or_else(String::new, |(part, parts)| format!(", in part {part} of {parts}"))
}

/// A program running on a board.
#[derive(Clone, Debug)]
pub struct ProgramPlay<'a> {
    board: &'a Board,
    tokens: Vec<Token>,
    /// The index of the next token.
    at: usize,
    /// The open loops: the index of the first token of the body, and the number of repetitions left.
    open: Vec<(usize, Option<u16>)>,
    /// The cell and the direction of each bunny.
    bunnies: Vec<(Cell, Direction)>,
    /// Which cells are unmarked squares, in the order of [`Board::cells`].
    to_mark: Vec<bool>,
    /// The number of unmarked squares.
    left: usize,
    steps: u64,
    /// The number, cell and direction of each bunny at each end of the endless loop since a square was last marked. An
    /// endless loop is never left, so all entries belong to the same loop. An entry that comes up again proves that the
    /// bunny repeats itself and marks nothing more: it marked nothing on the way from the first time to the second.
    seen: HashSet<(usize, Cell, Direction)>,
}

impl<'a> ProgramPlay<'a> {
    /// The state before the first instruction.
    ///
    /// # Errors
    /// When the board is not one of Hopping Bunny.
    pub fn new(board: &'a Board, program: &Program) -> Result<Self, ProgramFault> {
        if !board.is_bunny() {
            return Err(ProgramFault::NoSquares { colours: board.symbols().join(" ") });
        }
        let to_mark: Vec<bool> = board.cells().iter().map(|&cell| cell == UNMARKED).collect();
        Ok(Self {
            board,
            tokens: program.tokens().to_vec(),
            at: 0,
            open: Vec::new(),
            bunnies: board.bunny_starts().into_iter().map(|start| (start, Direction::East)).collect(),
            left: to_mark.iter().filter(|to_mark| **to_mark).count(),
            to_mark,
            steps: 0,
            seen: HashSet::new(),
        })
    }

    /// The cell and the direction of each bunny, in the order of [`Board::bunny_starts`].
    #[must_use]
    pub fn bunnies(&self) -> &[(Cell, Direction)] {
        &self.bunnies
    }

    /// The first unmarked square, row by row, of the first bunny that has one.
    #[must_use]
    pub fn first_unmarked(&self) -> Option<Cell> {
        let first = |is_here: &dyn Fn(usize) -> bool| {
            (0..self.to_mark.len()).find(|&index| self.to_mark[index] && is_here(index))
        };
        let parts = self.board.bunny_starts().into_iter().map(|start| self.connected(start));
        let in_part = parts.into_iter().find_map(|part| first(&|index| part[index]));
        in_part.or_else(|| first(&|_| true)).map(|index| self.board.cell(index))
    }

    /// Which start, counted from 1 in the order of [`Board::bunny_starts`], is connected with a square, and the number
    /// of starts. `None` if there is one start alone, or none is connected with the square.
    #[must_use]
    pub fn part_of(&self, square: Cell) -> Option<(usize, usize)> {
        let starts = self.board.bunny_starts();
        if starts.len() < 2 {
            return None;
        }
        let is_here = self.connected(square);
        let part = starts.iter().position(|start| is_here[self.board.index(*start)])?;
        Some((part + 1, starts.len()))
    }

    /// For each cell, whether it is a square that is connected with this one.
    fn connected(&self, square: Cell) -> Vec<bool> {
        let mut is_reached = vec![false; self.board.cells().len()];
        let mut open = vec![self.board.index(square)];
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut is_reached[index], true) {
                open.extend(self.board.neighbours(index).filter(|&beside| self.board.cells()[beside] != EMPTY));
            }
        }
        is_reached
    }

    /// The number of unmarked squares.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }

    /// The number of executed instructions.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the cell with this index is an unmarked square.
    #[must_use]
    pub fn is_unmarked(&self, index: usize) -> bool {
        self.to_mark[index]
    }

    /// Executes the next instruction and returns it as an index into [`INSTRUCTIONS`](crate::INSTRUCTIONS).
    ///
    /// `None` when every square is marked, the program has ended, or it repeats itself for ever.
    pub fn step(&mut self) -> Option<u8> {
        while self.left > 0 {
            match *self.tokens.get(self.at)? {
                Token::Instruction(instruction) => {
                    self.at += 1;
                    self.carry_out(instruction);
                    return Some(instruction);
                }
                Token::Loop(count) => {
                    self.at += 1;
                    self.open.push((self.at, count));
                }
                Token::End => self.end_of_body()?,
            }
        }
        None
    }

    /// Handles the end of a loop body. `None` when an endless loop repeats itself without marking a square.
    fn end_of_body(&mut self) -> Option<()> {
        let (begin, count) = self.open.last_mut()?;
        match count {
            Some(1) => {
                self.open.pop();
                self.at += 1;
                return Some(());
            }
            Some(count) => *count -= 1,
            None => {
                let mut repeats = true;
                for (number, &(cell, direction)) in self.bunnies.iter().enumerate() {
                    repeats &= !self.seen.insert((number, cell, direction));
                }
                if repeats {
                    return None;
                }
            }
        }
        self.at = *begin;
        Some(())
    }

    fn carry_out(&mut self, instruction: u8) {
        self.steps += 1;
        for number in 0..self.bunnies.len() {
            let (_, direction) = &mut self.bunnies[number];
            match instruction {
                0 => self.hop(number),
                1 => *direction = direction.left(),
                _ => *direction = direction.right(),
            }
        }
    }

    /// Lets one bunny hop.
    fn hop(&mut self, number: usize) {
        let (Cell { row, col }, direction) = self.bunnies[number];
        let ahead = match direction {
            Direction::East => Some((row, col + 1)),
            Direction::South => Some((row + 1, col)),
            Direction::West => col.checked_sub(1).map(|col| (row, col)),
            Direction::North => row.checked_sub(1).map(|row| (row, col)),
        };
        let inside = ahead.filter(|&(row, col)| row < self.board.rows() && col < self.board.cols());
        let Some(ahead) = inside.map(|(row, col)| Cell { row, col }) else { return };
        let index = self.board.index(ahead);
        if self.board.cells()[index] == EMPTY {
            return;
        }
        self.bunnies[number].0 = ahead;
        if std::mem::take(&mut self.to_mark[index]) {
            self.left -= 1;
            self.seen.clear();
        }
    }
}

/// Runs a program and compares its cost with the claimed cost, if there is one.
///
/// # Errors
/// When the board is not one of Hopping Bunny, the program does not mark every square or executes more than
/// [`MAX_STEPS`] instructions, or its cost differs from the claimed one.
pub fn verify_program(
    board: &Board,
    program: &Program,
    claimed_cost: Option<u32>,
) -> Result<ProgramReplay, ProgramFault> {
    let mut play = ProgramPlay::new(board, program)?;
    while play.step().is_some() {
        if play.steps() > MAX_STEPS {
            return Err(ProgramFault::TooLong { left: play.left() });
        }
    }
    let (steps, left, cost) = (play.steps(), play.left(), program.cost());
    match claimed_cost {
        _ if left > 0 => {
            let first = play.first_unmarked().unwrap_or_default();
            Err(ProgramFault::Incomplete { steps, left, first, part: play.part_of(first) })
        }
        Some(claimed) if claimed != cost => Err(ProgramFault::WrongCost { found: cost, claimed }),
        _ => Ok(ProgramReplay { cost, steps }),
    }
}
