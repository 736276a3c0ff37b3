//! Lower bounds of Flood-It written in Python: functions of the cells.

use crate::calls::{PythonCalls, bound_value};
use crate::errors::{option_error, system_error};
use gridhunt::hunt::{Request, Study};
use gridhunt::puzzles::PuzzleId;
use gridhunt_boards::Board;
use gridhunt_floodit as floodit;
use gridhunt_search::domain::{Bound, Cost, LowerBound};
use gridhunt_search::engine::{Context, KnownCosts, solve_all, try_bound};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Silent, StopToken};
use pyo3::prelude::*;

/// Sets of four words have a bit for each region of a board of 15x15.
type Puzzle = floodit::FloodIt<4>;

/// A function of Python, after its name in tables.
pub type NamedFunction = (String, Py<PyAny>);

/// A lower bound that calls a function of Python.
struct PythonBound<'a> {
    function: &'a NamedFunction,
    regions: &'a floodit::Regions,
    cols: usize,
    calls: &'a PythonCalls<'a>,
}

impl LowerBound<Puzzle> for PythonBound<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        self.function.0.clone()
    }

    fn evaluate(&self, state: &floodit::Flood<4>, _cutoff: Cost, (): &mut ()) -> Bound {
        let value = |&region: &usize| match floodit::bits::contains(&state.flooded, region) {
            true => -1,
            false => i16::from(self.regions.colour[region]),
        };
        let cells: Vec<i16> = self.regions.of_cell.iter().map(value).collect();
        let rows: Vec<&[i16]> = cells.chunks(self.cols).collect();
        let (name, function) = self.function;
        let value = self.calls.call(|py| bound_value(name, function.bind(py).call1((rows,))?.as_any()));
        Bound(value.unwrap_or(0))
    }

    fn is_consistent(&self) -> bool {
        false
    }
}

/// Adds a trial for each function to a study.
///
/// # Errors
/// When the board is not of Flood-It or is too large, or a function raises or does not return a whole number from 0.
pub fn try_functions(
    study: &mut Study,
    board: &Board,
    request: &Request,
    max_exhaustive_states: usize,
    functions: &[NamedFunction],
    stop: &StopToken,
) -> PyResult<()> {
    let Some(solution) = study.reference.solution.clone().filter(|_| !functions.is_empty()) else { return Ok(()) };
    if request.domain != PuzzleId::default() {
        let found = request.domain.name();
        return Err(option_error(format!("found the puzzle {found}, expected flood-it for a bound written in Python")));
    }
    let regions = floodit::Regions::of(board);
    let too_large = || option_error("found a board of too many regions, expected one of up to 15x15");
    let puzzle = Puzzle::try_new(&regions, board.colours()).ok_or_else(too_large)?;
    let calls = PythonCalls::new(stop);
    let context = Context::new(1, request.limits, &Silent, stop);
    let bound = |function| PythonBound { function, regions: &regions, cols: board.cols(), calls: &calls };
    let mut trials = Vec::new();
    for function in functions {
        let states = match max_exhaustive_states {
            0 => None,
            max_states => solve_all(&Problem::new(&puzzle, bound(function)), max_states, &context),
        };
        let known_costs = KnownCosts { solution: &solution, states: states.as_deref() };
        let trial = try_bound(|| Box::new(Problem::new(&puzzle, bound(function))), &known_costs, &context);
        trials.push(trial.map_err(system_error)?);
    }
    study.trials.extend(trials);
    calls.finish()
}
