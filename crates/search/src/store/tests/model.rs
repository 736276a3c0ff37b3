//! One thread against a map, and single records.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use rand_chacha::rand_core::RngCore;
use std::collections::HashMap;

#[derive(Clone, Debug)]
enum Action {
    Lookup {
        key: usize,
        g: u32,
        sleep_set: u64,
    },
    Admit {
        key: usize,
        g: u32,
        sleep_set: u64,
    },
    /// Closes a record that was stored before; it may be superseded.
    Close {
        record: usize,
    },
    /// Writes the indexes of all shards to disk.
    PutAway,
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let offer = (0..5_usize, 0..4_u32, prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]);
    let action = prop_oneof![
        9 => offer.clone().prop_map(|(key, g, sleep_set)| Action::Lookup { key, g, sleep_set }),
        9 => offer.prop_map(|(key, g, sleep_set)| Action::Admit { key, g, sleep_set }),
        9 => any::<usize>().prop_map(|record| Action::Close { record }),
        1 => Just(Action::PutAway),
    ];
    vec(action, 0..120)
}

/// What a store must know about a state.
#[derive(Clone, Copy, Debug)]
struct Known {
    g: u32,
    sleep_set: u64,
    closed: bool,
    id: Id,
}

/// A store, and the map with which it must agree.
struct Pair {
    store: Store,
    keys: Vec<Vec<u8>>,
    hashes: Vec<u64>,
    mask_bits: u32,
    model: HashMap<Vec<u8>, Known>,
    /// Every record with its key and its tag.
    records: Vec<(Id, usize, Tag)>,
    folder: tempfile::TempDir,
}

impl Pair {
    /// Five keys that differ at byte `spot` only; equal hashes are allowed.
    fn new(mask_bits: u32, key_len: usize, spot: usize, hashes: Vec<u64>) -> Self {
        let store = Store::new(Layout { key_len, mask_bits, shards: 8 });
        let key = |k: usize| {
            let mut key = vec![0xA5; key_len];
            key[spot % key_len] = k as u8;
            key
        };
        let keys = (0..hashes.len()).map(key).collect();
        let folder = tempfile::tempdir().expect("a folder");
        Self { store, keys, hashes, mask_bits, model: HashMap::new(), records: Vec::new(), folder }
    }

    fn apply(&mut self, action: &Action) {
        match *action {
            Action::Lookup { key, g, sleep_set } => {
                let offer = Offer {
                    hash: self.hashes[key],
                    key: &self.keys[key],
                    g,
                    sleep_set: sleep_set & low(self.mask_bits),
                };
                let met = self.store.lock(self.store.shard_of_hash(offer.hash)).lookup(&offer);
                let expected = expect(&mut self.model, &offer);
                assert_eq!(met, expected);
            }
            Action::Admit { key, g, sleep_set } => {
                let sleep_set = sleep_set & low(self.mask_bits);
                let offer = Offer { hash: self.hashes[key], key: &self.keys[key], g, sleep_set };
                let number = self.records.len();
                let tag = Tag { g, mv: number as u16, parent: self.records.last().map_or(Id::NONE, |last| last.0) };
                let admitted =
                    self.store.lock(self.store.shard_of_hash(offer.hash)).admit(&offer, tag.mv, tag.parent, 0);
                match expect(&mut self.model, &offer) {
                    Lookup::New => {
                        let older = self.model.get(offer.key).copied();
                        let (id, was_closed) = admitted.expect("a new state is stored");
                        assert_eq!(was_closed, older.map(|known| known.closed));
                        assert!(self.records.iter().all(|record| record.0 != id), "{id:?} twice");
                        self.model.insert(offer.key.to_vec(), Known { g, sleep_set, closed: false, id });
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
                    known.sleep_set
                });
                assert_eq!(self.store.close(id), expected);
            }
            Action::PutAway => self.store.shards.iter().for_each(|shard| spill_index(shard, self.folder.path())),
        }
    }

    /// Checks that no stored record has changed.
    fn check_records(&self) {
        for (id, key, tag) in &self.records {
            assert_eq!(self.store.key(*id), self.keys[*key]);
            assert_eq!(self.store.tag(*id), *tag);
        }
        assert_eq!(self.store.record_count(), self.records.len() as u64);
        assert_eq!(self.store.state_count(), self.model.len() as u64);
    }
}

