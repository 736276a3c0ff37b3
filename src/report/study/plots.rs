//! Plots of a comparison of bounds, in SVG.

use super::marks::{Look, Paper};
use super::{by_bound, is_done, is_proven};
use crate::hunt::Study;
use gridhunt_search::engine::Trial;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

const WIDTH: u32 = 960;
const HEIGHT: u32 = 600;
const FONT: &str = "sans-serif";
/// The size of the text, and the width of a character of this size, as an estimate.
const TEXT: u32 = 15;
const CHARACTER: u32 = 8;
/// The radius of a mark, and by how much a mark grows for each mark that lies upon it.
const RADIUS: f64 = 5.0;
const GROWTH: f64 = 2.0;
/// The width of a line, and by how much a line grows for each line that lies upon it.
const LINE: u32 = 2;
const LINE_GROWTH: u32 = 2;

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

/// The mean of a figure over boards, and the range of their middle half.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    mean: f64,
    low: f64,
    high: f64,
}

impl Spread {
    /// The spread of these values; `None` if there are none.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        // The quartiles lie between the two values next to them.
        let quantile = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some(Self { mean, low: quantile(0.25), high: quantile(0.75) })
    }
}

/// A picture whose text is written into `text`.
fn paper(text: &mut String) -> Result<Paper<'_>, PlotError> {
    let paper = SVGBackend::with_string(text, (WIDTH, HEIGHT)).into_drawing_area();
    paper.fill(&WHITE).map_err(draw)?;
    Ok(paper)
}

/// The line of one bound in the plot of gaps: by depth, rising.
struct GapLine<'a> {
    name: &'a str,
    look: Look,
    points: Vec<(usize, Spread)>,
}

impl GapLine<'_> {
    /// The lines of all bounds that have points.
    fn all(studies: &[Study]) -> Vec<GapLine<'_>> {
        let line = |(number, (name, trials)): (usize, (_, Vec<(&Study, &Trial)>))| {
            let mut gaps: Vec<Vec<f64>> = Vec::new();
            let proven = trials.iter().filter(|(study, _)| is_proven(study));
            for step in proven.flat_map(|(_, trial)| &trial.path) {
                let paid = step.paid as usize;
                gaps.resize_with(gaps.len().max(paid + 1), Vec::new);
                gaps[paid].push(f64::from(step.gap()));
            }
            let spreads = gaps.into_iter().enumerate();
            let points = spreads.filter_map(|(paid, gaps)| Some((paid, Spread::of(gaps)?))).collect();
            GapLine { name, look: Look::of(number), points }
        };
        by_bound(studies).into_iter().enumerate().map(line).filter(|line| !line.points.is_empty()).collect()
    }

    fn mean_at(&self, paid: usize) -> Option<f64> {
        self.points.iter().find(|point| point.0 == paid).map(|point| point.1.mean)
    }
}

/// The number of later lines that pass through this point. A line that lies under others is drawn wider, so that each
/// line of a bundle can be seen. `near` is the distance at which two points look like one.
fn covering(later: &[GapLine<'_>], paid: usize, mean: f64, near: f64) -> usize {
    later.iter().filter(|line| line.mean_at(paid).is_some_and(|other| (other - mean).abs() <= near)).count()
}

/// Plots the mean gap of each bound at the states on optimal solutions, against the cost of the path so far (g), with
/// the quartiles of the boards. All boards count whose optimum is proven.
///
/// # Errors
/// When the optimum of no board is proven.
pub fn gap_by_depth(studies: &[Study]) -> Result<String, PlotError> {
    let lines = GapLine::all(studies);
    let points = || lines.iter().flat_map(|line| &line.points);
    let Some(deepest) = points().map(|point| point.0).max() else {
        return Err(PlotError::Empty { what: "board with a proven optimum" });
    };
    let widest = points().map(|point| point.1.high.max(point.1.mean)).fold(1.0, f64::max) * 1.05;
    let mut text = String::new();
    {
        let paper = paper(&mut text)?;
        let longest = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0) as u32;
        let legend = (CHARACTER * longest + 64).min(WIDTH / 2);
        let (left, _) = paper.split_horizontally(WIDTH - legend);
        let mut chart = ChartBuilder::on(&left)
            .caption("Gap to the optimum along optimal solutions", (FONT, 22))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size(56)
            // Marks at a gap of 0 keep clear of the numbers below the axis.
            .build_cartesian_2d(-0.4..deepest.max(1) as f64 + 0.4, -0.05 * widest..widest)
            .map_err(draw)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc("cost so far (g)")
            .y_desc("optimum left - lower bound: mean, and quartiles of the boards")
            .x_label_formatter(&|x| format!("{x:.0}"))
            // The sum is no negative zero.
            .y_label_formatter(&|y| format!("{:.1}", y + 0.0))
            .label_style((FONT, TEXT))
            .draw()
            .map_err(draw)?;
        let place = |x: f64, y: f64| chart.plotting_area().map_coordinate(&(x, y));
        draw_gaps(&paper, &lines, widest, place)?;
        draw_legend(&paper, &lines, (WIDTH - legend + 16) as i32)?;
        paper.present().map_err(draw)?;
    }
    Ok(text)
}

