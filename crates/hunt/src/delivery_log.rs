//! The log of delivered results: those that a session has written to its output, not only to the run directory.
//!
//! The file `delivered` has a board number in each line. The next `resume` delivers the recorded results that are not
//! in the log. So no result is lost if a process ends before it delivers a result, or if its output fails.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

pub(super) const FILE_NAME: &str = "delivered";

/// The numbers of the boards with delivered results.
#[derive(Debug)]
pub(super) struct DeliveryLog {
    numbers: Mutex<BTreeSet<usize>>,
    file: File,
}

impl DeliveryLog {
    /// Opens the file in a run directory.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(folder.join(FILE_NAME))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // The last process may have ended while it wrote a line.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            file.set_len(whole as u64)?;
            text.truncate(whole);
        }
        let numbers = String::from_utf8_lossy(&text).lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Self { numbers: Mutex::new(numbers), file })
    }

    /// Whether the result of a board was delivered.
    pub(super) fn contains(&self, number: usize) -> bool {
        self.numbers.lock().contains(&number)
    }

    /// Records that the result of a board was delivered.
    pub(super) fn mark(&self, number: usize) {
        if self.numbers.lock().insert(number) {
            // If the mark cannot be written, the result is delivered once more.
            let _ = (&self.file).write_all(format!("{number}\n").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_kept_and_a_cut_line_loses_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let open = || DeliveryLog::open(folder.path()).unwrap();
        let new = open();
        new.mark(2);
        new.mark(7);
        new.mark(7);
        let path = folder.path().join(FILE_NAME);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "2\n7\n");
        std::fs::write(&path, "2\n7\n1").unwrap();
        let cut = open();
        cut.mark(3);
        let again = open();
        assert_eq!([2, 7, 3, 1].map(|number| again.contains(number)), [true, true, true, false]);
    }
}
