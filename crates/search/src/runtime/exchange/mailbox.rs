//! Notice for all ranks, and letters for one. No decision that all ranks must make alike depends on them.

use super::{Exchange, Message};
use crate::domain::Cost;
use crate::runtime::limits::StopReason;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// What a rank tells the others at once, without waiting for the next pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// A solution of this cost was found. Its moves follow in a parcel.
    Incumbent(Cost),
    /// All workers are to come to the barrier.
    Pause,
    /// The search is to be stopped.
    Stop(StopReason),
}

/// What has arrived and was not taken yet. News and letters carry the number of their search.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    pub(super) news: SegQueue<(u64, Notice)>,
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
    /// Sends news to all other ranks.
    pub(crate) fn broadcast(&self, news: Notice) {
        let search = self.statuses.search();
        for to in (0..self.ranks()).filter(|&to| to != self.rank()) {
            self.send(to, &Message::Notice(search, news));
        }
    }

    /// The next news of another rank. News may be late: those of an earlier search are dropped, because its incumbents
    /// and its stops mean nothing to this one. News of a later search cannot arrive: it begins only when all ranks have
    /// agreed that this search is over.
    #[inline]
    pub(crate) fn next_notice(&self) -> Option<Notice> {
        next_of(&self.mailbox.news, self.statuses.search())
    }

    /// Sends a letter to a rank. No decision that all ranks must make alike depends on letters: they may arrive late,
    /// or after the search.
    pub(crate) fn send_letter(&self, to: usize, bytes: Vec<u8>) {
        self.send(to, &Message::Letter(self.statuses.search(), ByteBuf::from(bytes)));
    }

    /// The next letter to this rank in the search under way.
    pub(crate) fn next_letter(&self) -> Option<Vec<u8>> {
        next_of(&self.mailbox.letters, self.statuses.search()).map(ByteBuf::into_vec)
    }
}