/// Draws whiskers, then lines, then marks: no line hides a mark, and a mark on a mark is smaller than the one below.
fn draw_gaps(
    paper: &Paper<'_>,
    lines: &[GapLine<'_>],
    widest: f64,
    place: impl Fn(f64, f64) -> (i32, i32),
) -> Result<(), PlotError> {
    let near = widest / 100.0;
    for (number, line) in lines.iter().enumerate() {
        // Whiskers of one depth stand side by side.
        let aside = ((number as f64 + 0.5) / lines.len() as f64 - 0.5) * 0.6;
        for &(paid, spread) in line.points.iter().filter(|point| point.1.high > point.1.low) {
            let ends = [spread.low, spread.high].map(|gap| place(paid as f64 + aside, gap));
            line.look.whisker(paper, ends, (2, 0)).map_err(draw)?;
        }
    }
    let cover =
        |number: usize, (paid, spread): (usize, Spread)| covering(&lines[number + 1..], paid, spread.mean, near);
    for (number, line) in lines.iter().enumerate() {
        for pair in line.points.windows(2) {
            let ends = [pair[0], pair[1]].map(|(paid, spread)| place(paid as f64, spread.mean));
            let covered = cover(number, pair[0]).min(cover(number, pair[1]));
            line.look.line(paper, ends, LINE + LINE_GROWTH * covered as u32).map_err(draw)?;
        }
    }
    for (number, line) in lines.iter().enumerate() {
        for &(paid, spread) in &line.points {
            let radius = RADIUS + GROWTH * cover(number, (paid, spread)) as f64;
            line.look.mark(paper, place(paid as f64, spread.mean), radius, true).map_err(draw)?;
        }
    }
    Ok(())
}

/// Draws the names of the bounds beside the plot, from `x` to the right.
fn draw_legend(paper: &Paper<'_>, lines: &[GapLine<'_>], x: i32) -> Result<(), PlotError> {
    let style = (FONT, TEXT).into_text_style(paper).pos(Pos::new(HPos::Left, VPos::Center));
    for (number, line) in lines.iter().enumerate() {
        let y = 64 + 24 * number as i32;
        line.look.line(paper, [(x, y), (x + 30, y)], LINE).map_err(draw)?;
        line.look.mark(paper, (x + 15, y), RADIUS, true).map_err(draw)?;
        paper.draw_text(line.name, &style, (x + 38, y)).map_err(draw)?;
    }
    Ok(())
}

/// Plots the states expanded for the proof, by bound, on a logarithmic scale. Each board has a mark, which is hollow if
/// the proof did not finish. A bar shows the geometric mean, and a whisker the quartiles of the boards.
///
/// # Errors
/// When there is no trial.
pub fn expansions_by_bound(studies: &[Study]) -> Result<String, PlotError> {
    let bounds = by_bound(studies);
    let most = bounds.iter().flat_map(|(_, trials)| trials).map(|(_, trial)| work(trial)).fold(0.0, f64::max);
    if most == 0.0 {
        return Err(PlotError::Empty { what: "bound that was tried" });
    }
    let longest = bounds.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0) as u32;
    let mut text = String::new();
    {
        let paper = paper(&mut text)?;
        let mut chart = ChartBuilder::on(&paper)
            .caption("States expanded to the proof", (FONT, 22))
            .margin(16)
            .x_label_area_size(44)
            .y_label_area_size((CHARACTER * longest + 24).min(WIDTH / 2))
            .build_cartesian_2d((1.0..most * 1.5).log_scale(), -0.5..bounds.len() as f64 - 0.5)
            .map_err(draw)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(WHITE)
            .y_labels(0)
            .x_label_formatter(&|x| crate::report::count(x.round() as u64))
            .x_desc("expanded: a mark for each board (hollow: not proven), geometric mean, quartiles of the boards")
            .label_style((FONT, TEXT))
            .draw()
            .map_err(draw)?;
        let style = (FONT, TEXT).into_text_style(&paper).pos(Pos::new(HPos::Right, VPos::Center));
        for (number, (name, trials)) in bounds.iter().enumerate() {
            // The first bound is the topmost one.
            let row = (bounds.len() - 1 - number) as f64;
            let place = |x: f64, y: f64| chart.plotting_area().map_coordinate(&(x, row + y));
            let (x, y) = place(1.0, 0.0);
            paper.draw_text(name, &style, (x - 12, y)).map_err(draw)?;
            draw_expansions(&paper, Look::of(number), trials, place)?;
        }
        paper.present().map_err(draw)?;
    }
    Ok(text)
}

