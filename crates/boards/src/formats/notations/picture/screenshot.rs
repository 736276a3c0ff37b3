//! Boards inside pictures that show more: bars, scores, buttons.
//!
//! A connected region of one colour, such as a background or the lines of a grid, encloses pieces. A board is either
//! many pieces, which are equal squares in complete rows and columns, or one piece, which is a rectangle of equal
//! squares without gaps. In such a rectangle all long edges stand on equidistant lines, and each line has one.
//! Anything that may be more than one board, or a part of a board, is no certain reading.

use super::grid::{Area, Axis, Picture, Pixel, Spans, TOLERANCE, are_near, divide};
use super::regions::{Flattened, Region, Regions};
use crate::MAX_CELLS;
use std::ops::Range;

/// The fewest rows, and the fewest columns.
const FEWEST: usize = 3;

/// The smallest side of a cell, in pixels.
const SMALLEST: usize = 8;

/// The most pixels that are looked at, as a multiple of the pixels of the picture.
const MOST_WORK: usize = 48;

/// The most pixels of a picture in which boards are looked for: twice those of a large screen. More would take minutes.
const MOST_PIXELS: usize = 1 << 24;

/// A board inside a picture.
pub(super) struct Inside {
    pub spans: Spans,
    /// The colours of the cells, row by row.
    pub colours: Vec<Pixel>,
    /// Whether nothing else explains what is seen.
    pub is_certain: bool,
}

impl Inside {
    /// The rectangle of pixels.
    pub fn area(&self) -> Area {
        let all = |spans: &[Range<usize>]| spans[0].start..spans[spans.len() - 1].end;
        Area { ys: all(&self.spans.rows), xs: all(&self.spans.cols) }
    }

    fn side(&self) -> usize {
        self.spans.rows[0].len().max(self.spans.cols[0].len())
    }

    /// Whether some colour may be that of empty cells: it has two cells or more, none of them below another colour.
    pub fn may_have_empty_cells(&self) -> bool {
        let (cols, count) = (self.spans.cols.len(), self.colours.len());
        let is_above = |colour: Pixel| {
            let is_empty = |at: &usize| are_near(self.colours[*at], colour, TOLERANCE);
            (cols..count).all(|at| !is_empty(&at) || is_empty(&(at - cols))) && (0..count).filter(is_empty).count() > 1
        };
        self.colours[..cols].iter().any(|&colour| is_above(colour))
    }

    /// Whether another board is this one again, or has this one as a part.
    fn is_part_of(&self, other: &Self) -> bool {
        let (one, all, slack) = (self.area(), other.area(), self.side() / 2);
        let within =
            |one: &Range<usize>, all: &Range<usize>| one.start + slack >= all.start && one.end <= all.end + slack;
        let is_smaller = |one: &Range<usize>, all: &Range<usize>| one.len() + 2 * slack < all.len();
        let differs = is_smaller(&one.ys, &all.ys) || is_smaller(&one.xs, &all.xs);
        let is_same = self.spans.size() == other.spans.size()
            && self.colours.iter().zip(&other.colours).all(|(&one, &other)| are_near(one, other, TOLERANCE));
        within(&one.ys, &all.ys) && within(&one.xs, &all.xs) && (differs || is_same)
    }
}

impl Flattened {
    /// Whether each cell has pixels of its own colour that stay when the picture is flattened.
    pub fn shows(&self, spans: &Spans) -> bool {
        let is_seen = |ys: &Range<usize>, xs: &Range<usize>| {
            let (ys, xs) = (inner(ys), inner(xs));
            let flat = ys.clone().flat_map(|y| xs.clone().map(move |x| (x, y)));
            2 * flat.filter(|(x, y)| self.are_flat[y * self.picture.width + x]).count() >= ys.len() * xs.len()
        };
        spans.rows.iter().all(|ys| spans.cols.iter().all(|xs| is_seen(ys, xs)))
    }

    /// The boards inside the picture.
    pub fn boards_inside(&self) -> Vec<Inside> {
        self.picture.boards_seen().into_iter().filter(|board| self.shows(&board.spans)).collect()
    }
}

