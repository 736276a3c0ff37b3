//! The verdict of the replay on a solution that was read from a file.

/// The verdict on one solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The name of the board for which the solution was written, if the solution contains that name.
    pub written_for: Option<String>,
    /// The result of the replay, or the reason why the replay refused the solution.
    pub result: Result<Verified, Refused>,
}

/// A solution that the plain rules accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The objective value: moves, clicks, cells left, tokens, or the score.
    pub value: i64,
    /// Remarks on the solution, in the order in which reports print them.
    pub remarks: Vec<Remark>,
    /// The numbers, from 1, of the moves that add no cells.
    pub wasted: Vec<usize>,
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
pub struct Refused {
    /// The reason.
    pub reason: String,
    /// The number, from 1, of the move that fails; `None` if the fault is not a single move.
    pub failed_move: Option<usize>,
}

impl Verdict {
    /// The verdict of a replay: the description of a correct solution, or the error with the move that fails.
    pub fn new<T, E: ToString>(
        written_for: Option<String>,
        replayed: Result<T, E>,
        describe: impl FnOnce(T) -> Verified,
        failed_move: impl FnOnce(&E) -> Option<usize>,
    ) -> Self {
        let refused = |error: E| Refused { reason: error.to_string(), failed_move: failed_move(&error) };
        Self { written_for, result: replayed.map(describe).map_err(refused) }
    }
}
