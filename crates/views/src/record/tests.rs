use super::file::{PROGRESS_FILE, ProgressFile, ProgressReader, ProgressUpdate, read_rows};
use super::recorder::{EarlierSessions, Moment, ROW_INTERVAL_SECONDS, Recorder, SessionFacts};
use super::row::{CheckpointProgress, ProgressRow, RowEvent, StageProgress};
use super::thin::select_rows;
use crate::text::tests::{optimal, unknown, unsolvable};
use gridhunt_boards::{Board, Cell, Entry, usual_symbols};
use gridhunt_hunt::{BoardRecord, BoardSearchInfo, Config, RunDir};
use gridhunt_puzzle::Objective;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::Status;
use gridhunt_search::platform::files::file_id;
use gridhunt_search::runtime::{Event, Layer, Progress, Stage, StopReason, WorkerProgress, WrittenCheckpoint};
use gridhunt_search::store::StoreSurvey;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A clock that tests set, in milliseconds.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn turn(&self, seconds: f64) {
        self.0.fetch_add((seconds * 1e3) as u64, Relaxed);
    }

    /// A recorder that looks at this clock.
    fn recorder(&self, facts: SessionFacts, earlier: EarlierSessions) -> Recorder {
        let hand = self.clone();
        let now = move || {
            let elapsed = hand.0.load(Relaxed) as f64 / 1e3;
            Moment { elapsed, time: 1_000_000.0 + elapsed }
        };
        Recorder::new(Box::new(now), facts, earlier)
    }
}

fn session(earlier: EarlierSessions) -> (Recorder, Hand) {
    let hand = Hand::default();
    let facts = SessionFacts { boards: Some(2), memory_limit: Some(8 << 30), ..SessionFacts::default() };
    (hand.recorder(facts, earlier), hand)
}

fn board(number: usize) -> BoardSearchInfo<'static> {
    let name = ["", "a.txt", "b.txt"][number];
    BoardSearchInfo { number, name, objective: Objective::MOVES, shape: String::new(), identity: format!("id-{name}") }
}

fn progress(search: u64, expanded: u64) -> Progress {
    let workers = vec![WorkerProgress { idle_seconds: expanded as f64 / 100.0, steals: expanded / 10 }];
    let counts =
        Progress { expanded, generated: 3 * expanded, duplicates: expanded, reopened: 1, ..Progress::default() };
    Progress { search, stored: 2 * expanded, workers, lower_bound: 3, ..counts }
}

fn of_progress(search: u64, expanded: u64) -> Event<'static> {
    Event::Progress(Box::new(progress(search, expanded)))
}

const ENGINE: Event<'_> = Event::EngineStarted { engine: "best-first" };

/// The values of a row that must never fall.
fn counts(row: &ProgressRow) -> [f64; 9] {
    let idle: f64 = row.workers.iter().map(|worker| worker.idle_seconds).sum();
    let steals: u64 = row.workers.iter().map(|worker| worker.steals).sum();
    let ProgressRow { expanded, generated, stored, duplicates, reopened, .. } = *row;
    let counts = [expanded, generated, stored, duplicates, reopened, u64::from(row.lower_bound), steals];
    let mut all = [row.elapsed, idle, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    counts.iter().zip(&mut all[2..]).for_each(|(&count, at)| *at = count as f64);
    all
}

fn assert_nothing_falls(rows: &[ProgressRow]) {
    for pair in rows.windows(2).filter(|pair| pair[0].identity == pair[1].identity) {
        let [before, after] = [&pair[0], &pair[1]].map(counts);
        assert!(before.iter().zip(&after).all(|(before, after)| before <= after), "{pair:?}");
        assert!(pair[0].incumbent.is_none_or(|held| pair[1].incumbent.is_some_and(|cost| cost <= held)), "{pair:?}");
    }
}

#[test]
fn rows_come_every_ten_seconds_at_the_ends_of_layers_and_at_news() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    let mut rows = vec![recorder.session_begin_row()];
    recorder.begin(&board(1), false);
    assert!(recorder.observe(None, &Event::LowerBound(2)).is_none(), "what earlier sessions hold is no news");
    rows.extend(recorder.observe(None, &ENGINE));
    rows.extend(recorder.observe(None, &of_progress(1, 10)));
    assert!(recorder.observe(None, &of_progress(1, 20)).is_none());
    for _ in 0..25 {
        hand.turn(1.0);
        rows.extend(recorder.due_rows());
    }
    rows.extend(recorder.observe(None, &Event::Incumbent { cost: 9, moves: &[] }));
    assert!(recorder.observe(None, &Event::Incumbent { cost: 9, moves: &[] }).is_none());
    let layer = Layer { f: 3, expanded: 20, generated: 60 };
    rows.extend(recorder.observe(None, &Event::LayerDone(layer)));
    rows.extend(recorder.finish(&BoardRecord { number: 1, ..optimal() }));
    rows.push(recorder.session_end_row());
    let events: Vec<_> = rows.iter().map(|row| (row.event, row.elapsed)).collect();
    let expected = [
        (RowEvent::Session, 0.0),
        (RowEvent::Begin, 0.0),
        (RowEvent::Range, 0.0),
        (RowEvent::Time, 10.0),
        (RowEvent::Time, 20.0),
        (RowEvent::Range, 25.0),
        (RowEvent::Layer, 25.0),
        (RowEvent::Board, 25.0),
        (RowEvent::End, 25.0),
    ];
    assert_eq!(events, expected);
    assert_nothing_falls(&rows[1..8]);
    let [.., layer_row, board_row, end] = &rows[..] else { unreachable!("nine rows") };
    assert_eq!((layer_row.finished, layer_row.incumbent, layer_row.expanded), (Some(layer), Some(9), 20));
    assert_eq!((board_row.ended.as_deref(), board_row.done, board_row.proven), (Some("optimal"), 1, 1));
    assert_eq!((end.ended.as_deref(), end.number), (Some("stopped"), None));
}

