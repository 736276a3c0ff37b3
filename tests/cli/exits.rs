//! The exit code matrix.

use super::boards::{SMALL, hard};
use super::{Folder, gridhunt};
use predicates::prelude::PredicateBooleanExt;
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
        (0, &["solve", &small]),
        (0, &["--help"]),
        (0, &["solve", "--help"]),
        (0, &["--version"]),
        (0, &["engines"]),
        (1, &["verify", &small, &path("wrong.txt")]),
        (2, &[]),
        (2, &["dance"]),
        (2, &["solve"]),
        (2, &["solve", &small, "--engine", "fast"]),
        (2, &["solve", &small, "--bound", "elimination+best"]),
        (2, &["solve", &small, "--memory", "much"]),
        (2, &["solve", &small, "--time-limit", "0s"]),
        (2, &["solve", &small, "--threads", "0"]),
        (2, &["solve", &small, "--boards", "3-1"]),
        (2, &["solve", &small, "--domain", "chess"]),
        (2, &["solve", &small, "--engine", "synthesis"]),
        (2, &["solve", "-", "-"]),
        (2, &["verify", "-", "-"]),
        (2, &["generate", "--colours", "0"]),
        (2, &["render", &small, "--step", "3"]),
        (3, &["solve", &path("ragged.txt")]),
        (3, &["solve", &path("missing.txt")]),
        (3, &["solve", folder.dir().to_str().unwrap()]),
        (3, &["solve", &small, "--boards", "2"]),
        (3, &["solve", &small, "--start", "4,1"]),
        (3, &["solve", &small, "--config", &path("speed.toml")]),
        (3, &["solve", &small, "--config", "no-such-name"]),
        (3, &["verify", &path("ragged.txt"), &path("right.txt")]),
        (3, &["verify", &small, &path("missing.txt")]),
        (3, &["render", &path("ragged.txt")]),
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

/// A limit of memory that no search can keep to is refused at once, with the least one that is accepted.
#[test]
fn too_little_memory_is_said_at_once() {
    let folder = folder();
    let assert = gridhunt(&["solve", &folder.path("small.txt"), "--memory", "31MiB"]).assert().code(6);
    let errors = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let expected = "found a memory limit of 31.0 MiB, expected at least 32.0 MiB: raise --memory";
    assert!(errors.contains(expected), "{errors}");
    gridhunt(&["solve", &folder.path("small.txt"), "--memory", "32MiB"]).assert().code(0);
}

#[test]
fn a_solution_without_proof_still_has_the_code_of_its_limit() {
    let folder = folder();
    let path = folder.path("hard.txt");
    let args = ["solve", &path, "--json", "--quiet", "--time-limit", "2s", "--auto-beam-width", "10"];
    let text = gridhunt(&args).assert().code(5).get_output().stdout.clone();
    let board: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(board["status"], "feasible");
    assert!(board["lower_bound"].as_u64() < board["cost"].as_u64(), "{board}");
}

#[test]
fn of_many_boards_the_most_severe_end_decides() {
    let folder = folder();
    let (small, hard) = (folder.path("small.txt"), folder.path("hard.txt"));
    for parallel in ["boards", "search"] {
        let args = ["solve", &small, &hard, &small, "--expansions", "1000", "--parallel", parallel];
        gridhunt(&args).assert().code(7).stdout(contains("3 boards: ").and(contains(" 2 proven optimal")));
    }
}

#[test]
fn help_documents_the_codes() {
    for args in [&["--help"][..], &["solve", "--help"]] {
        let text = super::stdout(args);
        for line in [
            "    0  done",
            "    1  verify",
            "    2  the command line",
            "    3  a board",
            "    4  a board is proven",
            "    5  the time limit",
            "    6  the memory limit",
            "    7  the expansion limit",
            "   70  internal error",
            "  130  interrupted",
        ] {
            assert!(text.contains(line), "{args:?}: {line:?}");
        }
    }
}
