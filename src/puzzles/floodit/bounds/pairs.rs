//! Pairs of regions that no word reaches in time together; see `pair_tables`.

pub(super) use super::pair_tables::unfinished_colours as evaluate;

pub(super) const SUMMARY: &str = "order in which colours can be finished, from pairs of regions that are far together";
