//! The search algorithms. All share one expansion kernel, one outcome and one registry.

mod auto;
mod batch;
mod beam;
mod beams;
mod best_first;
mod branch;
mod branch_and_bound;
mod exact;
mod explorer;
mod ida;
mod incumbent;
mod keeper;
mod ledger;
mod lookahead;
mod nested;
mod outcome;
mod parameters;
mod prove;
mod sieve;
mod snapshot;
mod synthesis;
mod team;
mod trial;
mod tune;

pub use exact::{ExactState, solve_all};
pub use keeper::{Keep, sequel_archive};
pub use outcome::{Outcome, Solution, Statistics, Status};
pub use parameters::{PARAMETERS, Parameter, Parameters};
pub use snapshot::{DepthFirst, OpenBranch, OpenNode, Snapshot, Work};
pub use synthesis::search_program;
pub use trial::{Check, Step, Trial, Truth, try_bound};

use crate::domain::Making;
use crate::expand::{Promise, RefinableSpace};
use crate::runtime::{Event, Limits, Observer, Stage, StopReason, StopToken, thread_cpu_seconds};
use crate::store::ArchiveError;
use branch_and_bound::Next;
use std::time::Instant;

/// An engine as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Beams for incumbents, best-first until proven, and IDA* from there when memory runs out.
    Auto,
    /// Layered best-first search.
    BestFirst,
    /// Iterative deepening.
    Ida,
    /// Beam search.
    Beam,
    /// Depth-first branch and bound.
    BranchAndBound,
    /// Breadth-first search.
    BreadthFirst,
    /// Greedy best-first search.
    Greedy,
    /// Constrained lookahead.
    Lookahead,
    /// Nested rollout policy adaptation.
    Nested,
    /// Synthesis of shortest programs.
    Synthesis,
    /// Simulated annealing of programs.
    Anneal,
}

impl EngineKind {
    /// Every engine, in the order in which `gridhunt engines` lists them.
    pub const ALL: [Self; 11] = [
        Self::Auto,
        Self::BestFirst,
        Self::Ida,
        Self::Beam,
        Self::BranchAndBound,
        Self::BreadthFirst,
        Self::Greedy,
        Self::Lookahead,
        Self::Nested,
        Self::Synthesis,
        Self::Anneal,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::BestFirst => "best-first",
            Self::Ida => "ida",
            Self::Beam => "beam",
            Self::BranchAndBound => "branch-and-bound",
            Self::BreadthFirst => "breadth-first",
            Self::Greedy => "greedy",
            Self::Lookahead => "lookahead",
            Self::Nested => "nested",
            Self::Synthesis => "synthesis",
            Self::Anneal => "anneal",
        }
    }

    /// One line for people.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Auto => {
                "beams for incumbents, best-first until proven, ida where memory ends; nests and synthesis for bunny"
            }
            Self::BestFirst => "layered best-first search (A*) on all threads, with duplicate detection",
            Self::Ida => "IDA*: the layers of best-first depth-first, in a table that may forget; memory as allowed",
            Self::Beam => "beam search: the best states of each depth, anytime, never a proof by itself",
            Self::BranchAndBound => "depth-first branch and bound, what looks best first; proven if it finishes",
            Self::BreadthFirst => "breadth-first search: state by state as they were found; proven if it finishes",
            Self::Greedy => "greedy best-first search: what looks best of all states; proven if it finishes",
            Self::Lookahead => "plays the best of all move sequences of a fixed length, again and again",
            Self::Nested => "nested rollout policy adaptation: playouts that learn from the best; for high scores",
            Self::Synthesis => {
                "for bunny: all behaviours of fragments, size by size; the first of the shortest programs"
            }
            Self::Anneal => "for bunny: programs changed at random, anytime, never a proof by itself",
        }
    }

    /// Whether it proves optimality when nothing stops it.
    #[must_use]
    pub fn exact(self) -> bool {
        match self {
            Self::Auto
            | Self::BestFirst
            | Self::Ida
            | Self::BranchAndBound
            | Self::BreadthFirst
            | Self::Greedy
            | Self::Synthesis => true,
            Self::Beam | Self::Lookahead | Self::Nested | Self::Anneal => false,
        }
    }

    /// Those that search a [`StateSpace`](crate::expand::StateSpace).
    pub fn of_states() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|engine| engine.searches_states())
    }

    /// Whether it searches a [`StateSpace`](crate::expand::StateSpace).
    #[must_use]
    pub fn searches_states(self) -> bool {
        !matches!(self, Self::Synthesis | Self::Anneal)
    }

    /// Whether it searches programs for a [`Machine`](crate::domain::Machine).
    #[must_use]
    pub fn searches_programs(self) -> bool {
        matches!(self, Self::Auto | Self::Synthesis | Self::Anneal)
    }

    /// Threads that it uses when it may use `offered`.
    #[must_use]
    pub fn threads(self, offered: usize) -> usize {
        if self == Self::Lookahead { 1 } else { offered.max(1) }
    }

    /// The engine of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// The world around a search.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Worker threads, at least 1.
    pub threads: usize,
    /// What it may use.
    pub limits: Limits,
    /// Who is told.
    pub observer: &'a dyn Observer,
    /// Who may stop it.
    pub stop: &'a StopToken,
    /// How it is kept on disk, if it is: `best-first`, `ida` and `auto` are, the others begin anew.
    pub keep: Option<&'a Keep>,
}

