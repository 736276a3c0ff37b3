//! The layout of pictures, in pixels, and the duration of frames.

use super::Film;

/// The maximum length of a side of the board, and of a cell, in pixels.
const MAX_BOARD_SIDE: usize = 352;
const MAX_CELL_SIDE: usize = 32;

pub(super) const PADDING: usize = 12;

/// Heights of the caption, and of the bar that shows the progress of the solution.
const TEXT_HEIGHT: usize = 16;
pub(super) const BAR_HEIGHT: usize = 4;

/// Width of a character of the caption, in quarters of a pixel. The font is monospaced, 12 pixels high.
const CHARACTER_QUARTERS: usize = 29;

/// Colours of the picture. Cells of a board are lighter or more colourful than all of these.
pub(super) const PANEL: u32 = 0x1b_1f24;
pub(super) const EMPTY: u32 = 0x2c_3239;
pub(super) const TRACK: u32 = 0x4a_525c;
pub(super) const INK: u32 = 0xe6_e9ed;
pub(super) const BLACK: u32 = 0x00_0000;
pub(super) const WHITE: u32 = 0xff_ffff;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The side of a cell.
    pub cell: usize,
    /// The top left corner of the board.
    pub left: usize,
    pub top: usize,
    /// The baseline of the caption.
    pub baseline: usize,
    /// The top of the bar.
    pub bar_top: usize,
    /// The length of the bar. Caption and bar begin at `PADDING`.
    pub bar_length: usize,
    pub width: usize,
    pub height: usize,
}

impl Layout {
    pub(super) fn of(film: &Film) -> Self {
        let (rows, cols) = film.size();
        let cell = (MAX_BOARD_SIDE / rows.max(cols)).clamp(1, MAX_CELL_SIDE);
        let max_caption = film.frames().iter().map(|frame| frame.caption.chars().count()).max().unwrap_or(0);
        let bar_length = (cols * cell).max((max_caption * CHARACTER_QUARTERS).div_ceil(4));
        let bar_top = PADDING + rows * cell + PADDING / 2;
        let baseline = bar_top + BAR_HEIGHT + TEXT_HEIGHT;
        let (width, height) = (bar_length + 2 * PADDING, baseline + PADDING);
        Self { cell, left: (width - cols * cell) / 2, top: PADDING, baseline, bar_top, bar_length, width, height }
    }

    /// The length of the filled part of the bar in frame `at` of `frames`.
    pub(super) fn filled_length(&self, at: usize, frames: usize) -> usize {
        self.bar_length * at / frames.saturating_sub(1).max(1)
    }
}

/// The duration of each of `frames` frames, in hundredths of a second. The first and the last frame are shown longer.
pub(super) fn frame_durations(frames: usize) -> Vec<u16> {
    let duration = (3_000 / frames.max(1)).clamp(10, 60) as u16;
    let mut durations = vec![duration; frames];
    if let [first, .., last] = &mut durations[..] {
        (*first, *last) = (100, 300);
    }
    durations
}
