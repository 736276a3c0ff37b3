//! Commands that feed each other.

use super::boards::many;
use super::{Folder, gridhunt, stdout};
use predicates::str::contains;

#[test]
fn equal_seeds_make_equal_boards() {
    let generate = |seed: &str| stdout(&["generate", "--rows", "5", "--cols", "7", "--colours", "4", "--seed", seed]);
    assert_eq!(generate("1"), generate("1"));
    assert_ne!(generate("1"), generate("2"));
}

#[test]
fn every_format_goes_through_generate_and_solve() {
    for (format, count) in [("text", "1"), ("csv", "1"), ("numbers", "1"), ("json", "3"), ("lines", "3")] {
        let boards =
            stdout(&["generate", "--rows", "5", "--colours", "4", "--count", count, "--format", format, "--seed", "9"]);
        let mut solve = gridhunt(&["solve", "-", "--format", format, "--json", "-q"]);
        let text = solve.write_stdin(boards).assert().success().get_output().stdout.clone();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.lines().count().to_string(), count, "{format}");
        assert_eq!(text.matches("\"status\":\"optimal\"").count().to_string(), count, "{format}");
    }
}

#[test]
fn formats_of_one_board_refuse_many() {
    gridhunt(&["generate", "--count", "2", "--format", "csv"])
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("found --count 2, expected 1 with --format csv"));
    gridhunt(&["generate", "--start", "centre", "--format", "lines"]).assert().code(2).stdout("");
}

#[test]
fn many_boards_with_a_start_are_json_by_default() {
    let boards = stdout(&["generate", "--rows", "5", "--start", "centre", "--count", "3"]);
    assert!(boards.starts_with('{'), "{boards}");
    let mut solve = gridhunt(&["solve", "-"]);
    solve.write_stdin(boards).assert().success().stdout(contains("3 boards: 3 solved, 3 proven optimal"));
}

#[test]
fn generate_solve_verify() {
    let folder = Folder::new(&[("many.txt", &many(30))]);
    let path = folder.path("many.txt");
    let solutions = folder.path("solutions.json");
    stdout(&["solve", &path, "--format", "lines", "--boards", "3-12", "--json", "-o", &solutions]);
    let verify =
        |args: &[&str]| gridhunt(&[&["verify", "--format", "lines", &path, &solutions], args].concat()).assert();
    verify(&["--boards", "3-12"]).success().stdout(contains("10 solutions: 10 right, 0 wrong;"));
    verify(&["--boards", "4-13"]).code(1).stderr(contains("the solution says that it is for many.txt#3"));
    verify(&["--boards", "3-13"]).code(3).stderr(contains("found 10 solutions, expected one more, for many.txt#13"));
    verify(&["--boards", "3-11"]).code(3).stderr(contains("expected the one for many.txt#11 to be the last"));
}

#[test]
fn a_stream_of_boards_is_searched_as_it_comes() {
    let mut solve = gridhunt(&["solve", "-", "--format", "lines", "-q"]);
    let assert = solve.write_stdin(many(500)).assert().success();
    assert.stdout(contains("stdin#500: optimal")).stdout(contains("500 boards: 500 solved, 500 proven optimal"));
}

#[test]
fn files_of_all_kinds_in_one_run() {
    let folder = Folder::new(&[("a.txt", "112\n231\n123\n"), ("b.csv", "1,2\n2,1\n")]);
    let mut solve = gridhunt(&["solve", &folder.path("a.txt"), "-", &folder.path("b.csv")]);
    let assert = solve.write_stdin("12\n31\n").assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let names: Vec<_> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(names, ["a.txt", "stdin", "b.csv", "3 boards"]);
}
