//! Growth of layers, and forecasts of the next ones. Every forecast is a range or a lower limit.

use super::super::record::{ProgressRow, RowEvent};
use gridhunt_search::domain::Cost;
use gridhunt_search::runtime::Layer;
use std::collections::BTreeMap;

/// The number of growth factors behind a forecast.
const FACTOR_COUNT: usize = 3;

/// An interval is vague if its ends differ by more than this factor.
const VAGUE_FACTOR: f64 = 100.0;

/// A finished layer, and how many times larger it is than the previous layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LayerGrowth {
    pub(crate) layer: Layer,
    pub(crate) factor: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Interval {
    fn times(self, other: Self) -> Self {
        Self { least: self.least * other.least, most: self.most * other.most }
    }

    pub(crate) fn is_vague(self) -> bool {
        self.most > VAGUE_FACTOR * self.least.max(1.0)
    }

    pub(crate) fn seconds_at_rate(self, rate: f64) -> Self {
        Self { least: self.least / rate, most: self.most / rate }
    }
}

/// The finished layers of a board, in rising f.
pub(crate) fn finished_layers<'r>(rows: impl Iterator<Item = &'r ProgressRow>) -> Vec<LayerGrowth> {
    // If a layer was searched again after a kill, its last search counts.
    let finished = rows.filter(|row| row.event == RowEvent::Layer).filter_map(|row| row.finished);
    let finished: BTreeMap<Cost, Layer> = finished.map(|layer| (layer.f, layer)).collect();
    let factor = |layer: &Layer| {
        let previous = finished.get(&layer.f.checked_sub(1)?)?;
        (previous.expanded > 0).then(|| layer.expanded as f64 / previous.expanded as f64)
    };
    finished.values().map(|layer| LayerGrowth { layer: *layer, factor: factor(layer) }).collect()
}

/// The smallest and the largest of the last growth factors, if there are enough.
fn growth_range(layers: &[LayerGrowth]) -> Option<Interval> {
    let factors: Vec<f64> = layers.iter().rev().map_while(|layer| layer.factor).take(FACTOR_COUNT).collect();
    let extreme = |choose: fn(f64, f64) -> f64| factors.iter().copied().reduce(choose);
    let range = Interval { least: extreme(f64::min)?, most: extreme(f64::max)? };
    (factors.len() == FACTOR_COUNT).then_some(range)
}

/// The number of states that the layer under way and the next layer may have. The layer under way has at least its
/// known states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forecast {
    pub(crate) layer: Cost,
    pub(crate) states: Interval,
    pub(crate) next: Interval,
}

pub(crate) fn forecast(row: &ProgressRow, layers: &[LayerGrowth]) -> Option<Forecast> {
    let (layer, growth) = (row.layer?, growth_range(layers)?);
    let previous = layers.last().filter(|grown| grown.layer.f + 1 == layer)?.layer.expanded as f64;
    let by_growth = Interval { least: previous, most: previous }.times(growth);
    let known_states = row.in_layer.saturating_add(row.open_nodes_in(layer).unwrap_or(0)) as f64;
    let states = Interval { least: by_growth.least.max(known_states), most: by_growth.most.max(known_states) };
    Some(Forecast { layer, states, next: states.times(growth) })
}

#[cfg(test)]
mod tests {
    use super::super::super::record::ProgressUpdate;
    use super::super::model::WatchedRun;
    use super::*;

    fn rows(counts: &[u64]) -> Vec<ProgressRow> {
        let finished = |(f, &expanded): (Cost, &u64)| Layer { f, expanded, generated: 0 };
        let row = |layer| ProgressRow { event: RowEvent::Layer, finished: Some(layer), ..ProgressRow::default() };
        (10..).zip(counts).map(finished).map(row).collect()
    }

    #[test]
    fn a_forecast_is_a_range_of_the_last_three_factors() {
        let layers = finished_layers(rows(&[1, 100, 1_000, 5_000, 40_000]).iter());
        assert_eq!(layers.iter().filter_map(|layer| layer.factor).collect::<Vec<_>>(), [100.0, 10.0, 5.0, 8.0]);
        let row = |in_layer, open| ProgressRow {
            layer: Some(15),
            in_layer,
            open: vec![(15, open)],
            ..ProgressRow::default()
        };
        let range = |least, most| Interval { least, most };
        let (states, next) = (range(200_000.0, 400_000.0), range(1_000_000.0, 4_000_000.0));
        assert_eq!(forecast(&row(10, 20), &layers), Some(Forecast { layer: 15, states, next }));
        let known = forecast(&row(300_000, 1), &layers).expect("a forecast");
        assert_eq!(known.states, range(300_001.0, 400_000.0), "at least what is known");
        assert_eq!(known.states.seconds_at_rate(1_000.0), range(300.001, 400.0));
        assert!(forecast(&row(u64::MAX, 1), &layers).is_some(), "no count is too large");
    }

    #[test]
    fn without_three_factors_there_is_no_forecast() {
        let row = ProgressRow { layer: Some(13), in_layer: 5, ..ProgressRow::default() };
        assert_eq!(forecast(&row, &finished_layers(rows(&[1, 10, 100]).iter())), None);
        // The layer under way does not follow the last one: some were searched before rows were written.
        let row = ProgressRow { layer: Some(19), ..row };
        assert_eq!(forecast(&row, &finished_layers(rows(&[1, 10, 100, 1_000]).iter())), None);
        assert_eq!(finished_layers([].iter()), []);
    }

    #[test]
    fn a_layer_that_was_searched_again_counts_once_and_other_boards_not_at_all() {
        let mut all = rows(&[5, 10]);
        all.extend(rows(&[5, 12]));
        all.insert(0, ProgressRow { identity: "another".to_owned(), ..all[0].clone() });
        let mut run = WatchedRun::new("runs/a".to_owned());
        run.apply(ProgressUpdate::Replaced(all));
        let counts: Vec<_> = finished_layers(run.board_rows()).iter().map(|grown| grown.layer.expanded).collect();
        assert_eq!(counts, [5, 12]);
    }
}
