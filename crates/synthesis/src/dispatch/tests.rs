//! Tests that compare searches that enumerate bodies with searches whose bodies are all in the bank, on machines of all
//! kinds.

mod failing;

use super::*;
use crate::machine::tests::{Padded, Table};
use crate::simulate::{MAX_STEPS, Simulator};
use crate::{codes, test_size};
use failing::Failing;
use gridhunt_search::checkpoint::CheckpointFiles;
use gridhunt_search::engine::{CheckpointConfig, SessionClock, Status, Times};
use gridhunt_search::runtime::{Observer, Silent, Stage, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::io::ErrorKind::Other;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of machines to try: `many` with GRIDHUNT_LONG, an eighth of `many` otherwise.
fn reduced(many: u32) -> u32 {
    if std::env::var_os("GRIDHUNT_LONG").is_some() { many } else { many.div_ceil(8) }
}

/// Whether every goal can be reached.
fn is_solvable(machine: &Table) -> bool {
    let mut reached = vec![false; machine.states()];
    let mut open = vec![machine.start()];
    let mut marked = vec![false; machine.goals()];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[usize::from(state)], true) {
            for instruction in 0..3 {
                let (next, goal) = machine.step(state, instruction);
                goal.into_iter().for_each(|goal| marked[usize::from(goal)] = true);
                open.push(next);
            }
        }
    }
    marked.iter().all(|marked| *marked)
}

fn solve(machine: &dyn Machine, all_stored_size: usize) -> Outcome {
    solve_with(ProgramEngine::SYNTHESIS, machine, Tuning { all_stored_size, ..Tuning::DEFAULT })
}

fn solve_with(engine: ProgramEngine, machine: &dyn Machine, tuning: Tuning) -> Outcome {
    solve_on(2, engine, machine, tuning)
}

fn solve_on(threads: usize, engine: ProgramEngine, machine: &dyn Machine, tuning: Tuning) -> Outcome {
    let stop = StopToken::new();
    let context = Context::new(threads, Limits::default(), &Silent, &stop);
    search_with(engine, machine, &Parameters::default(), None, &context, tuning).expect("no checkpoint")
}

/// The incumbent marks every goal.
fn assert_marks_all(machine: &Table, outcome: &Outcome) {
    let Solution { cost, moves } = outcome.incumbent.as_ref().expect("a program");
    assert_eq!(
        (codes::cost(moves), Simulator::new(machine).unmarked_goals(moves, MAX_STEPS)),
        (*cost, 0),
        "{moves:?}, {machine:?}"
    );
}

/// How many goals a program leaves unmarked, by the definition of its codes alone. Endless loops are repeated until
/// they have been in every state with every number of goals.
fn unmarked_by_definition(machine: &dyn Machine, codes: &[u16]) -> usize {
    fn carry_out(machine: &dyn Machine, codes: &mut &[u16], state: &mut u16, marked: &mut [bool]) {
        let endless = u16::from(machine.instructions()) + 1;
        while let Some((&code, rest)) = codes.split_first() {
            *codes = rest;
            if code == 0 {
                return;
            }
            if code < endless {
                let (next, goal) = machine.step(*state, code as u8 - 1);
                *state = next;
                goal.into_iter().for_each(|goal| marked[usize::from(goal)] = true);
                continue;
            }
            let most = machine.states() * (machine.goals() + 1);
            let times = if code == endless { most } else { usize::from(code - endless) };
            let body = *codes;
            for _ in 0..times {
                *codes = body;
                carry_out(machine, codes, state, marked);
            }
        }
    }
    let mut marked = vec![false; machine.goals()];
    carry_out(machine, &mut &*codes, &mut machine.start(), &mut marked);
    marked.iter().filter(|marked| !**marked).count()
}

/// A search on two threads that anneals for a moment.
fn search_briefly(engine: ProgramEngine, machine: &dyn Machine) -> Outcome {
    let stop = StopToken::new();
    let context = Context::new(2, Limits::default(), &Silent, &stop);
    let parameters = Parameters { anneal_rounds: 2, anneal_changes: 2_000, ..Parameters::default() };
    let tuning = Tuning { all_stored_size: 2, ..Tuning::DEFAULT };
    search_with(engine, machine, &parameters, None, &context, tuning).expect("no checkpoint")
}

