//! [`Format::Picture`](crate::Format::Picture): a picture of a board, PNG or PNM (P1 to P6).
//!
//! The caller names the size, lines between the cells show it, or each pixel is a cell. Where a picture shows blocks
//! of equal pixels, it is asked about: two cells of one colour look like one. The middle of each cell decides its
//! colour. A colour is named by the word that is nearest, or by its code `#rrggbb` where two colours have the same
//! nearest word.

mod grid;

use crate::error::Reading;
use crate::formats::cells::colour_names::nearest_word;
use crate::formats::cells::grid::Grid;
use crate::formats::cells::palette::Declared;
use crate::formats::problem::Problem;
use crate::{BoardError, Entry, Format, MAX_CELLS, Position, ReadOptions};
use grid::{Picture, Pixel, Spans, TOLERANCE, are_near};
use std::io::{BufRead, Cursor, Read};
use std::ops::Range;

/// The most bytes of a picture file.
const MAX_FILE: u64 = 64 << 20;

/// The most pixels of a picture.
const MAX_PIXELS: usize = 1 << 26;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Reads the board of a picture; `None` if the input is no picture, of which nothing is read then.
///
/// # Errors
/// When the picture is damaged, is too large, or its cells are not of one colour each.
pub(crate) fn read<R: BufRead>(
    input: &mut R,
    path: &str,
    file: &str,
    options: &ReadOptions,
) -> Result<Option<Entry>, BoardError> {
    let is_wanted = options.format == Some(Format::Picture);
    let is_allowed = options.format.is_none() || is_wanted;
    // An input that cannot be read fails when its first line is read.
    let begin = input.fill_buf().unwrap_or_default();
    if !is_allowed || !(is_wanted || begin.starts_with(PNG) || begins_as_pnm(begin)) {
        return Ok(None);
    }
    let at = Position { line: 1, column: 0 };
    let fail = |found: String, expected: &str| BoardError::at(path, at, found, expected);
    let mut bytes = Vec::new();
    let source = |source| BoardError::Read { file: path.to_owned(), source };
    input.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(source)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(fail(format!("more than {MAX_FILE} bytes"), "a smaller picture"));
    }
    let decoded = if bytes.starts_with(PNG) { decode_png(&bytes) } else { decode_pnm(&bytes) };
    let picture = decoded.map_err(|reason| fail(reason, "a picture, PNG or PNM (P1 to P6)"))?;
    let board = picture.board(file, options).map_err(|refusal| match refusal {
        Refusal::Problem(Problem { found, expected }) => fail(found, &expected),
        Refusal::Sizes(readings) => BoardError::Ambiguous { file: path.to_owned(), position: at, readings },
    })?;
    Ok(Some(Entry { board, published: None }))
}

fn begins_as_pnm(begin: &[u8]) -> bool {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    matches!(begin, [b'P', b'1'..=b'6', space, rest @ ..] if is_space(*space)
        && rest.iter().find(|byte| !is_space(**byte)).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'#')
        && pnm_header(begin).is_some())
}

fn decode_png(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| format!("a damaged PNG ({error})"))?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let size = reader.output_buffer_size().filter(|_| width.saturating_mul(height) <= MAX_PIXELS);
    let Some(size) = size else { return Err(format!("a picture of {width} x {height} pixels")) };
    let mut data = vec![0; size];
    let frame = reader.next_frame(&mut data).map_err(|error| format!("a damaged PNG ({error})"))?;
    let pixel: fn(&[u8]) -> Pixel = match frame.color_type.samples() {
        1 => |sample| over_white([sample[0]; 3], 255),
        2 => |sample| over_white([sample[0]; 3], sample[1]),
        3 => |sample| over_white([sample[0], sample[1], sample[2]], 255),
        _ => |sample| over_white([sample[0], sample[1], sample[2]], sample[3]),
    };
    let pixels = data[..frame.buffer_size()].chunks_exact(frame.color_type.samples()).map(pixel).collect();
    Ok(Picture { width, height, pixels })
}

