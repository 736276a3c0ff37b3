//! The search of `auto` where costs are too large for stored states: beam searches, then nested search.
//!
//! Records of stored states hold a g of at most [`MAX_G`](crate::store::MAX_G), and exact engines order their open nodes
//! by f and g. Scores of large boards are far beyond that. Beam searches of growing width find a good solution within
//! seconds; nested rollout policy adaptation improves the solution until it ends or a limit is reached.
//!
//! **Guarantees.** The range from the lower bound of the root to the incumbent is proven. Optimality is proven only if
//! both ends meet.

use super::EngineKind;
use super::beam::{self, Selection};
use super::context::Context;
use super::nested;
use super::outcome::{Outcome, Solution, Status};
use super::parameters::Parameters;
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::Event;

/// The widths of the beam searches after the first one.
const WIDTHS: [usize; 2] = [100, 1_000];

/// The part of the memory limit that a beam search may use.
const PART: u64 = 4;

/// Runs beam searches and a nested search. `known` is a solution found before.
#[must_use]
pub fn search_unstored(
    space: &dyn StateSpace,
    parameters: &Parameters,
    known: Option<Solution>,
    context: &Context<'_>,
) -> Outcome {
    if context.is_idle() {
        return Outcome::unknown();
    }
    let (started, lower_bound) = (Instant::now(), space.lower_bound());
    let mut found = Outcome { incumbent: known, lower_bound, ..Outcome::unknown() };
    let affordable = |width: usize| {
        let bytes = beam::bytes_per_width(space).saturating_mul(width as u64);
        context.limits.memory.is_none_or(|memory| bytes <= memory / PART)
    };
    let widths = [parameters.auto_beam_width].into_iter().chain(WIDTHS);
    for (at, width) in widths.enumerate().filter(|&(at, width)| at == 0 || affordable(width)) {
        if at > 0 && is_over(&found) {
            return found;
        }
        context.observer.observe(&Event::EngineStarted { engine: EngineKind::Beam.name() });
        let rest = context.remaining(started, found.statistics.expanded);
        let outcome = beam::run(space, Selection::of_width(width), found.incumbent.take(), &rest);
        include(&mut found, outcome);
    }
    if is_over(&found) {
        return found;
    }
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Nested.name() });
    let rest = context.remaining(started, found.statistics.expanded);
    let outcome = nested::run(space, parameters, found.incumbent.take(), &rest);
    include(&mut found, outcome);
    found
}

/// Whether nothing is left to do.
fn is_over(found: &Outcome) -> bool {
    found.stopped.is_some() || found.status() == Status::Optimal
}

/// Takes over the incumbent and the work of a later search.
fn include(found: &mut Outcome, later: Outcome) {
    found.statistics.include(&later.statistics);
    found.incumbent = later.incumbent;
    found.stopped = later.stopped;
}
