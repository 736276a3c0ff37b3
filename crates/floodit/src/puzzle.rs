//! A board as a search space: its regions, and floods of them.

use super::bits::{self, Bits};
use super::regions::Regions;
use gridhunt_search::multiversion;

/// The least number of bits of a set that stand for no region.
pub(super) const SPARE_BITS: usize = 11;

/// A board as a search space, with states of `W` 64-bit words. Made by [`with_puzzle`](super::with_puzzle), which
/// selects the narrowest states, or by [`FloodIt::try_new`].
#[derive(Clone, Debug)]
pub struct FloodIt<const W: usize> {
    /// The neighbouring regions of each region.
    pub(super) neighbours: Vec<Bits<W>>,
    /// Regions of each colour.
    pub(super) of_colour: Vec<Bits<W>>,
    /// Colour of each region.
    pub(super) colour: Vec<u8>,
    /// All regions.
    pub(super) all_regions: Bits<W>,
    pub(super) start: usize,
}

/// A set of flooded regions, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood<const W: usize> {
    /// The flooded regions. In a search, idle regions (`idle.rs`) are among them.
    pub flooded: Bits<W>,
    /// The regions that touch the flood; derived from `flooded`.
    pub adjacent: Bits<W>,
}

impl<const W: usize> Flood<W> {
    /// The regions that are flooded or touch the flood.
    #[inline(always)]
    pub(super) fn seen(&self) -> Bits<W> {
        bits::union(&self.flooded, &self.adjacent)
    }
}

impl<const W: usize> FloodIt<W> {
    /// The puzzle on the regions of a board with `colours` colours; `None` if sets of `64 * W` bits have no room for
    /// the regions and some spare bits.
    #[must_use]
    pub fn try_new(regions: &Regions, colours: usize) -> Option<Self> {
        (regions.count() + SPARE_BITS <= 64 * W).then(|| Self::new(regions, colours))
    }

    pub(super) fn new(regions: &Regions, colours: usize) -> Self {
        debug_assert!(regions.count() + SPARE_BITS <= 64 * W);
        let mut puzzle = Self {
            neighbours: vec![bits::empty(); regions.count().next_multiple_of(64)],
            of_colour: vec![bits::empty(); colours],
            colour: regions.colour.clone(),
            all_regions: bits::empty(),
            start: regions.start,
        };
        for (region, list) in regions.neighbours.iter().enumerate() {
            bits::insert(&mut puzzle.all_regions, region);
            bits::insert(&mut puzzle.of_colour[usize::from(regions.colour[region])], region);
            for &neighbour in list {
                bits::insert(&mut puzzle.neighbours[region], neighbour);
            }
        }
        puzzle
    }

    /// Number of regions.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.colour.len()
    }

    /// Number of colours.
    #[must_use]
    pub fn colours(&self) -> usize {
        self.of_colour.len()
    }

    /// All regions.
    #[must_use]
    pub fn all_regions(&self) -> &Bits<W> {
        &self.all_regions
    }

    /// The regions of a colour; panics when there is no such colour.
    #[must_use]
    pub fn of_colour(&self, colour: usize) -> &Bits<W> {
        &self.of_colour[colour]
    }

    /// The state in which exactly the regions of `set` are flooded.
    #[must_use]
    #[inline]
    pub fn flood(&self, set: Bits<W>) -> Flood<W> {
        neighbours_outside(self, set)
    }

    /// The neighbours of all regions of `set`.
    #[must_use]
    #[inline(always)]
    pub(super) fn adjacent_to(&self, set: &Bits<W>) -> Bits<W> {
        let mut adjacent = bits::empty();
        // A block has the 64 rows of one word of `set`, so no row needs a check that it exists.
        let (blocks, _) = self.neighbours.as_chunks::<64>();
        for (&word, rows) in set.iter().zip(blocks) {
            let mut unvisited = word;
            while unvisited != 0 {
                adjacent = bits::union(&adjacent, &rows[unvisited.trailing_zeros() as usize % 64]);
                unvisited &= unvisited - 1;
            }
        }
        adjacent
    }

    /// The regions of `within` that are neighbours of a region of `from`. Walks over the smaller of the two sets.
    #[must_use]
    #[inline(always)]
    pub fn neighbours(&self, from: &Bits<W>, within: &Bits<W>) -> Bits<W> {
        if bits::count(from) <= bits::count(within) {
            bits::intersection(&self.adjacent_to(from), within)
        } else {
            let mut adjacent = bits::empty();
            for r in bits::elements(within) {
                if bits::intersects(&self.neighbours[r], from) {
                    bits::insert(&mut adjacent, r);
                }
            }
            adjacent
        }
    }
}

multiversion! {
    fn neighbours_outside<const W: usize>(puzzle: &FloodIt<W>, set: Bits<W>) -> Flood<W> = flood
}

#[inline(always)]
pub(super) fn flood<const W: usize>(puzzle: &FloodIt<W>, set: Bits<W>) -> Flood<W> {
    Flood { flooded: set, adjacent: puzzle.neighbours(&set, &bits::difference(&puzzle.all_regions, &set)) }
}
