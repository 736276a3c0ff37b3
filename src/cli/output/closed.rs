//! Whether standard output was closed when the program began.
//!
//! The runtime of Rust replaces a closed standard output by `/dev/null` before `main`. Results would be lost without an
//! error. So a function that runs before the runtime checks standard output.

#[cfg(target_os = "linux")]
mod early {
    use std::os::fd::BorrowedFd;
    use std::sync::atomic::{AtomicBool, Ordering};

    pub static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn check_stdout() {
        // SAFETY: the descriptor is borrowed for one system call, which only asks for its flags. The call is valid for
        // any number: a closed descriptor makes it fail. No other thread exists yet, so nothing can open or close it.
        let stdout = unsafe { BorrowedFd::borrow_raw(1) };
        let is_closed = rustix::io::fcntl_getfd(stdout).is_err();
        WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }

    // SAFETY: the section holds pointers to functions that the C runtime calls before `main`. `check_stdout` allocates
    // nothing and needs nothing of the runtime of Rust.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static CHECK_STDOUT: extern "C" fn() = check_stdout;
}

/// Whether standard output was closed when the program began. Always false on systems other than Linux.
pub fn was_stdout_closed() -> bool {
    #[cfg(target_os = "linux")]
    let is_closed = early::WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(target_os = "linux"))]
    let is_closed = false;
    is_closed
}
