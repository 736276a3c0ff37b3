//! From a board and a [`Request`] to a replayed [`Report`]; puzzles, configuration, run directories and batches.
//!
//! [`solve_board`] searches one board: board -> puzzle -> engine -> replay. [`Batch`] searches many boards, side by
//! side or one after another, and delivers their reports in input order. A [`Puzzle`] object implements everything
//! that depends on the puzzle; [`PuzzleId`] names the puzzle.

mod amount;
mod batch;
mod bound;
mod config;
mod dataset;
mod dealt;
mod delivered;
mod engine_name;
mod error;
mod explanation;
mod explored;
mod explorer;
mod gameplay;
mod held;
pub mod memory;
mod names;
mod objective_value;
mod options;
mod parallel;
mod part;
mod playback;
mod puzzle;
mod puzzle_id;
mod puzzles;
mod quoted;
mod ranks;
mod request;
mod run;
mod run_error;
mod selection;
mod sent;
pub mod shipped;
mod solve;
mod start;
mod states;
mod study;
mod task;
mod value;
mod verdict;

pub use amount::{Size, Threads, Time, whole_number};
pub use batch::{Audience, Batch, BatchError, Beginning, BoardResult, FailedBoard};
pub use bound::{BoundName, UnknownBoundName};
pub use config::FoundConfig;
pub use dataset::find_dataset;
pub use engine_name::parse_engine;
pub use error::DriverError;
pub use explored::{ChildRecord, ExploreError, ExploredChild, ExploredState, PathStep, Reason};
pub use explorer::{Explorer, ExplorerLimits};
pub use gameplay::{Choice, Gameplay, ProgramRun, ProgramStep};
pub use held::Held;
pub use names::UnknownName;
pub use objective_value::ObjectiveValue;
pub use options::{
    Config, DatasetOptions, EngineOptions, FormatOptions, ObjectiveOptions, OrderOptions, PartOptions, PuzzleOptions,
    ResourceOptions, RulesOptions, RunOptions, ScoreOptions, SelectionOptions, StorageOptions, TableOptions,
};
pub use parallel::Parallel;
pub use part::{Part, PartError};
pub use playback::{Drawing, Playback};
pub use puzzle::{BoundInfo, Puzzle, Solutions, Spaces, Visit};
pub use puzzle_id::PuzzleId;
pub use quoted::quoted;
pub use ranks::{Ranks, dismiss, follow};
pub use request::{Request, Storage, check_bound};
pub use run::{
    BegunBoard, Checked, FinishedBoard, History, LastSession, PartedRun, RunDir, RunState, StopRequest, StopWatch,
    sealed, searching_process,
};
pub use run_error::{ConfigError, RunError};
pub use selection::{Selection, SelectionError};
pub use solve::{Report, check_board, check_cells, positions_of, solve_board, solve_from};
pub use start::{Position, Start};
pub use study::{Study, StudyRequest, study_board};
pub use value::{Value, one_of};
pub use verdict::{Fact, Refused, Verdict, Verified};
