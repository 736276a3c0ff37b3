//! Run directories: begun, ended in every way, gone on with, looked at.
#![cfg(unix)]

use super::boards::{SMALL, hard, many};
use super::signals::start;
use super::{Folder, gridhunt, json, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::fs;

/// More expansions than anything here needs: a limit of the first session holds for the next ones, unless they name
/// another.
const MANY: &str = "100000000";

/// A board with some thousand states.
fn middling() -> String {
    stdout(&["generate", "--rows", "18", "--colours", "6", "--seed", "3"])
}

/// Layers below the optimum.
fn below(report: &Value) -> Vec<Value> {
    let layers = report["layers"].as_array().unwrap();
    layers.iter().filter(|layer| layer["f"].as_u64() < report["cost"].as_u64()).cloned().collect()
}

fn folder() -> (Folder, String, String) {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.write("board.txt", &middling()), folder.path("run"));
    (folder, board, run)
}

/// After an edit of the rules on purpose, what was proven under the rules before is no proof under these.
#[test]
fn a_finished_board_is_searched_again_under_other_rules() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    let generate = ["generate", "--domain", "clickomania", "--rows", "5", "--colours", "3", "--seed", "3"];
    gridhunt(&[&generate[..], &["-o", &board]].concat()).assert().success();
    let clicks = ["--domain", "clickomania", "--objective", "clicks"];
    gridhunt(&[&["solve", &board, "--run", &run, "--quiet"][..], &clicks].concat()).assert().success();
    assert_eq!(json(&["results", &run, "--json"])["cost"], 6);
    gridhunt(&["resume", &run]).assert().success().stderr(contains("nothing is left to do"));
    let config = fs::read_to_string(folder.path("run/run.toml")).unwrap();
    fs::write(folder.path("run/run.toml"), config.replace("\"clicks\"", "\"left\"")).unwrap();
    fs::remove_file(folder.path("run/checksums")).unwrap();
    let status = json(&["status", &run, "--json"]);
    assert_eq!((&status["done"], &status["optimal"]), (&0.into(), &0.into()), "{status}");
    assert_eq!(stdout(&["results", &run, "--json"]), "", "the result is about other rules");
    gridhunt(&["resume", &run, "--quiet"]).assert().success();
    let result = json(&["results", &run, "--json"]);
    let found = [&result["objective"], &result["status"], &result["cost"]];
    assert_eq!(found, [&Value::from("left"), &"optimal".into(), &0.into()]);
    gridhunt(&["resume", &run]).assert().success().stderr(contains("nothing is left to do"));
}

/// The times are those of all sessions, as the counts are: of a session that was killed, up to its last checkpoint.
#[test]
fn times_are_those_of_all_sessions() {
    let folder = Folder::new(&[]);
    let generated = stdout(&["generate", "--rows", "14", "--colours", "6", "--seed", "1", "--count", "2"]);
    let (boards, run, results) =
        (folder.write("two.txt", &generated), folder.path("run"), folder.path("run/results.jsonl"));
    let first = ["solve", &boards, "--run", &run, "--engine", "best-first", "--expansions", "300", "-q"];
    gridhunt(&first).args(["--parallel", "search"]).assert().code(7);
    let last =
        || -> Value { serde_json::from_str(fs::read_to_string(&results).unwrap().lines().last().unwrap()).unwrap() };
    let times = |record: &Value| ["seconds", "cpu_seconds", "expanded"].map(|name| record[name].as_f64().unwrap());
    let is_longer = |one: [f64; 3], other: [f64; 3]| one.into_iter().zip(other).all(|(one, other)| one <= other);
    let begun = times(&last());
    assert!(begun.iter().all(|&time| time > 0.0), "{begun:?}");
    // The session took long. An edit on purpose has no checksum.
    let mut long = last();
    (long["seconds"], long["cpu_seconds"]) = (5000.into(), 9000.into());
    long.as_object_mut().unwrap().remove("checksum");
    fs::write(&results, format!("{long}\n")).unwrap();
    let resume = || gridhunt(&["resume", &run, "--expansions", "300", "-q"]).assert().code(7);
    resume();
    let second = times(&last());
    assert!(is_longer(times(&long), second) && second[0] < 6000.0, "{second:?}");
    // The next process is killed behind its checkpoint: nothing of it is in the results.
    fs::remove_file(&results).unwrap();
    resume();
    let third = times(&last());
    assert!(is_longer([5000.0, 9000.0, second[2]], third) && third[0] < 6000.0, "{third:?}");
    assert!(last()["number"] == 2 && third[2] > second[2], "{third:?}");
    // The readers: the summary has the sum over the boards, and the histogram the times of its rows.
    let text = stdout(&["results", &run]);
    let summary = text.lines().last().unwrap();
    assert!(summary.contains("1h 23m") && summary.contains("2h 30m"), "{summary}");
    let page = folder.path("page.html");
    gridhunt(&["report", &run, "-o", &page]).assert().success();
    assert!(fs::read_to_string(&page).unwrap().contains(&format!("\"seconds\":{}", third[0])));
}

