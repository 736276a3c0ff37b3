//! Sends states to the ranks that own them, and defines the contents of parcels.
//!
//! The lowest bits of a key's hash select its shard, and each rank owns a range of the shards: rank `shard * ranks /
//! shards`. A child that belongs to another rank is sent to its owner, which looks it up, evaluates it if it is new,
//! and stores it. Ids are the same on all ranks, so the parent of a record may be on another rank.
//!
//! ```text
//! parcel:   | kind 1 byte | contents |                                        all little endian
//! children: | key | tag 8 | sleep set, as many bytes as its moves need | ...
//! trail, solution: the value, encoded by `message_of`
//! ```
//!
//! **Trails.** A rank that finds a solution knows its cost and the last part of its path: the moves whose records it
//! owns. The trail goes from owner to owner, towards the root. Each owner adds its part and sends the trail on. The
//! owner of the root sends the solution to all ranks. A trail is a parcel, so no layer ends and no checkpoint is taken
//! while a trail is under way.

use crate::domain::{Cost, MoveIndex, MoveMask};
use crate::engine::outcome::Solution;
use crate::runtime::{Exchange, decode, empty_message, message_of};
use crate::store::{Id, Layout, Offer, Tag, rank_of_shard};
use crate::sync::lock;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of a tag.
const TAG_LEN: usize = 8;

/// The kinds of parcels.
const CHILDREN: u8 = 1;
const TRAIL: u8 = 2;
const SOLUTION: u8 = 3;

/// A child that is sent to its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SentChild<'a> {
    pub(super) key: &'a [u8],
    pub(super) tag: Tag,
    pub(super) sleep_set: MoveMask,
}

impl<'a> SentChild<'a> {
    /// The state, as its owner's store takes it. `hash` is that of the key.
    pub(super) fn offer(&self, hash: u64) -> Offer<'a> {
        Offer { hash, key: self.key, g: self.tag.g, sleep_set: self.sleep_set }
    }
}

/// A solution whose path is completed from rank to rank, towards the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trail {
    pub(super) cost: Cost,
    /// The record at which `moves` begins. The moves from the root to this record are still missing.
    pub(super) id: Id,
    /// The moves after that record, the last one first.
    pub(super) moves: Vec<MoveIndex>,
}

#[derive(Debug)]
pub(super) enum Contents<'a> {
    Children(SentChildren<'a>),
    /// A path whose next record belongs to this rank.
    Trail(Trail),
    /// A solution that another rank has found.
    Solution(Solution),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SentChildren<'a> {
    bytes: &'a [u8],
    encoding: ChildEncoding,
}

