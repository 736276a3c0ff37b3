//! Reads an input as text, as lines, and as the cells of a line.

pub(crate) mod board_source;
pub(crate) mod compressed;
pub(crate) mod decode;
pub(crate) mod foreign_file;
pub(crate) mod foreign_text;
pub(crate) mod head;
pub(crate) mod line_kind;
pub(crate) mod line_source;
pub(crate) mod row;
