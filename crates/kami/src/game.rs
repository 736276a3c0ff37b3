//! Games that people play, with the plain rules alone.

use crate::replay::{FreePlay, Move};
use gridhunt_boards::{Board, Cell, EMPTY, Frame, Mark, plural};
use gridhunt_puzzle::{GameStatus, Gameplay, LegalMove, PuzzleError, Result, position_after};

/// Writes a move as text: row, column, colour.
pub(crate) fn move_name(board: &Board, Move { cell, colour }: Move) -> String {
    format!("{cell},{}", board.symbols()[usize::from(colour)])
}

/// Parses the name of a move; `None` if the board has no such cell or colour.
pub(crate) fn parse_move(board: &Board, name: &str) -> Option<Move> {
    let mut parts = name.splitn(3, ',').map(str::trim);
    let mut from_one = || parts.next()?.parse::<usize>().ok()?.checked_sub(1);
    let (row, col) = (from_one()?, from_one()?);
    let colour = parts.next()?;
    let colour = board.symbols().iter().position(|symbol| symbol == colour)?;
    (row < board.rows() && col < board.cols()).then_some(Move { cell: Cell { row, col }, colour: colour as u8 })
}

/// Draws the board after the moves so far. The caption begins with `head`.
pub(crate) fn frame(board: &Board, play: &FreePlay<'_>, target: Option<u8>, head: &str) -> Frame {
    let (left, colour) = play.cells_left(target);
    let symbol = &board.symbols()[usize::from(colour)];
    let caption = format!("{head}, {} to get colour {symbol}", plural(left, "cell"));
    let cells: Vec<_> = play.cells().iter().map(|&cell| (cell != EMPTY).then_some(cell)).collect();
    Frame { caption, marks: vec![Mark::None; cells.len()], cells }
}

/// A game that somebody plays.
#[derive(Clone)]
pub(crate) struct FreeGame<'b> {
    pub board: &'b Board,
    pub play: FreePlay<'b>,
    pub target: Option<u8>,
    pub moves: usize,
}

impl Gameplay for FreeGame<'_> {
    /// The moves: each area with each colour that it does not have. The cells of a choice are those of the area.
    fn legal_moves(&self) -> Vec<LegalMove> {
        let mut choices = Vec::new();
        if self.status().is_over {
            return choices;
        }
        for index in 0..self.play.cells().len() {
            let area_colour = self.play.cells()[index];
            let cells = self.play.area(index);
            if area_colour == EMPTY || cells[0] < index {
                continue;
            }
            for colour in (0..self.board.colours() as u8).filter(|&colour| colour != area_colour) {
                let name = move_name(self.board, Move { cell: self.board.cell(index), colour });
                let colour = Some(self.board.symbols()[usize::from(colour)].clone());
                choices.push(LegalMove { name, cells: cells.clone(), colour });
            }
        }
        choices
    }

    fn play(&mut self, name: &str) -> Result<()> {
        let number = self.moves + 1;
        let unknown = || {
            let expected = "an area and a colour of the board: row,column,colour";
            PuzzleError::invalid_solution(self.board, format!("move {number}: found {name}, expected {expected}"))
        };
        let mv = parse_move(self.board, name).ok_or_else(unknown)?;
        self.play.play(number, mv).map_err(|error| PuzzleError::invalid_solution(self.board, error))?;
        self.moves = number;
        Ok(())
    }

    fn is_name_of(&self, name: &str, choice: &LegalMove) -> bool {
        let [named, listed] = [name, &choice.name].map(|name| parse_move(self.board, name));
        named.zip(listed).is_some_and(|(named, listed)| {
            named.colour == listed.colour && choice.cells.contains(&self.board.index(named.cell))
        })
    }

    fn fork(&self) -> Box<dyn Gameplay + '_> {
        Box::new(self.clone())
    }

    fn status(&self) -> GameStatus {
        GameStatus::of_counted_moves(self.moves, self.play.cells_left(self.target).0 == 0)
    }

    fn frame(&self) -> Frame {
        frame(self.board, &self.play, self.target, &plural(self.moves, "move"))
    }

    fn position(&self) -> Result<Board> {
        position_after(self.board, self.moves, self.play.cells().to_vec())
    }
}
