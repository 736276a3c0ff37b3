use super::super::record::{CheckpointProgress, ProgressRow, ProgressUpdate, RowEvent};
use super::screen::lines_of;
use super::*;
use gridhunt_search::runtime::{Layer, WorkerProgress};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use std::fs;
use std::path::Path;

/// The screen as text, without spaces at the ends of lines.
fn screen(watched: &mut WatchState, (columns, rows): (u16, u16), colour: bool) -> (String, bool) {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(watched, Styles { has_colour: colour }, frame.area(), frame.buffer_mut())).unwrap();
    let buffer = terminal.backend().buffer();
    let is_coloured = buffer.content().iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
    (lines_of(buffer), is_coloured)
}

/// Compares a screen with the text of a file. With `GRIDHUNT_SNAPSHOTS` in the environment, the files are written.
fn check(name: &str, watched: &mut WatchState, size: (u16, u16)) {
    let (found, is_coloured) = screen(watched, size, false);
    assert!(!is_coloured, "{name}: a screen without colours");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/watch/snapshots/{name}.txt"));
    if std::env::var_os("GRIDHUNT_SNAPSHOTS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "{name}: found\n{found}expected\n{expected}");
}

/// The rows of a hunt of three hours.
fn hunt() -> Vec<ProgressRow> {
    let base = ProgressRow {
        session: 1,
        number: Some(1),
        board: "b32.txt".to_owned(),
        identity: "1a".to_owned(),
        boards: Some(1),
        objective: "moves".to_owned(),
        engine: "best-first".to_owned(),
        memory_limit: Some(8 << 30),
        disk_limit: Some(200 << 30),
        ..ProgressRow::default()
    };
    let at = |elapsed: f64, event, lower_bound, incumbent| ProgressRow {
        elapsed,
        event,
        lower_bound,
        incumbent,
        ..base.clone()
    };
    let ended = |elapsed, f, expanded, incumbent| ProgressRow {
        finished: Some(Layer { f, expanded, generated: 4 * expanded }),
        expanded,
        ..at(elapsed, RowEvent::Layer, f, incumbent)
    };
    let mut rows = vec![
        ProgressRow { session: 1, event: RowEvent::Session, boards: Some(1), ..ProgressRow::default() },
        at(0.2, RowEvent::Begin, 24, None),
        at(0.4, RowEvent::Range, 24, Some(34)),
        at(0.9, RowEvent::Range, 24, Some(33)),
        ended(1.0, 24, 31, Some(33)),
        ended(1.4, 25, 299, Some(33)),
        at(2.0, RowEvent::Range, 26, Some(32)),
        ended(4.0, 26, 3_206, Some(32)),
        at(30.0, RowEvent::Range, 27, Some(31)),
        ended(210.0, 27, 31_056, Some(31)),
        at(260.0, RowEvent::Range, 28, Some(30)),
    ];
    let workers = |idle_seconds, steals| vec![WorkerProgress { idle_seconds, steals }; 2];
    rows.push(ProgressRow { workers: workers(100.0, 9_000), ..at(11_550.0, RowEvent::Time, 28, Some(30)) });
    let checkpoint = CheckpointProgress { number: 12, age: 130.0, seconds: 1.4, bytes: 310 << 20 };
    rows.push(ProgressRow {
        layer: Some(28),
        expanded: 204_762,
        generated: 900_000,
        duplicates: 640_000,
        stored: 1_400_000,
        in_layer: 170_200,
        open: vec![(28, 1_200_000), (29, 70_000)],
        rate: Some(151_000.0),
        resident: (71 << 30) / 10,
        disk: 41 << 30,
        hot: 37,
        cold: 63,
        index_load: Some(0.71),
        workers: workers(100.1, 9_410),
        checkpoint: Some(checkpoint),
        next_checkpoint: Some(170.0),
        ..at(11_560.0, RowEvent::Time, 28, Some(30))
    });
    rows
}

fn run(name: &str, rows: Vec<ProgressRow>, process_state: ProcessState) -> WatchedRun {
    let mut run = WatchedRun::new(name.to_owned());
    run.process_state = process_state;
    run.apply(ProgressUpdate::Replaced(rows));
    run
}

fn one() -> WatchState {
    WatchState::new(vec![run("runs/big", hunt(), ProcessState::Active("4711".to_owned()))])
}

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (60, 15)];

#[test]
fn the_overview() {
    for (columns, rows) in SIZES {
        check(&format!("overview-{columns}x{rows}"), &mut one(), (columns, rows));
    }
}