/// Beams that looked for a solution before the checkpoint do not run again: short sessions would get no further.
#[test]
fn short_sessions_without_a_solution_come_to_their_end() {
    let folder = Folder::new(&[("b.txt", "5 6 4\n321333\n124323\n331232\n323411\n433344\n")]);
    let (board, run) = (folder.path("b.txt"), folder.path("run"));
    let solve = ["solve", &board, "--domain", "clickomania", "--objective", "clicks", "-t", "1", "-q", "--run", &run];
    gridhunt(&solve).args(["--expansions", "400"]).assert().code(7);
    let ended = gridhunt(&["resume", &run, "-t", "1", "-q", "--expansions", "5000", "--json"]).assert().code(4);
    let report: Value = serde_json::from_slice(&ended.get_output().stdout).unwrap();
    assert!(report["expanded"].as_u64() < Some(400), "the beams alone expand 400: {report}");
}

#[test]
fn a_run_that_ended_goes_on_and_says_the_same() {
    let (folder, board, run) = folder();
    let search = ["solve", &board, "--engine", "best-first", "--bound", "elimination"];
    let plain = json(&[&search[..], &["--json", "--threads", "1"]].concat());
    let first = [&search[..], &["--run", &run, "--expansions", "1000", "--threads", "2"]].concat();
    gridhunt(&first).assert().code(7).stderr(contains("continue with: gridhunt resume"));
    let status = json(&["status", &run, "--json"]);
    assert_eq!((&status["boards"], &status["done"], &status["process"]), (&1.into(), &0.into(), &Value::Null));
    let checkpoint = &status["checkpoints"][0];
    assert!(checkpoint["error"].is_null() && checkpoint["expanded"].as_u64() > Some(500), "{status}");
    assert!(checkpoint["lower_bound"].as_u64() <= plain["cost"].as_u64());
    assert!(stdout(&["status", &run]).contains("0 of 1 board done"));
    assert!(stdout(&["status", &run, "--check"]).contains("checkpoint 1"));
    let resumed = json(&["resume", &run, "--threads", "1", "--expansions", MANY, "--json", "--quiet"]);
    assert_eq!((&resumed["status"], &resumed["cost"]), (&"optimal".into(), &plain["cost"]));
    assert_eq!(below(&resumed), below(&plain));
    // What was needed to go on is gone, what was found out stays.
    assert!(!folder.exists("run/boards/1"));
    assert!(stdout(&["status", &run]).contains("1 of 1 board done, 1 proven optimal"));
    gridhunt(&["resume", &run]).assert().success().stdout("").stderr(contains("nothing is left to do"));
    let results = fs::read_to_string(folder.path("run/results.jsonl")).unwrap();
    assert_eq!(results.lines().count(), 2, "one for each session");
}

