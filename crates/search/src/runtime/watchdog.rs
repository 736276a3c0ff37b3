//! The watchdog: one thread that watches the clock and the resident memory for all searches of the process.
//!
//! Workers look at flags alone, which cost next to nothing, and they may look at each step of a long operation. So a
//! search ends soon after a limit, however long one of its expansions takes, and also while all its workers wait.
//!
//! The thread runs only while a search with such a limit exists. If the system refuses the thread, the checks of the
//! workers between batches still hold.

use super::limits::{Deadline, StopReason, StopToken};
use crate::platform::resident_bytes;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// The time between two looks: usually, and while a limit of memory is nearly reached.
const CALM: Duration = Duration::from_millis(10);
const ALERT: Duration = Duration::from_millis(2);

/// Percentage of a limit of memory from which on the watchdog looks more often.
const NEAR: u64 = 70;

/// What the watchdog watches for one search, and the token that it sets.
#[derive(Debug, Default)]
pub(super) struct Alarm {
    pub(super) deadline: Deadline,
    /// Bytes of resident memory of the process.
    pub(super) resident: Option<u64>,
    /// What the process held at the look before; 0 before the first one.
    pub(super) held_before: AtomicU64,
    /// Stops this search.
    pub(super) passed: StopToken,
}

/// The part of a limit of memory that a search may have left when it is stopped, because it would take that part until
/// the next look.
const AHEAD: u64 = 16;

impl Alarm {
    /// Stops the search if a limit is passed, while the process holds `resident` bytes. Returns the time until the next
    /// look.
    fn look(&self, resident: u64) -> Duration {
        if self.deadline.passed() {
            self.passed.stop(StopReason::TimeLimit);
        }
        let Some(limit) = self.resident else { return CALM };
        // Memory grows on while workers come to the end of what they do.
        let before = Some(self.held_before.swap(resident, Relaxed)).filter(|before| *before > 0);
        let growth = resident.saturating_sub(before.unwrap_or(resident)).min(limit / AHEAD);
        if resident + growth >= limit {
            self.passed.stop(StopReason::MemoryLimit);
        }
        if resident > limit / 100 * NEAR { ALERT } else { CALM }
    }
}

/// The searches that are watched.
#[derive(Debug)]
struct Watched {
    alarms: Vec<Weak<Alarm>>,
    is_running: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { alarms: Vec::new(), is_running: false });

fn watched() -> MutexGuard<'static, Watched> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches the limits of an alarm until it is dropped.
pub(super) fn watch(alarm: &Arc<Alarm>) {
    if !alarm.deadline.is_set() && alarm.resident.is_none() {
        return;
    }
    let mut watched = watched();
    watched.alarms.push(Arc::downgrade(alarm));
    if !watched.is_running {
        watched.is_running = std::thread::Builder::new().name("watchdog".to_owned()).spawn(run).is_ok();
    }
}

/// Looks at all alarms again and again until none is left.
fn run() {
    while let Some(interval) = look(&resident_bytes) {
        std::thread::sleep(interval);
    }
}

/// Looks at all alarms once. Returns the time until the next look; `None` if no alarm is left.
fn look(resident: &dyn Fn() -> u64) -> Option<Duration> {
    let mut watched = watched();
    let alarms: Vec<Arc<Alarm>> = watched.alarms.iter().filter_map(Weak::upgrade).collect();
    watched.alarms.retain(|alarm| alarm.strong_count() > 0);
    if alarms.is_empty() {
        // Decided under the lock: the next call of `watch` starts a new thread.
        watched.is_running = false;
        return None;
    }
    drop(watched);
    // Reading the resident memory takes some microseconds.
    let held = if alarms.iter().any(|alarm| alarm.resident.is_some()) { resident() } else { 0 };
    alarms.iter().map(|alarm| alarm.look(held)).min()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_limit_stops_its_own_search_for_its_own_reason() {
        let late = Deadline::after(Some(Duration::ZERO));
        let early = Deadline::after(Some(Duration::from_secs(3_600)));
        let seen = |deadline, resident, held| {
            let alarm = Alarm { deadline, resident, ..Alarm::default() };
            let interval = alarm.look(held);
            (alarm.passed.reason(), interval)
        };
        assert_eq!(seen(early, Some(1_000), 699), (None, CALM));
        assert_eq!(seen(early, Some(1_000), 999), (None, ALERT));
        assert_eq!(seen(early, Some(1_000), 1_000), (Some(StopReason::MemoryLimit), ALERT));
        assert_eq!(seen(late, None, u64::MAX), (Some(StopReason::TimeLimit), CALM));
        assert_eq!(seen(Deadline::default(), Some(u64::MAX), 5), (None, CALM));
    }

    #[test]
    fn memory_that_grows_towards_its_limit_stops_a_search_before_it() {
        let stopped_at = |held: &[u64]| {
            let alarm = Alarm { resident: Some(1_600), ..Alarm::default() };
            held.iter().position(|&held| {
                alarm.look(held);
                alarm.passed.reason().is_some()
            })
        };
        assert_eq!(stopped_at(&[1_450, 1_520, 1_590]), Some(2));
        assert_eq!(stopped_at(&[1_450, 1_525, 1_590]), Some(1), "75 more would be the limit");
        assert_eq!(stopped_at(&[100, 1_499, 1_500]), None, "no more than a part is left");
        assert_eq!(stopped_at(&[1_590, 1_580, 1_589]), None);
    }

    /// Nobody checks the limits of this search but the watchdog.
    #[test]
    fn a_search_that_checks_nothing_is_stopped() {
        let alarm = Arc::new(Alarm { deadline: Deadline::after(Some(Duration::ZERO)), ..Alarm::default() });
        watch(&alarm);
        while alarm.passed.reason().is_none() {
            std::thread::yield_now();
        }
        let next = Arc::new(Alarm { resident: Some(1), ..Alarm::default() });
        watch(&next);
        while next.passed.reason().is_none() && resident_bytes() > 0 {
            std::thread::yield_now();
        }
    }
}
