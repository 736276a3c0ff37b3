//! The allocator of the program: mimalloc, with a reserve for a failed allocation.
//!
//! A limit of address space (`ulimit -v`) can make allocations fail while little memory is resident, and Rust ends a
//! program whose allocation fails. So the program holds some address space in reserve. At the first failure it releases
//! the reserve and tries again, and the searches end. The released space has room for the results and for a checkpoint.
//! If it is too small even for that, the program ends with the exit code of the memory limit.

use super::system::Reserve;
#[cfg(unix)]
use crate::cli::output::exit::Exit;
use gridhunt_search::platform::{AddressReserve, on_failed_allocation, set_purge, set_reserve};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};

/// Every worker allocates; with the system's allocator, workers would wait for each other.
#[global_allocator]
static ALLOCATOR: MiMallocWithReserve = MiMallocWithReserve;

static RESERVE: Reserve = Reserve::none();

/// Acquires the reserve, and sets the hooks of the library. Ends the program if there is not even room for its stack.
pub fn install() {
    #[cfg(unix)]
    {
        super::system::limit_arenas();
        if !super::system::grow_stack() {
            super::system::end_without_memory(Exit::MemoryLimit as i32);
        }
    }
    set_purge(purge);
    set_reserve(AddressReserve { acquire: || RESERVE.acquire(), release: || RESERVE.release() });
}

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Returns free memory to the system: memory of the calling thread, and memory that belongs to no thread.
    fn mi_collect(force: bool);
}

fn purge() {
    // SAFETY: mimalloc is the global allocator. The function may be called on any thread.
    unsafe { mi_collect(true) };
}

/// mimalloc, called a second time if it fails.
struct MiMallocWithReserve;

/// Calls `allocate`; if that fails, releases the reserve and calls it once more.
#[inline]
fn allocate_or_retry(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let block = allocate();
    if block.is_null() { retry(allocate) } else { block }
}

#[cold]
fn retry(allocate: impl Fn() -> *mut u8) -> *mut u8 {
    on_failed_allocation();
    let block = allocate();
    #[cfg(unix)]
    if block.is_null() {
        super::system::end_without_memory(Exit::MemoryLimit as i32);
    }
    block
}

// SAFETY: all memory comes from mimalloc, which keeps the contract. A failed call is repeated once.
unsafe impl GlobalAlloc for MiMallocWithReserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        allocate_or_retry(|| unsafe { MiMalloc.alloc(layout) })
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        allocate_or_retry(|| unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract. A failed call leaves the block unchanged.
        allocate_or_retry(|| unsafe { MiMalloc.realloc(block, layout, size) })
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { MiMalloc.dealloc(block, layout) }
    }
}
