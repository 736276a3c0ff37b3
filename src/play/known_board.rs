//! Certificates and counts of optimal solutions of a solved board.

use super::PlayError;
use super::game::{CheckedGame, Game};
use super::knowledge::Knowledge;
use super::solving::{SearchResources, default_memory_bytes, with_limits};
use super::view::to_hex;
use crate::hunt::{certifiable_task, optimal_solutions};
use crate::puzzles::{CertificateClaim, CertificateForm};
use gridhunt_check::check;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::{Context, RefutedSets};
use gridhunt_search::platform::Instant;
use gridhunt_search::runtime::Silent;
use serde::{Deserialize, Serialize};

/// The question for a certificate or a count: a board, the knowledge of its first position, and limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBoardRequest {
    /// The game.
    pub game: Game,
    /// The knowledge of its first position.
    pub known: Knowledge,
    /// The time limit, in seconds.
    pub seconds: f64,
    /// The memory limit, in bytes.
    #[serde(default = "default_memory_bytes")]
    pub memory: u64,
}

/// A checked certificate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CertifiedBoard {
    /// What the certificate proves, in the words of the checker.
    pub claim: String,
    /// Seconds that the checker took.
    pub seconds: f64,
    /// The file in hexadecimal digits.
    pub certificate: String,
}

/// The result of a count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountResult {
    /// The number of optimal solutions, as digits; null if a limit ended the count.
    pub count: Option<String>,
}

impl KnownBoardRequest {
    /// Makes and checks the certificate of a board.
    ///
    /// # Errors
    /// When the game is not allowed or has no certificates, when the knowledge is wrong, and when a limit is reached.
    pub fn certify(
        &self,
        &SearchResources { threads, stop }: &SearchResources<'_>,
    ) -> Result<CertifiedBoard, PlayError> {
        let CheckedGame { board, request, .. } = self.game.check()?;
        let request = with_limits(request, threads, (self.seconds, self.memory))?;
        let task = request.task(&board).map_err(PlayError::new)?;
        let certifier = certifiable_task(&*task).map_err(PlayError::new)?;
        let form = CertificateForm::Records;
        certifier.check_form(form).map_err(PlayError::new)?;
        let Knowledge { bound, held, moves, is_unsolvable, .. } = &self.known;
        let cost_of = |value: Option<i64>| value.and_then(|value| task.info().objective.cost(value));
        let moves = task.as_state_task().map(|states| states.moves_named(moves)).unwrap_or_default();
        let bound = if *is_unsolvable { Cost::MAX } else { cost_of(*bound).unwrap_or_default() };
        let claim = CertificateClaim { bound, moves: (cost_of(*held) == Some(bound)).then_some(&moves) };
        let context = Context::new(request.threads, request.limits, &Silent, stop);
        let proof = certifier.certify(&claim, form, RefutedSets::default(), &context).map_err(PlayError::new)?;
        let began_at = Instant::now();
        let proven = check(&proof.bytes, self.memory).map_err(PlayError::new)?;
        let seconds = began_at.elapsed().as_secs_f64();
        let claim = proven.text.lines().last().unwrap_or_default().to_owned();
        Ok(CertifiedBoard { claim, seconds, certificate: to_hex(&proof.bytes) })
    }

    /// Counts the solutions.
    ///
    /// # Errors
    /// When the game is not allowed, or its optimum is not known.
    pub fn count(&self, &SearchResources { threads, stop }: &SearchResources<'_>) -> Result<CountResult, PlayError> {
        let CheckedGame { board, request, .. } = self.game.check()?;
        let request = with_limits(request, threads, (self.seconds, self.memory))?;
        let task = request.task(&board).map_err(PlayError::new)?;
        let Knowledge { bound, held, .. } = self.known;
        let optimum = held.filter(|_| held == bound).and_then(|value| task.info().objective.cost(value));
        let cost = optimum.ok_or_else(|| PlayError::new("found no optimum, expected one to be known"))?;
        let context = Context::new(request.threads, request.limits, &Silent, stop);
        let solutions = optimal_solutions(&*task, &request, cost, 0, &context).map_err(PlayError::new)?;
        Ok(CountResult { count: solutions.count.ok() })
    }
}
