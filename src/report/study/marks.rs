//! Colours and marks of the lower bounds in plots. Each bound has the same colour and mark in every plot.

use plotters::coord::Shift;
use plotters::prelude::*;

/// The whole picture, in pixels.
pub type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// The result of a drawing step.
pub type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The colours of Okabe and Ito, which people with any kind of colour blindness can tell apart. Yellow is missing: it
/// is faint on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    BLACK,
];

/// The corners of each mark, for a mark of radius 1. The number of marks and the number of colours have no common
/// divisor, so 42 bounds have 42 looks.
const MARKS: [&[(f64, f64)]; 6] = [
    // Nearly a circle.
    &[
        (1.0, 0.0),
        (0.81, 0.59),
        (0.31, 0.95),
        (-0.31, 0.95),
        (-0.81, 0.59),
        (-1.0, 0.0),
        (-0.81, -0.59),
        (-0.31, -0.95),
        (0.31, -0.95),
        (0.81, -0.59),
    ],
    // A square.
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    // A triangle that points up.
    &[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)],
    // A diamond.
    &[(0.0, -1.35), (1.1, 0.0), (0.0, 1.35), (-1.1, 0.0)],
    // A triangle that points down.
    &[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)],
    // A cross.
    &[
        (-0.4, -1.2),
        (0.4, -1.2),
        (0.4, -0.4),
        (1.2, -0.4),
        (1.2, 0.4),
        (0.4, 0.4),
        (0.4, 1.2),
        (-0.4, 1.2),
        (-0.4, 0.4),
        (-1.2, 0.4),
        (-1.2, -0.4),
        (-0.4, -0.4),
    ],
];

/// The look of one lower bound.
#[derive(Clone, Copy)]
pub struct Look {
    pub colour: RGBColor,
    mark: &'static [(f64, f64)],
}

impl Look {
    /// The look of the bound with this number, from 0.
    pub fn of(number: usize) -> Self {
        Self { colour: COLOURS[number % COLOURS.len()], mark: MARKS[number % MARKS.len()] }
    }

    /// Draws the mark at a point: filled with a white edge, or hollow.
    pub fn mark(&self, paper: &Paper<'_>, (x, y): (i32, i32), radius: f64, is_filled: bool) -> Drawn {
        let corner = |&(dx, dy): &(f64, f64)| (x + (dx * radius).round() as i32, y + (dy * radius).round() as i32);
        let mut corners: Vec<_> = self.mark.iter().map(corner).collect();
        if is_filled {
            paper.draw(&Polygon::new(corners.clone(), self.colour.filled()))?;
        }
        corners.extend(corners.first().copied());
        let edge = if is_filled { WHITE.stroke_width(1) } else { self.colour.stroke_width(2) };
        paper.draw(&PathElement::new(corners, edge))
    }

    /// Draws a straight line.
    pub fn line(&self, paper: &Paper<'_>, ends: [(i32, i32); 2], width: u32) -> Drawn {
        paper.draw(&PathElement::new(ends, self.colour.stroke_width(width)))
    }

    /// Draws a whisker: a thin line with a short bar across each end, which `across` leads to from the end.
    pub fn whisker(&self, paper: &Paper<'_>, ends: [(i32, i32); 2], across: (i32, i32)) -> Drawn {
        self.line(paper, ends, 1)?;
        for (x, y) in ends {
            self.line(paper, [(x - across.0, y - across.1), (x + across.0, y + across.1)], 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_bounds_look_alike() {
        let look = |number| {
            let Look { colour: RGBColor(red, green, blue), mark } = Look::of(number);
            ((red, green, blue), mark.len(), mark[0].1.to_bits())
        };
        let looks: std::collections::BTreeSet<_> = (0..42).map(look).collect();
        assert_eq!(looks.len(), 42);
    }

    /// Every colour stands out from white: at least 1.8 to 1 by relative luminance, and a mark besides.
    #[test]
    fn no_colour_is_lost_on_white() {
        for RGBColor(red, green, blue) in COLOURS {
            let part = |value: u8| (f64::from(value) / 255.0).powf(2.2);
            let luminance = 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
            assert!(1.05 / (luminance + 0.05) > 1.8, "{red} {green} {blue}");
        }
    }
}
