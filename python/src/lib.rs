//! The native part of the module `gridhunt` of Python: boards, searches and tools, with results as texts of JSON. The
//! Python files beside it make objects of these.
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod allocator;
mod board;
mod calls;
mod errors;
mod options;
mod own_bound;
mod own_puzzle;
mod run;
mod search;
mod solution;
mod tools;
mod watched;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gridhunt_search::platform::set_purge(allocator::purge);
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<board::Board>()?;
    module.add_class::<search::Search>()?;
    errors::add(module)?;
    tools::add(module)?;
    run::add(module)
}
