//! A state of a search, as people look at it: its path, its costs, its children, and what became of them.

use super::{HuntError, RunError};
use crate::puzzles::PuzzleError;
use gridhunt_boards::{Board, Frame};
use gridhunt_search::checkpoint::CheckpointError;
use gridhunt_search::domain::Cost;
use gridhunt_search::expand::WrongStep;
use serde::{Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// A state of a search, with its children. Costs are those that the engine counts.
///
/// The JSON has the fields of this structure, without those that are `None`, and without frame and board.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(not(target_family = "wasm"), derive(schemars::JsonSchema))]
pub struct ExploredState {
    /// The number of the checkpoint of which the records are; none if there is no checkpoint with records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
    /// The moves from the start.
    pub path: Vec<PathStep>,
    /// The position, to be drawn. The plain rules have made it.
    #[serde(skip)]
    pub frame: Frame,
    /// The position, as a board that can be solved.
    #[serde(skip)]
    pub board: Board,
    /// The cost of the path.
    pub g: Cost,
    /// A lower bound on the cost from the state on: that of the run, or that of the record if it is greater. None for
    /// a dead end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h: Option<Cost>,
    /// `g + h`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f: Option<Cost>,
    /// Whether a solution may end here, and none that goes on from here costs less.
    pub goal: bool,
    /// The cost of the solution that ends here, where stopping is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Cost>,
    /// What the checkpoint says about the state; none without a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<ChildRecord>,
    /// The cost of the cheapest path that the search has found, where it differs from `g`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_g: Option<Cost>,
    /// The cost of the best solution that is known to the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<Cost>,
    /// The children by all moves of the rules that change the state. In Flood-It, a move that floods idle regions alone
    /// changes no state.
    pub children: Vec<ExploredChild>,
}

/// A move of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_family = "wasm"), derive(schemars::JsonSchema))]
pub struct PathStep {
    /// The move as text.
    #[serde(rename = "move")]
    pub mv: String,
    /// The cost of the path that ends with the move.
    pub g: Cost,
}

/// A child of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_family = "wasm"), derive(schemars::JsonSchema))]
pub struct ExploredChild {
    /// The place among the children, from 0: the next step of a path.
    pub index: usize,
    /// The move as text.
    #[serde(rename = "move")]
    pub mv: String,
    /// The cost of the path that ends with the move.
    pub g: Cost,
    /// As `h` of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub h: Option<Cost>,
    /// `g + h`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f: Option<Cost>,
    /// As `goal` of the state.
    pub goal: bool,
    /// As `stop` of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Cost>,
    /// What the checkpoint says about the child; none without a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<ChildRecord>,
    /// As `stored_g` of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_g: Option<Cost>,
    /// Why the child is not stored, if that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(with = "Option<String>"))]
    pub why: Option<Reason>,
}

/// What a checkpoint says about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_family = "wasm"), derive(schemars::JsonSchema))]
pub enum ChildRecord {
    /// All children of the state are in the store, except those that the search may leave out.
    #[serde(rename = "expanded")]
    Expanded,
    /// The state waits for its expansion.
    #[serde(rename = "open")]
    Open,
    /// Some moves of the state are asleep: other orders of the moves stand for them. The rest is expanded.
    #[serde(rename = "partly expanded")]
    PartlyExpanded,
    /// The checkpoint has no record of the state.
    #[serde(rename = "not stored")]
    NotStored,
}

/// Why a child is not stored. Each reason is proven for the checkpoint at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The lower bound proves that no solution leads through the child.
    DeadEnd,
    /// f is at least the cost of the best solution.
    NotBetter,
    /// The search never makes the move ([`Domain::successors`](gridhunt_search::domain::Domain::successors)).
    NeverMade,
    /// The move is asleep at the parent.
    Asleep,
    /// The lower bound refuted the child together with others
    /// ([`LowerBound::dismiss`](gridhunt_search::domain::LowerBound::dismiss)).
    Refuted,
    /// The parent is open.
    ParentOpen,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DeadEnd => "dead end",
            Self::NotBetter => "no better than the best solution",
            Self::NeverMade => "the search never makes this move: a cheapest solution remains without it",
            Self::Asleep => "asleep: another order of the moves leads to a solution that is as good",
            Self::Refuted => "refuted by the lower bound: no better than the best solution",
            Self::ParentOpen => "the position before is not expanded yet",
        })
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a state cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ExploreError {
    /// The run directory cannot be read, or has no such board.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The board has no states, or the plain rules refuse a move.
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
    /// The thread of the explorer cannot be started.
    #[error(transparent)]
    Hunt(#[from] HuntError),
    /// The checkpoint of the board cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The path names a child that does not exist.
    #[error(transparent)]
    Step(#[from] WrongStep),
    /// The path is too long.
    #[error("found a path of {found} moves, expected at most {most}")]
    TooLong {
        /// The number of moves.
        found: usize,
        /// The most moves.
        most: usize,
    },
    /// Reading the records of an answer has taken too long.
    #[error("reading the checkpoint took longer than {}, and was given up; ask again when the machine has less to do", humantime::format_duration(*limit))]
    Late {
        /// The longest time.
        limit: Duration,
    },
    /// The thread that answers has ended.
    #[error("the explorer of board {number} has ended: open it again")]
    Ended {
        /// The board.
        number: usize,
    },
}

impl ExploreError {
    /// Whether the question is wrong, so that no later answer will be better.
    #[must_use]
    pub fn is_wrong_question(&self) -> bool {
        matches!(
            self,
            Self::Step(_)
                | Self::TooLong { .. }
                | Self::Puzzle(PuzzleError::NoStates { .. })
                | Self::Run(RunError::Unexpected { .. })
        )
    }
}
