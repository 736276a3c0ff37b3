//! The documents: every command that they show runs and prints what they show; every link, flag and field is there.
//!
//! Commands stand in fenced blocks marked `console`, behind `$ `. Each page is followed from its top to its end by
//! `sh`, in a folder of its own that holds a copy of `datasets/` and `configs/`. Below a command stands what it prints
//! to standard output: a line `...` stands for any lines, `...` within a line for any text. A command without output
//! below has to succeed, whatever it prints. `cargo run --release --` stands for the program.
//!
//! Commands that no test can run (an installation, a hunt of hours) stand in blocks marked `sh`. [`NOT_RUN`] counts
//! them.

use super::completions::commands;
use super::{Folder, copy, gridhunt, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Blocks marked `sh`, page by page. Those of the page about clusters are run by `scripts/cluster/check`.
const NOT_RUN: [(&str, usize); 5] =
    [("CONTRIBUTING.md", 1), ("docs/cluster.md", 3), ("docs/hunts.md", 4), ("docs/install.md", 2), ("docs/play.md", 1)];

/// A page of the documents.
struct Page {
    /// Its path, from the root of the repository.
    name: String,
    text: String,
}

/// A fenced block: its mark, the number of its first line, its lines.
struct Block<'a> {
    mark: &'a str,
    line: usize,
    lines: Vec<&'a str>,
}

/// The pages at the root that are checked, beside all that stand directly in `docs/`.
const AT_ROOT: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];

fn pages() -> Vec<Page> {
    let in_docs = fs::read_dir("docs").expect("a folder").map(|entry| entry.expect("an entry").path());
    let in_docs = in_docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let mut paths: Vec<PathBuf> = AT_ROOT.map(PathBuf::from).into_iter().chain(in_docs).collect();
    paths.sort();
    let page = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page in UTF-8");
        Page { name: path.to_str().expect("UTF-8").to_owned(), text }
    };
    paths.into_iter().map(page).collect()
}

impl Page {
    fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let mut is_open = false;
        for (line, text) in (1..).zip(self.text.lines()) {
            match text.trim_start().strip_prefix("```") {
                Some(_) if is_open => is_open = false,
                Some(mark) => {
                    is_open = true;
                    blocks.push(Block { mark, line, lines: Vec::new() });
                }
                None if is_open => blocks.last_mut().expect("an open block").lines.push(text),
                None => {}
            }
        }
        assert!(!is_open, "{}: a block without an end", self.name);
        blocks
    }

    /// Lines outside blocks, with their numbers.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut is_open = false;
        (1..).zip(self.text.lines()).filter(move |(_, text)| {
            let is_fence = text.trim_start().starts_with("```");
            is_open ^= is_fence;
            !is_open && !is_fence
        })
    }
}

/// Whether a text fits a pattern in which `...` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once("...") else { return pattern == text };
    let (middle, last) = rest.rsplit_once("...").unwrap_or(("", rest));
    let inner = text.strip_prefix(first).and_then(|text| text.strip_suffix(last));
    // The earliest place of each part leaves the most room for the next one.
    let place = |text: &'_ str, part: &str| text.find(part).map(|at| at + part.len());
    let mut left = inner;
    for part in middle.split("...") {
        left = left.and_then(|text| place(text, part).map(|at| &text[at..]));
    }
    left.is_some()
}

/// Whether lines fit those that are shown, where a line `...` stands for any lines.
fn all_fit(shown: &[&str], said: &[&str]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((first, rest)) if first.trim() == "..." => (0..=said.len()).any(|at| all_fit(rest, &said[at..])),
        Some((first, rest)) => said.split_first().is_some_and(|(line, said)| fits(first, line) && all_fit(rest, said)),
    }
}

fn trimmed<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut lines: Vec<_> = lines.iter().map(|line| line.trim_end()).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Runs the commands of a page; what is wrong with them.
#[cfg(unix)]
fn follow(page: &Page) -> Vec<String> {
    let folder = Folder::new(&[]);
    for name in ["datasets", "configs"] {
        copy(Path::new(name), &folder.dir().join(name));
    }
    let program = assert_cmd::cargo::cargo_bin!("gridhunt");
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
    let mut faults = Vec::new();
    for block in page.blocks().into_iter().filter(|block| block.mark == "console") {
        let place = format!("{}:{}", page.name, block.line);
        if !block.lines.first().is_some_and(|line| line.starts_with("$ ")) {
            faults.push(format!("{place}: a session that does not begin with a command"));
            continue;
        }
        for (at, line) in block.lines.iter().enumerate() {
            let Some(command) = line.strip_prefix("$ ") else { continue };
            let shown = block.lines[at + 1..].iter().take_while(|line| !line.starts_with("$ "));
            let shown = trimmed(&shown.copied().collect::<Vec<_>>());
            let mut shell = assert_cmd::Command::new("sh");
            let command = command.replace("cargo run --release -- ", "gridhunt ");
            shell.args(["-c", &command]).current_dir(folder.dir()).env("PATH", &path).env_remove("NO_COLOR");
            shell.env("XDG_CONFIG_HOME", "/nowhere");
            let output = shell.timeout(super::PATIENCE).output().expect("a shell");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            if !output.status.success() {
                let error = String::from_utf8_lossy(&output.stderr);
                faults.push(format!("{place}: `{command}` failed ({}):\n{error}", output.status));
            } else if !shown.is_empty() && !all_fit(&shown, &trimmed(&said.lines().collect::<Vec<_>>())) {
                faults.push(format!("{place}: `{command}` prints\n{said}\nnot\n{}", shown.join("\n")));
            }
        }
    }
    faults
}

