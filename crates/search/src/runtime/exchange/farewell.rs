//! Searches that bear silent ranks, and how their ranks part: the leader waits for nobody who gives no sign of life.

use super::{Exchange, Message, Pause};
use serde_bytes::ByteBuf;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// The leader does not wait for a rank that was silent for so long, unless [`Exchange::with_patience`] says otherwise.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// What ranks have said at farewells.
#[derive(Debug, Default)]
pub(super) struct Farewells {
    /// The number of farewells so far.
    number: u64,
    /// By number and rank.
    heard: BTreeMap<(u64, u32), ByteBuf>,
}

impl Farewells {
    /// Takes what a rank says. What comes late is dropped.
    pub(super) fn hear(&mut self, number: u64, rank: u32, bytes: ByteBuf) {
        if number >= self.number {
            self.heard.insert((number, rank), bytes);
        }
    }
}

impl Exchange {
    /// The exchange whose leader does not wait for ranks that were silent for so long.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Whether ranks may be silent from now on. Otherwise all ranks end with one that is ([`Exchange::keep_alive`]).
    pub fn bear_silence(&self, bears: bool) {
        self.statuses.begin_anew();
        self.bears_silence.store(bears, Relaxed);
    }

    /// Whether a rank gives no sign of life. Only the leader knows of all ranks.
    #[must_use]
    pub fn is_silent(&self, rank: usize) -> bool {
        self.statuses.is_silent(rank, self.patience)
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
        self.statuses.begin_anew();
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