/// Instructions that lead to a dead end shorten no program, however many there are. Programs mean the same to whoever
/// carries them out.
#[test]
fn machines_have_any_number_of_instructions() {
    let mut rng = ChaCha8Rng::seed_from_u64(83);
    let mut found = [0; 16];
    while found[4..].iter().sum::<u32>() < 3 {
        let machine = Table::turning(&mut rng, 4);
        if !is_solvable(&machine) {
            continue;
        }
        let shortest = solve(&machine, 100).lower_bound;
        let Table { steps, goals } = machine;
        for instructions in [3, 4, 5, 9, 255] {
            let machine = Table { steps: steps.clone(), goals };
            let machine = Padded { machine, instructions };
            for engine in [ProgramEngine::SYNTHESIS, ProgramEngine::ANNEAL] {
                let outcome = search_briefly(engine, &machine);
                let Solution { cost, moves } = outcome.incumbent.as_ref().expect("a program");
                assert_eq!(moves.iter().filter(|code| **code != 0).count(), *cost as usize, "{moves:?}");
                assert_eq!(unmarked_by_definition(&machine, moves), 0, "{moves:?} with {instructions} instructions");
                let is_exact = engine.info.proves;
                assert!(*cost >= shortest && (!is_exact || *cost == shortest), "{moves:?}, not {shortest}");
                assert!(!is_exact || outcome.status() == Status::Optimal);
            }
        }
        found[shortest as usize] += 1;
    }
}

/// Compares tunings on machines of a kind, until for each `(tokens, many)` in `enough`, [`reduced`] `many` machines
/// need `tokens` tokens or more.
fn compare(rng: &mut ChaCha8Rng, enough: &[(usize, u32)], mut machine: impl FnMut(&mut ChaCha8Rng) -> Table) {
    const ALL: usize = 100;
    // A body may have twice as many tokens as the highest level of the bank.
    const FEWEST: Tuning = Tuning { all_stored_size: 2, max_extra_tokens: ALL, ..Tuning::DEFAULT };
    // The number of machines by the size of their shortest program.
    let mut found = [0_u32; 16];
    while enough.iter().any(|&(tokens, many)| found[tokens..].iter().sum::<u32>() < reduced(many)) {
        let machine = machine(rng);
        if !is_solvable(&machine) {
            continue;
        }
        let stored = solve(&machine, ALL);
        assert_marks_all(&machine, &stored);
        for tuning in [FEWEST, Tuning::DEFAULT] {
            let tried = solve_with(ProgramEngine::SYNTHESIS, &machine, tuning);
            assert_eq!((stored.lower_bound, stored.status()), (tried.lower_bound, tried.status()), "{machine:?}");
            assert_marks_all(&machine, &tried);
        }
        found[stored.lower_bound as usize] += 1;
    }
}

/// The instructions that a random body of `tokens` tokens carries out: loops in loops, sequences of loops, and
/// instructions.
fn random_word(rng: &mut ChaCha8Rng, tokens: u32) -> Vec<u8> {
    let mut below = |most: u32| rng.next_u32() % most;
    if tokens == 1 {
        return vec![below(3) as u8];
    }
    if tokens > 2 && below(2) == 0 {
        let of_first = 1 + below(tokens - 1);
        return [random_word(rng, of_first), random_word(rng, tokens - of_first)].concat();
    }
    let count = 2 + below(3) as usize;
    random_word(rng, tokens - 1).repeat(count)
}

/// The instructions that a body of `tokens` tokens carries out. The body is a long word in a loop, with something
/// before the loop, behind it or both. The whole may be in a loop again, and so on.
fn onion(rng: &mut ChaCha8Rng, tokens: u32) -> Vec<u8> {
    let mut left = tokens.saturating_sub(5);
    let mut word: Vec<u8> = (left..tokens).map(|_| (rng.next_u32() % 3) as u8).collect();
    let mut beside = |left: &mut u32| {
        let most = (*left).min(2);
        let tokens = rng.next_u32() % (most + 1);
        *left -= tokens;
        if tokens == 0 { Vec::new() } else { random_word(rng, tokens) }
    };
    while left > 0 {
        left -= 1;
        word = word.repeat(2 + left as usize % 2);
        word = [beside(&mut left), word, beside(&mut left)].concat();
    }
    word
}

/// Compares tunings on locks that open after a prefix and two repetitions of a body.
fn compare_locks(rng: &mut ChaCha8Rng, enough: &[(usize, u32)], mut word: impl FnMut(&mut ChaCha8Rng, u32) -> Vec<u8>) {
    const LONGEST: usize = 200;
    compare(rng, enough, |rng| {
        loop {
            let tokens = 8 + rng.next_u32() % 3;
            let of_prefix = (rng.next_u32() % 10).saturating_sub(3).min(tokens - 1);
            let before = if of_prefix == 0 { Vec::new() } else { word(rng, of_prefix) };
            let word = [before, word(rng, tokens - of_prefix).repeat(2)].concat();
            if word.len() < LONGEST {
                return Table::lock(&word);
            }
        }
    });
}

