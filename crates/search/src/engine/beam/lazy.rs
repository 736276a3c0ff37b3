//! Beam search among states that rank their children before they are made ([`LazyState`]).
//!
//! As soon as the children of a state are ranked, they are offered to the list of candidates, with digests instead of
//! keys. The candidates that are left at the end of a depth are made, and their own children are ranked at once. If two
//! different states of one depth have the same digest, one of them is lost. A beam proves nothing, so this makes no
//! proof wrong.

use super::links::{Link, path};
use super::run::{BATCH, Beam, CandidateList};
use super::top_k::{Candidate, TopK};
use crate::domain::{Cost, LazyChild, LazyState, MoveIndex};
use crate::engine::outcome::Statistics;
use crate::runtime::{Crew, Stopped, run_crew};
use std::cmp::Reverse;

pub(super) const DIGEST: usize = size_of::<u64>();

/// How many times as wide as at first a beam may become ([`Selection::widens`](super::Selection::widens)), and the
/// greatest width to which it may widen.
const WIDENING: usize = 16;
const WIDENED: usize = 10_000;

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
        Self { nodes: Vec::new(), links: Vec::new(), best: CandidateList::new(width, DIGEST), generated: 0 }
    }
}

impl<'a> Beam<'a> {
    /// Makes one depth after another until none is left, the path is too long, or the search has to stop.
    pub(super) fn run_lazy(&mut self, root: Node<'a>, statistics: &mut Statistics) {
        if self.monitor.should_leave_layer() {
            return;
        }
        let first = root.move_count();
        let mut made = GeneratedNodes::new(self.selection.width);
        self.rank_children(&*root, 0, 0, Vec::new, &mut Vec::new(), &mut made);
        statistics.generated += made.generated;
        let (mut nodes, mut number, mut lists, mut width) = (vec![root], 0, vec![made.best], self.selection.width);
        for _ in 1..self.space.guidance().max_played_moves {
            let Ok(best) = self.best_of(lists, width) else { break };
            let kept: Vec<_> = best.kept().collect();
            drop(best);
            if kept.is_empty() || self.monitor.should_leave_layer() {
                break;
            }
            let links = self.links.len() * size_of::<Link>();
            let states: usize = nodes.iter().map(|node| node.bytes()).sum();
            self.monitor.gauges.set_bytes((links + states + kept.len() * size_of::<Candidate>()) as u64);
            width = self.width_after(&nodes, first);
            let share = kept.len().div_ceil(self.threads).max(1);
            let slices: Vec<_> = kept.chunks(share).collect();
            let crew = run_crew(&Crew::new(slices.len()), slices, |at, slice| {
                self.make(&nodes, number, slice, at * share, width)
            });
            statistics.cpu_seconds += crew.cpu_seconds;
            (nodes, lists) = (Vec::with_capacity(kept.len()), Vec::with_capacity(crew.results.len()));
            let mut links = Vec::with_capacity(kept.len());
            for made in crew.results {
                statistics.generated += made.generated;
                nodes.extend(made.nodes);
                links.extend(made.links);
                lists.push(made.best);
            }
            statistics.stored = statistics.stored.max(nodes.len() as u64);
            number = self.next_number();
            self.links.extend(links);
            self.report_depth(number, nodes.len());
        }
    }

    fn best_of(&self, lists: Vec<CandidateList>, width: usize) -> Result<TopK, Stopped> {
        let mut all = CandidateList::new(width, DIGEST);
        lists.into_iter().try_for_each(|list| self.join(&mut all, list))?;
        all.list.select(self.incumbent.cost(), || self.monitor.should_leave_layer())?;
        Ok(all.list)
    }

