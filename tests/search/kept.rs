//! Searches that are kept on disk: the same answer and the same layers, whatever happens to them.

use crate::common::{Ambushed, Same, Setting, WithoutSets, is_long, random_board, rng, with_puzzle};
use crate::watched::{Watched, bytes_in};
use gridhunt_boards::Board;
use gridhunt_floodit::replay::replay;
use gridhunt_floodit::{BoundKind, FloodBound, FloodIt, Visitor};
use gridhunt_search::checkpoint::{CheckpointError, CheckpointFiles, exists, inspect};
use gridhunt_search::engine::{
    CheckpointConfig, Context, Outcome, Parameters, SessionClock, Solution, StateEngine, Status, Times, search,
    sequel_files,
};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Event, Layer, Limits, Observer, StopReason, StopToken};
use gridhunt_search::store::{Disk, StorageConfig};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

/// A search of floods as of a puzzle whose states are no sets.
pub struct Run<'a>(pub Setting<'a>);

impl Visitor for Run<'_> {
    type Output = Outcome;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Outcome {
        let bound = FloodBound::new(puzzle, BoundKind::Elimination);
        self.0.search(&WithoutSets(puzzle, 0), Same(bound))
    }
}

fn run(board: &Board, setting: Setting<'_>) -> Outcome {
    with_puzzle(board, Run(setting))
}

pub fn keep(folder: &Path, every: Duration) -> CheckpointConfig {
    let files = CheckpointFiles::unlimited(folder.to_owned(), "test");
    CheckpointConfig { files, every, resume: false, clock: SessionClock::after(Times::default(), 1) }
}

pub fn below(outcome: &Outcome, optimum: u32) -> Vec<Layer> {
    outcome.statistics.layers.iter().copied().filter(|layer| layer.f < optimum).collect()
}

const NEVER: Duration = Duration::from_secs(100_000);

/// Random boards, and what a plain search says of them. Several tests take the same.
type Plain = LazyLock<Vec<(Board, Outcome)>>;

fn plain_of(seed: u64, side: usize, boards: usize) -> Vec<(Board, Outcome)> {
    let mut rng = rng(seed);
    let plain = |board: Board| {
        let outcome = run(&board, Setting::new(StateEngine::BEST_FIRST, 1));
        (board, outcome)
    };
    (0..boards).map(|_| plain(random_board(&mut rng, side, side, 6))).collect()
}

/// Boards with some tens of thousands of states below the optimum.
static BOARDS: Plain = LazyLock::new(|| {
    let all = plain_of(41, 18, 16);
    let expanded: u64 = all.iter().map(|(_, outcome)| outcome.statistics.expanded).sum();
    assert!(expanded > 100_000, "{expanded} states: too easy to tell");
    all
});

/// All of them in the long run, otherwise six that take several sessions.
fn some_boards() -> impl Iterator<Item = (usize, &'static (Board, Outcome))> {
    let takes_sessions = |(_, (_, plain)): &(usize, &(Board, Outcome))| is_long() || plain.statistics.expanded > 2_500;
    BOARDS.iter().enumerate().filter(takes_sessions).take(if is_long() { 16 } else { 6 })
}

/// Boards with some hundred to some thousand states below the optimum.
static SMALL_BOARDS: Plain = LazyLock::new(|| plain_of(43, 16, if is_long() { 10 } else { 4 }));

pub fn assert_same(board: &Board, kept: &Outcome, plain: &Outcome, context: &str) {
    assert_proven(board, kept, plain, context);
    assert_eq!(below(kept, plain.lower_bound), below(plain, plain.lower_bound), "{context}");
}

/// The same optimum, whatever the layers count.
pub fn assert_proven(board: &Board, kept: &Outcome, plain: &Outcome, context: &str) {
    let expected = (Status::Optimal, plain.lower_bound, None);
    assert_eq!((kept.status(), kept.lower_bound, kept.stopped), expected, "{context}: {:?}", kept.failure);
    let solution = kept.incumbent.as_ref().expect("a solution");
    assert!(replay(board, &solution.moves).expect("legal moves").is_solved, "{context}");
}

