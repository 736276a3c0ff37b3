//! Ends that nobody chose: the process killed at every call to the disk and in the midst of its work, power lost with
//! writes lost or torn, disks that are full or fail. Whatever happens, a resume is right or says why there is none.

use crate::common::{Ambushed, Same, Setting, WithoutSets, is_long, random_board, rng, with_puzzle};
use crate::engines::run_in;
use crate::kept::{Run, assert_proven, assert_same, keep};
use crate::ranks::{Shape, search_on};
use crate::watched::{Change, Watched};
use gridhunt_boards::Board;
use gridhunt_floodit::{FloodIt, Visitor};
use gridhunt_search::checkpoint::{CheckpointFiles, exists, inspect};
use gridhunt_search::engine::{CheckpointConfig, Outcome, StateEngine, sequel_files};
use gridhunt_search::runtime::{Limits, MessageDelays, StopReason};
use rand::Rng;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A board of some thousand states: for the search that learns, or for best-first search.
fn small_board(engine: StateEngine) -> Board {
    let side = if engine == StateEngine::LEARNING { 24 } else { 16 };
    random_board(&mut rng(51), side, side, 6)
}

/// The board, and what a plain search says of it.
fn small(engine: StateEngine) -> (Board, Outcome) {
    let board = small_board(engine);
    let plain = if engine == StateEngine::LEARNING {
        run_in(&board, "elimination", Setting::new(engine, 1))
    } else {
        with_puzzle(&board, Run(Setting::new(StateEngine::BEST_FIRST, 1)))
    };
    assert!(plain.statistics.expanded > 1_000, "{} states: too few to tell", plain.statistics.expanded);
    (board, plain)
}

/// A folder, in memory where there is such a file system: there checkpoints follow each other most closely.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

/// The engines that are kept. Of `auto`, best-first search ends at its first look at the disk, and IDA* goes on.
const KEPT: [StateEngine; 4] = [StateEngine::BEST_FIRST, StateEngine::IDA, StateEngine::AUTO, StateEngine::LEARNING];

fn keep_of(engine: StateEngine, folder: &Path, every: Duration) -> CheckpointConfig {
    let mut keep = keep(folder, every);
    keep.files.storage.max_disk_bytes = (engine == StateEngine::AUTO).then_some(1);
    keep
}

/// The checkpoints of a search and of its sequel, as far as they exist.
fn checkpoints(keep: &CheckpointConfig) -> Vec<CheckpointFiles> {
    [keep.files.clone(), sequel_files(&keep.files)].into_iter().filter(exists).collect()
}

/// One process of one thread.
const ALONE: Shape = (1, 1);

fn search(board: &Board, engine: StateEngine, keep: &CheckpointConfig, shape: Shape) -> Outcome {
    search_within(board, (engine, shape), keep, Limits::default())
}

/// Searches on ranks if there are several. Returns the outcome of the leader.
fn search_within(
    board: &Board,
    (engine, (ranks, threads)): (StateEngine, Shape),
    keep: &CheckpointConfig,
    limits: Limits,
) -> Outcome {
    let search = |setting: Setting<'_>| {
        let setting = Setting { checkpoints: Some(keep), limits, ..setting };
        if engine == StateEngine::LEARNING {
            run_in(board, "elimination", setting)
        } else {
            with_puzzle(board, Run(setting))
        }
    };
    if ranks == 1 {
        return search(Setting::new(engine, threads));
    }
    search_on((ranks, threads), MessageDelays { seed: 7, delay: 2 }, engine, search).remove(0)
}

/// IDA* and the search that learns count more in the layer in whose midst they were interrupted.
fn assert_right(engine: StateEngine, board: &Board, kept: &Outcome, plain: &Outcome, context: &str) {
    if engine == StateEngine::BEST_FIRST {
        assert_same(board, kept, plain, context);
    } else {
        assert_proven(board, kept, plain, context);
    }
}

/// Searches in sessions of some hundred states, each of which ends with a checkpoint; there are others in between.
fn search_in_sessions(keep: &mut CheckpointConfig, search: impl Fn(&CheckpointConfig, Limits) -> Outcome) -> Outcome {
    loop {
        let outcome = search(keep, Limits { expansions: Some(700), ..Limits::default() });
        if outcome.stopped != Some(StopReason::ExpansionLimit) {
            return outcome;
        }
        // A disk without room may hold nothing yet.
        keep.resume = !checkpoints(keep).is_empty();
    }
}

