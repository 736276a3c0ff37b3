//! `report`: pages about runs, results and studies.

use super::{Folder, gridhunt, stdout};
use predicates::str::contains;
use serde_json::Value;
use std::fs;

/// The data of a page.
fn data(page: &str) -> Value {
    let data = page.split_once("id=\"data\">").expect("data").1.split_once("</script>").expect("its end").0;
    serde_json::from_str(data).expect("JSON")
}

/// A run of two boards in a folder.
fn run() -> (Folder, String) {
    let boards = [("row.txt", "# gridhunt size=1x4\n1 2 1 3\n"), ("square.txt", "# gridhunt size=2x2\n1 2\n2 1\n")];
    let folder = Folder::new(&boards);
    let [row, square, run] = ["row.txt", "square.txt", "run"].map(|name| folder.path(name));
    gridhunt(&["solve", &row, &square, "--run", &run, "-q"]).assert().success();
    (folder, run)
}

#[test]
fn a_page_tells_of_a_run() {
    let (folder, run) = run();
    let page = folder.path("run.html");
    gridhunt(&["report", &run, "-o", &page]).assert().success();
    let data = data(&fs::read_to_string(&page).unwrap());
    let (view, films) = (&data["runs"][0], data["films"].as_object().unwrap());
    assert_eq!(
        (&view["state"], &view["done"], &view["results"][1]["cost"]),
        (&"finished".into(), &2.into(), &2.into())
    );
    assert_eq!(films.keys().collect::<Vec<_>>(), ["0/1", "0/2"]);
    assert_eq!(films["0/1"]["frames"].as_array().unwrap().len(), 4);
    let few = stdout(&["report", &run, "--films", "1"]);
    assert_eq!(self::data(&few)["films"].as_object().unwrap().len(), 1);
    gridhunt(&["report", &run, "--films", "1"]).assert().stderr(contains("not drawn: 1 board; --films 2"));
}

/// A page never takes the place of what it tells of.
#[test]
fn a_page_is_not_written_into_its_run() {
    let (folder, run) = run();
    let rows = folder.path("run/progress.jsonl");
    let before = fs::read(&rows).unwrap();
    gridhunt(&["report", &run, "-o", &rows]).assert().code(2).stderr(contains("expected .html"));
    for inside in ["run/page", "run/new.html", "run/../run/lock"].map(|name| folder.path(name)) {
        gridhunt(&["report", &run, "-o", &inside])
            .assert()
            .code(2)
            .stderr(contains("expected a file that is not an input"));
    }
    assert_eq!(fs::read(&rows).unwrap(), before);
    gridhunt(&["report", &run, "-o", &folder.path("no/such/page.html")])
        .assert()
        .code(74)
        .stderr(contains("page.html"));
}

#[test]
fn a_page_tells_of_results() {
    let folder = Folder::new(&[("row.txt", "# gridhunt size=1x4\n1 2 1 3\n")]);
    let [board, results] = ["row.txt", "results.json"].map(|name| folder.path(name));
    gridhunt(&["solve", &board, "--json", "-q", "-o", &results]).assert().success();
    let data = data(&stdout(&["report", &results, "--title", "One"]));
    assert_eq!((&data["title"], &data["runs"][0]["state"]), (&"One".into(), &"results".into()));
    assert_eq!(data["runs"][0]["results"][0]["status"], "optimal");
    let notes = folder.write("notes.md", "Nothing of ours.\n");
    gridhunt(&["report", &notes]).assert().code(3).stderr(contains("found no result, expected JSON of solve --json"));
    gridhunt(&["report", "/no/such/run"]).assert().code(3);
    gridhunt(&["report", &results, "-o", &results]).assert().code(2);
}
