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

pub use bound_name::BoundName;
pub use certificate_codes::{build_certificate, write_leb128};
pub use engine_kind::EngineKind;
pub use error::{PuzzleError, Result};
pub use gameplay::{GameStatus, Gameplay, LegalMove, ProgramRun, ProgramStep};
#[doc(hidden)]
pub use inventory;
pub use names::{UnknownName, join_names};
pub use objective::{Objective, ObjectiveSense};
pub use option::{Fact, FactInfo, FactValue, OptionValues, PuzzleOption, option_named, options};
pub use playback::{Drawing, Playback};
pub use puzzle::{BoundInfo, Level, Puzzle, PuzzleInfo, level};
pub use puzzle_context::puzzle_context;
pub use puzzle_id::PuzzleId;
#[doc(hidden)]
pub use registry::RegistryEntry;
pub use start::{StartPosition, position_after};
pub use state_search::{IncumbentFilter, search_states};
pub use task::{
    BoundCertificate, CandidateSolution, CertifiableTask, CertificateClaim, CertificateForm, CertifiedBoard,
    ProgramTask, ReadSolution, SearchMethod, Solutions, SpaceFactory, SpaceVisitor, StateTask, Task, TaskInfo,
};
pub use verdict::{RefusedSolution, Remark, ValidSolution, Verdict};
