//! Runs worker threads: crews and their barrier, the exchange between ranks, limits and stop tokens, events and
//! progress.

mod crew;
mod events;
mod exchange;
mod limits;
mod monitor;
mod survey;
mod watchdog;

pub use crew::{Abandoned, Crew, CrewResult, OtherCrews, run_crew};
pub use events::{Event, Layer, Observer, Progress, Silent, Stage, WorkerProgress};
pub use exchange::{Crowd, CrowdRank, Exchange, Lane, RankStatus, Transport, WINDOW, Weather, launched};
#[cfg(feature = "mpi")]
pub use exchange::{MpiWorld, Unlaunched, abort_world};
pub(crate) use exchange::{News, Parcel, decode, empty_message, encode, message_of};
use limits::Deadline;
pub use limits::{Limits, StopReason, StopToken, Stopped};
pub use monitor::{Gauges, Monitor};
pub use survey::{Resting, Survey, WorkerGauge};