#[test]
fn checkpoints_without_end_change_nothing() {
    for (number, (board, plain)) in some_boards() {
        for threads in [1, 2, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let keep = keep(folder.path(), Duration::ZERO);
            let kept = run_kept(board, StateEngine::BEST_FIRST, threads, &keep);
            assert_same(board, &kept, plain, &format!("board {number}, {threads} threads"));
        }
    }
}

#[test]
fn stopped_and_resumed_again_and_again_a_search_ends_the_same() {
    let mut sessions = 0;
    for (number, (board, plain)) in some_boards() {
        for engine in [StateEngine::BEST_FIRST, StateEngine::AUTO] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut keep = keep(folder.path(), NEVER);
            let mut lower_bound = 0;
            for session in 0.. {
                let threads = [1, 2, 8][session % 3];
                let limits = Limits { expansions: Some(2_500), ..Limits::default() };
                let outcome = run(board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(engine, threads) });
                let context = format!("board {number}, session {session} of {}", engine.info.name);
                assert!(outcome.lower_bound >= lower_bound, "{context}");
                lower_bound = outcome.lower_bound;
                if outcome.stopped.is_none() {
                    assert_same(board, &outcome, plain, &context);
                    break;
                }
                assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{context}: {:?}", outcome.failure);
                keep.resume = true;
                sessions += 1;
            }
        }
    }
    assert!(sessions > if is_long() { 50 } else { 5 }, "{sessions} sessions: too few to tell");
}

/// Ctrl-C while a run is read back: it is told as it stands, and stays as it is.
#[test]
fn a_run_that_is_interrupted_while_it_is_read_stays_as_it_is() {
    let large = |(_, plain): &(Board, Outcome)| plain.statistics.expanded > 10_000;
    let (board, plain) = BOARDS.iter().find(|board| large(board)).expect("one of them");
    for engine in [StateEngine::BEST_FIRST, StateEngine::AUTO] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let limits = Limits { expansions: Some(2_500), ..Limits::default() };
        let before = run(board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(engine, 2) });
        assert_eq!(before.stopped, Some(StopReason::ExpansionLimit));
        keep.resume = true;
        let unread = run(board, Setting { checkpoints: Some(&keep), interrupted: true, ..Setting::new(engine, 2) });
        assert_eq!(unread.stopped, Some(StopReason::Interrupted));
        assert_eq!(unread.lower_bound, before.lower_bound);
        // Records: a state that was stored again with a smaller g has several.
        let (records, stored) = (unread.statistics.stored, before.statistics.stored);
        assert!((stored..stored + stored / 8).contains(&records), "{records} records of {stored} states");
        assert!((1..=before.statistics.expanded).contains(&unread.statistics.expanded));
        let after = run(board, Setting { checkpoints: Some(&keep), ..Setting::new(engine, 2) });
        assert_same(board, &after, plain, engine.info.name);
    }
}

/// Boards for which a plain search stores at least so many states, and at most twice as many.
fn larger_boards(count: usize, least: u64) -> Vec<(Board, Outcome)> {
    let mut rng = rng(43);
    let boards = std::iter::repeat_with(|| random_board(&mut rng, 21, 21, 6)).take(40 * count);
    let searched = boards.filter_map(|board| {
        let limits = Limits { expansions: Some(least), ..Limits::default() };
        let plain = run(&board, Setting { limits, ..Setting::new(StateEngine::BEST_FIRST, 1) });
        let fits = plain.stopped.is_none() && (least..2 * least).contains(&plain.statistics.stored);
        fits.then_some((board, plain))
    });
    let found = searched.take(count).collect::<Vec<_>>();
    assert_eq!(found.len(), count);
    found
}

/// A search with so small a part of the memory that it needs, stopped after each `expansions` of them.
fn with_a_part(part: u64, board: &Board, plain: &Outcome, threads: usize, expansions: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), NEVER);
    keep.files.storage.max_store_bytes = Some(plain.statistics.peak_bytes / part);
    let limits = Limits { expansions: Some(expansions), ..Limits::default() };
    loop {
        let kept =
            run(board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(StateEngine::BEST_FIRST, threads) });
        if kept.stopped.is_none() {
            return assert_same(board, &kept, plain, &format!("{threads} threads"));
        }
        assert_eq!(kept.stopped, Some(StopReason::ExpansionLimit), "{threads} threads: {:?}", kept.failure);
        keep.resume = true;
    }
}

