//! Runs work that Ctrl-C can stop, without Python's lock (GIL).

use crate::errors::{GridhuntError, system_error};
use gridhunt_search::runtime::{StopReason, StopToken};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

/// The time between two checks for signals.
pub const POLL: Duration = Duration::from_millis(50);

/// Does work on a new thread, while other threads of Python run. A signal handler that raises, as the handler of Ctrl-C
/// does, stops the work. This function returns the exception of the handler once the work has ended.
///
/// # Errors
/// The exception of a signal handler, a panic of the work, or a thread that the system refuses.
pub fn run_interruptible<T: Send>(py: Python<'_>, stop: &StopToken, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let (end_sender, end_receiver) = channel::<()>();
    let end_receiver = Mutex::new(end_receiver);
    scope(|scope| {
        let work = move || {
            let result = work();
            drop(end_sender);
            result
        };
        let worker = Builder::new().spawn_scoped(scope, work).map_err(system_error)?;
        let wait = || end_receiver.lock().map_or(Err(RecvTimeoutError::Disconnected), |end| end.recv_timeout(POLL));
        let mut raised = None;
        while py.detach(wait) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = py.check_signals() {
                stop.stop(StopReason::Interrupted);
                raised = Some(error);
                break;
            }
        }
        let result = py.detach(|| worker.join());
        raised.map_or(Ok(()), Err)?;
        result.map_err(|_| GridhuntError::new_err("the work panicked: a fault of gridhunt"))
    })
}
