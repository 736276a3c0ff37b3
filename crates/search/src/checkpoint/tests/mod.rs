//! The recovered state equals the state in memory, and damage is found.

pub(crate) mod ranks;

use super::*;
use crate::store::tests::{low, random};
use crate::store::{
    Disk, Id, Layout, Lookup, Offer, RecordReader, SEGMENT, StorageBackend, StorageConfig, StorageFile, Store, Tag,
    hash_key,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{fs, io};

const BITS: u32 = 10;
const LAYOUT: Layout = Layout { key_len: 8, mask_bits: BITS, shards: 2 };

fn settings(run: &Path) -> CheckpointFiles {
    CheckpointFiles::unlimited(run.to_owned(), "numbers")
}

/// Settings with other limits of memory and disk.
fn limited(run: &Path, limit: impl FnOnce(StorageConfig) -> StorageConfig) -> CheckpointFiles {
    let CheckpointFiles { storage, identity } = settings(run);
    CheckpointFiles { storage: limit(storage), identity }
}

/// Every record with its tag and mark, and answers to offers.
type Contents = (Vec<(Vec<u8>, Tag, u64)>, Vec<Lookup>);

/// A store with a history: states are met again, by better ways too, closed and woken.
struct History {
    store: Store,
    checkpoints: Option<Checkpoints>,
    random: ChaCha8Rng,
    ids: Vec<Id>,
    states: u64,
}

impl History {
    fn new() -> Self {
        Self { store: Store::new(LAYOUT), checkpoints: None, random: random(5), ids: Vec::new(), states: 1 }
    }

    fn attach(&mut self, files: CheckpointFiles) {
        self.checkpoints = Some(Checkpoints::of_store(files, &self.store, None).unwrap());
    }

    fn checkpoints(&self) -> &Checkpoints {
        self.checkpoints.as_ref().expect("checkpoints")
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
            let (g, sleep_set) = (self.random.next_u32() % 50, u64::from(self.random.next_u32()) & low(BITS));
            let key = state.to_le_bytes();
            let offer = Offer { hash: hash_key(&key), key: &key, g, sleep_set };
            let parent = self.ids.last().copied().unwrap_or(Id::NONE);
            if let Ok((id, _)) = self.store.lock(self.store.shard_of_hash(offer.hash)).admit(&offer, 3, parent, 0) {
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
        for shard in 0..store.shard_count() {
            for (mark, position) in store.marks(shard).into_iter().zip(0..) {
                let id = LAYOUT.id(shard, position);
                records.push((store.key(id), store.tag(id), mark));
            }
        }
        let lookup = |state: u64, g: u32| {
            let key = state.to_le_bytes();
            let offer = Offer { hash: hash_key(&key), key: &key, g, sleep_set: u64::MAX };
            store.lock(store.shard_of_hash(offer.hash)).lookup(&offer)
        };
        (records, (0..states + 100).flat_map(|state| (0..50).step_by(7).map(move |g| lookup(state, g))).collect())
    }

    fn is_equal(&self, other: &Store) -> bool {
        Self::contents(&self.store, self.states) == Self::contents(other, self.states)
    }

    fn cut(&self, payload: &[u8]) {
        self.checkpoints().cut(Some(&self.store), payload.to_vec());
    }

    fn finish(&self) {
        assert!(self.checkpoints().finish().is_none());
    }
}

/// Enough for some full segments in each shard.
const MANY: usize = 7 * SEGMENT;

fn recover_in(run: &Path) -> Result<RecoveredStore, CheckpointError> {
    recover(&settings(run), None, &|_| true)
}

#[test]
fn what_comes_back_is_what_was_there() {
    // Files are created before the first record, within a segment, and at the end.
    for before in [0, 100, MANY / 2, MANY] {
        let run = tempfile::tempdir().unwrap();
        let mut history = History::new();
        history.go_on(before);
        history.attach(settings(run.path()));
        history.go_on(MANY - before);
        history.cut(b"first");
        history.finish();
        let first = recover_in(run.path()).unwrap();
        assert_eq!((&first.payload[..], &first.notes[..]), (&b"first"[..], &[][..]));
        assert!(history.is_equal(&first.store), "{before}");
        // The recovered store takes further checkpoints.
        (history.store, history.checkpoints) = (first.store, Some(first.checkpoints));
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
fn cold_records_read_like_hot_ones() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    history.go_on(MANY);
    // Nothing may stay in memory, but what is not on disk has to.
    history.attach(limited(run.path(), |storage| StorageConfig { max_store_bytes: Some(1), ..storage }));
    while history.store.cold_segments() < 2 {
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
    while history.store.cold_segments() < 4 {
        std::thread::yield_now();
    }
    let bytes = history.store.bytes();
    history.finish();
    let all = recover_in(run.path()).unwrap().store;
    assert!(history.is_equal(&all));
    assert!(history.store.has_cold_indexes() && !all.has_cold_indexes());
    assert!(bytes < all.bytes(), "{bytes} of {} bytes", all.bytes());
    // The same from a store that was read back with nothing in memory.
    let files = limited(run.path(), |storage| StorageConfig { max_resident_bytes: Some(1), ..storage });
    let none = recover(&files, None, &|_| true).unwrap().store;
    assert!(none.cold_segments() >= 4 && none.has_cold_indexes() && history.is_equal(&none));
}

#[test]
fn logs_go_on_in_another_place() {
    let (run, spill, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut history = History::new();
    history.attach(settings(run.path()));
    for (round, place) in [spill.path(), spill.path(), other.path(), run.path()].into_iter().enumerate() {
        history.go_on(MANY);
        history.cut(&[round as u8]);
        history.finish();
        let spill = if place == run.path() { Vec::new() } else { vec![place.to_owned()] };
        let files = limited(run.path(), |storage| StorageConfig { spill_folders: spill, ..storage });
        let back = recover(&files, None, &|_| true).unwrap();
        assert_eq!(back.payload, [round as u8]);
        assert!(history.is_equal(&back.store), "round {round}");
        (history.store, history.checkpoints) = (back.store, Some(back.checkpoints));
    }
    let logs = |folder: &Path| fs::read_dir(folder).unwrap().count();
    assert_eq!((logs(spill.path()), logs(other.path())), (2, 2));
    // Windows keeps the name of an open file.
    drop(history);
    fs::remove_dir_all(other.path()).unwrap();
    let error = recover_in(run.path()).unwrap_err().to_string();
    assert!(error.contains(&other.path().display().to_string()), "{error}");
}

/// A run with two generations; the second adds full segments.
fn two_generations(run: &Path) {
    let mut history = History::new();
    history.attach(settings(run));
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
        assert_eq!(back.store.record_count(), found.records);
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
            assert!(matches!(error, CheckpointError::NoCheckpoint { .. }) && text.contains(file), "{text}");
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
    assert!(matches!(recover_in(nothing.path()), Err(CheckpointError::NoCheckpoint { .. })));
}

/// A disk on which a file of this name cannot be opened the `nth` time, for a reason that passes.
#[derive(Debug)]
struct Refusing {
    name: &'static str,
    nth: AtomicU32,
}

/// Too many open files.
const EMFILE: i32 = 24;

impl StorageBackend for Refusing {
    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        if path.ends_with(self.name) && self.nth.fetch_sub(1, Relaxed) == 1 {
            return Err(io::Error::from_raw_os_error(EMFILE));
        }
        Disk.open(path)
    }
}

#[test]
fn no_generation_is_given_up_for_a_fault_that_passes() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let before = bytes_of(run.path());
    // The manifests are read twice: to choose among them, and to remove what was not chosen.
    let faults = ["manifest-a", "manifest-b", "journal.log", "shard-000-000000.log"].map(|name| (name, 1));
    for (name, nth) in faults.into_iter().chain([("manifest-a", 2), ("manifest-b", 2)]) {
        let backend = Arc::new(Refusing { name, nth: nth.into() });
        let refusing = limited(run.path(), |storage| StorageConfig { backend, ..storage });
        let text = recover(&refusing, None, &|_| true).unwrap_err().to_string();
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
    drop(recover(&settings(run.path()), None, &count).unwrap());
    assert!(segments.load(Relaxed) > 4);
    for last in 1..=segments.into_inner() {
        let left = AtomicU32::new(last);
        let error = recover(&settings(run.path()), None, &|_| left.fetch_sub(1, Relaxed) > 1).map(|_| ()).unwrap_err();
        assert!(matches!(error, CheckpointError::Interrupted { .. }), "{error}");
        assert!(bytes_of(run.path()) == before, "{last}");
    }
}

/// What is written of a snapshot counts once: as what is on disk, not as what is to come as well.
#[test]
fn a_snapshot_needs_its_room_once() {
    let run = tempfile::tempdir().unwrap();
    let mut history = History::new();
    history.go_on(MANY);
    let bytes = history.store.record_count() * 20;
    let disk = Some(bytes * 3 / 2 + (9 << 20));
    history.attach(limited(run.path(), |storage| StorageConfig { max_disk_bytes: disk, ..storage }));
    while !history.checkpoints().is_ready() {
        std::thread::yield_now();
    }
    assert!(history.checkpoints().check_room(false).is_ok());
}

/// A small checkpoint, the same every time.
fn fixture(run: &Path) {
    let store = Store::new(Layout { key_len: 2, mask_bits: 6, shards: 1 });
    let admit = |key: [u8; 2], g, sleep_set, parent| {
        let offer = Offer { hash: hash_key(&key), key: &key, g, sleep_set };
        store.lock(0).admit(&offer, 5, parent, 300 - 100 * g).unwrap().0
    };
    let root = admit([1, 2], 0, 0, Id::NONE);
    // Before anything is written: whether the first frame has it closed does not depend on who is faster.
    store.close(root);
    let checkpoints = Checkpoints::of_store(settings(run), &store, None).unwrap();
    let child = admit([3, 4], 1, 0b10_1010, root);
    admit([5, 6], 2, 0b11_1111, child);
    // A better way, a waking, and a closing.
    admit([5, 6], 1, 0b00_0001, root);
    let woken = Offer { hash: hash_key(&[3, 4]), key: &[3, 4], g: 1, sleep_set: 0b00_0010 };
    assert_eq!(store.lock(0).lookup(&woken), Lookup::Known);
    store.note_closed(vec![root]);
    checkpoints.cut(Some(&store), b"payload".to_vec());
    assert!(checkpoints.finish().is_none());
}

/// Files that were written once are read for ever, and the same bytes are written today.
/// `GRIDHUNT_WRITE_FIXTURES=1` writes them anew, with a new version of their form.
#[test]
fn the_form_of_the_files_is_fixed() {
    const FILES: [&str; 3] = ["manifest-b", "journal.log", "shard-000-000000.log"];
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/archive-6");
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
    let now = read_manifest(&settings(run.path()), None).unwrap();
    let then = read_manifest(&settings(&kept), None).unwrap();
    assert_eq!((now.sequence, now.records, now.bytes, &now.payload), (1, 4, then.bytes, &then.payload));
    assert_eq!((then.sequence, then.records, then.identity), (1, 4, now.identity));
    // A copy, because a resume changes what it goes on with.
    let copy = tempfile::tempdir().unwrap();
    FILES.iter().for_each(|file| _ = fs::copy(kept.join(file), copy.path().join(file)).unwrap());
    let back = recover_in(copy.path()).unwrap();
    let at = |position| back.store.layout().id(0, position);
    assert_eq!(back.store.marks(0), [1, 0b10 << 1, 0b11_1111 << 1 | 1, 1 << 1]);
    assert_eq!((back.store.key(at(3)), back.store.tag(at(3)).g), (vec![5, 6], 1));
    let mut open = Vec::new();
    back.store.open_records(0, &mut RecordReader::default(), |id, g, h| open.push((id, g, h)));
    assert_eq!(open, [1, 3].map(|position| (at(position), 1, 200)));
}

#[test]
fn no_bytes_confuse_the_decoders() {
    let run = tempfile::tempdir().unwrap();
    fixture(run.path());
    let manifest = fs::read(run.path().join("manifest-b")).unwrap();
    let journal = fs::read(run.path().join("journal.log")).unwrap()[8..].to_vec();
    assert_eq!(decoders::reencode_manifest(&manifest), Ok(manifest.clone()));
    assert_eq!(decoders::reencode_frames(&journal), Ok(journal.clone()));
    for at in 0..manifest.len() {
        let mut bent = manifest.clone();
        bent[at] ^= 1;
        let [bent, cut] = [&bent, &manifest[..at]].map(decoders::reencode_manifest);
        assert!(bent.is_err() && cut.is_err(), "byte {at}");
    }
    for at in 0..journal.len() {
        let mut bent = journal.clone();
        bent[at] ^= 1;
        // A length may become larger than what is there: then the rest is half a frame.
        let encoded = decoders::reencode_frames(&bent);
        assert!(encoded.is_err() || encoded.unwrap().len() < journal.len(), "byte {at}");
    }
    let mut random = random(9);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..random.next_u32() % 200).map(|_| random.next_u32() as u8).collect();
        assert!(decoders::reencode_manifest(&bytes).is_err());
        let _ = decoders::reencode_frames(&bytes);
    }
}

/// Checkpoints without records are a payload alone, in two generations, and need no other file.
#[test]
fn a_payload_alone_comes_back() {
    let run = tempfile::tempdir().unwrap();
    let folder = run.path().join("run");
    let checkpoints = Checkpoints::without_records(settings(&folder)).unwrap();
    for payload in [&b"one"[..], b"two", b"three"] {
        assert!(checkpoints.is_ready());
        checkpoints.cut(None, payload.to_vec());
        while !checkpoints.is_ready() {
            std::thread::yield_now();
        }
    }
    assert!(checkpoints.finish().is_none());
    assert!(bytes_of(&folder).keys().eq(["manifest-a", "manifest-b"]));
    let found = inspect(&settings(&folder)).unwrap();
    assert_eq!((found.sequence, found.records, found.bytes, &found.payload[..]), (3, 0, 0, &b"three"[..]));
    // A damaged generation gives way to the one before, and is removed.
    flip(&folder.join("manifest-b"), -1);
    let RecoveredPayload { checkpoints, payload, notes, .. } = recover_payload(&settings(&folder)).unwrap();
    assert_eq!((&payload[..], notes.len()), (&b"two"[..], 1));
    checkpoints.cut(None, b"four".to_vec());
    assert!(checkpoints.finish().is_none());
    let found = read_manifest(&settings(&folder), None).unwrap();
    assert_eq!((found.sequence, &found.payload[..], found.notes.len()), (3, &b"four"[..], 0));
    // An engine with records finds none, and another search finds nothing of its own.
    let text = recover_in(&folder).unwrap_err().to_string();
    assert!(text.contains("a checkpoint without records"), "{text}");
    let other = CheckpointFiles { identity: "letters".to_owned(), ..settings(&folder) };
    assert!(matches!(recover_payload(&other), Err(CheckpointError::OtherSearch { .. })));
    discard(&settings(&folder)).unwrap();
    assert!(!folder.exists());
}

/// The body of a checkpoint comes back as long as its bytes are whole; otherwise the generation before is used, whose
/// body is in another file. A body without room leaves the checkpoint before.
#[test]
fn a_body_comes_back_and_no_damage_of_it_is_missed() {
    let run = tempfile::tempdir().unwrap();
    let folder = run.path().join("run");
    let checkpoints = Checkpoints::without_records(settings(&folder)).unwrap();
    let storage = settings(&folder).storage;
    let long = |of: u8| (0..3_000_000_u32).map(|at| (at / 7) as u8 ^ of).collect::<Vec<_>>();
    for of in 1..=5 {
        let mut write = |out: &mut dyn Write| long(of).chunks(70_001).try_for_each(|bytes| out.write_all(bytes));
        checkpoints.cut_with_body(vec![of], &storage, &mut write).unwrap();
        while !checkpoints.is_ready() {
            std::thread::yield_now();
        }
    }
    assert_eq!(checkpoints.body_bytes(), 9_000_000);
    let tight = StorageConfig { max_disk_bytes: Some(8_000_000), ..storage.clone() };
    let mut write = |out: &mut dyn Write| out.write_all(&long(6));
    let error = checkpoints.cut_with_body(vec![6], &tight, &mut write).unwrap_err();
    assert!(error.is_full(), "{error}");
    assert!(checkpoints.finish().is_none());
    let found = inspect(&settings(&folder)).unwrap();
    assert_eq!((found.sequence, found.bytes, &found.payload[..]), (5, 3_000_000, &[5][..]));
    assert!(found.checked_files == 2 && found.checked_bytes > 3_000_000);
    let read = |payload: u8| {
        let RecoveredPayload { payload: found, body, notes, .. } = recover_payload(&settings(&folder)).unwrap();
        let (mut body, mut bytes) = (body.expect("a body"), Vec::new());
        assert_eq!(body.remaining_bytes(), 3_000_000);
        body.read_to_end(&mut bytes).unwrap();
        assert!((body.remaining_bytes(), &found[..]) == (0, &[payload][..]) && bytes == long(payload));
        notes
    };
    assert!(read(5).is_empty());
    // Checkpoint 5 has the body in file 2.
    flip(&folder.join("body-2.bin"), -1_000);
    let notes = read(4);
    assert!(notes.len() == 1 && notes[0].contains("body-2.bin"), "{notes:?}");
    fs::remove_file(folder.join("body-1.bin")).unwrap();
    assert!(matches!(recover_payload(&settings(&folder)), Err(CheckpointError::NoCheckpoint { .. })));
    discard(&settings(&folder)).unwrap();
    assert!(!folder.exists());
}
