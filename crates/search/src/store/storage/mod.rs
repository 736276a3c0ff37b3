//! Files: the storage backend, the limits of memory and disk, temporary files, and errors.

mod backend;
mod block_file;
mod config;
mod error;
mod error_latch;
mod read_only;
mod temp_file;
mod usage;

pub use backend::{Disk, StorageBackend, StorageFile};
pub use block_file::BlockFile;
pub use config::StorageConfig;
pub(crate) use error::IoContext;
pub use error::{StorageError, limit_advice};
pub(crate) use error_latch::ErrorLatch;
pub use read_only::ReadOnly;
pub(crate) use temp_file::TempFile;
pub(crate) use usage::DiskUsage;