#[test]
fn a_process_that_was_killed_before_its_first_checkpoint_begins_anew() {
    // The search takes seconds: it does not end before the kill.
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("long.txt"), folder.path("run"));
    stdout(&["generate", "--rows", "23", "--colours", "6", "--seed", "6", "-o", &board]);
    let mut child = start(&["solve", &board, "--run", &run, "--engine", "best-first", "--threads", "1"]);
    // A thread of its own writes the log of events.
    let has_layers = |status: &Value| status["begun"][0]["layers"].as_array().is_some_and(|layers| !layers.is_empty());
    let is_early = |status: &Value| total_lower_bound(status) <= 15 || !has_layers(status);
    while is_early(&json(&["status", &run, "--json"])) {}
    child.kill().unwrap();
    child.wait().unwrap();
    // The log of events tells what was proven.
    let status = json(&["status", &run, "--json"]);
    assert!(status["process"].is_null() && status["now"].is_null() && status["ended"] == "killed", "{status}");
    assert!(total_lower_bound(&status) > 15 && status["begun"][0]["number"] == 1, "{status}");
    // Its layers, as far as rows of progress tell them.
    let layers = status["begun"][0]["layers"].as_array().unwrap();
    let shown = stdout(&["status", &run]);
    for layer in layers.iter().rev().take(3) {
        assert!(shown.contains(&format!("  layer {}: ", layer["f"])), "{shown}");
    }
    assert!(has_layers(&status) && shown.ends_with(&format!("continue with: gridhunt resume {run}\n")), "{shown}");
    gridhunt(&["status", &run, "--check"]).assert().success().stdout(
        contains("no checkpoint: proven ")
            .and(contains("resume starts it again"))
            .and(contains("4 files checked, "))
            .and(contains(format!("continue with: gridhunt resume {run}\n"))),
    );
    gridhunt(&["resume", &run, "--expansions", "1", "-q"]).assert().code(7).stderr(contains("starts again: the run"));
    assert_eq!(json(&["resume", &run, "--expansions", MANY, "--json", "--quiet"])["status"], "optimal");
}

/// The sum of the lower bounds of all boards.
fn total_lower_bound(status: &Value) -> u64 {
    ["solved", "begun_solved", "begun_unsolved"]
        .map(|kind| status[kind]["total_lower_bound"].as_u64().unwrap())
        .iter()
        .sum()
}

/// The numbers of the boards in a list of a report.
fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|entry| entry["number"].as_u64().unwrap()).collect()
}

#[test]
fn boards_side_by_side_that_were_under_way_are_named_after_a_kill() {
    let folder = Folder::new(&[]);
    // Boards of one name, as files of one name in several folders have.
    let boards = ["a", "b", "c"].map(|name| folder.write(&format!("{name}/hard.txt"), &hard()));
    let run = folder.path("run");
    let mut args = vec!["solve", "--run", &run, "--parallel", "boards", "--threads", "2", "--quiet"];
    args.extend(boards.iter().map(String::as_str));
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("gridhunt"));
    let mut child = command.args(args).stdout(std::process::Stdio::null()).spawn().unwrap();
    let is_proven = |board: &Value| board["lower_bound"].as_u64() > Some(0);
    let status = loop {
        let Ok(status) =
            serde_json::from_slice::<Value>(&gridhunt(&["status", &run, "--json"]).output().unwrap().stdout)
        else {
            continue;
        };
        let begun = status["begun"].as_array().unwrap();
        if begun.len() == 2 && begun.iter().all(is_proven) {
            break status;
        }
        assert!(child.try_wait().unwrap().is_none(), "the boards are too easy: {status}");
    };
    assert_eq!(numbers(&status["begun"]), [1, 2]);
    assert!(stdout(&["status", &run]).contains("board 2 (hard.txt): under way, no checkpoint yet: proven "));
    child.kill().unwrap();
    child.wait().unwrap();
    for command in [&["status"][..], &["status", "--check"]] {
        let report = json(&[command, &[&run, "--json"]].concat());
        assert_eq!((report["ended"].as_str(), numbers(&report["begun"])), (Some("killed"), vec![1, 2]), "{report}");
        let total: u64 = report["begun"].as_array().unwrap().iter().map(|b| b["lower_bound"].as_u64().unwrap()).sum();
        assert_eq!((total_lower_bound(&report), &report["not_begun"]), (total, &1.into()));
        let text = stdout(&[command, &[&*run]].concat());
        assert!(text.contains("board 2 (hard.txt): no checkpoint: proven ") && !text.contains("board 3"), "{text}");
    }
    let limited = ["resume", &run, "--parallel", "boards", "--threads", "2", "--expansions", "1", "-q"];
    gridhunt(&limited).assert().code(7).stderr(contains("board 2 (hard.txt) starts again: the run ended before"));
    let after = json(&["status", &run, "--json"]);
    assert!(total_lower_bound(&after) >= total_lower_bound(&status), "{after}");
}

