//! What a run holds counts for its own boards, puzzle and rules alone, whoever reads it.
#![cfg(all(unix, feature = "serve"))]

use super::served::Served;
use super::{Folder, copy, gridhunt, stdout};
use regex_lite::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The options of a run, with another value of each. The second list is no part of what a search is about: the range
/// stays after an edit.
const IDENTITY: [(&str, &str, &str); 8] = [
    ("domain", "clickomania", "\"flood-it\""),
    ("objective", "clicks", "\"left\""),
    ("min-group", "2", "3"),
    ("columns", "close", "\"stay\""),
    ("corner", "bottom-left", "\"top-left\""),
    ("score", "(n-2)^2", "\"n^2\""),
    ("clear-bonus", "900", "901"),
    ("left-penalty", "n", "\"n^2\""),
];

const NO_IDENTITY: [(&str, &str, &str); 11] = [
    ("bound", "ahead", "\"once\""),
    ("engine", "auto", "\"best-first\""),
    ("threads", "2", "1"),
    ("memory", "1GiB", "\"2GiB\""),
    ("time-limit", "1h", "\"2h\""),
    ("expansions", "3000", "9"),
    ("parallel", "search", "\"boards\""),
    ("spill", "SPILL", "[\"elsewhere\"]"),
    ("disk", "10GiB", "\"20GiB\""),
    ("checkpoint", "1h", "\"2h\""),
    // Numbers, under `[parameters]`.
    ("", "", "7"),
];

/// The fields of a board in `boards.json`, each with another value.
fn edit(board: &mut Value, field: &str) {
    let first = &board["cells"][0][0];
    board[field] = match field {
        "name" => "another".into(),
        "rows" | "cols" | "colours" => (board[field].as_u64().unwrap() + 1).into(),
        "start" => vec![1, 2].into(),
        "cells" => {
            let other = 1 + first.as_u64().unwrap() % 3;
            let mut cells = board["cells"].clone();
            cells[0][0] = other.into();
            cells
        }
        // The optimum that the file names is no part of the identity.
        "published" => 99.into(),
        _ => panic!("{field}: is it a part of what a search is about?"),
    };
}

/// What the readers of a run say that is proven or found.
type Claims = BTreeSet<String>;

