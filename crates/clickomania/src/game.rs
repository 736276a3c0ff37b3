//! A board as a search space: its rules, its size, and the cost of a click.

use super::score::ScoreTable;
use super::state::{Column, Grid, Group, Groups, Position};
use crate::{Columns, Goal, Rules};
use gridhunt_boards::{Board, Cell, Corner};
use gridhunt_search::domain::{Cost, MoveIndex};
use std::sync::Arc;

/// The most rows and columns of a board.
pub const MAX_SIDE: usize = 64;

/// A board as a search space, with at most `C` columns, which are words `T`, and `P` planes of colours. Made by
/// [`with_game`](super::with_game).
#[derive(Clone, Debug)]
pub struct Game<T: Column, const C: usize, const P: usize> {
    pub(super) rules: Rules,
    pub(super) objective: Goal,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) colours: u8,
    /// The colour whose clicks random paths defer.
    pub(super) deferred: Option<u8>,
    pub(super) root: Position<T, C, P>,
    /// For the objective [`Goal::Score`] alone.
    pub(super) score: Option<Arc<ScoreTable>>,
}

/// The number of bits that distinguish `colours` colours and the absence of a cell.
pub(super) fn bits_of(colours: usize) -> usize {
    (usize::BITS - colours.leading_zeros()) as usize
}

/// The column and the height of a cell, as seen from the corner towards which cells fall.
pub(super) fn to_col_height(corner: Corner, (rows, cols): (usize, usize), Cell { row, col }: Cell) -> (usize, u32) {
    let height = if corner.is_top() { row } else { rows - 1 - row };
    (if corner.is_right() { cols - 1 - col } else { col }, height as u32)
}

/// The inverse of [`to_col_height`].
pub(super) fn to_cell(corner: Corner, (rows, cols): (usize, usize), (col, height): (usize, u32)) -> Cell {
    let height = height as usize;
    let row = if corner.is_top() { height } else { rows - 1 - height };
    Cell { row, col: if corner.is_right() { cols - 1 - col } else { col } }
}

impl<T: Column, const C: usize, const P: usize> Game<T, C, P> {
    pub(super) fn new(board: &Board, rules: Rules, objective: Goal, score: Option<ScoreTable>) -> Self {
        let (rows, cols) = (board.rows(), board.cols());
        debug_assert!(rows <= T::HEIGHT as usize && cols <= C && bits_of(board.colours()) <= P);
        let mut root = Grid::empty();
        for (index, colour) in board.contents().enumerate() {
            if let Some(colour) = colour {
                root.put(to_col_height(rules.corner, (rows, cols), board.cell(index)), colour + 1);
            }
        }
        let colours = board.colours() as u8;
        let root = Position::new(root);
        let deferred = deferred_colour(root.counts(colours), objective);
        let score = score.map(Arc::new);
        Self { rules, objective, rows, cols, colours, deferred, root, score }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The objective.
    #[must_use]
    pub fn objective(&self) -> Goal {
        self.objective
    }

    /// The score that no solution exceeds, if the objective is the score.
    #[must_use]
    pub fn ceiling(&self) -> Option<i64> {
        self.score.as_deref().map(ScoreTable::ceiling)
    }

    /// Turns clicks into moves. Each click names a cell of the board as it lies just before that click. The moves end
    /// before the first cell that is in no group that can be clicked.
    #[must_use]
    pub fn moves(&self, clicks: &[Cell]) -> Vec<MoveIndex> {
        let mut state = self.root;
        let mut moves = Vec::new();
        for &cell in clicks {
            if cell.row >= self.rows || cell.col >= self.cols {
                break;
            }
            let (col, height) = to_col_height(self.rules.corner, (self.rows, self.cols), cell);
            let links = state.grid().links();
            let mut groups = Groups::of(&links, self.rules.min_group);
            let (number, group) = loop {
                let Some((number, group)) = groups.next() else { return moves };
                if (group.first..=group.last).contains(&col) && group.cells[col].to_bits() >> height & 1 == 1 {
                    break (number, *group);
                }
            };
            state.remove(&group, self.closes());
            moves.push(number);
        }
        moves
    }

    /// The group of a move and the board after it; `None` when there is no such move.
    pub(super) fn click(&self, state: &Position<T, C, P>, mv: MoveIndex) -> Option<(Group<T, C>, Position<T, C, P>)> {
        let links = state.grid().links();
        let mut groups = Groups::of(&links, self.rules.min_group);
        while let Some((number, group)) = groups.next() {
            if number == mv {
                let mut next = *state;
                next.remove(group, self.closes());
                return Some((*group, next));
            }
        }
        None
    }

    pub(super) fn closes(&self) -> bool {
        match self.rules.columns {
            Columns::Close => true,
            Columns::Stay => false,
        }
    }

    /// Turns moves into clicks. Each click names a cell of the board as it lies just before that move. The clicks end
    /// before the first move that does not exist.
    #[must_use]
    pub fn clicks(&self, moves: &[MoveIndex]) -> Vec<Cell> {
        let mut state = self.root;
        let mut clicks = Vec::new();
        for &mv in moves {
            let Some((group, next)) = self.click(&state, mv) else { break };
            let height = group.cells[group.first].to_bits().trailing_zeros();
            clicks.push(to_cell(self.rules.corner, (self.rows, self.cols), (group.first, height)));
            state = next;
        }
        clicks
    }

    /// The cost of a click on a group.
    #[inline(always)]
    pub(super) fn cost(&self, state: &Position<T, C, P>, group: &Group<T, C>) -> Cost {
        match self.objective {
            Goal::Clear | Goal::Clicks | Goal::Left => self.click_cost(0, 0),
            Goal::Score => {
                let colour = state.grid().colour_of(group);
                self.click_cost(state.counts(self.colours)[usize::from(colour) - 1].into(), group.size())
            }
        }
    }

    /// The cost of a click on `size` of `count` cells of a colour.
    #[inline(always)]
    pub(super) fn click_cost(&self, count: u32, size: u32) -> Cost {
        match self.objective {
            Goal::Clear | Goal::Left => 0,
            Goal::Clicks => 1,
            // The ceiling of the score falls by this amount.
            Goal::Score => self.score.as_ref().map_or(0, |score| score.click_cost(count, size)),
        }
    }

    /// The cost of stopping with `counts` cells of the colours; `None` if stopping is not allowed.
    pub(super) fn cost_of_stopping(&self, counts: &[u16]) -> Option<Cost> {
        let is_cleared = counts.iter().all(|&count| count == 0);
        match self.objective {
            Goal::Clear | Goal::Clicks => is_cleared.then_some(0),
            Goal::Left => Some(counts.iter().map(|&count| Cost::from(count)).sum()),
            Goal::Score => {
                let score = self.score.as_deref()?;
                let missed: u32 = counts.iter().map(|&count| score.leaving_cost(count.into())).sum();
                Some(missed + if is_cleared { 0 } else { score.clear_bonus() })
            }
        }
    }
}

/// The colour, from 1, whose clicks random paths for a high score defer: the colour with the most cells. Its cells come
/// together meanwhile, and a large group scores more than its parts.
fn deferred_colour(counts: &[u16], objective: Goal) -> Option<u8> {
    let most = (1..=u8::MAX).zip(counts).max_by_key(|(colour, count)| (**count, u8::MAX - colour));
    match objective {
        Goal::Clear | Goal::Clicks | Goal::Left => None,
        Goal::Score => most.map(|(colour, _)| colour),
    }
}
