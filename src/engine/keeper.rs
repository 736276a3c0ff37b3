//! What of a search is kept on disk, and when.
//!
//! Workers look in from time to time ([`Keeper::check`]). When something is to be done for which all have to stand still,
//! they are asked to meet; then one of them does it ([`Keeper::attend`]) and they go on.

use super::EngineKind;
use super::snapshot::Snapshot;
use crate::expand::StateSpace;
use crate::runtime::{Event, Monitor, StopReason};
use crate::store::{ArchiveError, ArchiveSettings, Recovered, Store, exists, recover, resident_bytes};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How a search is kept on disk.
#[derive(Clone, Debug)]
pub struct Keep {
    /// Where, and within which limits.
    pub archive: ArchiveSettings,
    /// Time between two checkpoints.
    pub every: Duration,
    /// Whether to go on behind the newest checkpoint that is there.
    pub resume: bool,
}

/// Of a memory budget, in hundredths: from here on, states go to disk.
const HIGH: u64 = 85;

/// Resident memory and free disk are asked for at every so many checks.
const SELDOM: u32 = 16;

/// The folder, in that of an archive, in which `auto` keeps what comes behind best-first search.
const SEQUEL: &str = "ida";

/// Where IDA* is kept that goes on where memory or disk have ended a best-first search which is kept in `archive`.
#[must_use]
pub fn sequel_archive(archive: &ArchiveSettings) -> ArchiveSettings {
    ArchiveSettings { run: archive.run.join(SEQUEL), ..without_records(archive) }
}

/// The same for an archive without records, which takes some kilobytes: no budget is about it.
fn without_records(archive: &ArchiveSettings) -> ArchiveSettings {
    let spill = Vec::new();
    ArchiveSettings { spill, disk: None, keep_free: 0, resident: None, share: None, ..archive.clone() }
}

impl Keep {
    /// How IDA* is kept, which has no records.
    pub(super) fn without_records(&self) -> Self {
        Self { archive: without_records(&self.archive), ..self.clone() }
    }

    /// How IDA* is kept that goes on behind a best-first search which is kept like this.
    pub(super) fn sequel(&self) -> Self {
        let archive = sequel_archive(&self.archive);
        Self { resume: self.resume && exists(&archive), archive, ..self.clone() }
    }
}

/// The store and the snapshot of the newest checkpoint that holds, which `engine` goes on with.
///
/// # Errors
/// When there is none, it is another engine's, or the search is stopped before it is read.
pub(super) fn resume(
    keep: &Keep,
    engine: EngineKind,
    monitor: &Monitor<'_>,
) -> Result<(Store, Snapshot), ArchiveError> {
    // Reading back takes minutes where the search took hours: it shows.
    let read = |records| {
        monitor.gauges.stored.fetch_add(records, Relaxed);
        monitor.stopped().is_none()
    };
    let Recovered { store, payload, notes } = recover(&keep.archive, &read)?;
    monitor.gauges.stored.store(store.records(), Relaxed);
    notes.iter().for_each(|note| monitor.tell(&Event::Note(note)));
    let snapshot = Snapshot::decode(&payload).map_err(|reason| unusable(keep, &reason))?;
    if snapshot.engine() != engine {
        // What is open is elsewhere: nothing would be found, and that taken for a proof.
        let [found, expected] = [snapshot.engine(), engine].map(|engine| format!("the engine {}", engine.name()));
        return Err(ArchiveError::Foreign { path: keep.archive.run.clone(), found, expected });
    }
    monitor.tell(&Event::LowerBound(snapshot.lower_bound));
    Ok((store, snapshot))
}

/// Makes sure that a search goes on with the very bound with which it was kept: states that were closed under a stronger one may
/// not have had their least g under this one.
///
/// # Errors
/// When the bound is another one.
pub(super) fn check_bound(keep: &Keep, space: &dyn StateSpace, snapshot: &Snapshot) -> Result<(), ArchiveError> {
    if space.serialize_refinement() == snapshot.bound {
        Ok(())
    } else {
        Err(unusable(keep, "a lower bound that was refined otherwise, expected this search's"))
    }
}

/// The error for a snapshot in which `found` was found.
pub(super) fn unusable(keep: &Keep, found: &str) -> ArchiveError {
    ArchiveError::NoCheckpoint { path: keep.archive.run.clone(), reasons: vec![format!("found {found}")] }
}

