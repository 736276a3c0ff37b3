//! Signs of life. If a rank falls silent, all ranks end, unless the search tolerates silence: then they go on without
//! it.

use super::{Exchange, Message, Pause};
use crate::platform::Instant;
use crate::sync::lock;
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// After this number of milliseconds of silence the leader stops waiting for a rank.
const SILENCE_LIMIT: u64 = 5_000;

/// The bytes that the leader has got from other ranks, round by round ([`Exchange::gather_at_leader`]).
#[derive(Debug, Default)]
pub(super) struct LeaderRounds {
    /// The number of rounds that are over.
    over: u64,
    /// By round and rank.
    arrived: BTreeMap<(u64, u32), ByteBuf>,
}

impl LeaderRounds {
    /// Adds the bytes of a rank. Those of a round that is over are dropped.
    pub(super) fn add(&mut self, round: u64, rank: u32, bytes: ByteBuf) {
        if round >= self.over {
            self.arrived.insert((round, rank), bytes);
        }
    }

    /// Whether the bytes of a rank have arrived in the round under way.
    fn has(&self, rank: usize) -> bool {
        self.arrived.contains_key(&(self.over, rank as u32))
    }

    /// Ends the round. Returns the ranks whose bytes have arrived in it, with these bytes.
    fn end(&mut self) -> Vec<(usize, Vec<u8>)> {
        self.over += 1;
        let later = self.arrived.split_off(&(self.over, 0));
        let of_round = std::mem::replace(&mut self.arrived, later).into_iter();
        of_round.map(|((_, rank), bytes)| (rank as usize, bytes.into_vec())).collect()
    }
}

impl Exchange {
    /// Sets the number of milliseconds of silence after which the leader stops waiting for a rank, unless a smaller
    /// number was set before. While no number is set, and [`Exchange::keep_alive`] does not run, the leader waits for
    /// all ranks.
    pub(crate) fn limit_silence(&self, milliseconds: u64) {
        self.silence_limit.fetch_min(milliseconds, Relaxed);
    }

    /// Lets ranks be silent until the next [`Exchange::all_gather`]. Otherwise all ranks end if one is silent.
    pub(crate) fn tolerate_silence(&self) {
        self.tolerates_silence.store(true, Release);
    }

    /// Ends the tolerance of silence: from now on all ranks are waited for. The silence of each rank is counted anew,
    /// before [`Exchange::keep_alive`] looks at it.
    pub(super) fn end_tolerance(&self) {
        if self.tolerates_silence.load(Relaxed) {
            self.statuses.begin_anew();
            self.tolerates_silence.store(false, Release);
        }
    }

    fn silence_limit(&self) -> Duration {
        Duration::from_millis(self.silence_limit.load(Relaxed))
    }

    /// Whether a rank gives no sign of life. Only the leader knows of all ranks.
    pub(crate) fn is_silent(&self, rank: usize) -> bool {
        self.statuses.is_silent(rank, self.silence_limit())
    }

    /// Sends a sign of life at each interval, lets messages make progress while workers are busy otherwise, and looks
    /// after other ranks. Returns when `is_over` returns true. If a rank is silent for longer than `timeout`, a message
    /// names it and all ranks end. If this thread itself has slept so long that other ranks might seem silent, because
    /// the job was suspended, their silence is counted anew.
    pub fn keep_alive(&self, interval: Duration, timeout: Duration, is_over: &dyn Fn() -> bool) {
        self.limit_silence(SILENCE_LIMIT);
        let longest = interval + timeout.min(self.silence_limit()) / 2;
        let mut woken = Instant::now();
        while !is_over() {
            std::thread::sleep(interval);
            let slept = std::mem::replace(&mut woken, Instant::now()).elapsed();
            if slept > longest {
                self.statuses.begin_anew();
            }
            let (search, status) = self.statuses.of_this_rank();
            for to in self.statuses.watchers() {
                self.send(to, &Message::Alive(self.rank() as u32, search, status));
            }
            self.poll();
            // This is read before the silence is looked at: when the tolerance ends, the silence of all ranks is
            // counted anew.
            let tolerates = self.tolerates_silence.load(Acquire);
            if let Some(rank) = self.statuses.silent(timeout).filter(|_| !tolerates) {
                let (place, seconds) = (self.rank_label(rank), timeout.as_secs());
                self.abort(&format!("{place} has given no sign of life for {seconds} s: all ranks end"));
            }
        }
    }

    /// Sends bytes to the leader, who waits for all ranks that are not silent. On the leader, returns the bytes of each
    /// of these ranks, with the rank. Other ranks do not wait, and get nothing. All ranks must call this equally often.
    ///
    /// # Panics
    /// As [`Exchange::all_gather`].
    pub fn gather_at_leader(&self, bytes: Vec<u8>) -> Vec<(usize, Vec<u8>)> {
        let mut control = lock(&self.control);
        if !self.is_leader() {
            let round = control.leader_rounds.over;
            control.leader_rounds.over += 1;
            self.send(0, &Message::ToLeader(round, self.rank() as u32, ByteBuf::from(bytes)));
            return Vec::new();
        }
        let (began, mut pause) = (Instant::now(), Pause::default());
        // A rank may seem silent only because this rank was. So each rank has at least the whole time from now on.
        let is_awaited = |rank: usize| began.elapsed() <= self.silence_limit() || !self.is_silent(rank);
        while (1..self.ranks()).any(|rank| !control.leader_rounds.has(rank) && is_awaited(rank)) {
            drop(control);
            pause.wait();
            control = lock(&self.control);
            self.poll_locked(&mut control);
        }
        control.leader_rounds.end()
    }
}
