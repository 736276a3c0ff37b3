//! A first program, which goes from each goal to the nearest goal that is not marked.

use crate::codes;
use crate::machine::Machine;
use gridhunt_search::engine::Solution;
use std::collections::VecDeque;

/// A program without loops that goes from goal to goal, the nearest first; `None` if it does not reach all goals.
pub(crate) fn tour(machine: &dyn Machine) -> Option<Solution> {
    let codes = way_to_all(machine, machine.start(), &mut vec![false; machine.goals()])?;
    Some(Solution { cost: codes::cost(&codes), moves: codes })
}

/// Finds instructions that lead from a state to one goal after the other, the nearest first, until all are `marked`;
/// `None` if no way leads to one of the goals.
pub(crate) fn way_to_all(machine: &dyn Machine, mut state: u16, marked: &mut [bool]) -> Option<Vec<u16>> {
    let mut codes = Vec::new();
    let mut search =
        TourSearch { reached: vec![Reached::default(); machine.states()], number: 0, open: VecDeque::new() };
    while let Some(way) = search.way_to_goal(machine, state, marked) {
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

/// How a state was reached.
#[derive(Clone, Copy, Default)]
struct Reached {
    /// The number of the search that reached it last.
    search: u32,
    before: u16,
    instruction: u8,
}

/// Breadth-first searches, one after the other. Each touches only the states that it reaches.
struct TourSearch {
    reached: Vec<Reached>,
    /// The number of the current search, from 1.
    number: u32,
    open: VecDeque<u16>,
}

impl TourSearch {
    /// The shortest way from a state to a goal that is not marked.
    fn way_to_goal(&mut self, machine: &dyn Machine, from: u16, marked: &[bool]) -> Option<Vec<u8>> {
        self.number += 1;
        let Self { reached, number: search, open } = self;
        open.clear();
        open.push_back(from);
        while let Some(state) = open.pop_front() {
            for instruction in 0..machine.instructions() {
                let (next, goal) = machine.step(state, instruction);
                if goal.is_some_and(|goal| !marked[usize::from(goal)]) {
                    let mut way = vec![instruction];
                    let mut at = state;
                    while at != from {
                        let Reached { before, instruction, .. } = reached[usize::from(at)];
                        way.push(instruction);
                        at = before;
                    }
                    way.reverse();
                    return Some(way);
                }
                let place = &mut reached[usize::from(next)];
                if place.search != *search && next != from {
                    *place = Reached { search: *search, before: state, instruction };
                    open.push_back(next);
                }
            }
        }
        None
    }
}
