//! A first solution: one path from the root, played fast. Beam searches without a lower bound follow in three cases:
//! the path gave no solution; beams can look for a goal, and a path may end elsewhere; or the board is large and the
//! domain has no staged estimates. With staged estimates, the beams of the search that follows need no lower bound
//! either.
//!
//! **When to use it.** Before anything that takes time, so that there is an answer at once.
//!
//! **Guarantees.** Deterministic. It evaluates no lower bound and proves nothing. If a path may miss the goal, no
//! solution may be found.

use crate::domain::Cost;
use crate::engine::beam::{self, Ranking, Selection};
use crate::engine::context::Context;
use crate::engine::outcome::Solution;
use crate::expand::{GuidanceFacts, StateSpace};
use crate::platform::Instant;
use crate::runtime::{Event, Limits};

/// The length of a key, in bytes, from which on a board counts as large: its lower bound takes so long that beam
/// searches without one come before it, to improve the first solution.
const LARGE: usize = 250;

/// The widths of the beam searches without a lower bound.
const WIDTHS: [usize; 2] = [4, 16];

/// Finds a first solution that costs less than `upper`, and sends it to the observer. The path is always played to its
/// end; only a stop from outside ends it. The beam searches that follow keep to the limits of time and expansions.
#[must_use]
pub fn first_solution(space: &dyn StateSpace, upper: Cost, context: &Context<'_>) -> Option<Solution> {
    let started = Instant::now();
    let mut best = played_path(space, context).filter(|solution| solution.cost < upper);
    if let Some(Solution { cost, moves }) = &best {
        context.observer.observe(&Event::Incumbent { cost: *cost, moves });
    }
    let GuidanceFacts { has_staged_estimates, lazy_goal_cost, .. } = space.guidance();
    let is_small = space.key_len() < LARGE;
    // A path may end without a goal, and beams may then find one.
    let seeks_goal = lazy_goal_cost.is_some() && space.root_terminal_cost().is_some();
    if best.is_some() && !seeks_goal && (is_small || has_staged_estimates) {
        return best;
    }
    let mut expanded = 0;
    for width in WIDTHS {
        let rest = context.remaining(started, expanded);
        let rest = Context { limits: Limits { memory: None, ..rest.limits }, ..rest };
        if rest.stop_reason(Instant::now()).is_some() || best.as_ref().is_some_and(|best| best.cost == 0) {
            break;
        }
        let before = best.as_ref().map(|best| best.cost);
        let outcome = beam::run_ranked(space, Selection::of_width(width), Ranking::Promise, best, 0, &rest);
        expanded += outcome.statistics.expanded;
        best = outcome.incumbent.filter(|solution| solution.cost < upper);
        if is_small && best.as_ref().map(|best| best.cost) != before {
            break;
        }
    }
    best
}

/// Plays one path with [`Guidance::greedy_step`](crate::domain::Guidance::step), and returns the best place to stop on it.
/// Only a stop from outside ends the path early.
#[must_use]
pub fn played_path(space: &dyn StateSpace, context: &Context<'_>) -> Option<Solution> {
    let is_over = || context.stop.reason().is_some();
    space.played_path(&is_over).map(|(cost, moves)| Solution { cost, moves })
}
