//! Counts all solutions of one cost, and lists the first ones.
//!
//! **Nodes.** A node is a state with its g and the number of moves to it. All nodes are expanded, depth by depth, by
//! all moves of the rules: no sleep sets, no dominance. A child is left out only if it is a dead end, or g and its
//! lower bound exceed the cost: no solution of the cost leads through it.
//!
//! **Counts.** An *end* is a node where a solution of the cost ends. The number of paths from a node to an end is the
//! sum of the numbers of its children, one for each move, plus 1 if the node is an end. It is computed from the last
//! depth to the first. Different lists of moves are different solutions.

use super::context::Context;
use super::parallel::Workers;
use crate::domain::{Cost, MoveIndex};
use crate::expand::{Expander, FValue, Slot, StateSpace};
use crate::platform::thread_cpu_seconds;
use crate::runtime::{Monitor, StopReason, Stopped};
use foldhash::fast::FixedState;
use num_bigint::BigUint;
use std::collections::HashMap;

/// All solutions of one cost.
#[derive(Clone, Debug)]
pub struct AllSolutions {
    /// Their number, or the reason why they were not counted: a limit, or a request to stop.
    pub count: Result<BigUint, StopReason>,
    /// The first ones in the lexicographic order of their moves; none if they were not counted.
    pub first: Vec<Vec<MoveIndex>>,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: f64,
}

/// Counts the solutions that cost exactly `cost`, the cost of a cheapest one, and lists the first `max_listed`. Count
/// and list are the same for any number of threads, unless a limit of `context` ends the count.
///
/// Memory grows with the number of nodes. Nodes of two successive depths, and children of 16,384 nodes, take their key
/// and some 100 bytes each. Each node of all depths takes 10 bytes, each move 8. Nothing spills to disk.
pub fn all_solutions(space: &dyn StateSpace, cost: Cost, max_listed: usize, context: &Context<'_>) -> AllSolutions {
    let Context { threads, limits, observer, stop, .. } = context.limited_to_free_memory();
    let (monitor, began) = (Monitor::new(limits, observer, stop), thread_cpu_seconds());
    let workers = Workers::new(threads, &monitor);
    let counted = monitor.run_with_progress(|| {
        let depths = expand_depths(space, cost, &workers)?;
        let (count, reaches_end) = count_paths(&depths, &monitor)?;
        Ok((count, list_first(&depths, &reaches_end, max_listed, &monitor)?))
    });
    let (count, first) = match counted {
        Ok((count, first)) => (Ok(count), first),
        Err(Stopped) => (Err(monitor.stop_reason().unwrap_or(StopReason::Interrupted)), Vec::new()),
    };
    AllSolutions { count, first, cpu_seconds: workers.cpu_seconds() + thread_cpu_seconds() - began }
}

/// A state that was reached at cost `g`.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    g: Cost,
    key: Box<[u8]>,
}

/// A move to a node of the next depth.
#[derive(Clone, Copy)]
struct Edge {
    mv: MoveIndex,
    /// The number of the node.
    child: u32,
}

/// The nodes of one depth. The same number of moves leads to each.
#[derive(Default)]
struct Depth {
    /// Whether a solution of the cost ends at each node.
    ends: Vec<bool>,
    /// For each node, the end of its edges in `edges`. They begin at the end of the previous node's edges.
    edges_until: Vec<usize>,
    /// The edges of all nodes, node by node; the edges of one node are sorted by move.
    edges: Vec<Edge>,
}

impl Depth {
    fn edges_of(&self, node: usize) -> &[Edge] {
        let begin = node.checked_sub(1).map_or(0, |previous| self.edges_until[previous]);
        &self.edges[begin..self.edges_until[node]]
    }
}

/// A child that an expansion has made.
struct ChildNode {
    mv: MoveIndex,
    node: Node,
    /// Whether a solution of the cost ends here.
    is_end: bool,
}

/// How many nodes are expanded together. All their children are in memory at that time.
const BATCH: usize = 1 << 14;

/// Nodes that a thread takes at a time.
const CHUNK: usize = 64;

/// Replaces the number of a child if no solution of the cost leads through the child.
const NO_NUMBER: u32 = u32::MAX;

/// Bytes that a node takes in the table of its depth and in the list of nodes, besides its key.
const NODE_BYTES: usize = 96;

/// Bytes that a child takes until its batch is done, besides its key: the child, and what the allocator adds to the
/// key.
const CHILD_BYTES: usize = size_of::<ChildNode>() + 16;

/// Bytes that a count of paths takes, besides a quarter of its bits: its digits have room for twice as many.
const COUNT_BYTES: u64 = 80;

/// Bytes that stay for each node of all depths: the end of its edges, and two flags.
const KEPT_NODE_BYTES: usize = size_of::<usize>() + 2;

