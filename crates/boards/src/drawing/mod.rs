//! Boards and frames as text.

pub(crate) mod frame;
pub(crate) mod render;
