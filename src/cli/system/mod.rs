//! What the command line asks of the operating system: signals, and the file behind standard output.

#[cfg(unix)]
#[path = "unix.rs"]
mod own;
#[cfg(windows)]
#[path = "windows.rs"]
mod own;

pub use own::{
    SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU, hear, hear_last, interrupt, stdout_file, take_limits,
};
