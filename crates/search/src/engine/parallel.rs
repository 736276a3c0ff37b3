//! Parallel loops on the threads of one search.

use crate::runtime::{Crew, Monitor, Stopped, run_crew};
use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The threads of one search: parallel loops whose results have the order of the items.
pub struct Workers<'a> {
    pub(crate) threads: usize,
    /// Limits and gauges of the search.
    pub monitor: &'a Monitor<'a>,
    /// CPU time of all threads that were started so far.
    cpu_seconds: Mutex<f64>,
}

impl<'a> Workers<'a> {
    /// Sets the number of threads, at least one. Starts none yet.
    #[must_use]
    pub fn new(threads: usize, monitor: &'a Monitor<'a>) -> Self {
        Self { threads: threads.max(1), monitor, cpu_seconds: Mutex::default() }
    }

    /// CPU time of all threads that were started so far, in seconds.
    #[must_use]
    pub fn cpu_seconds(&self) -> f64 {
        *lock(&self.cpu_seconds)
    }

    /// The results of `work` for all items, as [`Workers::map_first`] computes them.
    ///
    /// # Errors
    /// [`Stopped`] when the search is to stop.
    pub fn map<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk_len: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
    ) -> Result<Vec<T>, Stopped> {
        let results = self.map_first(items, chunk_len, scratch, |scratch, item| Some(work(scratch, item)));
        if results.len() == items.len() { Ok(results) } else { Err(Stopped) }
    }

    /// The results of `work` for all items, also when the search is to stop.
    pub fn map_all<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk_len: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> T + Sync,
    ) -> Vec<T> {
        self.run(items, chunk_len, scratch, |scratch, item| Some(work(scratch, item)), || false)
    }

    /// The results of `work` for the items that are finished before the search is to stop, up to the first unfinished
    /// one. A thread takes `chunk_len` items at a time and has its own `scratch`. If `work` returns `None`, the thread
    /// ends, and the results end before this item.
    pub fn map_first<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk_len: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> Option<T> + Sync,
    ) -> Vec<T> {
        let monitor = self.monitor;
        self.run(items, chunk_len, scratch, work, || {
            monitor.check_limits();
            monitor.should_leave_layer()
        })
    }

    fn run<I: Sync, S, T: Send>(
        &self,
        items: &[I],
        chunk_len: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &I) -> Option<T> + Sync,
        should_stop: impl Fn() -> bool + Sync,
    ) -> Vec<T> {
        let workers = self.threads.min(items.len().div_ceil(chunk_len)).max(1);
        let next = AtomicUsize::new(0);
        let crew = run_crew(&Crew::new(workers), vec![(); workers], |_, ()| {
            let mut scratch = scratch();
            let mut finished = Vec::new();
            loop {
                // A worker stops only before it takes items. So all items before the first `None` are finished.
                if should_stop() {
                    return finished;
                }
                let begin = next.fetch_add(chunk_len, Relaxed);
                if begin >= items.len() {
                    return finished;
                }
                let end = items.len().min(begin + chunk_len);
                for (item, at) in items[begin..end].iter().zip(begin..) {
                    let Some(result) = work(&mut scratch, item) else { return finished };
                    finished.push((at, result));
                }
            }
        });
        *lock(&self.cpu_seconds) += crew.cpu_seconds;
        let mut results: Vec<(usize, T)> = crew.results.into_iter().flatten().collect();
        results.sort_unstable_by_key(|(at, _)| *at);
        let without_gaps = results.into_iter().zip(0..).take_while(|((at, _), expected)| at == expected);
        without_gaps.map(|((_, result), _)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{Limits, Silent, StopToken};

    /// One worker stops while the other one goes on. The worker that stops has finished all items that it took.
    #[test]
    fn items_that_are_taken_are_done() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(2, &monitor);
        let items: Vec<usize> = (0..100).collect();
        for stopped_at in [0, 1, 7] {
            let (asked, worked) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let should_stop = || {
                let should_stop = asked.fetch_add(1, Relaxed) == stopped_at;
                let before = worked.load(Relaxed);
                // Until the other worker has done an item.
                while should_stop && worked.load(Relaxed) == before && before + 1 < items.len() {
                    std::thread::yield_now();
                }
                should_stop
            };
            let work = |(): &mut (), &item: &usize| {
                worked.fetch_add(1, Relaxed);
                Some(item)
            };
            assert_eq!(workers.run(&items, 1, || (), work, should_stop), items);
        }
    }

    /// Items behind one that was given up count for nothing, even if another worker has done them.
    #[test]
    fn an_item_that_is_given_up_ends_the_results() {
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        for threads in [1, 3] {
            let workers = Workers::new(threads, &monitor);
            let items: Vec<usize> = (0..100).collect();
            let work = |(): &mut (), &item: &usize| (item != 40).then_some(item);
            assert_eq!(workers.map_first(&items, 7, || (), work), items[..40]);
        }
    }
}
