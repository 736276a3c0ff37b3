//! Clickomania from the command line.

use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

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
    // Whether a search as short as this one shows progress depends on the machine.
    solve(&pairs, &[]).success().stdout(contains("cleared, 3 clicks")).stderr(contains("optimum").not());
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
    for (corner, columns, objective) in [
        ("bottom-left", "close", "clear"),
        ("bottom-right", "stay", "clicks"),
        ("top-left", "close", "left"),
        ("top-right", "stay", "score"),
    ] {
        let rules = ["--corner", corner, "--columns", columns, "--objective", objective, "--min-group", "1"];
        let json = solve(&pairs, &[&rules[..], &["--json"]].concat()).success().get_output().stdout.clone();
        let solution = folder.write("solution.json", std::str::from_utf8(&json).unwrap());
        verify(&solution, &rules).success().stdout(contains("pairs.txt: valid, cleared, "));
    }
    let (bad, part) = (folder.path("bad.txt"), folder.path("part.txt"));
    verify(&bad, &[]).code(1).stdout(contains("wrong: click 1: found 1 cell of one colour at 1,1, expected 2 or more"));
    verify(&part, &[]).code(1).stdout(contains("wrong: after 1 click: found 6 cells left, expected none"));
    verify(&part, &["--objective", "left"])
        .success()
        .stdout(contains("valid, 6 cells left, and more clicks are possible, 1 click, score 0"));
    verify(&part, &["--json"]).code(1).stdout(contains(r#""right":false"#).and(contains(r#""failed_move":null"#)));
}

#[test]
fn frames_follow_the_clicks() {
    let folder = Folder::new(&[("pairs.txt", PAIRS), ("clicks.txt", "1,2 2,1 2,1\n"), ("bad.txt", "1,2 1,1\n")]);
    let [pairs, clicks, bad] = ["pairs.txt", "clicks.txt", "bad.txt"].map(|name| folder.path(name));
    let fixed = ["render", &pairs, "--format", "text", "--domain", "clickomania"];
    assert_eq!(stdout(&fixed), "pairs.txt: 2 x 4, 3 colours\n 1 2 2 1\n 3 3 3 3\n\n");
    let frames = [
        "pairs.txt: click 0 of 3, 8 of 8 cells left\n 1*2+2 1\n 3 3 3 3\n",
        "pairs.txt: click 1 of 3, 1,2 with 2 cells, 6 of 8 cells left\n 1 . . 1\n*3+3+3+3\n",
        "pairs.txt: click 2 of 3, 2,1 with 4 cells, 2 of 8 cells left\n . . . .\n*1+1 . .\n",
        "pairs.txt: click 3 of 3, 2,1 with 2 cells, 0 of 8 cells left\n . . . .\n . . . .\n",
    ];
    let render = |solution: &str, args: &[&str]| {
        gridhunt(&[&[&fixed[..1], &[&pairs, solution], &fixed[2..]].concat(), args].concat()).assert()
    };
    render(&clicks, &[]).success().stdout(frames.map(|frame| format!("{frame}\n")).concat());
    render(&clicks, &["--frames", "2"]).success().stdout(format!("{}\n{}\n", frames[0], frames[3]));
    render(&clicks, &["--step", "1"]).success().stdout(format!("{}\n", frames[1]));
    render(&clicks, &["--step", "4"]).code(2).stderr(contains("found --step 4, expected at most 3"));
    render(&clicks, &["--columns", "stay"]).code(3).stderr(contains("click 3: found 1 cell of one colour at 2,1"));
    render(&bad, &[]).code(3).stderr(contains("click 2: found 1 cell of one colour at 1,1, expected 2 or more"));
}

#[test]
fn what_another_domain_knows_is_refused() {
    let folder = Folder::new(&[("pairs.txt", PAIRS)]);
    let pairs = folder.path("pairs.txt");
    solve(&pairs, &["--bound", "elimination"]).code(2).stderr(contains("expected the domain flood-it"));
    let large: String = (0..70).map(|row| format!("{}\n", 1 + row % 2)).collect();
    let large = folder.write("large.txt", &large);
    solve(&large, &[]).code(3).stderr(contains("found 70 x 1 cells, expected at most 64 x 64"));
}

#[test]
fn the_status_of_a_run_tells_losses_of_scores() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["generate", "--rows", "6", "--cols", "7", "--colours", "4", "--seed", "3", "-o", &board])
        .assert()
        .success();
    solve(&board, &["--objective", "score", "--run", &run, "--expansions", "500"]).code(7);
    gridhunt(&["status", &run]).assert().success().stdout(contains(" <= loss <= ").and(contains("optimum").not()));
}

#[test]
fn a_run_goes_on_and_says_the_same() {
    let folder = Folder::new(&[]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["generate", "--rows", "8", "--colours", "4", "--seed", "3", "-o", &board]).assert().success();
    let clicks = ["--domain", "clickomania", "--objective", "clicks", "--threads", "1"];
    let json = |args: &[&str]| serde_json::from_str::<serde_json::Value>(&stdout(args)).unwrap();
    let plain = json(&[&["solve", &board, "--json", "--quiet"], &clicks[..]].concat());
    gridhunt(&[&["solve", &board, "--run", &run, "--expansions", "1000"], &clicks[..]].concat()).assert().code(7);
    let resumed = json(&["resume", &run, "--expansions", "1000000", "--json", "--quiet"]);
    for field in ["status", "cost", "lower_bound"] {
        assert_eq!(resumed[field], plain[field], "{field}");
    }
    assert_eq!(plain["status"], "optimal");
    // How many children there are depends on which parent comes first: it says what is asleep.
    let below = |report: &serde_json::Value| {
        let layers = report["layers"].as_array().unwrap().iter();
        let below = layers.filter(|layer| layer["f"].as_u64() < report["cost"].as_u64());
        below.map(|layer| (layer["f"].as_u64(), layer["expanded"].as_u64())).collect::<Vec<_>>()
    };
    assert_eq!(below(&resumed), below(&plain));
}
