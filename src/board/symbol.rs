//! Symbols of colours: digits and letters, sorted by their value in base 36.

use super::{EMPTY, MAX_COLOURS};

/// The symbol of an empty cell.
pub(super) const EMPTY_SYMBOL: char = '.';

/// The number of an empty cell.
pub(super) const EMPTY_NUMBER: &str = "-1";

/// What messages expect where the symbol of a cell should stand.
pub(super) const A_SYMBOL: &str = "a digit or a letter, or . for an empty cell";

/// An error of a reader before its position is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub found: String,
    pub expected: String,
}

impl Problem {
    /// An `Err` with a new problem.
    pub fn fail<T>(found: impl Into<String>, expected: impl Into<String>) -> Result<T, Self> {
        Err(Self { found: found.into(), expected: expected.into() })
    }
}

/// A character as messages show it: quoted, or by its code point when it cannot be shown.
pub(super) fn show_char(c: char) -> String {
    match c {
        ' '..='~' => format!("{c:?}"),
        _ if c.is_alphanumeric() => format!("{c:?}"),
        _ => format!("the character U+{:04X}", u32::from(c)),
    }
}

/// A text from the input as messages show it: quoted, escaped, and shortened to fit a line.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", excerpt(text))
}

/// A text from elsewhere for use inside a message: control characters escaped, and shortened to fit a line.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == LONGEST => {
                shown.push_str("...");
                break;
            }
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    shown
}

/// The value of a symbol in base 36, which is its rank among all symbols: 0 to 35.
pub(super) fn value(symbol: char) -> Option<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "a digit in base 36 is below 36")]
    symbol.to_digit(36).map(|v| v as u8)
}

/// The symbol with this value; letters are in upper case.
pub(super) fn symbol_of(value: u8) -> char {
    char::from_digit(value.into(), 36).map_or('?', |c| c.to_ascii_uppercase())
}

/// The value of a colour whose name is a single symbol; `None` for any other name.
pub(super) fn value_of_name(name: &str) -> Option<u8> {
    let mut chars = name.chars();
    chars.next().filter(|_| chars.as_str().is_empty()).and_then(value)
}

/// For each value the symbol of that colour, if there is such a colour.
pub(super) type Symbols = [Option<char>; 36];

/// The symbols of a board while it is being read.
#[derive(Debug)]
pub(super) struct SymbolSet {
    /// The symbols of the cells read so far, in the case in which the file writes them.
    found: Symbols,
    /// The colours that the file declares, if it does; without a declaration the colours are those that occur.
    declared: Option<Symbols>,
}

impl SymbolSet {
    /// An empty set. A number of colours declares the usual symbols.
    pub fn new(colours: Option<usize>) -> Self {
        Self { found: [None; 36], declared: colours.map(usual_by_value) }
    }

    /// Takes a symbol and tells its value, or [`EMPTY`]. Fails for another character, an undeclared colour, or a letter
    /// that occurs in both cases.
    pub fn read_symbol(&mut self, symbol: char) -> Result<u8, Problem> {
        if symbol == EMPTY_SYMBOL {
            return Ok(EMPTY);
        }
        let Some(value) = value(symbol) else {
            return Problem::fail(show_char(symbol), A_SYMBOL);
        };
        self.check(value, symbol)?;
        let seen = self.found[usize::from(value)].get_or_insert(symbol);
        if *seen != symbol {
            return Problem::fail(
                format!("{} and also {}", show_char(symbol), show_char(*seen)),
                "every letter in one case only, upper or lower",
            );
        }
        Ok(value)
    }

