//! [`Format::Picture`](crate::Format::Picture): a picture of a board, PNG, JPEG or PNM (P1 to P6).
//!
//! The caller names the size, lines between the cells show it, or each pixel is a cell. A picture of blocks of equal
//! pixels is refused with the sizes that it may have: two cells of one colour look like one. Where a picture is no
//! board, the only board inside it is read. The middle of each cell decides its colour. A colour is named by the
//! nearest word, or by its code `#rrggbb` where two colours have the same nearest word.

mod decode;
mod grid;
mod regions;
mod screenshot;

use crate::error::PossibleReading;
use crate::formats::cells::colour_names::{first_repeat, nearest_word};
use crate::formats::cells::grid::Grid;
use crate::formats::cells::palette::DeclaredColours;
use crate::formats::mismatch::Mismatch;
use crate::{Board, BoardError, Entry, Format, MAX_CELLS, Position, ReadOptions};
use grid::{Area, Picture, Pixel, Size, Spans, TOLERANCE, are_near};
use screenshot::{BoardInside, is_similar, outermost};
use std::collections::HashSet;
use std::io::{BufRead, Read};

/// The most bytes of a picture file.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// How far neighbouring pixels of one colour may differ in a lossy picture.
const NOISE: u8 = 40;

/// The fewest pixels of a region of one colour in a lossy picture.
const MIN_LOSSY_REGION: usize = 64;

/// How far cells of one colour may differ in a lossy picture; cells of two colours differ by more than twice as much.
const LOSSY_TOLERANCE: u8 = 12;

/// Reads the board of a picture, and a note for the user. `None` if the input is no picture; then nothing is read.
///
/// # Errors
/// When the picture is damaged, is too large, or its cells are not of one colour each.
pub(crate) fn read<R: BufRead>(
    input: &mut R,
    path: &str,
    file: &str,
    options: &ReadOptions,
) -> Result<Option<(Entry, Option<String>)>, BoardError> {
    // If the input cannot be read, reading its first line reports the error.
    let first_bytes = input.fill_buf().unwrap_or_default();
    match options.format {
        Some(Format::Picture) => {}
        None if decode::is_picture(first_bytes) => {}
        _ => return Ok(None),
    }
    let at = Position::default();
    let fail = |found: String, expected: &str| BoardError::at(path, at, found, expected);
    let mut bytes = Vec::new();
    let read_error = |source| BoardError::Read { file: path.to_owned(), source };
    input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(fail(format!("more than {MAX_FILE_BYTES} bytes"), "a smaller picture"));
    }
    let picture = decode::decode(&bytes).map_err(|reason| fail(reason, "a picture, PNG, JPEG or PNM (P1 to P6)"))?;
    let (board, note) = picture.board(file, options).map_err(|refusal| match refusal {
        Refusal::Mismatch(Mismatch { found, expected }) => fail(found, &expected),
        Refusal::Sizes(readings) => BoardError::Ambiguous { file: path.to_owned(), position: at, readings },
    })?;
    Ok(Some((Entry { board, published_optimum: None }, note)))
}

/// Why a picture is no board.
enum Refusal {
    Mismatch(Mismatch),
    /// Several sizes explain the picture.
    Sizes(Vec<PossibleReading>),
}

