//! Whether pieces that do not go at once can go by two clicks each.
//!
//! When as many pieces go at once as `once.rs` allows, a set S, and there is no click to spare, each of the others goes by two clicks. The first of them
//! takes cells that may hang together then; the second takes all the others, which have to hang together in turn. Here it is asked, for each
//! set S, whether all pieces can go like that, with the cells that *stay*: all of a piece before its first click, those that the first
//! one cannot have taken before the second, none of what is gone. Where there is no set, there is one click more.
//!
//! **No harm in haste.** Nothing falls lower here than onto what stays, and what may lie above it is never taken away: the fewer cells stay, the more
//! may hang together (so this is less than what `once.rs` asks of S, and more of the others). So a piece that can go without a choice goes at
//! once: one of S that may hang together, one of the others that is in two parts or less, and one whose second click may be made. What a first
//! click takes is a choice. Some piece is the next to go; only choices that it cannot go without, one after the other, are made before it goes:
//! later there is no less to choose from.
//!
//! **Consistent**, for boards whose columns stay. Let a child allow one click less than its parent, and the clicks that this is about. When the piece
//! that was clicked is gone, it is one of S for the parent, and goes first. When it is one piece of S in the child, it is clicked twice in the parent: what
//! the first click takes there is, with everything in its place, the very group. And neither is it clicked twice in the child, nor in pieces that
//! fell apart: S would have more pieces in the child, even without these, than any set has for the parent. Either way, what stays in the parent
//! after that click is what is left of the child, where it may lie as in the child or elsewhere. A child has no more pieces that take two clicks, and none
//! of more runs: where an order of the parent's has not too many choices, none of the child's has.

use super::column::Column;
use super::grid::{Cells, add, take};
use super::once::{MOST_PIECES, Orders};
use super::pieces::{Parts, Piece, Pieces, Runs, hangs};
use crate::domain::wide::for_each_level;
use arrayvec::ArrayVec;

/// Runs of a piece at most.
const MOST_RUNS: usize = 64;

/// The most sequences of first clicks, one on a run of each piece that takes two. Where there are more, nothing is claimed: it would take too long.
const MOST_CHOICES: u64 = 1 << 12;

/// Cells of one column that hang together.
#[derive(Clone, Copy)]
struct Run {
    cells: u64,
    /// Where they may lie, as bits.
    heights: u64,
    col: usize,
    /// The first run with which it may hang together.
    part: usize,
}

/// The runs of a piece.
type Linked = ArrayVec<Run, MOST_RUNS>;

/// What is left of a plan.
#[derive(Clone, Copy)]
struct Stage<T, const C: usize> {
    staying: Cells<T, C>,
    /// Pieces that are not gone.
    left: Pieces,
    /// Those of them that are to go by two clicks, and were not clicked yet.
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
    /// Links the runs of a piece where these cells stay and others of those `left` may be there. Whether it has no more than there is room for. It keeps
    /// what `hangs` only counts: which cells are in which part.
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

/// Looks for a plan with one set of pieces that go at once.
struct Plans<'a, T, const C: usize> {
    pieces: &'a [Piece<T, C>],
    all: &'a Cells<T, C>,
    min_group: u32,
    parts: &'a mut [Parts; 2],
    /// What stayed where it did not go on.
    dead: Vec<Cells<T, C>>,
}

impl<T: Column, const C: usize> Orders<'_, T, C> {
    /// Whether `these` pieces may go, those of one of the `sets`, which are all that may go at once, at once, and each of the others by two clicks.
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
    /// Whether all pieces may go from here on.
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

    /// Lets go what can go without a choice.
    fn haste(&mut self, stage: &mut Stage<T, C>) {
        let mut tried = 0;
        while stage.left & !tried != 0 {
            let its = (stage.left & !tried).trailing_zeros() as usize;
            tried |= 1 << its;
            if self.goes(its, stage.whole, &stage.staying) {
                stage.go(its, &self.pieces[its].cells);
                // What it held may go now.
                tried &= !self.pieces[its].near;
            }
        }
    }

    /// Whether a piece may go with what clicks it has, while these cells stay.
    #[inline(always)]
    fn goes(&mut self, its: usize, whole: Pieces, staying: &Cells<T, C>) -> bool {
        let has_two = whole >> its & 1 == 1;
        hangs(&self.pieces[its], staying, self.all, 1 + u32::from(has_two), self.parts)
    }

    /// The same, when nothing of these others stays.
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

    /// Whether all may go when first clicks on one or more of `others` let a piece go that cannot go as it is. It may be one of them: what its own first
    /// click takes may be in the way of theirs.
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

    /// Whether some of these cells lie below one of a piece: others do not keep it from going.
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
