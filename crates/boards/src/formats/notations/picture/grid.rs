//! Where the cells of a picture are: the grid that lines or gaps between cells show, the sizes that blocks of equal
//! pixels allow, and the even division by a size that the caller names.

use crate::MAX_CELLS;
use std::collections::HashSet;
use std::iter::{once, successors};
use std::ops::Range;

/// Red, green and blue, composited over white, then alpha.
pub(super) type Pixel = [u8; 4];

/// The numbers of rows and of columns.
pub(super) type Size = (usize, usize);

/// How far two pixels of one colour may differ in each component.
pub(super) const TOLERANCE: u8 = 8;

/// The most colours of a picture whose pixels are cells. A picture with more colours counts as a drawing.
const MAX_COLOURS_OF_PIXELS: usize = 36;

/// The most colours of a picture whose pixels may be cells although the colours hardly differ.
const MAX_NUMBERED_COLOURS: usize = 12;

pub(super) struct Picture {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Pixel>,
    /// Whether compression has changed the pixels, as in a JPEG.
    pub is_lossy: bool,
}

/// A part of a picture.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Area {
    pub ys: Range<usize>,
    pub xs: Range<usize>,
}

/// The pixels of each row and of each column of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spans {
    pub rows: Vec<Range<usize>>,
    pub cols: Vec<Range<usize>>,
}

impl Spans {
    pub fn size(&self) -> Size {
        (self.rows.len(), self.cols.len())
    }

    /// The rows and the columns of pixels of each cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (&Range<usize>, &Range<usize>)> {
        self.rows.iter().flat_map(|ys| self.cols.iter().map(move |xs| (ys, xs)))
    }
}

/// The cells between lines or gaps.
pub(super) struct LinedGrid {
    pub spans: Spans,
    /// The size of the board if margins in the colour of the lines that are wider than on other sides have cells.
    pub largest_size: Size,
    /// Whether no other grid explains the picture: lines of one colour separate all neighbours.
    pub is_certain: bool,
}

pub(super) fn are_near(one: Pixel, other: Pixel, tolerance: u8) -> bool {
    one.iter().zip(other).all(|(a, b)| a.abs_diff(b) <= tolerance)
}

/// Whether a colour lies between two others, as blurred edges of cells do in a picture that was made smaller.
fn is_mix(colour: Pixel, colours: &[Pixel]) -> bool {
    let distance = |one: Pixel, other: Pixel| (0..4).map(|i| i32::from(one[i].abs_diff(other[i]))).fold(0, i32::max);
    let is_between = |one: Pixel, other: Pixel| {
        let (length, offset) = (distance(one, other), distance(one, colour));
        let at = |i: usize| i32::from(one[i]) + (i32::from(other[i]) - i32::from(one[i])) * offset / length.max(1);
        (TOLERANCE.into()..length).contains(&offset) && (0..4).all(|i| (at(i) - i32::from(colour[i])).abs() <= 4)
    };
    colours.iter().any(|&one| colours.iter().any(|&other| is_between(one, other)))
}

/// Divides a range into parts that are equal up to rounding.
pub(super) fn divide(span: Range<usize>, parts: usize) -> Vec<Range<usize>> {
    let at = move |part: usize| span.start + part * span.len() / parts;
    (0..parts).map(|part| at(part)..at(part + 1)).collect()
}

/// The lines of pixels of an area: its rows from top to bottom, or its columns from left to right.
pub(super) struct Axis<'a> {
    picture: &'a Picture,
    pub lines: Range<usize>,
    /// The positions of the pixels within a line.
    offsets: Range<usize>,
    is_rows: bool,
}

