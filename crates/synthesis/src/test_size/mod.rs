//! The test of one size: whether a program of this number of tokens marks every goal.
//!
//! A program ends with a loop, which may as well be endless, or with an instruction that marks the last goal. So a
//! program of `t` tokens, two or more, is
//!
//! * a *prefix* of `p` tokens and an endless loop around a *body* of `t - 1 - p` tokens,
//! * a prefix, a loop that leaves one goal after some repetition, and an instruction (such a program is found when
//!   bodies are tried for `t - 1` tokens, and handed on to the next size), or
//! * a prefix of `t - 2` tokens and two instructions.
//!
//! **Bodies** need not be in the bank: bodies of some tokens more than the highest level are enumerated ([`bodies`]).
//! A loop that is refuted for all counts is not tried ([`refute`]).
//!
//! **Prefixes** that leave more goals than any program of the remaining tokens marks are dropped.
//!
//! **The program** that is found does not depend on the number of threads: it is the first one in the order of
//! [`blocks`].

mod blocks;
mod bodies;
mod body_part;
mod context;
mod evaluator;
mod findings;
mod prefix;
mod refute;

pub(crate) use findings::Findings;

use crate::bank::{Fragments, Id};
use crate::semantics::SemanticsSize;
use blocks::Blocks;
use bodies::BodySearch;
use body_part::Alternatives;
use context::{SizeContext, chunks_of_levels};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Event, Stage, Stopped};
use std::ops::Range;

/// Up to this size every body is in the bank, because the levels are small.
pub(crate) const ALL_STORED: usize = 5;

/// Tokens that a body may have beyond the highest level. Each of these tokens saves a level of the bank, but more
/// equivalent bodies are tried.
pub(crate) const BEYOND: usize = 4;

/// Blocks of a batch. Between two batches checkpoints are taken.
pub(crate) const BATCH: usize = 1 << 6;

/// The highest level that a test of `tokens` tokens needs. For tests of up to `all_stored` tokens, at least two, the
/// bank has every body. In other tests, bodies may have `beyond` tokens more than the level, but at most twice as many
/// tokens as the level.
pub(crate) fn depth(tokens: usize, all_stored: usize, beyond: usize) -> usize {
    let longest = tokens.saturating_sub(1);
    longest.saturating_sub(beyond).max(all_stored - 1).max(longest.div_ceil(2)).min(longest)
}

/// The number of bytes that a thread works with: up to three [`Alternatives`] are open at a time, with the semantics of
/// all their fragments.
pub(crate) fn bytes_of_thread(shape: SemanticsSize) -> u64 {
    4 * Alternatives::MOST as u64 * shape.projected().bytes()
}

/// The parameters of a test.
#[derive(Clone, Copy)]
pub(crate) struct SizeTest {
    /// Tokens of the programs, at least two.
    pub(crate) tokens: usize,
    /// The highest level that is used; see [`depth`].
    pub(crate) depth: usize,
    /// Blocks of a batch.
    pub(crate) batch: usize,
}

/// The progress of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SizeProgress {
    /// Blocks that are done.
    blocks: u64,
    /// The findings of these blocks.
    pub(crate) findings: Findings,
}

impl SizeProgress {
    /// Whether the prefixes are those of a machine with these fragments.
    pub(crate) fn is_sound(&self, fragments: &Fragments<'_>) -> bool {
        self.findings.prefixes.iter().all(|(_, prefix)| prefix.is_sound(fragments))
    }
}

impl SizeTest {
    /// Tries the programs of this size, from the position of `progress` on, until one marks every goal. Calls `between`
    /// after each batch.
    pub(crate) fn run(
        self,
        fragments: &Fragments<'_>,
        workers: &Workers<'_>,
        progress: &mut SizeProgress,
        mut between: impl FnMut(&SizeProgress),
    ) -> Result<Findings, Stopped> {
        let Self { tokens, depth, batch } = self;
        let mut context = SizeContext::new(fragments, workers.monitor, tokens, depth);
        let beyond = context.beyond();
        for size in 0..=depth.min(tokens - 2) {
            context.add_prefixes(size, workers)?;
        }
        let all = Blocks::of(fragments, depth, beyond);
        let total = all.fragments(usize::MAX);
        loop {
            let blocks = all.rest_of_batch(progress.blocks as usize, batch);
            if blocks.is_empty() {
                break;
            }
            let (findings, done) =
                BodySearch::run_blocks(&context, &blocks, workers, |search, block| search.try_block(block));
            progress.findings.append(findings);
            progress.blocks += done as u64;
            if progress.findings.program.is_some() {
                return Ok(progress.findings.clone());
            }
            if done < blocks.len() {
                return Err(Stopped);
            }
            let done = all.fragments(progress.blocks as usize);
            workers.monitor.send(&Event::Stage { stage: Stage::Programs(tokens), done, total });
            between(progress);
        }
        let mut findings = progress.findings.clone();
        let with_loops = std::mem::take(&mut findings.prefixes);
        for size in depth + 1..=tokens - 2 {
            let of_size = with_loops.iter().filter(|(tokens, _)| *tokens == size);
            context.add_longer_prefixes(size, of_size.map(|(_, prefix)| prefix.clone()).collect());
        }
        // Short bodies, whose prefixes have more tokens than the highest level.
        let short: Vec<Range<Id>> = chunks_of_levels(fragments, 1..=beyond.saturating_sub(1), blocks::LOOPS).collect();
        let (of_short, done) = BodySearch::run_blocks(&context, &short, workers, |search, ids| search.try_stored(ids));
        findings.append(of_short);
        if findings.program.is_none() && done < short.len() {
            return Err(Stopped);
        }
        findings.program = findings.program.or_else(|| two_instructions(&context));
        Ok(findings)
    }
}

/// The first program that is a prefix and two instructions.
fn two_instructions(context: &SizeContext<'_, '_>) -> Option<Vec<u16>> {
    let fragments = context.fragments;
    let last = |prefix: &prefix::Prefix| fragments.level(1).find_map(|last| prefix.then(fragments, last, 0));
    context.prefixes[context.tokens - 2].iter().find_map(|prefix| {
        let mut longer = fragments.level(1).filter_map(|first| prefix.then(fragments, first, 1));
        longer.find_map(|longer| last(&longer)).map(|program| program.codes)
    })
}