/// Looks after the archive of one search.
pub(super) struct Keeper<'a> {
    keep: Option<&'a Keep>,
    monitor: &'a Monitor<'a>,
    /// Whether the search ends when it cannot be kept any more.
    strict: bool,
    /// When the next checkpoint is due.
    due: Mutex<Option<Instant>>,
    checks: AtomicU32,
    failure: OnceLock<String>,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(keep: Option<&'a Keep>, monitor: &'a Monitor<'a>) -> Self {
        let (due, checks, failure) = (Mutex::new(None), AtomicU32::new(0), OnceLock::new());
        let keeper = Self { keep, monitor, strict: true, due, checks, failure };
        keeper.put_off();
        keeper
    }

    /// The keeper of a search that goes on where memory or disk ended another one. It needs neither: when the disk fails it
    /// goes on without. Its first checkpoint is due at once, because that of the other search leads to the same end again.
    pub(super) fn of_sequel(self) -> Self {
        *self.due() = Some(Instant::now());
        Self { strict: false, ..self }
    }

    fn due(&self) -> MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next checkpoint is due an interval from now.
    fn put_off(&self) {
        *self.due() = self.keep.and_then(|keep| Instant::now().checked_add(keep.every));
    }

    fn is_due(&self) -> bool {
        self.due().is_some_and(|due| Instant::now() >= due)
    }

    /// Asks for a meeting when something is to be done, and stops the search when disk or memory are at their end.
    pub(super) fn check(&self, store: &Store) {
        let Some(keep) = self.keep.filter(|_| !self.has_given_up()) else { return };
        let wanted = match store.archive() {
            Some(archive) => {
                if let Some(error) = archive.error() {
                    self.fail(error);
                } else if self.strict
                    && let Err(error) = archive.check_room()
                {
                    self.fail(&error);
                } else if archive.is_squeezed() {
                    self.monitor.end(StopReason::MemoryLimit);
                } else {
                    archive.wait_for_disk(|| self.monitor.leaving());
                }
                archive.is_ready() && self.is_due()
            }
            None => {
                let asks = self.checks.fetch_add(1, Relaxed).is_multiple_of(SELDOM);
                if asks
                    && self.strict
                    && let Err(error) = store.check_room(&keep.archive)
                {
                    self.fail(&error);
                }
                self.is_due() || self.is_memory_high(asks)
            }
        };
        if wanted {
            self.monitor.pause();
        }
    }

    /// `asks` for resident memory too.
    fn is_memory_high(&self, asks: bool) -> bool {
        let Some(keep) = self.keep else { return false };
        let high = |budget: Option<u64>, used: u64| budget.is_some_and(|budget| used > budget / 100 * HIGH);
        high(keep.archive.share, self.monitor.gauges.bytes.load(Relaxed))
            || asks && high(keep.archive.resident, resident_bytes())
    }

    /// Does what is to be done while all workers stand still: begins an archive, or cuts a checkpoint, if there is something to be put into it.
    pub(super) fn attend(&self, store: &Store, snapshot: impl FnOnce() -> Option<Snapshot>) {
        self.monitor.go_on();
        let Some(keep) = self.keep.filter(|_| !self.has_given_up()) else { return };
        let stops = self.monitor.stopped().is_some();
        if store.archive().is_none()
            && (stops || self.is_due() || self.is_memory_high(true))
            && let Err(error) = store.attach(keep.archive.clone())
        {
            self.fail(&error);
        }
        let Some(archive) = store.archive().filter(|archive| archive.error().is_none()) else { return };
        if stops || archive.is_ready() && self.is_due() {
            match snapshot().map(|snapshot| snapshot.encode()) {
                Some(Ok(payload)) => store.cut(payload),
                Some(Err(reason)) => self.fail(&unusable(keep, &reason)),
                None => {}
            }
            self.put_off();
        }
    }

    /// Whether the search goes on without.
    fn has_given_up(&self) -> bool {
        !self.strict && self.failure.get().is_some()
    }

    /// Ends the search, if it has to be kept, because of what the disk did.
    pub(super) fn fail(&self, error: &ArchiveError) {
        let first = self.failure.set(error.to_string()).is_ok();
        if !self.strict {
            if first {
                self.monitor.tell(&Event::Note(&format!("the search goes on without checkpoints: {error}")));
            }
            return;
        }
        self.monitor.end(if error.is_full() { StopReason::DiskLimit } else { StopReason::DiskFailed });
    }

    /// Waits for everything that is still to be written. Returns what has failed.
    pub(super) fn finish(&self, store: &Store) -> Option<String> {
        if let Some(error) = store.archive().and_then(|archive| archive.finish()) {
            self.fail(error);
        }
        self.failure.get().cloned()
    }
}
