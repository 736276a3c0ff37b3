//! Programs that drive a bunny: `LOOP{LOOP(4){LLOOP(12){F}L}F}`.

use super::symbol::{Problem, quote, show_char};
use std::fmt;
use std::str::FromStr;

/// Letters of the instructions, in lexical order: hop, turn left, turn right.
pub const INSTRUCTIONS: [char; 3] = ['F', 'L', 'R'];

/// The most tokens that a program read from text may have.
pub const MAX_TOKENS: usize = 10_000;

/// The deepest nesting of loops in a program read from text.
pub const MAX_NESTING: usize = 64;

/// The most repetitions that a loop counts; one that goes on for ever has no count.
pub const MAX_COUNT: u16 = u16::MAX - ENDLESS;

const END: u16 = 0;
const ENDLESS: u16 = INSTRUCTIONS.len() as u16 + 1;

/// A piece of a program, one after the other as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// An instruction, as an index into [`INSTRUCTIONS`].
    Instruction(u8),
    /// A loop begins, of so many repetitions or without end.
    Loop(Option<u16>),
    /// The innermost loop ends.
    End,
}

/// A program: instructions and loops, which nest.
///
/// ```
/// use gridhunt::board::Program;
///
/// let program: Program = "LOOP(7){FL}F".parse()?;
/// assert_eq!((program.cost(), program.to_string()), (4, "LOOP(7){FL}F".to_owned()));
/// assert!("LOOP(7){FL".parse::<Program>().is_err());
/// # Ok::<(), gridhunt::board::ProgramError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Loops that begin end too, none is empty, and only endless ones have no count; their counts are 1 or more.
    tokens: Vec<Token>,
}

/// A text that is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {at}: found {found}, expected {expected}")]
pub struct ProgramError {
    /// Where in the text, in characters from 1.
    pub at: usize,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub expected: String,
}

impl Program {
    /// What it costs: each instruction 1, and each loop 1 beside its body, however often it is repeated.
    #[must_use]
    pub fn cost(&self) -> u32 {
        self.tokens.iter().filter(|token| **token != Token::End).count() as u32
    }

    /// Its tokens.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Each token as a number: the end of a loop 0, instructions from 1, a loop without end [`INSTRUCTIONS`]`.len() + 1`, and that
    /// much more than its count any other.
    #[must_use]
    pub fn codes(&self) -> Vec<u16> {
        let code = |token: &Token| match *token {
            Token::End => END,
            Token::Instruction(instruction) => u16::from(instruction) + 1,
            Token::Loop(count) => ENDLESS + count.unwrap_or(0),
        };
        self.tokens.iter().map(code).collect()
    }

    /// The program with these [`codes`](Self::codes); `None` when there is none.
    #[must_use]
    pub fn from_codes(codes: &[u16]) -> Option<Self> {
        let token = |&code: &u16| match code {
            END => Token::End,
            ENDLESS => Token::Loop(None),
            1..ENDLESS => Token::Instruction(code as u8 - 1),
            _ => Token::Loop(Some(code - ENDLESS)),
        };
        let tokens: Vec<Token> = codes.iter().map(token).collect();
        is_whole(&tokens).then_some(Self { tokens })
    }
}

/// Whether all loops end and none is empty.
fn is_whole(tokens: &[Token]) -> bool {
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
    /// In the notation of the puzzle.
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

    /// Reads the notation of the puzzle; spaces and tabs may stand anywhere between tokens.
    fn from_str(text: &str) -> Result<Self, ProgramError> {
        let mut reader = Reader { text, at: 0, tokens: Vec::new(), depth: 0 };
        reader.read().map_err(|Problem { found, expected }| {
            let at = text[..reader.at].chars().count() + 1;
            ProgramError { at, found, expected }
        })?;
        Ok(Self { tokens: reader.tokens })
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes that are read.
    at: usize,
    tokens: Vec<Token>,
    /// Loops that have not ended.
    depth: usize,
}

const A_TOKEN: &str = "F, L, R, LOOP(n){...} or LOOP{...}";

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Problem> {
        while let Some(next) = self.peek() {
            if self.tokens.len() >= 2 * MAX_TOKENS {
                return Problem::fail(format!("more than {MAX_TOKENS} tokens"), format!("at most {MAX_TOKENS} tokens"));
            }
            if self.takes("LOOP") {
                self.begin()?;
            } else if next == '}' {
                self.end()?;
            } else if let Some(instruction) = INSTRUCTIONS.iter().position(|letter| *letter == next) {
                self.at += 1;
                self.tokens.push(Token::Instruction(instruction as u8));
            } else {
                return Problem::fail(show_char(next), A_TOKEN);
            }
        }
        match self.depth {
            0 => Ok(()),
            open => Problem::fail(format!("the end within {open} loops"), "a closing brace of each"),
        }
    }

    fn begin(&mut self) -> Result<(), Problem> {
        let count = if self.takes("(") {
            self.peek();
            let digits: &str = self.rest().split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
            let count = digits.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
            let Some(count) = count else {
                let found = if digits.is_empty() { self.what_comes() } else { quote(digits) };
                return Problem::fail(found, format!("how often, from 1 to {MAX_COUNT}"));
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
            return Problem::fail(format!("{} loops within each other", self.depth), format!("at most {MAX_NESTING}"));
        }
        self.tokens.push(Token::Loop(count));
        Ok(())
    }

    fn end(&mut self) -> Result<(), Problem> {
        if self.depth == 0 {
            return Problem::fail("'}' without a loop", A_TOKEN);
        }
        if matches!(self.tokens.last(), Some(Token::Loop(_))) {
            return Problem::fail("a loop around nothing", A_TOKEN);
        }
        self.at += 1;
        self.depth -= 1;
        self.tokens.push(Token::End);
        Ok(())
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.rest().chars().next()
    }

    fn takes(&mut self, word: &str) -> bool {
        self.peek();
        let is_next = self.rest().starts_with(word);
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, word: &str) -> Result<(), Problem> {
        if self.takes(word) { Ok(()) } else { Problem::fail(self.what_comes(), format!("{word:?}")) }
    }

    fn what_comes(&mut self) -> String {
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
            ("LOOP(0){F}", "character 6: found \"0\", expected how often, from 1 to 65531"),
            ("LOOP(65532){F}", "character 6: found \"65532\", expected how often"),
            ("LOOP(){F}", "character 6: found ')', expected how often"),
            ("LOOP(3{F}", "character 7: found '{', expected \")\""),
            ("LOOP(3)F", "character 8: found 'F', expected \"{\""),
            ("LOOP", "character 5: found the end, expected \"{\""),
            ("LOOP{F", "character 7: found the end within 1 loops"),
            ("F}", "character 2: found '}' without a loop, expected F"),
            ("LOOP{}", "character 6: found a loop around nothing, expected F"),
            (&deep, "found 65 loops within each other, expected at most 64"),
            (&long, "found more than 10000 tokens, expected at most 10000 tokens"),
        ] {
            let error = text.parse::<Program>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
