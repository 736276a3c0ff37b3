//! Plots of a comparison of bounds, in SVG.

use super::{by_bound, is_done, is_proven};
use crate::driver::Study;
use crate::engine::Trial;
use plotters::prelude::*;
use std::error::Error;

const SIZE: (u32, u32) = (960, 600);
const FONT: &str = "sans-serif";

/// The reason why no plot was drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// There is nothing to draw.
    #[error("found no {what}, expected at least one to draw")]
    Empty {
        /// The missing thing.
        what: &'static str,
    },
    /// The plot could not be laid out.
    #[error("cannot draw the plot: {0}")]
    Draw(String),
}

fn draw<E: Error + Send + Sync>(error: DrawingAreaErrorKind<E>) -> PlotError {
    PlotError::Draw(error.to_string())
}

/// Plots the mean gap of each bound at the states on optimal solutions, against the cost of the path so far (g). The
/// mean is over all boards whose optimum is proven.
///
/// # Errors
/// When the optimum of no board is proven.
pub fn gap_by_depth(studies: &[Study]) -> Result<String, PlotError> {
    let mut lines = Vec::new();
    for (name, trials) in by_bound(studies) {
        let mut sums: Vec<(f64, u32)> = Vec::new();
        let proven = trials.iter().filter(|(study, _)| is_proven(study));
        for step in proven.flat_map(|(_, trial)| &trial.path) {
            let paid = step.paid as usize;
            sums.resize(sums.len().max(paid + 1), (0.0, 0));
            sums[paid].0 += f64::from(step.gap());
            sums[paid].1 += 1;
        }
        let means = sums.iter().enumerate().filter(|(_, (_, count))| *count > 0);
        lines
            .push((name, means.map(|(paid, (sum, count))| (paid as f64, sum / f64::from(*count))).collect::<Vec<_>>()));
    }
    let points = || lines.iter().flat_map(|(_, line)| line);
    let deepest = points().map(|point| point.0).fold(0.0, f64::max);
    let widest = points().map(|point| point.1).fold(0.0, f64::max);
    if points().next().is_none() {
        return Err(PlotError::Empty { what: "board with a proven optimum" });
    }
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(draw)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("Gap to the optimum on the way of optimal solutions", (FONT, 22))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(56)
            .build_cartesian_2d(0.0..deepest.max(1.0), 0.0..widest.max(1.0) * 1.05)
            .map_err(draw)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("paid so far")
            .y_desc("optimum left - lower bound, mean")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .label_style((FONT, 15))
            .draw()
            .map_err(draw)?;
        for (number, (name, line)) in lines.iter().enumerate() {
            let colour = Palette99::pick(number);
            chart
                .draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)).point_size(2))
                .map_err(draw)?
                .label(*name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE)
            .border_style(BLACK)
            .label_font((FONT, 15))
            .draw()
            .map_err(draw)?;
        area.present().map_err(draw)?;
    }
    Ok(text)
}

/// Plots the states expanded for the proof, by bound, on a logarithmic scale. Each board is a dot; a bar marks the
/// geometric mean. A hollow dot is a proof that did not finish.
///
/// # Errors
/// When there is no trial.
pub fn expansions_by_bound(studies: &[Study]) -> Result<String, PlotError> {
    let bounds = by_bound(studies);
    let work = |trial: &Trial| trial.outcome.statistics.expanded.max(1) as f64;
    let most = bounds.iter().flat_map(|(_, trials)| trials).map(|(_, trial)| work(trial)).fold(0.0, f64::max);
    if most == 0.0 {
        return Err(PlotError::Empty { what: "bound that was tried" });
    }
    let names: Vec<&str> = bounds.iter().map(|(name, _)| *name).collect();
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(draw)?;
        let mut chart = ChartBuilder::on(&area)
            .caption("States expanded to the proof", (FONT, 22))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(84)
            .build_cartesian_2d(-0.5..names.len() as f64 - 0.5, (1.0..most * 1.5).log_scale())
            .map_err(draw)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_labels(names.len() * 2 + 1)
            .x_label_formatter(&|&x| {
                let at = x.round();
                let name = names.get(at as usize).filter(|_| at >= 0.0 && (x - at).abs() < 1e-6);
                name.map_or_else(String::new, |name| (*name).to_owned())
            })
            .y_label_formatter(&|y| crate::report::count(y.round() as u64))
            .y_desc("expanded")
            .label_style((FONT, 15))
            .draw()
            .map_err(draw)?;
        for (number, (_, trials)) in bounds.iter().enumerate() {
            let (x, colour) = (number as f64, Palette99::pick(number));
            let spread = |at: usize| x + (at as f64 + 0.5) / trials.len() as f64 * 0.6 - 0.3;
            let dots = trials.iter().enumerate().map(|(at, (_, trial))| {
                let style = if is_done(trial) { colour.filled() } else { colour.stroke_width(1) };
                Circle::new((spread(at), work(trial)), 3, style)
            });
            chart.draw_series(dots).map_err(draw)?;
            let logarithms: f64 = trials.iter().map(|(_, trial)| work(trial).ln()).sum();
            let middle = (logarithms / trials.len() as f64).exp();
            chart
                .draw_series([PathElement::new([(x - 0.35, middle), (x + 0.35, middle)], BLACK.stroke_width(2))])
                .map_err(draw)?;
        }
        area.present().map_err(draw)?;
    }
    Ok(text)
}
