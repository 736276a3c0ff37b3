//! The exchange: messages between the ranks of one search. A *rank* is a process with a crew of its own; all
//! ranks search the same board. A search on one rank has no exchange.
//!
//! * `parcels.rs`: *parcels* are work for one rank. Each is counted until it is processed.
//! * `phases.rs`: a *phase* is over when no rank works and no parcel is under way. `waves.rs` finds this out, and has
//!   the proof.
//! * `pages.rs`: a *page* is a value of each rank for all ranks ([`Exchange::all_gather`]). All ranks get the same
//!   pages, so the same function makes the same decision on each.
//! * `mailbox.rs`: *notices* for all ranks, and *letters* for one. They may be late, so no decision on which all ranks
//!   must agree depends on them. Notices let ranks prune or stop earlier.
//! * `status.rs` has the work of each rank, `silence.rs` the heartbeats, `roster.rs` the hosts.
//!
//! A [`Transport`] carries the messages: [`ThreadTransport`] between threads of one process, for tests, and the
//! crate `gridhunt-mpi` between processes. Messages of an earlier search are dropped.

mod fault;
mod launch;
mod mailbox;
mod message;
mod pages;
mod parcels;
mod phases;
mod roster;
mod silence;
mod status;
mod thread_transport;
mod tree;
mod waves;

pub use fault::panic_if_requested;
pub use launch::launcher_variable;
pub(crate) use mailbox::Notice;
pub(crate) use message::{decode, empty_message, encode, message_of};
pub use parcels::PARCEL_WINDOW;
pub(crate) use parcels::Parcel;
pub use status::RankStatus;
pub use thread_transport::{MessageDelays, ThreadTransport};

use mailbox::Mailbox;
use message::with_checksum;
use pages::{PageRounds, RankPages};
use parcels::{MAX_INBOX_PARCELS, Parcels};
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

/// The kinds of messages. Messages of different kinds do not wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
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

    /// Sends a message to another rank without waiting.
    fn send(&self, to: usize, channel: Channel, message: Vec<u8>);

    /// The number of parcels that this rank has sent to rank `to` and that rank `to` has not received yet.
    fn parcels_under_way(&self, to: usize) -> usize;

    /// The sum of [`Transport::parcels_under_way`] over all ranks.
    fn sent_parcels_under_way(&self) -> usize;

    /// The next message that has arrived, if there is one. Also advances transfers under way.
    fn receive(&self, channel: Channel) -> Option<Vec<u8>>;

    /// Ends all ranks with an exit code, because this one cannot continue. Returns only if the ranks are threads of one
    /// process.
    fn abort(&self, code: u8, reason: &str);

    /// The reason of the first [`Transport::abort`], if any rank has called it.
    fn abort_reason(&self) -> Option<String>;
}

/// The exit code after an internal error.
pub const INTERNAL_ERROR_CODE: u8 = 70;

/// A message of the exchange itself.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// The counts of a part of the tree, for the wave with this number.
    WaveCounts(u64, Counts),
    /// The end of the wave with this number, and whether the phase is over.
    WaveEnd(u64, bool),
    /// The pages of a part of the tree, for the round with this number.
    PartOfPages(u64, RankPages),
    /// All pages of the round with this number, in the order of the ranks.
    AllPages(u64, Vec<ByteBuf>),
    /// The number of the sender's search, and a notice.
    Notice(u64, Notice),
    /// A rank, the number of its search, and its work in that search.
    Heartbeat(u32, u64, RankStatus),
    /// The number of the sender's search, and bytes.
    Letter(u64, ByteBuf),
    /// The number of the round, the rank, and its bytes for the leader.
    ToLeader(u64, u32, ByteBuf),
}

/// The connections of one rank to all others.
#[derive(Debug)]
pub struct Exchange {
    transport: Box<dyn Transport>,
    parcels: Parcels,
    mailbox: Mailbox,
    control: Mutex<Control>,
    statuses: Statuses,
    roster: Roster,
    /// Whether the phase is over on all ranks.
    is_phase_over: AtomicBool,
    /// Whether silent ranks are tolerated.
    tolerates_silence: AtomicBool,
    /// A rank is silent if its last heartbeat is older than this number of milliseconds.
    silence_limit_ms: AtomicU64,
}

