//! Rows of progress, and the screens that show them.
#![cfg(unix)]

use super::boards::{hard, many};
use super::signals::start;
#[cfg(target_os = "linux")]
use super::terminal::{CLOSED, OPENED, Terminal};
use super::{Folder, gridhunt, objects, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::fs;

/// A run that a limit has ended, in a folder.
fn stopped() -> (Folder, String) {
    let folder = Folder::new(&[]);
    let (board, run) =
        (folder.write("board.txt", &stdout(&["generate", "--rows", "18", "--seed", "3"])), folder.path("run"));
    let limited = ["solve", &board, "--run", &run, "--engine", "best-first", "--expansions", "1000", "-q", "-t", "1"];
    gridhunt(&limited).assert().code(7);
    (folder, run)
}

fn rows(path: &str) -> Vec<Value> {
    objects(&fs::read(path).expect("a file"))
}

fn events(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["event"].as_str().expect("an event")).collect()
}

/// No count of the first board falls, also across a resume and after a torn row.
#[test]
fn the_rows_of_a_run_go_on_in_the_next_session() {
    let (folder, run) = stopped();
    let path = folder.path("run/progress.jsonl");
    let first = rows(&path);
    let seen = events(&first);
    assert!(seen.starts_with(&["session", "begin"]) && seen.ends_with(&["board", "end"]), "{seen:?}");
    assert!(seen.contains(&"layer") && seen.contains(&"range"), "{seen:?}");
    let torn = fs::read_to_string(&path).unwrap() + "{\"time\":17";
    fs::write(&path, torn).unwrap();
    gridhunt(&["resume", &run, "--expansions", "1000000", "-q", "-t", "2"]).assert().success();
    let all = rows(&path);
    assert_eq!(all[..first.len()], first);
    for name in ["elapsed", "session", "expanded", "generated", "stored", "duplicates", "lower_bound"] {
        let of_board = |row: &&Value| name == "elapsed" || name == "session" || row["number"] == 1;
        let values: Vec<f64> = all.iter().filter(of_board).map(|row| row[name].as_f64().expect("a number")).collect();
        assert!(values.is_sorted() && values.len() > 5, "{name}: {values:?}");
    }
    let last = &all[all.len() - 2];
    assert_eq!(
        (&last["ended"], &last["session"], &last["workers"][1]["steals"].is_u64()),
        (&"optimal".into(), &2.into(), &true)
    );
}

#[test]
fn solve_writes_rows_to_any_file_but_its_input() {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n")]);
    let [board, file] = ["row.txt", "rows.jsonl"].map(|name| folder.path(name));
    gridhunt(&["solve", &board, "--progress", &file, "-q"]).assert().success();
    let rows = rows(&file);
    assert_eq!(events(&rows).last(), Some(&"end"));
    assert_eq!((&rows[0]["boards"], &rows[rows.len() - 1]["done"]), (&1.into(), &1.into()));
    gridhunt(&["solve", &board, "--progress", &board]).assert().code(2).stderr(contains("not an input"));
    gridhunt(&["solve", &board, "--progress", "/no/such/folder/x"]).assert().code(74);
}

#[test]
fn one_screen_shows_a_run_that_ended_and_changes_nothing() {
    let (folder, run) = stopped();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        (names, fs::read(folder.path("run/progress.jsonl")).unwrap())
    };
    let before = names();
    let screen = stdout(&["watch", &run, "--once"]);
    assert_eq!(names(), before);
    assert!(
        screen.contains("expansion-limit") && screen.contains("23 <= optimum") && screen.contains("[q]uit"),
        "{screen}"
    );
    assert_eq!(screen.lines().count(), 24);
    let list = stdout(&["watch", &run, &run, "--once"]);
    assert!(list.contains("proven range") && list.contains("[enter] open"), "{list}");
    gridhunt(&["watch", "/no/such/run", "--once"]).assert().code(3).stderr(contains("found nothing"));
    let file = gridhunt(&["watch", &folder.path("run/progress.jsonl"), "--once"]).assert().code(3);
    file.stderr(contains("it belongs to the run directory"));
    let no_terminal = contains("found no terminal").and(contains("--once"));
    gridhunt(&["watch", &run]).assert().code(2).stderr(no_terminal);
    gridhunt(&["solve", &folder.path("board.txt"), "--watch"]).assert().code(2).stderr(contains("without a terminal"));
}