/// What does not fit goes to disk: records first, then the index. What stays are marks, the newest records and the
/// newest slots; the former make up a segment of each shard at least, so that many threads need many states for a tenth
/// to hold them.
#[test]
fn a_tenth_of_the_memory_is_enough() {
    for (board, plain) in larger_boards(if is_long() { 2 } else { 1 }, 500_000) {
        for (threads, part) in [(1, 10), (2, 5), (8, 2)].into_iter().skip(if is_long() { 0 } else { 2 }) {
            with_a_part(part, &board, &plain, threads, plain.statistics.expanded / 3);
        }
        with_a_part(10, &board, &plain, 1, u64::MAX);
    }
    if is_long() {
        for (board, plain) in larger_boards(1, 3_000_000) {
            for threads in [1, 2, 8] {
                with_a_part(10, &board, &plain, threads, u64::MAX);
                with_a_part(10, &board, &plain, threads, plain.statistics.expanded / 3);
            }
        }
    }
}

/// A resume opens the nodes of its checkpoint without evaluating them: a node is evaluated when its turn comes. So a
/// short session gets to its own expansions, and what it did is not lost.
#[test]
fn a_resume_evaluates_only_what_it_comes_to() {
    for (number, (board, plain)) in
        BOARDS.iter().enumerate().filter(|(_, (_, plain))| plain.statistics.expanded > 20_000)
    {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let session = |keep: &CheckpointConfig, expansions| {
            let limits = Limits { expansions: Some(expansions), ..Limits::default() };
            run(board, Setting { checkpoints: Some(keep), limits, ..Setting::new(StateEngine::BEST_FIRST, 1) })
        };
        let first = session(&keep, 10_000);
        let open = first.statistics.stored - first.statistics.expanded;
        assert!(open > 10_000, "board {number}: {open} open nodes");
        keep.resume = true;
        let second = session(&keep, 1);
        let evaluated = second.statistics.evaluated - first.statistics.evaluated;
        let expanded = second.statistics.expanded - first.statistics.expanded;
        assert!((1..=512).contains(&expanded), "board {number}: {expanded} expanded");
        assert!(evaluated < open / 2, "board {number}: {evaluated} evaluated of {open} open nodes");
        let kept = session(&keep, u64::MAX);
        assert_same(board, &kept, plain, &format!("board {number}"));
    }
}

/// What is needed at all times does not fit: the search ends with a checkpoint, and goes on where there is more memory.
#[test]
fn too_little_memory_is_told_and_nothing_is_lost() {
    let board = random_board(&mut rng(42), 24, 24, 6);
    let folder = tempfile::tempdir().expect("a folder");
    let mut keep = keep(folder.path(), NEVER);
    keep.files.storage.max_store_bytes = Some(1 << 20);
    let little = run(&board, Setting { checkpoints: Some(&keep), ..Setting::new(StateEngine::BEST_FIRST, 2) });
    assert_eq!(little.stopped, Some(StopReason::MemoryLimit), "{:?}", little.failure);
    (keep.files.storage.max_store_bytes, keep.resume) = (None, true);
    let limits = Limits { expansions: Some(10_000), ..Limits::default() };
    let more = run(&board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(StateEngine::BEST_FIRST, 2) });
    assert!(more.lower_bound >= little.lower_bound);
    let (before, after) = (&little.statistics, &more.statistics);
    assert!(after.expanded >= before.expanded + 10_000 && after.stored > before.stored, "{before:?}, {after:?}");
}

/// The search ends while what it holds still has room, whether it has begun to write or not.
#[test]
fn a_disk_that_fills_up_is_told_and_nothing_is_lost() {
    let board = random_board(&mut rng(42), 24, 24, 6);
    for every in [NEVER, Duration::ZERO] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), every);
        keep.files.storage.min_free_bytes = 16 << 20;
        keep.files.storage.backend = Arc::new(Watched::of_size(64 << 20, folder.path().to_owned()));
        let little = run(&board, Setting { checkpoints: Some(&keep), ..Setting::new(StateEngine::BEST_FIRST, 2) });
        assert_eq!(little.stopped, Some(StopReason::DiskLimit));
        let reason = little.failure.as_deref().unwrap_or_default();
        assert!(reason.contains("found room for"), "{reason}");
        let used = bytes_in(folder.path());
        assert!((16 << 20..56 << 20).contains(&used), "{used} bytes");
        // A state that was stored again with a smaller g has several records.
        let (records, stored) = (inspect(&keep.files).expect("a checkpoint").records, little.statistics.stored);
        assert!((stored..stored + stored / 8).contains(&records), "{records} records of {stored} states");
        (keep.files.storage.backend, keep.resume) = (Arc::new(Disk), true);
        let limits = Limits { expansions: Some(10_000), ..Limits::default() };
        let more =
            run(&board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(StateEngine::BEST_FIRST, 2) });
        assert!(more.statistics.expanded >= little.statistics.expanded + 10_000);
    }
}

