//! Elimination layers: the bound of Aaron Puchert's Flood-It solver, on which all published optimal solvers rest.
//!
//! The bound is the number of turns of a breadth-first search from the flood, which needs no more turns than any
//! solution. A turn expands every region that has been reached. But when all regions of some unfinished colours have
//! been reached, these colours are played instead, one turn each, and only their regions are expanded.
//!
//! **Consistent**, and admissible because it is 0 at a solved state. Every unfinished colour is eliminated exactly
//! once, so the value is h(s) = F(s) + U(s): whole turns, and unfinished colours. Let X_i be the set of regions flooded
//! after i whole turns and all eliminations possible then. If the search starts from a larger flood, no X_i is smaller,
//! so F is not greater. Now let a move of colour c lead from s to t. X_1 from s holds all neighbours of s, hence t:
//! F(s) <= 1 + F(t). If c is still unfinished at t, then U(s) = U(t) and h(s) <= 1 + h(t). If not, the missing regions
//! of c all touched s, so c is eliminated before the first whole turn and X_0 from s holds t already: F(s) <= F(t),
//! U(s) = 1 + U(t), and h(s) <= 1 + h(t) again.

use super::distance::Distances;
use crate::bits::{self, Bits};
use crate::{Flood, FloodIt};
use gridhunt_search::domain::Cost;
use gridhunt_search::multiversion;

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

multiversion! {
    /// The bound at `state`, or at least `enough` as soon as that is certain.
    fn eliminate<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, enough: Cost) -> Cost = eliminate_colours
}

#[inline(always)]
fn eliminate_colours<const W: usize>(puzzle: &FloodIt<W>, state: &Flood<W>, enough: Cost) -> Cost {
    let mut unfinished: Bits<{ bits::COLOUR_WORDS }> = bits::empty();
    let mut unfinished_count: Cost = 0;
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if !bits::is_subset(regions, &state.flooded) {
            bits::insert(&mut unfinished, colour);
            unfinished_count += 1;
        }
    }
    // Invariants: `reached` holds the regions that have been reached and not yet expanded; `unseen` holds the regions
    // that have not been reached; each unfinished colour still costs a turn of its own.
    let mut turns = 0;
    let mut reached = state.adjacent;
    let mut unseen = bits::difference(&bits::difference(&puzzle.all_regions, &state.flooded), &state.adjacent);
    loop {
        if turns + unfinished_count >= enough || bits::is_empty(&unseen) {
            return turns + unfinished_count;
        }
        let mut finished_regions = bits::empty();
        let mut finished: Cost = 0;
        let before = unfinished;
        for colour in bits::elements(&before) {
            if !bits::intersects(&puzzle.of_colour[colour], &unseen) {
                finished_regions = bits::union(&finished_regions, &puzzle.of_colour[colour]);
                bits::remove(&mut unfinished, colour);
                finished += 1;
            }
        }
        let expand = if finished == 0 {
            turns += 1;
            std::mem::replace(&mut reached, bits::empty())
        } else {
            turns += finished;
            unfinished_count -= finished;
            let expand = bits::intersection(&reached, &finished_regions);
            reached = bits::difference(&reached, &expand);
            expand
        };
        let seen = puzzle.neighbours(&expand, &unseen);
        unseen = bits::difference(&unseen, &seen);
        reached = bits::union(&reached, &seen);
    }
}

/// For each radius and each region, the regions within this distance of the region. Memory limits the radii.
#[derive(Clone, Debug)]
pub(super) struct Balls<const W: usize> {
    by_radius: Vec<Vec<Bits<W>>>,
    /// Whether a radius greater than those in `by_radius` adds regions.
    is_truncated: bool,
}

/// The most bytes that [`Balls`] take.
const MAX_BALL_BYTES: usize = 64 << 20;

