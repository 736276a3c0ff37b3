//! One solution of a file before its moves are read.

use super::problem::{Problem, quote};
use crate::Position;
use crate::formats::notations::json::value::Value;
use crate::solutions::solution_text::Words;

/// One solution before its moves are read.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Json(Value, Position),
    Text(Words),
}

impl Piece {
    fn field(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Json(Value::Object(fields), _) => {
                fields.iter().find(|(known, _)| known == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The name of the board that the solution is for.
    pub fn board(&self) -> Option<&str> {
        match (self, self.field("board")) {
            (Self::Text(words), _) => words.board.as_deref(),
            (_, Some(Value::Text(name))) => Some(name),
            _ => None,
        }
    }

    /// The number of the board among its boards, from 1.
    pub fn number(&self) -> Option<usize> {
        let in_name = || self.board()?.rsplit_once('#')?.1.parse().ok();
        self.field("number").and_then(Value::whole).or_else(in_name)
    }

    /// Why the piece is no solution, if it is the result of a board without one.
    pub fn missing(&self) -> Option<Problem> {
        const STATUSES: [&str; 4] = ["unsolvable", "unknown", "error", "not-begun"];
        if let Self::Text(words) = self {
            return words.missing.clone();
        }
        let has_moves = match self.field("moves") {
            Some(Value::List(moves)) => !moves.is_empty(),
            moves => moves.is_some_and(|moves| *moves != Value::Null),
        };
        match self.field("status") {
            Some(Value::Text(status)) if !has_moves && STATUSES.contains(&status.as_str()) => {
                Some(Problem::new(quote(status), "a result with its moves"))
            }
            _ => None,
        }
    }

    pub fn begin(&self) -> Position {
        match self {
            Self::Json(_, at) => *at,
            Self::Text(words) => words.begin(),
        }
    }
}
