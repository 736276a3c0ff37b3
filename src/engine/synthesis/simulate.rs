//! Programs on a machine, step by step.

use super::LOOP;
use crate::domain::Machine;

/// No goal.
const NONE: u16 = u16::MAX;

/// The most instructions that anybody waits for; what takes more is left as it is.
pub(super) const PATIENCE: u64 = 1 << 24;

/// Runs programs, given as codes of [`crate::board::Program`].
pub(super) struct Simulator {
    /// For each instruction, the next state and the goal of each state.
    tables: Vec<Vec<(u16, u16)>>,
    start: u16,
    goals: usize,
    /// The run in which each goal was marked last.
    marked: Vec<u64>,
    run: u64,
    /// Where it ended.
    state: u16,
    /// When each state was last come by where an endless loop begins again.
    visits: Vec<u64>,
    visit: u64,
    open: Vec<Open>,
}

/// A loop that has begun.
struct Open {
    /// Where its body begins.
    begin: usize,
    /// How often it is still to be repeated; 0 for ever.
    count: u16,
}

impl Simulator {
    pub(super) fn new(machine: &impl Machine) -> Self {
        let step = |instruction| {
            move |state| {
                let (next, goal) = machine.step(state as u16, instruction);
                (next, goal.unwrap_or(NONE))
            }
        };
        let (states, goals) = (machine.states(), machine.goals());
        Self {
            tables: (0..machine.instructions())
                .map(|instruction| (0..states).map(step(instruction)).collect())
                .collect(),
            start: machine.start(),
            goals,
            marked: vec![0; goals],
            run: 0,
            state: machine.start(),
            visits: vec![0; states],
            visit: 0,
            open: Vec::new(),
        }
    }

    /// How many goals a program leaves after at most so many instructions.
    pub(super) fn left(&mut self, codes: &[u16], most: u64) -> usize {
        self.run += 1;
        self.visit += 1;
        self.open.clear();
        let (mut state, mut left, mut at, mut steps) = (self.start, self.goals, 0, 0);
        while left > 0 && steps < most {
            let Some(&code) = codes.get(at) else { break };
            at += 1;
            match code {
                0 => match self.end_of_body(state) {
                    Some(begin) => at = begin.unwrap_or(at),
                    None => break,
                },
                LOOP.. => self.open.push(Open { begin: at, count: code - LOOP }),
                _ => {
                    steps += 1;
                    let (next, goal) = self.tables[usize::from(code) - 1][usize::from(state)];
                    state = next;
                    if goal != NONE && std::mem::replace(&mut self.marked[usize::from(goal)], self.run) != self.run {
                        left -= 1;
                        // What was come by before leads on to something new.
                        self.visit += 1;
                    }
                }
            }
        }
        self.state = state;
        left
    }

    /// The state in which the last program ended, and for each goal whether it was marked.
    pub(super) fn end(&self) -> (u16, Vec<bool>) {
        (self.state, self.marked.iter().map(|&run| run == self.run).collect())
    }

    /// Where the innermost loop goes on, if it does; `None` when it goes round in circles.
    fn end_of_body(&mut self, state: u16) -> Option<Option<usize>> {
        let open = self.open.last_mut()?;
        match open.count {
            0 => {
                let before = std::mem::replace(&mut self.visits[usize::from(state)], self.visit);
                return (before != self.visit).then_some(Some(open.begin));
            }
            1 => {}
            _ => {
                open.count -= 1;
                return Some(Some(open.begin));
            }
        }
        self.open.pop();
        Some(None)
    }
}

/// The same program with loops that count no further than they have to: one after the other each gets the smallest count
/// with which the program is still complete after at most so many instructions.
pub(super) fn with_least_counts(machine: &impl Machine, mut codes: Vec<u16>, most: u64) -> Vec<u16> {
    let mut simulator = Simulator::new(machine);
    for at in 0..codes.len() {
        let code = codes[at];
        for less in LOOP + 1..code {
            codes[at] = less;
            if simulator.left(&codes, most) == 0 {
                break;
            }
            codes[at] = code;
        }
    }
    codes
}
