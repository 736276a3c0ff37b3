//! Searches and lower bounds, checked against exhaustive search.

mod bounds;
mod common;
mod engines;
mod golden;
