//! Bodies that are put together while they are tried against bodies that are all stored, on machines of all kinds.

use super::*;
use crate::checkpoint::CheckpointFiles;
use crate::engine::{CheckpointConfig, Status};
use crate::runtime::{Limits, Observer, Silent, Stage, StopReason, StopToken};
use crate::store::tests::failing::Failing;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::io::ErrorKind::Other;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A machine whose instructions do anything.
#[derive(Debug)]
pub(super) struct Table {
    steps: Vec<[(u16, Option<u16>); 3]>,
    goals: usize,
}

impl Table {
    /// Every state has a goal where the first instruction leads; the others lead on at random, as far as one wants.
    pub(super) fn random(rng: &mut ChaCha8Rng, states: u32) -> Self {
        let mut below = |most: u32| rng.next_u32() % most;
        let goals = states * 2 / 3;
        let mut turn = |state: u32, spread: u32| ((state + below(spread)) % states) as u16;
        let steps = (0..states).map(|state| {
            let ahead = turn(state, 3);
            [(ahead, Some(ahead % goals as u16)), (turn(state, 5), None), (turn(state, states), None)]
        });
        Self { steps: steps.collect(), goals: goals as usize }
    }

    /// Each instruction leads anywhere and marks a goal of its own: one of the first goals in so many states, elsewhere one of those behind
    /// them.
    pub(super) fn telling(rng: &mut ChaCha8Rng, states: u32, told: u32) -> Self {
        let mut goals = [0..48, 48..100];
        let steps = (0..states).map(|state| {
            [(); 3].map(|()| ((rng.next_u32() % states) as u16, goals[usize::from(state >= told)].next()))
        });
        Self { steps: steps.collect(), goals: 100 }
    }

    /// Each instruction leads anywhere.
    pub(super) fn anyhow(rng: &mut ChaCha8Rng, states: u32) -> Self {
        let mut anywhere = || (rng.next_u32() % states) as u16;
        let steps = (0..states).map(|_| [(); 3].map(|()| (anywhere(), None)));
        Self { steps: steps.collect(), goals: states as usize }
    }

    /// What opens with one word of instructions alone: each leads one place further where it is the right one, and otherwise nowhere. There is a
    /// goal on every step of the way.
    fn lock(word: &[u8]) -> Self {
        let nowhere = word.len() as u16 + 1;
        let on_the_way = word.iter().zip(0_u16..).map(|(&right, at)| {
            [0, 1, 2].map(|instruction| if instruction == right { (at + 1, Some(at)) } else { (nowhere, None) })
        });
        let steps = on_the_way.chain([[(nowhere, None); 3]; 2]).collect();
        Self { steps, goals: word.len() }
    }

    /// As on a board: places anyhow, four directions in each, a way ahead, and turns to both sides.
    pub(super) fn turning(rng: &mut ChaCha8Rng, places: u32) -> Self {
        let ahead: Vec<u32> = (0..4 * places).map(|_| rng.next_u32() % places).collect();
        let steps = (0..4 * places).map(|state| {
            let (place, direction) = (ahead[state as usize], state % 4);
            let turn = |by: u32| ((state - direction + (direction + by) % 4) as u16, None);
            [((4 * place + direction) as u16, Some(place as u16)), turn(3), turn(1)]
        });
        Self { steps: steps.collect(), goals: places as usize }
    }

    /// Wheels of so many places: the first instruction turns all of them, the second leads from each to the next one, the third does nothing. The one goal
    /// is nowhere, so nothing marks too little but for it, and nothing is a solution.
    pub(super) fn wheels(lengths: &[u16]) -> Self {
        let begins = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end - length)
        });
        let places: Vec<[u16; 3]> = lengths
            .iter()
            .zip(begins)
            .flat_map(|(&length, begin)| (0..length).map(move |at| [begin, length, at]))
            .collect();
        let many = places.len() as u16;
        let steps = places.iter().map(|&[begin, length, at]| {
            [(begin + (at + 1) % length, None), ((begin + length + at) % many, None), (begin + at, None)]
        });
        Self { steps: steps.collect(), goals: 1 }
    }
}

