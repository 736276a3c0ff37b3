//! The open nodes of a depth-first search: as a stack in a worker, and as a branch for another worker or a checkpoint.
//! A branch names the nodes by moves from the root.

use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::engine::checkpoints::{OpenBranch, OpenNode};
use crate::expand::{Child, Expander, FValue, Slot};

/// An open node. Its state is in the expander of the worker.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) state: Slot,
    pub(super) g: Cost,
    /// The largest f of all states on the path to the node, and of its own (pathmax).
    pub(super) f: Cost,
    /// Moves that are not to be expanded.
    pub(super) skip: MoveMask,
    pub(super) depth: usize,
    /// The move from the parent to the node; 0 at the root.
    pub(super) mv: MoveIndex,
    /// The ordering heuristic of the state, once siblings are compared; 0 before.
    pub(super) promise: u32,
}

impl Node {
    pub(super) fn root(state: Slot, f: Cost) -> Self {
        Self { state, g: 0, f, skip: 0, depth: 0, mv: 0, promise: 0 }
    }

    fn to_open_node(self) -> OpenNode {
        OpenNode { depth: self.depth as u32, mv: self.mv, skip: self.skip }
    }
}

/// A stack of open nodes. All their parents lie on one path.
///
/// Only children of the node expanded last are pushed. So from the bottom of the stack to its top, the depths of the
/// nodes and the numbers of their frames never decrease. When the top node is taken, all frames above its own can be
/// closed.
#[derive(Default)]
pub(super) struct DfsStack {
    /// Moves from the root. They lead at least to the parent of the top node, and at most to the node expanded last.
    pub(super) path: Vec<MoveIndex>,
    pub(super) nodes: Vec<Node>,
}

impl DfsStack {
    /// Takes the top node. Afterwards the path leads to this node.
    pub(super) fn pop(&mut self) -> Option<Node> {
        let node = self.nodes.pop()?;
        self.path.truncate(node.depth.saturating_sub(1));
        self.path.extend((node.depth > 0).then_some(node.mv));
        Some(node)
    }

    /// Splits off the oldest node, unless it is the only one. It is likely to have the most work below it.
    pub(super) fn split(&mut self) -> Option<OpenBranch> {
        if self.nodes.len() < 2 {
            return None;
        }
        let oldest = self.branch(&self.nodes[..1]);
        self.nodes.remove(0);
        Some(oldest)
    }

    pub(super) fn to_branch(&self) -> OpenBranch {
        self.branch(&self.nodes)
    }

    /// Makes a branch from `nodes`, the oldest nodes of the stack.
    fn branch(&self, nodes: &[Node]) -> OpenBranch {
        let moves = nodes.last().map_or(0, |node| node.depth.saturating_sub(1));
        OpenBranch { path: self.path[..moves].to_vec(), nodes: nodes.iter().copied().map(Node::to_open_node).collect() }
    }
}

pub(super) struct Replay<'e> {
    /// The expander that will hold the states. Frames that it has open are closed.
    pub(super) expander: &'e mut dyn Expander,
    /// The expander sheds its oldest frames above this number of bytes.
    pub(super) frame_bytes: usize,
    pub(super) root_f: Cost,
    pub(super) threshold: Cost,
}

