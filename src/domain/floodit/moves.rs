//! Successors with exact pruning: finish a colour at once, and keep one order of commuting moves.
//!
//! # Why no optimum is lost
//! **Finish a colour.** When every remaining region of a colour touches the flood, that colour has to be played once
//! more at least, and playing it now makes all later floods supersets of what they would have been. So the child that
//! finishes the colour with the smallest index is generated alone (the state is *forced*), and OPT is unchanged in the
//! graph that is left. Call a word (sequence of colours) *consistent* when it obeys this rule at each of its states.
//!
//! **Commuting moves.** Let `s` be reached from `p` by colour `c`, `p` not forced, and let `d` precede `c` in the
//! order that `p` gives its moves. If `d` adds the same regions at `s` as at `p`, then `d` is asleep at `s` *by this
//! parent*: `p`, `d`, `c` leads to a superset of `p`, `c`, `d`. The store keeps for `s` the **intersection** of the
//! masks of all parents by which `s` is reached with its least g, and an engine that has expanded `s` already wakes the
//! moves that a later parent takes out of the mask.
//!
//! Let `w` be the least of all optimal consistent words, comparing two words where they first differ by the order at
//! the state they part from. Suppose a move `d` of `w` were asleep at its state `s`. Then it is asleep by the parent
//! `p` that `w` itself came from: `w = u c d r`, with `d` before `c` at `p` and `p` not forced. As `u d c r` floods at
//! least what `w` floods at each later turn, OPT(p after d) leaves no more moves than `w` has; since finishing colours
//! keeps OPT, some optimal consistent word begins with `u d`, and it is less than `w`: a contradiction. So `w` survives
//! whole, whatever order states are reached in. Each of its states has its least g (a shorter way would shorten `w`),
//! hence duplicate elimination never cuts it.
//!
//! **Many colours.** Only the first [`CLASSES`] colours have a move class. The others never sleep. A move that stays awake
//! only adds children, so the proof holds.
//!
//! A mask depends on the parent and the move alone, not on the path to the parent. So the set of moves that is expanded
//! in the end, and every count of a finished layer, is the same for any number of workers.

use super::bits::{self, Bits};
use super::puzzle::{Flood, FloodIt};
use crate::domain::wide::for_each_level;
use crate::domain::{MoveIndex, MoveMask, Successor};
use arrayvec::ArrayVec;

/// The most colours with a move class.
pub(super) const CLASSES: usize = 63;

/// Boards with no more colours than this keep the moves of a state on the stack, and each colour has a move class.
const FEW: usize = 35;

/// A playable colour of a state that is not forced, with its child.
struct Play<const W: usize> {
    colour: usize,
    state: Flood<W>,
    /// The regions that touch the child and did not touch the state before.
    gained: Bits<W>,
    gain: u32,
}

impl<const W: usize> Play<W> {
    /// The order of a state's moves: the move that opens most regions goes first. Of the orders that were tried it
    /// leaves the fewest states.
    fn precedes(&self, other: &Self) -> bool {
        (other.gain, self.colour) < (self.gain, other.colour)
    }
}

for_each_level! {
    /// Appends the children of `state` that are neither pruned nor in `skip`, by rising colour.
    pub(super) fn successors<const W: usize>(
        puzzle: &FloodIt<W>, state: &Flood<W>, skip: MoveMask, out: &mut Vec<Successor<Flood<W>>>,
    ) = generate
}

#[inline(always)]
fn generate<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, skip: MoveMask, out: &mut Vec<Successor<Flood<W>>>) {
    if puzzle.of_colour.len() <= FEW {
        generate_few(puzzle, state, skip, out);
    } else {
        generate_many(puzzle, state, skip, out);
    }
}

#[inline(always)]
fn generate_few<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    skip: MoveMask,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    let mut playable: MoveMask = 0;
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if !bits::intersects(regions, &state.near) {
            continue;
        }
        playable |= 1 << colour;
        let rest = bits::minus(regions, &state.set);
        if bits::is_subset(&rest, &state.near) {
            finish::<W, false>(puzzle, state, (colour, &rest), skip, out);
            return;
        }
    }
    // Moves that are skipped count too: the order must be the state's own.
    let mut plays = ArrayVec::<Play<W>, FEW>::new();
    let mut rest = playable;
    while rest != 0 {
        plays.push(play(puzzle, state, rest.trailing_zeros() as usize));
        rest &= rest - 1;
    }
    push_children::<W, false>(puzzle, &plays, skip, out);
}

