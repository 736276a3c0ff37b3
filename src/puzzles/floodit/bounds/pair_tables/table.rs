//! Tables of targets: the distance of each pair of positions that can matter.
//!
//! For the target `u`, `v` let `T[a][b]` be the length of the shortest word that leads two walkers from `a` and `b`
//! home, in whatever order. It does not depend on the flood, because colours outside of it never change. So the
//! distance of the target is the least `T` of the positions at which walkers may start.
//!
//! Few pairs can ever be the least. A set of such positions that holds `a` and `b` holds the start `s` too, and with
//! them the pairs `(a, a)`, `(b, b)`, `(a, s)`, `(b, s)` and `(s, s)`. A pair is *minimal* when none of these is nearer
//! to the target. Only minimal pairs are kept, each in the level of its `T`. The least `T` within a set belongs to a
//! minimal pair: the pairs that are made of its positions and of `s` lie in the set as well, so none of them is nearer.
//!
//! **Levels are made of minimal ones alone.** When a letter leads `(a, b)` to `(x, y)`, then it leads each of the pairs
//! named above to the pair of the same name of `(x, y)`, or a walker waits at `s`. (Where `x` is a home, only one
//! walker goes there, and `(x, x)` is not nearer than anything.) So if `(a, b)` is minimal with `T` of `k` and `(x, y)`
//! is nearer by one, nothing of `(x, y)` is below `k - 1`: it is minimal. Conversely, a pair that is found in level `k`
//! and is not minimal, or belongs to a level before, names a nearest pair among its own, which is minimal and was found
//! before.
//!
//! On boards of 21x21 one pair in three to fifty is minimal.

use super::effort::{Cut, Effort};
use super::minimal::MinimalPairs;
use super::sets::Sets;
use super::target::Target;
use crate::puzzles::floodit::FloodIt;
use crate::puzzles::floodit::bits::{self, Bits};
use std::sync::Arc;

/// The table of one target.
#[derive(Clone, Debug)]
pub(super) struct Table<const W: usize> {
    pub(super) target: Target,
    /// The distance from the start. No set of positions is farther.
    top: u8,
    /// Sets of positions. First come two for each level below the top: the positions that are in any of its minimal
    /// pairs, and enough of them to name each pair. Then come the partners of each position of the former set, level by
    /// level.
    sets: Sets<W>,
    /// The number of the set with which the partners of each level begin.
    first: Arc<[u32]>,
}

/// Bytes of these sets, and of where the partners of each level begin.
fn bytes_of<const W: usize>(sets: &[Bits<W>], first: &[u32]) -> u64 {
    (size_of_val(sets) + size_of_val(first)) as u64
}

/// A finished table that has not been packed with others yet.
#[derive(Debug)]
pub(super) struct Draft<const W: usize> {
    target: Target,
    top: u8,
    sets: Vec<Bits<W>>,
    first: Vec<u32>,
}

impl<const W: usize> Draft<W> {
    /// Bytes that the table takes.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<W>(&self.sets, &self.first)
    }
}

/// Makes tables, one after the other, with the same working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Maker<const W: usize> {
    minimal: MinimalPairs<W>,
    levels: Levels<W>,
}

impl<const W: usize> Maker<W> {
    /// The table of a target without the start. There has to be room for the working memory, for the table, and for
    /// its copy in pages.
    pub(super) fn draft(
        &mut self,
        puzzle: &FloodIt<W>,
        (target, homes): (Target, [usize; 2]),
        effort: &mut Effort<'_>,
    ) -> Result<Draft<W>, Cut> {
        let Self { minimal, levels } = self;
        levels.clear();
        let working = MinimalPairs::bytes(puzzle);
        effort.fits(working)?;
        minimal.begin(puzzle, target, homes);
        while !minimal.holds_start() && levels.tops.len() < MOST_LEVELS {
            levels.push(&minimal.level(), effort)?;
            effort.fits(working + levels.bytes_with_copies())?;
            minimal.spread_back(effort)?;
        }
        levels.draft(target, effort)
    }
}

