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
//! make the whole smaller. Each body is tried with its largest part from the bank, by which threads share the work.

use super::batched::{Alternatives, BatchedSearch};
use super::blocks::{Block, Kind};
use super::body_part::{BodyPart, BodyPartKind, WholePart, each_combination, run};
use super::context::SizeContext;
use super::evaluator::Evaluator;
use super::findings::Findings;
use super::open_counts::{OpenCountSearch, OpenLoop, Siblings};
use super::prefix::{Prefix, count};
use super::refute::Refuter;
use super::visits::JointVisits;
use crate::engine::parallel::Workers;
use crate::engine::synthesis::bank::Id;
use crate::engine::synthesis::codes::MAX_COUNT;
use crate::engine::synthesis::workspace::SemanticsRef;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Which generators mark too little beside a loop, however often they come and whatever the counts are: a bit for each
/// of the first 64 fragments.
struct Verdicts {
    refuted: u64,
    /// Generators that may mark enough.
    passed: u64,
}

/// Generators that are refuted before a loop is looked at.
#[derive(Clone, Copy)]
struct KnownRefuted<'k> {
    /// By the tokens of the prefixes.
    refuted: &'k [u64],
    /// The generators for which this holds in the loop at hand.
    of: u64,
}

impl KnownRefuted<'_> {
    const NONE: Self = Self { refuted: &[], of: 0 };

    fn behind(&self, of_prefix: usize) -> u64 {
        self.refuted.get(of_prefix).map_or(0, |refuted| refuted & self.of)
    }
}

/// The bit of a generator; 0 for generators without a bit.
fn bit(generator: Id) -> u64 {
    1_u64.checked_shl(generator).unwrap_or(0)
}

/// A visitor that is called with bodies.
pub(super) trait BodyVisitor {
    /// Visits all bodies of so many tokens that consist of one of each of these alternatives.
    fn visit<const N: usize>(
        &mut self,
        search: &mut BodySearch<'_, '_>,
        alternatives: &[&Alternatives<'_>; N],
        tokens: usize,
    );
}

/// The endless loop around each body is the end of a program.
struct Endless;

impl BodyVisitor for Endless {
    fn visit<const N: usize>(
        &mut self,
        search: &mut BodySearch<'_, '_>,
        alternatives: &[&Alternatives<'_>; N],
        tokens: usize,
    ) {
        search.try_all(search.context().longest() - tokens, alternatives);
    }
}

/// A loop that counts is around each body, and something beside that loop.
struct Counted;

impl BodyVisitor for Counted {
    fn visit<const N: usize>(
        &mut self,
        search: &mut BodySearch<'_, '_>,
        alternatives: &[&Alternatives<'_>; N],
        tokens: usize,
    ) {
        each_combination(alternatives.map(|alternatives| alternatives.parts.as_slice()), |body| {
            search.try_loops(body, tokens, KnownRefuted::NONE);
        });
    }
}

/// Enumerates bodies on one thread.
pub(super) struct BodySearch<'a, 'm> {
    pub(super) evaluator: Evaluator<'a, 'm>,
    batched: BatchedSearch,
    pub(super) open_counts: OpenCountSearch,
    pub(super) refuter: Refuter,
    /// Pairs of a head and a rest that mark too little around the loop at hand, whatever its count is.
    refuted_pairs: Vec<[Id; 2]>,
    visits: JointVisits,
}

impl<'a, 'm> BodySearch<'a, 'm> {
    pub(super) fn new(context: &'a SizeContext<'a, 'm>) -> Self {
        let (states, starts) = (context.fragments.shape.states, context.fragments.starts.states().len());
        Self {
            evaluator: Evaluator::new(context),
            batched: BatchedSearch::new(states),
            open_counts: OpenCountSearch::new(states),
            refuter: Refuter::new(states),
            refuted_pairs: Vec::new(),
            visits: JointVisits::new(states, starts),
        }
    }

    /// Does `work` with the first of these blocks, until a program is found or the search is to stop. Returns the
    /// findings of all blocks up to the first one with a program, and their number. So the findings do not depend on
    /// threads. A block that is interrupted counts for nothing.
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

    pub(super) fn context(&self) -> &'a SizeContext<'a, 'm> {
        self.evaluator.context
    }