// ---- IDA* ----

/// A session that may fail. It is interrupted at the evaluation `at` if that is not 0.
struct Session<'a> {
    setting: Setting<'a>,
    at: u64,
    /// Added to the revision of the pruning rules.
    revision: u8,
    known: Option<Solution>,
}

impl<'a> Session<'a> {
    fn new(setting: Setting<'a>) -> Self {
        Self { setting, at: 0, revision: 0, known: None }
    }
}

impl Visitor for Session<'_> {
    type Output = Result<Outcome, CheckpointError>;

    fn visit<const W: usize>(self, puzzle: &FloodIt<W>) -> Self::Output {
        let Setting { engine, threads, limits, observer, checkpoints, exchange, .. } = self.setting;
        let stop = StopToken::new();
        let interrupt = || stop.stop(StopReason::Interrupted);
        let (domain, bound) = (WithoutSets(puzzle, self.revision), Same(Ambushed::new(puzzle, self.at, &interrupt)));
        let context = Context { threads, limits, observer, stop: &stop, checkpoints, exchange };
        search(engine, &Problem::new(&domain, bound), &Parameters::default(), self.known, &context)
    }
}

fn ida(board: &Board, threads: usize) -> Outcome {
    run(board, Setting::new(StateEngine::IDA, threads))
}

#[test]
fn ida_goes_on_behind_any_evaluation() {
    let (board, plain) = (0..)
        .map(|seed| random_board(&mut rng(seed), 9, 9, 5))
        .map(|board| (ida(&board, 1), board))
        .find_map(|(plain, board)| (300..1_500).contains(&plain.statistics.evaluated).then_some((board, plain)))
        .expect("a board");
    let mut interrupted = 0;
    for at in 1..=plain.statistics.evaluated {
        let threads = [1, 2, 8][at as usize % 3];
        let context = format!("stopped at evaluation {at}, resumed with {threads} threads");
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let setting = Setting { checkpoints: Some(&keep), ..Setting::new(StateEngine::IDA, 1) };
        let stopped = with_puzzle(&board, Session { at, ..Session::new(setting) }).expect("a disk");
        if stopped.stopped.is_none() {
            assert_proven(&board, &stopped, &plain, &context);
            continue;
        }
        assert!(stopped.lower_bound <= plain.lower_bound, "{context}");
        interrupted += 1;
        keep.resume = true;
        let resumed = run_kept(&board, StateEngine::IDA, threads, &keep);
        assert_proven(&board, &resumed, &plain, &context);
        if threads == 1 {
            // All but the layer in whose midst it was stopped.
            let others = |outcome: &Outcome| {
                let layers = below(outcome, plain.lower_bound).into_iter();
                layers.filter(|layer| layer.f != stopped.lower_bound).collect::<Vec<_>>()
            };
            assert_eq!(others(&resumed), others(&plain), "{context}");
            // There, what was visited before may be counted again, but nothing is left out.
            let interrupted = |outcome: &Outcome| {
                let layers = below(outcome, plain.lower_bound).into_iter();
                layers.filter(|layer| layer.f == stopped.lower_bound).map(|layer| layer.expanded).sum::<u64>()
            };
            assert!(interrupted(&resumed) >= interrupted(&plain), "{context}");
        }
    }
    assert!(interrupted > 200, "{interrupted} interruptions: too few to tell");
}

fn run_kept(board: &Board, engine: StateEngine, threads: usize, keep: &CheckpointConfig) -> Outcome {
    run(board, Setting { checkpoints: Some(keep), ..Setting::new(engine, threads) })
}

