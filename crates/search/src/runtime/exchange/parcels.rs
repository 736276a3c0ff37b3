//! Parcels: the work that ranks hand to one another.
//!
//! **Bounded memory.** A transport counts the parcels under way, to a rank and in all ([`Exchange::is_window_full`]). A
//! worker that finds no room receives parcels while it waits. Processing a parcel never waits for room, so ranks that
//! wait for each other make progress.

use super::message::{CHECKSUM_BYTES, with_checksum};
use super::waves::Counts;
use super::{Channel, Exchange, fault};
use crossbeam::queue::SegQueue;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// The bytes at which a parcel is full, unless [`Exchange::with_parcels`] sets another number. Before it sends 64 KiB
/// or more, Open MPI asks the receiver for room. Parcels of 4 KiB took three times the processor time.
pub(super) const DEFAULT_PARCEL_BYTES: usize = 60_000;

/// The most parcels of states that one rank may have under way to another. Solutions and paths do not wait for room,
/// because they are few and short.
pub const PARCEL_WINDOW: usize = 16;

/// The most bytes of all parcels that one rank has under way, and of all parcels that it fills.
pub(super) const MAX_UNSENT_BYTES: usize = 32 << 20;

/// The most received parcels that wait for a worker. With this number, the rank receives no further parcels.
pub(super) const MAX_INBOX_PARCELS: usize = 64;

/// The parcels of one rank.
#[derive(Debug)]
pub(super) struct Parcels {
    /// The bytes at which a parcel is full.
    full_bytes: usize,
    /// The number of parcels sent, and of parcels received and processed.
    sent: AtomicU64,
    received: AtomicU64,
    /// Received parcels that wait for a worker.
    pub(super) inbox: SegQueue<Vec<u8>>,
}

impl Parcels {
    pub(super) fn new(ranks: usize) -> Self {
        let full_bytes = DEFAULT_PARCEL_BYTES.min(MAX_UNSENT_BYTES / ranks);
        Self { full_bytes, sent: AtomicU64::new(0), received: AtomicU64::new(0), inbox: SegQueue::new() }
    }

    pub(super) fn counts(&self) -> Counts {
        Counts { sent: self.sent.load(SeqCst), received: self.received.load(SeqCst) }
    }
}

/// A received parcel. It counts as processed when it is dropped.
#[derive(Debug)]
pub(crate) struct Parcel<'x> {
    exchange: &'x Exchange,
    bytes: Vec<u8>,
}

impl Parcel<'_> {
    /// The contents.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[CHECKSUM_BYTES..]
    }
}

impl Drop for Parcel<'_> {
    fn drop(&mut self) {
        self.exchange.parcels.received.fetch_add(1, SeqCst);
    }
}

impl Exchange {
    /// The exchange with parcels of about `parcel_bytes` bytes.
    #[must_use]
    pub fn with_parcels(self, parcel_bytes: usize) -> Self {
        Self { parcels: Parcels { full_bytes: parcel_bytes, ..self.parcels }, ..self }
    }

    /// The bytes at which a parcel is full.
    pub(crate) fn parcel_bytes(&self) -> usize {
        self.parcels.full_bytes
    }

    /// Sends a parcel to another rank. `message` comes from [`empty_message`](super::empty_message).
    pub(crate) fn send_parcel(&self, to: usize, message: Vec<u8>) {
        self.parcels.sent.fetch_add(1, SeqCst);
        self.transport.send(to, Channel::Parcels, with_checksum(message));
    }

    /// Whether no further parcel to a rank should be sent now.
    pub(crate) fn is_window_full(&self, to: usize) -> bool {
        let bytes = self.transport.sent_parcels_under_way().saturating_mul(self.parcels.full_bytes);
        self.transport.parcels_under_way(to) >= PARCEL_WINDOW || bytes >= MAX_UNSENT_BYTES
    }

    /// Whether a parcel has arrived.
    #[inline]
    pub(crate) fn has_parcels(&self) -> bool {
        !self.parcels.inbox.is_empty()
    }

    /// The next parcel that has arrived.
    pub(crate) fn next_parcel(&self) -> Option<Parcel<'_>> {
        fault::panic_if_requested(self.rank(), fault::WORK);
        self.parcels.inbox.pop().map(|bytes| Parcel { exchange: self, bytes })
    }
}
