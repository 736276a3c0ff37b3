//! Lower bound and best solution over the time of the search, on a logarithmic axis.

use super::super::line::rough;
use super::super::record::ProgressRow;
use super::styles::Styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

/// A value over time: it holds from each of these moments to the next, which has another value.
pub(crate) type Steps = Vec<(f64, f64)>;

/// Adds the value of a moment, if it is new.
fn add(steps: &mut Steps, at: f64, value: f64) {
    if steps.last().is_none_or(|&(_, last)| last != value) {
        steps.push((at, value));
    }
}

/// The two curves, in values of the objective, over seconds since the first row.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Curves {
    pub(crate) proven: Steps,
    pub(crate) best: Steps,
    /// The time of the last row.
    pub(crate) end: f64,
}

impl Curves {
    pub(crate) fn of<'r>(rows: impl Iterator<Item = &'r ProgressRow>) -> Self {
        let mut curves = Self::default();
        let mut begun = None;
        for row in rows {
            let objective = row.objective();
            let value = |cost| objective.value(cost) as f64;
            let at = row.elapsed - *begun.get_or_insert(row.elapsed);
            curves.end = curves.end.max(at);
            // A lower bound of 0 is what is known before the search.
            if row.lower_bound > 0 || objective.is_goal_only() {
                add(&mut curves.proven, at, value(row.lower_bound));
            }
            row.incumbent.into_iter().for_each(|cost| add(&mut curves.best, at, value(cost)));
        }
        curves
    }

    /// The moment from which on the curves tell something: half the time until a value changes, and no less than the
    /// first second. What holds until then holds at this moment.
    fn begin(&self) -> f64 {
        let curves = || [&self.proven, &self.best].into_iter();
        let first = curves().filter_map(|steps| steps.first()).map(|&(at, _)| at).fold(f64::INFINITY, f64::min);
        let changes = curves().filter_map(|steps| steps.get(1)).map(|&(at, _)| at / 2.0);
        // A curve that begins later is a change, too.
        let begins = curves().filter_map(|steps| steps.first()).map(|&(at, _)| at / 2.0).filter(|at| *at > first);
        let change = changes.chain(begins).reduce(f64::min).unwrap_or(0.0);
        change.max(first).min(self.end / 2.0).max(1.0)
    }

    /// The lowest and the highest value.
    fn range(&self) -> Option<(f64, f64)> {
        let values = || self.proven.iter().chain(&self.best).map(|&(_, value)| value);
        let of = |choose: fn(f64, f64) -> f64| values().reduce(choose);
        Some((of(f64::min)?, of(f64::max)?))
    }
}

/// The place of a time on the axis: the first second is 0.
fn place(time: f64) -> f64 {
    time.max(1.0).log10()
}

/// Points of a curve for a drawing of so many columns.
fn points(steps: &Steps, (begin, end): (f64, f64), columns: u16) -> Steps {
    let Some(&(first, _)) = steps.first() else { return Vec::new() };
    let (from, to) = (place(first.max(begin)), place(end));
    let columns = u32::from(columns.max(2));
    let value = |at: f64| steps.iter().take_while(|(time, _)| place(*time) <= at + 1e-9).last();
    let at = (0..=columns).map(|column| from + (to - from) * f64::from(column) / f64::from(columns));
    at.filter_map(|at| Some((at, value(at)?.1))).collect()
}

/// Draws the chart. What the last row says holds until `elapsed`.
pub(super) fn draw<'r>(
    rows: impl Iterator<Item = &'r ProgressRow>,
    elapsed: f64,
    styles: Styles,
    area: Rect,
    buf: &mut Buffer,
) {
    let rows: Vec<&ProgressRow> = rows.collect();
    let mut curves = Curves::of(rows.iter().copied());
    curves.end = rows.first().map_or(0.0, |first| elapsed - first.elapsed).max(curves.end);
    let Some((low, high)) = curves.range() else {
        let is_board = rows.iter().any(|row| row.number.is_some());
        let nothing = if is_board {
            "no lower bound and no solution yet"
        } else {
            "boards beside others have curves after ten seconds"
        };
        return Line::from(nothing).render(area, buf);
    };
    let (low, high) = (low - 0.5, (high + 0.5).max(low + 1.5));
    let begin = curves.begin();
    let end = curves.end.max(10.0 * begin);
    let columns = area.width;
    let span = (begin, curves.end.max(begin));
    let [proven, best] = [&curves.proven, &curves.best].map(|steps| points(steps, span, columns));
    let dataset = |marker, style| Dataset::default().marker(marker).graph_type(GraphType::Scatter).style(style);
    let sets =
        vec![dataset(Marker::Block, styles.proven()).data(&proven), dataset(Marker::Dot, styles.best()).data(&best)];
    let middle = (begin * end).sqrt();
    let times = [begin, middle, end].map(rough);
    let middle_cost = ((low + high) / 2.0).floor();
    let costs = [low.ceil(), middle_cost, high.floor()].map(|value| Line::from(format!("{value}")));
    // The label in the middle stands in its row only if there are enough of them.
    let costs = if area.height < 7 { vec![costs[0].clone(), costs[2].clone()] } else { costs.into() };
    let x = Axis::default().bounds([place(begin), place(end)]).labels(times.map(Line::from)).style(styles.dim());
    let y = Axis::default().bounds([low, high]).labels(costs).style(styles.dim());
    Chart::new(sets).x_axis(x).y_axis(y).legend_position(None).render(area, buf);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(elapsed: f64, lower_bound: u32, incumbent: Option<u32>) -> ProgressRow {
        ProgressRow { elapsed, lower_bound, incumbent, ..ProgressRow::default() }
    }

    #[test]
    fn curves_begin_with_the_first_row_of_the_board() {
        let rows = [row(100.0, 0, None), row(100.0, 5, None), row(101.0, 5, Some(9)), row(1_100.0, 7, Some(8))];
        let curves = Curves::of(rows.iter());
        let expected =
            Curves { proven: vec![(0.0, 5.0), (1_000.0, 7.0)], best: vec![(1.0, 9.0), (1_000.0, 8.0)], end: 1_000.0 };
        assert_eq!(curves, expected);
        assert_eq!(curves.range(), Some((5.0, 9.0)));
        let drawn = points(&curves.proven, (1.0, 1_000.0), 3);
        assert_eq!(drawn.iter().map(|&(_, value)| value).collect::<Vec<_>>(), [5.0, 5.0, 5.0, 7.0]);
    }

    #[test]
    fn the_axis_begins_with_the_first_second_that_matters() {
        let begin = |rows: &[ProgressRow]| Curves::of(rows.iter()).begin();
        assert_eq!(begin(&[row(0.0, 5, None), row(1.0, 5, Some(9)), row(900.0, 6, Some(9))]), 1.0);
        assert_eq!(begin(&[row(0.0, 5, Some(9)), row(600.0, 6, Some(9)), row(900.0, 7, Some(9))]), 300.0);
        assert_eq!(begin(&[row(0.0, 5, Some(9)), row(900.0, 5, Some(9))]), 1.0, "nothing changes");
        assert_eq!(begin(&[]), 1.0);
    }

    #[test]
    fn scores_are_drawn_as_scores() {
        let score = ProgressRow { objective: "score".to_owned(), ceiling: Some(100), ..row(1.0, 5, Some(30)) };
        assert_eq!(Curves::of([score].iter()).range(), Some((70.0, 95.0)));
        assert_eq!(Curves::default().range(), None);
    }
}
