//! The order in which colours are finished.
//!
//! Let `P[c][d]` say that the colours `c` and `d` cannot both be finished before turn `P[c][d]` is over; `P[c][c]` says
//! so of one colour. In any solution some colour of a set `S` is finished last, later than all others. So with `f(S)`
//! turns at least until all of `S` is finished
//!
//! ```text
//! f({}) = 0;   f(S) = min over c in S of max(f(S without c) + 1, max over d in S of P[c][d])
//! ```
//!
//! By induction `f` grows with `S`, and the minimum is attained where `f(S without c)` is least:
//!
//! ```text
//! f(S) = max( P[c][d] for c, d in S;  1 + min over c in S of f(S without c) )
//! ```
//!
//! Is f of the n unfinished colours at least e? Only if every order of finishing them breaks some `P`. Read an order
//! from its end: it takes colours away. With j colours left, f of these must be less than e - n + j. So a pair with `P`
//! of e - n + w must have lost one of its colours when w are left: after n - w have been taken, its *deadline*. To find
//! out whether an order meets all deadlines, take a pair with the earliest deadline of the pairs that have both their
//! colours, and try each of its two colours next. No order is lost: in an order that meets all deadlines, the colour
//! that it takes of this pair can be moved to the front, because no other whole pair has an earlier deadline. Where no
//! order is left, the pairs that were tried prove it alone, whatever the values of all others.

/// The most colours that take part.
pub(super) const SLOTS: usize = 10;

/// A set of slots, bit `i` for slot `i`.
pub(super) type SlotSet = u16;

/// A set of cells, bit `i` for cell `i`.
pub(super) type CellSet = u64;

/// The most cells.
pub(super) const CELLS: usize = CellSet::BITS as usize;

/// The numbers of cells: each set of one or two slots has one. The cells of the first slots come first.
#[derive(Debug)]
pub(super) struct Layout {
    slots_of: [SlotSet; CELLS],
    cell_of: [u8; 1 << SLOTS],
    /// The cells of each slot.
    cells_with: [CellSet; SLOTS],
    /// The number of cells of the first slots.
    counts: [usize; SLOTS + 1],
}

/// The cells of all slots.
pub(super) static LAYOUT: Layout = Layout::new();

impl Layout {
    const fn new() -> Self {
        let mut new = Self {
            slots_of: [0; CELLS],
            cell_of: [u8::MAX; 1 << SLOTS],
            cells_with: [0; SLOTS],
            counts: [0; SLOTS + 1],
        };
        let (mut set, mut cell) = (1, 0);
        while set < 1 << SLOTS {
            let highest = (set as SlotSet).ilog2() as usize;
            if (set as SlotSet).count_ones() <= 2 {
                new.slots_of[cell] = set as SlotSet;
                new.cell_of[set] = cell as u8;
                let mut slot = 0;
                while slot <= highest {
                    if set >> slot & 1 == 1 {
                        new.cells_with[slot] |= 1 << cell;
                    }
                    slot += 1;
                }
                cell += 1;
            }
            new.counts[highest + 1] = cell;
            set += 1;
        }
        new
    }

    /// The number of cells of the first `slots` slots.
    pub(super) fn cells(&self, slots: usize) -> usize {
        self.counts[slots]
    }

    /// The cell of a set of slots, if it has one.
    pub(super) fn cell_of(&self, slots: SlotSet) -> Option<usize> {
        Some(usize::from(self.cell_of[usize::from(slots)])).filter(|&cell| cell < CELLS)
    }

    /// The lower slot and the higher one of a cell that there is; they are the same for a cell of one slot.
    pub(super) fn pair_of(&self, cell: usize) -> [usize; 2] {
        let set = self.slots_of[cell];
        [set.trailing_zeros() as usize, (SlotSet::BITS - 1).saturating_sub(set.leading_zeros()) as usize]
    }
}

/// f of the unfinished colours, but 255 where f is more than that; `values` holds P of each cell.
pub(super) fn turns(values: &[u8], unfinished: SlotSet) -> u8 {
    // Each colour takes a turn, and each cell alone gives its P.
    let mut turns = unfinished.count_ones() as u8;
    for (&slots, &value) in LAYOUT.slots_of.iter().zip(values) {
        if slots & unfinished != 0 {
            turns = value.max(turns);
        }
    }
    // f is less than the greatest P and the number of colours together, so there are SLOTS rounds at most.
    while let Some(more) = turns.checked_add(1)
        && Question::of(values, unfinished, more).answer().is_some()
    {
        turns = more;
    }
    turns
}

/// Lowers the value of a cell as far as f of the unfinished colours stays at least `goal`. f must be at least `goal`
/// before.
pub(super) fn lower((unfinished, goal): (SlotSet, u8), values: &mut [u8], cell: usize) {
    // f grows with each value, so the least value that suffices is found by halving: `suffices` does.
    let (mut least, mut suffices) = (0, values[cell]);
    while least < suffices {
        values[cell] = least.midpoint(suffices);
        match Question::of(values, unfinished, goal).answer() {
            Some(_) => suffices = values[cell],
            None => least = values[cell] + 1,
        }
    }
    values[cell] = suffices;
}

