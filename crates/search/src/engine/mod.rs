//! The search algorithms.
//!
//! An engine searches a [`StateSpace`](crate::expand::StateSpace): packed states, their children, and a lower bound. It
//! knows no puzzle and no state type, so each engine is compiled once. [`EngineKind`] lists the engines, [`search`]
//! runs one of them, and each returns an [`Outcome`]: the best solution held, and a proven lower bound.
//!
//! | folder | content |
//! | --- | --- |
//! | `auto`, `learning`, `best_first`, `ida`, `beam` | an engine each |
//! | `layers` | what best-first search and IDA* share |
//! | `checkpoints` | when a search takes checkpoints, and what they hold |
//! | `trials` | trials of lower bounds, exact costs, closures for certificates |
//!
//! An engine in another crate is built of what engines here are built of: [`Workers`], [`Incumbent`], [`Checkpointer`]
//! and [`Monitor`](crate::runtime::Monitor).
//!
//! `docs/engines.md` says when to use which engine and what each guarantees.

mod anneal;
mod auto;
mod beam;
mod best_first;
mod checkpoints;
mod context;
mod dispatch;
mod ida;
mod incumbent;
mod kind;
mod layers;
mod learning;
mod outcome;
mod parallel;
mod parameters;
mod trials;
mod work;

pub use auto::{first_solution, played_path};
pub use checkpoints::{
    CheckpointConfig, Checkpointer, DepthFirst, EnginePosition, OpenBranch, OpenNode, SessionClock, Snapshot, Times,
    decode_part, encode_part, sequel_files,
};
pub use context::Context;
pub use dispatch::{search, search_from};
pub use incumbent::Incumbent;
pub use kind::{EngineKind, StateEngine};
pub use learning::{RefutedSets, Refuter};
pub use outcome::{Outcome, Solution, Statistics, Status};
pub use parallel::Workers;
pub use parameters::{PARAMETERS, Parameter, Parameters};
pub use trials::{Check, Closure, Covered, ExactState, NotClosed, Step, Trial, Truth, enumerate, solve_all, try_bound};
pub use work::Work;