impl From<Mismatch> for Refusal {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

/// The cells of a board in a picture.
struct Layout {
    spans: Spans,
    /// The colours of the cells, row by row.
    colours: Vec<Pixel>,
    /// What the user should know, if the board is a part of the picture.
    note: Option<String>,
}

impl From<BoardInside> for Layout {
    fn from(board: BoardInside) -> Self {
        let (Area { ys, xs }, (rows, cols)) = (board.area(), board.spans.size());
        let mut note = format!("read {rows} x {cols} cells at {},{} to {},{}", xs.start, ys.start, xs.end, ys.end);
        if board.may_have_empty_cells() {
            note += "; the cells of one colour are all at the top: they may be empty, but are read as coloured";
        }
        Self { spans: board.spans, colours: board.colours, note: Some(note) }
    }
}

impl Picture {
    fn board(&self, name: &str, options: &ReadOptions) -> Result<(Board, Option<String>), Refusal> {
        let layout = match self.is_lossy {
            true => self.lossy_layout(options.size),
            false => self.layout(options.size, || self.boards_inside()),
        };
        let Layout { spans, colours: pixels, note } = layout?;
        let (rows, cols) = spans.size();
        // Where each pixel is a cell, nothing has blurred its colour.
        let tolerance = match self.is_lossy {
            true => LOSSY_TOLERANCE,
            false if (rows, cols) == (self.height, self.width) => 0,
            false => TOLERANCE,
        };
        let mut colours: Vec<Pixel> = Vec::new();
        let mut colour_of_cell = Vec::with_capacity(rows * cols);
        for pixel in pixels {
            let known = colours.iter().position(|&colour| are_near(colour, pixel, tolerance));
            let is_unclear =
                |&(at, &colour): &(usize, &Pixel)| Some(at) != known && are_near(colour, pixel, 2 * LOSSY_TOLERANCE);
            if let Some((_, &other)) = colours.iter().enumerate().find(is_unclear).filter(|_| self.is_lossy) {
                let found = format!("the colours {} and {} in a JPEG", colour_code(other), colour_code(pixel));
                let expected = "colours that are equal or differ clearly: save the picture as PNG";
                return Err(Mismatch::new(found, expected).into());
            }
            colour_of_cell.push(known.unwrap_or(colours.len()));
            if known.is_none() {
                colours.push(pixel);
            }
        }
        let names = colour_names(&colours);
        let mut grid = Grid::new(Some((rows, cols)), DeclaredColours::Nothing, options);
        for colour in colour_of_cell {
            grid.push_wrapping(&names[colour], Position::default(), false).map_err(|located| located.mismatch)?;
        }
        let start = options.start.unwrap_or_default();
        let board = grid.finish(name, start, Position::default()).map_err(|located| located.mismatch)?;
        Ok((board, note))
    }

    /// The layout of a lossy picture: the spans of its flat regions, with the colours of the original pixels.
    fn lossy_layout(&self, size: Option<Size>) -> Result<Layout, Refusal> {
        let unclear = || {
            let expected = "cells of 8 pixels or more, each of one colour: save the picture as PNG";
            Mismatch::new("cells that are small, blurred or of several colours in a JPEG", expected)
        };
        let flat = self.flattened(NOISE, MIN_LOSSY_REGION).ok_or_else(unclear)?;
        let boards_inside = || {
            let few_colours = self.in_few_colours(NOISE, MIN_LOSSY_REGION);
            let boards = flat.boards_inside().zip(few_colours.and_then(|few_colours| few_colours.boards_inside()));
            boards.map_or(Vec::new(), |(flat, few_colours)| outermost(flat.into_iter().chain(few_colours)))
        };
        let layout = flat.picture.layout(size, boards_inside)?;
        // With few colours left, a small middle may have one colour by chance: `cell_colours` checks more of a cell.
        let is_whole_picture = layout.note.is_none();
        if !flat.shows(&layout.spans) || is_whole_picture && flat.picture.cell_colours(&layout.spans).is_none() {
            return Err(unclear().into());
        }
        let median = |cell| {
            let pixels = self.middle(cell, 6);
            [0, 1, 2, 3].map(|channel| {
                let mut values: Vec<u8> = pixels.iter().map(|pixel| pixel[channel]).collect();
                *values.select_nth_unstable(pixels.len() / 2).1
            })
        };
        Ok(Layout { colours: layout.spans.cells().map(median).collect(), ..layout })
    }