#[test]
fn bodies_of_many_loops_are_all_tried() {
    compare_locks(&mut ChaCha8Rng::seed_from_u64(68), &[(9, 40), (10, 15), (11, 5)], random_word);
}

/// The bank does not have loops around loops around long fragments.
#[test]
fn loops_that_the_bank_does_not_have_are_all_tried() {
    compare_locks(&mut ChaCha8Rng::seed_from_u64(69), &[(9, 200), (10, 100), (11, 50)], onion);
}

#[test]
fn bodies_of_random_machines_are_all_tried() {
    compare(&mut ChaCha8Rng::seed_from_u64(61), &[(6, 60), (7, 10)], |rng| {
        let states = 16 + rng.next_u32() % 16;
        Table::random(rng, states)
    });
}

/// Turns are powers of each other, so what one turn refutes is not tried with the other.
#[test]
fn what_a_power_refutes_is_no_solution() {
    compare(&mut ChaCha8Rng::seed_from_u64(63), &[(6, 30), (7, 5)], |rng| Table::turning(rng, 24));
}

/// On any number of threads a search finds the same program, tries as many bodies, and has the same layers.
#[test]
fn threads_change_nothing() {
    let (mut rng, tuning) = (ChaCha8Rng::seed_from_u64(64), Tuning { batch_size: 8, ..Tuning::DEFAULT });
    let (mut all, mut large) = (0, 0);
    while all < reduced(60) || large < reduced(10) {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let [one, three] = [1, 3].map(|threads| solve_on(threads, ProgramEngine::SYNTHESIS, &machine, tuning));
        assert_eq!(one.status(), Status::Optimal);
        assert_marks_all(&machine, &one);
        assert_eq!((&one.incumbent, one.lower_bound), (&three.incumbent, three.lower_bound), "{machine:?}");
        let counts = |outcome: &Outcome| (outcome.statistics.expanded, outcome.statistics.layers.clone());
        assert_eq!(counts(&one), counts(&three), "{machine:?}");
        all += 1;
        // From seven tokens on, bodies may have two or more tokens beyond the highest level of the bank.
        large += u32::from(one.lower_bound >= 7);
    }
}

/// Records the progress of stages.
#[derive(Default)]
struct Stages(Mutex<Vec<(Stage, u64, u64)>>);

impl Observer for Stages {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Stage { stage, done, total } = event {
            self.0.lock().expect("no panic").push((*stage, *done, *total));
        }
    }
}

/// The progress of a stage rises to its end, also where a search resumes within the stage.
#[test]
fn progress_of_stages_rises_to_its_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(76);
    let tuning = Tuning { batch_size: 8, ..Tuning::DEFAULT };
    let mut reports = 0;
    while reports < 200 {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let files = CheckpointFiles::unlimited(folder.path().to_owned(), "test");
        let (every, mut resume, stages) = (Duration::from_secs(100_000), false, Stages::default());
        let mut interrupted = None;
        let outcome = loop {
            let (files, clock) = (files.clone(), SessionClock::after(Times::default(), 1));
            let keep = CheckpointConfig { files, every, resume, clock };
            // In two sessions.
            let expansions = Some(400).filter(|_| !resume);
            let (limits, stop) = (Limits { expansions, ..Limits::default() }, StopToken::new());
            let context = Context { checkpoints: Some(&keep), ..Context::new(2, limits, &stages, &stop) };
            let outcome = search_with(ProgramEngine::AUTO, &machine, &Parameters::default(), None, &context, tuning);
            let outcome = outcome.expect("a checkpoint, if any");
            if outcome.stopped.is_none() {
                break outcome;
            }
            resume = true;
            interrupted = stages.0.lock().expect("no panic").last().map(|(stage, ..)| *stage);
        };
        let told = stages.0.into_inner().expect("no panic");
        for of_stage in told.chunk_by(|one, other| one.0 == other.0 && one.2 == other.2) {
            let (stage, last, total) = of_stage[of_stage.len() - 1];
            assert!(of_stage.is_sorted_by_key(|(_, done, _)| *done) && last <= total, "{of_stage:?}");
            let is_last_size = stage == Stage::Programs(outcome.lower_bound as usize);
            assert!(last == total || is_last_size || interrupted == Some(stage), "{of_stage:?}");
            reports += of_stage.len();
        }
    }
}

