//! The exchange: how the ranks of one search talk to one another. A *rank* is a process with a crew of its own; all
//! ranks search the same board. A search on one rank has no exchange.
//!
//! * `parcels.rs`: *parcels* are work for one rank. They are counted until they are dealt with.
//! * `phases.rs`: a *phase* is over when no rank works and no parcel is under way. `waves.rs` finds this out, and has
//!   the proof.
//! * `pages.rs`: a *page* is a value of each rank for all ranks ([`Exchange::all_gather`]). All ranks get the same
//!   pages, so the same function makes the same decision on each.
//! * `mailbox.rs`: *news* for all ranks, and *letters* for one. They may be late, and no decision that all ranks must
//!   make alike depends on them: news let ranks prune earlier, or end a phase earlier.
//! * `status.rs` has the work of each rank, `silence.rs` the signs of life, `roster.rs` the hosts.
//!
//! A [`Transport`] carries the messages: [`Crowd`] between threads of one process, for tests, and MPI between processes
//! (feature `mpi`). Messages of an earlier search are dropped.

mod crowd;
mod fault;
mod launch;
mod mailbox;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod pages;
mod parcels;
mod phases;
mod roster;
mod silence;
mod status;
mod tree;
mod waves;

pub use crowd::{Crowd, CrowdRank, Weather};
pub use launch::launched;
pub(crate) use mailbox::News;
pub(crate) use message::{decode, empty_message, encode, message_of};
#[cfg(feature = "mpi")]
pub use mpi::{MpiWorld, Unlaunched, abort_world};
pub(crate) use parcels::Parcel;
pub use parcels::WINDOW;
pub use status::RankStatus;

use mailbox::Mailbox;
use message::sealed;
use pages::{Pages, RankPages};
use parcels::{INBOX, Parcels};
use roster::Roster;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use silence::LeaderRounds;
use status::Statuses;
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use tree::Tree;
use waves::{Counts, Waves};

/// The kinds of messages, which do not wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Short messages of the exchange itself. They are always received.
    Control,
    /// Parcels. They are received while the rank has room for them.
    Parcels,
}

/// Carries messages between ranks. A message arrives once and whole. Messages may overtake each other.
pub trait Transport: Send + Sync + Debug {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn ranks(&self) -> usize;

    /// Hands over a message for another rank. Returns at once.
    fn send(&self, to: usize, lane: Lane, message: Vec<u8>);

    /// The number of parcels to a rank that this rank has handed over and the other has not received.
    fn under_way(&self, to: usize) -> usize;

    /// The sum of [`Transport::under_way`] over all ranks.
    fn all_under_way(&self) -> usize;

    /// The next message that has arrived, if there is one. Also lets messages make progress.
    fn receive(&self, lane: Lane) -> Option<Vec<u8>>;

    /// Ends all ranks with an exit code, because this one cannot go on. Returns only where ranks are threads of one
    /// process.
    fn abort(&self, code: u8, reason: &str);

    /// Why the ranks cannot go on, if one of them has called [`Transport::abort`].
    fn aborted(&self) -> Option<String>;
}

/// The exit code after an internal error.
const INTERNAL: u8 = 70;

/// A message of the exchange itself.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// The counts of a part of the tree, for the wave with this number.
    Up(u64, Counts),
    /// The end of the wave with this number, and whether the phase is over.
    Down(u64, bool),
    /// The pages of a part of the tree, for the round with this number.
    Gather(u64, RankPages),
    /// All pages of the round with this number, in the order of the ranks.
    Spread(u64, Vec<ByteBuf>),
    /// The number of the search, and news of it.
    News(u64, News),
    /// The number of the rank's search, and its work so far in it; also the sign that the rank is alive.
    Alive(u32, u64, RankStatus),
    /// The number of the sender's search, and bytes.
    Letter(u64, ByteBuf),
    /// The number of the round, the rank, and its bytes for the leader.
    ToLeader(u64, u32, ByteBuf),
}

/// One rank's end of the connections to all others.
#[derive(Debug)]
pub struct Exchange {
    transport: Box<dyn Transport>,
    parcels: Parcels,
    mailbox: Mailbox,
    control: Mutex<Control>,
    statuses: Statuses,
    roster: Roster,
    /// Whether the phase is over on all ranks.
    is_over: AtomicBool,
    /// Whether ranks may be silent as long as they like.
    tolerates_silence: AtomicBool,
    /// A rank is silent if it gave no sign of life for this number of milliseconds.
    silence_limit: AtomicU64,
}