impl Context<'_> {
    /// With what the time since `began` and the states `expanded` leave of the limits, which are those of a session.
    #[must_use]
    pub fn remaining(&self, began: Instant, expanded: u64) -> Self {
        let mut rest = *self;
        rest.limits.time = rest.limits.time.map(|time| time.saturating_sub(began.elapsed()));
        rest.limits.expansions = rest.limits.expansions.map(|most| most.saturating_sub(expanded));
        rest
    }

    /// With what so many bytes that somebody else holds leave of the memory.
    fn beside(&self, bytes: u64) -> Self {
        let mut rest = *self;
        rest.limits.memory = rest.limits.memory.map(|memory| memory.saturating_sub(bytes));
        rest
    }

    /// Why a session that began then is to end, if it is.
    fn stopped(&self, began: Instant) -> Option<StopReason> {
        let is_late = self.limits.time.is_some_and(|time| began.elapsed() >= time);
        self.stop.reason().or(is_late.then_some(StopReason::TimeLimit))
    }

    /// Calls `make` with how a bound is made for a search with this context, as long as the session that began then has time.
    pub fn making<R>(&self, began: Instant, make: impl FnOnce(&Making<'_>) -> R) -> R {
        let leaves = || self.stopped(began).is_some();
        let progress = |done, total| {
            let [done, total] = [done, total].map(|parts: usize| parts as u64);
            self.observer.observe(&Event::Stage { stage: Stage::Sharpening, done, total });
        };
        make(&Making { threads: self.threads, leaves: &leaves, progress: &progress })
    }
}

/// Runs one engine on one space.
///
/// The outcome's range `lower_bound..=incumbent` is proven at every exit, also when a limit ended the search. An engine that
/// does not search states says nothing.
///
/// # Errors
/// When it is to go on behind a checkpoint that cannot be used.
pub fn search(
    kind: EngineKind,
    space: &dyn RefinableSpace<'_>,
    parameters: &Parameters,
    context: &Context<'_>,
) -> Result<Outcome, ArchiveError> {
    context.observer.observe(&Event::EngineStarted { engine: kind.name() });
    let begun = thread_cpu_seconds();
    let mut outcome = match kind {
        EngineKind::Auto => auto::run(space, parameters, context)?,
        EngineKind::BestFirst => {
            best_first::run(space, best_first::Known::default(), &|_, _, _| best_first::Interlude::default(), context)?
                .0
        }
        EngineKind::Ida => ida::run(space, ida::Known::default(), context)?,
        EngineKind::Beam => beam::run(space, (parameters.beam_width, Promise::Usual), None, context),
        EngineKind::BranchAndBound => branch_and_bound::run(space, Next::Deepest, None, context),
        EngineKind::BreadthFirst => branch_and_bound::run(space, Next::Oldest, None, context),
        EngineKind::Greedy => branch_and_bound::run(space, Next::MostPromising, None, context),
        EngineKind::Lookahead => lookahead::run(space, parameters.lookahead_depth, None, context),
        EngineKind::Nested => nested::run(space, parameters, context),
        // They have no states to search.
        EngineKind::Synthesis | EngineKind::Anneal => Outcome::unknown(),
    };
    if outcome.statistics.bound.is_empty() {
        outcome.statistics.bound = space.bound_name();
    }
    // The engines count the threads that they start; the calling thread works too.
    outcome.statistics.cpu_seconds += thread_cpu_seconds() - begun;
    Ok(outcome)
}
