//! Programs of Hopping Bunny, such as `LOOP{LOOP(4){LLOOP(12){F}L}F}`, and their notation.

use crate::formats::mismatch::{Mismatch, plural, quote, show_char, too_many};
use std::fmt;
use std::str::FromStr;

/// The letters of the instructions, in lexical order: hop forward, turn left, turn right.
pub const INSTRUCTIONS: [char; 3] = ['F', 'L', 'R'];

/// The most tokens of a program that is read from text.
const MAX_TOKENS: usize = 10_000;

/// The deepest nesting of loops in a program that is read from text.
const MAX_NESTING: usize = 64;

/// The largest repetition count of a loop. An endless loop has no count.
pub const MAX_LOOP_COUNT: u16 = u16::MAX - ENDLESS;

const END: u16 = 0;
const ENDLESS: u16 = INSTRUCTIONS.len() as u16 + 1;

/// A token of a program, in the order in which the program is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// An instruction, as an index into [`INSTRUCTIONS`].
    Instruction(u8),
    /// The start of a loop, with its repetition count; `None` for an endless loop.
    Loop(Option<u16>),
    /// The end of the innermost open loop.
    End,
}

/// A program: instructions and nested loops.
///
/// ```
/// use gridhunt_boards::Program;
///
/// let program: Program = "LOOP(7){FL}F".parse()?;
/// assert_eq!((program.cost(), program.to_string()), (4, "LOOP(7){FL}F".to_owned()));
/// assert!("LOOP(7){FL".parse::<Program>().is_err());
/// # Ok::<(), gridhunt_boards::ProgramError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Every loop is closed and not empty, and every count is at least 1.
    tokens: Vec<Token>,
}

/// Why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: found {found}, expected {expected}")]
pub struct ProgramError {
    /// The position in the text, in characters from 1.
    pub at: usize,
    /// What the text has there.
    pub found: String,
    /// What may come in its place.
    pub expected: String,
}

impl Program {
    /// The cost: the number of instructions and loops in the text. A loop costs 1 and its body, whatever its count.
    #[must_use]
    pub fn cost(&self) -> u32 {
        self.tokens.iter().filter(|token| **token != Token::End).count() as u32
    }

    /// The tokens of the program.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns each token as a number: 0 for the end of a loop, 1 and up for instructions, `E =`
    /// [`INSTRUCTIONS`]`.len() + 1` for an endless loop, and `E + count` for a loop with a count.
    #[must_use]
    pub fn codes(&self) -> Vec<u16> {
        let code = |token: &Token| match *token {
            Token::End => END,
            Token::Instruction(instruction) => u16::from(instruction) + 1,
            Token::Loop(count) => ENDLESS + count.unwrap_or(0),
        };
        self.tokens.iter().map(code).collect()
    }

    /// The program with these [`codes`](Self::codes); `None` when loops are not closed or empty.
    #[must_use]
    pub fn from_codes(codes: &[u16]) -> Option<Self> {
        let token = |&code: &u16| match code {
            END => Token::End,
            ENDLESS => Token::Loop(None),
            1..ENDLESS => Token::Instruction(code as u8 - 1),
            _ => Token::Loop(Some(code - ENDLESS)),
        };
        let tokens: Vec<Token> = codes.iter().map(token).collect();
        is_balanced(&tokens).then_some(Self { tokens })
    }
}

/// Whether every loop is closed and none is empty.
fn is_balanced(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Instruction(_) => {}
            Token::Loop(_) => depth += 1,
            Token::End if depth == 0 || matches!(tokens[at - 1], Token::Loop(_)) => return false,
            Token::End => depth -= 1,
        }
    }
    depth == 0
}

impl fmt::Display for Program {
    /// Writes the notation of the puzzle.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.iter().try_for_each(|token| match token {
            Token::Instruction(instruction) => write!(f, "{}", INSTRUCTIONS[usize::from(*instruction)]),
            Token::Loop(Some(count)) => write!(f, "LOOP({count}){{"),
            Token::Loop(None) => f.write_str("LOOP{"),
            Token::End => f.write_str("}"),
        })
    }
}

impl FromStr for Program {
    type Err = ProgramError;

    /// Parses the notation of the puzzle. There may be spaces and tabs between tokens.
    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let mut parser = Parser { text, at: 0, tokens: Vec::new(), depth: 0 };
        parser.read().map_err(|Mismatch { found, expected }| {
            let at = text[..parser.at].chars().count() + 1;
            ProgramError { at, found, expected }
        })?;
        Ok(Self { tokens: parser.tokens })
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Number of bytes read so far.
    at: usize,
    tokens: Vec<Token>,
    /// Number of open loops.
    depth: usize,
}

const EXPECTED_TOKEN: &str = "F, L, R, LOOP(n){...} or LOOP{...}";

