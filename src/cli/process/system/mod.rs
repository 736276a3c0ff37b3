//! What the command line asks of the operating system: signals, the file of standard output, and a reserve of address
//! space.

#[cfg(unix)]
#[path = "unix.rs"]
mod own;
#[cfg(windows)]
#[path = "windows.rs"]
mod own;

pub use own::{
    Reserve, SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU, hear, hear_last, interrupt, stdout_file,
    take_limits,
};
