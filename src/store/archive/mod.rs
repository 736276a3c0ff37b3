//! The part of a store that outlives the process: its log on disk, a journal of marks, and checkpoints of both.
//!
//! ```text
//! workers --(sealed segments, closed ids, changed marks)--> scribe --> shard-*.log, journal.log
//! one worker, when all have stopped --(cut)-------------> scribe --> manifest-a, manifest-b
//! steward: resident memory too large --> segments that are on disk become cold --> their memory goes back
//! ```
//!
//! Workers never wait for a disk, unless it falls so far behind that memory would not last. A *cut* is taken while
//! all workers stand still: numbers of records, and what the engine wants to know again. The bytes that it covers never
//! change any more (records are append-only, marks are journalled), so they are written while the workers go on.
//! The log is the truth: [`recover`] derives index and open nodes from it.

pub mod decoders;
mod error;
pub(crate) mod journal;
pub(crate) mod manifest;
mod medium;
mod recover;
mod resident;
mod scratch;
mod scribe;
mod steward;
mod tidy;
mod volume;

pub use error::ArchiveError;
pub use medium::{Disk, Medium, MediumFile};
pub use recover::{Inspection, OnRead, Recovered, glance, inspect, recover};
pub use resident::resident_bytes;
pub use scratch::Scratch;
pub(crate) use scratch::{Nameless, Tally};
pub(crate) use scribe::born;
pub use tidy::{discard, exists};
pub(crate) use volume::Volume;

use super::shard::Shard;
use super::{Id, Layout};
use crossbeam::channel::{Receiver, Sender, unbounded};
use journal::Kind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Where an archive lies, and what it may use.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// The run directory.
    pub run: PathBuf,
    /// Folders for the logs, in turn; none: the run directory.
    pub spill: Vec<PathBuf>,
    /// What the states are states of; a resume is refused when it is not the same.
    pub identity: String,
    /// The most bytes on disk.
    pub disk: Option<u64>,
    /// Bytes that are left free on each disk.
    pub keep_free: u64,
    /// The most physical memory of the whole process, in bytes.
    pub resident: Option<u64>,
    /// The most bytes that the store's records, marks and index take in memory.
    pub share: Option<u64>,
    /// The disk.
    pub medium: Arc<dyn Medium>,
}

impl ArchiveSettings {
    /// All of it in the run directory, on this machine's disk, without limits.
    #[must_use]
    pub fn unlimited(run: PathBuf, identity: impl Into<String>) -> Self {
        let (spill, identity, medium) = (Vec::new(), identity.into(), Arc::new(medium::Disk));
        Self { run, spill, identity, disk: None, keep_free: 0, resident: None, share: None, medium }
    }

    /// Refuses `more` bytes where `used` are already, if they would pass the budget or leave less free than is to stay free
    /// in one of the folders, each of which may get them all.
    fn check_room(&self, used: u64, more: u64) -> Result<(), ArchiveError> {
        self.check(used, more, self.keep_free)
    }

    /// The same for what cannot be left out any more: half of what stays free is for that.
    fn check_last_room(&self, used: u64, more: u64) -> Result<(), ArchiveError> {
        self.check(used, more, self.keep_free / 2)
    }

    fn check(&self, used: u64, more: u64, keep_free: u64) -> Result<(), ArchiveError> {
        let budget = self.disk.map(|disk| (&self.run, disk.saturating_sub(used)));
        // A folder that is still to be made will lie on the disk of the one above it.
        let free = |folder: &Path| folder.ancestors().find_map(|above| self.medium.free_bytes(above).ok());
        let folders = std::iter::once(&self.run).chain(&self.spill);
        let left = folders.map(|folder| (folder, free(folder).map_or(u64::MAX, |free| free.saturating_sub(keep_free))));
        match budget.into_iter().chain(left).find(|&(_, left)| left < more) {
            Some((path, left)) => Err(ArchiveError::Full { path: path.clone(), left, wanted: more }),
            None => Ok(()),
        }
    }
}

