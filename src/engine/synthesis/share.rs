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
                let begin = next.fetch_add(chunk, Relaxed);
                if begin >= items.len() || leaves() {
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
