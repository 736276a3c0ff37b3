//! Runs of some boards of a dataset, as tasks of a job array search them, joined results, and requests to stop.
#![cfg(unix)]

use super::boards::{hard, many};
use super::signals::{end, start};
use super::{Folder, gridhunt, json, objects, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

/// What results say, whoever found them: all but times and memory.
fn results(lines: &str) -> Vec<Value> {
    let mut results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for result in &mut results {
        let result = result.as_object_mut().unwrap();
        for name in ["seconds", "cpu_seconds", "peak_memory_bytes", "bytes_per_state", "evaluated"] {
            result.remove(name);
        }
    }
    results
}

/// Boards of two runs count once, and boards without a result are named.
#[test]
fn runs_of_some_boards_together_have_the_results_of_one_hunt() {
    let folder = Folder::new(&[]);
    let dataset = folder.write("many.lines", &many(7));
    let text = format!("dataset = '{dataset}'\nformat = 'lines'\nengine = 'best-first'\nthreads = 1\n");
    let config = folder.write("hunt.toml", &text);
    let [whole, first, second] = ["whole", "runs/1", "runs/4"].map(|name| folder.path(name));
    let whole = stdout(&["hunt", &config, "--run", &whole, "--json", "--quiet"]);
    gridhunt(&["hunt", &config, "--run", &first, "--boards", "1-4", "--quiet"]).assert().success();
    let hunt = ["hunt", &config, "--run", &second, "--boards", "4-7", "--quiet"];
    gridhunt(&hunt).args(["--expansions", "1"]).assert().code(7);
    let joined = ["results", &first, &second, "--json"];
    let lines = stdout(&joined);
    assert_eq!(results(&lines)[..4], results(&whole)[..4], "board 4 once, with the run that proves it");
    gridhunt(&["resume", &second, "--expansions", "1000000", "--quiet"]).assert().success();
    assert_eq!(results(&stdout(&joined)), results(&whole));
    gridhunt(&joined).assert().success().stderr(contains("no result").not());
    assert_eq!(stdout(&["status", &folder.path("runs")]).lines().count(), 2);
    std::fs::write(folder.path("runs/4/results.jsonl"), "").unwrap();
    gridhunt(&joined).assert().success().stderr(contains("note: no result yet for 3 boards: "));
}

/// Two files of one name hold the same board: it stands in the results of their run as often as in the run.
#[test]
fn equal_boards_of_one_run_are_not_joined() {
    let folder = Folder::new(&[("x/small.txt", "12\n21\n"), ("y/small.txt", "12\n21\n")]);
    let [one, other, run] = ["x/small.txt", "y/small.txt", "run"].map(|name| folder.path(name));
    gridhunt(&["solve", &one, &other, "--run", &run, "--quiet"]).assert().success();
    let found = results(&stdout(&["results", &run, "--json"]));
    assert_eq!(found.iter().map(|result| &result["number"]).collect::<Vec<_>>(), [1, 2]);
    let joined = results(&stdout(&["results", &run, &run, "--json"]));
    assert_eq!(joined.len(), 2, "a run joined with itself");
}

/// What cannot both be true proves nothing: neither two runs, nor two lines of one run.
#[test]
fn results_that_contradict_each_other_are_refused() {
    let folder = Folder::new(&[("small.txt", "123\n321\n112\n")]);
    let [board, one, other] = ["small.txt", "one", "other"].map(|name| folder.path(name));
    for run in [&one, &other] {
        gridhunt(&["solve", &board, "--run", run, "--quiet"]).assert().success();
    }
    let file = folder.path("other/results.jsonl");
    let line = std::fs::read_to_string(&file).unwrap();
    let mut record: Value = serde_json::from_str(&line).unwrap();
    let cost = record["cost"].as_u64().unwrap();
    record.as_object_mut().unwrap().remove("checksum");
    for (bound, said) in
        [(Value::from(cost + 1), format!("lower bound {}", cost + 1)), (Value::Null, "no solution".into())]
    {
        for name in ["cost", "stopped"] {
            record[name] = Value::Null;
        }
        (record["lower_bound"], record["moves"]) = (bound, Value::Array(Vec::new()));
        std::fs::write(&file, format!("{record}\n")).unwrap();
        let found = format!("{said}, and a solution of cost {cost}, expected results that agree");
        gridhunt(&["results", &one, &other]).assert().code(3).stdout("").stderr(contains(&found[..]));
        std::fs::write(&file, format!("{line}{record}\n")).unwrap();
        gridhunt(&["results", &other]).assert().code(3).stdout("").stderr(contains("line 2").and(contains(&found[..])));
    }
}

#[test]
fn a_request_stops_a_run_with_a_checkpoint() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.write("hard.txt", &hard()), folder.path("run"));
    let child = start(&["solve", &board, "--run", &run, "--engine", "best-first"]);
    let number = child.id().to_string();
    let said = stdout(&["stop", &run, "--wait"]);
    assert_eq!(said, format!("{run}: process {number} was asked to end, and has ended\n"));
    let (status, text) = end(child);
    assert_eq!(status, Some(130), "{text}");
    assert!(text.contains("(interrupted)"), "{text}");
    gridhunt(&["status", &run, "--check"])
        .assert()
        .success()
        .stdout(contains("checkpoint 1").and(contains("not running; a signal or a request ended it")));
    assert!(!folder.exists("run/stop"), "the request goes with the run");
    assert_eq!(json(&["stop", &run, "--json"])["asked"], false);
    gridhunt(&["stop", &run, "--wait"]).assert().success().stdout(format!("{run}: not running\n"));
    gridhunt(&["stop", &folder.path("nothing")]).assert().code(3).stderr(contains("expected a run directory"));
    gridhunt(&["resume", &run, "--expansions", "10"]).assert().code(7);
}

/// Before its first iteration, the search that learns plays a path to see whether there is a solution. On a long strip
/// this path has thousands of steps, and each looks at the whole strip.
#[test]
fn the_search_for_a_first_solution_keeps_to_the_clock() {
    let folder = Folder::new(&[]);
    let strip = folder.path("strip.txt");
    gridhunt(&["generate", "--rows", "1", "--cols", "10000", "--colours", "6", "-o", &strip]).assert().success();
    let solve =
        gridhunt(&["solve", &strip, "--engine", "learning", "--time-limit", "100ms", "--json"]).assert().code(5);
    let generated = objects(&solve.get_output().stdout)[0]["generated"].as_u64().unwrap();
    assert!(generated < 25_000, "{generated} children: half of the path");
}
