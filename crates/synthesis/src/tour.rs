//! A first program, which goes from each goal to the nearest unmarked goal.

use crate::codes::solution;
use crate::machine::Machine;
use gridhunt_search::engine::Solution;
use std::collections::VecDeque;

/// A program without loops that goes from goal to goal, the nearest first; `None` if it does not reach all goals.
pub(crate) fn goal_tour(machine: &dyn Machine) -> Option<Solution> {
    path_to_all_goals(machine, machine.start(), &mut vec![false; machine.goals()]).map(solution)
}

/// The codes of a path from a state to all unmarked goals, the nearest first; `None` if it does not reach all goals.
pub(crate) fn path_to_all_goals(machine: &dyn Machine, mut state: u16, marked: &mut [bool]) -> Option<Vec<u16>> {
    let mut codes = Vec::new();
    let parent_links = vec![ParentLink::default(); machine.states()];
    let mut tour = TourSearch { parent_links, search_number: 0, open: VecDeque::new() };
    while let Some(path) = tour.shortest_path_to_goal(machine, state, marked) {
        for instruction in path {
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

/// The step by which a state was reached.
#[derive(Clone, Copy, Default)]
struct ParentLink {
    /// The number of the last search that reached the state.
    search_number: u32,
    parent: u16,
    instruction: u8,
}

/// Consecutive breadth-first searches that share memory. Each writes only the states that it reaches.
struct TourSearch {
    parent_links: Vec<ParentLink>,
    /// The number of the current search, from 1.
    search_number: u32,
    open: VecDeque<u16>,
}

impl TourSearch {
    /// The shortest path from a state to an unmarked goal.
    fn shortest_path_to_goal(&mut self, machine: &dyn Machine, from: u16, marked: &[bool]) -> Option<Vec<u8>> {
        self.search_number += 1;
        let Self { parent_links, search_number, open } = self;
        open.clear();
        open.push_back(from);
        while let Some(state) = open.pop_front() {
            for instruction in 0..machine.instructions() {
                let (next, goal) = machine.step(state, instruction);
                if goal.is_some_and(|goal| !marked[usize::from(goal)]) {
                    let mut path = vec![instruction];
                    let mut at = state;
                    while at != from {
                        let ParentLink { parent, instruction, .. } = parent_links[usize::from(at)];
                        path.push(instruction);
                        at = parent;
                    }
                    path.reverse();
                    return Some(path);
                }
                let entry = &mut parent_links[usize::from(next)];
                if entry.search_number != *search_number && next != from {
                    *entry = ParentLink { search_number: *search_number, parent: state, instruction };
                    open.push_back(next);
                }
            }
        }
        None
    }
}