/// Goes on with whatever is in the folder, with a disk that works. Returns whether there was a checkpoint.
fn go_on((engine, shape): (StateEngine, Shape), board: &Board, plain: &Outcome, folder: &Path, context: &str) -> bool {
    let mut keep = keep_of(engine, folder, Duration::from_secs(100_000));
    for files in checkpoints(&keep) {
        keep.resume = true;
        if let Err(error) = inspect(&files) {
            panic!("{context}: {error}");
        }
    }
    assert_right(engine, board, &search(board, engine, &keep, shape), plain, context);
    keep.resume
}

// ---- Killed ----

/// The numbers of the engine and of ranks, the call at which [`child`] dies, an evaluation when it is negative, and the
/// folder.
const ORDER: &str = "GRIDHUNT_TEST_CHILD";

fn die() -> ! {
    #[cfg(windows)]
    std::process::abort();
    #[cfg(unix)]
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).expect("permission");
    #[cfg(unix)]
    unreachable!("dead")
}

/// Kills the process at this evaluation.
struct DeadlyRun<'a>(Setting<'a>, u64);

impl Visitor for DeadlyRun<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let bound = Ambushed::new(puzzle, self.1, &|| die());
        if self.0.engine == StateEngine::LEARNING {
            self.0.search(puzzle, bound)
        } else {
            self.0.search(&WithoutSets(puzzle, 0), Same(bound))
        }
    }
}

/// Not a test but the process that the tests below kill.
#[test]
fn child() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut order = order.splitn(4, ' ');
    let mut number = || order.next().expect("an order").parse::<i64>().expect("a number");
    let (engine, ranks, at) = (KEPT[number() as usize], number() as usize, number());
    let board = small_board(engine);
    let mut keep = keep_of(engine, Path::new(order.next().expect("a folder")), Duration::ZERO);
    keep.resume = !checkpoints(&keep).is_empty();
    if at > 0 {
        let (_, backend) = Watched::counted(move |call| if call == at as u64 { die() } else { Ok(()) });
        keep.files.storage.backend = Arc::new(backend);
    }
    search_in_sessions(&mut keep, |keep, limits| {
        if ranks > 1 {
            return search_within(&board, (engine, (ranks, 1)), keep, limits);
        }
        let setting = Setting { checkpoints: Some(keep), limits, ..Setting::new(engine, 2) };
        with_puzzle(&board, DeadlyRun(setting, at.min(0).unsigned_abs()))
    });
}

