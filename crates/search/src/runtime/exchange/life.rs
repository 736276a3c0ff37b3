//! Signs of life. All ranks end with one that gives none, unless the search bears silence: then nobody waits for it.

use super::{Exchange, Message, Pause};
use crate::platform::Instant;
use serde_bytes::ByteBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The leader does not wait for a rank that was silent for so many milliseconds.
const PATIENCE: u64 = 5_000;

impl Exchange {
    /// The leader does not wait at farewells for ranks that were silent for so many milliseconds. Unless this is set,
    /// or [`Exchange::keep_alive`] runs, it waits for all.
    pub fn set_patience(&self, patience: u64) {
        self.patience.fetch_min(patience, Relaxed);
    }

    /// Until the next gathering, ranks may be silent. Otherwise all ranks end with one that is.
    pub fn bear_silence(&self) {
        self.statuses.begin_anew();
        self.bears_silence.store(true, Relaxed);
    }

    /// Whether a rank gives no sign of life. Only the leader knows of all ranks.
    #[must_use]
    pub fn is_silent(&self, rank: usize) -> bool {
        self.statuses.is_silent(rank, Duration::from_millis(self.patience.load(Relaxed)))
    }

    /// Sends a sign of life at each interval, lets messages make progress while workers are busy otherwise, and looks
    /// after other ranks. Returns when `is_over` returns true. A rank that is silent for longer than `patience` is
    /// named, and all ranks end. After this thread itself has slept for half as long, because the job was suspended,
    /// all others get as much time again.
    pub fn keep_alive(&self, interval: Duration, patience: Duration, is_over: &dyn Fn() -> bool) {
        self.set_patience(PATIENCE);
        let mut woken = Instant::now();
        while !is_over() {
            std::thread::sleep(interval);
            let slept = std::mem::replace(&mut woken, Instant::now()).elapsed();
            if slept > interval + patience / 2 {
                self.statuses.begin_anew();
            }
            let (search, status) = self.statuses.own();
            for to in self.statuses.watchers() {
                self.send(to, &Message::Beat(self.rank() as u32, search, status));
            }
            self.pump();
            if let Some(rank) = self.statuses.silent(patience).filter(|_| !self.bears_silence.load(Relaxed)) {
                let (place, seconds) = (self.place(rank), patience.as_secs());
                self.abort(&format!("{place} has given no sign of life for {seconds} s: all ranks end"));
            }
        }
    }

    /// Sends bytes to the leader, who waits for those of all ranks that are not silent. Returns what the leader has got
    /// from the others, in the order of the ranks; nothing on other ranks, which do not wait. All ranks must call this
    /// equally often.
    ///
    /// # Panics
    /// As [`Exchange::pump`].
    pub fn farewell(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let mut control = self.control();
        let number = control.farewells.number;
        let mut pause = Pause::default();
        while self.leads() {
            let is_missing = |rank: usize| !control.farewells.heard.contains_key(&(number, rank as u32));
            if !(1..self.ranks()).any(|rank| is_missing(rank) && !self.is_silent(rank)) {
                break;
            }
            drop(control);
            pause.wait();
            control = self.control();
            self.pump_locked(&mut control);
        }
        if !self.leads() {
            self.send(0, &Message::Farewell(number, self.rank() as u32, ByteBuf::from(bytes)));
        }
        control.farewells.number += 1;
        let later = control.farewells.heard.split_off(&(number + 1, 0));
        std::mem::replace(&mut control.farewells.heard, later).into_values().map(ByteBuf::into_vec).collect()
    }
}
