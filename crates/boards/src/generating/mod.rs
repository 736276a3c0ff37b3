//! Boards from seeds.

pub(crate) mod clearable;
pub(crate) mod generate;
pub(crate) mod generate_bunny;
