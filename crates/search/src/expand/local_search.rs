//! The default path for annealing, for any domain.

use crate::domain::{Cost, Domain, LocalSearchPath, MoveIndex, MoveLabel, Successor};

/// The energy of a path without a solution.
const UNSOLVED_ENERGY: Cost = 1 << 24;

/// The [`LocalSearchPath`] of any domain: the label of a move is its index.
pub(super) struct DomainPath<'a, D: Domain> {
    domain: &'a D,
    max_moves: usize,
    /// The nodes of the current path, from the root on.
    current: Vec<PathNode<D::State>>,
    /// The nodes of the candidate after the first `shared_len` moves of the current path.
    branch: Vec<PathNode<D::State>>,
    shared_len: usize,
}

struct PathNode<S> {
    state: S,
    /// The move that led here, and the cost of the path; 0 at the root.
    mv: MoveIndex,
    g: Cost,
    /// The cheapest stop here or before: the cost of the solution and the number of its moves.
    best_stop: Option<(Cost, usize)>,
}

impl<'a, D: Domain> DomainPath<'a, D> {
    pub(super) fn new(domain: &'a D, max_moves: usize) -> Self {
        let state = domain.root();
        let best_stop = domain.terminal_cost(&state).map(|stop| (stop, 0));
        let current = vec![PathNode { state, mv: 0, g: 0, best_stop }];
        Self { domain, max_moves, current, branch: Vec::new(), shared_len: 0 }
    }

    fn last(&self) -> &PathNode<D::State> {
        self.branch.last().unwrap_or(&self.current[self.shared_len])
    }

    fn children(&self) -> Vec<Successor<D::State>> {
        let mut children = Vec::new();
        if self.shared_len + self.branch.len() < self.max_moves {
            self.domain.successors(&self.last().state, 0, &mut children);
        }
        children
    }
}

impl<D: Domain> LocalSearchPath for DomainPath<'_, D> {
    fn begin_candidate(&mut self, shared_len: usize) {
        self.shared_len = shared_len;
        self.branch.clear();
    }

    fn try_move(&mut self, label: MoveLabel) -> bool {
        let Some(child) = self.children().into_iter().find(|child| MoveLabel::from(child.mv) == label) else {
            return false;
        };
        let (parent, moves) = (self.last(), self.shared_len + self.branch.len() + 1);
        let g = parent.g.saturating_add(child.cost);
        let stop_here = self.domain.terminal_cost(&child.state).map(|stop| (g.saturating_add(stop), moves));
        let best_stop = parent.best_stop.into_iter().chain(stop_here).min();
        self.branch.push(PathNode { state: child.state, mv: child.mv, g, best_stop });
        true
    }

    fn random_label(&mut self, random: u32) -> Option<MoveLabel> {
        let children = self.children();
        let at = random as usize % children.len().max(1);
        children.get(at).map(|child| child.mv.into())
    }

    fn energy(&self) -> Cost {
        self.cost().unwrap_or(UNSOLVED_ENERGY)
    }

    fn cost(&self) -> Option<Cost> {
        self.last().best_stop.map(|(cost, _)| cost)
    }

    fn moves(&self) -> Vec<MoveIndex> {
        let moves = self.last().best_stop.map_or(0, |(_, moves)| moves);
        let path = self.current[1..=self.shared_len].iter().chain(&self.branch);
        path.map(|node| node.mv).take(moves).collect()
    }

    fn accept(&mut self) {
        self.current.truncate(self.shared_len + 1);
        self.current.append(&mut self.branch);
        self.shared_len = self.current.len() - 1;
    }

    fn current_len(&self) -> usize {
        self.current.len() - 1
    }

    fn current_label(&self, index: usize) -> MoveLabel {
        self.current[index + 1].mv.into()
    }

    fn bytes(&self) -> u64 {
        ((self.current.capacity() + self.branch.capacity()) * size_of::<PathNode<D::State>>()) as u64
    }
}
