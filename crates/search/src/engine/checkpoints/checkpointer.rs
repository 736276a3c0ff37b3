//! The schedule of checkpoints.
//!
//! Workers call [`Checkpointer::check`] from time to time. When a checkpoint is due, the check asks all workers to wait
//! at the barrier. One worker then takes the checkpoint ([`Checkpointer::take_at_barrier`]), and all continue.
//!
//! **On several ranks** the clock of the leader says when a checkpoint is due, and any rank may ask for files because
//! its memory runs out. At the barrier the ranks exchange their [`RankStatus`], so all make the same decision. Each
//! rank makes its own part durable while its workers continue, and posts the part to the leader, which writes the
//! manifest.

use super::snapshot::Snapshot;
use super::times::{SessionClock, Times};
use crate::checkpoint::{
    BodyReader, CheckpointError, CheckpointFiles, Checkpoints, Inspection, RecoveredPayload, RecoveredStore, exists,
    read_manifest, recover, recover_payload,
};
use crate::domain::Cost;
use crate::engine::outcome::{Outcome, Statistics};
use crate::expand::StateSpace;
use crate::platform::{HAS_FILES, Instant, resident_bytes};
use crate::runtime::{Event, Exchange, Monitor, Stage, StopReason};
use crate::store::{Store, StoreFiles};
use crate::sync::lock;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// The configuration of checkpoints.
#[derive(Clone, Debug)]
pub struct CheckpointConfig {
    /// The folders and limits of checkpoints.
    pub files: CheckpointFiles,
    /// The time between two checkpoints.
    pub every: Duration,
    /// Whether to resume from the newest checkpoint.
    pub resume: bool,
    /// The clock of the session.
    pub clock: SessionClock,
}

/// Percentage of a memory limit above which states go to disk.
const HIGH_MEMORY_PERCENT: u64 = 85;

/// One check in `SYSTEM_CHECK_INTERVAL` asks the system for the resident memory and the free disk.
const SYSTEM_CHECK_INTERVAL: u32 = 16;

/// The number of steps in which the progress of reading a checkpoint is reported.
const PROGRESS_STEPS: u64 = 100;

/// If another rank was not ready for a checkpoint, a rank asks again after this time.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The folder in the run directory for the checkpoints of the IDA* search that follows best-first search in `auto`.
const IDA_FOLDER: &str = "ida";

/// The checkpoint files of the IDA* search that continues after memory or disk ended a best-first search with the
/// checkpoints `files`.
#[must_use]
pub fn sequel_files(files: &CheckpointFiles) -> CheckpointFiles {
    let mut sequel = files.clone();
    sequel.storage.run.push(IDA_FOLDER);
    // The folders for records belong to the best-first search.
    sequel.storage.spill_folders.clear();
    sequel
}

impl CheckpointConfig {
    /// The configuration of an IDA* search that continues after a best-first search with this configuration. On several
    /// ranks, the leader finds out whether there is a checkpoint to resume from.
    pub(crate) fn sequel(&self, exchange: Option<&Exchange>) -> Self {
        let files = sequel_files(&self.files);
        let can_resume = self.resume && exists(&files);
        let resume = exchange
            .map_or(can_resume, |exchange| exchange.all_gather(&can_resume).first().is_some_and(|&leader| leader));
        Self { resume, files, ..self.clone() }
    }

    /// The lower bound and the times of earlier sessions; 0 if the search does not resume, or no checkpoint can be
    /// used.
    #[must_use]
    pub fn earlier_progress(&self) -> (Cost, Times) {
        let progress = |files: &CheckpointFiles| {
            let Inspection { payload, .. } = read_manifest(files, None).ok()?;
            Snapshot::decode(&payload).ok().map(|snapshot| (snapshot.lower_bound, snapshot.times))
        };
        let files = [self.files.clone(), sequel_files(&self.files)];
        let found = files.iter().filter(|_| self.resume).filter_map(progress);
        found.fold(<_>::default(), |(bound, times), (other, more)| (other.max(bound), times.longer(more)))
    }

    /// The error for a checkpoint in which `found` was found.
    #[must_use]
    pub fn unusable(&self, found: &str) -> CheckpointError {
        CheckpointError::NoCheckpoint { path: self.files.storage.run.clone(), reasons: vec![format!("found {found}")] }
    }

