//! One solution of a file before its moves are read.

use super::solution_text::TextSolution;
use crate::Position;
use crate::formats::mismatch::{Mismatch, quote};
use crate::formats::notations::json::value::Value;

#[derive(Clone, Debug)]
pub(crate) enum RawSolution {
    Json(Value, Position),
    Text(TextSolution),
}

impl RawSolution {
    fn field(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Json(Value::Object(fields), _) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The name of the board that the solution is for.
    pub fn board(&self) -> Option<&str> {
        match self {
            Self::Text(solution) => solution.board.as_deref(),
            Self::Json(..) => self.field("board")?.text(),
        }
    }

    /// The number of the board in its run or file, from 1.
    pub fn number(&self) -> Option<usize> {
        let in_name = || self.board()?.rsplit_once('#')?.1.parse().ok();
        self.field("number").and_then(Value::whole_number).or_else(in_name)
    }

    /// Why there are no moves, if this is the result of a board without a solution.
    pub fn missing_reason(&self) -> Option<Mismatch> {
        const STATUSES: [&str; 4] = ["unsolvable", "unknown", "error", "not-begun"];
        if let Self::Text(solution) = self {
            return solution.missing_reason.clone();
        }
        let are_moves = |moves: &Value| *moves != Value::Null && *moves != Value::List(Vec::new());
        let status = self.field("status").filter(|_| !self.field("moves").is_some_and(are_moves))?.text()?;
        STATUSES.contains(&status).then(|| Mismatch::new(quote(status), "a result with its moves"))
    }

    /// Whether this is one more solution of the board of `before`. `solve --all` lists them after the board's result.
    pub fn is_further(&self, before: &Self) -> bool {
        let number = self.field("number");
        let is_same_board = self.board() == before.board() && number.is_none_or(|_| number == before.field("number"));
        self.board().is_some() && is_same_board && self.missing_reason().is_none()
    }

    pub fn begin(&self) -> Position {
        match self {
            Self::Json(_, at) => *at,
            Self::Text(solution) => solution.begin(),
        }
    }
}
