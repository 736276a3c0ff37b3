//! The plain rules of Hopping Bunny on a grid of cells.

use super::replay::plural;
use crate::board::{Board, Cell, EMPTY, Program, Token, UNMARKED};
use std::collections::HashSet;

/// The most instructions that a replay carries out.
pub const MAX_STEPS: u64 = 100_000_000;

/// Where the bunny looks.
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

/// What a program has done on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramReplay {
    /// What the program costs.
    pub cost: u32,
    /// Instructions that were carried out until everything was marked.
    pub steps: u64,
}

/// Why a program is no solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The board has other colours than squares of the bunny.
    #[error("found a board of the colours {colours}, expected squares of the bunny: # and O")]
    NoSquares {
        /// Its colours.
        colours: String,
    },
    /// It ends, or goes round in circles, and squares are left.
    #[error("after {steps} {}: found {left} {} not marked, expected none", plural(*steps as usize, "step"), plural(*left, "square"))]
    Incomplete {
        /// Instructions carried out.
        steps: u64,
        /// Squares that are not marked.
        left: usize,
    },
    /// It takes longer than anybody waits.
    #[error("found more than {MAX_STEPS} steps with {left} {} not marked, expected fewer", plural(*left, "square"))]
    TooLong {
        /// Squares that are not marked.
        left: usize,
    },
    /// It does not cost what was claimed.
    #[error("found {found} {}, expected {claimed}, which the solution claims", plural(*found as usize, "token"))]
    WrongCost {
        /// The truth.
        found: u32,
        /// The claim.
        claimed: u32,
    },
}

/// A program that runs over a board.
#[derive(Clone, Debug)]
pub struct ProgramPlay<'a> {
    board: &'a Board,
    tokens: &'a [Token],
    /// The next token.
    at: usize,
    /// Loops that have begun: where their bodies begin, and how often they are still to be repeated.
    open: Vec<(usize, Option<u16>)>,
    cell: Cell,
    direction: Direction,
    /// Squares that are to be marked, in the order of the board.
    to_mark: Vec<bool>,
    left: usize,
    steps: u64,
    /// How the bunny stood when an endless loop began again, since a square was marked.
    seen: HashSet<(Cell, Direction)>,
}

impl<'a> ProgramPlay<'a> {
    /// Before the first instruction.
    ///
    /// # Errors
    /// When the board has no squares of the bunny.
    pub fn new(board: &'a Board, program: &'a Program) -> Result<Self, ProgramFault> {
        if !board.is_bunny() {
            return Err(ProgramFault::NoSquares { colours: board.symbols().join(" ") });
        }
        let to_mark: Vec<bool> = board.cells().iter().map(|&cell| cell == UNMARKED).collect();
        Ok(Self {
            board,
            tokens: program.tokens(),
            at: 0,
            open: Vec::new(),
            cell: board.start(),
            direction: Direction::East,
            left: to_mark.iter().filter(|to_mark| **to_mark).count(),
            to_mark,
            steps: 0,
            seen: HashSet::new(),
        })
    }

    /// Where the bunny is, and where it looks.
    #[must_use]
    pub fn bunny(&self) -> (Cell, Direction) {
        (self.cell, self.direction)
    }

    /// Squares that are not marked.
    #[must_use]
    pub fn left(&self) -> usize {
        self.left
    }

    /// Instructions carried out.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether a cell, by its index, is a square that is not marked.
    #[must_use]
    pub fn is_unmarked(&self, index: usize) -> bool {
        self.to_mark[index]
    }

    /// Carries out the next instruction; gives its letter's place in [`INSTRUCTIONS`](crate::board::INSTRUCTIONS). `None` when
    /// everything is marked, the program ends, or it goes round in circles for ever.
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

    fn end_of_body(&mut self) -> Option<()> {
        let (begin, count) = self.open.last_mut()?;
        match count {
            Some(1) => {
                self.open.pop();
                self.at += 1;
                return Some(());
            }
            Some(count) => *count -= 1,
            None if !self.seen.insert((self.cell, self.direction)) => return None,
            None => {}
        }
        self.at = *begin;
        Some(())
    }

    fn carry_out(&mut self, instruction: u8) {
        self.steps += 1;
        match instruction {
            0 => self.hop(),
            1 => self.direction = self.direction.left(),
            _ => self.direction = self.direction.right(),
        }
    }

    fn hop(&mut self) {
        let Cell { row, col } = self.cell;
        let ahead = match self.direction {
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
        self.cell = ahead;
        if std::mem::take(&mut self.to_mark[index]) {
            self.left -= 1;
            self.seen.clear();
        }
    }
}

/// Runs a program and compares its cost with what was claimed.
///
/// # Errors
/// When it does not mark every square, takes more than [`MAX_STEPS`], or costs something else.
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
        _ if left > 0 => Err(ProgramFault::Incomplete { steps, left }),
        Some(claimed) if claimed != cost => Err(ProgramFault::WrongCost { found: cost, claimed }),
        _ => Ok(ProgramReplay { cost, steps }),
    }
}