fn over_white(colour: [u8; 3], alpha: u8) -> Pixel {
    let mix = |value: u8| ((u32::from(value) * u32::from(alpha) + 255 * (255 - u32::from(alpha))) / 255) as u8;
    let [r, g, b] = colour.map(mix);
    [r, g, b, alpha]
}

/// Width, height, the largest value, and where the pixels begin. A bitmap (P1, P4) has no largest value: 1 is black.
fn pnm_header(bytes: &[u8]) -> Option<([usize; 3], usize)> {
    let mut at = 2;
    let mut numbers = [1; 3];
    let count = if is_bitmap(bytes) { 2 } else { 3 };
    for number in &mut numbers[..count] {
        loop {
            match bytes.get(at)? {
                b'#' => at += bytes[at..].iter().position(|byte| *byte == b'\n')?,
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => break,
            }
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        *number = std::str::from_utf8(&bytes[at..at + digits]).ok()?.parse().ok()?;
        at += digits;
    }
    bytes.get(at)?.is_ascii_whitespace().then_some((numbers, at + 1))
}

fn is_bitmap(bytes: &[u8]) -> bool {
    matches!(bytes, [b'P', b'1' | b'4', ..])
}

fn decode_pnm(bytes: &[u8]) -> Result<Picture, String> {
    let damaged = || "a damaged PNM".to_owned();
    let ([width, height, largest], begin) = pnm_header(bytes).ok_or_else(damaged)?;
    let pixels = width.saturating_mul(height);
    if !(1..=MAX_PIXELS).contains(&pixels) || !(1..=255).contains(&largest) {
        return Err(format!("a picture of {width} x {height} pixels with values up to {largest}"));
    }
    let kind = bytes[1];
    let samples = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let raw = &bytes[begin..];
    let values: Vec<usize> = match kind {
        // Eight pixels a byte; each row begins a byte.
        b'4' => {
            let row_bytes = width.div_ceil(8);
            let row = |row: &[u8]| (0..width).map(|x| usize::from(row[x / 8] >> (7 - x % 8) & 1)).collect::<Vec<_>>();
            raw.chunks_exact(row_bytes).take(height).flat_map(row).collect()
        }
        b'5' | b'6' => raw.iter().take(samples * pixels).map(|&byte| byte.into()).collect(),
        // The digits of a bitmap need no spaces between them.
        b'1' => raw
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .map(|byte| usize::from(byte.wrapping_sub(b'0')))
            .collect(),
        _ => {
            let text = std::str::from_utf8(raw).map_err(|_| damaged())?;
            let numbers = text.split_ascii_whitespace().take(samples * pixels).map(str::parse);
            numbers.collect::<Result<_, _>>().map_err(|_| damaged())?
        }
    };
    if values.len() < samples * pixels || values.iter().any(|&value| value > largest) {
        return Err(damaged());
    }
    let scale = |value: usize| {
        let level = (value * 255 / largest) as u8;
        if is_bitmap(bytes) { 255 - level } else { level }
    };
    let pixel = |pixel: &[usize]| over_white([pixel[0], pixel[samples / 2], pixel[samples - 1]].map(scale), 255);
    let pixels = values[..samples * pixels].chunks_exact(samples).map(pixel).collect();
    Ok(Picture { width, height, pixels })
}

/// Why a picture is no board.
enum Refusal {
    Problem(Problem),
    /// Several sizes explain the picture.
    Sizes(Vec<Reading>),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl Picture {
    fn board(&self, name: &str, options: &ReadOptions) -> Result<crate::Board, Refusal> {
        let spans = match options.size {
            Some(size) => self.spans_of(size)?,
            None => self.spans_shown()?,
        };
        self.colour(&spans, name, options)
    }

    /// The cells that the picture itself shows.
    fn spans_shown(&self) -> Result<Spans, Refusal> {
        let lined = self.lined();
        let mut sizes = self.sizes_of_blocks();
        match lined {
            Some(lined) if lined.is_certain => return Ok(lined.spans),
            Some(lined) => {
                sizes.splice(0..0, [(lined.spans.rows.len(), lined.spans.cols.len()), lined.largest]);
            }
            None if sizes.is_empty() && self.pixels.len() <= MAX_CELLS && self.has_cells_of_a_pixel() => {
                return self.spans_of((self.height, self.width)).map_err(Refusal::from);
            }
            None => {}
        }
        let found = format!("a picture of {} x {} pixels", self.height, self.width);
        if sizes.is_empty() {
            return Err(Problem::new(found, "the size of the board: add --size ROWSxCOLS").into());
        }
        if self.pixels.len() <= MAX_CELLS {
            sizes.push((self.height, self.width));
        }
        let all = std::mem::take(&mut sizes);
        all.into_iter().for_each(|size| {
            if !sizes.contains(&size) {
                sizes.push(size)
            }
        });
        if let [(rows, cols)] = sizes[..] {
            let expected =
                format!("the size of the board: add --size {rows}x{cols} if it has so many rows and columns");
            return Err(Problem::new(found, expected).into());
        }
        let reading = |(rows, cols): (usize, usize)| Reading {
            format: Format::Picture,
            text: format!("one board of {rows} x {cols}"),
            choose: format!("--size {rows}x{cols}"),
        };
        Err(Refusal::Sizes(sizes.into_iter().map(reading).collect()))
    }

    /// The cells of a board of this size.
    fn spans_of(&self, (rows, cols): (usize, usize)) -> Result<Spans, Problem> {
        let (width, height) = (self.width, self.height);
        let mut divided = self.divided((rows, cols));
        if divided.is_empty() || rows.saturating_mul(cols) > MAX_CELLS {
            let found = format!("a picture of {height} x {width} pixels for {rows} x {cols} cells");
            return Problem::fail(
                found,
                format!("--size ROWSxCOLS with at most {MAX_CELLS} cells of one pixel or more"),
            );
        }
        if (rows, cols) == (height, width) {
            return Ok(divided.swap_remove(0));
        }
        if let Some(pure) = divided.iter().position(|spans| self.is_pure(spans)) {
            return Ok(divided.swap_remove(pure));
        }
        if let Some(lined) = self.lined() {
            let shown = (lined.spans.rows.len(), lined.spans.cols.len());
            if shown == (rows, cols) {
                return Ok(lined.spans);
            }
            if lined.is_certain {
                let found = format!("lines between {} x {} cells", shown.0, shown.1);
                return Problem::fail(found, format!("{rows} x {cols} cells, the size that was asked for"));
            }
        }
        self.alike_in_the_middle(divided)
    }

    /// The division whose cells have one colour each in their middle. All such divisions have to agree.
    fn alike_in_the_middle(&self, divided: Vec<Spans>) -> Result<Spans, Problem> {
        let mut found: Option<(Spans, Vec<Pixel>)> = None;
        let mut problem = None;
        for spans in divided {
            match (self.colours_of(&spans), &found) {
                (Ok(colours), None) => found = Some((spans, colours)),
                (Ok(colours), Some((_, others))) => {
                    if colours.iter().zip(others).any(|(&one, &other)| !are_near(one, other, TOLERANCE)) {
                        let found = "something that may be a frame around the board";
                        return Problem::fail(found, "a picture of the board alone: cut off what is around it");
                    }
                }
                (Err(error), _) => {
                    problem.get_or_insert(error);
                }
            }
        }
        match (found, problem) {
            (Some((spans, _)), _) => Ok(spans),
            (None, problem) => Err(problem.unwrap_or_else(|| Problem::new("no cells", "--size ROWSxCOLS"))),
        }
    }

    /// The colours of the cells, row by row.
    fn colours_of(&self, spans: &Spans) -> Result<Vec<Pixel>, Problem> {
        let mut of_cell = Vec::with_capacity(spans.rows.len() * spans.cols.len());
        for (row, ys) in (1..).zip(&spans.rows) {
            for (col, xs) in (1..).zip(&spans.cols) {
                let pixel = self.cell(ys, xs).ok_or_else(|| {
                    let found = format!("several colours in the middle of cell {row},{col}");
                    Problem::new(found, "one colour in each cell: is the size right, and is nothing around the board?")
                })?;
                if pixel[3] == 0 {
                    return Problem::fail(format!("a transparent cell {row},{col}"), "a colour in each cell");
                }
                of_cell.push(pixel);
            }
        }
        Ok(of_cell)
    }

    fn colour(&self, spans: &Spans, name: &str, options: &ReadOptions) -> Result<crate::Board, Refusal> {
        let (rows, cols) = (spans.rows.len(), spans.cols.len());
        // Where each pixel is a cell, nothing has blurred its colour.
        let tolerance = if (rows, cols) == (self.height, self.width) { 0 } else { TOLERANCE };
        let mut colours: Vec<Pixel> = Vec::new();
        let mut of_cell = Vec::with_capacity(rows * cols);
        for pixel in self.colours_of(spans)? {
            let known = colours.iter().position(|&colour| are_near(colour, pixel, tolerance));
            of_cell.push(known.unwrap_or(colours.len()));
            if known.is_none() {
                colours.push(pixel);
            }
        }
        let names = names(&colours);
        let mut grid = Grid::new(Some((rows, cols)), Declared::Nothing, options);
        for (index, colour) in of_cell.into_iter().enumerate() {
            let at = Position { line: index / cols + 1, column: index % cols + 1 };
            grid.push_on(&names[colour], at, false)?;
        }
        grid.finish(name, options.start.unwrap_or_default()).map_err(|(_, problem)| problem.into())
    }

    /// The colour of most pixels in the middle of a cell; `None` if they are not nearly all of that colour.
    fn cell(&self, ys: &Range<usize>, xs: &Range<usize>) -> Option<Pixel> {
        let middle = |span: &Range<usize>| {
            let margin = span.len() / 3;
            span.start + margin..(span.end - margin).max(span.start + margin + 1)
        };
        let (ys, xs) = (middle(ys), middle(xs));
        let pixels: Vec<Pixel> =
            ys.flat_map(|y| xs.clone().map(move |x| (x, y))).map(|(x, y)| self.pixels[y * self.width + x]).collect();
        let alike = |pixel: Pixel| pixels.iter().filter(|&&other| are_near(pixel, other, TOLERANCE)).count();
        let centre = pixels[pixels.len() / 2];
        (alike(centre) * 10 >= pixels.len() * 9).then_some(centre)
    }
}

/// The names of the colours.
fn names(colours: &[Pixel]) -> Vec<String> {
    let words: Vec<&str> = colours.iter().map(|&[r, g, b, _]| nearest_word([r, g, b])).collect();
    let is_twice = |(i, word): (usize, &&str)| words[..i].contains(word);
    if words.iter().enumerate().any(is_twice) {
        return colours.iter().map(|[r, g, b, _]| format!("#{r:02x}{g:02x}{b:02x}")).collect();
    }
    words.into_iter().map(str::to_owned).collect()
}

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

    fn board(bytes: &[u8], size: Option<(usize, usize)>) -> Result<crate::Board, String> {
        let options = ReadOptions { size, ..ReadOptions::default() };
        let read = read(&mut &bytes[..], "p.ppm", "p.ppm", &options).map_err(|error| error.to_string())?;
        Ok(read.unwrap().board)
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
            ([PNG, b"rest"].concat(), None, "found a damaged PNG"),
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
