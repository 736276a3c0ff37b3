//! The store against simple models of it, and against threads.

use super::frontier::CHUNK;
use super::index::Index;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, OnceLock};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The lowest `bits` bits.
fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

// ---- One thread against a map ----

#[derive(Clone, Debug)]
enum Action {
    Meet {
        key: usize,
        g: u32,
        asleep: u64,
    },
    Admit {
        key: usize,
        g: u32,
        asleep: u64,
    },
    /// Closes a record that was stored before, also one that is superseded.
    Close {
        record: usize,
    },
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let offer = (0..5_usize, 0..4_u32, prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]);
    let action = prop_oneof![
        offer.clone().prop_map(|(key, g, asleep)| Action::Meet { key, g, asleep }),
        offer.prop_map(|(key, g, asleep)| Action::Admit { key, g, asleep }),
        any::<usize>().prop_map(|record| Action::Close { record }),
    ];
    vec(action, 0..120)
}

/// What a store has to know of a state.
#[derive(Clone, Copy, Debug)]
struct Known {
    g: u32,
    asleep: u64,
    closed: bool,
    id: Id,
}

/// A store, and the map that it has to agree with.
struct Pair {
    store: Store,
    keys: Vec<Vec<u8>>,
    hashes: Vec<u64>,
    mask_bits: u32,
    model: HashMap<Vec<u8>, Known>,
    /// Every record with its key and its tag.
    records: Vec<(Id, usize, Tag)>,
}

impl Pair {
    /// Five keys that differ at byte `spot` only; equal hashes are allowed.
    fn new(mask_bits: u32, key_len: usize, spot: usize, hashes: Vec<u64>) -> Self {
        let store = Store::new(Layout { key_len, mask_bits, workers: 1 });
        let key = |k: usize| {
            let mut key = vec![0xA5; key_len];
            key[spot % key_len] = k as u8;
            key
        };
        let keys = (0..hashes.len()).map(key).collect();
        Self { store, keys, hashes, mask_bits, model: HashMap::new(), records: Vec::new() }
    }

    fn apply(&mut self, action: &Action) {
        match *action {
            Action::Meet { key, g, asleep } => {
                let offer =
                    Offer { hash: self.hashes[key], key: &self.keys[key], g, asleep: asleep & low(self.mask_bits) };
                let met = self.store.lock(self.store.owner(offer.hash)).meet(&offer);
                let expected = expect(&mut self.model, &offer);
                assert_eq!(met, expected);
            }
            Action::Admit { key, g, asleep } => {
                let asleep = asleep & low(self.mask_bits);
                let offer = Offer { hash: self.hashes[key], key: &self.keys[key], g, asleep };
                let number = self.records.len();
                let tag = Tag { g, mv: number as u16, parent: self.records.last().map_or(Id::NONE, |last| last.0) };
                let admitted = self.store.lock(self.store.owner(offer.hash)).admit(&offer, tag.mv, tag.parent);
                match expect(&mut self.model, &offer) {
                    Meeting::New => {
                        let older = self.model.get(offer.key).copied();
                        let (id, reopened) = admitted.expect("a new state is stored");
                        assert_eq!(reopened, older.is_some_and(|known| known.closed));
                        assert!(self.records.iter().all(|record| record.0 != id), "{id:?} twice");
                        self.model.insert(offer.key.to_vec(), Known { g, asleep, closed: false, id });
                        self.records.push((id, key, tag));
                    }
                    meeting => assert_eq!(admitted, Err(meeting)),
                }
            }
            Action::Close { record } => {
                if self.records.is_empty() {
                    return;
                }
                let (id, key, _) = self.records[record % self.records.len()];
                let newest = self.model.get_mut(&self.keys[key]).filter(|known| known.id == id && !known.closed);
                let expected = newest.map(|known| {
                    known.closed = true;
                    known.asleep
                });
                assert_eq!(self.store.close(id), expected);
            }
        }
    }

