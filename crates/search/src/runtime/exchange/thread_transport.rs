//! Ranks as threads of one process, for tests. Messages may be late and overtake each other ([`MessageDelays`]).

use super::{Channel, Transport};
use crate::sync::lock;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};

/// How late messages arrive.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageDelays {
    /// The seed of random delays and orders.
    pub seed: u64,
    /// The most times that a receiver asks in vain for a message that was sent. With 0, messages arrive at once and in
    /// order; otherwise they may overtake each other.
    pub delay: u32,
}

/// The state that all ranks share.
#[derive(Debug)]
struct Network {
    delays: MessageDelays,
    /// For each receiver, the messages to it, by channel.
    queues: Vec<[Mutex<Queue>; 2]>,
    /// The number of parcels under way from one rank to another; a row for each sender.
    under_way: Vec<AtomicUsize>,
    /// The most parcels, and the most bytes of parcels, that were under way to one rank at the same time.
    peaks: [AtomicUsize; 2],
    abort_reason: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Queue {
    random: ChaCha8Rng,
    packets: Vec<Packet>,
}

#[derive(Debug)]
struct Packet {
    sender: usize,
    message: Vec<u8>,
    /// The number of times that the receiver will still ask in vain.
    delay: u32,
}

/// The transport of one rank.
#[derive(Clone, Debug)]
pub struct ThreadTransport {
    rank: usize,
    /// The rank receives a parcel one time in `slowness` times that it asks for one.
    slowness: u32,
    network: Arc<Network>,
}

impl ThreadTransport {
    /// The transports of `ranks` connected ranks, in order.
    #[must_use]
    pub fn connect(ranks: usize, delays: MessageDelays) -> Vec<Self> {
        let queue = |rank: usize, channel: u64| {
            let seed = delays.seed.wrapping_mul(1_000_003).wrapping_add(2 * rank as u64 + channel);
            Mutex::new(Queue { random: ChaCha8Rng::seed_from_u64(seed), packets: Vec::new() })
        };
        let network = Arc::new(Network {
            delays,
            queues: (0..ranks).map(|rank| [queue(rank, 0), queue(rank, 1)]).collect(),
            under_way: (0..ranks * ranks).map(|_| AtomicUsize::new(0)).collect(),
            peaks: Default::default(),
            abort_reason: Mutex::default(),
        });
        (0..ranks).map(|rank| Self { rank, slowness: 1, network: Arc::clone(&network) }).collect()
    }

    /// The same rank, which receives a parcel only one time in `slowness` times that it asks for one.
    #[must_use]
    pub fn slow(self, slowness: u32) -> Self {
        Self { slowness: slowness.max(1), ..self }
    }

    /// The most parcels, and the most bytes of parcels, that were under way from all ranks to one rank at the same
    /// time.
    #[must_use]
    pub fn peak_under_way(&self) -> [usize; 2] {
        self.network.peaks.each_ref().map(|peak| peak.load(SeqCst))
    }

    fn queue(&self, receiver: usize, channel: Channel) -> MutexGuard<'_, Queue> {
        lock(&self.network.queues[receiver][channel as usize])
    }

    fn parcel_count(&self, sender: usize, receiver: usize) -> &AtomicUsize {
        &self.network.under_way[sender * self.ranks() + receiver]
    }
}

impl Transport for ThreadTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.network.queues.len()
    }

    fn send(&self, to: usize, channel: Channel, message: Vec<u8>) {
        if channel == Channel::Parcels {
            self.parcel_count(self.rank, to).fetch_add(1, SeqCst);
        }
        let max_delay = self.network.delays.delay;
        let mut queue = self.queue(to, channel);
        let delay = if max_delay == 0 { 0 } else { queue.random.next_u32() % (max_delay + 1) };
        queue.packets.push(Packet { sender: self.rank, message, delay });
        if channel == Channel::Parcels {
            let bytes = queue.packets.iter().map(|packet| packet.message.len()).sum();
            for (peak, current) in self.network.peaks.iter().zip([queue.packets.len(), bytes]) {
                peak.fetch_max(current, SeqCst);
            }
        }
    }

    fn parcels_under_way(&self, to: usize) -> usize {
        self.parcel_count(self.rank, to).load(SeqCst)
    }

    fn sent_parcels_under_way(&self) -> usize {
        (0..self.ranks()).map(|to| self.parcels_under_way(to)).sum()
    }

    fn receive(&self, channel: Channel) -> Option<Vec<u8>> {
        let mut queue = self.queue(self.rank, channel);
        if channel == Channel::Parcels && self.slowness > 1 && !queue.random.next_u32().is_multiple_of(self.slowness) {
            return None;
        }
        let ready = queue.packets.iter().position(|packet| packet.delay == 0);
        queue.packets.iter_mut().for_each(|packet| packet.delay = packet.delay.saturating_sub(1));
        let Packet { sender, message, .. } = queue.packets.remove(ready?);
        if channel == Channel::Parcels {
            self.parcel_count(sender, self.rank).fetch_sub(1, SeqCst);
        }
        Some(message)
    }

    fn abort(&self, _: u8, reason: &str) {
        lock(&self.network.abort_reason).get_or_insert_with(|| reason.to_owned());
    }

    fn abort_reason(&self) -> Option<String> {
        lock(&self.network.abort_reason).clone()
    }
}
