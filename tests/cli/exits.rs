//! The exit code matrix.

use super::boards::{SMALL, hard};
use super::{Folder, gridhunt};
use predicates::str::contains;

fn folder() -> Folder {
    let folder = Folder::new(&[
        ("small.txt", SMALL),
        ("ragged.txt", "112\n23\n123\n"),
        ("right.txt", "2 3 1 3 2\n"),
        ("wrong.txt", "2\n"),
        ("speed.toml", "speed = 1\n"),
    ]);
    folder.write("hard.txt", &hard());
    folder
}

#[test]
fn every_kind_of_end_has_its_code() {
    let folder = folder();
    let path = |name: &str| folder.path(name);
    let (small, hard) = (path("small.txt"), path("hard.txt"));
    let cases: &[(i32, &[&str])] = &[
        (0, &["--version"]),
        (1, &["verify", &small, &path("wrong.txt")]),
        (2, &[]),
        (2, &["solve"]),
        (2, &["solve", &small, "--engine", "fast"]),
        (2, &["solve", &small, "--threads", "0"]),
        (0, &["solve", &small, "--expansions", "1e6"]),
        (0, &["solve", &small, "--memory", "32MiB"]),
        (6, &["solve", &small, "--memory", "31MiB"]),
        (0, &["solve", &small, "--engine", "anneal", "--anneal-rounds", "1", "--anneal-seed", "0"]),
        (2, &["solve", &small, "--engine", "beam", "--beam-width", "0"]),
        (2, &["generate", "--seed", "x"]),
        (2, &["solve", &small, "--boards", "3-1"]),
        (2, &["solve", "-", "-"]),
        (2, &["generate", "--colours", "0"]),
        (2, &["render", &small, "--step", "3"]),
        (3, &["solve", &path("ragged.txt")]),
        (3, &["solve", &small, "--boards", "2"]),
        (3, &["solve", &small, "--start", "4,1"]),
        (3, &["solve", &small, "--config", &path("speed.toml")]),
        (3, &["verify", &path("ragged.txt"), &path("right.txt")]),
        (3, &["verify", &small, &path("missing.txt")]),
        (5, &["solve", &hard, "--time-limit", "200ms"]),
        (6, &["solve", &hard, "--engine", "best-first", "--memory", "1MiB"]),
        (7, &["solve", &hard, "--expansions", "1000"]),
        (74, &["solve", &small, "--output", &path("no-folder/results.txt")]),
    ];
    for (code, args) in cases {
        let assert = gridhunt(args).assert();
        let output = assert.get_output();
        assert_eq!(
            output.status.code(),
            Some(*code),
            "{args:?}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// Without its limit this search takes more than 90 MiB. Freed memory that stays in huge pages would count too.
#[test]
fn a_limit_of_memory_is_passed_by_a_tenth_at_most() {
    let folder = folder();
    let board = folder.path("long.txt");
    gridhunt(&["generate", "--rows", "24", "--colours", "6", "--seed", "1", "-o", &board]).assert().code(0);
    let search = ["solve", &board, "--memory", "64MiB", "--threads", "2", "--json", "--quiet"];
    let output = gridhunt(&search).assert().code(0).get_output().stdout.clone();
    let result: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let peak = result["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= (64 << 20) / 10 * 11, "{} MiB", peak >> 20);
}

/// The most memory that a command takes, in MiB: what it asks for with `--memory` holds for the whole process.
#[cfg(target_os = "linux")]
#[expect(clippy::zombie_processes, reason = "wait4 is what waits for it")]
fn peak_of(args: &[&str]) -> i64 {
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridhunt"));
    let child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (mut status, id) = (0, child.id() as libc::pid_t);
    // SAFETY: the child is this process's own, nobody else waits for it, and zeros are a valid `rusage`.
    let (waited, usage) = unsafe {
        let mut usage = std::mem::zeroed();
        (libc::wait4(id, &raw mut status, 0, &raw mut usage), usage)
    };
    assert!(waited == id && libc::WIFEXITED(status), "{args:?}: {status}");
    assert!([0, 5, 6, 8].contains(&libc::WEXITSTATUS(status)), "{args:?}: {status}");
    usage.ru_maxrss >> 10
}

/// Large boards of both kinds under every engine and all bounds: states are kilobytes, and paths have a thousand moves.
/// In other commands than `solve` too.
#[cfg(target_os = "linux")]
#[test]
fn no_engine_and_no_bound_passes_a_limit_of_memory_by_more_than_a_tenth() {
    let folder = folder();
    let [flood, clicks] = ["flood.txt", "clicks.txt"].map(|name| folder.path(name));
    let flood_it = ["--rows", "100", "--colours", "20", "--seed", "1", "-o", &flood];
    let clickomania = ["--domain", "clickomania", "--rows", "60", "--colours", "5", "--seed", "1", "-o", &clicks];
    gridhunt(&[&["generate"][..], &flood_it].concat()).assert().code(0);
    gridhunt(&[&["generate"][..], &clickomania].concat()).assert().code(0);
    let on_flood: &[&[&str]] = &[
        &["solve", "--engine", "auto"],
        &["solve", "--engine", "best-first"],
        &["solve", "--engine", "ida"],
        &["solve", "--engine", "beam"],
        &["bounds"],
    ];
    let on_clicks: &[&[&str]] = &[
        &["solve", "--engine", "best-first"],
        &["solve", "--engine", "ida"],
        &["solve", "--engine", "beam"],
        &["solve", "--objective", "clicks"],
        &["solve", "--objective", "left"],
        &["bounds", "--bound", "colours"],
    ];
    let limits = ["--memory", "64MiB", "--time-limit", "0.4s", "--threads", "2", "--quiet"];
    let cases = on_flood.iter().map(|args| (args, &flood)).chain(on_clicks.iter().map(|args| (args, &clicks)));
    let passed = cases.filter_map(|(args, board)| {
        let peak = peak_of(&[args, &[board.as_str()][..], &limits].concat());
        (peak > 64 * 11 / 10).then(|| format!("{args:?} on {board}: {peak} MiB"))
    });
    assert_eq!(passed.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Paths of more than 255 moves: a byte does not hold them.
#[test]
fn rows_that_fit_no_byte_are_solved() {
    let folder = folder();
    let row: String = (0..600).map(|cell| ['1', '2'][cell % 2]).collect();
    let board = folder.write("row.txt", &format!("{row}\n"));
    let search = ["solve", &board, "--quiet"];
    gridhunt(&search).assert().code(0).stdout(contains("optimal, 599 moves"));
}

/// The children of all states on a path of this board take more than 200 MiB. What a resumed search restores is bounded
/// too.
#[test]
fn ida_drops_children_of_its_path() {
    let folder = folder();
    let (board, run) = (folder.path("large.txt"), folder.path("run"));
    let generate = ["--domain", "clickomania", "--rows", "60", "--colours", "5", "--seed", "1", "-o", &board];
    gridhunt(&[&["generate"], &generate[..]].concat()).assert().code(0);
    let search = ["--engine", "ida", "--objective", "clear", "--memory", "64MiB", "--threads", "1", "--run", &run];
    let solve = [&["solve", &board], &search[..]].concat();
    for arguments in [solve, vec!["resume", &run, "--threads", "1"]] {
        let limited = [&arguments[..], &["--expansions", "20000", "--json", "--quiet"]].concat();
        let output = gridhunt(&limited).assert().code(7).get_output().stdout.clone();
        let result: serde_json::Value = serde_json::from_slice(&output).unwrap();
        let peak = result["peak_memory_bytes"].as_u64().unwrap() >> 20;
        assert!(peak <= 100, "{}: {peak} MiB", arguments[0]);
    }
}

/// A wrong value is answered in the same words everywhere: what was found, the nearest name, what was expected.
#[test]
fn a_wrong_value_is_answered_with_what_was_meant() {
    let folder = folder();
    let path = |name: &str| folder.path(name);
    let (small, here) = (path("small.txt"), folder.dir().to_str().unwrap().to_owned());
    folder.write("empty-cell.txt", "112\n2.1\n123\n");
    folder.write("many.toml", "");
    let (empty, gone) = (path("empty-cell.txt"), path("14x14-6c-100.line"));
    let cases: &[(&[&str], &str)] = &[
        (&["--engine", "bestfirst"], "found engine \"bestfirst\", did you mean best-first? expected one of: auto, "),
        (&["--bound", "eliminatoin"], "did you mean elimination? expected one of: layers, elimination for flood-it"),
        (&["--bound", "colours"], "found the bound colours for the domain flood-it, expected the domain clickomania"),
        (&["--domain", "same-gaem"], "found domain \"same-gaem\", did you mean clickomania? expected one of: flood-it"),
        (&["--objective", "click"], "\"click\", did you mean clicks? expected one of: clear, clicks, left, score"),
        (&["--columns", "sty"], "found \"sty\", did you mean stay? expected one of: close, stay"),
        (&["--format", "txt"], "found \"txt\", did you mean text? expected one of: text, csv, "),
        (&["--config", "quik"], "found no configuration \"quik\", did you mean quick? expected a path or one of: "),
        (&["--config", "many"], "found no configuration \"many\", did you mean ./many.toml? expected a path"),
        (&["--disk", "9PiB"], "found \"9PiB\", expected at most 1PiB"),
        (&["--expansions", "many"], "found \"many\", expected a whole number from 0, such as 1000000 or 1e6"),
        (&["--beam-width", "7"], "found --beam-width with the engine auto, expected --engine beam"),
        (&["--memory", "31MiB"], "found a memory limit of 31.0 MiB, expected at least 32.0 MiB: raise --memory"),
        (&["--min-group", "0"], "found \"0\", expected a whole number from 1 to 4294967295, such as 2"),
        (&[&empty], "at 2,2, expected a colour in every cell for flood-it, or --domain clickomania"),
        (&[&gone], "; did you mean the data set 14x14-6c-100.lines?"),
    ];
    for (args, expected) in cases {
        let args = [&["solve", &small, "--strict", "-q"][..], args].concat();
        let errors = gridhunt(&args).current_dir(&here).assert().failure().get_output().stderr.clone();
        let errors = String::from_utf8_lossy(&errors);
        assert!(errors.contains(expected) && !errors.contains("tip:"), "{args:?}: {errors}");
    }
}
