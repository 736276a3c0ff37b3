//! The staged estimate of a board: the cost that a beam expects when the score counts.
//!
//! The ceiling of the score grants each colour a single click, so it hardly tells good boards from bad ones. The staged
//! estimate weighs the points that the groups of each colour would bring as they lie, and the points of a single click
//! on all cells of the colour. The latter count most for one colour that is kept back. They count less, the more groups
//! the colour has. Single cells make a clear unlikely; a colour with too few cells for a click excludes it.
//!
//! Beams compare boards with equally many cells. Comparing boards after equally many clicks would not work: the boards
//! that have lost the most cells would look worst, whatever points the cells have brought.

use super::game::Game;
use super::score::ScoreTable;
use super::state::{Column, Groups, Position};
use gridhunt_search::domain::{Cost, StagedEstimate};
use gridhunt_search::multiversion;

/// The weight of the points of the groups as they lie: for most colours, and for the one that is kept back.
const GROUPS_WEIGHT: [f64; 2] = [0.1, 0.57];

/// The weight of the points of a single click on all cells of a colour, if the colour lies in one group.
const ONE_CLICK_WEIGHT: [f64; 2] = [0.008, 0.455];

/// The cost of a single cell. The unit is the points for each cell of the greatest click.
const SINGLE_COST: [f64; 2] = [0.33, 0.1];

/// The cost of a group, in the same unit.
const GROUP_COST: f64 = 0.05;

/// The cost of a colour with too few cells for a click, in clear bonuses.
const DEAD_COLOUR_COST: f64 = 1.0;

/// The odds against a clear: for the share of single cells in a colour, for a single cell, for a group, and for a
/// colour with too few cells for a click.
const ODDS: [f64; 4] = [1.0, 0.04, 0.009, 4.5];

/// The staged estimate of a state. Variation 0 keeps back the colour with the most cells at the root, the next one the
/// colour after it, and so on.
pub(super) fn staged_estimate<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    variation: u32,
) -> Option<StagedEstimate> {
    let score = game.score.as_deref()?;
    let colours = u32::from(game.colours).max(1);
    let kept_back = game.deferred.map(|colour| (u32::from(colour) - 1 + variation % colours) % colours);
    let cells = |state: &Position<T, C, P>| state.counts(game.colours).iter().map(|&n| u32::from(n)).sum::<u32>();
    let largest = game.root.counts(game.colours).iter().copied().max().unwrap_or(0);
    let unit = score.max_points(largest.into()) as f64 / f64::from(largest.max(1));
    let (expected, ceiling) = expected(game, state, score, (kept_back.unwrap_or(colours), unit));
    let cost = (ceiling - expected).clamp(0.0, f64::from(Cost::MAX / 2)) as Cost;
    Some(StagedEstimate { stage: cells(&game.root) - cells(state), cost })
}

multiversion! {
    /// The points expected, and those that no solution exceeds.
    fn expected<const C: usize, const P: usize; T: Column>(
        game: &Game<T, C, P>, state: &Position<T, C, P>, score: &ScoreTable, kept_back_and_unit: (u32, f64),
    ) -> (f64, f64) = expect
}

#[inline(always)]
fn expect<T: Column, const C: usize, const P: usize>(
    game: &Game<T, C, P>,
    state: &Position<T, C, P>,
    score: &ScoreTable,
    (kept_back, unit): (u32, f64),
) -> (f64, f64) {
    let (counts, singles) = (state.counts(game.colours), state.singles(game.colours));
    let (mut group_counts, mut group_points) = (T::NO_COUNTS, [0; 2]);
    let links = state.grid().links();
    let mut groups = Groups::of(&links, game.rules.min_group);
    while let Some((_, group)) = groups.next() {
        let colour = usize::from(state.grid().colour_of(group)) - 1;
        group_counts.as_mut()[colour] += 1;
        group_points[usize::from(colour == kept_back as usize)] += score.points(group.size());
    }
    let (bonus, frees_singles) = (f64::from(score.clear_bonus()), game.rules.min_group > 1);
    let mut points = GROUPS_WEIGHT[0] * group_points[0] as f64 + GROUPS_WEIGHT[1] * group_points[1] as f64;
    let (mut ceiling, mut odds) = (bonus, 0.0);
    for (colour, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let kept = usize::from(colour == kept_back as usize);
        let most = score.max_points(count.into()) as f64;
        let single = if frees_singles { f64::from(singles[colour]) } else { 0.0 };
        let group_count = f64::from(group_counts.as_ref()[colour]) + single;
        let divisor = if kept == 1 { group_count.sqrt().sqrt() } else { group_count.sqrt() };
        points += ONE_CLICK_WEIGHT[kept] * most / divisor.max(1.0);
        points -= unit * (SINGLE_COST[kept] * single + GROUP_COST * group_count);
        odds += ODDS[0] * single / f64::from(count) + ODDS[1] * single + ODDS[2] * group_count;
        if u32::from(count) < game.rules.min_group {
            points -= DEAD_COLOUR_COST * bonus;
            odds += ODDS[3];
        }
        ceiling += most;
    }
    (points + bonus / (1.0 + odds), ceiling)
}
