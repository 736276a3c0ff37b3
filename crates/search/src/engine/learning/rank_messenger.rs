//! Exchanges letters between ranks: sends the notices of this rank's workers, and delivers notices of other ranks.
//!
//! A letter contains notices, and the state of its rank: the proven lower bound, the incumbent, the work, and the stop
//! reason. No rank waits for a letter. If a rank lags, freezes or dies, only its own share of the work is lost. Notices
//! for a rank that does not read its letters are queued here, and a queue that grows too long is dropped. The rank may
//! then repeat work, but its results stay correct.

use super::notices::{Notice, Peer};
use crate::domain::Cost;
use crate::engine::incumbent::Incumbent;
use crate::engine::outcome::Solution;
use crate::engine::work::Work;
use crate::platform::Instant;
use crate::runtime::{Event, Exchange, Monitor, StopReason};
use crate::sync::lock;
use crossbeam::queue::SegQueue;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The send window: the largest number of letters with notices that a rank has not acknowledged. It is small because
/// Open MPI polls every pending send.
const WINDOW: u64 = 8;

/// The least time between two polls. If ranks share processors, MPI yields the processor at each poll.
const POLL_INTERVAL: Duration = Duration::from_micros(if cfg!(test) { 0 } else { 100 });

/// The largest number of words of sets in the queue for a rank.
const MAX_QUEUED_WORDS: usize = 2 << 20;

/// How letters are encoded. Numbers have a fixed width, because most of them are words of sets.
const ENCODING: bincode::config::Configuration<bincode::config::LittleEndian, bincode::config::Fixint> =
    bincode::config::standard().with_fixed_int_encoding();

#[derive(Debug, Default, Serialize, Deserialize)]
struct Header {
    from: u32,
    /// The number of letters that the sender has received from the receiver.
    received: u64,
    lower_bound: Cost,
    /// The incumbent, if it is new.
    solution: Option<Solution>,
    /// The work of the sender, as far as it is counted while workers go on.
    work: Work,
    stopped: Option<StopReason>,
}

/// The state of another rank.
#[derive(Clone, Debug, Default)]
struct RemoteRank {
    /// The number of letters sent to the rank, and the number that the rank has acknowledged.
    sent: u64,
    acknowledged: u64,
    /// The number of letters received from the rank, and the number that this rank has acknowledged.
    received: u64,
    acknowledged_received: u64,
    /// The notices to send to the rank, and the number of words of their sets.
    queue: Vec<Arc<Notice>>,
    words: usize,
    work: Work,
    /// Whether a note has reported that the rank is silent.
    is_silence_noted: bool,
}

impl RemoteRank {
    /// Queues a notice for the rank. If the queue is too long, empties it first.
    fn enqueue(&mut self, notice: &Arc<Notice>) {
        if self.words > MAX_QUEUED_WORDS {
            self.take_queue();
        }
        self.queue.push(notice.clone());
        self.words += notice.set.len();
    }

    /// Empties the queue, and returns its notices.
    fn take_queue(&mut self) -> Vec<Arc<Notice>> {
        self.words = 0;
        std::mem::take(&mut self.queue)
    }
}

#[derive(Debug)]
struct RemoteRanks {
    others: Vec<RemoteRank>,
    /// The cost of the incumbent and the lower bound in the last letters to all ranks.
    last_sent: (Cost, Cost),
    /// The time of the last poll.
    last_poll: Instant,
}

impl RemoteRanks {
    /// The work of the other ranks, as far as it is known.
    fn remote_work(&self) -> Work {
        let mut sum = Work::default();
        self.others.iter().for_each(|other| sum += other.work);
        sum
    }
}

/// Exchanges letters with the other ranks.
pub(super) struct RankMessenger<'a> {
    exchange: &'a Exchange,
    incumbent: &'a Incumbent<'a>,
    monitor: &'a Monitor<'a>,
    /// The limit of the number of states that all ranks expand.
    expansions: Option<u64>,
    /// The lower bound that is proven on any rank.
    lower_bound: AtomicU32,
    outgoing: SegQueue<Arc<Notice>>,
    remotes: Mutex<RemoteRanks>,
}

impl<'a> RankMessenger<'a> {
    pub(super) fn new(
        exchange: &'a Exchange,
        incumbent: &'a Incumbent<'a>,
        monitor: &'a Monitor<'a>,
        expansions: Option<u64>,
    ) -> Self {
        let others = vec![RemoteRank::default(); exchange.ranks()];
        let remotes = Mutex::new(RemoteRanks { others, last_sent: (Cost::MAX, 0), last_poll: Instant::now() });
        let (lower_bound, outgoing) = (AtomicU32::new(0), SegQueue::new());
        Self { exchange, incumbent, monitor, expansions, lower_bound, outgoing, remotes }
    }

    pub(super) fn rank(&self) -> u32 {
        self.exchange.rank() as u32
    }

    pub(super) fn queue(&self, notice: Arc<Notice>) {
        self.outgoing.push(notice);
    }

    pub(super) fn lower_bound(&self) -> Cost {
        self.lower_bound.load(Relaxed)
    }

    pub(super) fn raise_lower_bound(&self, proven: Cost) {
        self.lower_bound.fetch_max(proven, Relaxed);
    }

    pub(super) fn remote_work(&self) -> Work {
        lock(&self.remotes).remote_work()
    }

