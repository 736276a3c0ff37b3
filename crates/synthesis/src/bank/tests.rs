//! Tests that compare levels with the semantics of all programs.

use super::*;
use crate::machine::Machine;
use crate::machine::tests::{Stopping, Table};
use crate::semantics::goal_bits;
use gridhunt_search::runtime::{Limits, Monitor, Silent, StopReason, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;

/// A bank with levels up to `depth` and `cache` bytes of cached semantics.
pub(crate) fn bank_of<'m>(machine: &'m dyn Machine, depth: usize, cache: u64, workers: &Workers<'_>) -> Bank<'m> {
    let bits = goal_bits().take(machine.goals()).collect();
    let mut bank = Bank::new(machine, bits, BankLimits::with_cache(cache));
    while bank.fragments().depth() < depth {
        bank.grow(workers, |_| ()).expect("a level");
    }
    bank
}

/// The end state of a program from each state, and the goals that it marks.
type Plain = Vec<(u16, u128)>;

fn plain(machine: &Table, instruction: u8) -> Plain {
    let step = |state| {
        let (next, goal) = machine.step(state, instruction);
        (next, goal.map_or(0, |goal| 1 << goal))
    };
    (0..machine.states() as u16).map(step).collect()
}

fn sequence(first: &Plain, rest: &Plain) -> Plain {
    first.iter().map(|&(to, marks)| (rest[usize::from(to)].0, marks | rest[usize::from(to)].1)).collect()
}

/// The semantics of programs of each size that no smaller program has. Loops repeat up to `most` times, which must be
/// enough to mark everything.
fn all_semantics(machine: &Table, tokens: usize, most: usize) -> Vec<HashSet<Plain>> {
    let nothing: Plain = (0..machine.states() as u16).map(|state| (state, 0)).collect();
    let mut all = vec![HashSet::from([nothing])];
    for size in 1..=tokens {
        let mut found = HashSet::new();
        if size == 1 {
            found.extend((0..machine.instructions()).map(|instruction| plain(machine, instruction)));
        }
        for of_first in 1..size {
            for first in &all[of_first] {
                found.extend(all[size - of_first].iter().map(|rest| sequence(first, rest)));
            }
        }
        for body in &all[size - 1] {
            // Of counts with equal end states the last one marks whatever another one marks.
            let mut by_ends = HashMap::new();
            let mut repeated = body.clone();
            for _ in 1..most {
                repeated = sequence(&repeated, body);
                let ends: Vec<u16> = repeated.iter().map(|&(to, _)| to).collect();
                by_ends.insert(ends, repeated.clone());
            }
            found.extend(by_ends.into_values());
        }
        found.retain(|does| !all.iter().any(|known| known.contains(does)));
        all.push(found);
    }
    all
}

fn max_marks(semantics: &HashSet<Plain>) -> u32 {
    semantics.iter().flatten().map(|(_, marks)| marks.count_ones()).max().unwrap_or(0)
}

/// On machines whose projected goals tell little: equal projections are told apart by the other goals.
#[test]
fn levels_are_all_that_programs_do() {
    const TOKENS: usize = 5;
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(67));
    let monitor = Monitor::new(Limits::default(), &Silent, &stop);
    for (states, told, threads) in [(4, 0, 1), (5, 0, 2), (6, 1, 3), (6, 3, 2)] {
        let machine = Table::telling(&mut rng, states, told);
        let workers = Workers::new(threads, &monitor);
        let mut bank =
            Bank::new(&machine, goal_bits().take(machine.goals()).collect(), BankLimits::with_cache(u64::MAX));
        assert_eq!((bank.fragments.shape.planes, bank.fragments.shape.projected().planes), (2, 1));
        let all = all_semantics(&machine, TOKENS, 4 * states as usize);
        for (tokens, programs) in all.iter().enumerate().skip(1) {
            bank.grow(&workers, |_| ()).expect("nothing stops it");
            assert_eq!(bank.fragments.level(tokens).len(), programs.len(), "{tokens} tokens, {machine:?}");
            assert_eq!(bank.fragments.max_marks(tokens), all[..=tokens].iter().map(max_marks).max().expect("levels"));
        }
        let (mut whole, mut short) = (Workspace::new(bank.fragments.shape), HashSet::new());
        for id in 0..bank.fragments.len() as Id {
            let does = bank.fragments.semantics(id, &mut whole);
            assert!(bank.fragments.max_marks_of(id) >= does.max_marks());
            short.insert(does.fingerprint());
            whole.recycle_computed(does);
        }
        assert!(
            20 * short.len() < 19 * bank.fragments.len(),
            "{} of {}: too few equal projections",
            short.len(),
            bank.fragments.len()
        );
    }
}

