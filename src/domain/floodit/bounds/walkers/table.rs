//! Tables of targets: how far any regions are from them, as far as that can matter.
//!
//! For targets `u` and `v` let `T[a][b]` be the length of the shortest word that leads two walkers from `a` and `b` to
//! `u` and `v`, in whatever order; for three targets `T[a][b][c]` likewise. It does not depend on the flood, because colours
//! outside of it never change. So the distance of the targets from a flood `F` is the least `T` of regions in `F`.
//!
//! Few pairs can ever be the least. A flood that holds `a` and `b` holds the start `s` too, and with them the pairs `(a, a)`,
//! `(b, b)`, `(a, s)`, `(b, s)` and `(s, s)`. A pair is *minimal* when none of these is nearer to the targets, a triple
//! `(a, b, c)` when no other that is made of `a`, `b`, `c` and `s` is. Only minimal ones are kept, each in the level of its `T`.
//! The least `T` within a flood belongs to a minimal one: whatever is made of the regions that attain it and of `s` lies in the
//! flood as well, so it is no nearer.
//!
//! **Levels are made of minimal ones alone.** When a letter leads `(a, b)` to `(x, y)`, then it leads each of the pairs named
//! above to the pair of the same name of `(x, y)`, or a walker waits at `s`. So if `(a, b)` is minimal with `T` of `k` and `(x, y)` is
//! nearer by one, nothing of `(x, y)` is below `k - 1`: it is minimal. Conversely, a pair that is found in level `k` and
//! is not minimal, or belongs to a level before, names a nearest pair among its own, which is minimal and was found before. The
//! same holds of triples.
//!
//! Of some five million triples on a board of 21x21, eleven to six hundred thousand are minimal; of pairs, one in three to fifty.

use super::pair::MinimalPairs;
use super::sets::Sets;
use super::triple::MinimalTriples;
use crate::domain::floodit::FloodIt;
use crate::domain::floodit::bits::{self, Bits};
use std::sync::Arc;

/// Regions to be reached: three different ones; or two, of which one is named twice; or one for a single walker.
pub(super) type Target = [u16; 3];

/// Two regions, or one, as a target.
pub(super) fn pair(u: usize, v: usize) -> Target {
    let (low, high) = (u.min(v) as u16, u.max(v) as u16);
    [low, high, high]
}

/// Three different regions as a target.
pub(super) fn triple(u: usize, v: usize, w: usize) -> Target {
    let mut target = [u as u16, v as u16, w as u16];
    target.sort_unstable();
    target
}

/// Whether three walkers go there.
pub(super) fn is_triple([u, v, w]: Target) -> bool {
    u != v && v != w
}

/// The table of one target.
#[derive(Clone, Debug)]
pub(super) struct Table<const W: usize> {
    pub(super) target: Target,
    /// Distance from the start, which no flood is beyond.
    top: u8,
    /// Sets of regions. For each level below the top those that are in any of its minimal pairs or triples, and enough of them to
    /// name each. Each region of the former has a child: its partners; for triples some of its partners, enough to name each
    /// pair of them, who have children in turn: the third ones.
    sets: Sets<W>,
    /// Where the children of each set begin; only the last have none.
    first: Arc<[u32]>,
}

/// Bytes of these sets, and of where their children begin.
fn bytes_of<const W: usize>(sets: &[Bits<W>], first: &[u32]) -> u64 {
    (size_of_val(sets) + size_of_val(first)) as u64
}

/// A table that is made, and not at its place yet.
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

/// The minimal pairs or triples of one level after the other.
pub(super) trait Minimal<const W: usize> {
    /// Begins with level 0: the target itself.
    fn begin(&mut self, puzzle: &FloodIt<W>, target: Target);

    /// Whether all walkers may be at the start; every flood is as near then.
    fn holds_start(&self) -> bool;

    /// Adds the level that was reached last to a table.
    fn write(&self, levels: &mut Levels<W>);

    /// Goes on to the next level: what is minimal and from where one letter leads to something of the level before.
    fn spread_back(&mut self, puzzle: &FloodIt<W>);

    /// Bytes of what is worked with.
    fn bytes(&self) -> u64;
}

