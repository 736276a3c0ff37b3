//! `certify`, `check`, `solve --certify`, and certificates beside what `verify` reads.

use super::boards::{SMALL, TWO, hard, many};
use super::{Folder, gridhunt, matches, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A folder with a board and its certificate.
fn certified(board: &str) -> (Folder, String, String) {
    let folder = Folder::new(&[]);
    let (board, file) = (folder.write("board.txt", board), folder.path("board.cert"));
    gridhunt(&["certify", &board, "-o", &file, "--threads", "1", "--quiet"]).assert().success();
    (folder, board, file)
}

#[test]
fn a_certificate_is_made_and_checked() {
    let (folder, board, file) = certified(SMALL);
    let made = stdout(&["certify", &board, "-o", &file]);
    assert!(made.starts_with("board.txt: optimum ") && made.contains(" certified by "), "{made}");
    let shown = stdout(&["check", &file]);
    assert!(shown.starts_with("[0, 0, 1]\n[1, 2, 0]\n[0, 1, 2]\nstart 1,1: the optimum is "), "{shown}");
    let line = stdout(&["check", &file, "--board", &board]);
    assert!(line.ends_with(&format!("board.cert: {}", shown.lines().last().unwrap().to_owned() + "\n")), "{line}");
    let proof = json(&stdout(&["check", &file, "--json"]));
    assert_eq!((&proof["proven"], &proof["optimal"], &proof["reason"]), (&true.into(), &true.into(), &Value::Null));
    assert!(shown.contains(&format!("the optimum is {} moves, proven by {} record", proof["bound"], proof["records"])));
    // Nothing but the certificate is left.
    let mut names: Vec<_> = fs::read_dir(folder.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["board.cert", "board.txt"]);
}

#[test]
fn a_certificate_is_of_one_board() {
    let (folder, _, file) = certified(SMALL);
    let renamed = folder.write("renamed.txt", "bbc\ncab\nbca\n");
    gridhunt(&["check", &file, "--board", &renamed]).assert().success();
    for (name, other) in [("cell", "112\n231\n122\n"), ("joined", "112\n221\n122\n"), ("size", "112\n231\n")] {
        let other = folder.write(name, other);
        let refused = gridhunt(&["check", &file, "--board", &other]).assert().code(1);
        refused.stdout(contains(format!("refused: it certifies another board than {name}")));
    }
    gridhunt(&["check", &file, "--board", &renamed, "--start", "1,2"]).assert().code(1);
    let two = folder.write("two.lines", TWO);
    gridhunt(&["check", &file, "--board", &two]).assert().code(3).stderr(contains("select it with --boards"));
    gridhunt(&["check", &file, "--board", &two, "--boards", "1"]).assert().success();
    gridhunt(&["check", &file, "--board", &two, "--boards", "2"]).assert().code(1);
}

#[test]
fn what_is_no_certificate_is_refused() {
    let (folder, board, file) = certified(SMALL);
    let bytes = fs::read(&file).unwrap();
    gridhunt(&["check", "-"]).write_stdin(bytes.clone()).assert().success().stdout(contains("the optimum is"));
    let more = [&bytes[..], b"\0"].concat();
    gridhunt(&["check", "-"])
        .write_stdin(more.clone())
        .assert()
        .code(1)
        .stdout(matches("^-: refused: bytes follow the last record: 1\n$"));
    let refused = gridhunt(&["check", "-", "--json"]).write_stdin(more).assert().code(1).get_output().stdout.clone();
    let refused = json(str::from_utf8(&refused).unwrap());
    assert_eq!((&refused["proven"], &refused["bound"]), (&false.into(), &Value::Null));
    assert!(refused["reason"].as_str().unwrap().contains("the last record"), "{refused}");
    gridhunt(&["check", &board]).assert().code(1).stdout(contains("expected GHCERT 3 flood-it"));
    gridhunt(&["check", &folder.path("nothing")]).assert().code(3).stderr(contains("nothing: "));
}

#[test]
fn many_boards_have_a_file_each() {
    let folder = Folder::new(&[]);
    let (boards, certificates) = (folder.write("many.lines", &many(5)), folder.path("certificates"));
    let made = stdout(&["certify", &boards, "-o", &certificates, "--json", "--quiet"]);
    assert_eq!(made.lines().count(), 5);
    for (number, made) in (1..).zip(made.lines().map(json)) {
        let file = made["file"].as_str().unwrap();
        assert!(file.ends_with(&format!("many.lines#{number}.cert")), "{file}");
        let bytes = fs::read(file).unwrap();
        assert_eq!(made["bytes"], bytes.len());
        assert_eq!(made["sha256"], format!("{:x}", Sha256::digest(&bytes)));
        let select = number.to_string();
        let proof = json(&stdout(&["check", file, "--board", &boards, "--boards", &select, "--json"]));
        for name in ["bound", "optimal", "records"] {
            assert_eq!(proof[name], made[name], "{file}: {name}");
        }
    }
    let one = folder.write("one.txt", SMALL);
    gridhunt(&["certify", &one, "-o", &certificates, "--quiet"]).assert().success();
    assert!(folder.exists("certificates/one.txt.cert"));
    let twice = gridhunt(&["certify", &boards, &boards, "-o", &folder.path("twice"), "--quiet"]).assert();
    twice.code(3).stderr(contains("many.lines#1: its file would overwrite").and(contains("many.lines#5: its")));
}

#[test]
fn an_unproven_board_has_the_certificate_of_its_lower_bound() {
    let folder = Folder::new(&[]);
    let (board, file) = (folder.write("hard.txt", &hard()), folder.path("hard.cert"));
    let certify = |limit: &str| gridhunt(&["certify", &board, "-o", &file, "--quiet", "--expansions", limit]);
    certify("0").assert().code(7).stderr(contains("hard.txt: no certificate: the search was stopped")).stdout("");
    assert!(!folder.exists("hard.cert"));
    certify("10").assert().code(7).stdout(matches("^hard.txt: [0-9]+ <= optimum, certified by 1 record"));
    gridhunt(&["check", &file, "--board", &board]).assert().success().stdout(contains("the optimum is at least "));
    let kept = folder.path("kept");
    gridhunt(&["solve", &board, "--certify", &kept, "--quiet", "--expansions", "10"]).assert().code(7);
    let file = folder.path("kept/hard.txt.cert");
    gridhunt(&["check", &file, "--board", &board]).assert().success().stdout(contains("the optimum is at least "));
}

#[test]
fn a_known_solution_is_proven_by_a_search_that_is_told_before() {
    let folder = Folder::new(&[("board.txt", SMALL)]);
    let (board, run) = (folder.path("board.txt"), folder.path("run"));
    gridhunt(&["solve", &board, "--run", &run, "--quiet"]).assert().success();
    let solutions = folder.path("solutions.jsonl");
    gridhunt(&["results", &run, "-o", &solutions, "--quiet"]).assert().success();
    let certify = |more: &[&str]| {
        let args = ["certify", &board, "--from", &solutions, "-o", &folder.path("board.cert")];
        gridhunt(&[&args, more].concat()).assert().success().stdout(contains("optimum "))
    };
    certify(&[]).stderr(contains("note: board.txt: a search proves or improves the known solution\n"));
    certify(&["--quiet"]).stderr("");
}

#[test]
fn what_cannot_be_written_says_why() {
    let folder = Folder::new(&[("board.txt", SMALL), ("meadow.txt", "#..\n.S.\n")]);
    let (board, nowhere) = (folder.path("board.txt"), folder.path("no/board.cert"));
    gridhunt(&["certify", &board, "-o", &nowhere, "--quiet"])
        .assert()
        .code(74)
        .stderr(contains("no: found no directory"));
    gridhunt(&["certify", &board, "-o", "-", "--quiet"]).assert().code(2).stderr(contains("expected a file"));
    gridhunt(&["certify", &board, "-o", &board, "--quiet"]).assert().code(2).stderr(contains("not an input"));
    assert_eq!(fs::read_to_string(&board).unwrap(), SMALL);
    gridhunt(&["certify", &board, "--quiet"]).assert().code(2).stderr(contains("--output"));
    let certificates = folder.path("certificates");
    let meadow = folder.path("meadow.txt");
    let refused = gridhunt(&["solve", &meadow, "--domain", "bunny", "--certify", &certificates]).assert();
    refused.code(2).stderr(contains("found the domain bunny, expected one with certificates: flood-it or clickomania"));
    assert!(!folder.exists("certificates"));
}

/// The format has no more than 255 rows: the search is not begun.
#[test]
fn a_board_that_the_format_cannot_hold_is_refused() {
    let folder = Folder::new(&[("tall.txt", &"1\n2\n".repeat(150))]);
    let (board, file) = (folder.path("tall.txt"), folder.path("tall.cert"));
    let refused = gridhunt(&["certify", &board, "-o", &file, "--quiet"]).assert().code(3);
    refused.stderr(contains("tall.txt: found 300 x 1 cells, expected at most 255 x 255 for a certificate"));
    assert!(!folder.exists("tall.cert"));
}

/// Of a directory, certificates replace nothing but certificates of an earlier call.
#[test]
fn other_files_of_the_directory_stay() {
    let folder = Folder::new(&[("q", SMALL), ("q.cert", SMALL), ("q.new", "mine"), ("q.cert.new", "mine")]);
    let [board, input] = ["q", "q.cert"].map(|name| folder.path(name));
    let directory = folder.path("");
    let refused = gridhunt(&["certify", &board, &input, "-o", &directory, "--quiet"]).assert().code(3);
    refused.stderr(contains("q: its file would overwrite")).stdout(contains("q.cert.cert"));
    assert_eq!(fs::read_to_string(&input).unwrap(), SMALL);
    for _ in 0..2 {
        gridhunt(&["certify", &board, "-o", &directory, "--quiet"]).assert().success();
    }
    gridhunt(&["check", &input, "--board", &board]).assert().success();
    for name in ["q.new", "q.cert.new"] {
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "mine");
    }
    assert_eq!(fs::read_dir(folder.dir()).unwrap().count(), 5);
}

