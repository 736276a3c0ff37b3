//! Errors in answers to questions.

use gridhunt_boards::{BoardError, PossibleReading};
use serde::Serialize;

/// Why a question has no answer, for the person who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayError {
    /// The message: what was found, what was expected, what to do.
    pub error: String,
    /// The position of the fault in a program, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The readings of an input that has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<ReadingChoice>,
}

/// One of several readings of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadingChoice {
    /// What the reading finds.
    pub text: String,
    /// The value of `choose` that selects this reading.
    pub choose: String,
}

impl PlayError {
    pub(super) fn new(error: impl ToString) -> Self {
        Self { error: error.to_string(), at: None, readings: Vec::new() }
    }

    /// Rewords the error for a page, which has fields and buttons instead of flags.
    pub(super) fn for_page(self) -> Self {
        let error = match self.error.split_once(", expected one: ") {
            // Each reading has a button.
            Some((found, _)) if !self.readings.is_empty() => format!("{found}; choose one below"),
            _ => without_flags(&self.error),
        };
        // A proposed size has a button too.
        let size = self.error.split_once("add --size ").and_then(|(_, rest)| rest.split(' ').next());
        let button = size
            .filter(|size| size.starts_with(|first: char| first.is_ascii_digit()))
            .map(|size| ReadingChoice { text: size.replace('x', " x "), choose: format!("--size {size}") });
        let readings = self.readings.into_iter().chain(button).collect();
        Self { error, readings, ..self }
    }
}

/// The words of a page for a flag.
const PAGE_WORDS: [(&str, &str); 5] = [
    ("--size ROWSxCOLS", "its size in the field below"),
    ("given with --size", "given in the field below"),
    ("--size ", "in the field below the size "),
    ("--domain ", "the puzzle "),
    ("raise --memory", "play a smaller board"),
];

/// Replaces each flag by the words of a page, or removes the hint that contains it.
fn without_flags(message: &str) -> String {
    let mut text = PAGE_WORDS.iter().fold(message.to_owned(), |text, (flag, on_page)| text.replace(flag, on_page));
    while let Some(flag) = [" --", "(--", "'--", "`--"].iter().filter_map(|flag| text.find(flag)).min() {
        // The hint begins at the last of these separators before the flag, and ends at the next one.
        let start = [" (", "; ", ", "].iter().filter_map(|sign| text[..=flag].rfind(sign)).max().unwrap_or(flag);
        let is_bracketed = text[start..].starts_with(" (");
        let end = match is_bracketed {
            true => text[flag..].find(')').map(|at| flag + at + 1),
            false => text[flag..].find([';', ',']).map(|at| flag + at),
        };
        text.replace_range(start..end.unwrap_or(text.len()), "");
    }
    text
}

impl From<BoardError> for PlayError {
    fn from(error: BoardError) -> Self {
        let readings = match &error {
            BoardError::Ambiguous { readings, .. } => &readings[..],
            _ => &[],
        };
        let choice = |PossibleReading { description, flags, .. }: &PossibleReading| ReadingChoice {
            text: description.clone(),
            choose: flags.clone(),
        };
        let readings: Vec<_> = readings.iter().filter(|reading| !reading.flags.is_empty()).map(choice).collect();
        Self { error: error.to_string(), at: None, readings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_hears_of_its_fields_and_not_of_flags() {
        for (message, expected) in [
            (
                "a:1: found 2 cells, expected a square board, or --size ROWSxCOLS",
                "a square board, or its size in the field below",
            ),
            ("found '_', expected a digit, or . for an empty cell (or --empty SYMBOL)", "or . for an empty cell"),
            ("expected all cells of the board, or --format text or csv if the line is a row", "all cells of the board"),
            ("expected a colour in every cell for flood-it, or --domain clickomania", "or the puzzle clickomania"),
            ("at most 9 cells; --boards selects some boards", "at most 9 cells"),
            ("expected a cell (for cells with another origin: --origin); twice (or --x)", "expected a cell; twice"),
            ("nothing to change", "nothing to change"),
        ] {
            let PlayError { error, readings, .. } = PlayError::new(message).for_page();
            assert_eq!(readings, []);
            assert!(error.ends_with(expected) && !error.contains("--"), "{error}");
        }
    }

    #[test]
    fn a_size_that_is_proposed_has_a_button() {
        let error = PlayError::new("expected the size: add --size 9x14 if the board has this size").for_page();
        let button = ReadingChoice { text: "9 x 14".to_owned(), choose: "--size 9x14".to_owned() };
        assert_eq!(error.readings, [button]);
    }
}