/// The rounds under way.
#[derive(Debug)]
struct Control {
    waves: Waves,
    pages: Pages,
    leader_rounds: LeaderRounds,
}

impl Exchange {
    /// The exchange of one rank.
    #[must_use]
    pub fn new(transport: impl Transport + 'static) -> Self {
        let (rank, ranks) = (transport.rank(), transport.ranks());
        let tree = Tree::new(rank, ranks);
        Self {
            transport: Box::new(transport),
            parcels: Parcels::new(ranks),
            mailbox: Mailbox::default(),
            control: Mutex::new(Control {
                waves: Waves::new(tree),
                pages: Pages::new(tree),
                leader_rounds: LeaderRounds::default(),
            }),
            statuses: Statuses::new(rank, ranks),
            roster: Roster::default(),
            is_over: AtomicBool::new(false),
            tolerates_silence: AtomicBool::new(false),
            silence_limit: AtomicU64::new(u64::MAX),
        }
    }

    /// The number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    /// Whether this rank speaks for all: it reads boards and prints results.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.rank() == 0
    }

    /// Lets messages make progress, unless another thread does so just now. To be called often.
    ///
    /// # Panics
    /// When a rank has ended all ranks ([`Transport::abort`]), where ranks are threads of one process.
    pub(crate) fn poll(&self) {
        let Ok(mut control) = self.control.try_lock() else { return };
        self.poll_locked(&mut control);
    }

    fn poll_locked(&self, control: &mut Control) {
        if let Some(reason) = self.transport.aborted() {
            // The ranks are threads of one process: each of them ends, as each process would.
            std::panic::resume_unwind(Box::new(reason));
        }
        while let Some(message) = self.transport.receive(Lane::Control) {
            match self.open(&message).map(decode) {
                Some(Some(message)) => self.take(message, control),
                Some(None) => self.abort("found a message of the exchange that cannot be read, expected one"),
                None => {}
            }
        }
        while self.parcels.inbox.len() < INBOX
            && let Some(message) = self.transport.receive(Lane::Parcels)
        {
            if self.open(&message).is_some() {
                self.parcels.inbox.push(message);
            }
        }
    }

    /// The contents of a message whose checksum is right. If it is wrong, all ranks end, because nothing may depend on
    /// a message that is not what was sent.
    fn open<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let body = message::contents(message);
        if body.is_none() {
            let (place, length) = (self.place(self.rank()), message.len());
            self.abort(&format!("{place}: found a message of {length} bytes with another checksum than it names"));
        }
        body
    }

    fn take(&self, message: Message, control: &mut Control) {
        match message {
            Message::Up(wave, counts) => {
                control.waves.rise(wave, counts);
                self.move_waves(control);
            }
            Message::Down(wave, is_over) => self.end_wave(wave, is_over, control),
            Message::Gather(round, pages) => {
                control.pages.gather(round, pages);
                self.move_pages(control);
            }
            Message::Spread(round, pages) => self.spread(round, pages, control),
            Message::News(search, news) => self.mailbox.news.push((search, news)),
            Message::Alive(rank, search, status) => self.statuses.note_alive(rank as usize, search, status),
            Message::Letter(search, bytes) => self.mailbox.letters.push((search, bytes)),
            Message::ToLeader(round, rank, bytes) => control.leader_rounds.add(round, rank, bytes),
        }
    }

    fn send(&self, to: usize, message: &Message) {
        self.transport.send(to, Lane::Control, sealed(message_of(message)));
    }

    /// Ends all ranks after an internal error of this one.
    pub fn abort(&self, reason: &str) {
        self.abort_with(INTERNAL, reason);
    }

    /// Ends all ranks with an exit code, because this one cannot go on.
    pub fn abort_with(&self, code: u8, reason: &str) {
        self.transport.abort(code, &self.with_resume_command(reason));
    }
}

/// Waits for a message: yields at first, then sleeps.
#[derive(Debug, Default)]
struct Pause(u32);

impl Pause {
    fn wait(&mut self) {
        self.0 = self.0.saturating_add(1);
        match self.0 {
            ..256 => std::thread::yield_now(),
            256..4096 => std::thread::sleep(Duration::from_micros(50)),
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
