//! Puzzles written in Python: an object that defines the start, the moves and the goals.

use crate::calls::{PythonCalls, bound_value};
use crate::errors::{GridhuntError, option_error, system_error};
use crate::interruptible::run_interruptible;
use crate::options;
use gridhunt_search::domain::{self, Cost, Domain, LowerBound, MoveMask, Successor};
use gridhunt_search::engine::{
    BoundCheck, Context, KnownCosts, Outcome, Solution, StateEngine, Status, search, solve_all, try_bound,
};
use gridhunt_search::expand::Problem;
use gridhunt_search::runtime::{Silent, StopToken};
use gridhunt_search::store::{MAX_G, MAX_MOVE};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A puzzle in Python. Its states are bytes, all of the same length.
struct PythonPuzzle<'a> {
    object: &'a Py<PyAny>,
    root: Box<[u8]>,
    calls: PythonCalls<'a>,
    /// The highest cost of a generated move.
    max_move_cost: AtomicU32,
}

/// A move: what the user calls it, the state to which it leads, and its cost.
type Move = (Py<PyAny>, Box<[u8]>, Cost);

impl PythonPuzzle<'_> {
    /// The moves from a state, in the order of the puzzle.
    fn moves(&self, py: Python<'_>, state: &[u8]) -> PyResult<Vec<Move>> {
        let listed_moves = self.object.call_method1(py, "moves", (PyBytes::new(py, state),))?;
        let mut moves = Vec::new();
        for item in listed_moves.bind(py).try_iter()? {
            let (name, to, cost): (Py<PyAny>, Bound<'_, PyBytes>, Cost) = item?.extract().map_err(|error| {
                PyTypeError::new_err(format!("moves: expected (name, state, cost) with bytes as state: {error}"))
            })?;
            let to = to.as_bytes();
            if to.len() != self.root.len() {
                let (found, expected) = (to.len(), self.root.len());
                return Err(PyValueError::new_err(format!(
                    "moves: found a state of {found} bytes, expected {expected}, as the start has"
                )));
            }
            if !(1..=MAX_G).contains(&cost) || moves.len() > usize::from(MAX_MOVE) {
                return Err(PyValueError::new_err(format!(
                    "moves: found move {} of cost {cost}, expected at most {} moves of costs from 1 to {MAX_G}",
                    moves.len() + 1,
                    MAX_MOVE + 1
                )));
            }
            self.max_move_cost.fetch_max(cost, Relaxed);
            moves.push((name, to.into(), cost));
        }
        Ok(moves)
    }

    fn is_goal(&self, py: Python<'_>, state: &[u8]) -> PyResult<bool> {
        self.object.call_method1(py, "is_goal", (PyBytes::new(py, state),))?.is_truthy(py)
    }

    /// Replays a solution. Returns the names of its moves.
    fn replay(&self, py: Python<'_>, solution: &Solution) -> PyResult<Vec<Py<PyAny>>> {
        let (mut state, mut total_cost, mut names) = (self.root.clone(), 0, Vec::new());
        for &number in &solution.moves {
            let Some((name, to, cost)) = self.moves(py, &state)?.into_iter().nth(usize::from(number)) else { break };
            (state, total_cost) = (to, total_cost + cost);
            names.push(name);
        }
        if names.len() == solution.moves.len() && total_cost == solution.cost && self.is_goal(py, &state)? {
            return Ok(names);
        }
        Err(GridhuntError::new_err(
            "a solution cannot be played again, expected a puzzle that gives the same moves for the same state",
        ))
    }

    /// The proven status and lower bound. A wrong bound proves nothing. A search finds only solutions of cost [`MAX_G`]
    /// or less. A path without a cycle costs at most as much as all generated moves together. If this sum is at most
    /// [`MAX_G`], the search has seen all solutions.
    fn proven(&self, outcome: &Outcome, check: Option<&BoundCheck>) -> (Status, Option<Cost>) {
        let max_path_cost = outcome.statistics.generated.saturating_mul(u64::from(self.max_move_cost.load(Relaxed)));
        let lower_bound = Some(outcome.lower_bound.min(MAX_G + 1));
        match outcome.status() {
            _ if check.is_some_and(|check| check.above > 0) => (Status::Feasible, None),
            Status::Unsolvable if max_path_cost <= u64::from(MAX_G) => (Status::Unsolvable, None),
            Status::Unsolvable => (Status::Unknown, lower_bound),
            Status::Optimal if outcome.lower_bound > MAX_G => (Status::Feasible, lower_bound),
            status => (status, lower_bound),
        }
    }
}

