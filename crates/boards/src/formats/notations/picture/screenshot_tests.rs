//! Boards inside screenshots that a small painter draws, as they are and as JPEG.

use super::*;
use std::ops::Range;

type Colour = [u8; 3];

const COLOURS: [Colour; 6] =
    [[220, 40, 40], [40, 160, 60], [50, 100, 220], [240, 200, 40], [150, 60, 190], [60, 200, 210]];
const PAGE: Colour = [246, 246, 242];
const DARK: Colour = [34, 36, 48];

/// A picture that is drawn.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
    /// The state of the random numbers.
    seed: u32,
}

impl Canvas {
    fn new(width: usize, height: usize, colour: Colour, seed: u32) -> Self {
        Self { width, height, pixels: vec![colour; width * height], seed }
    }

    fn below(&mut self, end: usize) -> usize {
        self.seed = self.seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.seed >> 8) as usize % end
    }

    /// A rectangle with round corners, which are as smooth as those of a browser.
    fn fill(&mut self, [x, y, width, height]: [usize; 4], radius: usize, colour: Colour) {
        for (dx, dy) in (0..height).flat_map(|dy| (0..width).map(move |dx| (dx, dy))) {
            let beyond = |at: usize, all: usize| {
                let at = at as f64 + 0.5;
                (radius as f64 - at).max(at - (all - radius) as f64).max(0.0)
            };
            let share = (radius as f64 + 0.5 - beyond(dx, width).hypot(beyond(dy, height))).clamp(0.0, 1.0);
            let share = if radius == 0 { 1.0 } else { share };
            let pixel = &mut self.pixels[(y + dy) * self.width + x + dx];
            let mix = |i: usize| (f64::from(pixel[i]) * (1.0 - share) + f64::from(colour[i]) * share).round() as u8;
            *pixel = [0, 1, 2].map(mix);
        }
    }

    /// Strokes that look like letters.
    fn write(&mut self, x: usize, y: usize, letters: usize, colour: Colour) {
        for letter in 0..letters {
            for _ in 0..4 {
                let (left, top) = (x + 9 * letter + self.below(5), y + self.below(7));
                let (wide, high) = (1 + self.below(2), 2 + self.below(6));
                self.fill([left, top, wide, high], 0, colour);
            }
        }
    }

    fn crop(&mut self, xs: Range<usize>, ys: Range<usize>) {
        self.pixels = ys.clone().flat_map(|y| self.pixels[y * self.width..][xs.clone()].to_vec()).collect();
        (self.width, self.height) = (xs.len(), ys.len());
    }

    /// Hides most of the board's outer cells on one side, by the edge of the picture or by a bar: `part` pixels of a
    /// cell remain.
    fn cut(&mut self, look: Look, side: usize, part: usize) {
        let (left, top) = (37 + look.seed as usize % 20 + look.gap, 140 + look.gap);
        let (width, height, step, hidden) = (self.width, self.height, look.side + look.gap, look.side - part);
        let (right, bottom) = (left + (look.cols - 1) * step + part, top + (look.rows - 1) * step + part);
        match side {
            0 => self.crop(left + hidden..width, 0..height),
            1 => self.crop(0..width, top + hidden..height),
            2 => self.crop(0..right, 0..height),
            3 => self.crop(0..width, 0..bottom),
            _ => self.fill([0, bottom, width, height - bottom], 0, [look.page, [60, 70, 150]][side % 2]),
        }
    }

    fn ppm(&self) -> Vec<u8> {
        let head = format!("P6 {} {} 255\n", self.width, self.height).into_bytes();
        [head, self.pixels.concat()].concat()
    }

    fn jpeg(&self, quality: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut bytes, quality);
        let (width, height) = (self.width as u16, self.height as u16);
        encoder.encode(&self.pixels.concat(), width, height, jpeg_encoder::ColorType::Rgb).unwrap();
        bytes
    }
}

/// How a board is drawn.
#[derive(Clone, Copy, Debug)]
struct Look {
    rows: usize,
    cols: usize,
    side: usize,
    gap: usize,
    radius: usize,
    /// Between the cells.
    paper: Colour,
    /// Around the board.
    page: Colour,
    seed: u32,
}

