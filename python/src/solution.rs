//! Solutions.

use crate::errors::solution_error;
use gridhunt::puzzles::Solutions;
use gridhunt_boards::SolutionReader;
use pyo3::prelude::*;
use std::io::{BufRead, Cursor};

/// Makes a reader of the solution in a text.
pub fn solution_reader(text: &str) -> PyResult<Solutions> {
    let input: Box<dyn BufRead + Send> = Box::new(Cursor::new(text.to_owned()));
    let solutions = SolutionReader::new("the solution", input).map_err(solution_error)?;
    Ok(solutions.with_solution_count(1))
}
