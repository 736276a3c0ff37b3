//! Atomic replacement of files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file atomically: an existing file is replaced completely or not at all, even if the system crashes. No
/// other file of the folder is changed, and no temporary file is left after an error.
///
/// # Errors
/// When the file cannot be written.
pub fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A pipe or a device cannot be replaced.
    if path.exists() && !path.is_file() {
        return fs::write(path, contents);
    }
    let mut temp_path = path.as_os_str().to_owned();
    temp_path.push(format!(".{}.new", std::process::id()));
    let mut file = File::create_new(&temp_path)?;
    let written = file.write_all(contents).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&temp_path, path)).inspect_err(|_| _ = fs::remove_file(&temp_path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_else_is_touched_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.new", "a.cert.new"] {
            fs::write(path(name), name).unwrap();
        }
        write_atomically(&path("a.cert"), b"one").unwrap();
        write_atomically(&path("a.cert"), b"two").unwrap();
        assert_eq!(fs::read(path("a.cert")).unwrap(), b"two");
        for name in ["a.new", "a.cert.new"] {
            assert_eq!(fs::read(path(name)).unwrap(), name.as_bytes());
        }
        assert!(write_atomically(&path("nowhere/a"), b"one").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
