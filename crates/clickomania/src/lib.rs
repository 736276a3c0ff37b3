//! Clickomania (SameGame): a click takes away a group of cells of one colour, cells fall, columns close up.
//!
//! A state is the board as it lies. All cells have fallen, so equal boards are equal states. Every click takes cells
//! away, so no path visits a state twice, and moves may cost nothing.
//!
//! A move index is the number of a clickable group, from 0: by the lowest cell in the leftmost column of the group,
//! leftmost columns first, as seen from the corner towards which cells fall. [`Game::clicks`] turns move indexes into
//! cells.
//!
//! **Partial-order reduction** (a sleep set). A click moves cells of its own columns. The cells that they come to touch
//! lie in these columns and in the neighbouring ones. So two groups with a column between them can be clicked in either
//! order: they are the same groups in both orders, and lead to the same board at the same cost. Only the order with the
//! left group first is searched: after a click, all groups to the left of the column beside it are asleep. No optimum
//! is lost: of all equally good solutions, compared click by click by the place where the clicked group begins, the
//! least never clicks a group that is asleep. A move class is a column; a group is asleep when all its columns are.
#![cfg_attr(not(test), deny(clippy::exit, clippy::expect_used, clippy::panic, clippy::unwrap_used))]
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

mod bounds;
mod certificate;
mod clearable;
mod click_game;
mod game;
mod lazy;
mod local_search_path;
mod playout;
mod promise;
mod refusal;
pub mod replay;
mod rules;
mod score;
mod scoring;
mod staged_estimate;
mod state;
mod task;
#[cfg(test)]
mod tests;
mod variant;

pub use bounds::{GameBound, GameBoundKind, GameScratch};
pub use clearable::generate_clearable;
pub use game::{Game, MAX_SIDE};
pub use refusal::{Refusal, check_fallen};
pub use rules::{Columns, Goal, Rules};
pub use score::{ScoreError, ScoreTable};
pub use scoring::{ScoreRule, ScoreRuleError, Scoring};
pub use state::{Column, ManyColours, MoreColours, Position};
pub use task::ClickomaniaPuzzle;
pub use variant::Options;

use game::bits_of;
use gridhunt_boards::Board;
use gridhunt_search::domain::{
    Cost, Domain, GoalCost, Guidance, LazyState, LocalSearchPath, MoveIndex, MoveMask, StagedEstimate, Successor,
};
use gridhunt_search::multiversion;
use state::{Grid, Groups, PrefixCounts, Weights};

multiversion! {
    fn all_children<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Position<T, C, P>, skip: MoveMask, out: &mut Vec<Successor<Position<T, C, P>>>,
    ) = children
}

#[inline(always)]
fn children<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    skip: MoveMask,
    out: &mut Vec<Successor<Position<T, C, P>>>,
) {
    let (links, counts) = (state.grid().links(), PrefixCounts::of(state));
    let mut groups = Groups::of(&links, game.rules.min_group);
    while let Some((mv, group)) = groups.next() {
        let columns = below(group.last + 1) & !below(group.first);
        if columns & !skip != 0 {
            let cost = game.cost(state, group);
            // Groups that end to the left of the column beside this group are clicked before it.
            let sleep_set = below(group.first.saturating_sub(1)) & below(MAX_CLASSES);
            // States are large: the copy is changed in place.
            out.push(Successor { mv, cost, sleep_set, state: *state });
            if let Some(child) = out.last_mut() {
                child.state.remove_from(group, game.closes(), &counts.around(group));
            }
        }
    }
}

/// The most move classes.
const MAX_CLASSES: usize = 63;

/// The columns before this one.
#[inline(always)]
fn below(col: usize) -> MoveMask {
    if col < 64 { (1 << col) - 1 } else { MoveMask::MAX }
}

/// These methods are long and slow, so each is compiled once, not at each place where an engine calls it.
impl<T: Column, const C: usize, const P: usize> Domain for Game<T, C, P> {
    type State = Position<T, C, P>;

    fn key_len(&self) -> usize {
        (self.rows * self.cols * bits_of(self.colours.into())).div_ceil(8)
    }

    fn mask_bits(&self) -> u32 {
        self.cols.min(MAX_CLASSES) as u32
    }

    fn root(&self) -> Position<T, C, P> {
        self.root
    }

    #[inline(never)]
    fn pack(&self, state: &Position<T, C, P>, key: &mut [u8]) {
        let (mut word, mut bit_count, mut at) = (0_u64, 0, 0);
        let mut push_bits = |key: &mut [u8], bits: u64, count: u32| {
            word |= bits << bit_count;
            bit_count += count;
            if bit_count >= 64 {
                key[at..at + 8].copy_from_slice(&word.to_le_bytes());
                at += 8;
                bit_count -= 64;
                word = if bit_count > 0 { bits >> (count - bit_count) } else { 0 };
            }
        };
        for col in 0..self.cols {
            for plane in &state.grid().planes[..bits_of(self.colours.into())] {
                push_bits(key, plane[col].to_bits(), self.rows as u32);
            }
        }
        let tail = key.len() - at;
        key[at..].copy_from_slice(&word.to_le_bytes()[..tail]);
    }

