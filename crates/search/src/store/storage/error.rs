//! Errors of files.

use crate::platform::files;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a file cannot be written or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StorageError {
    /// The operating system returned an error.
    #[error("cannot {action} {}: {reason}{}", path.display(), limit_advice(reason))]
    Io {
        /// The operation.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: Arc<io::Error>,
    },
    /// The disk has no room left within its limit.
    #[error("{}: found room for {left} bytes more, expected {wanted} {}", path.display(), limit_of(*reserve))]
    Full {
        /// The folder without room.
        path: PathBuf,
        /// Bytes that may still be written.
        left: u64,
        /// Bytes to be written.
        wanted: u64,
        /// The bytes to leave free on the disk; `None` if the limit of disk space was reached.
        reserve: Option<u64>,
    },
    /// The content of a file is not what was written.
    #[error("{}: at byte {at}: found {found}, expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The position in the file.
        at: u64,
        /// The content found there.
        found: String,
        /// The content expected there.
        expected: String,
    },
}

/// The number of the error "too many open files" on Unix.
const EMFILE: i32 = 24;

/// How to raise the limit of the system that causes an error; empty for other errors. Each shard keeps a file open, so
/// a process may reach its limit of open files. The system does not say which limit refuses a thread or memory.
#[must_use]
pub fn limit_advice(reason: &io::Error) -> &'static str {
    use io::ErrorKind::{OutOfMemory, WouldBlock};
    match (reason.kind(), reason.raw_os_error()) {
        (WouldBlock | OutOfMemory, _) => "; raise the limits on threads (ulimit -u) and address space (ulimit -v)",
        (_, Some(EMFILE)) if cfg!(unix) => "; raise the limit on open files (ulimit -n 65536), or use more ranks",
        _ => "",
    }
}

/// Which limit leaves no room, and how to change it.
fn limit_of(reserve: Option<u64>) -> String {
    match reserve {
        None => "within the limit of disk space; raise --disk".to_owned(),
        Some(0) => "on the disk; free some space".to_owned(),
        Some(bytes) => format!(
            "beside the {bytes} bytes that stay free on the disk; free some space, or set --disk, which keeps less \
             free"
        ),
    }
}

impl StorageError {
    pub(crate) fn damaged(path: &Path, at: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), at, found: found.into(), expected: expected.into() }
    }

    /// Whether a file is damaged, so that an older generation may be better. A temporary error (too many open files, no
    /// permission) is no damage: it must not make recovery skip a generation.
    pub(crate) fn is_damage(&self) -> bool {
        use io::ErrorKind::{NotFound, UnexpectedEof};
        match self {
            Self::Damaged { .. } => true,
            Self::Io { reason, .. } => {
                matches!(reason.kind(), NotFound | UnexpectedEof) || files::is_device_failure(reason)
            }
            Self::Full { .. } => false,
        }
    }

    /// Whether the disk has no room. That is a limit, not a failure.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        match self {
            Self::Full { .. } => true,
            Self::Io { reason, .. } => matches!(reason.kind(), StorageFull | QuotaExceeded | FileTooLarge),
            Self::Damaged { .. } => false,
        }
    }
}

/// Adds operation and file to an error of the system.
pub(crate) trait IoContext<T> {
    fn context(self, action: &'static str, path: &Path) -> Result<T, StorageError>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn context(self, action: &'static str, path: &Path) -> Result<T, StorageError> {
        self.map_err(|reason| StorageError::Io { action, path: path.to_owned(), reason: Arc::new(reason) })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_limit_of_the_system_is_told_with_what_to_do() {
        let told = |error| Err::<(), _>(error).context("open", Path::new("a")).unwrap_err().to_string();
        assert!(told(io::Error::from_raw_os_error(EMFILE)).contains("(ulimit -n 65536)"));
        assert!(told(io::ErrorKind::WouldBlock.into()).contains("(ulimit -u) and address space (ulimit -v)"));
        assert!(!told(io::ErrorKind::NotFound.into()).contains("ulimit"));
    }

    #[test]
    fn a_full_disk_is_told_with_what_to_do() {
        let full = |reserve| StorageError::Full { path: PathBuf::from("run"), left: 1, wanted: 9, reserve }.to_string();
        assert_eq!(
            full(None),
            "run: found room for 1 bytes more, expected 9 within the limit of disk space; raise --disk"
        );
        let free = full(Some(1 << 30));
        assert!(free.contains("1073741824 bytes that stay free") && free.contains("--disk"), "{free}");
    }
}
