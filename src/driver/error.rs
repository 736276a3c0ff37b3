//! Why a board has no report.

use super::request::join;
use super::{BoundName, DomainKind, RunError};
use crate::board::{BoardError, Objective};
use crate::checkpoint::CheckpointError;
use crate::domain::clickomania::{GameBoundKind, Order, Refusal};
use crate::domain::floodit::EmptyCell;
use crate::engine::EngineKind;

/// The names of the engines that know a domain.
fn engines_of(domain: DomainKind) -> String {
    join(EngineKind::ALL.into_iter().filter(|engine| domain.knows(*engine)).map(EngineKind::name))
}

/// Why a board has no report.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// The input is not a board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The domain has no lower bounds to compare.
    #[error("found the domain {domain}, expected one with lower bounds: flood-it, clickomania")]
    NoBounds {
        /// The domain that was asked for.
        domain: DomainKind,
    },
    /// The engine does not know the domain.
    #[error("found the engine {} for the domain {domain}, expected one of: {}", engine.name(), engines_of(*domain))]
    Engine {
        /// The engine.
        engine: EngineKind,
        /// The domain.
        domain: DomainKind,
    },
    /// The board is one of Hopping Bunny, and the domain is another.
    #[error("{board}: found squares of the bunny for the domain {domain}, expected --domain bunny")]
    Squares {
        /// The board's name.
        board: String,
        /// The domain.
        domain: DomainKind,
    },
    /// The board is none of Hopping Bunny.
    #[error("{board}: found the colours {colours}, expected squares of the bunny: # and O, and a start")]
    NoSquares {
        /// The board's name.
        board: String,
        /// Its colours.
        colours: String,
    },
    /// The board has empty cells, and the domain has none.
    #[error(transparent)]
    EmptyCell(#[from] EmptyCell),
    /// The board is no position of the domain.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Losses that do not fit into what is stored of a state.
    #[error(
        "{board}: found scores of up to {ceiling} for the engine {engine}, expected at most {most}, or an engine that stores nothing: beam, lookahead"
    )]
    TooDear {
        /// The board.
        board: String,
        /// The engine.
        engine: &'static str,
        /// The score that no way exceeds.
        ceiling: u32,
        /// The highest that it takes on.
        most: u32,
    },
    /// A bound that says nothing of this game.
    #[error("{board}: found the bound {bound} for the objective {objective}, expected one that knows it: {}", join(known.iter().map(|kind| kind.name())))]
    Bound {
        /// The board.
        board: String,
        /// The bound.
        bound: BoundName,
        /// What is wanted of the board.
        objective: Objective,
        /// The bounds that know it.
        known: Vec<GameBoundKind>,
    },
    /// An order of clicks, and an engine that compares states.
    #[error("found the order {order} for the engine {}, expected it for {} alone", engine.name(), EngineKind::BranchAndBound.name())]
    Order {
        /// The order.
        order: Order,
        /// The engine.
        engine: EngineKind,
    },
    /// What was asked for says nothing of this domain.
    #[error("found {what} for the domain {domain}, expected it for {expected} alone")]
    Foreign {
        /// What was found.
        what: &'static str,
        /// The domain.
        domain: DomainKind,
        /// The domain that knows it.
        expected: DomainKind,
    },
    /// An engine handed over a solution that the plain rules do not accept.
    #[error("{board}: the solution of engine {engine} fails its replay: {reason}")]
    Replay {
        /// The board.
        board: String,
        /// The engine.
        engine: &'static str,
        /// What the replay says.
        reason: String,
    },
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The run directory cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The search panicked.
    #[error("{board}: the search panicked: {message}")]
    Panicked {
        /// The board.
        board: String,
        /// What the panic said.
        message: String,
    },
    /// The threads of a batch cannot be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// What the system says.
        reason: String,
    },
}

impl HuntError {
    /// Whether the fault lies in this program, not in what it was given.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        match self {
            Self::Replay { .. } | Self::Panicked { .. } | Self::Threads { .. } => true,
            Self::Board(_)
            | Self::NoBounds { .. }
            | Self::Squares { .. }
            | Self::Engine { .. }
            | Self::NoSquares { .. }
            | Self::EmptyCell(_)
            | Self::Refused(_)
            | Self::TooDear { .. }
            | Self::Foreign { .. }
            | Self::Order { .. }
            | Self::Bound { .. }
            | Self::Checkpoint(_)
            | Self::Run(_) => false,
        }
    }
}
