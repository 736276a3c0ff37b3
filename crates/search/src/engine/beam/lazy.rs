//! Beam search among states that rank their children before they generate them ([`LazyState`]).
//!
//! As soon as the children of a state are ranked, they are offered to the list of candidates, with digests instead of
//! keys. At the end of a depth the best candidates are generated, and their children are ranked at once. If two
//! different states of one depth have the same digest, one state is lost. A beam proves nothing, so the loss affects no
//! proof.

use super::links::{Link, path};
use super::run::{BATCH, Beam, CandidateList};
use super::top_k::{Candidate, TopK};
use crate::domain::{Cost, LazyChild, LazyState, MoveIndex};
use crate::engine::outcome::Statistics;
use crate::runtime::{Crew, Stopped, run_crew};
use std::cmp::Reverse;

pub(super) const DIGEST_LEN: usize = size_of::<u64>();

/// The largest factor by which a beam may widen ([`Selection::widens`](super::Selection::widens)), and the greatest
/// width to which it may widen.
const MAX_WIDENING: usize = 16;
const MAX_WIDENED_WIDTH: usize = 10_000;

type Node<'s> = Box<dyn LazyState<'s> + 's>;

struct GeneratedNodes<'s> {
    nodes: Vec<Node<'s>>,
    /// How each node was reached.
    links: Vec<Link>,
    /// The best candidates among the children of the nodes.
    best: CandidateList,
    generated: u64,
}

impl GeneratedNodes<'_> {
    fn new(width: usize) -> Self {
        Self { nodes: Vec::new(), links: Vec::new(), best: CandidateList::new(width, DIGEST_LEN), generated: 0 }
    }
}

impl<'a> Beam<'a> {
    /// Generates one depth after another until none is left, the path is too long, or the search has to stop.
    pub(super) fn run_lazy(&mut self, root: Node<'a>, statistics: &mut Statistics) {
        if self.monitor.should_leave_layer() {
            return;
        }
        let root_moves = root.move_count();
        let mut out = GeneratedNodes::new(self.selection.width);
        self.rank_children(&*root, 0, 0, Vec::new, &mut Vec::new(), &mut out);
        statistics.generated += out.generated;
        let (mut nodes, mut number, mut lists, mut width) = (vec![root], 0, vec![out.best], self.selection.width);
        for _ in 1..self.space.guidance().max_played_moves {
            let Ok(best) = self.select_best(lists, width) else { break };
            let candidates: Vec<_> = best.candidates().collect();
            drop(best);
            if candidates.is_empty() || self.monitor.should_leave_layer() {
                break;
            }
            let links = self.links.len() * size_of::<Link>();
            let states: usize = nodes.iter().map(|node| node.bytes()).sum();
            self.monitor.gauges.set_bytes((links + states + candidates.len() * size_of::<Candidate>()) as u64);
            width = self.width_after(&nodes, root_moves);
            let share = candidates.len().div_ceil(self.threads).max(1);
            let slices: Vec<_> = candidates.chunks(share).collect();
            let crew = run_crew(&Crew::new(slices.len()), slices, |at, slice| {
                self.generate(&nodes, number, slice, at * share, width)
            });
            statistics.cpu_seconds += crew.cpu_seconds;
            (nodes, lists) = (Vec::with_capacity(candidates.len()), Vec::with_capacity(crew.results.len()));
            let mut links = Vec::with_capacity(candidates.len());
            for out in crew.results {
                statistics.generated += out.generated;
                nodes.extend(out.nodes);
                links.extend(out.links);
                lists.push(out.best);
            }
            statistics.stored = statistics.stored.max(nodes.len() as u64);
            number = self.next_number();
            self.links.extend(links);
            self.report_depth(number, nodes.len());
        }
    }

    fn select_best(&self, lists: Vec<CandidateList>, width: usize) -> Result<TopK, Stopped> {
        let mut all = CandidateList::new(width, DIGEST_LEN);
        lists.into_iter().try_for_each(|list| self.join(&mut all, list))?;
        all.top_k.select(self.incumbent.cost(), || self.monitor.should_leave_layer())?;
        Ok(all.top_k)
    }

