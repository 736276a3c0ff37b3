//! The program on a terminal of its own, which `script` of util-linux makes.
#![cfg(target_os = "linux")]

use super::Folder;
use std::fs::read_to_string;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// What shows and hides the screen.
pub const OPENED: &str = "\x1b[?1049h";
pub const CLOSED: &str = "\x1b[?1049l";

pub struct Terminal {
    child: Child,
    /// Holds the id of the process.
    folder: Folder,
    written: String,
    /// The text up to here was waited for.
    at: usize,
}

impl Terminal {
    /// Runs the program on a terminal of 80 x 24.
    pub fn of(args: &str) -> Self {
        Self::with(args, (80, 24), None)
    }

    /// Runs the program on a terminal with so many columns and rows, and with this `NO_COLOR`.
    pub fn with(args: &str, (columns, rows): (u16, u16), no_color: Option<&str>) -> Self {
        let folder = Folder::new(&[]);
        let program = assert_cmd::cargo::cargo_bin!("gridhunt").to_str().expect("a path in UTF-8");
        let process = folder.path("process");
        let command = format!("stty rows {rows} cols {columns}; echo $$ > {process}; exec {program} {args}");
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).env("TERM", "xterm-256color").env_remove("NO_COLOR");
        script.envs(no_color.map(|value| ("NO_COLOR", value)));
        let child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script` of util-linux");
        Self { child, folder, written: String::new(), at: 0 }
    }

    /// Reads until the program has written this text, behind all that was waited for before.
    pub fn wait_for(&mut self, text: &str) -> &mut Self {
        let mut bytes = [0; 4096];
        while !self.written[self.at..].contains(text) {
            let read = self.child.stdout.as_mut().expect("a pipe").read(&mut bytes).expect("a terminal");
            assert!(read > 0, "the program ended before {text:?}: {:?}", self.written);
            // The drawing is split anywhere: characters of several bytes do not matter here.
            self.written.extend(bytes[..read].iter().map(|&byte| char::from(byte)));
        }
        self.at += self.written[self.at..].find(text).expect("the text") + text.len();
        self
    }

    pub fn press(&mut self, keys: &str) -> &mut Self {
        let input = self.child.stdin.as_mut().expect("a pipe");
        input.write_all(keys.as_bytes()).and_then(|()| input.flush()).expect("a terminal");
        self
    }

    /// The id of the program.
    pub fn process(&self) -> String {
        read_to_string(self.folder.path("process")).expect("the id of the process").trim().to_owned()
    }

    pub fn signal(&mut self, signal: &str) -> &mut Self {
        assert!(Command::new("kill").args([signal, &self.process()]).status().expect("kill").success());
        self
    }

    /// Takes the terminal away.
    pub fn hang_up(mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect("an end");
    }

    /// Waits for the end. Returns what was written, and the exit code.
    pub fn end(mut self) -> (String, Option<i32>) {
        let mut rest = Vec::new();
        self.child.stdout.take().expect("a pipe").read_to_end(&mut rest).expect("a terminal");
        self.written.extend(rest.into_iter().map(char::from));
        (self.written, self.child.wait().expect("an end").code())
    }
}
