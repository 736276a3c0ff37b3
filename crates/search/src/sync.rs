//! Atomics and locks: those of the standard library, or those of loom in a model-checked build (the package
//! `gridhunt-loom`).
//!
//! Code that loom checks (the shards of the store, the barrier of a worker crew) must use the atomics and locks of this
//! module. Other code locks mutexes of the standard library with `lock`.

#[cfg(loom)]
pub use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};
#[cfg(not(loom))]
pub use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering},
};

pub use std::sync::TryLockError;

#[cfg(loom)]
pub use loom::thread::yield_now;
#[cfg(not(loom))]
pub use std::thread::yield_now;

/// Locks a mutex of the standard library. Poisoning is ignored, because a panic under the lock ends the search.
pub(crate) fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Prefetches the cache line at `address`, which need not be valid. Does nothing on processors other than x86-64.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch is a hint. It never faults, whatever the address, and has no effect that the program can see.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// Runs all interleavings of threads with at most three preemptions, or as many as LOOM_MAX_PREEMPTIONS says.
#[cfg(all(test, loom))]
pub(crate) fn check_model(threads: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(threads);
}
