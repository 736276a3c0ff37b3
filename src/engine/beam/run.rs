//! What the ways of a beam search have in common: its state, lists of candidates, limits.

use crate::domain::{Cost, MoveIndex};
use crate::engine::incumbent::Incumbent;
use crate::engine::top_k::{Link, Stopped, TopK};
use crate::expand::{Promise, StateSpace};
use crate::runtime::{Event, Monitor};
use std::sync::atomic::Ordering::Relaxed;

/// Which states a beam keeps of each depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Selection {
    /// How many.
    pub(in crate::engine) width: usize,
    /// Whether it keeps more where states have fewer children than the root, so that each depth takes about the same
    /// time; only among states that rank their children before they are made.
    pub(in crate::engine) widens: bool,
    /// The ordering heuristic.
    pub(in crate::engine) promise: Promise,
}

impl Selection {
    /// The same number at each depth, by the usual ordering heuristic.
    pub(in crate::engine) fn of_width(width: usize) -> Self {
        Self { width, widens: false, promise: Promise::Usual }
    }
}

/// How the states of one depth are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum Ranking {
    /// By f, then by the ordering heuristic.
    Bound,
    /// By g, then by the ordering heuristic. No lower bound is evaluated below the root, and the search reports 0 as the
    /// lower bound.
    Promise,
}

/// Nodes that a worker expands between two checks of the limits.
pub(super) const BATCH: usize = 64;

/// The children and the bytes of a worker that the gauges contain already.
#[derive(Default)]
pub(super) struct Reported {
    pub(super) generated: u64,
    pub(super) bytes: u64,
}

/// The state of one run.
pub(super) struct Beam<'a> {
    pub(super) space: &'a dyn StateSpace,
    pub(super) selection: Selection,
    pub(super) ranking: Ranking,
    pub(super) incumbent: Incumbent<'a>,
    pub(super) monitor: &'a Monitor<'a>,
    /// For each depth below the root: how its states were reached.
    pub(super) links: Vec<Vec<Link>>,
}

impl Beam<'_> {
    /// Tells the observer the state that ranks first at the last depth, if it wants to know.
    pub(super) fn tell_depth(&self) {
        let Some((&first, width)) = self.links.last().and_then(|links| Some((links.first()?, links.len()))) else {
            return;
        };
        if self.monitor.watches_beams() {
            let above = &self.links[..self.links.len() - 1];
            self.monitor.tell(&Event::Beam { depth: self.links.len(), width, moves: &path(above, first) });
        }
    }

    /// Joins lists to the empty list `all`, and selects the best candidates. Between two lists all but the best are
    /// dropped, so that few are held at a time.
    pub(super) fn best_of(&self, lists: Vec<TopK>, mut all: TopK) -> Result<TopK, Stopped> {
        for list in lists {
            if all.is_full() {
                all.select(Cost::MAX, || self.monitor.leaving())?;
            }
            if all.len() > 0 {
                self.monitor.gauges.hold_more(all.bytes_for(all.len() + list.len()));
                self.monitor.check_limits();
            }
            if self.monitor.leaving() {
                return Err(Stopped);
            }
            all.absorb(list);
        }
        all.select(self.incumbent.cost(), || self.monitor.leaving())?;
        Ok(all)
    }

    /// Makes room for the children of a node. Returns false if the search is to stop, because memory does not suffice
    /// or for another reason.
    pub(super) fn grow(&self, best: &mut TopK, children: usize, reported: &mut Reported) -> bool {
        let capacity = best.next_capacity(children);
        let (gauges, bytes) = (&self.monitor.gauges, best.bytes_for(capacity));
        // While candidates move to a larger buffer, both buffers are held.
        gauges.hold_more(bytes);
        self.monitor.check_limits();
        if self.monitor.leaving() {
            return false;
        }
        best.grow(capacity);
        gauges.hold_less(reported.bytes);
        reported.bytes = bytes;
        true
    }

    /// Updates the gauges and checks the limits.
    pub(super) fn report_generated(&self, generated: u64, reported: &mut Reported) {
        self.monitor.gauges.generated.fetch_add(generated - reported.generated, Relaxed);
        reported.generated = generated;
        self.monitor.check_limits();
    }
}

/// The moves from the root to the state of `link`. `links` are those of the depths above; the parent of `link` belongs to
/// the last of them.
pub(super) fn path(links: &[Vec<Link>], mut link: Link) -> Vec<MoveIndex> {
    let mut moves = vec![link.mv];
    for depth in links.iter().rev() {
        link = depth[link.parent as usize];
        moves.push(link.mv);
    }
    moves.reverse();
    moves
}