/// The JSON that a command prints, whatever its exit.
fn lines(args: &[&str]) -> Vec<Value> {
    let output = gridhunt(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let parsed = text.lines().map(|line| line.trim_matches([',', '[', ']'])).filter(|line| !line.is_empty());
    parsed.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{args:?}: {error}: {line}"))).collect()
}

/// What `status` says of a run, with or without `--check`.
fn reported(command: &[&str], run: &str, claims: &mut Claims) {
    let (args, command) = ([command, &[run, "--json"]].concat(), command.join(" "));
    for report in lines(&args) {
        for name in ["done", "optimal"] {
            claims.insert(format!("{command}: {name} {}", report[name]));
        }
        for sums in ["solved", "begun_solved", "begun_unsolved"] {
            let [cost, bound] = ["total_cost", "total_lower_bound"].map(|total| &report[sums][total]);
            claims.insert(format!("{command}: {sums} {cost} {bound}"));
        }
        for checkpoint in report["checkpoints"].as_array().unwrap() {
            claims.insert(format!(
                "{command}: checkpoint {}",
                [&checkpoint["lower_bound"], &checkpoint["incumbent"]].map(Value::to_string).join(" ")
            ));
        }
    }
}

/// What commands say of a run.
fn claimed(run: &str) -> Claims {
    let mut claims = Claims::new();
    reported(&["status"], run, &mut claims);
    reported(&["status", "--check"], run, &mut claims);
    for result in lines(&["results", run, "--json", "-q"]) {
        claims.insert(format!("results: {} {} {}", result["number"], result["lower_bound"], result["cost"]));
    }
    let watched = gridhunt(&["watch", run, "--once"]).output().unwrap().stdout;
    let range = Regex::new(r"(\d+ <= )?optimum (<= )?\d+|\d+ <= optimum").unwrap();
    claims.extend(range.find_iter(str::from_utf8(&watched).unwrap()).map(|found| format!("watch: {}", found.as_str())));
    let page = format!("{run}.html");
    gridhunt(&["report", run, "-o", &page]).output().unwrap();
    if let Ok(page) = fs::read_to_string(page) {
        let page = page.replace("\\u003c", "<");
        let field = Regex::new(r#""(range|cost|lower_bound|done|proven)":("[^"]*\d[^"]*"|\d+)"#).unwrap();
        claims.extend(field.find_iter(&page).map(|found| format!("report: {}", found.as_str())));
        let film = Regex::new(r#""caption":"\w+ 0 of \d+"#).unwrap();
        claims.extend(film.find_iter(&page).map(|found| format!("report: {}", found.as_str())));
    }
    claims.retain(|claim| claim.contains(['1', '2', '3', '4', '5', '6', '7', '8', '9']));
    claims
}

/// What a server says of all runs in a folder, by their names.
fn served(folder: &str) -> BTreeMap<String, Claims> {
    let served = Served::start(&[folder]);
    let mut all = BTreeMap::new();
    for run in served.get("/api/runs").json()["runs"].as_array().unwrap() {
        let id = run["id"].as_str().unwrap();
        let view = served.event(&format!("/api/runs/{id}/events")).1;
        let ranges =
            [&run["range"], &view["board"]["range"]].map(|range| range.as_str().unwrap_or_default().to_owned());
        let counts = [run, &view].map(|of| format!("{}/{}", of["done"], of["proven"]));
        let results = view["results"].as_array().unwrap().iter().chain(view["begun"].as_array().unwrap());
        let results = results.map(|result| format!("{} {} {}", result["cost"], result["lower_bound"], result["range"]));
        let film = served.get(&format!("/api/runs/{id}/boards/1/film")).json();
        let films = film["frames"].as_array().map_or(0, |frames| frames.len().saturating_sub(1));
        let claims = ranges.into_iter().chain(counts).chain(results).chain([format!("{films} frames")]);
        let claims = claims.filter(|claim| claim.contains(['1', '2', '3', '4', '5', '6', '7', '8', '9']));
        let name = Path::new(run["name"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
        all.insert(name, claims.map(|claim| format!("serve: {claim}")).collect());
    }
    all
}

/// Runs of a folder, and what is expected of each.
struct Runs {
    folder: Folder,
    expected: BTreeMap<String, Option<String>>,
}

fn remove(path: &Path) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap()
    } else if path.exists() {
        fs::remove_file(path).unwrap()
    }
}

/// The objective and the limit of each run.
const MADE: [(&str, &str, &str); 4] = [
    ("open", "clicks", "3000"),
    ("done", "clicks", "1000000"),
    ("other-open", "score", "3000"),
    ("other-done", "left", "1000000"),
];

impl Runs {
    /// Runs over two boards that are under way, and that are finished, and of other boards.
    fn new() -> Self {
        let folder = Folder::new(&[]);
        fs::create_dir(folder.path("runs")).unwrap();
        let options =
            IDENTITY.iter().chain(&NO_IDENTITY).filter(|(name, ..)| !["", "objective", "expansions"].contains(name));
        let spill = folder.path("spill");
        let values: Vec<String> = options
            .flat_map(|(name, value, _)| {
                [format!("--{name}"), if *value == "SPILL" { spill.clone() } else { (*value).to_owned() }]
            })
            .collect();
        for (name, objective, expansions) in MADE {
            let (seed, board) = (if name.starts_with("other") { "7" } else { "3" }, folder.path("two.txt"));
            let generate = ["--domain", "clickomania", "--rows", "8", "--colours", "3", "--count", "2", "--seed", seed];
            fs::write(&board, stdout(&[&["generate"][..], &generate].concat())).unwrap();
            let bound = if objective == "clicks" { &[][..] } else { &["--bound", "colours"] };
            let run = folder.path(&format!("runs/{name}"));
            let mut call =
                gridhunt(&["solve", &board, "--run", &run, "--objective", objective, "--expansions", expansions, "-q"]);
            let mut values = values.clone();
            if !bound.is_empty() {
                let at = values.iter().position(|value| value == "--bound").unwrap();
                values.drain(at..at + 2);
            }
            let output = call.args(&values).output().unwrap();
            let code = output.status.code();
            assert_eq!(
                code,
                Some(if expansions == "1000000" { 0 } else { 7 }),
                "{name}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Self { folder, expected: BTreeMap::new() }
    }

    fn path(&self, run: &str, file: &str) -> std::path::PathBuf {
        self.folder.dir().join("runs").join(run).join(file)
    }

    /// A copy of a run, of which the same is expected as of the run `like`, or nothing at all.
    fn add(&mut self, name: &str, of: &str, like: Option<&str>) {
        let runs = self.folder.dir().join("runs");
        copy(&runs.join(of), &runs.join(name));
        self.expected.insert(name.to_owned(), like.map(str::to_owned));
    }

    fn claims(&self) -> BTreeMap<String, Claims> {
        let mut all = served(&self.folder.path("runs"));
        for (name, claims) in &mut all {
            claims.extend(claimed(&self.folder.path(&format!("runs/{name}"))));
        }
        all
    }

    fn check(&self) {
        let all = self.claims();
        for (name, like) in &self.expected {
            let expected = like.as_ref().map_or(Claims::new(), |like| all[like].clone());
            let found = &all[name];
            let [mut more, less] = [found - &expected, &expected - found];
            if name.contains("with-progress.jsonl") {
                // Rows about no board make a screen, which shows the results of the run.
                let is_own = |range: &str| all[&name[..4]].iter().any(|own| own.contains(range));
                more.retain(|claim| !claim.strip_prefix("watch: ").is_some_and(is_own));
            }
            assert!(more.is_empty() && less.is_empty(), "{name}, like {like:?}: more {more:?}, less {less:?}");
        }
        for name in ["open", "done", "other-open"] {
            let readers = ["status:", "status --check:", "results", "watch", "report", "serve"];
            assert!(
                readers.iter().all(|reader| all[name].iter().any(|claim| claim.starts_with(reader))),
                "{:?}",
                all[name]
            );
        }
    }
}

/// Every field of `run.toml` and of `boards.json`, one by one.
#[test]
fn an_edit_leaves_no_range_of_another_search() {
    let mut runs = Runs::new();
    let text = fs::read_to_string(runs.path("open", "run.toml")).unwrap();
    let keys: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
    for of in ["open", "done"] {
        for key in &keys {
            let stays =
                |list: &[(&str, &str, &'static str)]| list.iter().find(|(name, ..)| name == key).map(|edit| edit.2);
            let is_identity = stays(&IDENTITY).is_some();
            let is_parameter = text.split_once("[parameters]").unwrap().1.contains(key);
            let value = stays(&IDENTITY).or(stays(&NO_IDENTITY)).or(is_parameter.then_some("7"));
            let value = value.unwrap_or_else(|| panic!("{key}: is it a part of what a search is about?"));
            let name = format!("{of}-{key}");
            runs.add(&name, of, Some(of).filter(|_| !is_identity));
            if *key == "bound" {
                // `resume` refuses checkpoints of another lower bound. What results and events hold counts.
                let without = format!("{of}-without-checkpoints");
                runs.add(&without, of, Some(of));
                runs.expected.remove(&without);
                remove(&runs.path(&without, "boards"));
                runs.expected.insert(name.clone(), Some(without));
            }
            let path = runs.path(&name, "run.toml");
            let text = fs::read_to_string(&path).unwrap();
            let line = text.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
            let edited = text.replace(line, &format!("{key} = {value}"));
            assert_ne!(edited, text, "{key}");
            fs::write(&path, edited).unwrap();
            remove(&runs.path(&name, "checksums"));
        }
        let text = fs::read_to_string(runs.path(of, "boards.json")).unwrap();
        let boards: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for field in boards[0].as_object().unwrap().keys().map(String::as_str).chain(["order", "published"]) {
            let name = format!("{of}-boards-{field}");
            runs.add(&name, of, Some(of).filter(|_| field == "published"));
            let mut boards = boards.clone();
            match field {
                "order" => boards.reverse(),
                field => boards.iter_mut().for_each(|board| edit(board, field)),
            }
            let edited: String = boards.iter().map(|board| format!("{board}\n")).collect();
            assert_ne!(edited, text, "{field}");
            fs::write(runs.path(&name, "boards.json"), edited).unwrap();
            remove(&runs.path(&name, "checksums"));
        }
    }
    runs.check();
}

/// Each file of another run, with and without its checksums: as if the file were not there.
#[test]
fn a_file_of_another_run_counts_as_no_file() {
    let mut runs = Runs::new();
    let files = ["run.toml", "boards.json", "results.jsonl", "events.jsonl", "progress.jsonl", "boards", "delivered"];
    for (of, file) in ["open", "done"].into_iter().flat_map(|of| files.map(|file| (of, file))) {
        let without = format!("{of}-without-{file}");
        if !["run.toml", "boards.json"].contains(&file) {
            runs.add(&without, of, None);
            runs.expected.remove(&without);
            remove(&runs.path(&without, file));
        }
        for (from, with) in [("other-open", true), ("other-open", false), ("other-done", true), ("other-done", false)] {
            if !runs.path(from, file).exists() {
                assert_eq!((from, file), ("other-done", "boards"));
                continue;
            }
            let name = format!("{of}-with-{file}-of-{from}-{with}");
            let is_own = !with && !["run.toml", "boards.json"].contains(&file);
            runs.add(&name, of, Some(&*without).filter(|_| is_own));
            remove(&runs.path(&name, file));
            copy(&runs.path(from, file), &runs.path(&name, file));
            if with {
                copy(&runs.path(from, "checksums"), &runs.path(&name, "checksums"));
            } else if !is_own {
                remove(&runs.path(&name, "checksums"));
            }
        }
    }
    runs.check();
    let other: Claims = ["other-open", "other-done"]
        .iter()
        .flat_map(|name| claimed(&runs.folder.path(&format!("runs/{name}"))))
        .collect();
    for (of, file) in ["open", "done"].into_iter().flat_map(|of| files[2..].iter().map(move |file| (of, file))) {
        let name = format!("{of}-with-{file}-of-other-open-false");
        let run = runs.folder.path(&format!("runs/{name}"));
        let kept = fs::read(runs.path("other-open", file)).unwrap_or_default();
        let resumed = gridhunt(&["resume", &run, "--expansions", "1"]).output().unwrap();
        let text = String::from_utf8_lossy(&resumed.stderr).into_owned();
        assert!(fs::read(runs.path(&name, file)).unwrap_or_default().starts_with(&kept), "{name}: {text}");
        if *file == "boards" {
            let count = |run: &str| fs::read_dir(runs.path(run, "boards/1")).unwrap().count();
            assert_eq!(count(&name), count("other-open"), "{name}: {text}");
            assert!(of == "done" || text.contains("found a checkpoint of clickomania"), "{text}");
        }
        if ["results.jsonl", "events.jsonl"].contains(file) {
            assert!(text.contains("about another board, puzzle or rules"), "{name}: {text}");
        }
        let more: Vec<_> =
            claimed(&run).intersection(&other).filter(|claim| claim.starts_with("results")).cloned().collect();
        let own = claimed(&runs.folder.path(&format!("runs/{of}")));
        assert!(more.iter().all(|claim| own.contains(claim)), "{name}: {more:?}");
    }
}
