//! Tests of the store against simple models, with one thread and with several.

mod catalogue;
mod frontier;
mod index;
mod model;
mod table;
mod threads;

use super::storage::TempFile;
use super::*;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::path::Path;

/// `many`, or `few` under Miri, which interprets every step.
const fn reduced(many: u32, few: u32) -> u32 {
    if cfg!(miri) { few } else { many }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: reduced(cases, 4),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}

pub(crate) fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The lowest `bits` bits.
pub(crate) fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// Writes the index of a shard to disk.
fn spill_index(shard: &Shard, folder: &Path) {
    let config = StorageConfig::unlimited(folder.to_owned());
    let file = TempFile::create(&config, "index", 0, &Arc::default()).unwrap();
    shard.spill_index(file, &Arc::default()).unwrap();
}

/// A sink that drops all changes.
#[derive(Debug)]
struct NoSink;

impl ChangeSink for NoSink {
    fn report(&self, _: Change) {}
}

impl Store {
    pub(crate) fn record_count(&self) -> u64 {
        self.shards.iter().map(Shard::record_count).sum()
    }

    /// The marks of a shard, in the order of its records.
    pub(crate) fn marks(&self, shard: usize) -> Vec<u64> {
        let shard = &self.shards[shard];
        (0..shard.record_count() as u32).map(|position| shard.log().mark_bits(position)).collect()
    }

    /// The least number of cold segments of a shard.
    pub(crate) fn cold_segments(&self) -> u32 {
        self.shards.iter().map(|shard| shard.log().cold_segments()).min().unwrap_or(0)
    }

    /// Whether the indexes of all shards are partly on disk.
    pub(crate) fn has_cold_indexes(&self) -> bool {
        self.shards.iter().all(|shard| shard.index_sizes().cold > 0)
    }

    /// The key of a record.
    pub(crate) fn key(&self, id: Id) -> Vec<u8> {
        self.record(id, &mut RecordReader::default()).expect("a disk that works").0.to_vec()
    }

    /// The tag of a record.
    pub(crate) fn tag(&self, id: Id) -> Tag {
        self.record(id, &mut RecordReader::default()).expect("a disk that works").1
    }
}
