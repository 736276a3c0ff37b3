//! The command line of gridhunt.

mod cli;

use std::ffi::{c_int, c_long};
use std::process::ExitCode;

/// Every worker allocates; the system's allocator would make them wait for each other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of the option `purge_delay` in mimalloc's `mi_option_t`.
const PURGE_DELAY: c_int = 15;

/// After how many milliseconds mimalloc gives freed memory back to the system. By its own default, a second, a search
/// with a tight `--memory` ends because of memory that it has long freed. See docs/experiments/062.
const PURGE_DELAY_MS: c_long = 30;

// SAFETY: the signature is that of mimalloc.h.
unsafe extern "C" {
    /// Sets an option of mimalloc, unless the environment has set it.
    fn mi_option_set_default(option: c_int, value: c_long);
}

fn set_purge_delay() {
    // SAFETY: mimalloc is linked as the global allocator. The function takes any number and any value, on any thread.
    unsafe { mi_option_set_default(PURGE_DELAY, PURGE_DELAY_MS) };
}

fn main() -> ExitCode {
    set_purge_delay();
    cli::main()
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: the signature is that of mimalloc.h.
    unsafe extern "C" {
        fn mi_option_get(option: c_int) -> c_long;
    }

    /// A new version of mimalloc may number its options anew.
    #[test]
    fn the_purge_delay_is_the_option_with_a_default_of_a_second() {
        // SAFETY: as in `set_purge_delay`.
        let delay = || unsafe { mi_option_get(PURGE_DELAY) };
        assert_eq!(delay(), 1000);
        set_purge_delay();
        assert_eq!(delay(), PURGE_DELAY_MS);
    }
}
