//! The program as its users meet it: arguments in, output and exit codes out.

mod advice;
mod batches;
mod boards;
mod bounds;
mod certificates;
mod click_certificates;
mod clicks;
mod completions;
mod documents;
mod endings;
mod exits;
mod export;
mod identities;
mod inputs;
mod lists;
mod outputs;
mod pictures;
mod pipelines;
mod play;
mod programs;
mod reports;
mod run_dirs;
mod runs;
mod schema;
mod serve;
mod served;
mod signals;
mod stopping;
mod terminal;
mod terminals;
mod verify;
mod veripb;
mod watch;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::Predicate;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How long anything may take that has to end, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(600);

/// The program, in an environment that does not depend on who runs the tests.
fn gridhunt(args: &[&str]) -> Program {
    let mut command = Command::cargo_bin("gridhunt").expect("the binary of this package");
    command.env_remove("NO_COLOR").env("XDG_CONFIG_HOME", "/nowhere").args(args).timeout(PATIENCE);
    Program { command, args: args.iter().map(|&arg| arg.to_owned()).collect() }
}

/// A call of the program. What it prints with `--json` is held against the schema of the output.
struct Program {
    command: Command,
    args: Vec<String>,
}

impl Program {
    fn args<A: AsRef<str>>(&mut self, args: impl IntoIterator<Item = A>) -> &mut Self {
        let args: Vec<_> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        self.command.args(&args);
        self.args.extend(args);
        self
    }

    fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.command.current_dir(folder);
        self
    }

    fn write_stdin(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.command.write_stdin(bytes);
        self
    }

    fn assert(&mut self) -> Assert {
        let assert = self.command.assert();
        schema::check_output(&self.args, &assert.get_output().stdout);
        assert
    }

    fn output(&mut self) -> std::io::Result<std::process::Output> {
        let output = self.command.output()?;
        schema::check_output(&self.args, &output.stdout);
        Ok(output)
    }
}

/// What the program says on standard output when all goes well.
fn stdout(args: &[&str]) -> String {
    let output = gridhunt(args).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("UTF-8")
}

/// The value that the program prints in JSON when all goes well.
fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).expect("JSON")
}

/// The values of a text in JSON, one a line.
fn objects(text: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(text).lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Copies a file, or a folder with all that it holds.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a writable folder");
        for entry in std::fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::copy(from, to).expect("a writable folder");
    }
}

/// Whether an output has a part that matches a regular expression.
fn matches(pattern: &str) -> impl Predicate<[u8]> + use<> {
    let regex = regex_lite::Regex::new(pattern).expect("a regular expression");
    let is_match = move |output: &[u8]| str::from_utf8(output).is_ok_and(|text| regex.is_match(text));
    predicates::function::function(is_match)
}

/// A folder with files in it, gone at the end of the test.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(TempDir::new().expect("a temporary folder"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        std::fs::write(&path, text).expect("a writable folder");
        self.path(name)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn exists(&self, name: &str) -> bool {
        PathBuf::from(self.path(name)).exists()
    }
}
