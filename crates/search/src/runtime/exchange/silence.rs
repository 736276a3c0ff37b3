//! Heartbeats. A rank without heartbeats is *silent*. If a rank is silent, all ranks end; a search that tolerates
//! silence continues without it.

use super::{Exchange, Message, Pause};
use crate::platform::Instant;
use crate::sync::lock;
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// The longest time, in milliseconds, for which the leader waits for a silent rank.
const SILENCE_LIMIT_MS: u64 = 5_000;

/// The bytes that other ranks have sent to the leader, round by round ([`Exchange::gather_at_leader`]).
#[derive(Debug, Default)]
pub(super) struct LeaderRounds {
    /// The number of the round under way.
    round: u64,
    /// The bytes that have arrived, by round and rank.
    arrived: BTreeMap<(u64, u32), ByteBuf>,
}

impl LeaderRounds {
    /// Adds the bytes of a rank. Bytes for an earlier round are dropped.
    pub(super) fn add(&mut self, round: u64, rank: u32, bytes: ByteBuf) {
        if round >= self.round {
            self.arrived.insert((round, rank), bytes);
        }
    }

    fn has_arrived(&self, rank: usize) -> bool {
        self.arrived.contains_key(&(self.round, rank as u32))
    }

    /// Ends the round. Returns the ranks whose bytes have arrived in it, with these bytes.
    fn end(&mut self) -> Vec<(usize, Vec<u8>)> {
        self.round += 1;
        let later_rounds = self.arrived.split_off(&(self.round, 0));
        let this_round = std::mem::replace(&mut self.arrived, later_rounds).into_iter();
        this_round.map(|((_, rank), bytes)| (rank as usize, bytes.into_vec())).collect()
    }
}

impl Exchange {
    /// Sets the silence after which the leader stops waiting for a rank, unless a shorter one was set before. The
    /// leader waits for ever if none is set and [`Exchange::run_heartbeat`] does not run.
    pub(crate) fn limit_silence(&self, milliseconds: u64) {
        self.silence_limit_ms.fetch_min(milliseconds, Relaxed);
    }

    /// Tolerates silent ranks until the next [`Exchange::all_gather`].
    pub(crate) fn tolerate_silence(&self) {
        self.tolerates_silence.store(true, Release);
    }

    /// Ends the tolerance: from now on all ranks are waited for. The silence of each rank restarts first, so that
    /// [`Exchange::run_heartbeat`] does not count the silence that was tolerated.
    pub(super) fn end_tolerance(&self) {
        if self.tolerates_silence.load(Relaxed) {
            self.statuses.reset_silence();
            self.tolerates_silence.store(false, Release);
        }
    }

    fn silence_limit(&self) -> Duration {
        Duration::from_millis(self.silence_limit_ms.load(Relaxed))
    }

    /// Whether a rank is silent. Only the leader gets heartbeats of all ranks.
    pub(crate) fn is_silent(&self, rank: usize) -> bool {
        self.statuses.is_silent(rank, self.silence_limit())
    }

    /// Sends a heartbeat at each interval and polls for messages, until `is_over` returns true. If a rank is silent for
    /// longer than `timeout`, a message names it and all ranks end. If this thread has slept so long that other ranks
    /// might seem silent, because the job was suspended, their silence restarts.
    pub fn run_heartbeat(&self, interval: Duration, timeout: Duration, is_over: &dyn Fn() -> bool) {
        self.limit_silence(SILENCE_LIMIT_MS);
        let max_sleep = interval + timeout.min(self.silence_limit()) / 2;
        let mut last_wake = Instant::now();
        while !is_over() {
            std::thread::sleep(interval);
            let slept = std::mem::replace(&mut last_wake, Instant::now()).elapsed();
            if slept > max_sleep {
                self.statuses.reset_silence();
            }
            let (search, status) = self.statuses.of_this_rank();
            for to in self.statuses.watchers() {
                self.send(to, &Message::Heartbeat(self.rank() as u32, search, status));
            }
            self.poll();
            // Read before the silence: `end_tolerance` restarts the silence first.
            let is_tolerant = self.tolerates_silence.load(Acquire);
            if let Some(rank) = self.statuses.find_silent(timeout).filter(|_| !is_tolerant) {
                let (place, seconds) = (self.rank_label(rank), timeout.as_secs());
                self.abort(&format!("{place} has not answered for {seconds} s: all ranks end"));
            }
        }
    }

    /// Sends bytes to the leader. The leader waits for all ranks that are not silent, and gets the rank and the bytes
    /// of each. Other ranks do not wait, and get nothing. All ranks must call this equally often.
    ///
    /// # Panics
    /// As [`Exchange::all_gather`].
    pub fn gather_at_leader(&self, bytes: Vec<u8>) -> Vec<(usize, Vec<u8>)> {
        let mut control = lock(&self.control);
        if !self.is_leader() {
            let round = control.leader_rounds.round;
            control.leader_rounds.round += 1;
            self.send(0, &Message::ToLeader(round, self.rank() as u32, ByteBuf::from(bytes)));
            return Vec::new();
        }
        let (start, mut pause) = (Instant::now(), Pause::default());
        // Another rank may seem silent because this rank did not poll. So each rank gets the whole limit from now on.
        let is_awaited = |rank: usize| start.elapsed() <= self.silence_limit() || !self.is_silent(rank);
        while (1..self.ranks()).any(|rank| !control.leader_rounds.has_arrived(rank) && is_awaited(rank)) {
            drop(control);
            pause.wait();
            control = lock(&self.control);
            self.poll_locked(&mut control);
        }
        control.leader_rounds.end()
    }
}
