//! The one place that chooses between the standard library's synchronisation and loom's.
//!
//! Code that is model-checked (the shard of the store, the end-of-layer protocol) takes its
//! atomics and locks from here and from nowhere else.

#[cfg(loom)]
pub use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};
#[cfg(not(loom))]
pub use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};
