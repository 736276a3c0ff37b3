//! A game in a terminal.

use crate::play::{ChoiceView, Game, Knowledge, OpenPosition, PlayError, PositionView, SharedGame};
use crate::views::watch::Key;
use gridhunt_boards::{Board, EMPTY, Frame, Mark};
use std::collections::HashMap;

/// The most seconds of a search for one position.
const SEARCH_SECONDS: f64 = 60.0;

/// What the program does next, after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOutcome {
    /// Nothing.
    Nothing,
    /// Ends the game.
    Quit,
    /// Starts the next board.
    NextBoard,
}

/// A game with its moves, and the knowledge of its positions.
#[derive(Clone, Debug)]
pub struct TerminalGame {
    pub(super) game: Game,
    pub(super) board: Board,
    pub(super) moves: Vec<String>,
    /// The undone moves; the last one is redone first.
    undone: Vec<String>,
    known: HashMap<String, Knowledge>,
    pub(super) view: PositionView,
    pub(super) cursor: usize,
    pub(super) shows_hint: bool,
    pub(super) shows_verdicts: bool,
    /// The best finished game on this board so far.
    pub(super) best: Option<i64>,
    /// The message about the last key.
    pub(super) message: String,
}

impl TerminalGame {
    /// Opens a shared game, before its first move, with the value to beat.
    ///
    /// # Errors
    /// As [`TerminalGame::new`].
    pub fn of(SharedGame { game, best, .. }: SharedGame) -> Result<Self, PlayError> {
        let mut opened = Self::new(game)?;
        if let Some(best) = best {
            opened.message = format!("to beat: {best} {}", opened.view.unit);
        }
        Ok(opened)
    }

