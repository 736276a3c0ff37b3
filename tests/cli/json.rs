//! `solve --json`: one object a board. Its fields are checked wherever it is printed: see `schema`.

use super::boards::{SMALL, hard, many};
use super::{Folder, gridhunt, stdout};
use serde_json::Value;

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_object_says_what_was_found() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let text = stdout(&["solve", &folder.path("small.txt"), "--json", "--threads", "2"]);
    assert_eq!(text.lines().count(), 1);
    let board = &objects(&text)[0];
    assert_eq!(board["board"], "small.txt");
    assert_eq!(board["domain"], "flood-it");
    assert_eq!(board["status"], "optimal");
    assert_eq!(board["cost"], board["lower_bound"]);
    assert_eq!(board["cost"].as_u64(), Some(board["moves"].as_array().unwrap().len() as u64));
    assert!(board["moves"].as_array().unwrap().iter().all(|m| ["1", "2", "3"].contains(&m.as_str().unwrap())));
    assert_eq!(
        (&board["threads"], &board["engine"], &board["bound"]),
        (&2.into(), &"auto".into(), &"elimination".into())
    );
    assert!(board["seconds"].as_f64().unwrap() >= 0.0 && board["cpu_seconds"].as_f64().unwrap() >= 0.0);
    assert!(board["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
}

#[test]
fn layers_add_up() {
    let board = stdout(&["generate", "--rows", "12", "--seed", "4"]);
    let folder = Folder::new(&[("b.txt", &board)]);
    let args = ["solve", &folder.path("b.txt"), "--json", "--engine", "best-first", "--threads", "1"];
    let board = &objects(&stdout(&args))[0];
    let layers = board["layers"].as_array().unwrap();
    let sum = |field: &str| layers.iter().map(|l| l[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("expanded"), board["expanded"].as_u64().unwrap());
    assert!(layers.iter().all(|l| l.as_object().unwrap().len() == 3), "{layers:?}");
    assert!(layers.windows(2).all(|w| w[0]["f"].as_u64() < w[1]["f"].as_u64()), "{layers:?}");
    assert!(board["bytes_per_state"].as_f64().unwrap() > 1.0);
}

#[test]
fn what_is_not_known_is_null() {
    let folder = Folder::new(&[]);
    let path = folder.write("hard.txt", &hard());
    let args = ["solve", &path, "--json", "--quiet", "--engine", "best-first", "--expansions", "500"];
    let text = gridhunt(&args).assert().code(7).stderr("").get_output().stdout.clone();
    let board = &objects(std::str::from_utf8(&text).unwrap())[0];
    assert_eq!(board["status"], "unknown");
    assert_eq!(board["cost"], Value::Null);
    assert_eq!(board["moves"], Value::Array(vec![]));
    assert!(board["lower_bound"].as_u64().unwrap() > 10, "{board}");
}

#[test]
fn objects_come_in_input_order_whatever_runs_beside_what() {
    let folder = Folder::new(&[("many.txt", &many(60))]);
    let path = folder.path("many.txt");
    let costs = |parallel: &str, threads: u64| {
        let args =
            ["solve", &path, "--format", "lines", "--json", "--parallel", parallel, "--threads", &threads.to_string()];
        let boards = objects(&stdout(&args));
        let names: Vec<_> = boards.iter().map(|b| b["board"].as_str().unwrap().to_owned()).collect();
        let expected: Vec<_> = (1..=60).map(|n| format!("many.txt#{n}")).collect();
        assert_eq!(names, expected, "{parallel}");
        assert!(boards.iter().all(|b| b["status"] == "optimal"));
        let used = if parallel == "boards" { 1 } else { threads };
        assert!(boards.iter().all(|b| b["threads"] == used), "{parallel}");
        boards.iter().map(|b| b["cost"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(costs("boards", 3), costs("search", 2));
}

#[test]
fn selected_boards_keep_their_numbers() {
    let folder = Folder::new(&[("many.txt", &many(20))]);
    let args = ["solve", &folder.path("many.txt"), "--format", "lines", "--json", "--boards", "18-20,2"];
    let names: Vec<_> = objects(&stdout(&args)).iter().map(|b| b["board"].to_string()).collect();
    assert_eq!(names, [2, 18, 19, 20].map(|n| format!("\"many.txt#{n}\"")));
}
