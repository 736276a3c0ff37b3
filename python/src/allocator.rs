//! The allocator of the program: a search from Python takes the memory and the time that it takes there.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Gives memory that is free back to the system, all of it if `force` is true.
    fn mi_collect(force: bool);
}

/// Gives memory that is free back to the system.
pub fn purge() {
    // SAFETY: mimalloc is linked as the global allocator. The function may be called on any thread.
    unsafe { mi_collect(true) };
}