    /// Nothing that was stored has changed.
    fn check_records(&self) {
        for (id, key, tag) in &self.records {
            assert_eq!(self.store.key(*id), self.keys[*key]);
            assert_eq!(self.store.tag(*id), *tag);
        }
        assert_eq!(self.store.records(), self.records.len() as u64);
    }
}

/// What a meeting with `offer` has to say, and its effect on the model.
fn expect(model: &mut HashMap<Vec<u8>, Known>, offer: &Offer<'_>) -> Meeting {
    match model.get_mut(offer.key) {
        Some(known) if known.g < offer.g => Meeting::Known,
        Some(known) if known.g == offer.g => {
            let woken = known.asleep & !offer.asleep;
            known.asleep &= offer.asleep;
            if known.closed && woken != 0 { Meeting::Woken(known.id, woken) } else { Meeting::Known }
        }
        _ => Meeting::New,
    }
}

/// All widths of masks that matter: each mark is as narrow as the mask allows.
fn mask_bits() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![0, 1, 6, 7, 8, 12, 15, 16, 20, 31, 32, 35, 63])
}

fn hashes() -> impl Strategy<Value = Vec<u64>> {
    vec(prop_oneof![Just(0), Just(u64::MAX), Just(0x1234_5678_0000_0003), any::<u64>()], 5)
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn the_store_agrees_with_a_map(
        (mask_bits, key_len, spot) in (mask_bits(), 1..80_usize, any::<usize>()), hashes in hashes(), actions in actions()
    ) {
        let mut pair = Pair::new(mask_bits, key_len, spot, hashes);
        for action in &actions {
            pair.apply(action);
        }
        pair.check_records();
    }
}

#[test]
fn a_better_way_supersedes() {
    let store = Store::new(Layout { key_len: 3, mask_bits: 6, workers: 1 });
    let offer = |g, asleep| Offer { hash: store.hash(b"key"), key: b"key", g, asleep };
    let lock = || store.lock(store.owner(store.hash(b"key")));
    let (open, reopened) = lock().admit(&offer(7, 0b11), 1, Id::NONE).unwrap();
    assert!(!reopened);
    assert_eq!(lock().meet(&offer(6, 0)), Meeting::New, "a smaller g is worth an evaluation");
    let (better, reopened) = lock().admit(&offer(6, 0b101), 2, open).unwrap();
    assert!(!reopened, "it was not closed before");
    assert_eq!(store.close(open), None, "its place in the frontier is to be skipped");
    assert_eq!(store.close(better), Some(0b101), "masks of another g do not count");
    let (best, reopened) = lock().admit(&offer(5, 0), 3, Id::NONE).unwrap();
    assert!(reopened);
    assert_eq!(store.close(better), None);
    assert_eq!(lock().admit(&offer(6, 0), 4, Id::NONE), Err(Meeting::Known));
    assert_eq!(store.close(best), Some(0));
    assert_eq!((store.records(), store.tag(open).g, store.tag(better).g, store.tag(best).g), (3, 7, 6, 5));
}

#[test]
fn paths_lead_back_to_the_root() {
    let store = Store::new(Layout { key_len: 8, mask_bits: 0, workers: 4 });
    let mut random = random(1);
    let mut known: Vec<(Id, Vec<u16>)> = Vec::new();
    for number in 0..2_000_u64 {
        let (parent, mut path) = match known.len() {
            0 => (Id::NONE, Vec::new()),
            n => known[random.next_u32() as usize % n].clone(),
        };
        let mv = (random.next_u32() % (u32::from(MAX_MOVE) + 1)) as u16;
        let key = number.to_le_bytes();
        let offer = Offer { hash: store.hash(&key), key: &key, g: path.len() as u32, asleep: 0 };
        let (id, _) = store.lock(store.owner(offer.hash)).admit(&offer, mv, parent).unwrap();
        if number > 0 {
            assert_eq!(store.path_by(parent, mv), [path.as_slice(), &[mv]].concat());
            path.push(mv);
        }
        known.push((id, path));
    }
    assert!(known.iter().all(|(id, path)| store.path(*id) == *path));
    assert!(known.iter().any(|(_, path)| path.len() > 10), "too shallow to tell");
}

