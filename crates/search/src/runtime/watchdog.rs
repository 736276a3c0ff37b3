//! The watchdog: one thread that watches the clock and the resident memory for all searches of the process.
//!
//! Near a limit of memory it makes the allocator return free memory to the system (`platform::purge`), because memory
//! that is free must not stop a search.
//!
//! Workers only read a stop token, which is cheap enough for each step of a long operation. So a search stops soon
//! after a limit, however long an expansion takes, and even while all workers wait.
//!
//! The thread runs only while a search has a limit of time or of resident memory. If the system refuses the thread, the
//! workers still check the limits between batches.

use super::limits::{Deadline, StopReason, StopToken};
use crate::platform::{purge, resident_bytes};
use crate::sync::lock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The time between two checks: normally, and near a limit of memory.
const NORMAL_INTERVAL: Duration = Duration::from_millis(10);
const SHORT_INTERVAL: Duration = Duration::from_millis(2);

/// Above this percentage of a limit of memory, checks come at the short interval.
const NEAR_PERCENT: u64 = 70;

/// The limits of one search, and the token that the watchdog sets.
#[derive(Debug, Default)]
pub(super) struct WatchedLimits {
    pub(super) deadline: Deadline,
    /// The limit of resident memory of the process, in bytes.
    pub(super) max_resident: Option<u64>,
    /// Whether the search keeps within this limit itself, so that the watchdog does not stop it.
    pub(super) is_self_limiting: bool,
    /// The resident bytes at the previous check; 0 before the first one.
    pub(super) previous_resident: AtomicU64,
    /// Stops this search.
    pub(super) stop: StopToken,
}

/// A search may be stopped up to `limit / MARGIN_DIVISOR` bytes before its limit of memory, because memory grows until
/// the next check.
const MARGIN_DIVISOR: u64 = 16;

impl WatchedLimits {
    /// Stops the search if a limit is exceeded, given the resident bytes. Returns the time until the next check.
    fn check(&self, resident: u64) -> Duration {
        if self.deadline.has_passed() {
            self.stop.stop(StopReason::TimeLimit);
        }
        let Some(limit) = self.max_resident else { return NORMAL_INTERVAL };
        if self.is_memory_short(resident) {
            self.stop.stop(StopReason::MemoryLimit);
        }
        self.previous_resident.store(resident, Relaxed);
        if resident > limit / 100 * NEAR_PERCENT { SHORT_INTERVAL } else { NORMAL_INTERVAL }
    }

    /// Whether to stop the search because the limit of memory is exceeded, or will be before the next check if memory
    /// keeps growing.
    fn is_memory_short(&self, resident: u64) -> bool {
        let previous = Some(self.previous_resident.load(Relaxed)).filter(|previous| *previous > 0);
        self.max_resident.filter(|_| !self.is_self_limiting).is_some_and(|limit| {
            let growth = resident.saturating_sub(previous.unwrap_or(resident)).min(limit / MARGIN_DIVISOR);
            resident + growth >= limit
        })
    }

    /// Whether to return free memory to the system. `least_since_purge` is the least number of resident bytes since
    /// the last purge: near the limit, memory must have grown before the next purge, because a purge takes time.
    fn wants_purge(&self, resident: u64, least_since_purge: u64) -> bool {
        let is_near = |limit| {
            resident >= limit - limit / MARGIN_DIVISOR && resident >= least_since_purge + limit / MARGIN_DIVISOR / 4
        };
        self.is_memory_short(resident) || self.max_resident.is_some_and(is_near)
    }
}

/// The limits of all watched searches.
#[derive(Debug)]
struct WatchList {
    all_limits: Vec<Weak<WatchedLimits>>,
    is_running: bool,
}

static WATCHED: Mutex<WatchList> = Mutex::new(WatchList { all_limits: Vec::new(), is_running: false });

/// Watches the limits of a search until they are dropped.
pub(super) fn watch(limits: &Arc<WatchedLimits>) {
    if !limits.deadline.is_set() && limits.max_resident.is_none() {
        return;
    }
    let mut watched = lock(&WATCHED);
    watched.all_limits.push(Arc::downgrade(limits));
    if !watched.is_running {
        watched.is_running = std::thread::Builder::new().name("watchdog".to_owned()).spawn(run).is_ok();
    }
}

/// Checks the limits of all searches until no search is left.
fn run() {
    let mut least_since_purge = 0;
    while let Some(interval) = check_all(&mut least_since_purge) {
        std::thread::sleep(interval);
    }
}

/// Checks the limits of all searches. Returns the time until the next check; `None` if no search is left.
fn check_all(least_since_purge: &mut u64) -> Option<Duration> {
    let mut watched = lock(&WATCHED);
    let all_limits: Vec<Arc<WatchedLimits>> = watched.all_limits.iter().filter_map(Weak::upgrade).collect();
    watched.all_limits.retain(|limits| limits.strong_count() > 0);
    if all_limits.is_empty() {
        // Decided under the lock: the next call of `watch` starts a new thread.
        watched.is_running = false;
        return None;
    }
    drop(watched);
    let memory =
        ProcessMemory { resident: &resident_bytes, purge: &purge, wait: &|| std::thread::sleep(SHORT_INTERVAL / 2) };
    let resident = memory.resident_after_purge(&all_limits, least_since_purge);
    all_limits.iter().map(|limits| limits.check(resident)).min()
}