/// [`generate_few`] for any number of colours.
#[inline(always)]
fn generate_many<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    skip: MoveMask,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    let mut playable = Vec::with_capacity(puzzle.of_colour.len());
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if !bits::intersects(regions, &state.near) {
            continue;
        }
        playable.push(colour);
        let rest = bits::minus(regions, &state.set);
        if bits::is_subset(&rest, &state.near) {
            finish::<W, true>(puzzle, state, (colour, &rest), skip, out);
            return;
        }
    }
    let mut plays = Vec::with_capacity(playable.len());
    for colour in playable {
        plays.push(play(puzzle, state, colour));
    }
    push_children::<W, true>(puzzle, &plays, skip, out);
}

/// The move class of a colour, as a mask; empty for a colour without a class.
#[inline(always)]
fn class<const MANY: bool>(colour: usize) -> MoveMask {
    if MANY && colour >= CLASSES { 0 } else { 1 << colour }
}

/// Appends the only child of a forced state: the one that floods `rest`, all that is left of `colour`.
#[inline(always)]
fn finish<const W: usize, const MANY: bool>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    (colour, rest): (usize, &Bits<W>),
    skip: MoveMask,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    if skip & class::<MANY>(colour) == 0 {
        out.push(Successor { mv: colour as MoveIndex, cost: 1, asleep: 0, state: puzzle.flooded(state, rest) });
    }
}

/// Appends the children of a state that is not forced. `plays` are all its moves, by rising colour.
#[inline(always)]
fn push_children<const W: usize, const MANY: bool>(
    puzzle: &FloodIt<W>,
    plays: &[Play<W>],
    skip: MoveMask,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    for this in plays {
        if skip & class::<MANY>(this.colour) != 0 {
            continue;
        }
        let mut asleep = 0;
        for other in plays {
            if other.precedes(this) && !bits::intersects(&this.gained, &puzzle.of_colour[other.colour]) {
                asleep |= class::<MANY>(other.colour);
            }
        }
        out.push(Successor { mv: this.colour as MoveIndex, cost: 1, asleep, state: this.state });
    }
}

/// Appends the children of `state` by all colours that touch the flood, by rising colour. Nothing is pruned.
pub(super) fn all_successors<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        let add = bits::and(regions, &state.near);
        if !bits::is_empty(&add) {
            let mv = colour as MoveIndex;
            out.push(Successor { mv, cost: 1, asleep: 0, state: puzzle.flooded(state, &add) });
        }
    }
}

for_each_level! {
    /// A good move, found fast, with its child: a colour that can be finished, otherwise the colour that opens most
    /// regions. With more colours than [`FEW`], the colour with most regions beside the flood. `None` at the goal.
    pub(super) fn step<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Option<(usize, Flood<W>)> = good_move
}

#[inline(always)]
fn good_move<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> Option<(usize, Flood<W>)> {
    let mut best: Option<(u32, usize, Bits<W>)> = None;
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        let add = bits::and(regions, &state.near);
        if bits::is_empty(&add) {
            continue;
        }
        if bits::is_subset(&bits::minus(regions, &state.set), &state.near) {
            return Some((colour, puzzle.flooded(state, &add)));
        }
        let rank = if puzzle.of_colour.len() <= FEW {
            let mut near = state.near;
            bits::for_each(&add, |region| near = bits::or(&near, &puzzle.neighbours[region]));
            bits::count(&bits::minus(&near, &state.set))
        } else {
            bits::count(&add)
        };
        if best.is_none_or(|(most, ..)| rank > most) {
            best = Some((rank, colour, add));
        }
    }
    best.map(|(_, colour, add)| (colour, puzzle.flooded(state, &add)))
}

