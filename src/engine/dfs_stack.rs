//! Open nodes of a depth-first search: on the stack of a worker, on their way to another worker, and in a checkpoint.

use super::snapshot::{OpenBranch, OpenNode};
use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::expand::{Expander, Reach, Slot};

/// An open node. `S` says where its state is: in a [`Slot`] of the worker's expander, or in a packed [`Key`] on the way
/// to another worker.
#[derive(Clone, Copy)]
pub(super) struct Node<S> {
    pub(super) state: S,
    pub(super) g: Cost,
    /// The f of the node. It is at least the f of every state on the path to the node.
    pub(super) f: Cost,
    /// Moves that are not to be expanded.
    pub(super) skip: MoveMask,
    /// Number of moves from the root.
    pub(super) depth: usize,
    /// The last move from the root to the node.
    pub(super) mv: MoveIndex,
    /// The ordering heuristic of the state, once siblings were compared; 0 before.
    pub(super) promise: u32,
}

/// A stack of open nodes. The parent of each node lies on one common path.
///
/// The path leads to the node expanded last, or at least to the parent of the top node. Only children of the node
/// expanded last are pushed. So the deeper a node lies in the stack, the nearer its parent is to the root.
pub(super) struct DfsStack<S> {
    /// Moves from the root.
    pub(super) path: Vec<MoveIndex>,
    /// The open nodes. The last one is expanded next.
    pub(super) nodes: Vec<Node<S>>,
}

impl<S> Default for DfsStack<S> {
    fn default() -> Self {
        Self { path: Vec::new(), nodes: Vec::new() }
    }
}

impl<S> DfsStack<S> {
    /// Takes the top node. Afterwards the path leads to this node.
    pub(super) fn pop(&mut self) -> Option<Node<S>> {
        let node = self.nodes.pop()?;
        self.path.truncate(node.depth.saturating_sub(1));
        self.path.extend((node.depth > 0).then_some(node.mv));
        Some(node)
    }

    /// Splits off the oldest node, below which the most work is to be expected, unless it is the only node.
    pub(super) fn split(&mut self) -> Option<Self> {
        if self.nodes.len() < 2 {
            return None;
        }
        let node = self.nodes.remove(0);
        Some(Self { path: self.path[..node.depth.saturating_sub(1)].to_vec(), nodes: vec![node] })
    }

    /// The stack in the form of a checkpoint.
    pub(super) fn saved(&self) -> OpenBranch {
        let deepest = self.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let saved = |node: &Node<S>| OpenNode { depth: node.depth as u32, mv: node.mv, skip: node.skip };
        OpenBranch {
            path: self.path[..deepest.saturating_sub(1)].to_vec(),
            nodes: self.nodes.iter().map(saved).collect(),
        }
    }
}

/// The packed key of a state that is in no expander.
pub(super) type Key = Box<[u8]>;

impl DfsStack<Slot> {
    /// Opens the nodes of a packed stack in an expander without open frames, in the order of the stack.
    pub(super) fn opened(branch: DfsStack<Key>, expander: &mut dyn Expander) -> Self {
        let open = |node: Node<Key>| {
            let frame = expander.place(Some(&node.state));
            node.with(Slot { frame, at: 0 })
        };
        Self { path: branch.path, nodes: branch.nodes.into_iter().map(open).collect() }
    }

    /// Packs the nodes, for another expander.
    pub(super) fn packed(self, expander: &dyn Expander, key_len: usize) -> DfsStack<Key> {
        let pack = |node: Node<Slot>| {
            let mut key = vec![0; key_len].into_boxed_slice();
            expander.pack(node.state, &mut key);
            node.with(key)
        };
        DfsStack { path: self.path, nodes: self.nodes.into_iter().map(pack).collect() }
    }
}

impl<S> Node<S> {
    /// The same node with its state in another form.
    fn with<T>(self, state: T) -> Node<T> {
        let Self { g, f, skip, depth, mv, promise, .. } = self;
        Node { state, g, f, skip, depth, mv, promise }
    }

    /// The node of the root.
    pub(super) fn root(state: S, f: Cost) -> Self {
        Self { state, g: 0, f, skip: 0, depth: 0, mv: 0, promise: 0 }
    }
}

/// Restores the nodes of a saved stack by making the moves that lead to them. `root_f` is the f of the root. The frames
/// that are open in the expander stay open, and no other.
///
/// # Errors
/// When the moves are not legal, or a node has an f above `threshold`. The text says what was found.
pub(super) fn restore(
    expander: &mut dyn Expander,
    key_len: usize,
    saved: &OpenBranch,
    root_f: Cost,
    threshold: Cost,
) -> Result<DfsStack<Key>, String> {
    let root = expander.place(None);
    let mut path = vec![Node::root(Slot { frame: root, at: 0 }, root_f)];
    let mut nodes = Vec::new();
    for &OpenNode { depth, mv, skip } in &saved.nodes {
        let depth = depth as usize;
        while path.len() < depth {
            let at = path.len() - 1;
            let mv = *saved.path.get(at).ok_or_else(|| format!("an open node behind {depth} moves of {at}"))?;
            path.push(child(expander, &path[at], mv, threshold)?);
        }
        let node = match depth.checked_sub(1) {
            Some(parent) => child(expander, &path[parent], mv, threshold)?,
            None => Node { ..path[0] },
        };
        nodes.push(Node { skip, ..node });
    }
    let branch = DfsStack { path: saved.path.clone(), nodes }.packed(expander, key_len);
    expander.truncate(root);
    Ok(branch)
}

