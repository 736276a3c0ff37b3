//! Boards to play: read, generated, of the day, or shipped.

use super::PlayError;
use super::game::{Game, request_of};
use crate::hunt::{Config, shipped};
use crate::puzzles::{OptionValues, PuzzleId, puzzle_context};
use gridhunt_boards::{BoardReader, Entry, Format, GenerateSpec, JsonLayout, ReadOptions, Start, parse_size};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A text or file with boards.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BoardInput {
    /// The content as text.
    pub text: String,
    /// The content as bytes, if it is not text: a picture, or another encoding.
    pub bytes: Vec<u8>,
    /// The name of the file.
    pub name: String,
    /// The puzzle, if the input does not name one.
    pub puzzle: String,
    /// The options of the games.
    pub options: BTreeMap<String, String>,
    /// How to read an input with several readings: flags of `solve`, such as `--size 2x3`.
    pub choose: String,
}

/// Boards that were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Boards {
    /// The boards.
    pub games: Vec<Game>,
    /// How the input was read.
    pub notes: Vec<String>,
}

/// The most boards that are read from one input. Further boards are ignored.
const MOST_BOARDS: usize = 2_000;

fn read_options(choose: &str) -> Result<ReadOptions, PlayError> {
    let mut options = ReadOptions::default();
    let mut words = choose.split_ascii_whitespace();
    while let Some(flag) = words.next() {
        let value = words.next().ok_or_else(|| PlayError::new(format!("found {flag}, expected a value after it")))?;
        match flag {
            "--format" => options.format = Some(value.parse::<Format>().map_err(PlayError::new)?),
            "--size" => options.size = Some(parse_size(value).map_err(PlayError::new)?),
            "--start" => options.start = Some(value.parse::<Start>().map_err(PlayError::new)?),
            "--json-layout" => options.json_layout = Some(value.parse::<JsonLayout>().map_err(PlayError::new)?),
            "--empty" => options.empty_symbol = Some(value.to_owned()),
            "--colours" => options.colours = Some(value.parse().map_err(PlayError::new)?),
            _ => {
                let (found, known) = (flag.trim_start_matches('-'), "format, size, start, json-layout, empty, colours");
                return Err(PlayError::new(format!("choose: found {found}, expected one of {known}")));
            }
        }
    }
    Ok(options)
}

impl BoardInput {
    /// Reads the boards.
    ///
    /// # Errors
    /// When the input has no boards, several readings, or a board that the puzzle does not allow.
    pub(super) fn read(&self) -> Result<Boards, PlayError> {
        let input_domain: Option<PuzzleId> = match self.puzzle.as_str() {
            "" => None,
            name => Some(name.parse().map_err(PlayError::new)?),
        };
        let request_for = |domain: PuzzleId| request_of(domain.name(), &self.options_of(domain));
        let mut options = read_options(&self.choose)?;
        let values = input_domain.map(request_for).transpose()?.map(|request| request.options).unwrap_or_default();
        options.puzzle = puzzle_context(input_domain, &values);
        options.default_format = input_domain.and_then(|domain| domain.info().format);
        let name = if self.name.is_empty() { "pasted" } else { &self.name };
        let bytes = if self.bytes.is_empty() { self.text.as_bytes() } else { &self.bytes };
        let mut reader = BoardReader::new(name, bytes, options)?;
        let read_as = reader.is_format_recognised().then(|| format!("read as {}", reader.format()));
        let file_domain = reader.puzzle_name().map(str::parse::<PuzzleId>).transpose().map_err(PlayError::new)?;
        let (mut games, mut omitted) = (Vec::new(), None);
        while let Some(entry) = reader.next() {
            if games.len() == MOST_BOARDS {
                omitted = Some(format!("only the first {MOST_BOARDS} boards can be chosen"));
                break;
            }
            let Entry { board, .. } = entry?;
            let cell_domain = || PuzzleId::all().find(|puzzle| puzzle.distinctive_cells(&board).is_some());
            let defaults = OptionValues::default();
            let allowing_domain = || PuzzleId::all().find(|puzzle| puzzle.checked_task(&board, &defaults).is_ok());
            let domain = file_domain.or_else(cell_domain).or(input_domain).or_else(allowing_domain).unwrap_or_default();
            let mut config =
                Config { domain: Some(domain), options: request_for(domain)?.options, ..Config::default() };
            config.fill_from_file_settings(&reader.file_settings()).map_err(PlayError::new)?;
            config.request().task(&board).map_err(PlayError::new)?;
            games.push(Game { limit: reader.move_limit(), ..Game::with_config(&board, &config) });
        }
        let notes = read_as.into_iter().chain(reader.notes()).chain(omitted).collect();
        Ok(Boards { games, notes })
    }

