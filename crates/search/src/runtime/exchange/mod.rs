//! The exchange: how the ranks of one search talk to one another.
//!
//! A *rank* is a process with a crew of its own; all ranks search the same board. The exchange knows bytes alone. It
//! has these parts:
//!
//! * A [`Transport`] carries messages from one rank to another: [`Crowd`] between threads of one process, for tests,
//!   and MPI between processes (feature `mpi`).
//! * *Parcels* are the work that ranks hand to one another. They are counted when they are sent, and when they have
//!   been dealt with. [`Waves`] find out from these counts when no rank works and no parcel is under way.
//! * *Pages*: at the end of a phase each rank lays down a page, and all ranks get the same pages
//!   ([`Exchange::all_gather_bytes`]). So all ranks decide the same thing by the same function. *News* pass ahead of
//!   the pages: they make ranks prune earlier or come to the end of the phase earlier, and decide nothing. Messages of
//!   an earlier search are dropped.
//! * *Posts* are bytes for one rank, which decide nothing that all ranks must decide alike ([`Exchange::post`]). A
//!   search that rests on them alone tolerates silent ranks ([`Exchange::tolerate_silence`],
//!   [`Exchange::gather_at_leader`]).
//!
//! A search on one rank has no exchange.
//!
//! **Bounded memory.** A transport says how many parcels are under way, to a rank and in all ([`Exchange::is_full`]). A
//! worker that finds no room waits, and takes parcels in meanwhile. Taking one in sends nothing that needs room, so
//! ranks that wait for each other go on.

mod crowd;
mod fault;
mod launch;
mod life;
mod mailbox;
mod message;
#[cfg(feature = "mpi")]
mod mpi;
mod pages;
mod roster;
mod status;
mod tree;
mod waves;

pub use crowd::{Crowd, CrowdRank, Weather};
pub use launch::launched;
pub use mailbox::News;
pub use message::{empty_message, message_of, value_of};
#[cfg(feature = "mpi")]
pub use mpi::{MpiWorld, Unlaunched, abort_world};
pub use status::RankStatus;

use super::crew::Crew;
use crossbeam::queue::SegQueue;
use mailbox::{Mailbox, Partings, next_of};
use message::{CHECKSUM, sealed};
use pages::{Laid, Pages};
use roster::Roster;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use status::Statuses;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tree::Tree;
use waves::{Counts, Waves};

/// The bytes of a parcel, unless [`Exchange::with_parcels`] says otherwise: below the 64 KiB at which Open MPI asks the
/// receiver for room first. Parcels of 4 KiB took three times the processor time.
const PARCEL: usize = 60_000;

/// The most parcels of states that one rank may have under way to another. Solutions and paths do not wait for room:
/// they are few and short.
pub const WINDOW: usize = 16;

/// The most bytes of all parcels that one rank has under way, and of all those that it fills.
const WINDOW_BYTES: usize = 32 << 20;

/// The most parcels that wait on a rank until its workers take them in. Further ones stay on their way.
const INBOX: usize = 64;

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

    /// Ends all ranks, because this one cannot go on. Returns only where ranks are threads of one process.
    fn abort(&self, reason: &str);

    /// Why the ranks cannot go on, if one of them has called [`Transport::abort`].
    fn aborted(&self) -> Option<String>;
}

/// A message of the exchange itself.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// The counts of a part of the tree, for the wave with this number.
    Up(u64, Counts),
    /// The end of the wave with this number, and whether the phase is over.
    Down(u64, bool),
    /// The pages of a part of the tree, for the round with this number.
    Gather(u64, Laid),
    /// All pages of the round with this number, in the order of the ranks.
    Spread(u64, Vec<ByteBuf>),
    /// The number of the search, and news of it.
    News(u64, News),
    /// The number of the rank's search, and its work so far in it; also the sign that the rank is alive.
    Beat(u32, u64, RankStatus),
    /// The number of the sender's search, and bytes.
    Post(u64, ByteBuf),
    /// The number of the parting, the rank, and its bytes for the leader.
    LastWords(u64, u32, ByteBuf),
}