/// A checkpoint within a level restores the same levels, with any cache.
#[test]
fn a_checkpoint_restores_the_levels() {
    const TOKENS: usize = 5;
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(74));
    let monitor = Monitor::new(Limits::default(), &Silent, &stop);
    let workers = Workers::new(2, &monitor);
    let machine = Table::turning(&mut rng, 6);
    let new = |held| Bank::new(&machine, goal_bits().take(machine.goals()).collect(), BankLimits::with_cache(held));
    let [mut whole, mut tight] = [u64::MAX, 0].map(new);
    let (mut batches, mut saved) = (0, None);
    for _ in 0..TOKENS {
        whole.grow(&workers, |_| ()).expect("nothing stops it");
        let mut between = |bank: &Bank<'_>| {
            batches += 1;
            saved = Some(bank.save());
        };
        tight.grow(&workers, &mut between).expect("nothing stops it");
        assert_eq!(whole.fragments.levels(), tight.fragments.levels());
        let (of_whole, of_tight) = (whole.save(), tight.save());
        assert!(of_whole == of_tight && of_whole.1.len() == ROW_BYTES * whole.fragments.len());
        assert!((0..whole.fragments.len() as Id).all(|id| whole.fragments.entry(id) == tight.fragments.entry(id)));
    }
    assert!(batches > TOKENS, "{batches} batches");
    // Within the last level.
    let (saved, rows) = saved.expect("a batch");
    for held in [u64::MAX, 0] {
        let mut restored = new(held);
        restored.restore(saved.clone(), &rows, &workers).expect("nothing stops it");
        assert_eq!((restored.save(), restored.level_progress.is_some()), ((saved.clone(), rows.clone()), true));
        restored.grow(&workers, |_| ()).expect("nothing stops it");
        assert!(restored.save() == whole.save());
    }
}

/// If there would be more fragments than numbers, the search ends and the bank stays intact.
#[test]
fn fragments_are_no_more_than_there_are_numbers() {
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(77));
    let machine = Table::turning(&mut rng, 6);
    for fragments in [40, 60, 200] {
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(2, &monitor);
        let new = |limits| Bank::new(&machine, goal_bits().take(machine.goals()).collect(), limits);
        let mut bank = new(BankLimits { max_fragments: fragments, ..BankLimits::with_cache(u64::MAX) });
        while bank.grow(&workers, |_| ()).is_ok() {}
        assert!(
            bank.fragments.len() <= fragments && bank.fragments.depth() > 1,
            "{} of {fragments}",
            bank.fragments.len()
        );
        assert_eq!(monitor.stop_reason(), Some(StopReason::MemoryLimit));
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(2, &monitor);
        let (depth, mut whole) = (bank.fragments.depth(), new(BankLimits::with_cache(u64::MAX)));
        bank.limits.max_fragments = MAX_FRAGMENTS;
        bank.grow(&workers, |_| ()).expect("nothing stops it");
        (0..=depth).for_each(|_| whole.grow(&workers, |_| ()).expect("nothing stops it"));
        assert!(bank.save() == whole.save());
    }
}

/// Fragments have the same numbers when sessions end within batches, also where many fragments have equal projections.
#[test]
fn numbers_of_fragments_do_not_depend_on_sessions() {
    const TOKENS: usize = 5;
    const MANY: u64 = 1 << 40;
    let table = Table::telling(&mut ChaCha8Rng::seed_from_u64(78), 6, 3);
    let goals = || goal_bits().take(table.goals()).collect();
    // The bounds on the marks of a fragment may differ.
    fn numbered(bank: &Bank<'_>) -> (Vec<Recipe>, Vec<Id>, Vec<u32>) {
        let recipes = (0..bank.fragments.len() as Id).map(|id| bank.fragments.recipe(id));
        let (ends, most) = bank.fragments.levels();
        (recipes.collect(), ends.to_vec(), most.to_vec())
    }
    let whole = {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(1, &monitor);
        let mut bank = Bank::new(&table, goals(), BankLimits::with_cache(u64::MAX));
        (0..TOKENS).for_each(|_| bank.grow(&workers, |_| ()).expect("nothing stops it"));
        numbered(&bank)
    };
    for (steps, fewest) in [(1_000, 30), (5_000, 6), (20_000, 2)] {
        let (mut kept, mut sessions): (Option<(SavedBank, Vec<u8>)>, _) = (None, 0);
        let last = loop {
            sessions += 1;
            let stop = StopToken::new();
            let machine = Stopping { machine: &table, stop: &stop, left: AtomicU64::new(MANY) };
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let workers = Workers::new(2, &monitor);
            let mut bank = Bank::new(&machine, goals(), BankLimits::with_cache(0));
            if let Some((saved, rows)) = kept.take() {
                bank.restore(saved, &rows, &workers).expect("nothing stops it");
            }
            machine.left.store(steps, Relaxed);
            while bank.fragments.depth() < TOKENS && bank.grow(&workers, |_| ()).is_ok() {}
            if bank.fragments.depth() == TOKENS {
                break numbered(&bank);
            }
            kept = Some(bank.save());
        };
        assert!(sessions >= fewest, "{sessions} sessions of {steps} steps");
        assert!(last == whole, "{sessions} sessions of {steps} steps");
    }
}
