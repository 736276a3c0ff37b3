//! Limits of a search, reasons to stop it, and the token that stops it.

use crate::platform::Instant;
use crate::sync::{AtomicU8, Ordering};
use std::time::Duration;

/// The resources that a search may use. `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Bytes of memory, as far as the search counts them (store and frontier).
    pub memory: Option<u64>,
    /// Bytes of resident memory of the whole process.
    pub resident: Option<u64>,
    /// Expanded states.
    pub expansions: Option<u64>,
}

/// Why a search stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// [`Limits::time`] was reached.
    TimeLimit,
    /// [`Limits::memory`] or [`Limits::resident`] was reached.
    MemoryLimit,
    /// [`Limits::expansions`] was reached.
    ExpansionLimit,
    /// The disk is full, or the limit of disk space was reached.
    DiskLimit,
    /// Reading or writing the disk failed. The last checkpoint is still valid.
    DiskFailed,
    /// A signal asked the search to stop.
    Interrupted,
}

impl StopReason {
    /// Each reason with its name and its description, in the order of the enum.
    const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::TimeLimit, "time-limit", "time limit"),
        (Self::MemoryLimit, "memory-limit", "memory limit"),
        (Self::ExpansionLimit, "expansion-limit", "expansion limit"),
        (Self::DiskLimit, "disk-limit", "disk limit"),
        (Self::DiskFailed, "disk-failed", "the disk failed"),
        (Self::Interrupted, "interrupted", "interrupted"),
    ];

    /// The name in files, as serde writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|&(_, known, _)| known == name).map(|(reason, ..)| reason)
    }

    /// The reason in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// An operation ended early, because the search stops or its workers must come to the barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// Stops the workers of a search, which read the token before each expansion. Later reasons are ignored.
#[derive(Debug, Default)]
pub struct StopToken(AtomicU8);

impl StopToken {
    /// A token without a reason to stop.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the reason to stop, unless there is one already.
    pub fn stop(&self, reason: StopReason) {
        // Relaxed: the token carries no other data; workers are joined before results are read.
        let _ = self.0.compare_exchange(0, reason as u8 + 1, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The first reason to stop, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<StopReason> {
        let number = usize::from(self.0.load(Ordering::Relaxed)).checked_sub(1)?;
        StopReason::ALL.get(number).map(|&(reason, ..)| reason)
    }
}

/// An optional point in time. Without one, the deadline never passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// The deadline `time` from now; no deadline for `None`.
    #[must_use]
    pub fn after(time: Option<Duration>) -> Self {
        // A time that the clock cannot represent is no limit.
        Self(time.and_then(|t| Instant::now().checked_add(t)))
    }

    /// Whether there is a point in time.
    pub(super) fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn has_passed(self) -> bool {
        self.0.is_some_and(|time| Instant::now() >= time)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn of_many_reasons_all_see_the_same() {
        for _ in 0..50 {
            let token = StopToken::new();
            let seen: Vec<_> = std::thread::scope(|scope| {
                let work = |reason| {
                    token.stop(reason);
                    token.reason()
                };
                let threads = StopReason::ALL.map(|(reason, ..)| scope.spawn(move || work(reason)));
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(seen.iter().all(|reason| reason.is_some() && *reason == token.reason()), "{seen:?}");
        }
    }

    #[test]
    fn deadlines() {
        assert!(!Deadline::after(None).has_passed());
        assert!(Deadline::after(Some(Duration::ZERO)).has_passed());
        assert!(!Deadline::after(Some(Duration::from_secs(3_600))).has_passed());
        assert!(!Deadline::after(Some(Duration::MAX)).has_passed(), "longer than the clock counts");
        let soon = Deadline::after(Some(Duration::from_millis(5)));
        std::thread::sleep(Duration::from_millis(6));
        assert!(soon.has_passed());
    }
}