impl Picture {
    /// The boards inside the picture, seen both as it is and flattened, which removes lines between only some cells.
    pub fn boards_inside(&self) -> Vec<Inside> {
        let flattened = self.flattened(TOLERANCE, 1);
        let mut boards = self.boards_seen();
        boards.extend(flattened.iter().flat_map(Flattened::boards_inside));
        outermost(boards)
    }

    /// The boards that the picture shows as it is.
    fn boards_seen(&self) -> Vec<Inside> {
        if self.pixels.len() > MOST_PIXELS {
            return Vec::new();
        }
        let near = |one: usize, other: usize| are_near(self.pixels[one], self.pixels[other], TOLERANCE);
        let regions = self.regions(&self.whole(), |_| true, near);
        let size = |area: &Area| area.ys.len() * area.xs.len();
        let is_large = |area: &Area| area.ys.len().min(area.xs.len()) >= FEWEST * SMALLEST;
        let mut enclosing: Vec<usize> = (0..regions.all.len()).filter(|&at| is_large(&regions.all[at].area)).collect();
        enclosing.sort_by_key(|&at| std::cmp::Reverse(size(&regions.all[at].area)));
        let (mut boards, mut has_rest, mut work) = (Vec::new(), false, 0);
        boards.extend(self.board_without_gaps(&self.whole(), |_, _| true));
        for number in enclosing {
            let Region { area, .. } = &regions.all[number];
            work += size(area);
            if work > MOST_WORK * self.pixels.len() {
                has_rest = true;
                break;
            }
            let is_piece = |at: usize| regions.at(at % self.width, at / self.width) != number;
            let pieces = self.regions(area, is_piece, |_, _| true);
            has_rest |= self.add_boards_of_squares(&pieces, &mut boards);
            for (at, piece) in pieces.all.iter().enumerate() {
                if is_large(&piece.area) && 4 * piece.pixels >= 3 * size(&piece.area) {
                    let board = self.board_without_gaps(&piece.area, |x, y| pieces.at(x, y) == at);
                    boards.extend(board.and_then(|board| self.apart_from(board, area)));
                }
            }
        }
        let mut boards = outermost(boards);
        for board in &mut boards {
            board.is_certain &= !has_rest && !board.may_have_empty_cells() && !self.may_cut(board);
        }
        boards
    }

    /// Whether more of a board may stand beyond one side of the picture.
    fn may_cut(&self, board: &Inside) -> bool {
        let (Area { ys, xs }, slack) = (board.area(), 1 + board.side() / 8);
        let is_cut = |span: &Range<usize>, end: usize| (span.start <= slack) != (span.end + slack >= end);
        is_cut(&ys, self.height) || is_cut(&xs, self.width)
    }

    /// Adds the boards whose cells are pieces. Returns whether other squares stand in incomplete or uneven rows and
    /// columns.
    fn add_boards_of_squares(&self, pieces: &Regions, boards: &mut Vec<Inside>) -> bool {
        let is_square = |piece: &&Region| {
            let (height, width) = (piece.area.ys.len(), piece.area.xs.len());
            height.min(width) >= SMALLEST && is_alike(height, width, 8) && 2 * piece.pixels >= height * width
        };
        let mut rest: Vec<&Area> = pieces.all.iter().filter(is_square).map(|piece| &piece.area).collect();
        let mut has_rest = false;
        while let Some(first) = rest.pop() {
            let (mut group, mut seen) = (vec![first], 0);
            while let Some(&area) = group.get(seen) {
                group.extend(rest.extract_if(.., |other| are_beside(area, other)));
                seen += 1;
            }
            let (rows, cols) = (lines(group.iter().map(|area| &area.ys)), lines(group.iter().map(|area| &area.xs)));
            if rows.len().min(cols.len()) < FEWEST {
                continue;
            }
            let is_complete = rows.len() * cols.len() == group.len() && is_even(&rows) && is_even(&cols);
            has_rest |= !is_complete;
            let spans = Spans { rows, cols };
            if let Some(colours) = self.cell_colours(&spans).filter(|_| is_complete) {
                boards.push(Inside { spans, colours, is_certain: true });
            }
        }
        has_rest
    }