    /// The layout of the picture as a whole or, if it is no board, of the only board inside.
    fn layout(&self, size: Option<Size>, boards_inside: impl FnOnce() -> Vec<BoardInside>) -> Result<Layout, Refusal> {
        let spans = match size {
            Some(size) if let Some(spans) = self.spans_of_size(size)? => spans,
            Some(size) => {
                let mut boards = boards_inside();
                boards.retain(|board| board.spans.size() == size);
                match boards.len() {
                    0 => self.division_with_uniform_middles(size)?,
                    1 => return Ok(boards.swap_remove(0).into()),
                    count => return Err(several_boards(count, size).into()),
                }
            }
            None => match self.visible_spans() {
                Ok(spans) => spans,
                Err(sizes) => return self.only_board(boards_inside(), sizes),
            },
        };
        Ok(Layout { colours: self.middle_colours(&spans)?, spans, note: None })
    }

    /// The only board inside the picture. Otherwise the error has the sizes of all possible boards; `sizes` are those
    /// of the picture as a whole.
    fn only_board(&self, mut boards: Vec<BoardInside>, mut sizes: Vec<Size>) -> Result<Layout, Refusal> {
        if sizes.is_empty() && boards.len() == 1 && boards[0].is_certain {
            return Ok(boards.swap_remove(0).into());
        }
        sizes.extend(boards.iter().map(|board| board.spans.size()));
        let mut known = HashSet::new();
        sizes.retain(|&size| known.insert(size));
        let expected = match sizes[..] {
            [] => "the size of the board: add --size ROWSxCOLS, or cut off what is around the board".to_owned(),
            [(rows, cols)] if boards.len() <= 1 => {
                format!("the size of the board: add --size {rows}x{cols} if the board has this size")
            }
            [size] => return Err(several_boards(boards.len(), size).into()),
            _ => {
                let reading = |(rows, cols): Size| PossibleReading {
                    format: Format::Picture,
                    description: format!("one board of {rows} x {cols}"),
                    flags: format!("--size {rows}x{cols}"),
                };
                return Err(Refusal::Sizes(sizes.into_iter().map(reading).collect()));
            }
        };
        Err(Mismatch::new(format!("a picture of {} x {} pixels", self.height, self.width), expected).into())
    }

    /// The cells that the picture as a whole shows. Fails with the sizes that it may have. In a large picture, cells
    /// more than twice as long as wide between uncertain lines are parts of a page.
    fn visible_spans(&self) -> Result<Spans, Vec<Size>> {
        let is_small = self.pixels.len() <= MAX_CELLS;
        let is_likely = |spans: &Spans| is_small || is_similar(spans.rows[0].len(), spans.cols[0].len(), 1);
        let mut sizes = match self.lined_grid() {
            Some(lined) if lined.is_certain => return Ok(lined.spans),
            Some(lined) if is_likely(&lined.spans) => vec![lined.spans.size(), lined.largest_size],
            _ => Vec::new(),
        };
        sizes.extend(self.sizes_of_blocks());
        let pixels = (self.height, self.width);
        if is_small && !self.is_lossy {
            match sizes[..] {
                [] if self.may_have_cells_of_one_pixel() => return Ok(self.divisions(pixels).swap_remove(0)),
                [] => {}
                _ => sizes.push(pixels),
            }
        }
        Err(sizes)
    }

    /// The cells of a board of this size that edges or lines show; `None` if neither show them.
    fn spans_of_size(&self, size: Size) -> Result<Option<Spans>, Mismatch> {
        let ((rows, cols), pixels) = (size, (self.height, self.width));
        let mut divisions = self.divisions(size);
        if divisions.is_empty() || rows.saturating_mul(cols) > MAX_CELLS {
            let found = format!("a picture of {} x {} pixels for {rows} x {cols} cells", self.height, self.width);
            let expected = format!("--size ROWSxCOLS with at most {MAX_CELLS} cells of one pixel or more");
            return Mismatch::fail(found, expected);
        }
        let is_shown = |spans: &Spans| size == pixels || self.is_pure(spans);
        if let Some(shown) = divisions.iter().position(is_shown) {
            return Ok(Some(divisions.swap_remove(shown)));
        }
        match self.lined_grid() {
            Some(lined) if lined.spans.size() == size => Ok(Some(lined.spans)),
            Some(lined) if lined.is_certain => {
                let (shown_rows, shown_cols) = lined.spans.size();
                let found = format!("lines between {shown_rows} x {shown_cols} cells");
                Mismatch::fail(found, format!("{rows} x {cols} cells, the size that was asked for"))
            }
            _ => Ok(None),
        }
    }