impl Replay<'_> {
    /// Restores the nodes of a branch by making the moves of its path. `on_node` is called with each node while its
    /// state is in the newest frame. Each state on the path is expanded once; its children count as generated.
    ///
    /// # Errors
    /// When a move is not legal, a state has an f above the threshold, or the nodes are not in the order of a stack.
    /// The text says what was found.
    pub(super) fn restore(
        &mut self,
        branch: &OpenBranch,
        mut on_node: impl FnMut(&Node, &dyn Expander),
    ) -> Result<DfsStack, String> {
        self.expander.truncate(0);
        let mut parent = Node::root(self.expander.place_root(), self.root_f);
        let (mut nodes, mut children) = (Vec::new(), Vec::new());
        let mut add_node = |node: Node, expander: &dyn Expander| {
            on_node(&node, expander);
            nodes.push(node);
        };
        let mut remaining = branch.nodes.as_slice();
        while let Some(&OpenNode { depth: 0, skip, .. }) = remaining.first() {
            add_node(Node { skip, ..parent }, self.expander);
            remaining = &remaining[1..];
        }
        for depth in 1.. {
            if remaining.is_empty() {
                break;
            }
            children.clear();
            let frame = self.expander.expand(parent.state, 0, &mut children);
            while let Some(&OpenNode { mv, skip, .. }) = remaining.first().filter(|node| node.depth as usize == depth) {
                let node = self.child(&parent, frame, &children, mv)?;
                add_node(Node { skip, ..node }, self.expander);
                remaining = &remaining[1..];
            }
            if let Some(next) = remaining.first() {
                let mv = branch.path.get(depth - 1).ok_or_else(|| {
                    format!("an open node at depth {} on a path of {} moves", next.depth, branch.path.len())
                })?;
                parent = self.child(&parent, frame, &children, *mv)?;
            }
            self.expander.evict(self.frame_bytes);
        }
        Ok(DfsStack { path: branch.path.clone(), nodes })
    }

    /// The child of `parent` by the move `mv`, among all its children in the newest frame.
    ///
    /// # Errors
    /// When there is no such move, or the child has an f above the threshold.
    fn child(&mut self, parent: &Node, frame: u32, children: &[Child], mv: MoveIndex) -> Result<Node, String> {
        let depth = parent.depth + 1;
        let found = children.iter().position(|child| child.mv == mv);
        let at = found.ok_or_else(|| format!("move {mv} to depth {depth}, which is not legal there"))?;
        let (state, g) = (Slot { frame, index: at as u32 }, parent.g.saturating_add(children[at].cost));
        match self.expander.evaluate(state, g, self.threshold) {
            FValue::Within(f) => Ok(Node { state, g, f: f.max(parent.f), skip: 0, depth, mv, promise: 0 }),
            _ => Err(format!("a state at depth {depth} with an f above {}", self.threshold)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::expand::{Problem, StateSpace};
    use crate::pancakes::{Gaps, Pancakes};

    /// Higher than any f of a path that the tests take.
    const THRESHOLD: Cost = 60;

    fn pancakes() -> Pancakes {
        Pancakes(vec![4, 7, 2, 8, 1, 5, 9, 3, 6])
    }

    type Seen = (Box<[u8]>, Cost, Cost, MoveMask, usize, MoveIndex);

    fn seen(node: &Node, expander: &dyn Expander) -> Seen {
        let mut key = vec![0; pancakes().key_len()].into_boxed_slice();
        expander.pack(node.state, &mut key);
        (key, node.g, node.f, node.skip, node.depth, node.mv)
    }

    /// Steps of a depth-first search that now and then gives away its oldest node, or continues with a branch that it
    /// gave away. The oldest frames are shed above `frame_bytes`. Returns the number of nodes that were compared.
    fn search_and_restore(frame_bytes: usize) -> usize {
        let puzzle = pancakes();
        let problem = Problem::new(&puzzle, Gaps);
        let (mut expander, mut other, root_f) = (problem.expander(), problem.expander(), problem.lower_bound());
        let root = Node::root(expander.place_root(), root_f);
        // The stack, and what was seen of each of its nodes when it was opened.
        let mut own_seen = vec![seen(&root, &*expander)];
        let mut own = DfsStack { path: Vec::new(), nodes: vec![root] };
        let mut given: Vec<(OpenBranch, Vec<Seen>)> = Vec::new();
        let (mut compared, mut children) = (0, Vec::new());
        for step in 0..300 {
            let own_saved = (own.to_branch(), own_seen.clone());
            for (branch, expected) in given.iter().chain([&own_saved]) {
                let mut restored = Vec::new();
                let mut replay = Replay { expander: &mut *other, frame_bytes, root_f, threshold: THRESHOLD };
                let again = replay.restore(branch, |node, expander| restored.push(seen(node, expander)));
                assert_eq!((again.unwrap().nodes.len(), &restored), (restored.len(), expected), "step {step}");
                compared += restored.len();
            }
            let goes_on_elsewhere = step % 40 == 39 || own.nodes.is_empty();
            if goes_on_elsewhere && let Some((branch, branch_seen)) = given.pop() {
                given.insert(0, own_saved);
                given.retain(|(branch, _)| !branch.nodes.is_empty());
                let mut replay = Replay { expander: &mut *expander, frame_bytes, root_f, threshold: THRESHOLD };
                (own, own_seen) = (replay.restore(&branch, |_, _| ()).unwrap(), branch_seen);
            }
            let (Some(node), Some(expected)) = (own.pop(), own_seen.pop()) else { break };
            expander.truncate(node.state.frame + 1);
            assert_eq!(seen(&node, &*expander), expected, "its frame may have been shed");
            children.clear();
            let frame = expander.expand(node.state, node.skip, &mut children);
            for (at, child) in children.iter().enumerate() {
                let (slot, g) = (Slot { frame, index: at as u32 }, node.g + child.cost);
                if let FValue::Within(f) = expander.evaluate(slot, g, THRESHOLD) {
                    let (f, skip, depth, mv) = (f.max(node.f), child.sleep_set, node.depth + 1, child.mv);
                    let child = Node { state: slot, g, f, skip, depth, mv, promise: 0 };
                    own_seen.push(seen(&child, &*expander));
                    own.nodes.push(child);
                }
            }
            if step % 7 == 6
                && let Some(branch) = own.split()
            {
                given.push((branch, vec![own_seen.remove(0)]));
            }
            expander.evict(frame_bytes);
        }
        compared
    }

    #[test]
    fn what_is_saved_of_open_nodes_leads_back_to_them() {
        let compared = search_and_restore(usize::MAX);
        assert!(compared > 3_000, "{compared}");
        // The same search with room for the newest frame alone, and for some frames.
        assert_eq!(search_and_restore(0), compared);
        assert_eq!(search_and_restore(4_000), compared);
    }

    #[test]
    fn damage_is_told() {
        let puzzle = pancakes();
        let problem = Problem::new(&puzzle, Gaps);
        let root_f = problem.lower_bound();
        let restored = |path: &[MoveIndex], nodes: &[(u32, MoveIndex)], threshold| {
            let nodes = nodes.iter().map(|&(depth, mv)| OpenNode { depth, mv, skip: 0 }).collect();
            let branch = OpenBranch { path: path.to_vec(), nodes };
            let expander = &mut *problem.expander();
            let mut replay = Replay { expander, frame_bytes: usize::MAX, root_f, threshold };
            replay.restore(&branch, |_, _| ()).map(|stack| stack.nodes.len())
        };
        // A legal move at the root.
        let mv = 2;
        assert_eq!(restored(&[], &[(1, mv)], THRESHOLD), Ok(1));
        assert_eq!(restored(&[], &[(0, 0), (1, mv)], THRESHOLD), Ok(2));
        assert!(restored(&[], &[(2, mv)], THRESHOLD).unwrap_err().contains("at depth 2 on a path of 0 moves"));
        assert!(restored(&[], &[(u32::MAX, mv)], THRESHOLD).is_err());
        assert!(restored(&[], &[(1, mv), (0, 0)], THRESHOLD).unwrap_err().contains("at depth 0 on a path"));
        assert!(restored(&[], &[(1, 4_000)], THRESHOLD).unwrap_err().contains("move 4000"));
        assert!(restored(&[4_000], &[(2, mv)], THRESHOLD).unwrap_err().contains("move 4000 to depth 1"));
        assert!(restored(&[], &[(1, mv)], 0).unwrap_err().contains("above 0"));
    }
}
