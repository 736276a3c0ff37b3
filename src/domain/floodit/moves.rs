//! Successors with exact pruning: finish a colour at once, drop moves that another move contains, and keep one order of
//! commuting moves.
//!
//! # The rules
//! A region is *seen* when it is flooded or beside the flood. Regions that count as flooded are those of `idle.rs`.
//!
//! **Finish a colour.** When every remaining region of a colour is beside the flood, this colour has to be played once
//! more at least, and it is played now: the child that finishes the colour with the smallest index is generated alone.
//! The state is *forced*. The other rules are about states that are not forced. Such a state ranks its moves: first the
//! move whose child sees more regions, then the one whose child floods more, then the one of the lower colour. Of the
//! orders that were tried it leaves the fewest states.
//!
//! **Contained moves.** A move is dropped when its child is a subset of the child of a move that ranks before it.
//!
//! **Commuting moves.** Let `s` be reached from `p` by `c`, and let `d` be another move of `p`. Suppose that `s` sees no
//! more regions of the colour of `d` than `p`. Then `d` is *asleep* at `s` for this parent in two cases: `d` ranks before
//! `c` at `p`; or `p`, `d`, `c` surely leads to more than `p`, `c`, `d`. A sufficient test of the latter: the child by `d`
//! newly sees a region `r` of the colour of `c`; after `p`, `c`, `d` a neighbour of `r` is unseen; and that state is not
//! forced.
//!
//! The store keeps for `s` the **intersection** of the masks of all parents by which `s` is reached with its least g, and
//! an engine that has expanded `s` already wakes the moves that a later parent takes out of the mask.
//!
//! # Why no optimum is lost
//! Let F(s) be the state after the forced moves from `s`.
//!
//! *F is monotone:* if `t` contains `s`, F(t) contains F(s). F(s) grows from `s` in steps: all that is left of a colour
//! is flooded, or an idle region is. Suppose that F(t) contains the flood before such a step. If the step finishes a
//! colour, F(t) sees all its regions. As F(t) is not forced, it has finished the colour too. If the step floods an idle
//! region, F(t) sees this region and its neighbours. If the region were not in F(t), it would be closed there and not
//! idle. Then all regions left of its colour would be closed, and F(t) would be forced. (Without F this is false: a region
//! that is idle at `s` may be among the last of its colour at `t`.)
//!
//! *Choices.* Each colour that is unfinished at the root is finished by exactly one move of a solution. Call the other
//! moves its *choices*. Take a solution of least length and play its choices alone: S(0) = F(root), and S(j) is F of
//! S(j-1) after choice j. By induction S(j) contains what the solution has flooded before choice j + 1, because S(j) has
//! finished each colour that the solution has finished by then. So the choices lead to the goal, and none of them does
//! nothing, or a shorter solution would exist. Hence all solutions of least length have the same number `m` of choices,
//! and we need to look only at those that finish each colour at once. If a choice is played at a flood that contains
//! another, so does its result, by the monotony of F.
//!
//! Compare two such solutions by the number of regions that S(m) sees, then by the number that it floods, then by the
//! same numbers of S(m-1), and so on down to S(1): the larger number goes first. Among solutions with equal numbers, the
//! one goes first whose move ranks before the other's at the state where they part. Let `w` be the first of all.
//!
//! *No move of `w` is contained.* Otherwise play the move that contains it instead. Each S(j) of the result contains that
//! of `w`. So either a number is larger, or all are equal, and it parts from `w` by a move that ranks before. Both times
//! it goes before `w`.
//!
//! *No move of `w` is asleep for the parent that `w` comes from.* Suppose that `w` plays `c` at `p` as choice j, then `d`
//! as choice j + 1, and that `d` is asleep at the child `s`. Children of forced states have no mask, so `s` is not forced,
//! and S(j) = `s`. Let `w'` be `w` with the two choices exchanged. What `d` floods at `s` is beside `p` already, so S(j+1)
//! of `w'` contains `p` and all that `c` and `d` flood after each other; by the monotony of F it contains S(j+1) of `w`,
//! and so on. If one contains more, `w'` goes before `w`. The sufficient test ensures this: `r` is not in S(j+1) of `w`,
//! because `c` was played before `r` was seen, and `r` is not closed; but `w'` plays `c` when it sees `r`. Otherwise `d`
//! ranks before `c` at `p`. S(j) of `w'` contains the child by `d`, which sees no fewer regions than `s`, and floods no
//! fewer if it sees as many. So the numbers of `w'` are no smaller, and where they are equal, `w'` parts from `w` by a
//! move that ranks before. Again `w'` goes before `w`.
//!
//! *No forced move is asleep.* If `d` finishes its colour at `s`, then `s` sees all regions of this colour. Only a parent
//! that is not forced gives a mask, and it does not see all of them.
//!
//! So `w` survives whole, whatever order states are reached in. Each of its states has its least number of choices and
//! thereby its least g, hence duplicate elimination never cuts it.
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
    child: Flood<W>,
    /// The regions that the child sees and the state does not see.
    newly_seen: Bits<W>,
    /// The numbers of regions that the child sees, and that it floods.
    size: (u32, u32),
}

