//! The test whether a program of so many tokens marks every goal.
//!
//! A program ends with a loop, which may as well be endless, or with an instruction that marks the last goal. So one of `t` tokens, two or
//! more, is
//!
//! * a *prefix* of `p` tokens and an endless loop around a *body* of `t - 1 - p` tokens,
//! * a prefix, a loop that leaves one goal after some repetition, and an instruction: found where bodies are tried for `t - 1` tokens, and
//!   handed on, or
//! * a prefix of `t - 2` tokens and two instructions.
//!
//! **Bodies** need not be stored: those of some tokens more than the highest level has are put together while they are tried
//! ([`bodies`]), mostly many of them at once ([`together`]).
//!
//! **Nests** are few bodies among all of these, and mostly what solves large boards: [`nests`] tries them alone, before a size is tested.
//!
//! **Prefixes** that leave more goals than any program of the remaining tokens marks are dropped.
//!
//! **Which program** is found does not depend on the number of threads: it is the smallest one in lexical order (a closing brace before `F`, `L`,
//! `R` and loops; counts at the very end). All of a size are tried for that. Where any is enough it is the one that was handed on, or the smallest
//! of those in the first batch of bodies that has one, and nothing behind that is tried.

mod bodies;
mod closure;
mod counts;
mod hand;
mod nests;
mod together;

use super::behaviour::{Behaviour, Shape};
use super::levels::{Bench, Id, Levels, Recipe};
use super::order;
use super::prefix::{Prefix, distinct};
use super::share::Workers;
use crate::domain::Machine;
use crate::runtime::{Event, Monitor, Stage};
use closure::Rounds;
use hand::Hand;
use nests::Nests;
pub(super) use nests::Sought;
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use together::Choice;

/// Up to here every body is stored: levels are small.
pub(super) const ALL_STORED: usize = 5;

/// Tokens that a body may have beyond the highest level. Each of them saves the making of a level, and has more bodies tried that do what
/// another one does.
pub(super) const BEYOND: usize = 4;

/// Up to here repetitions of an instruction are compared with others: three turns make one the other way.
const HIGHEST_POWER: usize = 8;

/// Fragments of a level that loops which are stored nowhere are made of together: few enough to stay in the cache closest to a core.
const BLOCK: usize = 8;

/// Blocks between two looks at what else there is to do, and at what was found.
pub(super) const BATCH: usize = 1 << 6;

/// The highest level that a test of so many tokens needs, when every body is stored for tests of up to `all_stored`, at least two, and others may
/// have so many tokens `beyond` it. It has no fewer tokens than they have beyond it.
pub(super) fn depth(tokens: usize, all_stored: usize, beyond: usize) -> usize {
    let longest = tokens.saturating_sub(1);
    longest.saturating_sub(beyond).max(all_stored - 1).max(longest.div_ceil(2)).min(longest)
}

/// Bytes that a thread works with: of up to three choices that are open at a time, all behaviours that are made, and steps of all, of the loops and of
/// the others.
pub(super) fn bytes_of_thread(shape: Shape) -> u64 {
    8 * Choice::MOST as u64 * shape.in_short().bytes()
}

/// What a test finds; programs are codes of [`crate::board::Program`].
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Found {
    /// The smallest program of this size.
    pub(super) program: Option<Vec<u16>>,
    /// The smallest one of one token more that ends with an instruction behind a loop.
    pub(super) next: Option<Vec<u16>>,
    /// Bodies tried.
    pub(super) tried: u64,
    /// Whether a loop has more counts than are tried.
    pub(super) left_out: bool,
    /// Prefixes that end with a loop which is stored nowhere, with their tokens.
    prefixes: Vec<(usize, Prefix)>,
}

impl Found {
    fn absorb(&mut self, other: Self) {
        keep_smaller(&mut self.program, other.program);
        keep_smaller(&mut self.next, other.next);
        self.tried += other.tried;
        self.left_out |= other.left_out;
        self.prefixes.extend(other.prefixes);
    }
}

/// What is tested.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) tokens: usize,
    /// The highest level that is used; see [`depth`].
    pub(super) depth: usize,
    /// Blocks of fragments that are tried to their end, whatever is found: so the same is found on any number of threads.
    pub(super) batch: usize,
    /// Whether any program is enough, and not only the smallest in lexical order.
    pub(super) is_any_enough: bool,
}

/// How far a test is.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Testing {
    /// Blocks of fragments that are done.
    blocks: u64,
    /// What they gave.
    pub(super) found: Found,
}

