//! Pairs of regions that no word reaches in time together; see `walkers`.

pub(super) use super::walkers::unfinished_colours as evaluate;

pub(super) const SUMMARY: &str = "order in which colours can be finished, from pairs of regions that are far together";