fn expand_depths(space: &dyn StateSpace, cost: Cost, workers: &Workers<'_>) -> Result<Vec<Depth>, Stopped> {
    let (gauges, node_bytes) = (&workers.monitor.gauges, space.key_len() + NODE_BYTES);
    let set_bytes = |nodes: usize, edges: usize, kept_nodes: usize| {
        gauges.set_bytes((nodes * node_bytes + edges * size_of::<Edge>() + kept_nodes * KEPT_NODE_BYTES) as u64);
    };
    let mut nodes = vec![Node { g: 0, key: space.root_key().into() }];
    let mut ends = vec![space.root_terminal_cost() == Some(cost)];
    let (mut depths, mut edge_count, mut node_count) = (Vec::new(), 0, 0);
    while !nodes.is_empty() {
        let mut depth = Depth { ends, ..Depth::default() };
        ends = Vec::new();
        let mut numbers: HashMap<Node, u32, FixedState> = HashMap::default();
        for batch in nodes.chunks(BATCH) {
            set_bytes(nodes.len() + numbers.len(), edge_count + depth.edges.len(), node_count);
            let expander = || (space.expander(), Vec::new());
            let children_of_batch = workers.map(batch, CHUNK, expander, |(expander, out), node| {
                workers.monitor.count_expansion();
                let children = children_of(&mut **expander, out, node, (cost, space.key_len()));
                gauges.add_bytes((children.len() * (space.key_len() + CHILD_BYTES)) as u64);
                children
            })?;
            let is_new = |child: &&ChildNode| {
                let len = numbers.len();
                numbers.entry(child.node.clone()).or_insert(NO_NUMBER);
                numbers.len() > len
            };
            let new: Vec<&ChildNode> = children_of_batch.iter().flatten().filter(is_new).collect();
            gauges.add_bytes((new.len() * node_bytes) as u64);
            let is_within = |expander: &mut Box<dyn Expander + '_>, child: &&ChildNode| {
                let Node { g, key } = &child.node;
                child.is_end || matches!(expander.evaluate_key(key, *g, cost), FValue::Within(_))
            };
            let within = workers.map(&new, CHUNK, || space.expander(), is_within)?;
            for (child, _) in new.iter().zip(within).filter(|(_, within)| *within) {
                let number = u32::try_from(ends.len()).unwrap_or(NO_NUMBER);
                if number == NO_NUMBER {
                    workers.monitor.stop(StopReason::MemoryLimit);
                    return Err(Stopped);
                }
                numbers.insert(child.node.clone(), number);
                ends.push(child.is_end);
            }
            for children in &children_of_batch {
                let to = children.iter().map(|child| Edge { mv: child.mv, child: numbers[&child.node] });
                depth.edges.extend(to.filter(|edge| edge.child != NO_NUMBER));
                depth.edges_until.push(depth.edges.len());
            }
        }
        edge_count += depth.edges.len();
        node_count += nodes.len();
        depths.push(depth);
        let mut numbered: Vec<(u32, Node)> = numbers.into_iter().map(|(node, number)| (number, node)).collect();
        numbered.retain(|(number, _)| *number != NO_NUMBER);
        numbered.sort_unstable_by_key(|(number, _)| *number);
        nodes = numbered.into_iter().map(|(_, node)| node).collect();
    }
    set_bytes(0, edge_count, node_count);
    Ok(depths)
}

/// The children of a node, by move.
fn children_of(
    expander: &mut dyn Expander,
    out: &mut Vec<crate::expand::Child>,
    node: &Node,
    (cost, key_len): (Cost, usize),
) -> Vec<ChildNode> {
    out.clear();
    expander.truncate(0);
    let frame = expander.expand_all(&node.key, out);
    let child_node = |(index, child): (u32, &crate::expand::Child)| {
        let g = node.g.checked_add(child.cost).filter(|g| *g <= cost)?;
        let mut key = vec![0; key_len];
        expander.pack(Slot { frame, index }, &mut key);
        let is_end = child.terminal_cost.is_some_and(|end_cost| g.checked_add(end_cost) == Some(cost));
        Some(ChildNode { mv: child.mv, node: Node { g, key: key.into() }, is_end })
    };
    let mut children: Vec<ChildNode> = (0..).zip(&*out).filter_map(child_node).collect();
    children.sort_unstable_by_key(|child_node| child_node.mv);
    children
}

