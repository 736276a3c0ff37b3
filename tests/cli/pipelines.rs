//! Commands that feed each other.

use super::boards::many;
use super::{Folder, gridhunt, stdout};
use predicates::str::contains;

/// Whatever `generate` writes, the next commands read without options: puzzle, format, size, colours and start.
#[test]
fn what_generate_writes_needs_no_options() {
    let sizes = ["--rows", "3", "--cols", "4", "--colours", "3"];
    for format in ["text", "csv", "lines", "numbers", "json"] {
        for start in ["top-left", "centre"] {
            for count in ["1", "3"] {
                let start = if format == "csv" && count == "3" { "top-left" } else { start };
                let form = ["--format", format, "--start", start, "--count", count];
                let boards = stdout(&[&["generate"], &sizes[..], &form].concat());
                let drawn = |boards: &str| {
                    let mut render = gridhunt(&["render", "-"]);
                    let output = render.write_stdin(boards).assert().success().get_output().stdout.clone();
                    String::from_utf8(output).unwrap()
                };
                let drawn = drawn(&boards);
                let cell = if start == "centre" { "2,3" } else { "1,1" };
                let head = format!(": 3 x 4, 3 colours, start {cell}\n");
                assert_eq!(drawn.matches(&head).count().to_string(), count, "{format} {start}: {drawn}");
            }
        }
    }
    let played = stdout(&["generate", "--kind", "clearable", "--rows", "4", "--colours", "2", "--count", "2"]);
    assert_eq!(played, stdout(&["generate", "--clearable", "--rows", "4", "--colours", "2", "--count", "2"]));
    gridhunt(&["solve", "-"]).write_stdin(played).assert().success().stdout(contains("cleared,").count(2));
    let squares = stdout(&["generate", "--kind", "random", "--rows", "3", "--count", "2"]);
    gridhunt(&["solve", "-"]).write_stdin(squares).assert().success().stdout(contains("optimal,").count(2));
    // A board of colours is none of this puzzle.
    assert_eq!(stdout(&["generate", "--domain", "bunny"]), stdout(&["generate", "--kind", "grown"]));
    for (wrong, expected) in [
        (["--kind", "clearable", "--domain", "flood-it"], "expected --domain clickomania"),
        (["--kind", "grown", "--min-group", "3"], "found --min-group"),
        (["--domain", "clickomania", "--min-group", "3"], "found --min-group"),
        (["--rows", "4", "--kind", "spirl"], "did you mean spiral?"),
    ] {
        gridhunt(&["generate"]).args(wrong).assert().code(2).stdout("").stderr(contains(expected));
    }
    let bare = stdout(&["generate", "--no-head", "--rows", "2", "--cols", "3", "--colours", "2"]);
    assert!(bare.starts_with("2 3 2\n"), "{bare}");
}

/// What `solve` prints, as text or as JSON, is a solution file for `verify` and `render`.
#[test]
fn what_solve_prints_is_a_solution() {
    let folder = Folder::new(&[
        ("flood.txt", "2 3 3\n1 2 3\n3 2 1\n"),
        ("played.txt", "# gridhunt domain=clickomania\n112\n221\n112\n"),
    ]);
    let many = folder.path("many.lines");
    stdout(&["generate", "--rows", "4", "--colours", "3", "--count", "5", "-o", &many]);
    let clicks = ["--domain", "clickomania", "--objective", "score"];
    let flood = folder.path("flood.txt");
    let played = folder.path("played.txt");
    for args in [&[&flood[..], "--size", "2x3"][..], &[&many], &[&[&played[..]], &clicks[..]].concat()] {
        for form in [&[][..], &["--json"]] {
            let printed = stdout(&[&["solve"], args, form].concat());
            let board = &args[..if args.len() == 3 { 3 } else { 1 }];
            let mut verify = gridhunt(&[&["verify", args[0], "-"], &board[1..]].concat());
            verify.write_stdin(printed.as_str()).assert().success().stdout(contains("valid"));
            let mut render = gridhunt(&[&["render", args[0], "-"], &board[1..]].concat());
            render.write_stdin(printed).assert().success();
        }
    }
}

/// Solutions of another program and cells that count from another corner.
#[test]
fn solutions_in_the_notations_of_others() {
    let folder = Folder::new(&[
        ("board.txt", "123\n321\n112\n"),
        ("played.txt", "4 4 4 1 \n1 1 0 0 \n2 2 0 3 \n3 3 2 2 \n"),
        ("clicks.txt", "0 3;2 1;2 0;0 1;0 1;0 0\n"),
    ]);
    for text in ["2 -> 1 -> 2 -> 3\n", "1      2123____________4               milliSeconds=5\n", "(2)(1)(2)(3)"] {
        let mut verify = gridhunt(&["verify", &folder.path("board.txt"), "-"]);
        verify.write_stdin(text).assert().success().stdout(contains("valid, 4 moves"));
    }
    let verify = ["verify", &folder.path("played.txt"), &folder.path("clicks.txt"), "--domain", "clickomania"];
    let from_corner = [&verify[..], &["--origin", "bottom-left", "--objective", "score"]].concat();
    gridhunt(&from_corner).assert().success().stdout(contains("score 1,004"));
    gridhunt(&verify).assert().code(3).stderr(contains("found the cell 0,3")).stderr(contains("--origin"));
}

#[test]
fn generate_solve_verify() {
    let folder = Folder::new(&[("many.txt", &many(30))]);
    let path = folder.path("many.txt");
    let solutions = folder.path("solutions.json");
    stdout(&["solve", &path, "--format", "lines", "--boards", "3-12", "--json", "-o", &solutions]);
    let verify =
        |args: &[&str]| gridhunt(&[&["verify", "--format", "lines", &path, &solutions], args].concat()).assert();
    verify(&["--boards", "3-12"]).success().stdout(contains("10 solutions: 10 valid, 0 wrong;"));
    verify(&["--boards", "4-13"]).code(1).stderr(contains("the solution names many.txt#3"));
    verify(&["--boards", "3-13"]).code(3).stderr(contains("found 10 solutions, expected 11, one for each"));
    verify(&["--boards", "3-11"]).code(3).stderr(contains("found 10 solutions, expected 9, one for each"));
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

/// `-` is standard input and standard output, also where a file has this name.
#[test]
fn a_file_named_as_a_hyphen_is_no_hindrance() {
    let folder = Folder::new(&[("-", "nothing\n")]);
    let solve = |output: &[&str]| {
        let args = [&["solve", "-", "--quiet"][..], output].concat();
        let solved = gridhunt(&args).current_dir(folder.dir()).write_stdin("112\n231\n123\n").assert().success();
        solved.stdout(contains("optimal, ")).get_output().stdout.len()
    };
    assert!(solve(&[]) > 0 && solve(&["-o", "-"]) > 0);
    assert_eq!(std::fs::read_to_string(folder.path("-")).unwrap(), "nothing\n");
}