impl<'a> SentChildren<'a> {
    /// The child that begins at this offset.
    pub(super) fn at(&self, offset: u32) -> SentChild<'a> {
        self.encoding.read(&self.bytes[offset as usize..])
    }

    /// Iterates over all children with their offsets.
    pub(super) fn iter(self) -> impl Iterator<Item = (u32, SentChild<'a>)> {
        let len = self.encoding.child_len();
        self.bytes.chunks_exact(len).enumerate().map(move |(at, child)| ((at * len) as u32, self.encoding.read(child)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ChildEncoding {
    key_len: usize,
    mask_len: usize,
}

impl ChildEncoding {
    fn child_len(self) -> usize {
        self.key_len + TAG_LEN + self.mask_len
    }

    fn write(self, child: &SentChild<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(child.key);
        out.extend_from_slice(&child.tag.to_word().to_le_bytes());
        out.extend_from_slice(&child.sleep_set.to_le_bytes()[..self.mask_len]);
    }

    /// Reads the first child of `bytes`.
    fn read(self, bytes: &[u8]) -> SentChild<'_> {
        let (key, tag_and_mask) = bytes.split_at(self.key_len);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let tag = Tag::from_word(number(&tag_and_mask[..TAG_LEN]));
        SentChild { key, tag, sleep_set: number(&tag_and_mask[TAG_LEN..][..self.mask_len]) }
    }
}

/// The children that the workers of a rank send to other ranks.
pub(super) struct OutgoingParcels<'x> {
    pub(super) exchange: &'x Exchange,
    encoding: ChildEncoding,
    shards: usize,
    /// A parcel with at least this many bytes is full.
    full_bytes: usize,
    /// The unsent parcel for each rank. It is empty or begins with its kind.
    outboxes: Vec<Mutex<Vec<u8>>>,
    /// The number of outboxes that are not empty.
    started: AtomicUsize,
    /// The number of outboxes that are full and cannot be sent yet.
    stuck: AtomicUsize,
}

impl<'x> OutgoingParcels<'x> {
    pub(super) fn new(exchange: &'x Exchange, layout: Layout) -> Self {
        let encoding = ChildEncoding { key_len: layout.key_len, mask_len: layout.mask_bits.div_ceil(8) as usize };
        let outboxes = (0..exchange.ranks()).map(|_| Mutex::default()).collect();
        let (started, stuck, shards) = (AtomicUsize::new(0), AtomicUsize::new(0), layout.shards);
        Self { exchange, encoding, shards, full_bytes: exchange.parcel_bytes(), outboxes, started, stuck }
    }

    pub(super) fn add(&self, shard: usize, child: &SentChild<'_>) {
        let to = rank_of_shard(shard, self.exchange.ranks(), self.shards);
        let mut outbox = lock(&self.outboxes[to]);
        if outbox.is_empty() {
            self.started.fetch_add(1, Relaxed);
            outbox.reserve(self.full_bytes + self.encoding.child_len());
            outbox.extend(empty_message());
            outbox.push(CHILDREN);
        }
        let len_before = outbox.len();
        self.encoding.write(child, &mut outbox);
        if outbox.len() >= self.full_bytes {
            if !self.exchange.is_window_full(to) {
                self.send(to, &mut outbox, len_before >= self.full_bytes);
            } else if len_before < self.full_bytes {
                self.stuck.fetch_add(1, Relaxed);
            }
        }
    }

    fn send(&self, to: usize, outbox: &mut Vec<u8>, was_stuck: bool) {
        self.exchange.send_parcel(to, std::mem::take(outbox));
        self.started.fetch_sub(1, Relaxed);
        self.stuck.fetch_sub(usize::from(was_stuck), Relaxed);
    }

    /// Sends the full parcels for which there is room. Returns whether a full parcel still waits. While one waits, a
    /// worker must not expand states, or parcels would grow without end.
    #[inline]
    pub(super) fn send_full(&self) -> bool {
        if self.stuck.load(Relaxed) == 0 {
            return false;
        }
        self.send_at_least(self.full_bytes);
        self.stuck.load(Relaxed) > 0
    }

    /// Sends all parcels for which there is room, also those that are not full.
    pub(super) fn send_all(&self) {
        if !self.is_empty() {
            self.send_at_least(1);
        }
    }

    /// Sends all parcels of at least `min_bytes` bytes for which there is room.
    fn send_at_least(&self, min_bytes: usize) {
        for to in 0..self.outboxes.len() {
            let mut outbox = lock(&self.outboxes[to]);
            if outbox.len() >= min_bytes && !self.exchange.is_window_full(to) {
                let was_stuck = outbox.len() >= self.full_bytes;
                self.send(to, &mut outbox, was_stuck);
            }
        }
    }

    /// Whether no child waits to be sent. To be called only while no worker adds children.
    pub(super) fn is_empty(&self) -> bool {
        self.started.load(Relaxed) == 0
    }

    pub(super) fn forward(&self, trail: &Trail, shard: usize) {
        self.exchange
            .send_parcel(rank_of_shard(shard, self.exchange.ranks(), self.shards), message_of(&(TRAIL, trail)));
    }

    /// Reads the contents of a parcel that another rank has made; `None` if the bytes are malformed.
    pub(super) fn open<'a>(&self, parcel: &'a [u8]) -> Option<Contents<'a>> {
        let (&kind, contents) = parcel.split_first()?;
        match kind {
            // No child is truncated.
            CHILDREN if contents.len().is_multiple_of(self.encoding.child_len()) => {
                Some(Contents::Children(SentChildren { bytes: contents, encoding: self.encoding }))
            }
            TRAIL => decode(contents).map(Contents::Trail),
            SOLUTION => decode(contents).map(Contents::Solution),
            _ => None,
        }
    }
}