/// Levels of a machine up to this one, with so many bytes of behaviours held.
pub(super) fn levels_of<'m, M: Machine>(
    machine: &'m M,
    depth: usize,
    held: u64,
    workers: &Workers<'_>,
) -> Levels<'m, M> {
    let places = behaviour::places().take(machine.goals()).collect();
    let mut levels = Levels::new(machine, places, Room::for_behaviours(held));
    while levels.depth() < depth {
        levels.grow(workers, |_| ()).expect("a level");
    }
    levels
}

/// A machine that asks for the search to stop when no steps are left. Where no behaviours are held, all that is done makes it take some.
pub(super) struct Stopping<'s> {
    pub(super) machine: &'s Table,
    pub(super) stop: &'s StopToken,
    pub(super) left: AtomicU64,
}

impl Machine for Stopping<'_> {
    fn states(&self) -> usize {
        self.machine.states()
    }

    fn goals(&self) -> usize {
        self.machine.goals()
    }

    fn start(&self) -> u16 {
        self.machine.start()
    }

    fn instructions(&self) -> u8 {
        self.machine.instructions()
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        if self.left.fetch_sub(1, Relaxed) == 0 {
            self.stop.stop(StopReason::Interrupted);
        }
        self.machine.step(state, instruction)
    }
}

impl Machine for Table {
    fn states(&self) -> usize {
        self.steps.len()
    }

    fn goals(&self) -> usize {
        self.goals
    }

    fn start(&self) -> u16 {
        0
    }

    fn instructions(&self) -> u8 {
        3
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        self.steps[usize::from(state)][usize::from(instruction)]
    }
}