/// The ends of one rank's connections to all others.
#[derive(Debug)]
pub struct Exchange {
    transport: Box<dyn Transport>,
    parcel_bytes: usize,
    /// Parcels sent, and parcels that arrived and were dealt with.
    sent: AtomicU64,
    received: AtomicU64,
    inbox: SegQueue<Vec<u8>>,
    mailbox: Mailbox,
    control: Mutex<Control>,
    statuses: Statuses,
    roster: Roster,
    /// Whether the phase is over on all ranks.
    is_over: AtomicBool,
    /// Whether ranks may be silent as long as they like.
    tolerates_silence: AtomicBool,
    /// See [`Exchange::is_silent`], in milliseconds.
    patience: AtomicU64,
}

/// What the exchange knows of the waves and of the pages.
#[derive(Debug)]
struct Control {
    waves: Waves,
    pages: Pages,
    partings: Partings,
}

/// A parcel that has arrived. It counts as dealt with when it is dropped.
#[derive(Debug)]
pub struct Parcel<'x> {
    exchange: &'x Exchange,
    bytes: Vec<u8>,
}

impl Parcel<'_> {
    /// The contents.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[CHECKSUM..]
    }
}

impl Drop for Parcel<'_> {
    fn drop(&mut self) {
        self.exchange.received.fetch_add(1, SeqCst);
    }
}

impl Exchange {
    /// The exchange of one rank.
    #[must_use]
    pub fn new(transport: impl Transport + 'static) -> Self {
        let (rank, ranks) = (transport.rank(), transport.ranks());
        let tree = Tree::new(rank, ranks);
        Self {
            transport: Box::new(transport),
            parcel_bytes: PARCEL.min(WINDOW_BYTES / ranks),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            inbox: SegQueue::new(),
            mailbox: Mailbox::default(),
            control: Mutex::new(Control {
                waves: Waves::new(tree),
                pages: Pages::new(tree),
                partings: Partings::default(),
            }),
            statuses: Statuses::new(rank, ranks),
            roster: Roster::default(),
            is_over: AtomicBool::new(false),
            tolerates_silence: AtomicBool::new(false),
            patience: AtomicU64::new(u64::MAX),
        }
    }

    /// The exchange with parcels of about this many bytes.
    #[must_use]
    pub fn with_parcels(self, parcel_bytes: usize) -> Self {
        Self { parcel_bytes, ..self }
    }

    /// The bytes at which a parcel is full.
    #[must_use]
    pub fn parcel_bytes(&self) -> usize {
        self.parcel_bytes
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

    /// Names the host of each rank, for messages and for [`Exchange::ranks_on_host`]. To be called once.
    pub fn name_hosts(&self, hosts: Vec<String>) {
        self.roster.name_hosts(hosts);
    }

    /// The number of ranks on the host of this one, as far as hosts are named; 1 at least.
    #[must_use]
    pub fn ranks_on_host(&self) -> usize {
        self.roster.on_host_of(self.rank())
    }

    /// A rank with its host, such as `rank 1 on node7`.
    #[must_use]
    pub fn place(&self, rank: usize) -> String {
        self.roster.place(rank)
    }

    /// Sets the command that goes on with the search, for the last words of ranks that cannot.
    pub fn set_resume_command(&self, command: Option<String>) {
        self.roster.set_command(command);
    }

    /// Sends a parcel to another rank. `message` begins as [`empty_message`].
    pub fn ship(&self, to: usize, message: Vec<u8>) {
        self.sent.fetch_add(1, SeqCst);
        self.transport.send(to, Lane::Parcels, sealed(message));
    }

    /// Whether no further parcel to a rank should be sent now.
    #[must_use]
    pub fn is_full(&self, to: usize) -> bool {
        let bytes = self.transport.all_under_way().saturating_mul(self.parcel_bytes);
        self.transport.under_way(to) >= WINDOW || bytes >= WINDOW_BYTES
    }

    /// Whether a parcel has arrived.
    #[must_use]
    #[inline]
    pub fn has_arrivals(&self) -> bool {
        !self.inbox.is_empty()
    }

    /// The next parcel that has arrived.
    #[must_use]
    pub fn arrived(&self) -> Option<Parcel<'_>> {
        fault::pass(self.rank(), fault::PanicPlace::Work);
        self.inbox.pop().map(|bytes| Parcel { exchange: self, bytes })
    }

