//! Gathers a page of every rank, and sends all pages to all ranks.

use super::tree::Tree;
use super::{Control, Exchange, Message, Pause, decode, encode};
use crate::sync::lock;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

/// Pages with the ranks that they come from.
pub(super) type RankPages = Vec<(u32, ByteBuf)>;

/// The part of one rank in the rounds of pages.
#[derive(Debug)]
pub(super) struct PageRounds {
    pub(super) tree: Tree,
    /// The number of the round under way.
    round: u64,
    /// The pages of this part of the tree so far.
    gathered: RankPages,
    /// All pages of the last round, until they are taken.
    all_pages: Option<Vec<ByteBuf>>,
}

impl PageRounds {
    pub(super) fn new(tree: Tree) -> Self {
        Self { tree, round: 0, gathered: Vec::new(), all_pages: None }
    }

    /// Adds the page of this rank.
    pub(super) fn add_own(&mut self, page: ByteBuf) {
        self.gathered.push((self.tree.rank as u32, page));
    }

    /// Adds the pages of a child's part of the tree. A child is never in a later round than its parent.
    pub(super) fn gather(&mut self, round: u64, pages: RankPages) {
        debug_assert_eq!(round, self.round);
        self.gathered.extend(pages);
    }

    /// Takes the pages of this part of the tree when they are complete, in the order of the ranks. Returns them with
    /// the number of the round.
    pub(super) fn take_complete(&mut self) -> Option<(u64, RankPages)> {
        if self.gathered.len() < self.tree.size() {
            return None;
        }
        let mut pages = std::mem::take(&mut self.gathered);
        pages.sort_unstable_by_key(|&(rank, _)| rank);
        Some((self.round, pages))
    }

    /// Ends the round with all pages.
    pub(super) fn end(&mut self, round: u64, pages: Vec<ByteBuf>) {
        debug_assert_eq!(round, self.round);
        self.round += 1;
        self.all_pages = Some(pages);
    }

    /// Takes all pages of the last round, unless they were taken before.
    pub(super) fn take_all(&mut self) -> Option<Vec<ByteBuf>> {
        self.all_pages.take()
    }
}

impl Exchange {
    /// [`Exchange::all_gather`] on bytes. This call does not wait for parcels. End a phase first, or count them.
    ///
    /// # Panics
    /// As [`Exchange::all_gather`].
    pub(crate) fn all_gather_bytes(&self, page: Vec<u8>) -> Vec<Vec<u8>> {
        self.end_tolerance();
        let mut control = lock(&self.control);
        control.pages.add_own(ByteBuf::from(page));
        self.forward_pages(&mut control);
        let mut pause = Pause::default();
        loop {
            if let Some(pages) = control.pages.take_all() {
                return pages.into_iter().map(ByteBuf::into_vec).collect();
            }
            drop(control);
            pause.wait();
            control = lock(&self.control);
            self.poll_locked(&mut control);
        }
    }

    /// Gives a value of this rank to all ranks, waits for the values of all, and returns them in the order of the
    /// ranks. All ranks must call this equally often. A page that cannot be decoded ends all ranks: their programs
    /// differ.
    ///
    /// # Panics
    /// When a rank has ended all ranks ([`Transport::abort`](super::Transport::abort)), where ranks are threads of one
    /// process.
    pub fn all_gather<T: Serialize + DeserializeOwned>(&self, value: &T) -> Vec<T> {
        let page = encode(value);
        let read = |page: Vec<u8>| {
            let value = decode(&page);
            if value.is_none() {
                self.abort("found a page of another form: the ranks run different programs, expected one program");
            }
            value
        };
        self.all_gather_bytes(page).into_iter().filter_map(read).collect()
    }

    /// Sends the pages of this part of the tree upward if they are complete.
    pub(super) fn forward_pages(&self, control: &mut Control) {
        let Some((round, pages)) = control.pages.take_complete() else { return };
        match control.pages.tree.parent() {
            Some(parent) => self.send(parent, &Message::PartOfPages(round, pages)),
            None => self.distribute_pages(round, pages.into_iter().map(|(_, page)| page).collect(), control),
        }
    }

    /// Sends all pages to the children, and ends the round.
    pub(super) fn distribute_pages(&self, round: u64, pages: Vec<ByteBuf>, control: &mut Control) {
        let message = Message::AllPages(round, pages);
        for child in control.pages.tree.children() {
            self.send(child, &message);
        }
        if let Message::AllPages(round, pages) = message {
            control.pages.end(round, pages);
        }
    }
}
