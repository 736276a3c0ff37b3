//! Solution files, and the puzzle, objective and rules that they name.

use super::Input;
use crate::cli::args::solution::NotationFlags;
use crate::cli::output::exit::Failure;
use crate::cli::output::print_message;
use gridhunt::hunt::{Config, Request};
use gridhunt::puzzles::Solutions;
use gridhunt_boards::{BoardError, Entry, SolutionReader};
use std::path::Path;

impl NotationFlags {
    /// Opens a solution file with solutions for `count` boards, if their number is known.
    pub fn open_solutions(self, path: &Path, count: Option<usize>) -> Result<Solutions, BoardError> {
        let mut reader = SolutionReader::open(path)?;
        if let Some(count) = count {
            reader = reader.with_solution_count(count);
        }
        Ok(match self.origin {
            Some(origin) => reader.with_origin(origin),
            None => reader,
        })
    }
}

/// Assigns the solutions of a file to boards, `all` of them or the first of each board. Returns the boards with
/// solutions and their numbers, and prints which boards have none.
pub fn with_solutions(
    boards: Vec<Entry>,
    solutions: &mut Solutions,
    all: bool,
    quiet: bool,
) -> Result<Vec<(Entry, usize)>, Failure> {
    let names: Vec<&str> = boards.iter().map(|entry| entry.board.name()).collect();
    let counts = solutions.match_boards(&names, all)?;
    let with_solution = |(entry, count): (Entry, Result<usize, String>)| {
        if let Some(reason) = count.as_ref().err().filter(|_| !quiet) {
            print_message(&format!("note: no solution for {}: {reason}", entry.board.name()));
        }
        Some((entry, count.ok()?))
    };
    Ok(boards.into_iter().zip(counts).filter_map(with_solution).collect())
}

/// The request for boards and their solutions, if any. Options of the command line, in `config`, override the settings
/// of the solution, and these override the settings of the board's file or link. Settings for another puzzle are
/// ignored.
pub fn request_for(mut config: Config, solutions: Option<&mut Solutions>, input: &Input) -> Result<Request, Failure> {
    let mut of_board = config.clone();
    input.fill_config(&mut of_board)?;
    if let Some(solutions) = solutions {
        config.fill_from_all_settings(&solutions.file_settings()?)?;
        for (option, claim) in config.options.iter() {
            if let Some(other) = of_board.options.get(option.name).filter(|other| *other != claim) {
                print_message(&format!("note: the solution names {} {claim}, the board {other}", option.name));
            }
        }
    }
    input.fill_config(&mut config)?;
    config.check()?;
    Ok(config.request())
}