/// The range that a result in JSON states.
fn range(result: &Value) -> (Option<u64>, Option<u64>) {
    (result["lower_bound"].as_u64(), result["cost"].as_u64())
}

#[test]
fn a_session_that_is_stopped_at_once_reports_the_range_that_the_run_holds() {
    let (folder, board, _) = folder();
    let clicks = folder.write("clicks.txt", &stdout(&["generate", "--rows", "12", "--colours", "4", "--seed", "1"]));
    let bunny = folder.write("bunny.txt", &stdout(&["generate", "--kind", "random", "--rows", "6", "--seed", "1"]));
    let clickomania = ["--domain", "clickomania", "--objective", "clicks"];
    let cases: [(&str, &[&str], &str, &str); 9] = [
        (&board, &[], "auto", "500"),
        (&board, &[], "best-first", "250"),
        (&board, &[], "ida", "1000"),
        (&board, &[], "beam", "300"),
        (&clicks, &clickomania, "auto", "2000"),
        (&clicks, &clickomania, "beam", "2000"),
        (&bunny, &[], "anneal", "1000"),
        (&bunny, &[], "synthesis", "10"),
        (&bunny, &[], "auto", "100"),
    ];
    for (number, (board, options, engine, expansions)) in cases.into_iter().enumerate() {
        let run = folder.path(&format!("run-{number}"));
        let first = ["solve", board, "--run", &run, "--engine", engine, "--expansions", expansions, "--json", "-q"];
        let output = gridhunt(&first).args(options).output().unwrap();
        let held: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(held["stopped"], "expansion-limit", "{engine}: {held}");
        assert!(held["lower_bound"].as_u64() > Some(0) || held["cost"].is_u64(), "{engine} found nothing: {held}");
        for limit in [["--expansions", "1"], ["--time-limit", "1ms"]] {
            let output = gridhunt(&["resume", &run, "--json", "-q"]).args(limit).output().unwrap();
            let resumed: Value = serde_json::from_slice(&output.stdout).unwrap();
            let (was, is) = (range(&held), range(&resumed));
            assert!(is.0 >= was.0 && (was.1.is_none() || is.1.is_some() && is.1 <= was.1), "{engine}: {was:?} {is:?}");
            assert_eq!(resumed["moves"] == Value::Array(vec![]), is.1.is_none(), "{engine}: {resumed}");
            let status = json(&["status", &run, "--json"]);
            assert!(Some(total_lower_bound(&status)) >= is.0, "{engine}: {status}");
            let text = gridhunt(&["resume", &run, "-q"]).args(limit).output().unwrap().stdout;
            // The last session may have proven more.
            let text = String::from_utf8(text).unwrap();
            let before = text.split(" <= optimum").next().unwrap_or_default();
            let told = before.rsplit(|sign: char| !sign.is_ascii_digit()).next().and_then(|told| told.parse().ok());
            assert!(told >= is.0 && told.is_some(), "{engine}: {:?} before, then {text}", is.0);
        }
    }
}

