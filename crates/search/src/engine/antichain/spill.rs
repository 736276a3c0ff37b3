//! Sets on disk, where memory has no room for a level.
//!
//! The children of one g go into *parts*. A part holds the sets that have the same of a few chosen elements: its number
//! has a bit for each of them. A set can only be contained in a set that has all of its chosen elements, and so in the
//! parts whose numbers have all bits of its part's number. Such a number is no smaller. So parts are settled by falling
//! number: the maximal sets of a part are final, because the parts before have filtered it, and they filter those
//! behind.

use super::maximal::{by_falling_size, bytes_to_reduce, maximal};
use super::packed_sets::{PackedSets, contains, record_len};
use super::superset_index::{Queries, SupersetIndex};
use crate::engine::parallel::Workers;
use crate::runtime::StopReason;
use crate::store::{DiskUsage, StorageConfig, StorageError, TempFile};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The chosen elements. With 5, a set is compared with 7.6 of 32 parts on average, if each element is in half of the
/// sets.
const ELEMENTS: u32 = 5;

/// Sets by which elements are chosen.
const SAMPLED: usize = 1_000;

/// Sets that are read or written at a time.
const CHUNK: usize = 1 << 14;

/// Sets go to disk where those of a level would take more than this part of the memory.
const SHARE: u64 = 16;

/// Sets of a chunk that a thread asks at a time.
const ASKED: usize = 128;

/// Where sets go that memory has no room for.
pub(super) struct Spill<'a> {
    config: &'a StorageConfig,
    usage: Arc<DiskUsage>,
    /// Bytes of a packed key.
    key_len: usize,
    /// The bytes of a level that may stay in memory.
    in_memory: u64,
    files: AtomicUsize,
}

impl<'a> Spill<'a> {
    /// Files in the folders of `config`, for keys of so many bytes, where memory is limited to `memory` bytes.
    pub(super) fn new(config: &'a StorageConfig, key_len: usize, memory: Option<u64>) -> Self {
        let in_memory = memory.map_or(u64::MAX, |memory| memory / SHARE);
        Self { config, usage: Arc::default(), key_len, in_memory, files: AtomicUsize::new(0) }
    }

    /// The bytes of a level that may stay in memory.
    pub(super) fn in_memory(&self) -> u64 {
        self.in_memory
    }

    /// Bytes of a packed key.
    pub(super) fn key_len(&self) -> usize {
        self.key_len
    }

    /// Bytes on disk.
    pub(super) fn used(&self) -> u64 {
        self.usage.used()
    }

    /// No sets yet, in a new file.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(super) fn file(&self) -> Result<SpilledSets, StorageError> {
        Ok(SpilledSets { file: self.temp_file("sets")?, key_len: self.key_len, len: 0 })
    }

    /// Checks whether the disk has room for so many bytes more.
    ///
    /// # Errors
    /// When it has not.
    pub(super) fn check_room(&self, bytes: usize) -> Result<(), StorageError> {
        self.config.check_room(self.used(), bytes as u64)
    }

    /// An empty file.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(super) fn temp_file(&self, name: &str) -> Result<TempFile, StorageError> {
        TempFile::create(self.config, name, self.files.fetch_add(1, Relaxed), &self.usage)
    }
}

/// Sets in a file without a name.
#[derive(Debug)]
pub(super) struct SpilledSets {
    file: TempFile,
    key_len: usize,
    len: usize,
}

impl SpilledSets {
    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds sets.
    ///
    /// # Errors
    /// When the disk has no room, or the file cannot be written.
    pub(super) fn append(&mut self, sets: &PackedSets, spill: &Spill<'_>) -> Result<(), StorageError> {
        let mut bytes = Vec::new();
        for first in (0..sets.len()).step_by(CHUNK) {
            let chunk = first..sets.len().min(first + CHUNK);
            let count = chunk.len();
            bytes.clear();
            sets.encode(chunk, self.key_len, &mut bytes);
            spill.check_room(bytes.len())?;
            self.file.write(&bytes, self.place(self.len))?;
            self.len += count;
        }
        Ok(())
    }

    fn place(&self, number: usize) -> u64 {
        number as u64 * record_len(self.key_len) as u64
    }

    /// The sets with these numbers.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn read(&self, numbers: Range<usize>) -> Result<PackedSets, StorageError> {
        let mut bytes = vec![0; numbers.len() * record_len(self.key_len)];
        self.file.read(&mut bytes, self.place(numbers.start))?;
        Ok(PackedSets::decode(&bytes, self.key_len))
    }

    /// All sets, some at a time.
    pub(super) fn chunks(&self) -> impl Iterator<Item = Result<PackedSets, StorageError>> {
        (0..self.len).step_by(CHUNK).map(|first| self.read(first..self.len.min(first + CHUNK)))
    }
}

/// The children of one g on disk.
#[derive(Debug)]
pub(super) struct Parts {
    /// The chosen elements.
    elements: Vec<u32>,
    parts: Vec<SpilledSets>,
}

