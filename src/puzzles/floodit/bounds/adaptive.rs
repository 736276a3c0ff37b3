//! Elimination layers, to which pairs are added where a search turns out to be long.
//!
//! Antichain search, and `auto` by it, refines this bound where its next iteration is expected to be long: see
//! [`FloodBound::refine`](super::FloodBound). Every other engine uses elimination layers alone.

pub(super) use super::elimination::evaluate;

pub(super) const SUMMARY: &str = "elimination; the engine auto adds pairs where a short search is not the end";
