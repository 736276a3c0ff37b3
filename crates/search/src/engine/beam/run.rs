//! The parts that all kinds of beam search share: the state of a search, lists of candidates, limits.

use super::links::{Link, path};
use super::top_k::TopK;
use crate::domain::{Cost, GoalCost, LazyState};
use crate::engine::incumbent::Incumbent;
use crate::expand::{GuidanceFacts, StateSpace};
use crate::runtime::{Event, Monitor, Stopped};
use std::sync::atomic::Ordering::Relaxed;

/// Which states a beam keeps of each depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) width: usize,
    /// Whether the beam keeps more states when they have fewer children than the root, so that each depth takes about
    /// the same time. Without effect unless states are [lazy](LazyState).
    pub(crate) widens: bool,
    /// The variation of the ordering heuristic; `None` for the default one.
    pub(crate) variation: Option<u32>,
}

impl Selection {
    /// Selects `width` states at each depth, by the default ordering heuristic.
    pub(crate) fn of_width(width: usize) -> Self {
        Self { width, widens: false, variation: None }
    }
}

/// How the states of one depth are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ranking {
    /// By f, then by the ordering heuristic.
    Bound,
    /// By g, then by the ordering heuristic. If the puzzle has [lazy states](LazyState), they are ranked before they
    /// are generated, by the heuristic alone. No lower bound is evaluated below the root.
    Promise,
    /// By g plus the expected cost, stage by stage ([`StagedEstimate`](crate::domain::StagedEstimate)).
    StagedEstimate,
}

impl Ranking {
    /// The ranking with which a beam looks for a good solution.
    pub(crate) fn default_for(space: &dyn StateSpace) -> Self {
        match space.guidance() {
            GuidanceFacts { has_staged_estimates: true, .. } => Self::StagedEstimate,
            GuidanceFacts { lazy_goal_cost: Some(GoalCost::EverySolution), .. } => Self::Promise,
            _ => Self::Bound,
        }
    }

    /// The ranking with which a beam looks for any solution.
    pub(crate) fn for_goals(space: &dyn StateSpace) -> Self {
        if space.guidance().lazy_goal_cost.is_some() { Self::Promise } else { Self::default_for(space) }
    }

    /// The root as a [lazy state](LazyState), if a beam with this ranking uses lazy states.
    pub(super) fn lazy_root(self, space: &dyn StateSpace) -> Option<Box<dyn LazyState<'_> + '_>> {
        space.lazy_root().filter(|_| self == Self::Promise)
    }
}

/// Nodes that a worker expands between two checks of the limits.
pub(super) const BATCH: usize = 64;

/// Candidates for a later depth or stage, and their bytes that the gauges contain already.
pub(super) struct CandidateList {
    pub(super) top_k: TopK,
    pub(super) bytes: u64,
}

impl CandidateList {
    /// Makes an empty list for the best `width` states with keys of `key_len` bytes.
    pub(super) fn new(width: usize, key_len: usize) -> Self {
        Self { top_k: TopK::new(width, key_len), bytes: 0 }
    }
}

pub(super) struct Beam<'a> {
    pub(super) space: &'a dyn StateSpace,
    pub(super) selection: Selection,
    pub(super) ranking: Ranking,
    pub(super) incumbent: Incumbent<'a>,
    pub(super) threads: usize,
    pub(super) monitor: &'a Monitor<'a>,
    /// How each state that the beam has kept was reached, in the order in which the states are expanded. The root,
    /// number 0, has no entry. [`Link::parent`] is the number of the parent.
    pub(super) links: Vec<Link>,
}

impl<'a> Beam<'a> {
    /// The number of the next state that the beam keeps.
    pub(super) fn next_number(&self) -> usize {
        self.links.len() + 1
    }

    /// Sends the path of the state that ranks first at the last depth, if the observer wants it. The depth has `width`
    /// states; the first has the number `first`.
    pub(super) fn report_depth(&self, first: usize, width: usize) {
        if self.monitor.watches_beams()
            && let Some(&link) = self.links.get(first - 1)
        {
            let moves = path(&self.links, link);
            self.monitor.send(&Event::Beam { depth: moves.len(), width, moves: &moves });
        }
    }

    /// Joins two lists of candidates. If `candidates` is full, all but its best candidates are dropped first, to save
    /// memory.
    pub(super) fn join(&self, candidates: &mut CandidateList, more: CandidateList) -> Result<(), Stopped> {
        if candidates.top_k.is_full() {
            candidates.top_k.select(Cost::MAX, || self.monitor.should_leave_layer())?;
        }
        let bytes = candidates.top_k.bytes_for(candidates.top_k.len() + more.top_k.len());
        self.monitor.add_bytes(bytes)?;
        candidates.top_k.absorb(more.top_k);
        self.monitor.gauges.subtract_bytes(candidates.bytes + more.bytes);
        candidates.bytes = bytes;
        Ok(())
    }

    /// Makes room for `more` candidates. Returns false if the search is to stop, because memory does not suffice or for
    /// another reason.
    pub(super) fn grow(&self, candidates: &mut CandidateList, more: usize) -> bool {
        let capacity = candidates.top_k.next_capacity(more);
        let bytes = candidates.top_k.bytes_for(capacity);
        // While candidates move to a larger buffer, both buffers exist.
        if self.monitor.add_bytes(bytes).is_err() {
            return false;
        }
        candidates.top_k.grow(capacity);
        self.monitor.gauges.subtract_bytes(candidates.bytes);
        candidates.bytes = bytes;
        true
    }

    /// Adds the states generated by a worker to the gauges, which contain `reported` of them, and checks the limits.
    pub(super) fn report_generated(&self, generated: u64, reported: &mut u64) {
        self.monitor.gauges.generated.fetch_add(generated - *reported, Relaxed);
        *reported = generated;
        self.monitor.check_limits();
    }
}
