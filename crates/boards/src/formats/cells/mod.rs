//! The texts of cells and the colours that they mean.

pub(crate) mod colour_names;
pub(crate) mod grid;
pub(crate) mod palette;
pub(crate) mod symbol;
pub(crate) mod writing;
