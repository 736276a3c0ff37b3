//! Boards searched the way the program does it: engine, bound and domain by their names.

use gridhunt::hunt::Request;
use gridhunt::hunt::{Batch, BoardResult, HuntError, Parallelism, solve_board};
use gridhunt_boards::{Board, Cell, Entry, usual_symbols};
use gridhunt_search::engine::{StateEngine, Status};
use gridhunt_search::runtime::{Event, Limits, Observer, Silent, StopReason, StopToken};
use std::sync::Mutex;
use std::time::Duration;

/// One row, 1 2 1 3: the optimum is 3.
fn row() -> Board {
    Board::new("row", 1, 4, vec![0, 1, 0, 2], usual_symbols(3), Cell::default()).unwrap()
}

#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn observe(&self, event: &Event<'_>) {
        let name = format!("{event:?}");
        let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
        self.0.lock().unwrap().push(name[..end].to_owned());
    }
}

#[test]
fn every_engine_is_watched_and_reported() {
    for engine in StateEngine::ALL {
        let request = Request { engine: engine.into(), threads: 1, ..Request::default() };
        let notes = Notes::default();
        let report = solve_board(&row(), &request, &notes, &StopToken::new()).unwrap();
        assert_eq!((report.cost, report.moves.len()), (Some(3), 3), "{engine:?}");
        assert_eq!(report.status == Status::Optimal, engine.info.proves || report.lower_bound == Some(3));
        let notes = notes.0.into_inner().unwrap();
        assert_eq!(notes[0], "EngineStarted", "{engine:?}");
        assert!(notes.contains(&"Incumbent".to_owned()), "{engine:?}: {notes:?}");
    }
}

#[test]
fn a_limit_of_one_board_leaves_the_others_alone() {
    let cells = (0..100u32).map(|i| (i * i % 7 % 5) as u8).collect();
    let board = Board::new("b", 10, 10, cells, usual_symbols(5), Cell::default()).unwrap();
    for parallel in Parallelism::ALL {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let (request, stop) = (&Request { limits, threads: 2, ..Request::default() }, &StopToken::new());
        let (observer, run, certificates, ranks) = (&Silent, None, None, None);
        let (is_strict, reports_not_begun) = (true, false);
        let batch = Batch { request, parallel, observer, stop, run, is_strict, reports_not_begun, certificates, ranks };
        let mut delivered = 0;
        let deliver = |result: BoardResult| {
            let BoardResult::Record { record: report, record_error: None } = result else { panic!("{result:?}") };
            assert_eq!(report.stopped, Some(StopReason::TimeLimit));
            delivered += 1;
            Ok::<_, ()>(())
        };
        let boards = (0..50).map(|_| Ok::<_, HuntError>(Entry { board: board.clone(), published_optimum: None }));
        batch.run(boards, deliver).unwrap();
        assert_eq!(delivered, 50, "{parallel:?}");
    }
}