/// A search that begins counts from 0 again, and a later session resumes from an older checkpoint.
#[test]
fn nothing_falls_from_search_to_search_and_from_session_to_session() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    let mut rows = vec![];
    recorder.begin(&board(1), false);
    for (search, expanded) in [(1, 100), (1, 200), (2, 5), (1, 210), (2, 30)] {
        hand.turn(ROW_INTERVAL_SECONDS);
        recorder.observe(None, &of_progress(search, expanded));
        rows.extend(recorder.due_rows());
    }
    recorder.observe(None, &Event::Incumbent { cost: 40, moves: &[] });
    recorder.observe(None, &Event::LowerBound(35));
    hand.turn(ROW_INTERVAL_SECONDS);
    rows.extend(recorder.due_rows());
    assert_eq!(rows.last().map(|row| row.expanded), Some(240), "the sum of both searches");
    // The process is killed here. The next session reads a checkpoint from before.
    let (mut recorder, hand) = session(EarlierSessions::of(rows.clone()));
    recorder.begin(&board(1), false);
    for event in [Event::LowerBound(34), Event::Incumbent { cost: 41, moves: &[] }, ENGINE, of_progress(3, 7)] {
        rows.extend(recorder.observe(None, &event));
    }
    hand.turn(ROW_INTERVAL_SECONDS);
    rows.extend(recorder.due_rows());
    assert_nothing_falls(&rows);
    let last = rows.last().expect("rows");
    assert_eq!((last.session, last.elapsed, last.expanded, last.lower_bound), (2, 70.0, 247, 35));
    assert_eq!((last.workers[0].steals, last.incumbent), (24, Some(40)));
    // Another board under the same number, such as an edited one, begins anew.
    let (mut recorder, _) = session(EarlierSessions::of(rows));
    recorder.begin(&BoardSearchInfo { identity: "another".to_owned(), ..board(1) }, false);
    let row = recorder.observe(None, &ENGINE).expect("a row");
    assert_eq!((row.expanded, row.lower_bound, row.session, row.elapsed), (0, 0, 3, 70.0));
}

