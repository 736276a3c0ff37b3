//! Rows of progress, and the screens that show them.
#![cfg(unix)]

use super::boards::{hard, many};
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
    assert!(screen.contains("go on with:"), "{screen}");
    gridhunt(&["solve", &boards, "--run", &folder.path("runs/b"), "-q", "-t", "2"]).assert().success();
    let runs = folder.path("runs");
    let list = stdout(&["watch", &runs, "--once"]);
    assert!(list.contains("proven range") && list.contains("finished") && list.contains("12 of 12 boards"), "{list}");
    let lines = stdout(&["status", &runs]);
    assert!(lines.lines().count() == 2 && lines.contains("runs/b: not running; finished; 12 of 12 boards"), "{lines}");
    assert_eq!(stdout(&["status", &runs, "--json"]).lines().count(), 2);
    assert!(stdout(&["inspect", &runs]).matches(" files checked, ").count() == 2);
    // One run that cannot be read is named, and the others are shown.
    fs::write(folder.path("runs/a/boards.json"), "nonsense").unwrap();
    let damaged = gridhunt(&["status", &runs]).assert().code(3);
    damaged.stdout(contains("runs/b: not running")).stderr(contains("runs/a"));
    fs::create_dir(folder.path("runs/c")).unwrap();
    fs::write(folder.path("runs/c/parts.toml"), "nonsense").unwrap();
    gridhunt(&["status", &runs]).assert().code(3).stdout(contains("runs/b: not running")).stderr(contains("runs/c"));
    let list = stdout(&["watch", &runs, "--once"]);
    assert!(list.contains("runs/b") && list.contains("runs/c"), "{list}");
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
pub fn typed(command_line: &str, keys: &str) -> Option<(String, Option<i32>)> {
    let program = assert_cmd::cargo::cargo_bin!("gridhunt").to_str()?;
    let command = format!("stty rows 24 cols 80; {program} {command_line}");
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    std::io::Write::write_all(child.stdin.as_mut()?, keys.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()))
}

/// `watch` opens files for reading alone and creates none. Root may write anywhere, so only other users are refused.
#[test]
fn a_run_that_cannot_be_written_to_is_shown() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, run) = stopped();
    let whole = stdout(&["watch", &run, "--once"]);
    let files = || fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().path());
    let modes = |folder: u32, file: u32| {
        files().filter(|path| path.is_file()).for_each(|path| {
            fs::set_permissions(path, fs::Permissions::from_mode(file)).unwrap();
        });
        fs::set_permissions(&run, fs::Permissions::from_mode(folder)).unwrap();
    };
    let before: Vec<_> = files().map(|path| (path.metadata().unwrap().modified().unwrap(), path)).collect();
    modes(0o555, 0o444);
    let shown = stdout(&["watch", &run, "--once"]);
    modes(0o755, 0o644);
    assert_eq!(shown, whole);
    let after: Vec<_> = files().map(|path| (path.metadata().unwrap().modified().unwrap(), path)).collect();
    assert_eq!(after, before);
    // A run that has no rows yet is no error, and neither is an empty file.
    fs::remove_file(folder.path("run/progress.jsonl")).unwrap();
    let none = stdout(&["watch", &run, "--once"]);
    assert!(none.contains("no rows of progress yet") && !none.contains("unreadable"), "{none}");
}

/// A file of rows without an end: nobody knows whether a process still writes it.
#[test]
fn the_age_of_old_rows_is_told() {
    let folder = Folder::new(&[("rows.jsonl", "{\"time\":1000,\"elapsed\":5,\"session\":1,\"event\":\"time\"}\n")]);
    let screen = stdout(&["watch", &folder.path("rows.jsonl"), "--once"]);
    assert!(screen.contains("last row") && screen.contains("ago") && !screen.contains("under way"), "{screen}");
}