#[test]
fn a_hunt_over_many_boards_goes_on_where_it_was() {
    let folder = Folder::new(&[]);
    let (dataset, run) = (folder.write("many.lines", &many(12)), folder.path("run"));
    let text = format!("dataset = '{dataset}'\nformat = 'lines'\nboards = '2-11'\nrun = '{run}'\nexpansions = 5\n");
    let config = folder.write("hunt.toml", &text);
    gridhunt(&["hunt", &config, "--threads", "2", "--quiet"]).assert().code(7);
    let status = json(&["status", &run, "--json"]);
    let done = status["done"].as_u64().unwrap();
    assert!(status["boards"] == 10 && done < 10, "{status}");
    let boards = |kind: &str| status[kind]["boards"].as_u64().unwrap();
    let begun = boards("begun_solved") + boards("begun_unsolved");
    assert_eq!((boards("solved"), begun + status["not_begun"].as_u64().unwrap()), (done, 10 - done), "{status}");
    // With more it is finished: only what was left is searched.
    let text = stdout(&["resume", &run, "--json", "--expansions", "100000", "--quiet"]);
    assert_eq!(text.lines().count() as u64, 10 - done);
    let status = json(&["status", &run, "--json"]);
    assert_eq!((&status["done"], &status["optimal"]), (&10.into(), &10.into()));
    let plain = stdout(&["solve", &dataset, "--format", "lines", "--boards", "2-11", "--json", "--quiet"]);
    let costs: u64 = plain.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["cost"].as_u64().unwrap()).sum();
    let solved = serde_json::json!({ "boards": 10, "total_cost": costs, "total_lower_bound": costs });
    assert_eq!((&status["solved"], &status["not_begun"]), (&solved, &0.into()));
}

#[test]
fn directories_that_hold_something_else_are_left_alone() {
    let (folder, board, run) = folder();
    folder.write("run/notes.txt", "mine");
    gridhunt(&["solve", &board, "--run", &run]).assert().code(3).stderr(contains("notes.txt"));
    assert_eq!(fs::read_dir(folder.path("run")).unwrap().count(), 1);
    // A board that is wrong leaves nothing behind.
    let bad = folder.write("bad.json", "{\"cells\": [\"12\", \"21\"]}\n{\"cells\": [\"1?\"]}\n");
    gridhunt(&["solve", &bad, "--strict", "--run", &folder.path("new")]).assert().code(3);
    assert!(!folder.exists("new"));
    let done = folder.path("done");
    stdout(&["solve", &folder.write("small.txt", SMALL), "--run", &done, "--quiet"]);
    gridhunt(&["solve", &board, "--run", &done]).assert().code(3).stderr(contains("gridhunt resume"));
    for flag in [["--spill", "/tmp"], ["--disk", "1GiB"], ["--checkpoint", "1m"]] {
        gridhunt(&["solve", &board, flag[0], flag[1]]).assert().code(2).stderr(contains("expected --run DIR"));
    }
}

/// A run with two checkpoints.
fn stopped_twice(board: &str, run: &str) {
    gridhunt(&["solve", board, "--run", run, "--engine", "best-first", "--expansions", "1000"]).assert().code(7);
    gridhunt(&["resume", run, "--expansions", "1000"]).assert().code(7);
}

