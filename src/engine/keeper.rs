//! What of a search is kept on disk, and when.
//!
//! Workers look in from time to time ([`Keeper::check`]). When something is to be done for which all have to stand still,
//! they are asked to meet; then one of them does it ([`Keeper::attend`]) and they go on.

use super::Solution;
use crate::domain::Cost;
use crate::runtime::{Layer, Monitor, StopReason};
use crate::store::{ArchiveError, ArchiveSettings, Store, resident_bytes};
use serde::{Deserialize, Serialize};
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

/// Resident memory is asked for at every so many checks.
const SELDOM: u32 = 16;

/// What an engine has to know again besides the store.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Proven.
    pub lower_bound: Cost,
    /// Layers that are over.
    pub layers: Vec<Layer>,
    /// The layer under way, as far as it was.
    pub current: Option<Layer>,
    /// The best solution held.
    pub incumbent: Option<Solution>,
    /// Work so far.
    pub work: Work,
}

/// Running totals of a search, those of earlier sessions included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Lower bounds computed.
    pub evaluated: u64,
    /// Closed states opened again.
    pub reopened: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Self) {
        self.expanded += more.expanded;
        self.generated += more.generated;
        self.evaluated += more.evaluated;
        self.reopened += more.reopened;
    }
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, less: Self) -> Self {
        Self {
            expanded: self.expanded - less.expanded,
            generated: self.generated - less.generated,
            evaluated: self.evaluated - less.evaluated,
            reopened: self.reopened - less.reopened,
        }
    }
}

/// The longest snapshot: far more layers and moves than there are.
const LONGEST: usize = 1 << 24;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_fixed_int_encoding().with_limit::<LONGEST>()
}

impl Snapshot {
    fn encode(&self) -> Vec<u8> {
        // Numbers and lists of numbers can always be encoded.
        bincode::serde::encode_to_vec(self, config()).unwrap_or_default()
    }

    /// Reads what the checkpoint of a run holds.
    pub(super) fn of(keep: &Keep, payload: &[u8]) -> Result<Self, ArchiveError> {
        Self::decode(payload).map_err(|reason| ArchiveError::NoCheckpoint {
            path: keep.archive.run.clone(),
            reasons: vec![format!("found {reason}")],
        })
    }

    /// Reads what a checkpoint holds.
    ///
    /// # Errors
    /// When that is no snapshot; the text says what was found.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        match bincode::serde::decode_from_slice(bytes, config()) {
            Ok((snapshot, used)) if used == bytes.len() => Ok(snapshot),
            Ok((_, used)) => Err(format!("{} bytes behind the snapshot, expected none", bytes.len() - used)),
            Err(e) => Err(format!("no snapshot ({e}), expected one")),
        }
    }
}

/// Looks after the archive of one search.
pub(super) struct Keeper<'a> {
    keep: Option<&'a Keep>,
    monitor: &'a Monitor<'a>,
    /// When the next checkpoint is due.
    due: Mutex<Option<Instant>>,
    checks: AtomicU32,
    failure: OnceLock<String>,
}

impl<'a> Keeper<'a> {
    pub(super) fn new(keep: Option<&'a Keep>, monitor: &'a Monitor<'a>) -> Self {
        let keeper = Self { keep, monitor, due: Mutex::new(None), checks: AtomicU32::new(0), failure: OnceLock::new() };
        keeper.put_off();
        keeper
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
        if self.keep.is_none() {
            return;
        }
        let wanted = match store.archive() {
            Some(archive) => {
                if let Some(error) = archive.error() {
                    self.fail(error);
                } else if archive.is_disk_low() {
                    self.monitor.end(StopReason::DiskLimit);
                } else if archive.is_squeezed() {
                    self.monitor.end(StopReason::MemoryLimit);
                } else {
                    archive.wait_for_disk(|| self.monitor.leaving());
                }
                archive.is_ready() && self.is_due()
            }
            None => self.is_due() || self.is_memory_high(),
        };
        if wanted {
            self.monitor.pause();
        }
    }

    fn is_memory_high(&self) -> bool {
        let Some(keep) = self.keep else { return false };
        let high = |budget: Option<u64>, used: u64| budget.is_some_and(|budget| used > budget / 100 * HIGH);
        let asks = self.checks.fetch_add(1, Relaxed).is_multiple_of(SELDOM);
        high(keep.archive.share, self.monitor.gauges.bytes.load(Relaxed))
            || asks && high(keep.archive.resident, resident_bytes())
    }

    /// Does what is to be done while all workers stand still: begins an archive, or cuts a checkpoint.
    pub(super) fn attend(&self, store: &Store, snapshot: impl FnOnce() -> Snapshot) {
        self.monitor.go_on();
        let Some(keep) = self.keep else { return };
        let stops = self.monitor.stopped().is_some();
        if store.archive().is_none()
            && (stops || self.is_due() || self.is_memory_high())
            && let Err(error) = store.attach(keep.archive.clone())
        {
            self.fail(&error);
        }
        let Some(archive) = store.archive().filter(|archive| archive.error().is_none()) else { return };
        if stops || archive.is_ready() && self.is_due() {
            store.cut(snapshot().encode());
            self.put_off();
        }
    }

    fn fail(&self, error: &ArchiveError) {
        let _ = self.failure.set(error.to_string());
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
