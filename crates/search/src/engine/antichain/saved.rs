//! The body of a checkpoint of antichain search: what the position in its snapshot ([`ByLevels`]) leaves out.
//!
//! ```text
//! within an iteration:    | files | children | links |                     all numbers little-endian
//! between two iterations: nothing
//!
//! files:    | number 4 | (sets)* |                the states of the level that are not expanded
//! children: | number 4 | (g 4 | files)* |
//! sets:     | number 8 | (packed key | parent 4 | move 2 | most f 4)* |
//! links:    | number 8 | (parent 4 | move 2)* |
//! ```

use super::expansion::Level;
use super::packed_sets::{PackedSets, record_len, words_for};
use super::search::{Ahead, Iteration, IterationWork};
use super::spill::{Parts, Spill, SpilledSets};
use crate::domain::Cost;
use crate::engine::links::Link;
use crate::engine::snapshot::{ByLevels, LevelPosition};
use crate::runtime::Layer;
use crate::store::StorageError;
use std::io::{self, Read, Write};

/// Sets that are copied at a time.
const CHUNK: usize = 1 << 14;

/// The position that the snapshot holds, but for what concerns the next iteration.
pub(super) fn position_of(iteration: &Iteration) -> ByLevels {
    let Iteration { level, links, progress, .. } = iteration;
    let first = (level.first + progress.done) as u64;
    let level = LevelPosition { g: level.g, first, cut: progress.cut };
    ByLevels { states: links.len() as u64 + 1, level: Some(level), ..ByLevels::default() }
}

/// Writes the body: the iteration under way, if there is one.
///
/// # Errors
/// When the sets cannot be read, or the body cannot be written.
pub(super) fn write(iteration: Option<&Iteration>, key_len: usize, out: &mut dyn Write) -> io::Result<()> {
    iteration.map_or(Ok(()), |iteration| BodyWriter { key_len, out }.iteration(iteration))
}

struct BodyWriter<'a> {
    key_len: usize,
    out: &'a mut dyn Write,
}

