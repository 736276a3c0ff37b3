//! Hunts in parts, as tasks of a job array search them, and requests to stop.
#![cfg(unix)]

use super::boards::{hard, many};
use super::signals::{end, start};
use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::fs;

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// A folder with a hunt over so many boards: the configuration and the run directory.
fn hunt(boards: usize) -> (Folder, String, String) {
    let folder = Folder::new(&[]);
    let dataset = folder.write("many.lines", &many(boards));
    let text = format!("dataset = '{dataset}'\nformat = 'lines'\nengine = 'best-first'\nthreads = 1\n");
    let (config, run) = (folder.write("hunt.toml", &text), folder.path("run"));
    (folder, config, run)
}

/// What results say, whoever found them: all but times and memory.
fn results(lines: &str) -> Vec<Value> {
    let mut results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    results.sort_by_key(|result| result["number"].as_u64());
    for result in &mut results {
        let result = result.as_object_mut().unwrap();
        for name in ["seconds", "cpu_seconds", "peak_memory_bytes", "bytes_per_state"] {
            result.remove(name);
        }
    }
    results
}

#[test]
fn all_parts_together_find_what_one_hunt_finds() {
    let (folder, config, run) = hunt(11);
    let whole = stdout(&["hunt", &config, "--run", &folder.path("whole"), "--json", "--quiet"]);
    let parts = ["1/4", "3/4", "2/4"]
        .map(|part| stdout(&["hunt", &config, "--run", &run, "--part", part, "--json", "--quiet"]));
    let status = json(&["status", &run, "--json"]);
    assert_eq!((&status["boards"], &status["done"], &status["finished"]), (&11.into(), &9.into(), &3.into()));
    assert_eq!((&status["parts"][3]["state"], &status["parts"][3]["boards"]), (&"not-begun".into(), &2.into()));
    assert_eq!((&status["not_begun"], &status["solved"]["boards"]), (&2.into(), &9.into()));
    assert!(stdout(&["status", &run]).contains("part 4/4: not begun, 2 boards\n"));
    let watched = stdout(&["watch", &run, "--once"]);
    assert!(watched.contains("parts/3-of-4") && watched.contains("finished"), "{watched}");
    assert!(watched.contains("parts/4-of-4") && watched.contains("no rows") && !watched.contains("unreadable"));
    let last = stdout(&["hunt", &config, "--run", &run, "--part", "4/4", "--json", "--quiet"]);
    assert_eq!(results(&(parts.concat() + &last)), results(&whole), "the numbers are those of the whole hunt");
    let of_whole = json(&["status", &folder.path("whole"), "--json"]);
    for command in ["status", "inspect"] {
        let all = json(&[command, &run, "--json"]);
        for field in
            ["boards", "done", "optimal", "unsolvable", "solved", "begun_solved", "begun_unsolved", "not_begun"]
        {
            assert_eq!(all[field], of_whole[field], "{command}: {field}");
        }
        let text = stdout(&[command, &run]);
        assert!(text.contains("run: 4 parts, 0 running, 4 finished, 0 not begun\n11 of 11 boards done"), "{text}");
        assert!(text.contains("part 2/4: finished, 3 of 3 boards done\n"), "{text}");
    }
    // What the parts have recorded is what one run has recorded.
    let recorded = |run: &str| fs::read_to_string(folder.path(&format!("{run}/results.jsonl"))).unwrap();
    let parts: String = (1..=4).map(|part| recorded(&format!("run/parts/{part}-of-4"))).collect();
    let without_checksum = |lines: &str| {
        let mut results = results(lines);
        results.iter_mut().for_each(|result| _ = result.as_object_mut().unwrap().remove("checksum"));
        results
    };
    assert_eq!(without_checksum(&parts), without_checksum(&recorded("whole")));
}

