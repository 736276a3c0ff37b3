//! Ends that nobody chose: the process killed at every call to the disk and in the midst of its work, power lost with
//! writes lost or torn, disks that are full or fail. Whatever happens, a resume is right or says why there is none.

use crate::common::{Setting, random_board, rng};
use crate::kept::{Run, assert_same, keep};
use gridhunt::board::Board;
use gridhunt::domain::floodit::{BoundSpec, FloodBound, FloodIt, Visitor, with_puzzle};
use gridhunt::domain::{Bound, Cost, Domain, LowerBound};
use gridhunt::engine::{EngineKind, Keep, Outcome};
use gridhunt::runtime::{Limits, StopReason};
use gridhunt::store::{Disk, Medium, MediumFile, exists, inspect};
use rand::Rng;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// Some thousand states, and what a plain search says of them.
fn small() -> (Board, Outcome) {
    let board = random_board(&mut rng(51), 16, 16, 6);
    let plain = with_puzzle(&board, Run(Setting::new(EngineKind::BestFirst, 1)));
    assert!(plain.statistics.expanded > 1_000, "{} states: too few to tell", plain.statistics.expanded);
    (board, plain)
}

/// A folder, in memory where there is such a file system: there checkpoints follow each other most closely.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

fn search(board: &Board, keep: &Keep, threads: usize) -> Outcome {
    with_puzzle(board, Run(Setting { keep: Some(keep), ..Setting::new(EngineKind::BestFirst, threads) }))
}

/// Searches in sessions of some hundred states, each of which ends with a checkpoint; there are others in between.
fn search_in_sessions(keep: &mut Keep, search: impl Fn(&Keep, Limits) -> Outcome) -> Outcome {
    loop {
        let outcome = search(keep, Limits { expansions: Some(700), ..Limits::default() });
        if outcome.stopped != Some(StopReason::ExpansionLimit) {
            return outcome;
        }
        keep.resume = true;
    }
}

/// Goes on with whatever is in the folder, with a disk that works. Returns whether there was a checkpoint.
fn go_on(board: &Board, plain: &Outcome, folder: &Path, context: &str) -> bool {
    let mut keep = keep(folder, Duration::from_secs(100_000));
    keep.resume = exists(&keep.archive);
    if keep.resume
        && let Err(error) = inspect(&keep.archive)
    {
        panic!("{context}: {error}");
    }
    assert_same(board, &search(board, &keep, 2), plain, context);
    keep.resume
}

// ---- A disk that is watched ----

/// A change of a disk.
#[derive(Clone, Debug)]
enum Change {
    Make(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Cut(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    SyncFolder,
    /// Nothing changes: something is opened or read.
    Nothing,
}

/// Hears of each change before it happens, and may do something else instead.
type Watcher = dyn Fn(Change) -> io::Result<()> + Send + Sync;

#[derive(Clone)]
struct Watched(Arc<Watcher>);

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl Watched {
    /// Calls `ambush` with the number of each change, from 1.
    fn counted(ambush: impl Fn(u64) -> io::Result<()> + Send + Sync + 'static) -> (Arc<AtomicU64>, Self) {
        let calls = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&calls);
        (calls, Self(Arc::new(move |_| ambush(counter.fetch_add(1, SeqCst) + 1))))
    }
}

#[derive(Debug)]
struct WatchedFile {
    file: Box<dyn MediumFile>,
    path: PathBuf,
    by: Watched,
}

impl Medium for Watched {
    fn create(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        (self.0)(Change::Make(path.to_owned()))?;
        Ok(Box::new(WatchedFile { file: Disk.create(path)?, path: path.to_owned(), by: self.clone() }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        (self.0)(Change::Nothing)?;
        Ok(Box::new(WatchedFile { file: Disk.open(path)?, path: path.to_owned(), by: self.clone() }))
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        (self.0)(Change::Nothing)?;
        Disk.create_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        (self.0)(Change::Rename(from.to_owned(), to.to_owned()))?;
        Disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        (self.0)(Change::Remove(path.to_owned()))?;
        Disk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        (self.0)(Change::SyncFolder)?;
        Disk.sync_folder(path)
    }

    fn free_bytes(&self, path: &Path) -> io::Result<u64> {
        Disk.free_bytes(path)
    }
}

impl MediumFile for WatchedFile {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        (self.by.0)(Change::Nothing)?;
        self.file.read(bytes, at)
    }

    fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        // Half of it is there when the process or the disk ends in the midst.
        let half = bytes.len() / 2;
        self.file.write(&bytes[..half], at)?;
        (self.by.0)(Change::Write(self.path.clone(), at, bytes.to_vec()))?;
        self.file.write(&bytes[half..], at + half as u64)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        (self.by.0)(Change::Cut(self.path.clone(), length))?;
        self.file.cut(length)
    }

