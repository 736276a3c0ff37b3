//! Floods as sets, for the search that learns.
//!
//! **Choices.** If no colour can be finished, the choices are all unfinished colours, also those that are not beside
//! the flood: they may be beside a larger flood. A colour that can be finished is the only choice. It is the only
//! choice at each larger flood too, as long as one of its regions is outside that flood: all its regions outside are
//! beside the larger flood, because they are beside the smaller one.
//!
//! **Regression.** Let a flood lie within N after a move of colour c. The move floods no region of c outside N. So the
//! flood before the move has no neighbour of such a region, and N without these neighbours is the largest flood before
//! the move.

use super::bits::{self, Bits};
use super::idle;
use super::puzzle::{Flood, FloodIt};
use gridhunt_search::domain::{MoveIndex, SetMoves};
use gridhunt_search::multiversion;

/// Strips with at most this many regions are searched like other boards: they take milliseconds.
const LONG_STRIP: usize = 100;

impl<const W: usize> SetMoves<Flood<W>> for FloodIt<W> {
    fn element_count(&self) -> usize {
        self.regions()
    }

    /// On a strip, each flood is an interval.
    fn has_few_states(&self) -> bool {
        self.regions() > LONG_STRIP && self.neighbours.iter().all(|neighbours| bits::count(neighbours) <= 2)
    }

    fn choices(&self, flood: &Flood<W>, moves: &mut Vec<MoveIndex>, pins: &mut [u64]) -> bool {
        let first = moves.len();
        let seen = flood.seen();
        for (colour, regions) in (0..).zip(&self.of_colour) {
            if bits::is_subset(regions, &flood.flooded) {
                continue;
            }
            if bits::is_subset(regions, &seen) {
                moves.truncate(first);
                moves.push(colour);
                let missing = bits::difference(regions, &flood.flooded);
                pins.iter_mut().zip(missing).for_each(|(pins, missing)| *pins |= missing);
                return true;
            }
            moves.push(colour);
        }
        false
    }

    fn child(&self, flood: &Flood<W>, mv: MoveIndex) -> Flood<W> {
        flooded(self, flood, usize::from(mv))
    }

    fn saturate(&self, flood: &mut Flood<W>) {
        *flood = saturated(self, flood);
    }

    fn regress(&self, set: &[u64], mv: MoveIndex, out: &mut [u64]) {
        let words = std::array::from_fn(|at| set.get(at).copied().unwrap_or(0));
        let result = without_neighbours(self, &words, &bits::difference(&self.of_colour[usize::from(mv)], &words));
        out.iter_mut().enumerate().for_each(|(at, out)| *out = result.get(at).copied().unwrap_or(0));
    }
}

multiversion! {
    /// Returns the flood after a move.
    fn flooded<const W: usize>(puzzle: &FloodIt<W>, flood: &Flood<W>, colour: usize) -> Flood<W> = flood_colour
}

#[inline(always)]
fn flood_colour<const W: usize>(puzzle: &FloodIt<W>, flood: &Flood<W>, colour: usize) -> Flood<W> {
    let add = bits::intersection(&puzzle.of_colour[colour], &flood.adjacent);
    let set = bits::union(&flood.flooded, &add);
    let reached = bits::union(&flood.adjacent, &puzzle.adjacent_to(&add));
    Flood { flooded: set, adjacent: bits::difference(&reached, &set) }
}

multiversion! {
    /// Adds the idle regions to the flood.
    fn saturated<const W: usize>(puzzle: &FloodIt<W>, flood: &Flood<W>) -> Flood<W> = saturate
}

#[inline(always)]
fn saturate<const W: usize>(puzzle: &FloodIt<W>, flood: &Flood<W>) -> Flood<W> {
    idle::saturate(puzzle, *flood, &flood.adjacent)
}

multiversion! {
    /// Returns `set` without the neighbours of the regions of `outside`.
    fn without_neighbours<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, outside: &Bits<W>) -> Bits<W> = remove
}

#[inline(always)]
fn remove<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, outside: &Bits<W>) -> Bits<W> {
    bits::difference(set, &puzzle.adjacent_to(outside))
}
