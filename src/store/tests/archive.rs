//! The archive: what comes back from disk is what was in memory, and what is damaged is found.

use super::super::archive::Nameless;
use super::super::log::SEGMENT;
use super::*;
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{fs, io};

const BITS: u32 = 10;
const LAYOUT: Layout = Layout { key_len: 8, mask_bits: BITS, shards: 2 };

pub(super) fn settings(run: &Path) -> ArchiveSettings {
    ArchiveSettings::unlimited(run.to_owned(), "numbers")
}

/// Sends the index of a shard to disk.
pub(super) fn put_index_away(shard: &Shard, folder: &Path) {
    let file = Nameless::create(&settings(folder), "index", 0, &Arc::default()).unwrap();
    shard.put_index_away(file, &Arc::default()).unwrap();
}

/// Every record with its tag and mark, and answers to offers.
type Contents = (Vec<(Vec<u8>, Tag, u64)>, Vec<Lookup>);

/// A store with a history: states are met again, by better ways too, closed and woken.
struct History {
    store: Store,
    random: ChaCha8Rng,
    ids: Vec<Id>,
    states: u64,
}

impl History {
    fn new() -> Self {
        Self { store: Store::new(LAYOUT), random: random(5), ids: Vec::new(), states: 1 }
    }

    fn go_on(&mut self, steps: usize) {
        let mut closed = Vec::new();
        for _ in 0..steps {
            // Three in four are new or nearly so; the g of the others is often smaller than before.
            let state = match self.random.next_u32() % 4 {
                0 => u64::from(self.random.next_u32()) % self.states,
                _ => self.states,
            };
            self.states += u64::from(state == self.states);
            let (g, asleep) = (self.random.next_u32() % 50, u64::from(self.random.next_u32()) & low(BITS));
            let key = state.to_le_bytes();
            let offer = Offer { hash: hash_key(&key), key: &key, g, asleep };
            let parent = self.ids.last().copied().unwrap_or(Id::NONE);
            if let Ok((id, _)) = self.store.lock(self.store.owner(offer.hash)).admit(&offer, 3, parent) {
                self.ids.push(id);
            }
            let id = self.ids[self.random.next_u32() as usize % self.ids.len()];
            if self.random.next_u32().is_multiple_of(3) && self.store.close(id).is_some() {
                closed.push(id);
            }
        }
        self.store.note_closed(closed);
    }

    /// The offers change nothing.
    fn contents(store: &Store, states: u64) -> Contents {
        let mut records = Vec::new();
        for (number, shard) in store.shards.iter().enumerate() {
            for local in 0..shard.records() as u32 {
                let id = Id::new(number, local);
                records.push((store.key(id), store.tag(id), shard.log().mark_bits(local)));
            }
        }
        let lookup = |state: u64, g: u32| {
            let key = state.to_le_bytes();
            let offer = Offer { hash: hash_key(&key), key: &key, g, asleep: u64::MAX };
            store.lock(store.owner(offer.hash)).lookup(&offer)
        };
        (records, (0..states + 100).flat_map(|state| (0..50).step_by(7).map(move |g| lookup(state, g))).collect())
    }

    fn is_equal(&self, other: &Store) -> bool {
        Self::contents(&self.store, self.states) == Self::contents(other, self.states)
    }

    fn cut(&self, payload: &[u8]) {
        self.store.cut(payload.to_vec());
    }

    fn finish(&self) {
        assert!(self.store.archive().expect("an archive").finish().is_none());
    }
}

/// Enough for some full segments in each shard.
const MANY: usize = 7 * SEGMENT;

fn recover_in(run: &Path) -> Result<Recovered, ArchiveError> {
    recover(&settings(run), &|_| true)
}

