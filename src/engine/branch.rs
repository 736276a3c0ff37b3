//! Open nodes of a depth-first search: on a worker's stack, on their way to another worker, and in a checkpoint.

use super::kernel::{Kernel, Reach};
use super::snapshot::{OpenBranch, OpenNode};
use crate::domain::{Cost, Domain, LowerBound, MoveIndex, MoveMask};

/// An open node.
pub(super) struct Node<S> {
    pub(super) state: S,
    pub(super) g: Cost,
    /// At least that of every state on the way here.
    pub(super) f: Cost,
    /// Moves not to be expanded.
    pub(super) skip: MoveMask,
    /// Number of moves from the root, and the last of them.
    pub(super) depth: usize,
    pub(super) mv: MoveIndex,
}

/// Open nodes, each the child of a state on one path.
///
/// The path leads to the node that was expanded last, or as far as to the parent of the one that comes next. Only children
/// of the former are put on top, so what lies deeper in the stack has its parent nearer to the root of the path.
pub(super) struct Branch<S> {
    /// Moves from the root.
    pub(super) path: Vec<MoveIndex>,
    /// The next to be expanded is the last.
    pub(super) nodes: Vec<Node<S>>,
}

impl<S> Default for Branch<S> {
    fn default() -> Self {
        Self { path: Vec::new(), nodes: Vec::new() }
    }
}

impl<S> Branch<S> {
    /// Takes the node that comes next; the path leads there then.
    pub(super) fn pop(&mut self) -> Option<Node<S>> {
        let node = self.nodes.pop()?;
        self.path.truncate(node.depth.saturating_sub(1));
        self.path.extend((node.depth > 0).then_some(node.mv));
        Some(node)
    }

    /// Parts with the oldest node, behind which the most work is to be expected, unless it is the only one.
    pub(super) fn split(&mut self) -> Option<Self> {
        if self.nodes.len() < 2 {
            return None;
        }
        let node = self.nodes.remove(0);
        Some(Self { path: self.path[..node.depth.saturating_sub(1)].to_vec(), nodes: vec![node] })
    }

    /// What a checkpoint has to know of it.
    pub(super) fn saved(&self) -> OpenBranch {
        let deepest = self.nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let saved = |node: &Node<S>| OpenNode { depth: node.depth as u32, mv: node.mv, skip: node.skip };
        OpenBranch {
            path: self.path[..deepest.saturating_sub(1)].to_vec(),
            nodes: self.nodes.iter().map(saved).collect(),
        }
    }
}

/// Finds the nodes of a saved branch again, by the moves that lead there. None of them has an f above `threshold`, and the root
/// has `root_f`. The error says what was found in the branch.
pub(super) fn restore<D: Domain, B: LowerBound<D>>(
    kernel: &mut Kernel<'_, D, B>,
    saved: &OpenBranch,
    root_f: Cost,
    threshold: Cost,
) -> Result<Branch<D::State>, String> {
    let root = Node { state: kernel.problem.domain.root(), g: 0, f: root_f, skip: 0, depth: 0, mv: 0 };
    let mut way = vec![root];
    let mut nodes = Vec::new();
    for &OpenNode { depth, mv, skip } in &saved.nodes {
        let depth = depth as usize;
        while way.len() < depth {
            let at = way.len() - 1;
            let mv = *saved.path.get(at).ok_or_else(|| format!("an open node behind {depth} moves of {at}"))?;
            way.push(child(kernel, &way[at], mv, threshold)?);
        }
        let node = match depth.checked_sub(1) {
            Some(parent) => child(kernel, &way[parent], mv, threshold)?,
            None => Node { state: way[0].state.clone(), ..way[0] },
        };
        nodes.push(Node { skip, ..node });
    }
    Ok(Branch { path: saved.path.clone(), nodes })
}