    #[inline(never)]
    fn unpack(&self, key: &[u8], state: &mut Position<T, C, P>) {
        let mut grid = Grid::empty();
        let rows = self.rows as u32;
        let mut at = 0;
        for col in 0..self.cols {
            for plane in &mut grid.planes[..bits_of(self.colours.into())] {
                // Any 64 bits in a row lie within nine bytes.
                let mut bytes = [0; 16];
                let from = &key[at as usize / 8..];
                let len = from.len().min(9);
                bytes[..len].copy_from_slice(&from[..len]);
                let bits = (u128::from_le_bytes(bytes) >> (at % 8)) as u64;
                plane[col] = T::from_bits(bits) & T::below(rows);
                at += rows;
            }
        }
        *state = Position::new(grid);
    }

    #[inline]
    fn successors(&self, state: &Position<T, C, P>, skip: MoveMask, out: &mut Vec<Successor<Position<T, C, P>>>) {
        all_children(self, state, skip, out);
    }

    #[inline(never)]
    fn promise(&self, state: &Position<T, C, P>) -> u32 {
        promise::by_weights(self, state, Weights::DEFAULT)
    }

    #[inline(never)]
    fn terminal_cost(&self, state: &Position<T, C, P>) -> Option<Cost> {
        self.cost_of_stopping(state.counts(self.colours))
    }

    fn guidance(&self) -> Option<&dyn Guidance<Position<T, C, P>>> {
        Some(self)
    }
}

impl<T: Column, const C: usize, const P: usize> Guidance<Position<T, C, P>> for Game<T, C, P> {
    fn varied_promise(&self, state: &Position<T, C, P>, variation: u32) -> Option<u32> {
        // If single cells can be clicked away, they do no harm, and have no weight.
        let has_weights = self.rules.min_group > 1;
        has_weights.then(|| promise::by_weights(self, state, Weights::varied(variation)))
    }

    fn lazy_root(&self) -> Option<Box<dyn LazyState<'_> + '_>> {
        lazy::root(self)
    }

    fn goal_cost(&self) -> GoalCost {
        match self.objective {
            Goal::Clear => GoalCost::EverySolution,
            Goal::Left => GoalCost::Optimal,
            Goal::Clicks | Goal::Score => GoalCost::Any,
        }
    }

    #[inline(never)]
    fn staged_estimate(&self, state: &Position<T, C, P>, variation: u32) -> Option<StagedEstimate> {
        staged_estimate::staged_estimate(self, state, variation)
    }

    fn greedy_step(&self, state: &mut Position<T, C, P>) -> Option<(MoveIndex, Cost)> {
        playout::step(self, state)
    }

    fn local_search_path(&self) -> Option<Box<dyn LocalSearchPath + '_>> {
        Some(Box::new(local_search_path::ClickPath::new(self)))
    }
}

/// Work on a [`Game`] of the size that the board needs.
pub trait Visitor {
    /// The result of the work.
    type Output;
    /// Does the work.
    fn visit<T: Column, const C: usize, const P: usize>(self, game: &Game<T, C, P>) -> Self::Output;
}

/// As [`with_scored_game`], with the default scoring.
///
/// # Errors
/// As [`with_scored_game`].
pub fn with_game<V: Visitor>(board: &Board, rules: Rules, goal: Goal, visitor: V) -> Result<V::Output, Refusal> {
    with_scored_game(board, &Options { rules, goal, ..Options::default() }, visitor)
}

/// Hands the game to `visitor`, with the smallest states that hold the board.
///
/// # Errors
/// When the board has more than [`MAX_SIDE`] rows or columns, the scoring cannot be used on the board, and as
/// [`check_fallen`].
pub fn with_scored_game<V: Visitor>(
    board: &Board,
    &Options { rules, goal, ref scoring }: &Options,
    visitor: V,
) -> Result<V::Output, Refusal> {
    let side = board.rows().max(board.cols());
    if side > MAX_SIDE {
        return Err(Refusal::TooLarge { board: board.name().to_owned(), rows: board.rows(), cols: board.cols() });
    }
    check_fallen(board, rules)?;
    let score = match goal {
        Goal::Score => Some(score_table(board, rules, scoring)?),
        Goal::Clear | Goal::Clicks | Goal::Left => None,
    };
    Ok(match (bits_of(board.colours()), side) {
        (..=3, ..=16) => visitor.visit(&Game::<u16, 16, 3>::new(board, rules, goal, score)),
        (..=3, ..=32) => visitor.visit(&Game::<u32, 32, 3>::new(board, rules, goal, score)),
        (..=3, _) => visitor.visit(&Game::<u64, 64, 3>::new(board, rules, goal, score)),
        (..=4, _) => visitor.visit(&Game::<MoreColours, 64, 4>::new(board, rules, goal, score)),
        _ => visitor.visit(&Game::<ManyColours, 64, 8>::new(board, rules, goal, score)),
    })
}

/// Computes the points, the penalties and the ceiling of the score on a board.
///
/// # Errors
/// When the scoring cannot be used on the board.
pub fn score_table(board: &Board, rules: Rules, scoring: &Scoring) -> Result<ScoreTable, Refusal> {
    let refuse = |reason| Refusal::Score { board: board.name().to_owned(), reason };
    ScoreTable::new(board, rules, scoring).map_err(refuse)
}