/// Keeps the smaller program in lexical order.
pub(super) fn keep_smaller(held: &mut Option<Vec<u16>>, other: Option<Vec<u16>>) {
    if let Some(other) = other
        && held.as_ref().is_none_or(|held| order(&other, held).is_lt())
    {
        *held = Some(other);
    }
}

/// What is tried with a block of fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Loops around them, and loops around these: solutions are mostly found there, so these are tried first, and they are few.
    Around,
    /// Loops around longer bodies.
    AroundLonger,
    /// All other bodies.
    Other,
}

/// Fragments that are tried together.
#[derive(Clone, Debug)]
struct Block {
    kind: Kind,
    ids: Range<Id>,
}

/// The fragments of some levels, `most` together.
fn blocks<M: Machine>(
    levels: &Levels<'_, M>,
    sizes: RangeInclusive<usize>,
    most: usize,
) -> impl Iterator<Item = Range<Id>> {
    let of_level = move |Range { start, end }: Range<Id>| {
        (start..end).step_by(most).map(move |first| first..end.min(first + most as Id))
    };
    sizes.flat_map(move |size| of_level(levels.level(size)))
}

/// All blocks of a test, in the order in which they are tried. There may be as many as fragments fill memory, so they are made when their turn comes.
struct Blocks {
    /// Fragments of one level each, those that are tried first first.
    spans: Vec<Span>,
}

/// Fragments of a level that are tried in the same way.
struct Span {
    kind: Kind,
    ids: Range<Id>,
    /// Fragments of a block.
    most: Id,
    /// Whether the last ones are tried first.
    is_backwards: bool,
}

impl Span {
    fn len(&self) -> usize {
        self.ids.len().div_ceil(self.most as usize)
    }

    fn block(&self, number: usize) -> Block {
        let number = if self.is_backwards { self.len() - 1 - number } else { number };
        let start = self.ids.start + number as Id * self.most;
        Block { kind: self.kind, ids: start..self.ids.end.min(start + self.most) }
    }
}

impl Blocks {
    /// Those of a test with levels up to `depth`, of bodies that have so many tokens beyond it.
    fn of<M: Machine>(levels: &Levels<'_, M>, depth: usize, beyond: usize) -> Self {
        let span = |kind, size| {
            let most = if kind == Kind::Other { Choice::MOST } else { BLOCK } as Id;
            Span { kind, ids: levels.level(size), most, is_backwards: kind != Kind::Other }
        };
        let mut spans = Vec::new();
        if beyond > 1 {
            // Backwards: in most solutions the large loop is around another large one, and those stand last in a level.
            spans.push(span(Kind::Around, depth));
            spans.extend((1..=depth).rev().map(|size| span(Kind::AroundLonger, size)));
        }
        spans.extend((1..=depth).map(|size| span(Kind::Other, size)));
        Self { spans }
    }

    /// How many fragments so many blocks have, the first ones; each is counted as often as it is in one.
    fn fragments(&self, mut blocks: usize) -> u64 {
        let mut all = 0;
        for span in &self.spans {
            let of_span = blocks.min(span.len());
            blocks -= of_span;
            // One block may have fewer than the others: the last one, which may come first.
            let missing = span.len() as u64 * u64::from(span.most) - span.ids.len() as u64;
            let has_smaller = if span.is_backwards { of_span > 0 } else { of_span == span.len() };
            all += of_span as u64 * u64::from(span.most) - if has_smaller { missing } else { 0 };
        }
        all
    }

    /// What is left of a batch when so many blocks were tried; none when all were.
    fn rest_of_batch(&self, tried: usize, batch: usize) -> Vec<Block> {
        let (mut begin, mut rest) = (0, Vec::new());
        let wanted = tried..(tried / batch + 1) * batch;
        for span in &self.spans {
            let end = begin + span.len();
            let numbers = wanted.start.max(begin)..wanted.end.min(end);
            rest.extend(numbers.map(|number| span.block(number - begin)));
            begin = end;
        }
        rest
    }
}

/// Of each fragment of fewer than `tokens` tokens one of one or two that does the same when it is repeated, if there is one.
fn generators<M: Machine>(levels: &Levels<'_, M>, tokens: usize) -> Vec<Option<Id>> {
    let mut bench = Bench::new(levels.shape);
    let mut made = Behaviour::nothing(levels.shape);
    let mut generators: Vec<Option<Id>> = vec![None; levels.level(1).end as usize];
    for id in levels.level(1) {
        if generators[id as usize].is_some() {
            continue;
        }
        generators[id as usize] = Some(id);
        let does = levels.behaviour(id, &mut bench);
        made.copy_from(&does);
        for _ in 1..HIGHEST_POWER {
            made.append(&does);
            let power = (id + 1..levels.level(1).end).find(|&id| *levels.behaviour(id, &mut bench) == made);
            power.into_iter().for_each(|power| generators[power as usize] = Some(id));
        }
        does.give_back(&mut bench);
    }
    for id in (2..tokens).flat_map(|size| levels.level(size)) {
        let generator = match levels.recipe(id) {
            Recipe::Sequence { first, rest } => {
                let common =
                    generators[first as usize].filter(|_| generators[first as usize] == generators[rest as usize]);
                common.or((levels.tokens(id) == 2).then_some(id))
            }
            Recipe::Loop { body, .. } => generators[body as usize],
            _ => None,
        };
        generators.push(generator);
    }
    generators
}