#[test]
fn what_a_row_says_of_the_moment() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    recorder.begin(&board(1), false);
    recorder.observe(None, &Event::Stage { stage: Stage::ReadingCheckpoint, done: 3, total: 10 });
    let stage = StageProgress { what: "reading the checkpoint".to_owned(), done: 3, total: 10 };
    assert_eq!(recorder.current_row().stage, Some(stage));
    recorder.observe(None, &Event::LayerStarted { f: 5, open: 30 });
    let row = recorder.current_row();
    assert_eq!((row.stage.as_ref(), row.layer, row.layer_percent()), (None, Some(5), Some(0)));
    let checkpoint = WrittenCheckpoint { number: 4, time: 999_990.0, seconds: 1.5, bytes: 77 };
    let store = StoreSurvey { hot: 10, cold: 30, index_slots: (1, 4), disk: 900 };
    let open = vec![(5, 20), (6, 7)];
    hand.turn(2.0);
    let shown = Progress { store, open, in_layer: 60, checkpoint: Some(checkpoint), ..progress(1, 60) };
    recorder.observe(None, &Event::Progress(Box::new(Progress { writing: Some((2, 18)), seconds: 2.0, ..shown })));
    let row = recorder.current_row();
    assert_eq!((row.hot, row.cold, row.index_load, row.disk), (10, 30, Some(0.25), 900));
    assert_eq!((row.layer_percent(), row.rate, row.memory_limit), (Some(75), Some(30.0), Some(8 << 30)));
    let age = CheckpointProgress { number: 4, age: 12.0, seconds: 1.5, bytes: 77 };
    assert_eq!((row.checkpoint, row.writing.map(|stage| (stage.done, stage.total))), (Some(age), Some((2, 18))));
    recorder.observe(None, &Event::LowerBound(Cost::MAX));
    let row = recorder.current_row();
    assert_eq!((row.unsolvable, row.lower_bound), (true, 3), "the lower bound does not fall");
}

/// In the last second a search may do other work. Time before the first state does not count.
#[test]
fn the_rate_is_that_of_the_session_since_the_first_state() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    hand.turn(7.0);
    recorder.begin(&board(1), false);
    let mut rate = |seconds, search, expanded| {
        hand.turn(seconds);
        recorder.observe(None, &of_progress(search, expanded));
        (recorder.current_row().rate, recorder.current_row().title.map(|(_, elapsed)| elapsed))
    };
    assert_eq!(rate(30.0, 1, 0), (None, Some(30.0)), "a checkpoint is read");
    assert_eq!(rate(10.0, 1, 5_000), (Some(500.0), Some(40.0)));
    assert_eq!(rate(10.0, 1, 5_000), (Some(250.0), Some(50.0)), "a second without a state is none without a rate");
    assert_eq!(rate(20.0, 2, 3_000), (Some(200.0), Some(70.0)), "another engine counts from zero");
}

/// If boards are searched side by side, only slow boards have rows. All rows have the board's name.
#[test]
fn a_hunt_over_easy_boards_has_few_rows() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    let mut rows = Vec::new();
    for number in [1, 2] {
        recorder.begin(&board(number), true);
        rows.extend(recorder.observe(Some(number), &ENGINE));
        rows.extend(recorder.observe(Some(number), &of_progress(number as u64, 5)));
    }
    hand.turn(ROW_INTERVAL_SECONDS / 2.0);
    rows.extend(recorder.finish(&BoardRecord { number: 2, ..unsolvable() }));
    recorder.remove(2);
    assert_eq!(rows, []);
    hand.turn(ROW_INTERVAL_SECONDS);
    rows.extend(recorder.due_rows());
    rows.extend(recorder.observe(Some(1), &Event::LowerBound(7)));
    rows.extend(recorder.finish(&BoardRecord { number: 1, ..unknown() }));
    rows.push(recorder.session_end_row());
    let found: Vec<_> = rows.iter().map(|row| (row.event, row.board.as_str(), row.number)).collect();
    let expected = [
        (RowEvent::Time, "", None),
        (RowEvent::Begin, "a.txt", Some(1)),
        (RowEvent::Time, "a.txt", Some(1)),
        (RowEvent::Range, "a.txt", Some(1)),
        (RowEvent::Board, "a.txt", Some(1)),
        (RowEvent::End, "", None),
    ];
    assert_eq!(found, expected);
    assert_eq!((rows[0].done, rows[0].proven), (1, 1));
    let [began, now] = [&rows[1], &rows[2]].map(|row| (row.elapsed, row.time, row.engine.as_str(), row.expanded));
    assert_eq!(began, (0.0, 1_000_000.0, "best-first", 0), "the start has its own time");
    assert_eq!(now, (15.0, 1_000_015.0, "best-first", 5));
}

#[test]
fn a_board_that_failed_leaves_no_rows_behind() {
    let (mut recorder, hand) = session(EarlierSessions::default());
    recorder.begin(&board(1), false);
    recorder.begin(&board(2), false);
    hand.turn(ROW_INTERVAL_SECONDS);
    let names: Vec<_> = recorder.due_rows().into_iter().map(|row| row.board).collect();
    assert_eq!(names, ["b.txt"]);
}