    /// The outcome of a session that was stopped while reading its checkpoint, from the snapshot. The observer gets a
    /// note. `stored` counts records, because only reading them counts states.
    ///
    /// # Errors
    /// When the checkpoint cannot be used.
    pub fn unread_outcome(&self, monitor: &Monitor<'_>) -> Result<Outcome, CheckpointError> {
        monitor.send(&Event::Note("stopped while reading the checkpoint; allow more time"));
        let Inspection { payload, records, .. } = read_manifest(&self.files, None)?;
        let snapshot = Snapshot::decode(&payload).map_err(|reason| self.unusable(&reason))?;
        let Snapshot { lower_bound, layers, current, incumbent, work, .. } = snapshot;
        let layers = layers.into_iter().chain(current).collect();
        let statistics = Statistics { stored: records, layers, ..Statistics::from(work) };
        Ok(Outcome { incumbent, lower_bound, stopped: monitor.stop_reason(), statistics, ..Outcome::unknown() })
    }

    fn payload(&self, snapshot: Snapshot) -> Result<Vec<u8>, CheckpointError> {
        let snapshot = Snapshot { times: self.clock.now(), ..snapshot };
        snapshot.encode().map_err(|reason| self.unusable(&reason))
    }

    fn snapshot_of(&self, payload: &[u8], engine: &str) -> Result<Snapshot, CheckpointError> {
        let snapshot = Snapshot::decode(payload).map_err(|reason| self.unusable(&reason))?;
        if snapshot.engine() == engine {
            return Ok(snapshot);
        }
        // Another engine stores its open nodes elsewhere. This engine would find no open node and claim a proof.
        let [found, expected] = [snapshot.engine(), engine].map(|engine| format!("the engine {engine}"));
        Err(CheckpointError::OtherSearch { path: self.files.storage.run.clone(), found, expected })
    }

    /// Checks that the pruning rules of a checkpoint are those of this version.
    ///
    /// # Errors
    /// When the checkpoint belongs to other pruning rules.
    pub(crate) fn check_rules(&self, space: &dyn StateSpace, snapshot: &Snapshot) -> Result<(), CheckpointError> {
        if space.revision() == snapshot.revision {
            return Ok(());
        }
        let found = "a search by the pruning rules of another version, expected this version's: start a new run";
        Err(self.unusable(found))
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct RankStatus {
    stops: bool,
    /// Whether the time for a checkpoint has come.
    is_due: bool,
    /// Whether memory is so short that the store needs files.
    is_memory_high: bool,
    has_begun: bool,
    /// Whether no earlier checkpoint is still being written.
    is_ready: bool,
    /// Whether no checkpoint can be taken any more.
    has_failed: bool,
}

impl RankStatus {
    fn join(self, other: Self) -> Self {
        Self {
            stops: self.stops || other.stops,
            is_due: self.is_due || other.is_due,
            is_memory_high: self.is_memory_high || other.is_memory_high,
            has_begun: self.has_begun || other.has_begun,
            is_ready: self.is_ready && other.is_ready,
            has_failed: self.has_failed || other.has_failed,
        }
    }

    fn must_begin(self) -> bool {
        !self.has_begun && !self.has_failed && (self.stops || self.is_due || self.is_memory_high)
    }
}

/// Takes the checkpoints of one search.
pub struct Checkpointer<'a> {
    config: Option<&'a CheckpointConfig>,
    monitor: &'a Monitor<'a>,
    /// The exchange with the other ranks, if there are any.
    exchange: Option<&'a Exchange>,
    /// Whether the search ends if no checkpoints can be taken.
    needs_checkpoints: bool,
    /// When the next checkpoint is due.
    due: Mutex<Option<Instant>>,
    checks: AtomicU32,
    failure: OnceLock<String>,
    /// Whether the ranks have failed to begin checkpoints.
    has_failed_to_begin: AtomicBool,
    /// Set when the first checkpoint is due, or a checkpoint was read.
    checkpoints: OnceLock<Checkpoints>,
}

impl<'a> Checkpointer<'a> {
    /// Makes a checkpointer. Without a configuration it takes no checkpoints; with one, the first checkpoint is due an
    /// interval from now.
    #[must_use]
    pub fn new(config: Option<&'a CheckpointConfig>, monitor: &'a Monitor<'a>) -> Self {
        let checkpointer = Self {
            config,
            monitor,
            exchange: None,
            needs_checkpoints: true,
            due: Mutex::new(None),
            checks: AtomicU32::new(0),
            failure: OnceLock::new(),
            has_failed_to_begin: AtomicBool::new(false),
            checkpoints: OnceLock::new(),
        };
        checkpointer.postpone(Duration::MAX);
        checkpointer
    }

    /// The configuration, if there is one. `None` on a platform without files: the compiler sees this, so the
    /// WebAssembly module has no code for checkpoints.
    #[inline(always)]
    fn config(&self) -> Option<&'a CheckpointConfig> {
        self.config.filter(|_| HAS_FILES)
    }