#[test]
#[cfg(unix)]
fn every_command_prints_what_is_shown() {
    let pages = pages();
    let faults: Vec<_> = std::thread::scope(|scope| {
        let followed: Vec<_> = pages.iter().map(|page| scope.spawn(move || follow(page))).collect();
        followed.into_iter().flat_map(|page| page.join().expect("a page that is followed")).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let sessions = |page: &Page| page.blocks().iter().filter(|block| block.mark == "console").count();
    assert!(pages.iter().map(sessions).sum::<usize>() >= 20, "sessions are shown, and were found");
}

#[test]
fn commands_that_are_not_run_are_counted() {
    let mut found = Vec::new();
    for page in pages() {
        let blocks = page.blocks();
        let not_run = blocks.iter().filter(|block| block.mark == "sh").count();
        found.extend((not_run > 0).then(|| (page.name.clone(), not_run)));
        for Block { mark, line, lines } in blocks.iter().filter(|block| block.mark != "sh" && block.mark != "console") {
            let command =
                |line: &&&str| ["$ ", "gridhunt ", "cargo ", "scripts/"].iter().any(|by| line.starts_with(by));
            let hidden = lines.iter().find(command);
            assert!(hidden.is_none(), "{}:{line}: {hidden:?} in a block marked {mark:?}", page.name);
        }
    }
    let expected: Vec<_> = NOT_RUN.iter().map(|&(name, blocks)| (name.to_owned(), blocks)).collect();
    assert_eq!(found, expected, "blocks marked `sh`; `console` marks what is run");
}

/// The targets of the links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The anchor that a heading gets.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut followed = 0;
    for page in pages() {
        let folder = Path::new(&page.name).parent().expect("a folder").to_owned();
        for (number, line) in page.prose() {
            for target in links(line).filter(|target| !target.contains("://")) {
                let (file, part) = target.split_once('#').unwrap_or((target, ""));
                let path = if file.is_empty() { PathBuf::from(&page.name) } else { folder.join(file) };
                assert!(path.exists(), "{}:{number}: {target} is not there", page.name);
                if !part.is_empty() {
                    let text = fs::read_to_string(&path).expect("a page");
                    let is_there = text.lines().any(|line| line.starts_with('#') && anchor(line) == part);
                    assert!(is_there, "{}:{number}: no heading for {target}", page.name);
                }
                followed += 1;
            }
        }
    }
    assert!(followed > 20, "{followed} links");
}

/// The long flags of all commands.
fn flags() -> BTreeSet<String> {
    let help: String = commands().iter().map(|command| stdout(&[command, "--help"])).collect();
    let words = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| word.starts_with("--"));
    words.map(str::to_owned).collect()
}

#[test]
fn every_flag_that_is_named_exists() {
    let flags = flags();
    for page in pages().iter().filter(|page| page.name == "README.md" || page.name.starts_with("docs/")) {
        for (number, line) in page.prose() {
            // Every second piece stands between backticks.
            let pieces = line.split('`').skip(1).step_by(2);
            const OTHERS: [&str; 6] = ["cargo ", "scripts/", "mpirun ", "srun ", "sbatch ", "#SBATCH "];
            for piece in pieces.filter(|piece| !OTHERS.iter().any(|by| piece.starts_with(by))) {
                for flag in piece.split([' ', '=', ',']).filter(|word| word.starts_with("--") && word.len() > 2) {
                    let is_known = flags.contains(flag) || ["--help", "--version"].contains(&flag);
                    assert!(is_known, "{}:{number}: {flag} is no flag", page.name);
                }
            }
        }
    }
}

