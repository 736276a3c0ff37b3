//! Tests of batches with fake searches: order, bounded memory, errors, panics, interruption.

use super::*;
use crate::RunError;
use gridhunt_boards::{Board, BoardError, Cell, Position, usual_symbols};
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Outcome, Solution};
use gridhunt_search::runtime::{Limits, Silent};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A board whose name is its number.
fn board(number: usize) -> Result<Entry, BoardError> {
    let board = Board::new(number.to_string(), 1, 2, vec![0, 1], usual_symbols(2), Cell::default())?;
    Ok(Entry { board, published_optimum: Some(9) })
}

fn broken() -> Result<Entry, BoardError> {
    Err(BoardError::at("boards.txt", Position { line: 7, column: 3 }, "'?'", "a colour"))
}

fn record(board: &Board, request: &Request, cost: Cost) -> SearchOutput {
    let incumbent = Some(Solution { cost, moves: vec![1; cost as usize] });
    let outcome = Outcome { incumbent, lower_bound: cost, ..Outcome::unknown() };
    let moves = vec!["2".to_owned(); cost as usize];
    let task = request.task(board).unwrap();
    (BoardRecord::new(&*task, request, outcome, moves, 0.0), RefutedSets::default())
}

fn request(threads: usize) -> Request {
    Request { threads, limits: Limits { memory: Some(1000), ..Limits::default() }, ..Request::default() }
}

/// A strict batch without a run directory.
fn batch<'a>(request: &'a Request, parallel: Parallelism, stop: &'a StopToken) -> Batch<'a> {
    let (run, certificates, ranks, is_strict, reports_not_begun) = (None, None, None, true, true);
    Batch { request, parallel, observer: &Silent, stop, run, is_strict, reports_not_begun, certificates, ranks }
}

/// Runs a strict batch. Returns the names of the boards whose records were delivered, and the result of the batch.
fn run(
    parallel: Parallelism,
    threads: usize,
    stop: &StopToken,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
    solve: &Solve<'_>,
) -> (Vec<String>, Result<(), BatchError<()>>) {
    let (results, ended) = run_all(parallel, threads, stop, boards, solve, true);
    let names = results.into_iter().filter(|(what, _)| *what == "report").map(|(_, name)| name).collect();
    (names, ended)
}

/// The outcome of a board, with its name or its error.
type Named = (&'static str, String);

/// Runs a batch. Returns the outcome of each board, with its name or its error, and the result of the batch.
fn run_all(
    parallel: Parallelism,
    threads: usize,
    stop: &StopToken,
    boards: impl Iterator<Item = Result<Entry, BoardError>>,
    solve: &Solve<'_>,
    is_strict: bool,
) -> (Vec<Named>, Result<(), BatchError<()>>) {
    let request = request(threads);
    let mut results = Vec::new();
    let batch = Batch { is_strict, ..batch(&request, parallel, stop) };
    let ended = batch.run_with(
        boards,
        &mut |result: BoardResult| {
            results.push(match result {
                BoardResult::Record { record, record_error: None } => {
                    assert_eq!(record.published, Some(9), "what the file names reaches the record");
                    ("report", record.board)
                }
                BoardResult::Record { record_error: Some(error), .. } => ("unrecorded", error.to_string()),
                BoardResult::Failed(FailedBoard { error, .. }) => ("failed", error.to_string()),
                BoardResult::NotBegun { board, .. } => ("not begun", board),
            });
            Ok(())
        },
        solve,
    );
    (results, ended)
}

fn names(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|n| n.to_string()).collect()
}

#[test]
fn reports_come_in_input_order_whoever_is_slow() {
    for parallel in Parallelism::ALL {
        let solve = |&BoardSearch { board, request, .. }: &BoardSearch<'_>| {
            let number: u64 = board.name().parse().unwrap();
            std::thread::sleep(Duration::from_millis(number % 7));
            Ok(record(board, request, 1))
        };
        let (found, ended) = run(parallel, 3, &StopToken::new(), (0..40).map(board), &solve);
        assert!(ended.is_ok());
        assert_eq!(found, names(0..40), "{parallel:?}");
    }
}

