//! Programs on a machine, step by step.

use crate::codes::Codes;
use crate::machine::Machine;
use crate::visits::Visits;

/// The mark of a step without a goal.
const NO_GOAL: u16 = u16::MAX;

/// The most steps of a program that is simulated to its end.
pub(crate) const MOST_STEPS: u64 = 1 << 24;

/// Runs programs, given as [`Codes`].
pub(crate) struct Simulator {
    codes: Codes,
    /// For each instruction the next state and the goal of each state.
    tables: Vec<Vec<(u16, u16)>>,
    start: u16,
    goals: usize,
    /// For each goal, the number of the run that marked it last.
    marked: Vec<u64>,
    run: u64,
    /// The end state of the last run.
    state: u16,
    /// The states in which a repetition of an endless loop began since a goal was last marked.
    visits: Visits,
    open: Vec<OpenLoop>,
}

/// A loop under way.
struct OpenLoop {
    /// Where the body begins.
    begin: usize,
    /// The repetitions that are left, this one included; 0 in an endless loop.
    count: u16,
}

/// The continuation after the end of a body.
enum Next {
    /// The body again, from this place.
    Repeat(usize),
    /// The instructions behind the loop.
    Leave,
    /// The end of the run: an endless loop marks nothing more.
    Halt,
}

impl Simulator {
    pub(crate) fn new(machine: &dyn Machine) -> Self {
        let step = |instruction| {
            move |state| {
                let (next, goal) = machine.step(state as u16, instruction);
                (next, goal.unwrap_or(NO_GOAL))
            }
        };
        let (states, goals) = (machine.states(), machine.goals());
        Self {
            codes: Codes::of(machine),
            tables: (0..machine.instructions())
                .map(|instruction| (0..states).map(step(instruction)).collect())
                .collect(),
            start: machine.start(),
            goals,
            marked: vec![0; goals],
            run: 0,
            state: machine.start(),
            visits: Visits::new(states),
            open: Vec::new(),
        }
    }

    /// The number of goals that a program leaves unmarked after at most `most_steps` steps.
    pub(crate) fn left(&mut self, codes: &[u16], most_steps: u64) -> usize {
        self.run += 1;
        self.visits.restart();
        self.open.clear();
        let (mut state, mut left, mut at, mut steps) = (self.start, self.goals, 0, 0);
        while left > 0 && steps < most_steps {
            let Some(&code) = codes.get(at) else { break };
            at += 1;
            match code {
                0 => match self.end_of_body(state) {
                    Next::Repeat(begin) => at = begin,
                    Next::Leave => {}
                    Next::Halt => break,
                },
                code if code >= self.codes.endless => {
                    self.open.push(OpenLoop { begin: at, count: code - self.codes.endless });
                }
                _ => {
                    steps += 1;
                    let (next, goal) = self.tables[usize::from(code) - 1][usize::from(state)];
                    state = next;
                    if goal != NO_GOAL && std::mem::replace(&mut self.marked[usize::from(goal)], self.run) != self.run {
                        left -= 1;
                        // A state that was visited before may lead to another goal now.
                        self.visits.restart();
                    }
                }
            }
        }
        self.state = state;
        left
    }

    /// The end state of the last run, and for each goal whether it was marked.
    pub(crate) fn end(&self) -> (u16, Vec<bool>) {
        (self.state, self.marked.iter().map(|&run| run == self.run).collect())
    }

    /// Decides how the run continues when the innermost body ends in `state`.
    fn end_of_body(&mut self, state: u16) -> Next {
        let Some(open) = self.open.last_mut() else { return Next::Halt };
        match open.count {
            0 if self.visits.visit(state) => Next::Repeat(open.begin),
            0 => Next::Halt,
            1 => {
                self.open.pop();
                Next::Leave
            }
            _ => {
                open.count -= 1;
                Next::Repeat(open.begin)
            }
        }
    }
}

/// Lowers the loop counts of a program. One after the other, each loop gets the smallest count with which the program
/// still marks every goal within `most_steps` steps.
pub(crate) fn with_least_counts(machine: &dyn Machine, mut codes: Vec<u16>, most_steps: u64) -> Vec<u16> {
    let mut simulator = Simulator::new(machine);
    for at in 0..codes.len() {
        let code = codes[at];
        for less in simulator.codes.endless + 1..code {
            codes[at] = less;
            if simulator.left(&codes, most_steps) == 0 {
                break;
            }
            codes[at] = code;
        }
    }
    codes
}
