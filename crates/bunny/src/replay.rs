//! Runs programs of Hopping Bunny with the plain rules on a grid of cells.

use gridhunt_boards::{Board, Cell, EMPTY, Program, Token, UNMARKED, plural};
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
        [Self::North, Self::East, Self::South, Self::West][self as usize]
    }

    fn right(self) -> Self {
        [Self::South, Self::West, Self::North, Self::East][self as usize]
    }
}

/// The result of running a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramReplay {
    /// The cost of the program.
    pub cost: u32,
    /// The number of instructions executed until every square was marked.
    pub steps: u64,
}

/// Why a program is not a solution.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFault {
    /// The board is not one of Hopping Bunny: it has these colours.
    #[error("found a board of the colours {0}, expected squares of the bunny: # and O")]
    NotABunnyBoard(String),
    /// The program ends or repeats itself for ever, and some squares are not marked.
    #[error(
        "after {}: found {} not marked, expected none; the first is {first}",
        plural(*steps as usize, "step"),
        plural(*left, "square")
    )]
    Incomplete {
        /// The number of executed instructions.
        steps: u64,
        /// The number of unmarked squares.
        left: usize,
        /// The first unmarked square, row by row.
        first: Cell,
    },
    /// The program runs for more than [`MAX_STEPS`] instructions. The field is the number of unmarked squares.
    #[error("found more than {MAX_STEPS} steps with {} not marked, expected fewer", plural(*.0, "square"))]
    TooLong(usize),
    /// The cost of the program differs from the claimed cost.
    #[error("found {}, expected {claimed}, which the solution claims", plural(*found as usize, "token"))]
    WrongCost {
        /// The cost of the program.
        found: u32,
        /// The claimed cost.
        claimed: u32,
    },
}

/// A program running on a board.
#[derive(Clone, Debug)]
pub struct ProgramPlay<'a> {
    board: &'a Board,
    tokens: Vec<Token>,
    /// The index of the next token.
    next_token: usize,
    /// The open loops: the index of the first token of the body, and the number of repetitions left.
    open_loops: Vec<(usize, Option<u16>)>,
    /// The cell and the direction of the bunny.
    bunny: (Cell, Direction),
    /// Which cells are unmarked squares, in the order of [`Board::cells`].
    is_unmarked: Vec<bool>,
    /// The number of unmarked squares.
    unmarked_count: usize,
    steps: u64,
    /// The cell and the direction of the bunny at each end of the endless loop since a square was last marked. An
    /// endless loop is never left, so all entries belong to the same loop. If an entry comes up a second time, the
    /// bunny repeats itself and marks nothing more, because it has marked nothing since the first time.
    visited: HashSet<(Cell, Direction)>,
}

impl<'a> ProgramPlay<'a> {
    /// Begins a run before the first instruction.
    ///
    /// # Errors
    /// When the board is not one of Hopping Bunny.
    pub fn new(board: &'a Board, program: &Program) -> Result<Self, ProgramFault> {
        if !board.is_bunny() {
            return Err(ProgramFault::NotABunnyBoard(board.symbols().join(" ")));
        }
        let is_unmarked: Vec<bool> = board.cells().iter().map(|&cell| cell == UNMARKED).collect();
        Ok(Self {
            board,
            tokens: program.tokens().to_vec(),
            next_token: 0,
            open_loops: Vec::new(),
            bunny: (board.start(), Direction::East),
            unmarked_count: is_unmarked.iter().filter(|is_unmarked| **is_unmarked).count(),
            is_unmarked,
            steps: 0,
            visited: HashSet::new(),
        })
    }

    /// The cell and the direction of the bunny.
    #[must_use]
    pub fn bunny(&self) -> (Cell, Direction) {
        self.bunny
    }

    /// The number of unmarked squares.
    #[must_use]
    pub fn unmarked_count(&self) -> usize {
        self.unmarked_count
    }

    /// The number of executed instructions.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether the cell with this index is an unmarked square.
    #[must_use]
    pub fn is_unmarked(&self, index: usize) -> bool {
        self.is_unmarked[index]
    }

    /// Executes the next instruction and returns it as an index into [`INSTRUCTIONS`](gridhunt_boards::INSTRUCTIONS).
    ///
    /// `None` when every square is marked, the program has ended, or it repeats itself for ever.
    pub fn step(&mut self) -> Option<u8> {
        while self.unmarked_count > 0 {
            match *self.tokens.get(self.next_token)? {
                Token::Instruction(instruction) => {
                    self.next_token += 1;
                    self.execute(instruction);
                    return Some(instruction);
                }
                Token::Loop(count) => {
                    self.next_token += 1;
                    self.open_loops.push((self.next_token, count));
                }
                Token::End => self.end_loop_body()?,
            }
        }
        None
    }

    /// Handles the end of a loop body. `None` when an endless loop repeats itself without marking a square.
    fn end_loop_body(&mut self) -> Option<()> {
        let (begin, count) = self.open_loops.last_mut()?;
        match count {
            Some(1) => {
                self.open_loops.pop();
                self.next_token += 1;
                return Some(());
            }
            Some(count) => *count -= 1,
            None if !self.visited.insert(self.bunny) => return None,
            None => {}
        }
        self.next_token = *begin;
        Some(())
    }

    fn execute(&mut self, instruction: u8) {
        self.steps += 1;
        let direction = &mut self.bunny.1;
        match instruction {
            0 => self.hop(),
            1 => *direction = direction.left(),
            _ => *direction = direction.right(),
        }
    }

    fn hop(&mut self) {
        let (Cell { row, col }, direction) = self.bunny;
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
        self.bunny.0 = ahead;
        if std::mem::take(&mut self.is_unmarked[index]) {
            self.unmarked_count -= 1;
            self.visited.clear();
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
            return Err(ProgramFault::TooLong(play.unmarked_count()));
        }
    }
    let (steps, left, cost) = (play.steps(), play.unmarked_count(), program.cost());
    match claimed_cost {
        _ if left > 0 => {
            let first = play.is_unmarked.iter().position(|is_unmarked| *is_unmarked).unwrap_or_default();
            Err(ProgramFault::Incomplete { steps, left, first: board.cell(first) })
        }
        Some(claimed) if claimed != cost => Err(ProgramFault::WrongCost { found: cost, claimed }),
        _ => Ok(ProgramReplay { cost, steps }),
    }
}