/// Of each fragment of fewer than `tokens` tokens the two that it is a sequence of, if it is one.
fn sequences<M: Machine>(levels: &Levels<'_, M>, tokens: usize) -> Vec<Option<[Id; 2]>> {
    let end = levels.level(tokens.saturating_sub(1)).end;
    let parts = |id| match levels.recipe(id) {
        Recipe::Sequence { first, rest } => Some([first, rest]),
        _ => None,
    };
    (0..end).map(parts).collect()
}

/// The test of one size.
pub(super) struct Test<'a, 'm, M> {
    levels: &'a Levels<'m, M>,
    monitor: &'a Monitor<'a>,
    tokens: usize,
    /// The highest level that is used.
    depth: usize,
    /// Tokens that bodies have beyond it.
    beyond: usize,
    /// By their tokens.
    prefixes: Vec<Vec<Prefix>>,
    /// See [`generators`].
    generators: Vec<Option<Id>>,
    /// See [`sequences`].
    sequences: Vec<Option<[Id; 2]>>,
    /// Of each instruction, by its number as a fragment.
    rounds: Vec<Option<Rounds>>,
    /// What nests are made of, where these alone are tried.
    nests: Option<Nests>,
    /// The smallest program of this size so far: only smaller ones are tried.
    best: Mutex<Option<Vec<u16>>>,
    /// How often it has changed.
    changes: AtomicU64,
}

impl<'a, 'm, M: Machine> Test<'a, 'm, M> {
    /// Of programs of so many tokens, with levels up to `depth`, of which one is known or none.
    fn new(
        levels: &'a Levels<'m, M>,
        monitor: &'a Monitor<'a>,
        tokens: usize,
        depth: usize,
        known: Option<Vec<u16>>,
    ) -> Self {
        let (prefixes, generators, sequences, nests) = (Vec::new(), Vec::new(), Vec::new(), None);
        let mut bench = Bench::new(levels.shape.in_short());
        let rounds_of = |id| Rounds::of(&levels.behaviour(id, &mut bench));
        let rounds = (0..levels.level(1).end).map(rounds_of).collect();
        let (beyond, best, changes) = (tokens - 1 - depth, Mutex::new(known), AtomicU64::new(1));
        Self { levels, monitor, tokens, depth, beyond, prefixes, generators, sequences, rounds, nests, best, changes }
    }

    /// Instructions that no other one is a generator of.
    fn own_generators(&self) -> impl Iterator<Item = Id> {
        self.levels.level(1).filter(|&id| self.generator(id) == Some(id))
    }

    /// Tries all programs of a task's tokens, two or more, or some until one is enough, from where `testing` is, and calls `between` from time to
    /// time. `None` when the search is to stop.
    pub(super) fn run(
        levels: &'a Levels<'m, M>,
        Task { tokens, depth, batch, is_any_enough }: Task,
        workers: &'a Workers<'a>,
        testing: &mut Testing,
        mut between: impl FnMut(&Testing),
    ) -> Option<Found> {
        let mut test = Self::new(levels, workers.monitor, tokens, depth, testing.found.program.clone());
        let beyond = test.beyond;
        (test.generators, test.sequences) = (generators(levels, beyond), sequences(levels, beyond));
        for size in 0..=depth.min(tokens - 2) {
            test.begin_with(size, workers)?;
        }
        let all = Blocks::of(levels, depth, beyond);
        let total = all.fragments(usize::MAX);
        loop {
            let batch = all.rest_of_batch(testing.blocks as usize, batch);
            if batch.is_empty() {
                break;
            }
            let (found, tried) = test.try_all(&batch, workers, |hand, block| hand.try_block(block));
            testing.found.absorb(found);
            testing.found.program.clone_from(&test.best());
            testing.blocks += tried as u64;
            if tried < batch.len() {
                return None;
            }
            let done = all.fragments(testing.blocks as usize);
            workers.monitor.tell(&Event::Stage { stage: Stage::Programs(tokens), done, total });
            if is_any_enough && testing.found.program.is_some() {
                return Some(testing.found.clone());
            }
            between(testing);
        }
        let mut found = testing.found.clone();
        let with_loops = std::mem::take(&mut found.prefixes);
        for size in depth + 1..=tokens - 2 {
            let of_size = with_loops.iter().filter(|(tokens, _)| *tokens == size);
            test.begin_longer(size, of_size.map(|(_, prefix)| prefix.clone()).collect());
        }
        // Their prefixes have more tokens than the highest level.
        let short: Vec<Range<Id>> = blocks(levels, 1..=beyond.saturating_sub(1), BLOCK).collect();
        let (of_short, tried) = test.try_all(&short, workers, |hand, block| hand.try_stored(block));
        if tried < short.len() {
            return None;
        }
        found.absorb(of_short);
        found.absorb(test.two_instructions());
        keep_smaller(&mut found.program, test.best().clone());
        Some(found)
    }