#[test]
fn tags_fit_their_word() {
    let largest = Id::new(255, (1 << LOCAL_BITS) - 2);
    assert_ne!(largest, Id::NONE);
    assert_eq!((largest.shard(), largest.local()), (255, (1 << LOCAL_BITS) - 2));
    for parent in [Id::NONE, Id::new(0, 0), Id::new(0, 1), Id::new(1, 0), largest] {
        for g in [0, 1, MAX_G] {
            for mv in [0, 1, MAX_MOVE] {
                let tag = Tag { g, mv, parent };
                assert_eq!(Tag::from_word(tag.to_word()), tag);
            }
        }
    }
}

#[test]
fn a_tag_cut_short_is_refused() {
    for (g, mv) in [(MAX_G + 1, 0), (0, MAX_MOVE + 1)] {
        let word = std::panic::catch_unwind(|| Tag { g, mv, parent: Id::NONE }.to_word());
        assert!(word.is_err(), "g {g}, move {mv}");
    }
}

#[test]
fn the_store_stays_within_its_bytes_a_state() {
    let store = Store::new(Layout { key_len: 40, mask_bits: 6, workers: 2 });
    let mut random = random(2);
    let mut worst = 0.0_f64;
    for number in 1..=300_000_u64 {
        let mut key = [0; 40];
        random.fill_bytes(&mut key);
        let offer = Offer { hash: store.hash(&key), key: &key, g: 1, asleep: 0 };
        assert!(store.lock(store.owner(offer.hash)).admit(&offer, 0, Id::NONE).is_ok());
        if number > 50_000 {
            worst = worst.max(store.bytes() as f64 / number as f64);
        }
    }
    // Key, tag, mark, and a slot of eight bytes in a table that is at least half full.
    assert!((40.0 + 8.0 + 1.0 + 8.0..40.0 + 28.0).contains(&worst), "{worst}");
}

// ---- Growth ----

/// Stores the keys `0..n` under `hash_of` in a store of one worker, and looks for all of them, and for as many others, time
/// and again.
fn grow(n: u64, hash_of: impl Fn(&Store, u64) -> u64) {
    let store = Store::new(Layout { key_len: 9, mask_bits: 12, workers: 1 });
    let key_of = |number: u64| {
        let mut key = [7; 9];
        key[1..].copy_from_slice(&number.to_le_bytes());
        key
    };
    let meet = |number: u64, g: u32| {
        let hash = hash_of(&store, number);
        store.lock(store.owner(hash)).meet(&Offer { hash, key: &key_of(number), g, asleep: low(12) })
    };
    let mut ids = Vec::new();
    let mut next_look = 1;
    for number in 0..n {
        let key = key_of(number);
        let offer = Offer { hash: hash_of(&store, number), key: &key, g: 3, asleep: number & low(12) };
        let (id, reopened) = store.lock(store.owner(offer.hash)).admit(&offer, 0, Id::NONE).unwrap();
        assert!(!reopened);
        ids.push(id);
        if number + 1 == next_look || number + 1 == n {
            next_look = next_look * 3 / 2 + 1;
            assert_eq!(store.records(), number + 1);
            for known in 0..=number {
                assert_eq!(meet(known, 3), Meeting::Known, "state {known} of {number}");
                assert_eq!(meet(known, 2), Meeting::New, "state {known} of {number}");
                assert_eq!(meet(n + known, 3), Meeting::New, "no state, beside {number}");
            }
        }
    }
    for (number, id) in ids.into_iter().enumerate() {
        assert_eq!(store.key(id), key_of(number as u64));
        assert_eq!(store.close(id), Some(number as u64 & low(12)));
    }
}

#[test]
fn growing_loses_nothing() {
    grow(200_000, |store, number| store.hash(&number.to_le_bytes()));
}