/// Runs [`child`]; returns whether it died.
fn run_child(engine: StateEngine, ranks: usize, folder: &Path, at: i64) -> bool {
    let number = KEPT.iter().position(|&kept| kept == engine).expect("one that is kept");
    let program = std::env::current_exe().expect("a path");
    // Where an emulator runs these tests, the child needs it too.
    let emulator = std::env::var("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER");
    let mut command = match emulator.ok().filter(|_| cfg!(target_arch = "aarch64")) {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command
        .args(["--exact", "crash::child", "--test-threads", "1"])
        .env(ORDER, format!("{number} {ranks} {at} {}", folder.display()));
    let output = command.output().expect("a child");
    assert_ne!(output.status.code(), Some(101), "{}", String::from_utf8_lossy(&output.stdout));
    !output.status.success()
}

/// Kills a search, on one rank or on several. Each resume has another number of ranks if `ranks` are several.
fn kill_at_every_call(engine: StateEngine, ranks: usize, most: i64) {
    let (board, plain) = small(engine);
    let mut resumed = 0;
    for at in 1.. {
        let folder = folder();
        let other = if ranks > 1 { 1 + at as usize % 3 } else { 1 };
        if !run_child(engine, ranks, folder.path(), at) {
            assert!(at > 60 && resumed > 30, "{at} calls, {resumed} resumes: too few to tell");
            break;
        }
        // In the midst of a resume, too.
        if at % 3 == 0 {
            run_child(engine, other, folder.path(), 1 + at % 50);
        }
        let context = format!("{} on {ranks} ranks killed at call {at}, then on {other}", engine.info.name);
        resumed += u32::from(go_on((engine, (other, 2)), &board, &plain, folder.path(), &context));
        if at == most {
            assert!(resumed > 3, "{resumed} resumes: too few to tell");
            break;
        }
    }
}

#[test]
fn killed_at_every_call_to_the_disk() {
    kill_at_every_call(StateEngine::BEST_FIRST, 1, if is_long() { 400 } else { 90 });
}

#[test]
fn ranks_killed_at_every_call_to_the_disk() {
    // The more ranks, the later the first checkpoint.
    for ranks in 2..if is_long() { 4 } else { 3 } {
        kill_at_every_call(StateEngine::BEST_FIRST, ranks, if is_long() { 400 } else { 110 });
    }
}

#[test]
fn ida_killed_at_every_call_to_the_disk() {
    kill_at_every_call(StateEngine::IDA, 1, if is_long() { 150 } else { 20 });
}

#[test]
fn auto_killed_at_every_call_to_the_disk() {
    kill_at_every_call(StateEngine::AUTO, 1, if is_long() { 150 } else { 70 });
}

#[test]
fn learning_killed_at_every_call_to_the_disk() {
    kill_at_every_call(StateEngine::LEARNING, 1, if is_long() { 150 } else { 20 });
}

#[test]
fn killed_at_any_moment() {
    let mut rng = rng(52);
    // Later than in one session only a few would die: a resume evaluates nothing before it goes on.
    let latest = 2_000;
    let half = if is_long() { 50 } else { 8 };
    let cases = [
        (StateEngine::BEST_FIRST, 2 * half),
        (StateEngine::IDA, half),
        (StateEngine::AUTO, half),
        (StateEngine::LEARNING, half),
    ];
    let (mut resumed, mut died) = (0, 0);
    for (engine, rounds) in cases {
        let (board, plain) = small(engine);
        for round in 0..rounds {
            let folder = folder();
            // Each time twice: the second time it was resumed before.
            for _ in 0..2 {
                died += u32::from(run_child(engine, 1, folder.path(), -rng.random_range(1..latest)));
            }
            let context = format!("{}, round {round}", engine.info.name);
            resumed += u32::from(go_on((engine, (1, 2)), &board, &plain, folder.path(), &context));
        }
    }
    // On a busy machine a search may die before its first checkpoint.
    assert!(died > 5 * half && resumed > half / 2, "{died} deaths, {resumed} resumes: too few to tell");
}

// ---- Disks that fail ----

/// Searches with a disk that fails at each call in turn, once or from then on. Returns how many searches that stopped.
fn fail_at_every_call((engine, shape): (StateEngine, Shape), kind: io::ErrorKind, most: u64) -> u32 {
    let (board, plain) = small(engine);
    let mut stopped = 0;
    for at in 1.. {
        let folder = folder();
        let mut keep = keep_of(engine, folder.path(), Duration::ZERO);
        let fails = move |call: u64| call == at || call > at && at.is_multiple_of(2);
        let (calls, backend) = Watched::counted(move |call| if fails(call) { Err(kind.into()) } else { Ok(()) });
        keep.files.storage.backend = Arc::new(backend);
        let outcome = search(&board, engine, &keep, shape);
        let context = format!("{} on {shape:?}, {kind:?} at call {at}", engine.info.name);
        if let Some(reason) = outcome.stopped {
            let expected = if kind == io::ErrorKind::Other { StopReason::DiskFailed } else { StopReason::DiskLimit };
            assert_eq!((reason, outcome.failure.is_some()), (expected, true), "{context}");
            assert!(outcome.lower_bound <= plain.lower_bound, "{context}");
            stopped += 1;
        } else {
            assert_right(engine, &board, &outcome, &plain, &context);
        }
        go_on((engine, (1, 2)), &board, &plain, folder.path(), &context);
        if calls.load(SeqCst) < at || at == most {
            break;
        }
    }
    stopped
}

#[test]
fn a_disk_that_is_full_or_fails_is_told_and_nothing_is_lost() {
    // Both kinds take the same way: the second is tried at fewer calls.
    for (kind, part) in [(io::ErrorKind::StorageFull, 1), (io::ErrorKind::Other, 4)] {
        for (engine, most) in [
            (StateEngine::BEST_FIRST, if is_long() { 250 } else { 40 }),
            (StateEngine::IDA, if is_long() { 80 } else { 20 }),
            (StateEngine::LEARNING, if is_long() { 80 } else { 20 }),
        ] {
            let stopped = fail_at_every_call((engine, (1, 2)), kind, most / part);
            assert!(
                stopped > if is_long() { 20 } else { 8 } / part as u32,
                "{}: {stopped} searches stopped: too few to tell",
                engine.info.name
            );
        }
    }
}

/// The disk fails one rank: all stop, the failure is told, and a resume on one rank is right.
#[test]
fn a_disk_that_fails_one_rank_stops_all_and_nothing_is_lost() {
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        let most = if is_long() { 300 } else { 60 };
        let stopped = fail_at_every_call((StateEngine::BEST_FIRST, (2, 1)), kind, most);
        assert!(stopped > if is_long() { 20 } else { 8 }, "{stopped} searches stopped: too few to tell");
    }
}

