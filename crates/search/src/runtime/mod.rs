//! Worker threads and ranks: crews, the exchange, limits and stop tokens, events and progress.

mod crew;
mod events;
mod exchange;
mod limits;
mod monitor;
mod survey;
mod watchdog;
mod writer_progress;

pub use crew::{Crew, CrewResult, OtherCrews, WorkerPanicked, run_crew};
pub use events::{Event, Layer, Observer, Progress, Silent, Stage, WorkerProgress};
pub use exchange::{
    Channel, Exchange, INTERNAL_ERROR_CODE, MessageDelays, PARCEL_WINDOW, RankStatus, ThreadTransport, Transport,
    launcher_variable, panic_if_requested,
};
pub(crate) use exchange::{Notice, Parcel, decode, empty_message, encode, message_of};
use limits::Deadline;
pub use limits::{Limits, StopReason, StopToken, Stopped};
pub use monitor::{Gauges, Monitor};
pub use survey::{ProgressSurvey, WaitTimer, WorkerGauge};
pub use writer_progress::{WriterProgress, WrittenCheckpoint};
