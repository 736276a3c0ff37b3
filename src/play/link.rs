//! Games in the fragment of an address: `p=flood-it&b=2x2c2s0.0110&m=2.1&best=2`.
//!
//! | field | content |
//! | --- | --- |
//! | `p` | the puzzle |
//! | `b` | `ROWSxCOLScCOLOURSsSTART.CELLS`: the index of the start cell, and the cells row by row |
//! | `y` | the names of the colours, if they are not the usual ones, with dots between them |
//! | `o` | the options: `objective~clicks.min-group~3` |
//! | `n` | the name of the board |
//! | `l` | the most moves, if there is a limit |
//! | `m` | the moves of the person who shares the game, with dots between them |
//! | `best` | the value that these moves reach; checked when the link is opened |
//!
//! A cell is a digit, a capital or a small letter: the index of its colour, from 0 to 61; `-` is an empty cell. Boards
//! with more colours have numbers with dots between them. The whole board is in the link, so links stay valid if the
//! generator of boards changes.

use super::PlayError;
use super::game::{CheckedGame, Game};
use super::link_text::{Fields, candidates, unescape};
use super::program::run_program;
use super::view::play;
use gridhunt_boards::{EMPTY, MAX_CELLS, usual_symbols};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A game that somebody shares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedGame {
    /// The game.
    pub game: Game,
    /// The moves to beat; for a program, the program alone.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The value to beat.
    #[serde(default)]
    pub best: Option<i64>,
    /// Why the link's moves or value were dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl SharedGame {
    /// The fragment of the game's address, without `#`.
    ///
    /// # Errors
    /// When the game is not allowed.
    pub fn to_link(&self) -> Result<String, PlayError> {
        let Game { puzzle, name, rows, cols, cells, symbols, start, options, limit, .. } = &self.game;
        self.game.check()?;
        let has_digits = symbols.len() <= DIGITS.len();
        let cell = |&cell: &u8| match cell {
            EMPTY => "-".to_owned(),
            cell if has_digits => char::from(DIGITS[usize::from(cell)]).to_string(),
            cell => cell.to_string(),
        };
        let cells: Vec<_> = cells.iter().map(cell).collect();
        let cells = cells.join(if has_digits { "" } else { "." });
        let start = start.0 * cols + start.1;
        let mut link = format!("p={}&b={rows}x{cols}c{}s{start}.{cells}", escape(puzzle), symbols.len());
        let mut add = |key: &str, value: String| {
            if !value.is_empty() {
                link.push_str(&format!("&{key}={value}"));
            }
        };
        let list = |words: &[String]| words.iter().map(|word| escape(word)).collect::<Vec<_>>().join(".");
        if *symbols != usual_symbols(symbols.len()) {
            add("y", list(symbols));
        }
        let options: Vec<_> = options.iter().map(|(key, value)| format!("{}~{}", escape(key), escape(value))).collect();
        add("o", options.join("."));
        add("n", escape(name));
        add("l", limit.map_or(String::new(), |limit| limit.to_string()));
        add("m", list(&self.moves));
        add("best", self.best.map_or(String::new(), |best| best.to_string()));
        Ok(link)
    }

    /// Reads a link: the fragment of an address, with or without the text before it, even if mail, a chat or a document
    /// has changed it. Moves and values that are wrong are dropped with a note.
    ///
    /// # Errors
    /// When the fragment is not a game, or the game is not allowed.
    pub fn from_link(link: &str) -> Result<Self, PlayError> {
        let mut first_error = None;
        let mut best: Option<((bool, usize), Self)> = None;
        for candidate in candidates(link) {
            let fields = Fields::of(&candidate);
            match Self::of_fields(&fields) {
                Ok(shared) => {
                    // The candidate that drops the fewest moves and fields is the original link.
                    let dropped = (shared.note.is_some(), fields.unknown);
                    if best.as_ref().is_none_or(|(fewest, _)| dropped < *fewest) {
                        best = Some((dropped, shared));
                    }
                }
                Err(error) => _ = first_error.get_or_insert(error),
            }
        }
        match (best, first_error) {
            (Some((_, shared)), _) => Ok(shared),
            (None, error) => Err(error.unwrap_or_else(|| PlayError::new("link: found nothing, expected a game"))),
        }
    }

    fn of_fields(fields: &Fields<'_>) -> Result<Self, PlayError> {
        let error = |found: &str, expected: &str| PlayError::new(format!("link: found {found}, expected {expected}"));
        let field = |key: &str| fields.values.get(key).copied();
        let puzzle = unescape(field("p").ok_or_else(|| error("no puzzle", "p=NAME"))?);
        let board = field("b").ok_or_else(|| error("no board", "b=ROWSxCOLScCOLOURSsSTART.CELLS"))?;
        let parsed =
            parse_board(board).ok_or_else(|| error(&format!("the board {board}"), "ROWSxCOLScCOLOURSsSTART.CELLS"))?;
        let list = |key| field(key).map(|words| words.split('.').map(unescape).collect::<Vec<_>>()).unwrap_or_default();
        let symbols = match field("y") {
            Some(_) => list("y"),
            None => usual_symbols(parsed.colours),
        };
        let option = |word: &str| {
            let (key, value) =
                word.split_once('~').ok_or_else(|| error(&format!("the option {word}"), "NAME~VALUE"))?;
            Ok::<_, PlayError>((unescape(key), unescape(value)))
        };
        let options = field("o").map_or(Ok(BTreeMap::new()), |words| words.split('.').map(option).collect())?;
        let number = |key| match field(key) {
            Some(text) => text.parse::<i64>().map(Some).map_err(|_| error(&format!("{key}={text}"), "a whole number")),
            None => Ok(None),
        };
        let (best, limit) = (number("best")?, number("l")?);
        let limit = limit.map(u32::try_from).transpose().map_err(|_| error("l", "a number of moves"))?;
        let ParsedBoard { rows, cols, cells, start, .. } = parsed;
        let name = field("n").map(unescape).unwrap_or_default();
        let start = (start / cols, start % cols);
        let colours = Vec::new();
        let game = Game { puzzle, name, rows, cols, cells, symbols, colours, start, options, limit };
        let CheckedGame { board, request, .. } = game.check()?;
        let game = Game { name: game.name, limit, ..Game::of(&board, request.domain, &game.options) };
        Self { game, moves: list("m"), best, note: None }.without_wrong_claims()
    }

    /// Drops moves that the rules refuse, and a value that the moves do not reach: anybody can write a link.
    fn without_wrong_claims(self) -> Result<Self, PlayError> {
        let (moves, value) = match self.final_value() {
            Ok(value) => (self.moves, value),
            Err(error) => {
                let note = Some(format!("the moves of the link were dropped: {}", error.error));
                return Ok(Self { moves: Vec::new(), best: None, note, ..self });
            }
        };
        let note = |best: i64| {
            let expected = value.map_or("no finished game".to_owned(), |value| value.to_string());
            format!("the value of the link was dropped: found {best}, but its moves come to {expected}")
        };
        let note = self.best.filter(|best| Some(*best) != value).map(note);
        Ok(Self { best: value.filter(|_| self.best.is_some()), note, moves, ..self })
    }

    /// The value that the moves reach; `None` if they do not end the game.
    fn final_value(&self) -> Result<Option<i64>, PlayError> {
        let checked = self.game.check()?;
        if !checked.request.domain.info().has_programs {
            return Ok(play(&*checked.task()?, &self.moves)?.status().final_value);
        }
        let Some(program) = self.moves.first() else { return Ok(None) };
        let run = run_program(&checked, program, 0)?;
        Ok(run.failure.is_none().then_some(i64::from(run.token_count)))
    }
}

