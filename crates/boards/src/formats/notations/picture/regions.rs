//! Connected regions of pixels, and pictures without thin lines and blurred edges.

use super::grid::{Area, Picture, Pixel, are_near};
use crate::neighbours;

/// The region number of a pixel that is in no region.
const NO_REGION: u32 = u32::MAX;

/// A pixel is flat if all pixels within this distance, in rows and in columns, have its colour.
const FLAT_RADIUS: usize = 2;

/// A set of connected pixels.
pub(super) struct Region {
    /// The bounding box.
    pub area: Area,
    /// The index of the first pixel in the picture.
    pub first_pixel: usize,
    pub pixel_count: usize,
}

/// The regions of an area.
pub(super) struct Regions {
    area: Area,
    /// The number of the region of each pixel of the area, row by row.
    of_pixel: Vec<u32>,
    pub list: Vec<Region>,
}

impl Regions {
    /// The number of the region of a pixel of the area; [`NO_REGION`] as a `usize` if it is in none.
    pub fn at(&self, x: usize, y: usize) -> usize {
        self.of_pixel[(y - self.area.ys.start) * self.area.xs.len() + x - self.area.xs.start] as usize
    }
}

/// A picture without lines, noise and blurred edges.
pub(super) struct FlatPicture {
    pub picture: Picture,
    /// Which pixels are flat in the original picture.
    pub are_flat: Vec<bool>,
}

impl Picture {
    /// The connected regions of the pixels for which `is_member` holds. `are_joined` says which neighbours connect.
    pub fn regions(
        &self,
        area: &Area,
        is_member: impl Fn(usize) -> bool,
        are_joined: impl Fn(usize, usize) -> bool,
    ) -> Regions {
        let (width, height) = (area.xs.len(), area.ys.len());
        let pixel = |at: usize| (area.ys.start + at / width) * self.width + area.xs.start + at % width;
        let (mut of_pixel, mut list, mut stack) = (vec![NO_REGION; width * height], Vec::new(), Vec::new());
        for first in 0..of_pixel.len() {
            if of_pixel[first] != NO_REGION || !is_member(pixel(first)) {
                continue;
            }
            let number = list.len() as u32;
            of_pixel[first] = number;
            stack.push(first);
            let (mut left, mut right, mut bottom, mut pixel_count) = (width, 0, 0, 0);
            while let Some(at) = stack.pop() {
                let (x, y) = (at % width, at / width);
                (left, right, bottom, pixel_count) = (left.min(x), right.max(x), bottom.max(y), pixel_count + 1);
                for next in neighbours(at, height, width) {
                    let (one, other) = (pixel(at), pixel(next));
                    if of_pixel[next] == NO_REGION && is_member(other) && are_joined(one, other) {
                        of_pixel[next] = number;
                        stack.push(next);
                    }
                }
            }
            let (x, y) = (area.xs.start, area.ys.start);
            let area = Area { ys: y + first / width..y + bottom + 1, xs: x + left..x + right + 1 };
            list.push(Region { area, first_pixel: pixel(first), pixel_count });
        }
        Regions { area: area.clone(), of_pixel, list }
    }

    /// The picture in the colours of its flat regions: every other pixel gets the colour of the nearest flat pixel,
    /// which removes thin lines. `None` if no region has `min_pixels`.
    pub fn flattened(&self, tolerance: u8, min_pixels: usize) -> Option<FlatPicture> {
        let (mut nearest, are_flat, _) = self.flat_colours(tolerance, min_pixels);
        let mut frontier: Vec<usize> = (0..nearest.len()).filter(|&at| nearest[at].is_some()).collect();
        while !frontier.is_empty() {
            let mut next_frontier = Vec::new();
            for at in frontier {
                for next in neighbours(at, self.height, self.width) {
                    if nearest[next].is_none() {
                        nearest[next] = nearest[at];
                        next_frontier.push(next);
                    }
                }
            }
            frontier = next_frontier;
        }
        let pixels = nearest.into_iter().collect::<Option<_>>()?;
        Some(FlatPicture { picture: Self { pixels, ..*self }, are_flat })
    }

    /// The picture in the colours of its flat regions: each pixel gets the most similar of these colours.
    pub fn in_few_colours(&self, tolerance: u8, min_pixels: usize) -> Option<FlatPicture> {
        let (_, are_flat, palette) = self.flat_colours(tolerance, min_pixels);
        let nearest = |pixel: &Pixel| {
            let square = |(a, &b): (&u8, &u8)| u32::from(a.abs_diff(b)).pow(2);
            palette.iter().copied().min_by_key(|colour| pixel.iter().zip(colour).map(square).sum::<u32>())
        };
        let pixels = self.pixels.iter().map(nearest).collect::<Option<_>>()?;
        Some(FlatPicture { picture: Self { pixels, ..*self }, are_flat })
    }

    /// Returns the colour of each pixel in a flat region of `min_pixels` or more, which pixels are flat, and a palette:
    /// the mean colours of these regions, the largest first. A mean near an earlier colour is replaced by that colour.
    fn flat_colours(&self, tolerance: u8, min_pixels: usize) -> (Vec<Option<Pixel>>, Vec<bool>, Vec<Pixel>) {
        let are_flat = self.flat_pixels(tolerance);
        let are_joined = |one: usize, other: usize| are_near(self.pixels[one], self.pixels[other], tolerance);
        let Regions { of_pixel, list, .. } = self.regions(&self.whole_area(), |at| are_flat[at], are_joined);
        let mut sums = vec![[0_u64; 4]; list.len()];
        for (pixel, &region) in self.pixels.iter().zip(&of_pixel).filter(|(_, region)| **region != NO_REGION) {
            sums[region as usize].iter_mut().zip(pixel).for_each(|(sum, &value)| *sum += u64::from(value));
        }
        let mut order: Vec<usize> = (0..list.len()).filter(|&region| list[region].pixel_count >= min_pixels).collect();
        order.sort_by_key(|&region| std::cmp::Reverse(list[region].pixel_count));
        let (mut palette, mut colours): (Vec<Pixel>, _) = (Vec::new(), vec![None; list.len()]);
        for region in order {
            let count = list[region].pixel_count as u64;
            let mean = sums[region].map(|sum| ((sum + count / 2) / count) as u8);
            let known = palette.iter().copied().find(|&colour| are_near(colour, mean, tolerance / 2));
            colours[region] = Some(known.unwrap_or(mean));
            palette.extend(known.is_none().then_some(mean));
        }
        (of_pixel.iter().map(|&region| *colours.get(region as usize)?).collect(), are_flat, palette)
    }

    /// Which pixels are flat.
    fn flat_pixels(&self, tolerance: u8) -> Vec<bool> {
        let around = |at: usize, end: usize| at.saturating_sub(FLAT_RADIUS)..(at + FLAT_RADIUS + 1).min(end);
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
