//! Draws boards as text for people. No reader reads this text back.
//!
//! If the names or letters of a board mean colours, its cells are drawn in these colours; otherwise in the colours of a
//! palette.

use crate::formats::cells::colour_names::{first_repeat, meanings};
use crate::{Board, Cell, Frame};
use std::fmt::Write;

/// How to draw a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Symbols without colours.
    #[default]
    Plain,
    /// Symbols on coloured cells, with 24-bit ANSI escape codes.
    Colour,
}

/// Background colours of the colours 1 to 35: first those of Okabe and Ito, which colour-blind people can distinguish,
/// then others. Any two are at least 26 apart in CIELAB.
const PALETTE: [u32; 35] = [
    0xe6_9f00, 0x56_b4e9, 0x00_9e73, 0xf0_e442, 0x00_72b2, 0xd5_5e00, 0xcc_79a7, 0x5b_5b5b, 0x0f_0fff, 0x0f_ff0f,
    0xff_1be7, 0x33_0f87, 0xff_f3cf, 0xff_0f63, 0x6f_0f1b, 0x93_ff87, 0x6f_7b0f, 0x9f_87ff, 0x0f_ffff, 0x0f_0f33,
    0xc3_8763, 0x0f_3f0f, 0x9f_0f87, 0x0f_930f, 0xf3_dbff, 0x0f_57ff, 0xb7_ff27, 0xff_0f1b, 0x93_0fcf, 0xff_87f3,
    0xff_0f9f, 0x57_3f0f, 0x6f_4b93, 0x0f_ffc3, 0xb7_cf7b,
];

/// The backgrounds of unmarked and of marked squares of Hopping Bunny.
const BUNNY: [u32; 2] = [0x00_72b2, 0xf0_e442];

impl Frame {
    /// Draws the frame as text, one line per row, with the mark of each cell before its symbol. An empty cell is a dot.
    /// `board` gives the size and the names of the colours.
    #[must_use]
    pub fn to_text(&self, board: &Board, style: Style) -> String {
        let mut out = String::new();
        let (labels, colours) = (cell_labels(board), cell_colours(board));
        let dot = format!("{:>1$}", ".", labels.first().map_or(1, |label| label.chars().count()));
        for row in 0..board.rows() {
            let first = board.index(Cell { row, col: 0 });
            let mut last = None;
            for (index, &cell) in self.cells.iter().enumerate().skip(first).take(board.cols()) {
                if style == Style::Colour && last != Some(cell) {
                    match cell {
                        Some(colour) => paint(colours[usize::from(colour)], &mut out),
                        None => out.push_str(RESET),
                    }
                    last = Some(cell);
                }
                out.push(self.marks.get(index).copied().unwrap_or_default().character());
                out.push_str(cell.map_or(&dot, |colour| &labels[usize::from(colour)]));
                if style == Style::Colour {
                    out.push(' ');
                }
            }
            if style == Style::Colour {
                out.push_str(RESET);
            }
            out.push('\n');
        }
        out
    }
}

/// The texts of a board's colours in drawings, all of the same width. See [`Frame::to_text`].
#[must_use]
pub fn cell_labels(board: &Board) -> Vec<String> {
    labels(board.symbols())
}

/// The background of each colour of a board as red, green and blue, one byte each: the colours that the names mean, or
/// those of the palette. Marked and unmarked squares of Hopping Bunny differ in lightness.
#[must_use]
pub fn cell_colours(board: &Board) -> Vec<u32> {
    if board.is_bunny() {
        return BUNNY.to_vec();
    }
    let palette = (0..=u8::MAX).take(board.colours()).map(background).collect();
    meanings(board.symbols()).unwrap_or(palette)
}

/// Whether black text on this background has more contrast than white text.
#[must_use]
pub fn is_light(rgb: u32) -> bool {
    let [_, r, g, b] = rgb.to_be_bytes();
    299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) > 128_000
}

/// The texts of the colours in a drawing, all of the same width: symbols, numbers, or beginnings of the names that are
/// just long enough to differ.
fn labels(names: &[String]) -> Vec<String> {
    let width = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(1);
    let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
    let longest = width(names);
    let cut = |length: usize| names.iter().map(|name| name.chars().take(length).collect()).collect::<Vec<String>>();
    let texts = match names.iter().any(is_number) {
        true => names.to_vec(),
        false => (1..longest).map(cut).find(|texts| first_repeat(texts).is_none()).unwrap_or_else(|| names.to_vec()),
    };
    let width = width(&texts);
    texts.into_iter().map(|text| format!("{text:>width$}")).collect()
}

