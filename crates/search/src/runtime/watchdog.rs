//! The watchdog: one thread that watches the clock and the resident memory for all searches of the process.
//!
//! Near a limit of memory it lets the allocator give free memory back to the system (`platform::purge`): this takes
//! time, and free memory ends no search.
//!
//! Workers only look at flags, which costs next to nothing, so they may look at each step of a long operation. So a
//! search ends soon after a limit, however long one of its expansions takes, and also while all its workers wait.
//!
//! The thread runs only while there is a search with a limit of time or of resident memory. If the system refuses the
//! thread, the checks of the workers between batches still hold.

use super::limits::{Deadline, StopReason, StopToken};
use crate::platform::{purge, resident_bytes};
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
    /// The limit of resident memory of the process, in bytes.
    pub(super) resident: Option<u64>,
    /// Whether the search keeps within this limit without help, and is not stopped if the process passes it.
    pub(super) is_self_limiting: bool,
    /// What the process held at the look before; 0 before the first one.
    pub(super) held_before: AtomicU64,
    /// Stops this search.
    pub(super) passed: StopToken,
}

/// A search may be stopped while one part in `AHEAD` of its limit of memory is left, because it would take that part
/// until the next look.
const AHEAD: u64 = 16;

impl Alarm {
    /// Stops the search if a limit is passed, while the process holds `resident` bytes. Returns the time until the next
    /// look.
    fn look(&self, resident: u64) -> Duration {
        if self.deadline.has_passed() {
            self.passed.stop(StopReason::TimeLimit);
        }
        let Some(limit) = self.resident else { return CALM };
        if self.is_short(resident) {
            self.passed.stop(StopReason::MemoryLimit);
        }
        self.held_before.store(resident, Relaxed);
        if resident > limit / 100 * NEAR { ALERT } else { CALM }
    }

    /// Whether the search is to end because the limit of memory is passed, or will be before the next look: memory
    /// grows on while workers come to the end of what they do.
    fn is_short(&self, resident: u64) -> bool {
        let before = Some(self.held_before.load(Relaxed)).filter(|before| *before > 0);
        self.resident.filter(|_| !self.is_self_limiting).is_some_and(|limit| {
            let growth = resident.saturating_sub(before.unwrap_or(resident)).min(limit / AHEAD);
            resident + growth >= limit
        })
    }

    /// Whether free memory should be given back, while the process holds `resident` bytes and held `purged` bytes after
    /// this was last done. Near the limit, this is done only each time a further part of the limit was taken, because
    /// it costs time.
    fn wants_purge(&self, resident: u64, purged: u64) -> bool {
        let is_near = |limit| resident >= limit - limit / AHEAD && resident >= purged + limit / AHEAD / 4;
        self.is_short(resident) || self.resident.is_some_and(is_near)
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
    let mut purged = 0;
    while let Some(interval) = look(&mut purged) {
        std::thread::sleep(interval);
    }
}

/// Looks at all alarms once. Returns the time until the next look; `None` if no alarm is left. `purged` is what the
/// process held after free memory was last given back.
fn look(purged: &mut u64) -> Option<Duration> {
    let mut watched = watched();
    let alarms: Vec<Arc<Alarm>> = watched.alarms.iter().filter_map(Weak::upgrade).collect();
    watched.alarms.retain(|alarm| alarm.strong_count() > 0);
    if alarms.is_empty() {
        // Decided under the lock: the next call of `watch` starts a new thread.
        watched.is_running = false;
        return None;
    }
    drop(watched);
    let memory = ProcessMemory { resident: &resident_bytes, purge: &purge, wait: &|| std::thread::sleep(ALERT / 2) };
    let held = memory.held(&alarms, purged);
    alarms.iter().map(|alarm| alarm.look(held)).min()
}

/// The memory of the process.
struct ProcessMemory<'a> {
    resident: &'a dyn Fn() -> u64,
    purge: &'a dyn Fn(),
    /// Waits a little.
    wait: &'a dyn Fn(),
}

impl ProcessMemory<'_> {
    /// Gives free memory back if a limit of memory is near. Returns the bytes that the process holds then.
    fn held(&self, alarms: &[Arc<Alarm>], purged: &mut u64) -> u64 {
        // Reading the resident memory takes some microseconds.
        if alarms.iter().all(|alarm| alarm.resident.is_none()) {
            return 0;
        }
        let mut held = (self.resident)();
        if !alarms.iter().any(|alarm| alarm.wants_purge(held, *purged)) {
            return held;
        }
        // Another thread may be giving memory back, and an allocator may let only one do so at a time. So no search is
        // stopped before this was tried twice, nor while it helps.
        let mut tries = 0;
        loop {
            tries += 1;
            (self.purge)();
            let before = std::mem::replace(&mut held, (self.resident)());
            let is_short = alarms.iter().any(|alarm| alarm.is_short(held));
            if !is_short || tries > 1 && held >= before {
                break;
            }
            (self.wait)();
        }
        *purged = held;
        held
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

    #[test]
    fn free_memory_goes_back_before_a_search_is_stopped() {
        let alarms = [Arc::new(Alarm { resident: Some(1_600), ..Alarm::default() })];
        // Another thread gives back 5 bytes at a time, and ours gives back the rest thereafter.
        let seen = |used: u64, free: u64, mut purged, others: u64| {
            let (free, others) = (Cell::new(free), Cell::new(others));
            let purge = || free.set(if others.get() > 0 { free.get() } else { 0 });
            let wait = || {
                free.update(|free| free - 5);
                others.update(|others| others - 1);
            };
            let memory = ProcessMemory { resident: &|| used + free.get(), purge: &purge, wait: &wait };
            (memory.held(&alarms, &mut purged), purged)
        };
        assert_eq!(seen(900, 599, 0, 0), (1_499, 0), "more than a part is left");
        assert_eq!(seen(900, 600, 0, 0), (900, 900));
        assert_eq!(seen(1_480, 24, 1_480, 0), (1_504, 1_480), "little was taken since");
        assert_eq!(seen(1_480, 25, 1_480, 0), (1_480, 1_480));
        assert_eq!(seen(1_500, 120, 0, 3), (1_500, 1_500), "after three turns of the other thread");
        let frugal = Alarm { resident: Some(1_600), is_self_limiting: true, ..Alarm::default() };
        assert!(frugal.wants_purge(1_500, 0) && !frugal.is_short(1_700) && !frugal.wants_purge(1_700, 1_690));
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
