//! The order in which colours are finished.
//!
//! Let `P[c][d]` say that not both of the colours `c` and `d` can be finished before turn `P[c][d]` is over; `P[c][c]`
//! says so of one colour. In any solution some colour of a set `S` is finished last, later than all others, so with
//! `f(S)` turns at least until all of `S` is finished
//!
//! ```text
//! f({}) = 0;   f(S) = min over c in S of max(f(S without c) + 1, max over d in S of P[c][d])
//! ```
//!
//! By induction `f` grows with `S`, and the minimum is taken where `f(S without c)` is least:
//!
//! ```text
//! f(S) = max( P[c][d] for c, d in S;  1 + min over c in S of f(S without c) )
//! ```
//!
//! Is f of the n unfinished colours at least e? Only if every order of finishing them breaks some `P`. An order, read from
//! its end, takes colours away; with j of them left, f of these must be less than e - n + j, so a pair with `P` of e - n + w
//! must have lost one of its colours when w are left: after n - w have been taken, its *deadline*. Whether there is an order that
//! meets all deadlines is found by taking a pair with the earliest deadline of those that have both their colours, and trying
//! either of them next. No order is lost by that: in one that meets all deadlines, the colour that it takes of this pair can
//! be moved to the front, as no other pair that is whole has an earlier deadline. Where no order is left, the pairs that were
//! tried say so by themselves: all others may say what they like.

/// The most colours that take part.
pub(super) const SLOTS: usize = 10;

/// Pairs of them, those of a colour with itself included.
pub(super) const CELLS: usize = SLOTS * (SLOTS + 1) / 2;

/// A set of slots, bit `i` for slot `i`.
pub(super) type SlotSet = u16;

/// A set of cells, bit `i` for cell `i`.
pub(super) type CellSet = u64;

/// How many cells so many slots have; they are the first.
pub(super) const fn cells_of(slots: usize) -> usize {
    slots * (slots + 1) / 2
}

/// The cell of two slots.
pub(super) const fn cell_of(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    cells_of(high) + low
}

/// The slots of each cell.
const SLOTS_OF: [SlotSet; CELLS] = {
    let mut sets = [0; CELLS];
    let (mut high, mut cell) = (0, 0);
    while high < SLOTS {
        let mut low = 0;
        while low <= high {
            sets[cell] = 1 << low | 1 << high;
            cell += 1;
            low += 1;
        }
        high += 1;
    }
    sets
};

/// The cells of each slot.
const CELLS_WITH: [CellSet; SLOTS] = {
    let mut sets = [0; SLOTS];
    let mut cell = 0;
    while cell < CELLS {
        let mut slot = 0;
        while slot < SLOTS {
            if SLOTS_OF[cell] >> slot & 1 == 1 {
                sets[slot] |= 1 << cell;
            }
            slot += 1;
        }
        cell += 1;
    }
    sets
};

/// f of the unfinished colours; `pairs` holds P of each cell.
pub(super) fn turns(pairs: &[u8], unfinished: SlotSet) -> u8 {
    // Each of them takes a turn, and each cell says what it says by itself.
    let mut turns = unfinished.count_ones() as u8;
    for (&slots, &value) in SLOTS_OF.iter().zip(pairs) {
        if slots & unfinished != 0 {
            turns = value.max(turns);
        }
    }
    while Question::of(pairs, unfinished, turns + 1).answer().is_some() {
        turns += 1;
    }
    turns
}

/// Whether f of the unfinished colours is at least `goal`.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The cells with P of `base + weight`, by weight: of so many colours they must not have both.
    of_weight: [CellSet; SLOTS + 1],
    /// Cells whose P is certain. What they say comes first.
    certain: CellSet,
    unfinished: SlotSet,
    base: i32,
}

impl Question {
    /// With nothing said of any cell.
    pub(super) fn new(goal: u8, unfinished: SlotSet) -> Self {
        let base = i32::from(goal) - unfinished.count_ones() as i32;
        Self { of_weight: [0; SLOTS + 1], certain: 0, unfinished, base }
    }

    /// With P of each cell.
    pub(super) fn of(pairs: &[u8], unfinished: SlotSet, goal: u8) -> Self {
        let mut question = Self::new(goal, unfinished);
        question.put_all(pairs);
        question
    }

    /// Says P of each cell.
    #[inline(always)]
    pub(super) fn put_all(&mut self, pairs: &[u8]) {
        for (cell, &value) in pairs.iter().enumerate() {
            self.of_weight[self.weight(cell, value)] |= 1 << cell;
        }
    }

    /// How much a cell says when its P is `value`; 0 when it says nothing.
    #[inline(always)]
    fn weight(&self, cell: usize, value: u8) -> usize {
        let most = self.unfinished.count_ones() as i32;
        let slots = SLOTS_OF[cell] & self.unfinished;
        let weight = (i32::from(value) - self.base).clamp(0, most);
        // Of fewer colours than it has, nobody has them all.
        if slots == 0 || weight < slots.count_ones() as i32 { 0 } else { weight as usize }
    }

