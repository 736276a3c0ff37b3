//! The bounded table against a map.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore;
use std::collections::HashMap;

/// Keys, g and sleep sets of visits. The keys are few, so that most states are visited several times.
fn visits() -> impl Strategy<Value = Vec<(u8, u32, u64)>> {
    vec((0..40_u8, 0..5_u32, prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]), 0..300)
}

fn visit(table: &TranspositionTable, layer: u32, key: u8, g: u32, sleep_set: u64) -> Visit {
    let key = [key, 1, 2];
    table.visit(layer, &Offer { hash: hash_key(&key), key: &key, g, sleep_set })
}

proptest! {
    #![proptest_config(config(400))]

    /// A table with room for all states, in several layers one after the other.
    #[test]
    fn a_table_with_room_agrees_with_a_map(layers in vec(visits(), 1..4)) {
        let table = TranspositionTable::new(3, reduced(1 << 22, 1 << 18).into());
        for (layer, visits) in layers.into_iter().enumerate() {
            let mut model: HashMap<u8, (u32, u64)> = HashMap::new();
            for (key, g, sleep_set) in visits {
                let expected = match model.get_mut(&key) {
                    None => {
                        model.insert(key, (g, sleep_set));
                        Visit::First
                    }
                    Some(known) if known.0 < g => Visit::Known,
                    Some(known) if known.0 > g => {
                        Visit::Cheaper(std::mem::replace(known, (g, sleep_set)).0)
                    }
                    Some(known) => {
                        let woken = known.1 & !sleep_set;
                        known.1 &= sleep_set;
                        if woken == 0 { Visit::Known } else { Visit::Woken(woken) }
                    }
                };
                prop_assert_eq!(visit(&table, layer as u32, key, g, sleep_set), expected);
            }
            prop_assert_eq!(table.count(layer as u32), model.len() as u64);
        }
    }
}

/// A table without room evicts entries, but a state that it calls known was visited with the same or a smaller g.
#[test]
#[cfg_attr(miri, ignore = "its many steps take too long")]
fn a_table_without_room_never_says_too_much() {
    let table = TranspositionTable::new(4, 0);
    let room = table.bytes() / TranspositionTable::bytes_for(4, 1);
    let mut least: HashMap<u32, u32> = HashMap::new();
    let (mut known, mut random) = (0, random(9));
    for _ in 0..200_000 {
        let (number, g) = (random.next_u32() % 20_000, random.next_u32() % 30);
        let key = number.to_le_bytes();
        let before = least.get(&number).copied();
        match table.visit(1, &Offer { hash: hash_key(&key), key: &key, g, sleep_set: 0 }) {
            Visit::First => {}
            Visit::Cheaper(larger) => assert!(before.is_some() && larger > g, "{number} was never here"),
            Visit::Known => {
                known += 1;
                assert!(before.is_some_and(|least| least <= g), "{number} at {g}, least {before:?}");
            }
            Visit::Woken(moves) => panic!("{moves:b} of nothing asleep"),
        }
        least.insert(number, before.map_or(g, |least| least.min(g)));
    }
    assert!(known > 1_000 && table.count(1) <= room && least.len() as u64 > 4 * room, "{known} of {room}");
}

/// States with equal tags and buckets are still different states.
#[test]
fn a_hit_is_confirmed_by_the_key() {
    let table = TranspositionTable::new(1, 0);
    for key in 0..6_u8 {
        let offer = Offer { hash: 77 << 40, key: &[key], g: 3, sleep_set: 0 };
        assert_eq!(table.visit(2, &offer), Visit::First);
        assert_eq!(table.visit(2, &offer), Visit::Known);
    }
}
