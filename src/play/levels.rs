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
    /// How hard the boards are: `easy`, `medium`, `hard`, `expert`.
    pub name: &'static str,
    /// Its boards, without a seed.
    pub board: NewBoard,
}

/// The level of the default board and of the board of the day.
const DEFAULT_LEVEL: usize = 1;

/// Name, rows and columns, colours, kind, objective.
type Row = (&'static str, usize, usize, &'static str, &'static str);

const FLOOD_IT: [Row; 4] =
    [("easy", 10, 4, "", ""), ("medium", 14, 6, "", ""), ("hard", 20, 6, "", ""), ("expert", 24, 6, "", "")];
const CLICKOMANIA: [Row; 4] = [
    ("easy", 6, 3, "clearable", "clicks"),
    ("medium", 7, 4, "clearable", "clicks"),
    ("hard", 8, 4, "clearable", "clicks"),
    ("expert", 12, 5, "clearable", ""),
];
const BUNNY: [Row; 4] = [
    ("easy", 5, 1, "grown", ""),
    ("medium", 8, 1, "grown", ""),
    ("hard", 8, 1, "random", ""),
    ("expert", 7, 1, "carved", ""),
];

/// The levels of a puzzle, the easiest one first.
#[must_use]
pub fn levels(puzzle: PuzzleId) -> Vec<Level> {
    let rows = match puzzle.name() {
        "clickomania" => CLICKOMANIA,
        "bunny" => BUNNY,
        _ => FLOOD_IT,
    };
    let level = |(name, side, colours, kind, objective): Row| {
        let options = (!objective.is_empty()).then(|| ("objective".to_owned(), objective.to_owned()));
        let (puzzle, kind, options) = (puzzle.name().to_owned(), kind.to_owned(), options.into_iter().collect());
        Level {
            name,
            board: NewBoard { puzzle, rows: side, cols: side, colours, kind, options, ..NewBoard::default() },
        }
    };
    rows.map(level).into()
}

/// The default board, without a seed.
fn default_board(puzzle: PuzzleId) -> NewBoard {
    levels(puzzle).swap_remove(DEFAULT_LEVEL).board
}

/// A new default board.
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
/// When the text is no date.
pub(super) fn of_day(puzzle: PuzzleId, date: &str) -> Result<Game, PlayError> {
    default_board(puzzle).of_day(date)
}
