//! Open branches of IDA* on several ranks: how a rank without work gets some, and how all ranks begin together.
//!
//! A rank whose workers have all run dry asks another rank, chosen at random, for its oldest open branch. A worker of
//! that rank that has more than one open node sends one. A rank that has none to give ignores the request; the asking
//! rank waits twice as long before each further request, until a branch arrives. So ranks that ask in vain send some
//! hundred messages a second, and a layer that is done ends as it would without them: requests are no parcels
//! ([`Exchange::ask`]). A branch is a parcel, so no layer ends while one is under way.
//!
//! ```text
//! parcel:   | kind 1 byte | contents |
//! branch:   | an OpenBranch, as a checkpoint holds it |
//! solution: | see abroad.rs |
//! ```
//!
//! **Why no state is lost.** A branch holds open nodes with their sleep sets, as moves from the root. The receiver
//! makes the moves, and enters the nodes into its own table. A rank drops a node only if its own table knows the state
//! with the same or a smaller g. Then this rank has opened the state in this layer, and the layer does not end before
//! the state is expanded, here or on the rank that was given it. So the moves that all ranks expand contain those that
//! one rank expands. A state that several ranks reach is visited by each of them.

use super::abroad::{BRANCH, solution_in};
use super::outcome::Solution;
use super::snapshot::{DepthFirst, OpenBranch, Snapshot, decode_part, encode_part};
use crate::runtime::{Exchange, empty_message};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// The longest wait between two requests, as a power of two. A worker without work looks for messages at least every
/// 50 microseconds, so this is some 15 milliseconds.
const LONGEST_WAIT: u32 = 8;

/// The exchange of branches between ranks, shared by the workers of one rank.
pub(super) struct Branches<'x> {
    pub(super) exchange: &'x Exchange,
    asking: Mutex<Asking>,
}

/// When this rank asks again, and whom.
struct Asking {
    random: ChaCha8Rng,
    /// Requests since the last branch arrived, at most [`LONGEST_WAIT`].
    vain: u32,
    /// How often workers will still look for messages before the next request.
    wait: u32,
}

/// What a parcel holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Open nodes for this rank.
    Branch(OpenBranch),
    /// A solution that another rank has found.
    Solution(Solution),
}

impl<'x> Branches<'x> {
    pub(super) fn new(exchange: &'x Exchange) -> Self {
        let random = ChaCha8Rng::seed_from_u64(exchange.rank() as u64);
        Self { exchange, asking: Mutex::new(Asking { random, vain: 0, wait: 0 }) }
    }

    /// Asks another rank for work, unless the last request was too short a time ago. To be called again and again while
    /// no worker of this rank has work.
    pub(super) fn ask(&self) {
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let Ok(mut asking) = self.asking.try_lock() else { return };
        if asking.wait > 0 || ranks < 2 {
            asking.wait = asking.wait.saturating_sub(1);
            return;
        }
        asking.vain = (asking.vain + 1).min(LONGEST_WAIT);
        asking.wait = 1 << asking.vain;
        let further = 1 + asking.random.next_u32() as usize % (ranks - 1);
        self.exchange.ask((rank + further) % ranks);
    }

    /// The rank that asks for a branch, if there is one and there is room on the way to it.
    pub(super) fn asking(&self) -> Option<usize> {
        self.exchange.asking().filter(|&to| !self.exchange.is_full(to))
    }

    /// Sends a branch to a rank.
    pub(super) fn give(&self, to: usize, branch: &OpenBranch) {
        match encode_part(branch) {
            Ok(bytes) => {
                let mut message = empty_message();
                message.push(BRANCH);
                message.extend(bytes);
                self.exchange.ship(to, message);
            }
            // Reached only by a branch of millions of nodes. It is no longer on any stack.
            Err(reason) => self.exchange.abort(&format!("a branch cannot be sent: {reason}")),
        }
    }

