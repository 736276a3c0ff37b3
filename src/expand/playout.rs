//! One random line of play after another, for engines that learn from playouts.

use crate::domain::{Choice, Cost, Domain, MoveIndex};

/// A line of play from the root, move by move.
pub trait Playout: Send {
    /// Goes back to the root.
    fn restart(&mut self);

    /// The moves to choose from, with the deferred ones; empty at the end of the line.
    fn choices(&self) -> &[Choice];

    /// Makes the move with number `at` of [`Playout::choices`]. Returns the move and its cost.
    fn play(&mut self, at: usize) -> (MoveIndex, Cost);

    /// What it costs to stop here, where stopping is allowed.
    fn terminal(&self) -> Option<Cost>;

    /// How promising the state looks; more is better.
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

    fn terminal(&self) -> Option<Cost> {
        self.domain.terminal(&self.state)
    }

    fn promise(&self) -> u32 {
        self.domain.promise(&self.state)
    }
}
