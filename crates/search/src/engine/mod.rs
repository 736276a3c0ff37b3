//! The search algorithms.
//!
//! An engine searches a [`StateSpace`](crate::expand::StateSpace): packed states, their children, and a lower bound. It
//! knows no puzzle and no state type, so each engine is compiled once. [`StateEngine::ALL`] lists the engines,
//! [`search`] runs one of them, and each returns an [`Outcome`]: the best solution found, and a proven lower bound.
//!
//! | folder | content |
//! | --- | --- |
//! | `auto`, `learning`, `best_first`, `ida`, `beam` | one engine each |
//! | `layers` | the common parts of best-first search and IDA* |
//! | `checkpoints` | the schedule and the contents of checkpoints |
//! | `all_solutions` | the number of all cheapest solutions, and the first of them |
//! | `trials` | trials of lower bounds, exact costs, closures for certificates |
//!
//! An engine in another crate is built from the same parts as the engines here: [`Workers`], [`Incumbent`],
//! [`Checkpointer`] and [`Monitor`](crate::runtime::Monitor).
//!
//! `docs/engines.md` has the use and the guarantees of each engine.

mod all_solutions;
mod anneal;
mod auto;
mod beam;
mod best_first;
mod checkpoints;
mod context;
mod dispatch;
mod ida;
mod incumbent;
mod layers;
mod learning;
mod outcome;
mod parallel;
mod parameters;
mod trials;
mod work;

pub use all_solutions::{AllSolutions, all_solutions};
pub use auto::{first_solution, greedy_path};
pub use checkpoints::{
    CheckpointConfig, Checkpointer, EnginePosition, IdaPosition, OpenBranch, OpenNode, SessionClock, Snapshot, Times,
    decode_part, encode_part, sequel_files,
};
pub use context::Context;
pub use dispatch::{EngineInfo, StateEngine, search};
pub use incumbent::Incumbent;
pub use learning::{RefutedSets, Refuter};
pub use outcome::{Outcome, Solution, Statistics, Status};
pub use parallel::Workers;
pub use parameters::{PARAMETERS, Parameter, Parameters};
pub use trials::{
    BoundCheck, ChildCover, Closure, ExactState, KnownCosts, PathPoint, ProofError, Trial, enumerate, solve_all,
    try_bound,
};
pub use work::Work;

impl StateEngine {
    /// Finds incumbents by beam searches. Proves by the search that learns or by best-first search, and by IDA* when
    /// memory runs out.
    pub const AUTO: Self = auto::ENGINE;
    /// Depth-first refutation that learns no-goods.
    pub const LEARNING: Self = learning::ENGINE;
    /// Layered best-first search.
    pub const BEST_FIRST: Self = best_first::ENGINE;
    /// Iterative deepening.
    pub const IDA: Self = ida::ENGINE;
    /// Beam search.
    pub const BEAM: Self = beam::ENGINE;
    /// Simulated annealing of solutions.
    pub const ANNEAL: Self = anneal::ENGINE;

    /// Every engine.
    pub const ALL: [Self; 6] = [Self::AUTO, Self::LEARNING, Self::BEST_FIRST, Self::IDA, Self::BEAM, Self::ANNEAL];

    /// The engine with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.info.name == name)
    }
}