#[test]
fn every_choice_is_explained() {
    let listed = |command: &str, page: &str| {
        let text = fs::read_to_string(page).expect("a page");
        let all: Vec<Value> = serde_json::from_str(&stdout(&[command, "--json"])).expect("JSON");
        for name in all.iter().map(|entry| entry["name"].as_str().expect("a name")) {
            assert!(text.contains(&format!("`{name}`")), "{page} says nothing of {name}");
        }
    };
    listed("engines", "docs/engines.md");
    listed("bounds", "docs/bounds.md");
    let hunts = fs::read_to_string("docs/hunts.md").expect("a page");
    let help = stdout(&["--help"]);
    let (_, codes) = help.split_once("Exit codes").expect("a table of exit codes");
    for code in codes.lines().skip(1).filter_map(|line| line.split_whitespace().next()) {
        assert!(hunts.contains(&format!("| {code} |")), "docs/hunts.md says nothing of exit code {code}");
    }
}

/// The pictures of `README.md` stand before its first command; the drawn one is what the command in `CONTRIBUTING.md`
/// writes.
#[test]
fn the_picture_is_true() {
    let command =
        "render datasets/floodit/10x10-6c-01.txt docs/pictures/flood.txt --svg --symbols -o docs/pictures/flood.svg";
    let (args, picture) = command.split_once(" -o ").expect("a file");
    let readme = fs::read_to_string("README.md").expect("a page");
    let (first_screen, _) = readme.split_once("```").expect("a command");
    assert!(first_screen.contains(&format!("]({picture})")), "the first screen has no picture");
    for screenshot in ["docs/pictures/play.png", "docs/pictures/hunt.png"] {
        let length = fs::metadata(screenshot).expect("a picture").len();
        assert!(first_screen.contains(screenshot) && length < 200_000, "{screenshot}: {length} bytes");
    }
    let page = fs::read_to_string("CONTRIBUTING.md").expect("a page");
    assert!(page.contains(&format!("gridhunt {command}")), "CONTRIBUTING.md does not name the command");
    let drawn = stdout(&args.split(' ').collect::<Vec<_>>());
    let kept = fs::read_to_string(picture).expect("a picture");
    assert!(drawn == kept, "{picture} is stale: gridhunt {command}");
    // The text below the picture calls the solution an optimum of 16 moves.
    let [_, board, solution, ..] = command.split(' ').collect::<Vec<_>>()[..] else { panic!("{command}") };
    assert!(stdout(&["verify", board, solution]).contains("valid, 16 moves"));
    assert!(stdout(&["solve", board, "--threads", "1"]).contains("optimal, 16 moves"));
}

#[test]
fn dots_stand_for_anything() {
    assert!(fits("a...c", "abbc") && fits("...", "") && fits("x ... y ... z", "x 1 y 2 z") && !fits("a...c", "abb"));
    assert!(all_fit(&["a", "...", "d"], &["a", "b", "c", "d"]) && all_fit(&["..."], &[]) && !all_fit(&["a"], &["b"]));
    assert_eq!(anchor("## When `auto` ends, and how"), "when-auto-ends-and-how");
}

/// The examples of `--help` run on boards of their own, with the names that the examples give.
#[test]
#[cfg(unix)]
fn every_example_of_the_help_runs() {
    let folder = Folder::new(&[("board.txt", super::boards::SMALL), ("a.csv", "1,1,2\n2,3,1\n1,2,3\n")]);
    folder.write("b.json", r#"{"rows":["112","231","123"]}"#);
    for name in ["many.txt", "thousand.txt", "boards.txt"] {
        let count = if name == "boards.txt" { "3" } else { "205" };
        let boards = ["generate", "--rows", "3", "--colours", "3", "--count", count, "-o", &folder.path(name)];
        gridhunt(&boards).assert().success();
    }
    let program = assert_cmd::cargo::cargo_bin!("gridhunt");
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
    let mut run = 0;
    let commands =
        ["solve", "bounds", "generate", "engines", "schema", "completions"].map(|command| [command, "--help"]);
    for command in [&["--help"][..]].into_iter().chain(commands.iter().map(|command| &command[..])) {
        for line in stdout(command).lines().filter_map(|line| line.strip_prefix("  gridhunt ")) {
            // The words behind an example stand apart or in brackets; large boards from a pipe are left out.
            let line = line.split("   ").next().unwrap_or(line).split('(').next().unwrap_or(line);
            if line.contains("| ") {
                continue;
            }
            let line = format!("gridhunt {line}").replace("/fast", "fast").replace(" 200GiB", " 1GiB");
            let mut shell = assert_cmd::Command::new("sh");
            shell.args(["-c", &line]).current_dir(folder.dir()).env("PATH", &path).env("XDG_CONFIG_HOME", "/nowhere");
            shell.timeout(super::PATIENCE).assert().success();
            let _ = fs::remove_dir_all(folder.path("runs"));
            run += 1;
        }
    }
    assert!(run >= 10, "{run} examples");
}
