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
    for corner in ["bottom-left", "bottom-right", "top-left", "top-right"] {
        for columns in ["close", "stay"] {
            for objective in ["clear", "clicks", "left", "score"] {
                let rules = ["--corner", corner, "--columns", columns, "--objective", objective, "--min-group", "1"];
                let json = solve(&pairs, &[&rules[..], &["--json"]].concat()).success().get_output().stdout.clone();
                let solution = folder.write("solution.json", std::str::from_utf8(&json).unwrap());
                verify(&solution, &rules).success().stdout(contains("pairs.txt: valid, cleared, "));
            }
        }
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

/// [`PAIRS`] after the first click.
const HALF: &str = "1..1\n3333\n";

#[test]
fn a_game_that_has_begun_goes_on() {
    let folder = Folder::new(&[
        ("half.txt", HALF),
        ("half.csv", "1,-1,-1,1\n3,3,3,3\n"),
        ("down.json", "{\"layout\": \"columns\", \"cells\": [[1, 3], [3], [3], [1, 3]]}"),
        ("up.json", "{\"cells\": [\"31\", \"3\", \"3\", \"31\"]}"),
    ]);
    let [half, csv, down, up] = ["half.txt", "half.csv", "down.json", "up.json"].map(|name| folder.path(name));
    for board in [
        &["--format", "text", &half][..],
        &["--format", "csv", &csv],
        &["--size", "2x4", &down],
        &["--size", "2x4", "--json-layout", "columns-up", &up],
    ] {
        let domain = ["--domain", "clickomania"];
        let solve = ["solve", "--objective", "clicks", "--json", "--quiet"];
        let solution = folder.write("solution.json", &stdout(&[&solve[..], &domain, board].concat()));
        let replayed = stdout(&[&["verify", "--objective", "clicks"][..], &domain, board, &[&solution]].concat());
        assert!(replayed.contains(": valid, cleared, 2 clicks, score 1,004"), "{replayed}");
        let drawn = stdout(&[&["render"][..], &domain, board].concat());
        assert!(drawn.ends_with(": 2 x 4, 2 colours\n 1 . . 1\n 3 3 3 3\n\n"), "{drawn}");
        let frame = stdout(&[&["render", "--step", "0"][..], &domain, board, &[&solution]].concat());
        assert!(frame.contains(": click 0 of 2, 6 of 6 cells left\n 1 . . 1\n*3+3+3+3\n"), "{frame}");
    }
    gridhunt(&["solve", &up, "--json-layout", "diagonal"]).assert().code(2).stderr(contains("columns-up"));
    gridhunt(&["solve", &up]).assert().code(3).stderr(contains("up.json:1: found a row of 1 cell in row 2"));
}

#[test]
fn what_has_not_fallen_is_no_position() {
    let folder = Folder::new(&[
        ("half.txt", HALF),
        ("hanging.txt", "12\n.1\n"),
        ("apart.txt", "1.1\n1.1\n"),
        ("clicks.txt", "1,1\n"),
        ("moves.txt", "1 3\n"),
    ]);
    let [half, hanging, apart, clicks, moves] =
        ["half.txt", "hanging.txt", "apart.txt", "clicks.txt", "moves.txt"].map(|name| folder.path(name));
    for (board, rules, message) in [
        (
            &hanging,
            ["--corner", "bottom-left"],
            "hanging.txt: found cell 1,1 over the empty cell 2,1, expected cells that have fallen to the bottom-left",
        ),
        (
            &apart,
            ["--corner", "top-right"],
            "apart.txt: found cell 1,1 behind an empty column, expected columns that have closed up to the top-right",
        ),
    ] {
        let fixed = ["--format", "text", "--domain", "clickomania", board];
        for (command, solution) in [("solve", &[][..]), ("verify", &[clicks.as_str()]), ("render", &[&clicks])] {
            let args = [&[command][..], &fixed, solution, &rules].concat();
            gridhunt(&args).assert().code(3).stdout("").stderr(contains(message));
        }
        gridhunt(&[&["render"][..], &fixed].concat()).assert().success().stdout(contains(" ."));
    }
    solve(&hanging, &["--corner", "top-left", "--objective", "left"]).success().stdout(contains("3 cells left"));
    solve(&apart, &["--columns", "stay"]).success().stdout(contains("cleared, 2 clicks"));
    let fixed = ["--format", "text", &half];
    for (command, solution) in [("solve", &[][..]), ("verify", &[moves.as_str()]), ("render", &[]), ("bounds", &[])] {
        let args = [&[command][..], &fixed, solution].concat();
        let message = "half.txt: found an empty cell at 1,2, expected a colour in every cell for flood-it";
        gridhunt(&args).assert().code(3).stderr(contains(message));
    }
}

#[test]
fn boards_that_can_be_cleared_are_generated() {
    let folder = Folder::new(&[]);
    let args = ["--rows", "5", "--colours", "5", "--count", "30", "--seed", "4"];
    for rules in [&[][..], &["--columns", "stay"], &["--min-group", "3", "--corner", "top-right"]] {
        let boards = folder.write("boards.txt", &stdout(&[&["generate", "--clearable"], &args[..], rules].concat()));
        let fixed = ["solve", &boards, "--format", "lines", "--domain", "clickomania", "--quiet"];
        let solved = gridhunt(&[&fixed[..], rules].concat()).assert().success();
        let text = String::from_utf8_lossy(&solved.get_output().stdout).into_owned();
        assert_eq!(text.matches("cleared").count(), 30, "{text}");
    }
    let uniform = folder.write("boards.txt", &stdout(&[&["generate"], &args[..]].concat()));
    gridhunt(&["solve", &uniform, "--format", "lines", "--domain", "clickomania", "--quiet"]).assert().code(4);
    gridhunt(&["generate", "--min-group", "3"]).assert().code(2).stderr(contains("expected them with --clearable"));
    gridhunt(&["generate", "--clearable", "--rows", "2", "--min-group", "3"])
        .assert()
        .code(2)
        .stderr(contains("3 rows"));
}

#[test]
fn what_another_domain_knows_is_refused() {
    let folder = Folder::new(&[("pairs.txt", PAIRS)]);
    let pairs = folder.path("pairs.txt");
    solve(&pairs, &["--bound", "elimination"]).code(2).stderr(contains("expected it for flood-it alone"));
    gridhunt(&["solve", &pairs, "--format", "text", "--objective", "left"])
        .assert()
        .code(2)
        .stderr(contains("found objective for the domain flood-it, expected it for clickomania alone"));
    let large: String = (0..70).map(|row| format!("{}\n", 1 + row % 2)).collect();
    let large = folder.write("large.txt", &large);
    // What is stored of a state has room for so much and no more.
    let wide = folder.path("wide.txt");
    gridhunt(&["generate", "--rows", "20", "--colours", "4", "-o", &wide]).assert().success();
    for engine in ["best-first", "ida", "branch-and-bound", "breadth-first", "greedy"] {
        let args = ["--objective", "score", "--engine", engine];
        let expected = format!("expected at most 4000 for the engine {engine}; engines without this limit: auto, beam");
        solve(&wide, &args).code(2).stderr(contains(expected));
    }
    solve(&wide, &["--objective", "score", "--engine", "beam", "--beam-width", "10"]).success();
    solve(&large, &[]).code(3).stderr(contains("found 70 x 1 cells, expected at most 64 x 64"));
}

#[test]
fn orders_are_for_the_engines_that_compare_the_same() {
    let folder = Folder::new(&[("pairs.txt", PAIRS)]);
    let pairs = folder.path("pairs.txt");
    for order in ["singles", "distances"] {
        for engine in ["auto", "beam", "greedy", "branch-and-bound"] {
            solve(&pairs, &["--order", order, "--engine", engine]).success();
        }
    }
    for order in ["maxX+distance", "maxX+minY", "maxX+maxY"] {
        solve(&pairs, &["--order", order, "--engine", "branch-and-bound"]).success();
        for engine in [&["--engine", "greedy"][..], &[]] {
            let said = format!("found the order {order} for the engine ");
            let refused = solve(&pairs, &[&["--order", order], engine].concat()).code(2);
            refused.stderr(contains(said).and(contains("expected it for branch-and-bound alone")));
        }
    }
    solve(&pairs, &["--order", "maxX"]).code(2).stderr(contains("maxX+minY"));
    let args = ["solve", &pairs, "--format", "text", "--order", "singles"];
    gridhunt(&args).assert().code(2).stderr(contains("found order for the domain flood-it"));
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
    let json = |args: &[&str]| serde_json::from_str::<Value>(&stdout(args)).unwrap();
    let plain = json(&[&["solve", &board, "--json", "--quiet"], &clicks[..]].concat());
    gridhunt(&[&["solve", &board, "--run", &run, "--expansions", "1000"], &clicks[..]].concat()).assert().code(7);
    // States that were found under other rules, or for something else, are worth nothing.
    let wanted = std::fs::read_to_string(folder.path("run/run.toml")).unwrap();
    for line in ["min-group = 1", "columns = \"stay\"", "corner = \"top-left\"", "objective = \"left\""] {
        let name = line.split(' ').next().unwrap();
        let others: String = wanted.lines().filter(|l| !l.starts_with(name)).map(|l| format!("{l}\n")).collect();
        folder.write("run/run.toml", &format!("{line}\n{others}"));
        folder.write("run/checksums", "");
        gridhunt(&["resume", &run]).assert().code(3).stderr(contains("groups of 2, columns close, corner bottom-left"));
    }
    folder.write("run/run.toml", &wanted);
    folder.write("run/checksums", "");
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
