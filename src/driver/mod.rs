//! From a board and a [`Request`] to a replayed [`Report`]; configuration, selection and batches.
//!
//! The way of one board is [`solve_board`]: board -> domain -> engine -> verify. Many boards go through [`Batch`],
//! side by side or one after another, and come out in input order.

mod batch;
mod bound;
mod bunny;
mod clicks;
mod config;
mod error;
mod flood;
mod measure;
pub mod memory;
mod request;
mod run;
mod selection;
mod solve;
mod study;

pub use batch::{Audience, Batch, BatchError, Parallel};
pub use bound::{BoundName, UnknownBoundName};
pub use config::{Config, ConfigError, parse_memory, parse_time};
pub use error::HuntError;
pub use measure::Measure;
pub use request::{DomainKind, Request, Storage, UnknownName, parse_engine};
pub use run::{FinishedBoard, RunDir, RunError, RunState};
pub use selection::{Selection, SelectionError};
pub use solve::{Report, check_cells, solve_board};
pub use study::{Study, StudyRequest, study_board};
