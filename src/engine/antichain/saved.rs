//! The part of a checkpoint that antichain search writes and reads itself.
//!
//! ```text
//! part:   | refined for 8 | 1           | iteration |         all numbers little-endian
//!         |               | 0, 2 or 3   | sample |            prepared: nothing, beams, all
//! iteration: | cut 4 | done 8 | g 4 | first 8 | sets of the level | children of how many g 4 | (g 4 | sets)* |
//!            | links: number 8 | (parent 4 | move 2)* | sample |
//! sets:   | number 8 | packed keys | (parent 4 | move 2 | most f 4)* |
//! sample: | number 8 | (hash 8 | packed key)* |
//! ```
//!
//! Memos are not written: the refined bound is a function of the state, so the memos of a level are made again.
//! Counts, lower bound, incumbent and refined bound are in the snapshot before this part.

use super::expansion::Level;
use super::packed_sets::{Origin, PackedSets, key_of_words, words_for, words_of_key};
use super::sample::Sample;
use super::search::{Ahead, Iteration, Progress};
use crate::domain::Cost;
use crate::engine::links::Link;
use crate::engine::work::Work;
use crate::runtime::Layer;

/// How far the next iteration is prepared. What has been begun is not begun again after a resume: sessions that are too
/// short for it would never end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preparation {
    Nothing,
    /// A beam search has run, or was cut off.
    Beams,
    /// The lower bound was refined, or refining it did not pay or was cut off.
    All,
}

/// Where a search stands.
pub(super) enum Position {
    /// Between two iterations, with the sample of the former one.
    Between(Sample, Preparation),
    Within(Box<Iteration>),
}

/// The byte of each stage of the preparation.
const STAGES: [(u8, Preparation); 3] = [(0, Preparation::Nothing), (2, Preparation::Beams), (3, Preparation::All)];

/// Writes a position. `refined_for` is the number of expansions for which the lower bound was refined.
pub(super) fn encode(
    key_len: usize,
    refined_for: u64,
    position: Result<&Iteration, (&Sample, Preparation)>,
) -> Vec<u8> {
    let mut out = Writer { key_len, bytes: Vec::new() };
    out.number(refined_for);
    match position {
        Ok(iteration) => {
            out.bytes.push(1);
            out.iteration(iteration);
        }
        Err((sample, prepared)) => {
            let stage = STAGES.iter().find(|(_, stage)| *stage == prepared).map_or(0, |(byte, _)| *byte);
            out.bytes.push(stage);
            out.sample(sample);
        }
    }
    out.bytes
}

/// Reads a position of a search whose iteration has these counts so far, and the number of expansions for which the
/// lower bound was refined. `None` if the bytes are malformed.
pub(super) fn decode(bytes: &[u8], key_len: usize, layer: Option<Layer>, most: usize) -> Option<(u64, Position)> {
    let mut from = Reader { key_len: Some(key_len).filter(|&len| len > 0)?, bytes };
    let refined_for = from.number()?;
    let position = match (from.array()?, layer) {
        ([1], Some(layer)) => Position::Within(Box::new(from.iteration(layer, most)?)),
        ([byte], None) => {
            let prepared = STAGES.iter().find(|(of, _)| *of == byte)?.1;
            Position::Between(from.sample(most)?, prepared)
        }
        _ => return None,
    };
    from.bytes.is_empty().then_some((refined_for, position))
}

struct Writer {
    key_len: usize,
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn cost(&mut self, cost: Cost) {
        self.bytes.extend(cost.to_le_bytes());
    }

    fn link(&mut self, link: Link) {
        self.bytes.extend(link.parent.to_le_bytes());
        self.bytes.extend(link.mv.to_le_bytes());
    }

    fn sets(&mut self, sets: &PackedSets) {
        self.number(sets.len() as u64);
        let mut key = vec![0; self.key_len];
        for at in 0..sets.len() {
            key_of_words(sets.get(at), &mut key);
            self.bytes.extend_from_slice(&key);
        }
        for Origin { link, most_f } in (0..sets.len()).map(|at| sets.origin(at)) {
            self.link(link);
            self.cost(most_f);
        }
    }

    fn sample(&mut self, sample: &Sample) {
        let states = sample.states();
        self.number(states.len() as u64);
        for (hash, key) in states {
            self.number(hash);
            self.bytes.extend_from_slice(key);
        }
    }

    fn iteration(&mut self, iteration: &Iteration) {
        let Iteration { level, ahead, links, committed, sample, .. } = iteration;
        self.cost(committed.cut);
        self.number(committed.done as u64);
        self.cost(level.g);
        self.number(level.first as u64);
        self.sets(&level.sets);
        self.bytes.extend((ahead.len() as u32).to_le_bytes());
        for (&g, ahead) in ahead {
            self.cost(g);
            self.sets(&ahead.sets);
        }
        self.number(links.len() as u64);
        links.iter().for_each(|&link| self.link(link));
        self.sample(sample);
    }
}