/// A search that resumes while the disk fails at some call ends the same, or says that the disk has failed. Then
/// another search resumes from the checkpoint that was there before.
#[test]
fn a_failing_disk_gives_no_wrong_result() {
    const MACHINES: usize = 5;
    // Few blocks in a batch, so that there are several batches, each with a checkpoint.
    let tuning = Tuning { batch_size: 2, ..Tuning::DEFAULT };
    let mut rng = ChaCha8Rng::seed_from_u64(75);
    let (mut failed, mut tried) = (0, 0);
    while tried < MACHINES {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let plain = solve_on(1, ProgramEngine::SYNTHESIS, &machine, tuning);
        let folder = tempfile::tempdir().expect("a folder");
        // A checkpoint is due after each batch.
        let session = |backend: &Failing, resume: bool, expansions: Option<u64>| {
            let mut files = CheckpointFiles::unlimited(folder.path().to_owned(), "test");
            files.storage.backend = Arc::new(backend.clone());
            let clock = SessionClock::after(Times::default(), 1);
            let keep = CheckpointConfig { files, every: Duration::ZERO, resume, clock };
            let limits = Limits { expansions, ..Limits::default() };
            let stop = StopToken::new();
            let context = Context { checkpoints: Some(&keep), ..Context::new(2, limits, &Silent, &stop) };
            search_with(ProgramEngine::SYNTHESIS, &machine, &Parameters::default(), None, &context, tuning)
        };
        let working = Failing::behind(i64::MAX, Other);
        // Returns whether the search was stopped, which leaves a checkpoint behind.
        let begin = || {
            let limit = Some(plain.statistics.expanded / 3);
            let outcome = session(&working, false, limit).expect("no checkpoint is read");
            outcome.stopped == Some(StopReason::ExpansionLimit)
        };
        if !begin() {
            continue;
        }
        tried += 1;
        let disk = Failing::behind(1 << 40, Other);
        let whole = session(&disk, true, None).expect("a checkpoint");
        assert_eq!((whole.incumbent.as_ref(), whole.stopped), (plain.incumbent.as_ref(), None));
        let calls = (1 << 40) - disk.left();
        for calls in [1, 9, 25, 60, 85, 97].map(|hundredths| calls * hundredths / 100) {
            assert!(begin());
            let disk = Failing::behind(calls, Other);
            if let Ok(outcome) = session(&disk, true, None) {
                let is_stopped = outcome.stopped == Some(StopReason::DiskFailed);
                assert!(outcome.failure.is_some() || !is_stopped, "{calls} calls");
                assert!(is_stopped || outcome.status() == Status::Optimal, "{calls} calls");
                assert!(outcome.lower_bound <= plain.lower_bound);
                if let Some(Solution { cost, moves }) = &outcome.incumbent {
                    assert!(
                        *cost >= plain.lower_bound && Simulator::new(&machine).unmarked_goals(moves, MAX_STEPS) == 0
                    );
                }
                failed += usize::from(outcome.failure.is_some());
            }
            // A checkpoint is intact.
            let outcome = session(&working, true, None).expect("a checkpoint");
            assert_eq!((outcome.incumbent.as_ref(), outcome.stopped), (plain.incumbent.as_ref(), None));
            assert_eq!(
                (outcome.lower_bound, outcome.statistics.layers),
                (plain.lower_bound, plain.statistics.layers.clone())
            );
        }
    }
    assert!(failed > 0, "no disk failed");
}

/// Cycles of 5, 7, 11 and 13 states under the first instruction, with a period of 5,005; the second instruction leads
/// from each cycle to the next one.
pub(crate) fn cycles() -> Table {
    let lengths = [5_u16, 7, 11, 13];
    let mut steps = Vec::new();
    for (number, &length) in lengths.iter().enumerate() {
        let begin: u16 = lengths[..number].iter().sum();
        let next = lengths[..=number].iter().sum::<u16>() % lengths.iter().sum::<u16>();
        for at in 0..length {
            let ahead = begin + (at + 1) % length;
            steps.push([(ahead, Some(ahead)), (next, Some(next)), (begin + at, None)]);
        }
    }
    let goals = steps.len();
    Table { steps, goals }
}

/// A loop has more counts than are tried: the program that is found is right, but no lower bound is proven that would
/// need all counts.
#[test]
fn counts_that_are_left_out_end_the_proof() {
    let machine = cycles();
    let outcome = solve(&machine, test_size::ALL_STORED_SIZE);
    let solution = outcome.incumbent.as_ref().expect("a program");
    assert_eq!((outcome.lower_bound, outcome.status(), outcome.stopped), (3, Status::Feasible, None));
    assert!(
        solution.cost > 3 && Simulator::new(&machine).unmarked_goals(&solution.moves, MAX_STEPS) == 0,
        "{solution:?}"
    );
}