    #[inline(always)]
    fn checkpoints(&self) -> Option<&Checkpoints> {
        if HAS_FILES { self.checkpoints.get() } else { None }
    }

    /// This checkpointer, as the one of a rank in `exchange`.
    pub(crate) fn with_exchange(self, exchange: Option<&'a Exchange>) -> Self {
        Self { exchange, ..self }
    }

    /// Whether this rank decides when a checkpoint is due.
    fn is_leader(&self) -> bool {
        self.exchange.is_none_or(Exchange::is_leader)
    }

    /// The checkpointer of a search that continues where memory or disk ended another search. The new search can do
    /// without a disk: when the disk fails, it continues without checkpoints. Its first checkpoint is due at once,
    /// because a resume of the other search would end the same way again.
    pub(crate) fn of_sequel(self) -> Self {
        self.set_next_checkpoint(Some(Instant::now()));
        Self { needs_checkpoints: false, ..self }
    }

    /// Postpones the next checkpoint by `interval`, or by the interval of the configuration if that is shorter.
    fn postpone(&self, interval: Duration) {
        let due = self.config().and_then(|config| Instant::now().checked_add(config.every.min(interval)));
        self.set_next_checkpoint(due);
    }

    /// Sets when the next checkpoint is due, for this checkpointer and for the progress.
    fn set_next_checkpoint(&self, due: Option<Instant>) {
        *lock(&self.due) = due;
        self.monitor.gauges.survey.set_next_checkpoint(due);
    }

    fn is_due(&self) -> bool {
        self.is_leader() && lock(&self.due).is_some_and(|due| Instant::now() >= due)
    }

    /// Reads the newest checkpoint of `engine`: its store and its snapshot.
    ///
    /// # Errors
    /// When no checkpoint is whole, the newest belongs to another engine or search, or the search is stopped before the
    /// checkpoint is read.
    pub(crate) fn resume(&self, config: &CheckpointConfig, engine: &str) -> Result<(Store, Snapshot), CheckpointError> {
        if !HAS_FILES {
            return Err(config.unusable("no files"));
        }
        // Another engine may have no records: its checkpoints are refused before records are read.
        let Inspection { payload, records, .. } = read_manifest(&config.files, self.exchange)?;
        config.snapshot_of(&payload, engine)?;
        // The shares of the ranks are about equal.
        let total = records / self.exchange.map_or(1, Exchange::ranks) as u64;
        let gauges = &self.monitor.gauges;
        // Reading back the records of a search that took hours takes minutes, so the progress is shown.
        let on_read = |records| {
            let before = gauges.stored.fetch_add(records, Relaxed);
            let done = before + records;
            if before * PROGRESS_STEPS / total.max(1) < done * PROGRESS_STEPS / total.max(1) {
                self.monitor.send(&Event::Stage { stage: Stage::ReadingCheckpoint, done, total });
            }
            self.monitor.stop_reason().is_none()
        };
        let RecoveredStore { store, checkpoints, payload, notes } = recover(&config.files, self.exchange, &on_read)?;
        gauges.stored.store(store.state_count(), Relaxed);
        let snapshot = self.accept_snapshot(checkpoints, &notes, config.snapshot_of(&payload, engine))?;
        self.postpone(Duration::MAX);
        Ok((store, snapshot))
    }

    /// Reads the snapshot of the newest checkpoint of `engine`, which has no records, and the body if there is one. On
    /// several ranks the leader alone calls this.
    ///
    /// # Errors
    /// When no checkpoint is whole, or the newest belongs to another engine or search.
    pub fn resume_payload(
        &self,
        config: &CheckpointConfig,
        engine: &str,
    ) -> Result<(Snapshot, Option<BodyReader>), CheckpointError> {
        if !HAS_FILES {
            return Err(config.unusable("no files"));
        }
        let RecoveredPayload { checkpoints, payload, body, notes } = recover_payload(&config.files)?;
        Ok((self.accept_snapshot(checkpoints, &notes, config.snapshot_of(&payload, engine))?, body))
    }

    fn accept_snapshot(
        &self,
        checkpoints: Checkpoints,
        notes: &[String],
        snapshot: Result<Snapshot, CheckpointError>,
    ) -> Result<Snapshot, CheckpointError> {
        notes.iter().for_each(|note| self.monitor.send(&Event::Note(note)));
        let snapshot = snapshot?;
        self.show_progress_of(self.checkpoints.get_or_init(|| checkpoints));
        self.monitor.send(&Event::LowerBound(snapshot.lower_bound));
        Ok(snapshot)
    }

