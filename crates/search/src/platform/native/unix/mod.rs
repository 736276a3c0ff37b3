//! Linux, macOS and similar systems.

pub(super) mod files;
mod pages;

pub use pages::Pages;
#[cfg(test)]
pub(super) use rustix::param::page_size;

use std::os::unix::process::CommandExt;
use std::process::Command;

/// The CPU seconds of the calling thread.
#[must_use]
pub fn thread_cpu_seconds() -> f64 {
    seconds_of(rustix::time::ClockId::ThreadCPUTime)
}

/// The CPU seconds of all threads of the process.
#[must_use]
pub fn process_cpu_seconds() -> f64 {
    seconds_of(rustix::time::ClockId::ProcessCPUTime)
}

fn seconds_of(clock: rustix::time::ClockId) -> f64 {
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Bytes of physical memory that the process holds now; 0 if the system does not report them.
#[cfg(not(target_os = "macos"))]
#[must_use]
pub fn resident_bytes() -> u64 {
    let pages = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/statm").ok()?;
        text.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    pages().unwrap_or(0) * rustix::param::page_size() as u64
}

/// Bytes of physical memory that the process holds now; 0 if the system does not report them.
#[cfg(target_os = "macos")]
#[must_use]
pub fn resident_bytes() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage_info_v2>::zeroed();
    // SAFETY: the process id is valid, and `usage` has the size of this version of the structure. If the call fails,
    // the zeroed structure is a valid value.
    let usage = unsafe {
        let _ =
            libc::proc_pid_rusage(std::process::id().cast_signed(), libc::RUSAGE_INFO_V2, usage.as_mut_ptr().cast());
        usage.assume_init()
    };
    usage.ri_phys_footprint
}

/// Makes `command` start a process that Ctrl-C in this terminal does not reach.
pub fn with_own_process_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}