/// The child of `node` by the move `mv`. Its frame stays open in the expander.
///
/// # Errors
/// When there is no such move, or the child has an f above `threshold`.
fn child(expander: &mut dyn Expander, node: &Node<Slot>, mv: MoveIndex, threshold: Cost) -> Result<Node<Slot>, String> {
    let mut children = Vec::new();
    let frame = expander.expand(node.state, 0, &mut children);
    let found = children.iter().position(|child| child.mv == mv);
    let depth = node.depth + 1;
    let at = found.ok_or_else(|| format!("move {mv} as number {depth} of a way, where there is none"))?;
    let (slot, g) = (Slot { frame, at: at as u32 }, node.g.saturating_add(children[at].cost));
    match expander.reach(slot, g, threshold) {
        Reach::Within(f) => Ok(Node { state: slot, g, f: f.max(node.f), skip: 0, depth, mv, promise: 0 }),
        _ => Err(format!("an open node behind {depth} moves with an f above {threshold}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Cell, usual_symbols};
    use crate::domain::Domain;
    use crate::domain::floodit::{BoundSpec, FloodBound, FloodIt, Regions};
    use crate::expand::{Problem, StateSpace};

    /// Higher than any f on the board below.
    const THRESHOLD: Cost = 60;

    type Seen = (Key, Cost, Cost, MoveMask, usize, MoveIndex);

    fn seen(branch: &DfsStack<Key>) -> Vec<Seen> {
        let seen = |node: &Node<Key>| (node.state.clone(), node.g, node.f, node.skip, node.depth, node.mv);
        branch.nodes.iter().map(seen).collect()
    }

    /// A packed copy of a stack.
    fn packed(branch: &DfsStack<Slot>, expander: &dyn Expander, puzzle: &FloodIt<3>) -> DfsStack<Key> {
        DfsStack { path: branch.path.clone(), nodes: branch.nodes.clone() }.packed(expander, puzzle.key_len())
    }

    /// A legal move at the root.
    fn puzzle_move<D: Domain>(domain: &D) -> MoveIndex {
        let mut children = Vec::new();
        domain.successors(&domain.root(), 0, &mut children);
        children[0].mv
    }

    fn puzzle() -> FloodIt<3> {
        let cells = (0..144_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as u8 % 5).collect();
        let board = Board::new("walk", 12, 12, cells, usual_symbols(5), Cell::default()).unwrap();
        FloodIt::fitting(&Regions::of(&board), board.colours()).unwrap()
    }

    /// Steps of a depth-first search that now and then gives away its oldest node, or continues with a stack that it
    /// gave away.
    #[test]
    fn what_is_saved_of_open_nodes_leads_back_to_them() {
        let puzzle = puzzle();
        let problem = Problem::new(&puzzle, FloodBound::new(&puzzle, &BoundSpec::default()));
        let (mut expander, root_f, key_len) = (problem.expander(), problem.lower_bound(), problem.key_len());
        let expander = &mut *expander;
        let frame = expander.place(None);
        let mut own = DfsStack { path: Vec::new(), nodes: vec![Node::root(Slot { frame, at: 0 }, root_f)] };
        let mut given: Vec<DfsStack<Key>> = Vec::new();
        let (mut compared, mut children) = (0, Vec::new());
        for step in 0..300 {
            let own_packed = packed(&own, expander, &puzzle);
            for branch in given.iter().chain([&own_packed]) {
                // The frames of the search stay open.
                let again = restore(expander, key_len, &branch.saved(), root_f, THRESHOLD).unwrap();
                assert_eq!(seen(&again), seen(branch), "step {step}");
                compared += branch.nodes.len();
            }
            let goes_on_elsewhere = step % 40 == 39 || own.nodes.is_empty();
            if goes_on_elsewhere && let Some(other) = given.pop() {
                given.insert(0, own_packed);
                given.retain(|branch| !branch.nodes.is_empty());
                expander.truncate(0);
                own = DfsStack::opened(other, expander);
            }
            let Some(node) = own.pop() else { break };
            expander.truncate(node.state.frame + 1);
            children.clear();
            let frame = expander.expand(node.state, node.skip, &mut children);
            for (at, child) in children.iter().enumerate() {
                let (slot, g) = (Slot { frame, at: at as u32 }, node.g + child.cost);
                if let Reach::Within(f) = expander.reach(slot, g, THRESHOLD) {
                    let (f, skip, depth, mv) = (f.max(node.f), child.asleep, node.depth + 1, child.mv);
                    own.nodes.push(Node { state: slot, g, f, skip, depth, mv, promise: 0 });
                }
            }
            if step % 7 == 6 {
                given.extend(own.split().map(|branch| branch.packed(expander, puzzle.key_len())));
            }
        }
        assert!(compared > 3_000, "{compared}");
    }

    #[test]
    fn damage_is_told() {
        let puzzle = puzzle();
        let problem = Problem::new(&puzzle, FloodBound::new(&puzzle, &BoundSpec::default()));
        let root_f = problem.lower_bound();
        let found = |path: &[MoveIndex], depth, mv, threshold| {
            let saved = OpenBranch { path: path.to_vec(), nodes: vec![OpenNode { depth, mv, skip: 0 }] };
            restore(&mut *problem.expander(), problem.key_len(), &saved, root_f, threshold)
                .map(|branch| branch.nodes.len())
        };
        let mv = puzzle_move(&puzzle);
        assert_eq!(found(&[], 1, mv, THRESHOLD), Ok(1));
        assert!(found(&[], 2, mv, THRESHOLD).unwrap_err().contains("behind 2 moves"));
        assert!(found(&[], u32::MAX, mv, THRESHOLD).is_err());
        assert!(found(&[], 1, 4_000, THRESHOLD).unwrap_err().contains("move 4000"));
        assert!(found(&[4_000], 2, mv, THRESHOLD).unwrap_err().contains("move 4000 as number 1"));
        assert!(found(&[], 1, mv, 0).unwrap_err().contains("above 0"));
    }
}