#[test]
fn growing_under_equal_fingerprints_loses_nothing() {
    // The shard takes the lowest bits of a hash, the fingerprint the highest 32.
    grow(6_000, |_, number| (number % 150).wrapping_mul(0x9E37_79B9_7F4A_7C15) & !0xFFFF_FFF0);
    grow(1_500, |_, _| 5 << 32);
}

#[test]
fn growing_under_crowded_fingerprints_loses_nothing() {
    grow(3_000, |_, number| number << 32);
    // The end of the table has room for 64 slots behind the last home: one such state in 32, others in between.
    grow(1_900, |store, number| match number % 32 {
        0 => u64::MAX << 40 | (number / 32) << 32,
        _ => store.hash(&number.to_le_bytes()) & !7,
    });
}

// ---- The index by itself ----

/// All slots of an index.
fn slots(index: &Index) -> &[u64] {
    let (slots, _) = index.hint();
    // SAFETY: the hint is the start of the table, `bytes` its length; the table is not changed while it is borrowed.
    unsafe { std::slice::from_raw_parts(slots, index.bytes() as usize / size_of::<u64>()) }
}

/// Occupied slots rise, none stands before its home, and no gap lies between a slot and its home.
fn check_order(index: &Index, occupied: usize) {
    const EMPTY: u64 = u64::MAX;
    let (slots, (_, homes)) = (slots(index), index.hint());
    assert_eq!(slots.iter().filter(|&&slot| slot != EMPTY).count(), occupied);
    assert_eq!(slots.last(), Some(&EMPTY), "a walk has to end");
    let mut before = 0;
    let mut run_from = 0;
    for (at, &slot) in slots.iter().enumerate() {
        if slot == EMPTY {
            run_from = at + 1;
            continue;
        }
        let fingerprint = slot >> 32;
        let home = ((fingerprint * homes) >> 32) as usize;
        assert!(before <= fingerprint, "slot {at}: {fingerprint:x} behind {before:x}");
        assert!((run_from..=at).contains(&home), "slot {at}: home {home}, the run begins at {run_from}");
        before = fingerprint;
    }
}

fn positions(index: &Index, fingerprint: u32) -> Vec<u32> {
    let mut cursor = index.start(fingerprint);
    std::iter::from_fn(|| index.next(fingerprint, &mut cursor)).collect()
}