impl Domain for PythonPuzzle<'_> {
    type State = Box<[u8]>;

    fn key_len(&self) -> usize {
        self.root.len()
    }

    fn root(&self) -> Box<[u8]> {
        self.root.clone()
    }

    fn pack(&self, state: &Box<[u8]>, key: &mut [u8]) {
        key.copy_from_slice(state);
    }

    fn unpack(&self, key: &[u8], state: &mut Box<[u8]>) {
        state.copy_from_slice(key);
    }

    fn successors(&self, state: &Box<[u8]>, _skip: MoveMask, out: &mut Vec<Successor<Box<[u8]>>>) {
        let moves = self.calls.call(|py| self.moves(py, state)).unwrap_or_default();
        out.extend((0..).zip(moves).map(|(mv, (_, state, cost))| Successor { mv, cost, sleep_set: 0, state }));
    }

    fn terminal_cost(&self, state: &Box<[u8]>) -> Option<Cost> {
        self.calls.call(|py| self.is_goal(py, state)).filter(|is_goal| *is_goal).map(|_| 0)
    }
}

/// The method `bound` of a puzzle; always 0 if the puzzle has no such method.
struct BoundMethod<'a> {
    puzzle: &'a PythonPuzzle<'a>,
    has_method: bool,
}

impl LowerBound<PythonPuzzle<'_>> for BoundMethod<'_> {
    type Scratch = ();

    fn name(&self) -> String {
        if self.has_method { "bound" } else { "none" }.to_owned()
    }

    fn evaluate(&self, state: &Box<[u8]>, _cutoff: Cost, (): &mut ()) -> domain::Bound {
        let &Self { puzzle, has_method: true } = self else { return domain::Bound(0) };
        let value = puzzle.calls.call(|py| {
            bound_value("bound", &puzzle.object.bind(py).call_method1("bound", (PyBytes::new(py, state),))?)
        });
        domain::Bound(value.unwrap_or(0))
    }

    fn is_consistent(&self) -> bool {
        !self.has_method
    }
}

/// The result of a search: see `Outcome` in `_puzzle.py`.
type OutcomeParts =
    (String, Option<Cost>, Option<Cost>, Vec<Py<PyAny>>, Option<&'static str>, [u64; 3], Option<[u64; 4]>);

/// Searches a puzzle on one thread. If it has at most `exhaustive` states, checks the bound at every state.
#[pyfunction]
pub fn solve_puzzle(py: Python<'_>, object: Py<PyAny>, exhaustive: usize, json: &str) -> PyResult<OutcomeParts> {
    let request = options::of_python_puzzle(json)?.request();
    let engine = StateEngine::from_name(request.engine.name());
    let engine =
        engine.ok_or_else(|| option_error("engine: found synthesis, which searches programs, expected another"))?;
    let root = object.call_method0(py, "start")?;
    let root: Box<[u8]> = root.bind(py).cast::<PyBytes>()?.as_bytes().into();
    if root.is_empty() {
        return Err(PyValueError::new_err("start: found no bytes, expected at least one"));
    }
    let has_method = object.bind(py).hasattr("bound")?;
    let stop = StopToken::new();
    let puzzle =
        PythonPuzzle { object: &object, root, calls: PythonCalls::new(&stop), max_move_cost: AtomicU32::new(0) };
    let context = Context::new(1, request.limits, &Silent, &stop);
    let result = run_interruptible(py, &stop, || {
        let space = Problem::new(&puzzle, BoundMethod { puzzle: &puzzle, has_method });
        let outcome = search(engine, &space, &request.parameters, None, &context)?;
        let check = match &outcome.incumbent {
            Some(solution) if exhaustive > 0 => {
                let states = solve_all(&space, exhaustive, &context);
                let known_costs = KnownCosts { solution, states: states.as_deref() };
                let make = || Box::new(Problem::new(&puzzle, BoundMethod { puzzle: &puzzle, has_method })) as _;
                states.as_ref().map(|_| try_bound(make, &known_costs, &context)).transpose()?.map(|trial| trial.check)
            }
            _ => None,
        };
        Ok::<_, gridhunt_search::checkpoint::CheckpointError>((outcome, check))
    })?;
    let (outcome, check) = result.map_err(system_error)?;
    let names = outcome.incumbent.as_ref().map(|solution| puzzle.replay(py, solution)).transpose();
    let ((status, lower_bound), statistics) = (puzzle.proven(&outcome, check.as_ref()), &outcome.statistics);
    puzzle.calls.finish()?;
    Ok((
        status.name().to_owned(),
        outcome.incumbent.as_ref().map(|solution| solution.cost),
        lower_bound,
        names?.unwrap_or_default(),
        outcome.stopped.map(|reason| reason.name()),
        [statistics.expanded, statistics.generated, statistics.evaluated],
        check.map(|BoundCheck { states, above, excess, falls, .. }| [states, above, u64::from(excess), falls]),
    ))
}
