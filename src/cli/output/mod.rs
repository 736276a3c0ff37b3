//! The destination of results: standard output or a file. A closed pipe is an error, not a panic.

pub(super) mod closed;
pub(super) mod exit;
pub(super) mod live;
pub(super) mod results;
pub(super) mod screen;

use crate::cli::process::system::stdout_file;
use exit::{Exit, Failure};
use gridhunt::hunt::{self, HuntError, error_chain};
use gridhunt_boards::visible;
use std::fs::File;
use std::io::{self, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The destination of results.
pub struct Output {
    destination: Destination,
    /// The number of elements written, if the output is a JSON array.
    array: Option<usize>,
}

enum Destination {
    Stdout(io::StdoutLock<'static>),
    /// Standard output was closed when the program began.
    Closed,
    File {
        file: File,
        /// Whether written bytes can be replaced.
        is_regular: bool,
    },
}

/// The end of a JSON array.
const ARRAY_END: &str = "\n]\n";

impl Output {
    /// Opens the file at `path`; `None` selects standard output.
    pub fn open(path: Option<&Path>, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| path.as_os_str() != "-") else { return Ok(Self::stdout()) };
        check_not_input(path, inputs)?;
        let file = File::create(path).map_err(|error| Failure::output_to(path, error))?;
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Ok(Self { destination: Destination::File { file, is_regular }, array: None })
    }

    pub fn stdout() -> Self {
        let destination =
            if closed::was_stdout_closed() { Destination::Closed } else { Destination::Stdout(io::stdout().lock()) };
        Self { destination, array: None }
    }

    pub fn is_terminal(&self) -> bool {
        matches!(&self.destination, Destination::Stdout(stdout) if stdout.is_terminal())
    }

    /// Whether the output goes to a file, not to a terminal or a pipe.
    pub fn is_file(&self) -> bool {
        match &self.destination {
            Destination::Stdout(_) => {
                stdout_file().and_then(|file| file.metadata()).is_ok_and(|metadata| metadata.is_file())
            }
            Destination::Closed => true,
            Destination::File { is_regular, .. } => *is_regular,
        }
    }

    /// Begins a JSON array, whose elements are the texts written from now on. A regular file has a complete array after
    /// each element; any other output ends the array in [`Output::end`].
    pub fn begin_array(&mut self) {
        self.array = Some(0);
    }

    /// Writes `text` and flushes the output.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        let written = match self.array {
            None => self.write_all(text.as_bytes()),
            Some(index) => self.write_element(text.trim_end(), index),
        };
        written.map_err(Failure::output)
    }

    /// Writes `bytes` and flushes the output.
    pub fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.write_all(bytes).map_err(Failure::output)
    }

    /// Ends the output.
    pub fn end(&mut self) -> Result<(), Failure> {
        let Some(elements) = self.array else { return Ok(()) };
        let end = match (elements, self.is_regular()) {
            (0, _) => "[]\n",
            (_, false) => ARRAY_END,
            (_, true) => return Ok(()),
        };
        self.write_all(end.as_bytes()).map_err(Failure::output)
    }

    fn is_regular(&self) -> bool {
        matches!(self.destination, Destination::File { is_regular: true, .. })
    }

    fn write_element(&mut self, element: &str, index: usize) -> io::Result<()> {
        let is_regular = self.is_regular();
        let begin = if index == 0 { "[\n" } else { ",\n" };
        if let Destination::File { file, is_regular: true } = &mut self.destination
            && index > 0
        {
            // The new element, and the end of the array after it, replace the end that was written before.
            file.seek(SeekFrom::End(-(ARRAY_END.len() as i64)))?;
        }
        self.write_all(format!("{begin}{element}{}", if is_regular { ARRAY_END } else { "" }).as_bytes())?;
        self.array = Some(index + 1);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.destination {
            Destination::Stdout(stdout) => stdout.write_all(bytes).and_then(|()| stdout.flush()),
            Destination::Closed => Err(io::Error::other("standard output is closed")),
            Destination::File { file, .. } => file.write_all(bytes),
        }
    }
}

/// Writes a file with [`hunt::write_atomically`].
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    hunt::write_atomically(path, contents).map_err(|error| Failure::output_to(path, error))
}

/// Refuses a file for output that is one of `inputs`, or lies in one: writing would destroy the input.
pub fn check_not_input(path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| same_file(input, path) || is_inside(path, input)) {
        Some(input) => {
            let found = format!("found {} as output, expected a file that is not an input", path.display());
            Err(Failure::usage(format!("{found} ({})", input.display())))
        }
        None => Ok(()),
    }
}

/// Whether a file lies, or would lie, in a folder.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let parent = path.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let parent = parent.and_then(|parent| parent.canonicalize().ok());
    folder.is_dir() && parent.is_some_and(|parent| folder.canonicalize().is_ok_and(|folder| parent.starts_with(folder)))
}

/// Whether two paths lead to the same existing file.
fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Whether to use colour: on a terminal, unless `NO_COLOR` has a non-empty value.
pub fn use_colour(terminal: bool) -> bool {
    terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes a message to standard error, and escapes control characters. A closed standard error is ignored.
pub fn print_message(text: &str) {
    let lines: Vec<_> = text.split('\n').map(visible).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// Prints the error of a board or an input, and returns its exit.
pub fn report_error(error: &HuntError) -> Exit {
    print_message(&format!("gridhunt: {}", error_chain(error)));
    Exit::of_error(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn an_array_is_whole_after_each_element() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut output = Output::open(Some(&path), &[]).unwrap();
        output.begin_array();
        for (element, expected) in [("{\"a\":1}\n", "[\n{\"a\":1}\n]\n"), ("2\n", "[\n{\"a\":1},\n2\n]\n")] {
            output.write(element).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        }
        output.end().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[\n{\"a\":1},\n2\n]\n");
        let mut output = Output::open(Some(&path), &[]).unwrap();
        output.begin_array();
        output.end().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[]\n");
    }
}
