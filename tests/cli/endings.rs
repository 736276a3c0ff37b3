//! The ending of an output file is honoured or refused, by every command.

use super::boards::{SMALL, TWO};
use super::{Folder, gridhunt};
use predicates::str::contains;
use std::fs;

#[test]
fn every_command_honours_an_ending_or_refuses_it() {
    let folder = Folder::new(&[("b.txt", SMALL), ("two.lines", TWO), ("hunt.toml", "dataset = 'b.txt'\n")]);
    let run = |args: &str, output: &str| {
        let mut command = gridhunt(&args.split(' ').collect::<Vec<_>>());
        command.args(["-o", output]).current_dir(folder.dir());
        command.assert()
    };
    for (args, output, begins) in [
        ("solve b.txt -q --run r", "a.json", "{\"number\":1"),
        ("solve two.lines -q", "a.json", "[\n{\"number\":1"),
        ("solve b.txt -q", "a.csv", "number,board"),
        ("solve b.txt -q", "a", "b.txt: 3 x 3"),
        ("solve b.txt -q --json", "a.other", "{\"number\":1"),
        ("results r -q", "a.md", "| number |"),
        ("bounds b.txt -q", "a.csv", "number,board"),
        ("bounds b.txt -q", "a.md", "| bound | proven |"),
        ("bounds b.txt -q", "a.json", "[\n{\"number\":1,"),
        ("solve b.txt -q", "a.CSV", "number,board"),
        ("solve b.txt -q", "a.ndjson", "{\"number\":1"),
        ("bounds", "a.txt", "elimination"),
        ("bounds", "a.json", "[{\"domain\""),
        ("generate --rows 3 --colours 3", "a.csv", "# gridhunt"),
        ("generate --rows 3 --colours 3", "a.json", "{"),
        ("generate --rows 3 --colours 3 --count 2", "a.lines", "# gridhunt"),
        ("generate --rows 3 --colours 3 --format lines", "a.txt", "# gridhunt"),
        ("render b.txt", "a.svg", "<svg"),
        ("render b.txt", "a.gif", "GIF89a"),
        ("render b.txt", "a.txt", "b.txt"),
        ("report r", "a.html", "<!doctype html>"),
    ] {
        run(args, output).success();
        let written = fs::read(folder.path(output)).unwrap();
        let written = String::from_utf8_lossy(&written).to_lowercase();
        assert!(written.contains(&begins.to_lowercase()), "{args} -o {output}: {written}");
        fs::remove_file(folder.path(output)).unwrap();
    }
    let results = "expected .csv, .json, .jsonl, .md, .txt";
    for (args, output, expected) in [
        ("solve b.txt --run new", "a.pdf", results),
        ("hunt hunt.toml --run new", "a.xlsx", results),
        ("resume r", "a.html", results),
        ("results r", "a.svg", results),
        ("bounds b.txt", "a.png", results),
        ("bounds", "a.csv", "expected .json, .txt"),
        ("solve b.txt --json", "a.csv", "expected .jsonl, the format of the flag"),
        ("results r --csv", "a.md", "expected .csv, the format of the flag"),
        ("generate", "a.png", "expected .txt, .csv, .json, .lines"),
        ("generate --format lines", "a.json", "expected .lines, the format of the flag"),
        ("generate --format text", "a.csv", "expected .txt, the format of the flag"),
        ("render b.txt", "a.png", "expected .svg, .gif, .txt"),
        ("render b.txt --svg", "a.gif", "expected .svg, the format of the flag"),
        ("report r", "a.pdf", "expected .html"),
    ] {
        run(args, output).code(2).stdout("").stderr(contains(expected));
        assert!(!folder.exists(output) && !folder.exists("new"), "{args} -o {output}: nothing is begun");
    }
    let rows = "a.csv: found the ending .csv, expected .jsonl";
    run("solve b.txt --run new --progress a.csv", "a.json").code(2).stdout("").stderr(contains(rows));
    assert!(!folder.exists("new"));
    run("solve b.txt -q --progress rows.jsonl", "a.json").success();
    run("solve b.txt", "b.txt").code(2).stderr(contains("expected a file that is not an input"));
    assert_eq!(fs::read_to_string(folder.path("b.txt")).unwrap(), SMALL);
}