impl<const W: usize> Balls<W> {
    /// Computes the balls, radius by radius, up to [`MAX_BALL_BYTES`]. Each radius takes `regions * W` words.
    pub(super) fn of(puzzle: &FloodIt<W>) -> Self {
        let max_radii = MAX_BALL_BYTES / size_of::<Bits<W>>() / puzzle.regions().max(1);
        let mut by_radius = vec![(0..puzzle.regions()).map(singleton).collect::<Vec<Bits<W>>>()];
        loop {
            let last = &by_radius[by_radius.len() - 1];
            let is_truncated = last.iter().any(|ball| *ball != puzzle.all_regions);
            if !is_truncated || by_radius.len() >= max_radii {
                return Self { by_radius, is_truncated };
            }
            let wider = |region: usize| {
                let neighbours = bits::elements(&puzzle.neighbours[region]);
                neighbours.fold(last[region], |ball, neighbour| bits::union(&ball, &last[neighbour]))
            };
            let next = (0..puzzle.regions()).map(wider).collect();
            by_radius.push(next);
        }
    }

    /// The number of bytes that the balls take.
    pub(super) fn bytes(&self) -> u64 {
        self.by_radius.iter().map(|balls| size_of_val(&balls[..]) as u64).sum()
    }

    /// The balls of this radius, and 0. If there are none: the widest balls, and the number of steps that are missing
    /// to `radius`.
    #[inline(always)]
    fn of_radius(&self, radius: usize) -> (&[Bits<W>], usize) {
        let at = radius.min(self.by_radius.len() - 1);
        (&self.by_radius[at], if self.is_truncated { radius - at } else { 0 })
    }
}

/// Adds to a ball all regions that are at most `steps` steps away from it.
#[inline(always)]
fn widened<const W: usize>(puzzle: &FloodIt<W>, mut ball: Bits<W>, steps: usize) -> Bits<W> {
    for _ in 0..steps {
        ball = bits::union(&ball, &puzzle.neighbours(&ball, &bits::difference(&puzzle.all_regions, &ball)));
    }
    ball
}

/// Measures a loss: first by the number of wanted regions in `lost`, then by the number of all regions in it.
#[inline(always)]
fn loss<const W: usize>(lost: &Bits<W>, wanted: &Bits<W>) -> u64 {
    let mut sum = 0;
    for i in 0..W {
        sum += (u64::from((lost[i] & wanted[i]).count_ones()) << 32) + u64::from(lost[i].count_ones());
    }
    sum
}

/// Makes a set of one region.
fn singleton<const W: usize>(region: usize) -> Bits<W> {
    let mut set = bits::empty();
    bits::insert(&mut set, region);
    set
}

/// Working memory of explanations.
#[derive(Clone, Debug, Default)]
pub(super) struct Stages<const W: usize> {
    /// The unfinished colours of the state.
    unfinished: Vec<usize>,
    /// The unfinished colours that have not been played to an end.
    open: Vec<usize>,
    /// The stage at which each colour is played to an end.
    of_colour: Vec<usize>,
    /// The unseen regions after each stage.
    unseen_after: Vec<Bits<W>>,
}

/// The most regions of a colour that are looked at as witnesses.
const MAX_WITNESSES: usize = 64;

multiversion! {
    /// Explains why the bound at `state` is at least `need`. Returns a set of regions: the bound is at least `need` at
    /// every flood that lies within the set. `None` if the bound at `state` is less than `need`. The set keeps as many
    /// regions of `wanted` as it can.
    pub(super) fn explain<const W: usize>(
        puzzle: &FloodIt<W>, state: &Flood<W>, need: Cost, wanted: &Bits<W>, memory: (&Balls<W>, &mut Stages<W>),
    ) -> Option<Bits<W>> = find_reason
}

