//! `engines`, `bounds`: whatever they list, `solve` takes.

use super::boards::SMALL;
use super::{Folder, gridhunt, stdout};
use predicates::str::contains;
use serde_json::Value;

fn list(command: &str) -> Vec<Value> {
    serde_json::from_str(&stdout(&[command, "--json"])).unwrap()
}

fn text(entry: &Value, field: &str) -> String {
    entry[field].as_str().unwrap().to_owned()
}

#[test]
fn every_listed_engine_solves() {
    let folder = Folder::new(&[("small.txt", SMALL), ("ring.txt", "S#\n##\n")]);
    let names: Vec<_> = list("engines").iter().map(|engine| text(engine, "name")).collect();
    assert_eq!(names, ["auto", "learning", "best-first", "ida", "beam", "anneal", "synthesis"]);
    for name in names {
        let (domain, board) = match name.as_str() {
            "synthesis" | "anneal" => ("bunny", "ring.txt"),
            _ => ("flood-it", "small.txt"),
        };
        let args = ["solve", &folder.path(board), "--engine", &name, "--domain", domain];
        gridhunt(&args).assert().success().stdout(contains(format!("engine {name}, ")));
        assert!(stdout(&["engines"]).contains(&name));
    }
}

#[test]
fn every_listed_bound_guides_a_search() {
    let folder = Folder::new(&[("small.txt", SMALL), ("row.txt", "1 2 2 3 3 1\n")]);
    let names = |domain| {
        let bounds = list("bounds").into_iter().filter(move |bound| bound["domain"] == domain);
        bounds.map(|bound| text(&bound, "name")).collect::<Vec<_>>()
    };
    for name in names("clickomania") {
        let (rules, optimum): (&[_], _) = match name.as_str() {
            "permanent" => (&["--objective", "left"], "0 cells left"),
            _ => (&["--objective", "clicks"], "3 clicks"),
        };
        let game = ["solve", &folder.path("row.txt"), "--domain", "clickomania", "--bound", &name];
        let board = gridhunt(&[&game[..], rules].concat()).assert().success();
        board.stdout(contains(format!("lower bound {name}\n"))).stdout(contains(format!("\noptimal, {optimum}")));
        assert!(stdout(&["bounds", "--list"]).contains(&name));
    }
    let names = names("flood-it");
    assert_eq!(names, ["layers", "elimination"]);
    for name in names {
        let board = gridhunt(&["solve", &folder.path("small.txt"), "--bound", &name]).assert().success();
        board.stdout(contains(format!("lower bound {name}\n"))).stdout(contains("\noptimal, "));
        assert!(stdout(&["bounds", "--list"]).contains(&name));
    }
}

#[test]
fn one_entry_is_the_default() {
    assert_eq!(stdout(&["engines"]).matches("(default)").count(), 1);
    // One of Flood-It and one of Free flood: a puzzle whose default depends on the board marks none.
    assert_eq!(stdout(&["bounds"]).matches("(default)").count(), 2);
}

#[test]
fn lists_fit_a_terminal_of_eighty_columns() {
    for command in ["engines", "bounds"] {
        let text = stdout(&[command]);
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(names.len(), list(command).len(), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line:?}");
        }
    }
}
