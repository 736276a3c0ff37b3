//! Run directories, read without changing anything.

use crate::errors::{Raise, system_error};
use gridhunt::hunt::RunState;
use gridhunt::views::page::Document;
use gridhunt::views::{RunReport, RunRows};
use pyo3::prelude::*;
use std::path::PathBuf;

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(system_error)
}

/// What `gridhunt status --json` prints.
#[pyfunction]
pub fn run_status(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| json(&RunReport::read(&path, false).map_err(Raise::raise)?))
}

/// The records of all boards with a result, in their order.
#[pyfunction]
pub fn run_results(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| {
        let state = RunState::read(&path).map_err(Raise::raise)?;
        json(&state.results.records().values().collect::<Vec<_>>())
    })
}

/// The rows of `progress.jsonl`.
#[pyfunction]
pub fn run_progress(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| {
        let state = RunState::read(&path).map_err(Raise::raise)?;
        json(&RunRows::read(&state).map_err(system_error)?.rows)
    })
}

/// The page that `gridhunt report` writes, with at most this many solutions.
#[pyfunction]
pub fn run_page(py: Python<'_>, path: PathBuf, films: usize) -> PyResult<String> {
    py.detach(|| {
        let mut document = Document::new(path.display().to_string());
        document.add(&path, films).map_err(Raise::raise)?;
        document.to_html().map_err(system_error)
    })
}