/// Whether f of the unfinished colours is at least `goal`.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The cells with P of `base + weight`, by weight: when so many colours are left, a cell must have lost a colour.
    of_weight: [CellSet; SLOTS + 1],
    /// Cells whose P is certain. They are tried first.
    certain: CellSet,
    unfinished: SlotSet,
    base: i32,
}

impl Question {
    /// The question while no cell has a value.
    pub(super) fn new(goal: u8, unfinished: SlotSet) -> Self {
        let base = i32::from(goal) - unfinished.count_ones() as i32;
        Self { of_weight: [0; SLOTS + 1], certain: 0, unfinished, base }
    }

    /// The question with these values of the cells.
    pub(super) fn of(values: &[u8], unfinished: SlotSet, goal: u8) -> Self {
        let mut question = Self::new(goal, unfinished);
        question.put_all(values);
        question
    }

    /// Sets P of each cell.
    #[inline(always)]
    pub(super) fn put_all(&mut self, values: &[u8]) {
        for (cell, &value) in values.iter().enumerate() {
            self.of_weight[self.weight(cell, value)] |= 1 << cell;
        }
    }

    /// The weight of a cell when its P is `value`; 0 when it does not restrict the order.
    #[inline(always)]
    fn weight(&self, cell: usize, value: u8) -> usize {
        let most = self.unfinished.count_ones() as i32;
        let slots = LAYOUT.slots_of[cell] & self.unfinished;
        let weight = (i32::from(value) - self.base).clamp(0, most);
        // With fewer colours left than the cell has, it has lost one.
        if slots == 0 || weight < slots.count_ones() as i32 { 0 } else { weight as usize }
    }

    /// Makes P of a cell certain: `value`, which was set before, or one less if it `falls`.
    #[inline(always)]
    pub(super) fn settle(&mut self, cell: usize, value: u8, falls: bool) {
        self.certain |= 1 << cell;
        if falls {
            self.of_weight[self.weight(cell, value)] &= !(1 << cell);
            self.of_weight[self.weight(cell, value.saturating_sub(1))] |= 1 << cell;
        }
    }

    /// `None` when f is less than the goal. Otherwise the cells that prove f at least the goal, without the certain
    /// ones among them.
    #[inline(always)]
    pub(super) fn answer(&self) -> Option<CellSet> {
        let mut proof = Proof { used: 0, late: [0; 1 << SLOTS >> 6] };
        // Each unfinished colour takes a turn, so a base of 0 needs no proof.
        if self.base <= 0 || self.is_late(SLOTS, (0, !0), &mut proof) { Some(proof.used & !self.certain) } else { None }
    }

    /// Whether no order is left after the slots `taken` have been taken from its end. The cells `whole` have lost no
    /// colour; none of them has more than this weight.
    fn is_late(&self, mut weight: usize, (taken, whole): (SlotSet, CellSet), proof: &mut Proof) -> bool {
        let known = &mut proof.late[usize::from(taken) >> 6];
        if *known >> (taken & 63) & 1 == 1 {
            return true;
        }
        while self.of_weight[weight] & whole == 0 {
            weight -= 1;
            if weight == 0 {
                return false;
            }
        }
        if let Some(apart) = self.too_many(weight, whole, taken.count_ones()) {
            proof.used |= apart;
        } else {
            let cell = self.pick(self.of_weight[weight] & whole);
            let mut slots = LAYOUT.slots_of[cell] & self.unfinished;
            while slots != 0 {
                let slot = slots.trailing_zeros() as usize;
                if !self.is_late(weight, (taken | 1 << slot, whole & !LAYOUT.cells_with[slot]), proof) {
                    return false;
                }
                slots &= slots - 1;
            }
            proof.used |= 1 << cell;
        }
        proof.late[usize::from(taken) >> 6] |= 1 << (taken & 63);
        true
    }

    /// Cells without a common colour that are more than the colours that can be taken before the last of their
    /// deadlines, when `taken` colours have been taken.
    #[inline(always)]
    fn too_many(&self, weight: usize, mut whole: CellSet, taken: u32) -> Option<CellSet> {
        let (mut apart, mut colours) = (0, taken);
        for weight in (1..=weight).rev() {
            while self.of_weight[weight] & whole != 0 {
                let cell = self.pick(self.of_weight[weight] & whole);
                let mut slots = LAYOUT.slots_of[cell] & self.unfinished;
                while slots != 0 {
                    whole &= !LAYOUT.cells_with[slots.trailing_zeros() as usize];
                    slots &= slots - 1;
                }
                apart |= 1 << cell;
                colours += 1;
                if colours + weight as u32 > self.unfinished.count_ones() {
                    return Some(apart);
                }
            }
        }
        None
    }

    /// One of these cells, a certain one if there is one.
    #[inline(always)]
    fn pick(&self, cells: CellSet) -> usize {
        let certain = cells & self.certain;
        (if certain != 0 { certain } else { cells }).trailing_zeros() as usize
    }
}