impl Parts {
    /// Empty parts for sets like these.
    ///
    /// # Errors
    /// When a file cannot be created.
    pub(super) fn new(like: &PackedSets, spill: &Spill<'_>) -> Result<Self, StorageError> {
        let elements = choose_elements(like);
        let parts = (0..1 << elements.len()).map(|_| spill.file()).collect::<Result<_, _>>()?;
        Ok(Self { elements, parts })
    }

    /// Parts of sets in files and in memory, which leaves memory; `None` if there are no files.
    ///
    /// # Errors
    /// When the disk has no room, or a file cannot be read or written.
    pub(super) fn of(
        files: &[SpilledSets],
        sets: &mut PackedSets,
        spill: &Spill<'_>,
    ) -> Result<Option<Self>, StorageError> {
        if files.is_empty() {
            return Ok(None);
        }
        let mut parts = Self::new(sets, spill)?;
        parts.take(sets, spill)?;
        for chunk in files.iter().flat_map(SpilledSets::chunks) {
            parts.take(&mut chunk?, spill)?;
        }
        Ok(Some(parts))
    }

    /// The number of sets.
    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(SpilledSets::len).sum()
    }

    /// Moves sets to their parts.
    ///
    /// # Errors
    /// When the disk has no room, or a file cannot be written. Some sets may be both in a part and in `sets` then.
    pub(super) fn take(&mut self, sets: &mut PackedSets, spill: &Spill<'_>) -> Result<(), StorageError> {
        let mut numbers = vec![Vec::new(); self.parts.len()];
        (0..sets.len()).for_each(|at| numbers[part_of(sets.get(at), &self.elements)].push(at as u32));
        for (part, numbers) in self.parts.iter_mut().zip(numbers) {
            for some in numbers.chunks(CHUNK) {
                part.append(&sets.select(some), spill)?;
            }
        }
        *sets = PackedSets::new(sets.words());
        Ok(())
    }

    /// Drops all sets that another one contains. `None` when the search is to stop: then some are left. `memory` is the
    /// memory that may be used, in bytes.
    ///
    /// # Errors
    /// When the disk has no room, or a file cannot be read or written.
    pub(super) fn settle(
        &mut self,
        memory: Option<u64>,
        (spill, workers): (&Spill<'_>, &Workers<'_>),
    ) -> Result<Option<()>, StorageError> {
        for at in (0..self.parts.len()).rev() {
            let sets = self.parts[at].read(0..self.parts[at].len())?;
            if memory.is_some_and(|memory| sets.bytes() + bytes_to_reduce(&sets) > memory) {
                workers.monitor.end(StopReason::MemoryLimit);
                return Ok(None);
            }
            let order = by_falling_size(&sets, workers);
            let numbers = order.and_then(|order| maximal(&sets, &order, workers));
            let Some(numbers) = numbers else { return Ok(None) };
            let kept = sets.select(&numbers);
            drop(sets);
            if kept.len() < self.parts[at].len() {
                let mut file = spill.file()?;
                file.append(&kept, spill)?;
                self.parts[at] = file;
            }
            let mut index = SupersetIndex::new(kept.words());
            (0..kept.len()).for_each(|number| index.insert(kept.get(number)));
            drop(kept);
            for below in (0..at).filter(|below| below & at == *below) {
                if filter(&mut self.parts[below], &index, (spill, workers))?.is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(()))
    }

    /// The parts that have sets.
    pub(super) fn into_files(self) -> Vec<SpilledSets> {
        self.parts.into_iter().filter(|part| part.len() > 0).collect()
    }

    /// All parts.
    pub(super) fn files(&self) -> &[SpilledSets] {
        &self.parts
    }
}

/// Drops the sets of a part that are contained in one of the index. `None` when the search is to stop.
fn filter(
    part: &mut SpilledSets,
    index: &SupersetIndex,
    (spill, workers): (&Spill<'_>, &Workers<'_>),
) -> Result<Option<()>, StorageError> {
    let mut left = spill.file()?;
    for sets in part.chunks() {
        let sets = sets?;
        let all: Vec<u32> = (0..sets.len() as u32).collect();
        let groups: Vec<&[u32]> = all.chunks(ASKED).collect();
        let asked = workers.map(&groups, 1, Queries::default, |queries, group| {
            let is_left = |number: &&u32| !index.has_superset(sets.get(**number as usize), queries);
            group.iter().filter(is_left).copied().collect::<Vec<_>>()
        });
        let Some(numbers) = asked else { return Ok(None) };
        left.append(&sets.select(&numbers.concat()), spill)?;
    }
    *part = left;
    Ok(Some(()))
}

/// The number of the part of a set.
fn part_of(set: &[u64], elements: &[u32]) -> usize {
    elements.iter().enumerate().map(|(bit, &element)| usize::from(contains(set, element)) << bit).sum()
}

