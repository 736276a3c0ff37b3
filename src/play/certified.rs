//! The certificate of what is known of a board, checked where it is made.

use super::PlayError;
use super::game::{Game, Opened};
use super::knowledge::Known;
use super::solving::{Surroundings, usual_memory};
use crate::puzzles::{Claim, PuzzleError};
use gridhunt_check::check;
use gridhunt_search::domain::MoveIndex;
use gridhunt_search::engine::Context;
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::{Limits, Silent};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// A board with what is known of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certify {
    /// The game.
    pub game: Game,
    /// What is known of its board.
    pub known: Known,
    /// The time limit, in seconds.
    pub seconds: f64,
    /// The memory limit, in bytes.
    #[serde(default = "usual_memory")]
    pub memory: u64,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certified {
    /// What the checker says that it proves.
    pub claim: String,
    /// Seconds that the checker took.
    pub seconds: f64,
    /// The file, two hexadecimal digits a byte.
    pub certificate: String,
}

impl Certify {
    /// Makes the certificate of a Flood-It board, and checks it.
    ///
    /// # Errors
    /// When the game is not allowed or has no certificates, when what is known is not so, and when a limit is reached.
    pub fn run(&self, &Surroundings { threads, stop }: &Surroundings<'_>) -> Result<Certified, PlayError> {
        let Opened { board, request } = self.game.open()?;
        let domain = request.domain;
        let puzzle = domain.certified().ok_or(PuzzleError::NoCertificates { domain }).map_err(PlayError::new)?;
        let Known { bound, held, moves, .. } = &self.known;
        let colour = |name: &String| board.symbols().iter().position(|symbol| symbol == name);
        let moves: Vec<_> = moves.iter().filter_map(colour).map(|colour| colour as MoveIndex).collect();
        let bound = bound.and_then(|bound| u32::try_from(bound).ok()).unwrap_or_default();
        let claim = Claim { bound, moves: (*held == Some(bound.into())).then_some(&moves) };
        let time = Duration::try_from_secs_f64(self.seconds).map_err(PlayError::new)?;
        let limits = Limits { time: Some(time), memory: Some(self.memory), ..Limits::default() };
        let context =
            Context { threads: threads.max(1), limits, observer: &Silent, stop, checkpoints: None, exchange: None };
        let made = puzzle.certify(&board, &claim, &context).map_err(PlayError::new)?;
        let began = Instant::now();
        let proven = check(&made.bytes, self.memory).map_err(PlayError::new)?;
        let seconds = began.elapsed().as_secs_f64();
        let certificate = made.bytes.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(Certified { claim: proven.text.lines().last().unwrap_or_default().to_owned(), seconds, certificate })
    }
}
