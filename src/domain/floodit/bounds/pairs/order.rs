//! The order in which colours are finished, as a programme over subsets of them.
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
//! The second form asks of each set the same question, so that "is f(S) at least e" can be answered for all sets at
//! once, a bit for each. Call a set of j of the n unfinished colours *late* when f of it is at least e - n + j. It is late
//! if it holds a pair with P of so much, or if all sets of one colour less in it are late.

/// The most colours that take part.
pub(super) const SLOTS: usize = 6;

/// Pairs of them, those of a colour with itself included.
pub(super) const CELLS: usize = SLOTS * (SLOTS + 1) / 2;

const SETS: usize = 1 << SLOTS;

/// A set of slots, bit `i` for slot `i`.
pub(super) type SlotSet = u8;

/// The cell of two slots.
pub(super) fn cell_of(a: usize, b: usize) -> usize {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high * (high + 1) / 2 + low
}

/// The slots of each cell.
pub(super) const SLOTS_OF: [SlotSet; CELLS] = {
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

/// Bit `s` of entry `m`: the set `s` contains the set `m`.
const CONTAINING: [u64; SETS] = {
    let mut containing = [0; SETS];
    let mut m = 0;
    while m < SETS {
        let mut s = 0;
        while s < SETS {
            if s & m == m {
                containing[m] |= 1 << s;
            }
            s += 1;
        }
        m += 1;
    }
    containing
};

/// Bit `s` of entry `j`: the set `s` has at most `j` elements.
const AT_MOST: [u64; SLOTS + 1] = {
    let mut at_most = [0; SLOTS + 1];
    let mut s = 0;
    while s < SETS {
        let mut j = s.count_ones() as usize;
        while j <= SLOTS {
            at_most[j] |= 1 << s;
            j += 1;
        }
        s += 1;
    }
    at_most
};

/// f of the unfinished colours; `pairs` holds P of each cell.
pub(super) fn turns(pairs: &[u8; CELLS], unfinished: SlotSet) -> u8 {
    let mut f = [0; SETS];
    for (&slots, &value) in SLOTS_OF.iter().zip(pairs) {
        let set = usize::from(slots & unfinished);
        f[set] = value.max(f[set]);
    }
    f[0] = 0;
    for set in 1..SETS {
        if set as SlotSet & !unfinished == 0 {
            let (mut least, mut most) = (u8::MAX, f[set]);
            let mut rest = set;
            while rest != 0 {
                let without = f[set & !(rest & rest.wrapping_neg())];
                (least, most) = (least.min(without), most.max(without));
                rest &= rest - 1;
            }
            f[set] = most.max(least + 1);
        }
    }
    f[usize::from(unfinished)]
}

/// Asks whether f of the unfinished colours is at least `goal`, while the values of the cells come in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    late: u64,
    unfinished: SlotSet,
    /// A pair with this P makes a set of no colour late.
    base: i32,
}

impl Question {
    pub(super) fn new(goal: u8, unfinished: SlotSet) -> Self {
        Self { late: 0, unfinished, base: i32::from(goal) - unfinished.count_ones() as i32 }
    }

    /// How much a cell says when its P is `value`: it makes sets of up to so many colours late. 0 when it says nothing.
    #[inline(always)]
    pub(super) fn weight(&self, cell: usize, value: u8) -> usize {
        let set = SLOTS_OF[cell] & self.unfinished;
        let weight = i32::from(value) - self.base;
        if set != 0 && weight >= set.count_ones() as i32 { (weight as usize).min(SLOTS) } else { 0 }
    }

    /// Takes a cell of that weight into account.
    #[inline(always)]
    pub(super) fn take(&mut self, cell: usize, weight: usize) {
        self.late |= CONTAINING[usize::from(SLOTS_OF[cell] & self.unfinished)] & AT_MOST[weight];
    }

    /// The answer, from the cells taken so far.
    #[inline(always)]
    pub(super) fn answer(&self) -> bool {
        // Each unfinished colour takes a turn.
        if self.base <= 0 {
            return true;
        }
        let mut late = self.late & !1;
        for _ in 1..self.unfinished.count_ones() {
            let mut all = !1;
            let mut rest = self.unfinished;
            while rest != 0 {
                let slot = rest.trailing_zeros();
                let with = CONTAINING[1 << slot];
                all &= (late & !with) << (1 << slot) | !with;
                rest &= rest - 1;
            }
            if all & !late == 0 {
                break;
            }
            late |= all;
        }
        late >> self.unfinished & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, order by order.
    fn by_definition(pairs: &[u8; CELLS], set: SlotSet) -> u8 {
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
                seen.push(cell_of(a, b));
            }
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (0..CELLS).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn all_forms_agree(values in prop::collection::vec(0..14_u8, CELLS), unfinished in 0..64_u8) {
            let pairs: [u8; CELLS] = values.try_into().unwrap();
            // Cells of finished colours speak of their other colour alone.
            let mut plain = [0; CELLS];
            for cell in 0..CELLS {
                let set = SLOTS_OF[cell] & unfinished;
                if set != 0 {
                    let (low, high) = (set.trailing_zeros() as usize, 7 - set.leading_zeros() as usize);
                    plain[cell_of(low, high)] = pairs[cell].max(plain[cell_of(low, high)]);
                }
            }
            let f = by_definition(&plain, unfinished);
            prop_assert_eq!(turns(&pairs, unfinished), f);
            for goal in 0..24 {
                let mut question = Question::new(goal, unfinished);
                for (cell, &value) in pairs.iter().enumerate() {
                    let weight = question.weight(cell, value);
                    if weight > 0 {
                        question.take(cell, weight);
                    }
                }
                prop_assert_eq!(question.answer(), f >= goal, "{}", goal);
            }
        }
    }
}
