//! Detects that no rank works and no parcel is under way: distributed termination detection.
//!
//! In a *wave* each rank contributes its counts of parcels once, at a moment when none of its workers works. The counts
//! add up in a tree; the root compares the sum with the sum of the wave before.
//!
//! **Theorem.** If the sum of parcels sent in a wave equals the sum of parcels received in the wave before, then at the
//! end of the wave before no rank worked and no parcel was under way. So from then on no rank works and no parcel is
//! under way, until a new phase begins.
//!
//! *Proof* (Mattern 1987, the method of four counters). Counts only grow. Let R be the number of parcels that all ranks
//! had received when they contributed to the first wave, and S the number that they had sent when they contributed to
//! the second one. Let t be a moment between the two waves. At least R parcels are received by t, at most S are sent by
//! t, and no more are received than sent. With R = S all of these numbers are equal: at t, no parcel is under way. No
//! rank has received or sent a parcel between its own two contributions. A rank that does not work begins to work only
//! when a parcel arrives. So no rank worked at t.
//!
//! The argument holds across phases: a rank contributes to a wave only after it has begun the phase, and
//! before it knows that the phase is over.
//!
//! The counts of a rank are read after the wave before has ended. Older counts would break the second half of the
//! proof: a parcel could arrive and cause another one in between.
//!
//! Reference: Friedemann Mattern, Algorithms for distributed termination detection, Distributed Computing 2, 1987.

use super::tree::Tree;
use serde::{Deserialize, Serialize};

/// Numbers of parcels, of one rank or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Parcels sent.
    pub(super) sent: u64,
    /// Parcels received and processed.
    pub(super) received: u64,
}

/// The part of one rank in a wave.
#[derive(Debug, Default)]
struct Wave {
    /// The counts of this rank and of the children that have contributed.
    sum: Counts,
    /// The number of contributions in `sum`.
    contribution_count: usize,
    has_own_counts: bool,
    is_sent: bool,
}

/// The part of one rank in the waves.
#[derive(Debug)]
pub(super) struct Waves {
    pub(super) tree: Tree,
    /// The number of the wave under way.
    wave: u64,
    current: Wave,
    /// At the root: the sum of the wave before.
    previous_sum: Option<Counts>,
}

impl Waves {
    pub(super) fn new(tree: Tree) -> Self {
        Self { tree, wave: 0, current: Wave::default(), previous_sum: None }
    }

    /// Whether this rank has not contributed to the wave yet.
    pub(super) fn needs_own_counts(&self) -> bool {
        !self.current.has_own_counts
    }

    /// Adds the counts of this rank, once in each wave. They were read after the wave before had ended, at a moment
    /// when none of its workers worked.
    pub(super) fn contribute(&mut self, counts: Counts) {
        self.current.has_own_counts = true;
        self.add(counts);
    }

    /// Adds the counts of a child's part of the tree. A child is never at a later wave than its parent, and contributes
    /// to each wave once.
    pub(super) fn add_child(&mut self, wave: u64, counts: Counts) {
        debug_assert_eq!(wave, self.wave);
        self.add(counts);
    }

    fn add(&mut self, counts: Counts) {
        self.current.sum.sent += counts.sent;
        self.current.sum.received += counts.received;
        self.current.contribution_count += 1;
    }

    /// Returns the number of the wave and the counts of this part of the tree when they are complete, once in each
    /// wave.
    pub(super) fn take_sum(&mut self) -> Option<(u64, Counts)> {
        let current = &mut self.current;
        let is_complete = current.has_own_counts && current.contribution_count == 1 + self.tree.children().count();
        (is_complete && !std::mem::replace(&mut current.is_sent, is_complete)).then_some((self.wave, current.sum))
    }

    /// At the root: keeps `counts`, the sum of the whole wave, for the next wave. Returns whether the phase is over.
    pub(super) fn compare_with_previous(&mut self, counts: Counts) -> bool {
        let previous_sum = self.previous_sum.replace(counts);
        previous_sum.is_some_and(|previous_sum| previous_sum.received == counts.sent)
    }