    /// Opens a game, before its first move.
    ///
    /// # Errors
    /// When the game is not allowed, or programs solve its puzzle.
    pub fn new(game: Game) -> Result<Self, PlayError> {
        let (board, known) = (game.board()?, HashMap::new());
        let view = PositionView::of(&game, &[], &known, SEARCH_SECONDS)?;
        let cursor = board.index(board.start());
        Ok(Self {
            game,
            board,
            moves: Vec::new(),
            undone: Vec::new(),
            known,
            view,
            cursor,
            shows_hint: false,
            shows_verdicts: false,
            best: None,
            message: String::new(),
        })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The position to search next; `None` if no position needs a search.
    #[must_use]
    pub fn next_search(&self) -> Option<&OpenPosition> {
        self.view.questions.first()
    }

    /// Adds the knowledge from a search of a position.
    pub fn add_knowledge(&mut self, key: &str, known: Knowledge) {
        self.known.insert(key.to_owned(), known);
        self.update_view();
    }

    pub(super) fn frame(&self) -> Frame {
        let cells = self.view.cells.iter().map(|&cell| (cell != EMPTY).then_some(cell)).collect();
        let marks = self.view.marks.iter().map(|mark| match mark {
            1 => Mark::Area,
            2 => Mark::Point,
            _ => Mark::None,
        });
        Frame { caption: self.view.caption.clone(), cells, marks: marks.collect() }
    }

    /// The cells of the hint, if it shows.
    pub(super) fn hint_cells(&self) -> &[usize] {
        let hint = self.view.hint.as_ref().filter(|_| self.shows_hint);
        let choice = hint.and_then(|hint| self.view.choices.iter().find(|choice| choice.name == hint.name));
        choice.map_or(&[], |choice| &choice.cells)
    }

    /// Handles a key. A letter of a command is a colour only with Shift.
    pub fn press(&mut self, key: Key) -> KeyOutcome {
        self.message.clear();
        let key = match key {
            Key::Letter(capital) if capital.is_ascii_uppercase() => {
                let letter = capital.to_ascii_lowercase();
                let mut symbols = [capital, letter].into_iter().map(String::from);
                if let Some(symbol) = symbols.find(|symbol| self.game.symbols.contains(symbol)) {
                    self.play_symbol(&symbol);
                    return KeyOutcome::Nothing;
                }
                Key::Letter(letter)
            }
            key => key,
        };
        let (rows, cols) = (self.board.rows(), self.board.cols());
        let (row, col) = (self.cursor / cols, self.cursor % cols);
        match key {
            Key::Letter('q') | Key::Escape => return KeyOutcome::Quit,
            Key::Letter('n') => return KeyOutcome::NextBoard,
            Key::Up => self.cursor = row.saturating_sub(1) * cols + col,
            Key::Down => self.cursor = (row + 1).min(rows - 1) * cols + col,
            Key::Left => self.cursor = row * cols + col.saturating_sub(1),
            Key::Right => self.cursor = row * cols + (col + 1).min(cols - 1),
            Key::Enter | Key::Letter(' ') => self.play_cell(self.cursor),
            Key::Letter('u') => self.undo(),
            Key::Letter('r') => self.redo(),
            Key::Letter('a') => self.restart(),
            Key::Letter('h') => self.hint(),
            Key::Letter('o') => self.shows_verdicts = !self.shows_verdicts,
            Key::Letter('s') => self.share(),
            Key::Letter(letter) => self.play_symbol(&letter.to_string()),
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

    /// The result of the game, and the command that opens it again; `None` before the first move.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let Game { puzzle, name, rows, cols, .. } = &self.game;
        let result = self.view.end.as_ref().map_or(&self.view.standing, |end| &end.result);
        let link = self.link().ok()?;
        let comma = if name.is_empty() { "" } else { ", " };
        (!self.moves.is_empty()).then(|| format!("{puzzle}, {rows} x {cols}{comma}{name}: {result}\n{link}\n"))
    }

    /// Plays the colour with this symbol. If a move needs a cell too, plays the colour at the cursor.
    fn play_symbol(&mut self, symbol: &str) {
        let is_selected = |choice: &&ChoiceView| {
            choice.name == symbol || choice.colour.as_deref() == Some(symbol) && choice.cells.contains(&self.cursor)
        };
        if let Some(choice) = self.view.choices.iter().find(is_selected) {
            self.play(choice.name.clone());
        }
    }

    fn play_cell(&mut self, cell: usize) {
        match self.view.choices.iter().find(|choice| choice.cells.contains(&cell)) {
            Some(ChoiceView { colour: Some(_), .. }) => {
                "which colour? press its key (with Shift if it is a command)".clone_into(&mut self.message)
            }
            Some(choice) => self.play(choice.name.clone()),
            None => "this cell is not a move".clone_into(&mut self.message),
        }
    }

    fn play(&mut self, name: String) {
        if self.undone.last() == Some(&name) {
            self.undone.pop();
        } else {
            self.undone.clear();
        }
        self.moves.push(name);
        self.shows_hint = false;
        self.update_view();
    }

    fn undo(&mut self) {
        match self.moves.pop() {
            Some(name) => self.undone.push(name),
            None => "this is the start of the game".clone_into(&mut self.message),
        }
        self.update_view();
    }

    fn redo(&mut self) {
        match self.undone.pop() {
            Some(name) => self.moves.push(name),
            None => "no move was taken back".clone_into(&mut self.message),
        }
        self.update_view();
    }

    /// Takes all moves back, so that they can be redone.
    fn restart(&mut self) {
        self.undone.extend(self.moves.drain(..).rev());
        self.update_view();
    }

    /// Shows the hint, or plays it if it shows.
    fn hint(&mut self) {
        match &self.view.hint {
            None => "no good move is known yet".clone_into(&mut self.message),
            Some(hint) if self.shows_hint => {
                let name = hint.name.clone();
                self.play(name);
                self.shows_hint = true;
            }
            Some(_) => self.shows_hint = true,
        }
    }

    fn share(&mut self) {
        self.message = self.link().unwrap_or_else(|error| error.error);
    }

    fn link(&self) -> Result<String, PlayError> {
        let shared = SharedGame {
            game: self.game.clone(),
            moves: self.moves.clone(),
            best: self.view.value.filter(|_| self.view.over),
            note: None,
        };
        Ok(format!("gridhunt play '{}'", shared.to_link()?))
    }

    /// Updates the view after a move or with new knowledge.
    fn update_view(&mut self) {
        match PositionView::of(&self.game, &self.moves, &self.known, SEARCH_SECONDS) {
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
