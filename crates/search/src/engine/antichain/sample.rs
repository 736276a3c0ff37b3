//! A sample of states that does not depend on their order.

use std::collections::BTreeMap;

/// The states with the least hashes.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    most: usize,
    held: BTreeMap<u64, Box<[u8]>>,
}

impl Sample {
    /// At most `most` states. None yet.
    pub(super) fn new(most: usize) -> Self {
        Self { most, held: BTreeMap::new() }
    }

    /// A state with this hash or a greater one is not taken.
    pub(super) fn limit(&self) -> u64 {
        if self.held.len() < self.most { u64::MAX } else { self.held.last_key_value().map_or(0, |(&hash, _)| hash) }
    }

    /// Offers a state with its hash and its packed key.
    pub(super) fn offer(&mut self, hash: u64, key: Box<[u8]>) {
        if hash < self.limit() {
            self.held.entry(hash).or_insert(key);
            if self.held.len() > self.most {
                self.held.pop_last();
            }
        }
    }

    /// The states: hashes and packed keys.
    pub(super) fn states(&self) -> impl ExactSizeIterator<Item = (u64, &[u8])> {
        self.held.iter().map(|(&hash, key)| (hash, &**key))
    }

    /// The packed keys of the states.
    pub(super) fn into_keys(self) -> Vec<Box<[u8]>> {
        self.held.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_hashes_stay_in_any_order() {
        let states = [(7, [1]), (3, [2]), (9, [3]), (1, [4]), (3, [2]), (8, [5])];
        for turn in 0..states.len() {
            let mut sample = Sample::new(3);
            for (hash, key) in states.iter().cycle().skip(turn).take(states.len()) {
                sample.offer(*hash, Box::new(*key));
            }
            assert_eq!(sample.limit(), 7);
            assert_eq!(sample.into_keys().concat(), [4, 2, 1]);
        }
        assert_eq!(Sample::new(2).limit(), u64::MAX);
    }
}
