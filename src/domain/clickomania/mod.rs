//! Clickomania (SameGame): a click takes away a group of cells of one colour, cells fall, columns close up.
//!
//! A state is the board as it lies. Everything has fallen, so equal boards are equal states, and as every click takes cells away,
//! no state comes twice on a way: moves may cost nothing.
//!
//! A move index is the number of a group among those that can be clicked away, from 0, by their lowest cell in their leftmost
//! column, leftmost columns first, as seen from the corner towards which everything falls. [`Game::clicks`] says which cells those are.

mod bounds;
mod column;
mod grid;
mod score;
#[cfg(test)]
mod tests;

pub use bounds::GameBound;
pub use column::Column;
pub use grid::Grid;
pub use score::ceiling;

use super::wide::for_each_level;
use super::{Cost, Domain, MoveIndex, MoveMask, Successor};
use crate::board::{Board, Cell, Columns, Corner, MAX_COLOURS, Objective, Rules};
use arrayvec::ArrayVec;
use grid::{Group, Groups, count};
use score::{CLEARED, points};

/// Rows and columns of a board at most.
pub const MAX_SIDE: usize = 64;

/// A board as a search space, in words `T` for its columns, of which there are `C` at most, with `P` planes of colours. Made by
/// [`with_game`].
#[derive(Clone, Debug)]
pub struct Game<T, const C: usize, const P: usize> {
    rules: Rules,
    objective: Objective,
    rows: usize,
    cols: usize,
    colours: u8,
    root: Grid<T, C, P>,
}

/// Bits that tell so many colours and the absence of a cell.
fn bits_of(colours: usize) -> usize {
    (usize::BITS - colours.leading_zeros()) as usize
}

/// A cell as seen from a corner, where everything falls down and to the left: its column, and its height.
fn turn(corner: Corner, (rows, cols): (usize, usize), Cell { row, col }: Cell) -> (usize, u32) {
    let height = if corner.is_top() { row } else { rows - 1 - row };
    (if corner.is_right() { cols - 1 - col } else { col }, height as u32)
}

/// The cell that [`turn`] sees there.
fn turn_back(corner: Corner, (rows, cols): (usize, usize), (col, height): (usize, u32)) -> Cell {
    let height = height as usize;
    let row = if corner.is_top() { height } else { rows - 1 - height };
    Cell { row, col: if corner.is_right() { cols - 1 - col } else { col } }
}

impl<T: Column, const C: usize, const P: usize> Game<T, C, P> {
    fn new(board: &Board, rules: Rules, objective: Objective) -> Self {
        let (rows, cols) = (board.rows(), board.cols());
        debug_assert!(rows <= T::HEIGHT as usize && cols <= C && bits_of(board.colours()) <= P);
        let mut root = Grid::empty();
        for (at, &colour) in board.cells().iter().enumerate() {
            let cell = Cell { row: at / cols, col: at % cols };
            root.put(turn(rules.corner, (rows, cols), cell), colour + 1);
        }
        let colours = board.colours() as u8;
        Self { rules, objective, rows, cols, colours, root }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// What is wanted.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// How many cells of each colour are left.
    #[inline]
    pub(super) fn counts(&self, state: &Grid<T, C, P>) -> ArrayVec<u32, MAX_COLOURS> {
        let mut counts: ArrayVec<u32, MAX_COLOURS> = std::iter::repeat_n(0, self.colours.into()).collect();
        count_colours(state, &mut counts);
        counts
    }

    /// The group of a move and the board after it; `None` when there is no such move.
    fn play(&self, state: &Grid<T, C, P>, mv: MoveIndex) -> Option<(Group<T, C>, Grid<T, C, P>)> {
        let group = Groups::of(&state.links(), self.rules.min_group).nth(mv.into())?;
        let next = state.without(&group, self.closes());
        Some((group, next))
    }

    fn closes(&self) -> bool {
        self.rules.columns == Columns::Close
    }

    /// The cells to be clicked, as the board lies before each move; as far as there are such moves.
    #[must_use]
    pub fn clicks(&self, moves: &[MoveIndex]) -> Vec<Cell> {
        let mut state = self.root;
        let mut clicks = Vec::new();
        for &mv in moves {
            let Some((group, next)) = self.play(&state, mv) else { break };
            let height = group.cells[group.first].to_bits().trailing_zeros();
            clicks.push(turn_back(self.rules.corner, (self.rows, self.cols), (group.first, height)));
            state = next;
        }
        clicks
    }

    /// What a click on a group costs.
    #[inline(always)]
    fn cost(&self, state: &Grid<T, C, P>, group: &Group<T, C>) -> Cost {
        match self.objective {
            Objective::Clear | Objective::Left => 0,
            Objective::Clicks => 1,
            // By so much it brings the ceiling down.
            Objective::Score => {
                let height = group.cells[group.first].to_bits().trailing_zeros();
                let (before, size) = (state.count(state.colour((group.first, height))), group.size());
                points(before) - points(before - size) - points(size)
            }
        }
    }
}

for_each_level! {
    fn all_children<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Grid<T, C, P>, out: &mut Vec<Successor<Grid<T, C, P>>>,
    ) = children
}

#[inline(always)]
fn children<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    out: &mut Vec<Successor<Grid<T, C, P>>>,
) {
    let links = state.links();
    for (mv, group) in (0..).zip(Groups::of(&links, game.rules.min_group)) {
        let (cost, state) = (game.cost(state, &group), state.without(&group, game.closes()));
        out.push(Successor { mv, cost, asleep: 0, state });
    }
}

