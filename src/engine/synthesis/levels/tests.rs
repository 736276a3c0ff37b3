//! Levels against all behaviours that programs have.

use super::super::behaviour::places;
use super::super::tests::{Stopping, Table};
use super::*;
use crate::runtime::{Limits, Monitor, Silent, StopReason, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Where a program ends from each state, and what it marks.
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

/// What programs of each size do that no smaller one does. Loops repeat up to `most` times, which has to be enough to mark all there is.
fn all_behaviours(machine: &Table, tokens: usize, most: usize) -> Vec<HashSet<Plain>> {
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
            // Of counts that end in the same states the last one marks no less: it does whatever another one does.
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

fn most_marks(behaviours: &HashSet<Plain>) -> u32 {
    behaviours.iter().flatten().map(|(_, marks)| marks.count_ones()).max().unwrap_or(0)
}

/// Where the first goals tell nothing, or little: what is in short alike is held apart by the others.
#[test]
fn levels_are_all_that_programs_do() {
    const TOKENS: usize = 5;
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(67));
    let monitor = Monitor::new(Limits::default(), &Silent, &stop);
    for (states, told, threads) in [(4, 0, 1), (5, 0, 2), (6, 1, 3), (6, 3, 2)] {
        let machine = Table::telling(&mut rng, states, told);
        let workers = Workers { threads, monitor: &monitor, cpu_seconds: Cell::default() };
        let mut levels =
            Levels::new(&machine, places().take(machine.goals()).collect(), Room::for_behaviours(u64::MAX));
        assert_eq!((levels.shape.planes, levels.shape.in_short().planes), (2, 1));
        let all = all_behaviours(&machine, TOKENS, 4 * states as usize);
        for (tokens, programs) in all.iter().enumerate().skip(1) {
            levels.grow(&workers, |_| ()).expect("nothing stops it");
            assert_eq!(levels.level(tokens).len(), programs.len(), "{tokens} tokens, {machine:?}");
            assert_eq!(levels.most_marks(tokens), all[..=tokens].iter().map(most_marks).max().expect("levels"));
        }
        let (mut whole, mut short) = (Bench::new(levels.shape), HashSet::new());
        for id in 0..levels.len() as Id {
            let does = levels.behaviour(id, &mut whole);
            assert!(levels.marks_of(id) >= does.most_marks());
            short.insert(does.fingerprint());
            does.give_back(&mut whole);
        }
        assert!(20 * short.len() < 19 * levels.len(), "{} of {}: too few are alike", short.len(), levels.len());
    }
}

/// A checkpoint is taken in the midst of a level, and levels are the same again behind it, with any memory for behaviours.
#[test]
fn a_checkpoint_restores_the_levels() {
    const TOKENS: usize = 5;
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(74));
    let monitor = Monitor::new(Limits::default(), &Silent, &stop);
    let workers = Workers { threads: 2, monitor: &monitor, cpu_seconds: Cell::default() };
    let machine = Table::turning(&mut rng, 6);
    let new = |held| Levels::new(&machine, places().take(machine.goals()).collect(), Room::for_behaviours(held));
    let [mut whole, mut tight] = [u64::MAX, 0].map(new);
    let (mut batches, mut saved) = (0, None);
    for _ in 0..TOKENS {
        whole.grow(&workers, |_| ()).expect("nothing stops it");
        let mut between = |levels: &Levels<'_, Table>| {
            batches += 1;
            saved = Some(levels.save());
        };
        tight.grow(&workers, &mut between).expect("nothing stops it");
        assert_eq!((whole.len(), &whole.ends, &whole.most), (tight.len(), &tight.ends, &tight.most));
        let (of_whole, of_tight) = (whole.save(), tight.save());
        assert!(of_whole == of_tight && of_whole.1.len() == RECIPE * whole.len());
        assert!((0..whole.len() as Id).all(|id| whole.known(id) == tight.known(id)));
    }
    assert!(batches > TOKENS, "{batches} batches");
    // In the midst of the last level.
    let (saved, rows) = saved.expect("a batch");
    for held in [u64::MAX, 0] {
        let mut restored = new(held);
        restored.restore(saved.clone(), &rows, &workers).expect("nothing stops it").expect("sound levels");
        assert_eq!((restored.save(), restored.growth.is_some()), ((saved.clone(), rows.clone()), true));
        restored.grow(&workers, |_| ()).expect("nothing stops it");
        assert!(restored.save() == whole.save());
    }
}

