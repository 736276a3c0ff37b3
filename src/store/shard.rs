//! One shard: an index behind a lock, and the log that it points into.

use super::index::Index;
use super::log::Log;
use super::{Id, LOCAL_BITS, Layout, Tag};
use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering, TryLockError};

/// A state as a worker brings it to the store.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    /// [`super::hash_key`] of the key.
    pub hash: u64,
    /// The packed state.
    pub key: &'a [u8],
    /// Cost of the way that reached it.
    pub g: u32,
    /// The moves that its parent proves superfluous.
    pub asleep: u64,
}

/// What the store knows of an offered state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// It is new, or known with a larger g only: worth an evaluation.
    New,
    /// It is known, and this way adds nothing that would have to be done.
    Known,
    /// It is known with the same g and closed, but these moves of it were asleep and are not any more: expand them.
    Woken(Id, u64),
}

#[derive(Debug)]
pub(super) struct Shard {
    number: usize,
    contents: Mutex<Contents>,
    log: Log,
    /// Bytes of records, marks and index.
    bytes: AtomicU64,
    /// Where the index stands, for prefetching without the lock: a hint that may be out of date.
    slots: AtomicU64,
    homes: AtomicU64,
}

#[derive(Debug)]
struct Contents {
    index: Index,
    /// Records in the log.
    records: u32,
}

impl Shard {
    pub(super) fn new(number: usize, layout: Layout) -> Self {
        let index = Index::new();
        let shard = Self {
            number,
            log: Log::new(layout),
            bytes: AtomicU64::new(index.bytes()),
            slots: AtomicU64::new(0),
            homes: AtomicU64::new(0),
            contents: Mutex::new(Contents { index, records: 0 }),
        };
        shard.lock().publish();
        shard
    }

    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    pub(super) fn lock(&self) -> ShardGuard<'_> {
        // A panic under the lock leaves at worst a record that no slot names: the contents stay sound.
        let contents = self.contents.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ShardGuard { shard: self, contents }
    }

    /// The shard, unless somebody else holds it.
    pub(super) fn try_lock(&self) -> Option<ShardGuard<'_>> {
        let contents = match self.contents.try_lock() {
            Ok(contents) => contents,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(ShardGuard { shard: self, contents })
    }

    pub(super) fn records(&self) -> u64 {
        u64::from(self.lock().contents.records)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let homes = self.homes.load(Ordering::Relaxed);
        let home = (u64::from(fingerprint(hash)) * homes) >> 32;
        let slots = self.slots.load(Ordering::Relaxed) as *const u64;
        crate::sync::prefetch(slots.wrapping_add(home as usize));
    }
}

/// The hash bits that choose the shard are the lowest; the fingerprint takes the highest.
#[inline]
fn fingerprint(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A locked shard.
#[derive(Debug)]
pub struct ShardGuard<'a> {
    shard: &'a Shard,
    contents: MutexGuard<'a, Contents>,
}