    fn show_progress_of(&self, checkpoints: &Checkpoints) {
        self.monitor.gauges.survey.set_writer_progress(checkpoints.progress());
    }

    /// Asks all workers to wait at the barrier when a checkpoint is due. Stops the search when disk or memory are
    /// exhausted. `store` is `None` for an engine without records, whose checkpoints are small: the limits of the disk
    /// apply to their body alone, if they have one.
    pub fn check(&self, store: Option<&Store>) {
        let Some(config) = self.config().filter(|_| !self.has_given_up()) else { return };
        let checks_system = self.checks.fetch_add(1, Relaxed).is_multiple_of(SYSTEM_CHECK_INTERVAL);
        let is_wanted = match self.checkpoints() {
            Some(checkpoints) => {
                if let Some(error) = checkpoints.error() {
                    self.fail(&error.clone().into());
                } else if let Some(store) = store {
                    self.watch_store(store, checkpoints, checks_system);
                }
                checkpoints.is_ready() && self.is_due()
            }
            None => {
                if let Some(store) = store.filter(|_| checks_system)
                    && let Err(error) = Checkpoints::check_room_for(&config.files, store)
                {
                    self.fail(&error);
                }
                self.is_due() || store.is_some() && self.is_memory_high(checks_system)
            }
        };
        if is_wanted {
            self.monitor.pause();
        }
    }

    /// Stops the search when the disk of its store, or memory, is exhausted. Waits while writing to disk or freeing
    /// memory is behind.
    fn watch_store(&self, store: &Store, checkpoints: &Checkpoints, checks_system: bool) {
        // The evictor watches the disk of a store.
        let files = store.files();
        if let Err(error) = checkpoints.check_room(files.map_or(checks_system, StoreFiles::is_disk_low)) {
            self.fail(&error);
        } else if files.is_some_and(StoreFiles::is_out_of_memory) {
            self.monitor.stop(StopReason::MemoryLimit);
        } else {
            checkpoints.wait_for_disk(|| self.monitor.should_leave_layer());
            files.into_iter().for_each(|files| files.wait_for_memory(|| self.monitor.should_leave_layer()));
        }
    }

    /// Sends a new part of a checkpoint to the leader, which collects the parts of all ranks. To be called often.
    pub(crate) fn relay(&self) {
        let (Some(exchange), Some(checkpoints)) = (self.exchange, self.checkpoints()) else { return };
        if exchange.is_leader() {
            while let Some(part) = exchange.next_letter() {
                checkpoints.add_part(part);
            }
        } else if let Some(part) = checkpoints.new_part() {
            exchange.send_letter(0, part);
        }
    }

