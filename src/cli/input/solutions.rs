//! Solution files, and the puzzle, objective and rules that they name.

use super::Input;
use crate::cli::args::solution::NotationFlags;
use crate::cli::output::exit::Failure;
use crate::cli::output::print_message;
use gridhunt::hunt::Config;
use gridhunt::hunt::Request;
use gridhunt::puzzles::Solutions;
use gridhunt_boards::{BoardError, Entry, SolutionReader};
use std::path::Path;

impl NotationFlags {
    /// Opens a solution file. If `solutions` is a number, the file has to hold exactly this number of solutions.
    pub fn open_solutions(self, path: &Path, solutions: Option<usize>) -> Result<Solutions, BoardError> {
        let mut reader = SolutionReader::open(path)?;
        if let Some(solutions) = solutions {
            reader = reader.with_solution_count(solutions);
        }
        Ok(match self.origin {
            Some(origin) => reader.with_origin(origin),
            None => reader,
        })
    }
}

/// Assigns the solutions of a file to boards. Returns the boards with a solution, and prints the others.
pub fn with_solutions(boards: Vec<Entry>, solutions: &mut Solutions, quiet: bool) -> Result<Vec<Entry>, Failure> {
    let names: Vec<&str> = boards.iter().map(|entry| entry.board.name()).collect();
    let missing = solutions.match_boards(&names)?;
    let has_solution = |(entry, reason): (Entry, Option<String>)| {
        let Some(reason) = reason else { return Some(entry) };
        if !quiet {
            print_message(&format!("note: no solution for {}: {reason}", entry.board.name()));
        }
        None
    };
    Ok(boards.into_iter().zip(missing).filter_map(has_solution).collect())
}

/// The request for boards and their solutions, if any: `config` with the options of the command line, then the settings
/// of the solution, unless they are about another puzzle, then those of the file or the link of the board.
pub fn request_for(mut config: Config, solutions: Option<&mut Solutions>, input: &Input) -> Result<Request, Failure> {
    if let Some(solutions) = solutions {
        config.fill_from_file_settings(&solutions.file_settings()?)?;
    }
    input.fill_config(&mut config);
    config.check()?;
    Ok(config.request())
}
