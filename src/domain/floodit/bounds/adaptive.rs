//! Elimination layers, to which pairs are added where a search turns out to be long.
//!
//! The engine `auto` makes short searches with this bound. Where they do not end with a proof, it refines the bound:
//! see [`FloodBound::refine`](super::FloodBound). Every other engine uses elimination layers alone.

pub(super) use super::elimination::evaluate;

pub(super) const SUMMARY: &str = "elimination; the engine auto adds pairs where a short search is not the end";
