//! Saved games of Simon Tatham's puzzles: lines `KEY:LENGTH:VALUE`. The values of two lines, parameters and
//! description, make up a game ID.

use crate::BoardError;
use crate::formats::input::line_source::{Line, LineSource};
use crate::formats::mismatch::quote;
use std::io::BufRead;

pub(crate) struct SavedGame {
    /// The game ID of the board at the start of the game.
    pub id: String,
    /// Whether the player has made moves, which the game ID does not contain.
    pub has_moves: bool,
}

/// The programs whose boards are read.
const GAMES: [&str; 2] = ["Flood", "Same Game"];

/// Whether a line begins a saved game.
pub(crate) fn begins(line: &Line) -> bool {
    field(line).is_some_and(|(key, _)| key == "SAVEFILE")
}

/// The key and the value of a line; `None` for a line of another form, or whose value is cut off.
fn field(line: &Line) -> Option<(&str, &str)> {
    let (key, rest) = line.text.split_once(':')?;
    let (length, value) = rest.split_once(':')?;
    Some((key.trim(), value.get(..length.trim().parse().ok()?)?))
}

/// Reads the game whose first line is `first`, up to the next game or the end of the input.
///
/// # Errors
/// When a line has another form, the game is none of [`GAMES`], or the board is missing.
pub(crate) fn read<R: BufRead>(source: &mut LineSource<R>, first: &Line) -> Result<SavedGame, BoardError> {
    let [mut next_parameters, mut parameters, mut description] = [const { None }; 3];
    let (mut is_known, mut has_moves) = (false, false);
    while source.peek_line().is_some_and(|line| !begins(line)) {
        let Some(line) = source.next_line()? else { break };
        let Some((key, value)) = field(&line) else {
            return source.fail(line.at(1), quote(line.trimmed()), "KEY:LENGTH:VALUE, as in saved games");
        };
        match key {
            "GAME" if !GAMES.contains(&value) => {
                return source.fail(line.at(1), format!("a game of {}", quote(value)), GAMES.join(" or "));
            }
            "GAME" => is_known = true,
            "PARAMS" => next_parameters = Some(value.to_owned()),
            "CPARAMS" => parameters = Some(value.to_owned()),
            "DESC" => description = Some(value.to_owned()),
            "MOVE" => has_moves = true,
            _ => {}
        }
    }
    let Some((parameters, cells)) = parameters.or(next_parameters).zip(description).filter(|_| is_known) else {
        let expected = "the fields GAME, CPARAMS or PARAMS, and DESC";
        return source.fail(first.at(1), "a saved game without a board", expected);
    };
    Ok(SavedGame { id: format!("{parameters}:{cells}"), has_moves })
}
