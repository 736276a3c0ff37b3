//! Planned panics, for tests of how the other ranks end. Builds without debug assertions have none.
//!
//! The environment variable `GRIDHUNT_FAULT=RANK/THREAD/PLACE/PASS` asks for one panic: on this rank, in the thread
//! with this name, when the thread passes this place for the PASS-th time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The variable that asks for a panic.
const VARIABLE: &str = "GRIDHUNT_FAULT";

/// The place where a worker looks for parcels and holds no lock.
pub(super) const WORK: &str = "work";

/// A panic that the environment asks for.
#[derive(Debug)]
struct PlannedPanic {
    rank: usize,
    thread: String,
    place: String,
    /// The remaining passes.
    passes_left: AtomicU64,
}

impl PlannedPanic {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let (rank, thread, place) = (parts.next()?.parse().ok()?, parts.next()?.to_owned(), parts.next()?.to_owned());
        let passes_left = AtomicU64::new(parts.next()?.parse().ok()?);
        parts.next().is_none().then_some(Self { rank, thread, place, passes_left })
    }

    /// Whether the thread with this name panics now. True once.
    fn panics_now(&self, rank: usize, thread: Option<&str>, place: &str) -> bool {
        let is_here = self.rank == rank && self.place == place && Some(&*self.thread) == thread;
        is_here && self.passes_left.fetch_sub(1, Relaxed) == 1
    }
}

/// Whether the current thread panics now. Only builds with debug assertions call this.
fn panics_now(rank: usize, place: &str) -> bool {
    static PLANNED: OnceLock<Option<PlannedPanic>> = OnceLock::new();
    let planned = PLANNED.get_or_init(|| PlannedPanic::parse(&std::env::var(VARIABLE).ok()?));
    planned.as_ref().is_some_and(|planned| planned.panics_now(rank, std::thread::current().name(), place))
}

/// Panics if the environment asks for a panic of this rank at this place. Does nothing without debug assertions. For
/// transports too: that of MPI has the place `mpi`, where a thread holds the lock of all calls.
///
/// # Panics
/// When the environment asks for it.
#[inline]
pub fn panic_if_requested(rank: usize, place: &str) {
    debug_assert!(!panics_now(rank, place), "{VARIABLE} asks for a panic of rank {rank}");
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_rank_thread_place_and_pass() {
        let planned = PlannedPanic::parse("1/worker-1/work/2").expect("four parts");
        let others = [(0, "worker-1", WORK), (1, "main", WORK), (1, "worker-1", "mpi")];
        assert!(!others.into_iter().any(|(rank, thread, place)| planned.panics_now(rank, Some(thread), place)));
        assert!(!planned.panics_now(1, None, WORK));
        let panics = [1, 2, 3].map(|_| planned.panics_now(1, Some("worker-1"), WORK));
        assert_eq!(panics, [false, true, false]);
        for text in ["", "1", "1/main/work", "x/main/work/1", "1/main/work/x", "1/main/work/1/"] {
            assert!(PlannedPanic::parse(text).is_none(), "{text}");
        }
    }
}