/// Bytes that a last checkpoint takes at most: tails, closed ids and marks that wait, and the manifest.
fn last_checkpoint(layout: Layout) -> u64 {
    layout.shards as u64 * layout.segment_bytes() + (8 << 20)
}

/// Refuses an archive, of a store that holds so many bytes, for which there is no room.
pub(super) fn check_room(settings: &ArchiveSettings, layout: Layout, held: u64) -> Result<(), ArchiveError> {
    settings.check_room(0, held + last_checkpoint(layout))
}

/// Whether something has failed; the first error is kept.
#[derive(Debug, Default)]
pub struct Health {
    failed: AtomicBool,
    error: OnceLock<ArchiveError>,
}

impl Health {
    pub(crate) fn fail(&self, error: ArchiveError) {
        let _ = self.error.set(error);
        self.failed.store(true, Relaxed);
    }

    fn error(&self) -> Option<&ArchiveError> {
        if self.failed.load(Relaxed) { self.error.get() } else { None }
    }
}

/// What the scribe is asked to do, in this order.
#[derive(Debug)]
pub(crate) enum Order {
    /// Write what was there before there was an archive: the first records of each shard, and their marks.
    Snapshot(Vec<u32>),
    /// A segment is full.
    Sealed { shard: u32, segment: u32 },
    /// A frame for the journal.
    Frame(Kind, Vec<u8>),
    /// States that were closed.
    Closed(Vec<Id>),
    /// Everything ordered before this, and the first records of each shard, make up a checkpoint.
    Cut { records: Vec<u32>, payload: Vec<u8> },
    /// Nothing more comes.
    End,
}

/// Where orders go, and the count of the bytes that they ask to be written.
#[derive(Clone, Debug)]
pub(crate) struct Orders(pub(crate) Sender<Order>, pub(crate) Arc<AtomicU64>);

impl Orders {
    /// A segment of so many bytes is full.
    pub(crate) fn seal(&self, shard: u32, segment: u32, bytes: u64) {
        self.1.fetch_add(bytes, Relaxed);
        self.give(Order::Sealed { shard, segment });
    }

    pub(crate) fn give(&self, order: Order) {
        // The scribe takes orders until it is told the end; what comes later belongs to no checkpoint.
        let _ = self.0.send(order);
    }
}

/// How far scribe and steward are.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Bytes that a last checkpoint takes at most.
    last: u64,
    /// Bytes of sealed segments that wait to be written.
    backlog: Arc<AtomicU64>,
    /// Bytes of the snapshot that are not written yet.
    snapshot: AtomicU64,
    /// The snapshot is written.
    caught_up: AtomicBool,
    /// Checkpoints that are durable.
    checkpoints: AtomicU64,
    /// Cuts that are ordered.
    cuts: AtomicU64,
    /// Bytes on disk, without files that have no name, and these.
    written: AtomicU64,
    nameless: Arc<Tally>,
    /// Hardly any room on disk is left.
    disk_low: AtomicBool,
    /// More memory is used than may be, and no segment is left that could become cold.
    squeezed: AtomicBool,
    /// An order is carried out.
    changed: Condvar,
    /// Nothing more is written.
    over: Condvar,
    ended: Mutex<bool>,
}

impl Progress {
    /// Bytes that will be written whatever comes.
    fn to_come(&self) -> u64 {
        self.backlog.load(Relaxed) + self.snapshot.load(Relaxed) + self.last
    }

    /// Bytes on disk.
    fn used(&self) -> u64 {
        self.written.load(Relaxed) + self.nameless.bytes()
    }

