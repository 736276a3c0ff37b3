//! The same allocator as in the program, so that a search from Python takes no more memory and time.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Returns free memory to the system, all of it if `force` is true.
    fn mi_collect(force: bool);
}

/// Returns free memory to the system.
pub fn purge() {
    // SAFETY: mimalloc is linked as the global allocator. The function may be called on any thread.
    unsafe { mi_collect(true) };
}
