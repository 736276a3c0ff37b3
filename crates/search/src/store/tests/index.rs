//! The index alone, and an index that grows inside a store.

use super::super::cold_index::ColdIndex;
use super::super::index::Index;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Stores the keys `0..n` with the hashes of `hash_of`. Now and then looks up all of them, and as many keys that were
/// not stored.
fn grow(n: u64, hash_of: impl Fn(u64) -> u64) {
    let n = n.min(reduced(u32::MAX, 40).into());
    let store = Store::new(Layout { key_len: 9, mask_bits: 12, shards: 8 });
    let key_of = |number: u64| {
        let mut key = [7; 9];
        key[1..].copy_from_slice(&number.to_le_bytes());
        key
    };
    let lookup = |number: u64, g: u32| {
        let hash = hash_of(number);
        store.lock(store.shard_of_hash(hash)).lookup(&Offer { hash, key: &key_of(number), g, sleep_set: low(12) })
    };
    let mut ids = Vec::new();
    let mut next_look = 1;
    for number in 0..n {
        let key = key_of(number);
        let offer = Offer { hash: hash_of(number), key: &key, g: 3, sleep_set: number & low(12) };
        let (id, was_closed) = store.lock(store.shard_of_hash(offer.hash)).admit(&offer, 0, Id::NONE, 0).unwrap();
        assert_eq!(was_closed, None);
        ids.push(id);
        if number + 1 == next_look || number + 1 == n {
            next_look = next_look * 3 / 2 + 1;
            assert_eq!(store.record_count(), number + 1);
            for known in 0..=number {
                assert_eq!(lookup(known, 3), Lookup::Known, "state {known} of {number}");
                assert_eq!(lookup(known, 2), Lookup::New, "state {known} of {number}");
                assert_eq!(lookup(n + known, 3), Lookup::New, "no state, beside {number}");
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
    grow(200_000, |number| hash_key(&number.to_le_bytes()));
}

#[test]
fn growing_under_equal_fingerprints_loses_nothing() {
    // The shard takes the lowest bits of a hash, the fingerprint the highest 32.
    grow(6_000, |number| (number % 150).wrapping_mul(0x9E37_79B9_7F4A_7C15) & !0xFFFF_FFF0);
    grow(1_500, |_| 5 << 32);
}

#[test]
fn growing_under_crowded_fingerprints_loses_nothing() {
    grow(3_000, |number| number << 32);
    // The end of the table: one such state in 8, more than there are slots behind the last home.
    grow(1_900, |number| match number % 8 {
        0 => u64::MAX << 40 | (number / 8) << 32,
        _ => hash_key(&number.to_le_bytes()) & !7,
    });
}

/// All slots of an index.
fn slots(index: &Index) -> Vec<u64> {
    let (slots, _) = index.prefetch_hint();
    // SAFETY: the hint is the start of the table, `bytes` its length; the table is not changed while it is borrowed.
    let inverted = unsafe { std::slice::from_raw_parts(slots, index.bytes() as usize / size_of::<u64>()) };
    inverted.iter().map(|slot| !slot).collect()
}

/// Occupied slots rise, no slot lies before its home, and no empty slot lies between a slot and its home.
fn check_order(index: &Index, occupied: usize) {
    const EMPTY: u64 = u64::MAX;
    let (slots, (_, homes)) = (slots(index), index.prefetch_hint());
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

/// Fingerprints of which many are equal, and many lie at the end of the table: more than fit behind its last home.
fn fingerprints() -> impl Strategy<Value = Vec<u32>> {
    let one = prop_oneof![
        4 => any::<u32>(),
        2 => Just(0),
        2 => 0..4_u32,
        1 => (0..8_u32).prop_map(|n| n << 29),
        1 => (0..200_u32).prop_map(|n| 0x7FFF_FF00 + n),
    ];
    let up_to = |many| 0..=reduced(many, 20) as usize;
    let end = prop_oneof![
        vec((u32::MAX - 3)..=u32::MAX, up_to(400)),
        vec(u32::MAX << 24.., up_to(190)),
        vec(u32::MAX << 20.., up_to(190)),
    ];
    (prop_oneof![vec(one.clone(), 0..20), vec(one, up_to(2_500))], end).prop_flat_map(|(mut all, end)| {
        all.extend(end);
        Just(all).prop_shuffle()
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn an_index_on_disk_holds_what_the_one_in_memory_held(fingerprints in fingerprints(), parts in 1..5_usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut model: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut cold: Option<ColdIndex> = None;
        let mut found = Vec::new();
        let part = fingerprints.len().div_ceil(parts).max(1);
        for (number, some) in fingerprints.chunks(part).enumerate() {
            let mut index = Index::new();
            for (&fingerprint, position) in some.iter().zip((number * part) as u32..) {
                let mut cursor = index.start(fingerprint);
                while index.next(fingerprint, &mut cursor).is_some() {}
                index.insert(fingerprint, cursor, position);
                model.entry(fingerprint).or_default().push(position);
            }
            let config = StorageConfig::unlimited(folder.path().to_owned());
            let file = TempFile::create(&config, "index", number, &Arc::default()).unwrap();
            let written = ColdIndex::write(file, cold.as_ref(), &index, &Arc::default()).unwrap();
            prop_assert_eq!(written.occupied() as usize, number * part + some.len());
            for (&fingerprint, expected) in &model {
                written.find(fingerprint, &mut found);
                let mut positions: Vec<u32> = found.iter().map(|slot| slot.position).collect();
                positions.sort_unstable();
                prop_assert_eq!(&positions, expected);
                let absent = fingerprint.wrapping_add(1);
                written.find(absent, &mut found);
                prop_assert_eq!(found.is_empty(), !model.contains_key(&absent));
            }
            // Another position in a slot, and back.
            written.find(some[0], &mut found);
            let slot = found[0];
            written.repoint(slot, 1 << 29);
            written.find(some[0], &mut found);
            prop_assert!(found.iter().any(|slot| slot.position == 1 << 29));
            written.repoint(slot, slot.position);
            cold = Some(written);
        }
    }

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
            prop_assert!((position as u64 + 1) * 5 <= index.prefetch_hint().1 * 4, "too full");
            prop_assert!(index.prefetch_hint().1 * 2 <= (position as u64 + 1) * 5 + 1024, "too large");
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
        let mut expected = slots(&index);
        let slot_of = |position: u32| u64::from(fingerprints[chosen]) << 32 | u64::from(position);
        let at = expected.iter().position(|&slot| slot == slot_of(chosen as u32)).unwrap();
        for position in [low(30) as u32, 1_000_000] {
            index.repoint(cursor, position);
            expected[at] = slot_of(position);
            prop_assert_eq!(slots(&index), expected.clone());
        }
    }
}