/// A page with a bar, text, panels, a board of random cells and a palette, and the cells.
fn page(look: Look) -> (Canvas, Vec<usize>) {
    let Look { rows, cols, side, gap, radius, paper, page, seed } = look;
    let step = side + gap;
    let (wide, high) = (cols * step + gap, rows * step + gap);
    let mut canvas = Canvas::new(wide.max(300) + 120, high + 260, page, seed);
    let (left, top) = (37 + seed as usize % 20, 140);
    let width = canvas.width;
    canvas.fill([0, 0, width, 48], 0, [60, 70, 150]);
    canvas.write(20, 16, 14, [255; 3]);
    for panel in 0..2 {
        canvas.fill([40 + 150 * panel, 66, 120, 50], 8, [225, 220, 205]);
        canvas.write(54 + 150 * panel, 80, 8, [70; 3]);
    }
    if paper != page {
        canvas.fill([left, top, wide, high], 0, paper);
    }
    let cells: Vec<usize> = (0..rows * cols).map(|_| canvas.below(COLOURS.len())).collect();
    for (at, &colour) in cells.iter().enumerate() {
        let [x, y] = [left + gap + at % cols * step, top + gap + at / cols * step];
        canvas.fill([x, y, side, side], radius, COLOURS[colour]);
    }
    for (number, colour) in COLOURS.into_iter().enumerate() {
        canvas.fill([left + 50 * number, top + high + 30, 40, 40], 6, colour);
    }
    canvas.write(30, top + high + 86, 24, [90; 3]);
    (canvas, cells)
}

fn read_board(bytes: &[u8], size: Option<(usize, usize)>) -> Result<(Board, Option<String>), String> {
    let options = ReadOptions { size, ..ReadOptions::default() };
    let read = read(&mut &bytes[..], "p", "p", &options).map_err(|error| error.to_string())?;
    let (Entry { board, .. }, note) = read.unwrap();
    Ok((board, note))
}

/// Whether a board has these cells.
fn is_right(board: &Board, look: Look, cells: &[usize]) -> bool {
    let first = |cell: usize| cells.iter().position(|other| *other == cells[cell]).unwrap();
    (board.rows(), board.cols()) == (look.rows, look.cols)
        && (0..cells.len()).all(|cell| board.cells()[cell] == board.cells()[first(cell)])
        && board.colours() == (0..cells.len()).filter(|&cell| first(cell) == cell).count()
}

fn looks() -> Vec<Look> {
    let mut looks = Vec::new();
    for (at, (gap, radius)) in
        [(0, 0), (1, 0), (2, 0), (3, 4), (4, 8), (6, 12), (8, 0), (0, 6), (2, 3)].into_iter().enumerate()
    {
        for (number, (rows, cols, side)) in
            [(14, 14, 24), (10, 12, 31), (3, 3, 40), (20, 15, 17)].into_iter().enumerate()
        {
            for (paper, page) in [(PAGE, PAGE), (DARK, PAGE), (DARK, DARK)] {
                let seed = (100 * at + 10 * number) as u32;
                looks.push(Look { rows, cols, side, gap, radius: radius.min(side / 2), paper, page, seed });
            }
        }
    }
    looks
}

#[test]
fn a_board_inside_a_screenshot_is_read_or_refused_but_never_wrong() {
    let step = if std::env::var_os("GRIDHUNT_LONG").is_some() { 5 } else { 17 };
    for (quality, percent) in [(None, 80), (Some(95), 70), (Some(85), 70), (Some(75), 60), (Some(60), 50)] {
        let (mut right, looks) = (0, looks().into_iter().step_by(step));
        let all = looks.len();
        let encoded = |canvas: &Canvas| quality.map_or_else(|| canvas.ppm(), |quality| canvas.jpeg(quality));
        for (number, look) in looks.enumerate() {
            for side in (0..6).filter(|side| quality.is_none() || *side == number % 6) {
                let (mut canvas, cells) = page(look);
                canvas.cut(look, side, 3 + 5 * (number + side) % (look.side - 3));
                if let Ok((board, note)) = read_board(&encoded(&canvas), None) {
                    assert!(is_right(&board, look, &cells), "{quality:?} {look:?}, cut {side}: {note:?}");
                }
            }
            let (canvas, cells) = page(look);
            if let Ok((board, note)) = read_board(&encoded(&canvas), None) {
                assert!(is_right(&board, look, &cells), "{quality:?} {look:?}: {note:?}");
                let expected = format!("read {} x {} cells at ", look.rows, look.cols);
                assert!(note.is_some_and(|note| note.starts_with(&expected)), "{quality:?} {look:?}");
                right += 1;
            }
        }
        assert!(100 * right >= percent * all, "{quality:?}: {right} of {all} right");
    }
}

