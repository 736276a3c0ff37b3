//! Programs on a machine, step by step.

use crate::codes::Codes;
use crate::machine::Machine;
use crate::visits::VisitedStates;

/// Means no goal in the step tables.
const NO_GOAL: u16 = u16::MAX;

/// The largest number of steps of a complete simulation.
pub(crate) const MAX_STEPS: u64 = 1 << 24;

/// Runs programs, given as [`Codes`].
pub(crate) struct Simulator {
    codes: Codes,
    /// For each instruction the next state and the goal of each state.
    tables: Vec<Vec<(u16, u16)>>,
    start: u16,
    goals: usize,
    /// For each goal, the number of the last run that marked the goal.
    marked_in_run: Vec<u64>,
    run: u64,
    /// The end state of the last run.
    end_state: u16,
    /// The states in which a repetition of an endless loop began since the last goal was marked.
    visited: VisitedStates,
    open_loops: Vec<OpenLoop>,
}

/// A loop of the current run.
struct OpenLoop {
    /// The index of the first code of the body.
    body_start: usize,
    /// The remaining repetitions, including the current one; 0 in an endless loop.
    remaining: u16,
}

/// The continuation after the end of a body.
enum Continuation {
    /// Repeat the body, whose first code has this index.
    Repeat(usize),
    /// Continue after the loop.
    Leave,
    /// End the run: an endless loop marks nothing more.
    Halt,
}

impl Simulator {
    pub(crate) fn new(machine: &dyn Machine) -> Self {
        let (states, goals) = (machine.states(), machine.goals());
        let table = |instruction| {
            let steps = (0..states).map(|state| machine.step(state as u16, instruction));
            steps.map(|(next, goal)| (next, goal.unwrap_or(NO_GOAL))).collect()
        };
        Self {
            codes: Codes::of(machine),
            tables: (0..machine.instructions()).map(table).collect(),
            start: machine.start(),
            goals,
            marked_in_run: vec![0; goals],
            run: 0,
            end_state: machine.start(),
            visited: VisitedStates::new(states),
            open_loops: Vec::new(),
        }
    }

    /// Runs a program for at most `max_steps` steps. Returns the number of goals that it leaves unmarked.
    pub(crate) fn unmarked_goals(&mut self, codes: &[u16], max_steps: u64) -> usize {
        self.run += 1;
        self.visited.restart();
        self.open_loops.clear();
        let (mut state, mut unmarked, mut at, mut steps) = (self.start, self.goals, 0, 0);
        while unmarked > 0 && steps < max_steps {
            let Some(&code) = codes.get(at) else { break };
            at += 1;
            match code {
                0 => match self.end_of_body(state) {
                    Continuation::Repeat(begin) => at = begin,
                    Continuation::Leave => {}
                    Continuation::Halt => break,
                },
                code if code >= self.codes.endless => {
                    self.open_loops.push(OpenLoop { body_start: at, remaining: code - self.codes.endless });
                }
                _ => {
                    steps += 1;
                    let (next, goal) = self.tables[usize::from(code) - 1][usize::from(state)];
                    state = next;
                    if goal != NO_GOAL
                        && std::mem::replace(&mut self.marked_in_run[usize::from(goal)], self.run) != self.run
                    {
                        unmarked -= 1;
                        // A state visited earlier may lead to another goal now.
                        self.visited.restart();
                    }
                }
            }
        }
        self.end_state = state;
        unmarked
    }

    /// The end state of the last run, and for each goal whether it was marked.
    pub(crate) fn end_of_run(&self) -> (u16, Vec<bool>) {
        (self.end_state, self.marked_in_run.iter().map(|&run| run == self.run).collect())
    }

    /// The continuation when the innermost body ends in `state`.
    fn end_of_body(&mut self, state: u16) -> Continuation {
        let Some(open) = self.open_loops.last_mut() else { return Continuation::Halt };
        match open.remaining {
            0 if self.visited.visit(state) => Continuation::Repeat(open.body_start),
            0 => Continuation::Halt,
            1 => {
                self.open_loops.pop();
                Continuation::Leave
            }
            _ => {
                open.remaining -= 1;
                Continuation::Repeat(open.body_start)
            }
        }
    }
}

/// Lowers the loop counts of a program, loop by loop, to the least count with which the program marks every goal within
/// `max_steps` steps.
pub(crate) fn with_least_counts(machine: &dyn Machine, mut codes: Vec<u16>, max_steps: u64) -> Vec<u16> {
    let mut simulator = Simulator::new(machine);
    for at in 0..codes.len() {
        let original = codes[at];
        for lower in simulator.codes.endless + 1..original {
            codes[at] = lower;
            if simulator.unmarked_goals(&codes, max_steps) == 0 {
                break;
            }
            codes[at] = original;
        }
    }
    codes
}