/// Boards side by side that are soon done have no curves: results are counted and shown.
#[test]
fn results_are_shown_beside_curves_and_folders_as_lists() {
    let folder = Folder::new(&[]);
    let (boards, run) = (folder.write("many.lines", &many(12)), folder.path("runs/a"));
    let limited = ["solve", &boards, "--run", &run, "--expansions", "5", "-q", "-t", "2"];
    gridhunt(&limited).assert().code(7);
    // As after a kill, before the row about the end.
    let rows = fs::read_to_string(folder.path("runs/a/progress.jsonl")).unwrap();
    fs::write(folder.path("runs/a/progress.jsonl"), rows.lines().next().unwrap().to_owned() + "\n").unwrap();
    let status: Value = serde_json::from_str(&stdout(&["status", &run, "--json"])).unwrap();
    let screen = stdout(&["watch", &run, "--once"]);
    assert!(status["done"].as_u64() > Some(0), "{status}");
    assert!(screen.contains(&format!("{} of 12 boards done", status["done"])), "{screen}");
    assert!(screen.contains("many.lines#") && screen.contains("  optimal: "), "{screen}");
    assert!(screen.contains("continue with:"), "{screen}");
    gridhunt(&["solve", &boards, "--run", &folder.path("runs/b"), "-q", "-t", "2"]).assert().success();
    let runs = folder.path("runs");
    let list = stdout(&["watch", &runs, "--once"]);
    assert!(list.contains("proven range") && list.contains("finished") && list.contains("12 of 12 boards"), "{list}");
    let lines = stdout(&["status", &runs]);
    assert!(lines.lines().count() == 2 && lines.contains("runs/b: not running; finished; 12 of 12 boards"), "{lines}");
    let of_a = stdout(&["status", &run]);
    let sums: Vec<_> = of_a.lines().filter(|line| line.contains(" begun")).collect();
    assert!(!sums.is_empty() && sums.iter().all(|sum| lines.contains(sum)), "{sums:?} in {lines}");
    assert_eq!(stdout(&["status", &runs, "--json"]).lines().count(), 2);
    assert!(stdout(&["status", &runs, "--check"]).matches(" files checked, ").count() == 2);
    // One run that cannot be read is named, and the others are shown.
    fs::write(folder.path("runs/a/boards.json"), "nonsense").unwrap();
    let damaged = gridhunt(&["status", &runs]).assert().code(3);
    damaged.stdout(contains("runs/b: not running")).stderr(contains("runs/a"));
    fs::create_dir(folder.path("runs/c")).unwrap();
    fs::write(folder.path("runs/c/run.toml"), "nonsense").unwrap();
    gridhunt(&["status", &runs]).assert().code(3).stdout(contains("runs/b: not running")).stderr(contains("runs/c"));
    let list = gridhunt(&["watch", &runs, "--once"]).assert().code(3);
    let damaged = contains("runs/a/boards.json: ").and(contains("runs/c/run.toml"));
    list.stdout(contains("runs/b").and(contains("runs/c"))).stderr(damaged);
}

#[test]
fn a_search_under_way_is_shown_as_such() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.write("hard.txt", &hard()), folder.path("run"));
    let mut child = start(&["solve", &board, "--run", &run, "--engine", "best-first"]);
    let active = stdout(&["watch", &run, "--once"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(active.contains(&format!("process {}", child.id())), "{active}");
    let killed = stdout(&["watch", &run, "--once"]);
    assert!(killed.contains("killed"), "{killed}");
}

/// `watch` opens files for reading alone and creates none. Root may write anywhere, so only other users are refused.
#[test]
fn a_run_that_cannot_be_written_to_is_shown() {
    let (folder, run) = stopped();
    let whole = stdout(&["watch", &run, "--once"]);
    let files = || fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().path());
    let modes = |folder, file| super::run_dirs::set_mode(run.as_ref(), folder, file);
    let before: Vec<_> = files().map(|path| (path.metadata().unwrap().modified().unwrap(), path)).collect();
    modes(0o555, 0o444);
    let shown = stdout(&["watch", &run, "--once"]);
    gridhunt(&["report", &run, "-o", &folder.path("page.html")]).assert().success();
    modes(0o755, 0o644);
    assert_eq!(shown, whole);
    let after: Vec<_> = files().map(|path| (path.metadata().unwrap().modified().unwrap(), path)).collect();
    assert_eq!(after, before);
    // A run that has no rows yet is no error, and neither is an empty file.
    fs::remove_file(folder.path("run/progress.jsonl")).unwrap();
    let none = stdout(&["watch", &run, "--once"]);
    assert!(none.contains("no rows of progress yet") && !none.contains("unreadable"), "{none}");
}