struct Reader<'a> {
    key_len: usize,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn cost(&mut self) -> Option<Cost> {
        self.array().map(Cost::from_le_bytes)
    }

    /// A number of things that take so many bytes each, all of which are at hand.
    fn count(&mut self, bytes_of_each: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(bytes_of_each)? <= self.bytes.len()).then_some(count)
    }

    /// A link to one of the states before number `before`.
    fn link(&mut self, before: usize) -> Option<Link> {
        let link = Link { parent: self.array().map(u32::from_le_bytes)?, mv: self.array().map(u16::from_le_bytes)? };
        ((link.parent as usize) < before.max(1)).then_some(link)
    }

    /// Sets whose parents come before number `before`.
    fn sets(&mut self, before: usize) -> Option<PackedSets> {
        let count = self.count(self.key_len + 10)?;
        let keys = self.take(count * self.key_len)?;
        let mut sets = PackedSets::new(words_for(self.key_len));
        let mut words = vec![0; words_for(self.key_len)];
        for key in keys.chunks_exact(self.key_len) {
            words_of_key(key, &mut words);
            sets.push(&words, Origin { link: self.link(before)?, most_f: self.cost()? });
        }
        Some(sets)
    }

    fn sample(&mut self, most: usize) -> Option<Sample> {
        let mut sample = Sample::new(most);
        for _ in 0..self.count(8 + self.key_len)? {
            sample.offer(self.number()?, self.take(self.key_len)?.into());
        }
        Some(sample)
    }

    fn iteration(&mut self, layer: Layer, most: usize) -> Option<Iteration> {
        let cut = self.cost()?;
        let done = usize::try_from(self.number()?).ok()?;
        let g = self.cost()?;
        let first = usize::try_from(self.number()?).ok()?;
        let sets = self.sets(first)?;
        let end = first.checked_add(sets.len()).filter(|_| done <= sets.len())?;
        let mut iteration = Iteration::at(Level { g, sets, first }, layer.f);
        for _ in 0..u32::from_le_bytes(self.array()?) {
            let g = self.cost()?;
            let sets = self.sets(end)?;
            let committed = sets.len();
            iteration.ahead.insert(g, Ahead { sets, maximal: 0, committed });
        }
        for number in 1..=self.count(6)? {
            iteration.links.push(self.link(number)?);
        }
        if iteration.links.len() + 1 != end {
            return None;
        }
        iteration.sample = self.sample(most)?;
        iteration.progress = Progress { done, layer, cut, work: Work::default() };
        iteration.committed = iteration.progress;
        Some(iteration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(keys: &[u8], parent: u32) -> PackedSets {
        let mut sets = PackedSets::new(words_for(2));
        let mut words = vec![0; words_for(2)];
        for &key in keys {
            words_of_key(&[key, 1], &mut words);
            sets.push(&words, Origin { link: Link { parent, mv: u16::from(key) }, most_f: 7 });
        }
        sets
    }

    fn iteration() -> (Iteration, Layer) {
        let layer = Layer { f: 9, expanded: 5, generated: 12 };
        let level = Level { g: 2, sets: sets(&[3, 5, 6], 1), first: 2 };
        let mut iteration = Iteration::at(level, layer.f);
        let ahead = sets(&[7, 11], 3);
        iteration.ahead.insert(3, Ahead { maximal: 2, committed: 2, sets: ahead });
        iteration.links = vec![Link { parent: 0, mv: 1 }];
        iteration.links.extend(iteration.level.sets.links());
        iteration.sample.offer(77, Box::new([3, 1]));
        iteration.progress = Progress { done: 1, layer, cut: 10, work: Work::default() };
        iteration.committed = iteration.progress;
        (iteration, layer)
    }

    #[test]
    fn what_is_read_is_what_was_written_and_no_bytes_confuse() {
        let (iteration, layer) = iteration();
        let bytes = encode(2, 1_000, Ok(&iteration));
        let read = |bytes: &[u8], layer| decode(bytes, 2, layer, 96);
        let Some((1_000, Position::Within(read_back))) = read(&bytes, Some(layer)) else { panic!("an iteration") };
        assert_eq!(encode(2, 1_000, Ok(&read_back)), bytes);
        assert_eq!((read_back.progress.done, read_back.progress.cut), (1, 10));
        assert!(read(&bytes, None).is_none(), "no counts of the iteration");
        assert!((0..bytes.len()).all(|length| read(&bytes[..length], Some(layer)).is_none()), "cut off");
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bent = bytes.clone();
                bent[at] ^= 1 << bit;
                // Whatever it is read as, each parent comes before its child.
                if let Some((_, Position::Within(iteration))) = read(&bent, Some(layer)) {
                    let is_before = |(link, number): (&Link, usize)| (link.parent as usize) < number;
                    assert!(iteration.links.iter().zip(1..).all(is_before));
                }
            }
        }
        let mut sample = Sample::new(96);
        sample.offer(5, Box::new([1, 2]));
        for (_, prepared) in STAGES {
            let bytes = encode(2, 8, Err((&sample, prepared)));
            let Some((8, Position::Between(read_back, found))) = read(&bytes, None) else { panic!("a sample") };
            assert_eq!((read_back.into_keys(), found), (sample.clone().into_keys(), prepared));
        }
    }
}
