//! Games that people play, move by move, with the plain rules of the puzzle's crate.

use super::PuzzleError;
use gridhunt_boards::{Board, Cell, Frame};

/// A move that the rules allow now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegalMove {
    /// The name of the move: a colour by its symbol, or the first cell of a group. Solutions name moves in the same
    /// way.
    pub name: String,
    /// The cells of the move, as indices into [`Board::cells`], in rising order. A click on any of them makes the move.
    pub cells: Vec<usize>,
    /// The symbol of the colour that the move plays, if other moves have the same cells; otherwise `None`.
    pub colour: Option<String>,
}

/// The status of a game after its last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameStatus {
    /// The number of moves made.
    pub move_count: usize,
    /// The objective value of the moves so far: moves, clicks, or points.
    pub value: i64,
    /// The objective value of the whole game if it ended now; `None` if it must not end now.
    pub final_value: Option<i64>,
    /// Whether the goal is reached: the board is flooded, or cleared.
    pub is_solved: bool,
    /// Whether no move is left.
    pub is_over: bool,
}

impl GameStatus {
    /// The status of a game whose value is the number of moves, and which ends only when it is solved.
    #[must_use]
    pub fn of_counted_moves(move_count: usize, is_solved: bool) -> Self {
        let value = move_count as i64;
        Self { move_count, value, final_value: is_solved.then_some(value), is_solved, is_over: is_solved }
    }
}

/// A game in progress.
///
/// # Contract
/// A game uses only the plain rules and shares no code with a search. A fault of a search cannot make its positions
/// wrong.
pub trait Gameplay {
    /// The moves that the rules allow now. Empty when the game is over.
    fn legal_moves(&self) -> Vec<LegalMove>;

    /// The cells that join the flood, or leave the board, as indices into [`Board::cells`], in rising order.
    fn cells_taken(&self, legal_move: &LegalMove) -> Vec<usize> {
        legal_move.cells.clone()
    }

    /// Makes a move. A group may be named by any of its cells.
    ///
    /// # Errors
    /// When the rules do not allow the move. The game is unchanged then.
    fn play(&mut self, name: &str) -> Result<(), PuzzleError>;

    /// Whether `name` denotes `legal_move`. A move may have several names: any cell of an area names the area.
    fn is_name_of(&self, name: &str, legal_move: &LegalMove) -> bool {
        legal_move.name == name
    }

    /// Copies the game, to try a move.
    fn fork(&self) -> Box<dyn Gameplay + '_>;

    /// The status of the game.
    fn status(&self) -> GameStatus;

    /// The word for a move.
    fn move_word(&self) -> &'static str {
        "move"
    }

    /// The position, to be drawn.
    fn frame(&self) -> Frame;

    /// The position as a board, from which a search may start.
    ///
    /// # Errors
    /// Never in practice: every position is a board.
    fn position(&self) -> Result<Board, PuzzleError>;
}

/// A program that ran on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRun {
    /// The program in its usual notation.
    pub program: String,
    /// The number of tokens.
    pub token_count: u32,
    /// The first steps.
    pub steps: Vec<ProgramStep>,
    /// The number of all steps, including those that `steps` omits.
    pub step_count: u64,
    /// The number of unmarked squares at the end.
    pub unmarked_count: usize,
    /// Why the program does not solve the board; `None` if it does.
    pub failure: Option<String>,
}

/// One instruction of a program that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramStep {
    /// The letter of the instruction.
    pub instruction: char,
    /// The cell of the machine after the instruction.
    pub cell: Cell,
    /// The direction of the machine after the instruction: 0 to 3 for east, south, west, north.
    pub direction: u8,
    /// The number of unmarked squares after the instruction.
    pub unmarked_count: usize,
}
