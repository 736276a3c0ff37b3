//! New boards by difficulty. The default board is proven within seconds, in a browser too.

use super::PlayError;
use super::boards::NewBoard;
use super::game::Game;
use crate::puzzles::PuzzleId;
use serde::Serialize;
use std::collections::BTreeMap;

/// A difficulty of a puzzle.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// The name: `easy`, `medium`, `hard`, `expert`.
    pub name: &'static str,
    /// Its boards, without a seed.
    pub board: NewBoard,
}

/// The level of the default board and of the board of the day.
const DEFAULT_LEVEL: usize = 1;

/// The levels of a puzzle, the easiest one first.
#[must_use]
pub fn levels(puzzle: PuzzleId) -> Vec<Level> {
    let level = |&crate::puzzles::Level { name, side, colours, kind, options }: &crate::puzzles::Level| {
        let options = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let (puzzle, kind) = (puzzle.name().to_owned(), kind.to_owned());
        Level {
            name,
            board: NewBoard { puzzle, rows: side, cols: side, colours, kind, options, ..NewBoard::default() },
        }
    };
    puzzle.info().levels.iter().map(level).collect()
}

fn default_board(puzzle: PuzzleId) -> NewBoard {
    levels(puzzle).swap_remove(DEFAULT_LEVEL).board
}

/// Generates a new default board.
///
/// # Errors
/// When the options do not belong to the puzzle, or have no such value.
pub fn new_game(puzzle: PuzzleId, options: &BTreeMap<String, String>, seed: u64) -> Result<Game, PlayError> {
    let mut board = NewBoard { seed, ..default_board(puzzle) };
    board.options.extend(options.clone());
    board.generate()
}

/// The board of a day, `YYYY-MM-DD`: the same for everybody.
///
/// # Errors
/// When the text is not a date.
pub(super) fn of_day(puzzle: PuzzleId, date: &str) -> Result<Game, PlayError> {
    default_board(puzzle).of_day(date)
}
