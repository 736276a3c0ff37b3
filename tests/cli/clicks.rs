//! Clickomania from the command line.

use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

/// Pairs that go one after the other: the twos in the middle, then what they kept apart.
const PAIRS: &str = "1221\n3333\n";

fn solve(board: &str, args: &[&str]) -> assert_cmd::assert::Assert {
    let fixed = ["solve", board, "--domain", "clickomania", "--format", "text", "--threads", "1"];
    gridhunt(&[&fixed, args].concat()).assert()
}

#[test]
fn each_objective_says_what_it_found() {
    let folder = Folder::new(&[("pairs.txt", PAIRS), ("dead.txt", "121\n212\n"), ("odd.txt", "112\n221\n")]);
    let [pairs, dead, odd] = ["pairs.txt", "dead.txt", "odd.txt"].map(|name| folder.path(name));
    solve(&pairs, &[]).success().stdout(contains("cleared, 3 clicks"));
    solve(&pairs, &["--objective", "clicks"]).success().stdout(contains("optimal, 3 clicks"));
    solve(&pairs, &["--objective", "score"]).success().stdout(contains("optimal, score 1,004"));
    solve(&dead, &[]).code(4).stdout(contains("unsolvable, proven")).stderr(contains("4294967295").not());
    solve(&dead, &["--min-group", "1", "--objective", "clicks"]).success().stdout(contains("optimal, 3 clicks"));
    solve(&odd, &["--objective", "left"]).success().stdout(contains("optimal, 1 cell left"));
    solve(&odd, &["--objective", "score"]).success().stdout(contains("optimal, score 1\n"));
}

#[test]
fn a_solution_is_verified_by_its_rules() {
    let folder = Folder::new(&[("pairs.txt", PAIRS), ("bad.txt", "1,1\n"), ("part.txt", "1,2\n")]);
    let pairs = folder.path("pairs.txt");
    let verify = |solution: &str, args: &[&str]| {
        let fixed = ["verify", &pairs, solution, "--format", "text", "--domain", "clickomania"];
        gridhunt(&[&fixed, args].concat()).assert()
    };
    for corner in ["bottom-left", "bottom-right", "top-left", "top-right"] {
        for columns in ["close", "stay"] {
            for objective in ["clear", "clicks", "left", "score"] {
                let rules = ["--corner", corner, "--columns", columns, "--objective", objective, "--min-group", "1"];
                let json = solve(&pairs, &[&rules[..], &["--json"]].concat()).success().get_output().stdout.clone();
                let solution = folder.write("solution.json", std::str::from_utf8(&json).unwrap());
                verify(&solution, &rules).success().stdout(contains("pairs.txt: right, cleared, "));
            }
        }
    }
    let (bad, part) = (folder.path("bad.txt"), folder.path("part.txt"));
    verify(&bad, &[]).code(1).stdout(contains("wrong: click 1: found 1 cell of one colour at 1,1, expected 2 or more"));
    verify(&part, &[]).code(1).stdout(contains("wrong: after 1 click: found 6 cells left, expected none"));
    verify(&part, &["--objective", "left"])
        .success()
        .stdout(contains("right, 6 cells left, and more clicks are possible, 1 click, score 0"));
    verify(&part, &["--json"]).code(1).stdout(contains(r#""right":false"#).and(contains(r#""failed_move":null"#)));
}

#[test]
fn what_another_domain_knows_is_refused() {
    let folder = Folder::new(&[("pairs.txt", PAIRS)]);
    let pairs = folder.path("pairs.txt");
    solve(&pairs, &["--bound", "pairs"]).code(2).stderr(contains("expected it for flood-it alone"));
    gridhunt(&["solve", &pairs, "--objective", "left"])
        .assert()
        .code(2)
        .stderr(contains("found objective for the domain flood-it, expected it for clickomania alone"));
    let large: String = (0..70).map(|row| format!("{}\n", 1 + row % 2)).collect();
    let large = folder.write("large.txt", &large);
    // What is stored of a state has room for so much and no more.
    let wide = folder.path("wide.txt");
    gridhunt(&["generate", "--rows", "20", "--colours", "4", "-o", &wide]).assert().success();
    for engine in ["auto", "best-first", "ida", "branch-and-bound"] {
        let args = ["--objective", "score", "--engine", engine];
        solve(&wide, &args).code(2).stderr(contains("expected at most 4000, or an engine that stores nothing"));
    }
    solve(&wide, &["--objective", "score", "--engine", "beam", "--beam-width", "10"]).success();
    solve(&large, &[]).code(3).stderr(contains("found 70 x 1 cells, expected at most 64 x 64"));
}

#[test]
fn a_run_goes_on_and_says_the_same() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["generate", "--rows", "8", "--colours", "4", "--seed", "3", "-o", &board]).assert().success();
    let clicks = ["--domain", "clickomania", "--objective", "clicks", "--threads", "1"];
    let json = |args: &[&str]| serde_json::from_str::<Value>(&stdout(args)).unwrap();
    let plain = json(&[&["solve", &board, "--json", "--quiet"], &clicks[..]].concat());
    gridhunt(&[&["solve", &board, "--run", &run, "--expansions", "1000"], &clicks[..]].concat()).assert().code(7);
    // States that were found under other rules, or for something else, are worth nothing.
    let wanted = std::fs::read_to_string(folder.path("run/run.toml")).unwrap();
    for line in ["min-group = 1", "columns = \"stay\"", "corner = \"top-left\"", "objective = \"left\""] {
        let name = line.split(' ').next().unwrap();
        let others: String = wanted.lines().filter(|l| !l.starts_with(name)).map(|l| format!("{l}\n")).collect();
        folder.write("run/run.toml", &format!("{line}\n{others}"));
        gridhunt(&["resume", &run]).assert().code(3).stderr(contains("groups of 2, columns close, corner bottom-left"));
    }
    folder.write("run/run.toml", &wanted);
    let resumed = json(&["resume", &run, "--expansions", "1000000", "--json", "--quiet"]);
    for field in ["status", "cost", "lower_bound"] {
        assert_eq!(resumed[field], plain[field], "{field}");
    }
    assert_eq!(plain["status"], "optimal");
    // How many children there are depends on which parent comes first: it says what is asleep.
    let below = |report: &Value| {
        let layers = report["layers"].as_array().unwrap().iter();
        let below = layers.filter(|layer| layer["f"].as_u64() < report["cost"].as_u64());
        below.map(|layer| (layer["f"].as_u64(), layer["expanded"].as_u64())).collect::<Vec<_>>()
    };
    assert_eq!(below(&resumed), below(&plain));
}