#[test]
fn the_end_says_how_the_session_ended() {
    let ended = |stopped, boards| {
        let facts = SessionFacts { boards, ..SessionFacts::default() };
        let mut recorder = Hand::default().recorder(facts, EarlierSessions::default());
        recorder.begin(&board(1), false);
        let mut record = BoardRecord { number: 1, ..optimal() };
        record.stopped = stopped;
        let row = recorder.finish(&record).and_then(|row| row.ended);
        (row.expect("how the board ended"), recorder.session_end_row().ended.expect("how the session ended"))
    };
    let pair = |board: &str, session: &str| (board.to_owned(), session.to_owned());
    assert_eq!(ended(Some(StopReason::Interrupted), Some(1)), pair("interrupted", "interrupted"));
    assert_eq!([ended(None, Some(1)), ended(None, None)], [pair("optimal", "finished"), pair("optimal", "stopped")]);
}

#[test]
fn a_session_counts_the_boards_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::default();
    let three = |name| Board::new(name, 1, 3, vec![0, 1, 0], usual_symbols(2), Cell::default());
    let boards = ["b", "d"].map(|name| three(name).map(|board| Entry { board, published_optimum: None }));
    let run = RunDir::create(&folder.path().join("run"), &config, boards.into_iter()).unwrap();
    for (number, board, lower_bound) in [(1, "b", 7), (2, "d", 6)] {
        let identity = BoardSearchInfo::new(number, &three(board).unwrap(), &config.request()).identity;
        let status = Status::of(Some(lower_bound), Some(7));
        let lower_bound = Some(lower_bound);
        run.add_result(&BoardRecord { number, status, lower_bound, identity, ..optimal() }).unwrap();
    }
    let facts = SessionFacts::of(&config.request(), None, Some(&run));
    assert_eq!((facts.boards, facts.done, facts.proven), (Some(2), 2, 1));
    let recorder = Hand::default().recorder(facts, EarlierSessions::default());
    assert_eq!(recorder.session_end_row().ended.as_deref(), Some("finished"));
}

/// A session with fewer threads than the previous session has fewer workers.
#[test]
fn workers_are_those_of_the_session() {
    let with = |search, workers| {
        let workers = vec![WorkerProgress { idle_seconds: 1.0, steals: 1 }; workers];
        Event::Progress(Box::new(Progress { workers, ..progress(search, 10) }))
    };
    let (mut recorder, _) = session(EarlierSessions::default());
    recorder.begin(&board(1), false);
    recorder.observe(None, &with(1, 8));
    let rows = vec![recorder.current_row()];
    assert_eq!(rows[0].workers.len(), 8);
    let (mut recorder, _) = session(EarlierSessions::of(rows));
    recorder.begin(&board(1), false);
    recorder.observe(None, &with(2, 2));
    assert_eq!(recorder.current_row().workers, [WorkerProgress { idle_seconds: 2.0, steals: 2 }; 2]);
}

fn row_at(elapsed: f64, event: RowEvent, number: usize) -> ProgressRow {
    ProgressRow { elapsed, event, number: Some(number), expanded: elapsed as u64, ..ProgressRow::default() }
}

fn elapsed(rows: &[ProgressRow]) -> Vec<f64> {
    rows.iter().map(|row| row.elapsed).collect()
}

#[test]
fn a_torn_row_is_skipped_and_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PROGRESS_FILE);
    let (mut file, earlier) = ProgressFile::open_in_run(folder.path()).unwrap();
    assert_eq!((earlier.session, earlier.elapsed), (0, 0.0));
    for number in [1, 2] {
        file.append(&row_at(number as f64, RowEvent::Time, number)).unwrap();
    }
    drop(file);
    let whole = fs::read(&path).unwrap();
    let mut torn = whole.clone();
    torn.extend_from_slice(&whole[..whole.len() / 3]);
    fs::write(&path, &torn).unwrap();
    let (replacement, _) = gridhunt_hunt::create_beside(&path).unwrap();
    assert_eq!(elapsed(&read_rows(&path).unwrap()), [1.0, 2.0], "a reader skips the row");
    assert_eq!(fs::read(&path).unwrap(), torn, "and changes nothing");
    let (mut file, earlier) = ProgressFile::open_in_run(folder.path()).unwrap();
    assert_eq!((earlier.elapsed, earlier.boards.len()), (2.0, 2));
    assert!(fs::read(&path).unwrap() == whole && !replacement.exists());
    file.append(&row_at(3.0, RowEvent::End, 1)).unwrap();
    assert_eq!(elapsed(&read_rows(&path).unwrap()), [1.0, 2.0, 3.0]);
    // A flipped digit is no row.
    let damaged = fs::read_to_string(&path).unwrap().replacen("\"elapsed\":2", "\"elapsed\":7", 1);
    fs::write(&path, damaged).unwrap();
    assert_eq!(elapsed(&read_rows(&path).unwrap()), [1.0, 3.0]);
}

