//! Batches of boards of which some are bad, the forms of results, results that are not lost, known solutions.

use super::boards::SMALL;
use super::{Folder, gridhunt, objects, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

/// A row that takes three moves.
const ROW: &str = "1213\n";

fn folder() -> Folder {
    Folder::new(&[("a.txt", ROW), ("bad.txt", "12?3\n"), ("c.txt", "112\n331\n"), ("small.txt", SMALL)])
}

/// A picture without pixels, a file that is missing, a directory, results, a link that is cut off: in every command
/// that takes several inputs each is named, and the others are done.
#[test]
fn one_bad_input_leaves_the_others_alone() {
    let folder = Folder::new(&[("b.txt", SMALL), ("z.ppm", "P3\n0 0\n255\n"), ("moves.json", r#"{"moves":["1"]}"#)]);
    std::fs::create_dir(folder.path("boards")).unwrap();
    let said = [
        ("z.ppm", "z.ppm: found a picture of 0 x 0 pixels"),
        ("missing.txt", "missing.txt: cannot be read: No such file"),
        ("boards", "boards: cannot be read: found a directory, expected a board; gridhunt solve boards/* takes"),
        ("moves.json", "moves.json: cannot be read: found a solution, expected a board; gridhunt verify b.txt moves"),
        ("p=flood-it&b=2x2c2s0.011", "link: found the board 2x2c2s0.011"),
    ];
    let inputs: Vec<_> = said.iter().map(|&(input, _)| input).chain(["b.txt"]).collect();
    for (command, done) in [
        ("solve -q", "b.txt: optimal"),
        ("solve -q --parallel boards", "6 boards: 1 solved, 1 proven optimal, 5 failed;"),
        ("bounds -q", "layers"),
        ("certify -q --output certificates", "b.txt: optimum"),
        ("export --output problems", "b.txt: problems/b"),
    ] {
        let words: Vec<_> = command.split(' ').collect();
        let on = |inputs: &[&str]| {
            let mut run = gridhunt(&words);
            run.args(inputs).current_dir(folder.dir());
            run.assert().code(3)
        };
        let mut ended = on(&inputs).stdout(contains(done));
        for (_, message) in said {
            ended = ended.stderr(contains(message).count(1));
        }
        // Where no input is good, each is named, and nothing is begun.
        let mut ended = on(&inputs[..2]).stdout("");
        for (_, message) in &said[..2] {
            ended = ended.stderr(contains(*message).count(1));
        }
    }
    let rows = gridhunt(&["solve", "missing.txt", "b.txt", "--json", "-q"]).current_dir(folder.dir()).assert().code(3);
    let rows = objects(&rows.get_output().stdout);
    assert!(rows[0]["error"].as_str().unwrap().contains("cannot be read: No such file"), "{rows:?}");
    assert_eq!((&rows[0]["number"], &rows[1]["status"]), (&1.into(), &"optimal".into()));
    // A run has a list of boards that never changes: no run begins without a part of it.
    let run = ["solve", "b.txt", "missing.txt", "--run", "run", "-q"];
    gridhunt(&run)
        .current_dir(folder.dir())
        .assert()
        .code(3)
        .stdout("")
        .stderr(contains("missing.txt: cannot be read"));
    assert!(!folder.exists("run"));
    gridhunt(&["solve", "b.txt", "missing.txt", "--strict"]).current_dir(folder.dir()).assert().code(3).stdout("");
}

/// The board is read, but is no position of the puzzle; or the engine cannot take this board.
#[test]
fn a_board_that_the_puzzle_or_the_engine_refuses_is_one_board() {
    let folder = Folder::new(&[("hangs.txt", "12\n.1\n"), ("good.txt", "11\n22\n")]);
    let (hangs, good) = (folder.path("hangs.txt"), folder.path("good.txt"));
    let large = folder.path("large.txt");
    stdout(&["generate", "--rows", "15", "--colours", "3", "-o", &large]);
    for (bad, more, code, expected) in [
        (&hangs, &["--objective", "clicks"][..], 3, "found cell 1,1 over the empty cell 2,1"),
        (
            &large,
            &["--objective", "score", "--engine", "best-first"][..],
            2,
            "engines without this limit: auto, beam, anneal",
        ),
        (&good, &["--objective", "score", "--score", "1,2", "--min-group", "2"][..], 0, ""),
    ] {
        let args =
            [&["solve", bad, &good, "--domain", "clickomania", "--format", "text", "--json", "-q"], more].concat();
        let assert = gridhunt(&args).assert().code(code).stderr(contains(expected));
        let boards = objects(&assert.get_output().stdout);
        assert_eq!(boards.len(), 2, "{args:?}");
        assert_eq!(boards[0]["status"], if code == 0 { "optimal" } else { "error" }, "{args:?}");
        assert_eq!(boards[1]["status"], "optimal", "{args:?}");
    }
}

#[test]
fn the_ending_of_the_file_selects_the_form() {
    let folder = folder();
    let files = ["a.txt", "bad.txt", "c.txt"].map(|name| folder.path(name));
    let write = |name: &str| {
        let output = folder.path(name);
        let args = ["solve", &files[0], &files[1], &files[2], "--format", "text", "-q", "-o", &output];
        gridhunt(&args).assert().code(3).stdout("");
        fs::read_to_string(output).unwrap()
    };
    let csv = write("r.csv");
    let lines: Vec<_> = csv.lines().collect();
    assert!(lines.len() == 4 && lines[0].starts_with("number,board,domain,objective,status,"), "{csv}");
    assert!(lines[1].starts_with("1,a.txt,flood-it,moves,optimal,,3,,3,,,1,4,3,2 1 3,"), "{csv}");
    assert!(lines[2].starts_with("2,,,,error,,") && lines[2].contains("bad.txt:1:3"), "{csv}");
    let json: Vec<Value> = serde_json::from_str(&write("r.json")).unwrap();
    assert_eq!(json.iter().map(|board| board["number"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    assert_eq!(objects(write("r.jsonl").as_bytes()).len(), 3);
    let table = write("r.md");
    assert!(table.starts_with("| number | board |") && table.contains("| 1 | a.txt | optimal, 3 moves |"), "{table}");
    let text = write("r.txt");
    assert!(text.starts_with("a.txt: optimal, 3 moves: 213\n") && text.contains("3 boards: "), "{text}");
    assert_eq!(text.lines().count(), 3, "the bad board is named on standard error alone: {text}");
    // One board is one object.
    let one = folder.path("one.json");
    gridhunt(&["solve", &files[0], "--format", "text", "-q", "-o", &one]).assert().success();
    let one: Value = serde_json::from_str(&fs::read_to_string(one).unwrap()).unwrap();
    assert_eq!(one["cost"], 3);
}

/// A run directory holds the boards that can be read; another one has no number there, which a report does not take for
/// damage.
#[test]
fn a_board_that_no_run_holds_has_no_number() {
    let folder = folder();
    let (a, bad, c, run) =
        (folder.path("a.txt"), folder.write("bad.txt", "12?3\n"), folder.path("c.txt"), folder.path("run"));
    let solve = ["solve", &a, &bad, &c, "--format", "text", "-t", "1", "--run", &run, "-q", "--json"];
    let output = gridhunt(&solve).assert().code(3).get_output().stdout.clone();
    let lines = String::from_utf8(output).unwrap();
    let numbers: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["number"].clone()).collect();
    assert_eq!(numbers, [Value::Null, 1.into(), 2.into()]);
    assert_eq!(fs::read_to_string(folder.path("run/boards.json")).unwrap().lines().count(), 2);
    let told = gridhunt(&["report", &folder.write("results.jsonl", &lines)]).assert().success();
    told.stderr(contains("no row: it could not be read: 1 board").and(contains("damaged").not()));
}

/// The output fails, the boards are searched and recorded, and `resume` writes the results: once.
#[test]
#[cfg(target_os = "linux")]
fn results_that_could_not_be_written_are_written_by_resume() {
    let folder = folder();
    let (a, c, run) = (folder.path("a.txt"), folder.path("c.txt"), folder.path("run"));
    let solve = ["solve", &a, &c, "--format", "text", "-t", "1", "--run", &run, "-q", "-o", "/dev/full"];
    gridhunt(&solve).assert().code(74).stderr(contains("cannot write the results"));
    let recorded = fs::read_to_string(folder.path("run/results.jsonl")).unwrap();
    assert_eq!(recorded.lines().count(), 2);
    let text = "a.txt: optimal, 3 moves: 213\n";
    gridhunt(&["resume", &run, "-q"]).assert().success().stdout(contains(text).and(contains("c.txt: optimal, ")));
    gridhunt(&["resume", &run, "-q"]).assert().success().stdout(contains("a.txt").not());
    // A process that ended between the record and the mark.
    fs::write(folder.path("run/delivered"), "2\n").unwrap();
    let again = gridhunt(&["resume", &run, "-q", "--json"]).assert().success().get_output().stdout.clone();
    // What is recorded is what was written, with a checksum behind it.
    let (first, _) = recorded.lines().next().unwrap().split_once(",\"checksum\"").unwrap();
    assert_eq!(String::from_utf8_lossy(&again), format!("{first}}}\n"));
}

/// `resume -o` empties the file, so it writes what earlier sessions have delivered too.
#[test]
fn resume_writes_all_results_to_a_file() {
    let folder = folder();
    let (a, c, run, file) = (folder.path("a.txt"), folder.path("c.txt"), folder.path("run"), folder.path("r.csv"));
    let solve = ["solve", &a, &c, "--format", "text", "-t", "1", "--run", &run, "-q", "-o", &file];
    gridhunt(&solve).assert().success();
    let written = fs::read_to_string(&file).unwrap();
    assert_eq!(written.lines().count(), 3, "{written}");
    for name in ["r.csv", "other.csv"] {
        let file = folder.path(name);
        gridhunt(&["resume", &run, "-q", "-o", &file]).assert().success();
        assert_eq!(fs::read_to_string(&file).unwrap(), written, "{name}");
    }
    assert_eq!(stdout(&["results", &run, "--csv", "-q"]), written);
    fs::write(folder.path("run/results.jsonl"), "").unwrap();
    gridhunt(&["results", &run, "--json"]).assert().success().stdout("").stderr(contains("no result is recorded yet"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_closed_or_full_output_is_no_success() {
    let folder = folder();
    let binary = assert_cmd::cargo::cargo_bin("gridhunt");
    let (binary, a) = (binary.to_str().unwrap(), folder.path("a.txt"));
    for (arguments, redirection, code) in [
        ("--help", ">/dev/full", 74),
        ("--version", ">/dev/full", 74),
        ("--help", ">&-", 74),
        ("--help", ">/dev/null", 0),
        (&format!("solve {a} --format text"), ">&-", 74),
        (&format!("solve {a} --format text"), ">/dev/full", 74),
        (&format!("solve {a} --format text"), ">/dev/null", 0),
        (&format!("solve {a} --format text --progress /dev/full"), "", 74),
        ("engines", ">&-", 74),
    ] {
        let line = format!("{binary} {arguments} {redirection}");
        let status = Command::new("sh").args(["-c", &line]).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{line}");
    }
}

#[test]
fn a_search_starts_from_a_known_solution_or_a_position() {
    let folder = folder();
    let (a, known) = (folder.path("a.txt"), folder.write("known.txt", "3 2 1 3\n"));
    let solve = |more: &[&str]| gridhunt(&[&["solve", &a, "--format", "text", "-q", "--from", &known], more].concat());
    solve(&["--after", "1"]).assert().success().stdout(contains("a.txt after move 1: 1 x 4"));
    let run = folder.path("run");
    solve(&["--run", &run]).assert().success().stdout(contains("optimal, 3 moves"));
    gridhunt(&["solve", &a, "--after", "1"]).assert().code(2);
    let empty = folder.write("none.txt", "");
    gridhunt(&["solve", &a, "--format", "text", "--from", &empty])
        .assert()
        .code(3)
        .stderr(contains("found no solution in"));
}

/// The rule stands in JSON, decides in `verify`, and is a part of a run.
#[test]
fn a_score_rule_goes_with_its_results() {
    let folder = Folder::new(&[]);
    let (board, solution, run) = (folder.path("b.txt"), folder.path("s.json"), folder.path("run"));
    stdout(&["generate", "--rows", "5", "--colours", "3", "--seed", "4", "-o", &board]);
    let rule = ["--domain", "clickomania", "--objective", "score", "--score", "n(n-1)", "--left-penalty", "5n"];
    let solve = [&["solve", &board, "--json", "-q", "-t", "1", "-o", &solution], &rule[..]].concat();
    gridhunt(&solve).assert().success();
    let result: Value = serde_json::from_str(&fs::read_to_string(&solution).unwrap()).unwrap();
    assert_eq!(
        (&result["score_rule"], &result["clear_bonus"], &result["left_penalty"]),
        (&"n(n-1)".into(), &1000.into(), &"5n".into())
    );
    let verify = ["verify", &board, &solution];
    gridhunt(&[&verify, &rule[..]].concat()).assert().success().stdout(contains("score 99"));
    // The solution says the rule, unless the options do.
    gridhunt(&verify).assert().success().stdout(contains("score 99"));
    let other = [&verify, &rule[..4], &["--score", "(n-1)^2"]].concat();
    gridhunt(&other).assert().code(1).stdout(contains("expected 99"));
    let kept =
        [&["solve", &board, "-q", "--run", &run, "--expansions", "1", "--engine", "best-first"], &rule[..]].concat();
    gridhunt(&kept).assert().code(7);
    let config = fs::read_to_string(folder.path("run/run.toml")).unwrap();
    assert!(config.contains("score = \"n(n-1)\"") && config.contains("left-penalty = \"5n\""), "{config}");
    gridhunt(&["resume", &run, "-q", "--expansions", "100000"])
        .assert()
        .success()
        .stdout(contains("optimal, score 99"));
    for (text, expected) in [("n^x", "expected a formula in n"), ("1,2", "the table has too few entries")] {
        let args = ["solve", &board, "--domain", "clickomania", "--objective", "score", "--score", text];
        gridhunt(&args).assert().failure().stderr(contains(expected));
    }
}