/// The expected result of looking up `offer`, and the effect of the lookup on the model.
fn expect(model: &mut HashMap<Vec<u8>, Known>, offer: &Offer<'_>) -> Lookup {
    match model.get_mut(offer.key) {
        Some(known) if known.g < offer.g => Lookup::Known,
        Some(known) if known.g == offer.g => {
            let woken = known.sleep_set & !offer.sleep_set;
            known.sleep_set &= offer.sleep_set;
            if known.closed && woken != 0 { Lookup::Woken(known.id, woken) } else { Lookup::Known }
        }
        _ => Lookup::New,
    }
}

/// Numbers of moves around every limit between two widths of a mark.
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
    let store = Store::new(Layout { key_len: 3, mask_bits: 6, shards: 8 });
    let offer = |g, sleep_set| Offer { hash: hash_key(b"key"), key: b"key", g, sleep_set };
    let lock = || store.lock(store.shard_of_hash(hash_key(b"key")));
    let (open, was_closed) = lock().admit(&offer(7, 0b11), 1, Id::NONE, 0).unwrap();
    assert_eq!(was_closed, None);
    assert_eq!(lock().lookup(&offer(6, 0)), Lookup::New, "a smaller g is worth an evaluation");
    let (better, was_closed) = lock().admit(&offer(6, 0b101), 2, open, 0).unwrap();
    assert_eq!(was_closed, Some(false));
    assert_eq!(store.close(open), None, "its place in the frontier is to be skipped");
    assert_eq!(store.close(better), Some(0b101), "masks of another g do not count");
    let (best, was_closed) = lock().admit(&offer(5, 0), 3, Id::NONE, 0).unwrap();
    assert_eq!((was_closed, store.state_count()), (Some(true), 1));
    assert_eq!(store.close(better), None);
    assert_eq!(lock().admit(&offer(6, 0), 4, Id::NONE, 0), Err(Lookup::Known));
    assert_eq!(store.close(best), Some(0));
    assert_eq!((store.record_count(), store.tag(open).g, store.tag(better).g, store.tag(best).g), (3, 7, 6, 5));
}

#[test]
fn paths_lead_back_to_the_root() {
    let store = Store::new(Layout { key_len: 8, mask_bits: 0, shards: 32 });
    let mut random = random(1);
    let mut known: Vec<(Id, Vec<u16>)> = Vec::new();
    for number in 0..u64::from(reduced(2_000, 60)) {
        let (parent, mut path) = match known.len() {
            0 => (Id::NONE, Vec::new()),
            n => known[random.next_u32() as usize % n].clone(),
        };
        let mv = (random.next_u32() % (u32::from(MAX_MOVE) + 1)) as u16;
        let key = number.to_le_bytes();
        let offer = Offer { hash: hash_key(&key), key: &key, g: path.len() as u32, sleep_set: 0 };
        let (id, _) = store.lock(store.shard_of_hash(offer.hash)).admit(&offer, mv, parent, 0).unwrap();
        if number > 0 {
            path.push(mv);
        }
        known.push((id, path));
    }
    assert!(known.iter().all(|(id, path)| store.path(*id, &mut RecordReader::default()).as_ref() == Some(path)));
    assert!(known.iter().any(|(_, path)| path.len() > reduced(10, 3) as usize), "too shallow to tell");
}

#[test]
fn tags_fit_their_word() {
    for shards in [1, 2, 256, 512, MAX_SHARDS] {
        let layout = Layout { key_len: 1, mask_bits: 0, shards };
        let last = (shards - 1, (1 << layout.position_bits()) - 2);
        let places = [(0, 0), (0, 1), (shards - 1, 0), last];
        for (shard, position) in places {
            let parent = layout.id(shard, position);
            assert_ne!(parent, Id::NONE);
            assert_eq!(layout.place_of(parent), (shard, position), "{shards} shards");
            tags_of_parent(parent);
        }
    }
    tags_of_parent(Id::NONE);
}