    fn sync(&self) -> io::Result<()> {
        (self.by.0)(Change::Sync(self.path.clone()))?;
        self.file.sync()
    }
}

// ---- Killed ----

/// `folder` and the call at which [`child`] dies; an evaluation when the call is negative.
const ORDER: &str = "GRIDHUNT_TEST_CHILD";

fn die() -> ! {
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).expect("permission");
    unreachable!("dead")
}

/// The usual bound; it kills the process at its `at`-th evaluation.
struct Deadly<'a, const W: usize>(FloodBound<'a, W>, AtomicU64);

impl<const W: usize> LowerBound<FloodIt<W>> for Deadly<'_, W> {
    type Scratch = <FloodBound<'static, W> as LowerBound<FloodIt<W>>>::Scratch;

    fn name(&self) -> String {
        "deadly".to_owned()
    }

    fn evaluate(&self, state: &<FloodIt<W> as Domain>::State, enough: Cost, scratch: &mut Self::Scratch) -> Bound {
        if self.1.fetch_sub(1, SeqCst) == 1 {
            die();
        }
        self.0.evaluate(state, enough, scratch)
    }

    fn consistent(&self) -> bool {
        true
    }
}

struct DeadlyRun<'a>(Setting<'a>, u64);

impl Visitor for DeadlyRun<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let bound = Deadly(FloodBound::new(puzzle, &BoundSpec::default()), AtomicU64::new(self.1));
        self.0.search(puzzle, &bound)
    }
}

/// Not a test but the process that the tests below kill.
#[test]
fn child() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let (at, folder) = order.split_once(' ').expect("an order");
    let at: i64 = at.parse().expect("a number");
    let (board, _) = small();
    let mut keep = keep(Path::new(folder), Duration::ZERO);
    keep.resume = exists(&keep.archive);
    if at > 0 {
        let (_, medium) = Watched::counted(move |call| if call == at as u64 { die() } else { Ok(()) });
        keep.archive.medium = Arc::new(medium);
    }
    search_in_sessions(&mut keep, |keep, limits| {
        let setting = Setting { keep: Some(keep), limits, ..Setting::new(EngineKind::BestFirst, 2) };
        with_puzzle(&board, DeadlyRun(setting, at.min(0).unsigned_abs()))
    });
}

/// Runs [`child`]; returns whether it died.
fn run_child(folder: &Path, at: i64) -> bool {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.args(["--exact", "crash::child", "--test-threads", "1"]).env(ORDER, format!("{at} {}", folder.display()));
    let output = command.output().expect("a child");
    assert_ne!(output.status.code(), Some(101), "{}", String::from_utf8_lossy(&output.stdout));
    !output.status.success()
}

#[test]
fn killed_at_every_call_to_the_disk() {
    let (board, plain) = small();
    let mut resumed = 0;
    for at in 1.. {
        let folder = folder();
        if !run_child(folder.path(), at) {
            assert!(at > 60 && resumed > 30, "{at} calls, {resumed} resumes: too few to tell");
            break;
        }
        // In the midst of a resume, too.
        if at % 3 == 0 {
            run_child(folder.path(), 1 + at % 50);
        }
        resumed += u32::from(go_on(&board, &plain, folder.path(), &format!("killed at call {at}")));
        if at == 400 {
            break;
        }
    }
}

#[test]
fn killed_at_any_moment() {
    let (board, plain) = small();
    let mut rng = rng(52);
    let (mut resumed, mut died) = (0, 0);
    for round in 0..100 {
        let folder = folder();
        // Each time twice: the second time it was resumed before.
        for _ in 0..2 {
            died += u32::from(run_child(folder.path(), -rng.random_range(1..plain.statistics.evaluated as i64)));
        }
        resumed += u32::from(go_on(&board, &plain, folder.path(), &format!("round {round}")));
    }
    assert!(died > 120 && resumed > 50, "{died} deaths, {resumed} resumes: too few to tell");
}

// ---- Disks that fail ----

