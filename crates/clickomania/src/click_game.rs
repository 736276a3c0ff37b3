//! Games that people play, with the plain rules alone.

use crate::replay::ClickPlay;
use crate::{Goal, Options, Rules};
use gridhunt_boards::{Board, Cell, EMPTY, Frame, Mark, plural};
use gridhunt_puzzle::{GameStatus, Gameplay, LegalMove, PuzzleError, Result, position_after};

/// A game that somebody plays.
#[derive(Clone)]
pub struct ClickGame<'b> {
    board: &'b Board,
    options: &'b Options,
    play: ClickPlay<'b>,
    /// The number of cells that each click removed.
    sizes: Vec<usize>,
}

impl<'b> ClickGame<'b> {
    /// Begins a game.
    ///
    /// # Errors
    /// When a cell of the board could still fall, or a column close up.
    pub fn new(board: &'b Board, options: &'b Options) -> Result<Self> {
        Ok(Self { board, options, play: play_clicks(board, options.rules, &[])?, sizes: Vec::new() })
    }
}

impl Gameplay for ClickGame<'_> {
    /// The groups that may be clicked, by their first cells in row order.
    fn legal_moves(&self) -> Vec<LegalMove> {
        let mut seen = vec![false; self.play.cells().len()];
        let mut choices = Vec::new();
        for index in 0..seen.len() {
            if seen[index] {
                continue;
            }
            let cell = self.board.cell(index);
            // An error says that the group is too small, or that the cell is empty.
            let Ok(mut cells) = self.play.group_of(self.sizes.len() + 1, cell) else { continue };
            cells.sort_unstable();
            cells.iter().for_each(|&index| seen[index] = true);
            choices.push(LegalMove { name: cell.to_string(), cells, colour: None });
        }
        choices
    }

    fn play(&mut self, name: &str) -> Result<()> {
        let number = self.sizes.len() + 1;
        let fail = |reason: String| PuzzleError::invalid_solution(self.board, reason);
        let unknown = || fail(format!("click {number}: found {name}, expected a cell: row,column from 1"));
        let cell = parse_cell(name).ok_or_else(unknown)?;
        let size = self.play.click(number, cell).map_err(|error| fail(error.to_string()))?;
        self.sizes.push(size);
        Ok(())
    }

    fn is_name_of(&self, name: &str, choice: &LegalMove) -> bool {
        let is_inside = |cell: &Cell| cell.row < self.board.rows() && cell.col < self.board.cols();
        parse_cell(name).filter(is_inside).is_some_and(|cell| choice.cells.contains(&self.board.index(cell)))
    }

    fn fork(&self) -> Box<dyn Gameplay + '_> {
        Box::new(self.clone())
    }

    fn status(&self) -> GameStatus {
        let (moves, left) = (self.sizes.len(), self.play.cells_left());
        let Options { goal, scoring, .. } = self.options;
        let points = |&size: &usize| scoring.points.value(u32::try_from(size).unwrap_or(u32::MAX));
        let value = match goal {
            Goal::Clicks => moves as i64,
            // The check of the board has refused a scoring that has no value for a group of this board.
            Goal::Score => self.sizes.iter().map(|size| points(size).unwrap_or(0)).sum(),
            Goal::Clear | Goal::Left => 0,
        };
        let final_value = match goal {
            Goal::Clear | Goal::Clicks => (left == 0).then_some(value),
            Goal::Left => Some(left as i64),
            Goal::Score => self.play.score(scoring, &self.sizes).ok(),
        };
        let mut cells = (0..self.play.cells().len()).map(|index| self.board.cell(index));
        let is_over = cells.all(|cell| self.play.group_of(moves + 1, cell).is_err());
        GameStatus { move_count: moves, value, final_value, is_solved: left == 0, is_over }
    }

    fn move_word(&self) -> &'static str {
        "click"
    }

    fn frame(&self) -> Frame {
        frame(self.board, &self.play, &plural(self.sizes.len(), "click"))
    }

    fn position(&self) -> Result<Board> {
        position_after(self.board, self.sizes.len(), cells_of(&self.play))
    }
}

/// Parses a cell `row,column`, counted from 1.
pub fn parse_cell(name: &str) -> Option<Cell> {
    let (row, col) = name.split_once(',')?;
    let from_one = |text: &str| text.trim().parse::<usize>().ok()?.checked_sub(1);
    Some(Cell { row: from_one(row)?, col: from_one(col)? })
}

/// Plays these clicks. Returns the game after them.
pub fn play_clicks<'b>(board: &'b Board, rules: Rules, clicks: &[Cell]) -> Result<ClickPlay<'b>> {
    let mut play = ClickPlay::new(board, rules).map_err(PuzzleError::invalid_position)?;
    for (number, &cell) in (1..).zip(clicks) {
        play.click(number, cell).map_err(|error| PuzzleError::invalid_solution(board, error))?;
    }
    Ok(play)
}

/// The cells of a game, as [`Board::cells`] has them.
pub fn cells_of(play: &ClickPlay<'_>) -> Vec<u8> {
    play.cells().iter().map(|cell| cell.unwrap_or(EMPTY)).collect()
}

/// Draws the board after the clicks so far. The caption begins with `head`.
pub fn frame(board: &Board, play: &ClickPlay<'_>, head: &str) -> Frame {
    let (left, all) = (play.cells_left(), board.contents().flatten().count());
    let caption = format!("{head}, {left} of {} left", plural(all, "cell"));
    Frame { caption, cells: play.cells().to_vec(), marks: vec![Mark::None; play.cells().len()] }
}