#[test]
fn what_comes_back_is_what_was_there() {
    // Archived from the first record, from the midst of a segment, and at the end.
    for before in [0, 100, MANY / 2, MANY] {
        let run = tempfile::tempdir().unwrap();
        let mut history = History::new();
        history.go_on(before);
        history.store.attach(settings(run.path())).unwrap();
        history.go_on(MANY - before);
        history.cut(b"first");
        history.finish();
        let first = recover_in(run.path()).unwrap();
        assert_eq!((&first.payload[..], &first.notes[..]), (&b"first"[..], &[][..]));
        assert!(history.is_equal(&first.store), "{before}");
        // What is recovered is archived further.
        history.store = first.store;
        for round in 0..3 {
            history.go_on(SEGMENT + 700 * round);
            history.cut(&[round as u8]);
        }
        history.finish();
        let last = recover_in(run.path()).unwrap();
        assert_eq!(last.payload, [2]);
        assert!(history.is_equal(&last.store), "{before}");
    }
}

#[test]
fn what_was_not_cut_does_not_come_back() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    history.store.attach(settings(run.path())).unwrap();
    history.go_on(MANY);
    history.cut(b"cut");
    let (records, states) = (history.store.records(), history.states);
    let expected = History::contents(&history.store, states);
    history.go_on(MANY);
    history.finish();
    let back = recover_in(run.path()).unwrap().store;
    assert_eq!(back.records(), records);
    assert!(History::contents(&back, states) == expected);
}

#[test]
fn cold_records_read_like_hot_ones() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    history.go_on(MANY);
    // Nothing may stay in memory, but what is not on disk has to.
    history.store.attach(ArchiveSettings { share: Some(1), ..settings(run.path()) }).unwrap();
    let cold = |store: &Store| store.shards.iter().map(|shard| shard.log().cold_segments()).min();
    while cold(&history.store) < Some(2) {
        std::thread::yield_now();
    }
    let twin = {
        let mut twin = History::new();
        twin.go_on(MANY);
        twin
    };
    assert!(twin.is_equal(&history.store));
    history.go_on(MANY);
    history.cut(b"");
    while cold(&history.store) < Some(4) {
        std::thread::yield_now();
    }
    let bytes = history.store.bytes();
    history.finish();
    let all = recover_in(run.path()).unwrap().store;
    assert!(history.is_equal(&all));
    let on_disk = |store: &Store| store.shards.iter().all(|shard| shard.index_sizes().cold > 0);
    assert!(on_disk(&history.store) && !on_disk(&all));
    assert!(bytes < all.bytes(), "{bytes} of {} bytes", all.bytes());
    // The same from a store that was read back with nothing in memory.
    let none = recover(&ArchiveSettings { resident: Some(1), ..settings(run.path()) }, &|_| true).unwrap().store;
    assert!(cold(&none) >= Some(4) && on_disk(&none) && history.is_equal(&none));
}

