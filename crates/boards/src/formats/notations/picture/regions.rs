//! Connected pixels, and pictures without what is thin or blurred.

use super::grid::{Area, Picture, Pixel, are_near};

/// The region of a pixel that is in none.
const NONE: u32 = u32::MAX;

/// How far around a pixel all pixels have its colour, if it is flat. What is wider than twice as much has flat pixels.
const REACH: usize = 2;

/// Connected pixels.
pub(super) struct Region {
    /// The smallest area around them.
    pub area: Area,
    pub pixels: usize,
}

/// The regions of an area.
pub(super) struct Regions {
    area: Area,
    /// The number of the region of each pixel of the area, row by row.
    of_pixel: Vec<u32>,
    pub all: Vec<Region>,
}

impl Regions {
    /// The number of the region of a pixel of the area; of no region if it is in none.
    pub fn at(&self, x: usize, y: usize) -> usize {
        self.of_pixel[(y - self.area.ys.start) * self.area.xs.len() + x - self.area.xs.start] as usize
    }
}

/// A picture without lines, noise and blurred edges.
pub(super) struct Flattened {
    pub picture: Picture,
    /// Which pixels had the colours around them before.
    pub are_flat: Vec<bool>,
}

impl Picture {
    /// The regions of those pixels of an area that are members. Neighbours are connected where they are joined.
    pub fn regions(
        &self,
        area: &Area,
        is_member: impl Fn(usize) -> bool,
        are_joined: impl Fn(usize, usize) -> bool,
    ) -> Regions {
        let (width, height) = (area.xs.len(), area.ys.len());
        let pixel = |at: usize| (area.ys.start + at / width) * self.width + area.xs.start + at % width;
        let (mut of_pixel, mut all, mut open) = (vec![NONE; width * height], Vec::new(), Vec::new());
        for first in 0..of_pixel.len() {
            if of_pixel[first] != NONE || !is_member(pixel(first)) {
                continue;
            }
            let number = all.len() as u32;
            of_pixel[first] = number;
            open.push(first);
            let (mut left, mut right, mut bottom, mut pixels) = (width, 0, 0, 0);
            while let Some(at) = open.pop() {
                let (x, y) = (at % width, at / width);
                (left, right, bottom, pixels) = (left.min(x), right.max(x), bottom.max(y), pixels + 1);
                for next in neighbours(at, width, height) {
                    let (one, other) = (pixel(at), pixel(next));
                    if of_pixel[next] == NONE && is_member(other) && are_joined(one, other) {
                        of_pixel[next] = number;
                        open.push(next);
                    }
                }
            }
            let (x, y) = (area.xs.start, area.ys.start);
            let area = Area { ys: y + first / width..y + bottom + 1, xs: x + left..x + right + 1 };
            all.push(Region { area, pixels });
        }
        Regions { area: area.clone(), of_pixel, all }
    }

    /// The picture in the colours of its flat regions: any other pixel has the colour of the nearest flat one, so that
    /// thin lines are gone. `None` if there is no region of this size.
    pub fn flattened(&self, tolerance: u8, least: usize) -> Option<Flattened> {
        let (mut nearest, are_flat, palette) = self.flat_regions(tolerance, least)?;
        let mut edge: Vec<usize> = (0..self.pixels.len()).filter(|&at| nearest[at] != NONE).collect();
        while !edge.is_empty() {
            let mut reached = Vec::new();
            for at in edge {
                for next in neighbours(at, self.width, self.height) {
                    if nearest[next] == NONE {
                        nearest[next] = nearest[at];
                        reached.push(next);
                    }
                }
            }
            edge = reached;
        }
        let pixels = nearest.iter().map(|&colour| palette[colour as usize]).collect();
        Some(Flattened { picture: Self { pixels, ..*self }, are_flat })
    }

    /// The picture in the colours of its flat regions: each pixel has the colour that is most like its own.
    pub fn in_few_colours(&self, tolerance: u8, least: usize) -> Option<Flattened> {
        let (_, are_flat, palette) = self.flat_regions(tolerance, least)?;
        let pixels = self.pixels.iter().map(|&pixel| most_alike(pixel, &palette)).collect::<Option<_>>()?;
        Some(Flattened { picture: Self { pixels, ..*self }, are_flat })
    }

    /// The number of the colour of each flat pixel, which pixels are flat, and the colours: those of regions of at
    /// least this size, the largest first, and none that is like one before.
    fn flat_regions(&self, tolerance: u8, least: usize) -> Option<(Vec<u32>, Vec<bool>, Vec<Pixel>)> {
        let are_flat = self.flat_pixels(tolerance);
        let near = |one: usize, other: usize| are_near(self.pixels[one], self.pixels[other], tolerance);
        let Regions { mut of_pixel, all, .. } = self.regions(&self.whole(), |at| are_flat[at], near);
        let mut sums = vec![[0_u64; 4]; all.len()];
        for (pixel, &region) in self.pixels.iter().zip(&of_pixel).filter(|(_, region)| **region != NONE) {
            sums[region as usize].iter_mut().zip(pixel).for_each(|(sum, &value)| *sum += u64::from(value));
        }
        let mut order: Vec<usize> = (0..all.len()).filter(|&region| all[region].pixels >= least).collect();
        order.sort_by_key(|&region| std::cmp::Reverse(all[region].pixels));
        let (mut palette, mut colours): (Vec<Pixel>, Vec<u32>) = (Vec::new(), vec![NONE; all.len()]);
        for region in order {
            let count = all[region].pixels as u64;
            let mean = sums[region].map(|sum| ((sum + count / 2) / count) as u8);
            let known = palette.iter().position(|&colour| are_near(colour, mean, tolerance / 2));
            colours[region] = known.unwrap_or(palette.len()) as u32;
            if known.is_none() {
                palette.push(mean);
            }
        }
        for region in of_pixel.iter_mut().filter(|region| **region != NONE) {
            *region = colours[*region as usize];
        }
        (!palette.is_empty()).then_some((of_pixel, are_flat, palette))
    }

    /// Which pixels have the colour of all pixels around them.
    fn flat_pixels(&self, tolerance: u8) -> Vec<bool> {
        let around = |at: usize, all: usize| at.saturating_sub(REACH)..(at + REACH + 1).min(all);
        let near = |one: usize, other: usize| are_near(self.pixels[one], self.pixels[other], tolerance);
        let is_flat_in_row = |at: usize| {
            let (x, row) = (at % self.width, at - at % self.width);
            around(x, self.width).all(|x| near(at, row + x))
        };
        let in_rows: Vec<bool> = (0..self.pixels.len()).map(is_flat_in_row).collect();
        let is_flat = |at: usize| {
            let (x, y) = (at % self.width, at / self.width);
            around(y, self.height).all(|y| in_rows[y * self.width + x] && near(at, y * self.width + x))
        };
        (0..self.pixels.len()).map(is_flat).collect()
    }
}

/// The pixels beside a pixel, and above and below it.
fn neighbours(at: usize, width: usize, height: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (at % width, at / width);
    [
        (x > 0).then(|| at - 1),
        (x + 1 < width).then_some(at + 1),
        (y > 0).then(|| at - width),
        (y + 1 < height).then_some(at + width),
    ]
    .into_iter()
    .flatten()
}

/// The colour of a palette that differs least.
fn most_alike(pixel: Pixel, palette: &[Pixel]) -> Option<Pixel> {
    let distance =
        |colour: &Pixel| pixel.iter().zip(colour).map(|(a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>();
    palette.iter().copied().min_by_key(distance)
}
