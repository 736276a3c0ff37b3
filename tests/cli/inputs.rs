//! Bad input: file, line, column, what was found, what was expected; and nothing is written.

use super::boards::{SMALL, TWO};
use super::{Folder, gridhunt, matches, stdout};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, starts_with};

#[test]
fn bad_boards_are_located() {
    let cases: &[(&str, &[u8], &str)] = &[
        ("ragged", b"112\n23\n123\n", r":2:3: found .*, expected "),
        ("symbol", b"112\n2?1\n123\n", r":2:2: found .*, expected "),
        ("empty", b"", r":1:1: found an empty file, expected a board"),
        ("not-utf-8", b"112\n2\xff1\n123\n", r":2:2: found .*, expected text in UTF-8"),
        ("zero", b"0 3 3 centre\n", r":1.*: found .*, expected "),
        ("truncated", b"3 3 3\n112\n231\n", r":\d+.*: found .*, expected "),
        ("too-many-colours", b"3 3 2\n112\n231\n123\n", r":3:2: found colour 3, expected a colour from 1 to 2"),
    ];
    let folder = Folder::new(&[]);
    for (name, bytes, expected) in cases {
        let path = folder.path(name);
        std::fs::write(&path, bytes).unwrap();
        let results = folder.path("results.txt");
        let pattern = format!("^gridhunt: {}{expected}", path.replace('.', r"\."));
        gridhunt(&["solve", &path, "--output", &results, "--quiet"])
            .assert()
            .code(3)
            .stdout("")
            .stderr(matches(&pattern));
        assert!(!folder.exists("results.txt"), "{name}: something was written");
    }
}

#[test]
fn a_strict_batch_finds_a_bad_board_at_the_end_before_the_first_one_is_searched() {
    let folder = Folder::new(&[("small.txt", SMALL), ("bad.txt", "11\n2\n")]);
    let args = ["solve", &folder.path("small.txt"), &folder.path("bad.txt"), "--strict"];
    gridhunt(&args).assert().code(3).stdout("").stderr(contains("bad.txt:2:2: found "));
    let one_by_one = gridhunt(&args[..3]).assert().code(3).stderr(contains("bad.txt:2:2: found "));
    one_by_one.stdout(contains("small.txt: optimal"));
    // Where no board is good, nothing is written.
    let results = folder.path("results.txt");
    gridhunt(&["solve", args[2], args[2], "-o", &results]).assert().code(3).stderr(contains("bad.txt:2:2"));
    assert!(!folder.exists("results.txt"));
}

#[test]
fn a_stream_is_searched_around_the_bad_board() {
    let mut command = gridhunt(&["solve", "-", "--format", "lines", "--quiet"]);
    let assert = command.write_stdin(format!("{TWO}12?\n")).assert().code(3);
    assert
        .stdout(contains("stdin#1: optimal").count(1))
        .stdout(contains("stdin#2: optimal, 4 moves"))
        .stdout(contains("3 boards: 2 solved, 2 proven optimal, 1 failed;"))
        .stderr(starts_with("gridhunt: stdin:3"));
}

#[test]
fn a_selection_beyond_the_last_board_is_no_selection() {
    let folder = Folder::new(&[("two.txt", TWO)]);
    let args = ["solve", &folder.path("two.txt"), "--format", "lines", "--boards", "1,7"];
    gridhunt(&args)
        .assert()
        .code(3)
        .stdout("")
        .stderr(contains("two.txt: found 2 boards, expected a board number 7, because --boards selects it"));
}

#[test]
fn what_fits_two_formats_is_not_guessed() {
    let folder = Folder::new(&[("nine.txt", &TWO.repeat(2))]);
    let path = folder.path("nine.txt");
    gridhunt(&["solve", &path])
        .assert()
        .code(3)
        .stderr(contains("--format text for one board of 4 x 9 (text); or --format lines for 4 boards of 3 x 3"));
    let text = stdout(&["solve", &path, "--format", "lines"]);
    assert!(text.contains("4 boards: 4 solved, 4 proven optimal"), "{text}");
    gridhunt(&["solve", &path, "--format", "text"]).assert().success().stdout(contains("4 x 9, 3 colours"));
}

#[test]
fn the_start_cell_and_the_size_can_be_given() {
    let folder = Folder::new(&[("row.txt", "1213\n"), ("line.txt", "121312\n")]);
    let row = folder.path("row.txt");
    for (start, moves) in [("top-left", 3), ("centre", 3), ("1,2", 2), ("1,4", 3)] {
        let text = stdout(&["solve", &row, "--format", "text", "--start", start]);
        assert!(text.contains(&format!("optimal, {moves} moves\n")), "{start}: {text}");
    }
    let text = stdout(&["solve", &folder.path("line.txt"), "--format", "lines", "--size", "2x3"]);
    assert!(text.contains("2 x 3, 3 colours"), "{text}");
}

#[test]
fn the_recognised_format_is_told() {
    let folder = Folder::new(&[("a.txt", SMALL), ("b.csv", "1,1,2\n2,3,1\n1,2,3\n")]);
    let args = ["solve", &folder.path("a.txt"), &folder.path("b.csv")];
    gridhunt(&args)
        .assert()
        .success()
        .stderr(contains("a.txt: read as text\n"))
        .stderr(contains("b.csv: read as csv\n"));
}

