//! The search algorithms.
//!
//! An engine searches a [`StateSpace`](crate::expand::StateSpace): packed states, their children, and a lower bound. It
//! knows no puzzle and no state type, so each engine is compiled once. [`EngineKind`] lists the engines, [`search`]
//! runs one of them, and each returns an [`Outcome`]: the best solution held, and a proven lower bound. Program
//! synthesis searches a [`Machine`](crate::domain::Machine) instead ([`search_program`]).
//!
//! `docs/engines.md` says when to use which engine and what each guarantees.

mod anneal;
mod auto;
mod batch;
mod beam;
mod beam_schedule;
mod best_first;
mod checkpointer;
mod context;
mod dfs_stack;
mod dispatch;
mod enumeration;
mod exhaustive;
mod first;
mod ida;
mod incumbent;
mod kind;
mod learning;
mod ledger;
mod links;
mod outcome;
mod parallel;
mod parameters;
mod preparation;
mod rank_parcels;
mod resume_point;
mod snapshot;
mod state_worker;
mod synthesis;
mod team;
mod times;
mod top_k;
mod trial;
mod work;

pub use checkpointer::{CheckpointConfig, sequel_files};
pub use context::Context;
pub use dispatch::{search, search_from};
pub use enumeration::{Closure, Covered, NotClosed, enumerate};
pub use exhaustive::{ExactState, solve_all};
pub use first::{first_solution, played_path};
pub use kind::{EngineKind, ProgramEngine, StateEngine};
pub use learning::{RefutedSets, Refuter};
pub use outcome::{Outcome, Solution, Statistics, Status};
pub use parameters::{PARAMETERS, Parameter, Parameters};
pub use snapshot::{DepthFirst, EnginePosition, OpenBranch, OpenNode, Snapshot};
pub use synthesis::search_program;
pub use times::{SessionClock, Times};
pub use trial::{Check, Step, Trial, Truth, try_bound};
pub use work::Work;
