//! The allocator of the program: mimalloc, with a reserve for the moment at which the system refuses memory.
//!
//! A limit of address space (`ulimit -v`) lets allocations fail long before resident memory is short, and Rust ends a
//! program whose allocation fails. So the program holds some address space, gives it back at the first refusal, and
//! tries again; the searches end then. What was given back has room for the results and for a checkpoint.

use super::system::Reserve;
use gridhunt_search::platform::{give_back_reserve, set_purge, set_reserve};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};

/// Every worker allocates; the system's allocator would make them wait for each other.
#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

static RESERVE: Reserve = Reserve::none();

/// Takes the reserve, and tells the library of this allocator.
pub fn begin() {
    RESERVE.take();
    set_purge(purge);
    set_reserve(|| RESERVE.give_back());
}

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Gives memory that is free back to the system, all of it if `force` is true.
    fn mi_collect(force: bool);
}

fn purge() {
    // SAFETY: mimalloc is the global allocator. The function may be called on any thread.
    unsafe { mi_collect(true) };
}

struct Reserving;

/// What `allocate` returns, with the reserve given back if it fails at first.
#[inline]
fn retried(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let found = allocate();
    if found.is_null() { again(allocate) } else { found }
}

#[cold]
fn again(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    give_back_reserve();
    allocate()
}

// SAFETY: all memory comes from mimalloc, which keeps to the contract; a failure is tried once more.
unsafe impl GlobalAlloc for Reserving {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: that of the caller.
        retried(|| unsafe { MiMalloc.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: that of the caller.
        retried(|| unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: that of the caller; a block is as it was after a failure.
        retried(|| unsafe { MiMalloc.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: that of the caller.
        unsafe { MiMalloc.dealloc(block, layout) }
    }
}