#[test]
fn logs_go_on_in_another_place() {
    let (run, spill, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut history = History::new();
    history.store.attach(settings(run.path())).unwrap();
    for (round, place) in [spill.path(), spill.path(), other.path(), run.path()].into_iter().enumerate() {
        history.go_on(MANY);
        history.cut(&[round as u8]);
        history.finish();
        let spill = if place == run.path() { Vec::new() } else { vec![place.to_owned()] };
        let back = recover(&ArchiveSettings { spill, ..settings(run.path()) }, &|_| true).unwrap();
        assert_eq!(back.payload, [round as u8]);
        assert!(history.is_equal(&back.store), "round {round}");
        history.store = back.store;
    }
    let logs = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!((logs(spill.path()), logs(other.path())), (2, 2));
    fs::remove_dir_all(other.path()).unwrap();
    let error = recover_in(run.path()).unwrap_err().to_string();
    assert!(error.contains(&other.path().display().to_string()), "{error}");
}

/// A run with two generations; the second adds full segments.
fn two_generations(run: &Path) {
    let mut history = History::new();
    history.store.attach(settings(run)).unwrap();
    history.go_on(MANY);
    history.cut(b"one");
    history.go_on(MANY);
    history.cut(b"two");
    history.finish();
}

/// Changes a byte of a file, counted from its end when negative.
fn flip(path: &Path, at: i64) {
    let mut bytes = fs::read(path).unwrap();
    let at = if at < 0 { bytes.len() as i64 + at } else { at } as usize;
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_damaged_generation_gives_way_to_the_one_before() {
    for (file, at) in
        [("manifest-a", 3), ("manifest-a", 90), ("manifest-a", -1), ("journal.log", -1), ("shard-001-000000.log", -1)]
    {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        flip(&run.path().join(file), at);
        let found = inspect(&settings(run.path())).unwrap();
        assert_eq!((&found.payload[..], found.sequence, found.notes.len()), (&b"one"[..], 1, 1));
        let back = recover_in(run.path()).unwrap();
        assert_eq!((&back.payload[..], back.notes.len()), (&b"one"[..], 1), "{file}");
        assert!(back.notes[0].contains(file), "{:?}", back.notes);
        assert_eq!(back.store.records(), found.records);
        drop(back);
        // What was not used is gone: nothing of it can be mistaken later.
        let again = recover_in(run.path()).unwrap();
        assert_eq!((&again.payload[..], again.notes.len()), (&b"one"[..], 0));
    }
}

#[test]
fn damage_in_the_midst_is_named_and_never_read_past() {
    for (file, at) in [
        ("journal.log", 3),
        ("journal.log", 20),
        ("journal.log", 2_000),
        ("shard-000-000000.log", 5_000),
        ("shard-001-000000.log", 9),
    ] {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        flip(&run.path().join(file), at);
        for error in
            [recover_in(run.path()).map(|_| ()).unwrap_err(), inspect(&settings(run.path())).map(|_| ()).unwrap_err()]
        {
            let text = error.to_string();
            assert!(matches!(error, ArchiveError::NoCheckpoint { .. }) && text.contains(file), "{text}");
        }
        // Nothing was changed: mended by hand, the checkpoint holds again.
        flip(&run.path().join(file), at);
        assert_eq!(recover_in(run.path()).unwrap().payload, b"two");
    }
}

/// All files of a folder, by name.
fn bytes_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn looking_changes_nothing_and_makes_no_file_that_is_missing() {
    for file in ["journal.log", "shard-000-000000.log", "manifest-a", "manifest-b"] {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        fs::remove_file(run.path().join(file)).unwrap();
        let before = bytes_of(run.path());
        let missing = inspect(&settings(run.path())).is_err();
        assert_eq!(missing, !file.starts_with("manifest"), "{file}");
        assert_eq!(recover_in(run.path()).is_err(), missing, "{file}");
        let after = bytes_of(run.path());
        assert!(before.keys().eq(after.keys()) && (before == after || !missing), "{file}");
    }
}

#[test]
fn files_that_end_too_early_are_found() {
    for file in ["journal.log", "shard-000-000000.log", "manifest-a"] {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        let path = run.path().join(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let back = recover_in(run.path()).unwrap();
        assert_eq!((&back.payload[..], back.notes.len()), (&b"one"[..], 1), "{file}");
        drop(back);
        fs::write(&path, []).unwrap();
        assert_eq!(recover_in(run.path()).is_err(), file != "manifest-a", "{file}");
    }
    let nothing = tempfile::tempdir().unwrap();
    assert!(matches!(recover_in(nothing.path()), Err(ArchiveError::NoCheckpoint { .. })));
}

/// A disk on which a file of this name cannot be opened the `nth` time, for a reason that passes.
#[derive(Debug)]
struct Refusing {
    name: &'static str,
    nth: AtomicU32,
}

/// Too many open files.
const EMFILE: i32 = 24;

impl Medium for Refusing {
    fn open(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        if path.ends_with(self.name) && self.nth.fetch_sub(1, Relaxed) == 1 {
            return Err(io::Error::from_raw_os_error(EMFILE));
        }
        Disk.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn MediumFile>> {
        Disk.create(path)
    }

    fn create_nameless(&self, folder: &Path) -> io::Result<Box<dyn MediumFile>> {
        Disk.create_nameless(folder)
    }

    as_disk_does!();
}

#[test]
fn no_generation_is_given_up_for_a_fault_that_passes() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let before = bytes_of(run.path());
    // The manifests are read twice: to choose among them, and to remove what was not chosen.
    let faults = ["manifest-a", "manifest-b", "journal.log", "shard-000-000000.log"].map(|name| (name, 1));
    for (name, nth) in faults.into_iter().chain([("manifest-a", 2), ("manifest-b", 2)]) {
        let medium = Arc::new(Refusing { name, nth: nth.into() });
        let refusing = ArchiveSettings { medium, ..settings(run.path()) };
        let text = recover(&refusing, &|_| true).unwrap_err().to_string();
        assert!(text.contains(name) && text.contains("cannot open"), "{text}");
        assert!(bytes_of(run.path()) == before, "{name}");
        // It has passed.
        assert_eq!(inspect(&refusing).unwrap().payload, b"two");
    }
    assert_eq!(recover_in(run.path()).unwrap().payload, b"two");
}

#[test]
fn reading_back_can_be_interrupted_at_any_segment() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let before = bytes_of(run.path());
    let segments = AtomicU32::new(0);
    let count = |_: u64| {
        segments.fetch_add(1, Relaxed);
        true
    };
    drop(recover(&settings(run.path()), &count).unwrap());
    assert!(segments.load(Relaxed) > 4);
    for last in 1..=segments.into_inner() {
        let left = AtomicU32::new(last);
        let error = recover(&settings(run.path()), &|_| left.fetch_sub(1, Relaxed) > 1).map(|_| ()).unwrap_err();
        assert!(matches!(error, ArchiveError::Interrupted { .. }), "{error}");
        assert!(bytes_of(run.path()) == before, "{last}");
    }
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let other = ArchiveSettings { identity: "letters".to_owned(), ..settings(run.path()) };
    let text = recover(&other, &|_| true).unwrap_err().to_string();
    assert!(text.contains("a checkpoint of numbers, expected one of letters"), "{text}");
}

#[test]
fn a_disk_that_is_full_is_told_and_the_last_checkpoint_holds() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    let disk = Some(4 * MANY as u64);
    history.store.attach(ArchiveSettings { disk, ..settings(run.path()) }).unwrap();
    history.go_on(MANY / 8);
    history.cut(b"fits");
    history.go_on(MANY);
    history.cut(b"does not");
    let archive = history.store.archive().unwrap();
    let error = archive.finish().expect("no room");
    assert!(error.is_full(), "{error}");
    assert!(archive.check_room().is_err_and(|error| error.is_full()));
    assert_eq!(recover_in(run.path()).unwrap().payload, b"fits");
}

/// What is written of a snapshot counts once: as what is on disk, not as what is to come as well.
#[test]
fn a_snapshot_needs_its_room_once() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    history.go_on(MANY);
    let bytes = history.store.records() * 20;
    let disk = Some(bytes * 3 / 2 + (9 << 20));
    history.store.attach(ArchiveSettings { disk, ..settings(run.path()) }).unwrap();
    let archive = history.store.archive().unwrap();
    while !archive.is_ready() {
        std::thread::yield_now();
    }
    assert!(archive.check_room().is_ok());
}

