//! Windows.

pub(super) mod files;
mod pages;

pub use pages::Pages;
#[cfg(test)]
pub(super) use pages::page_size;

use std::os::windows::process::CommandExt;
use std::process::Command;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
};

/// The CPU seconds of the calling thread, in ticks of about 16 milliseconds.
#[must_use]
pub fn thread_cpu_seconds() -> f64 {
    // SAFETY: the handle is that of the calling thread, and each of the four times is filled.
    seconds_of(|[created, ended, kernel, user]| unsafe {
        GetThreadTimes(GetCurrentThread(), created, ended, kernel, user)
    })
}

/// The CPU time of all threads of the process, in seconds.
#[must_use]
pub fn process_cpu_seconds() -> f64 {
    // SAFETY: the handle is that of this process, and each of the four times is filled.
    seconds_of(|[created, ended, kernel, user]| unsafe {
        GetProcessTimes(GetCurrentProcess(), created, ended, kernel, user)
    })
}

/// The seconds in kernel and user mode that `query` returns; 0 if it fails.
fn seconds_of(query: impl FnOnce([&mut FILETIME; 4]) -> i32) -> f64 {
    let [mut created, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    if query([&mut created, &mut ended, &mut kernel, &mut user]) == 0 {
        return 0.0;
    }
    let seconds = |time: FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) as f64 * 1e-7;
    seconds(kernel) + seconds(user)
}

/// Bytes of physical memory that the process holds now; 0 if the system does not report them.
#[must_use]
pub fn resident_bytes() -> u64 {
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the handle is that of this process, and `size` is the size of the structure.
    let succeeded = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &raw mut counters, size) };
    if succeeded == 0 { 0 } else { counters.WorkingSetSize as u64 }
}

/// Makes `command` start a process that neither Ctrl-C in this console nor its closing reaches.
pub fn with_own_process_group(command: &mut Command) -> &mut Command {
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW)
}