    /// Tells all other ranks.
    pub fn tell(&self, news: News) {
        let search = self.statuses.search();
        for to in (0..self.ranks()).filter(|&to| to != self.rank()) {
            self.send(to, &Message::News(search, news));
        }
    }

    /// The next news of another rank. News may be late: those of an earlier search are dropped, because its incumbents
    /// and its stops mean nothing to this one. There are none of a later search, which begins only when all ranks have
    /// agreed that this one is over.
    #[must_use]
    #[inline]
    pub fn heard(&self) -> Option<News> {
        next_of(&self.mailbox.news, self.statuses.search())
    }

    /// Sends bytes to a rank. They decide nothing that all ranks must decide alike: they may arrive late, or after the
    /// search.
    pub fn post(&self, to: usize, bytes: Vec<u8>) {
        self.send(to, &Message::Post(self.statuses.search(), ByteBuf::from(bytes)));
    }

    /// The next bytes that a rank has posted in the search under way.
    #[must_use]
    pub fn posted(&self) -> Option<Vec<u8>> {
        next_of(&self.mailbox.posts, self.statuses.search()).map(ByteBuf::into_vec)
    }

    /// Lets messages make progress, unless another thread does so just now. To be called often.
    ///
    /// # Panics
    /// When a rank has ended all ranks ([`Transport::abort`]), where ranks are threads of one process.
    pub fn pump(&self) {
        let Ok(mut control) = self.control.try_lock() else { return };
        self.pump_locked(&mut control);
    }

    fn pump_locked(&self, control: &mut Control) {
        if let Some(reason) = self.transport.aborted() {
            // The ranks are threads of one process: each of them ends, as each process would.
            std::panic::resume_unwind(Box::new(reason));
        }
        while let Some(message) = self.transport.receive(Lane::Control) {
            match self.open(&message).map(value_of) {
                Some(Some(message)) => self.take(message, control),
                Some(None) => self.abort("found a message of the exchange that cannot be read, expected one"),
                None => {}
            }
        }
        while self.inbox.len() < INBOX
            && let Some(message) = self.transport.receive(Lane::Parcels)
        {
            if self.open(&message).is_some() {
                self.inbox.push(message);
            }
        }
    }

