//! An animated GIF. A frame holds the smallest rectangle with everything that changes.

use super::Film;
use super::layout::{BAR_HEIGHT, BLACK, EMPTY, INK, Layout, PADDING, PANEL, TRACK, WHITE, frame_durations};
use super::shapes::{Edge, arrow_corners, marked_border};
use embedded_graphics::mono_font::iso_8859_1::{FONT_5X8, FONT_7X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Gray8;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Circle, PrimitiveStyleBuilder, Rectangle, Triangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use gridhunt_boards::{Frame, is_light};
use std::borrow::Cow;
use std::convert::Infallible;

/// The fixed colours of the palette. The colours of cells follow.
const FIXED_COLOURS: [u32; 6] = [PANEL, EMPTY, TRACK, INK, BLACK, WHITE];

const MAX_COLOURS: usize = 256;

/// Why a film cannot be drawn as a GIF.
#[derive(Debug, thiserror::Error)]
pub enum GifError {
    /// The board has too many colours.
    #[error("{board}: found {colours} colours, expected at most {} in a GIF; --svg has no such limit", MAX_COLOURS - FIXED_COLOURS.len())]
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

/// The film as a GIF that loops. `has_symbols` says whether cells show the symbols of their colours.
///
/// # Errors
/// When the board has too many colours for a GIF, or the picture is too large.
pub fn to_gif(film: &Film, has_symbols: bool) -> Result<Vec<u8>, GifError> {
    let (board, layout) = (|| film.name().to_owned(), Layout::of(film));
    let colours = film.colours.len();
    if FIXED_COLOURS.len() + colours > MAX_COLOURS {
        return Err(GifError::Colours { board: board(), colours });
    }
    let Layout { width, height, .. } = layout;
    let (Ok(width_u16), Ok(height_u16)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(GifError::Size { board: board(), width, height });
    };
    let encoding = |error| GifError::Encoding { board: board(), error };
    let palette: Vec<u8> =
        FIXED_COLOURS.iter().chain(&film.colours).flat_map(|rgb| rgb.to_be_bytes()[1..].to_vec()).collect();
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, width_u16, height_u16, &palette).map_err(encoding)?;
    if film.frames().len() > 1 {
        encoder.set_repeat(gif::Repeat::Infinite).map_err(encoding)?;
    }
    let mut previous: Option<Canvas> = None;
    for ((at, frame), delay) in film.frames().iter().enumerate().zip(frame_durations(film.frames().len())) {
        let canvas = Canvas::of(film, layout, (at, frame), has_symbols);
        let changed = previous.as_ref().map_or((0, 0, width, height), |previous| canvas.changed_rectangle(previous));
        encoder.write_frame(&canvas.frame_of(changed, delay)).map_err(encoding)?;
        previous = Some(canvas);
    }
    drop(encoder);
    Ok(out)
}

/// The pixels of a frame, as indexes into the palette.
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
            let position = usize::try_from(x).ok().zip(usize::try_from(y).ok());
            if let Some((x, y)) = position.filter(|&(x, y)| x < self.width && y < self.height) {
                self.pixels[y * self.width + x] = colour.luma();
            }
        }
        Ok(())
    }
}

/// Makes a point. The sides of a picture have at most `u16::MAX` pixels, so the conversion is exact.
fn point(x: usize, y: usize) -> Point {
    Point::new(x as i32, y as i32)
}

/// The largest font in which this number of characters fits into a cell.
fn fitting_font(characters: usize, cell: usize) -> Option<&'static MonoFont<'static>> {
    let fits = |font: &&MonoFont<'_>| {
        let Size { width, height } = font.character_size;
        width as usize * characters < cell && (height as usize) <= cell
    };
    [&FONT_10X20, &FONT_7X13, &FONT_5X8].into_iter().find(fits)
}

/// The palette index of a fixed colour.
fn palette_index(rgb: u32) -> Gray8 {
    Gray8::new(FIXED_COLOURS.iter().position(|&fixed| fixed == rgb).unwrap_or(0) as u8)
}