    /// Whether a memory limit is nearly reached. Resident memory is checked only if `checks_system` is set.
    fn is_memory_high(&self, checks_system: bool) -> bool {
        let Some(CheckpointConfig { files: CheckpointFiles { storage, .. }, .. }) = self.config() else { return false };
        let is_high =
            |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used > limit / 100 * HIGH_MEMORY_PERCENT);
        is_high(storage.max_store_bytes, self.monitor.gauges.bytes.load(Relaxed))
            || checks_system && is_high(storage.max_resident_bytes, resident_bytes())
    }

    /// Takes a checkpoint if one is due, while all workers wait at the barrier. The first checkpoint creates the files.
    /// `store` is `None` for an engine without records; then the leader alone writes. All ranks call this together, and
    /// `snapshot` is called on all of them or on none.
    pub fn take_at_barrier(&self, store: Option<&Store>, snapshot: impl FnOnce() -> Result<Snapshot, String>) {
        let Some((config, checkpoints)) = self.agree_to_take(store) else { return };
        let snapshot = snapshot().map_err(|reason| config.unusable(&reason));
        match (snapshot.and_then(|snapshot| config.payload(snapshot)), checkpoints) {
            (Ok(payload), Some(checkpoints)) => checkpoints.cut(store, payload),
            (Err(error), _) => self.fail(&error),
            (Ok(_), None) => {}
        }
        self.postpone(config.every);
    }

    /// [`Checkpointer::take_at_barrier`] for an engine without records whose checkpoints have a body. If the disk has
    /// no room for the body, the last checkpoint stays, and the search goes on.
    pub(crate) fn take_with_body(
        &self,
        snapshot: impl FnOnce() -> Snapshot,
        body: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) {
        let Some((config, Some(checkpoints))) = self.agree_to_take(None) else { return };
        let payload = config.payload(snapshot());
        let cut = |payload| Ok(checkpoints.cut_with_body(payload, &config.files.storage, body)?);
        match payload.and_then(cut) {
            Err(error) if error.is_full() => {
                self.monitor.send(&Event::Note(&format!("the checkpoint failed: {error}")));
            }
            Err(error) => self.fail(&error),
            Ok(()) => {}
        }
        self.postpone(config.every);
    }

    /// Agrees with all ranks on whether a checkpoint is taken. If so, returns the configuration, and the checkpoints of
    /// this rank if it has any. For an engine without records, the leader alone has checkpoints.
    fn agree_to_take(&self, store: Option<&Store>) -> Option<(&'a CheckpointConfig, Option<&Checkpoints>)> {
        self.monitor.resume();
        let config = self.config()?;
        let mut status = self.joint_status(store);
        if status.must_begin() {
            self.begin(config, store);
            status = self.joint_status(store);
        }
        let is_wanted = status.stops || status.is_ready && status.is_due;
        if !is_wanted || !status.has_begun || status.has_failed {
            if status.is_due {
                // Another rank is not ready.
                self.postpone(RETRY_DELAY);
            }
            return None;
        }
        Some((config, self.checkpoints()))
    }

    /// Joins the status of this rank with those of all other ranks.
    fn joint_status(&self, store: Option<&Store>) -> RankStatus {
        let checkpoints = self.checkpoints();
        let status = RankStatus {
            stops: self.monitor.stop_reason().is_some(),
            is_due: self.is_due(),
            is_memory_high: checkpoints.is_none() && store.is_some() && self.is_memory_high(true),
            has_begun: checkpoints.is_some(),
            is_ready: checkpoints.is_none_or(Checkpoints::is_ready),
            has_failed: self.has_given_up()
                || self.has_failed_to_begin.load(Relaxed)
                || checkpoints.is_some_and(|checkpoints| checkpoints.error().is_some()),
        };
        let Some(exchange) = self.exchange else { return status };
        exchange.all_gather(&status).into_iter().reduce(RankStatus::join).unwrap_or(status)
    }

    fn begin(&self, config: &CheckpointConfig, store: Option<&Store>) {
        let files = config.files.clone();
        let result = match store {
            Some(store) => Checkpoints::of_store(files, store, self.exchange),
            None if !self.is_leader() => return,
            None => Checkpoints::without_records(files),
        };
        match result {
            Ok(checkpoints) => self.show_progress_of(self.checkpoints.get_or_init(|| checkpoints)),
            Err(error) => {
                // The store of a rank may have its files already, and cannot get them a second time.
                self.has_failed_to_begin.store(self.exchange.is_some(), Relaxed);
                self.fail(&error);
            }
        }
    }

    fn has_given_up(&self) -> bool {
        !self.needs_checkpoints && self.failure.get().is_some()
    }

    /// Notes that the disk failed, and ends the search if it needs checkpoints.
    pub(crate) fn fail(&self, error: &CheckpointError) {
        let is_first = self.failure.set(error.to_string()).is_ok();
        if !self.needs_checkpoints {
            if is_first {
                self.monitor.send(&Event::Note(&format!("the search continues without checkpoints: {error}")));
            }
            return;
        }
        self.monitor.stop(if error.is_full() { StopReason::DiskLimit } else { StopReason::DiskFailed });
    }

    /// Waits until everything is written, on all ranks. Returns the error of a disk, if there was one.
    pub fn finish(&self, store: Option<&Store>) -> Option<String> {
        if let Some(store) = store {
            store.stop_evictor();
        }
        match self.exchange.filter(|_| self.config().is_some()) {
            None => self.finish_writing(),
            Some(exchange) => self.finish_together(exchange),
        }
        self.failure.get().cloned()
    }

    fn finish_writing(&self) {
        if let Some(error) = self.checkpoints().and_then(Checkpoints::finish) {
            self.fail(&error.clone().into());
        }
    }

    /// The other ranks finish before the leader, so that the leader can name their parts in the last manifest.
    fn finish_together(&self, exchange: &Exchange) {
        if !exchange.is_leader() {
            self.finish_writing();
        }
        let parts = exchange.all_gather(&self.checkpoints().and_then(Checkpoints::last_part));
        if exchange.is_leader() {
            if let Some(checkpoints) = self.checkpoints() {
                parts.into_iter().flatten().for_each(|part| checkpoints.add_part(part));
            }
            self.finish_writing();
        }
        let failures = exchange.all_gather(&self.failure.get().cloned());
        if let Some((rank, reason)) = failures.into_iter().enumerate().find_map(|(rank, reason)| Some((rank, reason?)))
        {
            let message = if rank == exchange.rank() { reason } else { format!("rank {rank}: {reason}") };
            self.failure.get_or_init(|| message);
        }
    }
}