    /// Tokens of the longest body.
    fn longest(&self) -> usize {
        self.depth + self.beyond
    }

    /// What does the same as a fragment when it is repeated; see [`generators`].
    fn generator(&self, id: Id) -> Option<Id> {
        self.generators.get(id as usize).copied().flatten()
    }

    /// The most goals that a prefix may leave: those that the remaining tokens mark, and one more for an instruction behind them.
    fn most_missing(&self, size: usize) -> u32 {
        self.levels.most_marks(self.tokens - size).saturating_add(1)
    }

    /// Prefixes that are one fragment.
    fn begin_with(&mut self, size: usize, workers: &Workers<'_>) -> Option<()> {
        /// Fragments that a thread takes at a time.
        const TOGETHER: usize = 256;
        let (levels, most) = (self.levels, self.most_missing(size));
        let start = Prefix::nothing(levels);
        let of_block = |(): &mut (), ids: &Range<Id>| -> Vec<Prefix> {
            ids.clone().filter_map(|id| start.then(levels, id, most)).collect()
        };
        let all: Vec<Range<Id>> = blocks(levels, size..=size, TOGETHER).collect();
        let prefixes = workers.each(&all, 1, || (), of_block)?;
        self.prefixes.push(distinct(prefixes.into_iter().flatten().collect()));
        Some(())
    }

    /// Prefixes of more tokens than the highest level has: these, which end with a loop that is stored nowhere, and shorter ones with an
    /// atom behind them.
    fn begin_longer(&mut self, size: usize, mut prefixes: Vec<Prefix>) {
        let most = self.most_missing(size);
        for of_atom in 1..=self.depth {
            for atom in self.atoms(of_atom) {
                let shorter = self.prefixes[size - of_atom].iter();
                prefixes.extend(shorter.filter_map(|prefix| prefix.then(self.levels, atom, most)));
            }
        }
        self.prefixes.push(distinct(prefixes));
    }

    /// Fragments of a level that are no sequences.
    fn atoms(&self, tokens: usize) -> impl Iterator<Item = Id> {
        self.levels.level(tokens).filter(move |&id| tokens == 1 || self.levels.is_loop(id))
    }

    /// Tries what `work` does with each of these blocks, or with the first of them when the search is to stop; tells how many these are. A block
    /// that is not tried to its end then counts for nothing, nor does what comes behind it.
    fn try_all<T: Sync>(
        &self,
        blocks: &[T],
        workers: &Workers<'_>,
        work: impl Fn(&mut Hand<'_, 'm, M>, &T) + Sync,
    ) -> (Found, usize) {
        let gauges = &workers.monitor.gauges;
        let found = workers.as_many(
            blocks,
            1,
            || Hand::new(self),
            |hand, block| {
                let found = hand.do_with_best(|hand| work(hand, block))?;
                gauges.expanded.fetch_add(found.tried, Relaxed);
                Some(found)
            },
        );
        let (mut all, mut tried) = (Found::default(), 0);
        for found in found.into_iter().map_while(|found| found) {
            all.absorb(found);
            tried += 1;
        }
        (all, tried)
    }

    fn best(&self) -> MutexGuard<'_, Option<Vec<u16>>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a program if it is smaller than the one held.
    fn offer(&self, program: Vec<u16>) {
        keep_smaller(&mut self.best(), Some(program));
        self.changes.fetch_add(1, Relaxed);
    }

