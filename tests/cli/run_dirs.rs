//! Run directories and configurations: created by many at once, killed while they are made, read alone, found by name.
#![cfg(unix)]

use super::boards::{SMALL, hard};
use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn is_long() -> bool {
    std::env::var_os("GRIDHUNT_LONG").is_some()
}

fn begin(args: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"));
    command.args(args).env("XDG_CONFIG_HOME", "/nowhere").stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn of_processes_that_create_one_run_exactly_one_wins() {
    let folder = Folder::new(&[]);
    let board = folder.write("small.txt", SMALL);
    for race in 0..if is_long() { 500 } else { 4 } {
        let run = folder.path(&format!("run-{race}"));
        let children: Vec<_> = (0..3).map(|_| begin(&["solve", &board, "--run", &run, "--quiet"])).collect();
        let mut won = 0;
        for child in children {
            let output = child.wait_with_output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let is_clear = error.contains("in use by process") || error.contains("found a run, expected");
            match output.status.code() {
                Some(0) => won += 1,
                code => assert!(code == Some(3) && is_clear, "race {race}: {code:?} {error}"),
            }
        }
        assert_eq!(won, 1, "race {race}");
        gridhunt(&["status", &run, "--check"])
            .assert()
            .success()
            .stdout(contains("1 of 1 board done, 1 proven optimal"));
    }
}

/// Whatever a killed process leaves: each command knows what to do with it.
fn assert_sensible(board: &str, run: &str, context: &str) {
    let is_there = Path::new(run).join("run.toml").exists();
    for command in [&["status"][..], &["status", "--check"]] {
        let output = gridhunt(&[command, &[run]].concat()).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        match output.status.code() {
            Some(0) => assert!(is_there && said.contains("continue with: gridhunt resume"), "{context}: {said}"),
            Some(3) => assert!(!is_there && (said.contains("start again") || said.contains("found nothing")), "{said}"),
            code => panic!("{context}: {command:?} ends with {code:?}: {said}"),
        }
    }
    if is_there {
        gridhunt(&["resume", run, "--expansions", "10", "--quiet"]).assert().code(7);
    } else {
        gridhunt(&["resume", run]).assert().code(3);
        gridhunt(&["solve", board, "--run", run, "--expansions", "10", "--quiet"]).assert().code(7);
    }
    gridhunt(&["status", run, "--check"]).assert().success();
}

/// Kills at every fifth millisecond of the first second; in short, only what a kill may leave.
#[test]
fn a_run_that_was_killed_early_is_told_and_goes_on() {
    let folder = Folder::new(&[]);
    let board = folder.write("hard.txt", &hard());
    let whole = folder.path("whole");
    gridhunt(&["solve", &board, "--run", &whole, "--expansions", "10", "--quiet"]).assert().code(7);
    let leftovers: [&[&str]; 4] =
        [&[], &["lock"], &["lock", "boards.json"], &["lock", "boards.json", "checksums", "run.new"]];
    for (number, names) in leftovers.iter().enumerate() {
        let run = folder.path(&format!("left-{number}"));
        fs::create_dir(&run).unwrap();
        for name in *names {
            let original = if *name == "run.new" { "run.toml" } else { name };
            fs::copy(Path::new(&whole).join(original), Path::new(&run).join(name)).unwrap();
        }
        assert_sensible(&board, &run, &format!("{names:?}"));
    }
    let times = (0..1_000).step_by(5).filter(|_| is_long());
    for milliseconds in times {
        let run = folder.path(&format!("killed-{milliseconds}"));
        let mut child = begin(&["solve", &board, "--run", &run, "--checkpoint", "100ms", "--quiet"]);
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_sensible(&board, &run, &format!("killed after {milliseconds} ms"));
    }
}

#[test]
fn a_board_that_cannot_be_searched_leaves_no_run() {
    let folder = Folder::new(&[]);
    let board = folder.write("small.txt", SMALL);
    folder.write("hunt.toml", &format!("dataset = '{board}'\nobjective = 'clear'\nbound = 'ahead'\n"));
    fs::create_dir(folder.path("mine")).unwrap();
    let clear: &[&str] = &["--domain", "clickomania", "--objective", "clear", "--bound", "ahead"];
    for (options, code) in [(&["--domain", "bunny"][..], 3), (clear, 2)] {
        for (name, is_there) in [("run", false), ("below/run", false), ("mine", true)] {
            let run = folder.path(name);
            gridhunt(&["solve", &board, "--run", &run, "-q"]).args(options).assert().code(code);
            assert_eq!(folder.exists(name), is_there, "{options:?}: {name}");
            assert!(!folder.exists(&format!("{name}/run.toml")) && !folder.exists(&format!("{name}/lock")));
        }
    }
    gridhunt(&["hunt", &folder.path("hunt.toml"), "--run", &folder.path("run"), "-q"]).assert().code(2);
    assert!(!folder.exists("run"));
    // What is there already stays.
    let run = folder.path("run");
    gridhunt(&["solve", &board, "--run", &run, "-q"]).assert().success();
    gridhunt(&["solve", &board, "--run", &run, "--domain", "bunny", "-q"]).assert().code(3);
    gridhunt(&["status", &run, "--check"]).assert().success();
}

pub fn set_mode(path: &Path, folder: u32, file: u32) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| set_mode(&entry.unwrap().path(), folder, file));
    }
    let mode = if path.is_dir() { folder } else { file };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn who_may_only_read_sees_as_much() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.write("hard.txt", &hard()), folder.path("my run"));
    gridhunt(&["solve", &board, "--run", &run, "--engine", "best-first", "--expansions", "2000"])
        .assert()
        .code(7)
        .stderr(contains(format!("continue with: gridhunt resume '{run}'")));
    let shown = stdout(&["status", &run, "--check"]);
    assert!(shown.contains("the expansion limit ended it") && shown.contains("iB: intact\n"), "{shown}");
    fs::remove_file(folder.path("my run/lock")).unwrap();
    set_mode(Path::new(&run), 0o555, 0o444);
    let again = stdout(&["status", &run, "--check"]);
    let without_age = |text: &str| text.lines().filter(|line| !line.contains(" ago")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_age(&again), without_age(&shown));
    assert!(!folder.exists("my run/lock"), "a look makes no lock");
    set_mode(Path::new(&run), 0o755, 0o644);
    // What cannot be used is no success.
    for name in ["manifest-a", "manifest-b"] {
        let path = folder.path(&format!("my run/boards/1/{name}"));
        if Path::new(&path).exists() {
            fs::write(path, "nonsense").unwrap();
        }
    }
    gridhunt(&["status", &run]).assert().code(3).stdout(contains("found no checkpoint").and(contains("or remove ")));
}