    /// Returns how many grandchildren of `nodes` the beam keeps. `root_moves` is the number of moves at the root.
    fn width_after(&self, nodes: &[Node<'_>], root_moves: usize) -> usize {
        let moves: usize = nodes.iter().map(|node| node.move_count()).sum();
        if self.selection.widens {
            widened(self.selection.width, root_moves, nodes.len(), moves)
        } else {
            self.selection.width
        }
    }

    /// Generates the states of the candidates in `slice`, and ranks their children. `first_index` is the position of
    /// the first candidate in its depth. `first_parent` is the number of the first parent in the whole search.
    fn generate(
        &self,
        parents: &[Node<'a>],
        first_parent: usize,
        slice: &[Candidate],
        first_index: usize,
        width: usize,
    ) -> GeneratedNodes<'a> {
        let (mut out, mut children, mut reported) = (GeneratedNodes::new(width), Vec::new(), 0);
        for (at, candidate) in slice.iter().enumerate() {
            if at % BATCH == 0 {
                self.report_generated(out.generated, &mut reported);
            }
            if self.monitor.should_leave_layer() {
                break;
            }
            let Link { parent, mv: number } = candidate.link;
            let parent_node = &parents[parent as usize - first_parent];
            let (link, node) = (Link { parent, mv: parent_node.move_to(number) }, parent_node.child(number));
            self.monitor.gauges.add_bytes(node.bytes() as u64);
            let number = self.next_number() + first_index + at;
            self.rank_children(&*node, number, candidate.g, || path(&self.links, link), &mut children, &mut out);
            out.nodes.push(node);
            out.links.push(link);
        }
        self.report_generated(out.generated, &mut reported);
        out
    }

    /// Offers the children of a node to the list of candidates. `number` is the number of the node.
    fn rank_children(
        &self,
        node: &dyn LazyState<'_>,
        number: usize,
        g: Cost,
        moves: impl Fn() -> Vec<MoveIndex>,
        children: &mut Vec<LazyChild>,
        out: &mut GeneratedNodes<'_>,
    ) {
        self.monitor.count_expansion();
        out.generated += node.move_count() as u64;
        let best = &mut out.best;
        let Some(min_promise) = best.top_k.min_promise(0) else { return };
        node.children(self.selection.variation, min_promise, children);
        if !best.top_k.has_room(children.len()) && !self.grow(best, children.len()) {
            return;
        }
        for child in children.drain(..) {
            let g = g + child.cost;
            if let Some(end_cost) = child.terminal_cost {
                let path = || {
                    let mut path = moves();
                    path.push(node.move_to(child.number));
                    path
                };
                self.incumbent.offer(g + end_cost, path);
            }
            if g < self.incumbent.cost() {
                let link = Link { parent: number as u32, mv: child.number };
                // f is 0 for all candidates, because the cost of a path does not tell how near a goal is.
                let candidate = Candidate { f: 0, promise: Reverse(child.promise), g, link };
                best.top_k.offer(candidate, |key| key.copy_from_slice(&child.digest.to_le_bytes()));
            }
        }
        if best.top_k.is_full() {
            // A stop is noticed before the next node.
            let _ = best.top_k.select(Cost::MAX, || self.monitor.should_leave_layer());
        }
    }
}

/// The width at which a depth takes as long as at `width` if each state had as many moves as the root. The `nodes`
/// states of the depth have `moves` moves together. The result is limited by [`MAX_WIDENING`] and
/// [`MAX_WIDENED_WIDTH`].
fn widened(width: usize, root_moves: usize, nodes: usize, moves: usize) -> usize {
    let balanced = width.saturating_mul(root_moves).saturating_mul(nodes) / moves.max(1);
    balanced.min(width.saturating_mul(MAX_WIDENING)).min(MAX_WIDENED_WIDTH).max(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beams_widen_where_states_have_few_moves() {
        assert_eq!(widened(30, 200, 30, 30 * 200), 30);
        assert_eq!(widened(30, 200, 30, 30 * 50), 120);
        assert_eq!(widened(30, 200, 30, 30 * 250), 30, "never narrower");
        assert_eq!(widened(30, 200, 400, 400), 30 * MAX_WIDENING);
        assert_eq!(widened(30, 200, 400, 0), 30 * MAX_WIDENING, "no moves are left");
        assert_eq!(widened(2_000, 200, 400, 400), MAX_WIDENED_WIDTH);
        assert_eq!(widened(50_000, 200, 400, 400), 50_000);
    }
}