    /// Reads a colour that is written as a whole number (10 stands for `A`) and returns its value, or [`EMPTY`].
    pub fn read_number(&mut self, text: &str) -> Result<u8, Problem> {
        if text == EMPTY_NUMBER {
            return Ok(EMPTY);
        }
        let colours = self.declared.map_or(MAX_COLOURS, |declared| declared.iter().flatten().count());
        let expected = || format!("a colour from 1 to {colours}, or {EMPTY_NUMBER} for an empty cell");
        let number = text.parse::<u8>().ok().filter(|n| *n < 36 && text.bytes().all(|b| b.is_ascii_digit()));
        let Some(value) = number else { return Problem::fail(quote(text), expected()) };
        if self.declared.is_some_and(|declared| declared[usize::from(value)].is_none()) {
            return Problem::fail(format!("colour {value}"), expected());
        }
        self.found[usize::from(value)].get_or_insert(symbol_of(value));
        Ok(value)
    }

    /// Reads a cell from a token of its own: a symbol, or a number of several digits.
    pub fn read_token(&mut self, token: &str) -> Result<u8, Problem> {
        let mut chars = token.chars();
        match (chars.next(), chars.as_str()) {
            (None, _) => Problem::fail("nothing", A_SYMBOL),
            (Some(c), "") => self.read_symbol(c),
            _ if token == EMPTY_NUMBER => self.read_number(token),
            (Some('1'..='9'), rest) if rest.bytes().all(|b| b.is_ascii_digit()) => self.read_number(token),
            _ => Problem::fail(quote(token), "one digit or letter"),
        }
    }

    /// Declares the colours after the cells were read. Fails when a cell has an undeclared colour.
    pub fn declare(&mut self, names: Symbols) -> Result<(), Problem> {
        self.declared = Some(names);
        let found = self.found;
        found.iter().flatten().try_for_each(|&symbol| self.check(value(symbol).unwrap_or(0), symbol))
    }

    fn check(&self, value: u8, symbol: char) -> Result<(), Problem> {
        match self.declared {
            Some(declared) if declared[usize::from(value)].is_none() => {
                let names: Vec<_> = declared.iter().flatten().map(char::to_string).collect();
                Problem::fail(show_char(symbol), format!("one of the {} colours {}", names.len(), names.join(" ")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the names of the colours, and turns the values in `cells` into indices of these names.
    ///
    /// Fails when all cells are empty, or when all cells have the same colour. Beside empty cells one colour is enough.
    pub fn finish(&self, cells: &mut [u8]) -> Result<Vec<String>, Problem> {
        match self.found.iter().flatten().count() {
            0 => return Problem::fail("only empty cells", "at least one cell with a colour"),
            1 if !cells.contains(&EMPTY) => {
                let only: String = self.found.iter().flatten().collect();
                return Problem::fail(format!("one colour ({only})"), "at least two colours");
            }
            _ => {}
        }
        let mut index = [0; 36];
        let mut names = Vec::with_capacity(MAX_COLOURS);
        for (slot, symbol) in index.iter_mut().zip(with_second_colour(self.declared.unwrap_or(self.found))) {
            *slot = u8::try_from(names.len()).unwrap_or(u8::MAX);
            names.extend(symbol.map(String::from));
        }
        if names.len() > MAX_COLOURS {
            return Problem::fail(format!("{} colours", names.len()), format!("at most {MAX_COLOURS} colours"));
        }
        cells.iter_mut().filter(|cell| **cell != EMPTY).for_each(|cell| *cell = index[usize::from(*cell)]);
        Ok(names)
    }
}

impl Default for SymbolSet {
    fn default() -> Self {
        Self::new(None)
    }
}

/// Adds the first other usual symbol to a single symbol: a board needs two colours, even if only one occurs.
fn with_second_colour(mut symbols: Symbols) -> Symbols {
    if symbols.iter().flatten().count() == 1 {
        let spare = if symbols[1].is_none() { 1 } else { 2 };
        symbols[usize::from(spare)] = Some(symbol_of(spare));
    }
    symbols
}

/// The usual symbols of this number of colours.
pub(super) fn usual_by_value(colours: usize) -> Symbols {
    let mut symbols = [None; 36];
    for (slot, value) in symbols.iter_mut().zip(0..).skip(1).take(colours) {
        *slot = Some(symbol_of(value));
    }
    symbols
}