/// A page of a board without gaps, and its cells.
fn plain(rows: usize, cols: usize, seed: u32) -> (Canvas, Vec<usize>, Look) {
    let look = Look { rows, cols, side: 24, gap: 0, radius: 0, paper: PAGE, page: PAGE, seed };
    let (canvas, cells) = page(look);
    (canvas, cells, look)
}

#[test]
fn what_may_be_another_board_is_asked_about() {
    let corner = |look: Look| (37 + look.seed as usize % 20, 140);
    // One marked cell has a colour, two have none.
    let (mut canvas, cells, look) = plain(8, 8, 1);
    let (left, top) = corner(look);
    canvas.fill([left + 8, top + 8, 8, 8], 4, [0; 3]);
    assert!(is_right(&read_board(&canvas.ppm(), None).unwrap().0, look, &cells));
    canvas.fill([left + 32, top + 8, 8, 8], 4, [0; 3]);
    assert!(read_board(&canvas.ppm(), None).unwrap_err().contains("add --size ROWSxCOLS"));
    // A cell of the colour of the page: at the edge it cannot be seen, elsewhere more of them may stand around.
    for (at, expected) in
        [(0, "--size ROWSxCOLS, or cut off what is around the board"), (3, "add --size 8x8 if the board has this size")]
    {
        let (mut canvas, ..) = plain(8, 8, 1);
        canvas.fill([left + 24 * at, top + 24 * at, 24, 24], 0, PAGE);
        let error = read_board(&canvas.ppm(), None).unwrap_err();
        assert!(error.contains(expected), "{at}: {error}");
    }
    // Dark cells above all others may be empty.
    let (mut canvas, ..) = plain(8, 8, 1);
    canvas.fill([left + 48, top, 72, 24], 0, DARK);
    canvas.fill([left + 48, top + 24, 24, 48], 0, DARK);
    assert!(read_board(&canvas.ppm(), None).unwrap_err().contains("add --size 8x8"));
    let (board, note) = read_board(&canvas.ppm(), Some((8, 8))).unwrap();
    assert!(board.colours() == 7 && note.unwrap().ends_with("but are read as coloured"));
    // Columns that are the same between the text of a bar and the squares are no cells.
    let mut canvas = Canvas::new(600, 420, PAGE, 5);
    canvas.fill([0, 0, 600, 48], 0, DARK);
    canvas.write(20, 16, 14, [255; 3]);
    for at in 0..81 {
        let colour = COLOURS[canvas.below(6)];
        canvas.fill([200 + at % 9 * 24, 120 + at / 9 * 24, 20, 20], 0, colour);
    }
    assert_eq!(read_board(&canvas.ppm(), None).unwrap().0.cols(), 9);
    // The picture ends with a row of cells.
    let (mut canvas, ..) = plain(8, 8, 1);
    canvas.height = top + 5 * 24;
    canvas.pixels.truncate(canvas.width * canvas.height);
    assert!(read_board(&canvas.ppm(), None).unwrap_err().contains("add --size 5x8"));
}

#[test]
fn two_boards_in_one_picture_are_refused_with_both_sizes() {
    let ((one, ..), (other, ..), (third, ..)) = (plain(8, 8, 1), plain(6, 9, 2), plain(6, 9, 7));
    let joined = |upper: &Canvas, lower: &Canvas| {
        let mut both = Canvas::new(upper.width.max(lower.width), upper.height + lower.height, PAGE, 1);
        for (canvas, from) in [(upper, 0), (lower, upper.height)] {
            for (at, &pixel) in canvas.pixels.iter().enumerate() {
                both.pixels[(from + at / canvas.width) * both.width + at % canvas.width] = pixel;
            }
        }
        both.ppm()
    };
    let both = joined(&one, &other);
    let error = read_board(&both, None).unwrap_err();
    assert!(error.contains("--size 8x8 for one board of 8 x 8") && error.contains("--size 6x9"), "{error}");
    assert_eq!(read_board(&both, Some((6, 9))).unwrap().0.rows(), 6);
    // The left and the right half of a board, apart by less than a cell.
    for gap in 1..6 {
        let (whole, ..) = plain(9, 18, 1);
        let mut apart = Canvas::new(whole.width + gap, whole.height, PAGE, 1);
        for (from, to) in whole.pixels.chunks(whole.width).zip(apart.pixels.chunks_mut(whole.width + gap)) {
            to[..38 + 216].copy_from_slice(&from[..38 + 216]);
            to[38 + 216 + gap..].copy_from_slice(&from[38 + 216..]);
        }
        assert!(read_board(&apart.ppm(), None).is_err(), "{gap}");
    }
    let error = read_board(&joined(&other, &third), None).unwrap_err();
    assert!(error.contains("found 2 boards of 6 x 9 in one picture, expected a picture of one board"), "{error}");
}