    /// Ends the wave; the next one begins.
    pub(super) fn end(&mut self, wave: u64) {
        debug_assert_eq!(wave, self.wave);
        self.wave += 1;
        self.current = Wave::default();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Two ranks: the counts of both waves, and whether the second one ends the phase.
    fn ends(first: [(u64, u64); 2], second: [(u64, u64); 2]) -> bool {
        let mut ranks = [0, 1].map(|rank| Waves::new(Tree::new(rank, 2)));
        let is_over = [first, second].map(|counts| {
            for (waves, (sent, received)) in ranks.iter_mut().zip(counts) {
                assert!(waves.needs_own_counts());
                waves.contribute(Counts { sent, received });
                assert!(!waves.needs_own_counts());
            }
            let (wave, sum) = ranks[1].take_sum().expect("a leaf is complete by itself");
            assert_eq!((ranks[1].take_sum(), ranks[0].take_sum()), (None, None), "once, and not before its child");
            ranks[0].add_child(wave, sum);
            let (wave, sum) = ranks[0].take_sum().expect("all have contributed");
            let is_over = ranks[0].compare_with_previous(sum);
            ranks.iter_mut().for_each(|waves| waves.end(wave));
            is_over
        });
        assert!(!is_over[0], "one wave proves nothing");
        is_over[1]
    }

    #[test]
    fn a_phase_ends_when_every_parcel_sent_was_received_in_the_last_wave() {
        assert!(ends([(0, 0), (0, 0)], [(0, 0), (0, 0)]));
        assert!(ends([(3, 1), (2, 4)], [(3, 1), (2, 4)]));
        assert!(!ends([(1, 0), (0, 0)], [(1, 0), (0, 1)]), "it was under way between the waves");
        assert!(!ends([(1, 1), (1, 1)], [(2, 1), (1, 2)]), "another was sent");
        // The sums of each wave agree, but a parcel went round between the contributions.
        assert!(!ends([(1, 1), (1, 1)], [(2, 2), (2, 2)]));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::runtime::{Crew, OtherCrews};
    use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering::SeqCst};
    use loom::sync::Arc;

    /// One of two ranks with a worker each.
    struct Rank {
        crew: Crew,
        /// The number of parcels that have arrived and wait.
        inbox: Mutex<u32>,
        sent: AtomicU64,
        received: AtomicU64,
    }

    struct Net {
        ranks: [Rank; 2],
        waves: Mutex<[Waves; 2]>,
        is_over: AtomicBool,
        dealt_with: AtomicU64,
    }

    struct OnRank<'n>(&'n Net, usize);

    impl OtherCrews for OnRank<'_> {
        fn is_over(&self) -> bool {
            self.0.is_over.load(SeqCst)
        }

        fn poll(&self, crew: &Crew) {
            let Self(net, me) = *self;
            let rank = &net.ranks[me];
            let mut waves = net.waves.lock().expect("no panic");
            if !waves[me].needs_own_counts() || self.is_over() {
                return;
            }
            let counts = || Counts { sent: rank.sent.load(SeqCst), received: rank.received.load(SeqCst) };
            let Some(counts) = crew.read_if_idle(counts) else { return };
            waves[me].contribute(counts);
            if let Some((wave, counts)) = waves[1].take_sum() {
                waves[0].add_child(wave, counts);
            }
            if let Some((wave, counts)) = waves[0].take_sum() {
                let is_over = waves[0].compare_with_previous(counts);
                waves.iter_mut().for_each(|waves| waves.end(wave));
                self.0.is_over.store(is_over, SeqCst);
            }
        }
    }

    /// One parcel between two crews: both workers rest only when it has been dealt with, and nobody works.
    #[test]
    fn loom_no_phase_ends_with_a_parcel_under_way() {
        crate::sync::check_model(|| {
            let rank = || Rank {
                crew: Crew::new(1),
                inbox: Mutex::new(0),
                sent: AtomicU64::new(0),
                received: AtomicU64::new(0),
            };
            let net = Arc::new(Net {
                ranks: [rank(), rank()],
                waves: Mutex::new([0, 1].map(|rank| Waves::new(Tree::new(rank, 2)))),
                is_over: AtomicBool::new(false),
                dealt_with: AtomicU64::new(0),
            });
            let work = |net: &Net, me: usize| {
                if me == 0 {
                    net.ranks[0].sent.fetch_add(1, SeqCst);
                    *net.ranks[1].inbox.lock().expect("no panic") += 1;
                }
                let own = &net.ranks[me];
                let take = || {
                    let mut inbox = own.inbox.lock().expect("no panic");
                    *inbox = inbox.checked_sub(1)?;
                    Some(())
                };
                let may_take = || *own.inbox.lock().expect("no panic") > 0;
                while own.crew.steal_or_wait(take, may_take, || false, Some(&OnRank(net, me))).is_some() {
                    net.dealt_with.fetch_add(1, SeqCst);
                    own.received.fetch_add(1, SeqCst);
                }
                assert_eq!(net.dealt_with.load(SeqCst), 1);
            };
            let other = {
                let net = net.clone();
                loom::thread::spawn(move || work(&net, 1))
            };
            work(&net, 0);
            other.join().expect("no panic");
        });
    }
}