/// IDA* needs no disk: where best-first search ends for want of room, `auto` goes on in any case.
#[test]
fn auto_goes_on_without_a_disk_that_is_full() {
    let most = if is_long() { 80 } else { 16 };
    assert_eq!(fail_at_every_call((StateEngine::AUTO, (1, 2)), io::ErrorKind::StorageFull, most), 0);
    // One that fails while best-first search needs it is another matter.
    fail_at_every_call((StateEngine::AUTO, (1, 2)), io::ErrorKind::Other, most);
}

// ---- Power lost ----

/// A disk as it is in memory and as it is on the platter: contents by number of file, numbers by name.
#[derive(Clone, Default)]
struct Model {
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    contents: Vec<Vec<u8>>,
    durable_contents: Vec<Vec<u8>>,
}

impl Model {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Make(path) => {
                self.names.insert(path.clone(), self.contents.len());
                self.contents.push(Vec::new());
                self.durable_contents.push(Vec::new());
            }
            Change::Write(path, at, bytes) => self.write(path, *at, bytes),
            Change::Cut(path, length) => self.contents[self.names[path]].resize(*length as usize, 0),
            Change::Sync(path) => {
                let number = self.names[path];
                self.durable_contents[number] = self.contents[number].clone();
            }
            Change::Rename(from, to) => {
                let number = self.names.remove(from).expect("a file");
                self.names.insert(to.clone(), number);
            }
            Change::Remove(path) => _ = self.names.remove(path),
            Change::SyncFolder => self.durable_names = self.names.clone(),
            Change::Nothing => {}
        }
    }

    fn write(&mut self, path: &Path, at: u64, bytes: &[u8]) {
        let (contents, end) = (&mut self.contents[self.names[path]], at as usize + bytes.len());
        contents.resize(contents.len().max(end), 0);
        contents[at as usize..end].copy_from_slice(bytes);
    }

    /// Puts a disk into a folder: with all names or the durable ones, and with all contents or the durable ones.
    fn put(&self, all_names: bool, all_contents: bool, folder: &Path) {
        let names = if all_names { &self.names } else { &self.durable_names };
        for (path, &number) in names {
            let contents = if all_contents { &self.contents[number] } else { &self.durable_contents[number] };
            std::fs::write(folder.join(path.file_name().expect("a name")), contents).expect("room");
        }
    }
}

/// What a resume finds after the power came back: the right answer, or nothing that can be used, which it says.
fn after_power(
    search: (StateEngine, Shape),
    board: &Board,
    plain: &Outcome,
    fill: impl FnOnce(&Path),
    context: &str,
) -> bool {
    let folder = folder();
    fill(folder.path());
    let settings = keep(folder.path(), Duration::ZERO).files;
    if exists(&settings) && inspect(&settings).is_err() {
        return false;
    }
    go_on(search, board, plain, folder.path(), context)
}

/// A search with some checkpoints, its changes of the disk.
fn recorded(engine: StateEngine, shape: Shape, board: &Board) -> Vec<Change> {
    let folder = folder();
    let changes = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&changes);
    let mut keep = keep(folder.path(), Duration::ZERO);
    keep.files.storage.backend = Arc::new(Watched::by(move |change| {
        if !matches!(change, Change::Nothing) {
            notes.lock().expect("no panic").push(change);
        }
        Ok(())
    }));
    search_in_sessions(&mut keep, |keep, limits| search_within(board, (engine, shape), keep, limits));
    std::mem::take(&mut *changes.lock().expect("no panic"))
}

