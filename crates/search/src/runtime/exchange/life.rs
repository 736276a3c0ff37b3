//! Signs of life. If a rank falls silent, all ranks end, unless the search tolerates silence: then they go on without
//! it.

use super::{Exchange, Message, Pause};
use crate::platform::Instant;
use serde_bytes::ByteBuf;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// After so many milliseconds of silence the leader stops waiting for a rank.
const PATIENCE: u64 = 5_000;

impl Exchange {
    /// The leader stops waiting for a rank after so many milliseconds of silence, or fewer if that was set before. As
    /// long as nothing is set, and [`Exchange::keep_alive`] does not run, it waits for all.
    pub fn limit_patience(&self, patience: u64) {
        self.patience.fetch_min(patience, Relaxed);
    }

    /// Lets ranks be silent until the next gathering of all. Otherwise all ranks end with one that is.
    pub fn tolerate_silence(&self) {
        self.tolerates_silence.store(true, Release);
    }

    /// From now on all ranks are waited for. Each gets the whole time anew, before the pulse can look at it.
    pub(super) fn end_tolerance(&self) {
        if self.tolerates_silence.load(Relaxed) {
            self.statuses.begin_anew();
            self.tolerates_silence.store(false, Release);
        }
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(self.patience.load(Relaxed))
    }

    /// Whether a rank gives no sign of life. Only the leader knows of all ranks.
    #[must_use]
    pub fn is_silent(&self, rank: usize) -> bool {
        self.statuses.is_silent(rank, self.patience())
    }

    /// Sends a sign of life at each interval, lets messages make progress while workers are busy otherwise, and looks
    /// after other ranks. Returns when `is_over` returns true. A rank that is silent for longer than `patience` is
    /// named, and all ranks end. If this thread itself has slept so long that others might seem silent, because the job
    /// was suspended, they get the whole time anew.
    pub fn keep_alive(&self, interval: Duration, patience: Duration, is_over: &dyn Fn() -> bool) {
        self.limit_patience(PATIENCE);
        let longest = interval + patience.min(self.patience()) / 2;
        let mut woken = Instant::now();
        while !is_over() {
            std::thread::sleep(interval);
            let slept = std::mem::replace(&mut woken, Instant::now()).elapsed();
            if slept > longest {
                self.statuses.begin_anew();
            }
            let (search, status) = self.statuses.own();
            for to in self.statuses.watchers() {
                self.send(to, &Message::Beat(self.rank() as u32, search, status));
            }
            self.pump();
            // Asked first: when silence is tolerated no longer, all ranks have the whole time anew.
            let tolerates = self.tolerates_silence.load(Acquire);
            if let Some(rank) = self.statuses.silent(patience).filter(|_| !tolerates) {
                let (place, seconds) = (self.place(rank), patience.as_secs());
                self.abort(&format!("{place} has given no sign of life for {seconds} s: all ranks end"));
            }
        }
    }

    /// Sends bytes to the leader, who waits for all ranks that are not silent. Returns their bytes on the leader, with
    /// the rank; nothing on other ranks, which do not wait. All ranks must call this equally often.
    ///
    /// # Panics
    /// As [`Exchange::pump`].
    pub fn gather_at_leader(&self, bytes: Vec<u8>) -> Vec<(usize, Vec<u8>)> {
        let mut control = self.control();
        let number = control.partings.number;
        if !self.leads() {
            self.send(0, &Message::LastWords(number, self.rank() as u32, ByteBuf::from(bytes)));
            control.partings.number += 1;
            return Vec::new();
        }
        let (began, mut pause) = (Instant::now(), Pause::default());
        // A rank may seem silent because this one was: so each has the time from now on at least.
        let is_awaited = |rank: usize| began.elapsed() <= self.patience() || !self.is_silent(rank);
        while (1..self.ranks()).any(|rank| !control.partings.has(number, rank) && is_awaited(rank)) {
            drop(control);
            pause.wait();
            control = self.control();
            self.pump_locked(&mut control);
        }
        control.partings.end()
    }
}