/// The memory of the process.
struct ProcessMemory<'a> {
    resident: &'a dyn Fn() -> u64,
    purge: &'a dyn Fn(),
    /// Waits for the purge of another thread.
    wait: &'a dyn Fn(),
}

impl ProcessMemory<'_> {
    /// Returns free memory to the system if a limit is near. Returns the resident bytes after that.
    fn resident_after_purge(&self, all_limits: &[Arc<WatchedLimits>], least_since_purge: &mut u64) -> u64 {
        // Reading the resident memory takes some microseconds.
        if all_limits.iter().all(|limits| limits.max_resident.is_none()) {
            return 0;
        }
        let mut resident = (self.resident)();
        *least_since_purge = resident.min(*least_since_purge);
        if !all_limits.iter().any(|limits| limits.wants_purge(resident, *least_since_purge)) {
            return resident;
        }
        // An allocator may let only one thread purge at a time, and another one may be purging. So no search is stopped
        // before two purges, or while purges still help.
        let mut purge_count = 0;
        loop {
            purge_count += 1;
            (self.purge)();
            let before = std::mem::replace(&mut resident, (self.resident)());
            let is_memory_short = all_limits.iter().any(|limits| limits.is_memory_short(resident));
            if !is_memory_short || purge_count > 1 && resident >= before {
                break;
            }
            (self.wait)();
        }
        *least_since_purge = resident;
        resident
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn each_limit_stops_its_own_search_for_its_own_reason() {
        let late = Deadline::after(Some(Duration::ZERO));
        let early = Deadline::after(Some(Duration::from_secs(3_600)));
        let seen = |deadline, resident, held| {
            let limits = WatchedLimits { deadline, max_resident: resident, ..WatchedLimits::default() };
            let interval = limits.check(held);
            (limits.stop.reason(), interval)
        };
        assert_eq!(seen(early, Some(1_000), 699), (None, NORMAL_INTERVAL));
        assert_eq!(seen(early, Some(1_000), 999), (None, SHORT_INTERVAL));
        assert_eq!(seen(early, Some(1_000), 1_000), (Some(StopReason::MemoryLimit), SHORT_INTERVAL));
        assert_eq!(seen(late, None, u64::MAX), (Some(StopReason::TimeLimit), NORMAL_INTERVAL));
        assert_eq!(seen(Deadline::default(), Some(u64::MAX), 5), (None, NORMAL_INTERVAL));
    }

    #[test]
    fn memory_that_grows_towards_its_limit_stops_a_search_before_it() {
        let stopped_at = |held: &[u64]| {
            let limits = WatchedLimits { max_resident: Some(1_600), ..WatchedLimits::default() };
            held.iter().position(|&held| {
                limits.check(held);
                limits.stop.reason().is_some()
            })
        };
        assert_eq!(stopped_at(&[1_450, 1_520, 1_590]), Some(2));
        assert_eq!(stopped_at(&[1_450, 1_525, 1_590]), Some(1), "75 more would be the limit");
        assert_eq!(stopped_at(&[100, 1_499, 1_500]), None, "no more than a part is left");
        assert_eq!(stopped_at(&[1_590, 1_580, 1_589]), None);
    }

    #[test]
    fn free_memory_goes_back_before_a_search_is_stopped() {
        let all_limits = [Arc::new(WatchedLimits { max_resident: Some(1_600), ..WatchedLimits::default() })];
        // Another thread gives back 5 bytes at a time, and ours gives back the rest thereafter.
        let seen = |used: u64, free: u64, mut purged, others: u64| {
            let (free, others) = (Cell::new(free), Cell::new(others));
            let purge = || free.set(if others.get() > 0 { free.get() } else { 0 });
            let wait = || {
                free.update(|free| free - 5);
                others.update(|others| others - 1);
            };
            let memory = ProcessMemory { resident: &|| used + free.get(), purge: &purge, wait: &wait };
            (memory.resident_after_purge(&all_limits, &mut purged), purged)
        };
        assert_eq!(seen(900, 599, 0, 0), (1_499, 0), "more than a part is left");
        assert_eq!(seen(900, 600, 0, 0), (900, 900));
        assert_eq!(seen(1_480, 24, 1_480, 0), (1_504, 1_480), "little was taken since");
        assert_eq!(seen(1_480, 25, 1_480, 0), (1_480, 1_480));
        assert_eq!(seen(900, 0, 9_000, 0), (900, 900), "memory has fallen since the last purge");
        assert_eq!(seen(1_500, 120, 0, 3), (1_500, 1_500), "after three turns of the other thread");
        let frugal = WatchedLimits { max_resident: Some(1_600), is_self_limiting: true, ..WatchedLimits::default() };
        assert!(frugal.wants_purge(1_500, 0) && !frugal.is_memory_short(1_700) && !frugal.wants_purge(1_700, 1_690));
    }

    /// Nobody checks the limits of this search but the watchdog.
    #[test]
    fn a_search_that_checks_nothing_is_stopped() {
        let limits =
            Arc::new(WatchedLimits { deadline: Deadline::after(Some(Duration::ZERO)), ..WatchedLimits::default() });
        watch(&limits);
        while limits.stop.reason().is_none() {
            std::thread::yield_now();
        }
        let next = Arc::new(WatchedLimits { max_resident: Some(1), ..WatchedLimits::default() });
        watch(&next);
        while next.stop.reason().is_none() && resident_bytes() > 0 {
            std::thread::yield_now();
        }
    }
}