    /// Receives and sends letters, unless the last poll was a moment ago, or another worker is doing this.
    pub(super) fn exchange(&self, workers: &[Peer]) {
        let Ok(mut remotes) = self.remotes.try_lock() else { return };
        if remotes.last_poll.elapsed() < POLL_INTERVAL {
            return;
        }
        remotes.last_poll = Instant::now();
        self.receive(&mut remotes, workers);
        self.send(&mut remotes, false);
    }

    /// Sends the last letters. The leader waits for the last letters of all ranks that are not silent.
    pub(super) fn send_last_letters(&self, work: Work) {
        let mut remotes = lock(&self.remotes);
        self.send(&mut remotes, true);
        let header = Header { work, solution: self.incumbent.solution(), ..self.header() };
        // Writing to memory does not fail.
        let letter = bincode::serde::encode_to_vec(header, ENCODING).unwrap_or_default();
        for (_, last) in self.exchange.gather_at_leader(letter) {
            let header = bincode::serde::decode_from_slice(&last, ENCODING).ok();
            header.into_iter().for_each(|(header, _)| self.apply_header(&mut remotes, header));
        }
    }

    fn receive(&self, remotes: &mut RemoteRanks, workers: &[Peer]) {
        self.exchange.poll();
        while let Some(letter) = self.exchange.next_letter() {
            let read = bincode::serde::decode_from_slice::<(Header, Vec<Notice>), _>(&letter, ENCODING);
            let Some(((header, notices), _)) =
                read.ok().filter(|((header, _), _)| header.from < self.exchange.ranks() as u32)
            else {
                self.exchange.abort("found a letter that cannot be read, expected one program on all ranks");
                return;
            };
            remotes.others[header.from as usize].received += 1;
            self.apply_header(remotes, header);
            for notice in notices.into_iter().map(Arc::new) {
                workers.iter().for_each(|worker| worker.inbox.push(notice.clone()));
            }
        }
        let expanded = remotes.remote_work().expanded + self.monitor.gauges.expanded.load(Relaxed);
        if self.expansions.is_some_and(|limit| expanded >= limit) {
            self.monitor.stop(StopReason::ExpansionLimit);
        }
        if self.incumbent.cost() <= self.lower_bound() {
            self.monitor.finish();
        }
        self.note_silent_ranks(remotes);
    }

    /// Updates this rank with the header of a letter.
    fn apply_header(&self, remotes: &mut RemoteRanks, header: Header) {
        let Some(other) = remotes.others.get_mut(header.from as usize) else { return };
        // Letters may overtake each other.
        other.acknowledged = other.acknowledged.max(header.received);
        if header.work.expanded >= other.work.expanded {
            other.work = header.work;
        }
        self.raise_lower_bound(header.lower_bound);
        header.solution.into_iter().for_each(|solution| self.incumbent.confirm(solution));
        header.stopped.into_iter().for_each(|reason| self.monitor.stop(reason));
    }

    /// A header with the state of this rank, without its solution.
    fn header(&self) -> Header {
        let gauges = &self.monitor.gauges;
        let (expanded, generated) = (gauges.expanded.load(Relaxed), gauges.generated.load(Relaxed));
        let work = Work { expanded, generated, ..Work::default() };
        Header { from: self.rank(), lower_bound: self.lower_bound(), work, ..Header::default() }
    }

    /// Reports silent ranks; only the leader does this.
    fn note_silent_ranks(&self, remotes: &mut RemoteRanks) {
        if !self.exchange.is_leader() {
            return;
        }
        for (rank, other) in remotes.others.iter_mut().enumerate().skip(1) {
            let is_silent = self.exchange.is_silent(rank);
            if is_silent && !other.is_silence_noted {
                let note = format!("{} does not answer: the others continue", self.exchange.rank_label(rank));
                self.monitor.send(&Event::Note(&note));
            }
            other.is_silence_noted = is_silent;
        }
    }

    /// Sends a letter to each rank that needs news, notices or an acknowledgement. Notices go only to ranks that
    /// acknowledge their letters. The last letter goes to all ranks.
    fn send(&self, remotes: &mut RemoteRanks, is_last: bool) {
        // Takes only the notices that are queued at the start, because workers keep adding notices.
        for _ in 0..self.outgoing.len() {
            let Some(notice) = self.outgoing.pop() else { break };
            let others = remotes.others.iter_mut().enumerate().filter(|&(to, _)| to != self.exchange.rank());
            others.for_each(|(_, other)| other.enqueue(&notice));
        }
        let (cost, lower_bound) = (self.incumbent.cost(), self.lower_bound());
        let has_news = (cost, lower_bound) != remotes.last_sent || is_last;
        let solution = if cost < remotes.last_sent.0 { self.incumbent.solution() } else { None };
        let stopped = self.monitor.stop_reason().filter(|_| is_last);
        let mut header = Header { solution, stopped, ..self.header() };
        for (to, other) in remotes.others.iter_mut().enumerate().filter(|&(to, _)| to != self.exchange.rank()) {
            let is_reading = other.sent.saturating_sub(other.acknowledged) < WINDOW;
            let acknowledges = other.received - other.acknowledged_received >= WINDOW / 2;
            if !(has_news || acknowledges || is_reading && !other.queue.is_empty()) {
                continue;
            }
            header.received = other.received;
            let queue = if is_reading { other.take_queue() } else { Vec::new() };
            let notices: Vec<&Notice> = queue.iter().map(|notice| &**notice).collect();
            let letter = bincode::serde::encode_to_vec((&header, notices), ENCODING).unwrap_or_default();
            (other.sent, other.acknowledged_received) = (other.sent + 1, other.received);
            self.exchange.send_letter(to, letter);
        }
        remotes.last_sent = (cost, lower_bound);
    }
}
