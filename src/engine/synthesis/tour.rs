//! A first program, which goes from each goal to the nearest goal that is not marked.

use super::codes;
use crate::domain::Machine;
use crate::engine::Solution;
use std::collections::VecDeque;

/// A program without loops that goes from goal to goal, the nearest first; `None` if it does not reach all goals.
pub(super) fn tour(machine: &impl Machine) -> Option<Solution> {
    let codes = way_to_all(machine, machine.start(), &mut vec![false; machine.goals()])?;
    Some(Solution { cost: codes::cost(&codes), moves: codes })
}

/// Instructions that lead from a state to one goal after the other, the nearest first, until all are `marked`; `None`
/// where no way leads back to a goal.
pub(super) fn way_to_all(machine: &impl Machine, mut state: u16, marked: &mut [bool]) -> Option<Vec<u16>> {
    let mut codes = Vec::new();
    while let Some(way) = way_to_goal(machine, state, marked) {
        for instruction in way {
            let (next, goal) = machine.step(state, instruction);
            state = next;
            if let Some(goal) = goal {
                marked[usize::from(goal)] = true;
            }
            codes.push(u16::from(instruction) + 1);
        }
    }
    marked.iter().all(|marked| *marked).then_some(codes)
}

/// The shortest way from a state to a goal that is not marked, by breadth-first search.
fn way_to_goal(machine: &impl Machine, from: u16, marked: &[bool]) -> Option<Vec<u8>> {
    let mut reached = vec![None; machine.states()];
    let mut open = VecDeque::from([from]);
    while let Some(state) = open.pop_front() {
        for instruction in 0..machine.instructions() {
            let (next, goal) = machine.step(state, instruction);
            if goal.is_some_and(|goal| !marked[usize::from(goal)]) {
                let mut way = vec![instruction];
                let mut at = state;
                while at != from {
                    let Some((before, instruction)) = reached[usize::from(at)] else { break };
                    way.push(instruction);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if reached[usize::from(next)].is_none() {
                reached[usize::from(next)] = Some((state, instruction));
                open.push_back(next);
            }
        }
    }
    None
}
