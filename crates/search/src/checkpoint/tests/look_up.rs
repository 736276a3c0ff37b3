//! Single states are found without a store, as a store that was read back has them.

use super::*;
use std::sync::atomic::AtomicU64;

/// What a look-up has to say about numbers from 0 on, by a store that was read back.
fn expected(store: &Store, numbers: u64) -> Vec<Option<StoredRecord>> {
    let mut found = vec![None; numbers as usize];
    for shard in 0..store.shards() {
        for (mark, local) in store.marks(shard).into_iter().zip(0..) {
            let id = LAYOUT.id(shard, local);
            let number = u64::from_le_bytes(store.key(id).try_into().unwrap());
            let Some(place) = found.get_mut(number as usize) else { continue };
            let superseded = place.map_or(0, |older: StoredRecord| older.superseded + 1);
            let (g, asleep) = (store.tag(id).g, mark >> 1 & low(BITS));
            *place = Some(StoredRecord { g, h: 0, is_closed: mark & 1 == 1, asleep, superseded });
        }
    }
    found
}

fn keys(numbers: impl Iterator<Item = u64>) -> Vec<[u8; 8]> {
    numbers.map(u64::to_le_bytes).collect()
}

fn ask(files: &CheckpointFiles, keys: &[[u8; 8]]) -> Result<FoundRecords, CheckpointError> {
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    look_up(files, &keys, &|_| true)
}

#[test]
fn what_is_found_is_what_comes_back() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let numbers = 4 * MANY as u64;
    let back = recover_in(run.path()).unwrap();
    let records = expected(&back.store, numbers);
    drop(back);
    let before = bytes_of(run.path());
    let backend: Arc<dyn StorageBackend> = Arc::new(crate::store::ReadOnly);
    let files = limited(run.path(), |storage| StorageConfig { backend, ..storage });
    let found = ask(&files, &keys(0..numbers)).unwrap();
    assert_eq!((found.sequence, &found.payload[..], found.notes.len()), (2, &b"two"[..], 0));
    assert!(found.records.as_deref() == Some(&records[..]));
    // There are records of every kind, and states without one.
    let counts = |is: &dyn Fn(&StoredRecord) -> bool| records.iter().flatten().filter(|record| is(record)).count();
    assert!(counts(&|record| record.superseded > 1) > 100 && counts(&|record| record.is_closed) > 1_000);
    assert!(counts(&|record| record.asleep != 0 && record.is_closed) > 100);
    assert!(counts(&|_| true) > 1_000 && records.iter().any(Option::is_none));
    assert_eq!(counts(&|record| record.asleep > low(BITS)), 0);
    // A few at a time, in any order, twice, and none.
    for wanted in [vec![7, 3, 7, numbers - 1], vec![1], vec![]] {
        let found = ask(&files, &keys(wanted.iter().copied())).unwrap().records.unwrap();
        assert_eq!(found, wanted.iter().map(|&number| records[number as usize]).collect::<Vec<_>>());
    }
    assert!(bytes_of(run.path()) == before, "a look-up changes nothing");
}

/// Keys that differ in one byte are other states, wherever they differ.
#[test]
fn full_keys_decide() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let stored = 5_u64.to_le_bytes();
    let mut others: Vec<[u8; 8]> = (1..8).map(|at| std::array::from_fn(|i| stored[i] ^ u8::from(i == at))).collect();
    others.push(stored);
    let found = ask(&settings(run.path()), &others).unwrap().records.unwrap();
    // The second byte counts steps of 256: that number is stored too.
    assert_eq!(
        found.iter().map(Option::is_some).collect::<Vec<_>>()[1..],
        [false, false, false, false, false, false, true]
    );
    let short = look_up(&settings(run.path()), &[&stored[..7]], &|_| true).unwrap_err().to_string();
    assert!(short.contains("found keys of 8 bytes, expected keys of 7 bytes"), "{short}");
}

#[test]
fn kept_files_are_searched() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/archive-6");
    let found = look_up(&settings(&kept), &[&[1, 2], &[3, 4], &[5, 6], &[1, 3]], &|_| true).unwrap();
    let record = |g, h, is_closed, asleep, superseded| Some(StoredRecord { g, h, is_closed, asleep, superseded });
    let expected = [record(0, 255, true, 0, 0), record(1, 200, false, 2, 0), record(1, 200, false, 1, 1), None];
    assert_eq!(found.records.as_deref(), Some(&expected[..]));
}

#[test]
fn a_damaged_generation_gives_way_to_the_one_before_it() {
    for file in ["manifest-a", "journal.log", "shard-001-000000.log"] {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        flip(&run.path().join(file), -1);
        let found = ask(&settings(run.path()), &keys(0..200)).unwrap();
        assert_eq!((&found.payload[..], found.notes.len()), (&b"one"[..], 1), "{file}");
        assert!(found.notes[0].contains(file), "{:?}", found.notes);
        let back = recover_in(run.path()).unwrap();
        assert!(found.records == Some(expected(&back.store, 200)), "{file}");
    }
    // Damage in a shard that owns no wanted key is not seen, because the shard is not read.
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    flip(&run.path().join("shard-001-000000.log"), 5_000);
    let of_shard = |shard| keys(0..200).into_iter().filter(move |key| LAYOUT.owner(hash_key(key)) == shard);
    assert_eq!(ask(&settings(run.path()), &of_shard(0).collect::<Vec<_>>()).unwrap().sequence, 2);
    let text = ask(&settings(run.path()), &of_shard(1).collect::<Vec<_>>()).unwrap_err().to_string();
    assert!(text.contains("shard-001"), "{text}");
}

