//! Pages: what browsers show of runs.
//!
//! * `view`: a run and its boards as JSON; `film`: solutions; `solved`: a position;
//! * `assets`: the files of the pages, which are part of the program;
//! * `document`: a report, one file without network; `gather`: its content.

mod assets;
mod document;
mod film;
mod gather;
mod solved;
#[cfg(test)]
mod tests;
mod view;

pub use super::result_table::{ResultRow, ResultTable};
pub use assets::{Asset, asset};
pub use document::{Document, Figure, Table};
pub use film::{FilmView, FrameView};
pub use gather::GatherError;
pub use solved::SolvedView;
pub use view::{BegunView, BoardView, LayerView, NowView, RunLine, RunView};
