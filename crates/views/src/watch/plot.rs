//! Lower bound and best solution over the time of the search, on a logarithmic axis.

use super::super::progress_line::short_duration;
use super::super::record::ProgressRow;
use super::styles::Styles;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

/// A step function: each value holds from its time to the next time.
pub(crate) type Curve = Vec<(f64, f64)>;

/// Adds a value, if it differs from the last value.
fn push_change(curve: &mut Curve, at: f64, value: f64) {
    if curve.last().is_none_or(|&(_, last)| last != value) {
        curve.push((at, value));
    }
}

/// The proven values of the objective and the values of the best solutions, over seconds since the first row.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Curves {
    pub(crate) proven: Curve,
    pub(crate) best: Curve,
    pub(crate) end: f64,
}

impl Curves {
    pub(crate) fn of<'r>(rows: impl Iterator<Item = &'r ProgressRow>) -> Self {
        let mut curves = Self::default();
        let mut began_at = None;
        for row in rows {
            let objective = row.objective();
            let value = |cost| objective.value(cost) as f64;
            let at = row.elapsed - *began_at.get_or_insert(row.elapsed);
            curves.end = curves.end.max(at);
            // A lower bound of 0 needs no search.
            if row.lower_bound > 0 || objective.is_goal_only() {
                push_change(&mut curves.proven, at, value(row.lower_bound));
            }
            row.incumbent.into_iter().for_each(|cost| push_change(&mut curves.best, at, value(cost)));
        }
        curves
    }

    /// The start of the axis: half the time of the first change, and at least the first second. The values before it
    /// are shown at the start.
    fn axis_start(&self) -> f64 {
        let curves = || [&self.proven, &self.best].into_iter();
        let first = curves().filter_map(|curve| curve.first()).map(|&(at, _)| at).fold(f64::INFINITY, f64::min);
        let changes = curves().filter_map(|curve| curve.get(1)).map(|&(at, _)| at / 2.0);
        // The start of the second curve is a change too.
        let starts = curves().filter_map(|curve| curve.first()).map(|&(at, _)| at / 2.0).filter(|at| *at > first);
        let change = changes.chain(starts).reduce(f64::min).unwrap_or(0.0);
        change.max(first).min(self.end / 2.0).max(1.0)
    }

    fn value_range(&self) -> Option<(f64, f64)> {
        let values = || self.proven.iter().chain(&self.best).map(|&(_, value)| value);
        let extreme = |choose: fn(f64, f64) -> f64| values().reduce(choose);
        Some((extreme(f64::min)?, extreme(f64::max)?))
    }
}

/// The position on the logarithmic axis: the first second is 0.
fn axis_position(time: f64) -> f64 {
    time.max(1.0).log10()
}

/// A point of the curve for each column.
fn column_points(curve: &Curve, (begin, end): (f64, f64), columns: u16) -> Curve {
    let Some(&(first, _)) = curve.first() else { return Vec::new() };
    let (from, to) = (axis_position(first.max(begin)), axis_position(end));
    let columns = u32::from(columns.max(2));
    let point = |at: f64| curve.iter().take_while(|(time, _)| axis_position(*time) <= at + 1e-9).last();
    let positions = (0..=columns).map(|column| from + (to - from) * f64::from(column) / f64::from(columns));
    positions.filter_map(|at| Some((at, point(at)?.1))).collect()
}

/// Draws the chart. The values of the last row hold until `elapsed`.
pub(super) fn draw_chart<'r>(
    rows: impl Iterator<Item = &'r ProgressRow>,
    elapsed: f64,
    styles: Styles,
    area: Rect,
    buf: &mut Buffer,
) {
    let rows: Vec<&ProgressRow> = rows.collect();
    let mut curves = Curves::of(rows.iter().copied());
    curves.end = rows.first().map_or(0.0, |first| elapsed - first.elapsed).max(curves.end);
    let Some((low, high)) = curves.value_range() else {
        let message = match rows.iter().any(|row| row.number.is_some()) {
            true => "no lower bound and no solution yet",
            false => "boards searched side by side have curves after ten seconds",
        };
        return Line::from(message).render(area, buf);
    };
    let (low, high) = (low - 0.5, (high + 0.5).max(low + 1.5));
    let begin = curves.axis_start();
    let end = curves.end.max(10.0 * begin);
    let columns = area.width;
    let span = (begin, curves.end.max(begin));
    let [proven, best] = [&curves.proven, &curves.best].map(|curve| column_points(curve, span, columns));
    let dataset = |marker, style| Dataset::default().marker(marker).graph_type(GraphType::Scatter).style(style);
    let sets =
        vec![dataset(Marker::Block, styles.proven()).data(&proven), dataset(Marker::Dot, styles.best()).data(&best)];
    let middle = (begin * end).sqrt();
    let times = [begin, middle, end].map(short_duration);
    let middle_cost = ((low + high) / 2.0).floor();
    let costs = [low.ceil(), middle_cost, high.floor()].map(|value| Line::from(format!("{value}")));
    // A low chart has no row for the middle label.
    let costs = if area.height < 7 { vec![costs[0].clone(), costs[2].clone()] } else { costs.into() };
    let axis = |bounds| Axis::default().bounds(bounds).style(styles.dim());
    let x = axis([axis_position(begin), axis_position(end)]).labels(times.map(Line::from));
    let y = axis([low, high]).labels(costs);
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
        assert_eq!(curves.value_range(), Some((5.0, 9.0)));
        let drawn = column_points(&curves.proven, (1.0, 1_000.0), 3);
        assert_eq!(drawn.iter().map(|&(_, value)| value).collect::<Vec<_>>(), [5.0, 5.0, 5.0, 7.0]);
    }

    #[test]
    fn the_axis_begins_with_the_first_second_that_matters() {
        let begin = |rows: &[ProgressRow]| Curves::of(rows.iter()).axis_start();
        assert_eq!(begin(&[row(0.0, 5, None), row(1.0, 5, Some(9)), row(900.0, 6, Some(9))]), 1.0);
        assert_eq!(begin(&[row(0.0, 5, Some(9)), row(600.0, 6, Some(9)), row(900.0, 7, Some(9))]), 300.0);
        assert_eq!(begin(&[row(0.0, 5, Some(9)), row(900.0, 5, Some(9))]), 1.0, "nothing changes");
        assert_eq!(begin(&[]), 1.0);
    }

    #[test]
    fn scores_are_drawn_as_scores() {
        let score = ProgressRow { objective: "score".to_owned(), ceiling: Some(100), ..row(1.0, 5, Some(30)) };
        assert_eq!(Curves::of([score].iter()).value_range(), Some((70.0, 95.0)));
        assert_eq!(Curves::default().value_range(), None);
    }
}
