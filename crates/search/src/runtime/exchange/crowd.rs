//! Ranks as threads of one process, for tests: messages are late and overtake each other, as [`Weather`] says.

use super::{Lane, Transport};
use crate::sync::lock;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};

/// How messages travel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    /// Chooses delays and orders.
    pub seed: u64,
    /// The most times that a message is not there yet when its receiver asks. With 0, messages arrive at once and in
    /// order; otherwise they may overtake each other.
    pub delay: u32,
}

/// What the ranks of a crowd share.
#[derive(Debug)]
struct Shared {
    weather: Weather,
    /// For each rank, the messages to it, by lane.
    mail: Vec<[Mutex<Mail>; 2]>,
    /// The number of parcels under way from one rank to another; a row for each sender.
    under_way: Vec<AtomicUsize>,
    /// The most parcels, and the most bytes of parcels, that were under way to one rank at the same time.
    most: [AtomicUsize; 2],
    aborted: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Mail {
    random: ChaCha8Rng,
    packets: Vec<Packet>,
}

#[derive(Debug)]
struct Packet {
    from: usize,
    message: Vec<u8>,
    /// How often the receiver will still ask in vain.
    late: u32,
}

/// A crowd of ranks.
#[derive(Debug)]
pub struct Crowd;

impl Crowd {
    /// The transports of `ranks` ranks, in order.
    #[must_use]
    pub fn gather(ranks: usize, weather: Weather) -> Vec<CrowdRank> {
        let mail = |number: usize, lane: u64| {
            let seed = weather.seed.wrapping_mul(1_000_003).wrapping_add(2 * number as u64 + lane);
            Mutex::new(Mail { random: ChaCha8Rng::seed_from_u64(seed), packets: Vec::new() })
        };
        let shared = Arc::new(Shared {
            weather,
            mail: (0..ranks).map(|number| [mail(number, 0), mail(number, 1)]).collect(),
            under_way: (0..ranks * ranks).map(|_| AtomicUsize::new(0)).collect(),
            most: Default::default(),
            aborted: Mutex::default(),
        });
        (0..ranks).map(|rank| CrowdRank { rank, slowness: 1, shared: Arc::clone(&shared) }).collect()
    }
}

/// The transport of one rank of a crowd.
#[derive(Clone, Debug)]
pub struct CrowdRank {
    rank: usize,
    /// The rank receives a parcel one time in `slowness` times that it asks for one.
    slowness: u32,
    shared: Arc<Shared>,
}

impl CrowdRank {
    /// The same rank, which receives a parcel only one time in `slowness` times that it asks for one.
    #[must_use]
    pub fn slow(self, slowness: u32) -> Self {
        Self { slowness: slowness.max(1), ..self }
    }

    /// The most parcels, and the most bytes of parcels, that were under way from all ranks to one rank at the same
    /// time.
    #[must_use]
    pub fn most_under_way(&self) -> [usize; 2] {
        self.shared.most.each_ref().map(|most| most.load(SeqCst))
    }

    fn mail(&self, rank: usize, lane: Lane) -> MutexGuard<'_, Mail> {
        lock(&self.shared.mail[rank][lane as usize])
    }

    fn parcels(&self, from: usize, to: usize) -> &AtomicUsize {
        &self.shared.under_way[from * self.ranks() + to]
    }

    fn reason(&self) -> MutexGuard<'_, Option<String>> {
        lock(&self.shared.aborted)
    }
}

impl Transport for CrowdRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.shared.mail.len()
    }

    fn send(&self, to: usize, lane: Lane, message: Vec<u8>) {
        if lane == Lane::Parcels {
            self.parcels(self.rank, to).fetch_add(1, SeqCst);
        }
        let most = self.shared.weather.delay;
        let mut mail = self.mail(to, lane);
        let late = if most == 0 { 0 } else { mail.random.next_u32() % (most + 1) };
        mail.packets.push(Packet { from: self.rank, message, late });
        if lane == Lane::Parcels {
            let bytes = mail.packets.iter().map(|packet| packet.message.len()).sum();
            for (most, now) in self.shared.most.iter().zip([mail.packets.len(), bytes]) {
                most.fetch_max(now, SeqCst);
            }
        }
    }

    fn under_way(&self, to: usize) -> usize {
        self.parcels(self.rank, to).load(SeqCst)
    }

    fn all_under_way(&self) -> usize {
        (0..self.ranks()).map(|to| self.under_way(to)).sum()
    }

    fn receive(&self, lane: Lane) -> Option<Vec<u8>> {
        let mut mail = self.mail(self.rank, lane);
        if lane == Lane::Parcels && self.slowness > 1 && !mail.random.next_u32().is_multiple_of(self.slowness) {
            return None;
        }
        let at = mail.packets.iter().position(|packet| packet.late == 0);
        mail.packets.iter_mut().for_each(|packet| packet.late = packet.late.saturating_sub(1));
        let Packet { from, message, .. } = mail.packets.remove(at?);
        if lane == Lane::Parcels {
            self.parcels(from, self.rank).fetch_sub(1, SeqCst);
        }
        Some(message)
    }

    fn abort(&self, _: u8, reason: &str) {
        self.reason().get_or_insert_with(|| reason.to_owned());
    }

    fn aborted(&self) -> Option<String> {
        self.reason().clone()
    }
}
