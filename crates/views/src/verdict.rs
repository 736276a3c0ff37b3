//! Verdicts on verified solutions, as text and as JSON.

use super::number_format::{count, signed};
use gridhunt_boards::Entry;
use gridhunt_puzzle::{Objective, Remark, ValidSolution, Verdict};
use gridhunt_search::domain::Cost;
use serde::Serialize;

/// The JSON object of one verified solution. Every field is always present.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JsonVerdict<'a> {
    /// The board's name.
    pub board: &'a str,
    /// Whether the solution is correct.
    pub right: bool,
    /// The objective value: moves, clicks, cells left, tokens, or the score; null if the solution is wrong.
    pub cost: Option<i64>,
    /// The numbers, from 1, of the moves that add no cells.
    pub wasted: &'a [usize],
    /// The reason why the solution is wrong; null if it is correct.
    pub error: Option<&'a str>,
    /// The number, from 1, of the move that fails; null if no move fails.
    pub failed_move: Option<usize>,
    /// The published optimum in the board's file.
    pub published: Option<Cost>,
}

impl<'a> JsonVerdict<'a> {
    /// The object of a verdict on a solution for the entry's board.
    #[must_use]
    pub fn new(entry: &'a Entry, verdict: &'a Verdict) -> Self {
        let (valid, invalid) = (verdict.result.as_ref().ok(), verdict.result.as_ref().err());
        Self {
            board: entry.board.name(),
            right: valid.is_some(),
            cost: valid.map(|solution| solution.value),
            wasted: valid.map_or(&[], |solution| &solution.wasted_moves),
            error: invalid.map(|solution| solution.reason.as_str()),
            failed_move: invalid.and_then(|solution| solution.failed_move),
            published: entry.published_optimum,
        }
    }
}

/// A verdict as one line of text, without a newline.
#[must_use]
pub fn verdict_line(entry: &Entry, objective: Objective, verdict: &Verdict) -> String {
    let name = entry.board.name();
    let ValidSolution { value, remarks, wasted_moves } = match &verdict.result {
        Ok(solution) => solution,
        Err(invalid) => return format!("{name}: wrong: {}", invalid.reason),
    };
    let remarks: Vec<_> = remarks.iter().map(|remark| remark_text(*remark)).collect();
    let mut line = format!("{name}: valid, {}", remarks.join(", "));
    if let [first, ..] = wasted_moves[..] {
        line += &format!("; moves that add nothing: {}, the first is move {first}", wasted_moves.len());
    }
    let published =
        entry.published_optimum.filter(|published| objective.is_published && i64::from(*published) != *value);
    if let Some(published) = published {
        line += &format!("; the file gives the optimum {published}");
    }
    line
}

fn remark_text(remark: Remark) -> String {
    match remark {
        Remark::Count(1, one, _) => format!("1 {one}"),
        Remark::Count(number, _, many) => format!("{} {many}", count(number)),
        Remark::Score(score) => format!("score {}", signed(score)),
        Remark::Word(text) => text.to_owned(),
    }
}