/// The number of paths from the root to an end, and for each node whether a path leads from it to an end.
fn count_paths(depths: &[Depth], monitor: &Monitor<'_>) -> Result<(BigUint, Vec<Vec<bool>>), Stopped> {
    let (mut next_counts, mut next_bytes) = (Vec::<BigUint>::new(), 0);
    let mut reaches_end = Vec::new();
    for depth in depths.iter().rev() {
        let mut depth_bytes = 0;
        let of_node = |(node, &is_end): (usize, &bool)| {
            let edges = depth.edges_of(node).iter();
            let end_count = BigUint::from(u8::from(is_end));
            let count = edges.fold(end_count, |sum, edge| sum + &next_counts[edge.child as usize]);
            let bytes = COUNT_BYTES + count.bits() / 4;
            depth_bytes += bytes;
            monitor.add_bytes(bytes).map(|()| count)
        };
        next_counts = depth.ends.iter().enumerate().map(of_node).collect::<Result<_, _>>()?;
        monitor.gauges.subtract_bytes(std::mem::replace(&mut next_bytes, depth_bytes));
        reaches_end.push(next_counts.iter().map(|count| *count != BigUint::ZERO).collect());
    }
    reaches_end.reverse();
    Ok((next_counts.into_iter().next().unwrap_or_default(), reaches_end))
}

/// The moves of the first `max_listed` paths from the root to an end.
fn list_first(
    depths: &[Depth],
    reaches_end: &[Vec<bool>],
    max_listed: usize,
    monitor: &Monitor<'_>,
) -> Result<Vec<Vec<MoveIndex>>, Stopped> {
    let (mut solutions, mut moves) = (Vec::new(), Vec::new());
    // For each node on the path, its edges that were not taken yet.
    let mut path: Vec<&[Edge]> = Vec::new();
    let mut node = Some(0);
    while solutions.len() < max_listed {
        if let Some(number) = node.take() {
            let depth = &depths[path.len()];
            if depth.ends[number] {
                monitor.add_bytes((size_of_val(&moves) + size_of_val(&moves[..])) as u64)?;
                solutions.push(moves.clone());
            }
            path.push(depth.edges_of(number));
        }
        let child_depth = path.len();
        let Some(edges) = path.last_mut() else { break };
        match edges.split_first() {
            Some((edge, remaining)) => {
                *edges = remaining;
                let child = edge.child as usize;
                if reaches_end[child_depth][child] {
                    moves.push(edge.mv);
                    node = Some(child);
                }
            }
            None => {
                path.pop();
                moves.pop();
            }
        }
    }
    Ok(solutions)
}

#[cfg(test)]
mod tests {
    use super::super::best_first::Numbers;
    use super::*;
    use crate::expand::Problem;
    use crate::runtime::{Limits, Silent, StopToken};

    /// A root with so many children, all of them ends.
    fn fan(children: u16) -> [Depth; 2] {
        let edges = (0..children).map(|mv| Edge { mv, child: mv.into() }).collect();
        let root = Depth { ends: vec![false], edges_until: vec![children.into()], edges };
        let many = usize::from(children);
        [root, Depth { ends: vec![true; many], edges_until: vec![0; many], edges: Vec::new() }]
    }

    #[test]
    fn limits_and_stops_end_counting_and_listing() {
        let (depths, stop) = (fan(1000), StopToken::new());
        let all = Monitor::new(Limits::default(), &Silent, &stop);
        let (count, reaches_end) = count_paths(&depths, &all).unwrap();
        assert_eq!((count, reaches_end.len()), (1000_u16.into(), 2));
        assert_eq!(list_first(&depths, &reaches_end, 2, &all).unwrap(), [[0], [1]]);
        // Half of the numbers of ways, and of the moves of all solutions.
        for bytes in [500 * COUNT_BYTES, 500 * 26] {
            let few = Monitor::new(Limits { memory: Some(bytes), ..Limits::default() }, &Silent, &stop);
            let ended = if bytes < 20_000 {
                list_first(&depths, &reaches_end, usize::MAX, &few).err()
            } else {
                count_paths(&depths, &few).err()
            };
            assert_eq!((ended, few.stop_reason()), (Some(Stopped), Some(StopReason::MemoryLimit)));
        }
        stop.stop(StopReason::Interrupted);
        assert!(count_paths(&depths, &all).is_err() && list_first(&depths, &reaches_end, 2, &all).is_err());
    }

    /// The root has 200 children, of which 20 are kept.
    #[test]
    fn the_memory_of_a_batch_counts() {
        let problem = Problem::new(&Numbers, Numbers);
        let child = (4 + CHILD_BYTES + 4 + NODE_BYTES) as u64;
        for (bytes, expected) in [(199 * child, Err(StopReason::MemoryLimit)), (220 * child, Ok(BigUint::ZERO))] {
            let (limits, stop) = (Limits { memory: Some(bytes), ..Limits::default() }, StopToken::new());
            assert_eq!(all_solutions(&problem, 1, 1, &Context::new(1, limits, &Silent, &stop)).count, expected);
        }
    }
}
