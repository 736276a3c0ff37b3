//! Crews on several ranks, with messages in any weather.

use super::parcels::{DEFAULT_PARCEL_BYTES, MAX_UNSENT_BYTES};
use super::*;
use crate::runtime::{Crew, OtherCrews, StopReason, run_crew};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::SeqCst;

impl OtherCrews for Exchange {
    fn is_over(&self) -> bool {
        Exchange::is_phase_over(self)
    }

    fn poll(&self, crew: &Crew) {
        self.poll();
        self.contribute(crew, || true);
    }
}

/// Runs `work` on each rank of a crowd, each on a thread of its own. A panic on one rank ends all.
fn on_ranks<T: Send>(
    ranks: usize,
    weather: MessageDelays,
    work: impl Fn(&Exchange) -> T + Sync,
) -> Vec<Result<T, String>> {
    let exchanges: Vec<_> = ThreadTransport::connect(ranks, weather).into_iter().map(Exchange::new).collect();
    let run = |exchange: &Exchange| {
        catch_unwind(AssertUnwindSafe(|| work(exchange))).map_err(|panic| {
            let reason = panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
            exchange.abort(&reason);
            reason
        })
    };
    let run = &run;
    std::thread::scope(|scope| {
        let threads: Vec<_> = exchanges.iter().map(|exchange| scope.spawn(move || run(exchange))).collect();
        threads.into_iter().map(|thread| thread.join().expect("caught")).collect()
    })
}

fn weathers() -> impl Iterator<Item = MessageDelays> {
    (0..6).flat_map(|seed| [0, 1, 9].map(|delay| MessageDelays { seed, delay }))
}

#[test]
fn all_ranks_get_the_same_pages_round_after_round() {
    for weather in weathers() {
        for ranks in [1, 2, 3, 5] {
            let rounds = on_ranks(ranks, weather, |exchange| {
                let page = |round: usize| vec![exchange.rank() as u8, round as u8];
                (0..20).map(|round| exchange.all_gather_bytes(page(round))).collect::<Vec<_>>()
            });
            let expected: Vec<Vec<Vec<u8>>> =
                (0..20).map(|round| (0..ranks as u8).map(|rank| vec![rank, round]).collect()).collect();
            assert!(rounds.iter().all(|found| found.as_ref() == Ok(&expected)), "{weather:?}");
        }
    }
}

/// A parcel of size n makes n parcels of size n - 1 for ranks that its bytes choose. Each phase ends when all are done.
#[test]
fn a_phase_ends_when_all_parcels_are_dealt_with() {
    const PER_PHASE: u64 = 1_957;
    for weather in weathers() {
        for (ranks, workers) in [(1, 2), (2, 1), (3, 2), (4, 1)] {
            let done = AtomicU64::new(0);
            let ends = on_ranks(ranks, weather, |exchange| {
                let crew = Crew::new(workers);
                let ship = |size: u8, to: usize| {
                    let mut message = empty_message();
                    message.push(size);
                    exchange.send_parcel(to % ranks, message);
                };
                run_crew(&crew, (0..workers).collect(), |_, number| {
                    for phase in 1..=3 {
                        if number == 0 && exchange.rank() == phase % ranks {
                            ship(6, phase);
                        }
                        let take = || exchange.next_parcel();
                        while let Some(parcel) =
                            crew.steal_or_wait(take, || exchange.has_parcels(), || false, Some(exchange))
                        {
                            let before = done.fetch_add(1, SeqCst);
                            let size = parcel.bytes()[0];
                            (0..size).for_each(|k| ship(size - 1, (before + u64::from(k)) as usize));
                        }
                        let passed = crew.barrier(|| {
                            assert_eq!(done.load(SeqCst), PER_PHASE * phase as u64, "{weather:?}, {ranks} ranks");
                            exchange.all_gather_bytes(Vec::new());
                            exchange.begin_phase();
                        });
                        assert_eq!(passed, Ok(()));
                        // Nobody begins the next phase before everybody has checked this one.
                        _ = crew.barrier(|| _ = exchange.all_gather_bytes(Vec::new()));
                    }
                });
            });
            assert!(ends.iter().all(Result::is_ok), "{ends:?}");
        }
    }
}

#[test]
fn a_rank_that_dies_ends_all_others() {
    for dying in 0..3 {
        let ends = on_ranks(3, MessageDelays { seed: 1, delay: 2 }, |exchange| {
            if exchange.rank() == dying {
                std::panic::resume_unwind(Box::new("disk on fire".to_owned()));
            }
            exchange.all_gather_bytes(Vec::new())
        });
        assert!(ends.iter().all(|end| end.as_ref().err().map(String::as_str) == Some("disk on fire")), "{ends:?}");
    }
}

