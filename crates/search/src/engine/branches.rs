//! IDA* on several ranks: work stealing between ranks, and how all ranks begin and pause together.
//!
//! A rank whose workers are all idle asks a random rank for work, with exponential back-off. A worker there that has
//! work to spare sends its oldest open branch. A busy rank keeps a request until a worker can spare a branch; an idle
//! rank discards it. Requests do not delay the end of a layer, because its detection counts parcels only
//! ([`Exchange::ask`]). A branch is a parcel, so no layer ends while one is under way.
//!
//! ```text
//! parcel:   | kind 1 byte | contents |
//! branch:   | an OpenBranch, as a checkpoint holds it |
//! solution: | see rank_parcels.rs |
//! ```
//!
//! **Why no state is lost.** A branch holds open nodes with their sleep sets, as moves from the root. The receiver
//! makes the moves, enters the nodes into its own table, and expands them in any case. A rank drops a node only if its
//! own table holds the state with no larger g, and the node wakes no move. Then this rank has opened the state in this
//! layer. The layer does not end before the state is expanded, here or on the rank that was given it. So all ranks
//! together expand every move that a search on one rank must expand. A state that several ranks reach is visited by
//! each of them.

use super::outcome::Solution;
use super::rank_parcels::{BRANCH, solution_in};
use super::snapshot::{DepthFirst, EnginePosition, OpenBranch, Snapshot, decode_part, encode_part};
use crate::domain::Cost;
use crate::runtime::{Exchange, empty_message};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// The largest back-off exponent: idle workers of this rank poll at most 2^8 times between two requests.
const MAX_EXPONENT: u32 = 8;

/// The stealing of branches between ranks, shared by the workers of one rank.
pub(super) struct Stealing<'x> {
    pub(super) exchange: &'x Exchange,
    backoff: Mutex<Backoff>,
}

/// When this rank asks again, and whom.
struct Backoff {
    random: ChaCha8Rng,
    /// The number of requests since the last branch arrived, at most [`MAX_EXPONENT`].
    exponent: u32,
    /// Polls until the next request.
    polls_left: u32,
}

/// What a parcel holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Open nodes for this rank.
    Branch(OpenBranch),
    /// A solution that another rank has found.
    Solution(Solution),
}

impl<'x> Stealing<'x> {
    pub(super) fn new(exchange: &'x Exchange) -> Self {
        let random = ChaCha8Rng::seed_from_u64(exchange.rank() as u64);
        Self { exchange, backoff: Mutex::new(Backoff { random, exponent: 0, polls_left: 0 }) }
    }

    /// Asks a random rank for work, unless the back-off forbids it. Each call counts as one poll. To be called while no
    /// worker of this rank has work.
    pub(super) fn request_work(&self) {
        let (rank, ranks) = (self.exchange.rank(), self.exchange.ranks());
        let Ok(mut backoff) = self.backoff.try_lock() else { return };
        if backoff.polls_left > 0 || ranks < 2 {
            backoff.polls_left = backoff.polls_left.saturating_sub(1);
            return;
        }
        backoff.exponent = (backoff.exponent + 1).min(MAX_EXPONENT);
        backoff.polls_left = 1 << backoff.exponent;
        let offset = 1 + backoff.random.next_u32() as usize % (ranks - 1);
        self.exchange.ask((rank + offset) % ranks);
    }

    /// Takes the next request, and returns its sender. Drops the request if there is no room on the way to the sender.
    pub(super) fn take_request(&self) -> Option<usize> {
        self.exchange.asking().filter(|&to| !self.exchange.is_full(to))
    }

    /// Sends a branch to a rank.
    pub(super) fn send_branch(&self, to: usize, branch: &OpenBranch) {
        match encode_part(branch) {
            Ok(bytes) => {
                let mut message = empty_message();
                message.push(BRANCH);
                message.extend(bytes);
                self.exchange.ship(to, message);
            }
            // Reached only by a branch longer than a snapshot may be. It has left its stack, so its states would be
            // lost.
            Err(reason) => self.exchange.abort(&format!("a branch cannot be sent: {reason}")),
        }
    }