    /// The contents of a message whose checksum is right. Otherwise all ranks end: nothing may rest on what a message
    /// was meant to say.
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
            Message::Beat(rank, search, status) => self.statuses.heard(rank as usize, search, status),
            Message::Post(search, bytes) => self.mailbox.posts.push((search, bytes)),
            Message::LastWords(number, rank, bytes) => control.partings.hear(number, rank, bytes),
        }
    }

    /// Sends the counts of this part of the tree upward if they are complete.
    fn move_waves(&self, control: &mut Control) {
        let Some((wave, counts)) = control.waves.complete() else { return };
        match control.waves.tree().parent() {
            Some(parent) => self.send(parent, &Message::Up(wave, counts)),
            None => {
                let is_over = control.waves.judge(counts);
                self.end_wave(wave, is_over, control);
            }
        }
    }

    fn end_wave(&self, wave: u64, is_over: bool, control: &mut Control) {
        for child in control.waves.tree().children() {
            self.send(child, &Message::Down(wave, is_over));
        }
        control.waves.end(wave);
        if is_over {
            self.is_over.store(true, SeqCst);
        }
    }

    /// Sends the pages of this part of the tree upward if they are complete.
    fn move_pages(&self, control: &mut Control) {
        let Some((round, pages)) = control.pages.complete() else { return };
        match control.pages.tree().parent() {
            Some(parent) => self.send(parent, &Message::Gather(round, pages)),
            None => self.spread(round, pages.into_iter().map(|(_, page)| page).collect(), control),
        }
    }

    fn spread(&self, round: u64, pages: Vec<ByteBuf>, control: &mut Control) {
        let message = Message::Spread(round, pages);
        for child in control.pages.tree().children() {
            self.send(child, &message);
        }
        if let Message::Spread(round, pages) = message {
            control.pages.end(round, pages);
        }
    }

    fn send(&self, to: usize, message: &Message) {
        self.transport.send(to, Lane::Control, sealed(message_of(message)));
    }

    /// Lays down a page, waits for the pages of all ranks, and returns them in the order of the ranks. All ranks must
    /// call this equally often. This call does not wait for parcels. End a phase first, or count them.
    ///
    /// # Panics
    /// As [`Exchange::pump`].
    pub fn all_gather_bytes(&self, page: Vec<u8>) -> Vec<Vec<u8>> {
        self.end_tolerance();
        let mut control = self.control();
        control.pages.lay_down(ByteBuf::from(page));
        self.move_pages(&mut control);
        let mut pause = Pause::default();
        loop {
            if let Some(pages) = control.pages.all() {
                return pages.into_iter().map(ByteBuf::into_vec).collect();
            }
            drop(control);
            pause.wait();
            control = self.control();
            self.pump_locked(&mut control);
        }
    }

    /// [`Exchange::all_gather_bytes`] on values. A page that cannot be read ends all ranks: their programs differ.
    ///
    /// # Panics
    /// As [`Exchange::pump`].
    pub fn all_gather<T: Serialize + DeserializeOwned>(&self, value: &T) -> Vec<T> {
        let page = bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap_or_default();
        let read = |page: Vec<u8>| {
            let value = value_of(&page);
            if value.is_none() {
                self.abort("found a page of another form: the ranks run different programs, expected one program");
            }
            value
        };
        self.all_gather_bytes(page).into_iter().filter_map(read).collect()
    }

    /// Whether no rank works and no parcel is under way. To be believed only while no worker of this rank works.
    #[must_use]
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(SeqCst)
    }

    /// Contributes to the wave under way, if this rank has not done so and `crew` does not work. `is_clear` says
    /// whether nothing waits to be sent.
    pub fn contribute(&self, crew: &Crew, is_clear: impl Fn() -> bool) {
        let Ok(mut control) = self.control.try_lock() else { return };
        // The counts are read under the lock: they must not be older than the wave.
        let counts = || Counts { sent: self.sent.load(SeqCst), received: self.received.load(SeqCst) };
        // A contribution after the end of a phase would count for the next phase, before this rank has begun it.
        if control.waves.is_wanting()
            && !self.is_over()
            && let Some(Some(counts)) = crew.while_idle(|| is_clear().then(counts))
        {
            control.waves.contribute(counts);
            self.move_waves(&mut control);
        }
    }

    /// Begins a phase: nothing is over yet.
    pub fn begin_phase(&self) {
        self.is_over.store(false, SeqCst);
    }

    /// Begins a search: no rank has done any work in it. All ranks call this equally often.
    pub fn begin_search(&self) {
        self.statuses.begin_search();
    }

    /// The number of searches that all ranks have begun together.
    #[must_use]
    pub fn searches(&self) -> u64 {
        self.statuses.own().0
    }

    /// Records the work of this rank in the search.
    #[inline]
    pub fn report(&self, status: RankStatus) {
        self.statuses.set(status);
    }

    /// The last known work of each rank. On ranks other than the leader only their own, and that of
    /// the rank before, is known.
    #[must_use]
    pub fn each(&self) -> Vec<RankStatus> {
        let mut all = self.statuses.all();
        all[self.rank()] = self.statuses.own().1;
        all
    }

    /// The sum of the last known work of all ranks. On ranks other than the leader only their own, and that of
    /// the rank before, is known.
    #[must_use]
    pub fn sum(&self) -> RankStatus {
        self.statuses.all().into_iter().sum()
    }

    /// Ends all ranks, because this one cannot go on.
    pub fn abort(&self, reason: &str) {
        self.transport.abort(&self.roster.last_words(reason));
    }

    fn control(&self) -> MutexGuard<'_, Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
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
