//! Elimination layers, to which pairs come where a search turns out to be long.
//!
//! The engine `auto` makes short searches with this bound and, where they are not the end, sharpens it: see
//! [`FloodBound::sharpen`](super::FloodBound). Every other engine is guided by elimination layers alone.

pub(super) use super::elimination::evaluate;

pub(super) const SUMMARY: &str = "elimination; the engine auto adds pairs where a short search is not the end";
