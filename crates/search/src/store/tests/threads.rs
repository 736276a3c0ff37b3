//! Several threads against the result of one thread.

use super::*;
use rand_chacha::rand_core::RngCore;
use std::sync::{Barrier, Mutex, OnceLock};

const THREADS: usize = 4;

/// Four threads offer the same states at once, each with its own sleep sets, and close what they find. Exactly one
/// thread expands each move that is not in all sleep sets: the one that closes the state, or one that wakes the move.
#[test]
fn every_move_is_woken_exactly_once() {
    const STATES: usize = reduced(3_000, 40) as usize;
    const BITS: u32 = 12;
    for round in 0..8 {
        let store = Store::new(Layout { key_len: 5, mask_bits: BITS, shards: 8 * THREADS });
        let sleep_set = |thread: usize, state: usize| {
            let mut random = random((round * THREADS + thread) as u64 * STATES as u64 + state as u64);
            random.next_u64() & random.next_u64().rotate_left(7) & low(BITS) | 1
        };
        let ids: Vec<OnceLock<Id>> = (0..STATES).map(|_| OnceLock::new()).collect();
        // For each state the moves that somebody expanded, one entry for each of them.
        let expanded: Vec<Mutex<Vec<u64>>> = (0..STATES).map(|_| Mutex::default()).collect();
        let (start, closed) = (Barrier::new(THREADS), Mutex::new(vec![0; STATES]));
        let close = |state: usize| {
            if let Some(sleep_set) = ids[state].get().and_then(|id| store.close(*id)) {
                closed.lock().unwrap()[state] += 1;
                expanded[state].lock().unwrap().push(!sleep_set & low(BITS));
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (store, ids, expanded, start, close) = (&store, &ids, &expanded, &start, &close);
                scope.spawn(move || {
                    start.wait();
                    // In half of the rounds all go the same way, in the others each begins somewhere else.
                    let shift = if round % 2 == 0 { 0 } else { thread * STATES / THREADS };
                    for step in 0..STATES {
                        let state = (step + shift) % STATES;
                        let mut key = [9; 5];
                        key[1..].copy_from_slice(&(state as u32).to_le_bytes());
                        let hash = hash_key(&key);
                        let offer = Offer { hash, key: &key, g: 1, sleep_set: sleep_set(thread, state) };
                        let admitted = store.lock(store.owner(hash)).admit(&offer, 0, Id::NONE, 0);
                        match admitted {
                            Ok((id, _)) => ids[state].set(id).expect("nobody else stores it"),
                            Err(Lookup::Woken(id, moves)) => {
                                assert_eq!(store.key(id), key);
                                expanded[state].lock().unwrap().push(moves);
                            }
                            Err(met) => assert_eq!(met, Lookup::Known),
                        }
                        // Some states at once, others when more parents have come.
                        close(if state.is_multiple_of(2) { state } else { (state + STATES - 5) % STATES });
                    }
                });
            }
        });
        (0..STATES).for_each(close);
        assert_eq!(closed.into_inner().unwrap(), vec![1; STATES], "round {round}: each is closed once");
        let mut woken = 0;
        for (state, parts) in expanded.into_iter().enumerate() {
            let parts = parts.into_inner().unwrap();
            woken += parts.len() - 1;
            let excused = (0..THREADS).fold(u64::MAX, |mask, thread| mask & sleep_set(thread, state));
            let all = parts.iter().fold(0, |all, part| all | part);
            assert_eq!(all, !excused & low(BITS), "round {round}, state {state}: {parts:x?}");
            let times: u32 = parts.iter().map(|part| part.count_ones()).sum();
            assert_eq!(times, all.count_ones(), "round {round}, state {state}: {parts:x?}");
        }
        assert!(woken > STATES / 10, "round {round}: only {woken} wakings, too few to tell");
        assert_eq!(store.records(), STATES as u64);
    }
}

/// Four threads offer the same states in different orders and with different g. The least g wins, and of all records of
/// a state exactly one can be closed in the end.
#[test]
fn the_least_g_wins_among_threads() {
    const STATES: u64 = reduced(2_000, 30) as u64;
    for round in 0..6 {
        let store = Store::new(Layout { key_len: 8, mask_bits: 6, shards: 8 });
        let start = Barrier::new(THREADS);
        let offers = |thread: u64| {
            let mut random = random(round * THREADS as u64 + thread);
            let mut offers: Vec<(u64, u32)> = (0..4 * STATES).map(|n| (n % STATES, random.next_u32() % 50)).collect();
            offers.sort_by_cached_key(|_| random.next_u32() >> 16);
            offers
        };
        let records: Vec<(u64, Id)> = std::thread::scope(|scope| {
            let work = |thread: u64| {
                start.wait();
                let mut stored = Vec::new();
                for (state, g) in offers(thread) {
                    let key = state.to_le_bytes();
                    let offer = Offer { hash: hash_key(&key), key: &key, g, sleep_set: 0 };
                    let admitted = store.lock(store.owner(offer.hash)).admit(&offer, 0, Id::NONE, 0);
                    stored.extend(admitted.ok().map(|(id, _)| (state, id)));
                }
                stored
            };
            let threads: Vec<_> = (0..THREADS as u64).map(|thread| scope.spawn(move || work(thread))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(store.records(), records.len() as u64);
        assert!(records.len() as u64 > STATES * 3 / 2, "too few improvements to tell");
        let mut least = vec![u32::MAX; STATES as usize];
        for (state, g) in (0..THREADS as u64).flat_map(offers) {
            least[state as usize] = least[state as usize].min(g);
        }
        for (state, id) in records {
            let g = store.tag(id).g;
            assert_eq!(store.key(id), state.to_le_bytes());
            assert_eq!(store.close(id).is_some(), g == least[state as usize], "state {state}, g {g}");
        }
    }
}