/// A small archive, the same every time.
fn fixture(run: &Path) {
    let store = Store::new(Layout { key_len: 2, mask_bits: 6, shards: 1 });
    let admit = |key: [u8; 2], g, asleep, parent| {
        let offer = Offer { hash: hash_key(&key), key: &key, g, asleep };
        store.lock(0).admit(&offer, 5, parent).unwrap().0
    };
    let root = admit([1, 2], 0, 0, Id::NONE);
    // Before anything is written: whether the first frame has it closed does not depend on who is faster.
    store.close(root);
    store.attach(settings(run)).unwrap();
    let child = admit([3, 4], 1, 0b10_1010, root);
    admit([5, 6], 2, 0b11_1111, child);
    // A better way, a waking, and a closing.
    admit([5, 6], 1, 0b00_0001, root);
    let woken = Offer { hash: hash_key(&[3, 4]), key: &[3, 4], g: 1, asleep: 0b00_0010 };
    assert_eq!(store.lock(0).lookup(&woken), Lookup::Known);
    store.note_closed(vec![root]);
    store.cut(b"payload".to_vec());
    assert!(store.archive().unwrap().finish().is_none());
}

/// Files that were written once are read for ever, and the same bytes are written today.
/// `GRIDHUNT_WRITE_FIXTURES=1` writes them anew, with a new version of their form.
#[test]
fn the_form_of_the_files_is_fixed() {
    const FILES: [&str; 3] = ["manifest-b", "journal.log", "shard-000-000000.log"];
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/archive-1");
    let run = tempfile::tempdir().unwrap();
    fixture(run.path());
    if std::env::var_os("GRIDHUNT_WRITE_FIXTURES").is_some() {
        fs::create_dir_all(&kept).unwrap();
        FILES.iter().for_each(|file| _ = fs::copy(run.path().join(file), kept.join(file)).unwrap());
    }
    for file in &FILES[1..] {
        assert_eq!(fs::read(run.path().join(file)).unwrap(), fs::read(kept.join(file)).unwrap(), "{file}");
    }
    // The manifest alone names the time.
    let now = super::super::glance(&settings(run.path())).unwrap();
    let then = super::super::glance(&settings(&kept)).unwrap();
    assert_eq!((now.sequence, now.records, now.bytes, &now.payload), (1, 4, then.bytes, &then.payload));
    assert_eq!((then.sequence, then.records, then.identity), (1, 4, now.identity));
    // A copy, because a resume changes what it goes on with.
    let copy = tempfile::tempdir().unwrap();
    FILES.iter().for_each(|file| _ = fs::copy(kept.join(file), copy.path().join(file)).unwrap());
    let back = recover_in(copy.path()).unwrap();
    let marks: Vec<_> = (0..4).map(|local| back.store.shards[0].log().mark_bits(local)).collect();
    assert_eq!(marks, [1, 0b10 << 1, 0b11_1111 << 1 | 1, 1 << 1]);
    assert_eq!((back.store.key(Id::new(0, 3)), back.store.tag(Id::new(0, 3)).g), (vec![5, 6], 1));
}

#[test]
fn no_bytes_confuse_the_decoders() {
    let run = tempfile::tempdir().unwrap();
    fixture(run.path());
    let manifest = fs::read(run.path().join("manifest-b")).unwrap();
    let journal = fs::read(run.path().join("journal.log")).unwrap()[8..].to_vec();
    assert_eq!(decoders::manifest(&manifest), Ok(manifest.clone()));
    assert_eq!(decoders::frames(&journal), Ok(journal.clone()));
    for at in 0..manifest.len() {
        let mut bent = manifest.clone();
        bent[at] ^= 1;
        assert!(decoders::manifest(&bent).is_err() && decoders::manifest(&manifest[..at]).is_err(), "byte {at}");
    }
    for at in 0..journal.len() {
        let mut bent = journal.clone();
        bent[at] ^= 1;
        // A length may become larger than what is there: then the rest is half a frame.
        assert!(
            decoders::frames(&bent).is_err() || decoders::frames(&bent).unwrap().len() < journal.len(),
            "byte {at}"
        );
    }
    let mut random = random(9);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.next_u32() % 200).map(|_| random.next_u32() as u8).collect();
        assert!(decoders::manifest(&bytes).is_err());
        let _ = decoders::frames(&bytes);
    }
}
