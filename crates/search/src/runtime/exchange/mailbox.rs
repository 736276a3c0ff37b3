//! What other ranks have told this one ahead of the pages: news, requests and posts.

use crate::domain::Cost;
use crate::runtime::limits::StopReason;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// What a rank tells the others ahead of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// A solution of this cost was found. Its moves follow in a parcel.
    Incumbent(Cost),
    /// All workers are to come to the barrier.
    Pause,
    /// The search is to be stopped.
    Stop(StopReason),
}

/// What has arrived and was not taken yet. News and posts carry the number of their search.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    pub(super) news: SegQueue<(u64, News)>,
    pub(super) posts: SegQueue<(u64, ByteBuf)>,
    /// The ranks that ask for work.
    pub(super) requests: SegQueue<usize>,
}

/// The next letter of this search. Letters may be late; those of an earlier search are dropped.
pub(super) fn next_of<T>(letters: &SegQueue<(u64, T)>, search: u64) -> Option<T> {
    loop {
        let (number, letter) = letters.pop()?;
        if number == search {
            return Some(letter);
        }
    }
}
