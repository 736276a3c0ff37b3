//! Programs that people write, and their runs on a board.

use super::PlayError;
use super::game::{CheckedGame, Game};
use super::knowledge::Knowledge;
use super::words::GameEnd;
use crate::puzzles::{ProgramRun, ProgramStep, PuzzleError};
use gridhunt_boards::Program;
use serde::{Deserialize, Serialize};

/// The question for a program's run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramRequest {
    /// The game.
    pub game: Game,
    /// The program.
    pub program: String,
    /// The knowledge of the board.
    #[serde(default)]
    pub known: Knowledge,
}

/// A step: the letter of the instruction, the cell and the direction (0 to 3: east, south, west, north) of the machine,
/// and the number of squares left.
pub type StepView = (char, (usize, u8), usize);

/// A program that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramView {
    /// The program in its usual notation.
    pub program: String,
    /// The number of tokens.
    pub tokens: u32,
    /// The first steps.
    pub steps: Vec<StepView>,
    /// The number of steps of the whole run.
    pub all: u64,
    /// The number of squares left at the end.
    pub left: usize,
    /// Whether the program solves the board.
    pub solved: bool,
    /// The result of the program, compared with the shortest one.
    pub standing: String,
    /// The end of the game, if the program solves the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<GameEnd>,
    /// The known length of the shortest program.
    pub optimum: String,
}

/// The most steps of a run that a page gets.
const MOST_STEPS: usize = 20_000;

/// Runs a program on the board of a game, and keeps the first `most_steps` steps.
///
/// # Errors
/// When the text is not a program, or the puzzle is not solved by programs.
pub(super) fn run_program(checked: &CheckedGame, text: &str, most_steps: usize) -> Result<ProgramRun, PlayError> {
    let task = checked.task()?;
    let no_programs = || PlayError::new(PuzzleError::NoPrograms(checked.request.domain));
    task.as_program_task().ok_or_else(no_programs)?.run(text, most_steps).map_err(PlayError::new)
}

impl ProgramRequest {
    /// Runs the program.
    ///
    /// # Errors
    /// When the game is not allowed, or the text is not a program.
    pub(super) fn run(&self) -> Result<ProgramView, PlayError> {
        let checked = self.game.check()?;
        // This error has the position of the fault.
        let program = self.program.trim_end();
        if let Err(error) = program.parse::<Program>() {
            return Err(PlayError { at: Some(error.at), ..PlayError::new(error) });
        }
        let run = run_program(&checked, program, MOST_STEPS)?;
        let step = |step: &ProgramStep| {
            (step.instruction, (checked.board.index(step.cell), step.direction), step.unmarked_count)
        };
        let steps = run.steps.iter().map(step);
        let tokens = |number: i64| format!("{number} token{}", if number == 1 { "" } else { "s" });
        let len = i64::from(run.token_count);
        let bound = self.known.bound;
        let optimum = |best: Option<i64>| match (bound, best) {
            _ if self.known.is_unsolvable => "no program marks every square (proven)".to_owned(),
            (Some(bound), Some(best)) if bound == best => format!("shortest {} (proven)", tokens(best)),
            (Some(bound), Some(best)) => format!("shortest {bound} to {}", tokens(best)),
            (Some(bound), None) => format!("shortest at least {}", tokens(bound)),
            (None, Some(best)) => format!("shortest at most {}", tokens(best)),
            (None, None) => "shortest not known yet".to_owned(),
        };
        let standing = match &run.failure {
            Some(failure) => failure.clone(),
            None if bound == Some(len) => format!("all squares marked with {}: no program is shorter", tokens(len)),
            // The best solution may be this program or the known one.
            None => {
                let best = self.known.held.map_or(len, |best| best.min(len));
                format!("all squares marked with {}, {}", tokens(len), optimum(Some(best)))
            }
        };
        let end = run.failure.is_none().then(|| {
            let proven = bound.filter(|bound| *bound == len || self.known.held == Some(*bound));
            let (headline, result) = match proven {
                Some(best) if best == len => ("optimal!".to_owned(), format!("{len}/{}", tokens(best))),
                Some(best) => (format!("+{}", len - best), format!("{len}/{}", tokens(best))),
                None => (tokens(len), tokens(len)),
            };
            GameEnd { headline, result, optimal: proven == Some(len) }
        });
        Ok(ProgramView {
            end,
            steps: steps.collect(),
            tokens: run.token_count,
            all: run.step_count,
            left: run.unmarked_count,
            solved: run.failure.is_none(),
            program: run.program,
            standing,
            // This text ignores the program, because its run shows the result.
            optimum: optimum(self.known.held),
        })
    }
}
