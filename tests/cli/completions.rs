//! Completions in a real bash, and manual pages.

use super::{Folder, gridhunt, stdout};

/// What bash would offer for the last of the words: the script is read, and its function is called as bash calls it.
#[cfg(unix)]
fn offers(folder: &Folder, words: &[&str]) -> Vec<String> {
    let script = folder.write("gridhunt.bash", &stdout(&["completions", "bash"]));
    let program = assert_cmd::cargo::cargo_bin!("gridhunt");
    let path = format!("{}:/usr/bin:/bin", program.parent().expect("a folder").display());
    let session = r#"
        . "$1"; shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        complete -p gridhunt > /dev/null || exit 1
        word=${COMP_WORDS[COMP_CWORD]}
        # Bash takes `=` for a word, and hands over an empty word behind it.
        [[ $word == "=" ]] && word=
        _gridhunt gridhunt "$word" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = assert_cmd::Command::new("bash");
    bash.args(["--norc", "-c", session, "bash", &script]).args(words).current_dir(folder.dir());
    let output = bash.env("PATH", path).env("XDG_CONFIG_HOME", "/nowhere").assert().success().get_output().clone();
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn bash_completes_bounds_engines_puzzles_and_configurations() {
    let folder = Folder::new(&[("my board.txt", "12\n21\n"), ("runs/first/x", "")]);
    let one = |words: &[&str], expected: &str| assert_eq!(offers(&folder, words), [expected], "{words:?}");
    one(&["gridhunt", "comp"], "completions ");
    one(&["gridhunt", "solve", "--time"], "--time-limit ");
    one(&["gridhunt", "solve", "--bound", "eli"], "elimination ");
    // Bash replaces what stands behind the `=` alone.
    one(&["gridhunt", "solve", "--bound", "=", "eli"], "elimination ");
    one(&["gridhunt", "solve", "--engine", "bes"], "best-first ");
    one(&["gridhunt", "solve", "--domain", "cl"], "clickomania ");
    one(&["gridhunt", "solve", "--objective", "cli"], "clicks ");
    one(&["gridhunt", "solve", "--config", "qui"], "quick ");
    one(&["gridhunt", "hunt", "hun"], "hundred ");
    one(&["gridhunt", "solve", "my"], "my\\ board.txt ");
    one(&["gridhunt", "resume", "runs/f"], "runs/first/");
    assert!(offers(&folder, &["gridhunt", "solve", "--bound", "="]).contains(&"elimination".to_owned()));
    for name in ["flood-it", "clickomania", "bunny"] {
        assert!(offers(&folder, &["gridhunt", "solve", "--domain", ""]).contains(&name.to_owned()), "{name}");
    }
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains("GRIDHUNT_COMPLETE") && script.contains("gridhunt"), "{shell}: {script}");
        assert!(!script.contains(env!("CARGO_MANIFEST_DIR")), "{shell}: the program is found by the path");
        let mut asked = gridhunt(&["--", "gridhunt", "solve", "--engine", "bes"]);
        asked.env("GRIDHUNT_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "3").env("GRIDHUNT_COMPLETE_WORD", "3");
        let answer = asked.assert().success().get_output().stdout.clone();
        assert!(String::from_utf8_lossy(&answer).contains("best-first"), "{shell}");
    }
    gridhunt(&["completions", "tcl"]).assert().code(2);
    gridhunt(&["engines"]).env("GRIDHUNT_COMPLETE", "bash").assert().success();
}

#[test]
#[cfg(feature = "man")]
fn manual_pages_are_written() {
    let folder = Folder::new(&[("file", "")]);
    let man = folder.path("share/man1");
    gridhunt(&["man", &man]).assert().success().stdout("");
    let page = |name: &str| std::fs::read_to_string(format!("{man}/{name}.1")).expect("a page");
    assert!(page("gridhunt").contains("gridhunt\\-solve(1)"));
    let solve = page("gridhunt-solve");
    let head = ".TH gridhunt-solve 1 \" \" \"gridhunt ";
    for part in [head, ".SH NAME", ".SH SEARCH", "[possible values: rows, columns, columns\\-up]"] {
        assert!(solve.contains(part), "{part}: {solve}");
    }
    gridhunt(&["man", &folder.path("file")]).assert().code(74);
}

/// The commands of the program.
pub fn commands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let list = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = list.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn help_is_short_with_one_hyphen_and_whole_with_two() {
    assert!(commands().len() >= 14, "{:?}", commands());
    for command in commands() {
        // A terminal of 80 columns.
        let [short, long] = ["-h", "--help"].map(|flag| {
            let help = gridhunt(&[&command, flag]).env("COLUMNS", "80").assert().success().get_output().stdout.clone();
            String::from_utf8(help).expect("UTF-8")
        });
        for line in short.lines().chain(long.lines()) {
            assert!(line.chars().count() <= 80, "{command}: {line:?}");
        }
        assert!(short.lines().count() <= 60, "{command}: {} lines", short.lines().count());
        assert!(!short.contains("Exit codes") && short.contains(&format!("gridhunt {command} --help")), "{command}");
        assert!(long.contains("\nExamples:\n  gridhunt ") && long.len() > short.len(), "{command}");
        let flags = |text: &str| {
            let lines = text.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
            let flags = lines.flat_map(|line| line.split([' ', ',']).filter(|word| word.starts_with("--")).take(1));
            flags.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        };
        assert!(flags(&short).is_subset(&flags(&long)), "{command}");
    }
}
