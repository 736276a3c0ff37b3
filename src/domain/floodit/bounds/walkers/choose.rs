//! Which targets stand in as long as nothing is known of a search.

use super::super::distance::Distances;
use super::order::{Layout, SLOTS, SlotSet, slots_in};
use super::reach::{PairReach, TripleReach};
use super::table::{Target, pair, triple};
use crate::domain::Domain;
use crate::domain::floodit::FloodIt;
use crate::domain::floodit::bits::{self, Bits};
use arrayvec::ArrayVec;

/// Targets of each cell that are chosen at the start: pairs, and triples, whose tables take fifty times as much.
const A_CELL: [usize; 2] = [3, 1];

/// The colours that take part: those whose farthest region is farthest, the lower one first.
pub(super) fn slots<const W: usize>(puzzle: &FloodIt<W>) -> ArrayVec<u8, SLOTS> {
    let mut distances = Distances::default();
    let farthest = distances.measure(puzzle, &puzzle.root()).release();
    let mut colours: Vec<_> = (0_u8..).zip(farthest).filter(|&(_, &far)| far > 0).collect();
    colours.sort_unstable_by_key(|&(colour, &far)| (std::cmp::Reverse(far), colour));
    let mut slots: ArrayVec<u8, SLOTS> = colours.into_iter().take(SLOTS).map(|(colour, _)| colour).collect();
    slots.sort_unstable();
    slots
}

/// For each set of colours that has a cell a few targets that are farthest from the start, no region twice: pairs for two colours and
/// for one, triples for three, unless to find them takes more than so many bytes.
pub(super) fn far_from_start<const W: usize>(
    puzzle: &FloodIt<W>,
    slots: &[u8],
    layout: &Layout,
    bytes: u64,
) -> Vec<Target> {
    let root = puzzle.root();
    let mut pairs = PairReach::default();
    pairs.measure(puzzle, &root);
    let mut triples = TripleReach::default();
    let cells = 0..layout.cells(slots.len());
    if cells.clone().any(|cell| layout.slots_of(cell).count_ones() > 2) {
        // Where they are not measured, none is far.
        triples.measure(puzzle, &root, bytes);
    }
    let outside = |slot: usize| bits::minus(&puzzle.of_colour[usize::from(slots[slot])], &root.set);
    let mut targets = Vec::new();
    for set in cells.map(|cell| layout.slots_of(cell)) {
        let mut of_slot = slots_of_walkers(set).map(outside);
        for _ in 0..A_CELL[usize::from(set.count_ones() > 2)] {
            let found = if set.count_ones() > 2 {
                farthest_triple(&triples, &of_slot)
            } else {
                farthest_pair(&pairs, &of_slot)
            };
            let Some(target) = found else { break };
            targets.push(target);
            for used in target.map(usize::from) {
                of_slot.iter_mut().for_each(|regions| bits::unset(regions, used));
            }
        }
    }
    targets
}

/// The slots of three walkers, the last one twice where there are two, or thrice where there is one.
fn slots_of_walkers(set: SlotSet) -> [usize; 3] {
    let mut slots = [0; 3];
    let mut last = 0;
    let mut of_set = slots_in(set);
    for slot in &mut slots {
        last = of_set.next().unwrap_or(last);
        *slot = last;
    }
    slots
}

fn farthest_pair<const W: usize>(reach: &PairReach<W>, [us, vs, _]: &[Bits<W>; 3]) -> Option<Target> {
    (0..reach.depth()).rev().find_map(|k| {
        let mut found = None;
        bits::for_each(us, |u| {
            if found.is_none() {
                bits::for_each(&bits::minus(vs, reach.row(k, u)), |v| found = found.or(Some(pair(u, v))));
            }
        });
        found
    })
}

fn farthest_triple<const W: usize>(reach: &TripleReach<W>, [us, vs, ws]: &[Bits<W>; 3]) -> Option<Target> {
    (0..reach.depth()).rev().find_map(|k| {
        let mut found = None;
        bits::for_each(us, |u| {
            bits::for_each(vs, |v| {
                if found.is_none() {
                    bits::for_each(&bits::minus(ws, reach.row(k, u, v)), |w| found = found.or(Some(triple(u, v, w))));
                }
            });
        });
        found
    })
}
