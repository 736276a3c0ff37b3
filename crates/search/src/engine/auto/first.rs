//! A first solution: one greedy path from the root. Beam searches without a lower bound follow in three cases: the path
//! gave no solution; solutions may end without a goal, and beams can look for one; or the board is large and the domain
//! has no staged estimates.
//!
//! **When to use it.** First, for an immediate answer.
//!
//! **Guarantees.** Deterministic. It evaluates no lower bound and proves nothing. It may find no solution.

use crate::domain::Cost;
use crate::engine::beam::{self, Ranking, Selection};
use crate::engine::context::Context;
use crate::engine::outcome::Solution;
use crate::expand::{GuidanceFacts, StateSpace};
use crate::platform::Instant;
use crate::runtime::Event;

/// The key length, in bytes, of a large board. Its lower bound is so slow that beam searches without one come first.
const LARGE_KEY_LEN: usize = 250;

/// The widths of the beam searches without a lower bound.
const WIDTHS: [usize; 2] = [4, 16];

/// Finds a first solution that costs less than `upper`, and sends it to the observer. Only an external stop ends the
/// greedy path; the beam searches obey the limits of time and expansions.
#[must_use]
pub fn first_solution(space: &dyn StateSpace, upper: Cost, context: &Context<'_>) -> Option<Solution> {
    let started = Instant::now();
    let mut best = greedy_path(space, context).filter(|solution| solution.cost < upper);
    if let Some(Solution { cost, moves }) = &best {
        context.observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    let GuidanceFacts { has_staged_estimates, lazy_goal_cost, .. } = space.guidance();
    let is_small = space.key_len() < LARGE_KEY_LEN;
    // The greedy path may end without a goal, and beams may then find one.
    let seeks_goal = lazy_goal_cost.is_some() && space.root_terminal_cost().is_some();
    if best.is_some() && !seeks_goal && (is_small || has_staged_estimates) {
        return best;
    }
    let mut expanded = 0;
    for width in WIDTHS {
        let remaining = context.remaining(started, expanded).without_memory_limit();
        if remaining.stop_reason(Instant::now()).is_some() || best.as_ref().is_some_and(|best| best.cost == 0) {
            break;
        }
        let cost_before = best.as_ref().map(|best| best.cost);
        let outcome = beam::run_ranked(space, Selection::of_width(width), Ranking::Promise, best, 0, &remaining);
        expanded += outcome.statistics.expanded;
        best = outcome.incumbent.filter(|solution| solution.cost < upper);
        if is_small && best.as_ref().map(|best| best.cost) != cost_before {
            break;
        }
    }
    best
}

/// Plays one path with [`Guidance::greedy_step`](crate::domain::Guidance::greedy_step), and returns the cheapest stop
/// on it. Only an external stop ends the path early.
#[must_use]
pub fn greedy_path(space: &dyn StateSpace, context: &Context<'_>) -> Option<Solution> {
    let is_over = || context.stop.reason().is_some();
    space.greedy_path(&is_over).map(|(cost, moves)| Solution { cost, moves })
}
