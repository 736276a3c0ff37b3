//! An animated GIF. A frame holds the smallest rectangle with everything that changes.

use super::Film;
use super::layout::{BAR_HEIGHT, BLACK, EMPTY, INK, Layout, PANEL, TRACK, WHITE, frame_durations};
use super::shapes::{Edge, bunny_triangle, marked_border};
use embedded_graphics::mono_font::iso_8859_1::{FONT_5X8, FONT_7X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Gray8;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Circle, PrimitiveStyleBuilder, Rectangle, Triangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use gridhunt_boards::{Frame, is_light};
use std::borrow::Cow;
use std::convert::Infallible;

/// The colours that every picture has, by their numbers. The colours of cells follow.
const INKS: [u32; 6] = [PANEL, EMPTY, TRACK, INK, BLACK, WHITE];

/// The most colours of a GIF.
const MOST_COLOURS: usize = 256;

/// Why a film cannot be drawn as a GIF.
#[derive(Debug, thiserror::Error)]
pub enum GifError {
    /// The board has too many colours.
    #[error("{board}: found {colours} colours, expected at most {} in a GIF; --svg has no such limit", MOST_COLOURS - INKS.len())]
    Colours {
        /// The name of the board.
        board: String,
        /// The number of its colours.
        colours: usize,
    },
    /// The picture is too large.
    #[error("{board}: found a picture of {width} x {height} pixels, expected at most {} each way", u16::MAX)]
    Size {
        /// The name of the board.
        board: String,
        /// Pixels from left to right.
        width: usize,
        /// Pixels from top to bottom.
        height: usize,
    },
    /// The encoder failed.
    #[error("{board}: {error}")]
    Encoding {
        /// The name of the board.
        board: String,
        /// The error of the encoder.
        error: gif::EncodingError,
    },
}

/// The film as a GIF, which begins anew at its end. With `symbols` each cell has the symbol of its colour.
///
/// # Errors
/// When the board has too many colours or too many cells in a row for a GIF.
pub fn to_gif(film: &Film, symbols: bool) -> Result<Vec<u8>, GifError> {
    let (board, layout) = (|| film.name().to_owned(), Layout::of(film));
    let colours = film.colours.len();
    if INKS.len() + colours > MOST_COLOURS {
        return Err(GifError::Colours { board: board(), colours });
    }
    let Layout { width, height, .. } = layout;
    let (Ok(wide), Ok(high)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(GifError::Size { board: board(), width, height });
    };
    let encoding = |error| GifError::Encoding { board: board(), error };
    let palette: Vec<u8> = INKS.iter().chain(&film.colours).flat_map(|rgb| rgb.to_be_bytes()[1..].to_vec()).collect();
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, wide, high, &palette).map_err(encoding)?;
    if film.frames().len() > 1 {
        encoder.set_repeat(gif::Repeat::Infinite).map_err(encoding)?;
    }
    let mut before: Option<Canvas> = None;
    for ((at, frame), delay) in film.frames().iter().enumerate().zip(frame_durations(film.frames().len())) {
        let canvas = Canvas::of(film, layout, (at, frame), symbols);
        let part = before.as_ref().map_or((0, 0, width, height), |before| canvas.difference(before));
        encoder.write_frame(&canvas.cut(part, delay)).map_err(encoding)?;
        before = Some(canvas);
    }
    drop(encoder);
    Ok(out)
}

/// The pixels of a frame: numbers of colours.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.width as u32, self.height as u32)
    }
}

impl DrawTarget for Canvas {
    type Color = Gray8;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Gray8>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, colour) in pixels {
            let at = usize::try_from(x).ok().zip(usize::try_from(y).ok());
            if let Some((x, y)) = at.filter(|&(x, y)| x < self.width && y < self.height) {
                self.pixels[y * self.width + x] = colour.luma();
            }
        }
        Ok(())
    }
}

/// A place in a canvas. Pictures have fewer pixels each way than an i32 counts.
fn point(x: usize, y: usize) -> Point {
    Point::new(x as i32, y as i32)
}

/// The largest font in which so many characters fit into a cell, if there is one.
fn font(characters: usize, cell: usize) -> Option<&'static MonoFont<'static>> {
    let fits = |font: &&MonoFont<'_>| {
        let Size { width, height } = font.character_size;
        width as usize * characters < cell && (height as usize) <= cell
    };
    [&FONT_10X20, &FONT_7X13, &FONT_5X8].into_iter().find(fits)
}

/// The number of an ink.
fn ink(rgb: u32) -> Gray8 {
    Gray8::new(INKS.iter().position(|&known| known == rgb).unwrap_or(0) as u8)
}

