//! The store, and the bounded table of IDA*: states per second, and bytes per state.
//!
//! * *insert* adds new states, in batches to the store and one by one to the table;
//! * *update* looks up known states, in another order, and changes their marks;
//! * *miss* looks up absent states. The bounded table stores them in the same step, in a layer of their own.
//!
//! `GRIDHUNT_BENCH_STATES` sets the number of states. The default is 2 million; it is 20,000 when benchmarks are only
//! tested. Bytes per state are physical memory, and go to stderr.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use gridhunt_search::store::{
    Id, Layout, Lookup, Offer, ShardGuard, Store, TranspositionTable, Visit, hash_key, shards_for,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

type Key = [u8; 48];

/// The sleep set of a new state, and the smaller one that an update leaves.
const SLEEP_SET: u64 = 0b11_1111;
const SMALLER_SLEEP_SET: u64 = 0b10_1110;

// ---- Tables ----

/// Each method returns the number of states that were known.
trait Table: Sync {
    const NAME: &str;
    fn new(threads: usize, states: usize) -> Self;
    fn insert(&self, keys: &[Key]) -> usize;
    fn update(&self, keys: &[Key]) -> usize;
    fn miss(&self, keys: &[Key]) -> usize;
}

/// Calls `visit` for each key under the lock of its shard, a batch at a time, as the engines do. Counts known keys.
fn in_batches(
    store: &Store,
    keys: &[Key],
    sleep_set: u64,
    visit: fn(&mut ShardGuard<'_>, &Offer<'_>) -> Lookup,
) -> usize {
    const BATCH: usize = 64;
    let (mut order, mut known) = (Vec::with_capacity(BATCH), 0);
    for batch in keys.chunks(BATCH) {
        order.extend(batch.iter().map(|key| {
            let hash = hash_key(key);
            store.prefetch(hash);
            (store.shard_of_hash(hash), hash, key)
        }));
        order.sort_unstable_by_key(|entry| entry.0);
        for shard in order.chunk_by(|a, b| a.0 == b.0) {
            let mut guard = store.lock(shard[0].0);
            for &(_, hash, key) in shard {
                known += usize::from(visit(&mut guard, &Offer { hash, key, g: 7, sleep_set }) != Lookup::New);
            }
        }
        order.clear();
    }
    known
}

impl Table for Store {
    const NAME: &str = "store";

    fn new(threads: usize, _: usize) -> Self {
        Store::new(Layout { key_len: size_of::<Key>(), mask_bits: 6, shards: shards_for(1, threads) })
    }

    fn insert(&self, keys: &[Key]) -> usize {
        in_batches(self, keys, SLEEP_SET, |shard, offer| {
            shard.admit(offer, 3, Id::NONE, 0).err().unwrap_or(Lookup::New)
        })
    }

    fn update(&self, keys: &[Key]) -> usize {
        in_batches(self, keys, SMALLER_SLEEP_SET, |shard, offer| shard.lookup(offer))
    }

    fn miss(&self, keys: &[Key]) -> usize {
        in_batches(self, keys, SLEEP_SET, |shard, offer| shard.lookup(offer))
    }
}

/// The table of IDA*, with room for 1.5 times as many states, so that it forgets hardly any.
struct BoundedTable {
    table: TranspositionTable,
    layer: AtomicU32,
}

impl BoundedTable {
    /// Visits the keys in turn and counts those that are known.
    fn visit(&self, keys: &[Key], layer: u32, sleep_set: u64) -> usize {
        let visit = |key: &&Key| {
            let hash = hash_key(&key[..]);
            self.table.visit(layer, &Offer { hash, key: &key[..], g: 7, sleep_set }) != Visit::First
        };
        keys.iter().filter(visit).count()
    }
}

impl Table for BoundedTable {
    const NAME: &str = "bounded";

    fn new(_: usize, states: usize) -> Self {
        let bytes = TranspositionTable::bytes_for(size_of::<Key>(), states as u64 / 2 * 3);
        Self { table: TranspositionTable::new(size_of::<Key>(), bytes), layer: AtomicU32::new(2) }
    }

    fn insert(&self, keys: &[Key]) -> usize {
        self.visit(keys, 1, SLEEP_SET)
    }

    fn update(&self, keys: &[Key]) -> usize {
        self.visit(keys, 1, SMALLER_SLEEP_SET)
    }

    fn miss(&self, keys: &[Key]) -> usize {
        self.visit(keys, self.layer.fetch_add(1, Relaxed), SLEEP_SET)
    }
}

