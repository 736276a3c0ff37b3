//! Lower bounds of Flood-It written in Python: functions of the cells.

use crate::calls::{Calls, value_of};
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

/// A function of Python, and the name that it has in tables.
pub type Function = (String, Py<PyAny>);

/// A lower bound that calls a function of Python.
struct OwnBound<'a> {
    function: &'a Function,
    regions: &'a floodit::Regions,
    cols: usize,
    calls: &'a Calls<'a>,
}

impl LowerBound<Puzzle> for OwnBound<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        self.function.0.clone()
    }

    fn evaluate(&self, state: &floodit::Flood<4>, _enough: Cost, (): &mut ()) -> Bound {
        let value = |&region: &usize| match floodit::bits::contains(&state.flooded, region) {
            true => -1,
            false => i16::from(self.regions.colour[region]),
        };
        let cells: Vec<i16> = self.regions.of_cell.iter().map(value).collect();
        let rows: Vec<&[i16]> = cells.chunks(self.cols).collect();
        let (name, function) = self.function;
        let value = self.calls.call(|py| value_of(name, function.bind(py).call1((rows,))?.as_any()));
        Bound(value.unwrap_or(0))
    }

    fn is_consistent(&self) -> bool {
        false
    }
}

/// Adds to a study a trial for each function.
///
/// # Errors
/// When the board is not one of Flood-It or too large, or a function raises or returns no whole number from 0.
pub fn try_functions(
    study: &mut Study,
    board: &Board,
    request: &Request,
    exhaustive: usize,
    functions: &[Function],
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
    let calls = Calls::new(stop);
    let context = Context::new(1, request.limits, &Silent, stop);
    let bound = |function| OwnBound { function, regions: &regions, cols: board.cols(), calls: &calls };
    let mut trials = Vec::new();
    for function in functions {
        let states = match exhaustive {
            0 => None,
            most => solve_all(&Problem::new(&puzzle, bound(function)), most, &context),
        };
        let truth = KnownCosts { solution: &solution, states: states.as_deref() };
        let trial = try_bound(|| Box::new(Problem::new(&puzzle, bound(function))), &truth, &context);
        trials.push(trial.map_err(system_error)?);
    }
    study.trials.extend(trials);
    calls.raise()
}
