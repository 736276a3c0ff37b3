//! Signals, limits and reserved address space on Unix.

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::{Resource, Rlimit, Signal, getpid, getrlimit, kill_process, setrlimit};
use signal_hook::consts::SIGXFSZ;
pub use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGXCPU};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};

/// Calls `react` for each of `signals` that arrives, on a new thread: a signal handler may call only few functions. A
/// signal of `ends_at_once` that is not the first ends the program at once.
pub fn on_signal(signals: &[i32], ends_at_once: &[i32], react: impl Fn(i32) + Send + Sync + 'static) -> io::Result<()> {
    let has_arrived = Arc::new(AtomicBool::new(false));
    let handled = not_ignored(signals);
    for &signal in &handled {
        // The order matters: the first handler ends the program only if an earlier signal has set the flag.
        if ends_at_once.contains(&signal) {
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&has_arrived))?;
        }
        flag::register(signal, Arc::clone(&has_arrived))?;
    }
    let mut arrivals = Signals::new(handled)?;
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || arrivals.forever().for_each(react)).map(|_| ())
}

/// Stores in `last` the number of the last of `signals` that has arrived.
pub fn store_last_signal(signals: &[i32], last: &Arc<AtomicUsize>) -> io::Result<()> {
    let on_signal = |signal| flag::register_usize(signal, Arc::clone(last), signal as usize).map(|_| ());
    not_ignored(signals).into_iter().try_for_each(on_signal)
}

/// Raises the limit of open files as far as the system allows: each shard of a run has some open files. Lets a write
/// beyond the limit of file sizes fail, so that the program reports it: without a handler, SIGXFSZ ends the program.
pub fn adjust_limits() -> io::Result<()> {
    let files = getrlimit(Resource::Nofile);
    // If the system refuses, the limit stays, and the search reports when it is reached.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(|_| ())
}

/// Returns the signals that were not ignored when the program began. Ignored signals must stay ignored: SIGHUP under
/// `nohup`, SIGINT and SIGQUIT in the background of a script.
fn not_ignored(signals: &[i32]) -> Vec<i32> {
    // Only Linux reports ignored signals without unsafe code.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    signals.iter().copied().filter(|signal| mask.unwrap_or(0) >> (signal - 1) & 1 == 0).collect()
}

/// Address space that is held in reserve for a failed allocation: up to an eighth of what the limit of address space
/// allows, so that the tables of a search may grow once more. It takes no memory itself.
pub struct Reserve {
    mapping: AtomicPtr<c_void>,
    bytes: AtomicUsize,
}

impl Reserve {
    /// The minimum size of a reserve in bytes.
    const MIN_BYTES: usize = 4 << 20;

    /// Makes an empty reserve.
    pub const fn none() -> Self {
        Self { mapping: AtomicPtr::new(null_mut()), bytes: AtomicUsize::new(0) }
    }

    /// Acquires the reserve, if there is a limit of address space and the reserve is not held. A reserve that is
    /// acquired again is as large as it was at first. Returns whether the reserve is held now, or there is no limit.
    pub fn acquire(&self) -> bool {
        let Some(limit) = getrlimit(Resource::As).current else { return true };
        let previous_bytes = self.bytes.load(SeqCst);
        let max_bytes =
            if previous_bytes > 0 { previous_bytes } else { usize::try_from(limit / 8).unwrap_or(usize::MAX) };
        let min_bytes = previous_bytes.max(Self::MIN_BYTES);
        // The allocator may already have taken most of the address space, so smaller sizes are tried too.
        let sizes =
            std::iter::successors(Some(max_bytes), |bytes| Some(bytes / 2)).take_while(|&bytes| bytes >= min_bytes);
        for bytes in sizes.filter(|_| self.mapping.load(SeqCst).is_null()) {
            // SAFETY: a new mapping at an address that the system chooses affects no other memory.
            let mapping = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::empty(), MapFlags::PRIVATE) };
            let Ok(mapping) = mapping else { continue };
            // All reserves have one size, because `release` may see that of another `acquire`.
            let has_size = self.bytes.compare_exchange(previous_bytes, bytes, SeqCst, SeqCst).is_ok();
            if !has_size || self.mapping.compare_exchange(null_mut(), mapping, SeqCst, SeqCst).is_err() {
                // SAFETY: nobody else knows this mapping.
                let _ = unsafe { munmap(mapping, bytes) };
            }
        }
        !self.mapping.load(SeqCst).is_null()
    }

    /// Releases the reserve, if it is held.
    pub fn release(&self) {
        let mapping = self.mapping.swap(null_mut(), SeqCst);
        if !mapping.is_null() {
            // SAFETY: `acquire` mapped this number of bytes there, nobody uses them, and the swap returns them once.
            let _ = unsafe { munmap(mapping, self.bytes.load(SeqCst)) };
        }
    }
}

/// Under a small limit of address space, begins the program again with allocators that take it in small parts. They
/// read their options before `main`.
pub fn limit_arenas() {
    const OPTIONS: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "1"), ("MIMALLOC_ARENA_RESERVE", "8192")];
    let is_small = getrlimit(Resource::As).current.is_some_and(|limit| limit < 4 << 30);
    if !is_small || OPTIONS.iter().all(|(name, _)| std::env::var_os(name).is_some()) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let mut args = std::env::args_os();
        let name = args.next().unwrap_or_default();
        // If the system refuses, the program goes on as it is.
        let _ = Command::new(program).arg0(name).args(args).envs(OPTIONS).exec();
    }
}

/// Uses some stack, unless a limit of the stack is near. It stays part of the thread; later, a limit of address space
/// could refuse it. Returns false if that limit has no room for it.
pub fn grow_stack() -> bool {
    const BYTES: usize = 1 << 20;
    // A function of its own: its array takes room where it begins.
    #[inline(never)]
    fn grow() {
        std::hint::black_box(&mut [0_u8; BYTES]);
    }
    // SAFETY: a new mapping at an address that the system chooses affects no other memory.
    let room = unsafe { mmap_anonymous(null_mut(), 2 * BYTES, ProtFlags::empty(), MapFlags::PRIVATE) };
    // SAFETY: nobody else knows this mapping.
    let has_room = room.is_ok_and(|room| unsafe { munmap(room, 2 * BYTES) }.is_ok());
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit > 2 * BYTES as u64) && has_room {
        grow();
    }
    has_room
}

/// Ends the program at once, because the system refuses memory. Allocates nothing.
pub fn end_without_memory(code: i32) -> ! {
    let message =
        b"gridhunt: the system refuses memory (`ulimit -v`), expected more; the last checkpoint of a run stays\n";
    let _ = rustix::io::write(io::stderr(), message);
    signal_hook::low_level::exit(code)
}

/// Does what Ctrl-C does, for a terminal that reports Ctrl-C as a key.
pub fn interrupt() {
    let _ = kill_process(getpid(), Signal::INT);
}

/// The file of standard output.
pub fn stdout_file() -> io::Result<File> {
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}
