//! The enumeration of bodies.
//!
//! Let `d` be the highest level. A body of up to `d` tokens is a fragment. A body that is a single loop is equivalent
//! to the body of that loop. A longer body is a sequence of atoms. Its *rest* is the longest suffix of at most `d`
//! tokens. With the preceding *atom*, the rest would be longer than `d`. The part before the atom is the *head*, which
//! has fewer tokens than the body has beyond `d`. So the body is
//!
//! * a head of one token or more, and a rest of `d` tokens: the atom belongs to the head,
//! * a head, a loop of the bank, and a rest of fewer than `d` tokens, but of more than `d` together with the loop, or
//! * a head, a loop around another body of `d` tokens or more, and a rest: the loop is computed here, with each of its
//!   counts.
//!
//! Head, rest and the inside of the loop are representatives of the bank: with a smaller equivalent, the body itself
//! would be smaller. Each body is tried with the block of its largest part from the bank. Threads share these blocks.

use super::blocks::{Block, BlockKind};
use super::body_part::{Alternatives, BodyPart, BodyPartKind, for_each_combination};
use super::context::SizeContext;
use super::evaluator::Evaluator;
use super::findings::Findings;
use super::refute::LoopRefuter;
use crate::bank::{Id, Recipe};
use crate::workspace::SemanticsRef;
use gridhunt_search::engine::Workers;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The loop around a body.
#[derive(Clone, Copy)]
enum OuterLoop {
    /// The endless loop at the end of the program.
    Endless,
    /// A counted loop, which is only a part of the program or of a body.
    Counted,
}

/// Enumerates bodies on one thread.
pub(super) struct BodySearch<'a, 'm> {
    evaluator: Evaluator<'a, 'm>,
    refuter: LoopRefuter,
    /// Pairs of a head and a rest between which the current loop is refuted.
    refuted_pairs: Vec<[Id; 2]>,
}

impl<'a, 'm> BodySearch<'a, 'm> {
    fn new(context: &'a SizeContext<'a, 'm>) -> Self {
        let refuter = LoopRefuter::new(context.fragments.shape.states);
        Self { evaluator: Evaluator::new(context), refuter, refuted_pairs: Vec::new() }
    }

    /// Calls `work` with each block in parallel, until a program is found or the search is to stop. Returns the
    /// findings of all blocks up to the first one with a program, and the number of these blocks. So the findings do
    /// not depend on threads. Interrupted blocks do not count.
    pub(super) fn run_blocks<T: Sync>(
        context: &'a SizeContext<'a, 'm>,
        blocks: &[T],
        workers: &Workers<'_>,
        work: impl Fn(&mut Self, &T) + Sync,
    ) -> (Findings, usize) {
        let first_with_program = AtomicUsize::new(usize::MAX);
        let numbers: Vec<usize> = (0..blocks.len()).collect();
        let try_block = |search: &mut Self, &number: &usize| {
            if number > first_with_program.load(Relaxed) {
                return None;
            }
            work(search, &blocks[number]);
            let findings = search.evaluator.take_findings()?;
            if findings.program.is_some() {
                first_with_program.fetch_min(number, Relaxed);
            }
            workers.monitor.gauges.expanded.fetch_add(findings.tried_bodies, Relaxed);
            Some(findings)
        };
        let (mut all, mut done) = (Findings::default(), 0);
        for findings in workers.map_first(&numbers, 1, || Self::new(context), try_block) {
            all.append(findings);
            done += 1;
            if all.program.is_some() {
                break;
            }
        }
        (all, done)
    }

