//! Where results go: standard output or a file. A reader that has gone is no panic.

use super::exit::Failure;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Results on their way out.
pub struct Output {
    to: Box<dyn Write>,
    terminal: bool,
}

impl Output {
    /// The file, or standard output when there is none.
    ///
    /// # Errors
    /// When the file cannot be made, or is one of `inputs`, which would be lost.
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

    /// Whether people look at it as it comes.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes text that belongs together; what was written is out when this returns.
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

/// Whether colour is wanted on something that is, or is not, a terminal: `NO_COLOR` says no when it is set and not
/// empty, whatever it says.
pub fn colour_wanted(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes a message to standard error. A closed standard error is ignored.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
