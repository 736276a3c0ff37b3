//! A single path from the root, played fast.

use crate::domain::{Cost, Domain, MoveIndex};

/// A path from the root that an engine plays move by move. It holds one state and uses no frames.
pub trait Playout: Send {
    /// Makes a good move fast, and returns the move and its cost; `None` at the end of the path.
    fn step(&mut self) -> Option<(MoveIndex, Cost)>;

    /// The cost of stopping here, or `None` where stopping is not allowed.
    fn terminal(&self) -> Option<Cost>;
}

/// The playout of a domain.
pub(super) struct TypedPlayout<'a, D: Domain> {
    domain: &'a D,
    state: D::State,
}

impl<'a, D: Domain> TypedPlayout<'a, D> {
    pub(super) fn new(domain: &'a D) -> Self {
        Self { domain, state: domain.root() }
    }
}

impl<D: Domain> Playout for TypedPlayout<'_, D> {
    fn step(&mut self) -> Option<(MoveIndex, Cost)> {
        let own = self.domain.guidance().and_then(|guidance| guidance.step(&mut self.state));
        own.or_else(|| step_to_most_promising(self.domain, &mut self.state))
    }

    fn terminal(&self) -> Option<Cost> {
        self.domain.terminal(&self.state)
    }
}

/// Makes the move to the most promising child, the first one among equals.
fn step_to_most_promising<D: Domain>(domain: &D, state: &mut D::State) -> Option<(MoveIndex, Cost)> {
    let mut children = Vec::new();
    domain.successors(state, 0, &mut children);
    let best = children.into_iter().rev().max_by_key(|child| domain.promise(&child.state))?;
    *state = best.state;
    Some((best.mv, best.cost))
}