for_each_level! {
    fn tidiness<const C: usize, const P: usize; T: Column>(state: &Grid<T, C, P>) -> u32 = tidy
}

#[inline(always)]
fn tidy<T: Column, const C: usize, const P: usize>(state: &Grid<T, C, P>) -> u32 {
    let shape = state.links().shape();
    u32::MAX - 3 * shape.single - shape.groups
}

for_each_level! {
    /// How many cells of each colour are left, from the first on.
    pub(super) fn count_colours<const C: usize, const P: usize; T: Column>(
        state: &Grid<T, C, P>, counts: &mut [u32],
    ) = count_each
}

#[inline(always)]
fn count_each<T: Column, const C: usize, const P: usize>(state: &Grid<T, C, P>, counts: &mut [u32]) {
    for (colour, count) in (1..).zip(counts) {
        *count = state.count(colour);
    }
}

/// What an engine calls is long and takes its time: it is compiled once, not at each place where it is called.
impl<T: Column, const C: usize, const P: usize> Domain for Game<T, C, P> {
    type State = Grid<T, C, P>;

    fn key_len(&self) -> usize {
        (self.rows * self.cols * bits_of(self.colours.into())).div_ceil(8)
    }

    fn mask_bits(&self) -> u32 {
        0
    }

    fn root(&self) -> Grid<T, C, P> {
        self.root
    }

    #[inline(never)]
    fn pack(&self, state: &Grid<T, C, P>, key: &mut [u8]) {
        let (mut word, mut filled, mut at) = (0_u64, 0, 0);
        let mut put = |key: &mut [u8], bits: u64, count: u32| {
            word |= bits << filled;
            filled += count;
            if filled >= 64 {
                key[at..at + 8].copy_from_slice(&word.to_le_bytes());
                at += 8;
                filled -= 64;
                word = if filled > 0 { bits >> (count - filled) } else { 0 };
            }
        };
        for col in 0..self.cols {
            for plane in &state.planes[..bits_of(self.colours.into())] {
                put(key, plane[col].to_bits(), self.rows as u32);
            }
        }
        let rest = key.len() - at;
        key[at..].copy_from_slice(&word.to_le_bytes()[..rest]);
    }

    #[inline(never)]
    fn unpack(&self, key: &[u8], state: &mut Grid<T, C, P>) {
        *state = Grid::empty();
        let rows = self.rows as u32;
        let mut at = 0;
        for col in 0..self.cols {
            for plane in &mut state.planes[..bits_of(self.colours.into())] {
                // Nine bytes hold any 64 bits.
                let mut bytes = [0; 16];
                let from = &key[at as usize / 8..];
                let len = from.len().min(9);
                bytes[..len].copy_from_slice(&from[..len]);
                let bits = (u128::from_le_bytes(bytes) >> (at % 8)) as u64;
                plane[col] = T::from_bits(bits) & T::below(rows);
                at += rows;
            }
        }
    }

    #[inline]
    fn successors(&self, state: &Grid<T, C, P>, _: MoveMask, out: &mut Vec<Successor<Grid<T, C, P>>>) {
        all_children(self, state, out);
    }

    /// Few single cells and few groups.
    #[inline]
    fn promise(&self, state: &Grid<T, C, P>) -> u32 {
        tidiness(state)
    }

    #[inline(never)]
    fn terminal(&self, state: &Grid<T, C, P>) -> Option<Cost> {
        let is_cleared = state.is_empty();
        match self.objective {
            Objective::Clear | Objective::Clicks => is_cleared.then_some(0),
            Objective::Left => Some(count(&state.cells())),
            Objective::Score => {
                let missed: u32 = self.counts(state).into_iter().map(points).sum();
                Some(missed + if is_cleared { 0 } else { CLEARED })
            }
        }
    }
}

/// Work to be done on a [`Game`] of whatever size the board needs.
pub trait Visitor {
    /// What comes out of it.
    type Output;
    /// Does the work.
    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output;
}

/// A board that is larger than [`MAX_SIDE`] allows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{board}: found {rows} x {cols} cells, expected at most {MAX_SIDE} x {MAX_SIDE} for clickomania")]
pub struct TooLarge {
    /// The board's name.
    pub board: String,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub cols: usize,
}

/// Hands the game to `visitor`, with the smallest states that hold the board.
///
/// # Errors
/// When the board has more than [`MAX_SIDE`] rows or columns.
pub fn with_game<V: Visitor>(
    board: &Board,
    rules: Rules,
    objective: Objective,
    visitor: V,
) -> Result<V::Output, TooLarge> {
    let side = board.rows().max(board.cols());
    if side > MAX_SIDE {
        return Err(TooLarge { board: board.name().to_owned(), rows: board.rows(), cols: board.cols() });
    }
    Ok(match (bits_of(board.colours()), side) {
        (..=3, ..=16) => visitor.visit(&Game::<u16, 16, 3>::new(board, rules, objective)),
        (..=3, ..=32) => visitor.visit(&Game::<u32, 32, 3>::new(board, rules, objective)),
        (..=3, _) => visitor.visit(&Game::<u64, 64, 3>::new(board, rules, objective)),
        _ => visitor.visit(&Game::<u64, 64, 6>::new(board, rules, objective)),
    })
}