impl<const W: usize> Play<W> {
    /// Whether this move ranks before another one of the same state.
    #[inline(always)]
    fn ranks_before(&self, other: &Self) -> bool {
        (other.size, self.colour) < (self.size, other.colour)
    }

    /// Whether a move of the same state that ranks before contains this one.
    #[inline(always)]
    fn is_contained(&self, plays: &[Self]) -> bool {
        let mut contained = false;
        for other in plays {
            contained |= other.ranks_before(self) && bits::is_subset(&self.child.set, &other.child.set);
        }
        contained
    }

    /// Whether another move of the same `state` is asleep after this one.
    #[inline(always)]
    fn makes_asleep(&self, other: &Self, puzzle: &FloodIt<W>, state: &Flood<W>) -> bool {
        self.colour != other.colour
            && !bits::intersects(&self.newly_seen, &puzzle.of_colour[other.colour])
            && (other.ranks_before(self) || self.floods_more_later(other, puzzle, state))
    }

    /// Whether this move surely floods more after the `other` one than before it.
    #[inline(always)]
    fn floods_more_later(&self, other: &Self, puzzle: &FloodIt<W>, state: &Flood<W>) -> bool {
        let more = bits::and(&other.newly_seen, &puzzle.of_colour[self.colour]);
        if bits::is_empty(&more) {
            return false;
        }
        // What is not seen after this move and the other one.
        let unseen = bits::minus(&puzzle.all, &bits::or(&self.child.seen(), &other.child.seen()));
        for regions in &puzzle.of_colour {
            if !bits::is_subset(regions, &state.set) && !bits::intersects(regions, &unseen) {
                return false;
            }
        }
        !bits::is_empty(&puzzle.neighbours(&unseen, &more))
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
    push_children::<W, false>(puzzle, state, &plays, skip, out);
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
    push_children::<W, true>(puzzle, state, &plays, skip, out);
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
        out.push(Successor { mv: colour as MoveIndex, cost: 1, asleep: 0, state: puzzle.settled_after(state, rest) });
    }
}