#[inline(always)]
fn play<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, colour: usize) -> Play<W> {
    let add = bits::and(&puzzle.of_colour[colour], &state.near);
    let child = puzzle.flooded(state, &add);
    let gained = bits::minus(&child.near, &state.near);
    Play { colour, state: child, gained, gain: bits::count(&gained) }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{board, puzzle, random_board, walk};
    use super::*;
    use crate::domain::Domain;

    fn moves<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, skip: MoveMask) -> Vec<(usize, MoveMask, Bits<W>)> {
        let mut out = Vec::new();
        successors(puzzle, state, skip, &mut out);
        assert!(out.iter().all(|child| child.cost == 1 && child.state == puzzle.flood(child.state.set)));
        out.into_iter().map(|child| (usize::from(child.mv), child.asleep, child.state.set)).collect()
    }

    /// Regions of `colour` that touch the flood `set`, found one by one.
    fn added<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>, colour: usize) -> Bits<W> {
        let mut added = bits::empty();
        for region in 0..puzzle.regions() {
            let touches = bits::intersects(&puzzle.neighbours[region], set) && !bits::contains(set, region);
            if touches && bits::contains(&puzzle.of_colour[colour], region) {
                bits::set(&mut added, region);
            }
        }
        added
    }

    fn check<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> (usize, usize) {
        let colours = puzzle.of_colour.len();
        let gains: Vec<_> = (0..colours).map(|colour| added(puzzle, &state.set, colour)).collect();
        let rest = |colour: usize| bits::minus(&puzzle.of_colour[colour], &state.set);
        let children = moves(puzzle, state, 0);
        let forced = (0..colours).find(|&c| !bits::is_empty(&gains[c]) && gains[c] == rest(c));
        if let Some(colour) = forced {
            assert_eq!(children, [(colour, 0, bits::or(&state.set, &gains[colour]))]);
            return (1, 0);
        }
        let playable: Vec<_> = (0..colours).filter(|&c| !bits::is_empty(&gains[c])).collect();
        assert_eq!(children.iter().map(|child| child.0).collect::<Vec<_>>(), playable);
        // New regions next to the flood after each move, by which the state orders its moves.
        let opens = |set: &Bits<W>| bits::count(&bits::minus(&puzzle.flood(*set).near, &state.near));
        let mut sleeping = 0;
        for &(mv, asleep, set) in &children {
            assert_eq!(set, bits::or(&state.set, &gains[mv]));
            for &(other, _, by_other) in &children {
                let first = (opens(&set), other) < (opens(&by_other), mv);
                let commutes = added(puzzle, &set, other) == gains[other];
                assert_eq!(asleep >> other & 1 == 1, other != mv && first && commutes, "{other} at the child of {mv}");
            }
            sleeping += asleep.count_ones() as usize;
        }
        (0, sleeping)
    }

    #[test]
    fn children_are_what_the_rules_say() {
        let (mut forced, mut sleeping) = (0, 0);
        for index in 0..40 {
            let puzzle = puzzle::<4>(&random_board(4 + index as usize % 9, 9, 3 + index as usize % 4, index));
            for state in walk(&puzzle, index) {
                let seen = check(&puzzle, &state);
                (forced, sleeping) = (forced + seen.0, sleeping + seen.1);
            }
        }
        assert!(forced > 50 && sleeping > 500, "{forced} forced states, {sleeping} sleeping moves: too few to tell");
    }

    #[test]
    fn skipped_moves_change_nothing_else() {
        for index in 0..20 {
            let puzzle = puzzle::<4>(&random_board(9, 9, 6, index));
            for (step, state) in walk(&puzzle, index).iter().enumerate() {
                let skip = 0b10_1101 >> (step % 4);
                let mut expected = moves(&puzzle, state, 0);
                expected.retain(|child| skip >> child.0 & 1 == 0);
                assert_eq!(moves(&puzzle, state, skip), expected);
            }
        }
    }

    #[test]
    fn the_smallest_finished_colour_goes_first() {
        let puzzle = puzzle::<1>(&board(&["4132", "4442"], 0, 0));
        let children = moves(&puzzle, &puzzle.root(), 0);
        assert_eq!(children.iter().map(|child| child.0).collect::<Vec<_>>(), [0]);
        assert_eq!(moves(&puzzle, &puzzle.root(), 1), [], "a forced move may sleep as any other");
    }

    #[test]
    fn every_instruction_set_generates_the_same() {
        let puzzle = puzzle::<7>(&random_board(19, 19, 6, 1));
        for state in walk(&puzzle, 5) {
            let mut portable = Vec::new();
            generate(&puzzle, &state, 0b100, &mut portable);
            let portable = portable.into_iter().map(|child| (usize::from(child.mv), child.asleep, child.state.set));
            assert_eq!(moves(&puzzle, &state, 0b100), portable.collect::<Vec<_>>());
        }
    }
}
