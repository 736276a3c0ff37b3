//! Pictures and films of solutions.

use super::{Folder, gridhunt, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::fs;

/// A board of one row, and the size, without which its line has two meanings.
const ROW: &str = "# gridhunt size=1x4\n1213\n";

/// The paths of a board and of its solution, the puzzle, and the number of frames.
type Example = ([String; 2], &'static str, usize);

/// An example of each puzzle.
fn puzzles() -> (Folder, [Example; 3]) {
    let folder = Folder::new(&[("row.txt", ROW), ("moves.txt", "2 1 3\n")]);
    folder.write("pairs.txt", "11\n22\n");
    folder.write("clicks.txt", "1,1 2,1\n");
    folder.write("ring.txt", "S##\n# #\n###\n");
    folder.write("program.txt", "LOOP{FFR}\n");
    let paths = |board, solution| [folder.path(board), folder.path(solution)];
    let all = [
        (paths("row.txt", "moves.txt"), "flood-it", 4),
        (paths("pairs.txt", "clicks.txt"), "clickomania", 3),
        (paths("ring.txt", "program.txt"), "bunny", 11),
    ];
    (folder, all)
}

#[test]
fn each_puzzle_has_pictures() {
    let (folder, puzzles) = puzzles();
    for ([board, solution], domain, frames) in puzzles {
        let fixed = ["render", &board, &solution, "--domain", domain];
        let svg = stdout(&[&fixed[..], &["--svg"]].concat());
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("<g class=\"b\"").count(), frames, "{domain}: {svg}");
        assert_eq!(svg, stdout(&[&fixed[..], &["--svg"]].concat()));
        let few = stdout(&[&fixed[..], &["--svg", "--symbols", "--frames", "2"]].concat());
        assert_eq!(few.matches("<g class=\"b\"").count(), 2);
        assert!(!stdout(&[&fixed[..], &["--svg", "--step", "1"]].concat()).contains("animation"));
        let file = folder.path("x.gif");
        gridhunt(&[&fixed[..], &["--gif", "--output", &file]].concat()).assert().success().stdout("");
        let gif = fs::read(&file).expect("a file");
        assert!(gif.starts_with(b"GIF89a") && gif.ends_with(b";"));
        let piped = gridhunt(&[&fixed[..], &["--gif"]].concat()).assert().success();
        assert_eq!(piped.get_output().stdout, gif);
    }
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
