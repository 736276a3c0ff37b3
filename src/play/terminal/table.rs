//! The game that is played.

use crate::play::{ChoiceView, Game, Knowledge, OpenPosition, PlayError, PositionView, SharedGame, link_of, view_of};
use crate::views::watch::Key;
use gridhunt_boards::{Board, EMPTY, Frame, Mark};
use std::collections::HashMap;

/// Seconds that a search for one position may take.
const PATIENCE: f64 = 60.0;

/// What a key asks the program for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOutcome {
    /// Nothing.
    Nothing,
    /// The end of the game.
    Quit,
    /// Another board.
    Another,
}

/// A game with its moves, and what searches have found out about its positions.
#[derive(Clone, Debug)]
pub struct TerminalGame {
    pub(super) game: Game,
    pub(super) board: Board,
    pub(super) moves: Vec<String>,
    /// Moves that were taken back. The last one of the list is made again first.
    redo: Vec<String>,
    known: HashMap<String, Knowledge>,
    pub(super) view: PositionView,
    /// The cell that the keyboard is at.
    pub(super) cursor: usize,
    /// Whether the hint shows.
    pub(super) hints: bool,
    /// Whether the verdicts on all possible moves show.
    pub(super) verdicts: bool,
    /// The best finished game on this board so far.
    pub(super) best: Option<i64>,
    /// A message about the last key, if there is something to say.
    pub(super) message: String,
}

impl TerminalGame {
    /// Opens a game that somebody shares, before its first move, with the value to beat.
    ///
    /// # Errors
    /// As [`TerminalGame::new`].
    pub fn of(SharedGame { game, best, .. }: SharedGame) -> Result<Self, PlayError> {
        let mut table = Self::new(game)?;
        if let Some(best) = best {
            table.message = format!("to beat: {best} {}", table.view.unit);
        }
        Ok(table)
    }

    /// Opens a game, before its first move.
    ///
    /// # Errors
    /// When the game is not allowed, or programs solve its puzzle.
    pub fn new(game: Game) -> Result<Self, PlayError> {
        let (board, known) = (game.board()?, HashMap::new());
        let view = view_of(&game, &[], &known, PATIENCE)?;
        let cursor = board.index(board.start());
        Ok(Self {
            game,
            board,
            moves: Vec::new(),
            redo: Vec::new(),
            known,
            view,
            cursor,
            hints: false,
            verdicts: false,
            best: None,
            message: String::new(),
        })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position that a search should look at next; `None` if everything is known.
    #[must_use]
    pub fn question(&self) -> Option<&OpenPosition> {
        self.view.questions.first()
    }

    /// Adds what a search has found out about a position.
    pub fn add_knowledge(&mut self, key: &str, known: Knowledge) {
        self.known.insert(key.to_owned(), known);
        self.look();
    }

    /// The position, to be drawn.
    pub(super) fn frame(&self) -> Frame {
        let cells = self.view.cells.iter().map(|&cell| (cell != EMPTY).then_some(cell)).collect();
        let marks = self.view.marks.iter().map(|mark| match mark {
            1 => Mark::Area,
            2 => Mark::Point,
            _ => Mark::None,
        });
        Frame { caption: self.view.caption.clone(), cells, marks: marks.collect() }
    }

    /// The cells that the hint means.
    pub(super) fn hinted(&self) -> &[usize] {
        let hint = self.view.hint.as_ref().filter(|_| self.hints);
        let choice = hint.and_then(|hint| self.view.choices.iter().find(|choice| choice.name == hint.name));
        choice.map_or(&[], |choice| &choice.cells)
    }

    /// Handles a key.
    pub fn press(&mut self, key: Key) -> KeyOutcome {
        self.message.clear();
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let (row, col) = (self.cursor / cols, self.cursor % cols);
        match key {
            Key::Letter('q') | Key::Escape => return KeyOutcome::Quit,
            Key::Letter('n') => return KeyOutcome::Another,
            Key::Up => self.cursor = row.saturating_sub(1) * cols + col,
            Key::Down => self.cursor = (row + 1).min(rows - 1) * cols + col,
            Key::Left => self.cursor = row * cols + col.saturating_sub(1),
            Key::Right => self.cursor = row * cols + (col + 1).min(cols - 1),
            Key::Enter | Key::Letter(' ') => self.play_cell(self.cursor),
            Key::Letter('u') => self.undo(),
            Key::Letter('r') => self.redo(),
            Key::Letter('a') => self.again(),
            Key::Letter('h') => self.hint(),
            Key::Letter('o') => self.verdicts = !self.verdicts,
            Key::Letter('s') => self.share(),
            Key::Letter(letter) => self.play_letter(letter),
            Key::PageUp | Key::PageDown => {}
        }
        KeyOutcome::Nothing
    }

    /// Handles a click on a cell.
    pub fn click(&mut self, cell: usize) {
        self.message.clear();
        self.cursor = cell;
        self.play_cell(cell);
    }

    /// Says how the game stands, and how to open it again after the screen is closed; `None` before the first move.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let Game { puzzle, name, rows, cols, .. } = &self.game;
        let result = self.view.end.as_ref().map_or(&self.view.standing, |end| &end.result);
        let link = self.link().ok()?;
        let comma = if name.is_empty() { "" } else { ", " };
        (!self.moves.is_empty()).then(|| format!("{puzzle}, {rows} x {cols}{comma}{name}: {result}\n{link}\n"))
    }