// ---- Time ----

struct Keys {
    stored: Vec<Key>,
    /// The stored keys in another order.
    sorted: Vec<Key>,
    absent: Vec<Key>,
}

impl Keys {
    fn new(count: usize) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut draw = || {
            let mut key = [0; 48];
            random.fill_bytes(&mut key);
            key
        };
        let stored: Vec<Key> = (0..count).map(|_| draw()).collect();
        let absent = (0..count).map(|_| draw()).collect();
        let mut sorted = stored.clone();
        sorted.sort_unstable();
        Self { stored, sorted, absent }
    }
}

/// Pins the calling thread to the `worker`-th processor that it may use. Otherwise threads may share a processor.
#[cfg(target_os = "linux")]
fn pin(worker: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let mut processors = (0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor)).cycle();
    if let Some(processor) = processors.nth(worker) {
        let mut one = CpuSet::new();
        one.set(processor);
        // If pinning is forbidden, the times of several threads mean less.
        let _ = sched_setaffinity(None, &one);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) {}

/// Splits the keys among threads. Returns the sum of the results.
fn sum_shares(threads: usize, keys: &[Key], work: impl Fn(&[Key]) -> usize + Sync) -> usize {
    if threads == 1 {
        return work(keys);
    }
    let work = |worker: usize, share: &[Key]| {
        pin(worker);
        work(share)
    };
    std::thread::scope(|scope| {
        let shares = keys.chunks(keys.len().div_ceil(threads)).enumerate();
        let workers: Vec<_> = shares.map(|(worker, share)| scope.spawn(move || work(worker, share))).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).sum()
    })
}

fn measure<T: Table>(c: &mut Criterion, keys: &Keys) {
    let count = keys.stored.len();
    for threads in [1, 2] {
        let mut group = c.benchmark_group("store");
        group.sample_size(10).sampling_mode(SamplingMode::Flat).warm_up_time(Duration::from_millis(500));
        group.throughput(Throughput::Elements(count as u64));
        let id = |what| BenchmarkId::new(what, format!("{}, {threads} threads", T::NAME));
        group.bench_function(id("insert"), |b| {
            b.iter_custom(|times| {
                // The creation and the drop of the table are not timed.
                let time_to_fill = |_| {
                    let table = T::new(threads, count);
                    let start = Instant::now();
                    assert_eq!(sum_shares(threads, &keys.stored, |share| table.insert(share)), 0);
                    start.elapsed()
                };
                (0..times).map(time_to_fill).sum()
            });
        });
        let table = T::new(threads, count);
        table.insert(&keys.stored);
        group.bench_function(id("update"), |b| {
            // The bounded table may forget a few.
            b.iter(|| assert!(sum_shares(threads, &keys.sorted, |share| table.update(share)) >= count / 100 * 99));
        });
        group.bench_function(id("miss"), |b| {
            b.iter(|| assert_eq!(sum_shares(threads, &keys.absent, |share| table.miss(share)), 0));
        });
        group.finish();
    }
}

// ---- Memory ----

/// Physical memory that this process holds, in bytes.
fn resident_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok()).unwrap_or(f64::NAN) * 1024.0
}

/// Fills a table and prints the resident bytes per key, however the table allocates.
fn print_memory<T: Table>(keys: &[Key]) {
    let before = resident_bytes();
    let table = T::new(1, keys.len());
    table.insert(keys);
    let bytes_per_key = (resident_bytes() - before) / keys.len() as f64;
    eprintln!("{:>12}: {bytes_per_key:6.1} resident bytes per state", T::NAME);
}

fn store(c: &mut Criterion) {
    let arguments: Vec<String> = std::env::args().collect();
    let test = arguments.iter().any(|a| a == "--test") || !arguments.iter().any(|a| a == "--bench");
    let default = if test { 20_000 } else { 2_000_000 };
    let count = std::env::var("GRIDHUNT_BENCH_STATES").map_or(default, |n| n.parse().expect("a number of states"));
    let keys = Keys::new(count);
    eprintln!("{count} states, keys of {} bytes, 8 more bytes per state:", size_of::<Key>());
    print_memory::<Store>(&keys.stored);
    print_memory::<BoundedTable>(&keys.stored);
    measure::<Store>(c, &keys);
    measure::<BoundedTable>(c, &keys);
}

criterion_group!(benches, store);
criterion_main!(benches);