impl Axis<'_> {
    fn pixel(&self, line: usize, at: usize) -> Pixel {
        let (x, y) = if self.is_rows { (at, line) } else { (line, at) };
        self.picture.pixels[y * self.picture.width + x]
    }

    /// The colour of a line of pixels; `None` if it has several colours.
    fn solid_colour(&self, line: usize) -> Option<Pixel> {
        let first = self.pixel(line, self.offsets.start);
        self.offsets.clone().all(|at| are_near(first, self.pixel(line, at), TOLERANCE)).then_some(first)
    }

    /// The lines from the first to the last that are no margins; `None` if all are margins.
    fn without_margins(&self, is_margin: impl Fn(usize) -> bool) -> Option<Range<usize>> {
        let from = self.lines.clone().find(|&line| !is_margin(line))?;
        let to = self.lines.clone().rfind(|&line| !is_margin(line))?;
        Some(from..to + 1)
    }

    /// The lines that differ from the line before, counted from the first line of the area.
    fn edges(&self, tolerance: u8) -> Vec<usize> {
        let differs = |line: usize, at: usize| !are_near(self.pixel(line - 1, at), self.pixel(line, at), tolerance);
        let edges = self.lines.clone().skip(1).filter(|&line| self.offsets.clone().any(|at| differs(line, at)));
        edges.map(|line| line - self.lines.start).collect()
    }

    /// The longest run of neighbouring pixels in which a line differs from the line before, for each line but the
    /// first.
    pub fn longest_runs(&self) -> Vec<usize> {
        let longest = |line: usize| {
            let (mut run, mut longest) = (0, 0);
            for at in self.offsets.clone() {
                run = if are_near(self.pixel(line - 1, at), self.pixel(line, at), TOLERANCE) { 0 } else { run + 1 };
                longest = longest.max(run);
            }
            longest
        };
        self.lines.clone().skip(1).map(longest).collect()
    }

    /// The fewest equal parts such that lines differ only between parts; the number of lines without such parts.
    fn fewest_parts(&self) -> usize {
        let (length, edges) = (self.lines.len(), self.edges(0));
        let fits = |parts: &usize| {
            // Offsets are in pixels times `parts`. Rounding may move the edges of large cells by one pixel.
            let slack = if length >= 4 * parts { *parts } else { 0 };
            edges.iter().map(|at| (at * parts) % length).all(|offset| offset.min(length - offset) <= slack)
        };
        if edges.len() >= MAX_CELLS { length } else { (1..=(length / 2).min(MAX_CELLS)).find(fits).unwrap_or(length) }
    }

    /// The cells: wide parts whose lines are equal and have several colours. Also whether they are certain: lines of
    /// one colour separate all neighbours, and margins are no wider than a cell. The first of these lines sets
    /// `colour`. `None` if widths differ, or if two cells touch or are too far apart.
    fn cells(&self, colour: &mut Option<Pixel>) -> Option<(Vec<Range<usize>>, bool)> {
        let start = self.lines.start;
        let inner = self.edges(TOLERANCE).into_iter().map(|at| at + start);
        let edges: Vec<usize> = once(start).chain(inner).chain([self.lines.end]).collect();
        let parts = edges.windows(2).map(|edge| edge[0]..edge[1]);
        let patterned: Vec<Range<usize>> = parts.filter(|part| self.solid_colour(part.start).is_none()).collect();
        let widest = patterned.iter().map(Range::len).max()?;
        let cells: Vec<Range<usize>> = patterned.into_iter().filter(|part| 2 * part.len() >= widest).collect();
        let narrowest = cells.iter().map(Range::len).min()?;
        if widest < 3 || widest - narrowest > 1 + widest / 16 {
            return None;
        }
        let mut is_certain = true;
        for pair in cells.windows(2) {
            let gap = pair[0].end..pair[1].start;
            if gap.is_empty() || 2 * gap.len() > widest {
                return None;
            }
            let solid = gap.clone().find_map(|line| self.solid_colour(line));
            is_certain &= solid.is_some_and(|solid| are_near(*colour.get_or_insert(solid), solid, TOLERANCE));
        }
        // Lines before the first cell and after the last cell are margins.
        let (first, last) = (cells.first()?.start, cells.last()?.end);
        is_certain &= first - start <= widest && self.lines.end - last <= widest;
        Some((cells, is_certain))
    }

    /// The numbers of lines of `colour` directly before and after these cells.
    fn margins(&self, cells: &[Range<usize>], colour: Pixel) -> [usize; 2] {
        let (Some(first), Some(last)) = (cells.first(), cells.last()) else { return [0; 2] };
        let is_line = |line: &usize| self.solid_colour(*line).is_some_and(|solid| are_near(solid, colour, TOLERANCE));
        let before = (self.lines.start..first.start).rev().take_while(is_line).count();
        [before, (last.end..self.lines.end).take_while(is_line).count()]
    }
}

