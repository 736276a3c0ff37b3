//! Tests of the store against simple models, with one thread and with several.

/// The methods of a storage backend that a faulty disk of the tests leaves to the real disk.
macro_rules! as_disk_does {
    () => {
        fn create_folder(&self, path: &Path) -> io::Result<()> {
            Disk.create_folder(path)
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            Disk.rename(from, to)
        }

        fn remove(&self, path: &Path) -> io::Result<()> {
            Disk.remove(path)
        }

        fn sync_folder(&self, path: &Path) -> io::Result<()> {
            Disk.sync_folder(path)
        }

        fn free_bytes(&self, path: &Path) -> io::Result<u64> {
            Disk.free_bytes(path)
        }
    };
}

mod archive;
mod catalogue;
pub(crate) mod failing;
mod frontier;
mod index;
mod model;
mod table;
mod threads;

use super::*;
use proptest::prelude::ProptestConfig;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

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

impl Store {
    /// The key of a record.
    pub(crate) fn key(&self, id: Id) -> Vec<u8> {
        self.record(id, &mut Reading::default()).expect("a disk that works").0.to_vec()
    }

    /// The tag of a record.
    pub(crate) fn tag(&self, id: Id) -> Tag {
        self.record(id, &mut Reading::default()).expect("a disk that works").1
    }
}
