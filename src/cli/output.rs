//! The destination of results: standard output or a file. A closed pipe is an error, not a panic.

use super::exit::Failure;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The destination of results.
pub struct Output {
    to: Box<dyn Write>,
    terminal: bool,
}

impl Output {
    /// Opens the file at `path`; `None` selects standard output.
    ///
    /// # Errors
    /// When the file cannot be created, or is one of `inputs`, because writing would destroy the input.
    pub fn open(path: Option<&Path>, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::stdout()) };
        if let Some(input) = inputs.iter().find(|input| same_file(input, path)) {
            let found = format!("found {} as output, expected a file that is not an input", path.display());
            return Err(Failure::usage(format!("{found} ({})", input.display())));
        }
        let file = File::create(path).map_err(|e| {
            let mut failure = Failure::output(e);
            failure.error = failure.error.context(path.display().to_string());
            failure
        })?;
        Ok(Self { terminal: false, to: Box::new(BufWriter::new(file)) })
    }

    /// Standard output.
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        Self { terminal: stdout.is_terminal(), to: Box::new(BufWriter::new(stdout.lock())) }
    }

    /// Whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes `text` and flushes the output.
    ///
    /// # Errors
    /// When the output fails.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()).map_err(Failure::output)
    }
}

/// Whether two paths lead to one existing file.
fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Whether to use colour: on a terminal, unless `NO_COLOR` has a non-empty value.
pub fn colour_wanted(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes a message to standard error. A closed standard error is ignored.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
