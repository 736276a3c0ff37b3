//! Pictures and films of solutions.

use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::fs;

/// A board of one row, and the size, without which its line has two meanings.
const ROW: &str = "# gridhunt size=1x4\n1213\n";

#[test]
fn a_solution_has_pictures() {
    let folder = Folder::new(&[("row.txt", ROW), ("moves.txt", "2 1 3\n")]);
    let [board, solution, file] = ["row.txt", "moves.txt", "x.gif"].map(|name| folder.path(name));
    let render = |more: &[&str]| gridhunt(&[&["render", &board, &solution], more].concat()).assert().success();
    let svg = |more: &[&str]| String::from_utf8(render(more).get_output().stdout.clone()).expect("UTF-8");
    let whole = svg(&["--svg"]);
    assert!(whole.starts_with("<svg ") && whole.ends_with("</svg>\n"), "{whole}");
    assert_eq!(whole.matches("<g class=\"b\"").count(), 4, "{whole}");
    assert_eq!(svg(&["--svg", "--symbols", "--frames", "2"]).matches("<g class=\"b\"").count(), 2);
    assert!(!svg(&["--svg", "--step", "1"]).contains("animation"));
    render(&["--gif", "--output", &file]).stdout("");
    let gif = fs::read(&file).expect("a file");
    assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b";"));
    assert_eq!(render(&["--gif"]).get_output().stdout, gif);
}

#[test]
fn a_picture_shows_one_board() {
    let folder = Folder::new(&[("two.txt", super::boards::TWO), ("row.txt", ROW), ("bad.txt", "2 1 3 1\n")]);
    let [two, row, bad, out] = ["two.txt", "row.txt", "bad.txt", "out.svg"].map(|name| folder.path(name));
    let two = ["render", "--format", "lines", &two, "--svg"];
    gridhunt(&two).assert().code(2).stderr(contains("found 2 boards, expected one").and(contains("--boards")));
    assert!(stdout(&[&two[..], &["--boards", "2"]].concat()).contains("<title>two.txt#2"));
    // Nothing is written where the input is wrong, and no input is overwritten.
    gridhunt(&["render", &row, &bad, "--svg", "-o", &out]).assert().code(3).stderr(contains("move 4"));
    assert!(!fs::exists(&out).expect("a folder"));
    gridhunt(&["render", &row, "-o", &row]).assert().code(2).stderr(contains("not an input"));
    gridhunt(&["render", &row, "--svg", "-o", "/no/such/folder/x"]).assert().code(74);
    gridhunt(&["render", &row, "--svg", "--gif"]).assert().code(2);
    gridhunt(&["render", &row, "--symbols"]).assert().code(2).stderr(contains("--svg or --gif"));
    let out = format!("{out}.txt");
    gridhunt(&["render", &row, "-o", &out]).assert().success().stdout("");
    assert_eq!(fs::read_to_string(&out).expect("a file"), "row.txt: 1 x 4, 3 colours, start 1,1\n*1 2 1 3\n\n");
}

/// Where no board has a solution, or there is no board, there is nothing to show.
#[test]
fn a_view_without_boards_is_refused() {
    let folder = Folder::new(&[("two.txt", super::boards::TWO), ("empty.txt", "")]);
    let [two, empty, results] = ["two.txt", "empty.txt", "results.jsonl"].map(|name| folder.path(name));
    let unknown = r#"{"board":"two.txt#N","status":"unknown","moves":null}"#;
    fs::write(&results, [unknown.replace('N', "1"), unknown.replace('N', "2")].join("\n")).expect("a file");
    let found = contains("found \"unknown\", expected a result with its moves");
    gridhunt(&["render", "--format", "lines", &two, &results]).assert().code(3).stderr(found);
    for view in ["--svg", "--gif"] {
        gridhunt(&["render", &empty, &results, view])
            .assert()
            .code(3)
            .stderr(contains("found an empty file, expected a board"));
    }
}
