//! The test of one size: whether a program of this number of tokens marks every goal.
//!
//! A program ends with a loop, which may also be endless, or with an instruction that marks the last goal. So a program
//! of `t` tokens, two or more, is
//!
//! * a *prefix* of `p` tokens and an endless loop around a *body* of `t - 1 - p` tokens,
//! * a prefix, a loop that leaves one goal unmarked, and an instruction (the test of `t - 1` tokens finds it), or
//! * a prefix of `t - 2` tokens and two instructions.
//!
//! **Bodies** may have some tokens more than the highest level of the bank ([`bodies`]). A loop that is refuted for all
//! counts is not tried ([`refute`]).
//!
//! **Prefixes** that leave more goals than any program of the remaining tokens marks are dropped.
//!
//! **Deterministic.** The program is the first one in the order of [`blocks`], on any number of threads.

mod blocks;
mod bodies;
mod body_part;
mod context;
mod evaluator;
mod findings;
mod prefix;
mod refute;

pub(crate) use findings::Findings;

use crate::bank::Fragments;
use crate::semantics::SemanticsShape;
use blocks::Blocks;
use bodies::BodySearch;
use body_part::Alternatives;
use context::{SizeContext, chunks_of_levels};
use gridhunt_search::engine::Workers;
use gridhunt_search::runtime::{Event, Stage, Stopped};

/// Up to this size every body is in the bank, because the levels are small.
pub(crate) const ALL_STORED_SIZE: usize = 5;

/// The largest number of tokens of a body beyond the highest level. Each extra token saves a level of the bank, but
/// more equivalent bodies are tried.
pub(crate) const MAX_EXTRA_TOKENS: usize = 4;

/// The number of blocks of a batch. Checkpoints are taken between batches.
pub(crate) const BATCH_SIZE: usize = 1 << 6;

/// The highest level that a test of `tokens` tokens needs. Up to `all_stored_size`, at least two, the bank has every
/// body. In other tests, bodies may have `max_extra_tokens` more tokens than the level, but at most twice as many.
pub(crate) fn depth(tokens: usize, all_stored_size: usize, max_extra_tokens: usize) -> usize {
    let longest = tokens.saturating_sub(1);
    longest.saturating_sub(max_extra_tokens).max(all_stored_size - 1).max(longest.div_ceil(2)).min(longest)
}

/// The memory of a thread in bytes: the semantics of up to three [`Alternatives`], and a reserve as large as one.
pub(crate) fn bytes_per_thread(shape: SemanticsShape) -> u64 {
    4 * Alternatives::MAX_LEN as u64 * shape.projected().bytes()
}

#[derive(Clone, Copy)]
pub(crate) struct SizeTest {
    /// The number of tokens of the programs, at least two.
    pub(crate) tokens: usize,
    /// The highest level in use; see [`depth`].
    pub(crate) depth: usize,
    pub(crate) batch_size: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SizeProgress {
    /// The number of finished blocks.
    blocks: u64,
    pub(crate) findings: Findings,
}

impl SizeProgress {
    /// Whether the prefixes are those of a machine with these fragments.
    pub(crate) fn is_sound(&self, fragments: &Fragments<'_>) -> bool {
        self.findings.prefixes.iter().all(|(_, prefix)| prefix.is_sound(fragments))
    }
}

impl SizeTest {
    /// Tries the programs of this size, starting at `progress`, until one marks every goal. Calls `after_batch` after
    /// each batch.
    pub(crate) fn run(
        self,
        fragments: &Fragments<'_>,
        workers: &Workers<'_>,
        progress: &mut SizeProgress,
        mut after_batch: impl FnMut(&SizeProgress),
    ) -> Result<Findings, Stopped> {
        let Self { tokens, depth, batch_size } = self;
        let mut context = SizeContext::new(fragments, workers.monitor, tokens, depth);
        let extra_tokens = context.extra_tokens();
        for size in 0..=depth.min(tokens - 2) {
            context.add_prefixes(size, workers)?;
        }
        let all = Blocks::of(fragments, depth, extra_tokens);
        let total = all.count_fragments(usize::MAX);
        loop {
            let blocks = all.rest_of_batch(progress.blocks as usize, batch_size);
            if blocks.is_empty() {
                break;
            }
            let (findings, done) = BodySearch::run_blocks(&context, &blocks, workers, BodySearch::try_block);
            progress.findings.append(findings);
            progress.blocks += done as u64;
            if progress.findings.program.is_some() {
                return Ok(progress.findings.clone());
            }
            if done < blocks.len() {
                return Err(Stopped);
            }
            let done = all.count_fragments(progress.blocks as usize);
            workers.monitor.send(&Event::Stage { stage: Stage::Programs(tokens), done, total });
            after_batch(progress);
        }
        let mut findings = progress.findings.clone();
        let with_loops = std::mem::take(&mut findings.prefixes);
        for size in depth + 1..=tokens - 2 {
            let of_size = with_loops.iter().filter(|(tokens, _)| *tokens == size);
            context.add_longer_prefixes(size, of_size.map(|(_, prefix)| prefix.clone()).collect());
        }
        // Short bodies, after prefixes of more tokens than the highest level.
        let levels = 1..=extra_tokens.saturating_sub(1);
        let short_bodies: Vec<_> = chunks_of_levels(fragments, levels, blocks::LOOP_BLOCK_LEN).collect();
        let (found, done) = BodySearch::run_blocks(&context, &short_bodies, workers, BodySearch::try_fragments);
        findings.append(found);
        if findings.program.is_none() && done < short_bodies.len() {
            return Err(Stopped);
        }
        findings.program = findings.program.or_else(|| prefix_and_two_instructions(&context));
        Ok(findings)
    }
}

/// The first program that is a prefix and two instructions.
fn prefix_and_two_instructions(context: &SizeContext<'_, '_>) -> Option<Vec<u16>> {
    let fragments = context.fragments;
    let completed =
        |prefix: &prefix::Prefix| fragments.level(1).find_map(|last| prefix.followed_by(fragments, last, 0));
    context.prefixes[context.tokens - 2].iter().find_map(|prefix| {
        let mut longer = fragments.level(1).filter_map(|first| prefix.followed_by(fragments, first, 1));
        longer.find_map(|longer| completed(&longer)).map(|program| program.codes)
    })
}
