//! The no-goods of one budget, and a search for those that contain a set.
//!
//! A no-good that contains a set contains each of its elements. So for some elements there is a *column*: one bit for
//! each no-good, set if the no-good contains the element. The no-goods that contain a set are in the intersection of
//! the columns of its elements, and these no-goods are compared with the full set. Columns are kept for elements that
//! most searched sets have and most no-goods lack.

use super::bits::{contains, for_each, is_subset};
use crate::multiversion;

/// The largest number of columns.
const MAX_COLUMNS: usize = 128;

/// The number of words that a column has for one group of no-goods.
const COLUMN_WORDS: usize = 8;

/// The number of columns that are intersected at a time.
const STEP_COLUMNS: usize = 4;

/// After each stage of this many columns, the remaining candidates are counted.
const STAGE_COLUMNS: usize = 32;

/// If at most this many candidates remain, they are compared with the set without further columns.
const FEW_LEFT: u32 = 4;

/// The number of no-goods in a group. The columns of one group lie together in memory.
const GROUP_SIZE: usize = 64 * COLUMN_WORDS;

/// Which no-goods of a group contain an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
struct Column([u64; COLUMN_WORDS]);

/// While all no-goods together have at most this many words, they are scanned one by one, without columns.
const FEW_WORDS: usize = 1024;

/// The number of new no-goods after which columns are chosen again, if they were chosen without searched sets.
const EARLY_CHOICE: usize = 256;

/// The no-goods of one budget. None contains another.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NoGoods {
    words: usize,
    sets: Vec<u64>,
    /// How often each no-good has refuted a set. The counts are halved whenever no-goods are forgotten.
    uses: Vec<u32>,
    /// The elements that have a column, the most selective first.
    elements: Vec<u32>,
    columns: Vec<Column>,
    /// The number of no-goods at which the columns are chosen again.
    choose_at: usize,
}

impl NoGoods {
    pub(super) fn new(words: usize) -> Self {
        Self { words, choose_at: FEW_WORDS / words, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.uses.len()
    }

    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> &[u64] {
        &self.sets[number * self.words..][..self.words]
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.sets.capacity() * 8 + self.columns.capacity() * size_of::<Column>() + self.uses.capacity() * 4) as u64
    }

    /// Counts a refutation by a no-good.
    pub(super) fn count_use(&mut self, number: usize) {
        // Another worker may have removed the no-good.
        self.uses.get_mut(number).into_iter().for_each(|uses| *uses = uses.saturating_add(1));
    }

    pub(super) fn containing(&self, set: &[u64]) -> Option<usize> {
        let mut found = Vec::new();
        self.all_containing(set, 1, &mut found);
        found.pop()
    }

    /// Appends the first no-goods that contain `set`, at most `max_count`.
    pub(super) fn all_containing(&self, set: &[u64], max_count: usize, found: &mut Vec<usize>) {
        scan_containing(self, set, max_count, found);
    }

    /// Adds a no-good, and removes the no-goods within it. `share_of` returns the share of searched sets that contain
    /// an element. Columns are chosen by this share and by the number of no-goods that lack the element.
    pub(super) fn add(&mut self, set: &[u64], share_of: impl Fn(u32) -> f64) {
        for number in contained(self, set).into_iter().rev() {
            self.remove(number);
        }
        self.push(set, share_of);
    }

    /// Adds a no-good that contains no other no-good. Unlike [`add`](Self::add), it makes no comparison.
    pub(super) fn push(&mut self, set: &[u64], share_of: impl Fn(u32) -> f64) {
        self.sets.extend_from_slice(set);
        self.uses.push(0);
        if self.len() >= self.choose_at {
            self.choose_at = 2 * self.len();
            self.choose_columns(share_of);
        } else if !self.elements.is_empty() {
            self.set_column_bits(self.len() - 1);
        }
    }

    /// Schedules an early choice of columns, because the columns were chosen without searched sets.
    pub(super) fn choose_early(&mut self) {
        self.choose_at = self.choose_at.min(self.len() + EARLY_CHOICE);
    }

