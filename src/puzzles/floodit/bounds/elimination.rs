//! Elimination layers: the bound of Aaron Puchert's Flood-It solver, on which all published optimal solvers rest.
//!
//! A breadth-first search from the flood that needs no more turns than any solution. A turn expands every region that
//! has been reached. Only when unfinished colours lie entirely within reach, these colours are played, one turn each,
//! and only their regions are expanded.
//!
//! **Consistent**, and admissible because it is 0 at a solved state. Every unfinished colour is eliminated exactly
//! once, so the value is h(s) = F(s) + U(s): whole turns, and unfinished colours. Let X_i be what is flooded after i
//! whole turns and all eliminations that are possible then. From a larger start every X_i is larger, so F only falls.
//! Now let a move of colour c lead from s to t. X_1 from s holds all neighbours of s, hence t: F(s) <= 1 + F(t). If c
//! is still unfinished at t, then U(s) = U(t) and h(s) <= 1 + h(t). If not, the missing regions of c all touched s, so
//! c is eliminated before the first whole turn and X_0 from s holds t already: F(s) <= F(t), U(s) = 1 + U(t), and h(s)
//! <= 1 + h(t) again.

use super::distance::Distances;
use crate::puzzles::floodit::bits::{self, Bits};
use crate::puzzles::floodit::{Flood, FloodIt};
use gridhunt_search::domain::Cost;
use gridhunt_search::for_each_level;

pub(super) const SUMMARY: &str = "breadth-first layers in which finished colours are played first";

#[inline]
pub(super) fn evaluate<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    enough: Cost,
    _: &mut Distances<W>,
) -> Cost {
    eliminate(puzzle, state, enough)
}

for_each_level! {
    /// The bound at `state`, or at least `enough` as soon as that is certain.
    fn eliminate<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, enough: Cost) -> Cost = relax
}

#[inline(always)]
fn relax<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, enough: Cost) -> Cost {
    if puzzle.of_colour.len() <= 64 {
        relax_within::<W, 1>(puzzle, state, enough)
    } else {
        relax_within::<W, { bits::COLOUR_WORDS }>(puzzle, state, enough)
    }
}

/// [`relax`] with sets of colours of `M` words.
#[inline(always)]
fn relax_within<const W: usize, const M: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, enough: Cost) -> Cost {
    let mut unfinished: Bits<M> = bits::empty();
    let mut unfinished_count: Cost = 0;
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if !bits::is_subset(regions, &state.set) {
            bits::set(&mut unfinished, colour);
            unfinished_count += 1;
        }
    }
    // Invariants: `reached` are the regions neither flooded nor unseen that wait to be expanded;
    // `unseen` are the others outside the flood; each unfinished colour still costs a turn of its own.
    let mut turns = 0;
    let mut reached = state.near;
    let mut unseen = bits::minus(&bits::minus(&puzzle.all, &state.set), &state.near);
    loop {
        if turns + unfinished_count >= enough || bits::is_empty(&unseen) {
            return turns + unfinished_count;
        }
        let mut within_reach = bits::empty();
        let mut finished: Cost = 0;
        for word in 0..M {
            let mut rest = unfinished[word];
            while rest != 0 {
                let colour = word * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if !bits::intersects(&puzzle.of_colour[colour], &unseen) {
                    within_reach = bits::or(&within_reach, &puzzle.of_colour[colour]);
                    bits::unset(&mut unfinished, colour);
                    finished += 1;
                }
            }
        }
        let expand = if finished == 0 {
            turns += 1;
            std::mem::replace(&mut reached, bits::empty())
        } else {
            turns += finished;
            unfinished_count -= finished;
            let expand = bits::and(&reached, &within_reach);
            reached = bits::minus(&reached, &expand);
            expand
        };
        let seen = puzzle.neighbours(&expand, &unseen);
        unseen = bits::minus(&unseen, &seen);
        reached = bits::or(&reached, &seen);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::{board, puzzle, random_board, walk};
    use super::*;
    use gridhunt_search::domain::Domain;

    #[test]
    fn values_known_by_hand() {
        for (lines, start, expected) in [
            (&["1234"][..], 0, 3),
            (&["1213121"][..], 0, 6),
            // All four colours touch the start: a turn each.
            (&["151234", "111111"][..], 0, 4),
            // 2 and 3 are finished at once, and open 5 and 4.
            (&["52134"][..], 2, 4),
            // 5 is finished at once, a turn for all that is reached then, and 3, 2 and 4 are finished one by one.
            (&["423512324"][..], 4, 5),
        ] {
            let puzzle = puzzle::<1>(&board(lines, 0, start));
            assert_eq!(eliminate(&puzzle, &puzzle.root(), Cost::MAX), expected, "{lines:?}");
        }
    }

    #[test]
    fn every_instruction_set_says_the_same() {
        let puzzle = puzzle::<7>(&random_board(19, 19, 6, 4));
        for state in walk(&puzzle, 3) {
            for enough in [0, 1, 8, Cost::MAX] {
                assert_eq!(eliminate(&puzzle, &state, enough), relax(&puzzle, &state, enough));
            }
        }
    }
}
