//! Notices for all ranks, and letters for one. A decision on which all ranks must agree never depends on them.

use super::{Exchange, Message};
use crate::domain::Cost;
use crate::runtime::limits::StopReason;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A message to all other ranks that is sent at once, not with the next round of [pages](Exchange::all_gather).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// A solution of this cost was found. Its moves follow in a parcel.
    Incumbent(Cost),
    /// All workers must come to the barrier.
    Pause,
    /// The search must stop.
    Stop(StopReason),
}

/// Messages that have arrived and wait, each with the number of its search.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    pub(super) notices: SegQueue<(u64, Notice)>,
    pub(super) letters: SegQueue<(u64, ByteBuf)>,
}

/// The next message of this search. Those of an earlier search are dropped.
fn next_of<T>(messages: &SegQueue<(u64, T)>, search: u64) -> Option<T> {
    loop {
        let (number, message) = messages.pop()?;
        if number == search {
            return Some(message);
        }
    }
}

impl Exchange {
    /// Sends a notice to all other ranks.
    pub(crate) fn broadcast(&self, notice: Notice) {
        let search = self.statuses.search();
        for to in (0..self.ranks()).filter(|&to| to != self.rank()) {
            self.send(to, &Message::Notice(search, notice));
        }
    }

    /// The next notice of another rank. Notices of an earlier search are dropped, because its incumbents and its stops
    /// mean nothing to this one. No notice of a later search can arrive: that search begins only when all ranks have
    /// agreed that this search is over.
    #[inline]
    pub(crate) fn next_notice(&self) -> Option<Notice> {
        next_of(&self.mailbox.notices, self.statuses.search())
    }

    /// Sends a letter to a rank. It may arrive late, or after the search.
    pub(crate) fn send_letter(&self, to: usize, bytes: Vec<u8>) {
        self.send(to, &Message::Letter(self.statuses.search(), ByteBuf::from(bytes)));
    }

    /// The next letter to this rank in the search under way.
    pub(crate) fn next_letter(&self) -> Option<Vec<u8>> {
        next_of(&self.mailbox.letters, self.statuses.search()).map(ByteBuf::into_vec)
    }
}
