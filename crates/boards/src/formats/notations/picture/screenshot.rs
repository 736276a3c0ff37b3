//! Boards inside pictures that show more: bars, scores, buttons.
//!
//! A connected region of one colour, such as a background or the lines of a grid, encloses pieces. A board is either
//! many pieces, which are equal squares in complete rows and columns, or one piece, which is a rectangle of equal
//! squares without gaps. In such a rectangle all long edges stand on equidistant lines, and each of these
//! lines has at least one long edge. A reading is not certain if it may be a part of a board, or one of several boards.

use super::grid::{Area, Axis, Picture, Pixel, Spans, TOLERANCE, are_near, divide, without_margin};
use super::regions::{FlatPicture, Region, Regions};
use crate::MAX_CELLS;
use std::ops::Range;

/// The fewest rows, and the fewest columns.
const MIN_ROWS: usize = 3;

/// The smallest side of a cell, in pixels.
const MIN_CELL_SIDE: usize = 8;

/// How many pixels a search may look at, as a multiple of the pixels of the picture.
const MAX_WORK: usize = 48;

/// The most pixels of a picture that is searched: twice those of a large screen. More would take minutes.
const MAX_PIXELS: usize = 1 << 24;

/// A board inside a picture.
pub(super) struct BoardInside {
    pub spans: Spans,
    /// The colours of the cells, row by row.
    pub colours: Vec<Pixel>,
    /// Whether no other board explains these pixels.
    pub is_certain: bool,
}

impl BoardInside {
    /// The rectangle of pixels.
    pub fn area(&self) -> Area {
        let hull = |spans: &[Range<usize>]| spans[0].start..spans[spans.len() - 1].end;
        Area { ys: hull(&self.spans.rows), xs: hull(&self.spans.cols) }
    }

    fn cell_side(&self) -> usize {
        self.spans.rows[0].len().max(self.spans.cols[0].len())
    }

    /// Whether some colour may be that of empty cells: it has two cells or more, none of them below another colour.
    pub fn may_have_empty_cells(&self) -> bool {
        let cols = self.spans.cols.len();
        self.colours[..cols].iter().any(|&colour| {
            let has_colour = |cell: &usize| are_near(self.colours[*cell], colour, TOLERANCE);
            let mut cells = (0..self.colours.len()).filter(has_colour);
            cells.clone().all(|cell| cell < cols || has_colour(&(cell - cols))) && cells.nth(1).is_some()
        })
    }

    /// Whether `other` is the same board again, or contains this board.
    fn is_part_of(&self, other: &Self) -> bool {
        let (part, whole, slack) = (self.area(), other.area(), self.cell_side() / 2);
        let axes = [(&part.ys, &whole.ys), (&part.xs, &whole.xs)];
        let is_within =
            axes.iter().all(|(part, whole)| part.start + slack >= whole.start && part.end <= whole.end + slack);
        let is_smaller = axes.iter().any(|(part, whole)| part.len() + 2 * slack < whole.len());
        let is_same = self.spans.size() == other.spans.size()
            && self.colours.iter().zip(&other.colours).all(|(&one, &other)| are_near(one, other, TOLERANCE));
        is_within && (is_smaller || is_same)
    }
}

impl FlatPicture {
    /// Whether at least half of the middle of each cell is flat in the original picture.
    pub fn shows(&self, spans: &Spans) -> bool {
        spans.cells().all(|(ys, xs)| {
            let (ys, xs) = (without_margin(ys, 6), without_margin(xs, 6));
            let pixels = ys.clone().flat_map(|y| xs.clone().map(move |x| y * self.picture.width + x));
            2 * pixels.filter(|&at| self.are_flat[at]).count() >= ys.len() * xs.len()
        })
    }

    /// The boards inside the picture; `None` if the search would take too long.
    pub fn boards_inside(&self) -> Option<Vec<BoardInside>> {
        let boards = self.picture.boards_as_drawn()?.into_iter();
        Some(boards.filter(|board| self.shows(&board.spans)).collect())
    }
}

