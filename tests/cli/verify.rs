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
        ("2 1 3 2\n", r"move 4 \(colour 2\): found a board that is solved"),
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
fn the_lines_of_the_only_solution_belong_together() {
    verify("2\n2\n1\n3\n", &[]).success().stdout(contains("row.txt: valid, 4 moves"));
    // The first line may be a move, or the number of moves behind it: the reading that solves the board is taken.
    verify("2\n1\n3\n", &[]).success().stdout("row.txt: valid, 3 moves\n");
    verify("3\n2\n1\n3\n", &[]).success().stdout("row.txt: valid, 3 moves\n");
    verify("3\n1\n2\n1\n", &[]).code(3).stderr(contains("4 lines that are 4 moves, or their number and 3 moves"));
    verify("2 1\n3\n", &[]).success().stdout("row.txt: valid, 3 moves\n");
    verify("2 1 3\n2 1 3\n", &[]).code(1).stdout(contains("move 4 (colour 2): found a board that is solved"));
}

#[test]
fn moves_that_add_nothing_are_remarked() {
    verify("2 2 1 3\n", &[]).success().stdout(contains("valid, 4 moves; 1 of them add nothing, the first is move 2"));
}

#[test]
fn what_is_no_solution_is_bad_input() {
    verify("2 1 9\n", &[]).code(3).stderr(contains("solution.txt:1:5: found \"9\", expected one of the colours 1 2 3"));
    verify("", &[]).code(3).stderr(contains("found 0 solutions, expected one more, for row.txt"));
    verify("[2,1,3]\n[2,1,3]\n", &[]).code(3).stderr(contains("expected the one for row.txt to be the last"));
    verify("{\"cost\": 3}\n", &[]).code(3).stderr(contains("found an object without moves"));
}

#[test]
fn the_start_counts() {
    verify("1 3\n", &["--start", "1,2"]).success().stdout("row.txt: valid, 2 moves\n");
    verify("1 3\n", &[]).code(1);
}