    /// The contents of a parcel. After a branch, the next request is not put off. A parcel that no rank has made ends
    /// all ranks.
    pub(super) fn open(&self, parcel: &[u8]) -> Option<Contents> {
        let contents = contents_of(parcel);
        match contents {
            Some(Contents::Branch(_)) => {
                let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
                (asking.vain, asking.wait) = (0, 0);
            }
            Some(Contents::Solution(_)) => {}
            None => self.exchange.abort("found a parcel of an unknown kind: the ranks run different programs"),
        }
        contents
    }
}

fn contents_of(parcel: &[u8]) -> Option<Contents> {
    match parcel.split_first()? {
        (&BRANCH, contents) => match decode_part(contents) {
            Ok((branch, [])) => Some(Contents::Branch(branch)),
            _ => None,
        },
        _ => solution_in(parcel).map(Contents::Solution),
    }
}

/// What a rank lays down before a search begins.
#[derive(Debug, Serialize, Deserialize)]
struct Page {
    /// Where the search begins, if this rank leads and knows it.
    position: Option<(Snapshot, Option<DepthFirst>)>,
    expansions: Option<u64>,
    keeps: bool,
}

/// What all ranks know when a search begins.
#[derive(Debug)]
pub(super) struct Agreed {
    /// Where the leader begins, with this rank's share of the open branches. `None` if the leader cannot begin.
    pub(super) position: Option<Snapshot>,
    /// The least limit of expansions of any rank.
    pub(super) expansions: Option<u64>,
    /// Whether the leader takes checkpoints.
    pub(super) keeps: bool,
}

/// Lets all ranks begin where the leader begins. `position` counts on the leader alone; `None` if its checkpoint cannot
/// be used.
pub(super) fn begin_alike(
    exchange: &Exchange,
    position: Option<&Snapshot>,
    expansions: Option<u64>,
    keeps: bool,
) -> Agreed {
    let position = position.filter(|_| exchange.leads());
    let position = position.map(|snapshot| (snapshot.clone(), snapshot.depth_first.clone()));
    let pages = exchange.agree_on(&Page { position, expansions, keeps });
    let expansions = pages.iter().filter_map(|page| page.expansions).min();
    let Some(Page { position, keeps, .. }) = pages.into_iter().next() else {
        return Agreed { position: None, expansions, keeps };
    };
    let position = position.map(|(snapshot, depth_first)| {
        let depth_first = depth_first.map(|all| share_of(all, exchange.rank(), exchange.ranks()));
        Snapshot { depth_first, ..snapshot }
    });
    Agreed { position, expansions, keeps }
}

/// A rank's share of the position of all ranks: every so many-th open branch. The leader takes the counts, which are
/// sums over all ranks.
fn share_of(all: DepthFirst, rank: usize, ranks: usize) -> DepthFirst {
    let DepthFirst { cut, visited, visited_before, open } = all;
    let of_leader = |count| if rank == 0 { count } else { 0 };
    let (visited, visited_before) = (of_leader(visited), of_leader(visited_before));
    DepthFirst { cut, visited, visited_before, open: open.into_iter().skip(rank).step_by(ranks).collect() }
}

/// The position of all ranks: each lays down its own while all wait at the barrier.
pub(super) fn of_all_ranks(exchange: &Exchange, own: &DepthFirst) -> DepthFirst {
    together(exchange.agree_on(own))
}

fn together(shares: Vec<DepthFirst>) -> DepthFirst {
    let mut all = DepthFirst { cut: crate::domain::Cost::MAX, ..DepthFirst::default() };
    for DepthFirst { cut, visited, visited_before, open } in shares {
        all.cut = all.cut.min(cut);
        all.visited += visited;
        all.visited_before += visited_before;
        all.open.extend(open);
    }
    all
}

/// The limit of expansions of all ranks together. Work may be spread unevenly: one rank may expand all states of a
/// small layer. So a rank that has expanded its share of what is left asks all ranks to come to the barrier, and there
/// they share what is left then.
#[derive(Debug)]
pub(super) struct Budget {
    /// The expansions of all ranks, earlier sessions included, that end the search.
    pub(super) most: u64,
}

impl Budget {
    /// The fewest expansions that are shared out, so that ranks do not meet for a handful of them.
    const LEAST: u64 = 256;