#[test]
fn a_reader_beside_the_writer_sees_each_row_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PROGRESS_FILE);
    let mut reader = ProgressReader::new(path.clone());
    assert!(reader.read().is_err(), "there is no file yet");
    let (file, _) = ProgressFile::open_in_run(folder.path()).unwrap();
    let mut file = file.with_limit_bytes(20_000);
    let mut seen = Vec::new();
    let mut anew = 0;
    for at in 0..400 {
        file.append(&row_at(f64::from(at), RowEvent::Time, 1)).unwrap();
        if at % 3 == 0 {
            match reader.read().unwrap() {
                ProgressUpdate::Appended(rows) => seen.extend(rows),
                ProgressUpdate::Replaced(rows) => {
                    anew += 1;
                    seen = rows;
                }
            }
        }
        assert!(fs::metadata(&path).unwrap().len() <= 20_000);
    }
    // The reader is in the middle of a row.
    let mut bytes = OpenOptions::new().append(true).open(&path).unwrap();
    bytes.write_all(b"{\"elapsed\":5").unwrap();
    let ProgressUpdate::Appended(rows) = reader.read().unwrap() else { panic!("the file is the same") };
    seen.extend(rows);
    assert_eq!(reader.read().unwrap(), ProgressUpdate::Appended(Vec::new()));
    assert_eq!(seen, read_rows(&path).unwrap());
    assert!(anew > 1, "the file was replaced");
    assert_nothing_falls(&seen);
}

#[test]
fn rows_thin_out_with_age_and_ends_of_layers_stay() {
    let event = |at: usize| if at.is_multiple_of(50) { RowEvent::Layer } else { RowEvent::Time };
    let rows: Vec<_> = (0..1_000).map(|at| row_at(at as f64, event(at), 1)).collect();
    let lengths = || rows.iter().map(|row| (100, row)).collect::<Vec<_>>();
    assert_eq!(select_rows(lengths(), 100_000).len(), 1_000, "enough room");
    let kept = select_rows(lengths(), 40_000);
    assert!(kept.len() <= 400 && kept.is_sorted() && kept.last() == Some(&999));
    assert!((0..1_000).step_by(50).all(|at| kept.contains(&at)), "ends of layers");
    let between = |from, to| kept.iter().filter(|at| (from..to).contains(*at)).count();
    assert!(between(750, 1_000) > 2 * between(0, 250), "{} {}", between(0, 250), between(750, 1_000));
    // Weeks of rows: the file is thinned out again and again.
    let mut all: Vec<ProgressRow> = Vec::new();
    for at in 0..200_000 {
        all.push(row_at(f64::from(at), RowEvent::Time, 1));
        if all.len() > 2_000 {
            let kept: BTreeSet<_> = select_rows(all.iter().map(|row| (1, row)).collect(), 1_000).into_iter().collect();
            all = all.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, row)| row).collect();
        }
    }
    let is_dense =
        |pair: &[ProgressRow]| pair[1].elapsed - pair[0].elapsed <= 0.1 * (200_000.0 - pair[0].elapsed) + 10.0;
    let gap = all.windows(2).find(|pair| !is_dense(pair)).map(|pair| (pair[0].elapsed, pair[1].elapsed));
    assert_eq!((gap, all[0].elapsed < 20_000.0), (None, true), "no part of the run is without rows");
}

#[test]
fn of_very_many_boards_the_oldest_go() {
    let rows: Vec<_> = (0..300)
        .flat_map(|at| {
            [RowEvent::Begin, RowEvent::Range, RowEvent::Board].map(|event| row_at(at as f64, event, at + 1))
        })
        .collect();
    let kept = select_rows(rows.iter().map(|row| (100, row)).collect(), 30_000);
    assert_eq!(kept, (600..900).collect::<Vec<_>>(), "whole boards");
}