/// A terminal that `script` of util-linux makes, and a program in it.
#[cfg(target_os = "linux")]
mod terminal {
    use std::fs::read_to_string;
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};

    /// What shows and hides the screen.
    pub const OPENED: &str = "\x1b[?1049h";
    pub const CLOSED: &str = "\x1b[?1049l";

    pub struct Terminal {
        child: Child,
        written: String,
        /// The text up to here was waited for.
        at: usize,
    }

    impl Terminal {
        /// Runs the program on a terminal of 80 x 24. `more` follows the command line in the shell.
        pub fn of(args: &str, process: &str) -> Self {
            let program = assert_cmd::cargo::cargo_bin!("gridhunt").to_str().expect("a path in UTF-8");
            let command = format!("stty rows 24 cols 80; echo $$ > {process}; exec {program} {args}");
            let mut script = Command::new("script");
            script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR");
            let child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            Self { child: child.expect("`script` of util-linux"), written: String::new(), at: 0 }
        }

        /// Reads until the program has written this text, behind all that was waited for before.
        pub fn wait_for(&mut self, text: &str) -> &mut Self {
            let mut bytes = [0; 4096];
            while !self.written[self.at..].contains(text) {
                let read = self.child.stdout.as_mut().expect("a pipe").read(&mut bytes).expect("a terminal");
                assert!(read > 0, "the program ended before {text:?}: {:?}", self.written);
                // The drawing is split anywhere: characters of several bytes do not matter here.
                self.written.extend(bytes[..read].iter().map(|&byte| char::from(byte)));
            }
            self.at += self.written[self.at..].find(text).expect("the text") + text.len();
            self
        }

        pub fn press(&mut self, keys: &str) -> &mut Self {
            let input = self.child.stdin.as_mut().expect("a pipe");
            input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("a terminal");
            self
        }

        /// Sends a signal to the program, whose id the shell has written to this file.
        pub fn signal(&mut self, signal: &str, process: &str) -> &mut Self {
            let id = read_to_string(process).expect("the id of the process");
            assert!(Command::new("kill").args([signal, id.trim()]).status().expect("kill").success());
            self
        }

        /// Waits for the end. Returns what was written, and the exit code.
        pub fn end(mut self) -> (String, Option<i32>) {
            let mut rest = Vec::new();
            self.child.stdout.take().expect("a pipe").read_to_end(&mut rest).expect("a terminal");
            self.written.extend(rest.into_iter().map(char::from));
            (self.written, self.child.wait().expect("an end").code())
        }
    }

    /// The screen is hidden, and the cursor is back, behind all that was drawn.
    pub fn assert_clean(written: &str) {
        let at = |part: &str| written.rfind(part).unwrap_or_else(|| panic!("no {part:?} in {written:?}"));
        assert!(at(OPENED) < at(CLOSED) && at(CLOSED) < at("\x1b[?25h"), "{written:?}");
        assert!(!written[at(CLOSED)..].contains("\x1b[?25l"), "nothing is drawn behind: {written:?}");
    }
}

#[cfg(target_os = "linux")]
use terminal::{CLOSED, OPENED, Terminal, assert_clean};

#[cfg(target_os = "linux")]
#[test]
fn the_terminal_is_clean_again_after_the_view() {
    let (folder, run) = stopped();
    let process = folder.path("process");
    let mut terminal = Terminal::of(&format!("watch {run}"), &process);
    terminal.wait_for(OPENED).press("?lwepbq");
    let (written, code) = terminal.end();
    assert_eq!(code, Some(0), "{written:?}");
    assert_clean(&written);
    for (signal, expected) in [("-TERM", 143), ("-HUP", 129), ("-QUIT", 131)] {
        let mut terminal = Terminal::of(&format!("watch {run}"), &process);
        terminal.wait_for(OPENED).signal(signal, &process);
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
    let (board, process) = (folder.write("hard.txt", &hard()), folder.path("process"));
    for (signal, expected) in [(None, 130), (Some("-TERM"), 143), (Some("-QUIT"), 131)] {
        let mut terminal = Terminal::of(&format!("solve {board} --watch"), &process);
        // A search that is stopped before it begins has no result.
        terminal.wait_for(OPENED).wait_for("hard.txt");
        match signal {
            None => terminal.press("\x03"),
            Some(signal) => terminal.signal(signal, &process),
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
    let (board, process) = (folder.write("hard.txt", &hard()), folder.path("process"));
    let mut terminal = Terminal::of(&format!("solve {board} --watch"), &process);
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
    let (board, process, file) = (folder.path("row.txt"), folder.path("process"), folder.path("results.txt"));
    for (output, expected) in [(String::new(), 3), (format!("--output {file}"), 1), (format!("> {file}"), 1)] {
        let terminal = Terminal::of(&format!("solve {board} {board} --watch {output}"), &process);
        let (written, code) = terminal.end();
        assert_eq!((code, written.matches(OPENED).count()), (Some(0), expected), "{output}: {written:?}");
        assert_clean(&written);
    }
    assert!(fs::read_to_string(&file).unwrap().contains("2 boards"));
}
