//! Operations on files that the standard library does not offer on every system.

use std::fs::File;
use std::io;
use std::path::Path;

pub use super::family::files::{
    file_id, free_bytes, is_device_failure, open_direct, read_exact_at, sync_folder, try_lock, try_lock_shared,
    write_all_at,
};

/// Creates a file without a name on the disk of a folder. The file disappears with the process.
pub fn create_temporary(folder: &Path) -> io::Result<File> {
    tempfile::tempfile_in(folder)
}