/// Makes tables, one after the other in the same memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Maker<const W: usize> {
    pairs: MinimalPairs<W>,
    triples: MinimalTriples<W>,
    levels: Levels<W>,
}

impl<const W: usize> Maker<W> {
    /// The table of a target without the start; `None` when it takes more than so many bytes, or what is made for it does.
    pub(super) fn draft(&mut self, puzzle: &FloodIt<W>, target: Target, bytes: u64) -> Option<Draft<W>> {
        let Self { pairs, triples, levels } = self;
        let minimal: &mut dyn Minimal<W> = if is_triple(target) { triples } else { pairs };
        levels.clear();
        minimal.begin(puzzle, target);
        while !minimal.holds_start() && levels.tops.len() < MOST {
            minimal.write(levels);
            minimal.spread_back(puzzle);
            if levels.bytes().max(minimal.bytes()) > bytes {
                return None;
            }
        }
        Some(levels.draft(target)).filter(|draft| draft.bytes() <= bytes)
    }
}

impl<const W: usize> Table<W> {
    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        bytes_of::<W>(&self.sets, &self.first)
    }

    /// Tables side by side.
    pub(super) fn pack(drafts: Vec<Draft<W>>) -> impl Iterator<Item = Self> {
        let sets = Sets::pack(&drafts.iter().map(|draft| &*draft.sets).collect::<Vec<_>>());
        drafts.into_iter().zip(sets).map(|(Draft { target, top, first, .. }, sets)| Self {
            target,
            top,
            sets,
            first: first.into(),
        })
    }

    /// The distance of the target from a flood, from which each region has that plain distance.
    #[inline(always)]
    pub(super) fn distance(&self, set: &Bits<W>, plain: &[u8]) -> u8 {
        // No walker comes sooner, whoever goes with it.
        let mut k = 0;
        for region in self.target {
            k = plain[usize::from(region)].max(k);
        }
        while k < self.top && !self.reaches(k, set) {
            k += 1;
        }
        k
    }

    /// Whether the target has this distance from a flood, at most that of the start, or more.
    #[inline(always)]
    pub(super) fn is_as_far(&self, set: &Bits<W>, distance: u8) -> bool {
        let mut k = distance;
        // Where it has not, it is nearly as far, most often.
        while k > 0 && !self.reaches(k - 1, set) {
            k -= 1;
        }
        k == 0
    }

    /// Whether a flood holds something minimal of level `k`, below the top.
    #[inline(always)]
    fn reaches(&self, k: u8, set: &Bits<W>) -> bool {
        let some = bits::and(&self.sets[usize::from(k) * 2 + 1], set);
        !bits::is_empty(&some) && self.meets(k, &some, set)
    }

    /// Whether something minimal of level `k`, below the top, has one region in `some` and all in `set`.
    #[inline(always)]
    pub(super) fn meets(&self, k: u8, some: &Bits<W>, set: &Bits<W>) -> bool {
        let children = self.children(usize::from(k) * 2, some);
        if is_triple(self.target) {
            for child in children {
                for last in self.children(child, set) {
                    if bits::intersects(&self.sets[last], set) {
                        return true;
                    }
                }
            }
        } else {
            for last in children {
                if bits::intersects(&self.sets[last], set) {
                    return true;
                }
            }
        }
        false
    }

    /// The children that the regions of `among` have in a set.
    #[inline(always)]
    fn children(&self, parent: usize, among: &Bits<W>) -> Children<W> {
        let all = self.sets[parent];
        let rest = bits::and(&all, among);
        // Most often there are none; then nothing else is looked at.
        let (word, first) = if bits::is_empty(&rest) { (W, 0) } else { (0, self.first[parent] as usize) };
        Children { all, rest, word, first }
    }
}

/// Children of a set.
struct Children<const W: usize> {
    all: Bits<W>,
    rest: Bits<W>,
    word: usize,
    /// The first child of this word's regions.
    first: usize,
}

impl<const W: usize> Iterator for Children<W> {
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

/// Levels that a table tells apart.
const MOST: usize = u8::MAX as usize;

/// A table in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels<const W: usize> {
    /// Of each level its two sets, and how many of `middle`, or of `last` where that is empty, come before its own.
    tops: Vec<([Bits<W>; 2], usize)>,
    /// Of triples, the partners, and how many of `last` come before theirs.
    middle: Vec<(Bits<W>, usize)>,
    last: Vec<Bits<W>>,
}