/// **Why it is a reason.** Let the bound be F whole turns and U unfinished colours, F + U >= `need`, and let colour c
/// be played to an end after i_c whole turns, at the stage i_c; 0 for a colour that is finished at `state`. Only the
/// first k = `need` - U stages count: for a colour that is unfinished after them, i_c = k. For each unfinished colour
/// take a *witness*: if i_c > 0, a region u of c that is unseen after the stage before i_c, otherwise any region of c
/// outside the flood. Take any flood that holds no region within the distance i_c of u, for any of these witnesses. Its
/// bound is at least `need`:
///
/// In the layers from this flood, let c be the first colour that is played to an end too early, at a stage j < i_c.
/// Then its u is seen at the stage j, by a path from the flood to a neighbour of u. At least i_c regions of the path
/// are outside the flood. Whole turns did not flood all of them, because there were only j whole turns. Let p be the
/// last region that was flooded when its colour d was played to an end. That was at the stage i_d or later, so the q
/// regions behind p were flooded by j - i_d turns at most. But in the layers from `state`, p is flooded at the stage
/// i_d, and u is seen at most q turns later, so at the stage j at the latest, which is before i_c. This contradicts the
/// choice of u. So no colour comes too early, k turns are needed, and all U colours are unfinished at the beginning,
/// because no witness is flooded.
#[inline(always)]
fn find_reason<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    need: Cost,
    wanted: &Bits<W>,
    (balls, stages): (&Balls<W>, &mut Stages<W>),
) -> Option<Bits<W>> {
    let Stages { unfinished, open, of_colour, unseen_after } = stages;
    unfinished.clear();
    for (colour, regions) in puzzle.of_colour.iter().enumerate() {
        if !bits::is_subset(regions, &state.flooded) {
            unfinished.push(colour);
        }
    }
    let unfinished_count = unfinished.len() as Cost;
    let Some(turns) = need.checked_sub(unfinished_count).filter(|&turns| turns > 0) else {
        return Some(unfinished_colours(puzzle, state, &unfinished[..need as usize], wanted));
    };
    of_colour.clear();
    of_colour.resize(puzzle.of_colour.len(), turns as usize);
    unseen_after.clear();
    let mut reached = state.adjacent;
    let mut unseen = bits::difference(&bits::difference(&puzzle.all_regions, &state.flooded), &state.adjacent);
    open.clone_from(unfinished);
    loop {
        loop {
            let mut finished_regions = bits::empty();
            let before = open.len();
            for at in (0..open.len()).rev() {
                if !bits::intersects(&puzzle.of_colour[open[at]], &unseen) {
                    finished_regions = bits::union(&finished_regions, &puzzle.of_colour[open[at]]);
                    of_colour[open[at]] = unseen_after.len();
                    open.swap_remove(at);
                }
            }
            if open.len() == before {
                break;
            }
            let expand = bits::intersection(&reached, &finished_regions);
            reached = bits::difference(&reached, &expand);
            let seen = puzzle.neighbours(&expand, &unseen);
            unseen = bits::difference(&unseen, &seen);
            reached = bits::union(&reached, &seen);
        }
        if bits::is_empty(&unseen) {
            return None;
        }
        unseen_after.push(unseen);
        if unseen_after.len() == turns as usize {
            break;
        }
        let seen = puzzle.neighbours(&reached, &unseen);
        unseen = bits::difference(&unseen, &seen);
        reached = seen;
    }
    let mut removed: Bits<W> = bits::empty();
    for &colour in unfinished.iter() {
        let stage = of_colour[colour];
        let witnesses = match stage.checked_sub(1) {
            Some(before) => bits::intersection(&puzzle.of_colour[colour], &unseen_after[before]),
            None => bits::difference(&puzzle.of_colour[colour], &state.flooded),
        };
        let (balls, steps) = balls.of_radius(stage);
        let (mut least, mut best) = (u64::MAX, bits::empty());
        for region in bits::elements(&witnesses).take(MAX_WITNESSES) {
            let lost = bits::difference(&widened(puzzle, balls[region], steps), &removed);
            let loss = loss(&lost, wanted);
            if loss < least {
                (least, best) = (loss, lost);
            }
            if loss == 0 {
                break;
            }
        }
        removed = bits::union(&removed, &best);
    }
    Some(bits::difference(&puzzle.all_regions, &removed))
}

/// Returns all regions but one of each of these colours. The missing region is outside the flood of `state` and, if
/// possible, not in `wanted`.
#[inline(always)]
fn unfinished_colours<const W: usize>(
    puzzle: &FloodIt<W>,
    state: &Flood<W>,
    colours: &[usize],
    wanted: &Bits<W>,
) -> Bits<W> {
    let mut reason = puzzle.all_regions;
    for &colour in colours {
        let outside = bits::difference(&puzzle.of_colour[colour], &state.flooded);
        let unwanted = bits::difference(&outside, wanted);
        let choice = if bits::is_empty(&unwanted) { outside } else { unwanted };
        if let Some(region) = bits::elements(&choice).next() {
            bits::remove(&mut reason, region);
        }
    }
    reason
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
                assert_eq!(eliminate(&puzzle, &state, enough), eliminate_colours(&puzzle, &state, enough));
            }
        }
    }
}