    /// Says that P of a cell, said before, is certain; one less than it was said to be if it `falls`.
    #[inline(always)]
    pub(super) fn settle(&mut self, cell: usize, value: u8, falls: bool) {
        self.certain |= 1 << cell;
        if falls {
            self.of_weight[self.weight(cell, value)] &= !(1 << cell);
            self.of_weight[self.weight(cell, value.saturating_sub(1))] |= 1 << cell;
        }
    }

    /// The cells that are not certain and by which f is at least the goal, together with those that are; `None` when it is not.
    #[inline(always)]
    pub(super) fn answer(&self) -> Option<CellSet> {
        let mut proof = Proof { used: 0, late: [0; 1 << SLOTS >> 6] };
        // Each unfinished colour takes a turn.
        if self.base <= 0 || self.is_late(SLOTS, (0, !0), &mut proof) { Some(proof.used & !self.certain) } else { None }
    }

    /// Whether no order is left after these slots have been taken from its end, so that these cells are whole, none of them of
    /// more than this weight.
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
            let mut slots = SLOTS_OF[cell] & self.unfinished;
            while slots != 0 {
                let slot = slots.trailing_zeros() as usize;
                if !self.is_late(weight, (taken | 1 << slot, whole & !CELLS_WITH[slot]), proof) {
                    return false;
                }
                slots &= slots - 1;
            }
            proof.used |= 1 << cell;
        }
        proof.late[usize::from(taken) >> 6] |= 1 << (taken & 63);
        true
    }

    /// Cells that have no colour in common, more of them than colours can be taken before the last of their deadlines, so many having
    /// been taken before.
    #[inline(always)]
    fn too_many(&self, weight: usize, mut whole: CellSet, taken: u32) -> Option<CellSet> {
        let (mut apart, mut colours) = (0, taken);
        for weight in (1..=weight).rev() {
            while self.of_weight[weight] & whole != 0 {
                let cell = self.pick(self.of_weight[weight] & whole);
                let slots = SLOTS_OF[cell] & self.unfinished;
                let (low, high) = (slots.trailing_zeros() as usize, 15 - slots.leading_zeros() as usize);
                whole &= !(CELLS_WITH[low] | CELLS_WITH[high]);
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

/// What was found out about orders.
struct Proof {
    /// Cells without which it would not be so.
    used: CellSet,
    /// The sets of slots after which no order is left.
    late: [u64; 1 << SLOTS >> 6],
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, order by order.
    fn by_definition(pairs: &[u8], set: SlotSet) -> u8 {
        (0..SLOTS)
            .filter(|c| set >> c & 1 == 1)
            .map(|c| {
                let most = (0..SLOTS).filter(|d| set >> d & 1 == 1).map(|d| pairs[cell_of(c, d)]).max();
                (by_definition(pairs, set & !(1 << c)) + 1).max(most.unwrap_or(0))
            })
            .min()
            .unwrap_or(0)
    }

    #[test]
    fn cells_are_numbered_once() {
        let mut seen = vec![];
        for a in 0..SLOTS {
            for b in 0..SLOTS {
                assert_eq!(SLOTS_OF[cell_of(a, b)], 1 << a | 1 << b);
                assert_eq!(CELLS_WITH[a] >> cell_of(a, b) & 1, 1);
                seen.push(cell_of(a, b));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (0..CELLS).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn all_forms_agree(
            values in prop::collection::vec(0..16_u8, CELLS),
            // Few at once, or the definition takes long.
            chosen in prop::collection::btree_set(0..SLOTS, 0..=6),
            falling in 0..1_u64 << CELLS,
        ) {
            let unfinished = chosen.iter().fold(0, |set: SlotSet, slot| set | 1 << slot);
            // Cells of finished colours speak of their other colour alone.
            let plain = |values: &[u8]| {
                let mut plain = vec![0; CELLS];
                for cell in 0..CELLS {
                    let set = SLOTS_OF[cell] & unfinished;
                    if set != 0 {
                        let (low, high) = (set.trailing_zeros() as usize, 15 - set.leading_zeros() as usize);
                        plain[cell_of(low, high)] = values[cell].max(plain[cell_of(low, high)]);
                    }
                }
                plain
            };
            let f = by_definition(&plain(&values), unfinished);
            prop_assert_eq!(turns(&values, unfinished), f);
            let lower: Vec<u8> =
                values.iter().enumerate().map(|(cell, value)| value.saturating_sub((falling >> cell & 1) as u8)).collect();
            let f_of_lower = by_definition(&plain(&lower), unfinished);
            for goal in 0..26 {
                let mut question = Question::of(&values, unfinished, goal);
                prop_assert_eq!(question.answer().is_some(), f >= goal, "{}", goal);
                // What is said to be used is enough, whatever the others say.
                if let Some(used) = question.answer() {
                    let alone: Vec<u8> =
                        values.iter().enumerate().map(|(cell, &value)| value * (used >> cell & 1) as u8).collect();
                    prop_assert!(by_definition(&plain(&alone), unfinished) >= goal);
                }
                for (cell, &value) in values.iter().enumerate() {
                    question.settle(cell, value, falling >> cell & 1 == 1);
                }
                prop_assert_eq!(question.answer(), (f_of_lower >= goal).then_some(0), "{}", goal);
            }
        }
    }
}