    /// The division whose cells have one colour each in their middle. All such divisions have to give the same colours.
    fn division_with_uniform_middles(&self, size: Size) -> Result<Spans, Mismatch> {
        let with_colours = |spans: Spans| self.middle_colours(&spans).map(|colours| (spans, colours));
        let (uniform, mixed): (Vec<_>, Vec<_>) =
            self.divisions(size).into_iter().map(with_colours).partition(Result::is_ok);
        let mut uniform = uniform.into_iter().flatten();
        let Some((spans, colours)) = uniform.next() else {
            let first = mixed.into_iter().find_map(Result::err);
            return Err(first.unwrap_or_else(|| Mismatch::new("no cells", "--size ROWSxCOLS")));
        };
        let is_same =
            |others: Vec<Pixel>| colours.iter().zip(others).all(|(&one, other)| are_near(one, other, TOLERANCE));
        if uniform.all(|(_, others)| is_same(others)) {
            return Ok(spans);
        }
        let found = "something that may be a frame around the board";
        Mismatch::fail(found, "a picture of the board alone: cut off what is around it")
    }

    /// The colours of nearly all pixels in the middle of each cell, row by row.
    fn middle_colours(&self, spans: &Spans) -> Result<Vec<Pixel>, Mismatch> {
        let cols = spans.cols.len();
        let colour = |(index, cell)| {
            let pixels = self.middle(cell, 3);
            let centre = pixels[pixels.len() / 2];
            let near_count = pixels.iter().filter(|&&other| are_near(centre, other, TOLERANCE)).count();
            let place = format!("cell {},{}", index / cols + 1, index % cols + 1);
            if near_count * 10 < pixels.len() * 9 {
                let found = format!("several colours in the middle of {place}");
                let expected = "one colour in each cell: is the size right, and is nothing around the board?";
                return Mismatch::fail(found, expected);
            }
            match centre[3] {
                0 => Mismatch::fail(format!("a transparent {place}"), "a colour in each cell"),
                _ => Ok(centre),
            }
        };
        spans.cells().enumerate().map(colour).collect()
    }
}

fn several_boards(count: usize, (rows, cols): Size) -> Mismatch {
    let found = format!("{count} boards of {rows} x {cols} in one picture");
    Mismatch::new(found, "a picture of one board: cut off what is around it")
}

/// The names of the colours.
fn colour_names(colours: &[Pixel]) -> Vec<String> {
    let words: Vec<&str> = colours.iter().map(|&[r, g, b, _]| nearest_word([r, g, b])).collect();
    match first_repeat(&words) {
        Some(_) => colours.iter().copied().map(colour_code).collect(),
        None => words.into_iter().map(str::to_owned).collect(),
    }
}

fn colour_code([r, g, b, _]: Pixel) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod screenshot_tests;

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows and three columns, each cell 4 x 4 pixels with a dark line left of it and above it.
    fn ppm() -> Vec<u8> {
        let colours: [[u8; 3]; 3] = [[220, 40, 40], [40, 160, 60], [50, 100, 220]];
        let cells = [[0, 1, 2], [2, 0, 0]];
        let mut bytes = b"P6\n# a comment\n12 8\n255\n".to_vec();
        for (y, x) in (0..8).flat_map(|y| (0..12).map(move |x| (y, x))) {
            let is_line = y % 4 == 0 || x % 4 == 0;
            bytes.extend(if is_line { [9, 9, 9] } else { colours[cells[y / 4][x / 4]] });
        }
        bytes
    }

