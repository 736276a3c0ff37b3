//! Successors: one for each colour beside the flood, or only the colour that can be finished.
//!
//! **Finish a colour.** When every remaining region of a colour is beside the flood, only the child that finishes this
//! colour is generated. If there are several such colours, the lowest one is taken. No optimum is lost: a solution
//! plays the colour at some time. If the colour is played first instead, the move floods all regions that are left of
//! the colour, and a larger flood is never worse. So the solution that begins with this move is no longer than the
//! other one.
//!
//! Children are saturated (`idle.rs`).

use super::bits::{self, Bits};
use super::idle;
use super::puzzle::{Flood, FloodIt};
use gridhunt_search::domain::{MoveIndex, Successor};
use gridhunt_search::multiversion;

/// On boards with more colours than this, [`step`] chooses a move by a cheaper rule.
const FEW_COLOURS: usize = 35;

multiversion! {
    /// Appends the children of `state`, by rising colour.
    pub(super) fn successors<const W: usize>(
        puzzle: &FloodIt<W>, state: &Flood<W>, out: &mut Vec<Successor<Flood<W>>>,
    ) = generate
}

#[inline(always)]
fn generate<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, out: &mut Vec<Successor<Flood<W>>>) {
    let unseen = bits::difference(&puzzle.all_regions, &state.seen());
    let mut colours = 0..puzzle.of_colour.len();
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if bits::intersects(regions, &state.adjacent) && !bits::intersects(regions, &unseen) {
            colours = colour..colour + 1;
            break;
        }
    }
    for colour in colours {
        let add = bits::intersection(&puzzle.of_colour[colour], &state.adjacent);
        if !bits::is_empty(&add) {
            let state = puzzle.saturated_after(state, &add);
            out.push(Successor { mv: colour as MoveIndex, cost: 1, sleep_set: 0, state });
        }
    }
}

/// Appends the children of `state` by all colours that touch the flood, by rising colour.
pub(super) fn all_successors<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    for (mv, regions) in (0..).zip(&puzzle.of_colour) {
        let set = bits::union(&state.flooded, &bits::intersection(regions, &state.adjacent));
        if set != state.flooded {
            let child = puzzle.flood(set);
            out.push(Successor { mv, cost: 1, sleep_set: 0, state: idle::saturate(puzzle, child, &child.adjacent) });
        }
    }
}

multiversion! {
    /// Finds a good move fast. Returns the move and its child. The move is a colour that can be finished. If there is
    /// none, it is the colour that opens most regions or, with more colours than [`FEW_COLOURS`], the colour with most
    /// regions beside the flood. `None` at the goal.
    pub(super) fn step<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Option<(usize, Flood<W>)> = good_move
}

