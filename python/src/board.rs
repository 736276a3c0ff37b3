//! Boards.

use crate::errors::{Raise, option_error};
use crate::options;
use crate::solution::solution_reader;
use gridhunt::hunt::{Config, FoundConfig, Selection, shipped};
use gridhunt::play::SharedGame;
use gridhunt::puzzles::PuzzleId;
use gridhunt::views::film::{DEFAULT_FRAME_COUNT, Film, to_svg};
use gridhunt_boards::{BoardReader, Cell, Entry, ReadOptions, Start, write_entry};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::io::{BufRead, Cursor};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A board, and what its file or link says about its puzzle and rules.
#[pyclass(frozen, module = "gridhunt._native")]
#[derive(Clone)]
pub struct Board {
    pub entry: Entry,
    pub settings: Config,
}

/// The arguments that say how boards are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ReadingArguments {
    format: Option<String>,
    domain: Option<String>,
    size: Option<(usize, usize)>,
    start: Option<(usize, usize)>,
    colours: Option<usize>,
    empty: Option<String>,
}

/// Parses an optional argument.
pub fn parse_argument<T: FromStr<Err: ToString>>(text: Option<&str>) -> PyResult<Option<T>> {
    text.map(str::parse).transpose().map_err(option_error)
}

fn cell((row, col): (usize, usize)) -> Cell {
    Cell { row, col }
}

impl ReadingArguments {
    fn options(&self) -> PyResult<(Option<PuzzleId>, ReadOptions)> {
        let domain: Option<PuzzleId> = parse_argument(self.domain.as_deref())?;
        let options = ReadOptions {
            format: parse_argument(self.format.as_deref())?,
            size: self.size,
            start: self.start.map(|start| Start::At(cell(start))),
            empty_symbol: self.empty.clone(),
            colours: self.colours,
            ..Config { domain, ..Config::default() }.read_options()
        };
        Ok((domain, options))
    }
}

/// Reads all boards of a reader.
fn read_all<R: BufRead>(reader: BoardReader<R>, domain: Option<PuzzleId>) -> PyResult<Vec<Board>> {
    let domain = domain.map_or_else(|| parse_argument(reader.puzzle_name()), |domain| Ok(Some(domain)))?;
    let mut settings = Config { domain, ..Config::default() };
    settings.fill_from_file_settings(&reader.file_settings()).map_err(Raise::raise)?;
    let board = |entry: Result<Entry, _>| Ok(Board { entry: entry.map_err(Raise::raise)?, settings: settings.clone() });
    reader.map(board).collect()
}

/// Reads all boards of a file or of a shipped data set.
fn read_file(path: &Path, domain: Option<PuzzleId>, options: ReadOptions) -> PyResult<Vec<Board>> {
    let name = path.to_string_lossy();
    match shipped::dataset(&name).filter(|_| !path.exists()) {
        Some(bytes) => read_all(BoardReader::new(name, bytes, options).map_err(Raise::raise)?, domain),
        None => read_all(BoardReader::open(path, options).map_err(Raise::raise)?, domain),
    }
}

#[pymethods]
impl Board {
    #[new]
    fn new(
        name: String,
        size: (usize, usize),
        cells: &[u8],
        symbols: Vec<String>,
        start: (usize, usize),
        json: &str,
    ) -> PyResult<Self> {
        let board = gridhunt_boards::Board::new(name, size.0, size.1, cells.to_vec(), symbols, cell(start));
        let entry = Entry { board: board.map_err(Raise::raise)?, published_optimum: None };
        Ok(Self { entry, settings: options::of_call(json)? })
    }

    #[staticmethod]
    fn parse(py: Python<'_>, text: &[u8], name: &str, reading: ReadingArguments) -> PyResult<Vec<Self>> {
        let (domain, options) = reading.options()?;
        py.detach(|| read_all(BoardReader::new(name, Cursor::new(text), options).map_err(Raise::raise)?, domain))
    }

    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, reading: ReadingArguments) -> PyResult<Vec<Self>> {
        let (domain, options) = reading.options()?;
        py.detach(|| read_file(&path, domain, options))
    }

    /// The boards that a configuration selects from its data set.
    #[staticmethod]
    fn of_config(py: Python<'_>, name: &str) -> PyResult<Vec<Self>> {
        let found = FoundConfig::find(name).map_err(Raise::raise)?;
        let Config { dataset, domain, boards: selection, .. } = found.config.clone();
        let Some(dataset) = dataset else {
            let expected = "one, or a list of boards: Hunt(boards, config=..)";
            return Err(option_error(format!("{name}: found no dataset, expected {expected}")));
        };
        let options = found.config.read_options();
        let boards = py.detach(|| read_file(&found.find_dataset(&dataset), domain, options))?;
        if let Some(missing) = selection.as_ref().map(Selection::last).filter(|&last| last > boards.len()) {
            let found = format!("{}: found {} boards", dataset.display(), boards.len());
            return Err(option_error(format!("{found}, expected board {missing}, which the key boards selects")));
        }
        let is_selected = |number| selection.as_ref().is_none_or(|selection| selection.contains(number));
        Ok((1..).zip(boards).filter(|(number, _)| is_selected(*number)).map(|(_, board)| board).collect())
    }

    #[staticmethod]
    fn link(text: &str) -> PyResult<Self> {
        let game = SharedGame::from_link(text).map_err(Raise::raise)?.game;
        let board = game.board().map_err(Raise::raise)?;
        Ok(Self { entry: Entry { board, published_optimum: None }, settings: game.config().map_err(Raise::raise)? })
    }

    #[getter]
    fn name(&self) -> &str {
        self.entry.board.name()
    }

    #[getter]
    fn size(&self) -> (usize, usize) {
        (self.entry.board.rows(), self.entry.board.cols())
    }

    #[getter]
    fn cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.entry.board.cells())
    }

    #[getter]
    fn symbols(&self) -> Vec<String> {
        self.entry.board.symbols().to_vec()
    }

    #[getter]
    fn start(&self) -> (usize, usize) {
        let Cell { row, col } = self.entry.board.start();
        (row, col)
    }

    #[getter]
    fn published(&self) -> Option<u32> {
        self.entry.published_optimum
    }

    #[getter]
    fn settings(&self) -> BTreeMap<String, String> {
        self.settings.to_texts()
    }

    fn text(&self, format: &str) -> PyResult<String> {
        let format = format.parse::<gridhunt_boards::Format>().map_err(option_error)?;
        let mut text = Vec::new();
        write_entry(&self.entry, format, &mut text).map_err(Raise::raise)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A picture of the board, or an animation of a solution.
    fn svg(
        slf: PyRef<'_, Self>,
        py: Python<'_>,
        solution: Option<&str>,
        symbols: bool,
        json: &str,
    ) -> PyResult<String> {
        let board = slf.entry.board.clone();
        let request = options::config(json, [&slf.settings])?.request();
        py.detach(|| {
            let Some(text) = solution else {
                request.domain.check_cells(&board).map_err(Raise::raise)?;
                let frame = request.domain.board_frame(&board).map_err(Raise::raise)?;
                return Ok(to_svg(&Film::new(&board, vec![frame]), symbols));
            };
            let task = request.task(&board).map_err(Raise::raise)?;
            let solution = task.read_solution(&mut solution_reader(text)?).map_err(Raise::raise)?;
            let solution = solution.ok_or_else(|| option_error("found no solution, expected one"))?;
            let film =
                solution.playback().and_then(|playback| Film::of_playback(&board, playback, DEFAULT_FRAME_COUNT));
            Ok(to_svg(&film.map_err(Raise::raise)?, symbols))
        })
    }
}