    fn board(bytes: &[u8], size: Option<(usize, usize)>) -> Result<Board, String> {
        let options = ReadOptions { size, ..ReadOptions::default() };
        let read = read(&mut &bytes[..], "p.ppm", "p.ppm", &options).map_err(|error| error.to_string())?;
        Ok(read.unwrap().0.board)
    }

    #[test]
    fn the_middle_of_a_cell_decides() {
        let found = board(&ppm(), Some((2, 3))).unwrap();
        assert_eq!(found.symbols(), ["blue", "green", "red"]);
        assert_eq!(found.cells(), [2, 1, 0, 0, 2, 2]);
    }

    #[test]
    fn a_wrong_size_and_damage_are_refused() {
        for (bytes, size, expected) in [
            (ppm(), Some((3, 2)), "found lines between 2 x 3 cells, expected 3 x 2 cells, the size that was asked for"),
            (ppm(), Some((9, 3)), "found a picture of 8 x 12 pixels for 9 x 3 cells, expected --size"),
            (ppm()[..100].to_vec(), Some((2, 3)), "found a damaged PNM"),
            (b"\x89PNG\r\n\x1a\nrest".to_vec(), None, "found a damaged PNG"),
        ] {
            let error = board(&bytes, size).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        for text in ["P6\n12\n", "P3 1 2\n", "123\n"] {
            assert!(read(&mut text.as_bytes(), "t", "t", &ReadOptions::default()).unwrap().is_none(), "{text}");
        }
    }

    #[test]
    fn without_a_size_each_pixel_is_a_cell() {
        let found = board(b"P3 2 2 1  1 0 0  0 1 0\n0 0 1  1 0 0\n", None).unwrap();
        assert_eq!((found.rows(), found.cols(), found.colours()), (2, 2, 3));
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 2, 1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[250, 250, 10, 10, 10, 10]).unwrap();
        assert_eq!(board(&png, None).unwrap().symbols(), ["black", "yellow"]);
    }