/// Where fragments would have no numbers of their own the search ends, and nothing is lost.
#[test]
fn fragments_are_no_more_than_there_are_numbers() {
    let (stop, mut rng) = (StopToken::new(), ChaCha8Rng::seed_from_u64(77));
    let machine = Table::turning(&mut rng, 6);
    for fragments in [40, 60, 200] {
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 2, monitor: &monitor, cpu_seconds: Cell::default() };
        let new = |room| Levels::new(&machine, places().take(machine.goals()).collect(), room);
        let mut levels = new(Room { fragments, ..Room::for_behaviours(u64::MAX) });
        while levels.grow(&workers, |_| ()).is_some() {}
        assert!(levels.len() <= fragments && levels.depth() > 1, "{} of {fragments}", levels.len());
        assert_eq!(monitor.stopped(), Some(StopReason::MemoryLimit));
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 2, monitor: &monitor, cpu_seconds: Cell::default() };
        let (depth, mut whole) = (levels.depth(), new(Room::for_behaviours(u64::MAX)));
        levels.room.fragments = MOST_FRAGMENTS;
        levels.grow(&workers, |_| ()).expect("nothing stops it");
        (0..=depth).for_each(|_| whole.grow(&workers, |_| ()).expect("nothing stops it"));
        assert!(levels.save() == whole.save());
    }
}

/// Whatever is broken off in the midst of a batch, and goes on in another session, fragments have the same numbers; where many are alike but for goals
/// that are not among the first, too.
#[test]
fn numbers_of_fragments_do_not_depend_on_sessions() {
    const TOKENS: usize = 5;
    const MANY: u64 = 1 << 40;
    let table = Table::telling(&mut ChaCha8Rng::seed_from_u64(78), 6, 3);
    let goals = || places().take(table.goals()).collect();
    // How many goals a fragment marks at most is told more or less exactly.
    fn numbered<M: Machine>(levels: &Levels<'_, M>) -> (Vec<Recipe>, Vec<Id>, Vec<u32>) {
        let recipes = (0..levels.len() as Id).map(|id| levels.recipe(id));
        (recipes.collect(), levels.ends.clone(), levels.most.clone())
    }
    let whole = {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 1, monitor: &monitor, cpu_seconds: Cell::default() };
        let mut levels = Levels::new(&table, goals(), Room::for_behaviours(u64::MAX));
        (0..TOKENS).for_each(|_| levels.grow(&workers, |_| ()).expect("nothing stops it"));
        numbered(&levels)
    };
    for (steps, fewest) in [(1_000, 30), (5_000, 6), (20_000, 2)] {
        let (mut kept, mut sessions): (Option<(SavedLevels, Vec<u8>)>, _) = (None, 0);
        let last = loop {
            sessions += 1;
            let stop = StopToken::new();
            let machine = Stopping { machine: &table, stop: &stop, left: AtomicU64::new(MANY) };
            let monitor = Monitor::new(Limits::default(), &Silent, &stop);
            let workers = Workers { threads: 2, monitor: &monitor, cpu_seconds: Cell::default() };
            let mut levels = Levels::new(&machine, goals(), Room::for_behaviours(0));
            if let Some((saved, rows)) = kept.take() {
                levels.restore(saved, &rows, &workers).expect("nothing stops it").expect("sound levels");
            }
            machine.left.store(steps, Relaxed);
            while levels.depth() < TOKENS && levels.grow(&workers, |_| ()).is_some() {}
            if levels.depth() == TOKENS {
                break numbered(&levels);
            }
            kept = Some(levels.save());
        };
        assert!(sessions >= fewest, "{sessions} sessions of {steps} steps");
        assert!(last == whole, "{sessions} sessions of {steps} steps");
    }
}
