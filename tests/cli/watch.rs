//! Rows of progress, and the screens that show them.
#![cfg(unix)]

use super::boards::hard;
use super::signals::start;
use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

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
    let text = fs::read_to_string(path).expect("a file");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
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
    let list = stdout(&["watch", &run, &folder.path("run/progress.jsonl"), "--once"]);
    assert!(list.contains("proven range") && list.contains("[enter] open"), "{list}");
    gridhunt(&["watch", "/no/such/run", "--once"]).assert().code(3).stderr(contains("found nothing"));
    let no_terminal = contains("found no terminal").and(contains("--once"));
    gridhunt(&["watch", &run]).assert().code(2).stderr(no_terminal);
    gridhunt(&["solve", &folder.path("board.txt"), "--watch"]).assert().code(2).stderr(contains("without a terminal"));
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

/// What the program writes to a terminal that `script` makes, where `keys` are typed; `None` without `script`.
fn typed(command_line: &str, keys: &str) -> Option<(String, Option<i32>)> {
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").to_str()?;
    let command = format!("stty rows 24 cols 80; {program} {command_line}");
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    std::io::Write::write_all(child.stdin.as_mut()?, keys.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()))
}

#[test]
fn the_terminal_is_clean_again_after_the_view() {
    let (_folder, run) = stopped();
    let Some((written, code)) = typed(&format!("watch {run}"), "lwepbq") else { return };
    assert_eq!(code, Some(0), "{written:?}");
    let (opened, closed) = ("\x1b[?1049h", "\x1b[?1049l");
    let at = |part: &str| written.rfind(part).unwrap_or_else(|| panic!("no {part:?} in {written:?}"));
    assert!(at(opened) < at(closed) && at(closed) < at("\x1b[?25h"), "{written:?}");
}