impl Parser<'_> {
    fn read(&mut self) -> Result<(), Mismatch> {
        while let Some(next) = self.peek() {
            if self.tokens.len() >= 2 * MAX_TOKENS {
                return Err(too_many(MAX_TOKENS, "token"));
            }
            if self.accept("LOOP") {
                self.loop_start()?;
            } else if next == '}' {
                self.loop_end()?;
            } else if let Some(instruction) = INSTRUCTIONS.iter().position(|letter| *letter == next) {
                self.at += 1;
                self.tokens.push(Token::Instruction(instruction as u8));
            } else {
                return Mismatch::fail(show_char(next), EXPECTED_TOKEN);
            }
        }
        match self.depth {
            0 => Ok(()),
            open => Mismatch::fail(format!("the end inside {}", plural(open, "loop")), "a closing brace for each loop"),
        }
    }

    fn loop_start(&mut self) -> Result<(), Mismatch> {
        let count = if self.accept("(") {
            self.peek();
            let digits: &str = self.rest().split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
            let count = digits.parse().ok().filter(|count| (1..=MAX_LOOP_COUNT).contains(count));
            let Some(count) = count else {
                let found = if digits.is_empty() { self.describe_next() } else { quote(digits) };
                return Mismatch::fail(found, format!("a repetition count from 1 to {MAX_LOOP_COUNT}"));
            };
            self.at += digits.len();
            self.expect(")")?;
            Some(count)
        } else {
            None
        };
        self.expect("{")?;
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Mismatch::fail(format!("{} loops within each other", self.depth), format!("at most {MAX_NESTING}"));
        }
        self.tokens.push(Token::Loop(count));
        Ok(())
    }

    fn loop_end(&mut self) -> Result<(), Mismatch> {
        if self.depth == 0 {
            return Mismatch::fail("'}' without a loop", EXPECTED_TOKEN);
        }
        if matches!(self.tokens.last(), Some(Token::Loop(_))) {
            return Mismatch::fail("an empty loop", EXPECTED_TOKEN);
        }
        self.at += 1;
        self.depth -= 1;
        self.tokens.push(Token::End);
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Skips spaces and tabs, and returns the character after them.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.rest().chars().next()
    }

    /// Consumes `word` if it comes next. Returns whether it did.
    fn accept(&mut self, word: &str) -> bool {
        self.peek();
        let is_next = self.rest().starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, word: &str) -> Result<(), Mismatch> {
        if self.accept(word) { Ok(()) } else { Mismatch::fail(self.describe_next(), format!("{word:?}")) }
    }

    /// The next character, as messages show it.
    fn describe_next(&mut self) -> String {
        self.peek().map_or_else(|| "the end".to_owned(), show_char)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (text, cost) in
            [("", 0), ("F", 1), ("LOOP{F}", 2), ("LOOP{LOOP(4){LLOOP(12){F}L}F}", 7), ("FRLOOP(65531){LOOP{R}}L", 6)]
        {
            let program: Program = text.parse().unwrap();
            assert_eq!((program.to_string().as_str(), program.cost()), (text, cost));
            assert_eq!(Program::from_codes(&program.codes()), Some(program));
        }
        let spaced: Program = " F LOOP ( 7 ) { L\t} ".parse().unwrap();
        assert_eq!(spaced.to_string(), "FLOOP(7){L}");
        for codes in [&[4, 0][..], &[0], &[4, 1], &[4, 1, 0, 0], &[5, 4, 0, 0]] {
            assert_eq!(Program::from_codes(codes), None, "{codes:?}");
        }
    }

    #[test]
    fn errors_say_where_and_what() {
        let deep = "LOOP{".repeat(MAX_NESTING + 1);
        let long = "F".repeat(2 * MAX_TOKENS + 1);
        for (text, expected) in [
            ("FX", "character 2: found 'X', expected F, L, R, LOOP(n){...} or LOOP{...}"),
            ("f", "character 1: found 'f', expected F, L"),
            ("LOOP(0){F}", "character 6: found \"0\", expected a repetition count from 1 to 65531"),
            ("LOOP(65532){F}", "character 6: found \"65532\", expected a repetition count"),
            ("LOOP(){F}", "character 6: found ')', expected a repetition count"),
            ("LOOP(3{F}", "character 7: found '{', expected \")\""),
            ("LOOP(3)F", "character 8: found 'F', expected \"{\""),
            ("LOOP", "character 5: found the end, expected \"{\""),
            ("LOOP{F", "character 7: found the end inside 1 loop,"),
            ("F}", "character 2: found '}' without a loop, expected F"),
            ("LOOP{}", "character 6: found an empty loop, expected F"),
            (&deep, "found 65 loops within each other, expected at most 64"),
            (&long, "found more than 10000 tokens, expected at most 10000 tokens"),
        ] {
            let error = text.parse::<Program>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
