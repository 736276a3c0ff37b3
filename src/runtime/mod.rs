//! How workers run, share work, stop and tell what they do.

mod events;
mod limits;

pub use events::{Event, Layer, Observer, Progress, Silent};
pub use limits::{Deadline, Limits, StopReason, StopToken};
