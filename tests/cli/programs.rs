//! Hopping Bunny from the command line.

use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

/// Three tokens: a loop that hops and turns left goes round.
const RING: &str = "S#\n##\n";

fn solve(board: &str, args: &[&str]) -> assert_cmd::assert::Assert {
    gridhunt(&[&["solve", board, "--domain", "bunny", "--threads", "2"], args].concat()).assert()
}

#[test]
fn shortest_programs_are_found_and_proven() {
    let two = format!("{RING}\nS##\n # \n");
    let folder = Folder::new(&[("ring.txt", RING), ("two.txt", &two), ("lost.txt", "S# #\n"), ("done.txt", "SO\n")]);
    let [ring, two, lost, done] = ["ring.txt", "two.txt", "lost.txt", "done.txt"].map(|name| folder.path(name));
    solve(&ring, &[]).success().stdout(contains("ring.txt: 2 x 2\noptimal, 3 tokens\n  LOOP{LF}\n"));
    solve(&ring, &["--engine", "synthesis"]).success().stdout(contains("optimal, 3 tokens\n  LOOP{LF}\n"));
    let annealed = ["--engine", "anneal", "--anneal-rounds", "2", "--anneal-seed", "3"];
    solve(&ring, &annealed).success().stdout(contains("feasible, 3 tokens, proven: 2 <= optimum <= 3"));
    solve(&two, &[])
        .success()
        .stdout(contains("two.txt#1: optimal, 3 tokens").and(contains("two.txt#2: optimal, 3 tokens: LOOP{RF}")));
    solve(&lost, &[])
        .code(4)
        .stdout(contains("unsolvable, proven"))
        .stderr(contains("the square at 1,4 cannot be reached"));
    solve(&done, &[]).success().stdout(contains("optimal, 0 tokens"));
    let json: Value = serde_json::from_slice(&solve(&ring, &["--json"]).get_output().stdout).unwrap();
    assert_eq!(
        (&json["cost"], &json["moves"][0], &json["objective"]),
        (&3.into(), &"LOOP{LF}".into(), &"tokens".into())
    );
}

#[test]
fn programs_are_verified_and_drawn() {
    let folder = Folder::new(&[
        ("ring.txt", RING),
        ("boards.json", "{\"name\": \"ring\", \"published\": 4, \"bunny\": [\"S#\", \"##\"]}"),
        ("good.txt", "F LOOP(3){RF}\n"),
        ("short.txt", "FRF\n"),
        ("circle.txt", "LOOP{FLL}\n"),
        ("bad.txt", "FX\n"),
        ("both.txt", "LOOP{LF}\nF LOOP(3){RF}\n"),
    ]);
    let path = |name: &str| folder.path(name);
    let verify = |board: &str, solution: &str, args: &[&str]| {
        gridhunt(&[&["verify", &path(board), &path(solution), "--domain", "bunny"], args].concat()).assert()
    };
    verify("ring.txt", "good.txt", &[]).success().stdout("ring.txt: valid, 4 tokens, 5 steps\n");
    verify("boards.json", "good.txt", &[]).success().stdout("ring: valid, 4 tokens, 5 steps\n");
    verify("ring.txt", "short.txt", &[])
        .code(1)
        .stdout("ring.txt: wrong: after 3 steps: found 1 square not marked, expected none; the first is 2,1\n");
    verify("ring.txt", "circle.txt", &["--json"]).code(1).stdout(contains("found 2 squares not marked"));
    verify("ring.txt", "bad.txt", &[]).code(3).stderr(contains("bad.txt:1:2: found 'X', expected F, L, R"));
    verify("ring.txt", "both.txt", &[]).code(3).stderr(contains("both.txt:1:1: found a line that solves the board by"));
    let solved = stdout(&["solve", &path("boards.json"), "--domain", "bunny", "--json", "--quiet"]);
    folder.write("solution.json", &solved);
    verify("boards.json", "solution.json", &[]).success().stdout(contains("the file gives the optimum 4"));
    let frames = stdout(&["render", &path("ring.txt"), &path("good.txt"), "--domain", "bunny", "--frames", "3"]);
    let expected = [
        "ring.txt: step 0 of 5, 3 squares left\n>O #\n # #\n",
        "ring.txt: step 2 of 5, R, 2 squares left\n OvO\n # #\n",
        "ring.txt: step 5 of 5, F, 0 squares left\n O O\n<O O\n",
    ];
    assert_eq!(frames, expected.map(|frame| format!("{frame}\n")).concat());
    assert_eq!(
        stdout(&["render", &path("ring.txt"), "--domain", "bunny"]),
        "ring.txt: 2 x 2, 3 squares to mark\n>O #\n # #\n\n"
    );
}

#[test]
fn other_puzzles_keep_to_their_boards() {
    let folder = Folder::new(&[("ring.txt", RING), ("colours.txt", "12\n21\n"), ("nothing.txt", "\n")]);
    let [ring, colours, nothing] = ["ring.txt", "colours.txt", "nothing.txt"].map(|name| folder.path(name));
    gridhunt(&["solve", &ring, "--format", "bunny"]).assert().code(3).stderr(contains("expected --domain bunny"));
    solve(&colours, &["--format", "text"])
        .code(3)
        .stderr(contains("found the colours 1 2, expected squares of the bunny"));
    solve(&colours, &[]).code(3).stderr(contains("colours.txt:1:1: found '1', expected S, #, O"));
    solve(&nothing, &[]).code(3).stderr(contains("found a file without content, expected a board"));
    solve(&ring, &["--engine", "ida"]).code(2).stderr(contains("expected one of: auto, synthesis, anneal"));
    gridhunt(&["solve", &colours, "--engine", "synthesis"])
        .assert()
        .code(2)
        .stderr(contains("expected one of: auto, learning"));
}
