//! The search of `auto` where costs are too large for stored states: beam searches, then annealing.
//!
//! Records of stored states hold a g of at most [`MAX_G`](crate::store::MAX_G), and exact engines order their open nodes
//! by f and g. Scores of large boards are far beyond that. Beam searches find a good solution within a second; annealing
//! looks for better ones until its rounds end or a limit is reached.
//!
//! **Guarantees.** The range from the lower bound of the root to the incumbent is proven. Optimality is proven only if
//! both ends meet.

use super::EngineKind;
use super::anneal;
use super::beam::{self, Selection};
use super::context::Context;
use super::outcome::{Outcome, Solution, Status};
use super::parameters::Parameters;
use crate::expand::StateSpace;
use crate::platform::Instant;
use crate::runtime::Event;

/// The width of the beam search after the first one.
const WIDER: usize = 100;

/// The part of the memory limit that a beam search may use.
const PART: u64 = 4;

/// Runs beam searches, and anneals. `known` is a solution found before.
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
    let widths = [parameters.auto_beam_width, WIDER].into_iter();
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
    context.observer.observe(&Event::EngineStarted { engine: EngineKind::Anneal.name() });
    let rest = context.remaining(started, found.statistics.expanded);
    let outcome = anneal::run(space, parameters, found.incumbent.take(), &rest);
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