#[test]
fn a_bent_message_ends_all_ranks() {
    let ends = on_ranks(2, MessageDelays::default(), |exchange| {
        if exchange.rank() == 0 {
            exchange.transport.send(1, Channel::Parcels, vec![1, 2, 3, 4, 5]);
        }
        exchange.all_gather_bytes(Vec::new());
        exchange.all_gather_bytes(Vec::new())
    });
    assert!(ends.iter().any(|end| end.as_ref().is_err_and(|reason| reason.contains("another checksum"))), "{ends:?}");
}

/// A rank may send to many others. All its parcels together take no more room than to a few.
#[test]
fn the_parcels_to_all_ranks_together_have_a_window_too() {
    let few = Exchange::new(ThreadTransport::connect(2, MessageDelays::default()).remove(0));
    assert_eq!(few.parcel_bytes(), DEFAULT_PARCEL_BYTES);
    let ranks = 1_200;
    let one = Exchange::new(ThreadTransport::connect(ranks, MessageDelays::default()).remove(0));
    assert!(ranks * one.parcel_bytes() <= MAX_UNSENT_BYTES, "those that are filled");
    let mut sent = 0;
    for to in 1..ranks {
        while !one.is_window_full(to) {
            one.send_parcel(to, vec![0; one.parcel_bytes()]);
            sent += one.parcel_bytes();
        }
    }
    assert!((MAX_UNSENT_BYTES..MAX_UNSENT_BYTES + one.parcel_bytes()).contains(&sent), "{sent} bytes under way");
}

#[test]
fn letters_arrive_in_their_search_and_in_no_other() {
    for weather in weathers() {
        let found = on_ranks(3, weather, |exchange| {
            let mut found = 0;
            for search in 0..3_u8 {
                exchange.begin_search();
                exchange.all_gather_bytes(Vec::new());
                // A letter of the last moment may arrive in the next search, or never.
                for number in [0, 1] {
                    if exchange.rank() > 0 {
                        exchange.send_letter(0, vec![search, number]);
                    }
                    let mut missing = if exchange.is_leader() && number == 0 { 2 } else { 0 };
                    while missing > 0 {
                        exchange.poll();
                        if let Some(letter) = exchange.next_letter() {
                            assert_eq!(letter[0], search);
                            missing -= usize::from(letter[1] == 0);
                            found += usize::from(letter[1] == 0);
                        }
                    }
                }
                exchange.all_gather_bytes(Vec::new());
            }
            found
        });
        assert_eq!(found, [Ok(6), Ok(0), Ok(0)], "{weather:?}");
    }
}

/// The leader does not wait for a rank that is silent. What such a rank says later belongs to its own round.
#[test]
fn the_leader_waits_for_no_silent_rank() {
    for weather in weathers() {
        let has_parted = AtomicBool::new(false);
        let found = on_ranks(3, weather, |exchange| {
            let rank = exchange.rank() as u8;
            exchange.limit_silence(20);
            while rank == 2 && !has_parted.load(SeqCst) {
                std::thread::yield_now();
            }
            let first = exchange.gather_at_leader(vec![rank, 0]);
            has_parted.fetch_or(exchange.is_leader(), SeqCst);
            exchange.all_gather_bytes(Vec::new());
            (first, exchange.gather_at_leader(vec![rank, 1]))
        });
        let leader = found[0].clone().expect("no panic");
        assert!(!leader.0.iter().any(|(rank, _)| *rank == 2), "{weather:?}: {leader:?}");
        let own = |(rank, said): &(usize, Vec<u8>), round: u8| said[..] == [*rank as u8, round];
        assert!(leader.0.iter().all(|said| own(said, 0)) && leader.1.iter().all(|said| own(said, 1)), "{leader:?}");
        assert_eq!(found[1..], [Ok(Default::default()), Ok(Default::default())], "{weather:?}");
    }
}

/// A late message of a search that is over must not stop the next one, nor prune it.
#[test]
fn news_of_an_earlier_search_are_dropped() {
    let exchanges: Vec<_> =
        ThreadTransport::connect(2, MessageDelays::default()).into_iter().map(Exchange::new).collect();
    let [here, there] = [&exchanges[0], &exchanges[1]];
    let begin = || exchanges.iter().for_each(Exchange::begin_search);
    begin();
    here.broadcast(Notice::Stop(StopReason::MemoryLimit));
    here.broadcast(Notice::Incumbent(7));
    begin();
    here.broadcast(Notice::Pause);
    there.poll();
    assert_eq!((there.next_notice(), there.next_notice()), (Some(Notice::Pause), None));
}
