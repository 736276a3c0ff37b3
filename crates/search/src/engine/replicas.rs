//! Ranks that hold one state: each does a share of the work, and all get all results.
//!
//! Every rank runs the same search and comes to the same state, as long as all decide alike. What one rank alone knows
//! (its clock, its memory, a signal, a full disk, a goal among its share) decides nothing until the ranks gather:
//! [`Replicas::gather`] makes it known to all at the same point of the search. Once a gathering has told of
//! a stop, [`Replicas::gather`] returns at once. So ranks that gave up at different points do not wait for each other.

use crate::runtime::{Exchange, Monitor, StopReason};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Numbers have a fixed width, so that a header has one too.
const FORM: bincode::config::Configuration<bincode::config::LittleEndian, bincode::config::Fixint> =
    bincode::config::standard().with_fixed_int_encoding();

/// What a rank says at a gathering, before its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    stopped: Option<StopReason>,
    is_finished: bool,
    pauses: bool,
    /// The number of items of which each rank does a share.
    items: u64,
}

/// The ranks of one search that hold one state, and what all of them know.
pub(super) struct Replicas<'x> {
    exchange: &'x Exchange,
    /// The reason to stop. A rank's own monitor may name another one.
    stopped: OnceLock<StopReason>,
    is_finished: AtomicBool,
    pauses: AtomicBool,
}

impl<'x> Replicas<'x> {
    pub(super) fn new(exchange: &'x Exchange) -> Self {
        let [is_finished, pauses] = std::array::from_fn(|_| AtomicBool::new(false));
        Self { exchange, stopped: OnceLock::new(), is_finished, pauses }
    }

    pub(super) fn rank(&self) -> usize {
        self.exchange.rank()
    }

    pub(super) fn ranks(&self) -> usize {
        self.exchange.ranks()
    }

    /// The reason to stop the search, if there is one.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.stopped.get().copied()
    }

    /// Whether nothing is left to find.
    pub(super) fn is_finished(&self) -> bool {
        self.is_finished.load(Relaxed)
    }

    /// Whether loops are to be left: the search is stopped, finished or paused.
    pub(super) fn leaving(&self) -> bool {
        self.stopped().is_some() || self.is_finished() || self.pauses.load(Relaxed)
    }

    /// Stops the search by what all ranks know. All call this at the same point.
    pub(super) fn stop(&self, reason: StopReason) {
        self.stopped.get_or_init(|| reason);
    }

    /// Takes back a pause.
    pub(super) fn go_on(&self) {
        self.pauses.store(false, Relaxed);
    }

    /// The share of this rank of some items.
    pub(super) fn share<'i, I>(&self, items: &'i [I]) -> Vec<&'i I> {
        items.iter().skip(self.exchange.rank()).step_by(self.exchange.ranks()).collect()
    }

    /// Gives what came of this rank's share of `items` items to all ranks, and what the rank's monitor says. Returns
    /// the results in the order of the items, up to the first one that was not done. `None` if the search is to stop.
    pub(super) fn gather<T: Serialize + DeserializeOwned>(
        &self,
        items: usize,
        own: &[T],
        monitor: &Monitor<'_>,
    ) -> Option<Vec<T>> {
        if self.stopped().is_some() {
            return None;
        }
        let header = Header {
            stopped: monitor.stopped(),
            is_finished: monitor.is_finished(),
            pauses: monitor.pauses(),
            items: items as u64,
        };
        let page = bincode::serde::encode_to_vec((header, own), FORM).unwrap_or_default();
        let pages = self.exchange.all_gather_bytes(page);
        let opened: Option<Vec<(Header, &[u8])>> = pages.iter().map(|page| opened(page)).collect();
        let joined = opened.and_then(|pages| {
            let headers = pages.iter().map(|(header, _)| *header);
            if self.note(headers.clone(), monitor) {
                return Some(Vec::new());
            }
            let is_alike = headers.clone().all(|header| header.items == items as u64);
            let shares = pages.iter().map(|(_, results)| all_in(results)).collect::<Option<Vec<_>>>();
            shares.filter(|_| is_alike).map(|shares| in_turn(shares, items))
        });
        if joined.is_none() {
            self.exchange.abort("found ranks whose searches differ, expected the same program and board on all");
        }
        joined.filter(|_| self.stopped().is_none())
    }

    /// Takes over what the ranks have said. Returns whether the search is to stop.
    fn note(&self, headers: impl Iterator<Item = Header> + Clone, monitor: &Monitor<'_>) -> bool {
        if let Some(reason) = headers.clone().find_map(|header| header.stopped) {
            monitor.end(reason);
            self.stop(reason);
        }
        if headers.clone().any(|header| header.is_finished) {
            monitor.finish();
            self.is_finished.store(true, Relaxed);
        }
        if headers.clone().any(|header| header.pauses) {
            self.pauses.store(true, Relaxed);
        }
        self.stopped().is_some()
    }
}

/// The header of a page, and what is behind it.
fn opened(page: &[u8]) -> Option<(Header, &[u8])> {
    let (header, len) = bincode::serde::decode_from_slice(page, FORM).ok()?;
    Some((header, &page[len..]))
}

/// The results that take all these bytes.
fn all_in<T: DeserializeOwned>(bytes: &[u8]) -> Option<std::vec::IntoIter<T>> {
    let (results, len) = bincode::serde::decode_from_slice::<Vec<T>, _>(bytes, FORM).ok()?;
    (len == bytes.len()).then(|| results.into_iter())
}

/// The results of all shares in the order of the items, up to the first one that is missing.
fn in_turn<T>(mut shares: Vec<std::vec::IntoIter<T>>, items: usize) -> Vec<T> {
    let ranks = shares.len();
    (0..items).map_while(|item| shares[item % ranks].next()).collect()
}