/// The states expanded in a trial, at least 1.
fn work(trial: &Trial) -> f64 {
    trial.outcome.statistics.expanded.max(1) as f64
}

/// Draws the row of one bound: a mark for each board, mean and spread below them. `place` maps expansions, and a height
/// above the middle of the row, to pixels.
fn draw_expansions(
    paper: &Paper<'_>,
    look: Look,
    trials: &[(&Study, &Trial)],
    place: impl Fn(f64, f64) -> (i32, i32),
) -> Result<(), PlotError> {
    for (at, (_, trial)) in trials.iter().enumerate() {
        // Boards stand at different heights, so that marks of equal numbers lie apart.
        let height = 0.38 - (at as f64 + 0.5) / trials.len() as f64 * 0.5;
        look.mark(paper, place(work(trial), height), RADIUS - 1.0, is_done(trial)).map_err(draw)?;
    }
    let Some(spread) = Spread::of(trials.iter().map(|(_, trial)| work(trial).ln()).collect()) else { return Ok(()) };
    look.whisker(paper, [spread.low, spread.high].map(|value| place(value.exp(), -0.28)), (0, 4)).map_err(draw)?;
    let (x, y) = place(spread.mean.exp(), -0.28);
    paper.draw(&PathElement::new([(x, y - 7), (x, y + 7)], BLACK.stroke_width(3))).map_err(draw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, number: usize, means: [f64; 3]) -> GapLine<'_> {
        let spread = |mean: f64| Spread { mean, low: mean, high: mean };
        let points = means.into_iter().map(spread).enumerate().collect();
        GapLine { name, look: Look::of(number), points }
    }

    #[test]
    fn a_line_below_others_is_wider() {
        let lines = [line("a", 0, [2.0, 1.0, 0.0]), line("b", 1, [2.0, 1.0, 0.0]), line("c", 2, [2.0, 0.5, 0.0])];
        let covered = |number: usize, paid: usize, mean| covering(&lines[number + 1..], paid, mean, 0.02);
        assert_eq!([covered(0, 0, 2.0), covered(0, 1, 1.0), covered(1, 1, 1.0), covered(2, 0, 2.0)], [2, 1, 0, 0]);
        let mut text = String::new();
        draw_gaps(&paper(&mut text).unwrap(), &lines, 2.0, |x, y| (x as i32 * 90, 90 - y as i32 * 40)).unwrap();
        // Line `a` shares its first segment with `b` alone: both ends have to coincide.
        for (colour, width) in [("#0072B2", 4), ("#D55E00", 2), ("#009E73", 2)] {
            let stroke = format!("stroke=\"{colour}\" stroke-width=\"{width}\"");
            assert!(text.contains(&stroke), "{stroke}: {text}");
        }
    }

    #[test]
    fn a_spread_is_the_middle_half() {
        let spread = |values: &[f64]| Spread::of(values.to_vec());
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[3.0]), Some(Spread { mean: 3.0, low: 3.0, high: 3.0 }));
        assert_eq!(spread(&[4.0, 0.0, 1.0, 2.0, 3.0]), Some(Spread { mean: 2.0, low: 1.0, high: 3.0 }));
        assert_eq!(spread(&[2.0, 1.0]), Some(Spread { mean: 1.5, low: 1.25, high: 1.75 }));
    }
}