    /// The board that fills a rectangle without gaps but for round corners.
    fn board_without_gaps(&self, area: &Area, is_inside: impl Fn(usize, usize) -> bool) -> Option<Inside> {
        let (rows, cols) = (fewest_parts(&self.rows(area))?, fewest_parts(&self.columns(area))?);
        let (height, width) = (area.ys.len() / rows, area.xs.len() / cols);
        if !is_alike(height, width, 8) || rows * cols > MAX_CELLS {
            return None;
        }
        let corner = |at: usize, all: &Range<usize>, side: usize| at < all.start + side / 2 || at + side / 2 >= all.end;
        let is_corner = |x, y| corner(x, &area.xs, width) && corner(y, &area.ys, height);
        let slack = 1 + width / 8;
        let mut inner = (area.ys.start + slack..area.ys.end - slack)
            .flat_map(|y| (area.xs.start + slack..area.xs.end - slack).map(move |x| (x, y)));
        if !inner.all(|(x, y)| is_inside(x, y) || is_corner(x, y)) {
            return None;
        }
        let spans = Spans { rows: divide(area.ys.clone(), rows), cols: divide(area.xs.clone(), cols) };
        let colours = self.cell_colours(&spans)?;
        Some(Inside { spans, colours, is_certain: true })
    }

    /// A rectangle of cells without gaps, compared with the colour around it, which fills the area `around`. `None` if
    /// that colour may be cells of the same board, because the ends of `around` are on the lines of the board.
    /// The board is not certain if some of its cells have that colour, because more such cells may stand around it.
    fn apart_from(&self, board: Inside, around: &Area) -> Option<Inside> {
        let (area, side) = (board.area(), board.side());
        let (middle_x, middle_y) = (area.xs.start.midpoint(area.xs.end), area.ys.start.midpoint(area.ys.end));
        let slack = 1 + side / 8;
        let [x, y] = [area.xs.start, area.ys.start].map(|start| start.saturating_sub(slack + 1));
        let sides = [
            (area.xs.start - around.xs.start, board.spans.cols.len(), area.xs.len(), (x, middle_y)),
            (around.xs.end - area.xs.end, board.spans.cols.len(), area.xs.len(), (area.xs.end + slack, middle_y)),
            (area.ys.start - around.ys.start, board.spans.rows.len(), area.ys.len(), (middle_x, y)),
            (around.ys.end - area.ys.end, board.spans.rows.len(), area.ys.len(), (middle_x, area.ys.end + slack)),
        ];
        let is_on_line = |&(room, parts, length, _): &(usize, usize, usize, (usize, usize))| {
            let offset = (room * parts) % length;
            offset.min(length - offset) <= slack * parts
        };
        let beside: Vec<Pixel> = sides
            .iter()
            .filter(|(room, ..)| 2 * room >= side)
            .map(|&(.., (x, y))| self.pixels[y * self.width + x])
            .collect();
        if !beside.is_empty() && sides.iter().all(is_on_line) {
            return None;
        }
        let has = |&colour: &Pixel| board.colours.iter().any(|&cell| are_near(cell, colour, 2 * TOLERANCE));
        Some(Inside { is_certain: !beside.iter().any(has), ..board })
    }

