//! The score as a loss.
//!
//! **The ceiling.** For one colour with `n` cells, let `U(n)` be the most points that these cells can bring: the
//! greatest sum of the points of some clicks, each on at least `min_group` cells, less the penalty for the cells that
//! no click takes, over all ways to share out `n` cells. A table of `U` is filled by trying every last click
//! and every number of cells that are left. Clicks never mix colours, so no solution from a board with `n(c)` cells of
//! colour `c` scores more than the sum of `U(n(c))` plus the bonus for a clear. This *ceiling* is admissible for every
//! rule.
//!
//! **Costs.** A click on `g` of `n` cells of a colour costs `U(n) - U(n-g) - points(g)`, the amount by which the
//! ceiling falls. The cost is never negative, because `U(n)` is a greatest sum. Stopping with `n(c)` cells left costs
//! the sum of `U(n(c)) + penalty(n(c))`, and the bonus unless no cell is left; this is not negative either. The costs
//! of a solution add up to the ceiling less its score. So a least cost is a highest score, whatever the rule.
//!
//! **No overflow.** Let `L(n)` be the fewest points that `n` cells can bring, over the same ways as `U(n)`. The costs
//! of all moves on any path from the board, its end included, add up to at most the *spread*: the sum of
//! `U(n(c)) - L(n(c))` plus the bonus. No cost is negative, so each of them, and each sum along a path, is at most the
//! spread.
//!
//! **Refused rules.** A rule is refused if it has no whole number for some group that may occur, or if its spread or
//! the absolute value of its ceiling exceeds [`MAX_COST`].

use crate::{Rules, ScoreRuleError, Scoring};
use gridhunt_boards::Board;
use gridhunt_search::domain::Cost;

/// The greatest sum of costs along a path. With a lower bound added, it stays far below the range of [`Cost`].
pub(super) const MAX_COST: i64 = 1 << 30;

/// A score rule that cannot be used on a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// The rule has no value for a group that may occur.
    #[error(transparent)]
    Rule(#[from] ScoreRuleError),
    /// The scores of the board are too far apart.
    #[error("found scores up to {found} apart, mostly by {cells} cells of one colour, expected at most {MAX_COST}")]
    SpreadTooLarge {
        /// The greatest difference.
        found: i64,
        /// The number of cells of the colour whose scores differ most.
        cells: usize,
    },
    /// The ceiling of the scores is too far from 0.
    #[error("found a highest possible score of {0}, expected -{MAX_COST} to {MAX_COST}")]
    CeilingOutOfRange(i64),
}

/// Points, penalties and the ceiling of one board, by numbers of cells of one colour.
#[derive(Clone, Debug)]
pub struct ScoreTable {
    points: Vec<i64>,
    penalties: Vec<i64>,
    /// `U`; see the head of the module.
    max_points: Vec<i64>,
    clear_bonus: Cost,
    ceiling: i64,
    /// The cost of stopping before the first click.
    cost_of_no_clicks: Cost,
}

impl ScoreTable {
    /// The table for a board.
    ///
    /// # Errors
    /// When a rule has no value for a number of cells that may occur, the scores are too far apart, or their ceiling is
    /// too far from 0.
    pub fn new(board: &Board, rules: Rules, scoring: &Scoring) -> Result<Self, ScoreError> {
        let mut counts = vec![0_usize; board.colours()];
        board.contents().flatten().for_each(|colour| counts[usize::from(colour)] += 1);
        let largest = counts.iter().copied().max().unwrap_or(0);
        let min_group = (rules.min_group.max(1) as usize).min(largest + 1);
        let mut points = vec![0; largest + 1];
        for (cells, points) in points.iter_mut().enumerate().skip(min_group) {
            *points = scoring.points.value(cells as u32)?;
        }
        let penalty = |cells: usize| scoring.left_penalty.value(cells as u32);
        let penalties: Vec<i64> = (0..=largest).map(penalty).collect::<Result<_, _>>()?;
        let max_points = max_points_table(&points, &penalties, min_group);
        // With all signs changed, the fewest points become the most points.
        let negated = |values: &[i64]| values.iter().map(|value| -value).collect::<Vec<_>>();
        let min_points = negated(&max_points_table(&negated(&points), &negated(&penalties), min_group));
        let bonus = i64::from(scoring.clear_bonus);
        let sum =
            |value: &dyn Fn(usize) -> i64| counts.iter().map(|&count| value(count)).fold(0_i64, i64::saturating_add);
        let spread_of = |count: usize| max_points[count] - min_points[count];
        let spread = sum(&spread_of).saturating_add(bonus);
        if spread > MAX_COST {
            let cells = counts.iter().copied().max_by_key(|&count| spread_of(count)).unwrap_or(0);
            return Err(ScoreError::SpreadTooLarge { found: spread, cells });
        }
        let ceiling = sum(&|count| max_points[count]).saturating_add(bonus);
        if ceiling.saturating_abs() > MAX_COST {
            return Err(ScoreError::CeilingOutOfRange(ceiling));
        }
        let lost_bonus = if counts.iter().all(|&count| count == 0) { 0 } else { bonus };
        let cost_of_no_clicks = (sum(&|count| max_points[count] + penalties[count]) + lost_bonus) as Cost;
        Ok(Self { points, penalties, max_points, clear_bonus: scoring.clear_bonus, ceiling, cost_of_no_clicks })
    }

