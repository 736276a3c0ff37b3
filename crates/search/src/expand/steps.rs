//! The paths that annealing changes, in any domain.

use crate::domain::{Cost, Domain, LocalSearchPath, MoveIndex, MoveLabel, Successor};

/// The energy of a path without a solution.
const UNSOLVED: Cost = 1 << 24;

/// The [`LocalSearchPath`] of any domain: the label of a move is its index.
pub(super) struct Steps<'a, D: Domain> {
    domain: &'a D,
    /// The most moves of a path.
    most_moves: usize,
    /// The states of the kept path, from the root on, and those of the new path from where it leaves the kept one.
    kept: Vec<Step<D::State>>,
    new: Vec<Step<D::State>>,
    shared: usize,
}

#[derive(Clone)]
struct Step<S> {
    state: S,
    /// The move that led here, and the cost of the path; 0 at the root.
    mv: MoveIndex,
    g: Cost,
    /// The least cost of stopping here or before, and the number of moves to that place.
    best: Option<(Cost, usize)>,
}

impl<'a, D: Domain> Steps<'a, D> {
    pub(super) fn new(domain: &'a D, most_moves: usize) -> Self {
        let state = domain.root();
        let best = domain.terminal(&state).map(|stop| (stop, 0));
        Self { domain, most_moves, kept: vec![Step { state, mv: 0, g: 0, best }], new: Vec::new(), shared: 0 }
    }

    fn last(&self) -> &Step<D::State> {
        self.new.last().unwrap_or(&self.kept[self.shared])
    }

    fn children(&self) -> Vec<Successor<D::State>> {
        let mut children = Vec::new();
        if self.shared + self.new.len() < self.most_moves {
            self.domain.successors(&self.last().state, 0, &mut children);
        }
        children
    }
}

impl<D: Domain> LocalSearchPath for Steps<'_, D> {
    fn branch(&mut self, shared: usize) {
        self.shared = shared;
        self.new.clear();
    }

    fn play(&mut self, label: MoveLabel) -> bool {
        let Some(child) = self.children().into_iter().find(|child| MoveLabel::from(child.mv) == label) else {
            return false;
        };
        let (before, moves) = (self.last(), self.shared + self.new.len() + 1);
        let g = before.g.saturating_add(child.cost);
        let here = self.domain.terminal(&child.state).map(|stop| (g.saturating_add(stop), moves));
        let best = before.best.into_iter().chain(here).min();
        self.new.push(Step { state: child.state, mv: child.mv, g, best });
        true
    }

    fn draw(&mut self, random: u32) -> Option<MoveLabel> {
        let children = self.children();
        let at = random as usize % children.len().max(1);
        children.get(at).map(|child| child.mv.into())
    }

    fn energy(&self) -> Cost {
        self.cost().unwrap_or(UNSOLVED)
    }

    fn cost(&self) -> Option<Cost> {
        self.last().best.map(|(cost, _)| cost)
    }

    fn moves(&self) -> Vec<MoveIndex> {
        let moves = self.last().best.map_or(0, |(_, moves)| moves);
        let path = self.kept[1..=self.shared].iter().chain(&self.new);
        path.map(|step| step.mv).take(moves).collect()
    }

    fn keep(&mut self) {
        self.kept.truncate(self.shared + 1);
        self.kept.append(&mut self.new);
        self.shared = self.kept.len() - 1;
    }

    fn kept(&self) -> usize {
        self.kept.len() - 1
    }

    fn label(&self, at: usize) -> MoveLabel {
        self.kept[at + 1].mv.into()
    }

    fn bytes(&self) -> u64 {
        ((self.kept.capacity() + self.new.capacity()) * size_of::<Step<D::State>>()) as u64
    }
}