#[test]
fn checkpoints_without_end_change_nothing_of_ida() {
    for (number, (board, plain)) in SMALL_BOARDS.iter().enumerate() {
        let alone = ida(board, 1);
        for threads in [1, 2, 8] {
            let folder = tempfile::tempdir().expect("a folder");
            let kept = run_kept(board, StateEngine::IDA, threads, &keep(folder.path(), Duration::ZERO));
            let context = format!("board {number}, {threads} threads");
            assert_proven(board, &kept, plain, &context);
            if threads == 1 {
                let all = |outcome: &Outcome| (outcome.statistics.expanded, outcome.statistics.layers.clone());
                assert_eq!(all(&kept), all(&alone), "{context}");
            }
        }
    }
}

#[test]
fn stopped_and_resumed_again_and_again_ida_proves_the_same() {
    let mut sessions = 0;
    for (number, (board, plain)) in SMALL_BOARDS.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let (mut lower_bound, mut expanded) = (0, 0);
        for session in 0.. {
            let limits = Limits { expansions: Some(1_000), ..Limits::default() };
            let setting = Setting::new(StateEngine::IDA, [1, 2, 8][session % 3]);
            let outcome = run(board, Setting { checkpoints: Some(&keep), limits, ..setting });
            let context = format!("board {number}, session {session}");
            assert!(outcome.lower_bound >= lower_bound && outcome.statistics.expanded >= expanded, "{context}");
            (lower_bound, expanded) = (outcome.lower_bound, outcome.statistics.expanded);
            if outcome.stopped.is_none() {
                assert_proven(board, &outcome, plain, &context);
                break;
            }
            assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{context}: {:?}", outcome.failure);
            // The limit is one of each session.
            assert!(outcome.statistics.expanded >= 1_000 * (session as u64 + 1), "{context}");
            keep.resume = true;
            sessions += 1;
        }
    }
    assert!(sessions > if is_long() { 50 } else { 10 }, "{sessions} sessions: too few to tell");
}

/// What IDA* keeps is small: no budget is about it, and none ends it.
#[test]
fn budgets_do_not_end_ida() {
    let board = random_board(&mut rng(42), 24, 24, 6);
    let has_kept = |milliseconds| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::from_millis(50));
        let budget = Some(1);
        keep.files.storage = StorageConfig {
            max_disk_bytes: budget,
            min_free_bytes: 1 << 60,
            max_resident_bytes: budget,
            max_store_bytes: budget,
            ..keep.files.storage
        };
        let limits = Limits { time: Some(Duration::from_millis(milliseconds)), ..Limits::default() };
        let outcome = run(&board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(StateEngine::IDA, 2) });
        assert_eq!((outcome.stopped, outcome.failure), (Some(StopReason::TimeLimit), None));
        inspect(&keep.files).expect("a checkpoint").sequence > 5
    };
    // For much longer than the evictor has patience; again and longer where the disk is busy.
    assert!(has_kept(1_500) || has_kept(30_000));
}

#[test]
fn a_checkpoint_of_another_engine_is_refused_with_both_named() {
    let (board, _) = &SMALL_BOARDS[0];
    for (one, other) in [(StateEngine::IDA, StateEngine::BEST_FIRST), (StateEngine::BEST_FIRST, StateEngine::IDA)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let kept = Setting { checkpoints: Some(&keep), ..Setting::new(one, 2) };
        let outcome = with_puzzle(board, Session { at: 100, ..Session::new(kept) });
        assert_eq!(outcome.expect("a disk").stopped, Some(StopReason::Interrupted));
        keep.resume = true;
        let resumed = Setting { checkpoints: Some(&keep), ..Setting::new(other, 2) };
        let error = with_puzzle(board, Session::new(resumed)).unwrap_err();
        let text = format!("of the engine {}, expected one of the engine {}", one.info.name, other.info.name);
        assert!(error.to_string().contains(&text), "{error}");
    }
}