impl BodyWriter<'_> {
    fn number(&mut self, number: usize) -> io::Result<()> {
        self.out.write_all(&(number as u64).to_le_bytes())
    }

    fn count(&mut self, count: usize) -> io::Result<()> {
        self.out.write_all(&(count as u32).to_le_bytes())
    }

    /// The sets from number `first` on.
    fn sets(&mut self, sets: &PackedSets, first: usize) -> io::Result<()> {
        let mut bytes = Vec::new();
        for from in (first..sets.len()).step_by(CHUNK) {
            bytes.clear();
            sets.encode(from..sets.len().min(from + CHUNK), self.key_len, &mut bytes);
            self.out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// The sets in memory from number `first` on, then those in files.
    fn files(&mut self, sets: &PackedSets, first: usize, files: &[SpilledSets]) -> io::Result<()> {
        self.count(1 + files.len())?;
        self.number(sets.len() - first)?;
        self.sets(sets, first)?;
        for file in files {
            self.number(file.len())?;
            for chunk in file.chunks() {
                self.sets(&chunk.map_err(io::Error::other)?, 0)?;
            }
        }
        Ok(())
    }

    fn iteration(&mut self, iteration: &Iteration) -> io::Result<()> {
        let Iteration { level, rest, ahead, links, progress, .. } = iteration;
        self.files(&level.sets, progress.done, rest)?;
        self.count(ahead.len())?;
        for (&g, Ahead { sets, parts, .. }) in ahead {
            self.out.write_all(&g.to_le_bytes())?;
            self.files(sets, 0, parts.as_ref().map_or(&[], Parts::files))?;
        }
        self.number(links.len())?;
        links.write(self.out)
    }
}

/// Reads the body of a search that stands at `position`: the iteration under way, which has the counts `layer` so far;
/// `None` between two iterations. What of a level has no room in memory goes to `spill`.
///
/// # Errors
/// When the body cannot be read or does not belong to the position, or sets cannot be spilled. The text says what was
/// found.
pub(super) fn read(
    (body, left): (&mut dyn Read, u64),
    position: &ByLevels,
    layer: Option<Layer>,
    spill: &Spill<'_>,
) -> Result<Option<Iteration>, String> {
    let mut from = Reader { body, left, spill, key_len: spill.key_len() };
    let iteration = match (position.level, layer) {
        (Some(level), Some(layer)) => Some(from.iteration(level, layer)?),
        (None, None) => None,
        _ => return Err("a level without an iteration".to_owned()),
    };
    match from.left {
        0 => Ok(iteration),
        left => Err(format!("{left} bytes behind the body")),
    }
}

struct Reader<'a> {
    body: &'a mut dyn Read,
    /// Bytes that are still to be read.
    left: u64,
    spill: &'a Spill<'a>,
    key_len: usize,
}

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn bytes(&mut self, len: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; len];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), String> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or("a body that ends early")?;
        self.body.read_exact(bytes).map_err(|error| error.to_string())
    }

    fn count(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of things that take so many bytes each, all of which are at hand.
    fn number(&mut self, bytes_of_each: usize) -> Result<usize, String> {
        let number = u64::from_le_bytes(self.array()?);
        let is_there = number.checked_mul(bytes_of_each as u64).is_some_and(|bytes| bytes <= self.left);
        if is_there { Ok(number as usize) } else { Err(format!("{number} things in {} bytes", self.left)) }
    }

    /// A link to a state before number `before`.
    fn link(&mut self, before: usize) -> Result<Link, String> {
        check_link(Link::from_bytes(self.array()?), before)
    }

    /// Sets in files whose parents come before number `before`. What has no room in memory goes to files again.
    fn files(&mut self, before: usize) -> Result<(PackedSets, Vec<SpilledSets>), String> {
        let told = |error: StorageError| error.to_string();
        let (mut sets, mut files) = (PackedSets::new(words_for(self.key_len)), Vec::new());
        for file in 0..self.count()? {
            let mut left = self.number(record_len(self.key_len))?;
            let mut on_disk = if file == 0 { None } else { Some(self.spill.file().map_err(told)?) };
            while left > 0 {
                let number = left.min(CHUNK);
                left -= number;
                let bytes = self.bytes(number * record_len(self.key_len))?;
                let mut chunk = PackedSets::decode(&bytes, self.key_len);
                chunk.links().try_for_each(|link| check_link(link, before).map(drop))?;
                if on_disk.is_none() && sets.bytes() + chunk.bytes() > self.spill.in_memory() && sets.len() > 0 {
                    on_disk = Some(self.spill.file().map_err(told)?);
                }
                match &mut on_disk {
                    Some(on_disk) => on_disk.append(&chunk, self.spill).map_err(told)?,
                    None => sets.append(&mut chunk),
                }
            }
            files.extend(on_disk);
        }
        Ok((sets, files))
    }

    fn iteration(&mut self, position: LevelPosition, layer: Layer) -> Result<Iteration, String> {
        let LevelPosition { g, first, cut } = position;
        let first = usize::try_from(first).map_err(|error| error.to_string())?;
        let (sets, rest) = self.files(first)?;
        let of_level = sets.len() + rest.iter().map(SpilledSets::len).sum::<usize>();
        let end = first.checked_add(of_level).ok_or("too many states")?;
        let loaded = first + sets.len();
        let mut iteration = Iteration::at(Level { g, sets, first }, layer.f);
        iteration.rest = rest;
        for _ in 0..self.count()? {
            let g = Cost::from_le_bytes(self.array()?);
            let (mut sets, files) = self.files(end)?;
            let parts = Parts::of(&files, &mut sets, self.spill).map_err(|error| error.to_string())?;
            iteration.ahead.insert(g, Ahead { sets, maximal: 0, parts });
        }
        let links = self.number(Link::BYTES)?;
        if links + 1 < loaded {
            return Err(format!("{links} links of {loaded} states"));
        }
        for number in 1..=links {
            let link = self.link(number)?;
            // States on disk have no links yet.
            iteration.links.extend((number < loaded).then_some(link));
            if number.is_multiple_of(CHUNK) {
                iteration.links.relieve(self.spill).map_err(|error| error.to_string())?;
            }
        }
        iteration.progress = IterationWork { cut, layer, ..iteration.progress };
        Ok(iteration)
    }
}