#[test]
fn the_panels() {
    for (key, name) in [('l', "layers"), ('w', "workers"), ('e', "events"), ('p', "plot")] {
        let mut watched = one();
        watched.press(Key::Letter(key));
        for (columns, rows) in SIZES {
            check(&format!("{name}-{columns}x{rows}"), &mut watched, (columns, rows));
        }
    }
}

/// The heading stays in its place, and keys beyond the first line are not counted.
#[test]
fn long_panels_scroll_below_their_heading() {
    let mut watched = one();
    watched.press(Key::Letter('e'));
    (0..100).for_each(|_| {
        watched.press(Key::Up);
        screen(&mut watched, (80, 10), false);
    });
    check("events-top-80x10", &mut watched, (80, 10));
    watched.press(Key::Down);
    let (text, _) = screen(&mut watched, (80, 10), false);
    assert!(text.contains("time  event") && !text.contains("session 1 begins"), "{text}");
}

/// There is a line for each checkpoint and each smaller range, also if the rows of two boards alternate.
#[test]
fn events_of_boards_side_by_side_are_told_once() {
    let row = |number: usize, elapsed: f64, checkpoint: u64| ProgressRow {
        number: Some(number),
        board: format!("b{number}"),
        identity: format!("id {number}"),
        event: RowEvent::Range,
        elapsed,
        lower_bound: 10 * number as u32,
        checkpoint: Some(CheckpointProgress { number: checkpoint, ..CheckpointProgress::default() }),
        ..ProgressRow::default()
    };
    let rows = vec![row(1, 1.0, 1), row(2, 1.0, 1), row(1, 2.0, 1), row(2, 2.0, 1), row(1, 3.0, 2), row(2, 3.0, 1)];
    let mut watched = WatchState::new(vec![run("runs/two", rows, ProcessState::Over)]);
    watched.press(Key::Letter('e'));
    let (text, _) = screen(&mut watched, (80, 24), false);
    let events: Vec<_> = text.lines().filter_map(|line| line.split_once("  b")).map(|(_, event)| event).collect();
    let expected =
        ["1: 10 <= optimum", "1: checkpoint 1, 0 B, 0.0 s", "2: 20 <= optimum", "2: checkpoint 1, 0 B, 0.0 s"];
    assert_eq!(events, [&expected[..], &["1: checkpoint 2, 0 B, 0.0 s"]].concat());
}

#[test]
fn the_list_of_runs() {
    let end = |event, ended: &str| ProgressRow { event, ended: Some(ended.to_owned()), ..hunt()[11].clone() };
    let mut done = hunt();
    let last = ProgressRow { number: None, identity: String::new(), ..end(RowEvent::End, "finished") };
    done.extend([end(RowEvent::Board, "optimal"), last]);
    let mut broken = WatchedRun::new("runs/old".to_owned());
    broken.error = Some("runs/old: no such file".to_owned());
    let many: Vec<_> = hunt().into_iter().map(|row| ProgressRow { boards: Some(100), done: 41, ..row }).collect();
    let mut watched = WatchState::new(vec![
        run("runs/big", hunt(), ProcessState::Active("4711".to_owned())),
        run("runs/a/name/that/is/much/longer", hunt(), ProcessState::Over),
        run("runs/done", done, ProcessState::Over),
        run("runs/hundred", many, ProcessState::Active("17".to_owned())),
        broken,
        WatchedRun::new("runs/new".to_owned()),
    ]);
    watched.press(Key::Down);
    for (columns, rows) in SIZES {
        check(&format!("list-{columns}x{rows}"), &mut watched, (columns, rows));
    }
    // On a low screen, the selected run is visible.
    (0..4).for_each(|_| _ = watched.press(Key::Down));
    let (text, _) = screen(&mut watched, (80, 4), false);
    assert!(text.contains("runs/new") && !text.contains("runs/big"), "{text}");
    watched.runs[4].error = Some("a long message ".repeat(9) + "has an end");
    watched.press(Key::Up);
    watched.press(Key::Enter);
    let (text, _) = screen(&mut watched, (80, 24), false);
    assert!(text.contains("runs/old  unreadable") && text.contains("has an end"), "{text}");
}

