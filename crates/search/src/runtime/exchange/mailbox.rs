//! What other ranks have told this one beside the pages: news, posts and last words.

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

/// What ranks have said when they parted, round by round.
#[derive(Debug, Default)]
pub(super) struct Partings {
    /// The number of rounds so far.
    pub(super) number: u64,
    /// By round and rank.
    heard: BTreeMap<(u64, u32), ByteBuf>,
}

impl Partings {
    /// Takes what a rank says. What comes late is dropped.
    pub(super) fn hear(&mut self, number: u64, rank: u32, bytes: ByteBuf) {
        if number >= self.number {
            self.heard.insert((number, rank), bytes);
        }
    }

    /// Whether a rank has said something in a round.
    pub(super) fn has(&self, number: u64, rank: usize) -> bool {
        self.heard.contains_key(&(number, rank as u32))
    }

    /// Ends the round. Returns what was said in it, with the ranks.
    pub(super) fn end(&mut self) -> Vec<(usize, Vec<u8>)> {
        self.number += 1;
        let later = self.heard.split_off(&(self.number, 0));
        let said = std::mem::replace(&mut self.heard, later).into_iter();
        said.map(|((_, rank), bytes)| (rank as usize, bytes.into_vec())).collect()
    }
}