#[test]
fn configurations_are_read_and_flags_override_them() {
    let folder = Folder::new(&[
        ("small.txt", SMALL),
        ("configs/one.toml", "threads = 1\nengine = 'best-first'\nbound = 'release'\n"),
        ("configs/two.toml", "threads = 2\n"),
        ("bad.toml", "engine = 'auto'\nbeam = 5\n"),
    ]);
    let solve = |args: &[&str]| {
        let mut all = vec!["solve", "small.txt", "--json", "--quiet"];
        all.extend(args);
        let mut command = gridhunt(&all);
        command.current_dir(folder.dir()).assert().success().get_output().stdout.clone()
    };
    let field = |args: &[&str], name: &str| {
        let board: serde_json::Value = serde_json::from_slice(&solve(args)).unwrap();
        board[name].to_string()
    };
    assert_eq!(field(&["--config", "one"], "bound"), "\"release\"");
    assert_eq!(field(&["--config", "one"], "threads"), "1");
    assert_eq!(field(&["--config", "configs/one.toml"], "engine"), "\"best-first\"");
    assert_eq!(field(&["--config", "one", "--bound", "layers"], "bound"), "\"layers\"");
    assert_eq!(field(&["--config", "one", "--threads", "2"], "threads"), "2");

    let run = |config: &str| {
        let mut command = gridhunt(&["solve", "small.txt", "--config", config]);
        command.current_dir(folder.dir()).assert().code(3)
    };
    run("three").stderr(contains(
        "found no configuration \"three\", expected a path or one of: anytime, default, hundred, one, quick",
    ));
    run("bad.toml").stderr(contains("bad.toml:2:1: found the key \"beam\", expected one of: domain, "));
}

#[test]
fn the_configurations_that_ship_are_good() {
    let folder = Folder::new(&[("small.txt", SMALL)]);
    let mut names = Vec::new();
    for entry in std::fs::read_dir("configs").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if std::fs::read_to_string(&path).unwrap().contains("dataset =") {
            let hunt = ["hunt", &name, "--run", &folder.path(&name), "--expansions", "1", "--quiet"];
            gridhunt(&hunt).assert().code(7);
        } else {
            gridhunt(&["solve", &folder.path("small.txt"), "--config", &name, "--quiet"])
                .assert()
                .success()
                .stdout(contains(" moves\n"));
        }
        names.push(name);
    }
    assert!(names.len() >= 4, "{names:?}");
}

#[test]
fn links_stand_where_files_stand() {
    let link = "<https://host/page#p=clickomania&amp;b=2x2c2s0.0011&amp;o=objective~clicks>.";
    gridhunt(&["solve", link, "-q"]).assert().success().stdout(contains("2 clicks"));
    gridhunt(&["verify", link, "-"]).write_stdin("1,1 2,1").assert().success().stdout(contains("valid, cleared, 2"));
    gridhunt(&["render", link]).assert().success().stdout(contains("2 x 2, 2 colours"));
    gridhunt(&["bounds", "p=flood-it&b=2x2c2s0.0110", "-q"]).assert().success().stdout(contains("layers"));
    let two = ["solve", link, "p=clickomania&b=1x2c1s0.00"];
    gridhunt(&two).assert().code(2).stderr(contains("found a link with rules beside other inputs"));
    gridhunt(&["solve", "p=flood-it&b=2x2c2s0.011"]).assert().code(3).stderr(contains("found the board 2x2c2s0.011"));
    gridhunt(&["solve", "https://host/b.txt"]).assert().code(3).stderr(contains("an address without a board in it"));
}

#[test]
fn names_are_shown_without_what_a_terminal_obeys() {
    let folder = Folder::new(&[("a\n\u{1b}[31m.txt", SMALL)]);
    let (file, run) = (folder.path("a\n\u{1b}[31m.txt"), folder.path("r\u{1b}[31m"));
    let shown = "a\\n\\u{1b}[31m.txt";
    let solved = gridhunt(&["solve", &file, "--run", &run, "--threads", "1"]).assert().success();
    let solved = solved.stdout(contains(format!("{shown}: 3 x 3")));
    assert!(!solved.get_output().stdout.contains(&0x1b) && !solved.get_output().stderr.contains(&0x1b));
    for command in ["resume", "status"] {
        let went_on = gridhunt(&[command, &run]).assert().success();
        assert!(
            !went_on.get_output().stdout.contains(&0x1b) && !went_on.get_output().stderr.contains(&0x1b),
            "{command}"
        );
    }
    let missing =
        gridhunt(&["solve", "no\u{1b}[31m.txt"]).assert().code(3).stderr(contains("no\\u{1b}[31m.txt: cannot"));
    assert!(!missing.get_output().stderr.contains(&0x1b));
}

#[test]
fn what_spreadsheets_take_for_formulas_has_an_apostrophe() {
    for name in ["=1+cmd|x.txt", "+a.txt", "-a.txt", "@a.txt"] {
        let folder = Folder::new(&[(name, SMALL)]);
        let (board, results) = (folder.path(name), folder.path("r.csv"));
        gridhunt(&["solve", &board, "-q", "-o", &results]).assert().success();
        let text = std::fs::read_to_string(&results).unwrap();
        assert!(text.lines().nth(1).unwrap().starts_with(&format!("1,'{name},")), "{text}");
        gridhunt(&["verify", &board, &results]).assert().success().stderr(contains("is for").not());
    }
}

#[test]
fn endless_inputs_end_with_an_error() {
    for (args, expected) in [
        (&["solve", "/dev/zero"][..], "found a line of more than 1048576 bytes"),
        (&["verify", "-", "/dev/zero"], "found a line of more than 1048576 bytes"),
    ] {
        gridhunt(args).write_stdin(SMALL).assert().code(3).stderr(contains(expected));
    }
    let blank = vec![b'\n'; (8 << 20) + 2];
    gridhunt(&["solve", "-"]).write_stdin(blank).assert().code(3).stderr(contains("lines without content"));
}