    /// Decodes a parcel. A branch ends the back-off. A parcel that cannot be decoded ends all ranks.
    pub(super) fn decode(&self, parcel: &[u8]) -> Option<Contents> {
        let contents = contents_of(parcel);
        match contents {
            Some(Contents::Branch(_)) => {
                let mut backoff = self.backoff.lock().unwrap_or_else(PoisonError::into_inner);
                (backoff.exponent, backoff.polls_left) = (0, 0);
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

/// What a rank brings to the beginning of a search.
#[derive(Debug, Serialize, Deserialize)]
struct Proposal {
    /// The start as an encoded snapshot; `None` unless this rank leads and can start.
    start: Option<Vec<u8>>,
    expansions: Option<u64>,
}

/// What all ranks have agreed on when a search begins.
#[derive(Debug)]
pub(super) struct Agreed {
    /// The start of the leader, with this rank's share of the open branches. `None` if the leader cannot start.
    pub(super) start: Option<Snapshot>,
    /// The least limit of expansions of any rank: each rank may have a limit of its own.
    pub(super) expansions: Option<u64>,
}

/// Lets all ranks start where the leader starts. `start` is `None` on other ranks, and if the leader's checkpoint
/// cannot be used.
pub(super) fn agree_on_start(exchange: &Exchange, start: Option<&Snapshot>, expansions: Option<u64>) -> Agreed {
    let start = start.filter(|_| exchange.leads()).and_then(|snapshot| snapshot.encode().ok());
    let proposals = exchange.all_gather(&Proposal { start, expansions });
    let expansions = proposals.iter().filter_map(|proposal| proposal.expansions).min();
    let start = proposals.into_iter().next().and_then(|leader| leader.start);
    let start = start.and_then(|bytes| Snapshot::decode(&bytes).ok()).map(|snapshot| {
        let position = match snapshot.position {
            EnginePosition::Ida(all) => EnginePosition::Ida(share_of(all, exchange.rank(), exchange.ranks())),
            other => other,
        };
        Snapshot { position, ..snapshot }
    });
    Agreed { start, expansions }
}

/// The part of a position that a rank takes: every `ranks`-th open branch, from branch `rank` on. The leader alone
/// takes the counts, so that sums over all ranks stay right.
fn share_of(all: DepthFirst, rank: usize, ranks: usize) -> DepthFirst {
    let DepthFirst { cut, visited, visited_before, open } = all;
    let leader_only = |count| if rank == 0 { count } else { 0 };
    let (visited, visited_before) = (leader_only(visited), leader_only(visited_before));
    DepthFirst { cut, visited, visited_before, open: open.into_iter().skip(rank).step_by(ranks).collect() }
}

/// The position of all ranks together. All ranks call this at the barrier.
pub(super) fn gather_positions(exchange: &Exchange, own: &DepthFirst) -> DepthFirst {
    merge(exchange.all_gather(own))
}

fn merge(shares: Vec<DepthFirst>) -> DepthFirst {
    let mut all = DepthFirst { cut: Cost::MAX, ..DepthFirst::default() };
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
    /// The number of expansions by all ranks, in all sessions, that ends the search.
    pub(super) most: u64,
}

impl Budget {
    /// The smallest share, so that ranks do not meet for a handful of expansions. All ranks together may pass the limit
    /// by so many expansions a rank.
    const MIN_SHARE: u64 = 256;

    /// The number of expansions that each rank may make until the next barrier. `expanded` is the total of all ranks so
    /// far. `None` if nothing is left.
    pub(super) fn share(&self, expanded: u64, ranks: usize) -> Option<u64> {
        let left = self.most.saturating_sub(expanded);
        let share = left.div_ceil(ranks as u64).max(Self::MIN_SHARE.min(left));
        (left > 0).then_some(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rank_parcels::announce;
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
        let [here, there] = [0, 1].map(|rank| Stealing::new(&exchanges[rank]));
        there.request_work();
        here.exchange.pump();
        assert!(here.exchange.is_asked());
        let to = here.take_request().expect("a request");
        here.send_branch(to, &branch(7));
        let solution = Solution { cost: 4, moves: vec![1, 2] };
        announce(here.exchange, &solution);
        there.exchange.pump();
        let arrived = || there.exchange.arrived().and_then(|parcel| there.decode(parcel.bytes()));
        assert_eq!(arrived(), Some(Contents::Branch(branch(7))));
        assert_eq!(arrived(), Some(Contents::Solution(solution)));
        assert_eq!((arrived(), here.take_request()), (None, None));
        for bytes in [&[][..], &[BRANCH, 1], &[BRANCH], &[9]] {
            assert_eq!(contents_of(bytes), None, "{bytes:?}");
        }
    }

    /// A rank that asks in vain asks all others, and asks less and less often until a branch arrives.
    #[test]
    fn requests_in_vain_become_rare() {
        const ROUNDS: usize = 10_000;
        let exchanges = exchanges(4);
        let asking = Stealing::new(&exchanges[2]);
        let requests = |rank: usize| {
            exchanges[rank].pump();
            std::iter::from_fn(|| exchanges[rank].asking()).inspect(|&from| assert_eq!(from, 2)).count()
        };
        let ask = |rounds: usize| {
            (0..rounds).for_each(|_| asking.request_work());
            [0, 1, 2, 3].map(requests)
        };
        let asked = ask(ROUNDS);
        assert!(asked[2] == 0 && [0, 1, 3].iter().all(|&rank| asked[rank] > 3), "{asked:?}");
        let all: usize = asked.iter().sum();
        assert!(all <= ROUNDS / (1 << MAX_EXPONENT) + MAX_EXPONENT as usize, "{asked:?}");
        Stealing::new(&exchanges[0]).send_branch(2, &branch(1));
        exchanges[2].pump();
        let parcel = exchanges[2].arrived().expect("a branch");
        assert!(asking.decode(parcel.bytes()).is_some());
        assert_eq!(ask(1).iter().sum::<usize>(), 1, "at once after a branch");
    }

    #[test]
    fn shares_together_are_the_whole() {
        let all = DepthFirst { cut: 9, visited: 30, visited_before: 20, open: (0..7).map(branch).collect() };
        for ranks in 1..10 {
            let shares: Vec<_> = (0..ranks).map(|rank| share_of(all.clone(), rank, ranks)).collect();
            let mut whole = merge(shares);
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
        // All ranks do.
        let mut expanded = 0;
        while let Some(share) = budget.share(expanded, 8) {
            expanded += 8 * share;
        }
        assert!((budget.most..budget.most + 8 * Budget::MIN_SHARE).contains(&expanded), "{expanded}");
    }
}