/// Whether every goal can be reached.
fn is_solvable(machine: &Table) -> bool {
    let mut reached = vec![false; machine.states()];
    let mut open = vec![0];
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

fn solve(machine: &Table, all_stored: usize) -> Outcome {
    solve_with(EngineKind::Synthesis, machine, Plan { all_stored, ..PLAN })
}

fn solve_with(engine: EngineKind, machine: &Table, plan: Plan) -> Outcome {
    solve_on(2, engine, machine, plan)
}

fn solve_on(threads: usize, engine: EngineKind, machine: &Table, plan: Plan) -> Outcome {
    solve_kept((threads, Limits::default()), engine, machine, plan, None)
}

fn solve_kept(
    (threads, limits): (usize, Limits),
    engine: EngineKind,
    machine: &Table,
    plan: Plan,
    keep: Option<&CheckpointConfig>,
) -> Outcome {
    let stop = StopToken::new();
    let context = Context { threads, limits, observer: &Silent, stop: &stop, keep };
    search_with(engine, machine, &Parameters::default(), &context, plan).expect("a checkpoint, if any")
}

/// Compares on machines of a kind until there are so many whose programs have so many tokens or more, for each of these.
fn compare(rng: &mut ChaCha8Rng, enough: &[(usize, u32)], mut machine: impl FnMut(&mut ChaCha8Rng) -> Table) {
    const ALL: usize = 100;
    // Bodies have up to half of their tokens beyond the highest level, or as many as usual.
    const FEWEST: Plan = Plan { all_stored: 2, beyond: ALL, ..PLAN };
    // By size.
    let mut found = [0_u32; 16];
    while enough.iter().any(|&(tokens, many)| found[tokens..].iter().sum::<u32>() < many) {
        let machine = machine(rng);
        if !is_solvable(&machine) {
            continue;
        }
        let stored = solve(&machine, ALL);
        for plan in [FEWEST, PLAN] {
            let tried = solve_with(EngineKind::Synthesis, &machine, plan);
            assert_eq!(stored.incumbent, tried.incumbent, "{:?}", machine.steps);
            assert_eq!(stored.lower_bound, tried.lower_bound);
        }
        found[stored.lower_bound as usize] += 1;
    }
}

/// What a body of so many tokens does: loops in loops, sequences of loops, and instructions.
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

/// What a body of so many tokens does that is a long word in a loop, with something before or behind it or both, all of that perhaps in a loop
/// again, and so on.
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

/// Locks that are opened by what a kind of body does twice, behind a prefix.
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

/// Loops around loops around long fragments are stored nowhere.
#[test]
fn loops_that_are_stored_nowhere_are_all_tried() {
    compare_locks(&mut ChaCha8Rng::seed_from_u64(69), &[(9, 200), (10, 100), (11, 50)], onion);
}

#[test]
fn what_is_put_together_while_it_is_tried_is_all_that_there_is() {
    compare(&mut ChaCha8Rng::seed_from_u64(61), &[(6, 60), (7, 10)], |rng| {
        let states = 16 + rng.next_u32() % 16;
        Table::random(rng, states)
    });
}

/// Where turns undo each other, what one of them refutes is not tried with the other.
#[test]
fn what_a_power_refutes_is_tried_in_vain() {
    compare(&mut ChaCha8Rng::seed_from_u64(63), &[(6, 30), (7, 5)], |rng| Table::turning(rng, 24));
}

/// With an incumbent that is annealed or was sought among nests, which may be as short as any, the same is proven.
#[test]
fn incumbents_change_no_proof() {
    let mut rng = ChaCha8Rng::seed_from_u64(62);
    let mut proven = 0;
    while proven < 20 {
        let machine = Table::random(&mut rng, 20);
        if is_solvable(&machine) {
            let alone = solve(&machine, ALL_STORED);
            for (anneal_behind, seek_behind) in [(0, u64::MAX), (10, u64::MAX), (100, 10), (u64::MAX, 0)] {
                let auto = solve_with(EngineKind::Auto, &machine, Plan { anneal_behind, seek_behind, ..PLAN });
                assert_eq!((auto.lower_bound, auto.status()), (alone.lower_bound, Status::Optimal));
            }
            proven += 1;
        }
    }
}

/// Where any program is enough the search ends sooner, with one as short, and the same one on any number of threads.
#[test]
fn any_program_is_enough_and_always_the_same() {
    compare_any(&mut ChaCha8Rng::seed_from_u64(64), Plan { batch: 8, ..PLAN });
}

/// The same where nests are sought.
#[test]
fn nests_that_are_sought_are_always_the_same() {
    compare_any(&mut ChaCha8Rng::seed_from_u64(72), Plan { seek_behind: 0, ..PLAN });
}

/// Whoever is stopped while nests are sought looks for them again, and comes to the same end.
#[test]
fn stopped_while_nests_are_sought_a_search_ends_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(73);
    let plan = Plan { seek_behind: 0, ..PLAN };
    let (mut found_in_nests, mut sessions) = (0, 0);
    while found_in_nests < 5 {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let plain = solve_on(1, EngineKind::Auto, &machine, plan);
        let untold = solve_on(1, EngineKind::Auto, &machine, Plan { seek_behind: u64::MAX, ..PLAN });
        assert_eq!((plain.lower_bound, plain.status()), (untold.lower_bound, Status::Optimal));
        // Another one than the test of its size comes to.
        found_in_nests += usize::from(plain.incumbent != untold.incumbent);
        let folder = tempfile::tempdir().expect("a folder");
        let files = CheckpointFiles::unlimited(folder.path().to_owned(), "test");
        let every = Duration::from_secs(100_000);
        let (mut keep, mut step) = (CheckpointConfig { files, every, resume: false }, 50);
        let outcome = loop {
            let limits = Limits { expansions: Some(step), ..Limits::default() };
            let outcome = solve_kept((1, limits), EngineKind::Auto, &machine, plan, Some(&keep));
            sessions += 1;
            if outcome.stopped.is_none() {
                break outcome;
            }
            assert!(outcome.lower_bound <= plain.lower_bound);
            // More than any one search for nests takes, sooner or later.
            (keep.resume, step) = (true, step + step / 4);
        };
        assert_eq!((outcome.lower_bound, outcome.status()), (plain.lower_bound, Status::Optimal), "{machine:?}");
        assert_eq!(outcome.statistics.layers, plain.statistics.layers, "{machine:?}");
        let solution = outcome.incumbent.expect("a program");
        assert_eq!((solution.cost, Simulator::new(&machine).left(&solution.moves, PATIENCE)), (plain.lower_bound, 0));
    }
    assert!(sessions > 30, "{sessions} sessions: too easy");
}