#[test]
fn damage_is_told_and_the_checkpoint_before_is_used() {
    let (folder, board, run) = folder();
    stopped_twice(&board, &run);
    let events = folder.path("run/events.jsonl");
    let whole = fs::read_to_string(&events).unwrap();
    fs::write(&events, whole.replacen("best-first", "beam-first", 1)).unwrap();
    let damaged = || contains("events.jsonl: line 3: left out").and(contains("restore the file"));
    gridhunt(&["status", &run, "--check"]).assert().code(3).stdout(damaged());
    gridhunt(&["status", &run]).assert().success().stdout(damaged());
    fs::write(&events, whole).unwrap();
    let newest = folder.path("run/boards/1/manifest-a");
    let mut bytes = fs::read(&newest).unwrap();
    bytes[50] ^= 1;
    fs::write(&newest, bytes).unwrap();
    gridhunt(&["status", &run, "--check"])
        .assert()
        .success()
        .stdout(contains("left out").and(contains("checkpoint 1")));
    gridhunt(&["resume", &run, "--expansions", MANY, "--quiet"]).assert().success().stderr(contains("manifest-a"));
    // Damage in what both rest on: nothing is believed.
    let (folder, board, run) = super::runs::folder();
    stopped_twice(&board, &run);
    let log = folder.path("run/boards/1/journal.log");
    let mut bytes = fs::read(&log).unwrap();
    bytes[30] ^= 1;
    fs::write(&log, bytes).unwrap();
    for command in [&["status"][..], &["status", "--check"], &["resume"]] {
        let said = gridhunt(&[command, &[&*run]].concat()).assert().get_output().clone();
        let text = String::from_utf8([said.stdout, said.stderr].concat()).unwrap();
        // Manifests are whole, which is all that `status` reads.
        let expected = if command == ["status"] { 0 } else { 3 };
        assert_eq!(said.status.code(), Some(expected), "{command:?}: {text}");
        assert!(expected == 0 || text.contains("journal.log") && text.contains("or remove "), "{text}");
    }
}

/// An engine without checkpoints begins a board anew, with what is known of it.
#[test]
fn an_engine_without_checkpoints_begins_anew_and_says_so() {
    let (folder, board, run) = folder();
    gridhunt(&["solve", &board, "--engine", "beam", "--run", &run, "--expansions", "300"]).assert().code(7);
    assert!(!folder.exists("run/boards/1"));
    let why = "starts again: the engine beam has no checkpoints";
    gridhunt(&["resume", &run, "--expansions", MANY, "--quiet"]).assert().success().stderr(contains(why));
}

#[test]
fn another_board_or_bound_is_refused_with_both_named() {
    let (folder, board, run) = folder();
    stopped_twice(&board, &run);
    let config = folder.path("run/run.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("bound = \"layers\"\n{text}")).unwrap();
    // An edit on purpose: the checksums go.
    gridhunt(&["resume", &run]).assert().code(3).stderr(contains("run.toml").and(contains("checksum")));
    let edited = || fs::remove_file(folder.path("run/checksums")).unwrap();
    edited();
    gridhunt(&["resume", &run])
        .assert()
        .code(3)
        .stderr(contains("with the bound elimination, expected one of").and(contains("with the bound layers")));
    fs::write(&config, text).unwrap();
    let boards = folder.path("run/boards.json");
    let text = fs::read_to_string(&boards).unwrap();
    let cells = text.find("\"cells\"").unwrap();
    let cells = cells + text[cells..].find(|c: char| c.is_ascii_digit()).unwrap();
    let other = if &text[cells..=cells] == "1" { "2" } else { "1" };
    fs::write(&boards, format!("{}{other}{}", &text[..cells], &text[cells + 1..])).unwrap();
    edited();
    gridhunt(&["resume", &run]).assert().code(3).stderr(contains("(18 x 18, 6 colours").and(contains("checksum")));
}

