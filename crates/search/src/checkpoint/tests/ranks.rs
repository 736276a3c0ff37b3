//! Several ranks read one checkpoint: all choose the same one, or none goes on.

use super::*;
use crate::runtime::{Exchange, MessageDelays, ThreadTransport};

/// Runs `work` on each rank, each on a thread of its own.
pub(crate) fn on_ranks<T: Send>(ranks: usize, weather: MessageDelays, work: impl Fn(&Exchange) -> T + Sync) -> Vec<T> {
    let exchanges: Vec<_> = ThreadTransport::connect(ranks, weather).into_iter().map(Exchange::new).collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = exchanges.iter().map(|exchange| scope.spawn(|| work(exchange))).collect();
        running.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

fn recover_on(run: &Path, ranks: usize) -> Vec<Result<RecoveredStore, CheckpointError>> {
    on_ranks(ranks, MessageDelays::default(), |exchange| recover(&settings(run), Some(exchange), &|_| true))
}

/// A checkpoint of one rank is read by several, and one of several by one.
#[test]
fn all_ranks_together_have_what_one_has() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let alone = recover_in(run.path()).unwrap();
    let expected = contents_of(&alone.store);
    drop(alone);
    for ranks in [2, 3, 1] {
        let parts: Vec<_> = recover_on(run.path(), ranks).into_iter().map(Result::unwrap).collect();
        assert!(parts.iter().all(|part| part.payload == b"two" && part.notes.is_empty()));
        let mut together: Vec<_> = parts.iter().flat_map(|part| contents_of(&part.store)).collect();
        together.sort();
        assert!(together == expected, "{ranks}");
        // Each rank cuts its part, and the leader names all parts.
        parts.iter().for_each(|part| part.checkpoints.cut(Some(&part.store), b"two".to_vec()));
        for part in &parts[1..] {
            assert!(part.checkpoints.finish().is_none());
            parts[0].checkpoints.add_part(part.checkpoints.last_part().expect("a part"));
        }
        assert!(parts[0].checkpoints.finish().is_none());
        let found = inspect(&settings(run.path())).unwrap();
        assert_eq!((&found.payload[..], found.records), (&b"two"[..], expected.len() as u64), "{ranks}");
    }
}

/// Every record that a store owns: its shard and place, key, g and mark.
fn contents_of(store: &Store) -> Vec<(usize, u32, Vec<u8>, u32, u64)> {
    let of = |shard: usize| {
        let record = move |(mark, position): (u64, u32)| {
            let id = LAYOUT.id(shard, position);
            (shard, position, store.key(id), store.tag(id).g, mark)
        };
        store.marks(shard).into_iter().zip(0..).map(record)
    };
    store.owned_shards().flat_map(of).collect()
}

/// A file that one rank alone reads is damaged: no rank uses that generation.
#[test]
fn damage_that_one_rank_finds_is_damage_for_all() {
    for file in ["shard-000-000000.log", "shard-001-000000.log"] {
        let run = tempfile::tempdir().unwrap();
        two_generations(run.path());
        flip(&run.path().join(file), -1);
        for result in recover_on(run.path(), 2) {
            let RecoveredStore { payload, notes, .. } = result.unwrap();
            assert_eq!((&payload[..], notes.len()), (&b"one"[..], 1));
            assert!(notes[0].contains(file), "{notes:?}");
        }
    }
}

/// One rank cannot open its file for a reason that passes, or is stopped: all fail, and nothing is changed.
#[test]
fn a_rank_that_fails_or_is_stopped_leaves_everything_as_it_was() {
    let run = tempfile::tempdir().unwrap();
    two_generations(run.path());
    let before = bytes_of(run.path());
    let refused = on_ranks(2, MessageDelays::default(), |exchange| {
        let backend = Arc::new(Refusing { name: "shard-001-000000.log", nth: 1.into() });
        let refusing = limited(run.path(), |storage| StorageConfig { backend, ..storage });
        recover(&refusing, Some(exchange), &|_| true).map(|_| ()).unwrap_err()
    });
    assert!(matches!(&refused[0], CheckpointError::OtherRank { rank: 1, is_damage: false, .. }), "{refused:?}");
    let texts = refused.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(texts.iter().all(|text| text.contains("cannot open")), "{texts:?}");
    assert!(bytes_of(run.path()) == before);
    for stopped in [0, 1] {
        let ends = on_ranks(2, MessageDelays::default(), |exchange| {
            recover(&settings(run.path()), Some(exchange), &|_| exchange.rank() != stopped).map(|_| ())
        });
        assert!(ends.iter().all(|end| matches!(end, Err(CheckpointError::Interrupted { .. }))), "{ends:?}");
        assert!(bytes_of(run.path()) == before);
    }
}