struct ParsedBoard {
    rows: usize,
    cols: usize,
    colours: usize,
    start: usize,
    cells: Vec<u8>,
}

fn parse_board(text: &str) -> Option<ParsedBoard> {
    let (head, cells) = text.split_once('.')?;
    let (size, rest) = head.split_once('c')?;
    let (rows, cols) = size.split_once('x')?;
    let (colours, start) = rest.split_once('s')?;
    let [rows, cols, colours, start] = [rows, cols, colours, start].map(|text| text.parse::<usize>().ok());
    let (rows, cols, colours, start) = (rows?, cols?, colours?, start?);
    let count = rows.checked_mul(cols).filter(|count| (1..=MAX_CELLS).contains(count))?;
    if colours > usize::from(u8::MAX) {
        return None;
    }
    let cells: Option<Vec<u8>> = if colours <= DIGITS.len() {
        let cell = |byte: u8| match byte {
            b'-' => Some(EMPTY),
            byte => DIGITS.iter().position(|&digit| digit == byte).map(|index| index as u8),
        };
        cells.bytes().map(cell).collect()
    } else {
        let cell = |text: &str| if text == "-" { Some(EMPTY) } else { text.parse().ok() };
        cells.split('.').map(cell).collect()
    };
    let cells = cells.filter(|cells| cells.len() == count)?;
    Some(ParsedBoard { rows, cols, colours, start, cells })
}

/// Escapes a text: letters, digits, `-`, `_` and `,` stay; every other byte becomes `%` and two hexadecimal digits.
fn escape(text: &str) -> String {
    const ESCAPED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b',');
    utf8_percent_encode(text, &ESCAPED).to_string()
}
