//! The allocator of the program: a search from Python takes the memory and the time that it takes there.

use std::ffi::{c_int, c_long};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The option `purge_delay` of mimalloc, and its value in milliseconds. `src/main.rs` says why.
const PURGE_DELAY: (c_int, c_long) = (15, 30);

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Sets an option of mimalloc, unless the environment has set it.
    fn mi_option_set_default(option: c_int, value: c_long);
}

/// Gives freed memory back to the system soon.
pub fn set_purge_delay() {
    // SAFETY: mimalloc is linked as the global allocator. The function takes any number and any value, on any thread.
    unsafe { mi_option_set_default(PURGE_DELAY.0, PURGE_DELAY.1) };
}