#[test]
fn boards_side_by_side_have_one_thread_and_their_share_of_memory() {
    let solve = |&BoardSearch { board, request, .. }: &BoardSearch<'_>| {
        assert_eq!((request.threads, request.limits.memory), (1, Some(250)));
        Ok(record(board, request, 1))
    };
    assert!(run(Parallelism::Boards, 4, &StopToken::new(), (0..9).map(board), &solve).1.is_ok());
    let solve = |&BoardSearch { board, request, .. }: &BoardSearch<'_>| {
        assert_eq!((request.threads, request.limits.memory), (4, Some(1000)));
        Ok(record(board, request, 1))
    };
    assert!(run(Parallelism::Search, 4, &StopToken::new(), (0..9).map(board), &solve).1.is_ok());
}

#[test]
fn a_stream_is_read_no_further_than_it_is_searched() {
    let (read, solved, ahead) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let boards = (0..5000).map(|n| {
        let read = read.fetch_add(1, Ordering::SeqCst) + 1;
        ahead.fetch_max(read - solved.load(Ordering::SeqCst), Ordering::SeqCst);
        board(n)
    });
    let solve = |&BoardSearch { board, request, .. }: &BoardSearch<'_>| {
        solved.fetch_add(1, Ordering::SeqCst);
        Ok(record(board, request, 1))
    };
    let (found, _) = run(Parallelism::Boards, 2, &StopToken::new(), boards, &solve);
    assert_eq!(found.len(), 5000);
    assert!(ahead.into_inner() <= 2 * (1 + READ_AHEAD_PER_THREAD), "boards held at one time");
}

#[test]
fn a_hard_board_holds_back_no_more_than_the_window() {
    let others = AtomicUsize::new(0);
    let solve = |&BoardSearch { board, request, .. }: &BoardSearch<'_>| {
        if board.name() == "0" {
            // All later boards within the window must be able to finish before this board.
            while others.load(Ordering::SeqCst) < MAX_UNDELIVERED - 1 {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(others.load(Ordering::SeqCst), MAX_UNDELIVERED - 1);
        } else {
            others.fetch_add(1, Ordering::SeqCst);
        }
        Ok(record(board, request, 1))
    };
    let (found, ended) = run(Parallelism::Boards, 2, &StopToken::new(), (0..MAX_UNDELIVERED + 100).map(board), &solve);
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(found, names(0..MAX_UNDELIVERED + 100));
}

#[test]
fn everything_before_a_bad_board_is_delivered() {
    for parallel in Parallelism::ALL {
        let boards = (0..5).map(board).chain([broken()]).chain((6..9).map(board));
        let solve = |search: &BoardSearch<'_>| Ok(record(search.board, search.request, 1));
        let (found, ended) = run(parallel, 2, &StopToken::new(), boards, &solve);
        assert_eq!(found, names(0..5), "{parallel:?}");
        let error = ended.unwrap_err().to_string();
        assert_eq!(error, "boards.txt:7:3: found '?', expected a colour");
    }
}

#[test]
fn a_panic_becomes_an_internal_error_and_stops_the_others() {
    for parallel in Parallelism::ALL {
        let solve = |&BoardSearch { board, request, stop, .. }: &BoardSearch<'_>| {
            match board.name() {
                "2" => panic!("out of {}", "luck"),
                "3" => {
                    while stop.reason().is_none() {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                _ => {}
            }
            Ok(record(board, request, 1))
        };
        let (found, ended) = run(parallel, 2, &StopToken::new(), (0..100).map(board), &solve);
        assert_eq!(found, names(0..2), "{parallel:?}");
        let Err(BatchError::Hunt(error)) = ended else { panic!("{ended:?}") };
        assert!(error.is_internal());
        assert_eq!(error.to_string(), "2: the search panicked: out of luck");
    }
}

#[test]
fn an_interruption_delivers_what_is_under_way_and_begins_nothing_more() {
    for parallel in Parallelism::ALL {
        let stop = StopToken::new();
        let begun = Mutex::new(0);
        let solve = |&BoardSearch { board, request, stop: token, .. }: &BoardSearch<'_>| {
            *begun.lock() += 1;
            if board.name() == "5" {
                stop.stop(StopReason::Interrupted);
                assert_eq!(token.reason(), Some(StopReason::Interrupted));
            }
            Ok(record(board, request, 1))
        };
        let (found, ended) = run(parallel, 2, &stop, (0..100_000).map(board), &solve);
        assert!(ended.is_ok());
        let begun = begun.into_inner();
        assert_eq!(found, names(0..begun), "{parallel:?}");
        // Besides the interrupted board, at most the board of the other thread has begun.
        assert!((6..=7).contains(&begun), "{parallel:?}: {begun}");
    }
}

