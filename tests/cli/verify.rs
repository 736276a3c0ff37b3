//! `verify`: right and wrong solutions, in every form.

use super::{Folder, gridhunt, matches};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// One row; 2, 1, 3 solves it.
const ROW: &str = "1213\n";

fn verify(solution: &str, args: &[&str]) -> assert_cmd::assert::Assert {
    let folder = Folder::new(&[("row.txt", ROW), ("solution.txt", solution)]);
    let (row, solution) = (folder.path("row.txt"), folder.path("solution.txt"));
    gridhunt(&[&["verify", "--format", "text", &row, &solution], args].concat()).assert()
}

#[test]
fn right_in_every_form() {
    for solution in ["2 1 3\n", "2,1,3\n", "213\n", "[2, 1, 3]\n", "{\"moves\": [\"2\", \"1\", \"3\"], \"cost\": 3}\n"]
    {
        verify(solution, &[]).success().stdout("row.txt: valid, 3 moves\n").stderr("");
    }
    verify("213", &["--quiet"]).success().stdout("");
}

#[test]
fn wrong_says_where() {
    let cases = [
        ("2 1\n", r"after 2 moves: found 1 cell left \(1 of colour 3\), expected none"),
        ("2 1 3 2\n", r"move 4 \(colour 2\): found a move after the board is solved"),
        ("{\"moves\": [2, 1, 3], \"cost\": 2}\n", "found 3 moves, expected 2, the cost that the solution claims"),
    ];
    for (solution, expected) in cases {
        let pattern = format!("^row.txt: wrong: {expected}");
        verify(solution, &[]).code(1).stdout(matches(&pattern));
        verify(solution, &["--quiet"]).code(1).stdout(matches(&pattern));
    }
}

#[test]
fn json_for_right_and_wrong() {
    let right =
        r#"{"board":"row.txt","right":true,"cost":4,"wasted":[2],"error":null,"failed_move":null,"published":null}"#;
    verify("2 2 1 3\n", &["--json"]).success().stdout(format!("{right}\n"));
    let wrong = r#""right":false,"cost":null,"wasted":[],"error":"move 4 (colour 2): found"#;
    verify("2 1 3 2\n", &["--json"]).code(1).stdout(contains(wrong).and(contains(r#""failed_move":4,"#)));
    verify("213", &["--json", "--quiet"]).success().stdout(contains(r#""right":true"#)).stderr("");
}

#[test]
fn the_start_counts() {
    verify("1 3\n", &["--start", "1,2"]).success().stdout("row.txt: valid, 2 moves\n");
    verify("1 3\n", &[]).code(1);
}

#[test]
fn one_solution_for_all_boards() {
    let three = "# gridhunt format=lines size=1x4\n1213\n1233\n1323\n";
    let check = |solution: &str, args: &[&str]| {
        let folder = Folder::new(&[("three.txt", three), ("solution.txt", solution)]);
        let files = [folder.path("three.txt"), folder.path("solution.txt")];
        gridhunt(&[&["verify", &files[0], &files[1], "--together"], args].concat()).assert()
    };
    check("2\n1\n3\n", &["--boards", "1"]).success().stdout("three.txt: valid on every board (1), cost 3\n");
    let right =
        r#"{"board":"three.txt","right":true,"cost":2,"wasted":[],"error":null,"failed_move":null,"published":null}"#;
    check("[2, 3]", &["--boards", "2", "--json"]).success().stdout(format!("{right}\n"));
    check("2 3 1", &[]).code(1).stdout(matches("^three.txt#1: wrong: .*\n$"));
    check("2 1 3", &["--json"]).code(1).stdout(contains(r#"{"board":"three.txt#3","right":false"#));
    check("[[2], [3]]", &[]).code(3).stderr(contains("found"));
    check("", &[]).code(3).stderr(contains("found no solution, expected one"));
    check("{\"moves\": [2]}\n{\"moves\": [3]}", &[])
        .code(3)
        .stderr(contains("found a second solution, expected one for all boards"));
    let folder =
        Folder::new(&[("two.txt", "1232\n\n4232\n"), ("good.txt", "2 3 2\n"), ("two.json", "[[2,3,2],[2,3,2]]")]);
    let (two, good) = (folder.path("two.txt"), folder.path("good.txt"));
    let args = ["verify", &two, &good, "--together", "--format", "text", "--size", "1x4"];
    gridhunt(&args).assert().success().stdout("two.txt: valid on every board (2), cost 3\n");
    gridhunt(&[&args[..], &["--quiet"]].concat()).assert().success().stdout("");
}

/// Lists of `solve --all` for several boards, for one of them, and for the same boards under another name.
#[test]
fn several_solutions_of_each_board() {
    let three = "# a\n121\n312\n\n# b\n131\n222\n\n# c\n121\n233\n";
    let folder = Folder::new(&[("three.txt", three), ("copy.txt", three)]);
    let [three, copy, all, second] = ["three.txt", "copy.txt", "all.json", "2.jsonl"].map(|name| folder.path(name));
    gridhunt(&["solve", &three, "--all", "-q", "-o", &all]).assert().success();
    gridhunt(&["solve", &three, "--all", "-q", "--boards", "2", "-o", &second]).assert().success();
    for (boards, list, valid) in [(&three, &all, "14 valid"), (&copy, &all, "14 valid"), (&three, &second, "5 valid")] {
        gridhunt(&["verify", boards, list]).assert().success().stdout(contains(valid));
        gridhunt(&["render", boards, list]).assert().success();
    }
    gridhunt(&["solve", &three, "--from", &all, "-q"]).assert().success();
    // A row of a table may be one move of a solution.
    verify("moves\n2\n1\n3\n", &[]).code(3).stdout("").stderr(contains("found 3 solutions, expected 1, one for each"));
}

#[test]
fn solutions_under_different_rules() {
    let moves = r#""board":"b.json","moves":["2,1","2,1","2,1"]}"#;
    let [two, three] = [2, 3].map(|rule| format!(r#"{{"domain":"clickomania","min_group":{rule},{moves}"#));
    let (listed, note) = (format!("{{{moves}"), "note: the solution names min-group 2, the board 3");
    // A list need not repeat the rules of its board.
    for (first, next, code, expected) in
        [(&two, &three, 3, "under other rules"), (&three, &two, 3, "under other rules"), (&two, &listed, 0, note)]
    {
        let board = ("b.json", r#"{"cells":["1122","2211"],"minGroup":3}"#);
        let folder = Folder::new(&[board, ("both.jsonl", &format!("{first}\n{next}\n"))]);
        let verified = gridhunt(&["verify", &folder.path("b.json"), &folder.path("both.jsonl")]).assert().code(code);
        verified.stdout(contains("2 valid").count((code == 0).into())).stderr(contains(expected));
    }
}