#[test]
fn colours_are_optional_and_no_size_is_too_small() {
    let mut watched = one();
    assert!(screen(&mut watched, (80, 24), true).1);
    for key in ['x', 'l', 'w', 'e', 'p', 'b'] {
        watched.press(Key::Letter(key));
        for size in [(1, 1), (5, 2), (20, 3), (30, 8), (400, 100)] {
            let (text, _) = screen(&mut watched, size, true);
            assert_eq!(text.lines().count(), usize::from(size.1));
        }
    }
    let mut empty = WatchState::new(vec![WatchedRun::new("runs/new".to_owned())]);
    assert!(screen(&mut empty, (80, 24), true).0.contains("no rows of progress yet"));
}

/// The row about the start is written ten seconds later, with the time of the start.
#[test]
fn boards_side_by_side_begin_when_they_began() {
    let row = |elapsed, event, lower_bound| ProgressRow { elapsed, event, lower_bound, ..hunt()[1].clone() };
    let other = ProgressRow { number: Some(2), board: "b".to_owned(), ..row(14.0, RowEvent::Range, 30) };
    let rows = vec![other, row(9.0, RowEvent::Begin, 0), row(19.0, RowEvent::Time, 24), row(29.0, RowEvent::Time, 24)];
    let run = run("runs/two", rows, ProcessState::Over);
    let expected = [
        (9.0, "b32.txt: best-first begins, 0 <= optimum".to_owned()),
        (14.0, "b: 30 <= optimum".to_owned()),
        (19.0, "b32.txt: 24 <= optimum".to_owned()),
    ];
    assert_eq!(panels::run_events(run.all_rows()), expected);
    assert_eq!(plot::Curves::of(run.board_rows()).end, 20.0);
}

/// A run of very many easy boards has only rows about the session.
#[test]
fn a_run_without_rows_of_boards_tells_of_no_range() {
    let session = |event| ProgressRow { event, boards: Some(1_000), done: 1_000, ..ProgressRow::default() };
    let rows = vec![session(RowEvent::Session), session(RowEvent::End)];
    let mut watched = WatchState::new(vec![run("runs/easy", rows, ProcessState::Over)]);
    let (text, _) = screen(&mut watched, (80, 24), false);
    assert!(text.contains("\n1000 of 1000 boards done\n") && !text.contains("optimum"), "{text}");
    assert!(text.contains("boards searched side by side have curves after ten seconds"), "{text}");
}

/// The current state has priority over the rows.
#[test]
fn a_search_of_this_process_shows_the_moment() {
    let mut watched = one();
    watched.runs[0].set_current(ProgressRow { in_layer: 170_300, elapsed: 11_561.0, ..hunt()[12].clone() });
    let (text, _) = screen(&mut watched, (80, 24), false);
    assert!(text.contains("170,300     now") && text.contains("3:12:41"), "{text}");
}

/// While a process searches, the time advances between two rows, and the age of the last row is shown.
#[test]
fn a_run_under_way_ticks() {
    let mut watched = one();
    let mut poll_at = |polled_at: f64, state: ProcessState| {
        (watched.runs[0].polled_at, watched.runs[0].process_state) = (polled_at, state);
        let (text, _) = screen(&mut watched, (80, 24), false);
        (text.lines().next().unwrap_or_default().to_owned(), text)
    };
    let active = || ProcessState::Active("4711".to_owned());
    let (now, _) = poll_at(7.0, active());
    assert!(now.contains("process 4711, last row 7 s ago") && now.ends_with("3:12:47"), "{now}");
    assert!(poll_at(12.0, active()).0.ends_with("3:12:52"));
    let (_, late) = poll_at(9.0 * 3_600.0, active());
    assert!(late.contains("12h 13m"), "the curves go on, too: {late}");
    let (over, _) = poll_at(12.0, ProcessState::Over);
    assert!(over.contains("killed") && !over.contains("ago") && over.ends_with("3:12:40"), "{over}");
}

/// A range of more than a factor of 100 is vague.
#[test]
fn wide_estimates_are_not_predictable() {
    let mut rows = hunt();
    for (row, expanded) in rows.iter_mut().filter(|row| row.finished.is_some()).zip([10, 20, 4_000, 8_000]) {
        row.finished = row.finished.map(|layer| Layer { expanded, ..layer });
    }
    let last = rows.len() - 1;
    (rows[last].in_layer, rows[last].open) = (5, vec![(28, 3)]);
    let (text, _) = screen(&mut WatchState::new(vec![run("runs/big", rows, ProcessState::Unknown)]), (80, 24), false);
    assert!(text.contains("layer 28: 16.0 k - 1.60 M") && text.contains("then 29: not predictable"), "{text}");
}
