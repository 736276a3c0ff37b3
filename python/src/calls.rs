//! Calls functions that users have written in Python, from the threads of a search.

use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::{StopReason, StopToken};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Extracts the value of a lower bound.
///
/// # Errors
/// When the value is not a whole number from 0.
pub fn bound_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Cost> {
    let wrong = |_| PyValueError::new_err(format!("{name}: found {value}, expected a whole number from 0"));
    value.extract().map_err(wrong)
}

/// The calls into Python during a search. The first call that fails ends the search.
pub struct PythonCalls<'a> {
    stop: &'a StopToken,
    failure: Mutex<Option<PyErr>>,
}

impl<'a> PythonCalls<'a> {
    /// Without calls so far. `stop` ends the search.
    pub fn new(stop: &'a StopToken) -> Self {
        Self { stop, failure: Mutex::new(None) }
    }

    /// Makes a call, and returns its result. Returns `None` from the first failed call on.
    pub fn call<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
        if self.lock().is_some() {
            return None;
        }
        match Python::attach(call) {
            Ok(value) => Some(value),
            Err(error) => {
                self.lock().get_or_insert(error);
                self.stop.stop(StopReason::Interrupted);
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the calls.
    ///
    /// # Errors
    /// The exception of the first call that failed.
    pub fn finish(self) -> PyResult<()> {
        self.failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
