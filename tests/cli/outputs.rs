//! Results on standard output, everything else on standard error; quiet, colour, closed pipes.

use super::boards::{SMALL, TWO, hard, many};
use super::{Folder, gridhunt, json, objects, stdout};
use predicates::str::contains;
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn quiet_says_nothing_but_results() {
    let folder = Folder::new(&[("two.txt", TWO)]);
    let (hard, two) = (folder.write("hard.txt", &hard()), folder.path("two.txt"));
    let json = ["solve", &two, "--format", "lines", "--json"];
    gridhunt(&json).assert().success().stderr(contains("2 boards: 2 solved"));
    gridhunt(&[&json[..], &["--quiet"]].concat()).assert().success().stderr("");
    gridhunt(&["solve", &hard, "--quiet", "--time-limit", "1s"]).assert().code(5).stderr("");
}

#[test]
fn progress_is_a_log_when_piped() {
    let folder = Folder::new(&[]);
    let hard = folder.write("hard.txt", &hard());
    let assert = gridhunt(&["solve", &hard, "--time-limit", "2s"]).assert().code(5);
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(!text.contains(['\x1b', '\r']), "{text:?}");
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("gridhunt ") && lines[0].contains(": flood-it, engine auto, "), "{text}");
    assert!(lines[1].starts_with("limits: ") && lines[1].ends_with("2.00 s per board"), "{text}");
    assert!(lines[3].starts_with("hard.txt: ") && lines[4].contains(" proven     best   gap "), "{text}");
    let first: Vec<_> = lines[5].split_whitespace().collect();
    assert!(first[0].starts_with("0:0") && first[5].parse::<u32>().is_ok(), "{text}");
}

#[test]
fn nobody_gets_colour_through_a_pipe_unless_he_asks() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let path = folder.path("small.txt");
    let escapes = |args: &[&str], no_color: Option<&str>| {
        let mut command = gridhunt(args);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let output = command.assert().success().get_output().clone();
        assert!(!output.stderr.contains(&b'\x1b'));
        output.stdout.contains(&b'\x1b')
    };
    assert!(!escapes(&["render", &path], None));
    assert!(escapes(&["render", &path, "--color", "always"], None));
    assert!(escapes(&["render", &path, "--color", "always"], Some("1")), "what is asked for goes before NO_COLOR");
    assert!(!escapes(&["render", &path, "--color", "never"], None));
    assert!(!escapes(&["solve", &path], Some("1")));
}

/// What the program writes to a terminal.
#[cfg(target_os = "linux")]
fn on_a_terminal(args: &str, no_color: Option<&str>) -> String {
    super::terminal::Terminal::with(args, (150, 40), no_color).end().0
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colour_and_a_live_line() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let hard = folder.write("hard.txt", &hard());
    let render = format!("render {}", folder.path("small.txt"));
    let coloured = on_a_terminal(&render, None);
    assert!(coloured.contains("\x1b["), "{coloured:?}");
    assert!(!on_a_terminal(&render, Some("1")).contains("\x1b["));
    let live = on_a_terminal(&format!("solve {hard} --time-limit 2s --bound elimination"), None);
    assert!(live.contains("\x1b[") && live.contains(" <= optimum") && live.contains("/s"), "{live:?}");
    let quiet = on_a_terminal(&format!("solve {hard} --time-limit 300ms --quiet"), None);
    assert!(!quiet.contains("\x1b["), "{quiet:?}");
}

#[test]
fn a_reader_that_leaves_is_no_panic() {
    let folder = Folder::new(&[("many.txt", &many(3000))]);
    let program = assert_cmd::cargo::cargo_bin!("gridhunt");
    let path = folder.path("many.txt");
    for args in [&["solve", &path, "--format", "lines", "--json", "-q"][..], &["generate", "--count", "20000"]] {
        let mut child = Command::new(program).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn layers_add_up() {
    let board = stdout(&["generate", "--rows", "12", "--seed", "4"]);
    let folder = Folder::new(&[("b.txt", &board)]);
    let args = ["solve", &folder.path("b.txt"), "--json", "--engine", "best-first", "--threads", "1"];
    let board = json(&args);
    let layers = board["layers"].as_array().unwrap();
    let sum = |field: &str| layers.iter().map(|l| l[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("expanded"), board["expanded"].as_u64().unwrap());
    assert!(layers.iter().all(|l| l.as_object().unwrap().len() == 3), "{layers:?}");
    assert!(layers.windows(2).all(|w| w[0]["f"].as_u64() < w[1]["f"].as_u64()), "{layers:?}");
    assert!(board["bytes_per_state"].as_f64().unwrap() > 1.0);
}

#[test]
fn all_optimal_solutions_are_listed_counted_and_verified() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let board = folder.path("small.txt");
    let lines = objects(stdout(&["solve", &board, "--all", "--json", "-q"]).as_bytes());
    let count = lines[0]["optimal_solutions"].as_str().unwrap();
    assert!(count.parse::<usize>().unwrap() > 1 && lines.len() == 1 + count.parse::<usize>().unwrap(), "{lines:?}");
    assert_eq!((&lines[1]["cost"], &lines[1]["board"]), (&lines[0]["cost"], &lines[0]["board"]));
    let all = folder.path("all.json");
    gridhunt(&["solve", &board, "--all", "-q", "-o", &all]).assert().success();
    let array: Vec<serde_json::Value> = serde_json::from_str(&std::fs::read_to_string(&all).unwrap()).unwrap();
    assert_eq!(array[1..], lines[1..]);
    gridhunt(&["verify", &board, &all]).assert().success().stdout(contains(format!(" {} valid, 0 wrong", lines.len())));
    gridhunt(&["verify", &folder.write("copy", SMALL), &all]).assert().success().stdout(contains(" 0 wrong"));
    // Others than those of the board are refused.
    let other = folder.write("other.jsonl", "{\"board\":\"small.txt\",\"moves\":[]}\n{\"moves\":[]}\n");
    gridhunt(&["verify", &board, &other]).assert().code(3).stdout("").stderr(contains("found 2 solutions, expected 1"));
    let few = stdout(&["solve", &board, "--all", "--most", "1", "-q"]);
    assert!(few.contains(&format!("optimal solutions: {count}, the first 1\n")), "{few}");
    gridhunt(&["solve", &board, "--all", "-o", &folder.path("all.csv")]).assert().code(2).stderr(contains("--all"));
    gridhunt(&["solve", &board, "--all", "--run", &folder.path("run")]).assert().code(2);
    gridhunt(&["solve", &board, "--most", "3"]).assert().code(2);
    // A limit leaves the optimum, and no number.
    let large = folder.path("large.txt");
    gridhunt(&["generate", "--rows", "12", "--colours", "6", "-o", &large]).assert().success();
    let proof = objects(stdout(&["solve", &large, "-t", "1", "-q", "--json"]).as_bytes());
    let limit = (proof[0]["expanded"].as_u64().unwrap() + 2).to_string();
    let limited = gridhunt(&["solve", &large, "-t", "1", "-q", "--all", "--expansions", &limit]).assert().code(7);
    let text = String::from_utf8_lossy(&limited.get_output().stdout).into_owned();
    assert!(text.contains("optimal, ") && text.contains("are not counted (expansion limit)"), "{text}");
    let bunny = folder.write("bunny.txt", "S##\n# #\n###\n");
    gridhunt(&["solve", &bunny, "--domain", "bunny", "--all"]).assert().code(2).stderr(contains("bunny"));
}