/// Elements that split the sets into parts of about equal sizes: one after the other, the one that leaves the least sum
/// of squares of sizes.
fn choose_elements(sets: &PackedSets) -> Vec<u32> {
    let step = (sets.len() / SAMPLED).max(1);
    let mut parts = vec![(0..sets.len()).step_by(step).collect::<Vec<_>>()];
    let mut chosen = Vec::new();
    for _ in 0..ELEMENTS {
        let squares = |element: u32| -> usize {
            let of_part = |part: &Vec<usize>| {
                let with = part.iter().filter(|&&at| contains(sets.get(at), element)).count();
                with * with + (part.len() - with) * (part.len() - with)
            };
            parts.iter().map(of_part).sum()
        };
        let Some(element) = (0..sets.words() as u32 * 64).min_by_key(|&element| squares(element)) else { break };
        chosen.push(element);
        let split = |part: Vec<usize>| {
            <[Vec<usize>; 2]>::from(part.into_iter().partition(|&at| contains(sets.get(at), element)))
        };
        parts = parts.into_iter().flat_map(split).collect();
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::packed_sets::{Origin, is_subset, words_for};
    use super::*;
    use crate::engine::links::Link;
    use crate::runtime::{Limits, Monitor, Silent, StopToken};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    const BITS: usize = 200;

    /// Random sets: chains, copies, and sets that have nothing to do with each other.
    fn random_sets(number: usize, seed: u64) -> PackedSets {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut sets = PackedSets::new(words_for(BITS / 8));
        let mut last = vec![0_u64; words_for(BITS / 8)];
        for at in 0..number as u32 {
            if random.next_u32().is_multiple_of(3) {
                last.fill(0);
            }
            for _ in 0..random.next_u32() % 40 {
                let bit = random.next_u32() as usize % BITS;
                last[bit / 64] |= 1 << (bit % 64);
            }
            sets.push(&last, Origin { link: Link { parent: at, mv: 7 }, most_f: 3 });
        }
        sets
    }

    fn all_of(files: &[SpilledSets]) -> Vec<Vec<u64>> {
        let mut all = Vec::new();
        for sets in files.iter().flat_map(SpilledSets::chunks) {
            let sets = sets.unwrap();
            all.extend((0..sets.len()).map(|at| sets.get(at).to_vec()));
        }
        all.sort_unstable();
        all
    }

    /// The maximal sets of all parts are those of all sets together, on any number of threads.
    #[test]
    fn parts_settle_to_the_maximal_sets() {
        let folder = tempfile::tempdir().unwrap();
        let config = StorageConfig::unlimited(folder.path().to_owned());
        let spill = Spill::new(&config, BITS / 8, None);
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let sets = random_sets(6_000, 1);
        let is_maximal = |at: usize| {
            let dominates =
                |of: usize| is_subset(sets.get(at), sets.get(of)) && (sets.get(at) != sets.get(of) || of < at);
            !(0..sets.len()).any(dominates)
        };
        let mut expected: Vec<Vec<u64>> =
            (0..sets.len()).filter(|&at| is_maximal(at)).map(|at| sets.get(at).to_vec()).collect();
        expected.sort_unstable();
        assert!(expected.len() < 4_000 && expected.len() > 1_000, "{}", expected.len());
        for threads in [1, 3] {
            let workers = Workers::new(threads, &monitor);
            let mut parts = Parts::new(&sets, &spill).unwrap();
            let most = parts.files().len();
            for first in (0..sets.len() as u32).step_by(1_500) {
                parts.take(&mut sets.select(&(first..first + 1_500).collect::<Vec<_>>()), &spill).unwrap();
            }
            assert!(parts.len() == sets.len() && parts.files().iter().all(|part| part.len() < sets.len() / 2));
            assert!(parts.settle(None, (&spill, &workers)).unwrap().is_some());
            let files = parts.into_files();
            assert!(most == 1 << ELEMENTS && files.len() > most / 2);
            assert_eq!(all_of(&files), expected, "{threads} threads");
        }
        assert_eq!(spill.used(), 0, "files are gone");
    }

    /// Wherever the disk fails, no set is lost.
    #[test]
    fn a_full_disk_loses_no_set() {
        let folder = tempfile::tempdir().unwrap();
        let open = StorageConfig::unlimited(folder.path().to_owned());
        let stop = StopToken::new();
        let monitor = Monitor::new(Limits::default(), &Silent, &stop);
        let workers = Workers::new(1, &monitor);
        let sets = random_sets(600, 2);
        let bytes = (sets.len() * record_len(BITS / 8)) as u64;
        let mut failed = 0;
        for disk in (bytes..2 * bytes).step_by(bytes as usize / 40) {
            let config = StorageConfig { disk: Some(disk), ..open.clone() };
            let spill = Spill::new(&config, BITS / 8, None);
            let mut parts = Parts::new(&sets, &spill).unwrap();
            parts.take(&mut sets.clone(), &spill).unwrap();
            failed += usize::from(parts.settle(None, (&spill, &workers)).is_err());
            let spill = Spill::new(&open, BITS / 8, None);
            parts.settle(None, (&spill, &workers)).unwrap().unwrap();
            let order = by_falling_size(&sets, &workers).unwrap();
            assert_eq!(parts.len(), maximal(&sets, &order, &workers).unwrap().len(), "{disk}");
        }
        assert!(failed > 0);
    }
}
