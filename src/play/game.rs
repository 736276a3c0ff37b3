//! A board with its puzzle and rules, in the form of pages and links.

use super::PlayError;
use crate::hunt::{Config, ConfigError, Request};
use crate::puzzles::{Objective, PuzzleId, Task, join_names, option_named};
use gridhunt_boards::{Board, Cell, cell_colours};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A board with its puzzle and rules. Each question contains the whole game, so no answer depends on an earlier
/// question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// The name of the puzzle, as `--domain` takes it.
    pub puzzle: String,
    /// The name of the board.
    #[serde(default)]
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The colour of each cell, row by row, as an index into `symbols`; 255 for an empty cell.
    pub cells: Vec<u8>,
    /// The names of the colours.
    pub symbols: Vec<String>,
    /// The colour of each of `symbols` as `#rrggbb`, for drawing the board. A question does not need it.
    #[serde(default)]
    pub colours: Vec<String>,
    /// Row and column of the start cell, from 0.
    #[serde(default)]
    pub start: (usize, usize),
    /// Objective, rules and scoring, with the names and values of the long flags of `solve`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// The limit of moves that the player has set. The game may continue beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A game whose board and rules were checked.
#[derive(Clone, Debug)]
pub(super) struct CheckedGame {
    pub(super) board: Board,
    pub(super) request: Request,
    pub(super) objective: Objective,
}

/// The request for a puzzle with these options.
///
/// # Errors
/// When there is no such puzzle or option, or an option has no such value.
pub(super) fn request_of(puzzle: &str, options: &BTreeMap<String, String>) -> Result<Request, PlayError> {
    let domain: PuzzleId = puzzle.parse().map_err(PlayError::new)?;
    if let Some(key) = options.keys().find(|key| option_named(key).is_none()) {
        let known = join_names(crate::puzzles::options().map(|(_, option)| option.name));
        return Err(PlayError::new(format!("found the option {key}, expected one of {known}")));
    }
    let mut options = options.clone();
    options.insert("domain".to_owned(), domain.name().to_owned());
    let config = Config::from_texts(&options).map_err(PlayError::new)?;
    let request = Request { threads: 1, ..config.request() };
    request.check().map_err(PlayError::new)?;
    Ok(request)
}

impl CheckedGame {
    /// The task of the board under the rules of the game.
    ///
    /// # Errors
    /// Never in practice: the board and the rules were checked.
    pub(super) fn task(&self) -> Result<Box<dyn Task + '_>, PlayError> {
        self.request.task(&self.board).map_err(PlayError::new)
    }
}

impl Game {
    /// The configuration of the puzzle, the objective and the rules.
    ///
    /// # Errors
    /// When there is no such puzzle or option, or an option has no such value.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let domain = [("domain".to_owned(), self.puzzle.clone())];
        Config::from_texts(&self.options.clone().into_iter().chain(domain).collect())
    }

    /// The game of a board that was read or generated for `puzzle`, with these options.
    #[must_use]
    pub fn of(board: &Board, puzzle: PuzzleId, options: &BTreeMap<String, String>) -> Self {
        Self {
            puzzle: puzzle.name().to_owned(),
            name: board.name().to_owned(),
            rows: board.rows(),
            cols: board.cols(),
            cells: board.cells().to_vec(),
            symbols: board.symbols().to_vec(),
            colours: cell_colours(board).iter().map(|rgb| format!("#{rgb:06x}")).collect(),
            start: (board.start().row, board.start().col),
            options: options.clone(),
            limit: None,
        }
    }

    /// The game of a board with the puzzle, the objective, the rules and the scoring of a configuration.
    #[must_use]
    pub fn with_config(board: &Board, config: &Config) -> Self {
        Self::of(board, config.domain.unwrap_or_default(), &Self::options_of(config))
    }

    /// The options that a configuration gives to games.
    #[must_use]
    pub fn options_of(config: &Config) -> BTreeMap<String, String> {
        config.options.iter().map(|(option, text)| (option.name.to_owned(), text.to_owned())).collect()
    }

    /// The board of the game.
    ///
    /// # Errors
    /// When the game is not allowed.
    pub fn board(&self) -> Result<Board, PlayError> {
        Ok(self.check()?.board)
    }

    /// Checks the game.
    ///
    /// # Errors
    /// When the board, the options, or both together are not allowed.
    pub(super) fn check(&self) -> Result<CheckedGame, PlayError> {
        let request = request_of(&self.puzzle, &self.options)?;
        let start = Cell { row: self.start.0, col: self.start.1 };
        let name = if self.name.is_empty() { "board" } else { &self.name };
        let board = Board::new(name, self.rows, self.cols, self.cells.clone(), self.symbols.clone(), start);
        let board = board.map_err(PlayError::new)?;
        let objective = request.task(&board).map_err(PlayError::new)?.info().objective;
        Ok(CheckedGame { board, request, objective })
    }
}