#[test]
fn a_block_of_cells_inside_a_flood_is_no_board() {
    // The page has the colour of the flood, so that the board around the block has no edge.
    let (mut canvas, ..) = plain(4, 4, 1);
    let (left, top) = (38, 140);
    let mut flood = Canvas::new(canvas.width, canvas.height, PAGE, 1);
    flood.fill([left - 24, top - 24, 24 * 6, 24 * 6], 0, COLOURS[0]);
    for y in top..top + 96 {
        let row = y * canvas.width;
        flood.pixels[row + left..row + left + 96].copy_from_slice(&canvas.pixels[row + left..row + left + 96]);
    }
    canvas.pixels.copy_from_slice(&flood.pixels);
    let read = read_board(&canvas.ppm(), None).map(|(board, _)| (board.rows(), board.cols()));
    assert!(read.as_ref().map_or_else(|error| error.contains("--size"), |&size| size == (6, 6)), "{read:?}");
}

#[test]
fn colours_of_a_jpeg_are_told_apart_or_refused() {
    let drawn = |shades: [u8; 3]| {
        let mut canvas = Canvas::new(5 * 32, 4 * 32, PAGE, 3);
        for at in 0..20 {
            let shade = shades[canvas.below(3)];
            canvas.fill([at % 5 * 32, at / 5 * 32, 32, 32], 0, [shade, 90, 40]);
        }
        canvas.jpeg(90)
    };
    assert_eq!(read_board(&drawn([40, 120, 220]), Some((4, 5))).unwrap().0.colours(), 3);
    let error = read_board(&drawn([120, 138, 220]), Some((4, 5))).unwrap_err();
    assert!(error.contains("in a JPEG, expected colours that are equal or differ clearly"), "{error}");
}

#[test]
fn damaged_and_turned_jpegs_are_refused() {
    let mut canvas = Canvas::new(80, 64, PAGE, 3);
    for at in 0..20 {
        let colour = COLOURS[canvas.below(6)];
        canvas.fill([at % 5 * 16, at / 5 * 16, 16, 16], 0, colour);
    }
    let bytes = canvas.jpeg(90);
    for length in (3..bytes.len() - 2).step_by(31) {
        let error = read_board(&bytes[..length], None).unwrap_err();
        assert!(error.contains("found a damaged JPEG"), "{length}: {error}");
    }
    for at in (3..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        // Anything but a panic.
        let _ = read_board(&damaged, None);
    }
    let exif = b"\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let turned = [&bytes[..2], &exif[..], &bytes[2..]].concat();
    assert!(read_board(&turned, None).unwrap_err().contains("EXIF data turn or mirror"));
}

#[test]
fn a_picture_that_takes_too_long_to_search_is_no_certain_board() {
    // Each ring of a pixel encloses all rings within it, and the board.
    let nested = |rings: usize| {
        let (board, cells, look) = plain(8, 8, 1);
        let side = 8 * 24 + 2 * (rings + 14);
        let mut canvas = Canvas::new(side, side, PAGE, 1);
        for ring in 0..rings {
            canvas.fill([ring, ring, side - 2 * ring, side - 2 * ring], 0, [PAGE, DARK][ring % 2]);
        }
        canvas.fill([rings, rings, side - 2 * rings, side - 2 * rings], 0, [250; 3]);
        canvas.fill([rings + 3, rings + 4, 5, 2], 0, DARK);
        for y in 0..192 {
            let (to, from) = ((rings + 14 + y) * side + rings + 14, (140 + y) * board.width + 38);
            canvas.pixels[to..to + 192].copy_from_slice(&board.pixels[from..from + 192]);
        }
        (read_board(&canvas.ppm(), None), look, cells)
    };
    let (read, look, cells) = nested(8);
    assert!(is_right(&read.unwrap().0, look, &cells));
    assert!(nested(100).0.unwrap_err().contains("add --size ROWSxCOLS"));
}