/// The rounds under way.
#[derive(Debug)]
struct Control {
    waves: Waves,
    pages: PageRounds,
    leader_rounds: LeaderRounds,
}

impl Exchange {
    /// The exchange of one rank.
    #[must_use]
    pub fn new(transport: impl Transport + 'static) -> Self {
        let (rank, ranks) = (transport.rank(), transport.ranks());
        let tree = Tree::new(rank, ranks);
        let (waves, pages, leader_rounds) = (Waves::new(tree), PageRounds::new(tree), LeaderRounds::default());
        Self {
            transport: Box::new(transport),
            parcels: Parcels::new(ranks),
            mailbox: Mailbox::default(),
            control: Mutex::new(Control { waves, pages, leader_rounds }),
            statuses: Statuses::new(rank, ranks),
            roster: Roster::default(),
            is_phase_over: AtomicBool::new(false),
            tolerates_silence: AtomicBool::new(false),
            silence_limit_ms: AtomicU64::new(u64::MAX),
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

    /// Whether this rank is the leader, which reads boards and prints results.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.rank() == 0
    }

    /// Receives and handles messages, unless another thread is doing so. Must be called often.
    ///
    /// # Panics
    /// When a rank has ended all ranks ([`Transport::abort`]), where ranks are threads of one process.
    pub(crate) fn poll(&self) {
        let Ok(mut control) = self.control.try_lock() else { return };
        self.poll_locked(&mut control);
    }

    fn poll_locked(&self, control: &mut Control) {
        if let Some(reason) = self.transport.abort_reason() {
            // Ranks that are threads of one process end by a panic.
            std::panic::resume_unwind(Box::new(reason));
        }
        while let Some(message) = self.transport.receive(Channel::Control) {
            match self.verified_contents(&message).map(decode) {
                Some(Some(message)) => self.handle(message, control),
                Some(None) => self.abort("found a message of the exchange that cannot be read, expected one"),
                None => {}
            }
        }
        while self.parcels.inbox.len() < MAX_INBOX_PARCELS
            && let Some(message) = self.transport.receive(Channel::Parcels)
        {
            if self.verified_contents(&message).is_some() {
                self.parcels.inbox.push(message);
            }
        }
    }

    /// The contents of a message. If the checksum is wrong, all ranks end, because no result may depend on it.
    fn verified_contents<'m>(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let contents = message::contents(message);
        if contents.is_none() {
            let (place, length) = (self.rank_label(self.rank()), message.len());
            self.abort(&format!("{place}: found a message of {length} bytes with another checksum than it names"));
        }
        contents
    }

    fn handle(&self, message: Message, control: &mut Control) {
        match message {
            Message::WaveCounts(wave, counts) => {
                control.waves.add_child(wave, counts);
                self.forward_counts(control);
            }
            Message::WaveEnd(wave, is_over) => self.end_wave(wave, is_over, control),
            Message::PartOfPages(round, pages) => {
                control.pages.gather(round, pages);
                self.forward_pages(control);
            }
            Message::AllPages(round, pages) => self.distribute_pages(round, pages, control),
            Message::Notice(search, notice) => self.mailbox.notices.push((search, notice)),
            Message::Heartbeat(rank, search, status) => self.statuses.note_heartbeat(rank as usize, search, status),
            Message::Letter(search, bytes) => self.mailbox.letters.push((search, bytes)),
            Message::ToLeader(round, rank, bytes) => control.leader_rounds.add(round, rank, bytes),
        }
    }

    fn send(&self, to: usize, message: &Message) {
        self.transport.send(to, Channel::Control, with_checksum(message_of(message)));
    }

    /// Ends all ranks after an internal error of this one.
    pub fn abort(&self, reason: &str) {
        self.abort_with(INTERNAL_ERROR_CODE, reason);
    }

    /// Ends all ranks with an exit code, because this one cannot continue.
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
