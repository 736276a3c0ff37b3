//! Programs as codes. 0 is the end of a loop. The next codes are the instructions of the machine, the endless loop, and
//! the counted loops: the code of a loop of `n` repetitions is that of the endless loop plus `n`.

use crate::machine::Machine;
use gridhunt_search::domain::Cost;
use gridhunt_search::engine::Solution;
use std::cmp::Ordering;

/// The largest count of a loop. Its code fits in 16 bits with 255 instructions.
pub(crate) const MAX_COUNT: u16 = u16::MAX - u8::MAX as u16 - 1;

/// The codes of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Codes {
    /// The code of an endless loop: the first code after the instructions.
    pub(crate) endless: u16,
}

impl Codes {
    pub(crate) fn of(machine: &dyn Machine) -> Self {
        Self { endless: u16::from(machine.instructions()) + 1 }
    }

    /// The code of a loop of `count` repetitions; 0 for an endless loop.
    pub(crate) fn of_loop(self, count: u16) -> u16 {
        self.endless + count
    }

    /// Whether a code is that of an instruction.
    pub(crate) fn is_instruction(self, code: u16) -> bool {
        (1..self.endless).contains(&code)
    }

    /// Compares two programs lexically: ends of loops come before instructions, and these before loops. Counts decide
    /// if everything else is equal.
    pub(crate) fn order(self, a: &[u16], b: &[u16]) -> Ordering {
        let without_counts = |&code: &u16| code.min(self.endless);
        a.iter().map(without_counts).cmp(b.iter().map(without_counts)).then_with(|| a.cmp(b))
    }

    /// Whether every loop has a body and an end.
    pub(crate) fn have_complete_loops(self, codes: &[u16]) -> bool {
        let mut open = 0_usize;
        codes.iter().enumerate().all(|(at, &code)| match code {
            0 if open == 0 || codes[at - 1] >= self.endless => false,
            0 => {
                open -= 1;
                true
            }
            _ => {
                open += usize::from(code >= self.endless);
                true
            }
        }) && open == 0
    }

    /// The index of the end of the loop that begins at `begin`.
    pub(crate) fn end_of(self, codes: &[u16], begin: usize) -> Option<usize> {
        let mut open = 0;
        (begin..codes.len()).find(|&at| {
            open += i32::from(codes[at] >= self.endless) - i32::from(codes[at] == 0);
            open == 0
        })
    }
}

/// The number of tokens of a program.
pub(crate) fn cost(codes: &[u16]) -> Cost {
    codes.iter().filter(|code| **code != 0).count() as Cost
}

/// A program and its cost.
pub(crate) fn solution(codes: Vec<u16>) -> Solution {
    Solution { cost: cost(&codes), moves: codes }
}