fn check_link(link: Link, before: usize) -> Result<Link, String> {
    if (link.parent as usize) < before.max(1) {
        Ok(link)
    } else {
        Err(format!("state {} as a parent of one before number {before}", link.parent))
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed_sets::{Origin, words_of_key};
    use super::*;
    use crate::store::StorageConfig;

    fn sets(keys: &[u8], parent: u32) -> PackedSets {
        let mut sets = PackedSets::new(words_for(2));
        let mut words = vec![0; words_for(2)];
        for &key in keys {
            words_of_key(&[key, 1], &mut words);
            sets.push(&words, Origin { link: Link { parent, mv: u16::from(key) }, most_f: 7 });
        }
        sets
    }

    fn iteration(spill: &Spill<'_>) -> (Iteration, Layer) {
        let layer = Layer { f: 9, expanded: 5, generated: 12 };
        let level = Level { g: 2, sets: sets(&[3, 5, 6], 1), first: 2 };
        let mut iteration = Iteration::at(level, layer.f);
        iteration.ahead.insert(3, Ahead { maximal: 2, sets: sets(&[7, 11], 3), parts: None });
        let mut parts = Parts::new(&sets(&[1, 2], 2), spill).unwrap();
        parts.take(&mut sets(&[1, 2, 3], 2), spill).unwrap();
        iteration.ahead.insert(4, Ahead { maximal: 0, sets: sets(&[9], 2), parts: Some(parts) });
        let mut rest = spill.file().unwrap();
        rest.append(&sets(&[12, 13], 1), spill).unwrap();
        iteration.rest.push(rest);
        iteration.links.extend([Link { parent: 0, mv: 1 }]);
        iteration.links.extend(iteration.level.sets.links());
        iteration.progress = IterationWork { done: 1, layer, cut: 10, ..iteration.progress };
        (iteration, layer)
    }

    fn written(iteration: Option<&Iteration>) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(iteration, 2, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_read_is_what_was_written_and_no_bytes_confuse() {
        let folder = tempfile::tempdir().unwrap();
        let config = StorageConfig::unlimited(folder.path().to_owned());
        let spill = Spill::new(&config, 2, None);
        let (iteration, layer) = iteration(&spill);
        let (bytes, position) = (written(Some(&iteration)), position_of(&iteration));
        let read = |bytes: &[u8], layer| super::read((&mut &*bytes, bytes.len() as u64), &position, layer, &spill);
        let Ok(Some(back)) = read(&bytes, Some(layer)) else { panic!("an iteration") };
        // The state that is done is left out, and what was on disk may have another order.
        assert_eq!((back.level.first, back.level.sets.len(), back.progress.done, back.progress.cut), (3, 2, 0, 10));
        let on_disk = |iteration: &Iteration| {
            let parts = iteration.ahead.values().filter_map(|ahead| ahead.parts.as_ref().map(Parts::len));
            (iteration.rest.iter().map(SpilledSets::len).sum::<usize>(), parts.sum::<usize>())
        };
        assert_eq!((on_disk(&back), on_disk(&iteration)), ((2, 4), (2, 3)));
        let links = |of: &Iteration| {
            let mut bytes = Vec::new();
            of.links.write(&mut bytes).unwrap();
            bytes
        };
        assert_eq!((links(&back), back.ahead[&3].sets.len()), (links(&iteration), 2));
        let Ok(Some(again)) = read(&written(Some(&back)), Some(layer)) else { panic!("an iteration") };
        assert_eq!((on_disk(&again), position_of(&again)), (on_disk(&back), position));
        assert!(read(&bytes, None).is_err(), "no counts of the iteration");
        assert!((0..bytes.len()).all(|length| read(&bytes[..length], Some(layer)).is_err()), "cut off");
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bent = bytes.clone();
                bent[at] ^= 1 << bit;
                // Whatever it is read as, each parent comes before its child.
                if let Ok(Some(iteration)) = read(&bent, Some(layer)) {
                    let links = links(&iteration);
                    let parent_of = |link: &[u8; Link::BYTES]| Link::from_bytes(*link).parent as usize;
                    assert!(links.as_chunks().0.iter().zip(1..).all(|(link, number)| parent_of(link) < number));
                }
            }
        }
        // Where memory is short, all but the first sets of a level go to disk.
        let tight = Spill::new(&config, 2, Some(1));
        let read = super::read((&mut &*bytes, bytes.len() as u64), &position, Some(layer), &tight);
        let Ok(Some(back)) = read else { panic!("an iteration") };
        assert_eq!(on_disk(&back), (2, 4));
    }

    #[test]
    fn between_two_iterations_there_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let config = StorageConfig::unlimited(folder.path().to_owned());
        let spill = Spill::new(&config, 2, None);
        let read = |bytes: &[u8]| super::read((&mut &*bytes, bytes.len() as u64), &ByLevels::default(), None, &spill);
        assert!(matches!(read(&written(None)), Ok(None)) && read(&[0]).is_err());
    }
}