impl ShardGuard<'_> {
    /// Looks a state up. When it is known with the same g, the moves that this parent cannot excuse are woken.
    #[inline]
    pub fn meet(&mut self, offer: &Offer<'_>) -> Meeting {
        match self.find(offer) {
            (Some((local, g)), _) if g <= offer.g => self.greet(local, g, offer),
            _ => Meeting::New,
        }
    }

    /// Stores a state unless it became known in the meantime. Returns its id when it was stored, what to do otherwise.
    /// The flag says that a closed state is open again, with the smaller g.
    ///
    /// # Errors
    /// [`Meeting::Known`] or [`Meeting::Woken`], as from [`ShardGuard::meet`].
    #[inline]
    pub fn admit(&mut self, offer: &Offer<'_>, mv: u16, parent: Id) -> Result<(Id, bool), Meeting> {
        let (found, cursor) = self.find(offer);
        if let Some((local, g)) = found
            && g <= offer.g
        {
            return Err(self.greet(local, g, offer));
        }
        let contents = &mut *self.contents;
        let local = contents.records;
        // The very last position of the last shard would be named like no record at all.
        assert!(local < (1 << LOCAL_BITS) - 1, "a shard holds fewer than 2^{LOCAL_BITS} records");
        // SAFETY: `local` counts up under the lock, which makes this thread the only appender.
        unsafe { self.shard.log.append(local, offer.key, Tag { g: offer.g, mv, parent }, offer.asleep) };
        contents.records += 1;
        let before = contents.index.bytes();
        let mut reopened = false;
        if let Some((older, _)) = found {
            contents.index.repoint(cursor, local);
            // The older record is superseded: closing it lets its place in the frontier be skipped.
            reopened = self.shard.log.close(older).is_none();
        } else {
            contents.index.insert(fingerprint(offer.hash), cursor, local);
        }
        let after = contents.index.bytes();
        let added = self.shard.log.bytes_per_record() as u64 + after - before;
        self.shard.bytes.fetch_add(added, Ordering::Relaxed);
        if after != before {
            self.publish();
        }
        Ok((Id::new(self.shard.number, local), reopened))
    }

    /// The newest record with this key and its g; the cursor stands behind it, or where its slot would go.
    #[inline]
    fn find(&self, offer: &Offer<'_>) -> (Option<(u32, u32)>, super::index::Cursor) {
        let (index, log) = (&self.contents.index, &self.shard.log);
        let fingerprint = fingerprint(offer.hash);
        let mut cursor = index.start(fingerprint);
        while let Some(local) = index.next(fingerprint, &mut cursor) {
            if log.key(local) == offer.key {
                return (Some((local, log.tag(local).g)), cursor);
            }
        }
        (None, cursor)
    }

    #[inline]
    fn greet(&self, local: u32, g: u32, offer: &Offer<'_>) -> Meeting {
        if g < offer.g {
            return Meeting::Known;
        }
        match self.shard.log.wake(local, offer.asleep) {
            Some(moves) => Meeting::Woken(Id::new(self.shard.number, local), moves),
            None => Meeting::Known,
        }
    }

    fn publish(&self) {
        let (slots, homes) = self.contents.index.hint();
        self.shard.homes.store(homes, Ordering::Relaxed);
        self.shard.slots.store(slots as u64, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    const MOVES: u64 = 0b111;

    /// A worker that reaches the state with `asleep`, and expands whatever falls to it. Returns how often each move was
    /// expanded.
    fn reach(shard: &Shard, asleep: u64) -> [u32; 3] {
        let mut expanded = [0; 3];
        let mut expand = |moves: u64| {
            (0..3).filter(|m| moves >> m & 1 == 1).for_each(|m| expanded[m] += 1);
        };
        let offer = Offer { hash: 7, key: &[1], g: 1, asleep };
        let meeting = shard.lock().meet(&offer);
        let admitted = match meeting {
            Meeting::New => shard.lock().admit(&offer, 0, Id::NONE),
            known => Err(known),
        };
        match admitted {
            Ok((id, _)) => {
                if let Some(asleep) = shard.log().close(id.local()) {
                    expand(MOVES & !asleep);
                }
            }
            Err(Meeting::Woken(_, moves)) => expand(moves),
            Err(_) => {}
        }
        expanded
    }

    /// Two workers reach one state, each with another move asleep: the state is stored once, and every move that is
    /// not asleep for both is expanded exactly once.
    #[test]
    fn loom_every_awake_move_is_expanded_once() {
        loom::model(|| {
            let shard = Arc::new(Shard::new(0, Layout { key_len: 1, mask_bits: 3, workers: 1 }));
            let other = {
                let shard = shard.clone();
                thread::spawn(move || reach(&shard, 0b011))
            };
            let mine = reach(&shard, 0b110);
            let theirs = other.join().expect("no panic");
            let sum: Vec<u32> = mine.iter().zip(theirs).map(|(a, b)| a + b).collect();
            assert_eq!(sum, [1, 0, 1]);
            assert_eq!(shard.records(), 1);
        });
    }
}
