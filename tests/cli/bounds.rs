//! `bounds` on boards: a table for people, rows for programs.

use super::boards::{SMALL, hard, many};
use super::{Folder, gridhunt, matches, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::prelude::PredicateStrExt;
use predicates::str::contains;
use serde_json::Value;

#[test]
fn json_and_csv_say_the_same() {
    let folder = Folder::new(&[]);
    let boards = folder.write("many.txt", &many(3));
    let plain = ["bounds", &boards, "--format", "lines", "--boards", "2-3", "--bound", "elimination"];
    let call = |form| [&plain[..], &["--threads", "1", "--quiet", form]].concat();
    let json: Vec<Value> = stdout(&call("--json")).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let csv = stdout(&call("--csv"));
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    assert_eq!((json.len(), rows.len()), (2, 2));
    for (object, row) in json.iter().zip(rows) {
        assert_eq!((object["rows"].as_u64(), object["sound"].as_bool()), (Some(6), Some(true)));
        let path = object["path"].as_array().unwrap();
        assert_eq!(path.len() as u64, object["cost"].as_u64().unwrap() + 1);
        assert_eq!(path[0][2], object["root"]);
        assert_eq!(object.as_object().unwrap().len(), names.len() + 2, "path and layers have no place in a table");
        for (&name, &value) in names.iter().zip(&row) {
            let text = match &object[name] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            assert!(text == value || name.contains("seconds"), "{name}: {text} and {value}");
        }
    }
}

#[test]
fn rows_go_to_a_file_and_the_table_to_standard_error() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let (board, out) = (folder.path("small.txt"), folder.path("rows.csv"));
    let args = ["bounds", &board, "--bound", "layers", "--csv", "--output", &out];
    gridhunt(&args).assert().success().stdout("").stderr(contains("layers: admissible on board 1"));
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 2);
}

#[test]
fn ends_have_their_codes() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    folder.write("hard.txt", &hard());
    let (small, hard) = (folder.path("small.txt"), folder.path("hard.txt"));
    let cases: &[(i32, &[&str])] = &[
        (2, &["--bound", "layers"]),
        (2, &["--csv"]),
        (2, &[&small, "--list"]),
        (2, &[&small, "--json", "--csv"]),
        (2, &[&small, "--markdown", "--csv"]),
        (2, &[&small, "--bound", "best"]),
        (2, &[&small, "--bound", "once"]),
        (2, &[&small, "--domain", "clickomania", "--reference", "layers"]),
        (2, &[&small, "--domain", "clickomania", "--bound", "colours", "--bound", "once"]),
        (3, &["missing.txt"]),
        (5, &[&hard, "--bound", "layers", "--time-limit", "200ms"]),
        (7, &[&hard, "--bound", "layers", "--expansions", "100"]),
        (74, &[&small, "--output", "/missing/rows"]),
    ];
    for (code, args) in cases {
        gridhunt(&[&["bounds"], *args].concat()).assert().code(*code);
    }
}

/// A limit leaves what is known: no gap without an optimum, no mean without a proof.
#[test]
fn what_is_not_proven_is_not_said() {
    let folder = Folder::new(&[]);
    let hard = folder.write("hard.txt", &hard());
    let args = ["bounds", &hard, "--bound", "layers", "--expansions", "100", "--json"];
    let output = gridhunt(&args).assert().code(7).get_output().stdout.clone();
    let row: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(
        (row["optimal"].as_bool(), &row["root_gap"], &row["mean_gap"]),
        (Some(false), &Value::Null, &Value::Null)
    );
    assert_eq!(row["stopped"], "expansion-limit");
    let table = matches(r"layers +0 of 1 +\d+\.\d\d +- +- .* +- +- +-\n").and(contains("over 0 boards").from_utf8());
    gridhunt(&["bounds", &hard, "--bound", "layers", "--expansions", "100"]).assert().code(7).stdout(table);
}

#[test]
fn bounds_of_clickomania_are_compared() {
    let folder = Folder::new(&[
        ("board.txt", "13212\n31132\n23121\n"),
        ("row.txt", "# gridhunt format=text size=1x9\n1 2 1 3 3 1 2 2 1\n"),
    ]);
    let rows = |board: &str, objective: &str, columns: &str| -> Vec<Value> {
        let game = ["--domain", "clickomania", "--objective", objective, "--min-group", "1", "--columns", columns];
        let rows = stdout(&[&["bounds", &folder.path(board), "--json", "--quiet"], &game[..]].concat());
        rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
    };
    let known = |rows: &[Value]| rows.iter().map(|row| row["bound"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    for columns in ["close", "stay"] {
        let clicks = rows("board.txt", "clicks", columns);
        assert_eq!(known(&clicks), ["colours", "once", "ahead"]);
        assert!(clicks.iter().all(|row| row["sound"] == true && row["every_state"] == true), "{clicks:?}");
        let expanded = |row: &Value| row["expanded"].as_u64().unwrap();
        assert!(clicks.windows(2).all(|pair| expanded(&pair[1]) <= expanded(&pair[0])), "{clicks:?}");
        assert!(expanded(&clicks[2]) < expanded(&clicks[0]));
    }
    assert_eq!(known(&rows("row.txt", "left", "close")), ["colours"]);
}
