//! Sets of states that are cleared in constant time.

/// The states visited since the last restart.
pub(crate) struct Visits {
    times: Vec<u64>,
    now: u64,
}

impl Visits {
    pub(crate) fn new(states: usize) -> Self {
        Self { times: vec![0; states], now: 0 }
    }

    /// Forgets all states. A new set must be restarted before its first visit.
    #[inline]
    pub(crate) fn restart(&mut self) {
        self.now += 1;
    }

    /// Adds a state. Returns whether it is new.
    #[inline]
    pub(crate) fn visit(&mut self, state: u16) -> bool {
        std::mem::replace(&mut self.times[usize::from(state)], self.now) != self.now
    }
}