    /// The colours of the cells. Nearly all pixels of a cell must have its colour; one cell may carry a mark. `None` if
    /// some cell has no such colour, or all cells have the same.
    pub(super) fn cell_colours(&self, spans: &Spans) -> Option<Vec<Pixel>> {
        let (mut colours, mut marks) = (Vec::new(), 0);
        for (ys, xs) in spans.rows.iter().flat_map(|ys| spans.cols.iter().map(move |xs| (ys, xs))) {
            let (ys, xs) = (inner(ys), inner(xs));
            let pixels: Vec<Pixel> =
                ys.flat_map(|y| self.pixels[y * self.width..][xs.clone()].iter().copied()).collect();
            let (colour, near) = [0, pixels.len() / 2]
                .map(|at| (pixels[at], pixels.iter().filter(|&&other| are_near(pixels[at], other, TOLERANCE)).count()))
                .into_iter()
                .max_by_key(|&(_, near)| near)?;
            marks += usize::from(50 * near < 49 * pixels.len());
            if marks > 1 || 4 * near < 3 * pixels.len() {
                return None;
            }
            colours.push(colour);
        }
        colours.iter().any(|&colour| !are_near(colour, colours[0], TOLERANCE)).then_some(colours)
    }
}

/// Whether two lengths differ by a pixel, or by one part in `parts` of them.
fn is_alike(one: usize, other: usize, parts: usize) -> bool {
    one.abs_diff(other) <= 1 + one.min(other) / parts
}

/// The middle of a cell's span, which decides its colour: without its edges and round corners.
pub(super) fn inner(span: &Range<usize>) -> Range<usize> {
    let margin = span.len() / 6;
    span.start + margin..span.end - margin
}

/// Whether two squares are neighbours in a row or in a column: as large, and closer than half a square.
fn are_beside(one: &Area, other: &Area) -> bool {
    let follows = |one: &Range<usize>, other: &Range<usize>| {
        let gap = one.start.max(other.start).saturating_sub(one.end.min(other.end));
        gap > 0 && 2 * gap <= one.len()
    };
    let is_level = |one: &Range<usize>, other: &Range<usize>| is_alike(one.start, other.start, usize::MAX);
    let is_equal = is_alike(one.ys.len(), other.ys.len(), 16) && is_alike(one.xs.len(), other.xs.len(), 16);
    let in_row = is_level(&one.ys, &other.ys) && follows(&one.xs, &other.xs);
    is_equal && (in_row || is_level(&one.xs, &other.xs) && follows(&one.ys, &other.ys))
}

/// The rows, or the columns, that squares stand in.
fn lines<'a>(squares: impl Iterator<Item = &'a Range<usize>>) -> Vec<Range<usize>> {
    let mut squares: Vec<&Range<usize>> = squares.collect();
    squares.sort_by_key(|span| span.start);
    let mut lines: Vec<Range<usize>> = Vec::new();
    for span in squares {
        match lines.last_mut() {
            Some(line) if span.start < line.start + span.len() / 2 => line.end = line.end.max(span.end),
            _ => lines.push(span.clone()),
        }
    }
    lines
}

/// Whether lines follow each other at equal distances.
fn is_even(lines: &[Range<usize>]) -> bool {
    let steps = || lines.windows(2).map(|pair| pair[1].start - pair[0].start);
    is_alike(steps().min().unwrap_or(0), steps().max().unwrap_or(0), 16)
}

/// The fewest equal parts such that each long edge is between two parts, and any two neighbouring parts have a long
/// edge between them.
fn fewest_parts(axis: &Axis<'_>) -> Option<usize> {
    let (length, runs) = (axis.along.len(), axis.longest_runs());
    let fits = |parts: &usize| {
        let (side, mut shown) = (length / parts, vec![false; *parts]);
        let slack = (side / 8).max(1) * parts;
        for (at, _) in (1..).zip(&runs).filter(|(_, run)| 4 * **run > side) {
            let offset = (at * parts) % length;
            if offset.min(length - offset) > slack {
                return false;
            }
            if let Some(shown) = shown.get_mut((at * parts + length / 2) / length) {
                *shown = true;
            }
        }
        shown[1..].iter().all(|shown| *shown)
    };
    (FEWEST..=length / SMALLEST).find(fits)
}

/// The boards without those that are parts of others.
pub(super) fn outermost(boards: Vec<Inside>) -> Vec<Inside> {
    let mut kept: Vec<Inside> = Vec::new();
    for board in boards {
        if !kept.iter().any(|other| board.is_part_of(other)) {
            kept.retain(|other| !other.is_part_of(&board));
            kept.push(board);
        }
    }
    kept
}