#[test]
fn a_look_up_ends_when_it_is_told_to() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let (keys, calls) = (keys(0..4), AtomicU64::new(0));
    let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
    let count = |_| calls.fetch_add(1, Relaxed) < u64::MAX;
    assert!(look_up(&settings(run.path()), &keys, &count).is_ok());
    for last in 1..=calls.into_inner() {
        let left = AtomicU64::new(last);
        let ended = look_up(&settings(run.path()), &keys, &|_| left.fetch_sub(1, Relaxed) > 1);
        assert!(matches!(ended, Err(CheckpointError::Interrupted { .. })), "{last}");
    }
}

#[test]
fn a_checkpoint_without_records_says_so() {
    let run = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::without_records(settings(run.path())).unwrap();
    checkpoints.cut(None, b"payload".to_vec());
    assert!(checkpoints.finish().is_none());
    let found = ask(&settings(run.path()), &keys(0..3)).unwrap();
    assert_eq!((found.sequence, found.records, &found.payload[..]), (1, None, &b"payload"[..]));
    let other = CheckpointFiles { identity: "letters".to_owned(), ..settings(run.path()) };
    assert!(matches!(ask(&other, &keys(0..3)), Err(CheckpointError::Foreign { .. })));
}

/// A disk on which something happens whenever a file of this name is opened.
struct Ambush<F> {
    name: &'static str,
    happens: F,
}

impl<F> std::fmt::Debug for Ambush<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl<F: Fn() + Send + Sync> StorageBackend for Ambush<F> {
    fn open(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        if path.ends_with(self.name) {
            (self.happens)();
        }
        Disk.open(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn StorageFile>> {
        Disk.create(path)
    }

    fn create_temporary(&self, folder: &Path) -> io::Result<Box<dyn StorageFile>> {
        Disk.create_temporary(folder)
    }

    as_disk_does!();
}

fn ambushed(run: &Path, name: &'static str, happens: impl Fn() + Send + Sync + 'static) -> CheckpointFiles {
    limited(run, |storage| StorageConfig { backend: Arc::new(Ambush { name, happens }), ..storage })
}

fn remove_all(run: &Path) {
    fs::read_dir(run).unwrap().flatten().for_each(|entry| fs::remove_file(entry.path()).unwrap());
}

/// A search that begins anew takes the files from under the reader. Wine keeps the names of open files.
#[test]
#[cfg(not(windows))]
fn where_the_files_were_replaced_the_look_up_begins_again() {
    let (run, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    two_generations(run.path());
    let mut anew = History { random: random(6), ..History::new() };
    anew.attach(settings(other.path()));
    anew.go_on(MANY);
    anew.cut(b"anew");
    anew.finish();
    let (from, to, times) = (other.path().to_owned(), run.path().to_owned(), AtomicU32::new(0));
    let files = ambushed(run.path(), "shard-001-000000.log", move || {
        if times.fetch_add(1, Relaxed) == 0 {
            remove_all(&to);
            bytes_of(&from).into_iter().for_each(|(name, bytes)| fs::write(to.join(name), bytes).unwrap());
        }
    });
    let found = ask(&files, &keys(0..200)).unwrap();
    assert_eq!((&found.payload[..], found.notes.len()), (&b"anew"[..], 0));
    assert!(found.records == Some(expected(&recover_in(other.path()).unwrap().store, 200)));
}

/// A search that ends removes its checkpoints: then there is none, and nothing is damaged.
#[test]
fn where_the_files_are_gone_there_is_no_checkpoint() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let gone = run.path().to_owned();
    let files = ambushed(run.path(), "shard-001-000000.log", move || remove_all(&gone));
    let error = ask(&files, &keys(0..200)).unwrap_err();
    assert!(matches!(&error, CheckpointError::NoCheckpoint { reasons, .. } if reasons.is_empty()), "{error}");
}

/// Manifests that change for ever, over files that cannot be read, end the look-up all the same.
#[test]
fn a_look_up_does_not_begin_again_for_ever() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    fs::remove_file(run.path().join("shard-001-000000.log")).unwrap();
    let (folder, opened) = (run.path().to_owned(), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&opened);
    let files = ambushed(run.path(), "shard-001-000000.log", move || {
        let time = u64::from(counter.fetch_add(1, Relaxed));
        let newest = manifest::read_all(&Disk, &folder).unwrap().whole.remove(0).1;
        manifest::write(&Disk, &folder, &manifest::Manifest { time, ..newest }).unwrap();
    });
    let error = ask(&files, &keys(0..200)).unwrap_err();
    assert!(matches!(&error, CheckpointError::NoCheckpoint { reasons, .. } if reasons.len() == 2), "{error}");
    // Four choices among two generations.
    assert_eq!(opened.load(Relaxed), 8);
}