#[test]
fn a_receiver_that_gives_up_ends_the_batch() {
    for parallel in Parallelism::ALL {
        let request = request(2);
        let stop = StopToken::new();
        let batch = batch(&request, parallel, &stop);
        let solve = |search: &BoardSearch<'_>| Ok(record(search.board, search.request, 1));
        let mut left = 3;
        let mut deliver = |_: BoardResult| {
            left -= 1;
            if left == 0 { Err("enough") } else { Ok(()) }
        };
        let ended = batch.run_with((0..1000).map(board), &mut deliver, &solve);
        assert!(matches!(ended, Err(BatchError::Deliver("enough"))), "{parallel:?}");
        assert_eq!(left, 0);
    }
}

#[test]
fn a_bad_board_and_a_panic_leave_the_others_alone() {
    for parallel in Parallelism::ALL {
        let boards = (0..3).map(board).chain([broken()]).chain((3..6).map(board));
        let solve = |search: &BoardSearch<'_>| {
            assert!(search.board.name() != "4", "out of luck");
            Ok(record(search.board, search.request, 1))
        };
        let (found, ended) = run_all(parallel, 2, &StopToken::new(), boards, &solve, false);
        assert!(ended.is_ok());
        let named = |what, name: &str| (what, name.to_owned());
        let expected = [
            named("report", "0"),
            named("report", "1"),
            named("report", "2"),
            named("failed", "boards.txt:7:3: found '?', expected a colour"),
            named("report", "3"),
            named("failed", "4: the search panicked: out of luck"),
            named("report", "5"),
        ];
        assert_eq!(found, expected, "{parallel:?}");
    }
}

#[test]
fn boards_that_were_not_begun_are_named() {
    for parallel in Parallelism::ALL {
        let stop = StopToken::new();
        let solve = |search: &BoardSearch<'_>| {
            stop.stop(StopReason::Interrupted);
            Ok(record(search.board, search.request, 1))
        };
        let (found, ended) = run_all(parallel, 1, &stop, (0..9).map(board).chain([broken()]), &solve, false);
        assert!(ended.is_ok());
        assert_eq!(found[0], ("report", "0".to_owned()), "{parallel:?}");
        assert!((1..9).all(|at| found[at] == ("not begun", at.to_string())), "{parallel:?}: {found:?}");
        assert_eq!(found[9].0, "failed");
    }
}

/// An observer whose record of board 1 cannot be written.
struct FullDisk;

impl Observer for FullDisk {
    fn observe(&self, _: &gridhunt_search::runtime::Event<'_>) {}
}

impl BatchObserver for FullDisk {
    fn finish_board(&self, record: &BoardRecord) -> Result<(), RunError> {
        let full = || RunError::Io {
            action: "write",
            path: "results.jsonl".into(),
            reason: std::io::ErrorKind::StorageFull.into(),
        };
        if record.board == "1" { Err(full()) } else { Ok(()) }
    }
}

#[test]
fn a_result_that_cannot_be_recorded_is_delivered() {
    for parallel in Parallelism::ALL {
        let (request, stop) = (request(2), StopToken::new());
        let batch = Batch { observer: &FullDisk, ..batch(&request, parallel, &stop) };
        let solve = |search: &BoardSearch<'_>| Ok(record(search.board, search.request, 1));
        let mut found = Vec::new();
        let mut deliver = |result: BoardResult| {
            let BoardResult::Record { record, record_error } = result else { panic!("{result:?}") };
            found.push((record.board, record_error.map(|error| error.to_string())));
            Ok::<_, ()>(())
        };
        assert!(batch.run_with((0..3).map(board), &mut deliver, &solve).is_ok());
        let error = found[1].1.take().expect("an error");
        assert!(error.starts_with("cannot write results.jsonl: "), "{error}");
        assert_eq!(found, ["0", "1", "2"].map(|name| (name.to_owned(), None)), "{parallel:?}");
    }
}
