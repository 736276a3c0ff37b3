//! A lower bound on the number of clicks: whether the pieces that do not go by one click can go by two clicks each.
//!
//! Let S be a largest set of pieces that may go by one click each (`one_click.rs`). In a solution without another click
//! each other piece goes by two clicks. The first of them takes cells that may be connected at that time; the second
//! takes all cells that are left, which have to be connected in turn. For each set S it is asked whether all pieces can
//! go in this way, with these *staying* cells:
//!
//! * all cells of a piece before its first click;
//! * before its second click, the cells that the first click cannot have taken;
//! * no cell of a piece that is gone.
//!
//! When there is no such set S, one click more is needed.
//!
//! **Going early does no harm.** In this relaxation a cell falls no lower than onto the staying cells, and cells that
//! may lie above it are never taken away. So the fewer cells stay, the more may be connected. (This asks less of S than
//! `one_click.rs` does, and more of the other pieces.) A piece that can go without a choice therefore goes at once: a
//! piece of S that may be connected; one of the others that is in two parts or less; one whose second click may be
//! made. Which cells a first click takes is a choice. Some piece goes next. Only choices without which this piece
//! cannot go are made before it goes, one after the other; later there is no less to choose from.
//!
//! **Consistent**, for boards whose columns stay. Suppose that a child allows one click less than its parent. If the
//! clicked piece is gone, it is one of S for the parent, and goes first. If it is one piece of S in the child, it is
//! clicked twice in the parent: with all cells in their places, the first click takes exactly the clicked group. No
//! other case is possible: the piece is neither clicked twice in the child, nor in several pieces there, because then S
//! would have more pieces in the child, even without these, than any such set has in the parent. In either case the
//! cells that stay in the parent after that click are the cells of the child, where they may lie as in the child or
//! elsewhere. A child has no more pieces that take two clicks, and none with more runs. So where an order of the parent
//! has not too many choices, no order of the child has.

use super::one_click::{MOST_PIECES, Orders};
use super::pieces::{Parts, Piece, Pieces, Runs, hangs};
use crate::puzzles::clickomania::state::{Cells, Column, add, take};
use arrayvec::ArrayVec;
use gridhunt_search::for_each_level;

/// The most runs of a piece.
const MOST_RUNS: usize = 64;

/// The most sequences of first clicks, one on a run of each piece that takes two clicks. With more of them nothing is
/// claimed, because the answer would take too long.
const MOST_CHOICES: u64 = 1 << 12;

/// Connected cells of one column.
#[derive(Clone, Copy)]
struct Run {
    cells: u64,
    /// The heights at which they may lie, as bits.
    heights: u64,
    col: usize,
    /// The first run with which it may be connected.
    part: usize,
}

/// The runs of a piece.
type Linked = ArrayVec<Run, MOST_RUNS>;

/// The rest of a plan.
#[derive(Clone, Copy)]
struct Stage<T, const C: usize> {
    staying: Cells<T, C>,
    /// Pieces that are not gone.
    left: Pieces,
    /// Those of them that take two clicks and were not clicked yet.
    whole: Pieces,
}

impl<T: Column, const C: usize> Stage<T, C> {
    #[inline(always)]
    fn go(&mut self, its: usize, cells: &Cells<T, C>) {
        self.left &= !(1 << its);
        self.whole &= !(1 << its);
        take(&mut self.staying, cells);
    }
}

for_each_level! {
    /// Finds the runs of a piece, and which of them may be connected, while the cells of `staying` stay and others of
    /// `left` may be there. Returns false when there are more than [`MOST_RUNS`]. It tells which cells are in which
    /// part, where `hangs` only counts parts.
    fn link<const C: usize; T: Column>(
        piece: &Piece<T, C>, staying: &Cells<T, C>, left: &Cells<T, C>, linked: &mut Linked,
    ) -> bool = link_runs
}

#[inline(always)]
fn link_runs<T: Column, const C: usize>(
    piece: &Piece<T, C>,
    staying: &Cells<T, C>,
    left: &Cells<T, C>,
    linked: &mut Linked,
) -> bool {
    linked.clear();
    let mut before = 0;
    for col in piece.first..=piece.last {
        let from = linked.len();
        let mut runs = Runs::new(piece.cells[col].to_bits(), staying[col].to_bits(), left[col].to_bits());
        while let Some((cells, heights)) = runs.next() {
            let mut part = linked.len();
            for at in before..from {
                let other = linked[at].part;
                if linked[at].heights & heights != 0 && other != part {
                    let (kept, joined) = (part.min(other), part.max(other));
                    for run in linked.iter_mut() {
                        run.part = if run.part == joined { kept } else { run.part };
                    }
                    part = kept;
                }
            }
            if linked.try_push(Run { cells, heights, col, part }).is_err() {
                return false;
            }
        }
        before = from;
    }
    true
}

