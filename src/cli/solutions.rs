//! Solution files: how they are opened, and what they say of puzzle, objective and rules.

use super::args::Notation;
use super::exit::Failure;
use gridhunt::board::SolutionReader;
use gridhunt::driver::{Config, PuzzleId, Request, Solutions};
use std::fmt::Write;
use std::path::Path;

impl Notation {
    /// Opens a file with this many solutions.
    pub fn open(self, path: &Path, solutions: usize) -> Result<Solutions, Failure> {
        let reader = SolutionReader::open(path)?.expecting(solutions);
        Ok(match self.origin {
            Some(origin) => reader.counted_from(origin),
            None => reader,
        })
    }
}

/// The request for solutions. `given` are the options of the command line. Where they say nothing, the solution decides,
/// and then the file of the board.
pub fn request_for(
    mut given: Config,
    solutions: &mut Solutions,
    board_domain: Option<PuzzleId>,
) -> Result<Request, Failure> {
    let claims = solutions.claims()?.0;
    let claimed_domain = claims.iter().find(|(key, _)| key == "domain").map(|(_, domain)| domain.as_str());
    if given.domain.is_none_or(|domain| claimed_domain.is_none_or(|claimed| claimed == domain.name())) {
        let mut text = String::new();
        for (key, value) in &claims {
            let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let value = if is_number { value.clone() } else { toml_text(value) };
            let _ = writeln!(text, "{key} = {value}");
        }
        given.fill_from(Config::parse("the solution", &text)?);
    }
    given.domain = given.domain.or(board_domain);
    given.check()?;
    Ok(given.request())
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    format!("{text:?}")
}