    /// Tries all bodies of a block.
    pub(super) fn try_block(&mut self, Block { kind, ids }: &Block) {
        let context = self.context();
        let size = context.fragments.tokens(ids.start);
        self.with_all(ids.clone(), |search, all| match kind {
            Kind::Loops => {
                search.without_loops(all).for_each(|part| search.try_loops(&[part], size, KnownRefuted::NONE));
            }
            // There is room for the loop, and for something beside it.
            Kind::LongerLoops => search.with_bodies(&mut Counted, all, size, context.longest() - 2),
            Kind::Other => search.try_others(all, size),
        });
    }

    /// Tries bodies without loops that the bank does not have.
    fn try_others(&mut self, all: &Alternatives<'_>, size: usize) {
        let context = self.context();
        if size >= context.beyond() {
            let alone = Alternatives::of(self.without_loops(all).collect());
            self.try_all(context.longest() - size, &[&alone]);
        }
        self.with_bodies(&mut Endless, all, size, context.longest());
    }

    fn try_all<const N: usize>(&mut self, of_prefix: usize, alternatives: &[&Alternatives<'_>; N]) {
        self.batched.try_all(&mut self.evaluator, of_prefix, alternatives);
    }

    /// The parts that are no loops.
    pub(super) fn without_loops<'p>(
        &self,
        all: &'p Alternatives<'p>,
    ) -> impl Iterator<Item = BodyPart<'p>> + use<'a, 'm, 'p> {
        let fragments = self.context().fragments;
        all.parts
            .iter()
            .copied()
            .filter(|part| matches!(part.kind, BodyPartKind::Fragment(id) if !fragments.is_loop(id)))
    }

    /// Visits all bodies of more tokens than the highest level has, but of at most `longest`. Their largest part is one
    /// of these fragments of level `size`, and their loops are in the bank.
    pub(super) fn with_bodies<V: BodyVisitor>(
        &mut self,
        visitor: &mut V,
        all: &Alternatives<'_>,
        size: usize,
        longest: usize,
    ) {
        let SizeContext { fragments, depth, .. } = *self.context();
        if longest <= depth {
            return;
        }
        if size == depth {
            for of_head in 1..=longest - depth {
                self.with_all(fragments.level(of_head), |search, heads| {
                    visitor.visit(search, &[heads, all], of_head + depth);
                });
            }
        }
        let (fewest, most) = (depth + 1 - size, longest - size);
        let is_loop = |part: &BodyPart<'_>| matches!(part.kind, BodyPartKind::Fragment(id) if fragments.is_loop(id));
        let loops = Alternatives::of(all.parts.iter().copied().filter(is_loop).collect());
        for of_rest in fewest..=most.min(size).min(depth - 1) {
            self.with_all(fragments.level(of_rest), |search, rests| {
                search.with_heads(visitor, &loops, rests, size + of_rest, longest);
            });
        }
        if size < depth {
            for of_atom in fewest.max(2)..=most.min(size - 1) {
                let atoms = fragments.level(of_atom).filter(|&atom| fragments.is_loop(atom));
                self.with_all(atoms, |search, atoms| search.with_heads(visitor, atoms, all, of_atom + size, longest));
            }
        }
    }

    /// Visits bodies of one of these loops and one of these rests, of so many tokens together, and the same behind a
    /// head.
    fn with_heads<V: BodyVisitor>(
        &mut self,
        visitor: &mut V,
        loops: &Alternatives<'_>,
        rests: &Alternatives<'_>,
        tokens: usize,
        longest: usize,
    ) {
        visitor.visit(self, &[loops, rests], tokens);
        let fragments = self.context().fragments;
        for of_head in 1..=longest - tokens {
            self.with_all(fragments.level(of_head), |search, heads| {
                visitor.visit(search, &[heads, loops, rests], of_head + tokens);
            });
        }
    }

