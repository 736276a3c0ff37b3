//! Beam searches between the layers of a best-first search, while they cost little compared with the layers.
//!
//! A best-first search never stores states with an f of the incumbent's cost or more. With an incumbent that costs one
//! more than the optimum, the search stores a whole layer that it never expands: the largest layer. A layer has about
//! ten times as many nodes as the previous layer. A beam search that expands half as many states as all layers so far
//! costs a twentieth of the next layer. So a beam search runs between two layers whenever it may be twice as wide as
//! the widest one so far.
//!
//! **Without a solution** ([`BeamSchedule::seek_next`]), more beam searches look for a first one before the main search
//! begins. Each is three times as wide as the previous one. If the domain has variations of its ordering heuristic,
//! three quarters of the work go to narrower beams, each by another variation. Whether a beam finds a solution is
//! largely a matter of chance, and often several narrow beams are better than a wide one. Among these beams each width
//! gets the same work, in the order of Luby, Sinclair and Zuckerman (1993): two beams, then one three times as wide,
//! and the same for each greater width. So the search takes at most a few times as long as with the better of the two
//! kinds alone.
//!
//! **Deterministic.** The width depends on the counts of the layers alone, and the result of a beam search on its
//! width.

use super::{Ranking, Selection};
use crate::engine::context::Context;
use crate::engine::outcome::{Outcome, Solution, Statistics};
use crate::engine::work::Work;
use crate::expand::StateSpace;
use crate::runtime::Silent;
use crate::sync::lock;
use std::sync::{Mutex, PoisonError};

/// The greatest width between layers. The memory of a beam search adds to the memory of the store.
const MAX_WIDTH: usize = 50_000;

/// The greatest sum of the widths of all beam searches while there is no solution.
const MAX_TOTAL_GOAL_WIDTH: usize = 1_500_000;

/// Each wider beam is this many times as wide as the next narrower one.
const WIDENING: usize = 3;

/// Beams by variations of the heuristic get this many times as much work as the other beams.
const VARIED_FACTOR: usize = 3;

/// Decides when beam searches run within one best-first search, and runs them.
pub(crate) struct BeamSchedule<'a> {
    space: &'a dyn StateSpace,
    /// The width of the beam search before this schedule, and of the narrowest beams that look for a first solution.
    initial_width: usize,
    max_width: usize,
    max_goal_width: usize,
    state: Mutex<ScheduleState>,
}

#[derive(Default)]
struct ScheduleState {
    widest: usize,
    /// The beam searches for a first solution by the default heuristic, and those by variations.
    default: GoalBeams,
    varied: GoalBeams,
    statistics: Statistics,
}

#[derive(Default)]
struct GoalBeams {
    count: u32,
    total_width: usize,
}

/// What a beam search did between two layers.
#[derive(Default)]
pub(crate) struct BetweenLayers {
    /// A solution that may be better than the incumbent.
    pub(crate) solution: Option<Solution>,
    /// States that it expanded. They count against the limits of the search and appear in its progress.
    pub(crate) expanded: u64,
}

impl<'a> BeamSchedule<'a> {
    /// A schedule of beam searches wider than `width`. Each may use a sixteenth of the memory limit, because their
    /// memory is not counted against the limit.
    pub(crate) fn new(space: &'a dyn StateSpace, width: usize, context: &Context<'_>) -> Self {
        let memory = context.limits.memory;
        let affordable = |ranking| {
            let width = memory.map_or(u64::MAX, |memory| memory / 16 / super::bytes_per_width(space, ranking));
            usize::try_from(width).unwrap_or(usize::MAX)
        };
        let max_width = affordable(Ranking::default_for(space)).min(MAX_WIDTH);
        let max_goal_width = affordable(Ranking::for_goals(space));
        let state = ScheduleState { widest: width, ..ScheduleState::default() };
        Self { space, initial_width: width.max(1), max_width, max_goal_width, state: Mutex::new(state) }
    }