impl Picture {
    /// The boards inside the picture, and inside its flattened form. Flattening removes lines that separate only some
    /// cells. No boards if the search would take too long: a board found by then may be a part of another one.
    pub fn boards_inside(&self) -> Vec<BoardInside> {
        let flattened = self.flattened(TOLERANCE, 1);
        let in_flattened = flattened.map_or(Some(Vec::new()), |flattened| flattened.boards_inside());
        let boards = self.boards_as_drawn().zip(in_flattened);
        outermost(boards.into_iter().flat_map(|(drawn, flattened)| drawn.into_iter().chain(flattened)))
    }

    /// The boards that the picture shows as it is; `None` if the search would take too long.
    fn boards_as_drawn(&self) -> Option<Vec<BoardInside>> {
        if self.pixels.len() > MAX_PIXELS {
            return None;
        }
        let near = |one: usize, other: usize| are_near(self.pixels[one], self.pixels[other], TOLERANCE);
        let regions = self.regions(&self.whole_area(), |_| true, near);
        let size = |area: &Area| area.ys.len() * area.xs.len();
        let is_large = |area: &Area| area.ys.len().min(area.xs.len()) >= MIN_ROWS * MIN_CELL_SIDE;
        let mut boards = Vec::from_iter(self.board_without_gaps(&self.whole_area(), |_, _| true));
        let (mut has_other_squares, mut work) = (false, 0);
        for (number, region) in regions.list.iter().enumerate().filter(|(_, region)| is_large(&region.area)) {
            work += size(&region.area);
            if work > MAX_WORK * self.pixels.len() {
                return None;
            }
            let is_piece = |at: usize| regions.at(at % self.width, at / self.width) != number;
            let pieces = self.regions(&region.area, is_piece, |_, _| true);
            has_other_squares |= self.add_boards_of_squares(&pieces, self.pixels[region.first_pixel], &mut boards);
            for (index, piece) in pieces.list.iter().enumerate() {
                if is_large(&piece.area) && 4 * piece.pixel_count >= 3 * size(&piece.area) {
                    let board = self.board_without_gaps(&piece.area, |x, y| pieces.at(x, y) == index);
                    boards.extend(board.and_then(|board| self.check_surroundings(board, region)));
                }
            }
        }
        let mut boards = outermost(boards);
        for board in &mut boards {
            board.is_certain &= !has_other_squares && !board.may_have_empty_cells();
        }
        Some(boards)
    }

    /// Whether more of a board may be outside the picture or below a bar: parts of cells stand beside the board, or
    /// `paper` of the width of a gap is missing on exactly one of two opposite sides.
    fn may_be_cut_off(&self, spans: &Spans, paper: Pixel) -> bool {
        let is_cut = |[before, after]: [(bool, bool); 2]| before.0 != after.0 || before.1 || after.1;
        self.beside(spans, paper).into_iter().any(is_cut)
    }

    /// Adds the boards whose cells are pieces on `paper`. Returns whether other squares stand in incomplete or uneven
    /// rows and columns.
    fn add_boards_of_squares(&self, pieces: &Regions, paper: Pixel, boards: &mut Vec<BoardInside>) -> bool {
        let is_square = |piece: &&Region| {
            let (height, width) = (piece.area.ys.len(), piece.area.xs.len());
            height.min(width) >= MIN_CELL_SIDE
                && is_similar(height, width, 8)
                && 2 * piece.pixel_count >= height * width
        };
        let mut squares: Vec<&Area> = pieces.list.iter().filter(is_square).map(|piece| &piece.area).collect();
        let mut has_other_squares = false;
        while let Some(first) = squares.pop() {
            let (mut group, mut next) = (vec![first], 0);
            while let Some(&area) = group.get(next) {
                group.extend(squares.extract_if(.., |other| are_neighbours(area, other)));
                next += 1;
            }
            let spans = Spans {
                rows: bands(group.iter().map(|area| &area.ys)),
                cols: bands(group.iter().map(|area| &area.xs)),
            };
            let (rows, cols) = spans.size();
            if rows.min(cols) < MIN_ROWS {
                continue;
            }
            if rows * cols != group.len() || !are_equidistant(&spans.rows) || !are_equidistant(&spans.cols) {
                has_other_squares = true;
            } else if let Some(colours) = self.cell_colours(&spans) {
                boards.push(BoardInside { is_certain: !self.may_be_cut_off(&spans, paper), spans, colours });
            }
        }
        has_other_squares
    }