/// The search for a plan with one set of pieces that go by one click each.
struct Plans<'a, T, const C: usize> {
    pieces: &'a [Piece<T, C>],
    all: &'a Cells<T, C>,
    min_group: u32,
    parts: &'a mut [Parts; 2],
    /// The staying cells of stages from which there is no plan.
    dead: Vec<Cells<T, C>>,
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Whether `these` pieces may go: those of one of the `sets` by one click each, and all others by two clicks each.
    /// `sets` holds all largest sets that may go by one click each.
    pub(super) fn goes_by_two(&mut self, these: Pieces, min_group: u32, sets: &[Pieces]) -> bool {
        let mut staying = [T::default(); C];
        for (place, piece) in self.pieces.iter().enumerate() {
            if these >> place & 1 == 1 {
                add(&mut staying, &piece.cells);
            }
        }
        let mut runs = [0; MOST_PIECES];
        let mut linked = Linked::new();
        for (runs, piece) in runs.iter_mut().zip(&*self.pieces) {
            let has_room = link(piece, &staying, &self.all, &mut linked);
            *runs = if has_room { linked.len() as u64 } else { u64::MAX };
        }
        for &set in sets {
            let whole = these & !set;
            let (mut choices, mut clicked) = (1_u64, 0);
            for (_, &runs) in runs.iter().enumerate().filter(|(place, _)| whole >> place & 1 == 1) {
                clicked += 1;
                choices = choices.saturating_mul(runs).saturating_mul(clicked);
            }
            let mut plans =
                Plans { pieces: &*self.pieces, all: &self.all, min_group, parts: &mut self.parts, dead: Vec::new() };
            if choices > MOST_CHOICES || plans.finishes(Stage { staying, left: these, whole }) {
                return true;
            }
        }
        false
    }
}

impl<T: Column, const C: usize> Plans<'_, T, C> {
    /// Whether all pieces may go from this stage on.
    fn finishes(&mut self, mut stage: Stage<T, C>) -> bool {
        self.haste(&mut stage);
        if stage.left == 0 {
            return true;
        }
        if self.dead.contains(&stage.staying) {
            return false;
        }
        self.dead.push(stage.staying);
        let mut targets = if stage.whole == 0 { 0 } else { stage.left };
        while targets != 0 {
            let target = targets.trailing_zeros() as usize;
            targets &= targets - 1;
            if self.goes_without(target, stage.whole, &stage) && self.finishes_with(target, stage.whole, &stage) {
                return true;
            }
        }
        false
    }

    /// Lets all pieces go that can go without a choice.
    fn haste(&mut self, stage: &mut Stage<T, C>) {
        let mut tried = 0;
        while stage.left & !tried != 0 {
            let its = (stage.left & !tried).trailing_zeros() as usize;
            tried |= 1 << its;
            if self.goes(its, stage.whole, &stage.staying) {
                stage.go(its, &self.pieces[its].cells);
                // Pieces that it held up may go now.
                tried &= !self.pieces[its].near;
            }
        }
    }

    /// Whether a piece may go by the clicks that it has left, while these cells stay.
    #[inline(always)]
    fn goes(&mut self, its: usize, whole: Pieces, staying: &Cells<T, C>) -> bool {
        let has_two = whole >> its & 1 == 1;
        hangs(&self.pieces[its], staying, self.all, 1 + u32::from(has_two), self.parts)
    }

    /// [`Plans::goes`], when no cell of `others` stays.
    #[inline(always)]
    fn goes_without(&mut self, its: usize, others: Pieces, stage: &Stage<T, C>) -> bool {
        let mut staying = stage.staying;
        let mut rest = others & self.pieces[its].near;
        while rest != 0 {
            take(&mut staying, &self.pieces[rest.trailing_zeros() as usize].cells);
            rest &= rest - 1;
        }
        self.goes(its, stage.whole, &staying)
    }

    /// Whether all pieces may go when first clicks on one or more of `others` let the target go, which cannot go as it
    /// is. The target may be one of `others`: the cells that its own first click takes may be in the way of theirs.
    fn finishes_with(&mut self, target: usize, others: Pieces, stage: &Stage<T, C>) -> bool {
        let mut linked = Linked::new();
        let mut rest = others;
        while rest != 0 {
            let its = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let others = others & !(1 << its);
            link(&self.pieces[its], &stage.staying, self.all, &mut linked);
            let mut goes_beside = None;
            for part in (0..linked.len()).filter(|&at| linked[at].part == at) {
                let (mut cells, mut size) = ([T::default(); C], 0);
                for run in &linked[part..] {
                    let of_part = if run.part == part { run.cells } else { 0 };
                    cells[run.col] |= T::from_bits(of_part);
                    size += of_part.count_ones();
                }
                if size < self.min_group {
                    continue;
                }
                let mut next = Stage { whole: stage.whole & !(1 << its), ..*stage };
                take(&mut next.staying, &cells);
                let finishes = if !self.is_below(&cells, target) {
                    *goes_beside.get_or_insert_with(|| self.goes_without(target, others, stage))
                        && self.finishes_with(target, others, &next)
                } else if !self.goes_without(target, others, &next) {
                    false
                } else if self.goes(target, next.whole, &next.staying) {
                    self.finishes(next)
                } else {
                    self.finishes_with(target, others, &next)
                };
                if finishes {
                    return true;
                }
            }
        }
        false
    }

    /// Whether some of these cells lie below a cell of a piece. Other cells do not keep the piece from going.
    #[inline(always)]
    fn is_below(&self, cells: &Cells<T, C>, its: usize) -> bool {
        let Piece { cells: own, first, last, .. } = &self.pieces[its];
        let mut is_below = false;
        for (cells, own) in cells[*first..=*last].iter().zip(&own[*first..=*last]) {
            is_below |= cells.lowest().to_bits().wrapping_sub(1) < own.to_bits();
        }
        is_below
    }
}
