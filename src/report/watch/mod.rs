//! Full-screen views of runs, drawn from rows of progress alone.
//!
//! * `model`: the runs, their rows, and which panel is open; keys change it;
//! * `estimate`: layers with their growth, and ranges for the time to come;
//! * `panels`, `plot`, `frames`: what the panels show;
//! * `screen`: the screens, drawn into a buffer of any size.

mod estimate;
mod frames;
mod ink;
mod model;
mod panels;
mod plot;
mod screen;
#[cfg(test)]
mod tests;

pub use frames::Frames;
pub use ink::Ink;
pub use model::{Key, Life, Panel, Undrawn, Watched, WatchedRun, Wish};
pub use screen::draw;
