//! How the cells of a JSON object stand.

use super::names::names;

/// What the lists in `cells` of [`Format::Json`](super::Format::Json) are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonLayout {
    /// Rows from the top, each from the left.
    #[default]
    Rows,
    /// Columns from the left, each from the top; shorter ones stand on the floor.
    Columns,
    /// Columns from the left, each from the floor up.
    ColumnsUp,
}

names!(JsonLayout: Rows "rows", Columns "columns", ColumnsUp "columns-up");
