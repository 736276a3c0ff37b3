//! Boards from a seed, replays of solutions, certificates, comparisons of bounds.

use crate::board::{Board, parse_argument};
use crate::errors::{CertificateError, Raise, option_error, solution_error, system_error};
use crate::interruptible::run_interruptible;
use crate::options;
use crate::python_bound::{NamedFunction, try_functions};
use crate::solution::solution_reader;
use gridhunt::hunt::{Config, Request, StudyRequest, certify_board, check_certificate, solve_board, study_board};
use gridhunt::puzzles::{self, CertificateForm, PuzzleId};
use gridhunt::views::{JsonVerdict, trial_to_json};
use gridhunt_boards::{Entry, GenerateSpec, Start};
use gridhunt_search::runtime::{Silent, StopToken};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;

/// Boards from a seed, as `gridhunt generate` makes them.
#[pyfunction]
#[pyo3(signature = (size, colours, seed, count, *, kind, fill, json))]
pub fn generate(
    size: (usize, usize),
    colours: usize,
    seed: u64,
    count: u64,
    kind: Option<&str>,
    fill: u32,
    json: &str,
) -> PyResult<Vec<Board>> {
    let mut settings = options::of_call(json)?;
    let kind = kind.map(PuzzleId::of_kind).transpose().map_err(option_error)?;
    let domain = kind.map(|(puzzle, _)| puzzle).or(settings.domain);
    let kind = kind.map_or("", |(_, kind)| kind);
    settings.domain = domain;
    settings.check().map_err(Raise::raise)?;
    let spec = GenerateSpec { rows: size.0, cols: size.1, colours, seed, start: Start::TopLeft };
    let make = |index| {
        let board = domain.unwrap_or_default().generate(kind, fill, &spec, &settings.options, index);
        let board = board.map_err(option_error)?;
        Ok(Board { entry: Entry { board, published_optimum: None }, settings: settings.clone() })
    };
    (0..count).map(make).collect()
}

/// The verdict on a solution, as `gridhunt verify --json` prints it.
#[pyfunction]
pub fn verify(py: Python<'_>, board: PyRef<'_, Board>, solution: &str, json: &str) -> PyResult<String> {
    let (entry, settings) = (board.entry.clone(), board.settings.clone());
    let mut config: Config = options::of_call(json)?;
    py.detach(|| {
        let mut solutions = solution_reader(solution)?;
        let named = solutions.file_settings().map_err(solution_error)?;
        config.fill_from_all_settings(&named).map_err(solution_error)?;
        if config.domain.is_none() || config.domain == settings.domain {
            config.fill_from(settings);
        }
        config.check().map_err(Raise::raise)?;
        let request = config.request();
        let task = request.task(&entry.board).map_err(Raise::raise)?;
        match task.read_solution(&mut solutions).map_err(solution_error)? {
            Some(solution) => {
                let verdict = solution.verdict();
                serde_json::to_string(&JsonVerdict::new(&entry, &verdict)).map_err(system_error)
            }
            None => Err(option_error("found no solution, expected one")),
        }
    })
}

/// All optimal solutions of a board: the record of its search as JSON, their number if they were counted, and the moves
/// of at most `most` of them.
#[pyfunction]
pub fn all_solutions(
    py: Python<'_>,
    board: PyRef<'_, Board>,
    most: usize,
    json: &str,
) -> PyResult<(String, Option<String>, Vec<Vec<String>>)> {
    let board = &*board;
    let request = Request { max_listed_optimal: Some(most), ..options::config(json, [&board.settings])?.request() };
    request.check_states().map_err(Raise::raise)?;
    let (stop, board) = (StopToken::new(), &board.entry.board);
    let record =
        run_interruptible(py, &stop, || solve_board(board, &request, &Silent, &stop))?.map_err(Raise::raise)?;
    let json = serde_json::to_string(&record).map_err(system_error)?;
    Ok((json, record.optimal_solutions, record.listed_solutions))
}

/// A certificate of what a search proves about a board: its bytes, and for `veripb` the bytes of the formula. The
/// search starts from the position after `after` moves of the solution.
#[pyfunction]
pub fn certify<'py>(
    py: Python<'py>,
    board: PyRef<'py, Board>,
    solution: Option<&str>,
    after: usize,
    veripb: bool,
    json: &str,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>)> {
    let mut start = puzzles::StartPosition::from(board.entry.clone());
    let request = options::config(json, [&board.settings])?.request();
    request.check_certificates().map_err(Raise::raise)?;
    if let Some(text) = solution {
        let task = request.task(&board.entry.board).map_err(Raise::raise)?;
        let solution = task.read_solution(&mut solution_reader(text)?).map_err(Raise::raise)?;
        let solution = solution.ok_or_else(|| option_error("found no solution, expected one"))?;
        start = solution.start_after(after).map_err(Raise::raise)?;
    }
    let stop = StopToken::new();
    let form = if veripb { CertificateForm::VeriPb } else { CertificateForm::Records };
    let (board, known) = (&start.entry.board, start.solution.as_ref());
    let certified = run_interruptible(py, &stop, || certify_board(board, &request, known, form, &Silent, &stop))?;
    let (_, certificate) = certified.map_err(Raise::raise)?;
    let formula = certificate.formula.map(|formula| PyBytes::new(py, &formula));
    Ok((PyBytes::new(py, &certificate.bytes), formula))
}

/// What a certificate proves: bound, whether it is the optimum, records, and a text.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    certificate: Cow<'_, [u8]>,
    board: Option<PyRef<'_, Board>>,
    json: &str,
) -> PyResult<(usize, bool, usize, String)> {
    let inputs = match board {
        None => None,
        Some(board) => Some((board.entry.board.clone(), options::config(json, [&board.settings])?.request())),
    };
    let task = inputs.as_ref().map(|(board, request)| request.task(board)).transpose().map_err(Raise::raise)?;
    let proven = py.detach(|| check_certificate(&certificate, task.as_deref()));
    let proven = proven.map_err(CertificateError::new_err)?;
    Ok((proven.bound, proven.is_optimum, proven.records, proven.text))
}

/// Compares bounds, and functions of Python as bounds, on a board. Returns a JSON object for each, as `gridhunt bounds
/// --json` prints it.
#[pyfunction]
pub fn bounds(
    py: Python<'_>,
    board: PyRef<'_, Board>,
    names: Vec<String>,
    own: Vec<NamedFunction>,
    exhaustive: usize,
    json: &str,
) -> PyResult<Vec<String>> {
    let entry = board.entry.clone();
    let names = names.iter().filter_map(|name| parse_argument(Some(name)).transpose()).collect::<PyResult<_>>()?;
    let request = StudyRequest {
        bounds: names,
        request: options::config(json, [&board.settings])?.request(),
        max_exhaustive_states: exhaustive,
    };
    let stop = StopToken::new();
    let study = run_interruptible(py, &stop, || {
        let mut study = study_board(&entry.board, &request, &Silent, &stop).map_err(Raise::raise)?;
        try_functions(&mut study, &entry.board, &request.request, exhaustive, &own, &stop)?;
        Ok::<_, PyErr>(study)
    })?;
    let mut study = study?;
    study.reference.published = entry.published_optimum;
    study.trials.iter().map(|trial| trial_to_json(&study, trial).map_err(system_error)).collect()
}