/// The screen is hidden, and the cursor is back, behind all that was drawn.
#[cfg(target_os = "linux")]
fn assert_clean(written: &str) {
    let at = |part: &str| written.rfind(part).unwrap_or_else(|| panic!("no {part:?} in {written:?}"));
    assert!(at(OPENED) < at(CLOSED) && at(CLOSED) < at("\x1b[?25h"), "{written:?}");
    assert!(!written[at(CLOSED)..].contains("\x1b[?25l"), "nothing is drawn behind: {written:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_terminal_is_clean_again_after_the_view() {
    let (_folder, run) = stopped();
    let mut terminal = Terminal::of(&format!("watch {run}"));
    terminal.wait_for(OPENED).press("?lwepbq");
    let (written, code) = terminal.end();
    assert_eq!(code, Some(0), "{written:?}");
    assert_clean(&written);
    for (signal, expected) in [("-TERM", 143), ("-HUP", 129), ("-QUIT", 131)] {
        let mut terminal = Terminal::of(&format!("watch {run}"));
        terminal.wait_for(OPENED).signal(signal);
        let (written, code) = terminal.end();
        assert_eq!(code, Some(expected), "{written:?}");
        assert_clean(&written);
    }
}

/// Ctrl-C and a signal end the search with a result on a clean terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_watched_search_ends_with_its_result() {
    let folder = Folder::new(&[]);
    let board = folder.write("hard.txt", &hard());
    for (signal, expected) in [(None, 130), (Some("-TERM"), 143), (Some("-QUIT"), 131)] {
        let mut terminal = Terminal::of(&format!("solve {board} --watch"));
        // A search that is stopped before it begins has no result.
        terminal.wait_for(OPENED).wait_for("hard.txt");
        match signal {
            None => terminal.press("\x03"),
            Some(signal) => terminal.signal(signal),
        };
        terminal.wait_for(CLOSED);
        let (written, code) = terminal.end();
        assert_eq!(code, Some(expected), "{written:?}");
        assert_clean(&written);
        assert!(written[written.rfind(CLOSED).unwrap()..].contains("(interrupted)"), "{written:?}");
    }
}

/// `q` closes the screen, and the search goes on with its live line.
#[cfg(target_os = "linux")]
#[test]
fn a_watched_search_goes_on_without_its_screen() {
    let folder = Folder::new(&[]);
    let board = folder.write("hard.txt", &hard());
    let mut terminal = Terminal::of(&format!("solve {board} --watch"));
    terminal.wait_for(OPENED).press("q").wait_for(CLOSED).wait_for("<= optimum").press("\x03");
    let (written, code) = terminal.end();
    assert_eq!((code, written.matches(OPENED).count()), (Some(130), 1), "{written:?}");
    assert!(written.contains("(interrupted)"), "{written:?}");
}

/// Each result on the terminal hides the screen for a moment. Results in a file do not.
#[cfg(target_os = "linux")]
#[test]
fn the_screen_makes_room_for_results_on_the_terminal() {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n")]);
    let [board, file] = ["row.txt", "results.txt"].map(|name| folder.path(name));
    for (output, expected) in [(String::new(), 3), (format!("--output {file}"), 1), (format!("> {file}"), 1)] {
        let terminal = Terminal::of(&format!("solve {board} {board} --watch {output}"));
        let (written, code) = terminal.end();
        assert_eq!((code, written.matches(OPENED).count()), (Some(0), expected), "{output}: {written:?}");
        assert_clean(&written);
    }
    assert!(fs::read_to_string(&file).unwrap().contains("2 boards"));
}
