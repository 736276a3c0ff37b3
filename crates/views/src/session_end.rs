//! The end of a session, in the words that all files use.

use gridhunt_hunt::BoardRecord;
use gridhunt_search::runtime::StopReason;

/// The end of a session, from its results.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SessionEnd {
    /// Why searches of the session ended early: `Interrupted` if one was interrupted, otherwise the last reason.
    stopped: Option<StopReason>,
}

impl SessionEnd {
    pub(super) fn add(&mut self, record: &BoardRecord) {
        if self.stopped != Some(StopReason::Interrupted) {
            self.stopped = record.stopped.or(self.stopped);
        }
    }

    /// The name of the end. `is_complete` says whether all boards are done.
    pub(super) fn name(self, is_complete: bool) -> &'static str {
        match self.stopped {
            _ if is_complete => "finished",
            Some(reason) => reason.name(),
            None => "stopped",
        }
    }
}