    /// That of an archive with so many shards.
    fn of(layout: Layout) -> Self {
        Self { last: last_checkpoint(layout), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An archive that is being written.
#[derive(Debug)]
pub struct Archive {
    settings: Arc<ArchiveSettings>,
    orders: Orders,
    health: Arc<Health>,
    progress: Arc<Progress>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// What scribe and steward share with the store.
#[derive(Clone)]
struct Common {
    shards: Arc<[Shard]>,
    settings: Arc<ArchiveSettings>,
    layout: Layout,
    health: Arc<Health>,
    progress: Arc<Progress>,
}

impl Common {
    /// How full the budgets of memory are; nothing of those that are not set.
    fn loads(&self) -> [Load; 2] {
        let load = |budget: Option<u64>, used: &dyn Fn() -> u64| {
            budget.map_or(Load::NONE, |budget| Load { used: used(), budget })
        };
        let held = || self.shards.iter().map(Shard::bytes).sum();
        [load(self.settings.resident, &resident_bytes), load(self.settings.share, &held)]
    }

    /// Whether more than so many hundredths of a budget of memory are used.
    fn uses_more_than(&self, hundredths: u64) -> bool {
        self.loads().iter().any(|load| load.above(hundredths) > 0)
    }

    /// Refuses `more` bytes on disk when they would take the room that a last checkpoint will need.
    fn check_room(&self, more: u64) -> Result<(), ArchiveError> {
        self.settings.check_room(self.progress.used(), self.progress.to_come() + more)
    }

    /// Bytes of memory that a shard's index would give back if it went to disk; 0 when that is not worth it or there
    /// is no room for it.
    fn could_put_index_away(&self, number: usize) -> u64 {
        let sizes = self.shards[number].index_sizes();
        if sizes.is_worth_writing() && self.check_room(sizes.bytes_on_disk()).is_ok() { sizes.bytes } else { 0 }
    }

    /// Sends the index of a shard to disk. Returns the bytes of memory given back; 0 when there was no room.
    fn put_index_away(&self, number: usize) -> Result<u64, ArchiveError> {
        let file = Nameless::create(&self.settings, "index", number, &self.progress.nameless);
        match file.and_then(|file| self.shards[number].put_index_away(file, &self.health)) {
            Err(error) if error.is_full() => Ok(0),
            result => result,
        }
    }
}

/// How full a budget of memory is.
#[derive(Clone, Copy, Debug)]
struct Load {
    used: u64,
    budget: u64,
}

impl Load {
    const NONE: Self = Self { used: 0, budget: u64::MAX };

    /// Bytes used above so many hundredths of the budget.
    fn above(self, hundredths: u64) -> u64 {
        self.used.saturating_sub(self.budget / 100 * hundredths)
    }
}

/// The most bytes of sealed segments that may wait to be written before workers wait too.
const MOST_BACKLOG: u64 = 256 << 20;

/// Open nodes take this part of the memory budget before they go to disk.
const OPEN_NODES: u64 = 8;

impl Archive {
    /// A new archive for a store that has none. Nobody else uses the store meanwhile.
    pub(super) fn create(
        shards: &Arc<[Shard]>,
        layout: Layout,
        settings: ArchiveSettings,
    ) -> Result<Self, ArchiveError> {
        let volumes = scribe::create_volumes(&settings, layout)?;
        let journal = journal::Journal::create(&*settings.medium, &settings.run)?;
        let (health, (send, receive)) = (Arc::new(Health::default()), unbounded());
        let progress = Arc::new(Progress::of(layout));
        let orders = Orders(send, Arc::clone(&progress.backlog));
        let mut records = Vec::new();
        for (shard, volume) in shards.iter().zip(volumes) {
            records.push(shard.archive(volume, &health, &orders));
        }
        let snapshot = shards.iter().zip(&records).map(|(shard, &records)| shard.snapshot_bytes(records)).sum();
        progress.snapshot.store(snapshot, Relaxed);
        let common = Common { shards: Arc::clone(shards), settings: Arc::new(settings), layout, health, progress };
        let scribe = scribe::Scribe::new(common.clone(), journal, 0);
        let archive = Self::start(common, scribe, orders, receive);
        archive.order(Order::Snapshot(records));
        Ok(archive)
    }

    fn start(common: Common, scribe: scribe::Scribe, orders: Orders, receive: Receiver<Order>) -> Self {
        let (health, progress) = (Arc::clone(&common.health), Arc::clone(&common.progress));
        let settings = Arc::clone(&common.settings);
        let mut threads = Vec::new();
        let mut spawn = |name: &str, work: Box<dyn FnOnce() + Send>| match std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(work)
        {
            Ok(thread) => threads.push(thread),
            Err(reason) => {
                let path = common.settings.run.clone();
                let reason = Arc::new(reason);
                common.health.fail(ArchiveError::Io { action: "start a thread for", path, reason });
            }
        };
        spawn("scribe", Box::new(move || scribe.run(&receive)));
        let steward = steward::Steward::new(common.clone());
        spawn("steward", Box::new(move || steward.run()));
        Self { settings, orders, health, progress, threads: Mutex::new(threads) }
    }

    pub(super) fn order(&self, order: Order) {
        self.orders.give(order);
    }

    pub(super) fn cut(&self, records: Vec<u32>, payload: Vec<u8>) {
        self.progress.cuts.fetch_add(1, Relaxed);
        self.order(Order::Cut { records, payload });
    }

    /// What has failed, if anything has: nothing that was found since may be believed, and no checkpoint comes any more.
    #[must_use]
    pub fn error(&self) -> Option<&ArchiveError> {
        self.health.error()
    }

    /// Whether a checkpoint may be cut: nothing of what was there before the archive is left to be written, and no other
    /// checkpoint is under way.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        let progress = &self.progress;
        progress.caught_up.load(Relaxed) && progress.checkpoints.load(Relaxed) == progress.cuts.load(Relaxed)
    }

    /// Says when no more room on disk is left than a last checkpoint needs.
    ///
    /// # Errors
    /// [`ArchiveError::Full`] then.
    pub fn check_room(&self) -> Result<(), ArchiveError> {
        let Progress { disk_low, .. } = &*self.progress;
        let passes = self.settings.disk.is_some_and(|disk| self.progress.used() + self.progress.to_come() > disk);
        if passes || disk_low.load(Relaxed) {
            return self.settings.check_room(self.progress.used(), self.progress.to_come());
        }
        Ok(())
    }

    /// Whether more memory is used than may be, and everything is cold that can be.
    #[must_use]
    pub fn is_squeezed(&self) -> bool {
        self.progress.squeezed.load(Relaxed)
    }

    /// The most bytes that all open nodes should take in memory, if there is a limit.
    #[must_use]
    pub fn open_nodes_budget(&self) -> Option<u64> {
        let budgets = [self.settings.resident, self.settings.share];
        budgets.into_iter().flatten().min().map(|budget| budget / OPEN_NODES)
    }

    /// A file for open nodes in blocks of `block` bytes. `None` when the disk fails, which [`Archive::error`] knows then.
    #[must_use]
    pub fn scratch(&self, number: usize, block: usize) -> Option<Arc<Scratch>> {
        let file = Nameless::create(&self.settings, "open-nodes", number, &self.progress.nameless);
        let file = file.map_err(|error| self.health.fail(error)).ok()?;
        Some(Arc::new(Scratch::new(file, block, &self.health)))
    }

    /// Waits while the disk is far behind, unless `leaving`.
    pub fn wait_for_disk(&self, leaving: impl Fn() -> bool) {
        while self.progress.backlog.load(Relaxed) > MOST_BACKLOG && self.error().is_none() && !leaving() {
            let ended = self.progress.lock();
            drop(self.progress.changed.wait_timeout(ended, Duration::from_millis(10)));
        }
    }

    /// Waits until everything that was ordered is done. Returns what has failed, as [`Archive::error`] does.
    pub fn finish(&self) -> Option<&ArchiveError> {
        self.order(Order::End);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, thread) in threads.drain(..).enumerate() {
            if thread.join().is_err() {
                let reason = Arc::new(std::io::Error::other("its thread panicked"));
                let path = PathBuf::from(["scribe", "steward"][number.min(1)]);
                self.health.fail(ArchiveError::Io { action: "go on with the", path, reason });
            }
        }
        self.error()
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        self.finish();
    }
}