/// Loses power in searches of the first shape, and continues in the second.
fn lose_power_at_every_point(engine: StateEngine, [shape, other]: [Shape; 2], most: usize) {
    let (board, plain) = small(engine);
    let changes = recorded(engine, shape, &board);
    let (mut model, mut resumed) = (Model::default(), 0);
    // Before the first manifest there is nothing to resume from.
    let first = changes.iter().position(|change| matches!(change, Change::Rename(..))).expect("a checkpoint");
    let begin = first.saturating_sub(most / 3);
    changes[..begin].iter().for_each(|change| model.apply(change));
    for (number, change) in changes.iter().enumerate().skip(begin).take(most) {
        for torn in 1..tears(change) {
            let mut model = model.clone();
            if let Change::Write(path, at, bytes) = change {
                model.write(path, *at, &bytes[..torn * 4_096]);
            }
            let context = format!("{}, change {number} torn at {torn}", engine.info.name);
            let fill = |folder: &Path| model.put(true, true, folder);
            let found = after_power((engine, other), &board, &plain, fill, &context);
            assert!(found || resumed == 0, "{context}");
        }
        model.apply(change);
        for (names, contents) in [(false, false), (true, false), (false, true), (true, true)] {
            let context =
                format!("{}, after change {number}, all names {names}, all contents {contents}", engine.info.name);
            let fill = |folder: &Path| model.put(names, contents, folder);
            let found = after_power((engine, other), &board, &plain, fill, &context);
            // Once there is a checkpoint, there always is.
            assert!(found || resumed == 0, "{context}");
            if !names && !contents {
                resumed += u32::from(found);
            }
        }
    }
    assert!(resumed as usize > most / 3, "{resumed} resumes: too few to tell");
}

#[test]
fn power_lost_at_every_point() {
    let (of_best_first, of_ida) = if is_long() { (400, 150) } else { (24, 16) };
    lose_power_at_every_point(StateEngine::BEST_FIRST, [ALONE, (1, 2)], of_best_first);
    lose_power_at_every_point(StateEngine::IDA, [ALONE, (1, 2)], of_ida);
}

/// Every lost write and sync of the ranks in turn: the checkpoint before remains, for other numbers of ranks too.
#[test]
fn power_lost_at_every_point_on_ranks() {
    let most = if is_long() { 400 } else { 12 };
    lose_power_at_every_point(StateEngine::BEST_FIRST, [(2, 1), (3, 1)], most);
    lose_power_at_every_point(StateEngine::BEST_FIRST, [(3, 1), (1, 1)], most);
}

/// How many stretches of 4 KiB a write touches.
fn tears(change: &Change) -> usize {
    if let Change::Write(_, _, bytes) = change { bytes.len().div_ceil(4_096) } else { 0 }
}

/// Each single sync does nothing, and the power goes at every later point: what is found is right, or nothing is.
fn lose_syncs([shape, other]: [Shape; 2]) {
    let engine = StateEngine::BEST_FIRST;
    let (board, plain) = small(engine);
    let changes = recorded(engine, shape, &board);
    let syncs = |change: &Change| matches!(change, Change::Sync(_) | Change::SyncFolder);
    let lost: Vec<_> =
        (0..changes.len().min(if is_long() { 200 } else { 80 })).filter(|&number| syncs(&changes[number])).collect();
    assert!(lost.len() > if is_long() { 20 } else { 8 }, "{} syncs: too few to tell", lost.len());
    for lost in lost {
        let mut model = Model::default();
        for (number, change) in changes.iter().enumerate().take(lost + 60) {
            if number != lost {
                model.apply(change);
            }
            // Only where something became durable.
            if number > lost && matches!(change, Change::SyncFolder) {
                for names in [false, true] {
                    let context = format!("sync {lost} lost, power lost after {number}, all names {names}");
                    let fill = |folder: &Path| model.put(names, false, folder);
                    after_power((engine, other), &board, &plain, fill, &context);
                }
            }
        }
    }
}

#[test]
fn syncs_that_do_nothing() {
    lose_syncs([ALONE, (1, 2)]);
}

#[test]
fn syncs_that_do_nothing_on_ranks() {
    lose_syncs([(2, 1), (1, 1)]);
}
