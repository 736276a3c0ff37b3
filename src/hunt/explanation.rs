//! Joins a state and the records of a checkpoint: what became of the state and of its children.
//!
//! **What is said of a child that is not stored.** A reason is given only if it holds for the checkpoint at hand. The
//! child of an expanded state is in the store, unless
//!
//! * the search never makes the move ([`Domain::successors`](gridhunt_search::domain::Domain::successors)), or the move
//!   is asleep;
//! * the child is a dead end, or its f is at least the cost of the incumbent. The incumbent of the expansion may have
//!   cost more than the one of the checkpoint, never less: so a child whose f is below the incumbent of the checkpoint
//!   was below the earlier one too, and is stored. Goals are no exception, because the search takes a goal for its
//!   incumbent before it asks whether to store the goal;
//! * the lower bound refuted several children together
//!   ([`LowerBound::dismiss`](gridhunt_search::domain::LowerBound::dismiss)). Whether it does so is asked again, with
//!   the incumbent of the checkpoint. With an earlier incumbent it may have refuted a child that it would not refute
//!   now; then no reason is given.
//!
//! This list is whole: explorer and search have the same lower bound.

use super::explored::{ChildRecord, ExploredChild, Reason};
use gridhunt_search::checkpoint::StoredRecord;
use gridhunt_search::domain::{Cost, MoveIndex};
use gridhunt_search::expand::{ChildView, Expander, StateSpace, StateView, awake_moves};

/// Explains the state of a view, by the records of the state and of its children.
pub(super) struct Explanation<'a> {
    view: &'a StateView,
    /// The records: of the state, then of its children; `None` without a checkpoint.
    records: Option<&'a [Option<StoredRecord>]>,
    /// The cost of the best solution; [`Cost::MAX`] without one.
    upper: Cost,
    expander: Box<dyn Expander + 'a>,
    /// The moves that are awake at the state, and those of them that the lower bound does not dismiss; `None` if the
    /// state is not closed.
    made: Option<(Vec<MoveIndex>, Vec<MoveIndex>)>,
}

impl<'a> Explanation<'a> {
    pub(super) fn new(
        space: &'a dyn StateSpace,
        view: &'a StateView,
        records: Option<&'a [Option<StoredRecord>]>,
        upper: Cost,
    ) -> Self {
        let mut explanation = Self { view, records, upper, expander: space.expander(), made: None };
        if let Some(record) = explanation.record(0).filter(|record| record.is_closed) {
            let enough = (upper < Cost::MAX).then(|| upper.saturating_sub(record.g));
            let mut moves = |enough| awake_moves(&mut *explanation.expander, &view.key, record.asleep, enough);
            explanation.made = Some((moves(None), moves(enough)));
        }
        explanation
    }

    /// The record of the state (0) or of a child (from 1).
    fn record(&self, place: usize) -> Option<StoredRecord> {
        self.records?.get(place).copied().flatten()
    }

    /// What the checkpoint says about the state of `key`, which has this place among the records.
    fn state_of(&mut self, key: &[u8], place: usize) -> Option<ChildRecord> {
        self.records?;
        Some(match self.record(place) {
            None => ChildRecord::NotStored,
            Some(StoredRecord { is_closed: false, .. }) => ChildRecord::Open,
            Some(StoredRecord { asleep, .. }) => {
                let mut moves = |asleep| awake_moves(&mut *self.expander, key, asleep, None).len();
                let is_whole = asleep == 0 || moves(asleep) == moves(0);
                if is_whole { ChildRecord::Expanded } else { ChildRecord::PartlyExpanded }
            }
        })
    }

    /// What the checkpoint says about the state, and the costs of the state.
    pub(super) fn state(&mut self) -> (Option<ChildRecord>, Costs) {
        let view = self.view;
        (self.state_of(&view.key, 0), Costs::new(view.g, view.h, view.terminal, self.record(0)))
    }

    /// Explains a child, whose move has this name.
    pub(super) fn child(&mut self, index: usize, mv: String) -> Option<ExploredChild> {
        let child = self.view.children.get(index)?;
        let record = self.state_of(&child.key, index + 1);
        let Costs { g, h, f, goal, stop, stored_g } =
            Costs::new(child.g, child.h, child.terminal, self.record(index + 1));
        let why = if record == Some(ChildRecord::NotStored) { self.reason(child) } else { None };
        Some(ExploredChild { index, mv, g, h, f, goal, stop, record, stored_g, why })
    }

    /// Why a child is not stored.
    fn reason(&self, child: &ChildView) -> Option<Reason> {
        let Some(h) = child.h else { return Some(Reason::DeadEnd) };
        let parent = self.record(0);
        // The search reaches the child from the cheapest path to the parent.
        let g = child.g - self.view.g + parent.map_or(self.view.g, |parent| parent.g.min(self.view.g));
        if g.saturating_add(h) >= self.upper {
            return Some(Reason::NotBetter);
        }
        if child.is_pruned {
            return Some(Reason::NeverMade);
        }
        let Some((awake, kept)) = &self.made else { return parent.map(|_| Reason::ParentOpen) };
        match (awake.contains(&child.mv), kept.contains(&child.mv)) {
            (false, _) => Some(Reason::Asleep),
            (true, false) => Some(Reason::Refuted),
            (true, true) => None,
        }
    }
}

/// The costs of a state.
pub(super) struct Costs {
    pub(super) g: Cost,
    pub(super) h: Option<Cost>,
    pub(super) f: Option<Cost>,
    pub(super) goal: bool,
    pub(super) stop: Option<Cost>,
    pub(super) stored_g: Option<Cost>,
}

impl Costs {
    /// `h` is the lower bound, `terminal` the cost of stopping. A record may have a greater h, from the f of the
    /// parent; then the record's counts. Both are lower bounds.
    fn new(g: Cost, h: Option<Cost>, terminal: Option<Cost>, record: Option<StoredRecord>) -> Self {
        let stored = record.map_or(0, |record| record.h);
        let h = h.map(|h| h.max(stored));
        let goal = terminal.is_some_and(|cost| h.is_some_and(|h| cost <= h));
        let stop = terminal.map(|cost| g.saturating_add(cost));
        let stored_g = record.map(|record| record.g).filter(|&stored| stored != g);
        Self { g, h, f: h.map(|h| g.saturating_add(h)), goal, stop, stored_g }
    }
}