#[test]
fn a_launcher_gives_each_process_its_part() {
    let (folder, config, run) = hunt(5);
    let whole = stdout(&["hunt", &config, "--run", &format!("{run}-whole"), "--json", "--quiet"]);
    let process = |rank: &str, part: &[&str]| {
        let mut command = gridhunt(&[&["hunt", &config, "--run", &run, "--json", "--quiet"], part].concat());
        command.env("OMPI_COMM_WORLD_RANK", rank).env("OMPI_COMM_WORLD_SIZE", "2");
        let output = command.assert().success().get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    let parts = process("1", &["--part", "auto"]) + &process("0", &["--part=auto"]);
    assert_eq!(results(&parts), results(&whole));
    assert_eq!(json(&["status", &run, "--json"])["done"], 5);
    let recorded = stdout(&["results", &run, "--json", "-q"]);
    assert_eq!((results(&recorded), recorded.lines().count()), (results(&whole), 5));
    assert!(recorded.starts_with("{\"number\":1,"), "in the order of the boards");
    // A configuration cannot leave it to a launcher.
    let auto = folder.write("auto.toml", &format!("{}part = 'auto'\n", fs::read_to_string(&config).unwrap()));
    let auto = gridhunt(&["hunt", &auto, "--run", &run]).assert().code(3);
    auto.stderr(contains("expected a part and the number of parts"));
    let alone = gridhunt(&["hunt", &config, "--run", &run, "--part", "auto"]).assert().code(2);
    alone.stderr(contains("found \"auto\" in a process that no launcher has started as one of several"));
}

#[test]
fn a_part_goes_on_alone() {
    let (folder, config, run) = hunt(6);
    let begin = ["hunt", &config, "--run", &run, "--part", "2/2", "--quiet"];
    gridhunt(&begin).args(["--expansions", "1"]).assert().code(7);
    let status = json(&["status", &run, "--json"]);
    let part = &status["parts"][1];
    assert_eq!((&part["part"], &part["state"], &part["error"]), (&"2/2".into(), &"ended".into(), &Value::Null));
    let folder_of_part = folder.path("run/parts/2-of-2");
    assert_eq!(part["report"]["resume"], format!("gridhunt resume {folder_of_part}"));
    let begun =
        part["report"]["checkpoints"].as_array().unwrap().iter().chain(part["report"]["begun"].as_array().unwrap());
    let mut begun: Vec<_> = begun.map(|board| board["number"].as_u64().unwrap()).collect();
    begun.sort_unstable();
    assert!(!begun.is_empty() && begun.iter().all(|number| number % 2 == 0), "{status}");
    // `resume` with the part, `resume` of its directory, and the same `hunt` again go on with it.
    gridhunt(&["resume", &run, "--part", "2/2", "--expansions", "2", "--quiet"]).assert().code(7);
    gridhunt(&["resume", &folder_of_part, "--expansions", "3", "--quiet"]).assert().code(7);
    gridhunt(&begin).args(["--expansions", "1000000"]).assert().success();
    assert_eq!(json(&["status", &run, "--json"])["done"], 3);
    gridhunt(&["inspect", &run]).assert().success();
    // Damage in one part hides no other.
    fs::write(folder.path("run/parts/2-of-2/boards.json"), "").unwrap();
    gridhunt(&["hunt", &config, "--run", &run, "--part", "1/2", "--quiet"]).assert().success();
    let said = gridhunt(&["status", &run, "--json"]).assert().code(3).get_output().stdout.clone();
    let status: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!((&status["done"], &status["parts"][1]["state"]), (&3.into(), &"unusable".into()), "{status}");
    assert!(status["parts"][1]["error"].as_str().unwrap().contains("boards.json"), "{status}");
}

#[test]
fn other_parts_are_refused_with_what_to_do() {
    let (folder, config, run) = hunt(3);
    let part = |part: &str| ["hunt", &config, "--run", &run, "--quiet", "--part", part].map(str::to_owned);
    let refused = |args: &[String], code: i32, said: &str| {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        gridhunt(&args).assert().code(code).stdout("").stderr(contains(said));
    };
    gridhunt(&part("1/5").each_ref().map(String::as_str)).assert().success();
    let other = "found part 2/4, expected a part of 5, such as part 2/5; the run was begun in 5 parts; go on with them";
    refused(&["resume", &run, "--part", "2/4"].map(str::to_owned), 3, other);
    refused(&part("2/4"), 3, "expected a part of 5, such as part 1/5");
    refused(&["resume", &run].map(str::to_owned), 3, "found a run in 5 parts, expected --part with one of them");
    refused(&["hunt", &config, "--run", &run].map(str::to_owned), 3, "found a run in 5 parts, expected --part");
    refused(&["resume", &run, "--part", "2/5"].map(str::to_owned), 3, "begin it with: gridhunt hunt CONFIG --run");
    refused(&part("0/5"), 2, "expected a part and the number of parts, such as 1/8");
    let other_config = fs::read_to_string(&config).unwrap().replace("best-first", "beam");
    fs::write(&config, other_config).unwrap();
    refused(&part("2/5"), 3, "found flood-it by beam");
    // More parts than boards: nothing is left to be done for some.
    let without_boards = ["resume", &run, "--part", "5/5"];
    gridhunt(&without_boards).assert().success().stderr(contains("part 5/5 has no boards"));
    assert!(!folder.exists("run/parts/5-of-5"));
    assert_eq!(json(&["status", &run, "--json"])["finished"], 3, "the first part and those without boards");
    // A run without parts has none.
    let whole = folder.path("whole");
    gridhunt(&["hunt", &config, "--run", &whole, "--quiet"]).assert().success();
    refused(&["resume", &whole, "--part", "1/2"].map(str::to_owned), 3, "found a run without parts");
    let args = ["hunt", &config, "--run", &whole, "--part", "1/2"].map(str::to_owned);
    refused(&args, 3, "found a run without parts, expected an empty directory");
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
    gridhunt(&["inspect", &run])
        .assert()
        .success()
        .stdout(contains("checkpoint 1").and(contains("not running; a signal or a request ended it")));
    assert!(!folder.exists("run/stop"), "the request goes with the run");
    assert_eq!(json(&["stop", &run, "--json"])["asked"], false);
    gridhunt(&["stop", &run, "--wait"]).assert().success().stdout(format!("{run}: not running\n"));
    gridhunt(&["stop", &folder.path("nothing")]).assert().code(3).stderr(contains("expected a run directory"));
    gridhunt(&["resume", &run, "--expansions", "10"]).assert().code(7);
}

#[test]
fn a_request_stops_all_parts() {
    let folder = Folder::new(&[]);
    let boards = stdout(&["generate", "--rows", "40", "--colours", "8", "--count", "3", "--seed", "1"]);
    let dataset = folder.write("hard.lines", &boards);
    let config = folder.write("hunt.toml", &format!("dataset = '{dataset}'\nengine = 'best-first'\nthreads = 1\n"));
    let run = folder.path("run");
    let task = |part| start(&["hunt", &config, "--run", &run, "--part", part, "--parallel", "search"]);
    let children = [task("1/3"), task("3/3")];
    let status = json(&["status", &run, "--json"]);
    assert_eq!(status["running"], 2, "parts do not wait for one another: {status}");
    let text = stdout(&["stop", &run, "--wait", "--json"]);
    let asked: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (child, (asked, part)) in children.into_iter().zip(asked.iter().zip(["1-of-3", "3-of-3"])) {
        assert_eq!(asked["run"], folder.path(&format!("run/parts/{part}")));
        assert_eq!((&asked["process"], &asked["ended"]), (&child.id().to_string().into(), &true.into()), "{text}");
        assert_eq!(end(child).0, Some(130));
    }
    assert_eq!(asked.len(), 2, "the part that has not begun is not asked");
    gridhunt(&["inspect", &run]).assert().success().stdout(contains("0 of 3 boards done"));
}