#[test]
fn a_disk_that_is_full_or_fails_is_told_and_nothing_is_lost() {
    let (board, plain) = small();
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::Other] {
        let mut stopped = 0;
        for at in 1.. {
            let folder = folder();
            let mut keep = keep(folder.path(), Duration::ZERO);
            // It fails once, or from then on.
            let fails = move |call: u64| call == at || call > at && at.is_multiple_of(2);
            let (calls, medium) = Watched::counted(move |call| if fails(call) { Err(kind.into()) } else { Ok(()) });
            keep.archive.medium = Arc::new(medium);
            let outcome = search(&board, &keep, 2);
            let context = format!("{kind:?} at call {at}");
            if let Some(reason) = outcome.stopped {
                let expected =
                    if kind == io::ErrorKind::Other { StopReason::DiskFailed } else { StopReason::DiskLimit };
                assert_eq!((reason, outcome.failure.is_some()), (expected, true), "{context}");
                assert!(outcome.lower_bound <= plain.lower_bound, "{context}");
                stopped += 1;
            } else {
                assert_same(&board, &outcome, &plain, &context);
            }
            go_on(&board, &plain, folder.path(), &context);
            if calls.load(SeqCst) < at || at == 250 {
                break;
            }
        }
        assert!(stopped > 20, "{stopped} searches stopped: too few to tell");
    }
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
fn after_power(board: &Board, plain: &Outcome, fill: impl FnOnce(&Path), context: &str) -> bool {
    let folder = folder();
    fill(folder.path());
    let settings = keep(folder.path(), Duration::ZERO).archive;
    if exists(&settings) && inspect(&settings).is_err() {
        return false;
    }
    go_on(board, plain, folder.path(), context)
}

/// A search with some checkpoints, its changes of the disk.
fn recorded(board: &Board) -> Vec<Change> {
    let folder = folder();
    let changes = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&changes);
    let mut keep = keep(folder.path(), Duration::ZERO);
    keep.archive.medium = Arc::new(Watched(Arc::new(move |change| {
        if !matches!(change, Change::Nothing) {
            notes.lock().expect("no panic").push(change);
        }
        Ok(())
    })));
    search_in_sessions(&mut keep, |keep, limits| {
        with_puzzle(board, Run(Setting { keep: Some(keep), limits, ..Setting::new(EngineKind::BestFirst, 1) }))
    });
    std::mem::take(&mut *changes.lock().expect("no panic"))
}

#[test]
fn power_lost_at_every_point() {
    let (board, plain) = small();
    let changes = recorded(&board);
    let (mut model, mut resumed) = (Model::default(), 0);
    for (number, change) in changes.iter().take(400).enumerate() {
        for torn in 1..tears(change) {
            let mut model = model.clone();
            if let Change::Write(path, at, bytes) = change {
                model.write(path, *at, &bytes[..torn * 4_096]);
            }
            let context = format!("change {number} torn at {torn}");
            assert!(after_power(&board, &plain, |folder| model.put(true, true, folder), &context) || resumed == 0);
        }
        model.apply(change);
        for (names, contents) in [(false, false), (true, false), (false, true), (true, true)] {
            let context = format!("after change {number}, all names {names}, all contents {contents}");
            let found = after_power(&board, &plain, |folder| model.put(names, contents, folder), &context);
            // Once there is a checkpoint, there always is.
            assert!(found || resumed == 0, "{context}");
            if !names && !contents {
                resumed += u32::from(found);
            }
        }
    }
    assert!(resumed > 30, "{resumed} resumes: too few to tell");
}

/// How many stretches of 4 KiB a write touches.
fn tears(change: &Change) -> usize {
    if let Change::Write(_, _, bytes) = change { bytes.len().div_ceil(4_096) } else { 0 }
}

/// Each single sync does nothing, and the power goes at every later point: what is found is right, or nothing is.
#[test]
fn syncs_that_do_nothing() {
    let (board, plain) = small();
    let changes = recorded(&board);
    let syncs = |change: &Change| matches!(change, Change::Sync(_) | Change::SyncFolder);
    let lost: Vec<_> = (0..changes.len().min(200)).filter(|&number| syncs(&changes[number])).collect();
    assert!(lost.len() > 20, "{} syncs: too few to tell", lost.len());
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
                    after_power(&board, &plain, |folder| model.put(names, false, folder), &context);
                }
            }
        }
    }
}