    /// Makes the move of the colour with this symbol. If a colour alone is no move, the move is at the cursor.
    fn play_letter(&mut self, letter: char) {
        let name = letter.to_string();
        let is_meant = |choice: &&ChoiceView| {
            choice.name == name || choice.colour.as_ref() == Some(&name) && choice.cells.contains(&self.cursor)
        };
        if let Some(choice) = self.view.choices.iter().find(is_meant) {
            self.play(choice.name.clone());
        }
    }

    /// Makes the move that a cell stands for.
    fn play_cell(&mut self, cell: usize) {
        match self.view.choices.iter().find(|choice| choice.cells.contains(&cell)) {
            Some(ChoiceView { colour: Some(_), .. }) => {
                "which colour? press its key".clone_into(&mut self.message);
            }
            Some(choice) => self.play(choice.name.clone()),
            None => "this cell is not a move".clone_into(&mut self.message),
        }
    }

    fn play(&mut self, name: String) {
        if self.redo.last() == Some(&name) {
            self.redo.pop();
        } else {
            self.redo.clear();
        }
        self.moves.push(name);
        self.hints = false;
        self.look();
    }

    fn undo(&mut self) {
        match self.moves.pop() {
            Some(name) => self.redo.push(name),
            None => "this is the start of the game".clone_into(&mut self.message),
        }
        self.look();
    }

    fn redo(&mut self) {
        match self.redo.pop() {
            Some(name) => self.moves.push(name),
            None => "no move was taken back".clone_into(&mut self.message),
        }
        self.look();
    }

    /// Begins the same board again.
    fn again(&mut self) {
        self.redo.extend(self.moves.drain(..).rev());
        self.look();
    }

    /// Shows the hint, and makes its move when asked again.
    fn hint(&mut self) {
        match &self.view.hint {
            None => "no good move is known yet".clone_into(&mut self.message),
            Some(hint) if self.hints => {
                let name = hint.name.clone();
                self.play(name);
                self.hints = true;
            }
            Some(_) => self.hints = true,
        }
    }

    /// Shows how to open the game again.
    fn share(&mut self) {
        self.message = self.link().unwrap_or_else(|error| error.error);
    }

    /// The command that opens the game.
    fn link(&self) -> Result<String, PlayError> {
        let shared = SharedGame {
            game: self.game.clone(),
            moves: self.moves.clone(),
            best: self.view.value.filter(|_| self.view.over),
            note: None,
        };
        Ok(format!("gridhunt play '{}'", link_of(&shared)?))
    }

    /// Looks at the position again, after a move or with new knowledge.
    fn look(&mut self) {
        match view_of(&self.game, &self.moves, &self.known, PATIENCE) {
            Ok(view) => {
                if let Some(value) = view.value.filter(|_| view.over) {
                    let is_better = |best: i64| if view.higher_is_better { value > best } else { value < best };
                    if self.best.is_none_or(is_better) {
                        self.best = Some(value);
                    }
                }
                let learned = view.learned.iter().map(|learned| (learned.key.clone(), learned.known.clone()));
                self.known.extend(learned);
                self.view = view;
            }
            Err(error) => self.message = error.error,
        }
    }
}
