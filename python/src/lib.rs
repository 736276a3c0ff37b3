//! The native part of the module `gridhunt` of Python: boards, searches and tools, with results as texts in JSON. The
//! Python files of the module turn these texts into objects.
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod allocator;
mod board;
mod calls;
mod errors;
mod interruptible;
mod options;
mod python_bound;
mod python_puzzle;
mod run;
mod search;
mod solution;
mod tools;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::board::Board;
    #[pymodule_export]
    use crate::python_puzzle::solve_puzzle;
    #[pymodule_export]
    use crate::run::{run_page, run_progress, run_results, run_status};
    #[pymodule_export]
    use crate::search::Search;
    #[pymodule_export]
    use crate::tools::{all_solutions, bounds, certify, check, generate, verify};
    use gridhunt::hunt::Config;
    use gridhunt_search::engine::PARAMETERS;
    use pyo3::prelude::*;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Adds `OPTIONS`: the names of all options and parameters, as configurations spell them.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        gridhunt_search::platform::set_purge(crate::allocator::purge);
        let parameters = PARAMETERS.iter().map(|parameter| parameter.name);
        module.add("OPTIONS", Config::keys().chain(parameters).collect::<Vec<_>>())
    }
}