fn tags_of_parent(parent: Id) {
    for g in [0, 1, MAX_G] {
        for mv in [0, 1, MAX_MOVE] {
            let tag = Tag { g, mv, parent };
            assert_eq!(Tag::from_word(tag.to_word()), tag);
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
#[cfg_attr(miri, ignore = "its many steps take too long")]
fn the_store_stays_within_its_bytes_a_state() {
    let store = Store::new(Layout { key_len: 40, mask_bits: 6, shards: 16 });
    let mut random = random(2);
    let mut worst = 0.0_f64;
    for number in 1..=300_000_u64 {
        let mut key = [0; 40];
        random.fill_bytes(&mut key);
        let offer = Offer { hash: hash_key(&key), key: &key, g: 1, sleep_set: 0 };
        assert!(store.lock(store.shard_of_hash(offer.hash)).admit(&offer, 0, Id::NONE, 0).is_ok());
        if number > 50_000 {
            worst = worst.max(store.bytes() as f64 / number as f64);
        }
    }
    // Key, tag, h, mark, and a slot of eight bytes in a table that is at least half full.
    assert!((40.0 + 8.0 + 1.0 + 1.0 + 8.0..40.0 + 29.0).contains(&worst), "{worst}");
}

/// The records with other shards are the same records: keys, tags with their parents, marks, and what lookups find.
#[test]
fn a_store_that_is_spread_holds_the_same_records() {
    let layout = Layout { key_len: 2, mask_bits: 6, shards: 8 };
    let (store, mut random) = (Store::new(layout), random(9));
    let mut ids = vec![Id::NONE];
    for _ in 0..reduced(3_000, 200) {
        let key = [(random.next_u32() % 16) as u8, (random.next_u32() % 40) as u8];
        let (g, sleep_set) = (random.next_u32() % 20, u64::from(random.next_u32() % 64));
        let offer = Offer { hash: hash_key(&key), key: &key, g, sleep_set };
        let parent = ids[random.next_u32() as usize % ids.len()];
        if let Ok((id, _)) = store.lock(store.shard_of_hash(offer.hash)).admit(&offer, 7, parent, 3) {
            ids.push(id);
            if random.next_u32().is_multiple_of(3) {
                store.close(id);
            }
        }
    }
    let bytes = store.to_bytes();
    assert_eq!(Store::from_bytes(layout, &bytes).map(|copy| copy.to_bytes()).as_ref(), Some(&bytes));
    assert!(Store::from_bytes(layout, &bytes[1..]).is_none() && Store::from_bytes(layout, &bytes[..9]).is_none());
    let (mut spread, moved) = store.reshard(64);
    assert_eq!(spread.record_count(), store.record_count());
    let (mut here, mut there) = (RecordReader::default(), RecordReader::default());
    for &id in &ids[1..] {
        let (key, tag) = store.record(id, &mut here).unwrap();
        let (new_key, new_tag) = spread.record(moved(id), &mut there).unwrap();
        assert_eq!((new_key, new_tag), (key, Tag { parent: moved(tag.parent), ..tag }));
        assert_eq!(spread.shard_of(moved(id)), spread.shard_of_hash(hash_key(key)));
        let bits = |store: &Store, id| {
            let (shard, position) = store.layout().place_of(id);
            store.shards[shard].log().mark_bits(position)
        };
        assert_eq!(bits(&spread, moved(id)), bits(&store, id));
        // The newest record of the state is found in both.
        let again = Offer { hash: hash_key(key), key, g: 0, sleep_set: 0 };
        let found = |store: &Store| store.lock(store.shard_of_hash(again.hash)).lookup(&Offer { g: MAX_G, ..again });
        assert_eq!((found(&spread), found(&store)), (Lookup::Known, Lookup::Known));
    }
    let kept = |range: Range<usize>| ids[1..].iter().filter(|&&id| range.contains(&spread.shard_of(moved(id)))).count();
    let (own, all) = (kept(16..32), spread.record_count());
    spread.retain_shards(16..32);
    assert!(own > 0 && (own as u64) < all);
    assert_eq!(spread.record_count(), own as u64);
    assert!(spread.owns(16) && !spread.owns(32));
}
