//! Games that people play, move by move, with the plain rules of the puzzle's crate.

use super::PuzzleError;
use gridhunt_boards::{Board, Cell, Frame};

/// A move that the rules allow now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name of the move: a colour by its symbol, or the first cell of a group. Solutions name moves in the same
    /// way.
    pub name: String,
    /// The cells that stand for the move: a click on any of them makes the move. In the order of [`Board::cells`].
    pub cells: Vec<usize>,
    /// The symbol of the colour that the move plays, if other moves have the same cells; otherwise `None`.
    pub colour: Option<String>,
}

/// How a game stands after its last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The number of moves made.
    pub moves: usize,
    /// What the moves so far contribute to the objective value of the whole game: moves, clicks, or points.
    pub value: i64,
    /// The objective value of the whole game if it ended now; `None` if it must not end now.
    pub value_of_end: Option<i64>,
    /// Whether the goal is reached: the board is flooded, or cleared.
    pub is_solved: bool,
    /// Whether no move is left.
    pub is_over: bool,
}

impl Standing {
    /// The standing of a game whose moves are counted, and that ends when it is solved, not before.
    #[must_use]
    pub fn counted(moves: usize, is_solved: bool) -> Self {
        let value = moves as i64;
        Self { moves, value, value_of_end: is_solved.then_some(value), is_solved, is_over: is_solved }
    }
}

/// A game in progress.
///
/// # Contract
/// A game knows the plain rules alone and shares no code with a search. So a position that a game shows is right, even
/// if a search has a fault.
pub trait Gameplay {
    /// The moves that the rules allow now. Empty when the game is over.
    fn choices(&self) -> Vec<Choice>;

    /// The cells that a move takes: those that join the flood, or leave the board. In the order of [`Board::cells`].
    fn takes(&self, choice: &Choice) -> Vec<usize> {
        choice.cells.clone()
    }

    /// Makes a move. A group may be named by any of its cells.
    ///
    /// # Errors
    /// When the rules do not allow the move. The game is unchanged then.
    fn play(&mut self, name: &str) -> Result<(), PuzzleError>;

    /// Whether a name means the move of `choice`. One move may have several names: any cell of an area names the area.
    fn means(&self, name: &str, choice: &Choice) -> bool {
        choice.name == name
    }

    /// Copies the game, to try a move.
    fn fork(&self) -> Box<dyn Gameplay + '_>;

    /// How the game stands.
    fn standing(&self) -> Standing;

    /// What a move is called.
    fn move_word(&self) -> &'static str {
        "move"
    }

    /// The position, to be drawn.
    fn frame(&self) -> Frame;

    /// The position as a board, from which a search may start.
    ///
    /// # Errors
    /// None in practice: a position is a board.
    fn position(&self) -> Result<Board, PuzzleError>;
}

/// A program that ran on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The program in its usual notation.
    pub program: String,
    /// The number of tokens.
    pub tokens: u32,
    /// The first steps.
    pub steps: Vec<ProgramStep>,
    /// The number of all steps, also of those that are not in `steps`.
    pub all: u64,
    /// The number of squares that are not marked at the end.
    pub left: usize,
    /// Why the program does not solve the board; `None` if it does.
    pub fault: Option<String>,
}

/// One instruction of a program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStep {
    /// The letter of the instruction.
    pub instruction: char,
    /// The cell in which the machine is after the instruction.
    pub cell: Cell,
    /// The direction in which the machine looks after the instruction: 0 to 3 for east, south, west, north.
    pub faces: u8,
    /// The number of squares that are not marked after the instruction.
    pub left: usize,
}
