//! Games that people play, with the plain rules alone.

use crate::replay::{FloodPlay, ReplayError};
use gridhunt_boards::{Board, Frame, Mark, plural};
use gridhunt_puzzle::{GameStatus, Gameplay, LegalMove, PuzzleError, Result, position_after};
use gridhunt_search::domain::MoveIndex;

/// A game that somebody plays.
#[derive(Clone)]
pub struct FloodGame<'b> {
    board: &'b Board,
    play: FloodPlay<'b>,
    moves: usize,
}

impl<'b> FloodGame<'b> {
    /// Begins a game.
    ///
    /// # Errors
    /// When the board has an empty cell.
    pub fn new(board: &'b Board) -> Result<Self> {
        Ok(Self { board, play: play_moves(board, &[])?, moves: 0 })
    }
}

impl Gameplay for FloodGame<'_> {
    /// All colours of the board but the flood's own.
    fn legal_moves(&self) -> Vec<LegalMove> {
        if self.status().is_over {
            return Vec::new();
        }
        let cells = self.play.cells();
        let flood_colour = cells[self.board.index(self.board.start())];
        let choice = |(colour, name): (u8, &String)| {
            let cells = (0..cells.len()).filter(|&index| cells[index] == colour).collect();
            LegalMove { name: name.clone(), cells, colour: None }
        };
        (0..).zip(self.board.symbols()).filter(|(colour, _)| *colour != flood_colour).map(choice).collect()
    }

    fn cells_taken(&self, choice: &LegalMove) -> Vec<usize> {
        let mut after = self.clone();
        // A move that the rules refuse takes nothing.
        let _ = after.play(&choice.name);
        let (before, after) = (self.play.flooded(), after.play.flooded());
        (0..after.len()).filter(|&index| after[index] && !before[index]).collect()
    }

    fn play(&mut self, name: &str) -> Result<()> {
        let number = self.moves + 1;
        let choices = self.legal_moves();
        if !choices.iter().any(|choice| choice.name == name) {
            let names: Vec<_> = choices.into_iter().map(|choice| choice.name).collect();
            let expected = if names.is_empty() {
                "no move, because the board is solved".to_owned()
            } else {
                format!("a colour of the board that the flood does not have: {}", names.join(" "))
            };
            let reason = format!("move {number}: found {name}, expected {expected}");
            return Err(PuzzleError::invalid_solution(self.board, reason));
        }
        let colour = self.board.symbols().iter().position(|symbol| symbol == name).unwrap_or_default();
        self.play.play(number, colour as u16).map_err(|error| PuzzleError::invalid_solution(self.board, error))?;
        self.moves = number;
        Ok(())
    }

    fn fork(&self) -> Box<dyn Gameplay + '_> {
        Box::new(self.clone())
    }

    fn status(&self) -> GameStatus {
        GameStatus::of_counted_moves(self.moves, self.play.flooded().iter().all(|is_flooded| *is_flooded))
    }

    fn frame(&self) -> Frame {
        frame(self.board, &self.play, &plural(self.moves, "move"))
    }

    fn position(&self) -> Result<Board> {
        position_after(self.board, self.moves, self.play.cells().to_vec())
    }
}

/// Plays these moves. Returns the game after them.
pub fn play_moves<'b>(board: &'b Board, moves: &[MoveIndex]) -> Result<FloodPlay<'b>> {
    let fail = |error: ReplayError| PuzzleError::invalid_solution(board, error);
    let mut play = FloodPlay::new(board).map_err(fail)?;
    (1..).zip(moves).try_for_each(|(number, &colour)| play.play(number, colour)).map_err(fail)?;
    Ok(play)
}

/// Draws the board after the moves so far, with marks on the flood. The caption begins with `head`.
pub fn frame(board: &Board, play: &FloodPlay<'_>, head: &str) -> Frame {
    let flooded = play.flooded();
    let cells = flooded.iter().filter(|f| **f).count();
    let caption = format!("{head}, {cells} of {}", plural(flooded.len(), "cell"));
    let mut marks: Vec<Mark> = flooded.iter().map(|&flooded| if flooded { Mark::Area } else { Mark::None }).collect();
    marks[board.index(board.start())] = Mark::Point;
    Frame { caption, cells: play.cells().iter().copied().map(Some).collect(), marks }
}
