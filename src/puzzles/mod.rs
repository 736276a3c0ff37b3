//! The puzzles, and what they have in common: the contract of a puzzle object, the registry, and the request for a
//! search.
//!
//! Each puzzle has a folder: its states, moves and lower bounds, and the object that implements [`Puzzle`]. A hunt, a
//! view and the command line reach a puzzle through this object alone; [`PuzzleId`] names it.

mod bound_name;
pub mod bunny;
mod certificate_codes;
pub mod clickomania;
mod error;
pub mod floodit;
mod gameplay;
mod names;
mod objective_value;
mod playback;
mod puzzle;
mod puzzle_id;
mod registry;
mod request;
mod start;
mod state_search;
mod verdict;

pub use bound_name::{BoundName, UnknownBoundName};
pub use error::PuzzleError;
pub use gameplay::{Choice, Gameplay, ProgramRun, ProgramStep};
pub use names::UnknownName;
pub(crate) use names::plural;
pub use objective_value::ObjectiveValue;
pub use playback::{Drawing, Playback};
pub use puzzle::{
    BoundCertificate, BoundInfo, CertificateForm, CertifiedPuzzle, Claim, Instance, Puzzle, Solutions, SpaceFactory,
    StatePuzzle, Visit,
};
pub use puzzle_id::PuzzleId;
pub use registry::{check_board, check_cells, positions_of};
pub use request::{LEAST_MEMORY, Request, Storage, check_bound, check_memory};
pub use start::Start;
pub(crate) use state_search::FromSolution;
pub use verdict::{Fact, Refused, Verdict, Verified};