/// Appends the children of a state that is not forced. `plays` are all its moves, by rising colour.
#[inline(always)]
fn push_children<const W: usize, const MANY: bool>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    plays: &[Play<W>],
    skip: MoveMask,
    out: &mut Vec<Successor<Flood<W>>>,
) {
    for this in plays {
        if skip & class::<MANY>(this.colour) != 0 || this.is_contained(plays) {
            continue;
        }
        let mut asleep = 0;
        for other in plays {
            if this.makes_asleep(other, puzzle, state) {
                asleep |= class::<MANY>(other.colour);
            }
        }
        out.push(Successor { mv: this.colour as MoveIndex, cost: 1, asleep, state: this.child });
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
            out.push(Successor { mv, cost: 1, asleep: 0, state: puzzle.settled_after(state, &add) });
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
            return Some((colour, puzzle.settled_after(state, &add)));
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
    best.map(|(_, colour, add)| (colour, puzzle.settled_after(state, &add)))
}

#[inline(always)]
fn play<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, colour: usize) -> Play<W> {
    let add = bits::and(&puzzle.of_colour[colour], &state.near);
    let child = puzzle.settled_after(state, &add);
    let seen = child.seen();
    let size = (bits::count(&seen), bits::count(&child.set));
    Play { colour, newly_seen: bits::minus(&seen, &state.seen()), child, size }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{board, puzzle, random_board, walk};
    use super::*;
    use crate::domain::Domain;
    use std::collections::{HashMap, HashSet};

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

    /// Regions that are flooded or touch the flood.
    fn seen<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> Bits<W> {
        bits::or(set, &puzzle.flood(*set).near)
    }

    /// A flood with its idle regions, found one by one.
    fn with_idle<const W: usize>(puzzle: &FloodIt<W>, set: &Bits<W>) -> Bits<W> {
        let seen = seen(puzzle, set);
        let opens = |region: usize| !bits::is_subset(&puzzle.neighbours[region], &seen);
        let outside = |region: &usize| !bits::contains(set, *region);
        let mut all = *set;
        for region in (0..puzzle.regions()).filter(outside) {
            let same = |other: &usize| puzzle.colour(*other) == puzzle.colour(region);
            let is_needed = |other: usize| !bits::contains(&seen, other) || opens(other);
            let others_are_needed = (0..puzzle.regions()).filter(outside).filter(same).any(is_needed);
            if bits::contains(&seen, region) && !opens(region) && others_are_needed {
                bits::set(&mut all, region);
            }
        }
        all
    }

    fn check<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>) -> [usize; 4] {
        let colours = puzzle.of_colour.len();
        let after = |set: &Bits<W>, colour| with_idle(puzzle, &bits::or(set, &added(puzzle, set, colour)));
        let finishes = |set: &Bits<W>, colour: usize| {
            let rest = bits::minus(&puzzle.of_colour[colour], set);
            !bits::is_empty(&rest) && added(puzzle, set, colour) == rest
        };
        let children = moves(puzzle, state, 0);
        if let Some(colour) = (0..colours).find(|&colour| finishes(&state.set, colour)) {
            assert_eq!(children, [(colour, 0, after(&state.set, colour))]);
            return [1, 0, 0, 0];
        }
        let playable = |colour: &usize| !bits::is_empty(&added(puzzle, &state.set, *colour));
        let mut plays: Vec<_> =
            (0..colours).filter(playable).map(|colour| (colour, after(&state.set, colour))).collect();
        let key = |(colour, set): &(usize, Bits<W>)| {
            (std::cmp::Reverse((bits::count(&seen(puzzle, set)), bits::count(set))), *colour)
        };
        plays.sort_by_key(key);
        let contained = |at: usize| plays[..at].iter().any(|earlier| bits::is_subset(&plays[at].1, &earlier.1));
        let mut left: Vec<_> = (0..plays.len()).filter(|&at| !contained(at)).collect();
        left.sort_by_key(|&at| plays[at].0);
        assert_eq!(
            children.iter().map(|child| child.0).collect::<Vec<_>>(),
            left.iter().map(|&at| plays[at].0).collect::<Vec<_>>()
        );
        let (mut sleeping, mut better) = (0, 0);
        for (&(mv, asleep, set), &at) in children.iter().zip(&left) {
            assert_eq!(set, plays[at].1);
            for (place, &(other, by_other)) in plays.iter().enumerate().filter(|play| play.1.0 != mv) {
                let of = |colour: usize, set| bits::and(&puzzle.of_colour[colour], &seen(puzzle, set));
                let commutes = of(other, &set) == of(other, &state.set);
                // The other order, and this one.
                let (one, two) = (after(&by_other, mv), after(&set, other));
                let is_forced = (0..colours).any(|colour| finishes(&two, colour));
                let is_better =
                    commutes && !is_forced && bits::intersects(&puzzle.of_colour[mv], &bits::minus(&one, &two));
                let expected = commutes && (place < at || is_better);
                assert_eq!(asleep >> other & 1 == 1, expected, "{other} at the child of {mv}");
                assert!(!expected || is_forced || bits::is_subset(&two, &one));
                sleeping += usize::from(expected);
                better += usize::from(expected && place > at);
            }
        }
        [0, sleeping, better, plays.len() - left.len()]
    }

    #[test]
    fn children_are_what_the_rules_say() {
        let mut all = [0; 4];
        for index in 0..60 {
            let puzzle = puzzle::<4>(&random_board(4 + index as usize % 9, 9, 3 + index as usize % 4, index));
            for state in walk(&puzzle, index) {
                let found = check(&puzzle, &state);
                all.iter_mut().zip(found).for_each(|(all, found)| *all += found);
            }
        }
        let [forced, sleeping, better, contained] = all;
        assert!(forced > 50 && sleeping > 500 && better > 20 && contained > 50, "{all:?}: too few to tell");
    }

    /// The fewest moves from a flood, without any pruning.
    fn fewest<const W: usize>(puzzle: &FloodIt<W>, set: Bits<W>) -> usize {
        let (mut layer, mut reached) = (vec![set], HashSet::from([set]));
        for moves in 0.. {
            if layer.contains(&puzzle.all) {
                return moves;
            }
            let mut next = Vec::new();
            for set in layer {
                let floods = (0..puzzle.of_colour.len()).map(|colour| bits::or(&set, &added(puzzle, &set, colour)));
                next.extend(floods.filter(|flood| reached.insert(*flood)));
            }
            layer = next;
        }
        unreachable!("the goal is reached")
    }

    /// The fewest moves that the rules leave: a layer is expanded when the masks of all its states are known. The second
    /// number is that of states.
    fn fewest_by_the_rules<const W: usize>(puzzle: &FloodIt<W>) -> (usize, usize) {
        let (mut layer, mut seen) = (HashMap::from([(puzzle.root().set, 0)]), HashSet::new());
        for moves in 0.. {
            if layer.contains_key(&puzzle.all) {
                return (moves, seen.len());
            }
            seen.extend(layer.keys().copied());
            let (mut next, mut children) = (HashMap::<Bits<W>, MoveMask>::new(), Vec::new());
            for (set, asleep) in layer {
                successors(puzzle, &puzzle.flood(set), asleep, &mut children);
                for child in children.drain(..).filter(|child| !seen.contains(&child.state.set)) {
                    next.entry(child.state.set).and_modify(|mask| *mask &= child.asleep).or_insert(child.asleep);
                }
            }
            layer = next;
        }
        unreachable!("the goal is reached")
    }

    #[test]
    fn the_rules_lose_no_optimum() {
        let (mut states, mut boards) = (0, 0);
        for index in 0..320 {
            let puzzle = puzzle::<1>(&random_board(3 + index as usize % 4, 5, 3 + index as usize / 4 % 4, index));
            let (moves, left) = fewest_by_the_rules(&puzzle);
            assert_eq!(moves, fewest(&puzzle, puzzle.root().set), "board {index}");
            let mut start = bits::empty();
            bits::set(&mut start, puzzle.start);
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
                    let flood = bits::or(&state.set, &added(&puzzle, &state.set, colour));
                    let settled = with_idle(&puzzle, &flood);
                    assert_eq!(with_idle(&puzzle, &settled), settled);
                    if settled != flood {
                        assert_eq!(fewest(&puzzle, flood), fewest(&puzzle, settled));
                        idle += 1;
                    }
                }
            }
        }
        assert!(idle > 50, "{idle}");
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
