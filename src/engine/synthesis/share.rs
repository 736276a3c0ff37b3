//! Work that threads share out, with results in a fixed order.

use crate::runtime::{Crew, Monitor, run_crew};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Those who share the work of one search.
pub(super) struct Workers<'a> {
    pub(super) threads: usize,
    pub(super) monitor: &'a Monitor<'a>,
    /// CPU time of the threads that were started so far.
    pub(super) cpu_seconds: Cell<f64>,
}

impl Workers<'_> {
    /// Does `work` for each of `items`, as [`Workers::as_many`], or `None` when the search is to stop.
    pub(super) fn each<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
    ) -> Option<Vec<T>> {
        let results = self.as_many(items, chunk, scratch, work);
        (results.len() == items.len()).then_some(results)
    }

    /// Does `work` for each of `items` from the first on until the search is to stop, `chunk` of them at a time; what comes out stands in
    /// their order, whoever did it. Each thread has a `scratch` of its own.
    pub(super) fn as_many<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
    ) -> Vec<T> {
        let monitor = self.monitor;
        self.share(items, chunk, scratch, work, || {
            monitor.check_limits();
            monitor.leaving()
        })
    }

    /// The same for all items, whatever happens meanwhile.
    pub(super) fn each_to_the_end<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
    ) -> Vec<T> {
        self.share(items, chunk, scratch, work, || false)
    }

    fn share<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
        leaves: impl Fn() -> bool + Sync,
    ) -> Vec<T> {
        let workers = self.threads.min(items.len().div_ceil(chunk)).max(1);
        let next = AtomicUsize::new(0);
        let haul = run_crew(&Crew::new(workers), vec![(); workers], |_, ()| {
            let mut scratch = scratch();
            let mut done = Vec::new();
            loop {
                // Asked before something is taken: what is taken is done, so what is done are the first items, whoever stops when.
                if leaves() {
                    return done;
                }
                let begin = next.fetch_add(chunk, Relaxed);
                if begin >= items.len() {
                    return done;
                }
                let end = items.len().min(begin + chunk);
                done.extend(items[begin..end].iter().zip(begin..).map(|(item, at)| (at, work(&mut scratch, item))));
            }
        });
        self.cpu_seconds.set(self.cpu_seconds.get() + haul.cpu_seconds);
        let mut results: Vec<(usize, T)> = haul.results.into_iter().flatten().collect();
        results.sort_unstable_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{Limits, Silent, StopToken};

    /// One worker stops while the other one goes on: it leaves nothing behind that it has taken.
    #[test]
    fn what_is_taken_is_done() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers { threads: 2, monitor: &monitor, cpu_seconds: Cell::default() };
        let items: Vec<usize> = (0..100).collect();
        for stopped_at in [0, 1, 7] {
            let (asked, worked) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let leaves = || {
                let leaves = asked.fetch_add(1, Relaxed) == stopped_at;
                let before = worked.load(Relaxed);
                // The other one does something meanwhile.
                while leaves && worked.load(Relaxed) == before && before + 1 < items.len() {
                    std::thread::yield_now();
                }
                leaves
            };
            let work = |(): &mut (), &item: &usize| {
                worked.fetch_add(1, Relaxed);
                item
            };
            assert_eq!(workers.share(&items, 1, || (), work, leaves), items);
        }
    }
}
