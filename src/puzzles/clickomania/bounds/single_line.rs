//! Boards of one line of cells, solved exactly.
//!
//! On a board of one column, or of one row whose columns close up, the cells of a click have come to lie side by side.
//! All cells that lay between two of them went before, by clicks of their own. So clicks are nested like brackets, and
//! the intervals of the line suffice: a context-free parse, in time with the cube of the length of the line (Biedl et
//! al., "The complexity of Clickomania", 2002, for the question what can be cleared).
//!
//! `fewest(i, j, k)` is the least number of clicks that clear the cells from `i` up to `j`, when `k` cells of the
//! colour of `i` have come to lie before `i`. Either these cells go with `i`, if they are enough for a group; or a
//! later cell of the colour joins them, after all cells between are cleared. `k` is cut off at the size of a group. To
//! click fewer cells than could go loses nothing.
//!
//! **Cells left** stay for good, so every interval between two of them is cleared by itself.

use crate::puzzles::clickomania::state::{Column, Grid};
use crate::puzzles::clickomania::{Game, MAX_SIDE};
use gridhunt_boards::Objective;
use gridhunt_search::domain::{Bound, Cost};

/// Stands for no solution: more clicks than there are cells.
const NEVER: Cost = 1 << 16;

/// Working memory.
#[derive(Debug, Default)]
pub struct LineScratch {
    colours: Vec<u8>,
    /// `fewest(i, j, k)`; see [`at`] for the place.
    fewest: Vec<Cost>,
    left: Vec<Cost>,
}

/// Whether a game is played on one line.
pub(super) fn is_line<T: Column, const C: usize, const P: usize>(game: &Game<T, C, P>) -> bool {
    game.cols == 1 || game.rows == 1 && game.closes()
}

/// The least loss from this state on, for any objective except `score`.
pub(super) fn least_loss<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Grid<T, C, P>,
    scratch: &mut LineScratch,
) -> Bound {
    let LineScratch { colours, fewest, left } = scratch;
    colours.clear();
    for col in 0..game.cols {
        colours
            .extend((0..game.rows as u32).map(|height| state.colour((col, height))).take_while(|&colour| colour > 0));
    }
    let most = (game.rules.min_group as usize).min(MAX_SIDE + 1);
    let table = Table { colours, most, fewest };
    table.fill();
    let len = colours.len();
    let clears = |from: usize, to: usize| fewest[at(len, most, (from, to, 0))];
    if game.objective == Objective::Left {
        left.clear();
        left.push(0);
        for to in 1..=len {
            let last = (0..to).filter(|&from| clears(from, to) < NEVER).map(|from| left[from]).min();
            left.push(last.unwrap_or(NEVER).min(left[to - 1] + 1));
        }
        return Bound(left[len]);
    }
    match (clears(0, len), game.objective) {
        (NEVER.., _) => Bound::DEAD_END,
        (clicks, Objective::Clicks) => Bound(clicks),
        _ => Bound(0),
    }
}

fn at(len: usize, most: usize, (from, to, before): (usize, usize, usize)) -> usize {
    (from * (len + 1) + to) * most + before
}

struct Table<'a> {
    colours: &'a [u8],
    /// The least size of a group.
    most: usize,
    fewest: &'a mut Vec<Cost>,
}

impl Table<'_> {
    /// Fills the table, short intervals first.
    fn fill(self) {
        let (len, most) = (self.colours.len(), self.most);
        self.fewest.clear();
        self.fewest.resize((len + 1) * (len + 1) * most, 0);
        for cells in 1..=len {
            for from in 0..=len - cells {
                for before in 0..most {
                    let fewest = self.fewest_of(from, from + cells, before);
                    self.fewest[at(len, most, (from, from + cells, before))] = fewest;
                }
            }
        }
    }

    fn fewest_of(&self, from: usize, to: usize, before: usize) -> Cost {
        let known = |interval| self.fewest[at(self.colours.len(), self.most, interval)];
        let with = (before + 1).min(self.most - 1);
        let now = if before + 1 >= self.most { known((from + 1, to, 0)) + 1 } else { NEVER };
        let joined = (from + 1..to).filter(|&other| self.colours[other] == self.colours[from]);
        let later = joined.map(|other| known((from + 1, other, 0)) + known((other, to, with)));
        later.min().unwrap_or(NEVER).min(now).min(NEVER)
    }
}
