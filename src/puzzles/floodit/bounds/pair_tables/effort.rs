//! What the making of tables may take: time, which the caller takes back, and memory.
//!
//! **No step is long.** Every loop whose rounds grow with the board counts the words of sets that it looks at, and asks
//! after some of them whether the work has to end. So it ends within some milliseconds, whatever the size of the board.
//!
//! **What does not fit is not begun.** Whoever is about to take memory that grows with the board asks for room first.
//! The bytes are upper limits of what is held at once: of vectors that grow, both the old and the new one.

use gridhunt_search::domain::BuildContext;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Why work on tables has ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The caller wants it to end.
    Late,
    /// So many bytes are wanted, and there is no room for them.
    Room(u64),
}

/// Pieces of work that share the room, as long as a share suffices for each: enough for some threads.
pub(super) const CROWD: usize = 16;

/// Words of sets between two questions about the time: about a millisecond.
const WORDS: usize = 1 << 20;

/// The limits of one piece of work.
pub(super) struct Effort<'a> {
    build: &'a BuildContext<'a>,
    /// Bytes that may be taken beside what is held already.
    pub(super) room: u64,
    /// Words since the last question.
    words: usize,
}

impl<'a> Effort<'a> {
    /// Work that takes at most so many bytes, and no more than `build` has room for.
    pub(super) fn within(bytes: u64, build: &'a BuildContext<'a>) -> Self {
        Self { build, room: bytes.min(build.room), words: 0 }
    }

    /// The results of `work` for some items, in their order, until the work has to end. It may run on several threads.
    /// Each call has an equal share of the room, for its result and for the working memory.
    pub(super) fn map<I: Sync, S: Default + Send, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&mut S, &I, &mut Self) -> Result<T, Cut> + Sync,
    ) -> Vec<Result<T, Cut>> {
        let room = self.room / items.len().max(1) as u64;
        let results: Vec<Mutex<Option<Result<T, Cut>>>> = items.iter().map(|_| Mutex::new(None)).collect();
        let (pool, is_late) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        (self.build.each)(items.len(), &|number| {
            if is_late.load(Relaxed) {
                return;
            }
            let mut own = Self { build: self.build, room, words: 0 };
            let mut scratch = pool.lock().pop().unwrap_or_else(S::default);
            let result = own.ask().and_then(|()| work(&mut scratch, &items[number], &mut own));
            is_late.fetch_or(matches!(result, Err(Cut::Late)), Relaxed);
            *results[number].lock() = Some(result);
            pool.lock().push(scratch);
        });
        results.into_iter().filter_map(|result| result.into_inner()).collect()
    }

    /// Asks whether the work has to end.
    pub(super) fn ask(&mut self) -> Result<(), Cut> {
        self.words = 0;
        if (self.build.cancelled)() { Err(Cut::Late) } else { Ok(()) }
    }

    /// Counts words of sets, and asks whether the work has to end once there are some.
    #[inline(always)]
    pub(super) fn spend(&mut self, words: usize) -> Result<(), Cut> {
        self.words += words;
        if self.words < WORDS { Ok(()) } else { self.ask() }
    }

    /// Refuses to take so many bytes in all if there is no room for them.
    pub(super) fn fits(&self, bytes: u64) -> Result<(), Cut> {
        if bytes <= self.room { Ok(()) } else { Err(Cut::Room(bytes)) }
    }

    /// Tells that a part has been finished.
    pub(super) fn tell(&self, done: usize, total: usize) {
        (self.build.progress)(done, total);
    }

    /// The result of work whose result is of no use when it was cut. Tells the user what memory was wanted.
    pub(super) fn whole<T>(&self, result: Result<T, Cut>) -> Option<T> {
        if let Err(Cut::Room(wanted)) = result {
            let [wanted, room] = [wanted, self.room].map(|bytes| bytes.div_ceil(1 << 20));
            (self.build.lack)(&format!("{wanted} MiB for tables, and there is room for {room} MiB"));
        }
        result.ok()
    }

    /// Tells the user that memory has room for so many of `wanted` things alone.
    pub(super) fn lack(&self, found: usize, wanted: usize, things: &str) {
        (self.build.lack)(&format!("{wanted} {things}, and there is room for {found}"));
    }
}
