//! Atomic replacement of files.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes a file atomically: an existing file is replaced completely or not at all, even if the system crashes. No
/// other file of the folder is changed, and no temporary file is left after an error. Symbolic links, pipes and devices
/// stay: they are written through, not atomically.
///
/// # Errors
/// When the file cannot be written.
pub fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Pipes, devices, and links such as /dev/stdout must not be replaced.
    if path.is_symlink() || path.exists() && !path.is_file() {
        return fs::write(path, contents);
    }
    let (temp_path, mut file) = create_beside(path)?;
    let written = file.write_all(contents).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&temp_path, path)).inspect_err(|_| _ = fs::remove_file(&temp_path))
}

/// Creates a file beside `path`, under a name that no file has, which is to replace `path`. Returns its path and the
/// file.
///
/// # Errors
/// When the file cannot be created.
pub fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0_u64;
    loop {
        let mut temp_path = path.as_os_str().to_owned();
        temp_path.push(format!(".{}-{number}.new", std::process::id()));
        match File::create_new(&temp_path) {
            // Another thread writes it, or a process with the same ID left it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            file => return Ok((temp_path.into(), file?)),
        }
    }
}

/// Removes what killed processes have left under names that [`create_beside`] gives. Nobody else may be writing `path`.
pub fn remove_left_beside(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(OsStr::to_str)) else { return };
    for left in fs::read_dir(folder).into_iter().flatten().flatten() {
        let left_name = left.file_name();
        let rest = left_name.to_str().and_then(|left_name| left_name.strip_prefix(name)?.strip_prefix('.'));
        let numbers = rest.and_then(|rest| rest.strip_suffix(".new"));
        if numbers.is_some_and(|numbers| numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')) {
            let _ = fs::remove_file(left.path());
        }
    }
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

    /// As after a crash of a process with the same number, and as of several threads.
    #[test]
    fn a_temporary_file_of_somebody_else_stays_and_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let old = folder.path().join(format!("a.{}-0.new", std::process::id()));
        fs::write(&old, b"old").unwrap();
        std::thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(|| write_atomically(&path, b"new").unwrap())));
        assert_eq!((fs::read(&path).unwrap(), fs::read(&old).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        fs::write(folder.path().join("a.b.new"), b"of the user").unwrap();
        remove_left_beside(&path);
        assert!(!old.exists() && fs::read_dir(folder.path()).unwrap().count() == 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_target_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("target", &link).unwrap();
        for contents in [b"one", b"two"] {
            write_atomically(&link, contents).unwrap();
            assert!(link.is_symlink() && fs::read(&target).unwrap() == contents);
        }
    }
}
