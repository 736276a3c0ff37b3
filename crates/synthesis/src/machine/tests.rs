//! Machines of all kinds, given by tables.

use crate::machine::Machine;
use gridhunt_search::runtime::{StopReason, StopToken};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A machine given by a table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) steps: Vec<[(u16, Option<u16>); 3]>,
    pub(crate) goals: usize,
}

impl Table {
    /// Every state has a goal where the first instruction leads. The other instructions lead to random states.
    pub(crate) fn random(rng: &mut ChaCha8Rng, states: u32) -> Self {
        let mut below = |most: u32| rng.next_u32() % most;
        let goals = states * 2 / 3;
        let mut turn = |state: u32, spread: u32| ((state + below(spread)) % states) as u16;
        let steps = (0..states).map(|state| {
            let ahead = turn(state, 3);
            [(ahead, Some(ahead % goals as u16)), (turn(state, 5), None), (turn(state, states), None)]
        });
        Self { steps: steps.collect(), goals: goals as usize }
    }

    /// Each instruction leads to a random state and marks a goal of its own: one of the projected goals in the first
    /// `told` states, one of the other goals elsewhere.
    pub(crate) fn telling(rng: &mut ChaCha8Rng, states: u32, told: u32) -> Self {
        let mut goals = [0..48, 48..100];
        let steps = (0..states).map(|state| {
            [(); 3].map(|()| ((rng.next_u32() % states) as u16, goals[usize::from(state >= told)].next()))
        });
        Self { steps: steps.collect(), goals: 100 }
    }

    /// A lock that one word of instructions opens: the right instruction leads one place further and marks a goal, any
    /// other instruction leads to a dead end.
    pub(crate) fn lock(word: &[u8]) -> Self {
        let nowhere = word.len() as u16 + 1;
        let on_the_way = word.iter().zip(0_u16..).map(|(&right, at)| {
            [0, 1, 2].map(|instruction| if instruction == right { (at + 1, Some(at)) } else { (nowhere, None) })
        });
        let steps = on_the_way.chain([[(nowhere, None); 3]; 2]).collect();
        Self { steps, goals: word.len() }
    }

    /// As on a board: random places with four directions each, a way ahead, and turns to both sides.
    pub(crate) fn turning(rng: &mut ChaCha8Rng, places: u32) -> Self {
        let ahead: Vec<u32> = (0..4 * places).map(|_| rng.next_u32() % places).collect();
        let steps = (0..4 * places).map(|state| {
            let (place, direction) = (ahead[state as usize], state % 4);
            let turn = |by: u32| ((state - direction + (direction + by) % 4) as u16, None);
            [((4 * place + direction) as u16, Some(place as u16)), turn(3), turn(1)]
        });
        Self { steps: steps.collect(), goals: places as usize }
    }

    /// The same machine with one more goal, which cannot be reached: no program is a solution.
    pub(crate) fn without_solution(self) -> Self {
        Self { goals: self.goals + 1, ..self }
    }
}

/// A machine that asks for the search to stop when no steps are left. Without cached semantics all work takes steps.
pub(crate) struct Stopping<'s> {
    pub(crate) machine: &'s Table,
    pub(crate) stop: &'s StopToken,
    pub(crate) left: AtomicU64,
}

impl Machine for Stopping<'_> {
    fn states(&self) -> usize {
        self.machine.states()
    }

    fn goals(&self) -> usize {
        self.machine.goals()
    }

    fn start(&self) -> u16 {
        self.machine.start()
    }

    fn instructions(&self) -> u8 {
        self.machine.instructions()
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        if self.left.fetch_sub(1, Relaxed) == 0 {
            self.stop.stop(StopReason::Interrupted);
        }
        self.machine.step(state, instruction)
    }
}

/// A machine with any number of instructions: the three of a table are the last ones, and the others lead to a dead
/// end.
pub(crate) struct Padded {
    pub(crate) machine: Table,
    pub(crate) instructions: u8,
}

impl Machine for Padded {
    fn states(&self) -> usize {
        self.machine.states() + 1
    }

    fn goals(&self) -> usize {
        self.machine.goals()
    }

    fn start(&self) -> u16 {
        self.machine.start()
    }

    fn instructions(&self) -> u8 {
        self.instructions
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        let dead = self.machine.states() as u16;
        match instruction.checked_sub(self.instructions - 3) {
            Some(instruction) if state != dead => self.machine.step(state, instruction),
            _ => (dead, None),
        }
    }
}

impl Machine for Table {
    fn states(&self) -> usize {
        self.steps.len()
    }

    fn goals(&self) -> usize {
        self.goals
    }

    fn start(&self) -> u16 {
        0
    }

    fn instructions(&self) -> u8 {
        3
    }

    fn step(&self, state: u16, instruction: u8) -> (u16, Option<u16>) {
        self.steps[usize::from(state)][usize::from(instruction)]
    }
}