impl Canvas {
    fn of(film: &Film, layout: Layout, (at, frame): (usize, &Frame), symbols: bool) -> Self {
        let Layout { width, height, margin, bar, length, baseline, .. } = layout;
        let mut canvas = Self { width, height, pixels: vec![0; width * height] };
        canvas.cells(film, layout, frame, symbols);
        canvas.marks(film, layout, frame, symbols);
        let frames = film.frames().len();
        if frames > 1 {
            canvas.fill((margin, bar), (length, BAR_HEIGHT), ink(TRACK));
            canvas.fill((margin, bar), (layout.progress(at, frames), BAR_HEIGHT), ink(INK));
        }
        let style = MonoTextStyle::new(&FONT_7X13, ink(INK));
        let text = Text::with_baseline(&frame.caption, point(margin, baseline), style, Baseline::Alphabetic);
        let _: Result<Point, Infallible> = text.draw(&mut canvas);
        canvas
    }

    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), colour: Gray8) {
        let area = Rectangle::new(point(x, y), Size::new(width as u32, height as u32));
        let _: Result<(), Infallible> = self.fill_solid(&area, colour);
    }

    fn cells(&mut self, film: &Film, layout: Layout, frame: &Frame, symbols: bool) {
        let Layout { cell, left, top, .. } = layout;
        let cols = film.size().1;
        // Where cells are large enough, a line of the background stands between them.
        let gap = usize::from(cell >= 8);
        let font = font(film.label_width(), cell - gap).filter(|_| symbols);
        for (index, &colour) in frame.cells.iter().enumerate() {
            let (x, y) = (left + index % cols * cell, top + index / cols * cell);
            let number = colour.map_or(ink(EMPTY), |colour| Gray8::new(INKS.len() as u8 + colour));
            self.fill((x, y), (cell - gap, cell - gap), number);
            let (Some(colour), Some(font)) = (colour.map(usize::from), font) else { continue };
            let label = film.labels[colour].trim();
            let text = if is_light(film.colours[colour]) { ink(BLACK) } else { ink(WHITE) };
            let middle = TextStyleBuilder::new().alignment(Alignment::Center).baseline(Baseline::Middle).build();
            let style = MonoTextStyle::new(font, text);
            let place = point(x + (cell - gap) / 2, y + (cell - gap) / 2);
            let _: Result<Point, Infallible> = Text::with_text_style(label, place, style, middle).draw(self);
        }
    }

    fn marks(&mut self, film: &Film, layout: Layout, frame: &Frame, symbols: bool) {
        let Layout { cell, left, top, .. } = layout;
        let cols = film.size().1;
        let thin = (cell / 10).max(1);
        let edges = marked_border(film, frame);
        for (thick, colour) in [(3 * thin, ink(BLACK)), (thin, ink(WHITE))] {
            for &Edge { row, col, cells, is_vertical } in &edges {
                let (x, y) = (left + col * cell - thick / 2, top + row * cell - thick / 2);
                let long = cells * cell + thick;
                self.fill((x, y), if is_vertical { (thick, long) } else { (long, thick) }, colour);
            }
        }
        let Some(index) = Film::focus(frame) else { return };
        let (x, y) = (left + index % cols * cell, top + index / cols * cell);
        let style = PrimitiveStyleBuilder::new().fill_color(ink(WHITE)).stroke_color(ink(BLACK));
        let style = style.stroke_width(thin as u32).build();
        let _: Result<(), Infallible> = match bunny_triangle(frame.marks[index]) {
            Some(corners) => {
                let [a, b, c] = corners.map(|(right, down)| point(x + cell * right / 8, y + cell * down / 8));
                Triangle::new(a, b, c).into_styled(style).draw(self)
            }
            None if cell >= 6 && !symbols => {
                let circle = Circle::with_center(point(x + (cell - 1) / 2, y + (cell - 1) / 2), (cell * 2 / 5) as u32);
                circle.into_styled(style).draw(self)
            }
            None => Ok(()),
        };
    }

    /// The smallest rectangle (left, top, width, height) that holds all pixels which differ; one pixel if none does.
    fn difference(&self, before: &Self) -> (usize, usize, usize, usize) {
        let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
        let differs = |index: &usize| self.pixels[*index] != before.pixels[*index];
        for index in (0..self.pixels.len()).filter(differs) {
            let (x, y) = (index % self.width, index / self.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
        }
        if left > right { (0, 0, 1, 1) } else { (left, top, right - left + 1, bottom - top + 1) }
    }

    /// A part of the picture as a frame of the file. The part fits: the whole picture does.
    fn cut(&self, (left, top, width, height): (usize, usize, usize, usize), delay: u16) -> gif::Frame<'static> {
        let rows = self.pixels.chunks(self.width).skip(top).take(height);
        let buffer: Vec<u8> = rows.flat_map(|row| row[left..left + width].iter().copied()).collect();
        let number = |pixels: usize| u16::try_from(pixels).unwrap_or(u16::MAX);
        gif::Frame {
            left: number(left),
            top: number(top),
            width: number(width),
            height: number(height),
            delay,
            dispose: gif::DisposalMethod::Keep,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        }
    }
}