    /// A schedule without beam searches.
    pub(crate) fn none(space: &'a dyn StateSpace) -> Self {
        Self { space, initial_width: 1, max_width: 0, max_goal_width: 0, state: Mutex::default() }
    }

    /// Searches for a better solution than the incumbent, if a beam search twice as wide as the widest one so far costs
    /// little compared with the whole search. Called between two layers; `expanded` is the number of states that all
    /// layers have expanded, earlier sessions included.
    pub(crate) fn improve(&self, expanded: u64, incumbent: Option<Solution>, context: &Context<'_>) -> BetweenLayers {
        let mut state = lock(&self.state);
        let depth = incumbent.as_ref().map_or(1, |incumbent| incumbent.moves.len().max(1)) as u64;
        let width = usize::try_from(expanded / (2 * depth)).unwrap_or(usize::MAX).min(self.max_width);
        if width < 2 * state.widest.max(1) {
            return BetweenLayers::default();
        }
        state.widest = width;
        let context = Context { observer: &Silent, ..context.without_memory_limit() };
        let outcome = super::run(self.space, Selection::of_width(width), incumbent, &context);
        state.statistics.include(&outcome.statistics);
        BetweenLayers { solution: outcome.incumbent, expanded: outcome.statistics.expanded }
    }

    /// Runs the next beam search for a goal. Called while no goal was found. Returns the outcome, and whether a goal
    /// was found ([`super::seek_goal`]). Returns `None` if this beam would be too wide, or the sum of all widths too
    /// large.
    pub(crate) fn seek_next(&self, known: Option<&Solution>, context: &Context<'_>) -> Option<(Outcome, bool)> {
        let (mut state, context) = (lock(&self.state), context.without_memory_limit());
        let ScheduleState { default, varied, .. } = &mut *state;
        let is_varied =
            self.space.guidance().has_varied_promises && VARIED_FACTOR * default.total_width > varied.total_width;
        let total_width = default.total_width + varied.total_width;
        let beams = if is_varied { varied } else { default };
        beams.count += 1;
        let widenings = if is_varied { trailing_factors(beams.count) } else { beams.count };
        let variation = is_varied.then_some(beams.count);
        let width = WIDENING.checked_pow(widenings)?.checked_mul(self.initial_width)?;
        if width > self.max_goal_width || total_width + width > MAX_TOTAL_GOAL_WIDTH {
            return None;
        }
        beams.total_width += width;
        state.widest = state.widest.max(width);
        let (selection, lower_bound) = (Selection { width, widens: true, variation }, self.space.lower_bound());
        let (outcome, goal_found) = super::seek_goal(self.space, selection, known.cloned(), lower_bound, &context);
        state.statistics.include(&outcome.statistics);
        Some((outcome, goal_found))
    }

    /// The average number of children of a state in all beam searches so far.
    pub(crate) fn branching_factor(&self) -> u64 {
        let state = lock(&self.state);
        state.statistics.generated / state.statistics.expanded.max(1)
    }

    pub(in crate::engine) fn work(&self) -> Work {
        lock(&self.state).statistics.work()
    }

    pub(crate) fn statistics(self) -> Statistics {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).statistics
    }
}