    /// Returns how many grandchildren of `nodes` the beam keeps. `first` is the number of moves at the root.
    fn width_after(&self, nodes: &[Node<'_>], first: usize) -> usize {
        let moves: usize = nodes.iter().map(|node| node.move_count()).sum();
        if self.selection.widens {
            widened(self.selection.width, first, nodes.len(), moves)
        } else {
            self.selection.width
        }
    }

    /// Makes the states of the candidates in `slice`, and ranks their children. The first candidate has the number
    /// `from` in its depth, and the first of the parents has the number `first` in the whole search.
    fn make(
        &self,
        parents: &[Node<'a>],
        first: usize,
        slice: &[Candidate],
        from: usize,
        width: usize,
    ) -> GeneratedNodes<'a> {
        let (mut made, mut children, mut reported) = (GeneratedNodes::new(width), Vec::new(), 0);
        for (at, candidate) in slice.iter().enumerate() {
            if at % BATCH == 0 {
                self.report_generated(made.generated, &mut reported);
            }
            if self.monitor.should_leave_layer() {
                break;
            }
            let Link { parent, mv: number } = candidate.link;
            let before = &parents[parent as usize - first];
            let (link, node) = (Link { parent, mv: before.move_to(number) }, before.child(number));
            self.monitor.gauges.add_bytes(node.bytes() as u64);
            let number = self.next_number() + from + at;
            self.rank_children(&*node, number, candidate.g, || path(&self.links, link), &mut children, &mut made);
            made.nodes.push(node);
            made.links.push(link);
        }
        self.report_generated(made.generated, &mut reported);
        made
    }

    /// Offers the children of a node to the list of candidates. `at` is the number of the node.
    fn rank_children(
        &self,
        node: &dyn LazyState<'_>,
        at: usize,
        g: Cost,
        moves: impl Fn() -> Vec<MoveIndex>,
        children: &mut Vec<LazyChild>,
        made: &mut GeneratedNodes<'_>,
    ) {
        self.monitor.count_expansion();
        made.generated += node.move_count() as u64;
        let best = &mut made.best;
        let Some(least) = best.list.min_promise(0) else { return };
        node.children(self.selection.variation, least, children);
        if !best.list.has_room(children.len()) && !self.grow(best, children.len()) {
            return;
        }
        for child in children.drain(..) {
            let g = g + child.cost;
            if let Some(stop) = child.terminal_cost {
                let all = || {
                    let mut all = moves();
                    all.push(node.move_to(child.number));
                    all
                };
                self.incumbent.offer(g + stop, all);
            }
            if g < self.incumbent.cost() {
                let link = Link { parent: at as u32, mv: child.number };
                // f is 0 for all candidates, because the cost of a path does not tell how near a goal is.
                let candidate = Candidate { f: 0, promise: Reverse(child.promise), g, link };
                best.list.offer(candidate, |key| key.copy_from_slice(&child.digest.to_le_bytes()));
            }
        }
        if best.list.is_full() {
            // A stop is noticed before the next node.
            let _ = best.list.select(Cost::MAX, || self.monitor.should_leave_layer());
        }
    }
}

/// The width at which a depth takes as much time as it would take at `width` if each state had `first` moves, as the
/// root has. The `nodes` states of a depth have `moves` moves together. The result is limited by [`WIDENING`] and
/// [`WIDENED`].
fn widened(width: usize, first: usize, nodes: usize, moves: usize) -> usize {
    let even = width.saturating_mul(first).saturating_mul(nodes) / moves.max(1);
    even.min(width.saturating_mul(WIDENING)).min(WIDENED).max(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beams_widen_where_states_have_few_moves() {
        assert_eq!(widened(30, 200, 30, 30 * 200), 30);
        assert_eq!(widened(30, 200, 30, 30 * 50), 120);
        assert_eq!(widened(30, 200, 30, 30 * 250), 30, "never narrower");
        assert_eq!(widened(30, 200, 400, 400), 30 * WIDENING);
        assert_eq!(widened(30, 200, 400, 0), 30 * WIDENING, "no moves are left");
        assert_eq!(widened(2_000, 200, 400, 400), WIDENED);
        assert_eq!(widened(50_000, 200, 400, 400), 50_000);
    }
}