    fn context(&self) -> &'a SizeContext<'a, 'm> {
        self.evaluator.context
    }

    /// Tries all bodies of a block.
    pub(super) fn try_block(&mut self, Block { kind, ids }: &Block) {
        let context = self.context();
        let size = context.fragments.tokens(ids.start);
        self.with_alternatives(ids.clone(), |search, largest| match kind {
            BlockKind::Loops => {
                search.without_loops(largest).for_each(|part| search.try_loops(&[part], size));
            }
            // Two tokens remain for the loop and for a part beside it.
            BlockKind::LongerLoops => {
                search.try_long_bodies(OuterLoop::Counted, largest, size, context.max_body_tokens() - 2)
            }
            BlockKind::Other => search.try_bank_bodies(largest, size),
        });
    }

    /// Tries bodies whose loops are all in the bank.
    fn try_bank_bodies(&mut self, largest: &Alternatives<'_>, size: usize) {
        let context = self.context();
        if size >= context.extra_tokens() {
            let prefix_size = context.max_body_tokens() - size;
            for part in self.without_loops(largest).collect::<Vec<_>>() {
                self.evaluator.try_body(prefix_size, &[part]);
            }
        }
        self.try_long_bodies(OuterLoop::Endless, largest, size, context.max_body_tokens());
    }

    /// The parts that are not loops.
    fn without_loops<'p>(&self, parts: &'p Alternatives<'p>) -> impl Iterator<Item = BodyPart<'p>> + use<'a, 'm, 'p> {
        let fragments = self.context().fragments;
        parts.0.iter().copied().filter(|part| matches!(part.kind, BodyPartKind::Fragment(id) if !fragments.is_loop(id)))
    }

    /// Tries all bodies of `tokens` tokens that consist of one part of each of `sets`.
    fn try_each<const N: usize>(&mut self, outer_loop: OuterLoop, sets: &[&Alternatives<'_>; N], tokens: usize) {
        match outer_loop {
            OuterLoop::Endless => {
                let prefix_size = self.context().max_body_tokens() - tokens;
                for_each_combination(sets, |body| self.evaluator.try_body(prefix_size, body));
            }
            OuterLoop::Counted => for_each_combination(sets, |body| self.try_loops(body, tokens)),
        }
    }

    /// Tries all bodies of more than `depth` and at most `max_tokens` tokens whose loops are in the bank, and whose
    /// largest part is one of `largest`, fragments of level `size`.
    fn try_long_bodies(&mut self, outer_loop: OuterLoop, largest: &Alternatives<'_>, size: usize, max_tokens: usize) {
        let SizeContext { fragments, depth, .. } = *self.context();
        if max_tokens <= depth {
            return;
        }
        if size == depth {
            for head_size in 1..=max_tokens - depth {
                self.with_alternatives(fragments.level(head_size), |search, heads| {
                    search.try_each(outer_loop, &[heads, largest], head_size + depth);
                });
            }
        }
        let (min_rest, max_rest) = (depth + 1 - size, max_tokens - size);
        let is_loop = |part: &BodyPart<'_>| matches!(part.kind, BodyPartKind::Fragment(id) if fragments.is_loop(id));
        let loops = Alternatives(largest.0.iter().copied().filter(is_loop).collect());
        for rest_size in min_rest..=max_rest.min(size).min(depth - 1) {
            self.with_alternatives(fragments.level(rest_size), |search, rests| {
                search.try_with_heads(outer_loop, &loops, rests, size + rest_size, max_tokens);
            });
        }
        if size < depth {
            for atom_size in min_rest.max(2)..=max_rest.min(size - 1) {
                let atoms = fragments.level(atom_size).filter(|&atom| fragments.is_loop(atom));
                self.with_alternatives(atoms, |search, atoms| {
                    search.try_with_heads(outer_loop, atoms, largest, atom_size + size, max_tokens)
                });
            }
        }
    }

    /// Tries bodies of one of `loops` and one of `rests`, of `tokens` tokens in total. Then tries the same bodies with
    /// a head before them.
    fn try_with_heads(
        &mut self,
        outer_loop: OuterLoop,
        loops: &Alternatives<'_>,
        rests: &Alternatives<'_>,
        tokens: usize,
        max_tokens: usize,
    ) {
        self.try_each(outer_loop, &[loops, rests], tokens);
        let fragments = self.context().fragments;
        for head_size in 1..=max_tokens - tokens {
            self.with_alternatives(fragments.level(head_size), |search, heads| {
                search.try_each(outer_loop, &[heads, loops, rests], head_size + tokens);
            });
        }
    }

    /// Calls `work` with these fragments, at most [`Alternatives::MAX_LEN`] at a time.
    fn with_alternatives(&mut self, ids: impl Iterator<Item = Id>, mut work: impl FnMut(&mut Self, &Alternatives<'_>)) {
        let fragments = self.context().fragments;
        for ids in ids.collect::<Vec<_>>().chunks(Alternatives::MAX_LEN) {
            if self.evaluator.should_end_block() {
                break;
            }
            let workspace = &mut self.evaluator.workspace;
            let semantics: Vec<SemanticsRef<'_>> = ids.iter().map(|&id| fragments.semantics(id, workspace)).collect();
            let parts = ids.iter().zip(&semantics).map(|(&id, semantics)| BodyPart::of(id, semantics));
            work(self, &Alternatives(parts.collect()));
            semantics.into_iter().for_each(|semantics| self.evaluator.workspace.recycle_computed(semantics));
        }
    }

    /// Calls `work` with a fragment as a part.
    fn with_part<T>(&mut self, id: Id, work: impl FnOnce(&mut Self, BodyPart<'_>) -> T) -> T {
        let semantics = self.context().fragments.semantics(id, &mut self.evaluator.workspace);
        let result = work(self, BodyPart::of(id, &semantics));
        self.evaluator.workspace.recycle_computed(semantics);
        result
    }

    /// Tries fragments of one level as bodies.
    pub(super) fn try_fragments(&mut self, ids: &Range<Id>) {
        let context = self.context();
        let prefix_size = context.max_body_tokens() - context.fragments.tokens(ids.start);
        for id in ids.clone().filter(|&id| !context.fragments.is_loop(id)) {
            self.with_part(id, |search, part| search.evaluator.try_body(prefix_size, &[part]));
        }
    }

    /// Tries loops around a body of `tokens` tokens: at the end of a prefix, and within a body beside fragments.
    fn try_loops<const K: usize>(&mut self, inner: &[BodyPart<'_>; K], tokens: usize) {
        let context = self.context();
        let Some(remaining) = context.max_body_tokens().checked_sub(tokens + 1) else { return };
        if self.evaluator.should_end_block() {
            return;
        }
        for prefix_size in 0..remaining {
            for prefix in &context.prefixes[prefix_size] {
                self.evaluator.collect_prefixes(prefix, inner, prefix_size + tokens + 1);
            }
        }
        for prefix_size in 0..remaining {
            let side_tokens = remaining - prefix_size;
            self.refuted_pairs.clear();
            for head_size in 1..side_tokens {
                for head in context.fragments.level(head_size) {
                    for rest in context.fragments.level(side_tokens - head_size) {
                        self.try_between(prefix_size, [head, rest], inner);
                    }
                }
            }
            for id in context.fragments.level(side_tokens) {
                self.try_before_and_after(prefix_size, id, inner);
            }
        }
        // An outer loop needs a part beside the inner loop, and a part beside the outer loop.
        let side_tokens = remaining.saturating_sub(2);
        if side_tokens > 0 {
            self.for_each_count(inner, |search, repeated| search.try_in_outer_loop(repeated, tokens + 1, side_tokens));
        }
    }

    /// Tries a loop between a head and a rest, after prefixes of `prefix_size` tokens, unless it is refuted.
    fn try_between<const K: usize>(&mut self, prefix_size: usize, ids: [Id; 2], inner: &[BodyPart<'_>; K]) {
        let context = self.context();
        let semantics = ids.map(|id| context.fragments.semantics(id, &mut self.evaluator.workspace));
        let [head, rest] = [0, 1].map(|at| BodyPart::of(ids[at], &semantics[at]));
        if self.refuter.may_mark_all_but_one(&context.prefixes[prefix_size], &[rest, head], inner) {
            self.for_each_count(inner, |search, repeated| {
                search.evaluator.try_body(prefix_size, &[head, repeated, rest]);
            });
        } else {
            self.refuted_pairs.push(ids);
        }
        semantics.into_iter().for_each(|semantics| self.evaluator.workspace.recycle_computed(semantics));
    }

    /// Tries a loop before a fragment and a loop after the fragment, after prefixes of `prefix_size` tokens, unless
    /// both are refuted.
    fn try_before_and_after<const K: usize>(&mut self, prefix_size: usize, id: Id, inner: &[BodyPart<'_>; K]) {
        let context = self.context();
        // In an endless loop, this is equivalent to the end of the fragment as a head and its beginning as a rest.
        if let Recipe::Sequence { first, rest } = context.fragments.recipe(id)
            && self.refuted_pairs.contains(&[rest, first])
        {
            return;
        }
        self.with_part(id, |search, part| {
            if search.refuter.may_mark_all_but_one(&context.prefixes[prefix_size], &[part], inner) {
                search.for_each_count(inner, |search, repeated| {
                    search.evaluator.try_body(prefix_size, &[repeated, part]);
                    search.evaluator.try_body(prefix_size, &[part, repeated]);
                });
            }
        });
    }

    /// Calls `work` with a loop around a body, for each of its counts, until the search is to stop.
    fn for_each_count(&mut self, body: &[BodyPart<'_>], mut work: impl FnMut(&mut Self, BodyPart<'_>)) {
        let evaluator = &mut self.evaluator;
        let semantics = evaluator.sequence(body);
        let [mut endless, mut buffer] = [(); 2].map(|()| evaluator.workspace.take());
        let counts = evaluator.workspace.loop_counts(&semantics, &mut endless);
        evaluator.findings.has_untried_counts |= counts.has_untried_counts;
        let monitor = evaluator.context.monitor;
        let ended = semantics.for_each_loop(
            &counts,
            &endless,
            &mut buffer,
            || monitor.stop_reason().is_some(),
            |semantics, count| {
                work(self, BodyPart { kind: BodyPartKind::Loop { body, count }, semantics });
            },
        );
        if ended.is_err() {
            // Records the interruption of the block.
            self.evaluator.should_end_block();
        }
        [semantics, endless, buffer].into_iter().for_each(|buffer| self.evaluator.workspace.recycle(buffer));
    }

    /// Tries a loop of `tokens` tokens within another loop, with up to `side_tokens` tokens beside it.
    fn try_in_outer_loop(&mut self, inner: BodyPart<'_>, tokens: usize, side_tokens: usize) {
        let fragments = self.context().fragments;
        for side_size in 1..=side_tokens {
            for side in fragments.level(side_size) {
                self.with_part(side, |search, part| {
                    search.try_loops(&[part, inner], tokens + side_size);
                    search.try_loops(&[inner, part], tokens + side_size);
                    for rest_size in 1..=side_tokens - side_size {
                        for rest in fragments.level(rest_size) {
                            search.with_part(rest, |search, rest| {
                                search.try_loops(&[part, inner, rest], tokens + side_size + rest_size);
                            });
                        }
                    }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::chunks_of_levels;
    use super::*;
    use crate::bank::tests::bank_of;
    use crate::machine::tests::{Stopping, Table};
    use gridhunt_search::runtime::{Limits, Monitor, Silent, StopReason, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use std::sync::atomic::AtomicU64;

    /// A stop ends a block before its end, and the block counts for nothing. A request for a checkpoint does not.
    #[test]
    fn interrupted_blocks_count_for_nothing() {
        let machine = Table::turning(&mut ChaCha8Rng::seed_from_u64(72), 6).without_solution();
        let observed = |stops: bool, pauses: bool| {
            let stop = StopToken::new();
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let workers = Workers::new(1, &monitor);
            let bank = bank_of(&machine, 3, u64::MAX, &workers);
            let mut context = SizeContext::new(bank.fragments(), &monitor, 6, 3);
            (0..=3).for_each(|size| context.add_prefixes(size, &workers).expect("prefixes"));
            let all: Vec<Block> = chunks_of_levels(bank.fragments(), 3..=3, 2)
                .flat_map(|ids| [BlockKind::Loops, BlockKind::Other].map(|kind| Block { kind, ids: ids.clone() }))
                .take(6)
                .collect();
            let begun = AtomicU64::new(0);
            let (found, tried) = BodySearch::run_blocks(&context, &all, &workers, |search, block| {
                if begun.fetch_add(1, Relaxed) == 3 {
                    if stops {
                        stop.stop(StopReason::Interrupted);
                    }
                    if pauses {
                        monitor.pause();
                    }
                }
                search.try_block(block);
            });
            (tried, found.tried_bodies, monitor.gauges.expanded.load(Relaxed))
        };
        let (all, tried, _) = observed(false, false);
        assert_eq!(all, 6);
        let (of_paused, by_paused, _) = observed(false, true);
        let (of_stopped, by_stopped, counted) = observed(true, false);
        assert_eq!((of_stopped, of_paused, counted), (3, 4, by_stopped));
        assert!(0 < by_stopped && by_stopped < by_paused && by_paused < tried);
    }

    /// A stop ends a block of loops soon: after a tenth of the work, less than half is done.
    #[test]
    fn blocks_are_interrupted_soon() {
        const MANY: u64 = 1 << 40;
        let table = Table::turning(&mut ChaCha8Rng::seed_from_u64(73), 6).without_solution();
        let work = |stops_behind: u64| {
            let stop = StopToken::new();
            let machine = Stopping { machine: &table, stop: &stop, left: AtomicU64::new(MANY) };
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let workers = Workers::new(1, &monitor);
            let bank = bank_of(&machine, 3, 0, &workers);
            let mut context = SizeContext::new(bank.fragments(), &monitor, 6, 3);
            (0..=3).for_each(|size| context.add_prefixes(size, &workers).expect("prefixes"));
            machine.left.store(stops_behind, Relaxed);
            let blocks = [Block { kind: BlockKind::Loops, ids: bank.fragments().level(2) }];
            BodySearch::run_blocks(&context, &blocks, &workers, |search, block| search.try_block(block));
            stops_behind.wrapping_sub(machine.left.load(Relaxed))
        };
        let all = work(MANY);
        let stopped = work(all / 10);
        assert!(all / 10 < stopped && stopped < all / 2, "{stopped} of {all} steps");
    }
}
