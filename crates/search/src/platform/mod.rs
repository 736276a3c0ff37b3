//! What the library runs on: an operating system, or a web page.
//!
//! No other module depends on the platform. The library takes clocks, memory and special file operations from here, and
//! everything else from the standard library, whose files and threads return errors on a web page.
//!
//! | item | operating system | web page |
//! | --- | --- | --- |
//! | [`Instant`], clocks | those of the system | the clock of the page; processor time is elapsed time |
//! | [`HAS_THREADS`] | true | false |
//! | [`HAS_FILES`] | true | false |
//! | [`IS_SIZE_OPTIMIZED`] | false | true: browsers download the module |
//! | `Pages` | mapped memory, in huge pages | allocated memory |
//! | [`resident_bytes`] | physical memory of the process | memory of the page's module |
//! | [`purge`] | the function set by [`set_purge`] | nothing |
//! | [`on_failed_allocation`], [`renew_reserve`] | the functions set by [`set_reserve`] | nothing |
//! | [`files`] | access at an offset, temporary files | not supported |

#[cfg(not(target_family = "wasm"))]
#[path = "native/mod.rs"]
mod system;
#[cfg(target_family = "wasm")]
#[path = "web/mod.rs"]
mod system;

mod allocator_hooks;
pub mod multiversion;
#[cfg(all(test, not(loom)))]
mod tests;

pub use allocator_hooks::{
    AddressReserve, has_allocation_failed, on_failed_allocation, purge, renew_reserve, set_purge, set_reserve,
};

pub use system::{
    HAS_FILES, HAS_THREADS, IS_SIZE_OPTIMIZED, Instant, Pages, files, process_cpu_seconds, resident_bytes,
    startable_threads, thread_cpu_seconds, unix_seconds, with_own_process_group,
};
