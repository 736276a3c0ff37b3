//! Independent parts of a bound, made one beside the other where it pays.

use crate::domain::Making;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Threads at most. The working memory of each grows with the cube of a board's regions; it may take this part of what the
/// tables may take, so that what is made does not depend on the number of threads, nor what is taken on the number of processors.
pub(super) const MOST_THREADS: usize = 4;

/// Makes one thing of each item, in their order; `None` when there is no time for all. Each thread has a scratch of its own.
/// Tells of `done` things that were made before. Only what `is_long` goes to several threads: for pairs it takes longer to begin them.
pub(super) fn each<I: Sync, S, T: Send>(
    items: &[I],
    making: &Making<'_>,
    (is_long, done, total): (bool, usize, usize),
    scratch: impl Fn() -> S + Sync + Send,
    make: impl Fn(&mut S, &I) -> T + Sync + Send,
) -> Option<Vec<T>> {
    let done = AtomicUsize::new(done);
    let one = |scratch: &mut S, item: &I| {
        if (making.leaves)() {
            return None;
        }
        let made = make(scratch, item);
        (making.progress)(done.fetch_add(1, Relaxed) + 1, total);
        Some(made)
    };
    let threads = making.threads.min(MOST_THREADS).min(items.len());
    let pool =
        if is_long && threads > 1 { rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok() } else { None };
    match pool {
        Some(pool) => pool.install(|| items.par_iter().map_init(scratch, one).collect()),
        None => {
            let mut scratch = scratch();
            items.iter().map(|item| one(&mut scratch, item)).collect()
        }
    }
}
