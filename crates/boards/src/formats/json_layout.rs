//! How the cells of a JSON object are arranged.

use crate::names;

/// What each list in `cells` of [`Format::Json`](crate::Format::Json) holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonLayout {
    /// A row, from left to right. Rows come from top to bottom.
    #[default]
    Rows,
    /// A column, from top to bottom. Columns come from left to right; empty cells fill a short column at its top.
    Columns,
    /// A column, from bottom to top. Columns come from left to right; empty cells fill a short column at its top.
    ColumnsUp,
}

names!(JsonLayout: Rows "rows", Columns "columns", ColumnsUp "columns-up");