/// Results about orders so far.
struct Proof {
    /// The cells on which the results rest.
    used: CellSet,
    /// The sets of slots after which no order is left.
    late: [u64; 1 << SLOTS >> 6],
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, order by order.
    fn by_definition(values: &[u8], set: SlotSet) -> u16 {
        let within = |cell: &usize| LAYOUT.slots_of[*cell] & !set == 0 && LAYOUT.slots_of[*cell] != 0;
        let most = (0..CELLS).filter(within).map(|cell| u16::from(values[cell])).max();
        let last =
            (0..SLOTS).filter(|slot| set >> slot & 1 == 1).map(|c| by_definition(values, set & !(1 << c)) + 1).min();
        most.max(last).unwrap_or(0)
    }

    #[test]
    fn cells_are_numbered_once() {
        let sets: Vec<SlotSet> = (1..1 << SLOTS).filter(|set: &SlotSet| set.count_ones() <= 2).collect();
        assert_eq!(LAYOUT.cells(SLOTS), sets.len());
        for set in 0..1 << SLOTS {
            let cell = LAYOUT.cell_of(set);
            assert_eq!(cell.is_some(), sets.contains(&set));
            let Some(cell) = cell else { continue };
            assert_eq!(LAYOUT.slots_of[cell], set);
            assert_eq!(LAYOUT.pair_of(cell).into_iter().fold(0, |set, slot| set | 1 << slot), set);
            assert!(cell < LAYOUT.cells(set.ilog2() as usize + 1));
            for slot in 0..SLOTS {
                assert_eq!(LAYOUT.cells_with[slot] >> cell & 1 == 1, set >> slot & 1 == 1);
            }
        }
    }

    proptest! {
        /// Where f does not fit a byte, it is the greatest byte; values near it are what the definition says.
        #[test]
        fn what_fits_no_byte_is_the_greatest_byte(
            values in prop::collection::vec(240..=255_u8, CELLS),
            chosen in prop::collection::btree_set(0..SLOTS, 1..=6),
        ) {
            let values = &values[..LAYOUT.cells(SLOTS)];
            let unfinished = chosen.iter().fold(0, |set: SlotSet, slot| set | 1 << slot);
            let mut plain = vec![0; CELLS];
            for (cell, &value) in values.iter().enumerate() {
                if let Some(left) = LAYOUT.cell_of(LAYOUT.slots_of[cell] & unfinished) {
                    plain[left] = value.max(plain[left]);
                }
            }
            let f = by_definition(&plain, unfinished);
            prop_assert_eq!(u16::from(turns(values, unfinished)), f.min(255));
            // Values are lowered as if one after the other.
            let goal = f.min(255) as u8;
            let mut said = values.to_vec();
            (0..values.len()).for_each(|cell| lower((unfinished, goal), &mut said, cell));
            for cell in 0..values.len() {
                prop_assert!(said[cell] <= values[cell]);
                if said[cell] > 0 {
                    let mut less = values.to_vec();
                    less[..=cell].copy_from_slice(&said[..=cell]);
                    prop_assert!(Question::of(&less, unfinished, goal).answer().is_some());
                    less[cell] -= 1;
                    prop_assert!(Question::of(&less, unfinished, goal).answer().is_none());
                }
            }
        }

        #[test]
        fn all_forms_agree(
            values in prop::collection::vec(0..16_u8, CELLS),
            // Few at once, or the definition takes long.
            chosen in prop::collection::btree_set(0..SLOTS, 0..=6),
            falling in any::<CellSet>(),
        ) {
            let values = &values[..LAYOUT.cells(SLOTS)];
            let unfinished = chosen.iter().fold(0, |set: SlotSet, slot| set | 1 << slot);
            // Cells of finished colours speak of their other colours alone.
            let plain = |values: &[u8]| {
                let mut plain = vec![0; CELLS];
                for (cell, &value) in values.iter().enumerate() {
                    if let Some(left) = LAYOUT.cell_of(LAYOUT.slots_of[cell] & unfinished) {
                        plain[left] = value.max(plain[left]);
                    }
                }
                plain
            };
            let f = by_definition(&plain(values), unfinished);
            prop_assert_eq!(u16::from(turns(values, unfinished)), f);
            let lower: Vec<u8> =
                values.iter().enumerate().map(|(cell, value)| value.saturating_sub((falling >> cell & 1) as u8)).collect();
            let f_of_lower = by_definition(&plain(&lower), unfinished);
            for goal in 0..26 {
                let mut question = Question::of(values, unfinished, goal);
                prop_assert_eq!(question.answer().is_some(), f >= u16::from(goal), "{}", goal);
                // The used cells suffice, whatever the values of all others.
                if let Some(used) = question.answer() {
                    let alone: Vec<u8> =
                        values.iter().enumerate().map(|(cell, &value)| value * (used >> cell & 1) as u8).collect();
                    prop_assert!(by_definition(&plain(&alone), unfinished) >= u16::from(goal));
                }
                for (cell, &value) in values.iter().enumerate() {
                    question.settle(cell, value, falling >> cell & 1 == 1);
                }
                prop_assert_eq!(question.answer(), (f_of_lower >= u16::from(goal)).then_some(0), "{}", goal);
            }
        }
    }
}
