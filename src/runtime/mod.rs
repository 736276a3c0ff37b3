//! Runs worker threads: crews and their barrier, limits and stop tokens, events and progress.

mod crew;
mod events;
mod limits;
mod monitor;
mod watchdog;

pub use crew::{Abandoned, Crew, CrewResult, run_crew};
pub use events::{Event, Layer, Observer, Progress, Silent, Stage};
pub use limits::{Deadline, Limits, StopReason, StopToken};
pub(crate) use monitor::table_bytes;
pub use monitor::{Gauges, Monitor, process_cpu_seconds, thread_cpu_seconds};