/// Notes how far each stage was.
#[derive(Default)]
struct Stages(Mutex<Vec<(Stage, u64, u64)>>);

impl Observer for Stages {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Stage { stage, done, total } = event {
            self.0.lock().expect("no panic").push((*stage, *done, *total));
        }
    }
}

/// What is told of a stage rises to its end, also where a search goes on in its midst.
#[test]
fn stages_come_to_their_end() {
    let mut rng = ChaCha8Rng::seed_from_u64(76);
    let plan = Plan { batch: 8, seek_behind: 0, ..PLAN };
    let (mut parts, mut sought) = (0, 0);
    while parts < 200 || sought < 5 {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let files = CheckpointFiles::unlimited(folder.path().to_owned(), "test");
        let (every, mut resume, stages) = (Duration::from_secs(100_000), false, Stages::default());
        let outcome = loop {
            let keep = CheckpointConfig { files: files.clone(), every, resume };
            // In two sessions.
            let expansions = Some(400).filter(|_| !resume);
            let (limits, stop) = (Limits { expansions, ..Limits::default() }, StopToken::new());
            let context = Context { threads: 2, limits, observer: &stages, stop: &stop, keep: Some(&keep) };
            let outcome = search_with(EngineKind::Auto, &machine, &Parameters::default(), &context, plan);
            let outcome = outcome.expect("a checkpoint, if any");
            if outcome.stopped.is_none() {
                break outcome;
            }
            resume = true;
        };
        let told = stages.0.into_inner().expect("no panic");
        for of_stage in told.chunk_by(|one, other| one.0 == other.0 && one.2 == other.2) {
            let (stage, last, total) = of_stage[of_stage.len() - 1];
            assert!(of_stage.is_sorted_by_key(|(_, done, _)| *done) && last <= total, "{of_stage:?}");
            let is_last_size = stage == Stage::Programs(outcome.lower_bound as usize);
            // Nests are not sought any more when there are some.
            assert!(last == total || is_last_size || matches!(stage, Stage::Nests(_)), "{of_stage:?}");
            parts += of_stage.len();
            sought += usize::from(matches!(stage, Stage::Nests(_)));
        }
    }
}

