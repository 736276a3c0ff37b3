//! The lower bound: the colours that must go, or the radius of the areas.
//!
//! **Colours.** The colours that must go are all but the target; without a target, all but one. A move removes at most
//! one colour, that of the area, and adds at most one. So the number of colours that must go changes by at most one.
//!
//! **Radius.** Take the areas as the nodes of a graph, with an edge between areas that touch. A move joins an area X
//! and those of its neighbours that have the new colour to one node X'. Let v be a node of the graph after the move
//! from which every node is at most r edges away. Then the graph before the move has a node from which every node is at
//! most r + 1 away. So a move lowers the radius by one at most, and at the end the radius is 0:
//! * v is X': every node is within r + 1 of X, because a way from X' begins at X or at a joined neighbour of X.
//! * v is a neighbour of X': before the move, v is a neighbour of X or of a node L that joins X. Take X or L as the
//!   centre. If the shortest way from v to a node avoids X', the node is within r + 1 of the centre: one step to v,
//!   then that way. If it leads through X', the node is at most r - 1 from X', and the centre is at most two edges from
//!   any joined node: r + 1 in all.
//! * v is farther away: take its neighbour w on a shortest way to X' as the centre. A way that avoids X' gets one step
//!   longer at most. A way through X' begins one step later, and gets at most two steps longer within X', from a joined
//!   node to X and on to a joined node: r + 1 at most.
//!
//! Walls may divide the board into parts. A move changes one part, so the sum of the radii falls by one at most.
//!
//! Both values change by one at most with each move, so the bound is **admissible** and **consistent**.

use crate::FreeFlood;
use gridhunt_search::domain::{Bound, Cost, Domain, LowerBound};

/// The lower bound: the greater of the two values.
#[derive(Clone, Copy, Debug)]
pub struct ColoursOrRadius<'a>(pub &'a FreeFlood);

/// The name of the bound on the command line.
pub(crate) const NAME: &str = "radius";

pub(crate) const SUMMARY: &str = "colours that must go, or the radius of the areas";

/// The queue of a breadth-first search, and the distance of each area.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    queue: Vec<u16>,
    distance: Vec<u16>,
}

impl Scratch {
    /// The distance of the area that is farthest from `area` in its part of the board. Afterwards, `queue` holds the
    /// areas of this part.
    fn eccentricity(&mut self, neighbours: &[Vec<u16>], area: u16) -> u16 {
        self.distance.clear();
        self.distance.resize(neighbours.len(), u16::MAX);
        self.queue.clear();
        self.queue.push(area);
        self.distance[usize::from(area)] = 0;
        let (mut at, mut farthest) = (0, 0);
        while let Some(&node) = self.queue.get(at) {
            farthest = self.distance[usize::from(node)];
            for &neighbour in &neighbours[usize::from(node)] {
                if self.distance[usize::from(neighbour)] == u16::MAX {
                    self.distance[usize::from(neighbour)] = farthest + 1;
                    self.queue.push(neighbour);
                }
            }
            at += 1;
        }
        farthest
    }

    /// The sum of the radii of the parts of the board.
    fn radius_sum(&mut self, neighbours: &[Vec<u16>]) -> Cost {
        let mut is_visited = vec![false; neighbours.len()];
        let mut sum = 0;
        for area in 0..neighbours.len() as u16 {
            if is_visited[usize::from(area)] {
                continue;
            }
            sum += Cost::from(self.radius(neighbours, area));
            self.queue.iter().for_each(|&area| is_visited[usize::from(area)] = true);
        }
        sum
    }

    /// The radius of the part of the board with this area. Afterwards, `queue` holds the areas of the part.
    fn radius(&mut self, neighbours: &[Vec<u16>], area: u16) -> u16 {
        let (mut radius, mut centre) = (u16::MAX, area);
        // A lower limit of each eccentricity: that of the centre differs by at most the distance from it.
        let mut least = vec![0; neighbours.len()];
        loop {
            let eccentricity = self.eccentricity(neighbours, centre);
            radius = radius.min(eccentricity);
            for &area in &self.queue {
                let (distance, least) = (self.distance[usize::from(area)], &mut least[usize::from(area)]);
                *least = distance.max(eccentricity - distance).max(*least);
            }
            // An area whose limit is the radius or more does not lower it.
            match self.queue.iter().copied().min_by_key(|&area| least[usize::from(area)]) {
                Some(next) if least[usize::from(next)] < radius => centre = next,
                _ => return radius,
            }
        }
    }
}

impl LowerBound<FreeFlood> for ColoursOrRadius<'_> {
    type Scratch = Scratch;

    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn evaluate(&self, state: &Vec<u8>, enough: Cost, scratch: &mut Scratch) -> Bound {
        let mut occurs = [false; 256];
        state.iter().for_each(|&colour| occurs[usize::from(colour)] = true);
        let colours = occurs.iter().filter(|occurs| **occurs).count() as Cost;
        let must_go = match self.0.target() {
            Some(target) => colours - Cost::from(occurs[usize::from(target)]),
            None => colours.saturating_sub(1),
        };
        if must_go >= enough || self.0.terminal_cost(state).is_some() {
            return Bound(must_go);
        }
        Bound(must_go.max(scratch.radius_sum(&self.0.areas(state).neighbours)))
    }

    fn is_consistent(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Board, Cell, EMPTY, usual_symbols};

    /// Boards with walls, so that some have several parts.
    fn games() -> impl Iterator<Item = FreeFlood> {
        (1..60_u64).filter_map(|seed| {
            let cell = |at: u64| (((at * seed * 2_654_435_761) >> 7) % 5) as u8;
            let cells = (1..=48).map(|at| if cell(at) == 4 { EMPTY } else { cell(at) }).collect();
            FreeFlood::new(&Board::new("", 6, 8, cells, usual_symbols(4), Cell::default()).ok()?, None)
        })
    }

    #[test]
    fn the_radius_is_the_least_eccentricity() {
        for game in games() {
            let (neighbours, mut scratch) = (game.areas(&game.root()).neighbours, Scratch::default());
            for area in 0..neighbours.len() as u16 {
                let radius = scratch.radius(&neighbours, area);
                let part = scratch.queue.clone();
                assert_eq!(part.iter().map(|&area| scratch.eccentricity(&neighbours, area)).min(), Some(radius));
            }
        }
    }

    #[test]
    fn a_greedy_step_leads_to_the_most_promising_child() {
        for game in games() {
            let (mut state, mut children) = (game.root(), Vec::new());
            game.successors(&state, 0, &mut children);
            let best = children.into_iter().rev().max_by_key(|child| game.promise(&child.state));
            let step = game.guidance().and_then(|guidance| guidance.greedy_step(&mut state));
            assert_eq!(step.map(|(mv, _)| (mv, state)), best.map(|child| (child.mv, child.state)));
        }
    }
}