    /// The score that no solution exceeds.
    #[must_use]
    pub fn ceiling(&self) -> i64 {
        self.ceiling
    }

    /// The cost of stopping before the first click. A cheapest solution costs no more.
    #[must_use]
    pub fn cost_of_no_clicks(&self) -> Cost {
        self.cost_of_no_clicks
    }

    /// The bonus for a clear.
    pub(super) fn clear_bonus(&self) -> Cost {
        self.clear_bonus
    }

    /// The points of a click on `size` cells.
    #[inline(always)]
    pub(super) fn points(&self, size: u32) -> i64 {
        self.points[size as usize]
    }

    /// The most points that `cells` cells of a colour can bring.
    #[inline(always)]
    pub(super) fn max_points(&self, cells: u32) -> i64 {
        self.max_points[cells as usize]
    }

    /// The cost of a click on `size` of `count` cells of a colour, on a path from the board of the table.
    #[inline(always)]
    pub(super) fn click_cost(&self, count: u32, size: u32) -> Cost {
        let (count, size) = (count as usize, size as usize);
        (self.max_points[count] - self.max_points[count - size] - self.points[size]) as Cost
    }

    /// The cost of leaving `left` cells of a colour, without the lost bonus.
    #[inline(always)]
    pub(super) fn leaving_cost(&self, left: u32) -> Cost {
        (self.max_points[left as usize] + self.penalties[left as usize]) as Cost
    }
}

/// The most points of each number of cells of one colour.
fn max_points_table(points: &[i64], penalties: &[i64], min_group: usize) -> Vec<i64> {
    let len = points.len();
    // The most points of clicks that take all cells; `None` if no clicks do.
    let mut clearing: Vec<Option<i64>> = vec![Some(0)];
    for cells in 1..len {
        let clicks = (min_group..=cells).filter_map(|last| Some(clearing[cells - last]? + points[last]));
        let best = clicks.max();
        clearing.push(best);
    }
    let with_left = |cells: usize| (0..=cells).filter_map(|left| Some(clearing[cells - left]? - penalties[left])).max();
    (0..len).map(|cells| with_left(cells).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridhunt_boards::{Cell, usual_symbols};

    fn table(counts: &[usize], min_group: u32, [points, penalty]: [&str; 2]) -> Result<ScoreTable, ScoreError> {
        let cells: Vec<u8> = counts.iter().enumerate().flat_map(|(colour, &count)| vec![colour as u8; count]).collect();
        let board = Board::new("b", 1, cells.len(), cells, usual_symbols(counts.len()), Cell::default()).unwrap();
        let [points, left_penalty] = [points, penalty].map(|rule| rule.parse().unwrap());
        ScoreTable::new(
            &board,
            Rules { min_group, ..Rules::default() },
            &Scoring { points, left_penalty, clear_bonus: 1000 },
        )
    }

    #[test]
    fn what_overflows_is_refused() {
        let too_far = "apart, mostly by 5 cells of one colour, expected at most 1073741824";
        for (rules, expected) in [
            (["n^14", "0"], "score rule n^14 for 5 cells"),
            (["n/2", "0"], "n/2 for 3 cells"),
            (["1,2", "0"], "1,2 for 3"),
            (["400000000n", "0"], too_far),
            (["0", "400000000n"], too_far),
            (["400000000n", "0-400000000n"], "highest possible score of 2800001000, expected -1073741824 to"),
            (["0-200000000n", "200000000n"], "score of -1399999000, expected -1073741824 to 1073741824"),
            // Stopping at once costs little, and some click costs much.
            (["10-500000000(n-2)", "0"], too_far),
        ] {
            let error = table(&[2, 5], 2, rules).unwrap_err().to_string();
            assert!(error.contains(expected), "{rules:?}: {error}");
        }
        let error = table(&[3], 2, ["10-4294967305*(n-2)", "0"]).unwrap_err();
        assert_eq!(error, ScoreError::SpreadTooLarge { found: 4_294_967_305 + 1000, cells: 3 });
    }

    /// Along every path the costs add up to the ceiling less the score, and they fit.
    #[test]
    fn costs_are_what_a_path_loses_against_the_ceiling() {
        fn paths(table: &ScoreTable, left: u32, cost: i64, points: i64, seen: &mut Vec<i64>) {
            let (end, bonus) = (i64::from(table.leaving_cost(left)), if left == 0 { 1000 } else { 0 });
            let lost = i64::from(table.clear_bonus()) - bonus;
            assert_eq!(cost + end + lost, table.ceiling() - (points + bonus - table.penalties[left as usize]));
            seen.push(cost + end + lost);
            for size in 2..=left {
                let next = cost + i64::from(table.click_cost(left, size));
                paths(table, left - size, next, points + table.points(size), seen);
            }
        }
        let rules = ["(n-2)^2", "10-100000000(n-2)", "20-(n-4)^2", "0,7,-100000000,3,100000000,0,0,-9,1"];
        for [points, penalty] in rules.into_iter().flat_map(|rule| [[rule, "0"], [rule, "3n"], [rule, "5-n"]]) {
            let table = table(&[9], 2, [points, penalty]).unwrap();
            let mut seen = Vec::new();
            paths(&table, 9, 0, 0, &mut seen);
            assert!(seen.iter().all(|&cost| (0..=MAX_COST).contains(&cost)), "{points}");
            assert_eq!(seen[0], i64::from(table.cost_of_no_clicks()), "{points}");
        }
    }
}
