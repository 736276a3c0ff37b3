//! One switch that stops every search of a run, now and later.
//!
//! A [`StopToken`] keeps the first reason it is given, and an engine may give it a limit of its own board. So each
//! board has its own token, and the switch knows them all.

use crate::runtime::{StopReason, StopToken};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Stops all searches of a run.
#[derive(Debug, Default)]
pub struct StopSwitch(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    reason: Option<StopReason>,
    /// The tokens of the boards under way.
    tokens: Vec<Arc<StopToken>>,
}

impl StopSwitch {
    /// A switch that nobody has used.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every critical section leaves `Inner` whole, whatever panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops every board under way, and every later one at its start; only the first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        let mut inner = self.lock();
        let reason = *inner.reason.get_or_insert(reason);
        inner.tokens.iter().for_each(|token| token.stop(reason));
    }

    /// The reason for which all were stopped, if they were.
    #[must_use]
    pub fn reason(&self) -> Option<StopReason> {
        self.lock().reason
    }

    /// The token of one more board, known to the switch until it is dropped.
    #[must_use]
    pub fn board(&self) -> BoardStop<'_> {
        let token = Arc::new(StopToken::new());
        let mut inner = self.lock();
        if let Some(reason) = inner.reason {
            token.stop(reason);
        }
        inner.tokens.push(Arc::clone(&token));
        BoardStop { switch: self, token }
    }
}

/// The token of one board; dropping it signs the board off.
#[derive(Debug)]
pub struct BoardStop<'a> {
    switch: &'a StopSwitch,
    token: Arc<StopToken>,
}

impl Deref for BoardStop<'_> {
    type Target = StopToken;

    fn deref(&self) -> &StopToken {
        &self.token
    }
}

impl Drop for BoardStop<'_> {
    fn drop(&mut self) {
        self.switch.lock().tokens.retain(|token| !Arc::ptr_eq(token, &self.token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_boards_under_way_and_boards_to_come() {
        let switch = StopSwitch::new();
        let before = switch.board();
        assert_eq!((before.reason(), switch.reason()), (None, None));
        switch.stop(StopReason::Interrupted);
        assert_eq!(before.reason(), Some(StopReason::Interrupted));
        assert_eq!(switch.board().reason(), Some(StopReason::Interrupted));
    }

    #[test]
    fn a_limit_of_one_board_does_not_reach_the_next() {
        let switch = StopSwitch::new();
        let board = switch.board();
        board.stop(StopReason::TimeLimit);
        drop(board);
        assert_eq!(switch.board().reason(), None);
        assert!(switch.lock().tokens.is_empty(), "boards sign off");
    }
}
