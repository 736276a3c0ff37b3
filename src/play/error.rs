//! Why a question has no answer.

use gridhunt_boards::{BoardError, Reading};
use serde::Serialize;

/// Why a question has no answer, for the person who asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayError {
    /// What was found, what was expected, what to do.
    pub error: String,
    /// The place of the fault in a program, in characters from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// The readings of an input that has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Chosen>,
}

/// One reading of an input that has several, and how to choose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// What the reading finds.
    pub text: String,
    /// What a question has to say to get this reading.
    pub choose: String,
}

impl PlayError {
    /// An error with this message.
    pub(super) fn new(error: impl ToString) -> Self {
        Self { error: error.to_string(), at: None, readings: Vec::new() }
    }
}

impl From<BoardError> for PlayError {
    fn from(error: BoardError) -> Self {
        let readings = match &error {
            BoardError::Ambiguous { readings, .. } => &readings[..],
            _ => &[],
        };
        let chosen = |Reading { text, choose, .. }: &Reading| Chosen { text: text.clone(), choose: choose.clone() };
        let readings: Vec<_> = readings.iter().filter(|reading| !reading.choose.is_empty()).map(chosen).collect();
        Self { error: error.to_string(), at: None, readings }
    }
}