impl Canvas {
    fn of(film: &Film, layout: Layout, (at, frame): (usize, &Frame), has_symbols: bool) -> Self {
        let Layout { width, height, bar_top, bar_length, baseline, .. } = layout;
        let mut canvas = Self { width, height, pixels: vec![0; width * height] };
        canvas.draw_cells(film, layout, frame, has_symbols);
        canvas.draw_marks(film, layout, frame, has_symbols);
        let frames = film.frames().len();
        if frames > 1 {
            canvas.fill((PADDING, bar_top), (bar_length, BAR_HEIGHT), palette_index(TRACK));
            canvas.fill((PADDING, bar_top), (layout.filled_length(at, frames), BAR_HEIGHT), palette_index(INK));
        }
        let style = MonoTextStyle::new(&FONT_7X13, palette_index(INK));
        let text = Text::with_baseline(&frame.caption, point(PADDING, baseline), style, Baseline::Alphabetic);
        let _: Result<Point, Infallible> = text.draw(&mut canvas);
        canvas
    }

    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), colour: Gray8) {
        let area = Rectangle::new(point(x, y), Size::new(width as u32, height as u32));
        let _: Result<(), Infallible> = self.fill_solid(&area, colour);
    }

    fn draw_cells(&mut self, film: &Film, layout: Layout, frame: &Frame, has_symbols: bool) {
        let Layout { cell, left, top, .. } = layout;
        let cols = film.size().1;
        // Large cells are separated by a line of the background.
        let gap = usize::from(cell >= 8);
        let font = fitting_font(film.label_width(), cell - gap).filter(|_| has_symbols);
        for (index, &colour) in frame.cells.iter().enumerate() {
            let (x, y) = (left + index % cols * cell, top + index / cols * cell);
            let fill = colour.map_or(palette_index(EMPTY), |colour| Gray8::new(FIXED_COLOURS.len() as u8 + colour));
            self.fill((x, y), (cell - gap, cell - gap), fill);
            let (Some(colour), Some(font)) = (colour.map(usize::from), font) else { continue };
            let label = film.labels[colour].trim();
            let text = if is_light(film.colours[colour]) { palette_index(BLACK) } else { palette_index(WHITE) };
            let middle = TextStyleBuilder::new().alignment(Alignment::Center).baseline(Baseline::Middle).build();
            let style = MonoTextStyle::new(font, text);
            let centre = point(x + (cell - gap) / 2, y + (cell - gap) / 2);
            let _: Result<Point, Infallible> = Text::with_text_style(label, centre, style, middle).draw(self);
        }
    }

    fn draw_marks(&mut self, film: &Film, layout: Layout, frame: &Frame, has_symbols: bool) {
        let Layout { cell, left, top, .. } = layout;
        let cols = film.size().1;
        let thickness = (cell / 10).max(1);
        let edges = marked_border(film, frame);
        for (width, colour) in [(3 * thickness, palette_index(BLACK)), (thickness, palette_index(WHITE))] {
            for &Edge { row, col, cells, is_vertical } in &edges {
                let (x, y) = (left + col * cell - width / 2, top + row * cell - width / 2);
                let length = cells * cell + width;
                self.fill((x, y), if is_vertical { (width, length) } else { (length, width) }, colour);
            }
        }
        let Some(index) = Film::focus(frame) else { return };
        let (x, y) = (left + index % cols * cell, top + index / cols * cell);
        let style = PrimitiveStyleBuilder::new().fill_color(palette_index(WHITE)).stroke_color(palette_index(BLACK));
        let style = style.stroke_width(thickness as u32).build();
        let _: Result<(), Infallible> = match arrow_corners(frame.marks[index]) {
            Some(corners) => {
                let [a, b, c] = corners.map(|(right, down)| point(x + cell * right / 8, y + cell * down / 8));
                Triangle::new(a, b, c).into_styled(style).draw(self)
            }
            None if cell >= 6 && !has_symbols => {
                let circle = Circle::with_center(point(x + (cell - 1) / 2, y + (cell - 1) / 2), (cell * 2 / 5) as u32);
                circle.into_styled(style).draw(self)
            }
            None => Ok(()),
        };
    }

    /// The smallest rectangle (left, top, width, height) with all changed pixels; one pixel if none has changed.
    fn changed_rectangle(&self, previous: &Self) -> (usize, usize, usize, usize) {
        let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
        let differs = |index: &usize| self.pixels[*index] != previous.pixels[*index];
        for index in (0..self.pixels.len()).filter(differs) {
            let (x, y) = (index % self.width, index / self.width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
        }
        if left > right { (0, 0, 1, 1) } else { (left, top, right - left + 1, bottom - top + 1) }
    }

    /// A part of the picture as a frame of the file.
    fn frame_of(&self, (left, top, width, height): (usize, usize, usize, usize), delay: u16) -> gif::Frame<'static> {
        let rows = self.pixels.chunks(self.width).skip(top).take(height);
        let buffer: Vec<u8> = rows.flat_map(|row| row[left..left + width].iter().copied()).collect();
        let to_u16 = |pixels: usize| u16::try_from(pixels).unwrap_or(u16::MAX);
        gif::Frame {
            left: to_u16(left),
            top: to_u16(top),
            width: to_u16(width),
            height: to_u16(height),
            delay,
            dispose: gif::DisposalMethod::Keep,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        }
    }
}
