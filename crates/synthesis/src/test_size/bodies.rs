//! The enumeration of bodies.
//!
//! Let `d` be the highest level. A body of up to `d` tokens is a fragment. A body that is a single loop does what the
//! body of that loop does. A longer body is a sequence of atoms. Its *rest* is the longest end of at most `d` tokens.
//! The *atom* before the rest would make it longer than `d`. The part before the atom is the *head*, which has fewer
//! tokens than the body has beyond `d`. So the body is
//!
//! * a head of one token or more, and a rest of `d` tokens: the atom belongs to the head,
//! * a head, a loop of the bank, and a rest of fewer than `d` tokens, but of more than `d` together with the loop, or
//! * a head, a loop around another body of `d` tokens or more, and a rest: the loop is computed here, with each of its
//!   counts.
//!
//! Head, rest and the inside of the loop are representatives of the bank: a smaller equivalent in their place would
//! make the whole smaller. Each body is tried with the block that has its largest part from the bank. Threads share
//! these blocks.

use super::blocks::{Block, Kind};
use super::body_part::{Alternatives, BodyPart, BodyPartKind, each_combination};
use super::context::SizeContext;
use super::evaluator::Evaluator;
use super::findings::Findings;
use super::refute::Refuter;
use crate::bank::{Id, Recipe};
use crate::workspace::SemanticsRef;
use gridhunt_search::engine::Workers;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The loop around a body.
#[derive(Clone, Copy)]
enum Around {
    /// An endless loop, which ends the program.
    Endless,
    /// A loop that counts, with something beside it.
    Counted,
}

/// Enumerates bodies on one thread.
pub(super) struct BodySearch<'a, 'm> {
    evaluator: Evaluator<'a, 'm>,
    refuter: Refuter,
    /// Pairs of a head and a rest that mark too little around the loop at hand, whatever its count is.
    refuted_pairs: Vec<[Id; 2]>,
}

impl<'a, 'm> BodySearch<'a, 'm> {
    fn new(context: &'a SizeContext<'a, 'm>) -> Self {
        let refuter = Refuter::new(context.fragments.shape.states);
        Self { evaluator: Evaluator::new(context), refuter, refuted_pairs: Vec::new() }
    }

    /// Calls `work` with one block after another, until a program is found or the search is to stop. Returns the
    /// findings of all blocks up to the first one with a program, and the number of these blocks. So the findings do
    /// not depend on threads. A block that is interrupted does not count.
    pub(super) fn run_blocks<T: Sync>(
        context: &'a SizeContext<'a, 'm>,
        blocks: &[T],
        workers: &Workers<'_>,
        work: impl Fn(&mut Self, &T) + Sync,
    ) -> (Findings, usize) {
        let first_with_program = AtomicUsize::new(usize::MAX);
        let numbers: Vec<usize> = (0..blocks.len()).collect();
        let found = workers.map_first(
            &numbers,
            1,
            || Self::new(context),
            |search, &number| {
                if number > first_with_program.load(Relaxed) {
                    return None;
                }
                work(search, &blocks[number]);
                let findings = search.evaluator.take_findings()?;
                if findings.program.is_some() {
                    first_with_program.fetch_min(number, Relaxed);
                }
                workers.monitor.gauges.expanded.fetch_add(findings.tried, Relaxed);
                Some(findings)
            },
        );
        let (mut all, mut done) = (Findings::default(), 0);
        for findings in found {
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
        self.with_all(ids.clone(), |search, all| match kind {
            Kind::Loops => {
                search.without_loops(all).for_each(|part| search.try_loops(&[part], size));
            }
            // Two tokens are left for the loop and for something beside it.
            Kind::LongerLoops => search.with_bodies(Around::Counted, all, size, context.longest() - 2),
            Kind::Other => search.try_others(all, size),
        });
    }

    /// Tries bodies without loops that the bank does not have.
    fn try_others(&mut self, all: &Alternatives<'_>, size: usize) {
        let context = self.context();
        if size >= context.beyond() {
            let of_prefix = context.longest() - size;
            for part in self.without_loops(all).collect::<Vec<_>>() {
                self.evaluator.try_body(of_prefix, &[part]);
            }
        }
        self.with_bodies(Around::Endless, all, size, context.longest());
    }

    /// The parts that are no loops.
    fn without_loops<'p>(&self, all: &'p Alternatives<'p>) -> impl Iterator<Item = BodyPart<'p>> + use<'a, 'm, 'p> {
        let fragments = self.context().fragments;
        all.0.iter().copied().filter(|part| matches!(part.kind, BodyPartKind::Fragment(id) if !fragments.is_loop(id)))
    }

