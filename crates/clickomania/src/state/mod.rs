//! States: boards of fallen cells as bit planes, with counts that are kept up to date click by click.

mod column;
mod grid;
mod position;

pub use column::{Column, ManyColours, MoreColours};
pub(super) use grid::{Cells, Grid, Group, Groups, Links, add, count, subtract};
pub use position::Position;
pub(super) use position::{PrefixCounts, Weights, affected};