    /// Forgets the half of the no-goods that has refuted least.
    pub(super) fn forget_half(&mut self) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&number| (self.uses[number], number));
        let mut removed = order[..self.len().div_ceil(2)].to_vec();
        removed.sort_unstable();
        for number in removed.into_iter().rev() {
            self.remove(number);
        }
        self.uses.iter_mut().for_each(|uses| *uses /= 2);
        self.sets.shrink_to_fit();
        self.columns.truncate(self.len().div_ceil(GROUP_SIZE) * self.elements.len());
        self.columns.shrink_to_fit();
    }

    /// Removes a no-good; the last one takes its place.
    fn remove(&mut self, number: usize) {
        let last = self.len() - 1;
        self.sets.copy_within(last * self.words.., number * self.words);
        self.sets.truncate(last * self.words);
        self.uses.swap_remove(number);
        if number < last && !self.elements.is_empty() {
            self.set_column_bits(number);
        }
    }

    /// Chooses the columns.
    fn choose_columns(&mut self, share_of: impl Fn(u32) -> f64) {
        let mut counts = vec![0_u32; self.words * 64];
        for number in 0..self.len() {
            for_each(&self.sets[number * self.words..][..self.words], |element| counts[element as usize] += 1);
        }
        let share_without = |element: u32| 1.0 - f64::from(counts[element as usize]) / self.len() as f64;
        let mut ranked: Vec<(f64, u32)> =
            (0..counts.len() as u32).map(|element| (share_of(element) * share_without(element), element)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        self.elements = ranked.into_iter().take(MAX_COLUMNS).map(|(_, element)| element).collect();
        self.columns.clear();
        (0..self.len()).for_each(|number| self.set_column_bits(number));
    }

    /// Sets the bits of a no-good in all columns.
    fn set_column_bits(&mut self, number: usize) {
        let (first, bit) = (number / GROUP_SIZE * self.elements.len(), number % GROUP_SIZE);
        if self.columns.len() < first + self.elements.len() {
            self.columns.resize(first + self.elements.len(), Column::default());
        }
        let set = &self.sets[number * self.words..][..self.words];
        for (Column(column), &element) in self.columns[first..].iter_mut().zip(&self.elements) {
            let word = &mut column[bit / 64];
            *word = *word & !(1 << (bit % 64)) | u64::from(contains(set, element)) << (bit % 64);
        }
    }
}

multiversion! {
    /// [`NoGoods::all_containing`].
    fn scan_containing(no_goods: &NoGoods, set: &[u64], max_count: usize, found: &mut Vec<usize>) = scan_for_supersets
}

#[inline(always)]
fn scan_for_supersets(no_goods: &NoGoods, set: &[u64], max_count: usize, found: &mut Vec<usize>) {
    scan(no_goods, set, true, max_count, found);
}

multiversion! {
    fn contained(no_goods: &NoGoods, set: &[u64]) -> Vec<usize> = scan_for_subsets
}

#[inline(always)]
fn scan_for_subsets(no_goods: &NoGoods, set: &[u64]) -> Vec<usize> {
    let mut found = Vec::new();
    scan(no_goods, set, false, usize::MAX, &mut found);
    found
}

/// Appends the first no-goods that contain `set`, or that lie within it, at most `max_count`.
#[inline(always)]
fn scan(no_goods: &NoGoods, set: &[u64], contains_set: bool, max_count: usize, found: &mut Vec<usize>) {
    let matches = |no_good: &[u64]| if contains_set { is_subset(set, no_good) } else { is_subset(no_good, set) };
    if no_goods.elements.is_empty() {
        for (number, no_good) in no_goods.sets.chunks_exact(no_goods.words).enumerate() {
            if matches(no_good) {
                found.push(number);
                if found.len() == max_count {
                    return;
                }
            }
        }
        return;
    }
    let mut relevant = RelevantColumns::of(set, contains_set);
    for group in 0..no_goods.len().div_ceil(GROUP_SIZE) {
        for (word, bits) in candidates(no_goods, group, &mut relevant).into_iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let number = group * GROUP_SIZE + word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if number < no_goods.len() && matches(no_goods.get(number)) {
                    found.push(number);
                    if found.len() == max_count {
                        return;
                    }
                }
            }
        }
    }
}