impl<const W: usize> Table<W> {
    /// Bytes of the table.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<W>(&self.sets, &self.first)
    }

    /// Packs tables side by side.
    pub(super) fn pack(drafts: Vec<Draft<W>>) -> impl Iterator<Item = Self> {
        let sets = Sets::pack(&drafts.iter().map(|draft| &*draft.sets).collect::<Vec<_>>());
        drafts.into_iter().zip(sets).map(|(Draft { target, top, first, .. }, sets)| Self {
            target,
            top,
            sets,
            first: first.into(),
        })
    }

    /// The distance of the target from a set of positions, if it is at least `least`; otherwise some value from the
    /// distance on that is below `least`. `plain` holds the plain distance of each region from the flood among them.
    #[inline(always)]
    pub(super) fn distance_from(&self, set: &Bits<W>, plain: &[u8], least: u8) -> u8 {
        if self.top < least {
            return self.top;
        }
        // No walker comes sooner than it would alone.
        let mut alone = 0;
        for region in self.target {
            alone = plain[usize::from(region)].max(alone);
        }
        // A target that is nearer is only a little nearer, most often.
        let mut k = least;
        while k > alone {
            k -= 1;
            if self.reaches(k, set) {
                return k;
            }
        }
        k = least.max(alone);
        while k < self.top && !self.reaches(k, set) {
            k += 1;
        }
        k
    }

    /// Whether the target is at least this far from a set of positions. `distance` is at most the distance from the
    /// start.
    #[inline(always)]
    pub(super) fn is_as_far(&self, set: &Bits<W>, distance: u8) -> bool {
        let mut k = distance;
        // A target that is nearer is only a little nearer, most often.
        while k > 0 && !self.reaches(k - 1, set) {
            k -= 1;
        }
        k == 0
    }

    /// Whether a set holds a minimal pair of level `k`, below the top.
    #[inline(always)]
    fn reaches(&self, k: u8, set: &Bits<W>) -> bool {
        let some = bits::and(&self.sets[usize::from(k) * 2 + 1], set);
        !bits::is_empty(&some) && self.meets(k, &some, set)
    }

    /// Whether a minimal pair of level `k`, below the top, has one position in `some` and both in `set`.
    #[inline(always)]
    pub(super) fn meets(&self, k: u8, some: &Bits<W>, set: &Bits<W>) -> bool {
        for partners in self.partners(usize::from(k), some) {
            if bits::intersects(&self.sets[partners], set) {
                return true;
            }
        }
        false
    }

    /// The numbers of the sets of partners that the regions of `among` have in a level.
    #[inline(always)]
    fn partners(&self, level: usize, among: &Bits<W>) -> Partners<W> {
        let all = self.sets[level * 2];
        let rest = bits::and(&all, among);
        // Most often there are none, and nothing else is read.
        let (word, first) = if bits::is_empty(&rest) { (W, 0) } else { (0, self.first[level] as usize) };
        Partners { all, rest, word, first }
    }
}

/// The sets of partners of some regions of a level.
struct Partners<const W: usize> {
    /// The regions of the level, and those of them whose partners are still to come.
    all: Bits<W>,
    rest: Bits<W>,
    word: usize,
    /// The number of the first set of this word's regions.
    first: usize,
}

impl<const W: usize> Iterator for Partners<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.word < W {
            let (all, rest) = (self.all[self.word], self.rest[self.word]);
            if rest != 0 {
                let before = all & ((rest & rest.wrapping_neg()) - 1);
                self.rest[self.word] = rest & (rest - 1);
                return Some(self.first + before.count_ones() as usize);
            }
            self.first += all.count_ones() as usize;
            self.word += 1;
        }
        None
    }
}

/// The most levels of a table. Distances are bytes: one that does not fit is the greatest byte instead, which is less
/// (`mod.rs` says why this is right). So levels from 255 on tell nothing.
pub(super) const MOST_LEVELS: usize = u8::MAX as usize;

/// A table in the making.
#[derive(Clone, Debug, Default)]
struct Levels<const W: usize> {
    /// The two sets of each level, and how many of `partners` come before its own.
    tops: Vec<([Bits<W>; 2], usize)>,
    partners: Vec<Bits<W>>,
}

impl<const W: usize> Levels<W> {
    fn clear(&mut self) {
        self.tops.clear();
        self.partners.clear();
    }

    /// Bytes of the sets so far, of the draft that comes of them, and of its copy in pages.
    fn bytes_with_copies(&self) -> u64 {
        let sets = 2 * self.tops.len() + self.partners.len();
        // What has grown was copied.
        let grown = 2 * (2 * self.tops.capacity() + self.partners.capacity());
        ((grown + 2 * sets) * size_of::<Bits<W>>() + 2 * self.tops.len() * size_of::<u32>()) as u64
    }

    /// Adds a level: regions in rising order, each with its partners.
    fn push(&mut self, rows: &[(usize, Bits<W>)], effort: &mut Effort<'_>) -> Result<(), Cut> {
        effort.spend(4 * W * rows.len())?;
        let before = self.partners.len();
        self.tops.push(([regions_of(rows), naming(rows)], before));
        self.partners.extend(rows.iter().map(|row| row.1));
        Ok(())
    }

    fn draft(&self, target: Target, effort: &mut Effort<'_>) -> Result<Draft<W>, Cut> {
        let Self { tops, partners } = self;
        let first = tops.iter().map(|&(_, before)| (tops.len() * 2 + before) as u32).collect();
        let mut sets = Vec::with_capacity(2 * tops.len() + partners.len());
        sets.extend(tops.iter().flat_map(|level| level.0));
        for some in partners.chunks(1 << 10) {
            effort.spend(W * some.len())?;
            sets.extend_from_slice(some);
        }
        Ok(Draft { target, top: tops.len() as u8, sets, first })
    }
}

fn regions_of<const W: usize>(rows: &[(usize, Bits<W>)]) -> Bits<W> {
    let mut regions = bits::empty();
    for row in rows {
        bits::set(&mut regions, row.0);
    }
    regions
}

/// Few of these regions that name each pair: one region of each pair is among them. Regions with few partners are left
/// out first.
fn naming<const W: usize>(rows: &[(usize, Bits<W>)]) -> Bits<W> {
    let mut numbered: Vec<_> = rows.iter().enumerate().map(|(at, (a, row))| (bits::count(row), *a, at)).collect();
    numbered.sort_unstable();
    let mut left_out = bits::empty();
    for (_, a, at) in numbered {
        let mut with_it = left_out;
        bits::set(&mut with_it, a);
        if !bits::intersects(&rows[at].1, &with_it) {
            left_out = with_it;
        }
    }
    bits::minus(&regions_of(rows), &left_out)
}
