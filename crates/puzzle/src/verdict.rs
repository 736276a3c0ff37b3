//! The verdict of the plain rules on a solution from a file.

/// The verdict on one solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The board that the solution names, if it names one.
    pub board_name: Option<String>,
    /// The result of the replay, or why the replay refuses the solution.
    pub result: Result<ValidSolution, RefusedSolution>,
}

/// A solution that the plain rules accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidSolution {
    /// The objective value: moves, clicks, cells left, tokens, or the score.
    pub value: i64,
    /// Remarks on the solution, in the order in which reports print them.
    pub remarks: Vec<Remark>,
    /// The numbers, from 1, of the moves that add no cells.
    pub wasted_moves: Vec<usize>,
}

/// A remark on a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A number of things, with the singular and the plural of their name.
    Count(u64, &'static str, &'static str),
    /// The score.
    Score(i64),
    /// A word.
    Word(&'static str),
}

/// A solution that the plain rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSolution {
    /// The reason.
    pub reason: String,
    /// The number, from 1, of the move that fails; `None` if no single move is at fault.
    pub failed_move: Option<usize>,
}

impl Verdict {
    /// The verdict of a replay: the description of a correct solution, or the error with the move that fails.
    pub fn new<T, E: ToString>(
        board_name: Option<String>,
        replay: Result<T, E>,
        describe: impl FnOnce(T) -> ValidSolution,
        failed_move: impl FnOnce(&E) -> Option<usize>,
    ) -> Self {
        let refused = |error: E| RefusedSolution { reason: error.to_string(), failed_move: failed_move(&error) };
        Self { board_name, result: replay.map(describe).map_err(refused) }
    }
}