    fn options_of(&self, domain: PuzzleId) -> BTreeMap<String, String> {
        let is_for_puzzle = self.puzzle.is_empty() || self.puzzle == domain.name();
        if is_for_puzzle { self.options.clone() } else { BTreeMap::new() }
    }
}

/// A description of a new board.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewBoard {
    /// The puzzle.
    pub puzzle: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The number of colours; ignored if programs solve the puzzle.
    pub colours: usize,
    /// The start cell, as `--start` takes it.
    pub start: String,
    /// One of the puzzle's kinds of boards, or nothing.
    pub kind: String,
    /// The seed.
    pub seed: u64,
    /// The number of the board of this seed, from 0.
    pub index: u64,
    /// The options of the game.
    pub options: BTreeMap<String, String>,
}

/// The percentage of filled cells, for kinds of boards that have one.
const FILL_PERCENT: u32 = 70;

impl NewBoard {
    /// Generates the board. Equal descriptions give equal boards, everywhere and always.
    ///
    /// # Errors
    /// When the size, the number of colours, the start or the kind is not allowed.
    pub fn generate(&self) -> Result<Game, PlayError> {
        let request = request_of(&self.puzzle, &self.options)?;
        let start = if self.start.is_empty() { Start::TopLeft } else { self.start.parse().map_err(PlayError::new)? };
        let Self { rows, cols, colours, seed, index, .. } = *self;
        let spec = GenerateSpec { rows, cols, colours, seed, start };
        let board = request.domain.generate(&self.kind, FILL_PERCENT, &spec, &request.options, index);
        let board = board.map_err(PlayError::new)?;
        request.task(&board).map_err(PlayError::new)?;
        Ok(Game::of(&board, request.domain, &self.options))
    }

    /// The board of a day, `YYYY-MM-DD`: the board whose seed is the date as a number.
    ///
    /// # Errors
    /// When the text is not a date, and as for [`NewBoard::generate`].
    pub(super) fn of_day(&self, date: &str) -> Result<Game, PlayError> {
        let error = || PlayError::new(format!("found the date {date}, expected one such as 2026-01-31"));
        let seed = date_number(date).ok_or_else(error)?;
        let game = Self { seed, index: 0, ..self.clone() }.generate()?;
        Ok(Game { name: format!("board of {date}"), ..game })
    }
}

/// A date `YYYY-MM-DD` from 1970 on as the number `YYYYMMDD`; `None` if there is no such day.
fn date_number(date: &str) -> Option<u64> {
    let parts: Vec<&str> = date.split('-').collect();
    if !parts.iter().map(|part| part.len()).eq([4, 2, 2]) || !parts.concat().bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = parts.concat().parse().ok()?;
    let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (year >= 1970 && (1..=days).contains(&day)).then_some(number)
}

/// The names of the data sets for a puzzle that are part of the program.
///
/// # Errors
/// When there is no such puzzle.
pub(super) fn datasets(puzzle: &str) -> Result<Vec<&'static str>, PlayError> {
    let puzzle: PuzzleId = puzzle.parse().map_err(PlayError::new)?;
    Ok(shipped::datasets_for(puzzle.name()).collect())
}

/// The boards of a data set that is part of the program.
///
/// # Errors
/// When there is no such data set.
pub(super) fn dataset(name: &str) -> Result<Boards, PlayError> {
    let bytes = shipped::dataset(name).ok_or_else(|| {
        let nearest = shipped::nearest_dataset(name).map_or_else(String::new, |near| format!("; did you mean {near}?"));
        PlayError::new(format!("found the data set {name}, expected one of the program's{nearest}"))
    })?;
    BoardInput { bytes: bytes.to_vec(), name: name.to_owned(), ..BoardInput::default() }.read()
}