    /// The expansions that this rank may make until the next meeting, after `expanded` of all ranks. `None` if nothing
    /// is left.
    pub(super) fn share(&self, expanded: u64, ranks: usize) -> Option<u64> {
        let left = self.most.saturating_sub(expanded);
        let share = left.div_ceil(ranks as u64).max(Self::LEAST.min(left));
        (left > 0).then_some(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::abroad::announce;
    use crate::engine::snapshot::OpenNode;
    use crate::runtime::{Crowd, Weather};

    fn branch(mv: u16) -> OpenBranch {
        OpenBranch { path: vec![mv, 3], nodes: vec![OpenNode { depth: 3, mv, skip: u64::MAX }] }
    }

    fn exchanges(ranks: usize) -> Vec<Exchange> {
        Crowd::gather(ranks, Weather::default()).into_iter().map(Exchange::new).collect()
    }

    #[test]
    fn what_is_given_is_what_arrives() {
        let exchanges = exchanges(2);
        let [here, there] = [0, 1].map(|rank| Branches::new(&exchanges[rank]));
        there.ask();
        here.exchange.pump();
        assert!(here.exchange.is_asked());
        let to = here.asking().expect("a request");
        here.give(to, &branch(7));
        let solution = Solution { cost: 4, moves: vec![1, 2] };
        announce(here.exchange, &solution);
        there.exchange.pump();
        let arrived = || there.exchange.arrived().and_then(|parcel| there.open(parcel.bytes()));
        assert_eq!(arrived(), Some(Contents::Branch(branch(7))));
        assert_eq!(arrived(), Some(Contents::Solution(solution)));
        assert_eq!((arrived(), here.asking()), (None, None));
        for bytes in [&[][..], &[BRANCH, 1], &[BRANCH], &[9]] {
            assert_eq!(contents_of(bytes), None, "{bytes:?}");
        }
    }

    /// A rank that asks in vain asks all others, and asks less and less often until a branch arrives.
    #[test]
    fn requests_in_vain_become_rare() {
        const ROUNDS: usize = 10_000;
        let exchanges = exchanges(4);
        let asking = Branches::new(&exchanges[2]);
        let requests = |rank: usize| {
            exchanges[rank].pump();
            std::iter::from_fn(|| exchanges[rank].asking()).inspect(|&from| assert_eq!(from, 2)).count()
        };
        let ask = |rounds: usize| {
            (0..rounds).for_each(|_| asking.ask());
            [0, 1, 2, 3].map(requests)
        };
        let asked = ask(ROUNDS);
        assert!(asked[2] == 0 && [0, 1, 3].iter().all(|&rank| asked[rank] > 3), "{asked:?}");
        let all: usize = asked.iter().sum();
        assert!(all <= ROUNDS / (1 << LONGEST_WAIT) + LONGEST_WAIT as usize, "{asked:?}");
        Branches::new(&exchanges[0]).give(2, &branch(1));
        exchanges[2].pump();
        let parcel = exchanges[2].arrived().expect("a branch");
        assert!(asking.open(parcel.bytes()).is_some());
        assert_eq!(ask(1).iter().sum::<usize>(), 1, "at once after a branch");
    }

    #[test]
    fn shares_together_are_the_whole() {
        let all = DepthFirst { cut: 9, visited: 30, visited_before: 20, open: (0..7).map(branch).collect() };
        for ranks in 1..10 {
            let shares: Vec<_> = (0..ranks).map(|rank| share_of(all.clone(), rank, ranks)).collect();
            let mut whole = together(shares);
            whole.open.sort_by_key(|branch| branch.path[0]);
            assert_eq!(whole, all, "{ranks}");
        }
    }

    #[test]
    fn a_budget_is_shared_until_it_is_used_up() {
        let budget = Budget { most: 100_000 };
        // One rank of eight does all the work.
        let (mut expanded, mut meetings) = (0, 0);
        while let Some(share) = budget.share(expanded, 8) {
            expanded += share;
            meetings += 1;
            assert!(expanded <= budget.most);
        }
        assert_eq!(expanded, budget.most);
        assert!(meetings < 60, "{meetings}");
    }
}