/// The child of `node` by a move, which its parent's rules allow.
fn child<D: Domain, B: LowerBound<D>>(
    kernel: &mut Kernel<'_, D, B>,
    node: &Node<D::State>,
    mv: MoveIndex,
    threshold: Cost,
) -> Result<Node<D::State>, String> {
    let mut children = kernel.expand(&node.state, 0);
    let found = children.iter().position(|child| child.mv == mv).map(|at| children.swap_remove(at));
    kernel.recycle(children);
    let depth = node.depth + 1;
    let child = found.ok_or_else(|| format!("move {mv} as number {depth} of a way, where there is none"))?;
    let g = node.g.saturating_add(child.cost);
    match kernel.reach(Some(&node.state), &child.state, g, threshold) {
        Reach::Within(f) => Ok(Node { state: child.state, g, f: f.max(node.f), skip: 0, depth, mv }),
        _ => Err(format!("an open node behind {depth} moves with an f above {threshold}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Problem;
    use super::*;
    use crate::board::{Board, Cell, usual_symbols};
    use crate::domain::floodit::{BoundSpec, FloodBound, FloodIt, Regions};

    /// Higher than any f here.
    const THRESHOLD: Cost = 60;

    type Seen = (Vec<u8>, Cost, Cost, MoveMask, usize, MoveIndex);

    fn seen<D: Domain>(domain: &D, branch: &Branch<D::State>) -> Vec<Seen> {
        let seen = |node: &Node<D::State>| {
            let mut key = vec![0; domain.key_len()];
            domain.pack(&node.state, &mut key);
            (key, node.g, node.f, node.skip, node.depth, node.mv)
        };
        branch.nodes.iter().map(seen).collect()
    }

    /// A move that the root allows.
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

    /// Some steps of a depth-first search, which now and then gives its oldest node away or goes on with what it gave.
    #[test]
    fn what_is_saved_of_open_nodes_leads_back_to_them() {
        let puzzle = puzzle();
        let bound = FloodBound::new(&puzzle, &BoundSpec::default());
        let problem = Problem::new(&puzzle, &bound);
        let (mut kernel, root_f) = (Kernel::new(problem), problem.lower_bound());
        let root = Node { state: puzzle.root(), g: 0, f: root_f, skip: 0, depth: 0, mv: 0 };
        let mut branches = vec![Branch { path: Vec::new(), nodes: vec![root] }];
        let mut compared = 0;
        for step in 0..300 {
            for branch in &branches {
                let again = restore(&mut kernel, &branch.saved(), root_f, THRESHOLD).unwrap();
                assert_eq!(seen(&puzzle, &again), seen(&puzzle, branch), "step {step}");
                compared += branch.nodes.len();
            }
            if step % 40 == 39 {
                branches.reverse();
            }
            let Some(node) = branches[0].pop() else {
                branches.remove(0);
                continue;
            };
            for child in kernel.expand(&node.state, node.skip) {
                let g = node.g + child.cost;
                if let Reach::Within(f) = kernel.reach(Some(&node.state), &child.state, g, THRESHOLD) {
                    let (state, skip, depth, mv) = (child.state, child.asleep, node.depth + 1, child.mv);
                    branches[0].nodes.push(Node { state, g, f: f.max(node.f), skip, depth, mv });
                }
            }
            if step % 7 == 6 {
                let given = branches[0].split();
                branches.extend(given);
            }
        }
        assert!(compared > 3_000);
    }

    #[test]
    fn damage_is_told() {
        let puzzle = puzzle();
        let bound = FloodBound::new(&puzzle, &BoundSpec::default());
        let problem = Problem::new(&puzzle, &bound);
        let (mut kernel, root_f) = (Kernel::new(problem), problem.lower_bound());
        let mut found = |path: &[MoveIndex], depth, mv, threshold| {
            let saved = OpenBranch { path: path.to_vec(), nodes: vec![OpenNode { depth, mv, skip: 0 }] };
            restore(&mut kernel, &saved, root_f, threshold).map(|branch| branch.nodes.len())
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