    /// Calls `work` with these fragments, as many together as alternatives have at most.
    pub(super) fn with_all(
        &mut self,
        ids: impl Iterator<Item = Id>,
        mut work: impl FnMut(&mut Self, &Alternatives<'_>),
    ) {
        let fragments = self.context().fragments;
        for ids in ids.collect::<Vec<_>>().chunks(Alternatives::MOST) {
            if self.evaluator.is_over() {
                break;
            }
            let workspace = &mut self.evaluator.workspace;
            let semantics: Vec<SemanticsRef<'_>> = ids.iter().map(|&id| fragments.semantics(id, workspace)).collect();
            let parts = ids.iter().zip(&semantics).map(|(&id, semantics)| BodyPart::of(id, semantics));
            work(self, &Alternatives::of(parts.collect()));
            semantics.into_iter().for_each(|semantics| self.evaluator.workspace.give_back(semantics));
        }
    }

    /// Calls `work` with a fragment as a part.
    pub(super) fn with<T>(&mut self, id: Id, work: impl FnOnce(&mut Self, BodyPart<'_>) -> T) -> T {
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
            self.evaluator.with(id, |evaluator, part| evaluator.try_body(of_prefix, &[part]));
        }
    }

    /// Tries loops around a body of so many tokens: at the end of a prefix, and in a body between a head and a rest,
    /// except what is known to be refuted.
    fn try_loops<const K: usize>(&mut self, inner: &[BodyPart<'_>; K], tokens: usize, known: KnownRefuted<'_>) {
        let context = self.context();
        let Some(left) = context.longest().checked_sub(tokens + 1) else { return };
        if self.evaluator.is_over() {
            return;
        }
        for of_prefix in 0..left {
            for prefix in &context.prefixes[of_prefix] {
                self.end_prefix_with_loop(prefix, inner, of_prefix + tokens + 1);
            }
        }
        let open = self.open_counts.open(inner);
        let mut refuted = Vec::with_capacity(left);
        for of_prefix in 0..left {
            let mut verdicts = Verdicts { refuted: known.behind(of_prefix), passed: 0 };
            let beside = left - of_prefix;
            self.refuted_pairs.clear();
            for of_head in 1..beside {
                for head in context.fragments.level(of_head) {
                    for rest in context.fragments.level(beside - of_head) {
                        self.try_between(of_prefix, [head, rest], inner, open, &mut verdicts);
                    }
                }
            }
            for id in context.fragments.level(beside) {
                self.try_beside(of_prefix, id, inner, open, &mut verdicts);
            }
            refuted.push(verdicts.refuted);
        }
        // In a loop around this loop stands something beside this loop, and something beside the loop around.
        let beside = left.saturating_sub(2);
        if beside > 0 {
            self.each_count(inner, |search, repeated| search.try_in_loop(repeated, tokens + 1, beside, &refuted));
        }
    }

    /// Whether all of these fragments are powers of one generator, which marks too little beside a loop behind prefixes
    /// of so many tokens.
    fn are_refuted_powers<const K: usize>(
        &mut self,
        of_prefix: usize,
        ids: &[Id],
        inner: &[BodyPart<'_>; K],
        verdicts: &mut Verdicts,
    ) -> bool {
        let context = self.context();
        let Some(generator) = self.common_generator(ids) else { return false };
        let bit = bit(generator);
        // A generator of two tokens is refuted alone, which is more exact.
        let is_alone = ids == [generator] && context.fragments.tokens(generator) > 1;
        if bit & (verdicts.refuted | verdicts.passed) != 0 || is_alone {
            return bit & verdicts.refuted != 0;
        }
        let prefixes = &context.prefixes[of_prefix];
        let is_refuted = !self.refuter.may_mark_with_powers(&mut self.evaluator, prefixes, generator, inner);
        let verdict = if is_refuted { &mut verdicts.refuted } else { &mut verdicts.passed };
        *verdict |= bit;
        is_refuted
    }

    /// The generator of all of these fragments, if they have the same one and it has a bit.
    fn common_generator(&self, ids: &[Id]) -> Option<Id> {
        let context = self.context();
        let mut generators = ids.iter().map(|&id| context.generator(id));
        let first = generators.next().flatten().filter(|&first| bit(first) != 0)?;
        generators.all(|other| other == Some(first)).then_some(first)
    }

    /// Tries a loop between a head and a rest behind prefixes of so many tokens, unless that is refuted.
    fn try_between<const K: usize>(
        &mut self,
        of_prefix: usize,
        ids: [Id; 2],
        inner: &[BodyPart<'_>; K],
        open: OpenLoop<'_>,
        verdicts: &mut Verdicts,
    ) {
        if !self.are_refuted_powers(of_prefix, &ids, inner, verdicts) {
            let context = self.context();
            let semantics = ids.map(|id| context.fragments.semantics(id, &mut self.evaluator.workspace));
            let [head, rest] = [0, 1].map(|at| BodyPart::of(ids[at], &semantics[at]));
            let passes = self.refuter.may_mark::<false, _, _>(
                &context.fragments.starts,
                &context.prefixes[of_prefix],
                &[rest, head],
                inner,
            );
            if passes {
                self.try_open(of_prefix, open, &Siblings::Around([head], [rest]));
            }
            semantics.into_iter().for_each(|semantics| self.evaluator.workspace.give_back(semantics));
            if passes {
                return;
            }
        }
        self.refuted_pairs.push(ids);
    }

    /// Tries a loop before and behind a fragment behind prefixes of so many tokens, unless that is refuted.
    fn try_beside<const K: usize>(
        &mut self,
        of_prefix: usize,
        id: Id,
        inner: &[BodyPart<'_>; K],
        open: OpenLoop<'_>,
        verdicts: &mut Verdicts,
    ) {
        let context = self.context();
        // In an endless loop the end of the fragment as a head, and its beginning as a rest, do the same.
        let is_of_pair = |[first, rest]: [Id; 2]| self.refuted_pairs.contains(&[rest, first]);
        if context.halves(id).is_some_and(is_of_pair) || self.are_refuted_powers(of_prefix, &[id], inner, verdicts) {
            return;
        }
        self.with(id, |search, part| {
            let starts = &context.fragments.starts;
            if search.refuter.may_mark::<false, _, _>(starts, &context.prefixes[of_prefix], &[part], inner) {
                search.try_open(of_prefix, open, &Siblings::Behind([part]));
                search.try_open(of_prefix, open, &Siblings::Before([part]));
            }
        });
    }

    /// Tries a loop with each of its counts and these siblings behind prefixes of so many tokens.
    pub(super) fn try_open(&mut self, of_prefix: usize, open: OpenLoop<'_>, siblings: &Siblings<'_>) {
        self.open_counts.try_open(&mut self.evaluator, of_prefix, open, siblings);
    }

    /// Calls `work` with a loop around a body, for each of its counts, until the search is to stop.
    pub(super) fn each_count(&mut self, body: &[BodyPart<'_>], mut work: impl FnMut(&mut Self, BodyPart<'_>)) {
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
            || monitor.stopped().is_some(),
            |semantics, count| {
                work(self, BodyPart { kind: BodyPartKind::Loop { body, count }, semantics });
            },
        );
        if ended.is_none() {
            // Notes that the block is interrupted.
            self.evaluator.is_over();
        }
        [semantics, endless, buffer].into_iter().for_each(|buffer| self.evaluator.workspace.give(buffer));
    }

    /// Tries a loop of so many tokens in another loop, with up to `beside` tokens beside it. A generator that is
    /// `refuted` beside the inner loop, whatever the counts are, is refuted beside the outer loop too, if nothing else
    /// stands in the outer loop.
    fn try_in_loop(&mut self, inner: BodyPart<'_>, tokens: usize, beside: usize, refuted: &[u64]) {
        let fragments = self.context().fragments;
        for of_one in 1..=beside {
            for one in fragments.level(of_one) {
                let known = |search: &Self, ids: &[Id]| KnownRefuted {
                    refuted,
                    of: search.common_generator(ids).map_or(0, bit),
                };
                let of_one_alone = known(self, &[one]);
                self.with(one, |search, part| {
                    search.try_loops(&[part, inner], tokens + of_one, of_one_alone);
                    search.try_loops(&[inner, part], tokens + of_one, of_one_alone);
                    for of_rest in 1..=beside - of_one {
                        for rest in fragments.level(of_rest) {
                            let of_both = known(search, &[one, rest]);
                            search.with(rest, |search, rest| {
                                search.try_loops(&[part, inner, rest], tokens + of_one + of_rest, of_both);
                            });
                        }
                    }
                });
            }
        }
    }

    /// Keeps the prefixes of so many tokens that are a shorter prefix and a loop around a body.
    fn end_prefix_with_loop<const K: usize>(&mut self, prefix: &Prefix, inner: &[BodyPart<'_>; K], tokens: usize) {
        if !self.evaluator.leaves_at_most(self.context().most_missing(tokens), prefix, inner) {
            return;
        }
        let whole = self.evaluator.whole(inner);
        let covers_all = self.keep_prefixes(prefix, inner, &whole, tokens);
        self.evaluator.findings.truncated |= !covers_all;
        self.evaluator.give_back(whole);
    }

    /// Keeps these prefixes for each count of the loop that leaves few enough goals. Returns `false` where there are
    /// more counts than are tried.
    fn keep_prefixes(
        &mut self,
        prefix: &Prefix,
        inner: &[BodyPart<'_>],
        whole: &[WholePart<'_>],
        tokens: usize,
    ) -> bool {
        let most = self.context().most_missing(tokens);
        let starts = &self.context().fragments.starts;
        let (mut states, mut missing, mut unsettled) = (prefix.states.clone(), prefix.missing.clone(), Vec::new());
        starts.unsettled(&missing, &mut unsettled);
        self.visits.restart();
        let mut left = u32::MAX;
        for times in 1..=MAX_COUNT {
            for &start in &unsettled {
                states[start] = run(whole, states[start], &mut missing);
            }
            let now = count(&missing);
            if now < left {
                left = now;
                starts.settle(&mut states, &missing);
                starts.unsettled(&missing, &mut unsettled);
                self.visits.restart();
                self.visits.visit(&unsettled, &states);
            } else if !self.visits.visit(&unsettled, &states) {
                return true;
            }
            if !starts.allow_all(&missing, most) {
                if self.visits.each_repeats(unsettled.len()) {
                    // Nothing new is marked.
                    return true;
                }
            } else if times > 1 {
                let mut codes = prefix.codes.clone();
                codes.push(self.context().fragments.codes.of_loop(times));
                self.evaluator.write(inner, &mut codes);
                codes.push(0);
                let prefix = Prefix { states: states.clone(), tuple: 0, missing: missing.clone(), codes };
                self.evaluator.findings.prefixes.push((tokens, prefix));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::chunks_of_levels;
    use super::super::nests::{MOST_OF_CORE, NestGoal, find_nest};
    use super::*;
    use crate::engine::synthesis::tests::{Stopping, Table, bank_of};
    use crate::runtime::{Limits, Monitor, Silent, StopReason, StopToken};
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

    /// A stop ends a block of loops, and a block of cores, soon: after a tenth of the work, less than half is done.
    #[test]
    fn blocks_are_interrupted_soon() {
        const MANY: u64 = 1 << 40;
        let table = Table::turning(&mut ChaCha8Rng::seed_from_u64(73), 6).without_solution();
        for seeks in [false, true] {
            let work = |stops_behind: u64| {
                let stop = StopToken::new();
                let machine = Stopping { machine: &table, stop: &stop, left: AtomicU64::new(MANY) };
                let monitor = Monitor::new(Limits::default(), &Silent, &stop);
                let workers = Workers::new(1, &monitor);
                let bank = bank_of(&machine, 3, 0, &workers);
                if seeks {
                    machine.left.store(stops_behind, Relaxed);
                    let goal =
                        NestGoal { most_of_core: MOST_OF_CORE, tokens: 6, depth: 3, cores: 1..=1, is_marking: false };
                    _ = find_nest(bank.fragments(), goal, &workers);
                } else {
                    let mut context = SizeContext::new(bank.fragments(), &monitor, 6, 3);
                    (0..=3).for_each(|size| context.add_prefixes(size, &workers).expect("prefixes"));
                    machine.left.store(stops_behind, Relaxed);
                    let ids = bank.fragments().level(2);
                    let blocks = [Block { kind: Kind::Loops, ids }];
                    BodySearch::run_blocks(&context, &blocks, &workers, |search, block| search.try_block(block));
                }
                stops_behind.wrapping_sub(machine.left.load(Relaxed))
            };
            let all = work(MANY);
            let stopped = work(all / 10);
            assert!(all / 10 < stopped && stopped < all / 2, "{stopped} of {all} steps");
        }
    }
}