pub(super) fn broadcast_solution(exchange: &Exchange, solution: &Solution) {
    for to in (0..exchange.ranks()).filter(|&to| to != exchange.rank()) {
        exchange.send_parcel(to, message_of(&(SOLUTION, solution)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::{MessageDelays, PARCEL_WINDOW, ThreadTransport};

    #[test]
    fn what_is_sent_is_what_arrives() {
        let layout = Layout { key_len: 3, mask_bits: 9, shards: 2 };
        let exchanges: Vec<_> =
            ThreadTransport::connect(2, MessageDelays::default()).into_iter().map(Exchange::new).collect();
        let [here, there] = [0, 1].map(|rank| OutgoingParcels::new(&exchanges[rank], layout));
        let child = |n: u32| SentChild {
            key: &[1, 2, 3],
            tag: Tag { g: n, mv: 7, parent: layout.id(0, 5) },
            sleep_set: u64::from(n % 512),
        };
        let many = (here.full_bytes / here.encoding.child_len()) as u32;
        (0..many + 10).for_each(|n| here.add(1, &child(n)));
        here.send_all();
        let trail = Trail { cost: 70_000, id: layout.id(1, 9), moves: vec![3, 4] };
        here.forward(&trail, 1);
        let solution = Solution { cost: 2, moves: vec![9, 8] };
        broadcast_solution(here.exchange, &solution);
        let mut found = Vec::new();
        while let Some(parcel) = {
            exchanges[1].poll();
            exchanges[1].next_parcel()
        } {
            match there.open(parcel.bytes()) {
                Some(Contents::Children(children)) => {
                    for (place, child) in children.iter() {
                        assert_eq!((child.key, children.at(place)), (&[1, 2, 3][..], child));
                        found.push((child.tag, child.sleep_set));
                    }
                }
                Some(Contents::Trail(arrived)) => assert_eq!(arrived, trail),
                Some(Contents::Solution(arrived)) => assert_eq!(arrived, solution),
                None => panic!("a parcel that no rank has made"),
            }
        }
        let sent = (0..many + 10).map(child).map(|child| (child.tag, child.sleep_set));
        assert_eq!(found, sent.collect::<Vec<_>>());
        assert!(here.is_empty() && !here.send_full());
    }

    #[test]
    fn a_full_window_stops_the_sender_until_there_is_room() {
        let layout = Layout { key_len: 1_000, mask_bits: 0, shards: 2 };
        let exchanges: Vec<_> =
            ThreadTransport::connect(2, MessageDelays::default()).into_iter().map(Exchange::new).collect();
        let here = OutgoingParcels::new(&exchanges[0], layout);
        let child = SentChild { key: &[7; 1_000], tag: Tag { g: 0, mv: 0, parent: Id::NONE }, sleep_set: 0 };
        let mut sent = 0;
        while !here.send_full() {
            here.add(1, &child);
            sent += 1;
        }
        assert!(!here.is_empty());
        let mut arrived = 0;
        while arrived < sent {
            exchanges[1].poll();
            while let Some(parcel) = exchanges[1].next_parcel() {
                arrived += (parcel.bytes().len() - 1) / here.encoding.child_len();
            }
            assert!(!here.send_full());
            here.send_all();
        }
        assert!(here.is_empty());
    }

    /// Several workers send to a rank that receives one parcel in many tries. Neither the sender nor the transport ever
    /// holds more than the window and one parcel that is being filled.
    #[test]
    fn a_slow_receiver_holds_no_more_than_the_window() {
        const WORKERS: usize = 3;
        const EACH: usize = 1_500;
        let layout = Layout { key_len: 1_000, mask_bits: 0, shards: 2 };
        for seed in 0..3 {
            let mut ranks = ThreadTransport::connect(2, MessageDelays { seed, delay: 3 });
            let (slow, fast) = (ranks.pop().expect("two").slow(20), ranks.pop().expect("two"));
            let watched = fast.clone();
            let [sender, receiver] = [Exchange::new(fast), Exchange::new(slow)].map(|rank| rank.with_parcels(4_000));
            let here = OutgoingParcels::new(&sender, layout);
            // Each worker may add one child after it has seen that there is room.
            let parcel = 4_000 + WORKERS * here.encoding.child_len();
            let work = || {
                let tag = Tag { g: 0, mv: 0, parent: Id::NONE };
                let child = SentChild { key: &[7; 1_000], tag, sleep_set: 0 };
                for _ in 0..EACH {
                    while here.send_full() {
                        sender.poll();
                        std::thread::yield_now();
                    }
                    here.add(1, &child);
                    assert!(lock(&here.outboxes[1]).len() <= parcel);
                }
            };
            let mut arrived = 0;
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
                while watched.peak_under_way()[0] < PARCEL_WINDOW {
                    std::thread::yield_now();
                }
                while arrived < WORKERS * EACH {
                    receiver.poll();
                    if let Some(parcel) = receiver.next_parcel() {
                        arrived += (parcel.bytes().len() - 1) / here.encoding.child_len();
                    }
                    if workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                        here.send_all();
                    }
                }
            });
            let [parcels, bytes] = watched.peak_under_way();
            assert_eq!(parcels, PARCEL_WINDOW, "the window was full, seed {seed}");
            assert!(bytes <= PARCEL_WINDOW * parcel, "{bytes} bytes, seed {seed}");
        }
    }

    #[test]
    fn what_no_rank_has_made_is_refused() {
        let layout = Layout { key_len: 3, mask_bits: 9, shards: 2 };
        let exchange = Exchange::new(ThreadTransport::connect(1, MessageDelays::default()).remove(0));
        let outgoing = OutgoingParcels::new(&exchange, layout);
        for bytes in
            [&[][..], &[0, 1], &[CHILDREN, 1], &[CHILDREN; 18], &[TRAIL, 1, 2, 3, 4, 5], &[SOLUTION, 1, 2], &[9]]
        {
            assert!(outgoing.open(bytes).is_none(), "{bytes:?}");
        }
    }
}