/// The background of a colour as red, green and blue. After the end of the palette, each hue is the golden angle away
/// from the one before, and the lightness changes from round to round. So the backgrounds of any two colours differ.
fn background(colour: u8) -> u32 {
    const GOLDEN_ANGLE: f64 = 137.507_764;
    let at = usize::from(colour);
    if let Some(&palette) = PALETTE.get(at) {
        return palette;
    }
    let number = (at - PALETTE.len()) as f64;
    let (hue, value) = ((number * GOLDEN_ANGLE % 360.0) / 60.0, [0.95, 0.55, 0.75, 0.4][at % 4]);
    let saturation = [0.85, 0.5, 0.65][at % 3];
    let channel = |shift: f64| {
        let part = (shift + hue) % 6.0;
        let share = part.min(4.0 - part).clamp(0.0, 1.0);
        ((value - value * saturation * share) * 255.0).round() as u8
    };
    u32::from_be_bytes([0, channel(5.0), channel(3.0), channel(1.0)])
}

/// The escape code that switches all colours off.
const RESET: &str = "\x1b[0m";

/// Writes the escape codes for the background of a colour, and for black or white text, whichever has more contrast.
fn paint(rgb: u32, out: &mut String) {
    let [_, r, g, b] = rgb.to_be_bytes();
    let ink = if is_light(rgb) { 30 } else { 97 };
    // Writing to a String cannot fail.
    let _ = write!(out, "\x1b[{ink};48;2;{r};{g};{b}m");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EMPTY, Mark, usual_symbols};

    /// The cells of a board, with a mark at its start.
    fn drawn(board: &Board, style: Style) -> String {
        let mut marks = vec![Mark::None; board.cells().len()];
        marks[board.index(board.start())] = Mark::Point;
        Frame { caption: String::new(), cells: board.contents().collect(), marks }.to_text(board, style)
    }

    #[test]
    fn names_are_cut_to_what_tells_them_apart() {
        let of = |names: &[&str]| labels(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["black", "blue", "red"]), ["bla", "blu", "red"]);
        assert_eq!(of(&["green", "red"]), ["g", "r"]);
        assert_eq!(of(&["7", "36", "120"]), ["  7", " 36", "120"]);
        let words = ["green", "red"].map(String::from).to_vec();
        let board = Board::new("b", 1, 3, vec![1, 0, EMPTY], words, Cell { row: 0, col: 1 }).unwrap();
        assert_eq!(drawn(&board, Style::Plain), " r*g .\n");
        // The colours are those that the names mean, not the first two of the palette.
        assert!(drawn(&board, Style::Colour).starts_with("\x1b[97;48;2;214;48;49m r \x1b["));
    }

    #[test]
    fn every_colour_has_its_own_background() {
        let all: std::collections::BTreeSet<_> = (0..255).map(background).collect();
        assert_eq!(all.len(), 255);
        assert_eq!((background(0), background(34)), (0xe6_9f00, 0xb7_cf7b));
    }

    #[test]
    fn long_names_keep_their_columns() {
        let names = (0..200).map(|colour| format!("{colour}")).collect();
        let board = Board::new("b", 2, 2, vec![0, 199, 20, EMPTY], names, Cell { row: 0, col: 0 }).unwrap();
        assert_eq!(drawn(&board, Style::Plain), "*  0 199\n  20   .\n");
    }

    #[test]
    fn colours_are_switched_only_where_they_change() {
        let board = Board::new("b", 2, 3, vec![0, 0, 1, 2, 1, 1], usual_symbols(3), Cell { row: 1, col: 1 }).unwrap();
        let drawn = drawn(&board, Style::Colour);
        assert_eq!(
            drawn.lines().next(),
            Some("\x1b[30;48;2;230;159;0m 1  1 \x1b[30;48;2;86;180;233m 2 \x1b[0m"),
            "{drawn:?}"
        );
        assert_eq!(drawn.matches("\x1b[0m").count(), 2);
    }

    /// CIE L*a*b* of an sRGB colour, white point D65.
    fn lab(colour: u32) -> [f64; 3] {
        let [_, r, g, b] = colour.to_be_bytes().map(|c| {
            let u = f64::from(c) / 255.0;
            if u <= 0.04045 { u / 12.92 } else { ((u + 0.055) / 1.055).powf(2.4) }
        });
        let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
        let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
        let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn palette_is_distinguishable() {
        for (i, &a) in PALETTE.iter().enumerate() {
            for &b in &PALETTE[..i] {
                let distance = lab(a).iter().zip(lab(b)).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                assert!(distance >= 26.0, "{a:06x} and {b:06x} are {distance:.1} apart");
            }
        }
    }
}
