//! Sets of states that are cleared in constant time.

/// The states visited since the last restart.
pub(super) struct Visits {
    times: Vec<u64>,
    now: u64,
}

impl Visits {
    pub(super) fn new(states: usize) -> Self {
        Self { times: vec![0; states], now: 0 }
    }

    /// Forgets all states.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.now += 1;
    }

    /// Adds a state. Returns whether it is new.
    #[inline]
    pub(super) fn visit(&mut self, state: u16) -> bool {
        std::mem::replace(&mut self.times[usize::from(state)], self.now) != self.now
    }
}

/// The states in which repetitions began, in order. The last ones can be taken back.
pub(super) struct Trail {
    is_on: Vec<bool>,
    states: Vec<u16>,
}

impl Trail {
    pub(super) fn new(states: usize) -> Self {
        Self { is_on: vec![false; states], states: Vec::new() }
    }

    /// Begins a repetition in a state. Returns `false` if another repetition began in the same state: from there on the
    /// run repeats itself.
    #[inline]
    pub(super) fn begin(&mut self, state: u16) -> bool {
        let is_new = !std::mem::replace(&mut self.is_on[usize::from(state)], true);
        if is_new {
            self.states.push(state);
        }
        is_new
    }

    /// Whether a repetition began in a state.
    #[inline]
    pub(super) fn contains(&self, state: u16) -> bool {
        self.is_on[usize::from(state)]
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Removes all states but the first `len`.
    #[inline]
    pub(super) fn truncate(&mut self, len: usize) {
        self.states.drain(len..).for_each(|state| self.is_on[usize::from(state)] = false);
    }
}
