//! Clickomania by plain recursion over boards as lists of columns. It shares nothing with the library.

use gridhunt_boards::Board;
use gridhunt_clickomania::{Columns, Goal, Rules};
use std::collections::{HashMap, HashSet};

/// Columns from the left, each from the floor up.
type State = Vec<Vec<u8>>;

/// The best value of an objective from each state.
pub struct Plain<'a> {
    pub rules: Rules,
    pub objective: Goal,
    /// Points of a click, by its number of cells.
    pub points: &'a dyn Fn(i64) -> i64,
    /// What cells of one colour cost that are left, by their number.
    pub penalty: &'a dyn Fn(i64) -> i64,
    pub clear_bonus: i64,
    /// Values of states that were solved before.
    pub known: HashMap<State, Option<i64>>,
}

/// The default score.
pub fn standard(cells: i64) -> i64 {
    if cells < 2 { 0 } else { (cells - 2) * (cells - 2) }
}

impl<'a> Plain<'a> {
    pub fn new(rules: Rules, objective: Goal) -> Self {
        let (points, penalty): (&dyn Fn(i64) -> i64, &dyn Fn(i64) -> i64) = (&standard, &|_| 0);
        Self { rules, objective, points, penalty, clear_bonus: 1000, known: HashMap::new() }
    }

    /// The least number of clicks, the fewest cells left, the highest score, or 0 for a clear; `None` if the board
    /// cannot be cleared and the objective needs a clear. Corners mirror the board, so the bottom left is enough.
    pub fn best(&mut self, board: &Board) -> Option<i64> {
        let column = |col: usize| {
            let cells = (0..board.rows()).rev().map(move |row| row * board.cols() + col);
            cells.filter_map(|index| board.contents().nth(index).expect("a cell")).collect()
        };
        self.from((0..board.cols()).map(column).collect())
    }

    fn from(&mut self, state: State) -> Option<i64> {
        if let Some(known) = self.known.get(&state) {
            return *known;
        }
        let mut best = self.stop(&state);
        for group in groups(&state) {
            if group.len() < self.rules.min_group as usize {
                continue;
            }
            let mut next: State = state
                .iter()
                .enumerate()
                .map(|(col, cells)| {
                    let stays = |&(height, _): &(usize, &u8)| !group.contains(&(col, height));
                    cells.iter().enumerate().filter(stays).map(|(_, colour)| *colour).collect()
                })
                .collect();
            if self.rules.columns == Columns::Close {
                next.retain(|column: &Vec<u8>| !column.is_empty());
            }
            let gain = match self.objective {
                Goal::Clicks => 1,
                Goal::Score => (self.points)(group.len() as i64),
                Goal::Clear | Goal::Left => 0,
            };
            let value = self.from(next).map(|value| value + gain);
            best = match (best, value) {
                (Some(one), Some(other)) if self.objective == Goal::Score => Some(one.max(other)),
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        self.known.insert(state, best);
        best
    }

    /// The value of stopping.
    fn stop(&self, state: &State) -> Option<i64> {
        let mut left = HashMap::new();
        state.iter().flatten().for_each(|colour| *left.entry(*colour).or_insert(0) += 1);
        let is_clear = left.is_empty();
        match self.objective {
            Goal::Clear | Goal::Clicks => is_clear.then_some(0),
            Goal::Left => Some(left.values().sum()),
            Goal::Score => {
                let lost: i64 = left.values().map(|cells| (self.penalty)(*cells)).sum();
                Some(if is_clear { self.clear_bonus } else { 0 } - lost)
            }
        }
    }
}

fn groups(state: &State) -> Vec<HashSet<(usize, usize)>> {
    let at = |(col, height): (usize, usize)| state.get(col).and_then(|column| column.get(height));
    let mut seen = HashSet::new();
    let mut groups = Vec::new();
    for (col, column) in state.iter().enumerate() {
        for height in 0..column.len() {
            let mut group = HashSet::new();
            let mut open = vec![(col, height)];
            while let Some((c, h)) = open.pop() {
                if !seen.insert((c, h)) {
                    continue;
                }
                group.insert((c, h));
                let beside = [(c + 1, h), (c.wrapping_sub(1), h), (c, h + 1), (c, h.wrapping_sub(1))];
                open.extend(beside.into_iter().filter(|&cell| at(cell).is_some() && at(cell) == at((c, h))));
                open.retain(|cell| !seen.contains(cell));
            }
            if !group.is_empty() {
                groups.push(group);
            }
        }
    }
    groups
}
