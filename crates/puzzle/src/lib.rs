#![doc = include_str!("../README.md")]
#![deny(rustdoc::broken_intra_doc_links)]
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod bound_name;
mod certificate_codes;
mod engine_kind;
mod error;
mod gameplay;
mod names;
mod objective;
mod option;
mod playback;
mod puzzle;
mod puzzle_context;
mod puzzle_id;
mod registry;
mod start;
mod state_search;
mod task;
mod verdict;

pub use bound_name::{BoundName, UnknownBoundName};
pub use certificate_codes::{certificate, write_number};
pub use engine_kind::EngineKind;
pub use error::{PuzzleError, Result};
pub use gameplay::{Choice, Gameplay, ProgramRun, ProgramStep, Standing};
#[doc(hidden)]
pub use inventory;
pub use names::{UnknownName, join};
pub use objective::{Direction, Objective};
pub use option::{Fact, FactInfo, FactValue, PuzzleOption, Values, option_named, options};
pub use playback::{Drawing, Playback};
pub use puzzle::{BoundInfo, Level, Puzzle, PuzzleInfo};
pub use puzzle_context::puzzle_context;
pub use puzzle_id::PuzzleId;
#[doc(hidden)]
pub use registry::Registered;
pub use start::{Start, position};
pub use state_search::{FromSolution, search_states};
pub use task::{
    BoundCertificate, CertificateForm, Certificates, CertifiedBoard, Claim, Method, Programs, Solutions, SpaceFactory,
    States, Task, TaskInfo, Visit, Written,
};
pub use verdict::{Refused, Remark, Verdict, Verified};