#[test]
fn disk_and_spill_folders_are_kept_to() {
    let (folder, board, run) = folder();
    let spill = folder.path("spill");
    // What little may be on disk is kept for the last checkpoint.
    let little = ["--disk", "1MiB", "--engine", "best-first"];
    let full = |assert: assert_cmd::assert::Assert| {
        assert.code(9).stdout(contains("(disk limit)")).stderr(contains("found room for 1048576 bytes more, expected"));
    };
    full(gridhunt(&["solve", &board, "--run", &run]).args(little).assert());
    full(gridhunt(&["resume", &run]).assert());
    gridhunt(&["resume", &run, "--disk", "1GiB", "--spill", &spill, "--expansions", "1000"]).assert().code(7);
    assert_eq!(fs::read_dir(&spill).unwrap().count(), 1, "a folder of its own");
    stdout(&["resume", &run, "--disk", "1GiB", "--spill", &spill, "--expansions", MANY, "--quiet"]);
    assert_eq!(fs::read_dir(&spill).unwrap().count(), 0, "nothing is left of a board that is done with");
}

/// Another host, or a folder that was emptied: only records are bound to the folders that they were written to.
#[test]
fn a_run_goes_on_where_its_spill_folders_are_gone() {
    let (folder, board, run) = folder();
    for engine in ["auto", "ida", "best-first"] {
        let spills = ["first", "second", "third"].map(|name| folder.path(name));
        let solve =
            ["solve", &board, "--engine", engine, "--bound", "elimination", "--run", &run, "--spill", &spills[0]];
        gridhunt(&solve).args(["--expansions", "1000", "-q"]).assert().code(7);
        if engine != "best-first" {
            let _ = fs::remove_dir_all(&spills[0]);
        }
        let (few, more) = if engine == "auto" { ("10", "20") } else { ("1500", "2000") };
        for (spill, more) in [(0, few), (1, more), (2, MANY)] {
            let resume = ["resume", &run, "--spill", &spills[spill], "--checkpoint", "1ms", "--expansions", more, "-q"];
            gridhunt(&resume).assert().code(if more == MANY { 0 } else { 7 });
        }
        for spill in &spills {
            let left = fs::read_dir(spill).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{engine}: nothing is left in {spill}");
        }
        fs::remove_dir_all(&run).unwrap();
    }
}

/// `auto`, where the disk ends its best-first search.
#[test]
fn the_sequel_of_a_search_is_seen_checked_and_removed() {
    let (folder, _, run) = folder();
    let board = folder.path("game.txt");
    let size = ["--domain", "clickomania", "--rows", "8", "--colours", "4", "--seed", "3", "-o", &board];
    gridhunt(&[&["generate"], &size[..]].concat()).assert().success();
    let game = ["solve", &board, "--domain", "clickomania", "--objective", "clicks"];
    let plain = json(&[&game[..], &["--json"]].concat());
    gridhunt(&[&game[..], &["--run", &run, "--expansions", "900"]].concat()).assert().code(7);
    // Until it is noticed how little may be on disk, best-first search goes on.
    for _ in 0..8 {
        let assert = gridhunt(&["resume", &run, "--disk", "1MiB", "--expansions", "300"]).assert().code(7);
        if folder.exists("run/boards/1/ida/manifest-b") {
            assert.stderr(contains("raise --disk: the search continues with ida"));
            break;
        }
    }
    let status = json(&["status", &run, "--json"]);
    let checkpoints = status["checkpoints"].as_array().unwrap();
    assert!(checkpoints.len() == 1 && checkpoints[0]["engine"] == "ida", "{status}");
    let both = contains("board 1: checkpoint").and(contains("board 1, ida: checkpoint"));
    gridhunt(&["status", &run, "--check"]).assert().success().stdout(both);
    // Damage in either is told; a resume rests on the newer alone.
    let old = folder.path("run/boards/1/journal.log");
    let mut bytes = fs::read(&old).unwrap();
    bytes[30] ^= 1;
    fs::write(&old, bytes).unwrap();
    gridhunt(&["status", &run, "--check"])
        .assert()
        .code(3)
        .stdout(contains("journal.log").and(contains("board 1, ida")));
    let resumed = json(&["resume", &run, "--expansions", MANY, "--json", "--quiet"]);
    assert_eq!((&resumed["status"], &resumed["cost"]), (&"optimal".into(), &plain["cost"]));
    assert!(!folder.exists("run/boards/1"));
}
