//! Full-screen views of runs, drawn from rows of progress. The board and its solution come from the run directory.
//!
//! * `model`: the runs, their rows, and which panel is open; keys change it;
//! * `source`: where the rows of runs come from;
//! * `estimate`: layers with their growth, and forecasts;
//! * `panels`, `plot`, `frames`: what the panels show;
//! * `screen`: the screens, drawn into a buffer of any size.

pub(crate) mod estimate;
mod frames;
mod model;
pub(crate) mod panels;
pub(crate) mod plot;
mod screen;
mod source;
mod styles;
#[cfg(test)]
mod tests;

pub use frames::Frames;
pub use model::{Key, PendingDrawing, ProcessState, WatchState, WatchedRun};
pub use screen::{draw, screen_text};
pub use source::RowSource;
pub use styles::Styles;
