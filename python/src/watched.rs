//! Runs work that Ctrl-C can stop, without Python's lock (GIL).

use crate::errors::GridhuntError;
use gridhunt_search::runtime::{StopReason, StopToken};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::scope;
use std::time::Duration;

/// The time between two looks for signals.
pub const POLL: Duration = Duration::from_millis(50);

/// Does work on a thread of its own while other threads of Python go on. A signal handler that raises, as that of
/// Ctrl-C, stops the work; its exception is returned once the work has ended.
///
/// # Errors
/// The exception of a signal handler; a panic of the work.
pub fn watched<T: Send>(py: Python<'_>, stop: &StopToken, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let (working, is_over) = channel::<()>();
    let is_over = Mutex::new(is_over);
    scope(|scope| {
        let worker = scope.spawn(move || {
            let made = work();
            drop(working);
            made
        });
        let wait = || is_over.lock().map_or(Err(RecvTimeoutError::Disconnected), |over| over.recv_timeout(POLL));
        let mut raised = None;
        while py.detach(wait) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = py.check_signals() {
                stop.stop(StopReason::Interrupted);
                raised = Some(error);
                break;
            }
        }
        let made = py.detach(|| worker.join());
        raised.map_or(Ok(()), Err)?;
        made.map_err(|_| GridhuntError::new_err("the work panicked: a fault of gridhunt"))
    })
}