impl Picture {
    /// The rows of pixels of an area.
    pub fn rows(&self, area: &Area) -> Axis<'_> {
        Axis { picture: self, lines: area.ys.clone(), offsets: area.xs.clone(), is_rows: true }
    }

    /// The columns of pixels of an area.
    pub fn columns(&self, area: &Area) -> Axis<'_> {
        Axis { picture: self, lines: area.xs.clone(), offsets: area.ys.clone(), is_rows: false }
    }

    pub fn whole_area(&self) -> Area {
        Area { ys: 0..self.height, xs: 0..self.width }
    }

    /// The area without the lines of one colour around it; `None` if nothing is left.
    fn without_solid_lines(&self) -> Option<Area> {
        let inside = |axis: &Axis<'_>| axis.without_margins(|line| axis.solid_colour(line).is_some());
        let mut area = self.whole_area();
        loop {
            let before = area.clone();
            area.ys = inside(&self.rows(&area))?;
            area.xs = inside(&self.columns(&area))?;
            if area == before {
                return Some(area);
            }
        }
    }

    /// The whole picture, then the area inside a frame of one colour, then the area inside a second frame.
    fn areas(&self) -> Vec<Area> {
        successors(Some(self.whole_area()), |area| self.without_frame(area)).take(3).collect()
    }

    /// The area inside the frame of one colour; `None` if there is no frame, or nothing inside.
    fn without_frame(&self, area: &Area) -> Option<Area> {
        let (rows, columns) = (self.rows(area), self.columns(area));
        let colour = rows.pixel(rows.lines.start, rows.offsets.start);
        let is_frame =
            |axis: &Axis<'_>, line| axis.solid_colour(line).is_some_and(|solid| are_near(colour, solid, TOLERANCE));
        let inside = |axis: &Axis<'_>| {
            let inside = axis.without_margins(|line| is_frame(axis, line))?;
            (inside.start > axis.lines.start && inside.end < axis.lines.end).then_some(inside)
        };
        Some(Area { ys: inside(&rows)?, xs: inside(&columns)? })
    }

    /// The cells that lines or gaps between them show.
    pub fn lined_grid(&self) -> Option<LinedGrid> {
        let inside = self.without_solid_lines()?;
        let mut colour = None;
        let (rows, are_rows_certain) = self.rows(&inside).cells(&mut colour)?;
        let (cols, are_cols_certain) = self.columns(&inside).cells(&mut colour)?;
        // Margins are measured beside the cells only, because a frame of another colour may surround them.
        let (whole, Area { ys, xs }) = (self.whole_area(), inside);
        let axes = [(self.rows(&Area { ys: whole.ys, xs }), &rows), (self.columns(&Area { ys, xs: whole.xs }), &cols)];
        let margins = axes.each_ref().map(|(axis, cells)| colour.map_or([0; 2], |colour| axis.margins(cells, colour)));
        // A frame is equally wide on all sides. A margin that is wider by a cell may be a row or column of this colour.
        let frame = margins.as_flattened().iter().copied().min().unwrap_or(0);
        let margin_cells = |cells: &[Range<usize>], [before, after]: [usize; 2]| {
            let pitch = cells.get(1).map_or(cells[0].len(), |next| next.start - cells[0].start);
            [before, after].map(|margin| (margin - frame + pitch - cells[0].len()) / pitch).iter().sum::<usize>()
        };
        let largest_size = (rows.len() + margin_cells(&rows, margins[0]), cols.len() + margin_cells(&cols, margins[1]));
        let spans = Spans { rows, cols };
        let has_parts = |paper| self.beside(&spans, paper).as_flattened().iter().any(|&(_, has_parts)| has_parts);
        let is_whole = largest_size == spans.size() && !colour.is_some_and(has_parts);
        let is_certain = are_rows_certain && are_cols_certain && is_whole;
        (spans.rows.len() * spans.cols.len() > 1).then_some(LinedGrid { spans, largest_size, is_certain })
    }

    /// What stands beside a board, above and below, then left and right: whether anything but `paper` does within a
    /// gap, or the picture ends there; and whether parts of cells do, with paper between them.
    pub fn beside(&self, spans: &Spans, paper: Pixel) -> [[(bool, bool); 2]; 2] {
        let (whole, Spans { rows, cols }) = (self.whole_area(), spans);
        [(self.rows(&whole), rows, cols), (self.columns(&whole), cols, rows)].map(|(axis, cells, across)| {
            let reach = 2 + cells.get(1).map_or(0, |next| next.start.saturating_sub(cells[0].end));
            let middles: Vec<usize> = across.iter().map(|span| span.start.midpoint(span.end)).collect();
            let gaps: Vec<usize> = across.windows(2).map(|pair| pair[0].end.midpoint(pair[1].start)).collect();
            let is_paper = |line: usize, places: &[usize]| {
                let is_near = |at: &&usize| are_near(axis.pixel(line, **at), paper, TOLERANCE);
                2 * places.iter().filter(is_near).count() > places.len()
            };
            let before = (0..cells[0].start).rev().take(reach).collect();
            let after = (cells[cells.len() - 1].end..axis.lines.end).take(reach).collect();
            [before, after].map(|lines: Vec<usize>| {
                let is_open = |line: &&usize| is_paper(**line, &middles);
                // Round corners of the last cells may come before the paper.
                let mut beyond = lines.iter().skip_while(|line| !is_open(line));
                let has_parts = beyond.any(|line| !is_open(&line) && is_paper(*line, &gaps));
                (lines.iter().filter(is_open).count() < reach, has_parts)
            })
        })
    }

    /// The sizes of boards whose cells are blocks of equal pixels: in the whole picture, and inside its frames.
    pub fn sizes_of_blocks(&self) -> impl Iterator<Item = Size> {
        self.areas().into_iter().filter_map(|area| {
            let axes = [self.rows(&area), self.columns(&area)];
            let [rows, cols] = axes.each_ref().map(|axis| axis.fewest_parts());
            let is_coarse = rows < area.ys.len() || cols < area.xs.len();
            // Blocks of a large picture are no cells if edges show fewer than half of the lines between them.
            let is_shown = |(axis, parts): (&Axis<'_>, usize)| 2 * axis.edges(0).len() + 1 >= parts;
            let are_cells = self.pixels.len() <= MAX_CELLS || axes.iter().zip([rows, cols]).all(is_shown);
            (is_coarse && are_cells && rows.saturating_mul(cols) <= MAX_CELLS).then_some((rows, cols))
        })
    }

    /// Whether each pixel may be a cell: few colours that differ clearly, few equal neighbours, and no lines.
    pub fn may_have_cells_of_one_pixel(&self) -> bool {
        let colours = Vec::from_iter(self.pixels.iter().copied().collect::<HashSet<Pixel>>());
        if colours.len() > MAX_COLOURS_OF_PIXELS {
            return false;
        }
        let are_apart =
            (1..colours.len()).all(|i| colours[..i].iter().all(|&other| !are_near(colours[i], other, TOLERANCE)));
        let (columns, rows) = (self.columns(&self.whole_area()), self.rows(&self.whole_area()));
        let is_lined = |axis: &Axis<'_>| axis.lines.clone().any(|line| axis.solid_colour(line).is_some());
        let is_lined = self.width.min(self.height) >= 3 && is_lined(&columns) && is_lined(&rows);
        let equal = |axis: &Axis<'_>| {
            let pairs =
                (axis.lines.start..axis.lines.end - 1).flat_map(|line| axis.offsets.clone().map(move |at| (line, at)));
            pairs.filter(|&(line, at)| axis.pixel(line, at) == axis.pixel(line + 1, at)).count()
        };
        let pairs = 2 * self.pixels.len() - self.width - self.height;
        let has_areas = pairs >= 12 && 4 * (equal(&columns) + equal(&rows)) > 3 * pairs;
        let mixed = colours.iter().filter(|&&colour| is_mix(colour, &colours)).count();
        let are_blurred = colours.len() >= 6 && 2 * mixed > colours.len();
        // Pictures whose pixels are colour numbers have close values (0, 1, 2, ..), but few of them.
        (are_apart || colours.len() <= MAX_NUMBERED_COLOURS) && !are_blurred && !is_lined && !has_areas
    }

    /// The even divisions into rows and columns: of the whole picture, then of the areas inside frames.
    pub fn divisions(&self, (rows, cols): Size) -> Vec<Spans> {
        let fits = |area: &Area| (1..=area.ys.len()).contains(&rows) && (1..=area.xs.len()).contains(&cols);
        let division = |area: Area| Spans { rows: divide(area.ys, rows), cols: divide(area.xs, cols) };
        self.areas().into_iter().filter(fits).map(division).collect()
    }

    /// The pixels of a cell without a margin of one part in `parts` on each side.
    pub fn middle(&self, (ys, xs): (&Range<usize>, &Range<usize>), parts: usize) -> Vec<Pixel> {
        let (ys, xs) = (without_margin(ys, parts), without_margin(xs, parts));
        ys.flat_map(|y| self.pixels[y * self.width..][xs.clone()].iter().copied()).collect()
    }

    /// Whether each cell is of one colour up to its edges; where cells are large, rounding may move an edge by a pixel.
    pub fn is_pure(&self, spans: &Spans) -> bool {
        let shrunk = |span: &Range<usize>| if span.len() >= 4 { span.start + 1..span.end - 1 } else { span.clone() };
        spans.cells().all(|(ys, xs)| {
            let (ys, xs) = (shrunk(ys), shrunk(xs));
            let first = self.pixels[ys.start * self.width + xs.start];
            ys.flat_map(|y| &self.pixels[y * self.width..][xs.clone()]).all(|&other| are_near(first, other, TOLERANCE))
        })
    }
}

/// A span without a margin of one part in `parts` at each end.
pub(super) fn without_margin(span: &Range<usize>, parts: usize) -> Range<usize> {
    let margin = span.len() / parts;
    span.start + margin..span.end - margin
}
