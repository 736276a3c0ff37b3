//! `--from`: known solutions, read together with their boards.

use super::Input;
use crate::cli::args::solution::KnownSolutionFlags;
use gridhunt::hunt::Request;
use gridhunt::puzzles::{PuzzleError, Solutions, StartPosition};
use gridhunt_boards::{BoardError, Entry};
use std::path::PathBuf;

/// The boards of an input with their known solutions.
pub struct Starts {
    input: Input,
    request: Request,
    solutions: Option<(PathBuf, Solutions)>,
    after: usize,
}

impl Starts {
    /// Opens the file of known solutions, if there is one.
    pub fn open(input: Input, request: Request, known: &KnownSolutionFlags) -> Result<Self, BoardError> {
        let total = input.total;
        let of_file = |path: &PathBuf| known.notation.open_solutions(path, total)?.first_of_boards();
        let open = |path: &PathBuf| Ok::<_, BoardError>((path.clone(), of_file(path)?));
        let solutions = known.from.as_ref().map(open).transpose()?;
        Ok(Self { input, request, solutions, after: known.after })
    }

    /// Reads the known solution of a board, and returns the position from which to search.
    fn start(&mut self, entry: Entry) -> Result<StartPosition, PuzzleError> {
        let Some((path, solutions)) = &mut self.solutions else { return Ok(entry.into()) };
        let task = self.request.task(&entry.board)?;
        let missing = || format!("found no solution in {}, expected one for each board", path.display());
        let solution =
            task.read_solution(solutions)?.ok_or_else(|| PuzzleError::invalid_solution(&entry.board, missing()))?;
        let mut start = solution.start_after(self.after)?;
        start.entry.published_optimum = entry.published_optimum.filter(|_| self.after == 0);
        Ok(start)
    }
}

impl Iterator for Starts {
    type Item = Result<StartPosition, PuzzleError>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.input.next()?;
        Some(entry.map_err(PuzzleError::from).and_then(|entry| self.start(entry)))
    }
}
