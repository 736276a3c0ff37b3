//! The choice among the readings of an input.

pub(crate) mod grammar;
pub(crate) mod readings;
mod survey;