/// Boards that are searched side by side have rows of the same times.
#[test]
fn boards_side_by_side_thin_out_alike_and_keep_their_last_rows() {
    let mut rows: Vec<_> =
        (0..500).flat_map(|at| [1, 2].map(|number| row_at(f64::from(at), RowEvent::Time, number))).collect();
    rows.insert(1, row_at(0.0, RowEvent::Time, 3));
    let kept = select_rows(rows.iter().map(|row| (100, row)).collect(), 40_000);
    let of = |number| kept.iter().filter(|&&at| rows[at].number == Some(number)).count();
    assert!(kept.len() <= 400 && of(1) == of(2) && of(1) > 50, "{} {}", of(1), of(2));
    assert_eq!(of(3), 1, "the next session continues the counts of this row");
}

/// Board 1 was stopped and is searched again, and board 3 may be searched again: only board 2 can lose its rows.
#[test]
fn a_board_that_was_stopped_has_not_ended() {
    let end =
        |at, number, ended: &str| ProgressRow { ended: Some(ended.to_owned()), ..row_at(at, RowEvent::Board, number) };
    let rows = [
        end(1.0, 1, "time-limit"),
        end(2.0, 2, "optimal"),
        row_at(3.0, RowEvent::Layer, 1),
        end(4.0, 3, "interrupted"),
    ];
    assert_eq!(select_rows(rows.iter().map(|row| (100, row)).collect(), 0), [0, 2, 3]);
}

/// If all rows must stay, the file is not read and written again with each new row.
#[test]
fn rows_that_have_to_stay_raise_the_limit_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = ProgressFile::open_in_run(folder.path()).unwrap();
    let (mut file, path) = (file.with_limit_bytes(2_000), folder.path().join(PROGRESS_FILE));
    let mut files = Vec::new();
    for at in 0..200 {
        file.append(&row_at(f64::from(at), RowEvent::Layer, 1)).unwrap();
        files.push(file_id(&fs::File::open(&path).unwrap()).unwrap());
    }
    assert_eq!(read_rows(&path).unwrap().len(), 200);
    files.dedup();
    assert!((2..12).contains(&files.len()), "replaced {} times", files.len() - 1);
}

#[test]
fn a_reader_takes_a_large_file_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(PROGRESS_FILE);
    fs::write(&path, "x".repeat(3_000) + "\n").unwrap();
    let (mut file, _) = ProgressFile::open_in_run(folder.path()).unwrap();
    (0..20).for_each(|at| file.append(&row_at(f64::from(at), RowEvent::Time, 1)).unwrap());
    let mut reader = ProgressReader::new(path.clone()).with_most_read_bytes(1_000);
    let (mut rows, mut reads) = (Vec::new(), 0);
    while reads == 0 || reader.has_more() {
        match reader.read().unwrap() {
            ProgressUpdate::Replaced(new) => assert_eq!((new.len(), reads), (0, 0)),
            ProgressUpdate::Appended(new) => rows.extend(new),
        }
        reads += 1;
    }
    assert_eq!(rows, read_rows(&path).unwrap());
    assert!(reads > 5 && rows.len() == 20, "{reads} reads");
    drop(file);
    fs::remove_file(&path).unwrap();
    assert!(reader.read().is_err() && !reader.has_more());
}

#[test]
fn a_file_that_cannot_be_replaced_grows_on() {
    let folder = tempfile::tempdir().unwrap();
    // No name beside it is left: a name has at most 255 bytes.
    let path = folder.path().join("p".repeat(250));
    let mut file = ProgressFile::create(&path).unwrap().with_limit_bytes(1_000);
    (0..20).for_each(|at| file.append(&row_at(f64::from(at), RowEvent::Time, 1)).unwrap());
    assert_eq!(read_rows(&path).unwrap().len(), 20);
}

#[cfg(unix)]
#[test]
fn a_file_that_thins_out_touches_no_other_file_and_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let [path, neighbour, link] = ["a.jsonl", "a.new", "link"].map(|name| folder.path().join(name));
    fs::write(&neighbour, "mine").unwrap();
    std::os::unix::fs::symlink("a.jsonl", &link).unwrap();
    for (written, is_thinned) in [(&path, true), (&link, false)] {
        let mut file = ProgressFile::create(written).unwrap().with_limit_bytes(1_000);
        (0..20).for_each(|at| file.append(&row_at(f64::from(at), RowEvent::Time, 1)).unwrap());
        assert_eq!(read_rows(&path).unwrap().len() < 20, is_thinned, "{written:?}");
    }
    assert!(link.is_symlink() && fs::read(&neighbour).unwrap() == b"mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
