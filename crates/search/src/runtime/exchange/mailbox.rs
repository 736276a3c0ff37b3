//! What other ranks have told this one beside the pages: news, requests, posts and farewells.

use crate::domain::Cost;
use crate::runtime::limits::StopReason;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;

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

/// What ranks have said at farewells.
#[derive(Debug, Default)]
pub(super) struct Farewells {
    /// The number of farewells so far.
    pub(super) number: u64,
    /// By number and rank.
    pub(super) heard: BTreeMap<(u64, u32), ByteBuf>,
}

impl Farewells {
    /// Takes what a rank says. What comes late is dropped.
    pub(super) fn hear(&mut self, number: u64, rank: u32, bytes: ByteBuf) {
        if number >= self.number {
            self.heard.insert((number, rank), bytes);
        }
    }
}
