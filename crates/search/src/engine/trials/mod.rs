//! Trials of lower bounds, and two tools for trials and certificates: the exact cost of every state of a small board,
//! and the closure of an enumeration.

mod enumeration;
mod exhaustive;
mod trial;

pub use enumeration::{ChildCover, Closure, ProofError, enumerate};
pub use exhaustive::{ExactState, solve_all};
pub use trial::{BoundCheck, KnownCosts, PathPoint, Trial, try_bound};
