//! Pages: what browsers show of runs.
//!
//! * `view`: a run and its boards as JSON; `film`: solutions;
//! * `assets`: the files of the pages, which are part of the program;
//! * `document`: a report, one file without network; `gather`: its content.

mod assets;
mod document;
mod film;
mod gather;
#[cfg(test)]
mod tests;
mod view;

pub use assets::{asset, media_type};
pub use document::Document;
pub use film::{FilmView, FrameView};
pub use gather::GatherError;
pub use view::{BegunView, BoardView, LayerView, NowView, ResultView, RunLine, RunView};
