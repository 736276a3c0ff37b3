//! Levels against all behaviours that programs have.

use super::super::behaviour::places;
use super::super::tests::Table;
use super::*;
use crate::runtime::{Limits, Monitor, Silent, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::cell::Cell;
use std::collections::HashSet;

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
        let mut levels = Levels::new(&machine, places().take(machine.goals()).collect(), u64::MAX);
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
