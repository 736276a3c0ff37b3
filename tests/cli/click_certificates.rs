//! `certify` and `check` for Clickomania.

use super::{Folder, gridhunt, stdout};
use predicates::str::contains;
use serde_json::Value;

/// It can be cleared by three clicks: the middle column, which is 2, then 1 with what closes up.
const BOARD: &str = "121\n323\n323\n";
/// The same, seen from the right.
const STUCK: &str = "12\n21\n";

const GAME: [&str; 2] = ["--domain", "clickomania"];

fn certified(folder: &Folder, board: &str, options: &[&str]) -> (Value, String) {
    let file = folder.path("board.cert");
    let args = [&["certify", board, "-o", &file, "--quiet", "--json"][..], &GAME, options].concat();
    let output = gridhunt(&args).assert().get_output().stdout.clone();
    (serde_json::from_slice(&output).expect("JSON"), file)
}

#[test]
fn each_objective_has_certificates() {
    let folder = Folder::new(&[]);
    let (board, stuck) = (folder.write("board.txt", BOARD), folder.write("stuck.txt", STUCK));
    for (board, options, bound, optimal, claim) in [
        (
            &board,
            &["--objective", "clicks"][..],
            3.into(),
            true,
            "close, to the bottom left: the fewest clicks that clear it are 3,",
        ),
        (
            &board,
            &["--objective", "left", "--corner", "top-right"],
            0.into(),
            true,
            "top right: the fewest cells left are 0,",
        ),
        (&board, &[], 0.into(), true, "the fewest cells left are 0,"),
        (
            &stuck,
            &["--columns", "stay"],
            Value::Null,
            false,
            "columns stay, to the bottom left: the fewest cells left are at least 1,",
        ),
        (&stuck, &["--objective", "clicks"], Value::Null, false, "the fewest cells left are at least 1,"),
        (&stuck, &["--objective", "left"], 4.into(), true, "the fewest cells left are 4,"),
        (&stuck, &["--objective", "clicks", "--min-group", "1"], 3.into(), true, "groups of 1,"),
    ] {
        let (made, file) = certified(&folder, board, options);
        assert_eq!((&made["bound"], &made["optimal"]), (&bound, &optimal.into()), "{board} {options:?}");
        let text = stdout(&["check", &file]);
        assert!(text.contains(claim), "{options:?}: {text}");
        let check = [&["check", &file, "--board", board][..], &GAME].concat();
        let rules = match options {
            ["--objective", _, rules @ ..] | rules => rules,
        };
        gridhunt(&[&check[..], rules].concat()).assert().success();
        let other = if rules.contains(&"--corner") { ["--min-group", "3"] } else { ["--corner", "top-right"] };
        let other_rules = [&check[..], rules, &other].concat();
        gridhunt(&other_rules).assert().code(1).stdout(contains("or other rules"));
    }
}

#[test]
fn a_certificate_is_of_one_board() {
    let folder = Folder::new(&[]);
    let board = folder.write("board.txt", "..1\n122\n211\n");
    let (_, file) = certified(&folder, &board, &["--objective", "left", "--corner", "bottom-right"]);
    for (name, other, code) in
        [("same", "..a\nabb\nbaa\n", 0), ("cells", "..1\n122\n212\n", 1), ("full", "331\n122\n211\n", 1)]
    {
        let other = folder.write(name, other);
        let rules = [&GAME[..], &["--corner", "bottom-right"]].concat();
        gridhunt(&[&["check", &file, "--board", &other][..], &rules].concat()).assert().code(code);
    }
}

#[test]
fn what_has_no_certificate_is_refused_before_the_search() {
    let folder = Folder::new(&[]);
    let board = folder.write("board.txt", BOARD);
    let output = folder.path("made");
    let certify = |options: &[&str]| {
        let args = [&["certify", &board, "-o", &output, "--quiet"][..], options].concat();
        gridhunt(&args).assert().failure()
    };
    certify(&["--domain", "clickomania", "--objective", "score"])
        .stderr(contains("found the objective score, expected clear, clicks or left for a certificate"));
    certify(&["--domain", "clickomania", "--veripb"])
        .stderr(contains("a proof for VeriPB for the domain clickomania, expected records for a certificate"));
}