    /// A picture of cells of 6 x 5 pixels with lines of `line` pixels between them and a frame of `frame` pixels.
    fn drawn(cells: &[&[usize]], line: usize, frame: usize) -> Vec<u8> {
        const COLOURS: [[u8; 3]; 4] = [[220, 40, 40], [40, 160, 60], [50, 100, 220], [250; 3]];
        let size = |cells: usize, side: usize| cells * side + (cells - 1) * line + 2 * frame;
        let (width, height) = (size(cells[0].len(), 6), size(cells.len(), 5));
        let at = |x: usize, side: usize, cells: usize| {
            let (cell, offset) = (x.checked_sub(frame)? / (side + line), (x - frame) % (side + line));
            (cell < cells && offset < side).then_some(cell)
        };
        let mut bytes = format!("P6 {width} {height} 255\n").into_bytes();
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let cell = at(y, 5, cells.len()).zip(at(x, 6, cells[0].len()));
            bytes.extend(cell.map_or([250; 3], |(row, col)| COLOURS[cells[row][col]]));
        }
        bytes
    }

    const CELLS: [&[usize]; 3] = [&[0, 1, 1, 0], &[2, 2, 0, 1], &[1, 0, 2, 0]];

    #[test]
    fn lines_between_cells_show_the_grid() {
        for (line, frame) in [(1, 0), (1, 1), (2, 7), (2, 40)] {
            for size in [None, Some((3, 4))] {
                let found = board(&drawn(&CELLS, line, frame), size).unwrap();
                assert_eq!((found.rows(), found.cols(), found.colours()), (3, 4, 3), "{line} {frame}");
                assert_eq!(found.cells(), [2, 1, 1, 2, 0, 0, 2, 1, 1, 2, 0, 2], "{line} {frame}");
            }
        }
        // Lines of the colour of a whole row: the row may be a margin.
        let row: [&[usize]; 3] = [&[0, 1, 0, 1], &[1, 0, 1, 1], &[3, 3, 3, 3]];
        for frame in [0, 1, 2] {
            let error = board(&drawn(&row, 2, frame), None).unwrap_err();
            assert!(error.contains("--size 2x4") && error.contains("--size 3x4"), "{frame}: {error}");
        }
        // The picture ends within the third row.
        let cut = [b"P6 32 17 255\n", &drawn(&CELLS, 2, 1)[13..][..3 * 32 * 17]].concat();
        assert!(board(&cut, None).unwrap_err().contains("--size 2x4"));
        // A black frame of three pixels around it.
        let around = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let size: Vec<usize> = text.split_whitespace().skip(1).take(2).map(|n| n.parse().unwrap()).collect();
            let pixels = &bytes[bytes.len() - 3 * size[0] * size[1]..];
            let mut framed = format!("P6 {} {} 255\n", size[0] + 6, size[1] + 6).into_bytes();
            let black = |pixels: usize| vec![0; 3 * pixels];
            framed.extend(black(3 * (size[0] + 6)));
            pixels.chunks(3 * size[0]).for_each(|row| framed.extend([&black(3)[..], row, &black(3)].concat()));
            framed.extend(black(3 * (size[0] + 6)));
            framed
        };
        let error = board(&around(&drawn(&row, 2, 0)), None).unwrap_err();
        assert!(error.contains("--size 3x4"), "{error}");
        let error = board(&drawn(&CELLS, 1, 0), Some((3, 3))).unwrap_err();
        assert!(error.contains("found lines between 3 x 4 cells, expected 3 x 3 cells"), "{error}");
    }

    #[test]
    fn blocks_are_asked_about_and_a_frame_is_left_out() {
        for frame in [0, 2, 30] {
            let error = board(&drawn(&CELLS, 0, frame), None).unwrap_err();
            assert!(error.contains("--size 3x4 for one board of 3 x 4"), "{frame}: {error}");
            let found = board(&drawn(&CELLS, 0, frame), Some((3, 4))).unwrap();
            assert_eq!(found.cells(), [2, 1, 1, 2, 0, 0, 2, 1, 1, 2, 0, 2], "{frame}");
        }
        // A row of one colour at the edge is no frame.
        let plain: [&[usize]; 3] = [&[1, 1, 1], &[0, 2, 0], &[2, 0, 1]];
        assert_eq!(board(&drawn(&plain, 0, 60), Some((3, 3))).unwrap().cells()[..4], [1, 1, 1, 2]);
    }

    #[test]
    fn a_pixel_is_a_cell_only_where_nothing_speaks_against_it() {
        // Pixels of a picture that was made smaller: every second colour is a mix of its neighbours.
        let blurred: String = (0..7)
            .map(|y| (0..7).map(|x| format!("{} 9 0 ", (x * 40 + y * 90) % 250)).collect::<String>() + "\n")
            .collect();
        let error = board(format!("P3 7 7 255\n{blurred}").as_bytes(), None).unwrap_err();
        assert!(error.contains("add --size ROWSxCOLS"), "{error}");
        // Lines of a pixel around cells of a pixel.
        let lined = b"P1 5 5\n1 1 1 1 1\n1 0 1 0 1\n1 1 1 1 1\n1 0 1 1 1\n1 1 1 1 1\n";
        assert!(board(lined, None).unwrap_err().contains("--size"));
    }

    #[test]
    fn a_transparent_cell_has_no_colour() {
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, 2, 1);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(&[9, 9, 9, 255, 0, 0, 0, 0]).unwrap();
        assert!(board(&png, None).unwrap_err().contains("found a transparent cell 1,2, expected a colour"));
    }
}
