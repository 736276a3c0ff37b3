//! Sets of states that are cleared in constant time.

/// The states visited since the last restart.
pub(crate) struct VisitedStates {
    /// The restart number of each state's last visit.
    last_visits: Vec<u64>,
    restarts: u64,
}

impl VisitedStates {
    pub(crate) fn new(states: usize) -> Self {
        Self { last_visits: vec![0; states], restarts: 0 }
    }

    /// Removes all states. Must be called before the first visit.
    #[inline]
    pub(crate) fn restart(&mut self) {
        self.restarts += 1;
    }

    /// Adds a state. Returns whether it is new.
    #[inline]
    pub(crate) fn visit(&mut self, state: u16) -> bool {
        std::mem::replace(&mut self.last_visits[usize::from(state)], self.restarts) != self.restarts
    }
}