impl<const W: usize> Levels<W> {
    fn clear(&mut self) {
        self.tops.clear();
        self.middle.clear();
        self.last.clear();
    }

    /// Bytes of the sets so far.
    fn bytes(&self) -> u64 {
        let sets = 2 * self.tops.len() + self.middle.len() + self.last.len();
        (sets * size_of::<Bits<W>>()) as u64
    }

    /// Adds a level of pairs: regions in rising order, each with its partners.
    pub(super) fn push_pairs(&mut self, rows: &[(usize, Bits<W>)]) {
        let regions = regions_of(rows);
        let before = self.last.len();
        let tops = [regions, cover(rows, |_, row, left_out| bits::intersects(row, left_out))];
        self.tops.push((tops, before));
        self.last.extend(rows.iter().map(|row| row.1));
    }

    /// Adds a level of triples: pairs of regions in rising order, both ways round, each with the third ones.
    pub(super) fn push_triples(&mut self, rows: &[(usize, usize, Bits<W>)]) {
        let before = self.middle.len();
        let mut of_region: Vec<(usize, Bits<W>)> = Vec::new();
        let mut partners: Vec<Vec<(usize, Bits<W>)>> = Vec::new();
        for of_first in rows.chunk_by(|one, other| one.0 == other.0) {
            let pairs: Vec<_> = of_first.iter().map(|&(_, b, row)| (b, row)).collect();
            of_region.push((of_first[0].0, regions_of(&pairs)));
            let some = cover(&pairs, |_, row, left_out| bits::intersects(row, left_out));
            self.middle.push((some, self.last.len()));
            let mut named = bits::empty();
            for (b, row) in pairs.iter().filter(|pair| bits::contains(&some, pair.0)) {
                self.last.push(bits::minus(row, &named));
                bits::set(&mut named, *b);
            }
            partners.push(pairs);
        }
        let both_left_out = |at: usize, _: &Bits<W>, left_out: &Bits<W>| {
            partners[at].iter().any(|(b, row)| bits::contains(left_out, *b) && bits::intersects(row, left_out))
        };
        self.tops.push(([regions_of(&of_region), cover(&of_region, both_left_out)], before));
    }

    fn draft(&self, target: Target) -> Draft<W> {
        let Self { tops, middle, last } = self;
        let after_tops = tops.len() * 2;
        let after_middle = after_tops + middle.len();
        let of_tops = tops.iter().flat_map(|&(_, before)| [after_tops + before, 0]);
        let of_middle = middle.iter().map(|&(_, before)| after_middle + before);
        let first = of_tops.chain(of_middle).map(|first| first as u32).collect();
        let sets = tops
            .iter()
            .flat_map(|level| level.0)
            .chain(middle.iter().map(|set| set.0))
            .chain(last.iter().copied())
            .collect();
        Draft { target, top: tops.len() as u8, sets, first }
    }
}

fn regions_of<const W: usize>(rows: &[(usize, Bits<W>)]) -> Bits<W> {
    let mut regions = bits::empty();
    rows.iter().for_each(|row| bits::set(&mut regions, row.0));
    regions
}

/// Few of these regions, one at least of all that have to be named. Those with few partners are left out, unless something of
/// theirs `is_lost` then, all others of it being left out already.
fn cover<const W: usize>(rows: &[(usize, Bits<W>)], is_lost: impl Fn(usize, &Bits<W>, &Bits<W>) -> bool) -> Bits<W> {
    let mut numbered: Vec<_> = rows.iter().enumerate().map(|(at, (a, row))| (bits::count(row), *a, at)).collect();
    numbered.sort_unstable();
    let mut left_out = bits::empty();
    for (_, a, at) in numbered {
        let mut with_it = left_out;
        bits::set(&mut with_it, a);
        if !is_lost(at, &rows[at].1, &with_it) {
            left_out = with_it;
        }
    }
    bits::minus(&regions_of(rows), &left_out)
}