    /// Tries all bodies of `tokens` tokens that consist of one part of each of `alternatives`.
    fn try_each<const N: usize>(&mut self, around: Around, alternatives: &[&Alternatives<'_>; N], tokens: usize) {
        match around {
            Around::Endless => {
                let of_prefix = self.context().longest() - tokens;
                each_combination(alternatives, |body| self.evaluator.try_body(of_prefix, body));
            }
            Around::Counted => each_combination(alternatives, |body| self.try_loops(body, tokens)),
        }
    }

    /// Tries all bodies of more than `depth` and at most `longest` tokens whose loops are in the bank. Their largest
    /// part is one of the fragments `all`, which belong to level `size`.
    fn with_bodies(&mut self, around: Around, all: &Alternatives<'_>, size: usize, longest: usize) {
        let SizeContext { fragments, depth, .. } = *self.context();
        if longest <= depth {
            return;
        }
        if size == depth {
            for of_head in 1..=longest - depth {
                self.with_all(fragments.level(of_head), |search, heads| {
                    search.try_each(around, &[heads, all], of_head + depth);
                });
            }
        }
        let (fewest, most) = (depth + 1 - size, longest - size);
        let is_loop = |part: &BodyPart<'_>| matches!(part.kind, BodyPartKind::Fragment(id) if fragments.is_loop(id));
        let loops = Alternatives(all.0.iter().copied().filter(is_loop).collect());
        for of_rest in fewest..=most.min(size).min(depth - 1) {
            self.with_all(fragments.level(of_rest), |search, rests| {
                search.with_heads(around, &loops, rests, size + of_rest, longest);
            });
        }
        if size < depth {
            for of_atom in fewest.max(2)..=most.min(size - 1) {
                let atoms = fragments.level(of_atom).filter(|&atom| fragments.is_loop(atom));
                self.with_all(atoms, |search, atoms| search.with_heads(around, atoms, all, of_atom + size, longest));
            }
        }
    }

    /// Tries bodies of one of `loops` and one of `rests`, which have `tokens` tokens together. Then tries the same
    /// bodies with a head before them.
    fn with_heads(
        &mut self,
        around: Around,
        loops: &Alternatives<'_>,
        rests: &Alternatives<'_>,
        tokens: usize,
        longest: usize,
    ) {
        self.try_each(around, &[loops, rests], tokens);
        let fragments = self.context().fragments;
        for of_head in 1..=longest - tokens {
            self.with_all(fragments.level(of_head), |search, heads| {
                search.try_each(around, &[heads, loops, rests], of_head + tokens);
            });
        }
    }

    /// Calls `work` with these fragments, at most [`Alternatives::MOST`] at a time.
    fn with_all(&mut self, ids: impl Iterator<Item = Id>, mut work: impl FnMut(&mut Self, &Alternatives<'_>)) {
        let fragments = self.context().fragments;
        for ids in ids.collect::<Vec<_>>().chunks(Alternatives::MOST) {
            if self.evaluator.is_over() {
                break;
            }
            let workspace = &mut self.evaluator.workspace;
            let semantics: Vec<SemanticsRef<'_>> = ids.iter().map(|&id| fragments.semantics(id, workspace)).collect();
            let parts = ids.iter().zip(&semantics).map(|(&id, semantics)| BodyPart::of(id, semantics));
            work(self, &Alternatives(parts.collect()));
            semantics.into_iter().for_each(|semantics| self.evaluator.workspace.give_back(semantics));
        }
    }

    /// Calls `work` with a fragment as a part.
    fn with<T>(&mut self, id: Id, work: impl FnOnce(&mut Self, BodyPart<'_>) -> T) -> T {
        let semantics = self.context().fragments.semantics(id, &mut self.evaluator.workspace);
        let result = work(self, BodyPart::of(id, &semantics));
        self.evaluator.workspace.give_back(semantics);
        result
    }

    /// Tries these fragments of a level as bodies.
    pub(super) fn try_stored(&mut self, ids: &Range<Id>) {
        let context = self.context();
        let of_prefix = context.longest() - context.fragments.tokens(ids.start);
        for id in ids.clone().filter(|&id| !context.fragments.is_loop(id)) {
            self.with(id, |search, part| search.evaluator.try_body(of_prefix, &[part]));
        }
    }

    /// Tries loops around a body of `tokens` tokens: at the end of a prefix, and in a body between a head and a rest.
    fn try_loops<const K: usize>(&mut self, inner: &[BodyPart<'_>; K], tokens: usize) {
        let context = self.context();
        let Some(left) = context.longest().checked_sub(tokens + 1) else { return };
        if self.evaluator.is_over() {
            return;
        }
        for of_prefix in 0..left {
            for prefix in &context.prefixes[of_prefix] {
                self.evaluator.keep_prefixes(prefix, inner, of_prefix + tokens + 1);
            }
        }
        for of_prefix in 0..left {
            let beside = left - of_prefix;
            self.refuted_pairs.clear();
            for of_head in 1..beside {
                for head in context.fragments.level(of_head) {
                    for rest in context.fragments.level(beside - of_head) {
                        self.try_between(of_prefix, [head, rest], inner);
                    }
                }
            }
            for id in context.fragments.level(beside) {
                self.try_beside(of_prefix, id, inner);
            }
        }
        // A loop around this loop holds something beside this loop, and has something beside itself.
        let beside = left.saturating_sub(2);
        if beside > 0 {
            self.each_count(inner, |search, repeated| search.try_in_loop(repeated, tokens + 1, beside));
        }
    }

    /// Tries a loop between a head and a rest, after prefixes of `of_prefix` tokens, unless it is refuted.
    fn try_between<const K: usize>(&mut self, of_prefix: usize, ids: [Id; 2], inner: &[BodyPart<'_>; K]) {
        let context = self.context();
        let semantics = ids.map(|id| context.fragments.semantics(id, &mut self.evaluator.workspace));
        let [head, rest] = [0, 1].map(|at| BodyPart::of(ids[at], &semantics[at]));
        if self.refuter.may_mark(&context.prefixes[of_prefix], &[rest, head], inner) {
            self.each_count(inner, |search, repeated| {
                search.evaluator.try_body(of_prefix, &[head, repeated, rest]);
            });
        } else {
            self.refuted_pairs.push(ids);
        }
        semantics.into_iter().for_each(|semantics| self.evaluator.workspace.give_back(semantics));
    }

    /// Tries a loop before a fragment, and one behind it, after prefixes of `of_prefix` tokens, unless they are
    /// refuted.
    fn try_beside<const K: usize>(&mut self, of_prefix: usize, id: Id, inner: &[BodyPart<'_>; K]) {
        let context = self.context();
        // In an endless loop, the end of the fragment as a head and its beginning as a rest would do the same.
        if let Recipe::Sequence { first, rest } = context.fragments.recipe(id)
            && self.refuted_pairs.contains(&[rest, first])
        {
            return;
        }
        self.with(id, |search, part| {
            if search.refuter.may_mark(&context.prefixes[of_prefix], &[part], inner) {
                search.each_count(inner, |search, repeated| {
                    search.evaluator.try_body(of_prefix, &[repeated, part]);
                    search.evaluator.try_body(of_prefix, &[part, repeated]);
                });
            }
        });
    }

    /// Calls `work` with a loop around a body, for each of its counts, until the search is to stop.
    fn each_count(&mut self, body: &[BodyPart<'_>], mut work: impl FnMut(&mut Self, BodyPart<'_>)) {
        let evaluator = &mut self.evaluator;
        let semantics = evaluator.sequence(body);
        let [mut endless, mut buffer] = [(); 2].map(|()| evaluator.workspace.take());
        let counts = evaluator.workspace.loop_counts(&semantics, &mut endless);
        evaluator.findings.truncated |= counts.truncated;
        let monitor = evaluator.context.monitor;
        let ended = semantics.each_loop(
            &counts,
            &endless,
            &mut buffer,
            || monitor.stop_reason().is_some(),
            |semantics, count| {
                work(self, BodyPart { kind: BodyPartKind::Loop { body, count }, semantics });
            },
        );
        if ended.is_err() {
            // Notes that the block is interrupted.
            self.evaluator.is_over();
        }
        [semantics, endless, buffer].into_iter().for_each(|buffer| self.evaluator.workspace.give(buffer));
    }

    /// Tries a loop of `tokens` tokens in another loop, with up to `beside` tokens beside it.
    fn try_in_loop(&mut self, inner: BodyPart<'_>, tokens: usize, beside: usize) {
        let fragments = self.context().fragments;
        for of_one in 1..=beside {
            for one in fragments.level(of_one) {
                self.with(one, |search, part| {
                    search.try_loops(&[part, inner], tokens + of_one);
                    search.try_loops(&[inner, part], tokens + of_one);
                    for of_rest in 1..=beside - of_one {
                        for rest in fragments.level(of_rest) {
                            search.with(rest, |search, rest| {
                                search.try_loops(&[part, inner, rest], tokens + of_one + of_rest);
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
                .flat_map(|ids| [Kind::Loops, Kind::Other].map(|kind| Block { kind, ids: ids.clone() }))
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
            (tried, found.tried, monitor.gauges.expanded.load(Relaxed))
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
            let blocks = [Block { kind: Kind::Loops, ids: bank.fragments().level(2) }];
            BodySearch::run_blocks(&context, &blocks, &workers, |search, block| search.try_block(block));
            stops_behind.wrapping_sub(machine.left.load(Relaxed))
        };
        let all = work(MANY);
        let stopped = work(all / 10);
        assert!(all / 10 < stopped && stopped < all / 2, "{stopped} of {all} steps");
    }
}
