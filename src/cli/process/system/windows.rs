//! The console of Windows. Its events are treated as the Unix signals with the same meaning, so that codes and messages
//! are the same everywhere: Ctrl-C is SIGINT, Ctrl-Break SIGQUIT, a closed window SIGHUP, and the end of the session
//! SIGTERM. The other signals never come.

use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};

pub const SIGHUP: i32 = 1;
pub const SIGINT: i32 = 2;
pub const SIGQUIT: i32 = 3;
pub const SIGUSR1: i32 = 10;
pub const SIGPIPE: i32 = 13;
pub const SIGTERM: i32 = 15;
pub const SIGXCPU: i32 = 24;

/// The reaction to console events.
struct SignalHandler {
    signals: Vec<i32>,
    ends_at_once: Vec<i32>,
    react: Box<dyn Fn(i32) + Send + Sync>,
}

static SIGNAL_HANDLERS: Mutex<Vec<Arc<SignalHandler>>> = Mutex::new(Vec::new());

/// Whether an event has arrived.
static HAS_ARRIVED: AtomicBool = AtomicBool::new(false);

/// Calls `react` for each of `signals` that arrives, on a new thread. A signal of `ends_at_once` that is not the first
/// ends the program at once.
pub fn on_signal(signals: &[i32], ends_at_once: &[i32], react: impl Fn(i32) + Send + Sync + 'static) -> io::Result<()> {
    let handler =
        SignalHandler { signals: signals.to_vec(), ends_at_once: ends_at_once.to_vec(), react: Box::new(react) };
    let mut handlers = SIGNAL_HANDLERS.lock().unwrap_or_else(PoisonError::into_inner);
    if handlers.is_empty() {
        // SAFETY: the handler has the type that the system expects, and is never removed.
        let done = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
        if done == 0 {
            return Err(io::Error::last_os_error());
        }
    }
    handlers.push(Arc::new(handler));
    Ok(())
}

/// Called by the system on a new thread, for each event. Returns 0 for an event without a handler.
// SAFETY: any number may be handled. The function is unsafe because the system expects this type.
unsafe extern "system" fn handle(event: u32) -> i32 {
    let (signal, is_last) = match event {
        CTRL_C_EVENT => (SIGINT, false),
        CTRL_BREAK_EVENT => (SIGQUIT, false),
        CTRL_CLOSE_EVENT => (SIGHUP, true),
        CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT => (SIGTERM, true),
        _ => return 0,
    };
    let mut handlers = SIGNAL_HANDLERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    handlers.retain(|handler| handler.signals.contains(&signal));
    if handlers.is_empty() {
        return 0;
    }
    if HAS_ARRIVED.swap(true, SeqCst)
        && !is_last
        && handlers.iter().any(|handler| handler.ends_at_once.contains(&signal))
    {
        // SAFETY: the handle is that of this process, which ends here.
        unsafe { TerminateProcess(GetCurrentProcess(), 128 + signal.cast_unsigned()) };
    }
    handlers.iter().for_each(|handler| (handler.react)(signal));
    // The system ends the program when the handler of a last event returns, or some seconds later.
    while is_last {
        std::thread::park();
    }
    1
}

/// Stores in `last` the number of the last of `signals` that has arrived.
pub fn store_last_signal(signals: &[i32], last: &Arc<AtomicUsize>) -> io::Result<()> {
    let last = Arc::clone(last);
    on_signal(signals, &[], move |signal| last.store(signal as usize, SeqCst))
}

/// Does nothing: here, a write beyond a limit fails and does not end the program.
pub fn adjust_limits() -> io::Result<()> {
    Ok(())
}

/// Does what Ctrl-C does, for a terminal that reports Ctrl-C as a key.
pub fn interrupt() {
    // SAFETY: the handler takes any event.
    unsafe { handle(CTRL_C_EVENT) };
}

/// The file of standard output.
pub fn stdout_file() -> io::Result<File> {
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}

/// Address space that is held in reserve for a failed allocation. Here it is empty, because limits of address space are
/// not usual.
pub struct Reserve;

impl Reserve {
    /// Makes an empty reserve.
    pub const fn none() -> Self {
        Self
    }

    /// Does nothing. Returns true, because no reserve is needed.
    pub fn acquire(&self) -> bool {
        true
    }

    /// Does nothing.
    pub fn release(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_the_console_are_heard_as_signals() {
        // SAFETY: the handler takes any event.
        let event = |event| unsafe { handle(event) };
        assert_eq!(event(CTRL_BREAK_EVENT), 0, "nobody hears it");
        let last = Arc::new(AtomicUsize::new(0));
        store_last_signal(&[SIGINT, SIGQUIT], &last).unwrap();
        for (number, signal) in [(CTRL_C_EVENT, SIGINT), (CTRL_BREAK_EVENT, SIGQUIT)] {
            assert_eq!((event(number), last.load(SeqCst)), (1, signal as usize));
        }
        interrupt();
        assert_eq!(last.load(SeqCst), SIGINT as usize);
        assert_eq!(event(CTRL_CLOSE_EVENT), 0, "not asked for");
    }
}