/// Under other pruning rules, `auto` keeps the proven range and nothing else of a stopped search; other engines refuse
/// to go on.
#[test]
fn a_search_under_other_pruning_rules_is_not_continued() {
    let (_, (board, plain)) = some_boards().next().expect("a board");
    for engine in [StateEngine::AUTO, StateEngine::BEST_FIRST, StateEngine::IDA] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::ZERO);
        let session = |revision: u8, expansions: Option<u64>, keep: &CheckpointConfig| {
            let limits = Limits { expansions, ..Limits::default() };
            let setting = Setting { checkpoints: Some(keep), limits, ..Setting::new(engine, 1) };
            // The solution is known, so that `auto` does not look for a first one.
            let known = plain.incumbent.clone();
            with_puzzle(board, Session { revision, known, ..Session::new(setting) })
        };
        let first = session(0, Some(500), &keep).expect("no checkpoint is read");
        assert_eq!(first.stopped, Some(StopReason::ExpansionLimit), "{}", engine.info.name);
        keep.resume = true;
        let outcome = if engine == StateEngine::AUTO {
            let begun = session(1, Some(1), &keep).expect("it begins anew");
            assert!(begun.lower_bound >= first.lower_bound && begun.statistics.expanded < 100, "{begun:?}");
            session(1, None, &keep).expect("it goes on")
        } else {
            let error = session(1, None, &keep).expect_err("other rules").to_string();
            assert!(error.contains("pruning rules of another version"), "{error}");
            session(0, None, &keep).expect("the same rules")
        };
        assert_proven(board, &outcome, plain, engine.info.name);
    }
}

// ---- auto, where memory ends ----

/// Notes the engines that begin, and what people are told.
#[derive(Default)]
struct Told(Mutex<Vec<String>>);

impl Observer for Told {
    fn observe(&self, event: &Event<'_>) {
        let text = match event {
            Event::EngineStarted { engine } => *engine,
            Event::Note(note) => *note,
            _ => return,
        };
        self.0.lock().expect("no panic before").push(text.to_owned());
    }
}

impl Told {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no panic before"))
    }
}

/// Best-first search has no room on disk: IDA* goes on, is kept, and a resume goes on with it.
#[test]
fn auto_goes_on_with_ida_where_the_disk_ends_and_resumes_there() {
    let mut resumed = 0;
    for (number, (board, plain)) in SMALL_BOARDS.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), Duration::ZERO);
        keep.files.storage.max_disk_bytes = Some(1);
        let (mut lower_bound, told) = (0, Told::default());
        for session in 0.. {
            let had_begun = exists(&sequel_files(&keep.files));
            // Best-first search, which may leave nothing behind on such a disk, gets more each time until it meets its
            // end.
            keep.resume = had_begun || exists(&keep.files);
            let expansions = if had_begun { 1_000 } else { 2_000 * (session as u64 + 1) };
            let limits = Limits { expansions: Some(expansions), ..Limits::default() };
            let setting = Setting::new(StateEngine::AUTO, [1, 2, 8][session % 3]);
            let outcome = run(board, Setting { checkpoints: Some(&keep), limits, observer: &told, ..setting });
            let (told, context) = (told.take(), format!("board {number}, session {session}"));
            if had_begun {
                assert_eq!(told, ["auto", "ida"], "{context}");
                resumed += 1;
            }
            assert!(outcome.lower_bound >= lower_bound || !keep.resume, "{context}");
            lower_bound = outcome.lower_bound;
            if outcome.stopped.is_none() {
                assert_proven(board, &outcome, plain, &context);
                break;
            }
            assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit), "{context}: {:?}", outcome.failure);
        }
    }
    assert!(resumed > 5, "{resumed} resumes of IDA*: too few to tell");
}

/// What earlier sessions expanded does not count against the limits of this one, in no engine.
#[test]
fn limits_are_those_of_a_session() {
    let board = random_board(&mut rng(42), 24, 24, 6);
    for engine in [StateEngine::BEST_FIRST, StateEngine::IDA, StateEngine::AUTO] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = keep(folder.path(), NEVER);
        let mut expanded = 0;
        for session in 0..4 {
            let limits = Limits { expansions: Some(20_000), ..Limits::default() };
            let outcome = run(&board, Setting { checkpoints: Some(&keep), limits, ..Setting::new(engine, 2) });
            assert_eq!(outcome.stopped, Some(StopReason::ExpansionLimit));
            let new = outcome.statistics.expanded - expanded;
            // Of the beams only those of a session are in its outcome.
            let least = if engine == StateEngine::AUTO { 12_000 } else { 20_000 };
            assert!((least..24_000).contains(&new), "{}, session {session}: {new}", engine.info.name);
            (expanded, keep.resume) = (outcome.statistics.expanded, true);
        }
    }
}