/// Fingerprints with many equals, and many at the end of the table. No more than 64 of those may be equal: so many slots lie
/// behind the last home.
fn fingerprints() -> impl Strategy<Value = Vec<u32>> {
    let one = prop_oneof![
        4 => any::<u32>(),
        2 => Just(0),
        2 => 0..4_u32,
        1 => (0..8_u32).prop_map(|n| n << 29),
        1 => (0..200_u32).prop_map(|n| 0x7FFF_FF00 + n),
    ];
    let end = prop_oneof![
        vec((u32::MAX - 3)..=u32::MAX, 0..=60),
        vec(u32::MAX << 24.., 0..=190),
        vec(u32::MAX << 20.., 0..=190),
    ];
    (prop_oneof![vec(one.clone(), 0..20), vec(one, 0..2_500)], end).prop_flat_map(|(mut all, end)| {
        all.extend(end);
        Just(all).prop_shuffle()
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn the_index_keeps_its_order(fingerprints in fingerprints()) {
        let mut index = Index::new();
        let mut model: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut size = index.bytes();
        for (position, &fingerprint) in fingerprints.iter().enumerate() {
            let mut cursor = index.start(fingerprint);
            while index.next(fingerprint, &mut cursor).is_some() {}
            index.insert(fingerprint, cursor, position as u32);
            model.entry(fingerprint).or_default().push(position as u32);
            prop_assert!((position as u64 + 1) * 5 <= index.hint().1 * 4, "too full");
            if index.bytes() != size || position + 1 == fingerprints.len() {
                size = index.bytes();
                check_order(&index, position + 1);
                for (&fingerprint, expected) in &model {
                    prop_assert_eq!(&positions(&index, fingerprint), expected);
                }
            }
        }
    }

    #[test]
    fn repointing_touches_one_slot(fingerprints in vec(prop_oneof![0..3_u32, any::<u32>()], 1..300), chosen in any::<usize>()) {
        let mut index = Index::new();
        for (position, &fingerprint) in fingerprints.iter().enumerate() {
            let mut cursor = index.start(fingerprint);
            while index.next(fingerprint, &mut cursor).is_some() {}
            index.insert(fingerprint, cursor, position as u32);
        }
        let chosen = chosen % fingerprints.len();
        let mut cursor = index.start(fingerprints[chosen]);
        while index.next(fingerprints[chosen], &mut cursor) != Some(chosen as u32) {}
        let mut expected = slots(&index).to_vec();
        let slot_of = |position: u32| u64::from(fingerprints[chosen]) << 32 | u64::from(position);
        let at = expected.iter().position(|&slot| slot == slot_of(chosen as u32)).unwrap();
        for position in [low(LOCAL_BITS) as u32, 1_000_000] {
            index.repoint(cursor, position);
            expected[at] = slot_of(position);
            prop_assert_eq!(slots(&index), expected.as_slice());
        }
    }
}

// ---- Threads ----

const THREADS: usize = 4;

/// Four threads offer the same states at once, each with masks of its own, and close what they find. Every move that
/// some parent does not excuse is expanded by exactly one of them: by the one who closes the state, or by one who wakes it.
#[test]
fn every_move_is_woken_exactly_once() {
    const STATES: usize = 3_000;
    const BITS: u32 = 12;
    for round in 0..8 {
        let store = Store::new(Layout { key_len: 5, mask_bits: BITS, workers: THREADS });
        let asleep = |thread: usize, state: usize| {
            let mut random = random((round * THREADS + thread) as u64 * STATES as u64 + state as u64);
            random.next_u64() & random.next_u64().rotate_left(7) & low(BITS) | 1
        };
        let ids: Vec<OnceLock<Id>> = (0..STATES).map(|_| OnceLock::new()).collect();
        // For each state the moves that somebody expanded, one entry for each of them.
        let expanded: Vec<Mutex<Vec<u64>>> = (0..STATES).map(|_| Mutex::default()).collect();
        let (start, closed) = (Barrier::new(THREADS), Mutex::new(vec![0; STATES]));
        let close = |state: usize| {
            if let Some(asleep) = ids[state].get().and_then(|id| store.close(*id)) {
                closed.lock().unwrap()[state] += 1;
                expanded[state].lock().unwrap().push(!asleep & low(BITS));
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
                        let hash = store.hash(&key);
                        let offer = Offer { hash, key: &key, g: 1, asleep: asleep(thread, state) };
                        let admitted = store.lock(store.owner(hash)).admit(&offer, 0, Id::NONE);
                        match admitted {
                            Ok((id, _)) => ids[state].set(id).expect("nobody else stores it"),
                            Err(Meeting::Woken(id, moves)) => {
                                assert_eq!(store.key(id), key);
                                expanded[state].lock().unwrap().push(moves);
                            }
                            Err(met) => assert_eq!(met, Meeting::Known),
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
            let excused = (0..THREADS).fold(u64::MAX, |mask, thread| mask & asleep(thread, state));
            let all = parts.iter().fold(0, |all, part| all | part);
            assert_eq!(all, !excused & low(BITS), "round {round}, state {state}: {parts:x?}");
            let times: u32 = parts.iter().map(|part| part.count_ones()).sum();
            assert_eq!(times, all.count_ones(), "round {round}, state {state}: {parts:x?}");
        }
        assert!(woken > STATES / 10, "round {round}: only {woken} wakings, too few to tell");
        assert_eq!(store.records(), STATES as u64);
    }
}

/// Lets two threads go on together, as nearly at the same moment as can be had.
#[derive(Default)]
struct Lockstep([AtomicUsize; 2]);

impl Lockstep {
    fn step(&self, thread: usize, step: usize) {
        self.0[thread].store(step + 1, Ordering::SeqCst);
        let mut spins = 0;
        while self.0[1 - thread].load(Ordering::SeqCst) <= step {
            spins += 1;
            if spins < 300 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
    }
}

/// One thread closes a state while another, at the same moment, wakes moves of it or closes it too.
#[test]
fn closing_and_waking_do_not_miss_each_other() {
    const STATES: usize = 40_000;
    const BITS: u32 = 6;
    let store = Store::new(Layout { key_len: 4, mask_bits: BITS, workers: 1 });
    let keys: Vec<[u8; 4]> = (0..STATES as u32).map(u32::to_le_bytes).collect();
    let offer = |state: usize, asleep: u64| Offer { hash: store.hash(&keys[state]), key: &keys[state], g: 0, asleep };
    let lock = |offer: &Offer<'_>| store.lock(store.owner(offer.hash));
    let admit = |offer: Offer<'_>| lock(&offer).admit(&offer, 0, Id::NONE).unwrap().0;
    let ids: Vec<Id> = (0..STATES).map(|state| admit(offer(state, low(BITS)))).collect();
    let lockstep = Lockstep::default();
    let (closed, met) = std::thread::scope(|scope| {
        let closer = scope.spawn(|| {
            let close = |state: usize| {
                lockstep.step(0, state);
                // The other has a lock to take first, so it comes at the mark a little later.
                (0..state % 97).for_each(|_| std::hint::spin_loop());
                store.close(ids[state])
            };
            (0..STATES).map(close).collect::<Vec<_>>()
        });
        let met: Vec<_> = (0..STATES)
            .map(|state| {
                lockstep.step(1, state);
                if state % 4 == 0 {
                    return Err(store.close(ids[state]));
                }
                let offer = offer(state, 0);
                Ok(lock(&offer).meet(&offer))
            })
            .collect();
        (closer.join().unwrap(), met)
    });
    for (state, (closed, met)) in closed.into_iter().zip(met).enumerate() {
        match met {
            Err(other) => assert!(closed.xor(other) == Some(low(BITS)), "state {state}: {closed:?} and {other:?}"),
            Ok(Meeting::Known) => assert_eq!(closed, Some(0), "state {state}"),
            Ok(Meeting::Woken(id, moves)) => {
                assert_eq!((id, moves, closed), (ids[state], low(BITS), Some(low(BITS))), "state {state}");
            }
            Ok(Meeting::New) => unreachable!("all states are stored"),
        }
    }
}

/// Four threads offer the same states in different orders and with different g. The least g wins, and of all records of a
/// state exactly one can be closed in the end.
#[test]
fn the_least_g_wins_among_threads() {
    const STATES: u64 = 2_000;
    for round in 0..6 {
        let store = Store::new(Layout { key_len: 8, mask_bits: 6, workers: 1 });
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
                    let offer = Offer { hash: store.hash(&key), key: &key, g, asleep: 0 };
                    let admitted = store.lock(store.owner(offer.hash)).admit(&offer, 0, Id::NONE);
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

// ---- Frontier ----

#[test]
fn a_chunk_is_a_stack() {
    let mut chunk = Chunk::default();
    assert!(chunk.is_empty() && chunk.pop().is_none() && chunk.peek(0).is_none());
    let mut random = random(3);
    let ids: Vec<Id> = (0..CHUNK).map(|_| Id(random.next_u64() & low(38))).collect();
    for (number, &id) in ids.iter().enumerate() {
        assert!(!chunk.is_full());
        chunk.push(id);
        assert_eq!(chunk.len(), number + 1);
        assert_eq!((chunk.peek(0), chunk.peek(number), chunk.peek(number + 1)), (Some(id), Some(ids[0]), None));
    }
    assert!(chunk.is_full());
    assert_eq!(ids, std::iter::from_fn(|| chunk.pop()).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>());
    assert!(chunk.is_empty() && chunk.pop().is_none());
    chunk.push(Id::NONE);
    assert_eq!(chunk.pop(), Some(Id::NONE));
}

#[derive(Clone, Debug)]
enum Step {
    Push { f: u32, g: u32, count: usize, apart: bool },
    PopPartial { f: u32 },
    TakeFull { f: u32 },
    Truncate { limit: u32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let count = prop_oneof![4 => 1..6_usize, 1 => Just(CHUNK), 1 => 0..3 * CHUNK];
    let push = (0..6_u32, 0..4_u32, count, any::<bool>());
    let step = prop_oneof![
        6 => push.prop_map(|(f, g, count, apart)| Step::Push { f, g, count, apart }),
        3 => (0..7_u32).prop_map(|f| Step::PopPartial { f }),
        2 => (0..7_u32).prop_map(|f| Step::TakeFull { f }),
        1 => (0..9_u32).prop_map(|limit| Step::Truncate { limit }),
    ];
    vec(step, 0..60)
}

/// The ids of a chunk in the order in which they were added.
fn ids_of(mut chunk: Box<Chunk>) -> Vec<Id> {
    let mut ids: Vec<Id> = std::iter::from_fn(|| chunk.pop()).collect();
    ids.reverse();
    ids
}

/// Open nodes by f and g, in the order in which they were added: whole chunks first, then the partly filled one.
type Model = BTreeMap<(u32, u32), Vec<Id>>;

fn pop_partial(model: &mut Model, f: u32) -> Option<(u32, Vec<Id>)> {
    let ((_, g), ids) = model.range_mut((f, 0)..=(f, u32::MAX)).rfind(|(_, ids)| !ids.is_empty())?;
    let partial = ids.split_off(ids.len() / CHUNK * CHUNK);
    (!partial.is_empty()).then_some((*g, partial))
}

fn take_full(model: &mut Model, f: u32) -> Vec<(u32, Vec<Id>)> {
    let mut taken = Vec::new();
    for (&(_, g), ids) in model.range_mut((f, 0)..=(f, u32::MAX)) {
        let partial = ids.split_off(ids.len() / CHUNK * CHUNK);
        let full = std::mem::replace(ids, partial);
        taken.extend(full.chunks(CHUNK).map(|chunk| (g, chunk.to_vec())));
    }
    taken
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn the_frontier_agrees_with_a_map(steps in steps()) {
        let (mut frontier, mut model, mut next) = (Frontier::default(), Model::new(), 0);
        for step in steps {
            match step {
                Step::Push { f, g, count, apart } => for _ in 0..count {
                    let (id, ids) = (Id(next), model.entry((f, g)).or_default());
                    next += 1;
                    ids.push(id);
                    if apart {
                        let full = ids.len().is_multiple_of(CHUNK).then(|| ids.split_off(ids.len() - CHUNK));
                        prop_assert_eq!(frontier.push_apart(f, g, id).map(ids_of), full);
                    } else {
                        frontier.push(f, g, id);
                    }
                },
                Step::PopPartial { f } => {
                    let popped = frontier.pop_partial(f).map(|(g, chunk)| (g, ids_of(chunk)));
                    prop_assert_eq!(popped, pop_partial(&mut model, f));
                }
                Step::TakeFull { f } => {
                    let taken: Vec<_> = frontier.take_full(f).into_iter().map(|(g, chunk)| (g, ids_of(chunk))).collect();
                    prop_assert_eq!(taken, take_full(&mut model, f));
                }
                Step::Truncate { limit } => {
                    frontier.truncate(limit);
                    model.retain(|&(f, _), _| f < limit);
                }
            }
            prop_assert_eq!(frontier.lowest(), model.iter().find(|(_, ids)| !ids.is_empty()).map(|((f, _), _)| *f));
            for f in 0..8 {
                let open: usize = model.range((f, 0)..=(f, u32::MAX)).map(|(_, ids)| ids.len()).sum();
                prop_assert_eq!(frontier.len_of(f), open as u64);
            }
            let chunks: usize = model.values().map(|ids| ids.len() / CHUNK).sum();
            prop_assert_eq!(frontier.bytes(), (chunks * size_of::<Chunk>()) as u64);
        }
    }
}