    /// The board that fills a rectangle without gaps, except for round corners.
    fn board_without_gaps(&self, area: &Area, is_inside: impl Fn(usize, usize) -> bool) -> Option<BoardInside> {
        let (rows, cols) = (parts_by_edges(&self.rows(area))?, parts_by_edges(&self.columns(area))?);
        let (height, width) = (area.ys.len() / rows, area.xs.len() / cols);
        if !is_similar(height, width, 8) || rows * cols > MAX_CELLS {
            return None;
        }
        let inner = |span: &Range<usize>, margin: usize| span.start + margin..span.end - margin;
        let (middle_ys, middle_xs) = (inner(&area.ys, height / 2), inner(&area.xs, width / 2));
        let is_corner = |x: usize, y: usize| !middle_ys.contains(&y) && !middle_xs.contains(&x);
        let slack = 1 + width / 8;
        let (mut ys, xs) = (inner(&area.ys, slack), inner(&area.xs, slack));
        if !ys.all(|y| xs.clone().all(|x| is_inside(x, y) || is_corner(x, y))) {
            return None;
        }
        let spans = Spans { rows: divide(area.ys.clone(), rows), cols: divide(area.xs.clone(), cols) };
        let colours = self.cell_colours(&spans)?;
        // A strip of cells that are cut off makes the others a little higher or wider.
        let skew = (area.ys.len() * cols).abs_diff(area.xs.len() * rows);
        Some(BoardInside { spans, colours, is_certain: skew <= 2 * rows.max(cols) })
    }

    /// Compares a board without gaps with the region around it. `None` if the region may consist of cells of the same
    /// board: its edges lie whole numbers of cells away from the board. The board is not certain if it may be cut off,
    /// or if some of its cells have the colour of the region: more such cells may stand around it.
    fn check_surroundings(&self, mut board: BoardInside, region: &Region) -> Option<BoardInside> {
        let (area, side, (rows, cols)) = (board.area(), board.cell_side(), board.spans.size());
        let margins = |outer: &Range<usize>, inner: &Range<usize>, parts: usize| {
            [inner.start - outer.start, outer.end - inner.end].map(|margin| (margin, inner.len(), parts))
        };
        let sides = [margins(&region.area.ys, &area.ys, rows), margins(&region.area.xs, &area.xs, cols)].concat();
        let is_framed = sides.iter().all(|(margin, ..)| 2 * margin < side);
        let is_on_line = |&(margin, length, parts): &(usize, usize, usize)| {
            let offset = (margin * parts) % length;
            offset.min(length - offset) <= (1 + side / 8) * parts
        };
        let colour = self.pixels[region.first_pixel];
        let has_colour = board.colours.iter().any(|&cell| are_near(cell, colour, 2 * TOLERANCE));
        board.is_certain &= (is_framed || !has_colour) && !self.may_be_cut_off(&board.spans, colour);
        (is_framed || !sides.iter().all(is_on_line)).then_some(board)
    }

    /// The colours of the cells. Nearly all pixels of a cell must have its colour; one cell may carry a mark. `None` if
    /// some cell has no such colour, or all cells have the same.
    pub(super) fn cell_colours(&self, spans: &Spans) -> Option<Vec<Pixel>> {
        let (mut colours, mut marked_cells) = (Vec::new(), 0);
        for cell in spans.cells() {
            let pixels = self.middle(cell, 6);
            let near_count = |colour: Pixel| pixels.iter().filter(|&&other| are_near(colour, other, TOLERANCE)).count();
            let candidates = [pixels[0], pixels[pixels.len() / 2]].map(|colour| (near_count(colour), colour));
            let (near_count, colour) = candidates.into_iter().max_by_key(|(near_count, _)| *near_count)?;
            marked_cells += usize::from(50 * near_count < 49 * pixels.len());
            if marked_cells > 1 || 4 * near_count < 3 * pixels.len() {
                return None;
            }
            colours.push(colour);
        }
        colours.iter().any(|&colour| !are_near(colour, colours[0], TOLERANCE)).then_some(colours)
    }
}