#[inline(always)]
fn good_move<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Option<(usize, Flood<W>)> {
    let mut best: Option<(u32, usize, Bits<W>)> = None;
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        let add = bits::intersection(regions, &state.adjacent);
        if bits::is_empty(&add) {
            continue;
        }
        if bits::is_subset(&bits::difference(regions, &state.flooded), &state.adjacent) {
            best = Some((u32::MAX, colour, add));
            break;
        }
        let rank = if puzzle.of_colour.len() <= FEW_COLOURS {
            let reached = bits::union(&state.adjacent, &puzzle.adjacent_to(&add));
            bits::count(&bits::difference(&reached, &state.flooded))
        } else {
            bits::count(&add)
        };
        if best.is_none_or(|(best_rank, ..)| rank > best_rank) {
            best = Some((rank, colour, add));
        }
    }
    best.map(|(_, colour, add)| (colour, puzzle.saturated_after(state, &add)))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{puzzle, random_board, walk};
    use super::*;
    use gridhunt_search::domain::Domain;
    use std::collections::HashSet;

    fn moves<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Vec<(usize, Bits<W>)> {
        let mut out = Vec::new();
        successors(puzzle, state, &mut out);
        assert!(out.iter().all(|child| child.cost == 1 && child.state == puzzle.flood(child.state.flooded)));
        out.into_iter().map(|child| (usize::from(child.mv), child.state.flooded)).collect()
    }

    /// Regions of `colour` that touch the flood `set`, found one by one.
    fn added<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, colour: usize) -> Bits<W> {
        let mut added = bits::empty();
        for region in 0..puzzle.regions() {
            let touches = bits::intersects(&puzzle.neighbours[region], set) && !bits::contains(set, region);
            if touches && bits::contains(&puzzle.of_colour[colour], region) {
                bits::insert(&mut added, region);
            }
        }
        added
    }

    /// Regions that are flooded or touch the flood.
    fn seen<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> Bits<W> {
        bits::union(set, &puzzle.flood(*set).adjacent)
    }

    /// A flood with its idle regions, found one by one.
    fn with_idle<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> Bits<W> {
        let seen = seen(puzzle, set);
        let opens = |region: usize| !bits::is_subset(&puzzle.neighbours[region], &seen);
        let outside = |region: &usize| !bits::contains(set, *region);
        let mut all = *set;
        for region in (0..puzzle.regions()).filter(outside) {
            let same = |other: &usize| puzzle.colour[*other] == puzzle.colour[region];
            let is_needed = |other: usize| !bits::contains(&seen, other) || opens(other);
            let others_are_needed = (0..puzzle.regions()).filter(outside).filter(same).any(is_needed);
            if bits::contains(&seen, region) && !opens(region) && others_are_needed {
                bits::insert(&mut all, region);
            }
        }
        all
    }

    #[test]
    fn children_are_what_the_rules_say() {
        let (mut forced, mut free) = (0, 0);
        for index in 0..60 {
            let puzzle = puzzle::<4>(&random_board(4 + index as usize % 9, 9, 3 + index as usize % 4, index));
            for state in walk(&puzzle, index) {
                let added = |colour: &usize| added(&puzzle, &state.flooded, *colour);
                let child = |colour: usize| (colour, with_idle(&puzzle, &bits::union(&state.flooded, &added(&colour))));
                let playable = |colour: &usize| !bits::is_empty(&added(colour));
                let all: Vec<_> = (0..puzzle.colours()).filter(playable).collect();
                let is_finished =
                    |colour: &&usize| added(colour) == bits::difference(&puzzle.of_colour[**colour], &state.flooded);
                let finished: Vec<_> = all.iter().find(is_finished).copied().into_iter().collect();
                let left = if finished.is_empty() { &all } else { &finished };
                assert_eq!(moves(&puzzle, &state), left.iter().copied().map(child).collect::<Vec<_>>());
                let mut every = Vec::new();
                all_successors(&puzzle, &state, &mut every);
                assert_eq!(every.iter().map(|child| usize::from(child.mv)).collect::<Vec<_>>(), all);
                (forced, free) = (forced + finished.len(), free + usize::from(finished.is_empty()));
            }
        }
        assert!(forced > 50 && free > 200, "{forced} and {free}: too few to tell");
    }

    /// The fewest moves from a flood, without any pruning.
    fn fewest<const W: usize>(puzzle: &FloodIt<W>, set: Bits<W>) -> usize {
        let (mut layer, mut reached) = (vec![set], HashSet::from([set]));
        for moves in 0.. {
            if layer.contains(&puzzle.all_regions) {
                return moves;
            }
            let mut next = Vec::new();
            for set in layer {
                let floods = (0..puzzle.of_colour.len()).map(|colour| bits::union(&set, &added(puzzle, &set, colour)));
                next.extend(floods.filter(|flood| reached.insert(*flood)));
            }
            layer = next;
        }
        unreachable!("the goal is reached")
    }

    /// The fewest moves in a search by the pruning rules, and the number of states that the search visits.
    fn fewest_by_the_rules<const W: usize>(puzzle: &FloodIt<W>) -> (usize, usize) {
        let (mut layer, mut seen) = (HashSet::from([puzzle.root().flooded]), HashSet::new());
        for number in 0.. {
            if layer.contains(&puzzle.all_regions) {
                return (number, seen.len());
            }
            seen.extend(layer.iter().copied());
            let children = layer.into_iter().flat_map(|set| moves(puzzle, &puzzle.flood(set)));
            layer = children.map(|(_, set)| set).filter(|set| !seen.contains(set)).collect();
        }
        unreachable!("the goal is reached")
    }

    #[test]
    fn the_rules_lose_no_optimum() {
        let (mut states, mut boards) = (0, 0);
        for index in 0..320 {
            let puzzle = puzzle::<1>(&random_board(3 + index as usize % 4, 5, 3 + index as usize / 4 % 4, index));
            let (moves, left) = fewest_by_the_rules(&puzzle);
            assert_eq!(moves, fewest(&puzzle, puzzle.root().flooded), "board {index}");
            let mut start = bits::empty();
            bits::insert(&mut start, puzzle.start);
            assert_eq!(moves, fewest(&puzzle, start), "board {index}");
            (states, boards) = (states + left, boards + 1);
        }
        assert!(states > 10 * boards, "{states} states of {boards} boards: too few to tell");
    }

    #[test]
    fn idle_regions_cost_nothing() {
        let mut idle = 0;
        for index in 0..60 {
            let puzzle = puzzle::<1>(&random_board(4, 5, 3 + index as usize % 3, index));
            for state in walk(&puzzle, index) {
                for colour in 0..puzzle.of_colour.len() {
                    let flood = bits::union(&state.flooded, &added(&puzzle, &state.flooded, colour));
                    let saturated = with_idle(&puzzle, &flood);
                    assert_eq!(with_idle(&puzzle, &saturated), saturated);
                    if saturated != flood {
                        assert_eq!(fewest(&puzzle, flood), fewest(&puzzle, saturated));
                        idle += 1;
                    }
                }
            }
        }
        assert!(idle > 50, "{idle}");
    }

    #[test]
    fn every_instruction_set_generates_the_same() {
        let puzzle = puzzle::<7>(&random_board(19, 19, 6, 1));
        for state in walk(&puzzle, 5) {
            let mut portable = Vec::new();
            generate(&puzzle, &state, &mut portable);
            let portable = portable.into_iter().map(|child| (usize::from(child.mv), child.state.flooded));
            assert_eq!(moves(&puzzle, &state), portable.collect::<Vec<_>>());
        }
    }
}