    /// Two instructions behind a prefix.
    fn two_instructions(&self) -> Found {
        let mut found = Found::default();
        for prefix in &self.prefixes[self.tokens - 2] {
            for first in self.levels.level(1) {
                let Some(longer) = prefix.then(self.levels, first, 1) else { continue };
                for second in self.levels.level(1) {
                    let done = longer.then(self.levels, second, 0);
                    keep_smaller(&mut found.program, done.map(|program| program.codes));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::synthesis::tests::{Stopping, Table, levels_of};
    use crate::runtime::{Limits, Silent, StopReason, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use std::cell::Cell;

    /// Who is told to stop in the midst of a block does not do all of it, and what was done of it counts for nothing; who is asked to meet for
    /// a checkpoint does.
    #[test]
    fn blocks_that_are_broken_off_count_for_nothing() {
        let machine = Table::turning(&mut ChaCha8Rng::seed_from_u64(72), 6);
        let observed = |stops: bool, pauses: bool| {
            let stop = StopToken::new();
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
            let levels = levels_of(&machine, 3, u64::MAX, &workers);
            let mut test = Test::new(&levels, &monitor, 6, 3, None);
            (0..=3).for_each(|size| test.begin_with(size, &workers).expect("prefixes"));
            let all: Vec<Block> = blocks(&levels, 3..=3, 2)
                .flat_map(|ids| [Kind::Around, Kind::Other].map(|kind| Block { kind, ids: ids.clone() }))
                .take(6)
                .collect();
            let begun = AtomicU64::new(0);
            let (found, tried) = test.try_all(&all, &workers, |hand, block| {
                if begun.fetch_add(1, Relaxed) == 3 {
                    if stops {
                        stop.stop(StopReason::Interrupted);
                    }
                    if pauses {
                        monitor.pause();
                    }
                }
                hand.try_block(block);
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

    /// Who is told to stop in the midst of one block of loops, or of one of cores, leaves off soon: when a tenth of it is done, less than half is.
    #[test]
    fn blocks_are_broken_off_soon() {
        const MANY: u64 = 1 << 40;
        let table = Table::turning(&mut ChaCha8Rng::seed_from_u64(73), 6);
        for seeks in [false, true] {
            let work = |stops_behind: u64| {
                let stop = StopToken::new();
                let machine = Stopping { machine: &table, stop: &stop, left: AtomicU64::new(MANY) };
                let monitor = Monitor::new(Limits::default(), &Silent, &stop);
                let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
                let levels = levels_of(&machine, 3, 0, &workers);
                if seeks {
                    machine.left.store(stops_behind, Relaxed);
                    let sought = Sought { tokens: 6, depth: 3, cores: 1..=1, is_marking: false };
                    _ = Test::seek(&levels, sought, &workers);
                } else {
                    let mut test = Test::new(&levels, &monitor, 6, 3, None);
                    (0..=3).for_each(|size| test.begin_with(size, &workers).expect("prefixes"));
                    machine.left.store(stops_behind, Relaxed);
                    let ids = levels.level(2);
                    test.try_all(&[Block { kind: Kind::Around, ids }], &workers, |hand, block| hand.try_block(block));
                }
                stops_behind.wrapping_sub(machine.left.load(Relaxed))
            };
            let all = work(MANY);
            let stopped = work(all / 10);
            assert!(all / 10 < stopped && stopped < all / 2, "{stopped} of {all} steps");
        }
    }

    /// Whoever stops in the midst of a batch goes on to its end, not to that of another one.
    #[test]
    fn batches_end_where_they_do() {
        let of = |kind, ids, is_backwards| Span { kind, ids, most: 2, is_backwards };
        let all = Blocks {
            spans: vec![
                of(Kind::Around, 5..12, true),
                of(Kind::AroundLonger, 12..12, true),
                of(Kind::Other, 1..12, false),
            ],
        };
        let order: Vec<Id> =
            (0..10).step_by(4).flat_map(|tried| all.rest_of_batch(tried, 4)).map(|block| block.ids.start).collect();
        assert_eq!(order, [11, 9, 7, 5, 1, 3, 5, 7, 9, 11]);
        let left = |tried| all.rest_of_batch(tried, 4).len();
        assert_eq!([0, 1, 3, 4, 7, 8, 9, 10, 11, 13].map(left), [4, 3, 1, 4, 1, 2, 1, 0, 0, 0]);
        let fragments = [0, 1, 2, 4, 5, 9, 10, 11].map(|tried| all.fragments(tried));
        assert_eq!(fragments, [0, 1, 3, 7, 9, 17, 18, 18]);
        let ends = all.rest_of_batch(0, 100).into_iter().map(|block| block.ids.end);
        assert_eq!(ends.collect::<Vec<_>>(), [12, 11, 9, 7, 3, 5, 7, 9, 11, 12]);
    }
}