#[test]
fn shipped_names_work_from_any_folder() {
    let folder = Folder::new(&[("sub/hunt.toml", "dataset = 'mine.txt'\n"), ("sub/mine.txt", SMALL)]);
    fs::create_dir(folder.path("elsewhere")).unwrap();
    let elsewhere = folder.path("elsewhere");
    let hunt = |args: &[&str]| {
        let mut command = gridhunt(args);
        command.current_dir(&elsewhere);
        command
    };
    hunt(&["hunt", "hundred", "--run", "hundred", "--expansions", "1", "--quiet"]).assert().code(7);
    hunt(&["status", "hundred"]).assert().success().stdout(contains("0 of 100 boards done"));
    // A data set lies beside its configuration, wherever the program runs.
    hunt(&["hunt", "../sub/hunt.toml", "--run", "mine", "--quiet"]).assert().success();
    let text = "dataset = '8x8-4c-20.lines'\nformat = 'lines'\nboards = '3,7'\nobjective = 'clicks'\n";
    folder.write("sub/clicks.toml", text);
    let clicks = ["hunt", "../sub/clicks.toml", "--run", "clicks", "--quiet", "--json"];
    hunt(&clicks).assert().success().stdout(contains("\"board\":\"8x8-4c-20.lines#7\"").and(contains("clickomania")));
    folder.write("sub/clicks.toml", &text.replace("7", "21"));
    hunt(&["hunt", "../sub/clicks.toml", "--run", "none"]).assert().code(3).stderr(contains("found 20 boards"));
    assert!(!folder.exists("elsewhere/none"));
    folder.write("sub/hunt.toml", "dataset = 'missing.txt'\n");
    hunt(&["hunt", "../sub/hunt.toml", "--run", "none"]).assert().code(3).stderr(contains("../sub/missing.txt"));
}

#[test]
fn configurations_are_found_in_their_order() {
    let folder = Folder::new(&[("board.txt", SMALL)]);
    let (board, home) = (folder.path("board.txt"), folder.path("home"));
    let solve = |args: &[&str]| {
        let mut command = gridhunt(&["solve", &board, "--json"]);
        command.args(args).env("XDG_CONFIG_HOME", &home).current_dir(folder.dir());
        command.assert()
    };
    let engine = |name: &str| contains(format!("\"engine\":\"{name}\""));
    solve(&["--config", "anytime", "-q"]).success().stdout(engine("beam"));
    solve(&["--config", "mine"]).code(3).stderr(contains("expected a path or one of: anytime, default, hundred"));
    folder.write("home/gridhunt/mine.toml", "engine = 'best-first'\n");
    folder.write("home/gridhunt/anytime.toml", "engine = 'best-first'\n");
    solve(&["--config", "mine", "-q"]).success().stdout(engine("best-first"));
    solve(&["--config", "anytime", "-q"]).success().stdout(engine("best-first"));
    solve(&["--config", "other"]).code(3).stderr(contains("mine, quick"));
    // A folder of the project comes before that of the user, and a path before all.
    folder.write("configs/mine.toml", "engine = 'ida'\n");
    solve(&["--config", "mine", "-q"]).success().stdout(engine("ida"));
    let path = folder.path("home/gridhunt/mine.toml");
    solve(&["--config", &path, "-q"]).success().stdout(engine("best-first"));
    solve(&["--config", &home]).code(3).stderr(contains("found a directory, expected a configuration file"));
    // What the user wants for every search, unless a flag or a configuration says otherwise.
    let own = folder.write("home/gridhunt/default.toml", "engine = 'best-first'\n");
    let note = contains(format!("settings of {own}"));
    solve(&[]).success().stdout(engine("best-first")).stderr(note);
    solve(&["--engine", "ida", "-q"]).success().stdout(engine("ida")).stderr("");
    solve(&["--config", "quick", "-q"]).success().stdout(engine("auto"));
    // What cannot be read is no reason not to search.
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    solve(&["-q"]).success().stdout(engine("auto")).stderr(contains(format!("warning: going on without {own}: ")));
}
