//! Playouts: single paths from the root, for engines that learn from them.

use crate::domain::{Choice, Cost, Domain, MoveIndex};

/// A path from the root that an engine plays move by move. A playout holds one state and uses no frames.
pub trait Playout: Send {
    /// Returns to the root.
    fn restart(&mut self);

    /// The moves to choose from, deferred ones included. Empty at the end of the path.
    fn choices(&self) -> &[Choice];

    /// Makes move number `at` of [`Playout::choices`], and returns the move and its cost. It panics if there is no such
    /// move.
    fn play(&mut self, at: usize) -> (MoveIndex, Cost);

    /// Makes a good move fast, and returns the move and its cost; `None` at the end of the path. Afterwards
    /// [`Playout::choices`] are wrong until [`Playout::restart`].
    fn step(&mut self) -> Option<(MoveIndex, Cost)>;

    /// The cost of stopping here, or `None` where stopping is not allowed.
    fn terminal(&self) -> Option<Cost>;

    /// The usual ordering heuristic of the current state; more is better.
    fn promise(&self) -> u32;
}

/// The playout of a domain.
pub(super) struct TypedPlayout<'a, D: Domain> {
    domain: &'a D,
    state: D::State,
    choices: Vec<Choice>,
}

impl<'a, D: Domain> TypedPlayout<'a, D> {
    pub(super) fn new(domain: &'a D) -> Self {
        let mut new = Self { domain, state: domain.root(), choices: Vec::new() };
        new.restart();
        new
    }
}

impl<D: Domain> Playout for TypedPlayout<'_, D> {
    fn restart(&mut self) {
        self.state = self.domain.root();
        self.choices.clear();
        self.domain.choices(&self.state, &mut self.choices);
    }

    fn choices(&self) -> &[Choice] {
        &self.choices
    }

    fn play(&mut self, at: usize) -> (MoveIndex, Cost) {
        self.domain.play(&mut self.state, &mut self.choices, at)
    }

    fn step(&mut self) -> Option<(MoveIndex, Cost)> {
        self.domain.step(&mut self.state)
    }

    fn terminal(&self) -> Option<Cost> {
        self.domain.terminal(&self.state)
    }

    fn promise(&self) -> u32 {
        self.domain.promise(&self.state)
    }
}