/// How many times the number can be divided by [`WIDENING`].
fn trailing_factors(mut number: u32) -> u32 {
    let by = WIDENING as u32;
    let mut times = 0;
    while number > 0 && number.is_multiple_of(by) {
        number /= by;
        times += 1;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Bound, Cost, Domain, Guidance, LowerBound, MoveMask, Successor};
    use crate::expand::Problem;
    use crate::runtime::{Limits, StopToken};

    /// Words of fourteen binary digits. The only solution is all ones. Zeros look promising; by a variation of this
    /// number, if there is one, ones do.
    struct Words {
        right: Option<u32>,
    }

    impl Domain for Words {
        type State = (u8, u16);

        fn key_len(&self) -> usize {
            3
        }

        fn root(&self) -> (u8, u16) {
            (0, 0)
        }

        fn pack(&self, &(len, digits): &(u8, u16), key: &mut [u8]) {
            key[0] = len;
            key[1..].copy_from_slice(&digits.to_le_bytes());
        }

        fn unpack(&self, key: &[u8], state: &mut (u8, u16)) {
            *state = (key[0], u16::from_le_bytes([key[1], key[2]]));
        }

        fn successors(&self, &(len, digits): &(u8, u16), _: MoveMask, out: &mut Vec<Successor<(u8, u16)>>) {
            let child = |mv: u16| Successor { mv, cost: 1, state: (len + 1, digits << 1 | mv), sleep_set: 0 };
            out.extend((0..2).filter(|_| len < 14).map(child));
        }

        fn promise(&self, &(_, digits): &(u8, u16)) -> u32 {
            digits.count_zeros()
        }

        fn guidance(&self) -> Option<&dyn Guidance<(u8, u16)>> {
            Some(self)
        }

        fn terminal_cost(&self, &(len, digits): &(u8, u16)) -> Option<Cost> {
            (len == 14 && digits == (1 << 14) - 1).then_some(0)
        }
    }

    struct Nothing;

    impl Guidance<(u8, u16)> for Words {
        fn varied_promise(&self, state: &(u8, u16), variation: u32) -> Option<u32> {
            let right = self.right?;
            Some(if variation == right { state.1.count_ones() } else { self.promise(state) })
        }
    }

    impl LowerBound<Words> for Nothing {
        type Scratch = ();

        fn name(&self) -> String {
            "nothing".to_owned()
        }

        fn evaluate(&self, _: &(u8, u16), _: Cost, (): &mut ()) -> Bound {
            Bound(0)
        }

        fn is_consistent(&self) -> bool {
            true
        }
    }

    /// The widths of beam searches until one finds the solution, computed from the number of states that each expands.
    fn widths(domain: &Words) -> Vec<u64> {
        let stop = StopToken::new();
        let context = Context::new(1, Limits::default(), &Silent, &stop);
        let problem = Problem::new(domain, Nothing);
        let beams = BeamSchedule::new(&problem, 400, &context);
        let mut all = Vec::new();
        while let Some((Outcome { incumbent: found, statistics, .. }, _)) = beams.seek_next(None, &context) {
            let expanded = statistics.expanded;
            // One state, two, four, and so on, then as many as the beam is wide. Whole words are expanded too while
            // there is no solution.
            let depths = if found.is_some() { 0..14 } else { 0..15 };
            let expands = |width: u64| depths.clone().map(|depth| width.min(1 << depth)).sum::<u64>();
            all.push((1..=1 << 14).find(|&width| expands(width) == expanded).expect("some width"));
            if let Some(solution) = found {
                assert_eq!(solution.moves, [1; 14]);
                return all;
            }
        }
        panic!("found nothing with {all:?}");
    }

    #[test]
    fn varied_beams_get_three_quarters_of_the_work() {
        assert_eq!(widths(&Words { right: None }), [1_200, 3_600, 8_192], "all words fit into the last beam");
        // The first beam is a default one. Then varied ones run until they have three times as much work.
        assert_eq!(widths(&Words { right: Some(2) }), [1_200, 400, 400]);
        assert_eq!(widths(&Words { right: Some(3) }), [1_200, 400, 400, 1_200]);
        let narrow = [400, 400, 1_200, 400, 400, 1_200];
        let between = [400, 400, 3_600, 400, 400, 1_200, 400, 400, 1_200, 400, 400, 3_600];
        let all: Vec<u64> = [1_200].into_iter().chain(narrow).chain([3_600]).chain(between).chain([8_192]).collect();
        assert_eq!(widths(&Words { right: Some(100) }), all);
    }
}