/// The columns that can exclude no-goods. To find no-goods that contain the set, these are the columns of its elements;
/// to find no-goods that lie within it, all other columns. They are found stage by stage, when they are needed.
struct RelevantColumns<'s> {
    set: &'s [u64],
    contains_set: bool,
    stages: [([u16; STAGE_COLUMNS + STEP_COLUMNS], usize); MAX_COLUMNS / STAGE_COLUMNS],
    /// The number of stages found so far.
    found: usize,
}

impl<'s> RelevantColumns<'s> {
    #[inline(always)]
    fn of(set: &'s [u64], contains_set: bool) -> Self {
        let stages = [([0; STAGE_COLUMNS + STEP_COLUMNS], 0); MAX_COLUMNS / STAGE_COLUMNS];
        Self { set, contains_set, stages, found: 0 }
    }

    /// The columns of a stage, in a whole number of steps. The last column is repeated to fill a step, which changes
    /// nothing.
    #[inline(always)]
    fn stage(&mut self, stage: usize, elements: &[u32]) -> &[[u16; STEP_COLUMNS]] {
        if stage == self.found {
            self.found += 1;
            let (relevant, stage_len) = &mut self.stages[stage];
            let mut count = 0;
            for (at, &element) in ((stage * STAGE_COLUMNS) as u16..).zip(elements) {
                relevant[count % STAGE_COLUMNS] = at;
                count += usize::from(contains(self.set, element) == self.contains_set);
            }
            let last = relevant[count.saturating_sub(1)];
            relevant[count..][..STEP_COLUMNS].fill(last);
            *stage_len = count.next_multiple_of(STEP_COLUMNS);
        }
        let (relevant, count) = &self.stages[stage];
        relevant[..*count].as_chunks::<STEP_COLUMNS>().0
    }
}

/// The no-goods of a group that the columns do not exclude, a bit each.
#[inline(always)]
fn candidates(no_goods: &NoGoods, group: usize, relevant: &mut RelevantColumns<'_>) -> [u64; COLUMN_WORDS] {
    let NoGoods { elements, columns, .. } = no_goods;
    let of_group = &columns[group * elements.len()..][..elements.len()];
    let contains_set = relevant.contains_set;
    let mut remaining = [u64::MAX; COLUMN_WORDS];
    for (stage, elements) in elements.chunks(STAGE_COLUMNS).enumerate() {
        for step in relevant.stage(stage, elements) {
            let [a, b, c, d] = [step[0], step[1], step[2], step[3]].map(|at| &of_group[usize::from(at)].0);
            let mut next = [0; COLUMN_WORDS];
            // Written out, so that it becomes a few instructions for vectors.
            for i in 0..COLUMN_WORDS {
                let matching = if contains_set { a[i] & b[i] & c[i] & d[i] } else { !(a[i] | b[i] | c[i] | d[i]) };
                next[i] = remaining[i] & matching;
            }
            remaining = next;
            let mut any = 0;
            for bits in remaining {
                any |= bits;
            }
            if any == 0 {
                break;
            }
        }
        let mut count = 0;
        for bits in remaining {
            count += bits.count_ones();
        }
        // Comparing a few full sets is faster than further columns.
        if count <= FEW_LEFT {
            break;
        }
    }
    remaining
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of four words in which each element is or is not, as a hash has it.
    fn set(number: u64) -> Vec<u64> {
        (0..4).map(|word| crate::store::hash_key(&(4 * number + word).to_le_bytes())).collect()
    }

    #[test]
    fn columns_are_chosen_anew_soon_after_a_checkpoint_was_read() {
        let mut no_goods = NoGoods::new(4);
        (0..600).for_each(|number| no_goods.push(&set(number), |_| 1.0));
        let mut read = no_goods.clone();
        read.choose_early();
        for number in 600..600 + EARLY_CHOICE as u64 {
            for no_goods in [&mut no_goods, &mut read] {
                no_goods.add(&set(number), f64::from);
            }
        }
        assert_ne!(read.elements, no_goods.elements, "those of 512 no-goods, without searched sets");
        let wanted = set(7);
        assert_eq!(read.containing(&wanted), no_goods.containing(&wanted));
    }
}