/// Whether two lengths differ by at most one pixel plus the `parts`-th part of the shorter.
pub(super) fn is_similar(one: usize, other: usize, parts: usize) -> bool {
    one.abs_diff(other) <= 1 + one.min(other) / parts
}

/// Whether two squares are neighbours in a row or in a column: equally large, and less than half a square apart.
fn are_neighbours(one: &Area, other: &Area) -> bool {
    let is_close = |one: &Range<usize>, other: &Range<usize>| {
        let gap = one.start.max(other.start).saturating_sub(one.end.min(other.end));
        gap > 0 && 2 * gap <= one.len()
    };
    let is_level = |one: &Range<usize>, other: &Range<usize>| one.start.abs_diff(other.start) <= 1;
    let is_equal = is_similar(one.ys.len(), other.ys.len(), 16) && is_similar(one.xs.len(), other.xs.len(), 16);
    let in_row = is_level(&one.ys, &other.ys) && is_close(&one.xs, &other.xs);
    is_equal && (in_row || is_level(&one.xs, &other.xs) && is_close(&one.ys, &other.ys))
}

/// The bands of pixels that squares stand in: their rows, or their columns.
fn bands<'a>(squares: impl Iterator<Item = &'a Range<usize>>) -> Vec<Range<usize>> {
    let mut squares: Vec<&Range<usize>> = squares.collect();
    squares.sort_by_key(|span| span.start);
    let mut bands: Vec<Range<usize>> = Vec::new();
    for span in squares {
        match bands.last_mut() {
            Some(band) if span.start < band.start + span.len() / 2 => band.end = band.end.max(span.end),
            _ => bands.push(span.clone()),
        }
    }
    bands
}

/// Whether bands follow each other at equal distances.
fn are_equidistant(bands: &[Range<usize>]) -> bool {
    let steps = || bands.windows(2).map(|pair| pair[1].start - pair[0].start);
    is_similar(steps().min().unwrap_or(0), steps().max().unwrap_or(0), 16)
}

/// The fewest equal parts such that each long edge is between two parts, and any two neighbouring parts have a long
/// edge between them.
fn parts_by_edges(axis: &Axis<'_>) -> Option<usize> {
    let (length, runs) = (axis.lines.len(), axis.longest_runs());
    let fits = |parts: &usize| {
        let (side, mut has_edge) = (length / parts, vec![false; parts + 1]);
        let slack = (side / 8).max(1) * parts;
        for (at, _) in (1..).zip(&runs).filter(|(_, run)| 4 * **run > side) {
            let offset = (at * parts) % length;
            if offset.min(length - offset) > slack {
                return false;
            }
            has_edge[(at * parts + length / 2) / length] = true;
        }
        has_edge[1..*parts].iter().all(|has_edge| *has_edge)
    };
    (MIN_ROWS..=length / MIN_CELL_SIDE).find(fits)
}

/// The boards without those that are parts of others. One that consists of others may be several boards.
pub(super) fn outermost(boards: impl IntoIterator<Item = BoardInside>) -> Vec<BoardInside> {
    let mut boards = Vec::from_iter(boards);
    for at in 0..boards.len() {
        let whole = &boards[at];
        let is_inside = |part: &BoardInside| part.spans.size() != whole.spans.size() && part.is_part_of(whole);
        boards[at].is_certain &= !boards.iter().any(is_inside);
    }
    let mut found: Vec<BoardInside> = Vec::new();
    for board in boards {
        if !found.iter().any(|other| board.is_part_of(other)) {
            found.retain(|other| !other.is_part_of(&board));
            found.push(board);
        }
    }
    found
}
