//! Pairs, and triples of regions that no word reaches in time together; see `walkers`.

pub(super) use super::walkers::unfinished_colours as evaluate;

pub(super) const SUMMARY: &str = "pairs, and triples of regions that are far together";
