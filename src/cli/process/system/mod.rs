//! Functions of the operating system: signals, the file of standard output, and a reserve of address space.

#[cfg(unix)]
#[path = "unix.rs"]
mod imp;
#[cfg(windows)]
#[path = "windows.rs"]
mod imp;

pub use imp::{
    Reserve, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU, adjust_limits, interrupt, on_signal,
    stdout_file, store_last_signal,
};
#[cfg(unix)]
pub use imp::{end_without_memory, grow_stack, limit_arenas};