/// A run that is killed, with a checkpoint, goes on and has a certificate.
#[cfg(unix)]
#[test]
fn a_killed_run_writes_certificates() {
    let folder = Folder::new(&[]);
    let generate = ["generate", "--rows", "37", "--seed", "77", "--count", "2", "--format", "lines"];
    let (boards, run) = (folder.write("boards.lines", &stdout(&generate)), folder.path("run"));
    let child = super::signals::start(&["solve", &boards, "--boards", "2", "--run", &run, "--checkpoint", "50ms"]);
    while !gridhunt(&["status", &run, "--check"])
        .output()
        .unwrap()
        .stdout
        .windows(13)
        .any(|text| text == b": checkpoint ")
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    super::signals::send(&child, "-KILL");
    assert_eq!(super::signals::end(child), (None, String::new()));
    let certificates = folder.path("certificates");
    gridhunt(&["resume", &run, "--certify", &certificates, "--quiet"]).assert().success();
    let file = folder.path("certificates/boards.lines#2.cert");
    let proven = gridhunt(&["check", &file, "--board", &boards, "--boards", "2"]).assert().success();
    proven.stdout(contains("the optimum is 48 moves"));
}

#[test]
fn solve_writes_certificates_and_verify_checks_those_beside_a_solution() {
    let folder = Folder::new(&[]);
    let (boards, found) = (folder.write("many.lines", &many(5)), folder.path("found/solutions.csv"));
    let certificates = folder.path("found");
    fs::create_dir(&certificates).unwrap();
    for threads in ["1", "3"] {
        gridhunt(&["solve", &boards, "--certify", &certificates, "-o", &found, "--quiet", "--threads", threads])
            .assert()
            .success();
    }
    let text = stdout(&["verify", &boards, &found]);
    let proofs: Vec<_> = text.lines().filter(|line| line.contains("#")).collect();
    assert_eq!(proofs.len(), 10, "{text}");
    assert!(proofs[1].contains("many.lines#1.cert: start 1,1: the optimum is "), "{text}");
    let first = json(stdout(&["verify", &boards, &found, "--json"]).lines().next().unwrap());
    assert_eq!((&first["certificate"]["proven"], &first["certificate"]["bound"]), (&true.into(), &first["cost"]));
    // The certificate of another board proves nothing here.
    fs::copy(folder.path("found/many.lines#2.cert"), folder.path("found/many.lines#1.cert")).unwrap();
    let wrong = gridhunt(&["verify", &boards, &found, "--quiet"]).assert().code(1);
    wrong.stdout(matches(
        "^[^\n]*many.lines#1.cert: refused: it certifies another board than many.lines#1, or other rules\n$",
    ));
    // Without certificates all is as before.
    let alone = folder.write("alone.csv", &fs::read_to_string(&found).unwrap());
    let text = gridhunt(&["verify", &boards, &alone, "--json"]).assert().success();
    text.stdout(contains("certificate").not());
    let alike = gridhunt(&["solve", &boards, &boards, "--certify", &folder.path("alike"), "--quiet"]).assert();
    alike.code(3).stderr(contains("many.lines#1: its file would overwrite"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_leaves_no_certificate() {
    let folder = Folder::new(&[]);
    let (board, certificates) = (folder.write("hard.txt", &hard()), folder.path("certificates"));
    fs::create_dir(&certificates).unwrap();
    let file = folder.path("certificates/hard.cert");
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let child = super::signals::start(&["certify", &board, "-o", &file]);
        super::signals::send(&child, signal);
        let (status, text) = super::signals::end(child);
        assert_eq!((status, &*text), (Some(code), ""));
        let child = super::signals::start(&["solve", &board, "--certify", &certificates]);
        super::signals::send(&child, signal);
        assert_eq!(super::signals::end(child).0, Some(code));
        assert_eq!(fs::read_dir(&certificates).unwrap().count(), 0);
    }
}
