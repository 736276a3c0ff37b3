//! The colours that take part in the pair bound, and the targets that serve until a search has shown which states are
//! hard.

use super::super::distance::Distances;
use super::deadlines::{LAYOUT, SLOTS};
use super::effort::{Cut, Effort};
use super::reach::PairReach;
use super::target::{Target, target};
use crate::puzzles::floodit::FloodIt;
use crate::puzzles::floodit::bits::{self, Bits};
use arrayvec::ArrayVec;
use gridhunt_search::domain::{Cost, Domain};

/// Targets that are chosen for each cell at the start.
const PER_CELL: usize = 3;

/// The colours that take part: those whose farthest region is farthest, the lower colour first.
pub(super) fn slots<const W: usize>(puzzle: &FloodIt<W>) -> ArrayVec<u8, SLOTS> {
    let mut distances = Distances::default();
    farthest_slots(distances.measure(puzzle, &puzzle.root()).release())
}

/// The same, where the distance of the farthest region of each colour is known.
fn farthest_slots(farthest: &[Cost]) -> ArrayVec<u8, SLOTS> {
    let mut colours: Vec<_> = (0..=u8::MAX).zip(farthest).filter(|&(_, &far)| far > 0).collect();
    colours.sort_unstable_by_key(|&(colour, &far)| (std::cmp::Reverse(far), colour));
    let mut slots: ArrayVec<u8, SLOTS> = colours.into_iter().take(SLOTS).map(|(colour, _)| colour).collect();
    slots.sort_unstable();
    slots
}

/// For each cell of these slots the targets that are farthest from the start, [`PER_CELL`] at most. The targets of one
/// cell have no region in common.
pub(super) fn far_from_start<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    effort: &mut Effort<'_>,
) -> Result<Vec<Target>, Cut> {
    let root = puzzle.root();
    let mut reach = PairReach::default();
    reach.measure(puzzle, &root, effort)?;
    let outside = |slot: usize| bits::minus(&puzzle.of_colour[usize::from(slots[slot])], &root.set);
    let mut targets = Vec::new();
    for cell in 0..LAYOUT.cells(slots.len()) {
        let mut of_slot = LAYOUT.pair_of(cell).map(outside);
        for _ in 0..PER_CELL {
            let Some(found) = farthest_pair(&reach, &of_slot, effort)? else { break };
            targets.push(found);
            for used in found.map(usize::from) {
                of_slot.iter_mut().for_each(|regions| bits::unset(regions, used));
            }
        }
    }
    Ok(targets)
}

/// A pair of a region of `us` and a region of `vs` that is farthest from the state that was measured.
fn farthest_pair<const W: usize>(
    reach: &PairReach<W>,
    [us, vs]: &[Bits<W>; 2],
    effort: &mut Effort<'_>,
) -> Result<Option<Target>, Cut> {
    for k in (0..reach.depth()).rev() {
        for u in bits::elements(us) {
            effort.spend(2 * W)?;
            let far = bits::minus(vs, reach.row(k, u));
            if let Some(v) = bits::elements(&far).next() {
                return Ok(Some(target(u, v)));
            }
        }
    }
    Ok(None)
}