/// A search that goes on behind a checkpoint while the disk fails sooner or later ends the same, or says that the disk has failed; then another one
/// goes on behind the checkpoint that was there.
#[test]
fn where_the_disk_fails_nothing_wrong_is_said() {
    let mut rng = ChaCha8Rng::seed_from_u64(75);
    let (mut failed, mut proven) = (0, 0);
    while failed < 60 || proven < 5 {
        let machine = Table::turning(&mut rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let plain = solve_on(1, EngineKind::Synthesis, &machine, PLAN);
        let folder = tempfile::tempdir().expect("a folder");
        // Checkpoints come at every chance.
        let session = |backend: &Failing, resume: bool, expansions: Option<u64>| {
            let mut files = CheckpointFiles::unlimited(folder.path().to_owned(), "test");
            files.storage.backend = Arc::new(backend.clone());
            let keep = CheckpointConfig { files, every: Duration::ZERO, resume };
            let limits = Limits { expansions, ..Limits::default() };
            let stop = StopToken::new();
            let context = Context { threads: 2, limits, observer: &Silent, stop: &stop, keep: Some(&keep) };
            search_with(EngineKind::Synthesis, &machine, &Parameters::default(), &context, PLAN)
        };
        let working = Failing::behind(i64::MAX, Other);
        let first = session(&working, false, Some(plain.statistics.expanded / 3)).expect("no checkpoint is read");
        if first.stopped.is_none() {
            continue;
        }
        assert_eq!(first.stopped, Some(StopReason::ExpansionLimit));
        let goes_on = |calls: i64| {
            let disk = Failing::behind(calls, Other);
            (session(&disk, true, None), disk.left())
        };
        let (whole, left) = goes_on(1 << 40);
        let calls = (1 << 40) - left;
        for calls in [1, 9, 25, 60, 85, 97].map(|hundredths| calls * hundredths / 100) {
            let (Ok(outcome), left) = goes_on(calls) else { continue };
            let is_stopped = outcome.stopped == Some(StopReason::DiskFailed);
            assert_eq!(outcome.failure.is_some(), left < 0, "{calls} calls");
            // A program that was held is as good as any where everything shorter was tried before.
            assert_eq!(is_stopped, left < 0 && outcome.status() != Status::Optimal, "{calls} calls");
            assert!(outcome.lower_bound <= plain.lower_bound);
            if let Some(Solution { cost, moves }) = &outcome.incumbent {
                assert!(*cost >= plain.lower_bound && Simulator::new(&machine).left(moves, PATIENCE) == 0);
            }
            failed += usize::from(is_stopped);
        }
        // Whatever was there before is there still.
        for outcome in [whole.expect("a checkpoint"), session(&working, true, None).expect("a checkpoint")] {
            assert_eq!((outcome.incumbent.as_ref(), outcome.stopped), (plain.incumbent.as_ref(), None));
            assert_eq!(
                (outcome.lower_bound, outcome.statistics.layers),
                (plain.lower_bound, plain.statistics.layers.clone())
            );
        }
        proven += 1;
    }
}

/// Compares with the smallest program on any number of threads, until enough searches have ended sooner.
fn compare_any(rng: &mut ChaCha8Rng, plan: Plan) {
    let (mut sooner, mut others, mut large) = (0, 0, 0);
    while sooner < 20 || others < 5 || large < 5 {
        let machine = Table::turning(rng, 16);
        if !is_solvable(&machine) {
            continue;
        }
        let smallest = solve(&machine, ALL_STORED);
        let [one, three] = [1, 3].map(|threads| solve_on(threads, EngineKind::Auto, &machine, plan));
        assert_eq!((one.lower_bound, one.status()), (smallest.lower_bound, Status::Optimal));
        assert_eq!(one.incumbent, three.incumbent, "{:?}", machine.steps);
        let codes = &one.incumbent.as_ref().expect("a program").moves;
        assert_eq!(Simulator::new(&machine).left(codes, PATIENCE), 0, "{codes:?}, {:?}", machine.steps);
        let is_sooner = one.statistics.expanded < smallest.statistics.expanded;
        sooner += u32::from(is_sooner);
        others += u32::from(one.incumbent != smallest.incumbent);
        // From seven tokens on bodies may be two and more beyond the highest level.
        large += u32::from(is_sooner && one.lower_bound >= 7);
    }
}

/// Cycles of 5, 7, 11 and 13 states under the first instruction, which come round together after 5,005 steps; the second leads from each to the
/// next one.
pub(super) fn cycles() -> Table {
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

/// A loop with more counts than are tried: what is found is a program, and nothing is said to be proven that would need them.
#[test]
fn counts_that_are_left_out_are_missed_in_the_proof() {
    let machine = cycles();
    let outcome = solve(&machine, ALL_STORED);
    let solution = outcome.incumbent.as_ref().expect("a program");
    assert_eq!((outcome.lower_bound, outcome.status(), outcome.stopped), (3, Status::Feasible, None));
    assert!(solution.cost > 3 && Simulator::new(&machine).left(&solution.moves, PATIENCE) == 0, "{solution:?}");
}
